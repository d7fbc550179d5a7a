// SPDX-License-Identifier: Apache-2.0
// What it costs to make the copies of an array (region.h), estimated: the cycles are not simulated.
// Rules: docs/placement.md, "Copies".
#ifndef NEARBANK_RENEWAL_H
#define NEARBANK_RENEWAL_H

#include "harness/base/noc/noc.h"
#include "map.h"

typedef struct renewals {
  uint64_t made;                           // times that copies of an array were made
  uint64_t cycles;                         // of these, one after the other
  uint64_t bytes;                          // written into copies
  uint64_t dram_reads, dram_writes;        // of 32 bytes
  uint64_t tsv_flits;                      // of 64 bits
  uint64_t on_chip_flits, off_chip_flits;  // over links
} renewals;

typedef struct renewal_config {
  const noc_config *noc;
  uint32_t cores, processors;
  uint32_t router_cycles;  // a core cycle
  uint32_t interface;      // core cycles in the network interfaces
  uint32_t tsv_flits;      // a core cycle
} renewal_config;

// Adds those of an array of so many lines.
void renewal_add(renewals *to, const renewal_config *c, uint64_t lines);

#endif
