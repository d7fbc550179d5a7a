// SPDX-License-Identifier: Apache-2.0
// A random CUDA program: a tree of statements that are text. The same seed and number give the same
// program. Its text has the same meaning on the CPU and on the device (exact.h), whatever
// statements of it are left out.
#ifndef NEARBANK_TB_RANDOM_PROGRAM_H
#define NEARBANK_TB_RANDOM_PROGRAM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
  PROGRAM_IN = 4096,  // bytes of input
  PROGRAM_VARS = 24,  // of a kernel, each 8 bytes of output
  PROGRAM_OWN = 64,   // bytes of memory that a thread owns, behind its variables
  PROGRAM_REGION = PROGRAM_VARS * 8 + PROGRAM_OWN,
  PROGRAM_SUMS = 1024,  // bytes for atomics: u32[64], u64[64], f32[64]
  PROGRAM_KERNELS = 3,
  PROGRAM_PARAMS = 256,
  PROGRAM_NODES = 2000,
};

typedef struct stmt stmt;
struct stmt {
  const char *text, *end;  // around what is inside; either may be NULL
  stmt *first, *last;      // inside
  stmt *otherwise;         // of an if: its text is "} else {"
  stmt *next;
  bool off;   // left out, with all that is inside
  bool open;  // only what is inside is there
};

typedef struct kernel {
  char name[32];
  stmt *body;
  const char *bounds;            // of its launches
  const char *signature, *call;  // its parameters; how the CPU takes them from their bytes
  uint32_t blocks[3], threads[3];
  uint8_t params[PROGRAM_PARAMS];  // bytes; in, prev, out and sums are the first four pointers
  uint32_t param_bytes, dynamic_shared;
  const char *vars[PROGRAM_VARS];  // their names
  uint32_t var_count;
} kernel;

typedef struct program {
  uint64_t seed;
  unsigned number;
  stmt *global;  // types, tables, functions
  kernel kernels[PROGRAM_KERNELS];
  unsigned kernel_count;
  stmt *all[PROGRAM_NODES];  // what the reducer may leave out
  unsigned count;
  void **owned;
  size_t owned_count;
} program;

program *program_generate(uint64_t seed, unsigned number);
void program_free(program *p);
// CUDA C++, which needs exact.h; where EMULATED is defined, with a function NAME_call for each
// kernel that takes the bytes of its parameters.
void program_write(const program *p, FILE *f);
#endif
