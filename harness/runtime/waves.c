// SPDX-License-Identifier: Apache-2.0
// Wave files of the run, and what is told of one that went wrong.
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../postmortem/postmortem.h"
#include "../wave/wave_watch.h"
#include "rt.h"
#include "window.h"

// They stay when the device is made anew.
static struct {
  wave_watch *waves;
  const char *wave_file;
  char *own_file;  // the same, when the debugger has begun it
  postmortem *postmortem;
} all;

static const char *setting(const char *name) {
  const char *v = getenv(name);
  return v && *v ? v : NULL;
}

__attribute__((noreturn)) static void wrong(const char *why) {
  fprintf(stderr, "mpu: %s\n", why);
  exit(2);
}

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
  const char *file = setting("MPU_WAVE"), *window = setting("MPU_WAVE_WINDOW");
  if (!file || setting("MPU_WAVE_AT"))
    return;
  if (!all.waves) {
    wave_order o = {.file = file, .scopes = setting("MPU_WAVE_SCOPE"), .until = UINT64_MAX};
    if (window && !window_parse(window, &o.from, &o.until)) {
      snprintf(why, sizeof why, "--wave-window takes %s, not '%.60s'", window_forms, window);
      wrong(why);
    }
    if (!(all.waves = wave_watch_new(&o, why, sizeof why)))
      wrong(why);
    all.wave_file = file;
    signal(SIGUSR1, on_toggle);
  }
  sim_observe(s, &(sim_observer){.ctx = &all, .window = look_for_toggle});
  wave_watch_start(all.waves, s, false);
}

bool rt_waves_switch(void *ctx, bool on, const char *file, char *what, size_t what_bytes) {
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
      wrong("out of host memory");
    const wave_order o = {
        .file = all.own_file, .scopes = setting("MPU_WAVE_SCOPE"), .until = UINT64_MAX};
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

static void end_waves(void) {
  if (!all.waves)
    return;
  const wave_summary s = wave_watch_close(all.waves);
  const char *file = all.wave_file;
  all.waves = NULL;
  if (s.missed[0])
    fprintf(stderr, "mpu: waves: there is nothing called '%s' (--wave-scope)\n", s.missed);
  if (s.full && s.windows)
    fprintf(stderr, "mpu: waves: %s: '%s' ends with cycle %" PRIu64 "\n", s.lost, file, s.last);
  else if (!s.windows)
    fprintf(stderr, "mpu: waves: there is nothing in '%s': %s\n", file,
            s.full ? s.lost : "the run has not come to its window");
  if (s.windows)
    fprintf(stderr,
            "mpu: waves: %s, %.1f MB, %" PRIu64 " signals, cycles %" PRIu64 " to %" PRIu64
            "; look at them with: mpu waves %s\n",
            file, 1e-6 * (double)s.bytes, s.signals, s.first, s.last, file);
  free(all.own_file);
  all.own_file = NULL;
}

// ---- what went wrong

enum { BEFORE = 1000, AROUND = 200 };  // cycles

// MPU_WAVE_AT and MPU_WAVE_MARGIN: waves of an event.
static void parse_event(postmortem_order *o) {
  static wave_event event;
  char why[500];
  const char *at = setting("MPU_WAVE_AT"), *margin = setting("MPU_WAVE_MARGIN");
  uint64_t before = AROUND, after = AROUND;
  if (!setting("MPU_WAVE"))
    wrong("--wave-at needs a file: --wave FILE.fst");
  if (setting("MPU_WAVE_WINDOW"))
    wrong("--wave-at and --wave-window do not go together");
  if (!wave_event_parse(at, &event)) {
    snprintf(why, sizeof why, "--wave-at takes %s; not '%.60s'", wave_event_forms, at);
    wrong(why);
  }
  if (margin && !window_pair(margin, &before, &after)) {
    snprintf(why, sizeof why, "--wave-margin takes cycles BEFORE:AFTER, not '%.60s'", margin);
    wrong(why);
  }
  o->event = &event;
  o->before = before, o->after = after;
  o->file = setting("MPU_WAVE");
  o->scopes = setting("MPU_WAVE_SCOPE");
}

// MPU_POSTMORTEM: the file of waves that is written when a run goes wrong, "none", or "auto": named
// by what it was. Where there is Verilog that is what happens; the cost is that of a copy of the
// run now and then.
static void start_postmortem(const rt_context *c, sim *s) {
  const char *file = setting("MPU_POSTMORTEM"), *command = setting("MPU_COMMAND");
  const bool named = file && strcmp(file, "auto") != 0, event = setting("MPU_WAVE_AT");
  postmortem_order o = {.file = named ? file : NULL, .command = command, .before = BEFORE};
  if (event)
    parse_event(&o);
  else if (setting("MPU_WAVE_MARGIN"))
    wrong("--wave-margin is for --wave-at");
  else if ((file && !strcmp(file, "none")) || (!file && (!command || c->near == NEAR_C)))
    return;
  if (!all.postmortem && !(all.postmortem = postmortem_new(&o)))
    wrong("out of host memory");
  postmortem_start(all.postmortem, s);
}

// The event of --wave-at has not come.
static void say_what_did_not_come(void) {
  const char *at = setting("MPU_WAVE_AT");
  if (all.postmortem && at && strcmp(at, "difference") != 0 && !postmortem_met(all.postmortem))
    fprintf(stderr, "mpu: waves: there are none: %s did not come\n", at);
}

void rt_waves(const rt_context *c, sim *s) {
  start_waves(s);
  start_postmortem(c, s);
}

void rt_waves_tell(void) {
  if (all.postmortem)
    postmortem_tell(all.postmortem, stderr);
}

void rt_waves_end(void) {
  end_waves();
  say_what_did_not_come();
  postmortem_free(all.postmortem);
  all.postmortem = NULL;
}
