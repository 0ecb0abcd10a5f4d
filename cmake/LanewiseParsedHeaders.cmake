# lanewise_parse_once(<target> <group> <headers>): the targets of a group, whose flags are equal, share these headers
# parsed by the first of them. The kernels of a tier take 75 s in place of 106. Compiler caches do not go well with that,
# so they turn it off; their builds, and those of clang, show that each file also compiles without.
function(lanewise_parse_once target group)
  if(CMAKE_CXX_COMPILER_LAUNCHER OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    return()
  endif()
  get_property(owner GLOBAL PROPERTY LANEWISE_PARSED_${group})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    set_property(GLOBAL PROPERTY LANEWISE_PARSED_${group} ${target})
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# lanewise_compile_together(<target>): its sources, which are not what is timed, are compiled six as one, and share what they make
# of templates: the tool in two thirds of the time, the generator in half of it. Not with a cache or clang, either.
function(lanewise_compile_together target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()
