// SPDX-License-Identifier: Apache-2.0
// Who looks on while launches run, by the settings in the environment.
#include <stdlib.h>

#include "../profile/profile_observe.h"
#include "../retire/retire_observe.h"
#include "rt.h"

enum { WHY = 5000 };

static const char *setting(const char *name) {
  const char *file = getenv(name);
  return file && *file ? file : NULL;
}

static void wrong(const char *why) {
  fprintf(stderr, "mpu: %s\n", why);
  exit(2);
}

static void retire(rt_context *c, sim *s) {
  const char *file = setting("MPU_RETIRE");
  char why[WHY];
  if (file && !(c->retire = retire_observe(file, c->m, s, why, sizeof why)))
    wrong(why);
}

static void profile(rt_context *c, sim *s) {
  const char *file = setting("MPU_PROFILE");
  char why[WHY];
  if (file && !(c->profile = profile_observe(file, s, why, sizeof why)))
    wrong(why);
}

void rt_observe(rt_context *c, sim *s) {
  retire(c, s);
  profile(c, s);
  rt_waves(c, s);
}

void rt_observe_functional(rt_context *c) {
  retire(c, NULL);
}

void rt_observed(rt_context *c) {
  rt_waves_end();
  if (c->retire)
    retire_observed(c->retire);
  if (c->profile)
    profile_observed(c->profile, rt_result_name(c), rt_end_name(c));
  c->retire = NULL, c->profile = NULL;
}
