# SPDX-License-Identifier: Apache-2.0
# Writes build_info.c (build_info.h) when it would be another one: cmake -DROOT=... -DOUT=... -DCOMPILER=... -P build_info.cmake
file(STRINGS ${ROOT}/VERSION release LIMIT_COUNT 1)
set(commit unknown)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${ROOT} rev-parse --short=12 HEAD OUTPUT_VARIABLE said ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  if(NOT failed)
    execute_process(COMMAND ${GIT} -C ${ROOT} diff --quiet HEAD ERROR_QUIET OUTPUT_QUIET RESULT_VARIABLE changed)
    set(commit ${said})
    if(changed)
      set(commit "${said} with changes")
    endif()
  endif()
endif()
set(verilog none)
find_program(VERILATOR verilator)
if(VERILATOR)
  execute_process(COMMAND ${VERILATOR} --version OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REGEX MATCH "^Verilator [0-9.]+" verilog "${said}")
endif()
set(text "// Made by harness/base/build_info.cmake.
#include \"harness/base/build_info.h\"

const build_info build_info_all = {\"${release}\", \"${commit}\", \"${COMPILER}\", \"${verilog}\"};
")
set(now "")
if(EXISTS ${OUT})
  file(READ ${OUT} now)
endif()
if(NOT now STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
