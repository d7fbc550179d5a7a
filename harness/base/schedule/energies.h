// SPDX-License-Identifier: Apache-2.0
// What nodes spent, by what their kind declares (node.h): counters that name a key, then its
// energies.
#ifndef NEARBANK_ENERGIES_H
#define NEARBANK_ENERGIES_H

#include "counters.h"
#include "harness/base/config/config.h"

typedef struct energies_part {
  const char *group, *name;
  const char *constant;  // the key, without "energy."
  const char *unit;
  const char *layer;  // NULL: its kind has none
  uint64_t events;
  double pj, joules;  // of an event; of all
} energies_part;

uint32_t energies_count(const node_kind *k);
// Number n of them, with what nodes of the kind counted together.
energies_part energies_of(const node_kind *k, uint32_t n, const uint64_t *sums, const config *c);
// mW of `nodes` nodes that counted `sums` together, of their standing power number n.
double energies_standing(const node_kind *k, uint32_t n, const uint64_t *sums, double nodes,
                         const config *c);

// The same of the network: energy of the bits over its links.
enum { ENERGIES_NETWORK = 3 };
energies_part energies_network(uint32_t n, uint64_t on_chip_bits, uint64_t off_chip_bits,
                               const config *c);
// Layer number n of `nodes` nodes that counted `sums` together: how many there are, and mm2 of
// each.
typedef struct energies_dies {
  double count, mm2;
} energies_dies;
energies_dies energies_layer(const node_kind *k, uint32_t n, const uint64_t *sums, double nodes,
                             const config *c);

// All that the kind names is there: keys, counters. False: `why`.
bool energies_check(const node_kind *k, char *why, size_t why_bytes);

#endif
