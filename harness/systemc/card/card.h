// SPDX-License-Identifier: Apache-2.0
// The card of docs/card.md: registers, rings and commands in front of a machine that simulates
// cycle by cycle. It has no clock of its own: a transport (SystemC, shared memory) brings accesses
// of the host, says what time it is, and carries what the card reads and writes in the host's
// memory. Deterministic: the same calls at the same times have the same results.
#ifndef NEARBANK_CARD_H
#define NEARBANK_CARD_H

#include <stdbool.h>
#include <stdint.h>
#include "card_ops.h"
#include "harness/base/config/config.h"
#include "harness/machines/mpu/machine/sim.h"

// NULL: no memory.
card *card_new(const card_device *d, const card_transport *t);
void card_free(card *c);  // ends what is under way

// Registers, 4 or 8 bytes at an offset of the register window. False: a bus error.
bool card_read(const card *c, uint64_t offset, uint32_t bytes, uint64_t *value);
// A DOORBELL takes effect at once, at time `now`; card_run is due then.
bool card_write(card *c, uint64_t offset, uint32_t bytes, uint64_t value, uint64_t now);
// The one doorbell of a transport that has ONE_DOORBELL.
void card_ring_all(card *c, uint64_t now);

// Does what is due up to `now`, which never goes back, and simulates a launch in flight up to
// `ahead` ps (at least one cycle) beyond. Returns the latest time of the next call; CARD_NEVER: the
// card is idle until the host does something.
uint64_t card_run(card *c, uint64_t now, uint64_t ahead);

// The window of device memory. False: a bus error.
bool card_window_read(const card *c, uint64_t address, void *to, uint64_t bytes);
bool card_window_write(card *c, uint64_t address, const void *from, uint64_t bytes);
// All of it, for direct access; NULL while a launch is under way.
uint8_t *card_window(const card *c, uint64_t *bytes);

extern const card_ops card_functions;  // the functions above, as card_ops.h describes them

// What it has done since it was made.
typedef struct card_counts {
#define CARD_COUNT(name, doc) uint64_t name;
#include "card_counts.def"
} card_counts;
card_counts card_counted(const card *c);

// When cycle 0 of the latest launch is, ps.
uint64_t card_launch_begin(const card *c);
// The sum over all launches so far.
launch_stats card_launched(const card *c);

// What bytes take on the link of this bandwidth, ps; without its latency.
uint64_t card_link_time(uint64_t bytes, uint32_t mb_per_second);

// The machine's error that a status stands for; MACHINE_MODEL for what no program can cause.
machine_error card_error_of(uint32_t status);

#endif
