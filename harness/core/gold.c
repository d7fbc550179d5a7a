// SPDX-License-Identifier: Apache-2.0
// The functional machine beside the core. It executes each instruction when it is issued here: what
// it reads has its value there, or the core should not have issued it. Of an access only the
// operands are taken then; memory is accessed, lane by lane, when the core does it, in this core or
// another one. What an instruction wrote here and there is compared when it ends.
#include <stdlib.h>
#include <string.h>
#include "lsu.h"

// An access with its operands: rows of a, b, c and d, and an instruction that finds them there.
struct gold_access {
  _Alignas(64) uint32_t regs[12][ISA_LANES];
  decoded d;
  warp w;
  block *b;
  uint32_t pc;
};
static const uint8_t rows[4] = {8, 0, 2, 6};

typedef struct entry {
  retire_record record;
  uint32_t left;  // lanes of an access that have not been performed
  bool clock;     // reads it: to be executed again when the core does
  gold_access access;
} entry;

struct gold {
  launch *l;
  entry entries[SUBCORES][OPS];          // of the pool's instructions
  uint64_t awaited[SUBCORES][SLOTS][4];  // registers that accesses will write
  gold_access remotes[];                 // of the requests to other cores
};

gold *gold_new(launch *l, uint32_t requests) {
  gold *g = calloc(1, sizeof *g + requests * sizeof *g->remotes);
  if (g)
    g->l = l;
  return g;
}

void gold_free(gold *g) {
  free(g);
}

bool gold_start_block(core *c, const block_slot *b) {
  launch *l = c->gold->l;
  const uint32_t index = b->b->index;
  if (launch_start_block(l, index))
    return false;
  l->all[index]->core = c->place.index;
  // shared memory holds what it held
  const uint32_t *words = c->far_shared ? far_shared_words(c) : near_shared(c->near);
  if (words)
    memcpy(l->all[index]->shared, (const uint8_t *)words + b->shared_base, l->shared_bytes);
  return true;
}

void gold_end_block(core *c, const block *b) {
  block *gold = c->gold->l->all[b->index];
  if (gold->live_warps)
    core_wrong(c, "block %u has ended, that of the functional machine has not", b->index);
  else
    launch_end_block(c->gold->l, gold);
}

static void differ(core *c, const retire_record *r, const char *what) {
  char at[400];
  trace_place(c->l, r->pc, at, sizeof at);
  c->suspect = 1 + (int32_t)(r->warp % SUBCORES);
  core_wrong(c, "block %u warp %u: %s\n  at %s", r->block, r->warp, what, at);
}

static void faulted(core *c) {
  core_wrong(c, "the functional machine found a fault that the core did not: %s",
             machine_message(c->gold->l->m));
}

static entry *entry_of(const core *c, const subcore *s, const op *o) {
  return &c->gold->entries[s->index][o - s->pool];
}

static warp *warp_of(const core *c, const retire_record *r) {
  block *b = c->gold->l->all[r->block];
  return &b->warps[r->warp];
}

// ---- issue

static void take_operands(gold_access *a, block *b, const warp *w, const decoded *d, uint32_t pc) {
  a->d = *d;
  a->b = b, a->pc = pc;
  a->w.index = w->index, a->w.tid = w->tid;
  a->w.regs = a->regs[0];
  for (unsigned o = 0; o < 4; o++) {
    if (d->reg[o] < 0)
      continue;
    memcpy(a->regs[rows[o]], w->regs + d->reg[o] * ISA_LANES, d->words[o] * sizeof *a->regs);
    a->d.reg[o] = rows[o];
  }
}

static bool is_awaited(core *c, const uint64_t awaited[4], const plan *p, const retire_record *r) {
  for (uint32_t k = 0; k < 4; k++) {
    const uint64_t early = awaited[k] & (p->reads[k] | p->writes[k]);
    char text[80];
    if (!early)
      continue;
    snprintf(text, sizeof text, "was issued although r%u has not been loaded yet",
             64 * k + (uint32_t)__builtin_ctzll(early));
    differ(c, r, text);
    return true;
  }
  return false;
}

static void issue_access(core *c, subcore *s, const cwarp *w, op *o, warp *x) {
  entry *e = entry_of(c, s, o);
  const decoded *d = o->p->d;
  take_operands(&e->access, c->gold->l->all[w->b->index], x, d, o->pc);
  e->left = o->lanes;
  x->performed = o->lanes;  // later
  for (uint32_t k = 0; k < 4; k++)
    c->gold->awaited[s->index][w->slot][k] |= o->p->writes[k];
}

