// SPDX-License-Identifier: Apache-2.0
// The functional machine beside the core. It listens to the core's events, and is asked by nobody.
// An instruction takes its place in the program when the core issues it. It is executed then, or,
// when accesses before it have not loaded yet what it reads, as soon as they have. Memory is
// accessed, lane by lane, when the core does it, in this core or another one; word by word, where
// words of a lane lie apart or others can come between them. What an instruction wrote here and
// there is compared when it ends. By then, and before it accesses memory, what it reads must be
// there, or the core should not have let it.
#include "reference.h"

#include <stdlib.h>
#include <string.h>
#include "csim/isa/exec.h"
#include "csim/isa/skew.h"

enum { ROWS = 12, WORDS = 4 };

// An instruction with its operands: rows of a, b, c and d, and an instruction that finds them
// there.
typedef struct reference_access {
  _Alignas(64) uint32_t regs[ROWS][ISA_LANES];
  decoded d;
  warp w;
  block *b;
  uint32_t pc;
} reference_access;
static const uint8_t rows[4] = {8, 0, 2, 6};

enum { NOBODY = 0xffff };

typedef struct entry {
  retire_record record;
  bool live;       // was issued, and has not ended
  bool is_access;  // of any memory
  bool clock;      // reads it: to be executed again when the core does
  uint32_t lanes;
  uint32_t left[WORDS];  // of an access: lanes of which this word has not been accessed
  uint32_t waits, old;   // rows that are not there: that it reads; that it writes in part
  uint16_t from[ROWS];   // the instruction of which a row will be the result, or NOBODY
  uint32_t preds[2];
  uint32_t result[4][ISA_LANES];  // what it wrote
  uint32_t near[4][ISA_LANES];    // and the core, near, when each word was written
  uint32_t overwritten;           // words that another instruction wrote before they could be seen
  reference_access access;
} entry;

// Those of a warp whose result is not there, oldest first; and of each register the one among them
// that writes it last.
typedef struct unfinished {
  uint32_t n;
  uint16_t of[FLIGHTS];
  uint16_t last[256];
} unfinished;

// A line, as far as memory of the functional machine held it when the core read it.
typedef struct copy {
  uint64_t number;
  uint16_t pieces;
  uint8_t data[CACHE_LINE];
} copy;

// A request to another core.
typedef struct absent {
  reference_access access;
  uint32_t lanes;
  bool brings;    // pieces of a line, and has not come back
  uint16_t dead;  // that must neither be kept nor shared
  copy line;
} absent;

struct reference {
  reference_view of;
  launch *l;
  entry entries[SUBCORES][FLIGHTS];
  unfinished unfinished[SUBCORES][SLOTS];
  bool acquiring[SUBCORES][SLOTS];  // the warp's last instruction acquires
  copy *kept;                       // by place of the cache: what it may hold
  absent absents[];                 // of the requests to other cores
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
  g->kept = calloc(of->lsu->cache.sets * of->lsu->cache.ways + 1, sizeof *g->kept);
  if (!g->kept) {
    free(g);
    return NULL;
  }
  for (uint32_t k = 0; k < SUBCORES * SLOTS; k++)
    for (uint32_t r = 0; r < 256; r++)
      g->unfinished[k / SLOTS][k % SLOTS].last[r] = NOBODY;
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
  free(g->kept);
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
  g->l->all[index]->under_way = 0, g->l->all[index]->over = false;
  g->l->all[index]->subcore = b->b->subcore;
  // shared memory holds what it held
  const uint32_t *words = core->shared_far ? lsu_far_words(g->of.lsu) : near_shared(core->near);
  uint32_t left = words ? g->l->shared_bytes : 0;
  for (uint32_t k = 0; left; k++) {
    const uint32_t bytes = left < 4 ? left : 4;
    memcpy(g->l->all[index]->shared + 4 * k, &words[skew_word(b->shared_base / 4 + k, core->skew)],
           bytes);
    left -= bytes;
  }
}

static void block_ends(reference *g, uint32_t index) {
  block *b = g->l->all[index];
  if (b->live_warps)
    base_wrong(g->of.base, "block %u has ended, that of the functional machine has not", index);
  else if (b->under_way)
    b->over = true;  // lines that it has stored are not in memory yet
  else
    launch_end_block(g->l, b);
}

