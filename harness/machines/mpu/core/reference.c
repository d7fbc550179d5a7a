// SPDX-License-Identifier: Apache-2.0
// The functional machine beside the core. It listens to the core's events, and is asked by nobody.
// It executes each instruction when it is issued there: what it reads has its value there, or the
// core should not have issued it. Of an access only the operands are taken then; memory is
// accessed, lane by lane, when the core does it, in this core or another one. What an instruction
// wrote here and there is compared when it ends.
#include "reference.h"

#include <stdlib.h>
#include <string.h>
#include "csim/isa/exec.h"

// An access with its operands: rows of a, b, c and d, and an instruction that finds them there.
typedef struct reference_access {
  _Alignas(64) uint32_t regs[12][ISA_LANES];
  decoded d;
  warp w;
  block *b;
  uint32_t pc;
} reference_access;
static const uint8_t rows[4] = {8, 0, 2, 6};

typedef struct entry {
  retire_record record;
  bool live;      // was issued, and has not ended
  uint32_t left;  // lanes of an access that have not been performed
  bool clock;     // reads it: to be executed again when the core does
  reference_access access;
} entry;

// A request to another core.
typedef struct absent {
  reference_access access;
  uint32_t lanes;
} absent;

struct reference {
  reference_view of;
  launch *l;
  entry entries[SUBCORES][OPS];          // of the pool's instructions
  uint64_t awaited[SUBCORES][SLOTS][4];  // registers that accesses will write
  absent absents[];                      // of the requests to other cores
};

// All of a machine, by core: one performs what others have asked of its core.
struct core_references {
  uint32_t cores;
  reference *of[];
};

core_references *core_references_new(uint32_t cores) {
  core_references *all = calloc(1, sizeof *all + cores * sizeof *all->of);
  if (all)
    all->cores = cores;
  return all;
}

void core_references_free(core_references *all) {
  free(all);
}

static void event(void *ctx, const core_event *e);

reference *reference_new(const reference_view *of, launch *l) {
  base *b = of->base;
  const size_t bytes = (sizeof(reference) + b->place.requests * sizeof(absent) + 63) / 64 * 64;
  reference *g = aligned_alloc(_Alignof(reference), bytes);
  if (!g)
    return NULL;
  memset(g, 0, bytes);
  g->of = *of, g->l = l;
  if (b->place.references)
    b->place.references->of[b->place.index] = g;
  emit_listen(b, event, g);
  return g;
}

void reference_free(reference *g) {
  if (!g)
    return;
  base *b = g->of.base;
  emit_listen(b, NULL, NULL);
  if (b->place.references)
    b->place.references->of[b->place.index] = NULL;
  free(g);
}

static const block_slot *slot_of(const front *f, uint32_t block) {
  for (uint32_t m = f->blocks_live; m; m &= m - 1)
    if (f->blocks[__builtin_ctz(m)].b->index == block)
      return &f->blocks[__builtin_ctz(m)];
  return NULL;
}

static void block_starts(reference *g, uint32_t index) {
  base *core = g->of.base;
  const block_slot *b = slot_of(g->of.front, index);
  if (launch_start_block(g->l, index)) {
    base_wrong(core, "%s", machine_message(g->l->m));
    return;
  }
  g->l->all[index]->core = core->place.index;
  // shared memory holds what it held
  const uint32_t *words =
      g->of.lsu->far_shared ? lsu_far_words(g->of.lsu) : near_shared(core->near);
  if (words)
    memcpy(g->l->all[index]->shared, (const uint8_t *)words + b->shared_base, g->l->shared_bytes);
}

static void block_ends(reference *g, uint32_t index) {
  block *b = g->l->all[index];
  if (b->live_warps)
    base_wrong(g->of.base, "block %u has ended, that of the functional machine has not", index);
  else
    launch_end_block(g->l, b);
}

static void differ(const reference *g, const retire_record *r, const char *what) {
  base *b = g->of.base;
  char at[400];
  trace_place(b->l, r->pc, at, sizeof at);
  b->suspect = 1 + (int32_t)(r->warp % SUBCORES);
  base_wrong(b, "block %u warp %u: %s\n  at %s", r->block, r->warp, what, at);
}

static void faulted(const reference *g) {
  base_wrong(g->of.base, "the functional machine found a fault that the core did not: %s",
             machine_message(g->l->m));
}

