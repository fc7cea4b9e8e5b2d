# parhelion_install_pkg_config(NAME DESCRIPTION LIBRARIES [FLAGS]): installs NAME.pc for programs in C or Fortran, which
# link LIBRARIES, such as "-lparhelion_c", and compile with FLAGS.
function(parhelion_install_pkg_config name description libraries)
  set(flags "${ARGN}")
  set(folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  file(RELATIVE_PATH up "/${folder}" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  # A Kokkos in the prefix needs the C library that lies beside it, and programs the loader of that.
  set(runtime "")
  if(PARHELION_PRIVATE_KOKKOS)
    set(runtime "\${prefix}/${PARHELION_RUNTIME}")
    set(runtime " -Wl,--disable-new-dtags -Wl,-rpath,${runtime} -Wl,--dynamic-linker=${runtime}/${PARHELION_LOADER}"
                " -Wl,--allow-shlib-undefined")
    string(JOIN "" runtime ${runtime})
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/parhelion-language.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${folder})
endfunction()
