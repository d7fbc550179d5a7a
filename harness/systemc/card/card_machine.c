// SPDX-License-Identifier: Apache-2.0
#include "card_machine.h"

#include <stdlib.h>
#include "card.h"
#include "harness/machines/mpu/machine/build.h"

struct card_machine {
  config config;
  machine *m;
  sim *s;
};

static bool build(card_machine *x, near_mode near, uint32_t threads, char *why, size_t bytes) {
  sim_config k = sim_of_config(&x->config, near);
  machine_config m = machine_config_default();
  k.threads = threads ? threads : 1;
  if (!sim_machine(&k, &m, why, bytes))
    return false;
  if (!(x->m = machine_new(&m))) {
    snprintf(why, bytes, "out of host memory");
    return false;
  }
  return (x->s = sim_new(&k, x->m, why, bytes));
}

card_machine *card_machine_new(const char *configuration, const char *const *sets, size_t n_sets,
                               const char *near, uint32_t threads, char *why, size_t bytes) {
  near_mode mode;
  card_machine *x = calloc(1, sizeof *x);
  if (!x) {
    snprintf(why, bytes, "out of host memory");
    return NULL;
  }
  bool ok = near_mode_named(near, &mode);
  if (!ok)
    snprintf(why, bytes, "near takes c, rtl or lockstep, not '%.60s'", near);
  ok = ok && config_load(&x->config, configuration, why, bytes) &&
       config_override(&x->config, sets, n_sets, why, bytes) && build(x, mode, threads, why, bytes);
  if (!ok) {
    card_machine_free(x);
    return NULL;
  }
  return x;
}

void card_machine_free(card_machine *x) {
  if (!x)
    return;
  sim_free(x->s);
  machine_free(x->m);
  free(x);
}

const config *card_machine_config(const card_machine *x) {
  return &x->config;
}
machine *card_machine_machine(card_machine *x) {
  return x->m;
}
sim *card_machine_sim(card_machine *x) {
  return x->s;
}

const card_ops *card_machine_ops(void) {
  return &card_functions;
}
