// SPDX-License-Identifier: Apache-2.0
// `mpu-tool structure [--config NAME] [--set KEY=VALUE]...`, for the scripts that read the Verilog:
// the parameters of die_slice that this machine has other than by default, as QUEUE=8 ENTRIES=4.
#include <stdio.h>
#include "csim/mpu/structure.h"
#include "harness/machines/mpu/machine/build.h"
#include "tool.h"

int command_structure(int argc, char **argv) {
  static const command_info info = {.name = "structure", .groups = {machine_options}};
  machine_args m = {0};
  char text[STRUCTURE_TEXT], why[256];
  config c;
  args a = {.command = &info, .argc = argc, .n = 1, .argv = argv};
  for (args_item item; (item = args_next(&a)) != ARGS_END;) {
    if (item == ARGS_OPERAND)
      return user_error("unknown argument '%s'", a.value);
    if (item == ARGS_WRONG || machine_take(&m, &a) == 2)
      return EXIT_USAGE;
  }
  if (machine_config_of(&m, "paper", &c))
    return EXIT_USAGE;
  const structure sizes = core_of_config(&c).sizes;
  if (!structure_check(&sizes, why, sizeof why))
    return user_error("the Verilog has no such size: %s", why);
  puts(structure_parameters(&sizes, text, sizeof text));
  return EXIT_OK;
}
