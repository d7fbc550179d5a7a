// SPDX-License-Identifier: Apache-2.0
// mpu energy: joules from what mpu run --stats wrote.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../energy/energy.h"
#include "tool.h"

static const char help[] =
    "usage: mpu energy [options] STATS.json...\n"
    "       mpu energy --list [--constants FILE] [--set NAME=VALUE]\n\n"
    "Energy and power of runs, from the events that mpu run --stats FILE counted and what each\n"
    "costs: by component, beside the paper's breakdown; with several files a line each.\n\n"
    "  --constants FILE   take the constants from the section energy of a configuration: a YAML\n"
    "                     file, or a preset\n"
    "  --set NAME=VALUE   another value for a constant; as often as you like\n"
    "  --list             print the constants, with units and sources\n"
    "  --csv              a line for each component of each file\n"
    "  --json             everything as one JSON object\n"
    "  -h, --help         this text\n\n"
    "docs/energy.md says what the events are. Exit status: 0, 2 for wrong use and wrong files.\n";

typedef struct options {
  bool list, csv, json;
  config constants;
} options;

static int set_constant(config *c, const char *text) {
  char name[64], why[CONFIG_WHY];
  const char *value = strchr(text, '=');
  if (!value || value == text || (size_t)(value - text) >= sizeof name)
    return tool_error("--set takes NAME=VALUE, not '%s'", text);
  snprintf(name, sizeof name, "%.*s", (int)(value - text), text);
  const config_field *f = config_find("energy", name);
  if (!f)
    return tool_error("there is no constant '%s'; mpu energy --list has those that there are",
                      name);
  return config_set(c, f, value + 1, why, sizeof why) ? TOOL_OK : tool_error("%s", why);
}

// The values of --set count whatever the file says: they come second.
static int take_options(options *o, int argc, char **argv, const char **files, size_t *count) {
  char why[8192];
  const char *v;
  o->constants = config_default();
  for (int second = 0; second < 2; second++)
    for (int n = 1; n < argc; n++) {
      if ((v = option_value("--constants", argc, argv, &n))) {
        if (!*v)
          return tool_error("--constants needs a file");
        if (!second && !config_load(&o->constants, v, why, sizeof why))
          return tool_error("%s", why);
      } else if ((v = option_value("--set", argc, argv, &n))) {
        if (second && set_constant(&o->constants, v))
          return TOOL_USAGE;
      } else if (strcmp(argv[n], "--list") == 0) {
        o->list = true;
      } else if (strcmp(argv[n], "--csv") == 0) {
        o->csv = true;
      } else if (strcmp(argv[n], "--json") == 0) {
        o->json = true;
      } else if (argv[n][0] == '-' && argv[n][1]) {
        return tool_error("unknown option '%s'; see mpu energy --help", argv[n]);
      } else if (second) {
        files[(*count)++] = argv[n];
      }
    }
  if (o->csv && o->json)
    return tool_error("--csv or --json, not both");
  if (o->list && (*count || o->csv || o->json))
    return tool_error("--list goes with --constants and --set only");
  if (!o->list && !*count)
    return tool_error("which runs? mpu energy takes what mpu run --stats FILE wrote; see --help");
  return TOOL_OK;
}

static int report(const options *o, const char **files, size_t count) {
  stats_file *stats = calloc(count, sizeof *stats);
  energy_report *all = calloc(count, sizeof *all);
  char why[1024];
  int status = stats && all ? TOOL_OK : tool_error("out of host memory");
  for (size_t n = 0; n < count && !status; n++) {
    if (!stats_read(files[n], &stats[n], why, sizeof why))
      status = tool_error("%s", why);
    else
      energy_of(&stats[n], files[n], &o->constants, &all[n]);
  }
  if (status)
    ;
  else if (o->csv)
    energy_print_csv(all, count, stdout);
  else if (o->json)
    energy_print_json(all, count, &o->constants, stdout);
  else if (count > 1)
    energy_print_rows(all, count, &o->constants, stdout);
  else
    energy_print(all, &o->constants, stdout);
  free(stats);
  free(all);
  return status;
}

int command_energy(int argc, char **argv) {
  options o = {0};
  size_t count = 0;
  for (int n = 1; n < argc; n++)
    if (strcmp(argv[n], "-h") == 0 || strcmp(argv[n], "--help") == 0) {
      fputs(help, stdout);
      return TOOL_OK;
    }
  const char **files = calloc((size_t)argc, sizeof *files);
  int status =
      files ? take_options(&o, argc, argv, files, &count) : tool_error("out of host memory");
  if (!status && o.list)
    energy_print_constants(&o.constants, stdout);
  else if (!status)
    status = report(&o, files, count);
  free(files);
  if (!status && (fflush(stdout) || ferror(stdout)))
    return tool_error("cannot write the output");
  return status;
}
