// SPDX-License-Identifier: Apache-2.0
// The mpu tool: what its commands share.
#ifndef NEARBANK_TOOL_H
#define NEARBANK_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/mpucc/mpucc.h"
#include "args.h"

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
// Takes the option that was met when it is one of compilation. 0: it is not, 1: taken, 2: wrong
// value (a message was given).
int compile_option(compile_options *o, const args *a);

// Compiles and links `source` (.cu) to the program `out`. 0, TOOL_FAILED or TOOL_USAGE.
int compile_program(const char *source, const char *out, const compile_options *o);
// PTX to an object; with the listing and the copy of the PTX that the options ask for.
int compile_ptx(const char *file, const char *out, const compile_options *o);
// A program through the cache: fills `out` with the program's path.
int compile_cached(const char *source, const compile_options *o, char *out, size_t out_bytes);
// kernels/axpy -> kernels/axpy/axpy.cu; a file stays. 0 or TOOL_USAGE.
int find_source(const char *given, char *source, size_t bytes);

// The machine of --config and --set (small), as the program gets it (CONFIG_FLAT bytes). A location
// policy of it is the compiler's matter. 0 or TOOL_USAGE.
int machine_of(const machine_args *m, compile_options *o, char *flat);
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
int command_machine(int argc, char **argv);
int command_man(int argc, char **argv);
int command_completion(int argc, char **argv);
int command_needs(int argc, char **argv);
int command_structure(int argc, char **argv);

// The library with the verilated blocks of a machine of nodes. NULL: there is no such machine.
const char *machine_library(const char *name, char *to, size_t bytes);
// All machines, up to a NULL.
const struct machine_ops *const *machines_known(void);

// Reads a whole file into malloc'ed memory; NULL after a message.
char *read_file(const char *name, size_t *bytes);
// Writes a whole file (harness/base/out_file.h). False after a message.
bool write_file(const char *name, const void *from, size_t bytes);
// Says that `name` could not be written, and why (errno); TOOL_USAGE.
int cannot_write(const char *name);

#endif
