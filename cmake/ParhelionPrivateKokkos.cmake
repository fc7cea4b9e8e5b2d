# The Kokkos that scripts/debian-kokkos.sh brings lies in a folder of its own, with a C library and a loader that are
# newer than the system's and that every program which uses it needs. That folder may go away with the sources, so an
# installation gets copies: PREFIX/lib/parhelion/kokkos and PREFIX/lib/parhelion/runtime. A Kokkos from anywhere else is
# left where it is.
#
# Sets PARHELION_PRIVATE_KOKKOS to the folder, empty for a Kokkos from elsewhere, and where there is one
#   PARHELION_KOKKOS_LIBDIR   where an installation has Kokkos's libraries, relative to the prefix
#   PARHELION_KOKKOS_INCLUDE  where it has its headers
#   PARHELION_RUNTIME         where it has the C library and the loader
#   PARHELION_LOADER          the name of the loader
#   PARHELION_BUILD_RUNTIME   the folder of the C library and the loader that this build uses
block(SCOPE_FOR VARIABLES PROPAGATE PARHELION_PRIVATE_KOKKOS PARHELION_KOKKOS_LIBDIR PARHELION_KOKKOS_INCLUDE
                                    PARHELION_RUNTIME PARHELION_LOADER PARHELION_BUILD_RUNTIME)
  set(PARHELION_PRIVATE_KOKKOS "")
  # FOLDER/usr/lib/TRIPLET/cmake/Kokkos
  cmake_path(SET library NORMALIZE "${Kokkos_DIR}/../..")
  cmake_path(SET folder NORMALIZE "${library}/../../..")
  string(REGEX REPLACE "/$" "" library "${library}")
  string(REGEX REPLACE "/$" "" folder "${folder}")
  cmake_path(GET library FILENAME triplet)
  set(runtime ${folder}/runtime/usr/lib/${triplet})
  file(GLOB PARHELION_LOADER RELATIVE ${runtime} ${runtime}/ld-linux*.so.*)

  if(PARHELION_LOADER AND EXISTS ${folder}/kokkos.cmake)
    set(PARHELION_PRIVATE_KOKKOS ${folder})
    set(PARHELION_BUILD_RUNTIME ${runtime})
    set(PARHELION_KOKKOS_LIBDIR ${CMAKE_INSTALL_LIBDIR}/parhelion/kokkos/lib/${triplet})
    set(PARHELION_KOKKOS_INCLUDE ${CMAKE_INSTALL_LIBDIR}/parhelion/kokkos/include/kokkos)
    set(PARHELION_RUNTIME ${CMAKE_INSTALL_LIBDIR}/parhelion/runtime)

    if(PARHELION_INSTALL)
      # The symbolic links among the libraries are relative and stay what they are.
      install(DIRECTORY ${folder}/usr/include/kokkos/ DESTINATION ${PARHELION_KOKKOS_INCLUDE})
      install(DIRECTORY ${library}/cmake/Kokkos DESTINATION ${PARHELION_KOKKOS_LIBDIR}/cmake)
      install(DIRECTORY ${library}/ DESTINATION ${PARHELION_KOKKOS_LIBDIR} USE_SOURCE_PERMISSIONS
              FILES_MATCHING PATTERN "libkokkos*" PATTERN cmake EXCLUDE)
      install(DIRECTORY ${runtime}/ DESTINATION ${PARHELION_RUNTIME} USE_SOURCE_PERMISSIONS
              FILES_MATCHING PATTERN "*.so*" PATTERN gconv EXCLUDE)
      install(FILES ${folder}/usr/share/doc/libkokkos-dev/copyright
              DESTINATION ${CMAKE_INSTALL_LIBDIR}/parhelion/kokkos)
      install(FILES ${CMAKE_CURRENT_LIST_DIR}/private_runtime.txt DESTINATION ${PARHELION_RUNTIME} RENAME README)
    endif()

    find_program(PARHELION_PATCHELF patchelf DOC "Makes an installed program start with the loader in the prefix")
    if(NOT PARHELION_PATCHELF)
      message(STATUS "No patchelf: cmake --install will need it (a package of that name; scripts/debian-kokkos.sh "
                     "brings it, too)")
    endif()
  endif()
endblock()

# parhelion_find_runtime(TARGET): lets a shared library of this build find the newer C++ library by itself, as programs
# in C or Fortran that link it do not.
function(parhelion_find_runtime target)
  if(PARHELION_PRIVATE_KOKKOS)
    target_link_options(${target} PRIVATE LINKER:--disable-new-dtags LINKER:-rpath,${PARHELION_BUILD_RUNTIME})
  endif()
endfunction()

# parhelion_leave_build(TARGET FOLDER): when TARGET has been installed into FOLDER, makes it use the copies in the
# prefix. To be called after install(TARGETS). Nothing to do for static libraries and for a Kokkos from elsewhere.
function(parhelion_leave_build target destination)
  get_target_property(type ${target} TYPE)
  if(NOT PARHELION_PRIVATE_KOKKOS OR NOT type MATCHES "EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY")
    return()
  endif()
  set(loader "")
  if(type STREQUAL "EXECUTABLE")
    set(loader "${PARHELION_RUNTIME}/${PARHELION_LOADER}")
  endif()
  install(CODE "
    set(patchelf \"${PARHELION_PATCHELF}\")
    set(file \"${destination}/$<TARGET_FILE_NAME:${target}>\")
    set(loader \"${loader}\")
    set(library_folders \"${PARHELION_KOKKOS_LIBDIR}\" \"${PARHELION_RUNTIME}\")
    set(leave \"${PARHELION_PRIVATE_KOKKOS}\")")
  install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/leave_build.cmake)
endfunction()
