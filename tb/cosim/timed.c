// SPDX-License-Identifier: Apache-2.0
#include "timed.h"

#include <stdlib.h>
#include <string.h>

#include "../../harness/machine/sim.h"

bool timed_mode(near_mode *mode) {
  const char *given = getenv("MPU_NEAR");
  return given && near_mode_named(given, mode);
}

isa_dies timed_dies(void) {
  const char *given = getenv("MPU_DIES");
  for (int n = 0; given && n < ISA_DIES; n++)
    if (strcmp(given, isa_dies_names[n]) == 0)
      return (isa_dies)n;
  return ISA_DIES_HYBRID;
}

void timed_machine(machine_config *c) {
  char why[1000];
  const sim_config k = sim_config_default(NEAR_C);
  if (!sim_machine(&k, c, why, sizeof why))
    abort();
  c->far_rf_bytes = 32768, c->near_rf_bytes = 16384;
}

void timed_config(machine_config *c) {
  near_mode mode;
  if (timed_mode(&mode))
    timed_machine(c);
}

void *timed_attach(machine *m) {
  near_mode mode;
  char why[1000];
  if (!timed_mode(&mode))
    return NULL;
  sim_config c = sim_config_default(mode);
  c.max_cycles = 100000000;
  c.core.dies = timed_dies();
  sim *s = sim_new(&c, m, why, sizeof why);
  if (!s) {
    fprintf(stderr, "%s\n", why);
    exit(2);
  }
  return s;
}

void timed_detach(void *timed) {
  sim_free(timed);
}
