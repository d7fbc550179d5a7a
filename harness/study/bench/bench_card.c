// SPDX-License-Identifier: Apache-2.0
// mpu bench card: what driver, ring and card in SystemC add to the host's time of whole programs.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "bench.h"
#include "harness/base/user_error.h"

enum { PATH = 4096, TURNS = 7 };

static const char *const programs[] = {"axpy", "blur", "conv", "gemv", "hist",   "kmeans",
                                       "knn",  "maxp", "nw",   "pr",   "ttrans", "upsamp"};
static const double ceiling = 10;  // percent, of all programs together

// Processor seconds of the processes that have been waited for.
static double children(void) {
  struct rusage u;
  getrusage(RUSAGE_CHILDREN, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

// Of one run; *cycles: of its kernels.
static int run(const char *program, const char *device, double *seconds, uint64_t *cycles) {
  static const char *const none[] = {NULL};
  stats_file report;
  setenv("MPU_DEVICE", device, 1);
  const double before = children();
  const int failed = bench_run(program, none, &report);
  *seconds = children() - before;
  *cycles = failed ? 0 : report.run.core_cycles;
  return failed;
}

// In turns, so that what disturbs the host disturbs both; the fastest of each.
static int compare(const char *name, double best[2]) {
  static const char *const devices[2] = {"direct", "card"};
  char program[PATH];
  uint64_t cycles[2];
  int failed = bench_compile(name, program, sizeof program);
  for (int n = 0; n < 2 * TURNS && !failed; n++) {
    double seconds;
    failed = run(program, devices[n % 2], &seconds, &cycles[n % 2]);
    if (n < 2 || seconds < best[n % 2])
      best[n % 2] = seconds;
    if (!failed && n % 2 && cycles[0] != cycles[1])
      failed = (user_error("%s takes other cycles on the card", name), EXIT_FAILED);
  }
  return failed;
}

static double percent(const double t[2]) {
  return 100 * (t[1] - t[0]) / t[0];
}

int bench_card(bool json) {
  double all[2] = {0, 0};
  setenv("MPU_NEAR", "c", 1);
  for (size_t n = 0; n < sizeof programs / sizeof *programs; n++) {
    double best[2];
    char full[40];
    const int failed = compare(programs[n], best);
    if (failed)
      return failed;
    all[0] += best[0], all[1] += best[1];
    snprintf(full, sizeof full, "card.%s.added", programs[n]);
    if (json)
      bench_json(full, "percent", "%.1f", percent(best), 0, 0, true);
    else
      printf("card.%-6s %6.1f ms without, %6.1f ms with the card: %+.1f %%\n", programs[n],
             1e3 * best[0], 1e3 * best[1], percent(best));
    fflush(stdout);
  }
  const bool ok = percent(all) <= ceiling;
  if (json)
    bench_json("card.added", "percent", "%.1f", percent(all), 0, ceiling, ok);
  else
    printf("card.all    %6.1f ms without, %6.1f ms with the card: %+.1f %% (at most %.0f) %s\n",
           1e3 * all[0], 1e3 * all[1], percent(all), ceiling, ok ? "ok" : "ABOVE THE CEILING");
  return ok ? EXIT_OK : EXIT_FAILED;
}
