// SPDX-License-Identifier: Apache-2.0
// mpu bench core: host time of programs on one core, and what it adds to that of the models in it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "harness/base/user_error.h"

enum { PATH = 4096, OVERHEAD_RUNS = 8, ARGS = 5 };

// Sizes that take about a second and more: with the near side in C, and with Verilog in it. A run
// may take no longer than one of the machine that answered each packet took at a million
// cycles a second, 0.1 million in Verilog: 2,068,618 cycles and 179,164 (docs/verification.md).
static const struct {
  const char *name;
  const char *c[ARGS], *rtl[ARGS];
  double most_c, most_rtl;  // seconds; 0: any
} programs[] = {
    {"axpy", {"--n", "4194304"}, {"--n", "524288"}, 2.07, 1.79},
    {"blur", {"--width", "1024", "--height", "1024"}, {"--width", "384", "--height", "384"}, 0, 0},
    {"nw", {"--n", "64"}, {"--n", "16"}, 0, 0},
    {"pr", {"--n", "524288"}, {"--n", "131072"}, 0, 0},
};
static const char *const overhead_args[] = {"--n", "131072", NULL};
static const double overhead_ceiling = 15;  // percent

static bool print_time(bool json, const char *name, const char *mode, double seconds, double most) {
  const bool ok = most <= 0 || seconds <= most;
  char full[80];
  snprintf(full, sizeof full, "core.%s.%s", name, mode);
  if (json)
    bench_json(full, "s", "%.3f", seconds, 0, most, ok);
  else if (most > 0)
    printf("core.%-4s %-8s %7.3f s  (at most %.2f s) %s\n", name, mode, seconds, most,
           ok ? "ok" : "ABOVE THE CEILING");
  else
    printf("core.%-4s %-8s %7.3f s\n", name, mode, seconds);
  fflush(stdout);
  return ok;
}

static double seconds_of(const stats_file *r) {
  return r->host_seconds;
}

static int times(bool json, bool *ok) {
  static const char *const modes[] = {"c", "rtl", "lockstep"};
  for (size_t n = 0; n < sizeof programs / sizeof *programs; n++) {
    char program[PATH];
    int failed = bench_compile(programs[n].name, program, sizeof program);
    for (size_t m = 0; m < sizeof modes / sizeof *modes && !failed; m++) {
      double seconds = 0;
      setenv("MPU_NEAR", modes[m], 1);
      failed = bench_median(program, m ? programs[n].rtl : programs[n].c, seconds_of, &seconds);
      if (!failed)
        *ok &= print_time(json, programs[n].name, modes[m], seconds,
                          m == 0   ? programs[n].most_c
                          : m == 1 ? programs[n].most_rtl
                                   : 0);
    }
    if (failed)
      return failed;
  }
  return EXIT_OK;
}

// One run whose models are recorded: seconds of their edges alone.
static int bare(const char *program, double *seconds) {
  char record[PATH];
  stats_file report;
  const char *library = getenv("MPU_RTL_LIBRARY");
  char *models = strdup(library && *library ? library : NEARBANK_BUILD "/libnearrtl.so");
  if (!models)
    abort();
  if (bench_temporary(record, sizeof record)) {
    free(models);
    return EXIT_USAGE;
  }
  setenv("MPU_RECORD_OF", models, 1);
  setenv("MPU_RECORD", record, 1);
  setenv("MPU_RTL_LIBRARY", NEARBANK_BUILD "/libnearrecord.so", 1);
  int failed = bench_run(program, overhead_args, &report);
  setenv("MPU_RTL_LIBRARY", models, 1);
  size_t bytes;
  char *said = failed ? NULL : read_file(record, &bytes);
  *seconds = 0;
  if (said && bytes)  // of harness/study/bench/record.c
    sscanf(said, "{\"seconds\": %lf", seconds);
  free(said);
  free(models);
  unlink(record);
  if (!failed && *seconds <= 0)
    failed = (user_error("the models were not recorded"), EXIT_FAILED);
  return failed;
}

static int overhead(bool json, bool *ok) {
  char program[PATH];
  stats_file report;
  double alone = 0, whole = 0, cycles = 0;
  setenv("MPU_NEAR", "rtl", 1);
  int failed = bench_compile("axpy", program, sizeof program);
  // in turns: what disturbs the host disturbs both
  for (int n = 0; n < OVERHEAD_RUNS && !failed; n++) {
    double models = 0;
    failed = bare(program, &models);
    if (!failed)
      failed = bench_run(program, overhead_args, &report);
    if (failed)
      break;
    const double took = report.cpu_seconds;
    alone = n == 0 || models < alone ? models : alone;
    whole = n == 0 || took < whole ? took : whole;
    cycles = (double)report.run.core_cycles;
  }
  if (!failed && cycles <= 0)
    failed = (user_error("the run took no cycles"), EXIT_FAILED);
  if (failed)
    return failed;
  const double added = 100 * (whole - alone) / alone;
  const bool good = added <= overhead_ceiling;
  *ok &= good;
  if (json) {
    bench_json("core.rtl.models", "ns/cycle", "%.1f", 1e9 * alone / cycles, 0, 0, true);
    bench_json("core.rtl.run", "ns/cycle", "%.1f", 1e9 * whole / cycles, 0, 0, true);
    bench_json("core.rtl.added", "percent", "%.1f", added, 0, overhead_ceiling, good);
  } else
    printf("core.rtl: %.0f ns a cycle, its models alone %.0f ns: %.1f %% added (at most %.0f) %s\n",
           1e9 * whole / cycles, 1e9 * alone / cycles, added, overhead_ceiling,
           good ? "ok" : "ABOVE THE CEILING");
  return EXIT_OK;
}

int bench_core(bool json, const config *c) {
  bool ok = true;
  char flat[CONFIG_FLAT];
  config_write_flat(c, flat, sizeof flat);
  setenv("MPU_CONFIG", flat, 1);
  int failed = times(json, &ok);
  if (!failed)
    failed = overhead(json, &ok);
  return failed ? failed : ok ? EXIT_OK : EXIT_FAILED;
}
