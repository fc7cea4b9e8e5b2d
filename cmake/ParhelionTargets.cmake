# What every library, program and test of parhelion has in common.

# An installed program has to find parhelion's own libraries, when they are shared, and the Kokkos that it was built
# with (where that is copied into the prefix: ParhelionPrivateKokkos).
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_INSTALL_RPATH)
  set(CMAKE_INSTALL_RPATH "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
endif()

# parhelion_add_library(NAME [SOURCES ...] [STEERING ...] [HEADERS ...] [PUBLIC ...] [PRIVATE ...])
# Makes parhelion::NAME from src/ and include/ of the current folder and installs both. STEERING are the sources that
# compute little themselves; they are compiled as by parhelion_compile_quickly. HEADERS, relative to include/, are all of
# them where they are left out, but for those in folders impl/, which are for parhelion's own sources.
function(parhelion_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;STEERING;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  set(target parhelion_${name})
  # Precompiled headers and sources have to be optimized alike, so that steering sources are a target of their own.
  set(steering ${target}_steering)
  if(ARG_STEERING)
    add_library(${steering} OBJECT ${ARG_STEERING})
    target_include_directories(${steering} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_compile_definitions(${steering} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
    target_link_libraries(${steering} PRIVATE ${ARG_PUBLIC} ${ARG_PRIVATE})
    target_compile_features(${steering} PRIVATE cxx_std_20)
    set_target_properties(${steering} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    parhelion_set_warnings(${steering})
    parhelion_compile_quickly(${steering})
    parhelion_precompile(${steering} quick_libraries)
    list(APPEND ARG_SOURCES $<TARGET_OBJECTS:${steering}>)
  endif()
  add_library(${target} ${ARG_SOURCES})
  add_library(parhelion::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  parhelion_set_warnings(${target})
  parhelion_precompile(${target} libraries)
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
      # nvcc writes declarations of pointers to members with parentheses that GCC finds unnecessary, and loops whose
      # first round GCC does not see.
      target_compile_options(${target} PRIVATE
        $<$<CXX_COMPILER_ID:GNU>:-Wno-parentheses -Wno-uninitialized -Wno-maybe-uninitialized>)
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
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  endif()
endfunction()

# parhelion_add_precompiled(NAME [QUICKLY] [POSITION_INDEPENDENT] HEADERS ... [LINK ...])
# Headers that are compiled once for all of the targets that parhelion_precompile names them for. LINK has them; the rest
# has to be as in these targets, as compilers take precompiled headers for the same options only.
function(parhelion_add_precompiled name)
  cmake_parse_arguments(ARG "QUICKLY;POSITION_INDEPENDENT" "" "HEADERS;LINK" ${ARGN})
  # Compilers for devices take none.
  set(devices ${Kokkos_DEVICES})
  list(REMOVE_ITEM devices SERIAL OPENMP THREADS HPX)
  if(devices)
    return()
  endif()
  set(target parhelion_precompiled_${name})
  set(empty ${PROJECT_BINARY_DIR}/precompiled/empty.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "// Something has to include the headers.\n")
  add_library(${target} OBJECT ${empty})
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_link_libraries(${target} PRIVATE ${ARG_LINK})
  target_precompile_headers(${target} PRIVATE ${ARG_HEADERS})
  if(ARG_POSITION_INDEPENDENT)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  parhelion_set_warnings(${target})
  if(ARG_QUICKLY)
    parhelion_compile_quickly(${target})
  endif()
endfunction()

# parhelion_precompile(TARGET NAME): TARGET's sources get the precompiled headers NAME, where there are any.
function(parhelion_precompile target name)
  # Clang takes them for the same visibility only.
  get_target_property(visibility ${target} CXX_VISIBILITY_PRESET)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND visibility)
    return()
  endif()
  if(TARGET parhelion_precompiled_${name})
    target_precompile_headers(${target} REUSE_FROM parhelion_precompiled_${name})
  endif()
endfunction()

# parhelion_compile_together(TARGET SOURCES...): these sources of TARGET are compiled as one, so that the compiler reads
# headers and makes of their templates once what all of them need. Names in their unnamed namespaces have to differ.
# With -DCMAKE_UNITY_BUILD=OFF each is compiled by itself.
function(parhelion_compile_together target)
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    foreach(part ${target} ${target}_steering)
      if(TARGET ${part})
        set_target_properties(${part} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
          UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
      endif()
    endforeach()
    list(GET ARGN 0 first)
    string(MAKE_C_IDENTIFIER ${first} group)
    set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
  endif()
endfunction()

# parhelion_look_together(TARGET SOURCES...): with PARHELION_LOOK_TOGETHER, as for clang-tidy, these sources with kernels
# are compiled as one, too. Otherwise each is by itself, so that what the optimizer makes of one does not depend on others.
function(parhelion_look_together target)
  if(PARHELION_LOOK_TOGETHER)
    parhelion_compile_together(${target} ${ARGN})
    foreach(part ${target} ${target}_steering)
      if(TARGET ${part})
        set_target_properties(${part} PROPERTIES
          UNITY_BUILD_CODE_AFTER_INCLUDE "#undef PARHELION_INSTANTIATE\n#undef PARHELION_INSTANTIATE_REAL")
      endif()
    endforeach()
  endif()
endfunction()

# PARHELION_TEST_ENVIRONMENT: what tests tell OpenMP. Several of them run at a time, so that there are more threads than
# cores, and threads that wait in a loop, as is usual, take the time of those that have work.
set(PARHELION_TEST_ENVIRONMENT OMP_PROC_BIND=false OMP_WAIT_POLICY=passive)
