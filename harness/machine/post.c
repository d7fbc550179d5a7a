// SPDX-License-Identifier: Apache-2.0
#include "post.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { CYCLES = 2 * POST_AHEAD };  // whose letters may wait: two windows

typedef struct letters {  // of a cycle
  core_mail *mail;
  uint32_t count, room;
} letters;

typedef struct delivery {
  uint64_t cycle;
  uint32_t core, class;
  bool packet;  // else a place of the interface is free again
  noc_packet p;
} delivery;

typedef struct notice {  // of a free place
  uint64_t cycle;
  uint32_t core, class;
} notice;

struct post {
  noc_config config;
  noc *noc;
  uint32_t steps, interface;
  uint32_t shortest;  // way of a packet through the network, or less
  uint64_t cycle;     // that the network does next
  uint32_t waiting;   // letters
  letters letters[CYCLES];
  delivery *deliveries;
  uint32_t count, room;
  notice *notices;  // a ring of `room`, the oldest first
  uint32_t first, noticed;
  noc_stats counted;  // by networks before this one
};

// As many as the cores have places for, so there is always room.
static void deliver(post *p, delivery d) {
  assert(p->count < p->room);
  d.cycle = p->cycle + p->interface;
  p->deliveries[p->count++] = d;
}

// Takes as long as the shortest way of a packet, so that nothing comes sooner.
static void sent(void *ctx, uint32_t core, uint32_t class) {
  post *p = ctx;
  p->notices[(p->first + p->noticed++) % p->room] = (notice){p->cycle + p->shortest, core, class};
}

static void notify(post *p) {
  for (; p->noticed && p->notices[p->first].cycle == p->cycle; p->noticed--) {
    const notice *n = &p->notices[p->first];
    deliver(p, (delivery){.core = n->core, .class = n->class});
    p->first = (p->first + 1) % p->room;
  }
}

static void arrived(void *ctx, const noc_packet *packet) {
  deliver(ctx,
          (delivery){.core = packet->to, .class = packet->class, .packet = true, .p = *packet});
}

static bool make(post *p, char *why, size_t why_bytes) {
  const noc_sink sink = {p, sent, arrived};
  noc_free(p->noc);
  p->noc = noc_new(&p->config, &sink, why, why_bytes);
  return p->noc;
}

post *post_new(const noc_config *c, uint32_t steps, uint32_t interface, char *why,
               size_t why_bytes) {
  post *p = calloc(1, sizeof *p);
  if (!p) {
    snprintf(why, why_bytes, "out of host memory");
    return NULL;
  }
  assert(interface && interface <= POST_AHEAD);
  p->config = *c;
  p->steps = steps, p->interface = interface;
  p->room =
      c->x * c->y * c->chips_x * c->chips_y * NOC_CLASSES * (c->send_packets + c->take_packets);
  p->deliveries = malloc(p->room * sizeof *p->deliveries);
  p->notices = malloc(p->room * sizeof *p->notices);
  const bool memory = p->deliveries && p->notices;
  if (!memory)
    snprintf(why, why_bytes, "out of host memory");
  if (!memory || !make(p, why, why_bytes)) {
    post_free(p);
    return NULL;
  }
  const uint32_t shortest = noc_shortest(p->noc) / steps, most = POST_AHEAD - interface;
  p->shortest = shortest < most ? shortest : most;
  return p;
}

void post_free(post *p) {
  if (!p)
    return;
  for (uint32_t k = 0; k < CYCLES; k++)
    free(p->letters[k].mail);
  free(p->deliveries);
  free(p->notices);
  noc_free(p->noc);
  free(p);
}

static noc_stats sum(const noc_stats *a, const noc_stats *b) {
  noc_stats all;
  const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;
  uint64_t *to = (uint64_t *)&all;
  for (size_t n = 0; n < sizeof all / sizeof *to; n++)
    to[n] = x[n] + y[n];
  return all;
}

bool post_reset(post *p, uint64_t cycle) {
  char why[200];
  p->counted = sum(&p->counted, noc_statistics(p->noc));
  for (uint32_t k = 0; k < CYCLES; k++)
    p->letters[k].count = 0;
  p->waiting = p->count = p->noticed = 0;
  p->cycle = cycle;
  return make(p, why, sizeof why);
}

bool post_collect(post *p, core *c) {
  uint32_t count;
  const core_mail *m = core_sent(c, &count);
  for (uint32_t k = 0; k < count; k++) {
    letters *l = &p->letters[m[k].cycle % CYCLES];
    if (l->count == l->room) {
      const uint32_t room = l->room ? 2 * l->room : 16;
      core_mail *more = realloc(l->mail, room * sizeof *more);
      if (!more)
        return false;
      l->mail = more, l->room = room;
    }
    l->mail[l->count++] = m[k];
  }
  p->waiting += count;
  core_sent_clear(c);
  return true;
}

// Packets that leave in this cycle, and news of those that were taken.
static void send(post *p, letters *l) {
  for (uint32_t k = 0; k < l->count; k++) {
    const noc_packet *packet = &l->mail[k].packet;
    if (l->mail[k].taken)
      noc_take(p->noc, packet->to, packet->class);
    else if (!noc_send(p->noc, packet))
      abort();  // a core sends only when there is a place for it
  }
  p->waiting -= l->count;
  l->count = 0;
}

void post_step(post *p, uint64_t until) {
  for (; p->cycle < until; p->cycle++) {
    if (post_idle(p)) {
      noc_skip(p->noc, (until - p->cycle) * p->steps);
      p->cycle = until;
      return;
    }
    send(p, &p->letters[p->cycle % CYCLES]);
    for (uint32_t k = 0; k < p->steps; k++)
      noc_step(p->noc);
    notify(p);
  }
}

uint64_t post_cycle(const post *p) {
  return p->cycle;
}

uint32_t post_ahead(const post *p) {
  return p->interface + (post_idle(p) ? p->shortest : 0);
}

bool post_idle(const post *p) {
  return !p->waiting && !p->noticed && noc_idle(p->noc);
}

void post_deliver(post *p, core *const *cores, post_wake *wake, void *ctx) {
  for (uint32_t k = 0; k < p->count; k++) {
    const delivery *d = &p->deliveries[k];
    core_arrives(cores[d->core], d->cycle, d->class, d->packet ? &d->p : NULL);
    wake(ctx, d->core, d->cycle);
  }
  p->count = 0;
}

noc_stats post_statistics(const post *p) {
  return sum(&p->counted, noc_statistics(p->noc));
}

void post_set_statistics(post *p, const noc_stats *s) {
  const uint64_t *wanted = (const uint64_t *)s, *now = (const uint64_t *)noc_statistics(p->noc);
  uint64_t *to = (uint64_t *)&p->counted;
  for (size_t n = 0; n < sizeof *s / sizeof *to; n++)
    to[n] = wanted[n] - now[n];
}
