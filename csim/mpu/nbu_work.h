// SPDX-License-Identifier: Apache-2.0
// What a packet makes the blocks of a near-bank unit do, by the rules of their pages; for those who
// count it without looking inside.
#pragma once

#include <stdint.h>

typedef struct nbu_work {
  uint32_t reads, writes;  // registers of the register file
  uint32_t accesses;       // of lsux: beats
  uint32_t words;          // of shared memory that lanes read and write
} nbu_work;

// Of its head and the first flit of its body (0: it has none).
nbu_work nbu_work_of(uint64_t head, uint64_t body);
