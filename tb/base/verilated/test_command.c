// SPDX-License-Identifier: Apache-2.0
// How a library of verilated models is asked for.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "harness/base/verilated.h"

// Whatever is in the names of folders: the script gets its arguments as they are.
static void the_command_that_builds(void **state) {
  (void)state;
  char root[] = "/tmp/nearbank.XXXXXX", folder[200], script[300], command[1000], said[300] = "";
  assert_non_null(mkdtemp(root));
  snprintf(folder, sizeof folder, "%s/it's $HOME \"here\"", root);
  snprintf(command, sizeof command, "mkdir -p '%s/it'\\''s $HOME \"here\"/harness/base'", root);
  assert_int_equal(system(command), 0);
  snprintf(script, sizeof script, "%s/harness/base/verilated.sh", folder);
  FILE *f = fopen(script, "w");
  assert_non_null(f);
  fputs("echo \"$#|$1|$2|$3\"\n", f);
  assert_int_equal(fclose(f), 0);
  assert_true(
      verilated_command(folder, "b's", "nearrtl", "QUEUE=8 ENTRIES=4", command, sizeof command));
  assert_non_null(f = popen(command, "r"));
  assert_non_null(fgets(said, sizeof said, f));
  assert_int_equal(pclose(f), 0);
  assert_string_equal(said, "3|b's|nearrtl|QUEUE=8 ENTRIES=4\n");
  assert_false(verilated_command(folder, "b's", "nearrtl", "QUEUE=8 ENTRIES=4", command, 40));
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_command_that_builds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
