# What find_package(parhelion CONFIG) reads.
include(CMakePackageConfigHelpers)

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/parhelion)
install(EXPORT parhelionTargets NAMESPACE parhelion:: DESTINATION ${config_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/parhelionConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/parhelionConfig.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/parhelionConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/parhelionConfig.cmake ${PROJECT_BINARY_DIR}/parhelionConfigVersion.cmake
        DESTINATION ${config_folder})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
