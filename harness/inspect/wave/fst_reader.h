// SPDX-License-Identifier: Apache-2.0
// Reading FST files, from libnearwave.so like writing them (fst.h).
#pragma once

#include <stdbool.h>
#include <stdint.h>

// For fst_reader_ops.names: a signal in a scope ("core0.nbu1.opc"), by its name with its range
// ("op_q[1] [7:0]"). Signals of one number have the same values.
typedef void fst_name(void *ctx, const char *scope, const char *name, uint32_t bits,
                      uint32_t number);
// For fst_reader_ops.values: at a time, `bits` digits, the highest first; times ascend.
typedef void fst_value(void *ctx, uint64_t time, uint32_t number, const unsigned char *digits);

typedef struct fst_reader_ops {
  void *(*open)(const char *file);  // NULL: it is none, or it ends too early
  int (*scale)(void *f);            // a unit of time is 10 to the power of this, in seconds
  uint64_t (*first)(void *f);
  uint64_t (*last)(void *f);
  uint32_t (*numbers)(void *f);  // numbers are below this
  void (*names)(void *f, fst_name *name, void *ctx);
  void (*keep)(void *f, uint32_t number);  // values() tells of this one
  bool (*values)(void *f, fst_value *value, void *ctx);
  // Between off and on there are no values: the n-th time at which that changes. False: no more.
  bool (*turn)(void *f, uint32_t n, uint64_t *time, bool *on);
  void (*close)(void *f);
} fst_reader_ops;
