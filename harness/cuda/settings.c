// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text(settings_lookup *get, void *ctx, const char *variable) {
  const char *v = get(ctx, variable);
  return v && *v ? v : NULL;
}

static bool flag(settings_lookup *get, void *ctx, const char *variable) {
  const char *v = get(ctx, variable);
  return v && strcmp(v, "1") == 0;
}

// `*ok` becomes false when it is not a count.
static uint64_t count(settings_lookup *get, void *ctx, const char *variable, bool *ok, char *why,
                      size_t bytes) {
  const char *v = text(get, ctx, variable);
  char *end;
  if (!v)
    return 0;
  errno = 0;
  const unsigned long long n = strtoull(v, &end, 10);
  if (*v >= '0' && *v <= '9' && !*end && !errno && n)
    return n;
  if (*ok)
    snprintf(why, bytes, "%s takes a number from 1, not '%.60s'", variable, v);
  *ok = false;
  return 0;
}

static bool read_machine(run_settings *s, char *why, size_t bytes) {
  s->machine = config_default();
  if (!s->mode || strcmp(s->mode, "none") == 0)
    return true;
  if (!near_mode_named(s->mode, &s->near)) {
    snprintf(why, bytes, "MPU_NEAR takes c, rtl, lockstep or none, not '%.60s'", s->mode);
    return false;
  }
  s->timed = true;
  return s->flat ? config_read_flat(&s->machine, s->flat, why, bytes)
                 : config_from_preset(&s->machine, "small", why, bytes);
}

bool settings_read(run_settings *s, settings_lookup *get, void *ctx, char *why, size_t bytes) {
  bool ok = true;
  memset(s, 0, sizeof *s);
// clang-format off
#define SETTING_TEXT(field, variable) s->field = text(get, ctx, variable);
#define SETTING_GIVEN(field, variable) s->field = get(ctx, variable);
#define SETTING_FLAG(field, variable) s->field = flag(get, ctx, variable);
#define SETTING_COUNT(field, variable) s->field = count(get, ctx, variable, &ok, why, bytes);
#include "driver/settings.def"
  // clang-format on
  const char *term = text(get, ctx, "TERM");
  s->terminal = term && strcmp(term, "dumb") != 0;
  char machine_why[CONFIG_WHY];
  const bool machine = read_machine(s, machine_why, sizeof machine_why);
  if (!machine)
    s->machine = config_default();
  if (ok && !machine)
    snprintf(why, bytes, "%s", machine_why);
  return ok && machine;
}

static const char *of_process(void *ctx, const char *variable) {
  (void)ctx;
  return getenv(variable);
}

bool settings_of_process(run_settings *s, char *why, size_t bytes) {
  return settings_read(s, of_process, NULL, why, bytes);
}
