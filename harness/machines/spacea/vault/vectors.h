// SPDX-License-Identifier: Apache-2.0
// The bank group of the lowest layer: X and Y of a vault's share of the vectors. It answers who
// wants a line of X, and adds sums up to Y. Its banks' controller and its memory of lines are the
// blocks rowctl and xcam; what is between them is of C only.
//
// Element j of the share is in bank j / 32 % 2, row j / 64 (X) or 32768 + j / 64 (Y), the 32
// elements of which are in their order.
#ifndef NEARBANK_SPACEA_VECTORS_H
#define NEARBANK_SPACEA_VECTORS_H

#include "banks.h"
#include "csim/spacea/rowctl.h"
#include "csim/spacea/xcam.h"
#include "harness/machines/spacea/function/semiring.h"
#include "harness/machines/spacea/map/mapping.h"
#include "packets.h"

enum { VECTORS_READS = 15, VECTORS_ROW = MAPPING_VECTOR_ROW };

typedef enum vectors_phase {
  VECTORS_READY,
  VECTORS_WRITES,
  VECTORS_LOADS,
  VECTORS_WAITS
} vectors_phase;

typedef struct vectors_bank {
  packets reads, sums;
  uint32_t *row;             // rows of Y in the buffer, a ring, the oldest first
  double (*y)[VECTORS_ROW];  // their elements
  uint32_t first, n;
  vectors_phase phase;
  uint32_t beat;
} vectors_bank;

typedef struct vectors {
  banks banks;
  rowctl control;
  rowctl_in in;
  xcam *lines;
  xcam_in line_in;
  xcam_out line_out;
  packets down, up;
  vectors_bank bank[BANKS];
  packet reads[VECTORS_READS];  // under way, by their ids
  uint32_t free_reads;          // a bit each
  uint32_t first_x, first_y;    // of the share
  uint32_t rows;                // of the buffer of a bank
  semiring semiring;
  bool drains;  // rows of Y go back to the banks
} vectors;

bool vectors_init(vectors *v, const config *c, const spacea_structure *sizes,
                  vault_counters *counters, char *why, size_t why_bytes);
void vectors_free(vectors *v);
void vectors_fetch(prefetch *a, const vectors *v);  // what most cycles touch
bool vectors_idle(const vectors *v);
bool vectors_move(const vectors *v);  // the last edge had a request to the banks, or their data
void vectors_clock(vectors *v, uint64_t cycle);
// X has changed, and the group has other elements.
void vectors_restart(vectors *v, uint32_t first_x, uint32_t first_y, semiring s);
double *vectors_x(vectors *v, uint32_t element);
double *vectors_y(vectors *v, uint32_t element);

#endif
