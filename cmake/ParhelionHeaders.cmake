# The public headers of the libraries, and the one that includes them all.

# PARHELION_HEADERS: as users include them, for example parhelion/core/error.hpp.
file(GLOB_RECURSE PARHELION_HEADERS CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/core/include/*.hpp
     ${PROJECT_SOURCE_DIR}/solvers/*/include/*.hpp
     ${PROJECT_SOURCE_DIR}/io/include/*.hpp)
list(TRANSFORM PARHELION_HEADERS REPLACE "^.*/include/(parhelion/)" "\\1")
list(SORT PARHELION_HEADERS)

set(includes ${PARHELION_HEADERS})
list(FILTER includes EXCLUDE REGEX /impl/)
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
install(FILES ${PROJECT_BINARY_DIR}/include/parhelion/parhelion.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/parhelion)
