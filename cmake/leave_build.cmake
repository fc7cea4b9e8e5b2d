# Runs while installing. A program's loader is written into it as an absolute path, which only the installation knows,
# and the paths that the linker was told have to go; CMake itself can do neither.
#
#   file             what was installed, relative to the prefix
#   loader           the program's new loader, relative to the prefix; empty for a library
#   library_folders  where its libraries are now, in the same way
#   leave            the folder that it must not refer to any more
get_filename_component(prefix "${CMAKE_INSTALL_PREFIX}" ABSOLUTE)
set(installed "$ENV{DESTDIR}${prefix}/${file}")
if(NOT patchelf)
  message(FATAL_ERROR "cannot make ${installed} start with the loader in the prefix: patchelf was not found when this "
                      "build was configured; install it (a package of that name) and configure again")
endif()

execute_process(COMMAND "${patchelf}" --print-rpath "${installed}" OUTPUT_VARIABLE found
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
get_filename_component(own_folder "/${file}" DIRECTORY)
set(rpath "")
foreach(folder IN LISTS library_folders)
  file(RELATIVE_PATH relative "${own_folder}" "/${folder}")
  list(APPEND rpath "\$ORIGIN/${relative}")
endforeach()
string(REPLACE ":" ";" found "${found}")
foreach(folder IN LISTS found)
  cmake_path(IS_PREFIX leave "${folder}" NORMALIZE left)
  if(folder AND NOT left)
    list(APPEND rpath "${folder}")
  endif()
endforeach()
list(REMOVE_DUPLICATES rpath)
list(JOIN rpath ":" rpath)

# Libraries of the system must find the newer C library, too: of the two kinds of search path only the older, RPATH,
# does that.
set(edits --force-rpath --set-rpath "${rpath}")
if(loader)
  list(PREPEND edits --set-interpreter "${prefix}/${loader}")
endif()
execute_process(COMMAND "${patchelf}" ${edits} "${installed}" COMMAND_ERROR_IS_FATAL ANY)
