// SPDX-License-Identifier: Apache-2.0
// What the workloads share: options, data, checks and the report. Host code only, no device code.
//
// A program fills a workload and a table of its own options, calls workload_parse(), runs, and
// ends with `return workload_pass(...)` or `return workload_fail(...)`. It builds with any CUDA
// compiler; under the MPU runtime the result also reaches the report of the run.
//
// Exit status: 0 the check passed, 1 it failed or a CUDA call did, 2 the command line is wrong.
#ifndef NEARBANK_WORKLOAD_H
#define NEARBANK_WORKLOAD_H
#include <cuda_runtime.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The runtime of this project has it; elsewhere the symbol stays null.
extern "C" void mpu_report_result(int pass) __attribute__((weak));

#define WORKLOAD_BLOCKS 512               // blocks of a launch, when there is work for that many
#define WORKLOAD_SHARED (48 * 1024)       // bytes of shared memory that every device grants a block
#define WORKLOAD_ROUND (1.0 / (1 << 24))  // relative error of one binary32 rounding

// One option `--name VALUE`. *value holds the default; --paper, or --large, puts `paper` there.
struct workload_option {
  const char *name;
  int *value;
  int paper, min, max;
  const char *help;
};

struct workload {
  const char *name;
  const char *summary;   // one line of --help
  int threads;           // of a block; holds the default
  int threads_multiple;  // --threads is a multiple of this; 0: the program fixes the threads
  int blocks;            // 0: workload_grid() decides
  int seed;
  // Blocks of a launch with --paper. Not 0 in kernels/tiled: the defaults of such a program are its
  // slice, the share of one of 128 cores, and --slice names them.
  int paper_blocks;
  // 1: the program is of no paper, and its larger sizes are --large instead of --paper.
  int large;
};

static inline const char *workload_paper(const workload *w) {
  return w->large ? "large" : "paper";
}

// ---- the end of a run

static inline int workload_end(const workload *w, int pass, const char *format, va_list args) {
  FILE *to = pass ? stdout : stderr;
  fflush(stdout);
  fprintf(to, "%s %s: ", pass ? "PASS" : "FAIL", w->name);
  vfprintf(to, format, args);
  fputc('\n', to);
  fflush(to);
  if (mpu_report_result)
    mpu_report_result(pass);
  return pass ? 0 : 1;
}

// Both print one line and give the exit status.
__attribute__((format(printf, 2, 3))) static inline int workload_pass(const workload *w,
                                                                      const char *format, ...) {
  va_list args;
  va_start(args, format);
  int status = workload_end(w, 1, format, args);
  va_end(args);
  return status;
}

__attribute__((format(printf, 2, 3))) static inline int workload_fail(const workload *w,
                                                                      const char *format, ...) {
  va_list args;
  va_start(args, format);
  int status = workload_end(w, 0, format, args);
  va_end(args);
  return status;
}

// Ends the program if the CUDA call failed. `w` is the workload of the program.
#define WORKLOAD_CUDA(w, call)                                                   \
  do {                                                                           \
    cudaError_t error_ = (call);                                                 \
    if (error_ != cudaSuccess)                                                   \
      exit(workload_fail((w), "%s:%d: %s: %s (%s)", __FILE__, __LINE__, #call,   \
                         cudaGetErrorString(error_), cudaGetErrorName(error_))); \
  } while (0)

// After a launch: faults of the launch itself and of the kernel.
#define WORKLOAD_LAUNCHED(w)                     \
  do {                                           \
    WORKLOAD_CUDA((w), cudaGetLastError());      \
    WORKLOAD_CUDA((w), cudaDeviceSynchronize()); \
  } while (0)

// ---- options

__attribute__((noreturn, format(printf, 2, 3))) static inline void workload_usage_error(
    const workload *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s: ", w->name);
  vfprintf(stderr, format, args);
  fputs("; see --help\n", stderr);
  va_end(args);
  exit(2);
}

static inline void workload_option_print(const workload *w, const workload_option *o) {
  char left[32];
  snprintf(left, sizeof left, "--%s N", o->name);
  printf("  %-16s %s (%d..%d; default %d", left, o->help, o->min, o->max, *o->value);
  if (o->paper != *o->value)
    printf(", %s %d", workload_paper(w), o->paper);
  printf(")\n");
}

