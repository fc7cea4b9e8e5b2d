# What every library, program and test of parhelion has in common.

# An installed program has to find parhelion's own libraries, when they are shared, and the Kokkos that it was built
# with (where that is copied into the prefix: ParhelionPrivateKokkos).
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_INSTALL_RPATH)
  set(CMAKE_INSTALL_RPATH "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
endif()

# parhelion_add_library(NAME SOURCES ... [HEADERS ...] [PUBLIC ...] [PRIVATE ...])
# Makes parhelion::NAME from src/ and include/ of the current folder and installs both. HEADERS, relative to include/, are
# all of them where they are left out, but for those in folders impl/, which are for parhelion's own sources.
function(parhelion_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  set(target parhelion_${name})
  add_library(${target} ${ARG_SOURCES})
  add_library(parhelion::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  parhelion_set_warnings(${target})
  if(NOT ARG_HEADERS)
    file(GLOB_RECURSE ARG_HEADERS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/include CONFIGURE_DEPENDS include/*.hpp)
    list(FILTER ARG_HEADERS EXCLUDE REGEX /impl/)
  endif()
  set_property(GLOBAL APPEND PROPERTY PARHELION_LIBRARIES ${name})
  set_property(GLOBAL APPEND PROPERTY PARHELION_HEADERS ${ARG_HEADERS})
  if(PARHELION_INSTALL)
    install(TARGETS ${target} EXPORT parhelionTargets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    parhelion_leave_build(${target} ${CMAKE_INSTALL_LIBDIR})
    foreach(header IN LISTS ARG_HEADERS)
      cmake_path(GET header PARENT_PATH folder)
      install(FILES include/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
    endforeach()
  endif()
endfunction()

# parhelion_set_warnings(TARGET): the warnings that parhelion keeps itself free of.
function(parhelion_set_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Which loops its vectorizer takes says nothing about what they compute.
    target_compile_options(${target} PRIVATE -Wno-pass-failed)
  endif()
  if(PARHELION_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-Werror>)
    if(CUDA IN_LIST Kokkos_DEVICES)
      # nvcc writes declarations of pointers to members with parentheses that GCC finds unnecessary.
      target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-parentheses>)
      # Kernels that call host functions, which nvcc lets pass with a warning.
      target_compile_options(${target} PRIVATE -Werror=cross-execution-space-call)
    endif()
  endif()
endfunction()

# Where there are vectors of 512 bits, GCC prefers those of 256 unless it is told.
set(PARHELION_WIDE_VECTORS "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(PARHELION_WIDE_VECTORS -mprefer-vector-width=512)
endif()

# parhelion_compile_quickly(TARGET): little optimization, for what computes little itself. It halves the time to build.
function(parhelion_compile_quickly target)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT CUDA IN_LIST Kokkos_DEVICES)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# PARHELION_TEST_ENVIRONMENT: what tests tell OpenMP. Several of them run at a time, so that there are more threads than
# cores, and threads that wait in a loop, as is usual, take the time of those that have work.
set(PARHELION_TEST_ENVIRONMENT OMP_PROC_BIND=false OMP_WAIT_POLICY=passive)
