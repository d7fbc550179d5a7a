// SPDX-License-Identifier: Apache-2.0
#include "tb/systemc/tlm/objects.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "tb/systemc/card/rig.h"

static_assert(LINK_DOWN == (int)RIG_DOWN && LINK_UP == (int)RIG_UP &&
                  LINK_LATENCY == (int)RIG_LATENCY,
              "rig.h compiles the kernels for this machine");

static const char *const sets[] = {"link.down=16000", "link.up=4000", "link.latency=700"};
enum { SETS = sizeof sets / sizeof *sets };

static card_machine *must(card_machine *m, const char *why) {
  if (!m) {
    fprintf(stderr, "%s\n", why);
    exit(2);
  }
  return m;
}

card_machine *objects_machine(void) {
  char why[2000];
  return must(card_machine_new("small", sets, SETS, "c", 1, why, sizeof why), why);
}

card_machine *objects_spacea(void) {
  char why[2000];
  return must(card_machine_new_spacea("spacea-small", sets, SETS, "c", 1, why, sizeof why), why);
}

const uint8_t *objects_kernels(size_t *bytes) {
  const object *o = object_kernels();
  *bytes = o->bytes;
  return o->image;
}
