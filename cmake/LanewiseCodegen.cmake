# lanewise_codegen(SOURCES <files> YAML <file> OUTPUTS <names> PUBLIC_HEADERS <names>): builds the generator and runs it on
# autograd/derivatives.yaml. OUTPUTS and PUBLIC_HEADERS are the fixed list of files it writes; the *.cpp join the autograd
# floor, PUBLIC_HEADERS are installed.
function(lanewise_codegen)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "YAML" "SOURCES;OUTPUTS;PUBLIC_HEADERS")
  if(LANEWISE_CODEGEN_ONLY)
    lanewise_add_codegen_executable(${arg_SOURCES})
    return()
  elseif(LANEWISE_CODEGEN)
    set(generator ${LANEWISE_CODEGEN})
    set(generator_target "")
  elseif(CMAKE_CROSSCOMPILING)
    lanewise_build_host_codegen(generator)
    set(generator_target "")
  else()
    lanewise_add_codegen_executable(${arg_SOURCES})
    target_link_libraries(lanewise_codegen_parts PRIVATE lanewise_flags)
    target_link_libraries(lanewise_codegen PRIVATE lanewise_flags)
    set(generator lanewise_codegen)
    set(generator_target lanewise_codegen)
  endif()

  cmake_path(ABSOLUTE_PATH arg_YAML BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  set(outputs ${arg_OUTPUTS} ${arg_PUBLIC_HEADERS})
  list(TRANSFORM outputs PREPEND ${LANEWISE_GENERATED_DIR}/)
  # The generator leaves unchanged files alone. Ninja notices (restat); make would run it again for ever.
  set(touch "")
  if(NOT CMAKE_GENERATOR MATCHES "Ninja")
    set(touch COMMAND ${CMAKE_COMMAND} -E touch_nocreate ${outputs})
  endif()
  add_custom_command(OUTPUT ${outputs}
                     COMMAND ${generator} ${arg_YAML} ${LANEWISE_GENERATED_DIR}
                     ${touch}
                     DEPENDS ${generator} ${arg_YAML}
                     COMMENT "Generating ops from derivatives.yaml" VERBATIM)
  add_custom_target(lanewise_generate DEPENDS ${outputs})

  # A quarter of the code, little of it hot: calls by name and the rules of forward mode and vmap do no
  # arithmetic, and what an op marked with `rare:` does takes far longer than the call.
  set(cpp ${outputs})
  list(FILTER cpp INCLUDE REGEX "\\.cpp$")
  set(cold ${cpp})
  list(FILTER cold INCLUDE REGEX "/(registry|transforms_[0-9]+|[a-z]+_rare)\\.cpp$")
  list(REMOVE_ITEM cpp ${cold})
  lanewise_sources(${cpp})
  lanewise_cold_sources(${cold})
  # A .inc is a part of another header, so it is installed but not compiled alone.
  list(TRANSFORM arg_PUBLIC_HEADERS PREPEND ${LANEWISE_GENERATED_DIR}/)
  set(parts ${arg_PUBLIC_HEADERS})
  list(FILTER parts INCLUDE REGEX "\\.inc$")
  list(FILTER arg_PUBLIC_HEADERS EXCLUDE REGEX "\\.inc$")
  set_property(GLOBAL APPEND PROPERTY LANEWISE_HEADER_PARTS ${parts})
  target_sources(lanewise_headers INTERFACE FILE_SET HEADERS FILES ${arg_PUBLIC_HEADERS})
endfunction()

function(lanewise_add_codegen_executable)
  find_package(yaml-cpp REQUIRED)
  set(parts ${ARGN})
  list(REMOVE_ITEM parts main.cpp)
  add_library(lanewise_codegen_parts OBJECT ${parts})  # a test links them as well
  target_compile_features(lanewise_codegen_parts PUBLIC cxx_std_20)
  target_link_libraries(lanewise_codegen_parts PUBLIC yaml-cpp)
  if(COMMAND lanewise_compile_together)  # not where the generator is a project of its own
    lanewise_compile_together(lanewise_codegen_parts)
  endif()
  add_executable(lanewise_codegen main.cpp)
  target_link_libraries(lanewise_codegen PRIVATE lanewise_codegen_parts)
  foreach(target IN ITEMS lanewise_codegen_parts lanewise_codegen)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)  # runs for a moment, once a build
  endforeach()
endfunction()

# Cross builds run the generator on this machine: a nested configure and build with the host's compiler.
function(lanewise_build_host_codegen result)
  set(dir ${PROJECT_BINARY_DIR}/host_codegen)
  message(STATUS "Building lanewise_codegen for this machine in ${dir}")
  # Without the pkg-config folders that the toolchain file has put into the environment.
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=PKG_CONFIG_SYSROOT_DIR --unset=PKG_CONFIG_LIBDIR
                          ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR}/autograd/codegen -B ${dir} -G ${CMAKE_GENERATOR}
                          -DCMAKE_BUILD_TYPE=Release
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${dir} COMMAND_ERROR_IS_FATAL ANY)
  set(${result} ${dir}/lanewise_codegen PARENT_SCOPE)
endfunction()
