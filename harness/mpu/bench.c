// SPDX-License-Identifier: Apache-2.0
// mpu bench: speed, as figures. One JSON object a line with --json: name, value, unit, floor, ok.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench.h"
#include "start.h"
#include "tool.h"

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

double bench_number(const char *text, const char *key) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "\"%s\": ", key);
  const char *at = strstr(text, quoted);
  return at ? strtod(at + strlen(quoted), NULL) : 0;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

int bench_compile(const char *name, char *program, size_t bytes) {
  char source[PATH];
  compile_options o = compile_options_default();
  const char *root = getenv("MPU_ROOT");
  snprintf(source, sizeof source, "%s/kernels/%s/%s.cu", root && *root ? root : NEARBANK_ROOT, name,
           name);
  return compile_cached(source, &o, program, bytes);
}

int bench_temporary(char *to, size_t bytes) {
  const char *tmp = getenv("TMPDIR");
  snprintf(to, bytes, "%s/mpu-bench.XXXXXX", tmp && *tmp ? tmp : "/tmp");
  const int fd = mkstemp(to);
  if (fd < 0)
    return tool_error("cannot make a file like '%s': %s", to, strerror(errno));
  close(fd);
  return TOOL_OK;
}

int bench_run(const char *program, const char *const *args, char *text, size_t text_bytes) {
  const char *call[8] = {program};
  char stats[PATH];
  size_t bytes;
  if (bench_temporary(stats, sizeof stats))
    return TOOL_USAGE;
  start_large_pages();
  setenv("MPU_STATS", stats, 1);
  unsetenv("MPU_REPORT");
  unsetenv("MPU_PROGRESS");
  for (size_t a = 0; args[a]; a++)
    call[a + 1] = args[a];
  const int status = run_command(call, true);
  char *all = status ? NULL : read_file(stats, &bytes);
  unlink(stats);
  if (!all)
    return tool_error("%s failed with status %d", program, status), TOOL_FAILED;
  snprintf(text, text_bytes, "%.*s", (int)bytes, all);
  free(all);
  return TOOL_OK;
}

int bench_median(const char *program, const char *const *args, const char *count, double *speed) {
  double runs[RUNS];
  char text[BENCH_TEXT];
  for (int n = 0; n < RUNS; n++) {
    const int status = bench_run(program, args, text, sizeof text);
    if (status)
      return status;
    const double seconds = bench_number(text, "host_seconds");
    runs[n] = seconds > 0 ? bench_number(text, count) / seconds : 0;
  }
  qsort(runs, RUNS, sizeof *runs, by_value);
  *speed = runs[RUNS / 2];
  return TOOL_OK;
}

// Warp instructions a second of the programs.
static int bench_isa(bool json) {
  int status = TOOL_OK;
  unsetenv("MPU_NEAR");
  for (size_t n = 0; n < sizeof isa_programs / sizeof *isa_programs; n++) {
    char program[PATH];
    double speed = 0;
    int failed = bench_compile(isa_programs[n].name, program, sizeof program);
    if (!failed)
      failed = bench_median(program, isa_programs[n].args, "warp_instructions", &speed);
    if (failed)
      return failed;
    bool ok = speed >= isa_floor;
    if (!ok)
      status = TOOL_FAILED;
    if (json)
      printf(
          "{\"name\": \"isa.%s\", \"value\": %.0f, \"unit\": \"warp instructions/s\", "
          "\"floor\": %.0f, \"ok\": %s}\n",
          isa_programs[n].name, speed, isa_floor, ok ? "true" : "false");
    else
      printf("isa.%-6s %6.1f M warp instructions/s  (floor %.0f M, %.1fx) %s\n",
             isa_programs[n].name, speed * 1e-6, isa_floor * 1e-6, speed / isa_floor,
             ok ? "ok" : "BELOW THE FLOOR");
    fflush(stdout);
  }
  return status;
}

int command_bench(int argc, char **argv) {
  bool json = false, core = false, machine = false, paper = false;
  for (int n = 1; n < argc; n++) {
    if (strcmp(argv[n], "--help") == 0 || strcmp(argv[n], "-h") == 0) {
      puts(
          "usage: mpu bench [isa] [--json]\n"
          "       mpu bench core [--json]\n"
          "       mpu bench machine [--paper] [--json]\n"
          "       mpu bench rtl [--json]\n\n"
          "isa: warp instructions a second of the functional machine on one host core, for AXPY,\n"
          "BLUR and NW; the median of three runs. The floor is 5 million.\n\n"
          "core: cycles a second of one core, near side in C, in Verilog and in lockstep, for "
          "AXPY,\n"
          "BLUR, NW and PR; the median of three runs. Then what a cycle of AXPY costs with the "
          "near\n"
          "side in Verilog, what the models alone take of it, and how much is added to them.\n\n"
          "machine: core cycles a second of 128 cores, one thread and two, near side in C and in\n"
          "Verilog, for AXPY, HIST, NW and TTRANS; the median of three runs. Then what a warp\n"
          "instruction costs on 1, 16 and 128 cores, and at a sixteenth of the paper's size and "
          "the\n"
          "whole; and how much longer a busy core takes among 127 idle ones. With --paper "
          "instead:\n"
          "seconds of all workloads at the paper's sizes, two threads, in C and in Verilog "
          "(hours).\n\n"
          "rtl: cycles a second of the near-bank unit, Verilog and C twin; see mpu bench rtl "
          "--help.\n\n"
          "  --json   one JSON object a line: name, value, unit, floor (or ceiling), ok\n\n"
          "Exit status: 0, or 1 when a figure is beyond its bound.");
      return 0;
    }
    if (strcmp(argv[n], "--json") == 0)
      json = true;
    else if (strcmp(argv[n], "rtl") == 0)
      return tool_error("bench rtl is not in this program: start it as ./mpu bench rtl");
    else if (strcmp(argv[n], "core") == 0)
      core = true;
    else if (strcmp(argv[n], "machine") == 0)
      machine = true;
    else if (strcmp(argv[n], "--paper") == 0)
      paper = true;
    else if (strcmp(argv[n], "isa") != 0)
      return tool_error("unknown benchmark or option '%s'; see mpu bench --help", argv[n]);
  }
  if (paper && !machine)
    return tool_error("--paper is for mpu bench machine");
  return machine ? bench_machine(json, paper) : core ? bench_core(json) : bench_isa(json);
}
