# Note [ISA isolation]
# An inline function of an ordinary header compiled with AVX-512 flags can be taken for the whole program by the linker and
# crash older CPUs. So a tier's objects are merged into one, everything but its table becomes local, and the
# build fails unless exactly that one symbol is left.

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(tiers sse4_2 avx2 avx512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(tiers neon)
else()
  message(FATAL_ERROR "Lanewise has no ISA tier for ${CMAKE_SYSTEM_PROCESSOR}; it runs on x86-64 and AArch64")
endif()
set(LANEWISE_TIERS ${tiers} CACHE STRING "ISA tiers to build, in rising order: fewer build faster")
set(entries "")
foreach(tier IN LISTS LANEWISE_TIERS)
  if(NOT tier IN_LIST tiers)
    message(FATAL_ERROR "LANEWISE_TIERS: ${tier} is no tier of ${CMAKE_SYSTEM_PROCESSOR}; it has ${tiers}")
  endif()
  string(APPEND entries "LANEWISE_TIER(${tier})\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/lanewise/generated/tiers.inc CONTENT "${entries}")

set(LANEWISE_FLAGS_sse4_2 -msse4.2 -mpopcnt)
set(LANEWISE_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt)
set(LANEWISE_FLAGS_avx512 ${LANEWISE_FLAGS_avx2} -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl
    -mprefer-vector-width=512)
set(LANEWISE_FLAGS_neon "")

# Compile settings of tier code, for the kernels and for tests of vec/.
foreach(tier IN LISTS LANEWISE_TIERS)
  string(TOUPPER ${tier} TIER)
  add_library(lanewise_tier_${tier} INTERFACE)
  target_compile_options(lanewise_tier_${tier} INTERFACE ${LANEWISE_FLAGS_${tier}})
  target_compile_definitions(lanewise_tier_${tier} INTERFACE LANEWISE_ISA=${tier} LANEWISE_ISA_${TIER}=1
                             xsimd=xsimd_${tier})
  target_include_directories(lanewise_tier_${tier} SYSTEM INTERFACE ${LANEWISE_XSIMD_INCLUDE_DIR})
endforeach()

# GNU binutils whatever the compiler: lld has no --force-group-allocation.
set(LANEWISE_BINUTILS "")
foreach(tool IN ITEMS ld objcopy nm readelf objdump)
  string(TOUPPER ${tool} TOOL)
  set(names ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu-${tool})
  if(NOT CMAKE_CROSSCOMPILING)
    list(APPEND names ${tool}.bfd ${tool})
  endif()
  find_program(LANEWISE_${TOOL} NAMES ${names} REQUIRED)
  list(APPEND LANEWISE_BINUTILS ${TOOL}=${LANEWISE_${TOOL}})
endforeach()

# gcc 12 takes the undefined vectors of its own AVX-512 intrinsics for uninitialised variables (gcc bug 105593).
if(TARGET lanewise_tier_avx512)
  target_compile_options(lanewise_tier_avx512 INTERFACE
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized -Wno-maybe-uninitialized>)
endif()

# Conversions ask for vectors in every pair of types; clang says of a few that there is no way.
foreach(tier IN LISTS LANEWISE_TIERS)
  target_compile_options(lanewise_tier_${tier} INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
endforeach()

# With checks for null gcc does not take a function's address for a constant, and the kernels' tables are constants.
if(LANEWISE_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  foreach(tier IN LISTS LANEWISE_TIERS)
    target_compile_options(lanewise_tier_${tier} INTERFACE
                           -fno-sanitize=null,nonnull-attribute,returns-nonnull-attribute)
  endforeach()
endif()

function(lanewise_build_isa_objects result)
  get_property(sources GLOBAL PROPERTY LANEWISE_PER_ISA_SOURCES)
  set(merged "")
  set(sanitized 0)
  if(LANEWISE_SANITIZE)
    set(sanitized 1)
  endif()
  if(sources)
    foreach(tier IN LISTS LANEWISE_TIERS)
      add_library(lanewise_kernels_${tier} OBJECT ${sources})
      set_target_properties(lanewise_kernels_${tier} PROPERTIES POSITION_INDEPENDENT_CODE ON
                            CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON INTERPROCEDURAL_OPTIMIZATION OFF)
      target_link_libraries(lanewise_kernels_${tier} PRIVATE lanewise_flags lanewise_headers lanewise_tier_${tier})
      # Optimised in debug and sanitized builds too: vectors of intrinsics without inlining are some fifty times slower. With
      # sanitizers -Og: what -O1 does besides takes g++ ten times as long.
      target_compile_options(lanewise_kernels_${tier} PRIVATE -fno-lto -fno-exceptions -fno-rtti -fno-math-errno
                             $<IF:$<BOOL:${sanitized}>,-Og,$<IF:$<CONFIG:Debug>,-O1,-O3>>
                             $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>
                             # What -O3 doubles for a branch in a loop or a stride of 1, or joins of two rounds of an outer loop, is a seventh
                             # of the reductions, and no faster than what they join themselves.
                             $<$<CXX_COMPILER_ID:GNU>:-fno-split-loops;-fno-split-paths;-fno-version-loops-for-strides>
                             $<$<CXX_COMPILER_ID:GNU>:-fno-loop-unroll-and-jam;-fno-unswitch-loops>
                             # A loop of one load and one store takes up to twice as long if its code lies across 32 bytes (Zen 3, neg
                             # in L1), and up to 1.25 times across 64 (Zen 5, in some runs). What other jumps go to need not be
                             # aligned, which saves what the loops take more.
                             $<$<CXX_COMPILER_ID:GNU>:-falign-jumps=1>
                             $<$<AND:$<CXX_COMPILER_ID:GNU>,$<STREQUAL:${tier},avx2>>:-falign-loops=32>
                             $<$<AND:$<CXX_COMPILER_ID:GNU>,$<STREQUAL:${tier},avx512>>:-falign-loops=64>)
      # gcc makes up to 16 copies of a loop for one element, here for what is left of a row after vectors: 17 to 27 % of the code of the
      # logical reductions. Other kernels hold 16 registers in loops that must not stay loops.
      if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND tier MATCHES "^avx")
        set(logical ${sources})
        list(FILTER logical INCLUDE REGEX "/reduction_logical\\.cpp$")
        set_source_files_properties(${logical} TARGET_DIRECTORY lanewise_kernels_${tier}
                                    PROPERTIES COMPILE_OPTIONS --param=max-completely-peel-times=12)
      endif()
      lanewise_parse_once(lanewise_kernels_${tier} ${tier} <algorithm> <lanewise/vec/math.h>)
      add_dependencies(lanewise_kernels_${tier} lanewise_generate)
      set(object ${PROJECT_BINARY_DIR}/isa/lanewise_${tier}.o)
      set(objects $<FILTER:$<TARGET_OBJECTS:lanewise_kernels_${tier}>,EXCLUDE,[.]gch$>)   # CMake counts parsed headers too
      add_custom_command(OUTPUT ${object}
                         COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/isa
                         COMMAND ${CMAKE_COMMAND} -E env ${LANEWISE_BINUTILS}
                                 LANEWISE_SANITIZED=${sanitized}
                                 sh ${PROJECT_SOURCE_DIR}/cmake/merge_isa.sh ${tier} ${object}
                                 ${objects}
                         DEPENDS lanewise_kernels_${tier} ${objects}
                                 ${PROJECT_SOURCE_DIR}/cmake/merge_isa.sh
                         COMMENT "Merging the ${tier} kernels" COMMAND_EXPAND_LISTS VERBATIM)
      set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
      list(APPEND merged ${object})
    endforeach()
    add_custom_target(lanewise_isa_objects DEPENDS ${merged})
  endif()
  set(${result} ${merged} PARENT_SCOPE)
endfunction()
