// SPDX-License-Identifier: Apache-2.0
// mpu bench study: what store and pool of mpu study add to the time of its runs. The runs
// take a second or two; their times are those in the store, of the same study, since two turns on
// a host differ by more than what is looked for.
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench.h"
#include "harness/base/children.h"
#include "harness/base/user_error.h"
#include "harness/cuda/driver/compile.h"
#include "harness/cuda/driver/temporary.h"

enum { PATH = 4096, RUNS = 8, TURNS = 3, FIRST = 14 };

static const double ceiling = 2;  // percent
static const char self[] = "/proc/self/exe";

typedef struct place {
  char folder[PATH - 16], program[PATH], file[PATH], store[PATH];
} place;

static int prepare(place *p) {
  char text[2 * PATH], values[128] = "";
  if (!temporary_folder("mpu-bench", p->folder, sizeof p->folder))
    return user_error("cannot make a folder like '%s': %s", p->folder, strerror(errno));
  snprintf(p->program, sizeof p->program, "%.2000s/kernels/tiled/blur", compile_root());
  snprintf(p->file, sizeof p->file, "%s/bench.yaml", p->folder);
  snprintf(p->store, sizeof p->store, "%s/bench.db", p->folder);
  for (int k = 0; k < RUNS; k++)
    snprintf(values + strlen(values), sizeof values - strlen(values), "%s%d", k ? ", " : "",
             FIRST + k);
  snprintf(text, sizeof text,
           "study: bench\nsets: {one: [{program: '%s', arguments: --height 1024}]}\nfigures:\n  "
           "time:\n    sweep: {dram.tRP: [%s]}\n"
           "    columns: {cycles: cycles}\n",
           p->program, values);
  return write_file(p->file, text, strlen(text)) ? EXIT_OK : EXIT_USAGE;
}

static void clean(const place *p) {
  static const char *const ends[] = {"", ".lock", "-wal", "-shm", "-journal"};
  char name[PATH + 16];
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
    snprintf(name, sizeof name, "%s%s", p->store, ends[k]);
    unlink(name);
  }
}

static void remove_all(const place *p) {
  clean(p);
  unlink(p->file);
  rmdir(p->folder);
}

static int compile(const place *p) {
  const char *const run[] = {self, "run", "-q", "--near=c", "--config", "small", p->program, NULL};
  return run_command(run, true) ? user_error("a run of %s failed", p->program),
         EXIT_FAILED            : EXIT_OK;
}

static double time_in_runs(const place *p) {
  sqlite3 *db = NULL;
  sqlite3_stmt *q = NULL;
  double seconds = 0;
  if (sqlite3_open_v2(p->store, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(db, "select sum(seconds) from runs where outcome = 'pass'", -1, &q,
                         NULL) == SQLITE_OK &&
      sqlite3_step(q) == SQLITE_ROW)
    seconds = sqlite3_column_double(q, 0);
  sqlite3_finalize(q);
  sqlite3_close(db);
  return seconds;
}

// *runs: the time in the runs; *all: of the whole command.
static int by_study(const place *p, double *runs, double *all) {
  const char *const study[] = {self,     "study", p->file, "--store", p->store,
                               "--jobs", "1",     "-q",    NULL};
  clean(p);
  const double begun = seconds_now();
  if (run_command(study, true))
    return user_error("mpu study failed"), EXIT_FAILED;
  *all = seconds_now() - begun;
  *runs = time_in_runs(p);
  return *runs > 0 ? EXIT_OK : (user_error("'%s' has no runs", p->store), EXIT_FAILED);
}

int bench_study(bool json) {
  place p;
  double best_runs = 0, best_all = 0, added = 0;
  int failed = prepare(&p);
  if (!failed)
    failed = compile(&p);
  for (int n = 0; n < TURNS && !failed; n++) {
    double runs, all;
    failed = by_study(&p, &runs, &all);
    const double more = failed ? 0 : 100 * (all / runs - 1);
    if (!n || more < added)
      best_runs = runs, best_all = all, added = more;
  }
  remove_all(&p);
  if (failed)
    return failed;
  const bool ok = added <= ceiling;
  if (json)
    bench_json("study.added", "percent", "%.2f", added, 0, ceiling, ok);
  else
    printf(
        "study       %d runs %.3f s, the study with them %.3f s: %+.2f %% (at most %.0f) %s; "
        "%.1f ms a run\n",
        RUNS, best_runs, best_all, added, ceiling, ok ? "ok" : "ABOVE THE CEILING",
        1000 * (best_all - best_runs) / RUNS);
  return ok ? EXIT_OK : EXIT_FAILED;
}
