// SPDX-License-Identifier: Apache-2.0
// mpu energy: joules from what mpu run --stats wrote.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "harness/study/energy/energy.h"
#include "tool.h"

typedef struct options {
  bool list, csv, json;
  config constants;
} options;

static int take_options(options *o, args *a, const char **files, size_t *count) {
  machine_args m = {0};
  for (args_item item; (item = args_next(a)) != ARGS_END;) {
    if (item == ARGS_WRONG || (item == ARGS_OPTION && machine_take(&m, a) == 2))
      return EXIT_USAGE;
    if (item == ARGS_OPERAND)
      files[(*count)++] = a->value;
    else if (args_is(a, "--list"))
      o->list = true;
    else if (args_is(a, "--csv"))
      o->csv = true;
    else if (args_is(a, "--json"))
      o->json = true;
  }
  if (machine_config_of(&m, "paper", &o->constants))
    return EXIT_USAGE;
  if (o->csv && o->json)
    return user_error("--csv or --json, not both");
  if (o->list && (*count || o->csv || o->json))
    return user_error("--list goes with --config and --set only");
  if (!o->list && !*count)
    return user_error("which runs? mpu energy takes what mpu run --stats FILE wrote; see --help");
  return EXIT_OK;
}

static int report(const options *o, const char **files, size_t count) {
  stats_file *stats = calloc(count, sizeof *stats);
  energy_report *all = calloc(count, sizeof *all);
  char why[1024];
  int status = stats && all ? EXIT_OK : user_error("out of host memory");
  for (size_t n = 0; n < count && !status; n++) {
    if (!stats_read(files[n], machines_known(), &stats[n], why, sizeof why))
      status = user_error("%s", why);
    else if (stats[n].machine != stats[0].machine)
      status = user_error("'%s' and '%s' are runs of different machines; one machine at a time",
                          files[0], files[n]);
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
  for (size_t n = 0; stats && n < count; n++)
    stats_free(&stats[n]);
  free(stats);
  free(all);
  return status;
}

int command_energy(int argc, char **argv) {
  options o = {0};
  size_t count = 0;
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  const char **files = calloc((size_t)argc, sizeof *files);
  int status = files ? take_options(&o, &a, files, &count) : user_error("out of host memory");
  if (!status && o.list)
    energy_print_constants(&o.constants, stdout);
  else if (!status)
    status = report(&o, files, count);
  free(files);
  return status;
}
