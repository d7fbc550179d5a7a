// SPDX-License-Identifier: Apache-2.0
// Wave files of the run, and what is told of one that went wrong.
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/window.h"
#include "harness/inspect/postmortem/postmortem.h"
#include "harness/inspect/wave/wave_board.h"
#include "harness/inspect/wave/wave_watch.h"
#include "harness/systemc/platform/platform.h"
#include "rt.h"
#include "target.h"

// They stay when the device is made anew.
static struct {
  wave_watch *waves;
  wave_board *board;  // of a platform with cards
  bool begun;         // it has sources
  const char *wave_file;
  char *own_file;  // the same, when the debugger has begun it
  postmortem *postmortem;
} all;

// ---- waves

static volatile sig_atomic_t toggled;

static void on_toggle(int n) {
  (void)n;
  toggled = 1;
}

static bool look_for_toggle(void *ctx, sim *s, uint64_t until) {
  (void)ctx, (void)s, (void)until;
  if (toggled)
    wave_watch_toggle(all.waves);
  toggled = 0;
  return false;
}

static void start_waves(sim *s) {
  char why[500];
  const char *file = process.settings.wave, *window = process.settings.wave_window;
  if (!file || process.settings.wave_at)
    return;
  // of a window of cycles, or around an event, they are of one machine without its platform
  if (target_is_card() && !window) {
    if (!all.board &&
        !(all.board = wave_board_new(file, process.settings.wave_scope, why, sizeof why)))
      rt_wrong("%s", why);
    all.wave_file = file;
    signal(SIGUSR1, SIG_IGN);  // they are of the whole run
    return;
  }
  if (!all.waves) {
    wave_order o = {.file = file, .scopes = process.settings.wave_scope, .until = UINT64_MAX};
    if (window && !window_parse(window, &o.from, &o.until)) {
      rt_wrong("--wave-window takes %s, not '%.60s'", window_forms, window);
    }
    if (!(all.waves = wave_watch_new(&o, why, sizeof why)))
      rt_wrong("%s", why);
    all.wave_file = file;
    signal(SIGUSR1, on_toggle);
  }
  sim_observe(s, &(sim_observer){.ctx = &all, .window = look_for_toggle});
  wave_watch_start(all.waves, s, false);
  if (*wave_watch_missed(all.waves)) {
    snprintf(why, sizeof why,
             "no scope of this machine matches '%.80s' (--wave-scope); a scope is like core0, "
             "core*.nbu1 or core0.nbu1.opc (docs/waves.md)",
             wave_watch_missed(all.waves));
    wave_watch_drop(all.waves);
    all.waves = NULL;
    rt_wrong("%s", why);
  }
}

bool rt_waves_switch(void *ctx, bool on, const char *file, char *what, size_t what_bytes) {
  if (all.board) {
    snprintf(what, what_bytes, "the waves of this run go to '%s', from its start on",
             all.wave_file);
    return false;
  }
  if (!on && !all.waves) {
    snprintf(what, what_bytes, "no waves are being written");
    return false;
  }
  if (all.waves && file && strcmp(file, all.wave_file) != 0) {
    snprintf(what, what_bytes, "the waves of this run go to '%s'", all.wave_file);
    return false;
  }
  if (all.waves) {
    wave_watch_switch(all.waves, ctx, on);
  } else {
    if (!(all.own_file = strdup(file ? file : "debug.fst")))
      rt_wrong("out of host memory");
    const wave_order o = {
        .file = all.own_file, .scopes = process.settings.wave_scope, .until = UINT64_MAX};
    if (!(all.waves = wave_watch_new(&o, what, what_bytes)))
      return false;
    all.wave_file = all.own_file;
    wave_watch_start(all.waves, ctx, true);
  }
  snprintf(what, what_bytes,
           on ? "waves go to '%s' from cycle %" PRIu64 " on"
              : "'%s' has the waves before cycle %" PRIu64,
           all.wave_file, sim_cycle(ctx));
  return true;
}

static bool end_waves(void) {
  if (!all.waves)
    return true;
  const wave_summary s = wave_watch_close(all.waves);
  const char *file = all.wave_file;
  all.waves = NULL;
  const bool whole = wave_tell(&s, file);
  free(all.own_file);
  all.own_file = NULL;
  return whole;
}

// ---- of a platform

static uint64_t begins(void *context) {
  return target_launch_ns(context);
}

