// SPDX-License-Identifier: Apache-2.0
// An FST file as a whole in memory, by the reader that comes with Verilator. For tests.
#ifndef NEARBANK_FST_READ_H
#define NEARBANK_FST_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fst_change {
  uint64_t ps;
  const char *digits;  // one a bit, the highest first
} fst_change;

typedef struct fst_signal {
  char *name;  // "core0.nbu0.cmd_o", "core0.nbu0.opc.op_q[1]": without its range
  uint32_t bits;
  uint32_t number;  // the same for all names of one signal
  bool alias;       // not the first one of them
  size_t n;
  const fst_change *changes;  // times ascend
} fst_signal;

typedef struct fst_file fst_file;

fst_file *fst_read(const char *file);  // NULL: it is none, or no memory
void fst_free(fst_file *f);

size_t fst_signals(const fst_file *f);
const fst_signal *fst_signal_of(const fst_file *f, size_t n);  // in the order of the file
const fst_signal *fst_named(const fst_file *f, const char *name);
uint64_t fst_first(const fst_file *f);  // times
uint64_t fst_last(const fst_file *f);

// At a time, when all that changes then has changed. NULL: none yet.
const char *fst_at(const fst_signal *s, uint64_t ps);
// No values are told of this time: it is before, between or behind those of the file.
bool fst_is_dark(const fst_file *f, uint64_t ps);

#endif
