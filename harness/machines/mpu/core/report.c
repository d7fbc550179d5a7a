// SPDX-License-Identifier: Apache-2.0
// Where the warps of a core are, and what they wait for: for messages.
#include <inttypes.h>
#include <stdarg.h>
#include "core_view.h"
#include "report.h"

enum { SHOWN = 8, PLACE = 400, TIGHT = 300 };

__attribute__((format(printf, 3, 4))) static size_t add(char *to, size_t bytes, const char *format,
                                                        ...) {
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(to, bytes, format, args);
  va_end(args);
  return (size_t)n < bytes ? (size_t)n : bytes - 1;
}

static size_t name_warp(const cwarp *w, char *to, size_t bytes) {
  const block *b = w->b;
  return add(to, bytes, "\n  block (%u,%u,%u) warp %u ", b->id[0], b->id[1], b->id[2], w->index);
}

static uint64_t age_of(const core *c, const cwarp *w) {
  return c->front.sub[w->subcore].age[w->slot];
}

// The warp that started first of those behind `than`.
static const cwarp *next_oldest(const core *c, const cwarp *than) {
  const cwarp *best = NULL;
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t m = c->board.sub[k].live; m; m &= m - 1) {
      const cwarp *w = &c->board.sub[k].warps[__builtin_ctz(m)];
      if (w->w && w->w->depth && (!than || age_of(c, w) > age_of(c, than)) &&
          (!best || age_of(c, w) < age_of(c, best)))
        best = w;
    }
  return best;
}

size_t report_warps(const core *c, char *to, size_t bytes) {
  size_t n = 0;
  uint32_t live = 0, shown = 0;
  to[0] = 0;
  for (uint32_t k = 0; k < SUBCORES; k++)
    live += (uint32_t)__builtin_popcount(c->board.sub[k].live);
  for (const cwarp *w = NULL; shown < SHOWN && (w = next_oldest(c, w)); shown++) {
    n += name_warp(w, to + n, bytes - n);
    n += add(to + n, bytes - n,
             w->w->state == WARP_AT_BARRIER ? "waits at a barrier before " : "is at ");
    n += trace_place(c->base.l, w->w->stack[w->w->depth - 1].pc, to + n,
                     bytes - n < PLACE ? bytes - n : PLACE);
  }
  if (live > shown)
    n += add(to + n, bytes - n, "\n  and %u more warps", live - shown);
  return n;
}

// ---- who waits for whom

static size_t name_registers(const uint64_t set[4], char *to, size_t bytes) {
  size_t n = 0;
  to[0] = 0;
  for (uint32_t r = 0; r < 256 && n + 8 < bytes; r++)
    if (set[r / 64] >> r % 64 & 1)
      n += add(to + n, bytes - n, " r%u", r);
  return n;
}

// Packets of it that will be answered.
static uint32_t unanswered(const core *c, const op *o, uint32_t *nbus) {
  uint32_t n = 0;
  *nbus = 0;
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t t = 0; t < TAGS; t++)
      if (c->bus.port[k].tags[t].kind != TAG_FREE && !c->bus.port[k].tags[t].silent &&
          bus_op(&c->bus, &c->bus.port[k].tags[t]) == o)
        n++, *nbus |= 1u << k;
  return n;
}

static size_t name_nbus(uint32_t nbus, char *to, size_t bytes) {
  size_t n = 0;
  for (uint32_t k = 0; k < SUBCORES; k++)
    if (nbus >> k & 1)
      n += add(to + n, bytes - n, " NBU %u", k);
  return n;
}

// An access behind another one in the queue of the LSU waits for that one only.
static bool is_behind(const view_sub *s, const op *o) {
  for (uint32_t k = 1; k < s->lsu->count; k++)
    if (s->lsu->queue[(s->lsu->head + k) % LSU_QUEUE]->o == o)
      return o->state == OP_QUEUED;
  return false;
}

