// SPDX-License-Identifier: Apache-2.0
#include "mailbox.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "schedule.h"

enum { CYCLES = 2 * MAILBOX_AHEAD };  // whose letters may wait: two windows

typedef struct letters {  // of a cycle
  node_mail *mail;
  uint32_t count, room;
} letters;

typedef struct delivery {
  uint64_t cycle;
  uint32_t node, class;
  bool packet;  // else a place of the interface is free again
  uint32_t body;
} delivery;

typedef struct body {  // what a packet says, while it is under way
  uint32_t next;       // of the free ones
  uint32_t bytes;
  uint8_t of[NODE_BODY];
} body;

typedef struct notice {  // of a free place
  uint64_t cycle;
  uint32_t node, class;
} notice;

struct mailbox {
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
  body *bodies;                  // a packet's `id` is the number of its own
  uint32_t n_bodies, free_body;  // the first free one, or n_bodies: all are used
  noc_stats counted;             // by networks before this one
  noc_link_stats *links;         // and by their links
  uint64_t sample_at;            // mailbox_sample
  noc_stats sample;
};

// As many as the nodes have places for, so there is always room.
static void deliver(mailbox *p, delivery d) {
  assert(p->count < p->room);
  d.cycle = p->cycle + p->interface;
  p->deliveries[p->count++] = d;
}

// Takes as long as the shortest way of a packet, so that nothing comes sooner.
static void sent(void *ctx, uint32_t node, uint32_t class) {
  mailbox *p = ctx;
  p->notices[(p->first + p->noticed++) % p->room] = (notice){p->cycle + p->shortest, node, class};
}

static void notify(mailbox *p) {
  for (; p->noticed && p->notices[p->first].cycle == p->cycle; p->noticed--) {
    const notice *n = &p->notices[p->first];
    deliver(p, (delivery){.node = n->node, .class = n->class});
    p->first = (p->first + 1) % p->room;
  }
}

static void arrived(void *ctx, const noc_packet *packet) {
  deliver(ctx, (delivery){.node = packet->to,
                          .class = packet->class,
                          .packet = true,
                          .body = (uint32_t)packet->id});
}

static bool make(mailbox *p, char *why, size_t why_bytes) {
  const noc_sink sink = {p, sent, arrived};
  noc_free(p->noc);
  p->noc = noc_new(&p->config, &sink, why, why_bytes);
  return p->noc;
}

mailbox *mailbox_new(const noc_config *c, uint32_t steps, uint32_t interface, char *why,
                     size_t why_bytes) {
  mailbox *p = calloc(1, sizeof *p);
  if (!p) {
    snprintf(why, why_bytes, "out of host memory");
    return NULL;
  }
  assert(interface && interface <= MAILBOX_AHEAD);
  p->config = *c;
  p->steps = steps, p->interface = interface;
  p->sample_at = UINT64_MAX;
  p->room =
      c->x * c->y * c->chips_x * c->chips_y * NOC_CLASSES * (c->send_packets + c->take_packets);
  p->deliveries = malloc(p->room * sizeof *p->deliveries);
  p->notices = malloc(p->room * sizeof *p->notices);
  const bool memory = p->deliveries && p->notices;
  if (!memory)
    snprintf(why, why_bytes, "out of host memory");
  if (!memory || !make(p, why, why_bytes)) {
    mailbox_free(p);
    return NULL;
  }
  if (!(p->links = calloc(noc_links(p->noc) + 1, sizeof *p->links))) {
    snprintf(why, why_bytes, "out of host memory");
    mailbox_free(p);
    return NULL;
  }
  const uint32_t shortest = noc_shortest(p->noc) / steps, most = MAILBOX_AHEAD - interface;
  p->shortest = shortest < most ? shortest : most;
  return p;
}

void mailbox_free(mailbox *p) {
  if (!p)
    return;
  for (uint32_t k = 0; k < CYCLES; k++)
    free(p->letters[k].mail);
  free(p->deliveries);
  free(p->notices);
  free(p->bodies);
  free(p->links);
  noc_free(p->noc);
  free(p);
}

// All from this one on.
static void free_bodies(mailbox *p, uint32_t from) {
  for (uint32_t k = from; k < p->n_bodies; k++)
    p->bodies[k].next = k + 1;
  p->free_body = from;
}

// *id: of a copy of what a packet says.
static bool keep_body(mailbox *p, const void *from, uint32_t bytes, uint64_t *id) {
  if (p->free_body == p->n_bodies) {
    const uint32_t before = p->n_bodies, n = before ? 2 * before : 256;
    body *more = realloc(p->bodies, n * sizeof *more);
    if (!more)
      return false;
    p->bodies = more, p->n_bodies = n;
    free_bodies(p, before);
  }
  body *b = &p->bodies[p->free_body];
  *id = p->free_body;
  p->free_body = b->next;
  b->bytes = bytes;
  memcpy(b->of, from, bytes);
  return true;
}

