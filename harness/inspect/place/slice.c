// SPDX-License-Identifier: Apache-2.0
#include "slice.h"

#include <stdlib.h>

// Registers count as one value each, wherever they are written.
typedef struct needs {
  bool reg[ISA_RZ], pred[ISA_PT], space[ISA_SPACES];
  bool more;  // since the last look at all instructions
} needs;

static void need(bool *what, needs *n) {
  n->more |= !*what;
  *what = true;
}

static isa_reg operand(const isa_inst *i, unsigned k) {
  const isa_reg of[] = {i->d, i->a, i->b, i->c};
  return of[k];
}

static void need_operand(needs *n, const isa_inst *i, unsigned k) {
  const isa_reg r = operand(i, k);
  for (unsigned w = 0; r != ISA_RZ && w < isa_words(i, k); w++)
    need(&n->reg[r + w], n);
}

static void need_pred(needs *n, isa_reg p) {
  if (p != ISA_PT)
    need(&n->pred[p], n);
}

static bool is_memory(const isa_inst *i) {
  return isa_ops[i->op].flags & ISA_F_MEM;
}

// Generic addresses may mean each space.
static bool may_be(const isa_inst *i, unsigned space) {
  return i->space == space || i->space == ISA_SPACE_GENERIC;
}

static bool writes_needed(const needs *n, const isa_inst *i) {
  bool some = false;
  for (unsigned w = 0; i->d != ISA_RZ && w < isa_words(i, 0); w++)
    some |= n->reg[i->d + w];
  some |= i->pd != ISA_PT && isa_ops[i->op].flags & ISA_F_PD && n->pred[i->pd];
  some |= i->pq != ISA_PT && isa_ops[i->op].flags & ISA_F_PQ && n->pred[i->pq];
  for (unsigned space = 0; is_memory(i) && i->op != ISA_OP_LD && space < ISA_SPACES; space++)
    some |= may_be(i, space) && n->space[space];
  return some;
}

static void need_sources(needs *n, const isa_inst *i) {
  for (unsigned k = 1; k < 4; k++)
    need_operand(n, i, k);
  need_pred(n, i->ps);
  if (isa_ops[i->op].flags & ISA_F_PS2)
    need_pred(n, i->pq);
  for (unsigned space = 0; is_memory(i) && i->op != ISA_OP_ST && space < ISA_SPACES; space++)
    if (may_be(i, space))
      need(&n->space[space], n);
}

static bool is_control(const isa_inst *i) {
  return isa_ops[i->op].flags & ISA_F_TARGET || i->op == ISA_OP_EXIT;
}

// An access of global memory needs its address, not what it loads or stores.
static bool add(needs *n, const isa_inst *i) {
  const bool value = writes_needed(n, i), accesses = is_memory(i) && may_be(i, ISA_SPACE_GLOBAL);
  if (value || is_control(i))
    need_sources(n, i);
  if (accesses)
    need_operand(n, i, 1);
  if (value || accesses || is_control(i))
    need_pred(n, i->guard);
  return value || accesses || is_control(i);
}

bool slice_of(const module_kernel *k, slice *s) {
  needs n = {.more = true};
  *s = (slice){.has = calloc(k->inst_count + 1, sizeof *s->has)};
  while (s->has && n.more) {
    n.more = false;
    for (uint32_t i = 0; i < k->inst_count; i++)
      s->has[i] = add(&n, &k->insts[i]);
  }
  for (uint32_t i = 0; s->has && i < k->inst_count; i++)
    if (k->insts[i].op == ISA_OP_BAR)
      s->waits |= s->has[i] |= n.space[ISA_SPACE_SHARED];
  return s->has;
}

uint32_t slice_accesses(const module_kernel *k) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < k->inst_count; i++)
    n += is_memory(&k->insts[i]) && may_be(&k->insts[i], ISA_SPACE_GLOBAL);
  return n;
}
