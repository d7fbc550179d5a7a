// SPDX-License-Identifier: Apache-2.0
// The profile of a run: what the program wrote into the file MPU_PROFILE. Lines of text:
//
//   PROFILE_MAGIC words        of profile_counts
//   result R                   of the program's own check
//   end E                      of the run
//   cores N
//   then for each kernel
//   kernel INSTRUCTIONS LAUNCHES CYCLES DRAIN SHAPE NAME
//     for each instruction a line BLOCK PTX-LINE CUDA-LINE FILE and one with its text
//     for each instruction, for the end of the code, and for PROFILE_OTHERS: the words
//   PROFILE_END
#ifndef NEARBANK_PROFILE_DATA_H
#define NEARBANK_PROFILE_DATA_H

#include <stdbool.h>
#include <stdio.h>

#include "profile_counts.h"

#define PROFILE_MAGIC "nearbank-profile-2"
#define PROFILE_END "end-of-profile"

typedef struct profile_instruction {
  char *text;
  char *file;                    // of CUDA, "" when unknown
  uint32_t ptx_line, cuda_line;  // 0: unknown
  uint32_t block;                // of the compiler
} profile_instruction;

typedef struct profile_kernel {
  char *name;    // as the linker knows it
  char *called;  // as one reads it
  uint64_t launches, cycles, drain;
  uint64_t shape;  // of its blocks (module.h)
  uint32_t n;      // the end of the code is the last one
  profile_instruction *instructions;
  profile_counts *counts;  // of the n instructions, of PROFILE_OTHERS
} profile_kernel;

typedef struct profile {
  char *result, *end;
  uint32_t cores;
  profile_kernel *kernels;
  uint32_t n;
} profile;

// False: it is not whole; nothing is to be freed then.
bool profile_read(profile *p, FILE *f);
void profile_free(profile *p);

static inline const profile_counts *profile_rest(const profile_kernel *k, profile_other other) {
  return &k->counts[k->n + other];
}

#endif