static size_t held_by_others(const core *c, const op *o, char *to, size_t bytes) {
  const uint32_t touches = view_access(c, o)->touches;
  size_t n = 0;
  for (uint32_t k = 0; k < SUBCORES; k++)
    if ((touches >> k & 1) && c->bus.port[k].holder)
      n += add(to + n, bytes - n, "%sNBU %u, which block %u warp %u holds", n ? ", " : "waits for ",
               k, c->bus.port[k].holder->w->b->index, c->bus.port[k].holder->w->index);
    else if ((touches >> k & 1) && (c->bus.port[k].remote_holds || c->bus.port[k].claimed))
      n += add(to + n, bytes - n, "%sNBU %u, which LSU-Remote %s", n ? ", " : "waits for ", k,
               c->bus.port[k].remote_holds ? "holds" : "gets next");
  return n ? n : add(to, bytes, "waits for shared memory");
}

// Requests to other cores without answer, and these cores, a few.
static uint32_t remote_waits(const core *c, const op *o, char *to, size_t bytes) {
  uint32_t count = 0;
  size_t n = 0;
  to[0] = 0;
  for (uint32_t k = 0; k < c->base.place.requests; k++) {
    const net_request *r = &c->remote.requests[k];
    if (r->o != o || !r->open)
      continue;
    if (count++ < SHOWN)
      n += add(to + n, bytes - n, " %u", r->to);
  }
  return count;
}

static size_t in_lsu(const core *c, const op *o, char *to, size_t bytes) {
  const access *x = view_access(c, o);
  char cores[80];
  uint32_t nbus, n_packets = unanswered(c, o, &nbus);
  const uint32_t n_remote = remote_waits(c, o, cores, sizeof cores);
  size_t n = 0;
  if (n_remote)
    n = add(to, bytes, "waits for %u answer%s of cores%s%s", n_remote, n_remote == 1 ? "" : "s",
            cores, n_packets ? ", and of" : "");
  if (n_remote && !n_packets)
    return n;
  if (n_packets)
    n = n_remote ? n
                 : add(to, bytes, "waits for %u answer%s of", n_packets, n_packets == 1 ? "" : "s");
  else if (x->phase == LSU_ADDRESS)
    return add(to, bytes, "waits for its address");
  else if (x->phase == LSU_COPIES)
    return add(to, bytes, "waits until no core reads copies of what it writes");
  else if (x->phase == LSU_START)
    return held_by_others(c, o, to, bytes);
  else
    n = add(to, bytes, "waits for room in the queue of");
  if (!n_packets)
    nbus = x->touches ? x->touches : 1u << o->subcore;
  return n + name_nbus(nbus, to + n, bytes - n);
}

size_t report_op(const core *c, const op *o, char *to, size_t bytes) {
  const uint32_t k = o->subcore;
  char regs[120];
  uint32_t nbus;
  switch (o->state) {
    case OP_ENGINE:
      return add(to, bytes, "is in the offload engine");
    case OP_MOVING:
      name_registers(view_waits(c, o), regs, sizeof regs);
      return add(to, bytes, "waits for the move of%s: %s NBU %u", regs,
                 unanswered(c, o, &nbus) ? "no answer of" : "no room in the queue of", k);
    case OP_READY:
      return o->near ? add(to, bytes, "waits for room in the queue of NBU %u", k)
                     : add(to, bytes, "waits for a collector");
    case OP_COLLECT:
      return add(to, bytes, "collects its operands");
    case OP_UNIT:
      return add(to, bytes,
                 o->w->w->state == WARP_AT_BARRIER ? "waits at the barrier" : "executes");
    default:
      return in_lsu(c, o, to, bytes);
  }
}

// A warp without instructions under way.
static size_t what_holds(const cwarp *w, char *to, size_t bytes) {
  if (w->syncing)
    return add(to, bytes, "waits until NBU %u has completed what it has",
               (uint32_t)__builtin_ctz(w->syncing));
  if (w->w->state == WARP_AT_BARRIER)
    return add(to, bytes, "waits at a barrier");
  return add(to, bytes,
             w->lines_to_clear || w->ops ? "waits for its local memory to be cleared"
             : w->buffered               ? "does not issue"
                                         : "waits for instructions");
}

