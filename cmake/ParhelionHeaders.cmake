# The public headers of the libraries, and the one that includes them all.

# PARHELION_HEADERS: as users include them, for example parhelion/core/error.hpp.
get_property(PARHELION_HEADERS GLOBAL PROPERTY PARHELION_HEADERS)
list(APPEND PARHELION_HEADERS parhelion/version.hpp)
list(SORT PARHELION_HEADERS)

set(includes ${PARHELION_HEADERS})
# MPI is not for everybody.
list(FILTER includes EXCLUDE REGEX distributed)
list(TRANSFORM includes REPLACE "(.+)" "#include <\\1>")
list(JOIN includes "\n" includes)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/parhelion/parhelion.hpp @ONLY CONTENT
"// SPDX-License-Identifier: BSD-3-Clause
// All of parhelion, for quick starts; what is compiled often should include only what it uses.
#ifndef PARHELION_PARHELION_HPP
#define PARHELION_PARHELION_HPP

@includes@

#endif
")
target_include_directories(parhelion INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
if(PARHELION_INSTALL)
  install(TARGETS parhelion EXPORT parhelionTargets)
  install(FILES ${PROJECT_BINARY_DIR}/include/parhelion/parhelion.hpp
                ${PROJECT_BINARY_DIR}/include/parhelion/version.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/parhelion)
endif()
