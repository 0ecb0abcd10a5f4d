# cmake --install: libraries, headers, a CMake package and a pkg-config file. The components `shared`, `static` and `devel` let
# distributions split it.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lanewise)

install(TARGETS lanewise_shared EXPORT lanewiseTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT shared NAMELINK_COMPONENT devel)
install(TARGETS lanewise_static EXPORT lanewiseTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT static)
install(TARGETS lanewise_headers EXPORT lanewiseTargets
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT devel)
get_property(header_parts GLOBAL PROPERTY LANEWISE_HEADER_PARTS)
install(FILES ${header_parts} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lanewise/generated COMPONENT devel)
install(EXPORT lanewiseTargets NAMESPACE lanewise:: DESTINATION ${package_dir} COMPONENT devel)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/lanewiseConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/lanewiseConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lanewiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lanewiseConfig.cmake ${PROJECT_BINARY_DIR}/lanewiseConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT devel)

# The prefix is found from where the file lies, so that an installed tree may be moved.
file(RELATIVE_PATH LANEWISE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/lanewise.pc.in ${PROJECT_BINARY_DIR}/lanewise.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lanewise.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT devel)

if(TARGET lanewise_tool)
  install(TARGETS lanewise_tool DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  install(FILES ${PROJECT_SOURCE_DIR}/tools/lanewise.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME lanewise COMPONENT tools)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT devel)
