// SPDX-License-Identifier: Apache-2.0
// A timeline over the run: launches, windows of the machine, the file.
#include "timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "csim/isa/asm.h"
#include "timeline_priv.h"

// ---- the file

// Nothing more comes into it: cores need no longer be looked at.
static void stop(timeline *t, sim *s) {
  t->done = true;
  for (uint32_t n = 0; n < sim_cores(s); n++)
    if (t->cores[n])
      sim_unobserve_core(s, n, t->cores[n]);
}

// What has happened before cycle `until`.
static void write_all(timeline *t, sim *s, uint64_t until) {
  timeline_file_take(&t->file, &t->machine);
  timeline_file_take(&t->file, &t->streams);
  for (uint32_t n = 0; n < SIM_CORES; n++)
    if (t->cores[n])
      timeline_file_take(&t->file, &t->cores[n]->p);
  if (!timeline_file_write(&t->file, until))
    stop(t, s);
}

static bool open_file(timeline *t, char *why, size_t why_bytes) {
  const timeline_config *c = &t->config;
  const timeline_format *format = t->machine.format;
  text names = {0};
  char name[20];
  format->name_process(&names, PID_MACHINE, "machine");
  for (uint32_t n = 0; n < SIM_CORES; n++)
    if (t->cores[n]) {
      snprintf(name, sizeof name, "core %u", n);
      format->name_process(&names, PID_CORES + n, name);
    }
  format->name_process(&names, PID_STREAMS, "streams, in simulated time");
  t->file = (timeline_file){
      .name = c->file, .format = format, .from = c->from, .to = c->to, .asked = c->asked};
  const bool open = timeline_file_open(&t->file, &names, why, why_bytes);
  text_free(&names);
  return open;
}

// ---- a launch

static bool make_place(place *to, const decoded *d, const module_kernel *k, uint32_t pc) {
  const module_line *line = module_line_at(k, pc);
  char code[ASM_TEXT];
  asm_print(&d->i, NULL, code, sizeof code);
  *to = (place){.name = strdup(code),
                .pc = pc,
                .ptx = line ? line->ptx_line : 0,
                .access = d->mem && !(d->i.space >= ISA_SPACE_CONST && d->i.op == ISA_OP_LD)};
  if (!line || !line->cuda_line)
    return to->name;
  const char *slash = strrchr(line->cuda_file, '/');
  if (asprintf(&to->cuda, "%s:%u", slash ? slash + 1 : line->cuda_file, line->cuda_line) < 0)
    to->cuda = NULL;
  return to->name && to->cuda;
}

static void free_places(timeline *t) {
  for (uint32_t n = 0; n < t->n_places; n++) {
    free(t->places[n].name);
    free(t->places[n].cuda);
  }
  free(t->places);
  t->places = NULL;
  t->n_places = 0;
}

// The code, and the trap behind it.
static void make_places(timeline *t, const launch *l) {
  t->n_places = l->kernel->inst_count + 1;
  t->places = calloc(t->n_places, sizeof *t->places);
  bool ok = t->places;
  for (uint32_t n = 0; ok && n < t->n_places; n++)
    ok = make_place(&t->places[n], &l->code.insts[n], l->kernel, n * ISA_BYTES);
  t->file.text.lost |= !ok;
}

static void launch_slice(timeline *t, uint64_t end, slice_cut cut) {
  process *p = &t->machine;
  const launch *l = t->l;
  const uint32_t *g = l->shape.grid, *b = l->shape.block;
  char size[40];
  if (!slice_begin(p, TRACK_LAUNCHES, t->begun, end, l->kernel->name, cut))
    return;
  snprintf(size, sizeof size, "(%u,%u,%u)", g[0], g[1], g[2]);
  slice_text(p, "grid", size);
  snprintf(size, sizeof size, "(%u,%u,%u)", b[0], b[1], b[2]);
  slice_text(p, "block", size);
  slice_end(p);
}

static void cut_all(timeline *t, uint64_t cycle, slice_cut cut) {
  launch_slice(t, cycle, cut == CUT_LAUNCH ? CUT_NO : cut);
  for (uint32_t n = 0; n < SIM_CORES; n++)
    if (t->cores[n])
      timeline_core_cut(t->cores[n], cycle, cut);
}

static void begin(void *ctx, sim *s, const launch *l) {
  timeline *t = ctx;
  if (!t->done && sim_cycle(s) >= t->config.to)
    stop(t, s);
  if (t->done)
    return;
  t->l = l;
  t->begun = sim_cycle(s);
  t->passed = false;
  make_places(t, l);
  for (uint32_t n = 0; n < SIM_CORES; n++)
    if (t->cores[n])
      timeline_core_reset(t->cores[n]);
  if (t->file.text.lost)
    write_all(t, s, t->begun);
}

// A launch may have ended before `until`, and the next one begin there: it goes on only when it has
// another window.
static bool window(void *ctx, sim *s, uint64_t until) {
  timeline *t = ctx;
  if (t->done)
    return false;
  if (t->passed)
    cut_all(t, t->config.to, CUT_WINDOW);
  write_all(t, s, until);
  if (t->passed)
    stop(t, s);
  t->passed = until >= t->config.to;
  return false;
}

static void end(void *ctx, sim *s, machine_error e, uint32_t core) {
  timeline *t = ctx;
  const uint64_t now = sim_cycle(s), to = t->config.to;
  (void)e, (void)core;
  if (!t->done) {
    cut_all(t, now < to ? now : to, now < to ? CUT_LAUNCH : CUT_WINDOW);
    write_all(t, s, now);
  }
  free_places(t);
}

// ---- the run

static bool look_at(timeline *t, sim *s, uint32_t n) {
  timeline_core *k = t->cores[n] = calloc(1, sizeof *k);
  if (!k)
    return false;
  k->t = t;
  k->index = n;
  memset(k->shown, 0xff, sizeof k->shown);
  if (!timeline_process(&k->p, PID_CORES + n, &t->config))
    return false;
  sim_observe_core(s, n, (core_observer){timeline_core_cycle, k});
  return true;
}

timeline *timeline_new(const timeline_config *c, sim *s, char *why, size_t why_bytes) {
  timeline *t = calloc(1, sizeof *t);
  bool ok = t;
  snprintf(why, why_bytes, "out of host memory");
  if (ok) {
    t->config = *c;
    ok = timeline_process(&t->machine, PID_MACHINE, c) && timeline_streams(&t->streams, c);
  }
  for (uint32_t n = 0; s && n < sim_cores(s); n++)
    ok = ok && (!c->cores[n] || look_at(t, s, n));
  if (!ok || !open_file(t, why, why_bytes))
    return NULL;
  if (s)
    sim_observe(s, &(sim_observer){t, begin, window, end, NULL});
  return t;
}

bool timeline_end(timeline *t, const sim *s) {
  timeline_file_take(&t->file, &t->streams);  // also those behind the window
  timeline_file_write(&t->file, t->file.whole);
  const bool whole = timeline_file_close(&t->file, s ? sim_cycle(s) : 0);
  for (uint32_t n = 0; n < SIM_CORES; n++)
    timeline_core_free(t->cores[n]);
  process_free(&t->machine);
  process_free(&t->streams);
  free_places(t);
  free(t);
  return whole;
}
