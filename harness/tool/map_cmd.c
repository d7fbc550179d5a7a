// SPDX-License-Identifier: Apache-2.0
// mpu map.
#include <stdlib.h>
#include <string.h>
#include "harness/base/out_file.h"
#include "harness/machines/spacea/map/mapping.h"
#include "harness/machines/spacea/matrix/matrix.h"
#include "tool.h"

int command_map(int argc, char **argv) {
  machine_args machine = {0};
  const char *given = NULL;
  mapping_kind kind = MAPPING_SPACEA;
  uint64_t seed = 1;
  bool json = false;
  config c;
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  for (args_item item; (item = args_next(&a)) != ARGS_END;) {
    const int took = item == ARGS_OPTION ? machine_take(&machine, &a) : 0;
    if (item == ARGS_WRONG || took == 2)
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && given)
      return user_error("one matrix; see mpu map --help");
    if (item == ARGS_OPERAND)
      given = a.value;
    else if (!took && args_is(&a, "--json"))
      json = true;
    else if (!took && args_is(&a, "--map"))
      kind = mapping_kind_of(a.value);
    else if (!took && !whole_number(&a, &seed))
      return EXIT_USAGE;
  }
  if (!given)
    return user_error("which matrix? mpu map FILE.mtx|NAME");
  csr m;
  mapping p;
  if (machine_config_of(&machine, "paper", &c) || !matrix_open(&m, given, seed, VALUES_UNIFORM))
    return EXIT_USAGE;
  const mapping_machine w = mapping_machine_of(&c);
  const bool good = mapping_make(&p, &m, &w, kind, seed);
  if (good)
    (json ? mapping_json : mapping_print)(stdout, &p, &m);
  csr_free(&m);
  if (!good)
    return user_error("%s: out of memory", given);
  mapping_free(&p);
  return out_printed() ? EXIT_OK : user_error("cannot write the output");
}
