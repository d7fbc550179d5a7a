// SPDX-License-Identifier: Apache-2.0
// Who looks on while launches run, by the settings in the environment.
#include <stdlib.h>

#include "../retire/retire_observe.h"
#include "rt.h"

static void retire(rt_context *c, sim *s) {
  const char *file = getenv("MPU_RETIRE");
  char why[5000];
  if (!file || !*file || (c->retire = retire_observe(file, c->m, s, why, sizeof why)))
    return;
  fprintf(stderr, "mpu: %s\n", why);
  exit(2);
}

void rt_observe(rt_context *c, sim *s) {
  retire(c, s);
  rt_waves(c, s);
}

void rt_observe_functional(rt_context *c) {
  retire(c, NULL);
}

void rt_observed(rt_context *c) {
  rt_waves_end();
  if (c->retire)
    retire_observed(c->retire);
  c->retire = NULL;
}
