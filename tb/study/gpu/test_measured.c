// SPDX-License-Identifier: Apache-2.0
// What harness/study/gpu/measure.sh writes is what gpu.c reads. The vendor's tools are stand-ins
// (fake/), which say how long kernels took.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/user_error.h"
#include "harness/study/gpu/gpu.h"
#include "tb/file_fixture.h"

static void written_and_read(void **state) {
  (void)state;
  char command[9000], source[4200];
  gpu_table *t;
  snprintf(command, sizeof command,
           "PATH=%s/tb/study/gpu/fake:$PATH FAKE_COUNT=%s.count bash "
           "%s/harness/study/gpu/measure.sh --only 'tiled/(axpy|nw),' -o %s 2>&1",
           NEARBANK_ROOT, name, NEARBANK_ROOT, name);
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "%s.count", name);
  remove(command);
  assert_int_equal(gpu_open(name, &t), EXIT_OK);
  const gpu_row *row = gpu_find(t, "kernels/tiled/nw", "--paper");
  assert_true(row->ns == 500017 && row->bound == GPU_MEASURED);
  snprintf(source, sizeof source, "Tesla V100-PCIE-32GB (%s)", name);
  assert_string_equal(row->source, source);
  assert_int_equal(gpu_find(t, "kernels/tiled/axpy", "--slice")->bound, GPU_MEASURED);
  assert_int_equal(gpu_find(t, "kernels/plain/nw", "--paper")->bound, GPU_ISSUE);
  gpu_close(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(written_and_read),
  };
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
