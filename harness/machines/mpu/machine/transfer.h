// SPDX-License-Identifier: Apache-2.0
// What it costs to make the copies of an array (region.h), or to move it to other cores, estimated:
// the cycles are not simulated. Rules: docs/placement.md, "Copies" and "Moves".
#ifndef NEARBANK_TRANSFER_H
#define NEARBANK_TRANSFER_H

#include "harness/base/noc/noc.h"
#include "map.h"

typedef struct transfers {
  uint64_t copies, moves;                  // times that copies of an array were made, or it moved
  uint64_t cycles;                         // of these, one after the other
  uint64_t bytes;                          // written
  uint64_t dram_reads, dram_writes;        // of 32 bytes
  uint64_t tsv_flits;                      // of 64 bits
  uint64_t on_chip_flits, off_chip_flits;  // over links
} transfers;

typedef struct transfer_config {
  const noc_config *noc;
  uint32_t cores, processors;
  uint32_t router_cycles;  // a core cycle
  uint32_t interface;      // core cycles in the network interfaces
  uint32_t tsv_flits;      // a core cycle
} transfer_config;

void transfers_add(transfers *to, const transfers *t);
// Adds the copies of an array of so many lines.
void transfer_copies(transfers *to, const transfer_config *c, uint64_t lines);
// Adds a move: lines[from * cores + to] of 128 bytes, those that go elsewhere in a core among them.
void transfer_move(transfers *to, const transfer_config *c, const uint32_t *lines);

#endif
