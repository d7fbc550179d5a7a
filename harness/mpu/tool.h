// SPDX-License-Identifier: Apache-2.0
// The mpu tool: what its commands share.
#ifndef NEARBANK_TOOL_H
#define NEARBANK_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include "../../kernels/mpucc/mpucc.h"

enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_USAGE = 2 };

// One line on stderr, `mpu: ...`; returns TOOL_USAGE.
int tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

// How a CUDA file is compiled; options of `cc`, `run` and `bench`.
typedef struct compile_options {
  mpucc_options mpucc;
  int level;            // -O0 to -O3, of the device code
  const char *listing;  // -S FILE, NULL: none
  const char *ptx;      // --ptx FILE: keep the PTX
  const char *device;   // --device-ptx FILE: PTX of the device side, made by another compiler
  const char **clang;   // -D, -I, -U and -std options for clang
  size_t clang_count;
} compile_options;

compile_options compile_options_default(void);
// Takes argv[*n] (and its value, moving *n) when it is a compile option. 0: it is none,
// 1: taken, 2: wrong value (a message was given).
int compile_option(compile_options *o, int argc, char **argv, int *n);
extern const char compile_help[];
// The value of `--name=value` or `--name value` (moving *n), NULL when argv[*n] is something else.
const char *option_value(const char *name, int argc, char **argv, int *n);

// Compiles and links `source` (.cu) to the program `out`. 0, TOOL_FAILED or TOOL_USAGE.
int compile_program(const char *source, const char *out, const compile_options *o);
// PTX to an object; with the listing and the copy of the PTX that the options ask for.
int compile_ptx(const char *file, const char *out, const compile_options *o);
// A program through the cache: fills `out` with the program's path.
int compile_cached(const char *source, const compile_options *o, char *out, size_t out_bytes);
// kernels/axpy -> kernels/axpy/axpy.cu; a file stays. 0 or TOOL_USAGE.
int find_source(const char *given, char *source, size_t bytes);

// The machine of --config (NULL: small), as the program gets it (CONFIG_FLAT bytes). A location
// policy of it is the compiler's matter. 0 or TOOL_USAGE.
int machine_of(const char *name, compile_options *o, char *flat);
bool is_count(const char *v);          // a number from 1 on
int check_writable(const char *file);  // 0 (also for NULL), or TOOL_USAGE

// Runs a command and waits; its exit status, 128 + signal when it was killed.
int run_command(const char *const *argv, bool quiet);

int command_cc(int argc, char **argv);
int command_resume(int argc, char **argv);
int command_retire(int argc, char **argv);
int command_run(int argc, char **argv);
int command_profile(int argc, char **argv);
int command_debug(int argc, char **argv);
int command_asm(int argc, char **argv);
int command_dis(int argc, char **argv);
int command_config(int argc, char **argv);
int command_noc(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_waves(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_dram(int argc, char **argv);
int command_energy(int argc, char **argv);
int command_activity(int argc, char **argv);

// Reads a whole file into malloc'ed memory; NULL after a message.
char *read_file(const char *name, size_t *bytes);
bool write_file(const char *name, const void *from, size_t bytes);

#endif
