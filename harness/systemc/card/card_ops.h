// SPDX-License-Identifier: Apache-2.0
// What card and transport are to each other, in a form that C++ takes too: the functions of card.h
// as a table, for a transport that is loaded at run time and has no way to their names.
#ifndef NEARBANK_CARD_OPS_H
#define NEARBANK_CARD_OPS_H

#include <stdbool.h>
#include <stdint.h>
#include "card_regs.h"

typedef struct card card;
struct config;
struct machine;
struct sim;
struct card_spacea;

// The machine behind a card; all of it stays the caller's. Nobody else launches on it.
typedef struct card_device {
  const struct config *config;  // may go when the card is made
  struct machine *m;            // device memory; of an MPU, what executes kernels
  struct sim *s;                // an MPU: its cores; NULL: no kernels
  struct card_spacea *spacea;   // a SpaceA (card_spacea.h), which this card alone has; or NULL
} card_device;

// What the card asks of its transport, while it is in card_run; interrupts come in card_write and
// card_ring_all too. Offsets are those of the host window.
typedef struct card_transport {
  void *ctx;
  // False: the range is not all memory.
  bool (*read)(void *ctx, uint64_t offset, void *to, uint64_t bytes);
  bool (*write)(void *ctx, uint64_t offset, const void *from, uint64_t bytes);
  void (*interrupt)(void *ctx);  // a pulse; with CARD_FEATURES_INTERRUPTS
  uint32_t features;             // CARD_FEATURES_*
} card_transport;

// In ps of device time.
enum { CARD_PERIOD = 1000 };
#define CARD_NEVER UINT64_MAX

// As card.h says of card_new, card_free ...
typedef struct card_ops {
  card *(*make)(const card_device *d, const card_transport *t);
  void (*free)(card *c);
  bool (*read)(const card *c, uint64_t offset, uint32_t bytes, uint64_t *value);
  bool (*write)(card *c, uint64_t offset, uint32_t bytes, uint64_t value, uint64_t now);
  uint64_t (*run)(card *c, uint64_t now, uint64_t ahead);
  bool (*window_read)(const card *c, uint64_t address, void *to, uint64_t bytes);
  bool (*window_write)(card *c, uint64_t address, const void *from, uint64_t bytes);
  uint8_t *(*window)(const card *c, uint64_t *bytes);
} card_ops;
#endif
