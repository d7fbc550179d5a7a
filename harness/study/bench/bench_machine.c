// SPDX-License-Identifier: Apache-2.0
// mpu bench machine: core cycles a second of 128 cores, what the second thread brings, how the cost
// of a warp instruction depends on cores and size, what idle cores cost; and all workloads at paper
// size.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "harness/base/user_error.h"

enum { PATH = 4096, ARGS = 5, RUNS = 3, JOBS = 3 };

static const char one_core[] = "machine.processors=1\nmachine.cores=1\n";

typedef struct figure {
  const char *name, *unit;
  double value, floor, ceiling;  // 0: none
} figure;

typedef struct bench {
  bool json, ok;
} bench;

static void print(bench *b, const figure *f) {
  const bool bounded = f->ceiling > 0;
  const bool ok = f->value >= f->floor && (!bounded || f->value <= f->ceiling);
  b->ok &= ok;
  if (b->json) {
    char name[80];
    snprintf(name, sizeof name, "machine.%s", f->name);
    bench_json(name, f->unit, "%.9g", f->value, f->floor, f->ceiling, ok);
  } else {
    printf("machine.%-28s %12.6g %s", f->name, f->value, f->unit);
    if (f->floor > 0 || bounded)
      printf("  (%s %g) %s", bounded ? "at most" : "at least", bounded ? f->ceiling : f->floor,
             ok ? "ok" : "OUT OF BOUNDS");
    printf("\n");
  }
  fflush(stdout);
}

// A run on 128 cores unless `config` says otherwise.
typedef struct setting {
  const char *near, *config;
  unsigned threads;
  const char *blocks;  // file, or NULL
} setting;

static char machine[CONFIG_FLAT];  // the configuration, flat

