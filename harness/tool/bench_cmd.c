// SPDX-License-Identifier: Apache-2.0
// mpu bench.
#include <string.h>
#include "harness/study/bench/bench.h"
#include "tool.h"

int command_bench(int argc, char **argv) {
  static const char *const names[] = {"isa", "core", "machine", "card", "study", "spacea"};
  enum { ISA, CORE, MACHINE, CARD, STUDY, SPACEA, NAMES } which = ISA;
  bool json = false, paper = false;
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
    else {
      for (which = ISA; which < NAMES && strcmp(a.value, names[which]); which++) {
      }
      if (which == NAMES)
        return user_error("unknown benchmark '%s'; see mpu bench --help", a.value);
    }
  if (paper && which != MACHINE)
    return user_error("--paper is for mpu bench machine");
  if ((m.config || m.n) && which != CORE && which != MACHINE && which != SPACEA)
    return user_error("--config and --set are for mpu bench core, machine and spacea");
  config c;
  if (which == ISA)
    return bench_isa(json);
  if (which == CARD)
    return bench_card(json);
  if (which == STUDY)
    return bench_study(json);
  if (machine_config_of(&m, which == MACHINE ? "paper" : which == SPACEA ? "spacea" : "small", &c))
    return EXIT_USAGE;
  if (which == SPACEA)
    return bench_spacea(json, &c);
  return which == MACHINE ? bench_machine(json, paper, &c) : bench_core(json, &c);
}
