// SPDX-License-Identifier: Apache-2.0
#include "probe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/machines/mpu/core/core_view.h"
#include "csim/base/vcd.h"

enum { NO_PACKET = 16, LINE = 96, SIGNALS = 4096 };
#define NO_PC PROBE_NO_PC

struct probe {
  rtl_trace to;
  bool header, first;
  bool steps;      // in this cycle the core does something
  uint64_t cycle;  // that is written
  uint32_t n;      // signals visited
  uint64_t last[SIGNALS];
  // of the cycle
  uint32_t kernel;
  uint32_t seen;  // kinds of events, a bit each
  const core_event *issue[SUBCORES], *end[SUBCORES];
  uint32_t ends[SUBCORES];
};

static void say(const probe *p, const char *text, int bytes) {
  p->to.write(p->to.ctx, text, (size_t)bytes);
}

__attribute__((format(printf, 2, 3))) static void scope(const probe *p, const char *format, ...) {
  char name[32], text[64];
  va_list list;
  if (!p->header)
    return;
  va_start(list, format);
  vsnprintf(name, sizeof name, format, list);
  va_end(list);
  say(p, text, snprintf(text, sizeof text, "$scope module %s $end\n", name));
}

static void upscope(const probe *p) {
  if (p->header)
    say(p, "$upscope $end\n", 14);
}

static void signal(probe *p, const char *name, uint32_t bits, uint64_t value) {
  char text[LINE];
  const uint64_t cut = bits < 64 ? value & ((1ull << bits) - 1) : value;
  const uint32_t words[2] = {(uint32_t)cut, (uint32_t)(cut >> 32)};
  if (p->header)
    say(p, text, (int)vcd_put_var(text, sizeof text, p->n, name, "", bits));
  else if (p->first || (p->steps && p->last[p->n] != cut))
    say(p, text, (int)vcd_put_value(text, p->n, bits, words)), p->last[p->n] = cut;
  p->n++;
}

// One that holds for a cycle.
static void event(probe *p, const char *name, uint32_t bits, uint64_t value) {
  const bool steps = p->steps;
  p->steps = true;
  signal(p, name, bits, value);
  p->steps = steps;
}

// ---- values

static uint64_t flit(const uint32_t *words) {
  return words[0] | (uint64_t)words[1] << 32;
}

static bool seen(const probe *x, event_kind kind) {
  return x->seen >> kind & 1;
}

static const access *head_of(const view_sub *s) {
  return s->lsu->queue[s->lsu->head % LSU_QUEUE];
}

static uint32_t engine_pc(const probe *x, const view_sub *s) {
  const op *o = s->engine->deciding ? s->engine->deciding
                : s->engine->asking ? s->engine->asking
                                    : s->engine->entering;
  return o ? x->kernel | o->pc : NO_PC;
}

static const stack_entry *top_of(const cwarp *w) {
  return w->live && w->w && w->w->depth ? &w->w->stack[w->w->depth - 1] : NULL;
}

static uint32_t pc_of(const probe *x, const cwarp *w) {
  return top_of(w) ? x->kernel | top_of(w)->pc : NO_PC;
}

static uint32_t lanes_of(const cwarp *w) {
  return top_of(w) ? top_of(w)->mask : 0;
}

static uint32_t state_of(const cwarp *w) {
  return !w->live || !w->w ? 0 : 1u + w->w->state;
}

typedef struct bank_view {
  uint32_t n, row[4], selected, command;
} bank_view;

// Of the row buffer in use that comes as number `k`: 0 closed, 1 open, 2 selected.
static uint32_t bank_state(const bank_view *b, uint32_t k) {
  return k >= b->n ? 0 : b->selected == k + 1 ? 2 : 1;
}

static bank_view view_bank(const core *c, uint32_t n, uint32_t bank) {
  const nbu_out *o = near_pins(c->base.near, n);
  bank_view v = {.command = o->cmd_bank == bank ? o->cmd : 0};
  v.n = dram_open_rows(near_arrays(c->base.near, n), bank, v.row, &v.selected);
  return v;
}