static int run(const char *program, const char *const *args, const setting *s, stats_file *to) {
  char threads[16], flat[2 * CONFIG_FLAT];
  snprintf(flat, sizeof flat, "%s%s", machine, s->config ? s->config : "");
  snprintf(threads, sizeof threads, "%u", s->threads);
  setenv("MPU_NEAR", s->near, 1);
  setenv("MPU_CONFIG", flat, 1);
  setenv("MPU_THREADS", threads, 1);
  if (s->blocks)
    setenv("MPU_BLOCKS", s->blocks, 1);
  else
    unsetenv("MPU_BLOCKS");
  return bench_run(program, args, to);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

// A program's arguments and where it runs.
typedef struct job {
  const char *const *args;
  setting s;
} job;

// The medians of three of what `of` makes of the reports. The jobs take turns: a host that becomes
// slower does so for all of them.
static int medians(const char *program, const job *jobs, size_t n, bench_figure *of,
                   double *values) {
  stats_file report;
  double runs[JOBS][RUNS];
  for (int r = 0; r < RUNS; r++)
    for (size_t k = 0; k < n; k++) {
      const int failed = run(program, jobs[k].args, &jobs[k].s, &report);
      if (failed)
        return failed;
      runs[k][r] = of(&report);
    }
  for (size_t k = 0; k < n; k++) {
    qsort(runs[k], RUNS, sizeof *runs[k], by_value);
    values[k] = runs[k][RUNS / 2];
  }
  return EXIT_OK;
}

static double ratio(double a, double b) {
  return b > 0 ? a / b : 0;
}
static double speed_of(const stats_file *r) {
  return ratio((double)r->run.core_cycles, r->host_seconds);
}
static double cost_of(const stats_file *r) {
  return 1e9 * ratio(r->cpu_seconds, (double)r->run.warp_instructions);
}
static double seconds_of(const stats_file *r) {
  return r->host_seconds;
}

// ---- speed

static const struct {
  const char *name;
  const char *c[ARGS], *rtl[ARGS];
} programs[] = {
    {"axpy", {"--paper"}, {"--n", "1048576"}},
    {"hist", {"--paper"}, {"--n", "262144"}},
    {"nw", {"--n", "512"}, {"--n", "128", "--length", "32"}},
    {"ttrans", {"--rows", "1024", "--cols", "1024"}, {"--rows", "256", "--cols", "256"}},
};

static int speeds(bench *b) {
  for (size_t n = 0; n < sizeof programs / sizeof *programs; n++) {
    char program[PATH], name[64];
    int failed = bench_compile(programs[n].name, program, sizeof program);
    for (int rtl = 0; rtl < 2 && !failed; rtl++) {
      const char *near = rtl ? "rtl" : "c";
      const char *const *args = rtl ? programs[n].rtl : programs[n].c;
      const job jobs[] = {{args, {.near = near, .threads = 1}},
                          {args, {.near = near, .threads = 2}}};
      double speed[2];
      failed = medians(program, jobs, 2, speed_of, speed);
      for (unsigned t = 0; t < 2 && !failed; t++) {
        snprintf(name, sizeof name, "%s.%s.%u", programs[n].name, near, t + 1);
        print(b, &(figure){name, "core cycles/s", speed[t], rtl ? 0 : 1e6 * (t + 1), 0});
      }
      snprintf(name, sizeof name, "%s.%s.second_thread", programs[n].name, near);
      if (!failed)
        print(b, &(figure){name, "times", ratio(speed[1], speed[0]), rtl ? 0 : 1.8, 0});
    }
    if (failed)
      return failed;
  }
  return EXIT_OK;
}

// ---- the same work on more cores, and more work on all of them

static int flatness(bench *b) {
  static const char *const one[] = {"--n", "16777216", "--blocks", "4", NULL};
  static const char *const some[] = {"--n", "16777216", "--blocks", "64", NULL};
  static const char *const all[] = {"--n", "16777216", "--blocks", "512", NULL};
  const job cores[] = {
      {one, {.near = "c", .threads = 1, .config = one_core}},
      {some, {.near = "c", .threads = 1, .config = "machine.processors=1\n"}},
      {all, {.near = "c", .threads = 1}},
  };
  static const char *const names[] = {"axpy.cost.1_core", "axpy.cost.16_cores",
                                      "axpy.cost.128_cores"};
  char program[PATH], name[64];
  double cost[JOBS];
  int failed = bench_compile("axpy", program, sizeof program);
  if (!failed)
    failed = medians(program, cores, 3, cost_of, cost);
  for (size_t n = 0; n < 3 && !failed; n++)
    print(b, &(figure){names[n], "ns a warp instruction", cost[n], 0, n ? 1.2 * cost[0] : 0});
  static const struct {
    const char *name, *small[ARGS], *whole[ARGS];
  } sizes[] = {
      {"axpy", {"--n", "1048576"}, {"--paper"}},
      {"hist", {"--n", "1048576"}, {"--paper"}},
      {"pr", {"--n", "1048576"}, {"--paper"}},
      {"kmeans", {"--n", "16384"}, {"--paper"}},
  };
  for (size_t n = 0; n < sizeof sizes / sizeof *sizes && !failed; n++) {
    const job jobs[] = {{sizes[n].small, {.near = "c", .threads = 1}},
                        {sizes[n].whole, {.near = "c", .threads = 1}}};
    failed = bench_compile(sizes[n].name, program, sizeof program);
    if (!failed)
      failed = medians(program, jobs, 2, cost_of, cost);
    if (failed)
      break;
    snprintf(name, sizeof name, "%s.cost.sixteenth", sizes[n].name);
    print(b, &(figure){name, "ns a warp instruction", cost[0], 0, 0});
    snprintf(name, sizeof name, "%s.cost.whole", sizes[n].name);
    print(b, &(figure){name, "ns a warp instruction", cost[1], 0, 1.2 * cost[0]});
  }
  return failed;
}

// ---- one busy core

static int idle(bench *b) {
  static const char *const args[] = {"--n", "4194304", "--blocks", "16", NULL};
  char program[PATH], blocks[PATH];
  double took[2];
  int failed = bench_compile("axpy", program, sizeof program);
  if (!failed)
    failed = bench_temporary(blocks, sizeof blocks);
  if (failed)
    return failed;
  if (!write_file(blocks, "0\n", 2))
    failed = EXIT_FAILED;
  // a core's memory in one piece, so that all of it is the busy one's
  const job jobs[] = {{args, {.near = "c", .threads = 1, .config = one_core}},
                      {args,
                       {.near = "c",
                        .config = "map.column_below=5\nmap.row_below=13\n",
                        .threads = 1,
                        .blocks = blocks}}};
  if (!failed)
    failed = medians(program, jobs, 2, seconds_of, took);
  unlink(blocks);
  if (!failed)
    print(b, &(figure){"idle", "times the time of the busy core alone", ratio(took[1], took[0]), 0,
                       1.1});
  return failed;
}

// ---- paper size

static int paper(bench *b) {
  static const char *const names[] = {"axpy", "blur", "conv", "gemv", "hist",   "kmeans",
                                      "knn",  "maxp", "nw",   "pr",   "ttrans", "upsamp"};
  static const char *const args[] = {"--paper", NULL};
  stats_file report;
  double cycles[sizeof names / sizeof *names] = {0};  // in C; Verilog must take as many
  for (int rtl = 0; rtl < 2; rtl++) {
    double all = 0;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
      char program[PATH], name[64];
      const setting s = {.near = rtl ? "rtl" : "c", .threads = 2};
      int failed = bench_compile(names[n], program, sizeof program);
      if (!failed)
        failed = run(program, args, &s, &report);
      if (failed)
        return failed;
      const double took = seconds_of(&report);
      all += took;
      snprintf(name, sizeof name, "paper.%s.%s", names[n], s.near);
      print(b, &(figure){name, "s", took, 0, rtl && !n ? 120 : 0});
      snprintf(name, sizeof name, "paper.%s.%s.cycles", names[n], s.near);
      print(b, &(figure){name, "cycles", (double)report.run.cycles, cycles[n], cycles[n]});
      cycles[n] = (double)report.run.cycles;
    }
    print(b, &(figure){rtl ? "paper.all.rtl" : "paper.all.c", "s", all, 0, rtl ? 7200 : 600});
  }
  return EXIT_OK;
}

int bench_machine(bool json, bool paper_size, const config *c) {
  config_write_flat(c, machine, sizeof machine);
  bench b = {.json = json, .ok = true};
  int failed = paper_size ? paper(&b) : speeds(&b);
  if (!failed && !paper_size)
    failed = flatness(&b);
  if (!failed && !paper_size)
    failed = idle(&b);
  return failed ? failed : b.ok ? EXIT_OK : EXIT_FAILED;
}
