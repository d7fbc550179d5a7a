// SPDX-License-Identifier: Apache-2.0
// Events of the cycle, for those who look on.
#include <assert.h>
#include "core_priv.h"

static core_event *add(core *c, event_kind kind, const cwarp *w) {
  assert(c->n_events < EVENTS);
  core_event *e = &c->events[c->n_events++];
  *e = (core_event){.cycle = c->cycle,
                    .kind = (uint8_t)kind,
                    .number = EVENT_NONE,
                    .core = (uint8_t)c->place.index};
  if (w) {
    e->block = w->b->index;
    e->subcore = (uint8_t)(w->index % SUBCORES);
    e->warp = (uint8_t)w->index;
    e->slot = w->slot;
  }
  return e;
}

static core_event *add_op(core *c, event_kind kind, const op *o) {
  core_event *e = add(c, kind, o->w);
  e->place = (uint8_t)(o - c->sub[e->subcore].pool);
  e->number = o->number;
  e->pc = o->pc, e->lanes = o->lanes;
  e->near = o->near;
  return e;
}

void look_op(core *c, event_kind kind, const op *o) {
  add_op(c, kind, o);
}

void look_target(core *c, const op *o) {
  unsigned waits = 0;
  for (unsigned k = 0; k < 4; k++)
    waits += (unsigned)__builtin_popcountll(o->waits[k]);
  add_op(c, EVENT_TARGET, o)->reg = (uint8_t)waits;
}

void look_shared(core *c, event_kind kind, const op *o, uint32_t mop, uint32_t lanes) {
  core_event *e = add_op(c, kind, o);
  e->reg = (uint8_t)mop, e->lanes = lanes;
}

// `o` NULL: it has ended with that.
void look_issue(core *c, const cwarp *w, uint32_t pc, uint32_t lanes, op *o) {
  core_event *e = add(c, EVENT_ISSUE, w);
  e->number = c->issued++;
  e->pc = pc, e->lanes = lanes;
  if (o) {
    o->number = e->number;
    e->place = (uint8_t)(o - c->sub[e->subcore].pool);
  } else {
    core_event *end = add(c, EVENT_END, w);
    end->number = e->number;
    end->pc = pc, end->lanes = lanes;
  }
}

void look_move(core *c, event_kind kind, const cwarp *w, const op *o, uint32_t reg, bool near) {
  core_event *e = o ? add_op(c, kind, o) : add(c, kind, w);
  e->reg = (uint8_t)reg;
  e->near = near;
}

static void fill_request(core_event *e, const remote *r, uint32_t other) {
  e->core = (uint8_t)other, e->request = r->index;
  e->address = r->address;
  e->sent = r->sent, e->came = r->came, e->left = r->left;
}

// At its own core `r` has an instruction.
void look_request(core *c, event_kind kind, const remote *r, uint32_t bytes) {
  const bool mine = r->from == c->place.index;
  core_event *e = mine ? add_op(c, kind, r->o) : add(c, kind, NULL);
  fill_request(e, r, mine ? r->to : r->from);
  e->packet = (uint8_t)r->kind;
  e->nbu = (uint8_t)r->nbu;
  e->bytes = (uint16_t)bytes;
}

void look_packet(core *c, event_kind kind, uint32_t nbu, uint32_t n, uint64_t head, const tag *t) {
  const bool of_op = t && t->kind != TAG_CLEAR && t->kind != TAG_REMOTE;
  core_event *e = of_op ? add_op(c, kind, t->o) : add(c, kind, NULL);
  if (t && t->kind == TAG_REMOTE)
    fill_request(e, t->r, t->r->from);
  e->nbu = (uint8_t)nbu;
  e->packet = (uint8_t)(head & 15);
  if (kind == EVENT_SEND) {
    e->flits = (uint8_t)n;
    e->tag = t ? (uint8_t)tsv_get(head, TSV_DN_ANY_TAG) : 0;
  } else {
    e->flits = (uint8_t)(1 + (e->packet == TSV_UP_DONE ? 0 : tsv_get(head, TSV_UP_ANY_LEN)));
    e->tag = (uint8_t)n;
  }
}

void look_block(core *c, event_kind kind, const block *b) {
  add(c, kind, NULL)->block = b->index;
}

void look_end(core *c) {
  for (uint32_t n = 0; n < c->n_observers; n++)
    c->observers[n].cycle(c->observers[n].ctx, c, c->events, c->n_events);
  c->n_events = 0;
}

void core_observe(core *c, core_observer o) {
  assert(c->n_observers < CORE_OBSERVERS);
  c->observers[c->n_observers++] = o;
}

void core_unobserve(core *c, void *ctx) {
  uint32_t left = 0;
  for (uint32_t n = 0; n < c->n_observers; n++)
    if (c->observers[n].ctx != ctx)
      c->observers[left++] = c->observers[n];
  c->n_observers = left;
}

uint32_t core_index(const core *c) {
  return c->place.index;
}
const launch *core_launch(const core *c) {
  return c->l;
}
near *core_near(const core *c) {
  return c->near;
}
const near_in *core_drives(const core *c) {
  return &c->in;
}
const near_out *core_sees(const core *c) {
  return &c->out;
}
