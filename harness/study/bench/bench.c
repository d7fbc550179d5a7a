// SPDX-License-Identifier: Apache-2.0
// Speed, as figures: what benchmarks share, and the functional machine. One JSON object a line:
// name, value, unit, floor, ok.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench.h"
#include "harness/base/json.h"
#include "harness/base/user_error.h"
#include "harness/cuda/driver/compile.h"
#include "harness/cuda/driver/start.h"
#include "harness/cuda/driver/temporary.h"

enum { PATH = 4096, RUNS = 3 };

static const struct {
  const char *name;
  const char *args[6];
} isa_programs[] = {
    {"axpy", {"--n", "8388608", NULL}},
    {"blur", {"--width", "2048", "--height", "2048", NULL}},
    {"nw", {"--n", "1024", NULL}},
};
static const double isa_floor = 5e6;

void bench_json(const char *name, const char *unit, const char *format, double value, double floor,
                double ceiling, bool ok) {
  json_writer j = jw_to(stdout);
  jw_object(&j, NULL);
  jw_text(&j, "name", name);
  jw_number(&j, "value", format, value);
  jw_text(&j, "unit", unit);
  if (ceiling > 0)
    jw_number(&j, "ceiling", "%g", ceiling);
  else if (floor > 0)
    jw_number(&j, "floor", "%.9g", floor);
  else
    jw_null(&j, "floor");
  jw_truth(&j, "ok", ok);
  jw_end(&j);
  putchar('\n');
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

int bench_compile(const char *name, char *program, size_t bytes) {
  char source[PATH];
  compile_options o = compile_options_default();
  snprintf(source, sizeof source, "%s/kernels/plain/%s/%s.cu", compile_root(), name, name);
  return compile_cached(source, &o, program, bytes);
}

int bench_temporary(char *to, size_t bytes) {
  if (temporary_file("mpu-bench", to, bytes))
    return EXIT_OK;
  return user_error("cannot make a file like '%s': %s", to, strerror(errno));
}

int bench_run(const char *program, const char *const *args, stats_file *to) {
  const char *call[8] = {program};
  char stats[PATH], why[PATH + 512];
  if (bench_temporary(stats, sizeof stats))
    return EXIT_USAGE;
  start_large_pages();
  setenv("MPU_STATS", stats, 1);
  unsetenv("MPU_REPORT");
  unsetenv("MPU_PROGRESS");
  for (size_t a = 0; args[a]; a++)
    call[a + 1] = args[a];
  const int status = run_command(call, true);
  const bool read = !status && stats_read_run(stats, to, why, sizeof why);
  unlink(stats);
  if (status)
    return user_error("%s failed with status %d", program, status), EXIT_FAILED;
  return read ? EXIT_OK : (user_error("%s", why), EXIT_FAILED);
}

int bench_median(const char *program, const char *const *args, bench_figure *of, double *median) {
  double runs[RUNS];
  stats_file report;
  for (int n = 0; n < RUNS; n++) {
    const int status = bench_run(program, args, &report);
    if (status)
      return status;
    runs[n] = of(&report);
  }
  qsort(runs, RUNS, sizeof *runs, by_value);
  *median = runs[RUNS / 2];
  return EXIT_OK;
}

static double isa_speed(const stats_file *r) {
  return r->host_seconds > 0 ? (double)r->run.warp_instructions / r->host_seconds : 0;
}

// Warp instructions a second of the programs.
int bench_isa(bool json) {
  int status = EXIT_OK;
  unsetenv("MPU_NEAR");
  for (size_t n = 0; n < sizeof isa_programs / sizeof *isa_programs; n++) {
    char program[PATH];
    double speed = 0;
    int failed = bench_compile(isa_programs[n].name, program, sizeof program);
    if (!failed)
      failed = bench_median(program, isa_programs[n].args, isa_speed, &speed);
    if (failed)
      return failed;
    bool ok = speed >= isa_floor;
    if (!ok)
      status = EXIT_FAILED;
    char name[64];
    snprintf(name, sizeof name, "isa.%s", isa_programs[n].name);
    if (json)
      bench_json(name, "warp instructions/s", "%.0f", speed, isa_floor, 0, ok);
    else
      printf("isa.%-6s %6.1f M warp instructions/s  (floor %.0f M, %.1fx) %s\n",
             isa_programs[n].name, speed * 1e-6, isa_floor * 1e-6, speed / isa_floor,
             ok ? "ok" : "BELOW THE FLOOR");
    fflush(stdout);
  }
  return status;
}
