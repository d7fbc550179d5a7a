// SPDX-License-Identifier: Apache-2.0
#include "pool.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "harness/base/children.h"

enum { PATH = 4200, WAIT_MS = 500, OTHERS_S = 1, SAY_S = 10 };

typedef enum progress_of { TO_DO, ACTIVE, ENDED } progress_of;

typedef struct pool {
  plan *plan;
  store *store;
  const pool_options *o;
  pool_report *report;
  char *why;
  size_t n, active, ended;
  size_t *order;         // runs, the longest first
  unsigned char *state;  // progress_of each run
  double begun, looked, said, spent;
  bool line;  // a line of progress is on the terminal
} pool;

static volatile sig_atomic_t stopped;

static void on_signal(int number) {
  stopped = number;
}

static void folder_of(const pool *p, const plan_run *r, char to[PATH]) {
  snprintf(to, PATH, "%.4000s.jobs/%s", store_name(p->store), r->is.key);
}

// ---- how far it is

static void put_time(double seconds, char *to, size_t bytes) {
  if (seconds < 100)
    snprintf(to, bytes, "%.0f s", seconds);
  else if (seconds < 6000)
    snprintf(to, bytes, "%.0f min", seconds / 60);
  else
    snprintf(to, bytes, "%.1f h", seconds / 3600);
}

// Seconds that are left: what runs took before, or what those of this study took on average.
static double rest(const pool *p) {
  const size_t ran = p->report->ran;
  const double mean = ran ? p->report->run_seconds / (double)ran : 0;
  double sum = 0;
  for (size_t k = 0; k < p->n; k++)
    if (p->state[k] != ENDED) {
      const double before = plan_at(p->plan, k)->seconds_before;
      sum += before > 0 ? before : mean;
    }
  const double rate = p->spent > 0 ? p->report->run_seconds / p->spent : 0;
  return rate > 0 ? sum / rate : NAN;
}

static void say(pool *p, const plan_run *last) {
  const double now = seconds_now();
  const bool terminal = isatty(STDERR_FILENO), failed = last && last->state == STORE_FAILED;
  char left[32];
  if (p->o->quiet || (!terminal && !failed && now - p->said < SAY_S))
    return;
  if (p->line)
    fputs("\r\033[K", stderr);
  p->line = false;
  p->said = now;
  p->spent = now - p->begun;
  if (failed)
    fprintf(stderr, "mpu: run failed: %s\n", last->is.command);
  if (p->ended == p->n)
    return;
  const double seconds = rest(p);
  put_time(seconds, left, sizeof left);
  fprintf(stderr, "%s%zu of %zu runs%s%.0zu%s, %zu running%s%s%s",
          terminal ? "" : "mpu: ", p->ended, p->n, p->report->failed ? ", " : "", p->report->failed,
          p->report->failed ? " failed" : "", p->active, isnan(seconds) ? "" : ", about ",
          isnan(seconds) ? "" : left, isnan(seconds) ? "" : " left");
  fputs(terminal ? "" : "\n", stderr);
  fflush(stderr);
  p->line = terminal;
}

// ---- results

static void end_run(pool *p, size_t k, store_state state, int64_t id) {
  plan_run *r = plan_at(p->plan, k);
  if (p->state[k] == ACTIVE)
    p->active--;
  p->state[k] = ENDED;
  p->ended++;
  r->state = state, r->id = id;
  if (state == STORE_FAILED)
    p->report->failed++;
}

// Puts the result of a job into the store.
static bool record(pool *p, size_t k, job_result *j) {
  plan_run *r = plan_at(p->plan, k);
  store_run row = r->is;
  values counters = {0};
  char why[PLAN_WHY], build[128] = "";
  int64_t id = 0;
  store_state state = STORE_NONE;
  row.outcome = j->outcome, row.message = j->message, row.host = j->host, row.started = j->started;
  row.seconds = j->seconds, row.cpu_seconds = j->cpu_seconds, row.memory = j->memory;
  row.statistics = j->statistics;
  if (!collect_values(&row, p->o->machines, &counters, why)) {
    row.outcome = "error", row.message = why;
    values_free(&counters);
  }
  tree_file *f = row.statistics ? tree_parse("statistics", row.statistics, strlen(row.statistics),
                                             build, sizeof build)
                                : NULL;
  const tree *b = f ? tree_in(tree_top(f), "build") : NULL;
  snprintf(build, sizeof build, "%.60s %.60s", tree_text(tree_in(b, "release"), ""),
           tree_text(tree_in(b, "commit"), ""));
  row.build = b ? build : "";
  const bool ok = store_finish(p->store, &row, &counters, p->why) &&
                  store_look(p->store, row.key, &state, &id, p->why);
  tree_free(f);
  values_free(&counters);
  if (!ok)
    return false;
  p->report->ran++;
  p->report->run_seconds += j->seconds;
  p->report->cpu_seconds += j->cpu_seconds;
  end_run(p, k, state, id);
  say(p, r);
  return true;
}

