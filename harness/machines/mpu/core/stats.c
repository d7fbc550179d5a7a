// SPDX-License-Identifier: Apache-2.0
#include "stats.h"

#include <assert.h>

#define TSV_PACKET(dir, num, name, reply, body, doc) NAME_##dir(#name)
#define NAME_DN(name) name,
#define NAME_UP(name)
static const char *const down_names[] = {
#include "csim/mpu/tsv.def"
};
#undef NAME_DN
#undef NAME_UP
#define TSV_PACKET(dir, num, name, reply, body, doc) NAME_##dir(#name)
#define NAME_DN(name)
#define NAME_UP(name) name,
static const char *const up_names[] = {
#include "csim/mpu/tsv.def"
};
static_assert(sizeof down_names / sizeof *down_names == STATS_DOWN_KINDS, "csim/mpu/tsv.def");
static_assert(sizeof up_names / sizeof *up_names == STATS_UP_KINDS, "csim/mpu/tsv.def");

static const char *const class_names[] = {
#define STATS_CLASS(name, doc) #name,
#include "classes.def"
};

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

enum { BEATS = 2 };  // flits a cycle

static uint64_t most(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

stats_bounds stats_bounds_of(const core_stats *s, uint32_t access_cycles) {
  stats_bounds b = {.tsv = (s->bus_down + s->bus_up + BEATS - 1) / BEATS};
  for (unsigned k = 0; k < 4; k++) {
    b.issue = most(b.issue, s->sub[k].issued);
    for (unsigned n = 0; n < 4; n++)
      b.banks = most(b.banks, access_cycles * (s->nbu[k].bank[n].rd + s->nbu[k].bank[n].wr));
  }
  return b;
}

static void list(json_writer *j, const char *key, const char *const *names, const uint64_t *values,
                 unsigned n) {
  jw_object(j, key);
  for (unsigned k = 0; k < n; k++)
    jw_count(j, names[k], values[k]);
  jw_end(j);
}

// The counters of one level of `at`.
#define COUNTER(level, name, unit, doc) PUT_##level(name)
#define PUT(name) jw_count(j, #name, at->name);
#define PUT_RUN(name)
#define PUT_CORE(name)
#define PUT_SUB(name)
#define PUT_NBU(name)
#define PUT_BANK(name) PUT(name)

static void bank_json(const bank_stats *at, json_writer *j) {
#include "stats.def"
}

#undef PUT_BANK
#define PUT_BANK(name)
#undef PUT_SUB
#define PUT_SUB(name) PUT(name)

static void subcore_json(const subcore_stats *at, json_writer *j) {
#include "stats.def"
  list(j, "lanes_near", class_names, at->lanes_near, STATS_CLASSES);
  list(j, "lanes_far", class_names, at->lanes_far, STATS_CLASSES);
}

#undef PUT_SUB
#define PUT_SUB(name)
#undef PUT_NBU
#define PUT_NBU(name) PUT(name)

static void nbu_json(const nbu_stats *at, json_writer *j) {
#include "stats.def"
  list(j, "packets_down", down_names, at->down, STATS_DOWN_KINDS);
  list(j, "flits_down_by_kind", down_names, at->down_flits, STATS_DOWN_KINDS);
  list(j, "packets_up", up_names, at->up, STATS_UP_KINDS);
  list(j, "flits_up_by_kind", up_names, at->up_flits, STATS_UP_KINDS);
  jw_list(j, "banks");
  for (unsigned b = 0; b < 4; b++) {
    jw_object(j, NULL);
    bank_json(&at->bank[b], j);
    jw_end(j);
  }
  jw_end(j);
}

#undef PUT_NBU
#define PUT_NBU(name)
#undef PUT_CORE
#define PUT_CORE(name) PUT(name)

void stats_json(const core_stats *at, const char *key, json_writer *j) {
  jw_object(j, key);
#include "stats.def"
  jw_list(j, "subcores");
  for (unsigned k = 0; k < 4; k++) {
    jw_object(j, NULL);
    subcore_json(&at->sub[k], j);
    jw_end(j);
  }
  jw_end(j);
  jw_list(j, "nbus");
  for (unsigned k = 0; k < 4; k++) {
    jw_object(j, NULL);
    nbu_json(&at->nbu[k], j);
    jw_end(j);
  }
  jw_end(j);
  jw_end(j);
}