static inline void workload_help(const workload *w, const workload_option *options, int count) {
  printf("usage: %s [options]\n%s\n\noptions:\n", w->name, w->summary);
  for (int i = 0; i < count; i++)
    workload_option_print(w, &options[i]);
  if (w->paper_blocks)
    printf("  %-16s thread blocks of a launch (1..65535; default %d, paper %d)\n", "--blocks N",
           w->blocks, w->paper_blocks);
  else
    printf("  %-16s thread blocks of a launch (1..65535; default up to %d, as the work needs)\n",
           "--blocks N", WORKLOAD_BLOCKS);
  if (w->threads_multiple) {
    printf("  %-16s threads of a block (%d..1024", "--threads N", w->threads_multiple);
    if (w->threads_multiple > 1)
      printf(", a multiple of %d", w->threads_multiple);
    printf("; default %d)\n", w->threads);
  }
  printf("  %-16s seed of the data (0..2147483647; default %d)\n", "--seed N", w->seed);
  if (w->paper_blocks)
    printf("  %-16s one core's share, 1/128 of the paper's elements and blocks (the default)\n",
           "--slice");
  printf("  --%-14s %s; sizes given beside it win\n", workload_paper(w),
         w->large ? "a size for 128 cores" : "the size of the paper");
  printf("  %-16s this text\n", "--help");
}

static inline int workload_number(const workload *w, const char *name, const char *text, int min,
                                  int max) {
  char *end = NULL;
  long long v = 0;
  int digits = text[0] >= '0' && text[0] <= '9';
  if (digits)
    v = strtoll(text, &end, 10);
  if (!digits || *end || v < min || v > max)
    workload_usage_error(w, "--%s: '%s' is not a whole number from %d to %d", name, text, min, max);
  return (int)v;
}

static inline int workload_is_paper(const workload *w, const char *arg) {
  return strncmp(arg, "--", 2) == 0 && strcmp(arg + 2, workload_paper(w)) == 0;
}

// Reads the command line into *w and the values of the options. Exits with 2 and one line on
// stderr if it is wrong, with 0 after --help.
static inline void workload_parse(workload *w, const workload_option *options, int count, int argc,
                                  char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      workload_help(w, options, count);
      exit(0);
    }
  int paper = 0, slice = 0;
  for (int i = 1; i < argc; i++) {
    paper |= workload_is_paper(w, argv[i]);
    slice |= w->paper_blocks && strcmp(argv[i], "--slice") == 0;
  }
  if (paper && slice)
    workload_usage_error(w, "--paper and --slice exclude each other");
  for (int k = 0; k < count && paper; k++)
    *options[k].value = options[k].paper;
  if (paper && w->paper_blocks)
    w->blocks = w->paper_blocks;

  const workload_option common[] = {
      {"blocks", &w->blocks, 0, 1, 65535, ""},
      {"seed", &w->seed, 0, 0, INT32_MAX, ""},
      {"threads", &w->threads, 0, w->threads_multiple, 1024, ""},
  };
  const int all = count + (w->threads_multiple ? 3 : 2);
  for (int i = 1; i < argc; i++) {
    const char *arg = argv[i];
    if (workload_is_paper(w, arg) || (slice && strcmp(arg, "--slice") == 0))
      continue;
    size_t length = strcspn(arg, "=");
    const workload_option *found = NULL;
    for (int k = 0; k < all; k++) {
      const workload_option *o = k < count ? &options[k] : &common[k - count];
      if (strncmp(arg, "--", 2) == 0 && length == strlen(o->name) + 2 &&
          strncmp(arg + 2, o->name, length - 2) == 0)
        found = o;
    }
    if (!found)
      workload_usage_error(w, "unknown option '%s'", arg);
    if (!arg[length] && i + 1 == argc)
      workload_usage_error(w, "--%s needs a value", found->name);
    const char *text = arg[length] ? arg + length + 1 : argv[++i];
    *found->value = workload_number(w, found->name, text, found->min, found->max);
  }
  if (w->threads_multiple && w->threads % w->threads_multiple)
    workload_usage_error(w, "--threads: %d is not a multiple of %d", w->threads,
                         w->threads_multiple);
}

// ---- launch shape

static inline int workload_ceil_div(int a, int b) {
  return (int)(((int64_t)a + b - 1) / b);
}

// Blocks of a launch in which one block does one unit of work at a time.
static inline int workload_grid(const workload *w, int64_t units) {
  if (w->blocks)
    return w->blocks;
  return units < WORKLOAD_BLOCKS ? (int)units : WORKLOAD_BLOCKS;
}

// ---- data: splitmix64, the same on every host

static inline uint32_t workload_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t)(z >> 32);
}

// In [low, high), a multiple of (high - low) / 2^24.
static inline float workload_uniform(uint64_t *state, float low, float high) {
  return low + (high - low) * (float)(workload_random(state) >> 8) * (1.0f / (1 << 24));
}

// A pixel: a whole number 0..255.
static inline float workload_pixel(uint64_t *state) {
  return (float)(workload_random(state) >> 24);
}

#endif
