// SPDX-License-Identifier: Apache-2.0
// How many cycles a second the near-bank unit is simulated at, twin and Verilog: clocked but idle,
// under a streaming load, under back-to-back fma. The inputs are recorded once, with a base die and
// arrays around the unit; what is timed is the unit alone.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base.h"
#include "csim/isa/isa.h"
#include "csim/mpu/tsv_packet.h"

extern const block_ops nbu_rtl;

enum { CYCLES = 20000, WARM = 200 };

typedef struct load {
  const char *name;
  double floor[2];  // cycles a second that are asked for: twin, Verilog; 0: none
  void (*send)(base *b, uint64_t *n);
} load;

static void nothing(base *b, uint64_t *n) {
  (void)b, (void)n;
}

static uint64_t line(bool store, unsigned reg, uint32_t addr) {
  return TSV_DN_LINE | tsv_put(TSV_DN_LINE_MTYPE, TSV_MTYPE_F32) |
         tsv_put(TSV_DN_LINE_STORE, store) | tsv_put(TSV_DN_LINE_REG, reg) |
         tsv_put(TSV_DN_LINE_ADDR, addr);
}

static uint64_t exec(unsigned op, unsigned d, unsigned a, unsigned b, unsigned c) {
  return TSV_DN_EXEC | tsv_put(TSV_DN_EXEC_OP, op) | tsv_put(TSV_DN_EXEC_TYPE, ISA_TYPE_F32) |
         tsv_put(TSV_DN_EXEC_FN, ISA_RND_RN) | tsv_put(TSV_DN_EXEC_D, d) |
         tsv_put(TSV_DN_EXEC_A, a) | tsv_put(TSV_DN_EXEC_B, b) | tsv_put(TSV_DN_EXEC_C, c);
}

// One warp-wide load, add and store at a time, through the rows that the base die has memory for.
static void stream(base *b, uint64_t *n) {
  uint32_t addr = (uint32_t)(*n / 3 % 32) << 7;
  uint64_t head = *n % 3 == 0   ? line(false, 1, addr)
                  : *n % 3 == 1 ? exec(ISA_OP_ADD, 2, 1, 0, 0)
                                : line(true, 2, addr);
  *n += base_send(b, head, NULL);
}

// fma after fma, on as many registers as keep the unit full.
static void multiply_add(base *b, uint64_t *n) {
  unsigned k = (unsigned)(*n % 32) * 4;
  *n += base_send(b, exec(ISA_OP_FMA, k + 3, k, k + 1, k + 2), NULL);
}

static const load loads[] = {
    {"idle", {10e6, 1e6}, nothing},
    {"stream", {4e6, 400e3}, stream},
    {"fma", {0, 0}, multiply_add},
};

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The inputs of `CYCLES` cycles under a load, with `ops` as the unit.
static nbu_in *record(const block_ops *ops, const load *l, uint64_t *packets) {
  static const base_mix quiet = {.regs = 128, .rows = 1};
  base *b = base_create(1, &quiet, 4, false);
  void *u = ops->create(NULL);
  nbu_in *in = calloc(CYCLES, sizeof *in);
  nbu_out out = {0};
  if (!b || !u || !in)
    abort();
  base_quiet(b);
  nbu_in now = {0};
  *packets = 0;
  for (unsigned c = 0; c < CYCLES; c++) {
    for (unsigned k = 0; k < 2; k++)
      l->send(b, packets);
    base_drive(b, &out, &now);
    now.test_en = 0;  // as in a run: clocks stop where nothing is to do
    in[c] = now;
    ops->step(u, &now, &out);
  }
  if (base_error(b))
    fprintf(stderr, "bench: %s: %s\n", l->name, base_error(b)), exit(1);
  ops->destroy(u);
  base_destroy(b);
  return in;
}

static double measure(const block_ops *ops, const nbu_in *in) {
  double best = 0;
  for (unsigned run = 0; run < 5; run++) {
    void *u = ops->create(NULL);
    nbu_out out = {0};
    for (unsigned c = 0; c < WARM; c++)
      ops->step(u, &in[c], &out);
    double t = seconds();
    for (unsigned c = WARM; c < CYCLES; c++)
      ops->step(u, &in[c], &out);
    double rate = (CYCLES - WARM) / (seconds() - t);
    best = rate > best ? rate : best;
    ops->destroy(u);
  }
  return best;
}

static int help(void) {
  puts(
      "usage: mpu bench rtl [--json]\n\n"
      "Cycles a second of the near-bank unit on one host core, C twin and Verilog: clocked but "
      "idle,\n"
      "under a streaming load (a warp-wide load, add and store at a time), and under fma after "
      "fma.\n"
      "The best of five runs of 20,000 cycles. Floors: Verilog 1 M idle, 0.4 M streaming; twin "
      "ten\n"
      "times that.\n\n"
      "  --json   one JSON object a line: name, value, unit, floor, ok\n\n"
      "Exit status: 0, or 1 when a figure is below its floor.");
  return 0;
}

static bool show(const char *load, const char *model, double value, double floor, bool json) {
  bool ok = value >= floor;
  if (json)
    printf(
        "{\"name\": \"rtl.%s.%s\", \"value\": %.0f, \"unit\": \"cycles/s\", \"floor\": %.0f, "
        "\"ok\": %s}\n",
        load, model, value, floor, ok ? "true" : "false");
  else if (floor > 0)
    printf("%-7s %-8s %7.2f M cycles/s  (floor %.1f M, %.1fx) %s\n", load, model, value * 1e-6,
           floor * 1e-6, value / floor, ok ? "ok" : "BELOW THE FLOOR");
  else
    printf("%-7s %-8s %7.2f M cycles/s\n", load, model, value * 1e-6);
  fflush(stdout);
  return ok;
}

int main(int argc, char **argv) {
  bool json = false, ok = true;
  for (int n = 1; n < argc; n++) {
    if (!strcmp(argv[n], "--help") || !strcmp(argv[n], "-h"))
      return help();
    if (strcmp(argv[n], "--json"))
      return fprintf(stderr, "mpu: unknown option '%s'; see mpu bench rtl --help\n", argv[n]), 2;
    json = true;
  }
  for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) {
    uint64_t packets;
    nbu_in *in = record(&nbu_twin, &loads[k], &packets);
    double twin = measure(&nbu_twin, in), rtl = measure(&nbu_rtl, in);
    ok &= show(loads[k].name, "verilog", rtl, loads[k].floor[1], json);
    ok &= show(loads[k].name, "twin", twin, loads[k].floor[0], json);
    if (!json)
      printf("        twin / verilog %.1f; %llu packets in %d cycles\n", twin / rtl,
             (unsigned long long)packets, CYCLES);
    free(in);
  }
  return !ok;
}
