// SPDX-License-Identifier: Apache-2.0
#include "stats.h"

stats_kind stats_class(const isa_inst *i) {
  switch (i->op) {
    case ISA_OP_SIN:
    case ISA_OP_COS:
    case ISA_OP_EX2:
    case ISA_OP_TANH:
      return STATS_TRIG;
    case ISA_OP_LG2:
    case ISA_OP_RSQRT:
      return STATS_LOG;
    case ISA_OP_RCP:
    case ISA_OP_SQRT:
      return STATS_ROOT;
    case ISA_OP_DIV:
    case ISA_OP_REM:
      return i->type == ISA_TYPE_F32 || i->type == ISA_TYPE_F64 ? STATS_FDIV : STATS_IDIV;
  }
  switch (isa_latency_class(i)) {
    case ISA_LAT_ALU2:
      return STATS_INT64;
    case ISA_LAT_MUL:
      return STATS_IMUL;
    case ISA_LAT_FP32:
      return i->op == ISA_OP_MUL || i->op == ISA_OP_FMA ? STATS_FMUL : STATS_FADD;
    case ISA_LAT_FP64:
      return STATS_FP64;
    default:
      return STATS_INT;
  }
}

uint64_t stats_issued(const core_stats *s) {
  uint64_t all = 0;
  for (unsigned k = 0; k < 4; k++)
    all += s->sub[k].issued;
  return all;
}

static uint64_t most(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

stats_bounds stats_bounds_of(const core_stats *s, uint32_t access_cycles, uint32_t flits) {
  stats_bounds b = {.tsv = (s->bus_down + s->bus_up + flits - 1) / flits};
  for (unsigned k = 0; k < 4; k++) {
    b.issue = most(b.issue, s->sub[k].issued);
    uint64_t commands = 0;
    for (unsigned n = 0; n < 4; n++) {
      const bank_stats *x = &s->nbu[k].bank[n];
      b.banks = most(b.banks, access_cycles * (x->rd + x->wr));
      commands += x->act + x->pre + x->sasel + x->rd + x->wr + x->ref;
    }
    b.commands = most(b.commands, commands);
    b.shared += s->nbu[k].smem_requests + s->nbu[k].smem_conflicts;
  }
  return b;
}
