// SPDX-License-Identifier: Apache-2.0
// Divergence and barriers.
//
// A stack entry is a group of lanes, where it goes on, and where it ends (the reconvergence PC).
// The entry below holds the same lanes, waiting there. A branch whose lanes would meet where their
// entry ends anyway replaces the entry, so that loops that lanes leave one by one need no depth.
#include <assert.h>
#include <stdio.h>
#include "machine_priv.h"

void simt_settle(warp *w) {
  while (w->depth && (warp_top(w)->mask == 0 || warp_top(w)->pc == warp_top(w)->rpc))
    w->depth--;
  if (!w->depth)
    w->state = WARP_DONE;
}

static void push(warp *w, uint32_t pc, uint32_t rpc, uint32_t mask) {
  if (mask == 0 || pc == rpc)
    return;
  assert(w->depth < STACK_DEPTH);
  w->stack[w->depth++] = (stack_entry){pc, rpc, mask};
}

void simt_branch(warp *w, uint32_t taken, uint32_t target, uint32_t reconv) {
  stack_entry *top = warp_top(w), old = *top;
  uint32_t rest = old.mask & ~taken, next = old.pc + ISA_BYTES;
  if (!taken || !rest || target == next) {
    top->pc = taken ? target : next;
    simt_settle(w);
    return;
  }
  if (old.rpc == reconv || reconv == ISA_NO_RECONV)
    w->depth--;
  else
    top->pc = reconv;
  push(w, target, reconv == ISA_NO_RECONV ? old.rpc : reconv, taken);
  push(w, next, reconv == ISA_NO_RECONV ? old.rpc : reconv, rest);
  simt_settle(w);
}

void simt_exit(warp *w, uint32_t lanes) {
  w->alive &= ~lanes;
  for (uint32_t n = 0; n < w->depth; n++)
    w->stack[n].mask &= ~lanes;
}

// ---- barriers. A warp arrives as a whole: the lanes that ended or wait elsewhere on the stack
// count with it.

static void release(launch *l, block *b, barrier *bar) {
  for (uint32_t n = 0; n < l->warps; n++) {
    if (!(bar->waiting >> n & 1))
      continue;
    warp *w = &b->warps[n];
    stack_entry *top = warp_top(w);
    const decoded *d = &l->code.insts[top->pc / ISA_BYTES - 1];  // the barrier itself
    uint32_t lanes = top->mask & (d->i.guard_neg ? ~w->preds[d->i.guard] : w->preds[d->i.guard]);
    if (d->i.fn == ISA_BAR_RED_POPC && d->reg[0] >= 0)
      for (unsigned k = 0; k < ISA_LANES; k++)
        if (lanes >> k & 1)
          w->regs[d->reg[0] * ISA_LANES + (int)k] = bar->count;
    if (d->i.fn >= ISA_BAR_RED_AND && d->i.pd != ISA_PT) {
      bool r = d->i.fn == ISA_BAR_RED_AND ? bar->count == bar->voters : bar->count != 0;
      w->preds[d->i.pd] = r ? w->preds[d->i.pd] | lanes : w->preds[d->i.pd] & ~lanes;
    }
    w->state = WARP_READY;
    simt_settle(w);
  }
  *bar = (barrier){0};
}

static void check(launch *l, block *b, barrier *bar) {
  if (!bar->came)
    return;
  if (bar->expected) {
    if (bar->arrived >= bar->expected)
      release(l, b, bar);
    return;
  }
  for (uint32_t n = 0; n < l->warps; n++)
    if (b->warps[n].state != WARP_DONE && !(bar->came >> n & 1))
      return;
  release(l, b, bar);
}

void barrier_check_all(launch *l, block *b) {
  for (unsigned n = 0; n < BARRIERS; n++)
    check(l, b, &b->barriers[n]);
}

// Why a warp cannot arrive, or NULL. A count of the whole block is given as 0 here.
static const char *misuse(const launch *l, const barrier *bar, const warp *w, uint32_t id,
                          uint32_t count, char *why, size_t bytes) {
  if (id >= BARRIERS)
    snprintf(why, bytes, "names barrier %u, there are 0 to %d", id, BARRIERS - 1);
  else if (count % ISA_LANES)
    snprintf(why, bytes, "names %u threads for barrier %u, which is not a multiple of %d", count,
             id, ISA_LANES);
  else if (count > l->warps * ISA_LANES)
    snprintf(why, bytes, "names %u threads for barrier %u, the block has %u", count, id,
             l->threads);
  else if (bar->came && bar->expected != count)
    snprintf(why, bytes, "names %u threads for barrier %u where other warps named %u",
             count ? count : l->threads, id, bar->expected ? bar->expected : l->threads);
  else if (count == 0 && (bar->came >> w->index & 1))
    snprintf(why, bytes, "arrives at barrier %u again before the others did", id);
  else
    return NULL;
  return why;
}

void barrier_arrive(launch *l, block *b, warp *w, const decoded *d, uint32_t lanes) {
  char text[120];
  uint32_t lane = (uint32_t)__builtin_ctz(lanes);
  uint32_t id = (d->fixed[1] ? d->fixed[1] : w->regs + d->reg[1] * ISA_LANES)[lane];
  uint32_t count = (d->fixed[2] ? d->fixed[2] : w->regs + d->reg[2] * ISA_LANES)[lane];
  if (count == l->warps * ISA_LANES)
    count = 0;
  barrier *bar = &b->barriers[id % BARRIERS];
  const char *why = misuse(l, bar, w, id, count, text, sizeof text);
  if (why) {
    trace_fault(l, b, w, warp_top(w)->pc, lane, MACHINE_FAULT_TRAP, why);
    return;
  }
  uint32_t votes = d->i.ps_neg ? ~w->preds[d->i.ps] : w->preds[d->i.ps];
  bar->expected = count;
  bar->arrived += ISA_LANES;
  bar->came |= 1u << w->index;
  bar->count += (uint32_t)__builtin_popcount(votes & lanes);
  bar->voters += (uint32_t)__builtin_popcount(lanes);
  warp_top(w)->pc += ISA_BYTES;
  if (d->i.fn != ISA_BAR_ARRIVE) {
    bar->waiting |= 1u << w->index;
    w->barrier = id;
    w->state = WARP_AT_BARRIER;
  } else {
    simt_settle(w);
  }
  check(l, b, bar);
}
