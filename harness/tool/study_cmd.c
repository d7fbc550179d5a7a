// SPDX-License-Identifier: Apache-2.0
// mpu study, and mpu job, which executes one run of a study.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "harness/base/out_file.h"
#include "harness/cuda/driver/start.h"
#include "harness/study/figure/figure.h"
#include "harness/study/figure/why.h"
#include "harness/study/gpu/gpu.h"
#include "harness/study/job/job.h"
#include "harness/study/page/report_study.h"
#include "harness/study/pool/pool.h"
#include "tool.h"

enum { PATH = 4096 };

typedef struct options {
  const char *study, *store, *csv, *json, *why, *jobs, *threads, *seconds, *megabytes, *gpu, *html,
      *markdown;
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
        {"--store", &o->store},    {"--csv", &o->csv},           {"--json", &o->json},
        {"--why", &o->why},        {"--jobs", &o->jobs},         {"--near", &o->plan.near},
        {"--only", &o->plan.only}, {"--seconds", &o->seconds},   {"--megabytes", &o->megabytes},
        {"--gpu", &o->gpu},        {"--html", &o->html},         {"--markdown", &o->markdown},
        {"--on", &o->place.on},    {"--slurm", &o->place.slurm}, {"--threads", &o->threads}};
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
  return o->place.jobs || !here ? o->place.jobs : place_jobs(o->place.threads);
}

// What would be run; each run with its command when there are few.
static void print_plan(const plan *p, const options *o) {
  const size_t jobs = jobs_of(o);
  size_t there = 0, failed = 0, known = 0, missing = 0;
  double seconds = 0;
  for (size_t k = 0; k < plan_count(p); k++) {
    const plan_run *r = plan_at(p, k);
    const bool has = r->state == STORE_DONE || (r->state == STORE_FAILED && !o->again);
    there += has;
    failed += has && r->state == STORE_FAILED;
    missing += !has;
    if (!has && r->seconds_before > 0)
      known++, seconds += r->seconds_before;
    if (!has)
      printf("%s\n", r->is.command);
  }
  printf("%zu runs, %zu in the store", plan_count(p), there);
  if (failed)
    printf(" (%zu of them failed; --again runs those again)", failed);
  printf(", %zu to run", missing);
  if (known)
    print_time(known < missing ? ": at least " : ": about ", seconds / (double)(jobs ? jobs : 1));
  if (known && !jobs)
    printf(" of a processor");
  if (known && known < missing)
    printf(" (%zu have never run, their time is unknown)", missing - known);
  else if (missing && !known)
    printf("; the time is unknown, none of these programs has run before");
  putchar('\n');
}

// ---- results

static int write_out(const results *r, const char *file,
                     void (*print)(const results *r, FILE *to)) {
  out_file *f = file ? out_open(file) : NULL;
  if (file && !f)
    return cannot_write(file);
  if (f)
    print(r, out_stream(f));
  return !f || out_close(f) ? EXIT_OK : cannot_write(file);
}

typedef struct gpu_use {
  const gpu_table *table;
  bool used;
} gpu_use;

// gpu.ns: the time of a GPU for the program of a run.
static bool of_gpu(void *ctx, const plan_run *run, const char *name, double *to) {
  gpu_use *u = ctx;
  const gpu_row *row = gpu_find(u->table, run->is.program, run->is.arguments);
  if (!row || strcmp(name, "gpu.ns") != 0)
    return false;
  *to = row->ns;
  return u->used = true;
}

static int write_page(const options *o, const results *r, const plan *p, store *st, bool gpu) {
  const report_study_input in = {r, p, st, gpu ? gpu_assumptions() : NULL};
  if (!o->html)
    return EXIT_OK;
  return page_write(report_study_page(&in), o->html) ? EXIT_OK : cannot_write(o->html);
}

static int show(const options *o, const study *s, const plan *p, store *st) {
  char why[RESULT_WHY];
  gpu_use gpu = {o->table, false};
  results *r = results_of(s, p, st, of_gpu, &gpu, why, sizeof why);
  if (!r)
    return user_error("%s", why);
  for (const result_warning *w = r->warnings; w; w = w->next)
    fprintf(stderr, "mpu: %s\n", w->text);
  const char *const files[] = {o->csv, o->json, o->html, o->markdown};
  bool piped = false;
  for (size_t k = 0; k < sizeof files / sizeof *files; k++)
    piped = piped || (files[k] && strcmp(files[k], "-") == 0);
  if (!o->quiet && !piped)
    results_print(r, stdout);
  for (const char *const *line = gpu_assumptions(); gpu.used && !o->quiet && !piped && *line;
       line++)
    printf("%s%s\n", line == gpu_assumptions() ? "\n" : "", *line);
  int status = write_out(r, o->csv, results_csv);
  if (!status)
    status = write_out(r, o->json, results_json);
  if (!status)
    status = write_out(r, o->markdown, results_markdown);
  if (!status)
    status = write_page(o, r, p, st, gpu.used);
  if (!status && !o->report && (r->failed || r->missing))
    status = EXIT_FAILED;
  results_free(r);
  return status;
}

