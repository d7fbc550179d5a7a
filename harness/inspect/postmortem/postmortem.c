// SPDX-License-Identifier: Apache-2.0
#include "postmortem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "csim/isa/model.h"
#include "harness/inspect/wave/wave_watch.h"
#include "recent.h"
#include "snapshot.h"

enum {
  PATH = 1024,
  SCOPES = 512,
  SHOWN = 15,
  SHOWN_NEAR = 3,
  FEW = 16
};  // SHOWN: cycles of the view before it

typedef struct watched {  // a core
  const postmortem_order *order;
  recent recent;
  uint64_t met;  // in which cycle, and one; 0: not yet
  int nbu;       // and there
} watched;

// What a copy is told.
typedef struct errand {
  uint64_t from, until;
  char file[PATH], scopes[SCOPES];
  wave_view view;
} errand;

struct postmortem {
  postmortem_order order;
  snapshots *copies;
  watched *cores[SIM_CORES];
  uint64_t taken;  // cycle of the newest copy
  // of what went wrong, to be told
  bool wrong, met;
  uint64_t cycle;
  uint32_t core;
  int nbu;            // or -1
  const char *block;  // that is at fault, or NULL
  const char *name;
  char *text;
  size_t bytes;
  // in a copy
  errand errand;
  wave_watch *waves;
};

postmortem *postmortem_new(const postmortem_order *o) {
  postmortem *p = calloc(1, sizeof *p);
  if (!p || !(p->copies = snapshots_new())) {
    free(p);
    return NULL;
  }
  p->order = *o;
  return p;
}

void postmortem_free(postmortem *p) {
  if (!p)
    return;
  snapshots_free(p->copies);
  for (uint32_t k = 0; k < SIM_CORES; k++)
    free(p->cores[k]);
  free(p->text);
  free(p);
}

// ---- in a copy that was woken

static void come_back(postmortem *p) {
  snapshot_answer a = {.ok = true, .waves = wave_watch_close(p->waves)};
  snapshots_answer(p->copies, &a);
}

static bool errand_window(void *ctx, sim *s, uint64_t until) {
  postmortem *p = ctx;
  (void)s, (void)until;
  if (wave_watch_is_over(p->waves))
    come_back(p);
  return false;
}

static void errand_end(void *ctx, sim *s, machine_error e, uint32_t core) {
  (void)s, (void)e, (void)core;
  come_back(ctx);
}

static void go(postmortem *p, sim *s) {
  snapshot_answer a = {0};
  const errand *x = &p->errand;
  const wave_order o = {x->file, x->scopes, x->from, x->until, &x->view};
  sim_alone(s);
  p->waves = wave_watch_new(&o, a.why, sizeof a.why);
  if (!p->waves)
    snapshots_answer(p->copies, &a);
  wave_watch_start(p->waves, s, true);
  sim_observe(s, &(sim_observer){.ctx = p, .window = errand_window, .end = errand_end});
}

// ---- sending one

// Behind the cycles that the waves are of.
static uint64_t until_of(const postmortem *p) {
  const uint64_t until = p->cycle + 1;
  return p->order.after < UINT64_MAX - until ? until + p->order.after : UINT64_MAX;
}

static wave_view view_of(const postmortem *p) {
  wave_view v = {.core = p->core, .nbu = p->nbu < 0 ? 0 : (uint32_t)p->nbu, .marker = p->cycle};
  // of an event that was asked for
  v.near = p->met && p->order.event->kind != WAVE_EVENT_BANK;
  const uint64_t before = v.near ? SHOWN_NEAR : SHOWN;
  v.cycle = p->cycle > before ? p->cycle - before : 0;
  snprintf(v.view, sizeof v.view, "%s", p->block && wave_view_is(p->block) ? p->block : "story");
  return v;
}

// A copy from before writes the waves around the cycle.
static void send(postmortem *p, FILE *f) {
  snapshot_answer a = {0};
  errand x = {.from = p->cycle > p->order.before ? p->cycle - p->order.before : 0,
              .until = until_of(p),
              .view = view_of(p)};
  snprintf(x.scopes, sizeof x.scopes, "%s", p->order.scopes ? p->order.scopes : "");
  if (!x.scopes[0])
    snprintf(x.scopes, sizeof x.scopes, "core%u", p->core);
  if (p->order.file)
    snprintf(x.file, sizeof x.file, "%s", p->order.file);
  else
    snprintf(x.file, sizeof x.file, "%s.fst", p->name);
  fflush(NULL);
  const bool woken = snapshots_wake(p->copies, x.from, &x, sizeof x, &a);
  snapshots_forget(p->copies);
  if (!woken)
    fprintf(f, "mpu: no waves: no snapshot of the run from before cycle %" PRIu64 " is left\n",
            x.from);
  else if (!a.ok)
    fprintf(f, "mpu: no waves: %s\n", a.why);
  else
    fprintf(f,
            "mpu: waves of core %u, cycles %" PRIu64 " to %" PRIu64
            ": %s, %.1f MB; look at them with: mpu waves %s\n",
            p->core, a.waves.first, a.waves.last, x.file, 1e-6 * (double)a.waves.bytes, x.file);
  if (woken && a.ok && a.waves.missed[0])
    fprintf(f, "mpu: waves: no scope of this machine matches '%s' (--wave-scope)\n",
            a.waves.missed);
  if (woken && a.ok && a.waves.full)
    fprintf(f, "mpu: they end early: %s\n", a.waves.lost);
}

// ---- looking on

