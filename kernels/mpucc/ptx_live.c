// SPDX-License-Identifier: Apache-2.0
// Liveness of PTX registers at calls: the usual equations over blocks, backwards until nothing
// changes.
#include <stdlib.h>
#include <string.h>
#include "mem.h"
#include "ptx_calls.h"

typedef struct block {
  uint32_t first, end;  // statements
  uint32_t *to;         // blocks
  uint32_t to_count;
} block;

typedef struct flow {
  const ptx_function *f;
  block *blocks;
  uint32_t count, words;
  uint32_t *block_of;  // label -> block
  uint64_t *in;        // of each block: registers that are live at its start
} flow;

static bool is_op(const ptx_stmt *s, const char *op) {
  return !s->is_label && strcmp(s->op, op) == 0;
}

// Opcodes whose first operand is not a destination.
static bool writes(const ptx_stmt *s) {
  static const char *const never[] = {"st",   "red",   "bra",       "brx",  "call",
                                      "sust", "sured", "nanosleep", "exit", "ret"};
  for (size_t n = 0; n < sizeof never / sizeof *never; n++)
    if (is_op(s, never[n]))
      return false;
  return !(is_op(s, "bar") || is_op(s, "barrier")) || ptx_has_mod(s, "red");
}

static void set(uint64_t *bits, uint32_t reg) {
  bits[reg / 64] |= UINT64_C(1) << reg % 64;
}
static void clear(uint64_t *bits, uint32_t reg) {
  bits[reg / 64] &= ~(UINT64_C(1) << reg % 64);
}

static void use(uint64_t *bits, const ptx_operand *o) {
  if (o->kind == PTX_REG || (o->kind == PTX_ADDR && o->has_reg))
    set(bits, o->reg);
  for (uint32_t n = 0; n < o->count; n++)
    use(bits, &o->items[n]);
}

static void define(uint64_t *bits, const ptx_stmt *s) {
  const ptx_operand *o = &s->operands[0];
  if (o->kind == PTX_REG)
    clear(bits, o->reg);
  for (uint32_t n = 0; o->kind == PTX_VEC && n < o->count; n++)
    if (o->items[n].kind == PTX_REG)
      clear(bits, o->items[n].reg);
  if (s->pair != UINT32_MAX)
    clear(bits, s->pair);
}

// From live behind the statement to live before it.
static void step(uint64_t *bits, const ptx_stmt *s) {
  if (s->is_label)
    return;
  const bool first = s->operand_count && writes(s) &&
                     (s->operands[0].kind == PTX_REG || s->operands[0].kind == PTX_VEC);
  if (first && !s->guarded)
    define(bits, s);
  for (uint32_t n = first; n < s->operand_count; n++)
    use(bits, &s->operands[n]);
  if (s->guarded)
    set(bits, s->guard);
}

// ---- blocks

static bool ends(const ptx_stmt *s) {
  return is_op(s, "bra") || is_op(s, "brx") || is_op(s, "ret") || is_op(s, "exit") ||
         is_op(s, "trap");
}

static void find_blocks(flow *w) {
  const ptx_function *f = w->f;
  bool begins = true;
  for (uint32_t n = 0; n < f->stmt_count; n++) {
    const ptx_stmt *s = &f->stmts[n];
    if (begins || s->is_label) {
      w->blocks[w->count++].first = n;
    }
    if (s->is_label)
      w->block_of[s->label] = w->count - 1;
    w->blocks[w->count - 1].end = n + 1;
    begins = ends(s);
  }
}

static const ptx_targets *table_of(const ptx_function *f, const ptx_stmt *s) {
  for (uint32_t n = 0; n < f->target_count; n++)
    if (s->operand_count > 1 && s->operands[1].name &&
        strcmp(f->targets[n].name, s->operands[1].name) == 0)
      return &f->targets[n];
  return NULL;
}

static void connect(flow *w) {
  for (uint32_t b = 0; b < w->count; b++) {
    block *x = &w->blocks[b];
    const ptx_stmt *s = &w->f->stmts[x->end - 1];
    const ptx_targets *t = is_op(s, "brx") ? table_of(w->f, s) : NULL;
    x->to = mem_new((t ? t->count : 1) + 1, sizeof *x->to);
    for (uint32_t n = 0; t && n < t->count; n++)
      x->to[x->to_count++] = w->block_of[t->labels[n]];
    if (is_op(s, "bra") && s->operands[0].kind == PTX_LABEL)
      x->to[x->to_count++] = w->block_of[s->operands[0].value];
    if ((!ends(s) || s->guarded) && b + 1 < w->count)
      x->to[x->to_count++] = b + 1;
  }
}

static void live_out(const flow *w, uint32_t b, uint64_t *bits) {
  memset(bits, 0, w->words * sizeof *bits);
  for (uint32_t n = 0; n < w->blocks[b].to_count; n++)
    for (uint32_t k = 0; k < w->words; k++)
      bits[k] |= w->in[(size_t)w->blocks[b].to[n] * w->words + k];
}

static void solve(const flow *w, uint64_t *bits) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = w->count; b-- > 0;) {
      uint64_t *in = &w->in[(size_t)b * w->words];
      live_out(w, b, bits);
      for (uint32_t n = w->blocks[b].end; n-- > w->blocks[b].first;)
        step(bits, &w->f->stmts[n]);
      if (memcmp(in, bits, w->words * sizeof *bits) != 0) {
        memcpy(in, bits, w->words * sizeof *bits);
        changed = true;
      }
    }
  }
}

// ---- calls

static live_call make_call(ptx_module *m, const flow *w, uint32_t stmt, const uint64_t *bits) {
  live_call c = {.stmt = stmt};
  for (uint32_t r = 0; r < w->f->reg_count; r++)
    c.count += bits[r / 64] >> r % 64 & 1;
  c.regs = ptx_alloc(m, (c.count + 1) * sizeof *c.regs);
  c.count = 0;
  for (uint32_t r = 0; r < w->f->reg_count; r++)
    if (bits[r / 64] >> r % 64 & 1)
      c.regs[c.count++] = r;
  return c;
}

static live_call *find_calls(ptx_module *m, const flow *w, uint64_t *bits, uint32_t *count) {
  uint32_t calls = 0;
  for (uint32_t n = 0; n < w->f->stmt_count; n++)
    calls += calls_is(&w->f->stmts[n]);
  live_call *made = ptx_alloc(m, (calls + 1) * sizeof *made);
  uint32_t at = *count = calls;
  for (uint32_t b = w->count; b-- > 0;) {
    live_out(w, b, bits);
    for (uint32_t n = w->blocks[b].end; n-- > w->blocks[b].first;) {
      if (calls_is(&w->f->stmts[n]))
        made[--at] = make_call(m, w, n, bits);
      step(bits, &w->f->stmts[n]);
    }
  }
  return made;
}

live_call *calls_live(ptx_module *m, const ptx_function *f, uint32_t *count) {
  flow w = {.f = f, .words = f->reg_count / 64 + 1};
  w.blocks = mem_new(f->stmt_count + 1, sizeof *w.blocks);
  w.block_of = mem_new(f->label_count + 1, sizeof *w.block_of);
  find_blocks(&w);
  connect(&w);
  w.in = mem_new((size_t)w.count * w.words + 1, sizeof *w.in);
  uint64_t *bits = mem_new(w.words, sizeof *bits);
  solve(&w, bits);
  live_call *calls = find_calls(m, &w, bits, count);
  for (uint32_t b = 0; b < w.count; b++)
    free(w.blocks[b].to);
  free(w.blocks);
  free(w.block_of);
  free(w.in);
  free(bits);
  return calls;
}
