// SPDX-License-Identifier: Apache-2.0
#include "uop.h"

#include <stdlib.h>
#include <string.h>
#include "csim/mpu/tsv_packet.h"

static void add_regs(uint64_t set[4], unsigned reg, unsigned words) {
  for (unsigned w = 0; w < words; w++)
    set[(reg + w) / 64] |= 1ull << (reg + w) % 64;
}

// Places of the far file begin at a multiple of its banks.
static void add_looks(uop *p, const module_kernel *k, uint8_t *n, unsigned operand) {
  const decoded *d = p->d;
  for (unsigned w = 0; d->reg[operand] >= 0 && w < d->words[operand]; w++) {
    const unsigned reg = (unsigned)d->reg[operand] + w;
    const unsigned place = reg < k->regs_both ? reg : reg - k->regs_near;
    p->looks[(*n)++] = (look){(uint8_t)reg, (uint8_t)operand, (uint8_t)(place % FAR_BANKS)};
  }
}

static uop_kind kind_of(const decoded *d) {
  switch (d->i.op) {
    case ISA_OP_NOP:
      return UOP_NONE;
    case ISA_OP_BRA:
      return UOP_BRANCH;
    case ISA_OP_EXIT:
      return UOP_EXIT;
    case ISA_OP_TRAP:
      return UOP_TRAP;
    case ISA_OP_MEMBAR:
      return UOP_FENCE;
    case ISA_OP_BAR:
      return UOP_BARRIER;
    default:
      break;
  }
  if (!d->mem) {  // what writes nothing does nothing
    const bool writes = d->reg[0] >= 0 || d->retired.pred != ISA_PT || d->retired.pred2 != ISA_PT;
    return writes ? UOP_COMPUTE : UOP_NONE;
  }
  return d->i.space >= ISA_SPACE_CONST && d->i.op == ISA_OP_LD ? UOP_CONST : UOP_ACCESS;
}

// Of atomics and other accesses, by their order.
static void orders(uop *p) {
  const isa_inst *i = &p->d->i;
  if (p->kind != UOP_ACCESS)
    return;
  p->acquires = i->order == ISA_ORDER_ACQUIRE || i->order == ISA_ORDER_ACQ_REL;
  p->releases = i->order == ISA_ORDER_RELEASE || i->order == ISA_ORDER_ACQ_REL;
}

static void timing(uop *p, uint32_t constant_latency) {
  const unsigned lat = isa_latency_class(&p->d->i);
  p->latency = (uint16_t)isa_latency(lat);
  p->unit = lat == ISA_LAT_SFU    ? UNIT_SFU
            : lat == ISA_LAT_DIV  ? UNIT_DIV
            : lat == ISA_LAT_FP64 ? UNIT_FP64
                                  : UNIT_ALU;
  static const uint8_t intervals[UNITS] = {1, 4, 4, 16, 1, 1};
  p->interval = lat == ISA_LAT_ALU2 ? 2 : intervals[p->unit];
  if (p->kind == UOP_CONST)
    p->unit = UNIT_CONST, p->latency = (uint16_t)constant_latency, p->interval = 1;
  if (p->kind == UOP_ACCESS)
    p->unit = UNIT_LSU, p->latency = 0, p->interval = 1;
}

// EXEC, without its registers.
static uint64_t head_of(const decoded *d) {
  const isa_inst *i = &d->i;
  uint64_t h = tsv_put(TSV_DN_EXEC_OP, i->op) | tsv_put(TSV_DN_EXEC_TYPE, i->type) |
               tsv_put(TSV_DN_EXEC_FN, i->fn) | tsv_put(TSV_DN_EXEC_FTZ, i->ftz) |
               tsv_put(TSV_DN_EXEC_SAT, i->sat) | tsv_put(TSV_DN_EXEC_IMM_AT, i->imm_at);
  if (isa_ops[i->op].types2)
    h |= tsv_put(TSV_DN_EXEC_C, i->type2);
  for (unsigned k = 1; k < 4; k++)
    if (d->reg[k] < 0 && d->words[k] && i->imm_at != k)
      h |= tsv_put(TSV_DN_EXEC_ZERO, 1u << (k - 1));
  return h;
}

