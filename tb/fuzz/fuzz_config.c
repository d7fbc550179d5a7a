// SPDX-License-Identifier: Apache-2.0
// Any bytes as a configuration file and as a flat form. What is taken survives both forms.
#include <assert.h>
#include <string.h>
#include "harness/base/config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same_again(const config *c) {
  char flat[CONFIG_FLAT], why[CONFIG_WHY];
  config back;
  config_write_flat(c, flat, sizeof flat);
  assert(config_read_flat(&back, flat, why, sizeof why));
  for (size_t n = 0; n < CONFIG_FIELDS; n++)
    assert(config_get(c, &config_fields[n]) == config_get(&back, &config_fields[n]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char why[CONFIG_WHY] = "", text[16385];
  config c;
  if (config_read_yaml(&c, (const char *)data, size, "f.yaml", why, sizeof why))
    same_again(&c);
  else
    assert(strncmp(why, "f.yaml:", 7) == 0 && !strchr(why, '\n'));
  size = size < sizeof text - 1 ? size : sizeof text - 1;
  memcpy(text, data, size);
  text[size] = 0;
  why[0] = 0;
  if (config_read_flat(&c, text, why, sizeof why))
    same_again(&c);
  else
    assert(why[0]);
  return 0;
}