static size_t name_queues(const core *c, char *to, size_t bytes) {
  size_t n = 0;
  for (uint32_t k = 0; k < SUBCORES; k++) {
    const nbu_port *p = &c->bus.port[k];
    if (p->count || p->n_free != TAGS)
      n += add(to + n, bytes - n,
               "\n  NBU %u: %u packets are under way, %u flits wait for the bus, room for %u", k,
               TAGS - p->n_free, p->count, p->credits);
  }
  return n;
}

static size_t name_place(const core *c, uint32_t pc, char *to, size_t bytes) {
  const size_t n = add(to, bytes, ": ");
  return n + trace_place(c->base.l, pc, to + n, bytes - n < TIGHT ? bytes - n : TIGHT);
}

// ---- one waits for the other

static const op *oldest_op(const core *c, const cwarp *w) {
  const view_sub sub = view_subcore_of(c, w), *s = &sub;
  const op *best = NULL;
  for (uint32_t i = 0; i < OPS; i++) {
    const op *o = &s->board->pool[i];
    if (o->state != OP_FREE && o->w == w && (!best || o->begun < best->begun))
      best = o;
  }
  return best;
}

// A warp of the same block that has not come to the barrier.
static const cwarp *late_warp(const core *c, const cwarp *w) {
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t m = c->board.sub[k].live; m; m &= m - 1) {
      const cwarp *x = &c->board.sub[k].warps[__builtin_ctz(m)];
      if (x->b == w->b && x->w && x->w->state == WARP_READY)
        return x;
    }
  return NULL;
}

// Whom an instruction waits for, if that is another one of this core.
static const op *waits_for(const core *c, const op *o) {
  const view_sub sub = view_subcore_of(c, o->w), *s = &sub;
  if (is_behind(s, o))
    return s->lsu->queue[s->lsu->head % LSU_QUEUE]->o;
  if (o->state == OP_QUEUED && view_access(c, o)->phase == LSU_START)
    for (uint32_t k = 0; k < SUBCORES; k++)
      if ((view_access(c, o)->touches >> k & 1) && c->bus.port[k].holder)
        return c->bus.port[k].holder;
  if (o->state == OP_UNIT && o->w->w->state == WARP_AT_BARRIER) {
    const cwarp *late = late_warp(c, o->w);
    return late ? oldest_op(c, late) : NULL;
  }
  return NULL;
}

// From the oldest warp's oldest instruction to one that waits for no other, or back to one that was
// there.
static size_t name_chain(const core *c, char *to, size_t bytes) {
  const op *chain[SHOWN];
  const cwarp *w = NULL;
  const op *o = NULL;
  size_t n = 0;
  while (!o && (w = next_oldest(c, w)))
    o = oldest_op(c, w);
  for (uint32_t k = 0; o && k < SHOWN; o = waits_for(c, o)) {
    for (uint32_t i = 0; i < k; i++)
      if (chain[i] == o)
        return n + add(to + n, bytes - n, "\n   which is named above: a circular wait");
    chain[k++] = o;
    n += add(to + n, bytes - n, k == 1 ? "\n  each waits for the next:" : "");
    n += name_warp(o->w, to + n, bytes - n);
    const view_sub sub = view_subcore_of(c, o->w);
    n += is_behind(&sub, o)
             ? add(to + n, bytes - n, "waits behind the next one in the queue of its LSU")
             : report_op(c, o, to + n, bytes - n);
    n += name_place(c, o->pc, to + n, bytes - n);
  }
  return n;
}

