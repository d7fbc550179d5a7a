// SPDX-License-Identifier: Apache-2.0
// mpu report: a page of a run (what mpu run --stats wrote, or a run of a store), or of a study.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "harness/study/page/report.h"
#include "harness/study/store/store.h"
#include "tool.h"

enum { NAME = 4096, WHY = 1024 };

typedef struct options {
  const char *run, *before, *interval, *profile, *out, *store;
} options;

static int take_options(options *o, args *a) {
  for (args_item item; (item = args_next(a)) != ARGS_END;) {
    if (item == ARGS_WRONG)
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && o->run)
      return user_error("one run at a time; '%s' is a second", a->value);
    if (item == ARGS_OPERAND)
      o->run = a->value;
    else
      *(args_is(a, "--interval")  ? &o->interval
        : args_is(a, "--before")  ? &o->before
        : args_is(a, "--profile") ? &o->profile
        : args_is(a, "--store")   ? &o->store
                                  : &o->out) = a->value;
  }
  if (!o->run)
    return user_error("which run? mpu report takes what mpu run --stats FILE wrote; see --help");
  return EXIT_OK;
}

// Where the page goes: the file of -o, or PROGRAM.html in its folder, or here.
static int place_of(const options *o, const char *program, char to[NAME]) {
  struct stat s;
  char file[256];
  int length;
  snprintf(file, sizeof file, "%.200s.html", program);
  for (char *c = file; (c = strchr(c, '/'));)
    *c = '_';
  if (!o->out)
    length = snprintf(to, NAME, "%s", file);
  else if (stat(o->out, &s) == 0 && S_ISDIR(s.st_mode))
    length = snprintf(to, NAME, "%s/%s", o->out, file);
  else
    length = snprintf(to, NAME, "%s", o->out);
  return length < NAME ? EXIT_OK : user_error("the name of the page is too long");
}

// A run of the store.
static bool is_number(const char *name) {
  return *name && strspn(name, "0123456789") == strlen(name) && strlen(name) < 18;
}

// A study: a file of one, or a name that no file has.
static bool is_study(const char *name) {
  const char *dot = strrchr(name, '.');
  struct stat s;
  if (dot && !strchr(dot, '/'))
    return strcmp(dot, ".yaml") == 0;
  return !is_number(name) && !strchr(name, '/') && stat(name, &s) != 0;
}

static int of_study(const options *o) {
  char place[NAME], name[256];
  const char *slash = strrchr(o->run, '/');
  if (o->interval || o->profile || o->before)
    return user_error("--interval, --profile and --before are of a run, not of a study");
  snprintf(name, sizeof name, "%.200s", slash ? slash + 1 : o->run);
  if (strstr(name, ".yaml"))
    *strstr(name, ".yaml") = 0;
  int status = place_of(o, name, place);
  if (!status)
    status = study_report(o->run, o->store, place);
  if (!status && strcmp(place, "-") != 0)
    printf("%s\n", place);
  return status;
}

// ---- a run

typedef struct files {
  tree_file *run, *before, *profile;
  csv interval;
  store *store;
  store_run row;
  stats_file stats;
  bool has_stats;
} files;

static void close_files(files *f) {
  tree_free(f->run);
  tree_free(f->before);
  tree_free(f->profile);
  csv_free(&f->interval);
  if (f->has_stats)
    stats_free(&f->stats);
  if (f->store)
    store_run_free(&f->row);
  store_close(f->store);
}

// A run of the store, by its number.
static bool read_row(const options *o, files *f, report_input *in, char why[WHY]) {
  char file[NAME], name[64];
  study_store(o->store, file, sizeof file);
  if (access(file, F_OK)) {
    snprintf(why, WHY, "'%.800s' is missing: run a study first, or name its store with --store",
             file);
    return false;
  }
  if (!(f->store = store_open(file, false, why)) ||
      !store_read(f->store, strtoll(o->run, NULL, 10), true, &f->row, why))
    return false;
  if (!f->row.statistics) {
    snprintf(why, WHY,
             "run %s has no statistics: its outcome is %.100s; mpu study --why %s says more",
             o->run, f->row.outcome, o->run);
    return false;
  }
  snprintf(name, sizeof name, "run %s", o->run);
  f->run = tree_parse(name, f->row.statistics, strlen(f->row.statistics), why, WHY);
  in->command = f->row.command, in->host = f->row.host, in->started = f->row.started;
  return f->run != NULL;
}

