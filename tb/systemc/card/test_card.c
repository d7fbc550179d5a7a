// SPDX-License-Identifier: Apache-2.0
// The card of docs/card.md, page by page: registers, commands, time, contexts, launches. The host
// of the tests is rig.h; MPU_RTL_LIBRARY names the verilated models of another build.
//
//   test_card_card [--seed N] [--only CASE]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

uint64_t cases_seed = 1;

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test(name),
#include "cases.def"
  };
  for (int n = 1; n < argc; n += 2) {
    if (n + 1 < argc && strcmp(argv[n], "--seed") == 0) {
      cases_seed = strtoull(argv[n + 1], NULL, 0);
    } else if (n + 1 < argc && strcmp(argv[n], "--only") == 0) {
      cmocka_set_test_filter(argv[n + 1]);
    } else {
      fprintf(stderr, "usage: %s [--seed N] [--only CASE]\n", argv[0]);
      return 2;
    }
  }
  return cmocka_run_group_tests_name("card", tests, NULL, NULL);
}