// Where data and looks must be, when it executes far and near.
static void sides(uop *p) {
  const decoded *d = p->d;
  const bool access = p->kind == UOP_ACCESS;
  p->in_place = access && d->i.space == ISA_SPACE_SHARED;
  for (unsigned near = 0; near < 2; near++) {
    p->data_near[near] =
        access ? !d->data_far && (d->i.space != ISA_SPACE_LOCAL || near) : near != 0;
    for (unsigned i = 0; i < p->n_looks; i++) {
      const bool address = access && p->looks[i].operand == 1;
      if (address ? p->in_place && near : p->data_near[near])
        p->near_looks[near] |= (uint16_t)(1u << i);
    }
  }
}

static void make(uop *p, const module_kernel *kernel, const decoded *d, uint32_t constant_latency) {
  const uint32_t flags = isa_ops[d->i.op].flags;
  p->d = d;
  p->kind = kind_of(d);
  p->stops_fetch =
      p->kind == UOP_BRANCH || p->kind == UOP_EXIT || p->kind == UOP_TRAP || p->kind == UOP_BARRIER;
  for (unsigned o = 1; o < 4; o++) {
    if (d->reg[o] >= 0)
      add_regs(p->reads, (unsigned)d->reg[o], d->words[o]);
    add_looks(p, kernel, &p->n_sources, o);
  }
  if (p->kind == UOP_ACCESS && d->reg[1] >= 0) {
    add_regs(p->address, (unsigned)d->reg[1], d->words[1]);
    uint64_t data[4] = {0};
    for (unsigned o = 2; o < 4; o++)
      if (d->reg[o] >= 0)
        add_regs(data, (unsigned)d->reg[o], d->words[o]);
    for (unsigned k = 0; k < 4; k++)
      p->address[k] &= ~data[k];
  }
  p->n_looks = p->n_sources;
  if (d->reg[0] >= 0)
    add_regs(p->writes, (unsigned)d->reg[0], d->words[0]);
  add_looks(p, kernel, &p->n_looks, 0);
  // atomics of 64 bits on shared memory use the registers of b and c for a while
  const bool wide = d->i.op == ISA_OP_ATOM || d->i.op == ISA_OP_RED;
  if (wide && isa_types[d->i.type].bits == 64 && d->i.space != ISA_SPACE_GLOBAL)
    for (unsigned o = 2; o < 4; o++)
      if (d->reg[o] >= 0)
        add_regs(p->writes, (unsigned)d->reg[o], d->words[o]);
  p->preds_read = (uint16_t)(1u << d->i.guard);
  if (flags & ISA_F_PS)
    p->preds_read |= (uint16_t)(1u << d->i.ps);
  if (flags & ISA_F_PS2)
    p->preds_read |= (uint16_t)(1u << d->i.pq);
  if (flags & ISA_F_PD)
    p->preds_written |= (uint16_t)(1u << d->i.pd);
  if (flags & ISA_F_PQ)
    p->preds_written |= (uint16_t)(1u << d->i.pq);
  p->preds_read &= (uint16_t) ~(1u << ISA_PT);
  p->preds_written &= (uint16_t) ~(1u << ISA_PT);
  sides(p);
  orders(p);
  timing(p, constant_latency);
  p->head = head_of(d);
  p->work = nbu_work_of(p->head, 0);
  p->does = stats_class(&d->i);
}

core_uops *core_uops_new(const core_config *c, const launch *l) {
  const code *k = &l->code;
  core_uops *p = malloc(sizeof *p);
  if (!p)
    return NULL;
  p->count = k->kernel->inst_count + 1;
  p->reg_words = (k->regs + 63) / 64;
  p->all = calloc(p->count, sizeof *p->all);
  if (!p->all) {
    free(p);
    return NULL;
  }
  for (uint32_t i = 0; i < p->count; i++)
    make(&p->all[i], k->kernel, &k->insts[i], c->constant_latency);
  return p;
}

void core_uops_free(core_uops *p) {
  if (p)
    free(p->all);
  free(p);
}
