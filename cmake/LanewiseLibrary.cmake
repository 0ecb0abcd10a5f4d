# The library: one object library per floor, one merged object per ISA tier, gathered into lanewise_static and
# lanewise_shared.

# Include paths, language level and the list of public headers; the only thing users inherit.
add_library(lanewise_headers INTERFACE)
target_compile_features(lanewise_headers INTERFACE cxx_std_20)
target_sources(lanewise_headers INTERFACE FILE_SET HEADERS
               BASE_DIRS ${LANEWISE_INCLUDE_DIR} ${LANEWISE_GENERATED_ROOT}
               FILES ${LANEWISE_GENERATED_DIR}/version.h)
set_target_properties(lanewise_headers PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON EXPORT_NAME headers)

target_sources(lanewise_headers INTERFACE FILE_SET HEADERS FILES
               ${LANEWISE_INCLUDE_DIR}/lanewise/lanewise.h ${LANEWISE_INCLUDE_DIR}/lanewise/torch_names.h)

# lanewise_headers(<files>): public headers of this floor, relative to its folder.
function(lanewise_headers)
  if(NOT ARGN)
    return()
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME floor)
  list(TRANSFORM ARGN PREPEND ${LANEWISE_INCLUDE_DIR}/lanewise/${floor}/)
  target_sources(lanewise_headers INTERFACE FILE_SET HEADERS FILES ${ARGN})
endfunction()

# lanewise_add_to_floor(<kind> <options> <files>): into the object library of this kind in this folder's floor, created on first
# use: lanewise_<floor> or lanewise_<floor>_<kind>.
function(lanewise_add_to_floor kind options)
  if(NOT ARGN)
    return()
  endif()
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" floor "${path}")
  string(JOIN _ target lanewise ${floor} ${kind})
  if(NOT TARGET ${target})
    add_library(${target} OBJECT ${LANEWISE_GENERATED_DIR}/version.h)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                          VISIBILITY_INLINES_HIDDEN ON)
    target_link_libraries(${target} PRIVATE lanewise_flags PUBLIC lanewise_headers)
    target_compile_options(${target} PRIVATE ${options})
    lanewise_parse_once(${target} floors${kind} <algorithm> <complex> <functional> <lanewise/tensor/errors.h>
                        <lanewise/tensor/make_tensor.h>)
    set_property(GLOBAL APPEND PROPERTY LANEWISE_FLOOR_TARGETS ${target})
  endif()
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    target_sources(${target} PRIVATE ${file})
  endforeach()
endfunction()

# lanewise_sources(<files>): ordinary sources of this floor, relative to its folder.
function(lanewise_sources)
  lanewise_add_to_floor("" "" ${ARGN})
endfunction()

# lanewise_cold_sources(<files>): ordinary sources far from any hot path, made for size.
function(lanewise_cold_sources)
  lanewise_add_to_floor(cold "$<$<CONFIG:Release>:-Os>" ${ARGN})
endfunction()

# lanewise_lean_sources(<files>): loops for many element types, vectorised, but without what gcc's -O3 unrolls and clones: a
# fifth to two fifths of their code.
function(lanewise_lean_sources)
  set(gnu_release "$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>")
  lanewise_add_to_floor(lean "$<${gnu_release}:-O2;-ftree-vectorize;-fvect-cost-model=dynamic>" ${ARGN})
endfunction()

# lanewise_per_isa_sources(<files>): sources compiled once per ISA tier.
function(lanewise_per_isa_sources)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_property(GLOBAL APPEND PROPERTY LANEWISE_PER_ISA_SOURCES ${file})
  endforeach()
endfunction()

include(LanewiseIsa)

# Addresses that the loader has to adjust as a bitmap: a twentieth of the library, and less to do at start. It needs
# glibc 2.36 and a linker that knows it for this CPU, and is left out without.
include(CheckLinkerFlag)
set(LANEWISE_PACKED_RELOCATIONS -Wl,-z,pack-relative-relocs)
check_linker_flag(CXX -Wl,--fatal-warnings,-z,pack-relative-relocs LANEWISE_HAS_PACKED_RELOCATIONS)

# Calls of its own public functions go straight to them, not through a table that a program could redirect.
set(LANEWISE_BOUND_FUNCTIONS -Wl,-Bsymbolic-functions)
check_linker_flag(CXX ${LANEWISE_BOUND_FUNCTIONS} LANEWISE_HAS_BOUND_FUNCTIONS)

function(lanewise_finish_library)
  lanewise_build_isa_objects(isa_objects)
  get_property(floors GLOBAL PROPERTY LANEWISE_FLOOR_TARGETS)
  foreach(kind IN ITEMS static shared)
    string(TOUPPER ${kind} KIND)
    add_library(lanewise_${kind} ${KIND})
    foreach(floor IN LISTS floors)
      target_sources(lanewise_${kind} PRIVATE $<FILTER:$<TARGET_OBJECTS:${floor}>,EXCLUDE,[.]gch$>)
    endforeach()
    if(isa_objects)
      target_sources(lanewise_${kind} PRIVATE ${isa_objects})
      add_dependencies(lanewise_${kind} lanewise_isa_objects)
    endif()
    target_link_libraries(lanewise_${kind} PUBLIC lanewise_headers
                          PRIVATE TBB::tbb PkgConfig::hwloc PkgConfig::jansson Threads::Threads ZLIB::ZLIB $<BUILD_INTERFACE:lanewise_flags>)
    set_target_properties(lanewise_${kind} PROPERTIES OUTPUT_NAME lanewise EXPORT_NAME lanewise_${kind}
                          LINKER_LANGUAGE CXX)
    add_library(lanewise::lanewise_${kind} ALIAS lanewise_${kind})
  endforeach()
  if(LANEWISE_HAS_BOUND_FUNCTIONS)
    target_link_options(lanewise_shared PRIVATE ${LANEWISE_BOUND_FUNCTIONS})
  endif()
  if(LANEWISE_HAS_PACKED_RELOCATIONS)
    target_link_options(lanewise_shared PRIVATE ${LANEWISE_PACKED_RELOCATIONS})
  endif()
  set_target_properties(lanewise_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  if(BUILD_SHARED_LIBS)
    add_library(lanewise::lanewise ALIAS lanewise_shared)
  else()
    add_library(lanewise::lanewise ALIAS lanewise_static)
  endif()
  foreach(floor IN LISTS floors)
    add_dependencies(${floor} lanewise_generate)
  endforeach()
endfunction()
