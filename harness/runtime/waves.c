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

// They stay when the device is made anew.
static struct {
  wave_watch *waves;
  const char *wave_file;
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

// "A:B", "A:" or ":B": cycles, B behind the last one.
static bool parse_window(const char *text, uint64_t *from, uint64_t *until) {
  char *end;
  *from = 0, *until = UINT64_MAX;
  if (*text == '-' || !strchr(text, ':'))
    return false;
  if (*text != ':')
    *from = strtoull(text, &end, 10);
  else
    end = (char *)text;
  if (*end != ':' || end[1] == '-')
    return false;
  if (end[1])
    *until = strtoull(end + 1, &end, 10);
  else
    end++;
  return !*end && *from < *until;
}

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
  if (!file)
    return;
  if (!all.waves) {
    wave_order o = {.file = file, .scopes = setting("MPU_WAVE_SCOPE"), .until = UINT64_MAX};
    if (window && !parse_window(window, &o.from, &o.until)) {
      snprintf(why, sizeof why,
               "--wave-window takes cycles A:B, from A on and before B (or A: or :B), not '%.60s'",
               window);
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

static void end_waves(void) {
  if (!all.waves)
    return;
  const wave_summary s = wave_watch_close(all.waves);
  all.waves = NULL;
  if (s.full)
    fprintf(stderr, "mpu: waves: %s: '%s' ends with cycle %" PRIu64 "\n", s.lost, all.wave_file,
            s.last);
  if (!s.windows)
    fprintf(stderr, "mpu: waves: there is nothing in '%s': the run has not come to its window\n",
            all.wave_file);
  else
    fprintf(stderr,
            "mpu: waves: %s, %.1f MB, %" PRIu64 " signals, cycles %" PRIu64 " to %" PRIu64
            "; look at them with: mpu waves %s\n",
            all.wave_file, 1e-6 * (double)s.bytes, s.signals, s.first, s.last, all.wave_file);
}

// ---- what went wrong

enum { BEFORE = 1000 };  // cycles

// MPU_POSTMORTEM: the file of waves that is written when a run goes wrong, "none", or "auto": named
// by what it was. Where there is Verilog that is what happens; the cost is that of a copy of the
// run now and then.
static void start_postmortem(const rt_context *c, sim *s) {
  const char *file = setting("MPU_POSTMORTEM"), *command = setting("MPU_COMMAND");
  const bool named = file && strcmp(file, "auto") != 0;
  const postmortem_order o = {.file = named ? file : NULL, .command = command, .before = BEFORE};
  if ((file && !strcmp(file, "none")) || (!file && (!command || c->near == NEAR_C)))
    return;
  if (!all.postmortem && !(all.postmortem = postmortem_new(&o)))
    wrong("out of host memory");
  postmortem_start(all.postmortem, s);
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
  postmortem_free(all.postmortem);
  all.postmortem = NULL;
}
