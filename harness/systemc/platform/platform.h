// SPDX-License-Identifier: Apache-2.0
// A platform in SystemC around a program of this process: a host with memory, an interconnect,
// cards. It is in a library of its own, libnearcard.so, which is loaded when a run asks for it, so
// that nothing else needs SystemC. One platform in a process: SystemC has one simulation.
//
//   host (this program) --+                +-- card 0: registers, memory
//                         +-- bus ---------+-- card 1: registers, memory
//   cards' DMA -----------+                +-- memory of the host
#ifndef NEARBANK_PLATFORM_H
#define NEARBANK_PLATFORM_H

#include <stddef.h>
#include <stdint.h>
#include "harness/systemc/card/card_ops.h"
#include "harness/systemc/driver/driver.h"

typedef struct platform platform;

typedef struct platform_card {
  const card_ops *ops;
  card_device device;
} platform_card;

// Who writes waves of the platform: each source gets the text of a VCD file, with times in quarters
// of a ns.
typedef struct platform_trace {
  void *ctx;
  void *(*source)(void *ctx, const char *name);  // "bus.host", "card0.registers". NULL: no memory
  void (*begin)(void *ctx);                      // all sources are there
  void (*write)(void *source, const char *text, size_t bytes);
  void (*step)(void *ctx, uint64_t ns);  // all has been written that happened before
} platform_trace;

typedef struct platform_options {
  uint64_t host_bytes;  // memory of the host, for each card
  uint64_t quantum_ns;  // of loosely timed simulation; 0: approximately timed
  // NULL: no waves. With it the cards have no direct access to memory, so that the bus shows
  // all.
  const platform_trace *trace;
} platform_options;

typedef struct platform_ops {
  // Of 1 to PLATFORM_CARDS cards. Machines stay the caller's, and must outlive it. NULL: no memory,
  // or there was a platform in this process.
  platform *(*make)(const platform_card *cards, uint32_t n, const platform_options *o);
  void (*free)(platform *p);
  // The way to card k for a driver of this program. An access takes its time; the simulation stands
  // still between calls.
  driver_transport (*transport)(platform *p, uint32_t k);
  uint64_t (*time)(const platform *p);  // of the simulation, ps
  card *(*model)(platform *p, uint32_t k);
} platform_ops;

enum { PLATFORM_CARDS = 8 };

// The one name of libnearcard.so.
const platform_ops *nearbank_platform(void);

#endif