bool mailbox_reset(mailbox *p, uint64_t cycle) {
  char why[200];
  counters_add(&p->counted, noc_statistics(p->noc), sizeof p->counted);
  for (uint32_t k = 0; k < noc_links(p->noc); k++)
    p->links[k] = mailbox_link_counted(p, k);
  for (uint32_t k = 0; k < CYCLES; k++)
    p->letters[k].count = 0;
  p->waiting = p->count = p->noticed = 0;
  free_bodies(p, 0);
  p->cycle = cycle;
  return make(p, why, sizeof why);
}

bool mailbox_collect(mailbox *p, const node *n) {
  uint32_t count;
  const node_mail *m = n->ops->sent(n->state, &count);
  for (uint32_t k = 0; k < count; k++) {
    letters *l = &p->letters[m[k].cycle % CYCLES];
    if (l->count == l->room) {
      const uint32_t room = l->room ? 2 * l->room : 16;
      node_mail *more = realloc(l->mail, room * sizeof *more);
      if (!more)
        return false;
      l->mail = more, l->room = room;
    }
    l->mail[l->count] = m[k];
    if (!m[k].taken &&
        !keep_body(p, n->ops->body(n->state, &m[k]), m[k].body_bytes, &l->mail[l->count].packet.id))
      return false;
    l->count++;
  }
  p->waiting += count;
  n->ops->sent_clear(n->state);
  return true;
}

// Packets that leave in this cycle, and news of those that were taken.
static void send(mailbox *p, letters *l) {
  for (uint32_t k = 0; k < l->count; k++) {
    const noc_packet *packet = &l->mail[k].packet;
    if (l->mail[k].taken)
      noc_take(p->noc, packet->to, packet->class);
    else if (!noc_send(p->noc, packet))
      abort();  // a node sends only when there is a place for it
  }
  p->waiting -= l->count;
  l->count = 0;
}

void mailbox_step(mailbox *p, uint64_t until) {
  for (; p->cycle < until; p->cycle++) {
    const bool idle = mailbox_idle(p);
    if (p->sample_at >= p->cycle && p->sample_at < (idle ? until : p->cycle + 1))
      p->sample = mailbox_statistics(p);
    if (idle) {
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

uint64_t mailbox_cycle(const mailbox *p) {
  return p->cycle;
}

uint32_t mailbox_ahead(const mailbox *p) {
  return p->interface + (mailbox_idle(p) ? p->shortest : 0);
}

bool mailbox_idle(const mailbox *p) {
  return !p->waiting && !p->noticed && noc_idle(p->noc);
}

void mailbox_deliver(mailbox *p, const node *nodes, mailbox_wake *wake, void *ctx) {
  for (uint32_t k = 0; k < p->count; k++) {
    const delivery *d = &p->deliveries[k];
    const node *n = &nodes[d->node];
    body *b = d->packet ? &p->bodies[d->body] : NULL;
    n->ops->arrives(n->state, d->cycle, d->class, b ? b->of : NULL, b ? b->bytes : 0);
    if (b)
      b->next = p->free_body, p->free_body = d->body;
    wake(ctx, d->node, d->cycle);
  }
  p->count = 0;
}

noc_stats mailbox_statistics(const mailbox *p) {
  noc_stats all = p->counted;
  counters_add(&all, noc_statistics(p->noc), sizeof all);
  return all;
}

void mailbox_set_statistics(mailbox *p, const noc_stats *s) {
  const uint64_t *wanted = (const uint64_t *)s, *now = (const uint64_t *)noc_statistics(p->noc);
  uint64_t *to = (uint64_t *)&p->counted;
  for (size_t n = 0; n < sizeof *s / sizeof *to; n++)
    to[n] = wanted[n] - now[n];
}

uint32_t mailbox_links(const mailbox *p) {
  return noc_links(p->noc);
}

noc_link mailbox_link(const mailbox *p, uint32_t k) {
  return noc_link_of(p->noc, k);
}

noc_link_stats mailbox_link_counted(const mailbox *p, uint32_t k) {
  const noc_link_stats *before = &p->links[k], now = noc_link_counted(p->noc, k);
  return (noc_link_stats){.flits = before->flits + now.flits,
                          .waited = before->waited + now.waited,
                          .queued = before->queued + now.queued,
                          .most = before->most > now.most ? before->most : now.most};
}

void mailbox_set_link(mailbox *p, uint32_t k, const noc_link_stats *s) {
  const noc_link_stats now = noc_link_counted(p->noc, k);
  p->links[k] = (noc_link_stats){.flits = s->flits - now.flits,
                                 .waited = s->waited - now.waited,
                                 .queued = s->queued - now.queued,
                                 .most = s->most};
}

void mailbox_sample(mailbox *p, uint64_t at) {
  assert(at >= p->cycle);
  p->sample_at = at;
}

bool mailbox_sampled(const mailbox *p, noc_stats *to) {
  const bool passed = p->cycle > p->sample_at;
  *to = passed ? p->sample : mailbox_statistics(p);
  return p->cycle >= p->sample_at || mailbox_idle(p);
}
