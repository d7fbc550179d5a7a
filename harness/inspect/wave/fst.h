// SPDX-License-Identifier: Apache-2.0
// Writing FST files, GTKWave's format: from libnearwave.so, because its writer comes with
// Verilator, and most runs write none.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct fst_ops {
  void *(*create)(const char *file);  // times are picoseconds. NULL: errno
  void (*scope)(void *f, const char *name);
  void (*upscope)(void *f);
  // Returns its number, from 1 on. `same`: one that has its values, 0: none.
  uint32_t (*var)(void *f, const char *name, uint32_t bits, uint32_t same);
  void (*time)(void *f, uint64_t ps);  // ascending
  void (*value)(void *f, uint32_t var, const char *digits);
  void (*active)(void *f, bool on);  // between off and on there are no values
  void (*flush)(void *f);            // what was written so far can be read
  void (*close)(void *f);
} fst_ops;
