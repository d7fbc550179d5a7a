// SPDX-License-Identifier: Apache-2.0
#include "card_machine.h"

#include <stdlib.h>
#include "card.h"
#include "card_spacea.h"
#include "harness/machines/mpu/machine/build.h"

struct card_machine {
  config config;
  card_device device;
};

static machine *memory_of(const machine_config *c, char *why, size_t bytes) {
  machine *m = machine_new(c);
  if (!m)
    snprintf(why, bytes, "out of host memory");
  return m;
}

typedef bool builds(card_device *d, near_mode near, uint32_t threads, char *why, size_t bytes);

static bool build_mpu(card_device *d, near_mode near, uint32_t threads, char *why, size_t bytes) {
  sim_config k = sim_of_config(d->config, near);
  machine_config m = machine_config_default();
  k.threads = threads;
  return sim_machine(&k, &m, why, bytes) && (d->m = memory_of(&m, why, bytes)) &&
         (d->s = sim_new(&k, d->m, why, bytes));
}

// Arrays of the host are in memory of the size of all banks.
static bool build_spacea(card_device *d, near_mode near, uint32_t threads, char *why,
                         size_t bytes) {
  const config *c = d->config;
  machine_config m = machine_config_default();
  const uint64_t vaults = (uint64_t)c->spacea.cubes * c->spacea.vaults;
  m.memory_bytes = vaults * c->spacea.layers * 2 * c->dram.rows * c->dram.row_bytes;
  return (d->m = memory_of(&m, why, bytes)) &&
         (d->spacea = card_spacea_new(c, near_mode_names[near], threads, why, bytes));
}

static card_machine *make(builds *build, const char *configuration, const char *const *sets,
                          size_t n_sets, const char *near, uint32_t threads, char *why,
                          size_t bytes) {
  near_mode mode;
  card_machine *x = calloc(1, sizeof *x);
  if (!x) {
    snprintf(why, bytes, "out of host memory");
    return NULL;
  }
  x->device.config = &x->config;
  bool ok = near_mode_named(near, &mode);
  if (!ok)
    snprintf(why, bytes, "near takes c, rtl or lockstep, not '%.60s'", near);
  ok = ok && config_load(&x->config, configuration, why, bytes) &&
       config_override(&x->config, sets, n_sets, why, bytes) &&
       build(&x->device, mode, threads ? threads : 1, why, bytes);
  if (!ok) {
    card_machine_free(x);
    return NULL;
  }
  return x;
}

card_machine *card_machine_new(const char *configuration, const char *const *sets, size_t n_sets,
                               const char *near, uint32_t threads, char *why, size_t bytes) {
  return make(build_mpu, configuration, sets, n_sets, near, threads, why, bytes);
}

card_machine *card_machine_new_spacea(const char *configuration, const char *const *sets,
                                      size_t n_sets, const char *near, uint32_t threads, char *why,
                                      size_t bytes) {
  return make(build_spacea, configuration, sets, n_sets, near, threads, why, bytes);
}

void card_machine_free(card_machine *x) {
  if (!x)
    return;
  card_spacea_free(x->device.spacea);
  sim_free(x->device.s);
  machine_free(x->device.m);
  free(x);
}

const card_device *card_machine_device(const card_machine *x) {
  return &x->device;
}

const card_ops *card_machine_ops(void) {
  return &card_functions;
}
