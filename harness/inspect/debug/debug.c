// SPDX-License-Identifier: Apache-2.0
// The debugger looks on while launches run, and stops them between two windows: when all cores have
// done the same cycles.
#include "debug.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "csim/mpu/tsv_packet.h"
#include "debug_priv.h"

static volatile sig_atomic_t asked;  // by SIGINT

// A second one, while the program does not come to a prompt, ends it.
static void on_interrupt(int n) {
  if (asked) {
    signal(n, SIG_DFL);
    raise(n);
  }
  asked = 1;
}

bool debug_wrong(debug *d, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(d->why, sizeof d->why, format, args);
  va_end(args);
  return false;
}

uint64_t debug_now(const debug *d) {
  return d->dead ? core_cycle(sim_core(d->s, d->guilty)) : sim_cycle(d->s);
}

bool debug_warp(debug *d) {
  if (d->has_warp)
    return true;
  d->has_warp = show_oldest(debug_core(d), &d->warp);
  return d->has_warp || debug_wrong(d, "core %u has no warps", d->core);
}

// A warp that has ended is not selected any more.
static void forget_warp(debug *d) {
  d->has_warp = d->has_warp && show_has(debug_core(d), d->warp);
}

// ---- on the threads of the cores

static void look(void *ctx, const core *c, const core_event *events, uint32_t count) {
  watch *w = ctx;
  for (uint32_t n = 0; n < count; n++) {
    const core_event *e = &events[n];
    if (e->kind == EVENT_SEND && e->packet != TSV_DN_WIN)  // which has no tag
      w->packets.of[e->nbu][e->tag] = (show_packet){e->cycle, e->packet, e->flits};
  }
  breaks_look(w, c, events, count);
}

// ---- stops

// What the program has printed comes first.
static FILE *output(const debug *d) {
  fflush(stdout);
  return d->to;
}

static void say_hit(const debug *d, uint32_t core, const hit *h) {
  const breakpoint *b = &d->breaks[h->number];
  const core_event *e = &h->event;
  FILE *f = output(d);
  if (h->number)
    fprintf(f, "breakpoint %u, ", h->number);
  fprintf(f, "cycle %" PRIu64 ": ", e->cycle);
  if (d->cores > 1)
    fprintf(f, "core %u, ", core);
  if (b->kind == BREAK_BANK) {
    fprintf(f, "NBU %u bank %u: %s", e->nbu, e->tag, dram_cmd_names[e->packet]);
    fprintf(f, h->row == BREAK_ANY ? "\n" : " of row %u\n", h->row);
    return;
  }
  if (b->kind == BREAK_PACKET) {
    fprintf(f, "NBU %u: %s", e->nbu, b->up ? show_up[e->packet] : show_down[e->packet]);
    if (e->flits)
      fprintf(f, " of %u flits", e->flits);
    else
      fputs(" in a RUN", f);
    fprintf(f, ", tag %u%s", e->tag, e->number == EVENT_NONE ? "\n" : ", of ");
  }
  if (b->kind == BREAK_PACKET && e->number == EVENT_NONE)
    return;
  show_block(f, d->l, e->block);
  if (b->kind == BREAK_START || b->kind == BREAK_BLOCK) {
    fputs(b->kind == BREAK_START ? " starts\n" : " has ended\n", f);
    return;
  }
  fprintf(f, " warp %u%s ", e->warp,
          b->kind == BREAK_BARRIER  ? " arrives at"
          : b->kind == BREAK_RETIRE ? " has ended"
          : b->kind == BREAK_PACKET ? ""
                                    : " issues");
  show_place(f, d->l, e->pc);
  fputc('\n', f);
}

static void select_hit(debug *d, uint32_t core, const core_event *e) {
  d->has_warp = e->number != EVENT_NONE || (d->has_warp && d->core == core);
  d->core = core;
  if (e->number != EVENT_NONE)
    d->warp = (show_warp){e->block, e->warp};
}

static void forget_hits(watch *w) {
  w->n = 0;
  memset(w->of, 0, sizeof w->of);
}

// What the cores have found in the window, in their order; the first one is selected. False:
// nothing that is to stop them.
static bool take_hits(debug *d) {
  uint32_t all = 0, shown = 0, selected = 0;
  bool stop = false;
  for (uint32_t k = 0; k < d->cores; k++) {
    watch *w = &d->watch[k];
    for (uint32_t n = 0; w->n && n < BREAKS; n++) {
      d->breaks[n].hits += w->of[n];
      stop |= w->of[n] && (n || d->breaks[0].hits >= d->left);
    }
  }
  for (uint32_t k = 0; k < d->cores; k++) {
    watch *w = &d->watch[k];
    for (uint32_t n = 0; stop && n < w->n && n < HITS; n++) {
      const hit *h = &w->first[n];
      if (!h->number && d->breaks[0].hits < d->left)
        continue;
      if (shown++ < HITS)
        say_hit(d, k, h);
      if (!selected++)
        select_hit(d, k, &h->event);
    }
    all += w->n;
    forget_hits(w);
  }
  if (stop && all > shown)
    fprintf(d->to, "and %u more events\n", all - (shown < HITS ? shown : HITS));
  return stop;
}

