// SPDX-License-Identifier: Apache-2.0
// mpu config.
#include <stdio.h>
#include <string.h>
#include "../config/config.h"
#include "tool.h"

static const char help[] =
    "usage: mpu config [--changes] [PRESET|FILE]\n"
    "       mpu config --list\n\n"
    "Prints the configuration of the machine as YAML, with the unit, meaning and range of each\n"
    "value. The output is a valid file again. Without a name it is the preset paper.\n\n"
    "  PRESET       a name that --list prints\n"
    "  FILE         a YAML file: a name with a slash, or that ends with .yaml or .yml\n"
    "  --changes    only what differs from the preset paper\n"
    "  --list       the presets, a line each\n"
    "  -h, --help   this text\n\n"
    "docs/configuration.md has all keys. Exit status: 0, 2 for wrong use and for wrong files.\n";

int command_config(int argc, char **argv) {
  const char *name = NULL;
  bool list = false, changes = false;
  char why[8192];
  config c;
  for (int n = 1; n < argc; n++) {
    if (strcmp(argv[n], "-h") == 0 || strcmp(argv[n], "--help") == 0) {
      fputs(help, stdout);
      return TOOL_OK;
    }
    if (strcmp(argv[n], "--list") == 0)
      list = true;
    else if (strcmp(argv[n], "--changes") == 0)
      changes = true;
    else if (argv[n][0] == '-')
      return tool_error("unknown option '%s'; see mpu config --help", argv[n]);
    else if (name)
      return tool_error("one configuration at a time; '%s' is a second", argv[n]);
    else
      name = argv[n];
  }
  if (list && (name || changes))
    return tool_error("--list goes alone; see mpu config --help");
  if (!config_load(&c, name ? name : "paper", why, sizeof why))
    return tool_error("%s", why);
  if (list)
    config_print_presets(stdout);
  else
    config_print(&c, name ? name : "paper", changes, stdout);
  return fflush(stdout) || ferror(stdout) ? tool_error("cannot write the output") : TOOL_OK;
}
