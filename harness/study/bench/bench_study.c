// SPDX-License-Identifier: Apache-2.0
// mpu bench study: what store and pool of mpu study add to the time of its runs.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench.h"
#include "harness/base/children.h"
#include "harness/base/user_error.h"
#include "harness/cuda/driver/compile.h"
#include "harness/cuda/driver/temporary.h"

enum { PATH = 4096, RUNS = 8, TURNS = 5, FIRST = 14 };

static const double ceiling = 2;  // percent
static const char self[] = "/proc/self/exe";

typedef struct place {
  char folder[PATH - 16], program[PATH], file[PATH], store[PATH], stats[PATH];
} place;

static int prepare(place *p) {
  char text[2 * PATH], values[128] = "";
  if (!temporary_folder("mpu-bench", p->folder, sizeof p->folder))
    return user_error("cannot make a folder like '%s': %s", p->folder, strerror(errno));
  snprintf(p->program, sizeof p->program, "%.2000s/kernels/tiled/blur", compile_root());
  snprintf(p->file, sizeof p->file, "%s/bench.yaml", p->folder);
  snprintf(p->store, sizeof p->store, "%s/bench.db", p->folder);
  snprintf(p->stats, sizeof p->stats, "%s/stats.json", p->folder);
  for (int k = 0; k < RUNS; k++)
    snprintf(values + strlen(values), sizeof values - strlen(values), "%s%d", k ? ", " : "",
             FIRST + k);
  snprintf(text, sizeof text,
           "study: bench\nsets: {one: [%s]}\nfigures:\n  time:\n    sweep: {dram.tRP: [%s]}\n"
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
  unlink(p->stats);
  rmdir(p->folder);
}

static int direct(const place *p, double *seconds) {
  const double begun = seconds_now();
  for (int k = 0; k < RUNS; k++) {
    char set[32];
    snprintf(set, sizeof set, "dram.tRP=%d", FIRST + k);
    const char *const run[] = {self,      "run",      "-q",       "--near=c", "--threads",
                               "1",       "--config", "small",    "--set",    set,
                               "--stats", p->stats,   p->program, NULL};
    if (run_command(run, true))
      return user_error("a run of %s failed", p->program), EXIT_FAILED;
  }
  *seconds = seconds_now() - begun;
  return EXIT_OK;
}

static int by_study(const place *p, double *seconds) {
  const char *const study[] = {self,     "study", p->file, "--store", p->store,
                               "--jobs", "1",     "-q",    NULL};
  clean(p);
  const double begun = seconds_now();
  if (run_command(study, true))
    return user_error("mpu study failed"), EXIT_FAILED;
  *seconds = seconds_now() - begun;
  return EXIT_OK;
}

int bench_study(bool json) {
  place p;
  double best[2] = {0}, seconds = 0;
  int failed = prepare(&p);
  if (!failed)
    failed = direct(&p, &seconds);  // compiles it
  // in turns, so that what disturbs the host disturbs both; the fastest of each
  for (int n = 0; n < 2 * TURNS && !failed; n++) {
    failed = n % 2 ? by_study(&p, &seconds) : direct(&p, &seconds);
    if (n < 2 || seconds < best[n % 2])
      best[n % 2] = seconds;
  }
  remove_all(&p);
  if (failed)
    return failed;
  const double added = 100 * (best[1] / best[0] - 1);
  const bool ok = added <= ceiling;
  if (json)
    bench_json("study.added", "percent", "%.2f", added, 0, ceiling, ok);
  else
    printf(
        "study       %d runs one after the other %.3f s, as a study %.3f s: %+.2f %% (at most "
        "%.0f) "
        "%s\n",
        RUNS, best[0], best[1], added, ceiling, ok ? "ok" : "ABOVE THE CEILING");
  return ok ? EXIT_OK : EXIT_FAILED;
}
