// SPDX-License-Identifier: Apache-2.0
#include "timed.h"

#include <stdlib.h>
#include <string.h>

bool timed_mode(near_mode *mode) {
  const char *given = getenv("MPU_NEAR");
  return given && near_mode_named(given, mode);
}

static config settings(void) {
  const char *name = getenv("MPU_CONFIG");
  config machine = config_default();
  char why[CONFIG_WHY];
  if (name && !config_load(&machine, name, why, sizeof why)) {
    fprintf(stderr, "%s\n", why);
    exit(2);
  }
  return machine;
}

isa_dies timed_dies(void) {
  const char *given = getenv("MPU_DIES");
  for (int n = 0; given && n < ISA_DIES; n++)
    if (strcmp(given, isa_dies_names[n]) == 0)
      return (isa_dies)n;
  const config machine = settings();
  return dies_of_config(&machine);
}

void timed_host(sim_config *c) {
  const char *threads = getenv("MPU_THREADS");
  c->near.library = getenv("MPU_RTL_LIBRARY");
  c->threads = threads ? (uint32_t)atoi(threads) : 1;
}

sim_config timed_cores(uint32_t cores, near_mode mode) {
  config machine = settings();
  machine.machine.processors = cores > 16 ? cores / 16 : 1;
  machine.machine.cores = cores / machine.machine.processors;
  sim_config c = sim_of_config(&machine, mode);
  timed_host(&c);
  return c;
}

static sim_config given(near_mode mode) {
  const char *cores = getenv("MPU_CORES");
  return timed_cores(cores ? (uint32_t)atoi(cores) : 1, mode);
}

static void machine_of(const sim_config *k, machine_config *c) {
  char why[1000];
  if (!sim_machine(k, c, why, sizeof why)) {
    fprintf(stderr, "%s\n", why);
    exit(2);
  }
}

void timed_machine(machine_config *c) {
  const sim_config k = sim_config_default(NEAR_C);
  machine_of(&k, c);
}

void timed_config(machine_config *c) {
  near_mode mode;
  if (timed_mode(&mode)) {
    const sim_config k = given(mode);
    machine_of(&k, c);
  }
}

void *timed_attach(machine *m) {
  near_mode mode;
  char why[1000];
  if (!timed_mode(&mode))
    return NULL;
  sim_config c = given(mode);
  c.max_cycles = 100000000;
  c.core.dies = timed_dies();
  sim *s = sim_new(&c, m, why, sizeof why);
  if (!s) {
    fprintf(stderr, "%s\n", why);
    exit(2);
  }
  return s;
}

uint64_t timed_cycles(const void *timed) {
  return timed ? sim_cycles(timed) * sim_cores(timed) : 0;
}

void timed_detach(void *timed) {
  sim_free(timed);
}

// A whole number of cores, as a product: 1, 1, n, or 2, n / 2, 1, or 1, n, 1.
static digits digits_for(unsigned number, uint32_t cores) {
  const uint32_t pair = cores % 2 ? 1 : 2;
  char text[DIGITS_TEXT], why[100];
  static const char *const forms[] = {
      "core %u, core %u, nbu 4", "line 5, nbu 2, core %u, line 3, core %u, nbu 2",
      "nbu 4, line 7, core %u, core %u", "core %u, nbu 4, line 16, core %u"};
  digits d;
  snprintf(text, sizeof text, forms[number % 4], pair, cores / pair);
  if (!digits_read(&d, text, "line", why, sizeof why)) {
    fprintf(stderr, "%s: %s\n", text, why);
    exit(2);
  }
  return d;
}

static void check_table(bool has_room) {
  if (has_room)
    return;
  fprintf(stderr, "there are too many regions\n");
  exit(2);
}

// Each core has a copy, whatever the program does with it.
static machine_error malloc_copied(sim *s, machine *m, uint64_t bytes, uint64_t *address) {
  const uint64_t align = sim_copies_align(s), behind = (bytes + align - 1) / align * align;
  const machine_error e =
      machine_malloc_room(m, bytes, behind + sim_copies_room(s, bytes), address);
  if (e)
    return e;
  check_table(sim_copy(s, *address, bytes, *address + behind));
  sim_copies_renew(s, *address, bytes);
  return MACHINE_OK;
}

machine_error timed_malloc(void *timed, machine *m, unsigned number, uint64_t bytes,
                           uint64_t *address) {
  if (!timed || sim_cores(timed) == 1 || number % 5 == 4)
    return machine_malloc(m, bytes, address);
  if (number % 5 >= 2)
    return malloc_copied(timed, m, bytes, address);
  const digits d = digits_for(number, sim_cores(timed));
  const uint64_t room = sim_room(timed, &d, bytes);
  const machine_error e = machine_malloc_room(m, bytes, room, address);
  check_table(e || sim_place(timed, *address, room, &d));
  return e;
}
