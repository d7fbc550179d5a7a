// SPDX-License-Identifier: Apache-2.0
// mpu run --races: the program in its default order and in random ones, each in a process of its
// own, and what of device memory, output and exit status differs.
#ifndef NEARBANK_TOOL_RACES_H
#define NEARBANK_TOOL_RACES_H

#include "harness/cuda/driver/start.h"
#include "harness/cuda/races_file.h"

enum { RACES_RUNS = 10000 };

// 0: no run differs; EXIT_FAILED: some do, which is printed; EXIT_USAGE after a message. `json`
// NULL: no file.
int races_command(const start *s, const char *shown, unsigned runs, const char *json);

// ---- races_compare.c

typedef struct races_run {
  char schedule[40];  // "random:3", or "default"
  int status;         // as waitpid has it
  char *record, *output;
  size_t record_bytes, output_bytes;
} races_run;

typedef struct races_side {
  uint32_t word;  // the 4 bytes around the first one that differs
  bool written;   // by a kernel since the start, and not by the host since
  races_writer writer;
} races_side;

typedef struct races_array {
  races_name of;          // its name is empty: in no array
  uint64_t bytes, first;  // how many differ; address of the first one
  races_side sides[2];
  bool floats;  // all that differ were written last by atomics on floats
} races_array;

typedef enum races_kind {
  RACES_SAME,
  RACES_MEMORY,    // at the end of the launch
  RACES_ERROR,     // it ended with another error
  RACES_LAUNCHES,  // one of the runs has another launch there, or none
} races_kind;

typedef struct races_difference {
  races_kind kind;
  const races_launch *launches[2];  // NULL: there is none
  uint64_t pages, looked;           // that differ; that were looked at
  uint64_t look[RACES_LOOKS];       // addresses
  races_array *arrays;
  uint32_t n_arrays;
  bool status, output, reordered;  // reordered: the same lines of output in another order
  uint32_t line;                   // of the output, the first one that differs
} races_difference;

// Of two runs: all but arrays.
void races_compare(const races_run *a, const races_run *b, races_difference *d);
// Their records are equal up to the launch of that number.
bool races_repeat(const races_run *a, const races_run *again, uint64_t launch);
// Fills arrays from the looks of the two runs. False: they are not whole.
bool races_arrays(const char *looks[2], const size_t bytes[2], races_difference *d);
bool races_differ(const races_difference *d, bool with_output);

#endif
