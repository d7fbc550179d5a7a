// SPDX-License-Identifier: Apache-2.0
// The functional machine beside the core. Each issued instruction has an entry in the ring of its
// warp. The functional machine executes them in order, an access when it has been performed; what
// an instruction wrote here and there is compared when it has ended in both.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "lsu.h"

enum { RING = 64 };  // entries at first

typedef struct entry {
  uint32_t block, warp, pc, lanes;
  uint32_t parts;      // lanes of an access that have been performed
  bool located, near;  // where it executed, if it did
  bool performed, stepped, ended;
  uint64_t clock;
  retire_record record;
  uint32_t want[4][ISA_LANES], have[4][ISA_LANES];
  uint32_t preds[16];
} entry;

typedef struct ring {
  uint32_t head, next, tail;  // to be compared, to be executed, to be filled
  uint32_t room;              // a power of two, or 0
  bool waits;                 // the functional machine's warp is at a barrier yet
  entry *e;
} ring;

struct gold {
  launch *l;
  ring rings[SUBCORES][SLOTS];
};

gold *gold_new(launch *l) {
  gold *g = calloc(1, sizeof *g);
  if (g)
    g->l = l;
  l->clocked = true;
  return g;
}

void gold_free(gold *g) {
  for (unsigned k = 0; g && k < SUBCORES * SLOTS; k++)
    free(g->rings[k / SLOTS][k % SLOTS].e);
  free(g);
}

static entry *entry_at(const ring *r, uint32_t n) {
  return &r->e[n & (r->room - 1)];
}

// However long an access takes, what does not need it is issued behind it.
static bool make_room(ring *r) {
  if (r->tail - r->head < r->room)
    return true;
  ring more = *r;
  more.room = r->room ? 2 * r->room : RING;
  more.e = malloc(more.room * sizeof *more.e);
  if (!more.e)
    return false;
  for (uint32_t n = r->head; n != r->tail; n++)
    *entry_at(&more, n) = *entry_at(r, n);
  free(r->e);
  *r = more;
  return true;
}

bool gold_start_block(core *c, const block_slot *b) {
  launch *l = c->gold->l;
  const uint32_t index = b->b->index;
  if (launch_start_block(l, index))
    return false;
  // shared memory holds what it held
  const uint32_t *words = c->far_shared ? far_shared_words(c) : near_shared(c->near);
  if (words)
    memcpy(l->all[index]->shared, (const uint8_t *)words + b->shared_base, l->shared_bytes);
  return true;
}

static void differ(core *c, const entry *e, const char *what) {
  char at[400];
  trace_place(c->l, e->pc, at, sizeof at);
  core_wrong(c, "block %u warp %u: %s\n  at %s", e->block, e->warp, what, at);
}

static void compare(core *c, const entry *e) {
  char text[200];
  const retire_record *r = &e->record;
  if (r->near != e->near) {
    differ(c, e,
           e->near ? "executed near the bank, the rules of location say far"
                   : "executed on the base die, the rules of location say near");
    return;
  }
  for (unsigned p = 0; p < r->words && e->lanes; p++)
    for (unsigned l = 0; l < ISA_LANES; l++)
      if ((e->lanes >> l & 1) && e->want[p][l] != e->have[p][l]) {
        snprintf(text, sizeof text, "lane %u of r%u is %08x, the functional machine has %08x", l,
                 r->reg + p, e->have[p][l], e->want[p][l]);
        differ(c, e, text);
        return;
      }
  const unsigned preds[2] = {r->has_pred ? r->pred : ISA_PT, r->has_pred2 ? r->pred2 : ISA_PT};
  const uint32_t bits[2] = {r->pred_bits, r->pred2_bits};
  for (unsigned k = 0; k < 2 && e->lanes; k++)
    if (preds[k] != ISA_PT && ((e->preds[preds[k]] ^ bits[k]) & e->lanes)) {
      snprintf(text, sizeof text, "p%u is %08x, the functional machine has %08x", preds[k],
               e->preds[preds[k]], bits[k]);
      differ(c, e, text);
      return;
    }
}

static void retire(core *c, ring *r) {
  while (r->head != r->next && entry_at(r, r->head)->ended) {
    const entry *e = entry_at(r, r->head);
    if (e->located)
      compare(c, e);
    r->head++;
  }
}

static void step(core *c, entry *e) {
  launch *l = c->gold->l;
  l->clock = e->clock;
  const warp *w = &l->all[e->block]->warps[e->warp];
  const warp_state state = launch_step(l, e->block, e->warp, &e->record);
  const retire_record *r = &e->record;
  e->stepped = true;
  if (state == WARP_FAULT) {
    core_wrong(c, "the functional machine found a fault that the core did not: %s",
               machine_message(l->m));
    return;
  }
  if (r->pc != e->pc || r->lanes != e->lanes) {
    char text[200];
    snprintf(text, sizeof text,
             "lanes %08x execute this, the functional machine executes pc 0x%x in lanes %08x",
             e->lanes, r->pc, r->lanes);
    differ(c, e, text);
    return;
  }
  for (unsigned p = 0; p < r->words && r->lanes; p++)
    memcpy(e->want[p], w->regs + (r->reg + p) * ISA_LANES, sizeof e->want[p]);
}

