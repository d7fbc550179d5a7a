// SPDX-License-Identifier: Apache-2.0
#include "fit.h"

#include <string.h>
#include "harness/base/user_error.h"
#include "harness/machines/mpu/machine/build.h"

int fit_options(mpucc_options *o, const config *c, const char *name) {
  static const mir_policy policies[] = {
      [CONFIG_LOCATION_COMPILER] = MIR_LOCATE_PAPER, [CONFIG_LOCATION_HARDWARE] = MIR_LOCATE_NONE,
      [CONFIG_LOCATION_NEAR] = MIR_LOCATE_NEAR,      [CONFIG_LOCATION_FAR] = MIR_LOCATE_FAR,
      [CONFIG_LOCATION_COST] = MIR_LOCATE_COST,
  };
  const isa_dies dies = dies_of_config(c);
  if (o->dies != ISA_DIES_HYBRID && o->dies != dies && !isa_dies_execute(dies, o->dies))
    return user_error("--dies=%s does not fit %s, which is --dies=%s", isa_dies_names[o->dies],
                      name, isa_dies_names[dies]);
  if (o->dies == ISA_DIES_HYBRID)
    o->dies = dies;
  o->forms |= c->near.forms > 0;
  o->near_predicates |= c->near.predicates;
  o->reorder |= c->core.reorder;
  o->skew |= c->shared.skew;
  if (c->core.location == CONFIG_LOCATION_COMPILER)
    return EXIT_OK;
  if ((o->located || o->locate != MIR_LOCATE_PAPER) && o->locate != policies[c->core.location])
    return user_error("--locate does not fit the core.location of %s; leave one of them out", name);
  o->locate = policies[c->core.location];
  return EXIT_OK;
}

const uint8_t *fit_object(const mpucc_image *i, const char *asked, const config *c, FILE *messages,
                          size_t *bytes, const char **why) {
  mpucc_options o = mpucc_options_default();
  o.messages = messages;
  char made[MPUCC_OPTIONS_TEXT], wanted[MPUCC_OPTIONS_TEXT];
  *why = "it was made with options that this runtime does not know";
  if (!mpucc_options_parse(i->options, &o))
    return NULL;
  mpucc_options_text(&o, made);
  *why = "";
  if (asked && !mpucc_options_parse(asked, &o)) {
    user_error("MPU_COMPILE has other words than options of the compiler: '%.100s'", asked);
    return NULL;
  }
  if (c && fit_options(&o, c, "the machine of this run"))
    return NULL;
  mpucc_options_text(&o, wanted);
  *bytes = i->object_bytes;
  if (i->object && strcmp(made, wanted) == 0)
    return i->object;
  uint8_t *again;
  return mpucc_compile(i->ptx, i->ptx_bytes, "the PTX of this program", &o, &again, bytes) ? NULL
                                                                                           : again;
}
