// SPDX-License-Identifier: Apache-2.0
// Arguments and configuration in the words of a command line.
#include <string.h>
#include "diff_priv.h"

enum { SETS = 3 };  // with more of them it is told how many

const char *diff_arguments(const diff_run *r) {
  return r->arguments && !*r->arguments ? "none" : r->arguments;
}

static size_t keys_between(const config *a, const config *b) {
  size_t n = 0;
  for (size_t k = 0; k < CONFIG_FIELDS; k++)
    n += config_get(a, &config_fields[k]) != config_get(b, &config_fields[k]);
  return n;
}

const char *diff_machine(const diff_run *r, char to[DIFF_MACHINE]) {
  const config_preset *nearest = NULL;
  size_t least = CONFIG_FIELDS + 1;
  char why[CONFIG_WHY], text[32];
  config c;
  if (r->config || !r->has_constants) {
    snprintf(to, DIFF_MACHINE, "%s", r->config ? r->config : "unknown");
    return to;
  }
  for (const config_preset *p = config_presets; p->name; p++) {
    if (!config_from_preset(&c, p->name, why, sizeof why))
      continue;
    const size_t n = keys_between(&c, &r->constants);
    if (n < least)
      least = n, nearest = p;
  }
  size_t used = (size_t)snprintf(to, DIFF_MACHINE, "%s", nearest->name);
  config_from_preset(&c, nearest->name, why, sizeof why);
  if (least > SETS)
    snprintf(to + used, DIFF_MACHINE - used, " with %zu other keys", least);
  for (size_t k = 0; least <= SETS && k < CONFIG_FIELDS && used < DIFF_MACHINE; k++) {
    const config_field *f = &config_fields[k];
    if (config_get(&c, f) != config_get(&r->constants, f))
      used += (size_t)snprintf(to + used, DIFF_MACHINE - used, " --set %s.%s=%s", f->section,
                               f->key, config_text(&r->constants, f, text, sizeof text));
  }
  return to;
}
