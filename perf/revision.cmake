cmake_minimum_required(VERSION 3.25)
# cmake -DSOURCE=... -DHEADER=... -P revision.cmake: writes the git revision of SOURCE into HEADER where it has changed.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=10 OUTPUT_VARIABLE revision
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(revision "unknown")
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define PARHELION_REVISION \"@revision@\"\n" @ONLY)