static bool read_interval(const options *o, files *f, report_input *in, char why[WHY]) {
  static const char *const columns[] = {"cycle", "cycles", "cycles_issue", "rd"};
  if (!o->interval)
    return true;
  if (!csv_read(o->interval, &f->interval, why, WHY))
    return false;
  for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
    if (csv_column(&f->interval, columns[k]) == (size_t)-1) {
      snprintf(why, WHY,
               "'%.300s' has no column '%s'; --interval takes what mpu run --interval wrote",
               o->interval, columns[k]);
      return false;
    }
  in->interval = &f->interval;
  return true;
}

static bool read_profile(const options *o, files *f, report_input *in, char why[WHY]) {
  if (!o->profile)
    return true;
  if (!(f->profile = tree_read(o->profile, why, WHY)))
    return false;
  in->profile = tree_top(f->profile);
  if (tree_in(in->profile, "kernels"))
    return true;
  snprintf(why, WHY, "'%.300s' has no 'kernels'; --profile takes what mpu profile --json wrote",
           o->profile);
  return false;
}

// Both have cores and counted cycles.
static bool read_before(const options *o, files *f, report_input *in, char why[WHY]) {
  char sentence[WHY];
  if (!o->before)
    return true;
  if (!tree_in(in->run, "core") || !tree_in(in->run, "cores")) {
    snprintf(why, WHY, "--before is for a run of one device in cycles, which '%.300s' is not",
             o->run);
    return false;
  }
  if (!(f->before = tree_read(o->before, why, WHY)))
    return false;
  in->before = tree_top(f->before);
  if (!report_can(in->before, sentence, sizeof sentence)) {
    snprintf(why, WHY, "'%.300s' %.600s", o->before, sentence);
    return false;
  }
  if (tree_in(in->before, "core") && tree_in(in->before, "cores"))
    return true;
  snprintf(why, WHY, "'%.300s' is not a run of one device in cycles", o->before);
  return false;
}

// False: `why`.
static bool read_files(const options *o, files *f, report_input *in, char why[WHY]) {
  char sentence[WHY];
  if (is_number(o->run)) {
    if (!read_row(o, f, in, why))
      return false;
  } else if (!(f->run = tree_read(o->run, why, WHY))) {
    return false;
  }
  in->run = tree_top(f->run);
  if (!report_can(in->run, sentence, sizeof sentence)) {
    snprintf(why, WHY, "'%.300s' %.600s", o->run, sentence);
    return false;
  }
  return read_before(o, f, in, why) && read_interval(o, f, in, why) && read_profile(o, f, in, why);
}

static bool read_stats(const options *o, files *f, char *why, size_t bytes) {
  if (f->store)
    return stats_read_text(o->run, f->row.statistics, strlen(f->row.statistics), machines_known(),
                           &f->stats, why, bytes);
  return stats_read(o->run, machines_known(), &f->stats, why, bytes);
}

static int of_run(const options *o) {
  char why[WHY], energy_why[WHY], place[NAME];
  files f = {0};
  report_input in = {.energy_why = energy_why};
  energy_report *energy = calloc(1, sizeof *energy);
  config constants;
  int status = energy ? EXIT_OK : user_error("out of host memory");
  if (!status && !read_files(o, &f, &in, why))
    status = user_error("%s", why);
  if (!status)
    status = place_of(o, report_name(in.run), place);
  if (!status) {
    constants = report_constants(in.run);
    in.constants = &constants;
    f.has_stats = read_stats(o, &f, energy_why, sizeof energy_why);
    if (f.has_stats) {
      energy_of(&f.stats, o->run, &constants, energy);
      in.energy = energy;
    }
    if (!page_write(report_page(&in), place))
      status = cannot_write(place);
    else if (strcmp(place, "-") != 0)
      printf("%s\n", place);
  }
  close_files(&f);
  free(energy);
  return status;
}

int command_report(int argc, char **argv) {
  options o = {0};
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  if (take_options(&o, &a))
    return EXIT_USAGE;
  return is_study(o.run) ? of_study(&o) : of_run(&o);
}
