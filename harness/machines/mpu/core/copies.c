// SPDX-License-Identifier: Apache-2.0
#include "copies.h"

#include <string.h>

enum { ALL_NBUS = (1 << SUBCORES) - 1 };

void copies_drop(copies *c, uint32_t of) {
  c->dropped |= c->base->copies & of;
  c->base->copies &= ~of;
}

// Of what was dropped, what no access has packets to send for: the NBUs are asked for the end of
// the packets that were sent.
static void ask(copies *c) {
  uint32_t reading = 0;
  for (uint32_t k = 0; k < SUBCORES; k++)
    reading |= c->reading[k];
  c->asked = c->dropped & ~reading;
  c->dropped &= reading;
  c->to_ask = c->asked ? ALL_NBUS : 0;
}

static void send(copies *c) {
  const uint32_t nbu = (uint32_t)__builtin_ctz(c->to_ask);
  if (!bus_room(c->bus, nbu, 1))
    return;
  const tag t = {.kind = TAG_SYNC, .client = c->client};
  const uint64_t head = TSV_DN_SYNC | tsv_put(TSV_DN_ANY_TAG, bus_tag(c->bus, nbu, t));
  bus_push(c->bus, nbu, &head, 1);
  c->to_ask &= c->to_ask - 1;
  c->answers++;
}

void copies_step(copies *c) {
  if (!c->asked)
    ask(c);
  if (c->to_ask)
    send(c);
}

static void answer(void *ctx, uint32_t nbu, const tag *t, uint64_t head, const uint64_t *body) {
  copies *c = ctx;
  (void)nbu, (void)t, (void)head, (void)body;
  c->answers--;
  if (!c->to_ask && !c->answers)
    c->asked = 0;
}

void copies_new(copies *c, base *b, bus *u) {
  c->base = b, c->bus = u;
  c->client = bus_join(u, (bus_client){.ctx = c, .answer = answer});
}

void copies_reset(copies *c) {
  memset(c->reading, 0, sizeof c->reading);
  c->dropped = c->asked = c->to_ask = c->answers = 0;
}