static bool is_ready(const launch *l, const entry *e) {
  return launch_warp_state(l, e->block, e->warp) == WARP_READY;
}

static void advance(core *c, ring *r) {
  const launch *l = c->gold->l;
  r->waits = false;
  while (!c->result && r->next != r->tail && entry_at(r, r->next)->performed) {
    entry *e = entry_at(r, r->next);
    if (!is_ready(l, e)) {
      r->waits = true;
      break;
    }
    step(c, e);
    r->next++;
  }
  retire(c, r);
}

// A barrier here may have let others go.
static void advance_all(core *c, ring *r) {
  advance(c, r);
  bool any = true;
  while (any && !c->result) {
    any = false;
    for (unsigned k = 0; k < SUBCORES; k++)
      for (unsigned w = 0; w < SLOTS; w++) {
        ring *x = &c->gold->rings[k][w];
        if (!x->waits || !is_ready(c->gold->l, entry_at(x, x->next)))
          continue;
        advance(c, x);
        any = true;
      }
  }
}

void gold_issued(core *c, subcore *s, cwarp *w, op *o, uint32_t pc, uint32_t lanes, bool access) {
  ring *r = &c->gold->rings[s->index][w->slot];
  if (!make_room(r)) {
    core_wrong(c, "out of host memory");
    return;
  }
  entry *e = entry_at(r, r->tail);
  const isa_inst *i = &c->plans[pc / ISA_BYTES].d->i;
  const bool clock = i->op == ISA_OP_S2R && (i->fn == ISA_SREG_CLOCK || i->fn == ISA_SREG_CLOCK_HI);
  e->block = w->b->index, e->warp = w->index, e->pc = pc, e->lanes = lanes;
  e->located = o != NULL;
  e->performed = !access && !(clock && o);
  e->parts = 0;
  e->stepped = false;
  e->ended = !o;
  r->tail++;
  if (o)
    o->gold = r->tail;
  advance_all(c, r);
}

static entry *entry_of(core *c, subcore *s, const op *o) {
  return entry_at(&c->gold->rings[s->index][o->w->slot], o->gold - 1);
}

void gold_performed(core *c, subcore *s, op *o, uint32_t lanes) {
  entry *e = entry_of(c, s, o);
  ring *r = &c->gold->rings[s->index][o->w->slot];
  launch *l = c->gold->l;
  const uint32_t fresh = lanes & ~e->parts;
  if (e->performed)
    return;
  e->parts |= lanes;
  if (e->lanes & ~e->parts) {
    block *b = l->all[e->block];
    if (fresh && e == entry_at(r, r->next) && !exec_part(l, b, &b->warps[e->warp], fresh))
      core_wrong(c, "the functional machine found a fault that the core did not: %s",
                 machine_message(l->m));
    return;
  }
  e->performed = true;
  e->clock = c->cycle;
  advance_all(c, r);
}

void gold_ended(core *c, subcore *s, op *o) {
  ring *r = &c->gold->rings[s->index][o->w->slot];
  entry *e = entry_of(c, s, o);
  const decoded *d = o->p->d;
  const bool near = o->p->kind == PLAN_ACCESS ? lsu_data_near(o) : o->near;
  for (unsigned p = 0; d->reg[0] >= 0 && p < d->words[0]; p++) {
    const uint32_t reg = (uint32_t)d->reg[0] + p;
    const uint32_t *from = near ? near_register(c->near, s->index, near_place(o->w, reg))
                                : o->w->w->regs + reg * ISA_LANES;
    memcpy(e->have[p], from, sizeof e->have[p]);
  }
  memcpy(e->preds, o->w->w->preds, sizeof e->preds);
  e->near = o->near;
  e->ended = true;
  advance_all(c, r);
}

// Leftovers, and all of memory.
void gold_finish(core *c) {
  const machine *have = c->l->m, *want = c->gold->l->m;
  for (unsigned k = 0; k < SUBCORES; k++)
    for (unsigned w = 0; w < SLOTS; w++) {
      const ring *r = &c->gold->rings[k][w];
      if (r->head != r->tail) {
        differ(c, entry_at(r, r->head), "is left over at the end of the launch");
        return;
      }
    }
  if (!launch_done(c->gold->l))
    core_wrong(c, "the launch has ended, that of the functional machine has not");
  for (size_t n = 0; n < want->count && !c->result; n++) {
    const allocation *a = &want->allocations[n];
    const uint8_t *x = have->memory + a->base, *y = want->memory + a->base;
    if (!memcmp(x, y, a->bytes))
      continue;
    uint64_t k = 0;
    while (x[k] == y[k])
      k++;
    core_wrong(c,
               "after the launch of %s byte %" PRIu64 " of the allocation at 0x%" PRIx64
               " is %02x, that of the functional machine is %02x",
               c->l->kernel->name, k, a->base, x[k], y[k]);
  }
}
