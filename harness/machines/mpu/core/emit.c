// SPDX-License-Identifier: Apache-2.0
#include "emit.h"

#include <assert.h>

core_event emit_of_warp(const base *b, event_kind kind, const cwarp *w) {
  core_event e = {.cycle = b->cycle,
                  .kind = (uint8_t)kind,
                  .number = EVENT_NONE,
                  .core = (uint8_t)b->place.index};
  if (w) {
    e.block = w->b->index;
    e.subcore = w->subcore;
    e.warp = (uint8_t)w->index;
    e.slot = w->slot;
  }
  return e;
}

core_event emit_of_op(const base *b, event_kind kind, const op *o) {
  const emit_owner *w = &b->emitter->owners[o->subcore][o->flight];
  core_event e = emit_of_warp(b, kind, NULL);
  e.block = w->block;
  e.subcore = o->subcore, e.warp = w->warp, e.slot = w->slot;
  e.place = o->flight;
  e.number = o->number;
  e.pc = o->pc, e.lanes = o->lanes;
  e.near = o->near;
  return e;
}

void emit_begin(base *b, const op *o) {
  const cwarp *w = o->w;
  b->emitter->owners[o->subcore][o->flight] = (emit_owner){w->b->index, (uint8_t)w->index, w->slot};
}

void emit_tell(base *b, const core_event *e) {
  emitter *x = b->emitter;
  if (x->listener)
    x->listener(x->listener_ctx, e);
  if (!x->n_observers)
    return;
  assert(x->n_events < EVENTS);
  x->events[x->n_events++] = *e;
}

void emit_op(base *b, event_kind kind, const op *o) {
  const core_event e = emit_of_op(b, kind, o);
  emit_tell(b, &e);
}

void emit_access(base *b, const op *o, uint32_t lanes, uint32_t words) {
  core_event e = emit_of_op(b, EVENT_ACCESS, o);
  e.part = lanes, e.reg = (uint8_t)words;
  emit_tell(b, &e);
}

void emit_line(base *b, event_kind kind, const op *o, uint32_t lanes, uint32_t request,
               uint64_t address) {
  core_event e = emit_of_op(b, kind, o);
  e.part = lanes, e.request = (uint8_t)request, e.address = address;
  emit_tell(b, &e);
}

void emit_target(base *b, const op *o, const uint64_t waits[REG_WORDS]) {
  core_event e = emit_of_op(b, EVENT_TARGET, o);
  unsigned n = 0;
  for (unsigned k = 0; k < REG_WORDS; k++)
    n += (unsigned)__builtin_popcountll(waits[k]);
  e.reg = (uint8_t)n;
  emit_tell(b, &e);
}

void emit_shared(base *b, event_kind kind, const op *o, uint32_t mop, uint32_t lanes) {
  core_event e = emit_of_op(b, kind, o);
  e.reg = (uint8_t)mop, e.lanes = lanes;
  emit_tell(b, &e);
}

void emit_issue(base *b, const cwarp *w, uint32_t pc, uint32_t lanes, op *o) {
  core_event e = emit_of_warp(b, EVENT_ISSUE, w);
  e.number = b->emitter->issued++;
  e.pc = pc, e.lanes = lanes;
  e.ends = !o;
  if (o) {
    o->number = e.number;
    e.place = o->flight;
  }
  emit_tell(b, &e);
  e.kind = EVENT_END;
  if (!o)
    emit_tell(b, &e);
}

void emit_move(base *b, event_kind kind, const cwarp *w, const op *o, uint32_t reg, bool near) {
  core_event e = o ? emit_of_op(b, kind, o) : emit_of_warp(b, kind, w);
  e.reg = (uint8_t)reg;
  e.near = near;
  emit_tell(b, &e);
}

void emit_block(base *b, event_kind kind, const block *of) {
  core_event e = emit_of_warp(b, kind, NULL);
  e.block = of->index;
  emit_tell(b, &e);
}

void emit_fill_request(core_event *e, uint32_t other, const remote_request *r,
                       const remote_answer *answer) {
  e->core = (uint8_t)other, e->request = r->index;
  e->address = r->address;
  e->sent = r->sent, e->came = answer->came, e->left = answer->left;
}

void emit_request(base *b, event_kind kind, const op *o, uint32_t other, uint32_t lanes,
                  const remote_request *r, const remote_answer *answer, uint32_t bytes) {
  core_event e = o ? emit_of_op(b, kind, o) : emit_of_warp(b, kind, NULL);
  emit_fill_request(&e, other, r, answer);
  e.packet = r->kind;
  e.nbu = (uint8_t)base_nbu(b, r->address, 0);
  e.bytes = (uint16_t)bytes;
  e.part = lanes;
  emit_tell(b, &e);
}

// ---- who is told

void emit_reset(base *b) {
  b->emitter->issued = b->emitter->n_events = 0;
}

void emit_end(base *b, const core *c) {
  emitter *x = b->emitter;
  for (uint32_t n = 0; n < x->n_observers; n++)
    x->observers[n].cycle(x->observers[n].ctx, c, x->events, x->n_events);
  x->n_events = 0;
}

void emit_listen(base *b, event_listener *tell, void *ctx) {
  emitter *x = b->emitter;
  x->listener = tell, x->listener_ctx = ctx;
  b->watched = x->n_observers || tell;
}