size_t report_stall(const core *c, char *to, size_t bytes) {
  size_t n = name_chain(c, to, bytes);
  n += name_queues(c, to + n, bytes - n);
  uint32_t all = 0, shown = 0;
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t m = c->board.sub[k].live; m; m &= m - 1) {
      const view_sub sub = view_subcore(c, k), *s = &sub;
      const cwarp *w = &s->board->warps[__builtin_ctz(m)];
      const uint32_t before = all;
      for (uint32_t i = 0; i < OPS; i++) {
        const op *o = &s->board->pool[i];
        if (o->state == OP_FREE || o->w != w)
          continue;
        all++;
        if (is_behind(s, o) || shown == SHOWN)
          continue;
        shown++;
        n += name_warp(w, to + n, bytes - n);
        n += report_op(c, o, to + n, bytes - n);
        n += name_place(c, o->pc, to + n, bytes - n);
      }
      if (all > before || !w->w)
        continue;
      all++;
      if (shown == SHOWN)
        continue;
      shown++;
      n += name_warp(w, to + n, bytes - n);
      n += what_holds(w, to + n, bytes - n);
      if (w->w->depth)
        n += name_place(c, w->w->stack[w->w->depth - 1].pc, to + n, bytes - n);
    }
  if (all > shown)
    n += add(to + n, bytes - n, "\n  and %u more instructions, behind these or like them",
             all - shown);
  return n;
}

// ---- what an NBU works on

static size_t name_packet(const core *c, const tag *t, uint32_t n, char *to, size_t bytes) {
  static const char *const what[] = {[TAG_EXEC] = "executes",
                                     [TAG_CLEAR] = "clears local memory",
                                     [TAG_SYNC] = "asks for the end of those before it",
                                     [TAG_PACKET] = "accesses memory",
                                     [TAG_READ] = "reads memory",
                                     [TAG_ATOMIC] = "changes memory",
                                     [TAG_LINE] = "reads or writes a line",
                                     [TAG_OPERAND] = "gives an operand",
                                     [TAG_WIDE] = "gives an operand",
                                     [TAG_REMOTE] = "serves another core"};
  char words[40];
  const bool moves = t->kind == TAG_MOVE_NEAR || t->kind == TAG_MOVE_FAR;
  if (moves)
    snprintf(words, sizeof words, t->kind == TAG_MOVE_NEAR ? "gets r%u" : "gives r%u", t->reg);
  else
    snprintf(words, sizeof words, "%s", what[t->kind]);
  size_t k = add(to, bytes, "\n    packet %u %s", n, words);
  const op *o = bus_op(&c->bus, t);
  if (!o)
    return k;
  k += add(to + k, bytes - k, " for block %u warp %u", o->w->b->index, o->w->index);
  return k + name_place(c, o->pc, to + k, bytes - k);
}

// The packet under way that was sent first of those behind `than`.
static const tag *next_tag(const nbu_port *p, const tag *than) {
  const tag *best = NULL;
  for (uint32_t n = 0; n < TAGS; n++) {
    const tag *t = &p->tags[n];
    if (t->kind != TAG_FREE && (!than || t->sent > than->sent) && (!best || t->sent < best->sent))
      best = t;
  }
  return best;
}

size_t core_under_way(const core *c, uint32_t nbu, int tag_number, char *to, size_t bytes) {
  const nbu_port *p = &c->bus.port[nbu];
  uint32_t shown = 0;
  size_t n = 0;
  to[0] = 0;
  if (tag_number >= 0 && p->tags[tag_number].kind != TAG_FREE) {
    n += add(to + n, bytes - n, "\n  the packet:");
    n += name_packet(c, &p->tags[tag_number], (uint32_t)tag_number, to + n, bytes - n);
  }
  if (p->n_free == TAGS)
    return n;
  n += add(to + n, bytes - n, "\n  under way in NBU %u, the oldest first:", nbu);
  for (const tag *t = NULL; shown < SHOWN && (t = next_tag(p, t)); shown++)
    n += name_packet(c, t, (uint32_t)(t - p->tags), to + n, bytes - n);
  if (TAGS - p->n_free > shown)
    n += add(to + n, bytes - n, "\n    and %u more packets", TAGS - p->n_free - shown);
  return n;
}

int core_suspect(const core *c) {
  const near_fault *f = near_failed(c->base.near);
  if (f)
    return f->block < NEAR_SMEM    ? (int)f->block
           : f->block == NEAR_SMEM ? -1
                                   : (int)f->block - NEAR_RTT;
  if (c->base.suspect)
    return c->base.suspect - 1;
  const launch *l = c->base.l;
  if (!l || !l->failed)
    return -1;
  return (int)base_subcore(l->all[l->failed_block], l->failed_warp);
}
