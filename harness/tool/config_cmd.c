// SPDX-License-Identifier: Apache-2.0
// mpu config.
#include <stdio.h>
#include "harness/base/config/config.h"
#include "tool.h"

int command_config(int argc, char **argv) {
  machine_args m = {0};
  const char *name = NULL;
  bool list = false, changes = false;
  char title[256];
  config c;
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  for (args_item item; (item = args_next(&a)) != ARGS_END;) {
    if (item == ARGS_WRONG || (item == ARGS_OPTION && machine_take(&m, &a) == 2))
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && name)
      return user_error("one configuration at a time; '%s' is a second", a.value);
    if (item == ARGS_OPERAND)
      name = a.value;
    else if (args_is(&a, "--list"))
      list = true;
    else if (args_is(&a, "--changes"))
      changes = true;
  }
  if (list && (name || changes || m.config || m.n))
    return user_error("--list goes alone; see mpu config --help");
  if (name && m.config)
    return user_error("one configuration at a time; '%s' is a second", m.config);
  m.config = name ? name : m.config;
  if (!list && machine_config_of(&m, "paper", &c))
    return EXIT_USAGE;
  machine_name(&m, "paper", title, sizeof title);
  if (list)
    config_print_presets(stdout);
  else
    config_print(&c, title, changes, stdout);
  return EXIT_OK;
}
