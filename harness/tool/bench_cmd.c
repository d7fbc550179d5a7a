// SPDX-License-Identifier: Apache-2.0
// mpu bench.
#include <string.h>
#include "harness/study/bench/bench.h"
#include "tool.h"

int command_bench(int argc, char **argv) {
  bool json = false, core = false, machine = false, card = false, paper = false;
  machine_args m = {0};
  args a = args_of(argc, argv);
  if (args_help(&a))
    return 0;
  for (args_item item; (item = args_next(&a)) != ARGS_END;)
    if (item == ARGS_WRONG || (item == ARGS_OPTION && machine_take(&m, &a) == 2))
      return EXIT_USAGE;
    else if (item == ARGS_OPTION && (args_is(&a, "--json") || args_is(&a, "--paper")))
      *(args_is(&a, "--json") ? &json : &paper) = true;
    else if (item == ARGS_OPTION)
      continue;
    else if (strcmp(a.value, "rtl") == 0)
      return user_error("bench rtl is not in this program: start it as ./mpu bench rtl");
    else if (strcmp(a.value, "core") == 0)
      core = true;
    else if (strcmp(a.value, "machine") == 0)
      machine = true;
    else if (strcmp(a.value, "card") == 0)
      card = true;
    else if (strcmp(a.value, "isa") != 0)
      return user_error("unknown benchmark '%s'; see mpu bench --help", a.value);
  if (paper && !machine)
    return user_error("--paper is for mpu bench machine");
  if ((m.config || m.n) && !core && !machine)
    return user_error("--config and --set are for mpu bench core and mpu bench machine");
  config c;
  if (!core && !machine)
    return card ? bench_card(json) : bench_isa(json);
  if (machine_config_of(&m, machine ? "paper" : "small", &c))
    return EXIT_USAGE;
  return machine ? bench_machine(json, paper, &c) : bench_core(json, &c);
}