// Of the packet whose first flit crosses at a place of the bus.
static uint32_t kind_at(uint32_t heads, uint32_t place, const uint32_t *data) {
  return heads >> place & 1 ? (uint32_t)tsv_get(flit(data + 2 * place), TSV_DN_ANY_KIND)
                            : NO_PACKET;
}

static void look_at_events(probe *p, const core_event *events, uint32_t count) {
  p->seen = 0;
  memset(p->issue, 0, sizeof p->issue);
  memset(p->end, 0, sizeof p->end);
  memset(p->ends, 0, sizeof p->ends);
  for (uint32_t n = 0; n < count; n++) {
    const core_event *e = &events[n];
    p->seen |= 1u << e->kind;
    if (e->kind == EVENT_ISSUE)
      p->issue[e->subcore] = e;
    if (e->kind == EVENT_END)
      p->ends[e->subcore]++, p->end[e->subcore] = e;
  }
}

// ---- all of them

static void visit_subcore(probe *x, const core *c, uint32_t k) {
  const view_sub sub = view_subcore(c, k), *s = &sub;
  scope(x, "sub%u", k);
#define SUB(name, bits, value) signal(x, #name, bits, value);
#define SUB_EVENT(name, bits, value) event(x, #name, bits, value);
#include "probe.def"
  for (uint32_t n = 0; n < c->base.config.warp_slots; n++) {
    const cwarp *w = &s->board->warps[n];
    scope(x, "warp%u", n);
#define WARP(name, bits, value) signal(x, #name, bits, value);
#include "probe.def"
    upscope(x);
  }
  upscope(x);
}

static void visit_nbu(probe *x, const core *c, uint32_t n) {
  const nbu_port *p = &c->bus.port[n];
  scope(x, "nbu%u", n);
#define PORT(name, bits, value) signal(x, #name, bits, value);
#include "probe.def"
  const uint32_t banks = dram_geometry_of(near_arrays(c->base.near, n))->banks;
  for (uint32_t b = 0; b < banks; b++) {
    const bank_view view = view_bank(c, n, b), *bank = &view;
    scope(x, "bank%u", b);
#define BANK(name, bits, value) signal(x, #name, bits, value);
#include "probe.def"
    upscope(x);
  }
  upscope(x);
}

static void visit(probe *x, const core *c) {
  x->n = 0;
  scope(x, "base");
#define CORE(name, bits, value) signal(x, #name, bits, value);
#define CORE_EVENT(name, bits, value) event(x, #name, bits, value);
#include "probe.def"
  for (uint32_t k = 0; k < SUBCORES; k++)
    visit_subcore(x, c, k);
  for (uint32_t n = 0; n < SUBCORES; n++)
    visit_nbu(x, c, n);
  upscope(x);
}

probe *probe_new(const core *c, const rtl_trace *to) {
  probe *p = calloc(1, sizeof *p);
  if (!p)
    return NULL;
  p->to = *to;
  p->header = true;
  visit(p, c);
  say(p, "$enddefinitions $end\n", 21);
  p->header = false;
  return p;
}

void probe_free(probe *p) {
  free(p);
}

static void write_cycle(probe *p, const core *c, uint64_t cycle, const core_event *events,
                        uint32_t count) {
  char text[32];
  p->cycle = cycle;
  look_at_events(p, events, count);
  say(p, text,
      snprintf(text, sizeof text, "#%" PRIu64 "\n", RTL_TRACE_TIMES * cycle + RTL_TRACE_HIGH));
  visit(p, c);
}

void probe_begin(probe *p, const core *c, uint32_t kernel) {
  p->kernel = kernel << PROBE_KERNEL_SHIFT;
  p->first = true, p->steps = false;
  write_cycle(p, c, c->base.cycle, NULL, 0);
  p->first = false;
}

void probe_rest(probe *p, const core *c, uint64_t until) {
  if (!p->steps || p->cycle + 1 >= until)
    return;
  p->steps = false;
  write_cycle(p, c, p->cycle + 1, NULL, 0);
}

void probe_cycle(probe *p, const core *c, const core_event *events, uint32_t count) {
  probe_rest(p, c, c->base.cycle);
  p->steps = true;
  write_cycle(p, c, c->base.cycle, events, count);
}
