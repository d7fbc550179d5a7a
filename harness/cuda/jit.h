// SPDX-License-Identifier: Apache-2.0
// Compiling while a program runs, by the driver API: what modules (driver_api.c) and links of
// several of them (jit_link.c) share.
#ifndef NEARBANK_JIT_H
#define NEARBANK_JIT_H

#include <stdbool.h>
#include "include/cuda.h"

// Where compiling PTX says what is wrong, and how many registers it may use.
typedef struct jit {
  char *log;
  size_t bytes;
  unsigned registers;
} jit;

jit jit_of(unsigned int options, const CUjit_option *names, void **values);
// Gives what was said to the log; without one to stderr, unless all is well.
void jit_say(const jit *j, const char *said, bool well);
// The object for the machine of this run, which stays; NULL: after a message.
const void *jit_compile(const char *ptx, size_t ptx_bytes, const jit *j, size_t *bytes);

#endif