// A card's cores are next to its registers.
static void *board_source(void *ctx, const char *name) {
  unsigned k;
  (void)ctx;
  wave_source *s = wave_board_source(all.board, name);
  if (!s)
    rt_wrong("out of host memory");
  if (sscanf(name, "card%u.registers", &k) == 1) {
    rt_context *c = &process.contexts[k];
    if (!wave_board_card(all.board, k, c->timed, begins, c))
      rt_wrong("card %u: a block of its cores has no signals for --wave", k);
  }
  return s;
}

static void board_begin(void *ctx) {
  char missed[80];
  (void)ctx;
  if ((all.begun = wave_board_begin(all.board, missed, sizeof missed)))
    return;
  all.board = NULL;
  rt_wrong(
      "no scope of this platform matches '%s' (--wave-scope); a scope is like bus, card0.registers "
      "or card*.core0.nbu1 (docs/card.md)",
      missed);
}

// The platform outlives its waves.
static void board_write(void *source, const char *text, size_t bytes) {
  if (all.board)
    wave_write(source, text, bytes);
}

static void board_step(void *ctx, uint64_t ns) {
  (void)ctx;
  if (all.board)
    wave_board_step(all.board, ns);
}

const platform_trace *rt_waves_trace(void) {
  static const platform_trace trace = {NULL, board_source, board_begin, board_write, board_step};
  return all.board ? &trace : NULL;
}

static bool end_board(void) {
  enum { BEHIND = 100 };  // ns, so that what happened last can be seen
  if (!all.begun) {       // something was wrong before there was a platform
    wave_board_drop(all.board);
    all.board = NULL;
    return true;
  }
  const wave_summary s = wave_board_close(all.board, target_ns() + BEHIND);
  all.board = NULL;
  return wave_tell(&s, all.wave_file);
}

// ---- what went wrong

enum { BEFORE = 1000, AROUND = 200 };  // cycles

// wave_at and wave_margin: waves of an event.
static void parse_event(postmortem_order *o) {
  static wave_event event;
  const char *at = process.settings.wave_at, *margin = process.settings.wave_margin;
  uint64_t before = AROUND, after = AROUND;
  if (!process.settings.wave)
    rt_wrong("--wave-at needs a file: --wave FILE.fst");
  if (process.settings.wave_window)
    rt_wrong("--wave-at and --wave-window do not go together");
  if (!wave_event_parse(at, &event)) {
    rt_wrong("--wave-at takes %s; not '%.60s'", wave_event_forms, at);
  }
  if (margin && !window_pair(margin, &before, &after)) {
    rt_wrong("--wave-margin takes cycles BEFORE:AFTER, not '%.60s'", margin);
  }
  o->event = &event;
  o->before = before, o->after = after;
  o->file = process.settings.wave;
  o->scopes = process.settings.wave_scope;
}

// postmortem: the file of waves that is written when a run goes wrong, "none", or "auto": named
// by what it was. Where there is Verilog that is what happens; the cost is that of a copy of the
// run now and then.
static void start_postmortem(sim *s) {
  const char *file = process.settings.postmortem, *command = process.settings.command;
  const bool named = file && strcmp(file, "auto") != 0, event = process.settings.wave_at;
  postmortem_order o = {.file = named ? file : NULL, .command = command, .before = BEFORE};
  if (event)
    parse_event(&o);
  else if (process.settings.wave_margin)
    rt_wrong("--wave-margin is for --wave-at");
  else if ((file && !strcmp(file, "none")) ||
           (!file && (!command || process.settings.near == NEAR_C)))
    return;
  if (!all.postmortem && !(all.postmortem = postmortem_new(&o)))
    rt_wrong("out of host memory");
  postmortem_start(all.postmortem, s);
}

// The event of --wave-at has not come.
static void say_what_did_not_come(void) {
  const char *at = all.postmortem ? process.settings.wave_at : NULL;
  if (at && strcmp(at, "difference") != 0 && !postmortem_met(all.postmortem))
    fprintf(stderr, "mpu: no waves: %s did not happen\n", at);
}

void rt_waves(sim *s) {
  start_waves(s);
  if (rt_devices() == 1)
    start_postmortem(s);
}

void rt_waves_tell(void) {
  if (all.postmortem)
    postmortem_tell(all.postmortem, stderr);
}

bool rt_waves_end(void) {
  const bool whole = all.board ? end_board() : end_waves();
  if (process.settings.wave && process.settings.timed && !process.contexts->ready &&
      !rt_timed_interrupted())
    fprintf(stderr, "mpu: no waves: the program did not use the device\n");
  say_what_did_not_come();
  postmortem_free(all.postmortem);
  all.postmortem = NULL;
  return whole;
}
