// SPDX-License-Identifier: Apache-2.0
// mpu study, and mpu job, which executes one run of a study.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "harness/base/out_file.h"
#include "harness/study/figure/figure.h"
#include "harness/study/figure/why.h"
#include "harness/study/gpu/gpu.h"
#include "harness/study/job/job.h"
#include "harness/study/page/report_study.h"
#include "harness/study/pool/pool.h"
#include "tool.h"

enum { PATH = 4096 };

typedef struct options {
  const char *study, *store, *csv, *json, *why, *jobs, *seconds, *megabytes, *gpu, *html, *markdown;
  plan_options plan;
  place_options place;
  bool list, dry, again, quiet, report;  // report: of what the store has, a page only
  gpu_table *table;
} options;

static int parse(args *a, options *o) {
  args_item item;
  while ((item = args_next(a)) != ARGS_END) {
    if (item == ARGS_WRONG)
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && o->study)
      return user_error("one study at a time; '%s' is a second", a->value);
    if (item == ARGS_OPERAND) {
      o->study = a->value;
      continue;
    }
    const struct {
      const char *name, **to;
    } texts[] = {
        {"--store", &o->store},       {"--csv", &o->csv},          {"--json", &o->json},
        {"--why", &o->why},           {"--jobs", &o->jobs},        {"--near", &o->plan.near},
        {"--only", &o->plan.figures}, {"--seconds", &o->seconds},  {"--megabytes", &o->megabytes},
        {"--gpu", &o->gpu},           {"--html", &o->html},        {"--markdown", &o->markdown},
        {"--on", &o->place.on},       {"--slurm", &o->place.slurm}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
      if (args_is(a, texts[k].name))
        *texts[k].to = a->value;
    o->list |= args_is(a, "--list");
    o->dry |= args_is(a, "--dry-run");
    o->again |= args_is(a, "--again");
    o->quiet |= args_is(a, "--quiet");
  }
  if (o->seconds)
    o->plan.seconds = strtod(o->seconds, NULL);
  if (o->megabytes)
    o->plan.megabytes = strtod(o->megabytes, NULL);
  if (!o->study && !o->list && !o->why)
    return user_error("which study? mpu study --list names those that there are");
  return EXIT_OK;
}

// ---- --list, --dry-run

static void print_title(void *ctx, const char *name, const char *title) {
  (void)ctx;
  printf("%-12s  %s\n", name, title);
}

static int list(void) {
  char why[STUDY_WHY];
  return study_list(print_title, NULL, why, sizeof why) ? EXIT_OK : user_error("%s", why);
}

static void print_time(const char *what, double seconds) {
  if (seconds < 120)
    printf("%s%.0f s", what, seconds);
  else if (seconds < 7200)
    printf("%s%.0f min", what, seconds / 60);
  else
    printf("%s%.1f h", what, seconds / 3600);
}

// Runs at a time; 0: nobody knows.
static size_t jobs_of(const options *o) {
  const bool here = !o->place.on || strcmp(o->place.on, "here") == 0;
  o->place.jobs = o->jobs ? strtoul(o->jobs, NULL, 10) : 0;
  if (o->place.jobs > 4096)
    return user_error("--jobs takes a number up to 4096, not '%s'", o->jobs);
  study_store(o->store, file, sizeof file);
  study *s = o->study ? study_read(o->study, why, sizeof why) : NULL;
  if (o->study && !s)
    return user_error("%s", why);
  plan *p = s ? plan_make(s, &o->plan, why, sizeof why) : NULL;
  const int status = s && !p ? user_error("%s", why) : with_store(o, s, p, file);
  plan_free(p);
  study_free(s);
  gpu_close(o->table);
  return status;
}

int command_study(int argc, char **argv) {
  options o = {0};
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  if (parse(&a, &o))
    return EXIT_USAGE;
  return o.list ? list() : run_or_report(&o);
}

int study_report(const char *study, const char *store_file, const char *page) {
  options o = {.study = study, .store = store_file, .html = page, .report = true, .quiet = true};
  return run_or_report(&o);
}

// A line of `mpu study` that no help names: it executes a run where it is called. --text: the job
// itself, where its folder is not seen.
int command_job(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--text") == 0)
    return job_run_text(argv[2]);
  if (argc != 2)
    return user_error("mpu job FOLDER: mpu study calls this");
  return job_run(argv[1]);
}
