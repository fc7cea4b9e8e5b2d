# What find_package(parhelion CONFIG) and pkg-config read, and the examples, which show how to use an installation.
include(CMakePackageConfigHelpers)

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/parhelion)
install(EXPORT parhelionTargets NAMESPACE parhelion:: DESTINATION ${config_folder})
set(kokkos_dir ${Kokkos_DIR})
set(runtime "")
get_property(components GLOBAL PROPERTY PARHELION_LIBRARIES)
get_property(language_components GLOBAL PROPERTY PARHELION_LANGUAGE_LIBRARIES)
if(language_components)
  install(EXPORT parhelionLanguageTargets NAMESPACE parhelion:: DESTINATION ${config_folder})
endif()
if(PARHELION_PRIVATE_KOKKOS)
  set(kokkos_dir ${PARHELION_KOKKOS_LIBDIR}/cmake/Kokkos)
  set(runtime ${PARHELION_RUNTIME})
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/parhelionConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/parhelionConfig.cmake INSTALL_DESTINATION ${config_folder}
                              PATH_VARS kokkos_dir runtime)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/parhelionConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/parhelionConfig.cmake ${PROJECT_BINARY_DIR}/parhelionConfigVersion.cmake
        DESTINATION ${config_folder})
include(ParhelionPkgConfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/LICENSE-AER DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS)
# The scripts that make input and draw results, which those of the examples use, too.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scripts DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS
        FILES_MATCHING PATTERN "*.py" PATTERN "python.sh")
