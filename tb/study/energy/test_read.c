// SPDX-License-Identifier: Apache-2.0
// Statistics that are written and read again, cut and changed at every byte; reports of any of
// them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "harness/machines/mpu/core/core.h"
#include "harness/study/energy/energy.h"
#include "tb/file_fixture.h"

static void put(const char *text, size_t bytes) {
  FILE *f = fopen(name, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, bytes, f), bytes);
  assert_int_equal(fclose(f), 0);
}

// Each counter another number.
static core_stats numbered(uint64_t from) {
  core_stats c;
  uint64_t *at = (uint64_t *)&c;
  for (size_t n = 0; n < sizeof c / sizeof *at; n++)
    at[n] = from + n;
  return c;
}

static char *written(const core_stats *c, const char *program, size_t *bytes) {
  char *text;
  FILE *f = open_memstream(&text, bytes);
  fprintf(
      f,
      "{\"schema\": 1, \"program\": \"%s\", \"end\": \"done\", \"host_seconds\": 0.25, "
      "\"agree\": null, \"cycles\": 77, \"cores\": 16, \"processors\": 1, \"on_chip_flits\": 3, "
      "\"off_chip_flits\": 4, \"on_chip_bits\": 256, \"off_chip_bits\": 128, \"near\": \"c\", "
      "\"new\": {\"x\": [1, {\"issued\": 5}]}, \"core\": ",
      program);
  json_writer j = jw_to(f);
  stats_json(c, NULL, &j);
  fprintf(f, ", \"each\": [");
  const core_stats other = numbered(1u << 30);
  stats_json(&other, NULL, &j);
  fprintf(f, "]}\n");
  fclose(f);
  return text;
}

static void same_again(void **state) {
  (void)state;
  stats_file s;
  char why[500];
  size_t bytes;
  const core_stats c = numbered(1000);
  char *text = written(&c, "a \\\"name\\\"", &bytes);
  put(text, bytes);
  if (!stats_read(name, NULL, &s, why, sizeof why))
    fail_msg("%s", why);
  // counters that nodes declare, which latencies behind them are not
  for (size_t n = 0; n < offsetof(core_stats, latencies) / 8; n++)
    assert_int_equal(((uint64_t *)&s.core)[n], ((const uint64_t *)&c)[n]);
  assert_string_equal(s.program, "a \"name\"");
  assert_string_equal(s.end, "done");
  assert_true(s.run.cycles == 77 && s.run.cores == 16 && s.run.processors == 1);
  assert_true(s.run.on_chip_flits == 3 && s.run.off_chip_bits == 128);
  free(text);
}

// A file that ends too early never passes; one that was changed is refused or read, with all there.
static void damaged(void **state) {
  (void)state;
  stats_file s;
  char why[500];
  size_t bytes;
  const core_stats c = numbered(1000);
  char *text = written(&c, "x", &bytes);
  const size_t ends = bytes - 2;  // the last brace
  for (size_t n = 0; n < bytes; n += n < 400 || n + 200 > bytes ? 1 : 311) {
    put(text, n);
    assert_int_equal(stats_read(name, NULL, &s, why, sizeof why), n > ends);
  }
  static const char others[] = "0x\"{}[]:,-. \n&*!#%\x01\xff";
  for (size_t n = 0; n < bytes; n += 53)
    for (size_t k = 0; k < sizeof others - 1; k += 1 + n % 3) {
      const char was = text[n];
      text[n] = others[k];
      put(text, bytes);
      *why = 0;
      if (!stats_read(name, NULL, &s, why, sizeof why))
        assert_true(strlen(why) > 10 && !strchr(why, '\n'));
      text[n] = was;
    }
  free(text);
}

// Reports of numbers as large as they get, and of none at all, as strict JSON.
static void reports(void **state) {
  (void)state;
  const config constants = config_default();
  static stats_file s[3];
  static energy_report all[3];
  for (unsigned n = 0; n < 3; n++) {
    s[n].run.cores = s[n].run.processors = 1;
    s[n].kinds[0] = &core_kind, s[n].n_kinds = 1;
    s[n].core = numbered(n == 1 ? 1ull << 50 : 5);
    strcpy(s[n].program, "q\"\\\n\t");
    strcpy(s[n].end, n ? "fault" : "done");
  }
  memset(&s[2].core, 0, sizeof s[2].core);
  for (unsigned n = 0; n < 3; n++)
    energy_of(&s[n], "a,\"b", &constants, &all[n]);
  assert_true(all[2].total == 0 && all[2].watts == 0 && all[1].total > 0);
  char *text;
  size_t bytes;
  json_error_t e;
  FILE *f = open_memstream(&text, &bytes);
  energy_print_json(all, 3, &constants, f);
  fclose(f);
  json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, &e);
  if (!j)
    fail_msg("%s\n%s", e.text, text);
  assert_int_equal(json_array_size(json_object_get(j, "runs")), 3);
  const json_t *run = json_array_get(json_object_get(j, "runs"), 1);
  assert_string_equal(json_string_value(json_object_get(run, "program")), s[1].program);
  assert_int_equal(json_array_size(json_object_get(run, "parts")), all[1].n_parts);
  assert_int_equal(all[1].n_parts, 40);
  json_decref(j);
  free(text);
  for (unsigned n = 0; n < 3; n++) {
    f = open_memstream(&text, &bytes);
    energy_print(&all[n], &constants, f);
    energy_print_rows(all, 3, &constants, f);
    energy_print_csv(all, 3, f);
    fclose(f);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_again),
      cmocka_unit_test(damaged),
      cmocka_unit_test(reports),
  };
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