// A job that has ended, whoever started it. False: the store failed. *to: it has.
static bool take_result(pool *p, size_t k, bool gone, bool *to) {
  char folder[PATH], why[JOB_WHY];
  job_result j;
  bool there;
  folder_of(p, plan_at(p->plan, k), folder);
  *to = job_read(folder, &j, &there, why);
  if (!*to && !there && !gone)
    return true;
  if (!*to) {
    *to = true;
    snprintf(j.outcome, sizeof j.outcome, "%s", there ? "error" : "killed");
    snprintf(j.message, sizeof j.message, "%.900s",
             there ? why : "its process was gone before it wrote a result");
  }
  const bool ok = record(p, k, &j);
  free(j.statistics);
  p->o->place->ops->forget(p->o->place, folder);
  if (ok)
    job_remove(folder);
  return ok;
}

// ---- starting

static bool start(pool *p, size_t k) {
  plan_run *r = plan_at(p->plan, k);
  char folder[PATH];
  bool ended;
  folder_of(p, r, folder);
  if (!take_result(p, k, false, &ended))
    return false;
  if (ended)  // a process that was killed has left it
    return true;
  if (!job_make(folder, &r->job, p->why) || !p->o->place->ops->add(p->o->place, folder, p->why))
    return false;
  p->state[k] = ACTIVE;
  p->active++;
  return true;
}

// A run that somebody has claimed: of a batch system it may be ours.
static void adopt(pool *p, size_t k) {
  plan_run *r = plan_at(p->plan, k);
  char folder[PATH], where[256];
  folder_of(p, r, folder);
  if (store_handed(p->store, r->is.key, where, sizeof where) &&
      p->o->place->ops->adopt(p->o->place, folder, where)) {
    p->state[k] = ACTIVE;
    p->active++;
  }
}

static bool try_run(pool *p, size_t k) {
  plan_run *r = plan_at(p->plan, k);
  store_state state;
  if (!store_claim(p->store, &r->is, p->o->again, &state, p->why))
    return false;
  if (state == STORE_MINE)
    return start(p, k);
  if (state == STORE_RUNNING)
    return adopt(p, k), true;
  int64_t id;
  if (!store_look(p->store, r->is.key, &state, &id, p->why))
    return false;
  if (state == STORE_DONE || state == STORE_FAILED)
    end_run(p, k, state, id);
  return true;
}

static bool start_more(pool *p) {
  const double now = seconds_now();
  const bool others = now - p->looked >= OTHERS_S;  // those of other processes are looked at again
  bool added = false;
  for (size_t n = 0; n < p->n && p->active < p->o->place->capacity && !stopped; n++) {
    const size_t k = p->order[n];
    if (p->state[k] != TO_DO || (plan_at(p->plan, k)->state == STORE_RUNNING && !others))
      continue;
    if (!try_run(p, k))
      return false;
    if (p->state[k] == TO_DO)
      plan_at(p->plan, k)->state = STORE_RUNNING;
    added = added || p->state[k] == ACTIVE;
  }
  if (others)
    p->looked = now;
  return !added || p->o->place->ops->flush(p->o->place, p->why);
}

// Jobs that outlive this process are handed over as soon as they have a name.
static bool hand_over(pool *p) {
  for (size_t k = 0; k < p->n; k++) {
    char folder[PATH], where[256];
    plan_run *r = plan_at(p->plan, k);
    if (p->state[k] != ACTIVE)
      continue;
    folder_of(p, r, folder);
    const char *name = p->o->place->ops->where(p->o->place, folder);
    if (name && !store_handed(p->store, r->is.key, where, sizeof where) &&
        !store_hand(p->store, r->is.key, name, p->why))
      return false;
  }
  return true;
}

