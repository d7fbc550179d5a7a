// SPDX-License-Identifier: Apache-2.0
// mpu bench: speed, as figures. One JSON object a line with --json: name, value, unit, floor, ok.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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

// A number behind "key": in the report.
static double json_number(const char *text, const char *key) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "\"%s\": ", key);
  const char *at = strstr(text, quoted);
  return at ? strtod(at + strlen(quoted), NULL) : 0;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

// Warp instructions a second of one program: the median of three runs.
static int measure(size_t which, double *speed) {
  char source[PATH], program[PATH], stats[] = "/tmp/mpu-bench.XXXXXX";
  compile_options o = compile_options_default();
  const char *root = getenv("MPU_ROOT");
  double runs[RUNS];
  snprintf(source, sizeof source, "%s/kernels/%s/%s.cu", root && *root ? root : NEARBANK_ROOT,
           isa_programs[which].name, isa_programs[which].name);
  int status = compile_cached(source, &o, program, sizeof program);
  if (status)
    return status;
  int fd = mkstemp(stats);
  if (fd < 0)
    return tool_error("cannot write to /tmp");
  close(fd);
  setenv("MPU_STATS", stats, 1);
  unsetenv("MPU_REPORT");
  unsetenv("MPU_NEAR");
  for (int n = 0; n < RUNS && !status; n++) {
    const char *call[8] = {program};
    size_t bytes;
    for (size_t a = 0; isa_programs[which].args[a]; a++)
      call[a + 1] = isa_programs[which].args[a];
    status = run_command(call, true);
    char *text = status ? NULL : read_file(stats, &bytes);
    if (text && bytes) {
      text[bytes - 1] = 0;
      double seconds = json_number(text, "host_seconds");
      runs[n] = seconds > 0 ? json_number(text, "warp_instructions") / seconds : 0;
    }
    free(text);
  }
  unlink(stats);
  if (status)
    return tool_error("%s failed with status %d", isa_programs[which].name, status), TOOL_FAILED;
  qsort(runs, RUNS, sizeof *runs, by_value);
  *speed = runs[RUNS / 2];
  return TOOL_OK;
}

int command_bench(int argc, char **argv) {
  bool json = false;
  for (int n = 1; n < argc; n++) {
    if (strcmp(argv[n], "--help") == 0 || strcmp(argv[n], "-h") == 0) {
      puts(
          "usage: mpu bench [isa] [--json]\n"
          "       mpu bench rtl [--json]\n\n"
          "isa: warp instructions a second of the functional machine on one host core, for AXPY,\n"
          "BLUR and NW; the median of three runs. The floor is 5 million.\n\n"
          "rtl: cycles a second of the near-bank unit, Verilog and C twin; see mpu bench rtl "
          "--help.\n\n"
          "  --json   one JSON object a line: name, value, unit, floor, ok\n\n"
          "Exit status: 0, or 1 when a figure is below its floor.");
      return 0;
    }
    if (strcmp(argv[n], "--json") == 0)
      json = true;
    else if (strcmp(argv[n], "rtl") == 0)
      return tool_error("bench rtl is not in this program: start it as ./mpu bench rtl");
    else if (strcmp(argv[n], "isa") != 0)
      return tool_error("unknown benchmark or option '%s'; see mpu bench --help", argv[n]);
  }
  int status = TOOL_OK;
  for (size_t n = 0; n < sizeof isa_programs / sizeof *isa_programs; n++) {
    double speed = 0;
    int failed = measure(n, &speed);
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