static void nothing_asked(debug *d) {
  d->breaks[0].used = false;
  d->breaks[0].hits = 0;
  d->target = UINT64_MAX;
  d->arrived = false;
  asked = 0;
}

static void stop(debug *d) {
  nothing_asked(d);
  forget_warp(d);
  prompt_commands(d);
}

// ---- as the sim tells

static void begin(void *ctx, sim *s, const launch *l) {
  debug *d = ctx;
  d->l = l;
  d->begun = sim_cycle(s), d->cycles = sim_cycles(s);
  d->has_warp = false;
  for (uint32_t k = 0; k < d->cores; k++)
    forget_hits(&d->watch[k]);  // of a window that an error ended
  breaks_locate(d);
  watches_begin(d);
  nothing_asked(d);
  d->arrived = !d->through;
}

// No cycle at all before the first prompt; one, where events can end it; else up to the next cycle
// that was asked for.
static uint64_t cycles(void *ctx) {
  const debug *d = ctx;
  if (d->no_more)
    return UINT64_MAX;
  if (d->arrived)
    return 0;
  const uint64_t now = sim_cycle(d->s), at = breaks_cycle(d, now);
  const uint64_t next = at < d->target ? at : d->target;
  return breaks_by_event(d) || watches_any(d) ? 1 : next == UINT64_MAX ? UINT64_MAX : next - now;
}

static bool all_rest(const debug *d) {
  bool rest = true;
  for (uint32_t k = 0; k < d->cores; k++)
    rest &= core_rests(sim_core(d->s, k));
  return rest;
}

// Of a breakpoint that no core has found.
static void count_hit(debug *d, break_kind kind, uint64_t cycle) {
  for (uint32_t n = 1; n < BREAKS; n++) {
    breakpoint *b = &d->breaks[n];
    if (!b->used || b->kind != kind || (kind == BREAK_CYCLE && b->cycle != cycle))
      continue;
    b->hits++;
    fprintf(output(d), "breakpoint %u: %s\n", n, b->text);
  }
}

static bool window(void *ctx, sim *s, uint64_t until) {
  debug *d = ctx;
  (void)s;
  if (d->no_more)
    return false;
  const bool changed = watches_look(d);
  const bool hit = take_hits(d) || changed;
  // the warp that `next` is about will issue nothing more
  const bool gone = d->breaks[0].used && d->breaks[0].of_warp && !show_has(debug_core(d), d->warp);
  const bool timed = until == d->target || until == breaks_cycle(d, until - 1);
  if (d->arrived) {
    state_launch(d);
  } else if (gone && !hit) {
    show_block(output(d), d->l, d->warp.block);
    fprintf(d->to, " warp %u has ended\n", d->warp.warp);
  } else if (!hit && !asked && (!timed || all_rest(d))) {
    return false;
  }
  count_hit(d, BREAK_CYCLE, until);
  if (!d->arrived)
    state_stop(d);
  stop(d);
  return d->quit;
}

static void end(void *ctx, sim *s, machine_error e, uint32_t core) {
  debug *d = ctx;
  const uint64_t cycles = sim_cycles(s) - d->cycles;
  if (e && !d->quit && !d->no_more && !d->config.ended()) {
    d->dead = true;
    d->guilty = d->core = core;
    d->has_warp = show_faulty(debug_core(d), &d->warp);
    count_hit(d, BREAK_FAULT, 0);
    fprintf(output(d), "launch %" PRIu64 " has ended with an error: %s\n", d->launches + 1,
            machine_message(d->config.m));
    stop(d);
    d->dead = false;
  } else if (!e && !d->through && !d->no_more) {
    fprintf(output(d), "launch %" PRIu64 " has ended after %" PRIu64 " cycles\n", d->launches + 1,
            cycles);
  }
  d->l = NULL;
  d->launches++;
}

// ---- life

debug *debug_new(const debug_config *config, sim *s, char *why, size_t why_bytes) {
  debug *d = calloc(1, sizeof *d);
  if (!d || !(d->watch = calloc(sim_cores(s), sizeof *d->watch))) {
    snprintf(why, why_bytes, "out of host memory");
    free(d);
    return NULL;
  }
  d->config = *config;
  d->s = s;
  d->cores = sim_cores(s);
  d->to = stdout;
  if (!prompt_open(d, why, why_bytes)) {
    debug_free(d);
    return NULL;
  }
  if (strcmp(config->then, "none") != 0)
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_interrupt}, NULL);
  sim_observe(s, &(sim_observer){d, begin, window, end, cycles});
  for (uint32_t k = 0; k < d->cores; k++) {
    d->watch[k].d = d;
    sim_observe_core(s, k, (core_observer){look, &d->watch[k]});
  }
  return d;
}

void debug_free(debug *d) {
  if (!d)
    return;
  prompt_left(d);
  prompt_close(d);
  breaks_delete(d);
  watches_delete(d);
  free(d->watch);
  free(d);
}
