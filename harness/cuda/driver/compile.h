// SPDX-License-Identifier: Apache-2.0
// The compile driver: CUDA to a program, by way of clang, mpucc, and the runtime library; and its
// cache. All return 0 or an exit status after a message (harness/base/user_error.h).
#ifndef NEARBANK_COMPILE_H
#define NEARBANK_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/mpucc/mpucc.h"

// How a CUDA file is compiled; options of `cc`, `run` and `bench`.
typedef struct compile_options {
  mpucc_options mpucc;
  int level;               // -O0 to -O3, of the device code
  const char *profile_in;  // --profile-in FILE, read already: mpucc.profile
  const char *listing;     // -S FILE, NULL: none
  const char *counts;      // --counts FILE: totals of registers and instructions
  const char *ptx;         // --ptx FILE: keep the PTX
  const char *device;      // --device-ptx FILE: PTX of the device side, made by another compiler
  const char **clang;      // -D, -I, -U and -std options for clang
  size_t clang_count;
  char given[200];        // options of mpucc that were given, as of its command
  const char *of_source;  // the last option that was given of those for sources only
} compile_options;

compile_options compile_options_default(void);

// Compiles and links `source` (.cu) to the program `out`. 0, EXIT_FAILED or EXIT_USAGE.
int compile_program(const char *source, const char *out, const compile_options *o);
// PTX to an object; with the listing and the copy of the PTX that the options ask for.
int compile_ptx(const char *file, const char *out, const compile_options *o);
// What a program contains: an object, with the PTX and the options that it was made of. Without an
// object (NULL) it is relocatable.
int compile_image(const char *object, const char *ptx, const mpucc_options *o, const char *out);
// A program through the cache: fills `out` with the program's path.
int compile_cached(const char *source, const compile_options *o, char *out, size_t out_bytes);
// The file of a program: a/b means a/b/b.cu; a file stays. What is missing in a folder is looked
// for in the folder's plain/: kernels/axpy means kernels/plain/axpy. 0 or EXIT_USAGE.
int find_source(const char *given, char *source, size_t bytes);
// A file that the host can execute: a program that was compiled before, or a script.
bool compile_is_program(const char *given);

const char *compile_root(void);  // of the checkout: MPU_ROOT, or where it was built
// Runs a command and waits; its exit status, 128 + signal when it was killed.
int run_command(const char *const *argv, bool quiet);

#endif
