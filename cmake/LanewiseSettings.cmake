# Dependencies, compiler settings and the include scheme.

set(LANEWISE_FLOORS dispatch_isa vec tensor profiler kernels iterator ops autograd optim data)

find_package(TBB CONFIG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(jansson REQUIRED IMPORTED_TARGET jansson)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_path(LANEWISE_XSIMD_INCLUDE_DIR xsimd/xsimd.hpp REQUIRED)

# One spelling of every include, inside and outside: <lanewise/tensor/tensor.h>. Each folder is linked by itself; a link
# to the source root would be a loop as soon as the build folder lies inside it.
set(LANEWISE_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
set(LANEWISE_GENERATED_ROOT ${PROJECT_BINARY_DIR}/generated)
set(LANEWISE_GENERATED_DIR ${LANEWISE_GENERATED_ROOT}/lanewise/generated)
file(MAKE_DIRECTORY ${LANEWISE_INCLUDE_DIR}/lanewise ${LANEWISE_GENERATED_DIR})
foreach(entry IN LISTS LANEWISE_FLOORS ITEMS lanewise.h torch_names.h)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${entry} ${LANEWISE_INCLUDE_DIR}/lanewise/${entry} SYMBOLIC)
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.h.in ${LANEWISE_GENERATED_DIR}/version.h @ONLY)

# What every translation unit of this project is compiled with; never exported.
add_library(lanewise_flags INTERFACE)
target_compile_options(lanewise_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                       # The same bits everywhere: a*b+c is fused only where the source says so.
                       -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # gcc 12 warns of an overlap in every `"text" + std::string` (gcc bug 105651).
  target_compile_options(lanewise_flags INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # gcc goes through all of its memory whenever that has doubled, in vain, as a file soon ends: a tenth of the time. Not
  # where a compiler cache is used, which would take it for another compilation.
  target_compile_options(lanewise_flags INTERFACE --param=ggc-min-heapsize=300000)
endif()
if(LANEWISE_WERROR)
  target_compile_options(lanewise_flags INTERFACE -Werror)
endif()
if(LANEWISE_SANITIZE)
  target_compile_options(lanewise_flags INTERFACE -fsanitize=${LANEWISE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # gcc loses track of std::optional and std::variant in instrumented code.
    target_compile_options(lanewise_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
  if(LANEWISE_SANITIZE MATCHES "thread")
    target_compile_definitions(lanewise_flags INTERFACE LANEWISE_THREAD_SANITIZER=1)
  endif()
  target_link_options(lanewise_flags INTERFACE -fsanitize=${LANEWISE_SANITIZE})
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
