# Looks for what the Python module needs: a python3 with NumPy, its development files, and pybind11 for it. The first
# python3 on PATH may be one of pyenv or of a module that has none of these while the distribution's own has them.
#
# Sets PARHELION_HAS_PYTHON, and PARHELION_LACKS_FOR_PYTHON to what is missing, empty where nothing is.
if(NOT Python_EXECUTABLE)
  foreach(candidate python3 /usr/bin/python3)
    execute_process(COMMAND ${candidate} -c "import sys, numpy; print(sys.executable)" RESULT_VARIABLE result
                    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(result EQUAL 0)
      set(Python_EXECUTABLE "${found}" CACHE FILEPATH "The python3 that the Python module is for")
      break()
    endif()
  endforeach()
endif()
set(PARHELION_HAS_PYTHON OFF)
set(PARHELION_LACKS_FOR_PYTHON "a python3 with NumPy")
if(Python_EXECUTABLE)
  find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
  set(PARHELION_LACKS_FOR_PYTHON "development files of ${Python_EXECUTABLE}")
  if(Python_Development.Module_FOUND)
    set(PYBIND11_FINDPYTHON ON)
    find_package(pybind11 2.10 CONFIG QUIET)
    set(PARHELION_LACKS_FOR_PYTHON "pybind11")
    if(pybind11_FOUND)
      set(PARHELION_HAS_PYTHON ON)
      set(PARHELION_LACKS_FOR_PYTHON "")
    endif()
  endif()
endif()
