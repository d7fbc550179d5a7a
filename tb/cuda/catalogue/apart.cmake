# SPDX-License-Identifier: Apache-2.0
# Included by projects of the samples where nvcc does not link device code: each target's device code stays in its files.
function(nearbank_apart)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    set_target_properties(${target} PROPERTIES CUDA_SEPARABLE_COMPILATION OFF)
  endforeach()
endfunction()
cmake_language(DEFER CALL nearbank_apart)