static void take(postmortem *p, sim *s, uint64_t cycle) {
  p->taken = cycle;
  if (snapshots_take(p->copies, cycle, &p->errand, sizeof p->errand))
    go(p, s);
}

static void observe(void *ctx, const core *c, const core_event *events, uint32_t count) {
  watched *w = ctx;
  recent_cycle(&w->recent, c, events, count);
  if (!w->order->event || w->order->event->kind == WAVE_EVENT_WRONG || w->met)
    return;
  w->nbu = wave_event_here(w->order->event, c, events, count);
  if (w->nbu >= 0)
    w->met = core_cycle(c) + 1;
}

static void begin(void *ctx, sim *s, const launch *l) {
  postmortem *p = ctx;
  (void)l;
  snapshots_forget(p->copies);
  for (uint32_t k = 0; k < sim_cores(s); k++) {
    const bool known = p->cores[k];
    if (!known && !(p->cores[k] = malloc(sizeof *p->cores[k])))
      continue;
    *p->cores[k] = (watched){.order = &p->order};
    if (!known)
      sim_observe_core(s, k, (core_observer){observe, p->cores[k]});
  }
  if (!p->met)
    take(p, s, sim_cycle(s));
}

// Where the event happened first, of several in one cycle, in the first core.
static bool look_for_event(postmortem *p, uint32_t cores) {
  uint64_t first = UINT64_MAX;
  for (uint32_t k = 0; k < cores; k++)
    if (p->cores[k] && p->cores[k]->met && p->cores[k]->met - 1 < first)
      first = p->cores[k]->met - 1, p->core = k, p->nbu = p->cores[k]->nbu;
  p->cycle = first;
  return first != UINT64_MAX;
}

static bool window(void *ctx, sim *s, uint64_t until) {
  postmortem *p = ctx;
  if (p->met)
    return false;
  if (p->order.event && look_for_event(p, sim_cores(s))) {
    p->met = true;
    p->block = p->order.event->kind == WAVE_EVENT_BANK ? "bankctl" : NULL;
    send(p, stderr);
  } else if (until - p->taken > p->order.before && snapshots_is_time(p->copies)) {
    take(p, s, until);
  }
  return false;
}

// ---- what went wrong

static const char *name_of(machine_error e, const near_fault *f, const core *c) {
  if (e == MACHINE_FAULT_DEADLOCK || (e == MACHINE_MODEL && core_is_stalled(c)))
    return "deadlock";
  if (e != MACHINE_MODEL)
    return "fault";
  return f && f->rule ? "violation" : "mismatch";
}

static void describe(const postmortem *p, const core *c, FILE *f) {
  char text[4000];
  const int nbu = core_suspect(c);
  const near_fault *fault = near_failed(core_near(c));
  for (uint32_t k = 0; k < NEAR_NBUS; k++) {
    if (nbu >= 0 && k != (uint32_t)nbu)
      continue;
    core_under_way(c, k, fault && nbu >= 0 ? fault->tag : -1, text, sizeof text);
    if (text[0])
      fprintf(f, "%s\n", text + 1);
    if (!p->cores[core_index(c)] || !p->cores[core_index(c)]->recent.n[k])
      continue;
    fprintf(f, "  what NBU %u did last, by cycle:\n", k);
    recent_print(&p->cores[core_index(c)]->recent, k, nbu < 0 ? FEW : RECENT, core_launch(c), f);
  }
}

static void end(void *ctx, sim *s, machine_error e, uint32_t k) {
  postmortem *p = ctx;
  const core *c = sim_core(s, k);
  if (e < MACHINE_FAULT_ADDRESS || e == MACHINE_FAULT_LIMIT || e == MACHINE_STOPPED)
    return;
  const near_fault *fault = near_failed(core_near(c));
  p->wrong = true;
  p->core = k;
  p->cycle = fault ? fault->cycle : core_cycle(c);
  p->name = name_of(e, fault, c);
  p->nbu = core_suspect(c);
  p->block = fault ? fault->name : NULL;
  free(p->text);
  p->text = NULL;
  FILE *f = open_memstream(&p->text, &p->bytes);
  if (!f)
    return;
  describe(p, c, f);
  fclose(f);
}

void postmortem_start(postmortem *p, sim *s) {
  const sim_observer o = {p, begin, window, end, NULL};
  for (uint32_t k = 0; k < sim_cores(s); k++)
    if (p->cores[k])
      sim_observe_core(s, k, (core_observer){observe, p->cores[k]});
  sim_observe(s, &o);
}

// ---- telling

static void tell_again(const postmortem *p, FILE *f) {
  const char *c = p->order.command;
  const uint64_t from = p->cycle > p->order.before ? p->cycle - p->order.before : 0;
  const uint64_t until = until_of(p);
  if (!c || strncmp(c, "mpu run ", 8) != 0)
    return;
  if (strstr(c, " --wave"))  // it asks for waves as it is
    fprintf(f, "mpu: to repeat it: %s\n", c);
  else
    fprintf(f,
            "mpu: to repeat it with waves: mpu run --wave again.fst --wave-window %" PRIu64
            ":%" PRIu64 " --wave-scope core%u %s\n",
            from, until, p->core, c + 8);
}

void postmortem_tell(postmortem *p, FILE *f) {
  if (!p->wrong)
    return;
  p->wrong = false;
  if (p->text)
    fputs(p->text, f);
  const wave_event *e = p->order.event;
  if (!e || e->kind == WAVE_EVENT_WRONG)
    send(p, f);
  tell_again(p, f);
}

bool postmortem_met(const postmortem *p) {
  return p->met;
}