static void is_done(reference *g, block *b) {
  if (--b->under_way == 0 && b->over)
    launch_end_block(g->l, b);
}

static void differ(const reference *g, const retire_record *r, const char *what) {
  base *b = g->of.base;
  char at[400];
  trace_place(b->l, r->pc, at, sizeof at);
  b->suspect = 1 + (int32_t)base_subcore(g->l->all[r->block], r->warp);
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

static const uop *uop_at(const reference *g, const entry *n) {
  return &g->of.base->uops[n->access.pc / ISA_BYTES];
}

static bool to_access(const entry *n) {
  return n->left[0] | n->left[1] | n->left[2] | n->left[3];
}

// Of a lane of an access.
static uint32_t words_of(const decoded *d) {
  return (isa_types[d->i.type].bits + 31u) / 32;
}

// Lanes of an access must still be performed.
static void expect_lanes(entry *n, uint32_t lanes, uint32_t words) {
  for (uint32_t k = 0; k < WORDS; k++)
    n->left[k] = k < words ? lanes : 0;
}

// ---- what the cache for remote data may hold, by the rules of docs/memory-model.md

static void must_not_keep(reference *g, uint64_t number, uint16_t pieces) {
  const uint32_t place = cache_place(&g->of.lsu->cache, number);
  if (place != CACHE_NOWHERE && g->kept[place].number == number)
    g->kept[place].pieces &= (uint16_t)~pieces;
  for (uint32_t k = 0; k < g->of.base->place.requests; k++)
    if (g->absents[k].brings && g->absents[k].line.number == number)
      g->absents[k].dead |= pieces;
}

static void forget(reference *g) {
  const remote_cache *c = &g->of.lsu->cache;
  for (uint32_t k = 0; k < c->sets * c->ways; k++)
    g->kept[k].pieces = 0;
  for (uint32_t k = 0; k < g->of.base->place.requests; k++)
    g->absents[k].dead = CACHE_ALL;
}

// What is performed in memory of the functional machine as well.
static void bring(const reference *g, absent *x, uint64_t address) {
  const uint32_t at = (uint32_t)(address % CACHE_LINE);
  memcpy(x->line.data + at, machine_memory(g->l->m) + address, REMOTE_SECTOR);
  x->line.pieces |= (uint16_t)(CACHE_SECTOR << at / CACHE_PIECE);
}

static void keep(reference *g, const absent *x) {
  const uint32_t place = cache_place(&g->of.lsu->cache, x->line.number);
  if (place == CACHE_NOWHERE)
    return;
  copy *to = &g->kept[place];
  if (to->number != x->line.number)
    to->pieces = 0;
  to->number = x->line.number;
  for (uint32_t m = x->line.pieces & ~(uint32_t)x->dead; m; m &= m - 1) {
    const size_t at = (size_t)__builtin_ctz(m) * CACHE_PIECE;
    memcpy(to->data + at, x->line.data + at, CACHE_PIECE);
    to->pieces |= (uint16_t)(m & -m);
  }
}

// ---- issue

// Its operands, as far as they are there.
static void take_operands(const reference *g, entry *n, const core_event *e, const decoded *d) {
  const unfinished *u = &g->unfinished[e->subcore][e->slot];
  block *b = g->l->all[e->block];
  const warp *w = &b->warps[e->warp];
  reference_access *a = &n->access;
  a->d = *d;
  a->b = b, a->pc = e->pc;
  a->w.index = w->index, a->w.tid = w->tid;
  a->w.regs = a->regs[0];
  n->waits = n->old = 0;
  for (unsigned row = 0; row < ROWS; row++)
    n->from[row] = NOBODY;
  for (unsigned o = 0; o < 4; o++) {
    for (unsigned k = 0; d->reg[o] >= 0 && k < d->words[o]; k++) {
      const uint32_t reg = (uint32_t)d->reg[o] + k, row = rows[o] + k;
      // what all lanes that live write need not be there
      const bool needed = o || (w->alive & ~e->lanes);
      n->from[row] = needed ? u->last[reg] : NOBODY;
      *(o || !n->is_access ? &n->waits : &n->old) += n->from[row] != NOBODY;
      memcpy(a->regs[row], w->regs + reg * ISA_LANES, sizeof a->regs[row]);
    }
    if (d->reg[o] >= 0)
      a->d.reg[o] = rows[o];
  }
}

static void keep_predicates(const reference *g, entry *n) {
  const retire_record *r = &n->record;
  const warp *w = warp_of(g, r);
  n->preds[0] = w->preds[r->has_pred ? r->pred : ISA_PT];
  n->preds[1] = w->preds[r->has_pred2 ? r->pred2 : ISA_PT];
}

// Words of the result of instruction `place` are there: in the registers, if it is the last that
// writes them, and for those that wait for them.
static void publish(reference *g, uint32_t subcore, uint32_t slot, uint32_t place, uint32_t words) {
  unfinished *u = &g->unfinished[subcore][slot];
  entry *n = &g->entries[subcore][place];
  warp *w = warp_of(g, &n->record);
  const uint32_t reg = n->record.reg;
  for (uint32_t k = 0; k < n->record.words; k++)
    if ((words >> k & 1) && u->last[reg + k] == place) {
      memcpy(w->regs + (reg + k) * ISA_LANES, n->result[k], sizeof n->result[k]);
      u->last[reg + k] = NOBODY;
    }
  for (uint32_t m = 0; m < u->n; m++) {
    entry *y = &g->entries[subcore][u->of[m]];
    for (uint32_t row = 0; y->waits + y->old && row < ROWS; row++)
      if (y->from[row] == place) {
        // an operand of several words waits for the words of the result in the same places
        const uint32_t o = row >= rows[0] ? 0 : row >= rows[3] ? 3 : row >= rows[2] ? 2 : 1;
        const decoded *d = uop_at(g, y)->d;
        const uint32_t word = (uint32_t)d->reg[o] + (row - rows[o]) - reg;
        if (!(words >> word & 1))
          continue;
        // but for lanes that it has loaded since
        const uint32_t loaded = o || !y->is_access ? 0 : y->lanes & ~y->left[row - rows[0]];
        exec_blend(y->access.regs[row], n->result[word], 1, ~loaded);
        y->from[row] = NOBODY;
        --*(o || !y->is_access ? &y->waits : &y->old);
      }
  }
}

// What it reads is there.
static void execute(reference *g, entry *n) {
  reference_access *a = &n->access;
  warp *w = warp_of(g, &n->record);
  const uop *p = uop_at(g, n);
  exec_registers(g->l, a->b, &a->w, &a->d, n->lanes);
  memcpy(n->result, a->regs[rows[0]], sizeof n->result);
  for (uint32_t m = p->preds_written; m; m &= m - 1)
    w->preds[__builtin_ctz(m)] = a->w.preds[__builtin_ctz(m)];
  keep_predicates(g, n);
}

// Words of the result of an access that are there; others may still have to be accessed.
static uint32_t take_loaded(entry *n) {
  uint32_t words = 0;
  for (uint32_t k = 0; k < n->record.words; k++)
    if (!n->left[k] && n->from[rows[0] + k] == NOBODY) {
      memcpy(n->result[k], n->access.regs[rows[0] + k], sizeof n->result[k]);
      words |= 1u << k;
    }
  return words;
}

// Something has come that instructions of the warp may have waited for.
static void go_on(reference *g, uint32_t subcore, uint32_t slot) {
  unfinished *u = &g->unfinished[subcore][slot];
  uint32_t kept = 0;
  for (uint32_t k = 0; k < u->n; k++) {
    const uint16_t place = u->of[k];
    entry *n = &g->entries[subcore][place];
    if (n->is_access) {
      publish(g, subcore, slot, place, take_loaded(n));
    } else if (!n->waits) {
      execute(g, n);
      publish(g, subcore, slot, place, EVENT_WORDS);
    }
    if (n->waits || n->old || to_access(n))
      u->of[kept++] = place;
  }
  u->n = kept;
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

// An instruction that stays under way.
static void begin(reference *g, const core_event *e, const uop *p, const retire_record *here) {
  entry *n = entry_of(g, e);
  unfinished *u = &g->unfinished[e->subcore][e->slot];
  const decoded *d = p->d;
  warp *w = warp_of(g, here);
  uint32_t regs[4][ISA_LANES], preds[sizeof w->preds / sizeof *w->preds];
  uint32_t *result = d->reg[0] < 0 ? regs[0] : exec_dst(w, d);
  const uint32_t words = d->reg[0] < 0 ? 0 : d->words[0];
  n->live = true;
  n->is_access = p->kind == UOP_ACCESS || p->kind == UOP_CONST;
  n->lanes = e->lanes;
  n->overwritten = 0;
  expect_lanes(n, e->lanes, n->is_access ? words_of(d) : 0);
  n->clock = d->i.op == ISA_OP_S2R && (d->i.fn == ISA_SREG_CLOCK || d->i.fn == ISA_SREG_CLOCK_HI);
  take_operands(g, n, e, d);
  if (n->is_access)
    w->performed = e->lanes;  // later
  else if (n->waits)
    n->access.w = *w, n->access.w.regs = n->access.regs[0];
  memcpy(regs, result, words * sizeof *regs);
  memcpy(preds, w->preds, sizeof preds);
  step(g, e, here, &n->record);
  if (n->waits && !n->is_access) {
    memcpy(result, regs, words * sizeof *regs);
    memcpy(w->preds, preds, sizeof preds);
  }
  memcpy(n->result, result, words * sizeof *regs);
  keep_predicates(g, n);
  const bool unfinished = n->waits || n->old || to_access(n);
  for (uint32_t k = 0; k < words; k++)
    u->last[(uint32_t)d->reg[0] + k] = unfinished ? e->place : NOBODY;
  if (unfinished)
    u->of[u->n++] = e->place;
}

static void issued(reference *g, const core_event *e) {
  const uop *p = uop_of(g, e);
  retire_record here = {.block = e->block, .warp = e->warp, .pc = e->pc}, none;
  entry *n = e->ends ? NULL : entry_of(g, e);
  if (g->acquiring[e->subcore][e->slot] ||
      (p->kind == UOP_FENCE && e->lanes && p->d->i.fn != ISA_MEMBAR_CTA))
    forget(g);
  g->acquiring[e->subcore][e->slot] = p->acquires && e->lanes;
  if (n)
    n->live = false, g->l->all[e->block]->under_way++;
  if (launch_warp_state(g->l, e->block, e->warp) != WARP_READY) {
    differ(g, &here, "is executed, but the functional machine's warp is not ready");
  } else if (!n) {
    step(g, e, &here, &none);
  } else if (p->kind == UOP_BARRIER) {  // until the warp arrives there
    n->live = true, n->clock = false;
    n->waits = n->old = 0;
    expect_lanes(n, 0, 0);
    n->record = here;
  } else {
    begin(g, e, p, &here);
  }
}

// ---- what it does later

// The clock is what it is when the core reads it.
static void enters_unit(reference *g, const core_event *e) {
  entry *n = entry_of(g, e);
  launch *l = g->l;
  const decoded *d = uop_of(g, e)->d;
  if (!n->live || !n->clock)
    return;
  l->clock = e->cycle;
  exec_registers(l, l->all[n->record.block], warp_of(g, &n->record), d, e->lanes);
  memcpy(n->result, exec_dst(warp_of(g, &n->record), d), d->words[0] * sizeof *n->result);
}

// Words of lanes have been accessed.
static void done(reference *g, const core_event *e, uint32_t lanes, uint32_t words) {
  entry *n = entry_of(g, e);
  bool complete = false;
  for (uint32_t k = 0; k < WORDS; k++)
    if (words >> k & 1) {
      n->left[k] &= ~lanes;
      complete |= !n->left[k];
    }
  if (complete)
    go_on(g, e->subcore, e->slot);
}

// A word of each lane, as if by an instruction that has only this one.
static bool access_word(const reference *g, reference_access *a, uint32_t word, uint32_t lanes) {
  decoded d = a->d;
  d.i.type = ISA_TYPE_U32;
  d.i.imm += 4 * word;
  for (unsigned o = 0; o < 4; o++) {
    if (o == 1 || !d.words[o])
      continue;
    d.words[o] = 1;
    if (d.reg[o] >= 0)
      d.reg[o] += (int32_t)word;
  }
  return exec_memory(g->l, a->b, &a->w, &d, a->pc, lanes);
}

// What an access of these words reads is there: its address, and of b and c these words.
static bool may_access(const entry *n, uint32_t words) {
  for (uint32_t row = 0; row < rows[0]; row++) {
    const bool needed = row < rows[2]   ? true
                        : row < rows[3] ? words >> (row - rows[2]) & 1
                                        : words >> (row - rows[3]) & 1;
    if (needed && n->from[row] != NOBODY)
      return false;
  }
  return true;
}

static void performed(reference *g, const core_event *e) {
  entry *n = entry_of(g, e);
  reference_access *a = &n->access;
  if (uop_of(g, e)->kind == UOP_BARRIER) {
    const retire_record here = n->record;
    step(g, e, &here, &n->record);
    keep_predicates(g, n);
    return;
  }
  const uint32_t all = (1u << words_of(&a->d)) - 1, words = e->reg & all;
  const uint32_t word = (uint32_t)__builtin_ctz(words), lanes = e->part & n->left[word];
  if (!lanes)
    return;
  if (!may_access(n, words))
    differ(g, &n->record, "accesses memory before what it reads is there");
  else if (words == all ? exec_memory(g->l, a->b, &a->w, &a->d, a->pc, lanes)
                        : access_word(g, a, word, lanes))
    done(g, e, lanes, words);
  else
    faulted(g);
}

// Lanes leave for another core.
static void leaves(reference *g, const core_event *e) {
  absent *x = &g->absents[e->request];
  x->access = entry_of(g, e)->access;
  x->access.w.regs = x->access.regs[0];
  x->lanes = e->part;
  const remote_request *q = &g->of.lsu->remote->requests[e->request].sent;
  const uint64_t number = e->address / CACHE_LINE;
  const uint16_t sector = (uint16_t)(CACHE_SECTOR << e->address % CACHE_LINE / CACHE_PIECE);
  must_not_keep(g, number, q->kind == REMOTE_LINE ? (uint16_t)q->mask : sector);
  x->brings = q->kind == REMOTE_LINE;
  x->dead = (uint16_t)(x->brings ? ~q->mask : 0);
  x->line.number = number, x->line.pieces = 0;
}

// Now is their turn among the accesses of this core's memory.
static void performs(const reference *g, const core_event *e) {
  absent *x = &g->of.base->place.references->of[e->core]->absents[e->request];
  reference_access *a = &x->access;
  if (x->brings)
    bring(g, x, e->address);
  else if (!exec_memory(g->l, a->b, &a->w, &a->d, a->pc, x->lanes))
    faulted(g);
}

// A lane of a load gets what lies at `from`.
static void load_lane(reference_access *a, uint32_t lane, const uint8_t *from) {
  const unsigned type = a->d.i.type, bytes = isa_types[type].bits / 8;
  uint32_t v[WORDS] = {0};
  memcpy(v, from, bytes);
  v[0] = type == ISA_TYPE_S8    ? (uint32_t)(int8_t)v[0]
         : type == ISA_TYPE_S16 ? (uint32_t)(int16_t)v[0]
                                : v[0];
  for (uint32_t w = 0; w < words_of(&a->d); w++)
    a->regs[rows[0] + w][lane] = v[w];
}

// Lanes of a load get what they want from a line; all of it must be there.
static void load_from(reference *g, const core_event *e, const copy *from, uint16_t pieces) {
  entry *n = entry_of(g, e);
  reference_access *a = &n->access;
  const unsigned bytes = isa_types[a->d.i.type].bits / 8;
  uint8_t space[ISA_LANES];
  uint64_t at[ISA_LANES];
  bool dense;
  if (!may_access(n, 0)) {
    differ(g, &n->record, "accesses memory before what it reads is there");
    return;
  }
  if (!exec_places(g->l, a->b, &a->w, &a->d, a->pc, e->part, space, at, &dense)) {
    faulted(g);
    return;
  }
  for (uint32_t m = e->part; m; m &= m - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(m);
    const uint64_t address = dense ? at[0] + (uint64_t)lane * bytes : at[lane];
    const uint32_t byte = (uint32_t)(address % CACHE_LINE);
    const uint32_t wanted = (2u << (byte + bytes - 1) / CACHE_PIECE) - (1u << byte / CACHE_PIECE);
    if (address / CACHE_LINE != from->number || (wanted & ~(uint32_t)pieces)) {
      differ(g, &n->record,
             e->kind == EVENT_HIT     ? "the cache holds what it must not"
             : e->kind == EVENT_MERGE ? "waits for an answer that it must not have"
                                      : "gets what was not read for it");
      return;
    }
    if (e->kind != EVENT_MERGE)
      load_lane(a, lane, from->data + byte);
  }
  if (e->kind != EVENT_MERGE)
    done(g, e, e->part, EVENT_WORDS);
}

static void hits(reference *g, const core_event *e) {
  static const copy nothing = {.number = UINT64_MAX};
  const uint32_t place = cache_place(&g->of.lsu->cache, e->address / CACHE_LINE);
  const copy *from = place == CACHE_NOWHERE ? &nothing : &g->kept[place];
  load_from(g, e, from, from->pieces);
}

static void merges(reference *g, const core_event *e) {
  const absent *x = &g->absents[e->request];
  load_from(g, e, &x->line, e->kind == EVENT_MERGE ? (uint16_t)~x->dead : x->line.pieces);
}

static void returns(reference *g, const core_event *e) {
  absent *x = &g->absents[e->request];
  const decoded *d = uop_of(g, e)->d;
  if (x->brings) {
    x->brings = false;
    keep(g, x);
    load_from(g, e, &x->line, x->line.pieces);
    return;
  }
  if (d->reg[0] >= 0)
    exec_blend(entry_of(g, e)->access.regs[rows[0]], x->access.regs[rows[0]], d->words[0], e->part);
  done(g, e, e->part, EVENT_WORDS);
}

// ---- the end

static void compare(const reference *g, const core_event *e, const entry *n) {
  const retire_record *r = &n->record;
  char text[200];
  const uop *p = uop_of(g, e);
  const bool near = p->kind == UOP_ACCESS ? p->data_near[e->near] : e->near;
  if (r->near != e->near) {
    differ(g, r,
           e->near ? "executed near the bank, the rules of location say far"
                   : "executed on the base die, the rules of location say near");
    return;
  }
  if (!r->words && !r->has_pred && !r->has_pred2)
    return;  // its warp may be gone
  const warp *have = g->of.board->sub[e->subcore].warps[e->slot].w;
  for (unsigned k = 0; k < r->words; k++) {
    const uint32_t reg = r->reg + k, *y = n->result[k];
    const uint32_t *x = near ? n->near[k] : have->regs + reg * ISA_LANES;
    if (near && (n->overwritten >> k & 1))
      continue;
    for (unsigned l = 0; l < ISA_LANES; l++)
      if ((e->lanes >> l & 1) && x[l] != y[l]) {
        snprintf(text, sizeof text, "lane %u of r%u is %08x, the functional machine has %08x", l,
                 reg, x[l], y[l]);
        differ(g, r, text);
        return;
      }
  }
  const unsigned preds[2] = {r->has_pred ? r->pred : ISA_PT, r->has_pred2 ? r->pred2 : ISA_PT};
  for (unsigned k = 0; k < 2; k++)
    if ((have->preds[preds[k]] ^ n->preds[k]) & e->lanes) {
      snprintf(text, sizeof text, "p%u is %08x, the functional machine has %08x", preds[k],
               have->preds[preds[k]], n->preds[k]);
      differ(g, r, text);
      return;
    }
}

// A packet is complete: the words that it wrote, before another one writes them.
static void written(reference *g, const core_event *e) {
  entry *n = entry_of(g, e);
  const cwarp *w = &g->of.board->sub[e->subcore].warps[e->slot];
  if (!n->live)
    return;
  for (uint32_t m = e->part; m; m &= m - 1) {
    const uint32_t k = (uint32_t)__builtin_ctz(m);
    const uint32_t *x = NULL;
    if (!(e->reg >> k & 1))
      x = near_register(g->of.base->near, e->subcore, near_place(w, n->record.reg + k));
    if (x)
      memcpy(n->near[k], x, sizeof n->near[k]);
    n->overwritten = (n->overwritten & ~(1u << k)) | (uint32_t)!x << k;
  }
}

static void ended(reference *g, const core_event *e) {
  if (e->ends)
    return;
  entry *n = entry_of(g, e);
  if (n->live && to_access(n))
    differ(g, &n->record, "has ended, but not all of its lanes have accessed memory");
  else if (n->live && (n->waits | n->old))
    differ(g, &n->record, "has ended before what it reads was there");
  else if (n->live)
    compare(g, e, n);
  n->live = false;
  is_done(g, g->l->all[e->block]);
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
    case EVENT_HIT:
      hits(g, e);
      break;
    case EVENT_MERGE:
    case EVENT_MERGED:
      merges(g, e);
      break;
    case EVENT_ANSWER:
      if (e->part)
        written(g, e);
      break;
    case EVENT_END:
      ended(g, e);
      break;
    default:
      break;
  }
}
