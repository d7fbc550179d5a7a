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
  bool *handed;          // to the place, whose job outlives this process
  bool *adopted;         // its job is of another process
  size_t elsewhere;      // handed to other places, one of which `where` names
  char where[256];
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

static void end_line(pool *p) {
  if (p->line)
    fputs("\r\033[K", stderr);
  p->line = false;
}

static void say_note(pool *p) {
  char *note = p->o->place->note;
  if (*note) {
    end_line(p);
    fprintf(stderr, "mpu: %s\n", note);
  }
  *note = 0;
}

static void say(pool *p, const plan_run *last) {
  const double now = seconds_now();
  const bool terminal = isatty(STDERR_FILENO), failed = last && last->state == STORE_FAILED;
  char left[32];
  if (p->o->quiet || (!terminal && !failed && now - p->said < SAY_S))
    return;
  end_line(p);
  p->said = now;
  p->spent = now - p->begun;
  if (failed)
    fprintf(stderr, "mpu: run failed: %s\n", last->is.command);
  if (p->ended == p->n)
    return;
  const double seconds = rest(p);
  put_time(seconds, left, sizeof left);
  fprintf(stderr, "%s%zu of %zu runs%s%.0zu%s, %zu %s%s%s%s", terminal ? "" : "mpu: ", p->ended,
          p->n, p->report->failed ? ", " : "", p->report->failed,
          p->report->failed ? " failed" : "", p->active, p->o->place->ops->doing,
          isnan(seconds) ? "" : ", about ", isnan(seconds) ? "" : left,
          isnan(seconds) ? "" : " left");
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
  tree_file *f = row.statistics ? tree_parse("statistics", row.statistics, strlen(row.statistics),
                                             why, sizeof why)
                                : NULL;
  if (row.statistics &&
      (!f || !collect_values(&row, tree_top(f), p->o->machines, &counters, why))) {
    row.outcome = "error", row.message = why;
    values_free(&counters);
  }
  const tree *b = f ? tree_in(tree_top(f), "build") : NULL;
  snprintf(build, sizeof build, "%.60s %.60s", tree_text(tree_in(b, "release"), ""),
           tree_text(tree_in(b, "commit"), ""));
  row.build = b ? build : "";
  bool ok = store_finish(p->store, &row, &counters, p->why), ours = ok;
  tree_free(f);
  values_free(&counters);
  // of a job that was handed over, another process may have been first
  ok = (ok || p->handed[k]) && store_look(p->store, row.key, &state, &id, ours ? p->why : why) &&
       (ours || state == STORE_DONE || state == STORE_FAILED);
  if (!ok)
    return false;
  if (ours) {
    p->report->ran++;
    p->report->run_seconds += j->seconds;
    p->report->cpu_seconds += j->cpu_seconds;
  }
  end_run(p, k, state, id);
  say(p, r);
  return true;
}

// A result that is there, whoever made it. False: the store failed. *to: it was there.
static bool take_result(pool *p, size_t k, bool *to) {
  char folder[PATH], why[JOB_WHY];
  job_result j;
  bool there;
  folder_of(p, plan_at(p->plan, k), folder);
  *to = job_read(folder, &j, &there, why);
  if (!*to && there) {
    *to = true;
    snprintf(j.outcome, sizeof j.outcome, "error");
    snprintf(j.message, sizeof j.message, "%.900s", why);
  }
  if (!*to)
    return true;
  const bool ok = record(p, k, &j);
  free(j.statistics);
  p->o->place->ops->forget(p->o->place, folder);
  if (ok)
    job_remove(folder);
  return ok;
}

// A job that has left no result; the run is to blame.
static bool die(pool *p, size_t k, const place_how *how) {
  char folder[PATH];
  job_result j = {0};
  folder_of(p, plan_at(p->plan, k), folder);
  snprintf(j.outcome, sizeof j.outcome, "%s", how->outcome);
  snprintf(j.message, sizeof j.message, "%s", how->message);
  const bool ok = record(p, k, &j);
  p->o->place->ops->forget(p->o->place, folder);
  if (ok)
    job_remove(folder);
  return ok;
}

// A job that has left no result; the run is not to blame, and is as if it had not been started. One
// that another process has started is started again.
static bool lose(pool *p, size_t k, const place_how *how) {
  plan_run *r = plan_at(p->plan, k);
  char folder[PATH], where[256], why[STORE_WHY];
  store_state state;
  int64_t id;
  folder_of(p, r, folder);
  const bool given = p->handed[k] ? store_handed(p->store, r->is.key, where, sizeof where) &&
                                        store_take_back(p->store, r->is.key, where, why)
                                  : store_drop(p->store, r->is.key, why);
  p->o->place->ops->forget(p->o->place, folder);
  if (given)
    job_remove(folder);
  if (!store_look(p->store, r->is.key, &state, &id, p->why))
    return false;
  if (p->adopted[k] || !given) {  // or another process was first
    p->active--;
    p->state[k] = TO_DO;
    p->handed[k] = p->adopted[k] = false;
    r->state = state;
    return true;
  }
  p->report->lost++;
  snprintf(p->report->lost_why, sizeof p->report->lost_why, "%s", how->message);
  end_run(p, k, state, id);
  return true;
}

// ---- starting

static void activate(pool *p, size_t k, bool handed, bool adopted) {
  p->state[k] = ACTIVE;
  p->handed[k] = handed;
  p->adopted[k] = adopted;
  p->active++;
}