static bool take_results(pool *p) {
  for (size_t k = 0; k < p->n; k++) {
    char folder[PATH];
    bool ended;
    if (p->state[k] != ACTIVE)
      continue;
    folder_of(p, plan_at(p->plan, k), folder);
    // first gone, then the result: otherwise one that comes between is lost
    const bool gone = p->o->place->ops->gone(p->o->place, folder);
    if (!take_result(p, k, gone, &ended))
      return false;
  }
  return true;
}

// ---- the whole

bool pool_look(plan *p, store *s, char *why) {
  for (size_t k = 0; k < plan_count(p); k++) {
    plan_run *r = plan_at(p, k);
    if (!s)
      r->state = STORE_NONE;
    else if (!store_look(s, r->is.key, &r->state, &r->id, why))
      return false;
    if (s && r->seconds_before <= 0)
      r->seconds_before =
          store_seconds(s, r->is.program, r->is.arguments, r->is.near, r->is.configuration_hash);
  }
  return true;
}

static int longest_first(const void *a, const void *b, void *ordered) {
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  const double s = plan_at(ordered, x)->seconds_before, t = plan_at(ordered, y)->seconds_before;
  return s != t ? (s < t) - (s > t) : (x > y) - (x < y);
}

static bool begin(pool *p) {
  char folder[PATH];
  p->n = plan_count(p->plan);
  p->order = calloc(p->n + 1, sizeof *p->order);
  p->state = calloc(p->n + 1, 1);
  if (!p->order || !p->state)
    abort();
  if (!pool_look(p->plan, p->store, p->why))
    return false;
  for (size_t k = 0; k < p->n; k++) {
    plan_run *r = plan_at(p->plan, k);
    p->order[k] = k;
    if (r->state == STORE_DONE || (r->state == STORE_FAILED && !p->o->again)) {
      p->report->there++;
      end_run(p, k, r->state, r->id);
      folder_of(p, r, folder);
      job_remove(folder);  // a process that was killed may have left it
    }
  }
  qsort_r(p->order, p->n, sizeof *p->order, longest_first, p->plan);
  snprintf(folder, sizeof folder, "%.4000s.jobs", store_name(p->store));
  if (p->ended == p->n || !mkdir(folder, 0777) || errno == EEXIST)
    return true;
  snprintf(p->why, PLAN_WHY, "cannot make the folder '%.512s': %s", folder, strerror(errno));
  return false;
}

static bool work(pool *p) {
  while (p->ended < p->n && !stopped) {
    if (!start_more(p) || !hand_over(p))
      return false;
    say(p, NULL);
    if (p->ended < p->n && !stopped)
      p->o->place->ops->wait(p->o->place, WAIT_MS);
    if (!take_results(p))
      return false;
  }
  return true;
}

// What this process has claimed and does not end is free again.
static void give_back(pool *p) {
  char why[STORE_WHY], folder[PATH], where[256];
  for (size_t k = 0; k < p->n; k++) {
    plan_run *r = plan_at(p->plan, k);
    if (p->state[k] != ACTIVE || store_handed(p->store, r->is.key, where, sizeof where))
      continue;
    folder_of(p, r, folder);
    p->o->place->ops->forget(p->o->place, folder);
    job_remove(folder);
    store_drop(p->store, r->is.key, why);
  }
}

bool pool_run(plan *pl, store *s, const pool_options *o, pool_report *to, char *why) {
  pool p = {.plan = pl, .store = s, .o = o, .report = to, .why = why, .begun = seconds_now()};
  struct sigaction act = {.sa_handler = on_signal}, before[2];
  char folder[PATH];
  *to = (pool_report){0};
  stopped = 0;
  sigaction(SIGINT, &act, &before[0]);
  sigaction(SIGTERM, &act, &before[1]);
  const bool ok = begin(&p) && work(&p);
  if (p.line)
    fputs("\r\033[K", stderr);
  give_back(&p);
  sigaction(SIGINT, &before[0], NULL);
  sigaction(SIGTERM, &before[1], NULL);
  snprintf(folder, sizeof folder, "%.4000s.jobs", store_name(s));
  rmdir(folder);  // when nothing is left in it
  to->seconds = seconds_now() - p.begun;
  to->stopped = stopped != 0;
  free(p.order);
  free(p.state);
  return ok;
}