// `o` NULL: nothing goes on here after its issue.
void gold_issued(core *c, subcore *s, cwarp *w, op *o, uint32_t pc, uint32_t lanes) {
  launch *l = c->gold->l;
  const uint32_t index = w->b->index;
  const plan *p = &c->plans[pc / ISA_BYTES];
  retire_record here = {.block = index, .warp = w->index, .pc = pc}, none, *r = &none;
  uint64_t *awaited = c->gold->awaited[s->index][w->slot];
  if (launch_warp_state(l, index, w->index) != WARP_READY) {
    differ(c, &here, "is executed, but the functional machine's warp is not ready");
    return;
  }
  if (is_awaited(c, awaited, p, &here))
    return;
  if (o) {
    entry *e = entry_of(c, s, o);
    const isa_inst *i = &p->d->i;
    r = &e->record;
    e->left = 0;
    e->clock = i->op == ISA_OP_S2R && (i->fn == ISA_SREG_CLOCK || i->fn == ISA_SREG_CLOCK_HI);
    o->gold = true;
    if (p->kind == PLAN_ACCESS)
      issue_access(c, s, w, o, &l->all[index]->warps[w->index]);
  }
  block *b = l->all[index];
  if (exec_step(l, b, &b->warps[w->index]) == WARP_FAULT) {
    faulted(c);
    return;
  }
  *r = l->record;
  if (r->pc != pc || r->lanes != lanes) {
    char text[200];
    snprintf(text, sizeof text,
             "lanes %08x execute this, the functional machine executes pc 0x%x in lanes %08x",
             lanes, r->pc, r->lanes);
    differ(c, &here, text);
  }
}

// ---- memory

static void write_back(core *c, const retire_record *r, const plan *p, const gold_access *a,
                       uint32_t lanes) {
  const decoded *d = p->d;
  if (d->reg[0] >= 0)
    exec_blend(warp_of(c, r)->regs + d->reg[0] * ISA_LANES, a->regs[rows[0]], d->words[0], lanes);
}

static void done(core *c, const subcore *s, const op *o, uint32_t lanes) {
  entry *e = entry_of(c, s, o);
  e->left &= ~lanes;
  if (!e->left)
    for (uint32_t k = 0; k < 4; k++)
      c->gold->awaited[s->index][o->w->slot][k] &= ~o->p->writes[k];
}

void gold_performed(core *c, subcore *s, op *o, uint32_t lanes) {
  entry *e = entry_of(c, s, o);
  launch *l = c->gold->l;
  if (e->clock) {
    l->clock = c->cycle;
    exec_registers(l, l->all[e->record.block], warp_of(c, &e->record), o->p->d, o->lanes);
  }
  lanes &= e->left;
  if (!lanes)
    return;
  gold_access *a = &e->access;
  if (!exec_memory(l, a->b, &a->w, &a->d, a->pc, lanes)) {
    faulted(c);
    return;
  }
  write_back(c, &e->record, o->p, a, lanes);
  done(c, s, o, lanes);
}

void gold_leaves(core *c, remote *r) {
  const op *o = r->o;
  const gold_access *from = &entry_of(c, subcore_of(c, o->w), o)->access;
  r->gold = &c->gold->remotes[r - c->remotes];
  *r->gold = *from;
  r->gold->w.regs = r->gold->regs[0];
}

void gold_serves(core *c, remote *r, uint32_t lanes) {
  gold_access *a = r->gold;
  if (!exec_memory(c->gold->l, a->b, &a->w, &a->d, a->pc, lanes))
    faulted(c);
}

void gold_returns(core *c, remote *r) {
  const op *o = r->o;
  subcore *s = subcore_of(c, o->w);
  write_back(c, &entry_of(c, s, o)->record, o->p, r->gold, r->lanes);
  done(c, s, o, r->lanes);
}

// ---- the end

static void compare(core *c, const subcore *s, const op *o) {
  char text[200];
  const retire_record *r = &entry_of(c, s, o)->record;
  const warp *want = warp_of(c, r), *have = o->w->w;
  const bool near = o->p->kind == PLAN_ACCESS ? lsu_data_near(o) : o->near;
  if (r->near != o->near) {
    differ(c, r,
           o->near ? "executed near the bank, the rules of location say far"
                   : "executed on the base die, the rules of location say near");
    return;
  }
  for (unsigned p = 0; p < r->words; p++) {
    const uint32_t reg = r->reg + p, *y = want->regs + reg * ISA_LANES;
    const uint32_t *x = near ? near_register(c->near, s->index, near_place(o->w, reg))
                             : have->regs + reg * ISA_LANES;
    for (unsigned l = 0; x && l < ISA_LANES; l++)
      if ((o->lanes >> l & 1) && x[l] != y[l]) {
        snprintf(text, sizeof text, "lane %u of r%u is %08x, the functional machine has %08x", l,
                 reg, x[l], y[l]);
        differ(c, r, text);
        return;
      }
  }
  const unsigned preds[2] = {r->has_pred ? r->pred : ISA_PT, r->has_pred2 ? r->pred2 : ISA_PT};
  for (unsigned k = 0; k < 2; k++)
    if ((have->preds[preds[k]] ^ want->preds[preds[k]]) & o->lanes) {
      snprintf(text, sizeof text, "p%u is %08x, the functional machine has %08x", preds[k],
               have->preds[preds[k]], want->preds[preds[k]]);
      differ(c, r, text);
      return;
    }
}

void gold_ended(core *c, subcore *s, op *o) {
  const entry *e = entry_of(c, s, o);
  if (e->left)
    differ(c, &e->record, "has ended, but not all of its lanes have accessed memory");
  else
    compare(c, s, o);
}