static entry *entry_of(reference *g, const core_event *e) {
  return &g->entries[e->subcore][e->place];
}

static warp *warp_of(const reference *g, const retire_record *r) {
  block *b = g->l->all[r->block];
  return &b->warps[r->warp];
}

static const uop *uop_of(const reference *g, const core_event *e) {
  return &g->of.base->uops[e->pc / ISA_BYTES];
}

// ---- issue

static void take_operands(reference_access *a, block *b, const warp *w, const decoded *d,
                          uint32_t pc) {
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

static bool is_awaited(const reference *g, const uint64_t awaited[4], const uop *p,
                       const retire_record *r) {
  for (uint32_t k = 0; k < 4; k++) {
    const uint64_t early = awaited[k] & (p->reads[k] | p->writes[k]);
    char text[80];
    if (!early)
      continue;
    snprintf(text, sizeof text, "was issued although r%u has not been loaded yet",
             64 * k + (uint32_t)__builtin_ctzll(early));
    differ(g, r, text);
    return true;
  }
  return false;
}

static void issue_access(reference *g, const core_event *e, const uop *p, warp *x) {
  entry *n = entry_of(g, e);
  take_operands(&n->access, g->l->all[e->block], x, p->d, e->pc);
  n->left = e->lanes;
  x->performed = e->lanes;  // later
  for (uint32_t k = 0; k < 4; k++)
    g->awaited[e->subcore][e->slot][k] |= p->writes[k];
}

// Executes the next instruction of the warp of `here`. It is the one there, in these lanes, and
// finds no fault; a trap is one, which the core reports.
static void step(const reference *g, const core_event *e, const retire_record *here,
                 retire_record *r) {
  launch *l = g->l;
  const warp_state after = exec_step(l, l->all[here->block], warp_of(g, here));
  *r = l->record;
  if (r->pc != here->pc || r->lanes != e->lanes) {
    char text[200];
    snprintf(text, sizeof text,
             "lanes %08x execute this, the functional machine executes pc 0x%x in lanes %08x",
             e->lanes, r->pc, r->lanes);
    differ(g, here, text);
  } else if (after == WARP_FAULT && uop_of(g, e)->kind != UOP_TRAP) {
    faulted(g);
  }
}

static void issued(reference *g, const core_event *e) {
  launch *l = g->l;
  const uop *p = uop_of(g, e);
  retire_record here = {.block = e->block, .warp = e->warp, .pc = e->pc}, none, *r = &none;
  if (!e->ends)
    entry_of(g, e)->live = false;
  if (launch_warp_state(l, e->block, e->warp) != WARP_READY) {
    differ(g, &here, "is executed, but the functional machine's warp is not ready");
    return;
  }
  if (is_awaited(g, g->awaited[e->subcore][e->slot], p, &here))
    return;
  block *b = l->all[e->block];
  if (!e->ends) {
    entry *n = entry_of(g, e);
    const isa_inst *i = &p->d->i;
    r = &n->record;
    n->live = true;
    n->left = 0;
    n->clock = i->op == ISA_OP_S2R && (i->fn == ISA_SREG_CLOCK || i->fn == ISA_SREG_CLOCK_HI);
    if (p->kind == UOP_BARRIER) {
      *r = here;
      return;  // until the warp arrives there
    }
    if (p->kind == UOP_ACCESS || p->kind == UOP_CONST)
      issue_access(g, e, p, &b->warps[e->warp]);
  }
  step(g, e, &here, r);
}

// ---- what it does later

// The clock is what it is when the core reads it.
static void enters_unit(reference *g, const core_event *e) {
  const entry *n = entry_of(g, e);
  launch *l = g->l;
  if (!n->live || !n->clock)
    return;
  l->clock = e->cycle;
  exec_registers(l, l->all[n->record.block], warp_of(g, &n->record), uop_of(g, e)->d, e->lanes);
}

static void write_back(const reference *g, const retire_record *r, const uop *p,
                       const reference_access *a, uint32_t lanes) {
  const decoded *d = p->d;
  if (d->reg[0] >= 0)
    exec_blend(warp_of(g, r)->regs + d->reg[0] * ISA_LANES, a->regs[rows[0]], d->words[0], lanes);
}

static void done(reference *g, const core_event *e, uint32_t lanes) {
  entry *n = entry_of(g, e);
  n->left &= ~lanes;
  if (!n->left)
    for (uint32_t k = 0; k < 4; k++)
      g->awaited[e->subcore][e->slot][k] &= ~uop_of(g, e)->writes[k];
}

static void performed(reference *g, const core_event *e) {
  entry *n = entry_of(g, e);
  reference_access *a = &n->access;
  const uint32_t lanes = e->part & n->left;
  if (uop_of(g, e)->kind == UOP_BARRIER) {
    const retire_record here = n->record;
    step(g, e, &here, &n->record);
    return;
  }
  if (!lanes)
    return;
  if (!exec_memory(g->l, a->b, &a->w, &a->d, a->pc, lanes)) {
    faulted(g);
    return;
  }
  write_back(g, &n->record, uop_of(g, e), a, lanes);
  done(g, e, lanes);
}

// Lanes leave for another core.
static void leaves(reference *g, const core_event *e) {
  absent *x = &g->absents[e->request];
  x->access = entry_of(g, e)->access;
  x->access.w.regs = x->access.regs[0];
  x->lanes = e->part;
}

// Now is their turn among the accesses of this core's memory.
static void performs(const reference *g, const core_event *e) {
  absent *x = &g->of.base->place.references->of[e->core]->absents[e->request];
  reference_access *a = &x->access;
  if (!exec_memory(g->l, a->b, &a->w, &a->d, a->pc, x->lanes))
    faulted(g);
}

static void returns(reference *g, const core_event *e) {
  const absent *x = &g->absents[e->request];
  write_back(g, &entry_of(g, e)->record, uop_of(g, e), &x->access, e->part);
  done(g, e, e->part);
}

// ---- the end

static void compare(const reference *g, const core_event *e, const retire_record *r) {
  char text[200];
  const uop *p = uop_of(g, e);
  const cwarp *w = &g->of.board->sub[e->subcore].warps[e->slot];
  const warp *want = warp_of(g, r), *have = w->w;
  const bool near = p->kind == UOP_ACCESS ? p->data_near[e->near] : e->near;
  if (r->near != e->near) {
    differ(g, r,
           e->near ? "executed near the bank, the rules of location say far"
                   : "executed on the base die, the rules of location say near");
    return;
  }
  for (unsigned k = 0; k < r->words; k++) {
    const uint32_t reg = r->reg + k, *y = want->regs + reg * ISA_LANES;
    const uint32_t *x = near ? near_register(g->of.base->near, e->subcore, near_place(w, reg))
                             : have->regs + reg * ISA_LANES;
    for (unsigned l = 0; x && l < ISA_LANES; l++)
      if ((e->lanes >> l & 1) && x[l] != y[l]) {
        snprintf(text, sizeof text, "lane %u of r%u is %08x, the functional machine has %08x", l,
                 reg, x[l], y[l]);
        differ(g, r, text);
        return;
      }
  }
  const unsigned preds[2] = {r->has_pred ? r->pred : ISA_PT, r->has_pred2 ? r->pred2 : ISA_PT};
  for (unsigned k = 0; k < 2; k++)
    if ((have->preds[preds[k]] ^ want->preds[preds[k]]) & e->lanes) {
      snprintf(text, sizeof text, "p%u is %08x, the functional machine has %08x", preds[k],
               have->preds[preds[k]], want->preds[preds[k]]);
      differ(g, r, text);
      return;
    }
}

static void ended(reference *g, const core_event *e) {
  entry *n = entry_of(g, e);
  if (e->ends || !n->live)
    return;
  n->live = false;
  if (n->left)
    differ(g, &n->record, "has ended, but not all of its lanes have accessed memory");
  else
    compare(g, e, &n->record);
}

static void event(void *ctx, const core_event *e) {
  reference *g = ctx;
  switch (e->kind) {
    case EVENT_BLOCK:
      block_starts(g, e->block);
      break;
    case EVENT_BLOCK_END:
      block_ends(g, e->block);
      break;
    case EVENT_ISSUE:
      issued(g, e);
      break;
    case EVENT_UNIT:
      enters_unit(g, e);
      break;
    case EVENT_ACCESS:
      performed(g, e);
      break;
    case EVENT_REQUEST:
      leaves(g, e);
      break;
    case EVENT_PERFORM:
      performs(g, e);
      break;
    case EVENT_REPLIED:
      returns(g, e);
      break;
    case EVENT_END:
      ended(g, e);
      break;
    default:
      break;
  }
}
