// SPDX-License-Identifier: Apache-2.0
// Accesses for one bank controller: generated, or from a trace.
#ifndef NEARBANK_DRAM_STREAM_H
#define NEARBANK_DRAM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/dram/dram.h"

typedef struct stream_access {
  uint64_t arrival;  // cycle
  bool follows;      // no cycle of its own: it comes when the one before it is taken
  bool we;
  uint32_t bank, row, col;
} stream_access;

typedef enum stream_pattern {
  STREAM_RANDOM,  // any row and column
  // `streams` in each bank, in turn, `turn` accesses each. A stream makes `visit` accesses to a
  // row, column by column, then goes on to its next one. All rows that are visited at a time, and
  // those after them, lie in different subarrays (of half as many streams as subarrays).
  STREAM_STREAMS,
  STREAM_ROWS,  // the same, but each stream stays in one row
  STREAM_PATTERNS
} stream_pattern;

typedef struct stream_config {
  stream_pattern pattern;
  uint32_t streams, turn, visit;  // no more streams than rows
  uint32_t banks;                 // that are used; turns go round them, random accesses to any
  double reads;                   // share, 0 to 1
  double rate;  // arrivals a cycle: each cycle has one with this probability. 0: each follows
  uint64_t seed, count;
} stream_config;

enum { STREAM_MAX_STREAMS = 1024, STREAM_MAX_TURN = 65536, STREAM_MAX_COUNT = 10000000 };

// `count` accesses of this geometry by malloc(), in the order of their arrival; NULL when memory is
// short. Addresses and directions do not depend on the rate.
stream_access *stream_generate(const stream_config *config, const dram_geometry *geometry);

// A trace is text, a line an access: CYCLE BANK ROW COLUMN R|W, in this geometry. Cycles do not
// descend; `-` stands for that of an access that follows. What comes after a # is a comment. NULL,
// and a sentence with file and line in `why`, for anything else.
stream_access *stream_read(const char *file, const dram_geometry *geometry, size_t *count,
                           char *why, size_t why_bytes);
bool stream_write(const char *file, const stream_access *accesses, size_t count);

#endif