static void say_end(const pool_report *r, const store *s, bool quiet) {
  if (r->lost)
    user_error("%zu run%s not made: %s; the same command tries again", r->lost,
               r->lost == 1 ? " was" : "s were", r->lost_why);
  if (quiet)
    return;
  fprintf(stderr, "mpu: %zu runs made in %.0f s (%.0f s of processors), %zu were in the store",
          r->ran, r->seconds, r->cpu_seconds, r->there);
  if (r->failed)
    fprintf(stderr, "; %zu failed, mpu study --why says what they said", r->failed);
  fprintf(stderr, "; store %s\n", store_name(s));
}

static int run_study(const options *o, const study *s, plan *p, store *st, place *where) {
  char why[PLAN_WHY], left[PLACE_WHY];
  pool_report report;
  const pool_options how = {
      .place = where, .machines = machines_known(), .again = o->again, .quiet = o->quiet};
  const bool ok = pool_run(p, st, &how, &report, why), stays = where->ops->left(where, left);
  where->ops->stop(where);
  if (!ok)
    user_error("%s", why);
  if (stays)
    user_error("%s", left);
  if (!ok)
    return EXIT_USAGE;
  say_end(&report, st, o->quiet);
  if (report.stopped) {
    user_error("interrupted; the same command goes on where it was");
    return 130;
  }
  return show(o, s, p, st);
}

static int on_place(const options *o, const study *s, plan *p, store *st) {
  char why[PLACE_WHY];
  place *where = place_named(&o->place, why);
  return where ? run_study(o, s, p, st, where) : user_error("%s", why);
}

static int tell_why(const options *o, const study *s, const plan *p, store *st) {
  char why[RESULT_WHY];
  gpu_use gpu = {o->table, false};
  results *r = s ? results_of(s, p, st, of_gpu, &gpu, why, sizeof why) : NULL;
  const bool ok = (r || !s) && why_print(s, p, r, st, o->why, stdout, why);
  results_free(r);
  return ok ? EXIT_OK : user_error("%s", why);
}

static int with_store(const options *o, const study *s, plan *p, const char *file) {
  char why[STORE_WHY];
  const bool reads = o->dry || o->why || o->report;
  if (reads && access(file, F_OK)) {
    if (o->why)
      return user_error("'%s' is missing: run the study first, or name its store with --store",
                        file);
    pool_look(p, NULL, why);
    print_plan(p, o);
    return EXIT_OK;
  }
  store *st = store_open(file, !reads, why);
  if (!st)
    return user_error("%s", why);
  int status = EXIT_OK;
  if (reads && p && !pool_look(p, st, why))
    status = user_error("%s", why);
  else if (o->why)
    status = tell_why(o, s, p, st);
  else if (o->report)
    status = show(o, s, p, st);
  else if (o->dry)
    print_plan(p, o);
  else
    status = on_place(o, s, p, st);
  store_close(st);
  return status;
}

void study_store(const char *given, char *to, size_t bytes) {
  if (given)
    snprintf(to, bytes, "%s", given);
  else
    snprintf(to, bytes, "%.4000s/build/study.db", compile_root());
}

static int run_or_report(options *o) {
  char why[PLAN_WHY], file[PATH];
  if (check_writable(o->csv) || check_writable(o->json) || check_writable(o->html) ||
      check_writable(o->markdown) || gpu_open(o->gpu, &o->table))
    return EXIT_USAGE;
  o->place.jobs = o->jobs ? strtoul(o->jobs, NULL, 10) : 0;
  if (o->place.jobs > 4096)
    return user_error("--jobs takes a number up to 4096, not '%s'", o->jobs);
  if (o->threads && !start_threads_ok(o->threads))
    return EXIT_USAGE;
  o->plan.threads = o->place.threads = o->threads ? (unsigned)strtoul(o->threads, NULL, 10) : 1;
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
