// SPDX-License-Identifier: Apache-2.0
#include "made.h"

#include <inttypes.h>
#include <string.h>
#include "csim/base/sum.h"

static void put_field(const config *c, const config_field *f, json_writer *j) {
  char value[32];
  config_text(c, f, value, sizeof value);
  if (f->type == CONFIG_TYPE_FLAG)
    jw_truth(j, f->key, config_get(c, f));
  else if (f->type == CONFIG_TYPE_CHOICE)
    jw_text(j, f->key, value);
  else
    jw_word(j, f->key, value);
}

static void put_config(const config *c, json_writer *j) {
  char flat[CONFIG_FLAT], hash[24];
  const char *section = "";
  jw_object(j, "configuration");
  for (size_t n = 0; n < CONFIG_FIELDS; n++) {
    const config_field *f = &config_fields[n];
    if (strcmp(section, f->section) != 0) {
      if (*section)
        jw_end(j);
      jw_object(j, section = f->section);
    }
    put_field(c, f, j);
  }
  jw_end(j);
  jw_end(j);
  config_write_flat(c, flat, sizeof flat);
  snprintf(hash, sizeof hash, "%016" PRIx64, sum_bytes(0, flat, strlen(flat)));
  jw_text(j, "configuration_hash", hash);
}

void made_json(const config *c, const build_info *b, json_writer *j) {
  if (c)
    put_config(c, j);
  jw_object(j, "build");
  jw_text(j, "release", b->release);
  jw_text(j, "commit", b->commit);
  jw_text(j, "compiler", b->compiler);
  jw_text(j, "verilog", b->verilog);
  jw_end(j);
}