// What a process that was killed has left is used: its job first, which may end meanwhile.
static bool start(pool *p, size_t k) {
  plan_run *r = plan_at(p->plan, k);
  const place_ops *ops = p->o->place->ops;
  char folder[PATH];
  bool found, ended;
  folder_of(p, r, folder);
  if (!ops->find(p->o->place, folder, &found, p->why) || !take_result(p, k, &ended))
    return false;
  if (ended)
    return true;
  if (!found &&
      (!job_make(folder, &r->job, p->why) || !ops->add(p->o->place, folder, &r->job, p->why)))
    return false;
  activate(p, k, false, found);
  return true;
}

// A run that somebody has claimed: of a batch system it may be ours.
static bool adopt(pool *p, size_t k) {
  plan_run *r = plan_at(p->plan, k);
  char folder[PATH], where[256];
  bool ended;
  folder_of(p, r, folder);
  if (!store_handed(p->store, r->is.key, where, sizeof where))
    return true;
  p->handed[k] = true;
  if (p->o->place->ops->adopt && p->o->place->ops->adopt(p->o->place, folder, where))
    return activate(p, k, true, true), true;
  if (!take_result(p, k, &ended))
    return false;
  if (ended)
    return true;
  p->elsewhere++;
  snprintf(p->where, sizeof p->where, "%s", where);
  return true;
}

static bool try_run(pool *p, size_t k) {
  plan_run *r = plan_at(p->plan, k);
  store_state state;
  p->handed[k] = false;
  if (!store_claim(p->store, &r->is, p->o->again, &state, p->why))
    return false;
  if (state == STORE_MINE)
    return start(p, k);
  if (state == STORE_RUNNING)
    return adopt(p, k);
  int64_t id;
  if (!store_look(p->store, r->is.key, &state, &id, p->why))
    return false;
  if (state == STORE_DONE || state == STORE_FAILED)
    end_run(p, k, state, id);
  return true;
}

// Does nothing go on but what another place has to collect?
static bool is_stuck(pool *p) {
  if (!p->elsewhere || p->active || p->ended + p->elsewhere < p->n)
    return false;
  snprintf(p->why, PLAN_WHY, "%zu run%s with another place ('%s'): mpu study --on %.*s collects %s",
           p->elsewhere, p->elsewhere == 1 ? " is" : "s are", p->where, (int)strcspn(p->where, " "),
           p->where, p->elsewhere == 1 ? "it" : "them");
  return true;
}

static bool start_more(pool *p) {
  const double now = seconds_now();
  const bool others = now - p->looked >= OTHERS_S;  // those of other processes are looked at again
  bool added = false;
  if (others)
    p->elsewhere = 0;
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
  if (others && is_stuck(p))
    return false;
  return !added || stopped || p->o->place->ops->flush(p->o->place, p->why);
}

// Jobs that outlive this process are handed over as soon as they have a name.
static bool hand_over(pool *p) {
  for (size_t k = 0; k < p->n && p->o->place->ops->where; k++) {
    char folder[PATH], why[STORE_WHY];
    plan_run *r = plan_at(p->plan, k);
    if (p->state[k] != ACTIVE || p->handed[k])
      continue;
    folder_of(p, r, folder);
    const char *name = p->o->place->ops->where(p->o->place, folder);
    if (name && !store_hand(p->store, r->is.key, name, why))
      return snprintf(p->why, PLAN_WHY, "%s", why), false;
    p->handed[k] = name;
  }
  return true;
}

// A place says first whether a job is gone, and then its result is looked for: otherwise one that
// comes between is lost.
static bool take_results(pool *p) {
  for (size_t k = 0; k < p->n; k++) {
    char folder[PATH];
    place_how how = {0};
    bool ended;
    if (p->state[k] != ACTIVE)
      continue;
    folder_of(p, plan_at(p->plan, k), folder);
    const place_end end = p->o->place->ops->gone(p->o->place, folder, &how);
    if (end == PLACE_BUSY)
      continue;
    if (!take_result(p, k, &ended))
      return false;
    if (!ended && !(end == PLACE_DIED ? die : lose)(p, k, &how))
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
  p->handed = calloc(p->n + 1, sizeof *p->handed);
  p->adopted = calloc(p->n + 1, sizeof *p->adopted);
  if (!p->order || !p->state || !p->handed || !p->adopted)
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
  if (p->ended == p->n)
    return true;
  if (!p->o->place->ops->open(p->o->place, p->why))
    return false;
  if (!mkdir(folder, 0777) || errno == EEXIST)
    return true;
  snprintf(p->why, PLAN_WHY, "cannot make the folder '%.512s': %s", folder, strerror(errno));
  return false;
}

static bool work(pool *p) {
  while (p->ended < p->n && !stopped) {
    const bool started = start_more(p);
    if (!hand_over(p) || !started)
      return false;
    say_note(p);
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
  char why[STORE_WHY], folder[PATH];
  for (size_t k = 0; k < p->n; k++) {
    plan_run *r = plan_at(p->plan, k);
    if (p->state[k] != ACTIVE || p->handed[k])
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
  end_line(&p);
  say_note(&p);
  give_back(&p);
  sigaction(SIGINT, &before[0], NULL);
  sigaction(SIGTERM, &before[1], NULL);
  snprintf(folder, sizeof folder, "%.4000s.jobs", store_name(s));
  rmdir(folder);  // when nothing is left in it
  to->seconds = seconds_now() - p.begun;
  to->stopped = stopped != 0;
  free(p.order);
  free(p.state);
  free(p.handed);
  free(p.adopted);
  return ok;
}
