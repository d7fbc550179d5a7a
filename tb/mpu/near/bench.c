// SPDX-License-Identifier: Apache-2.0
// How many core cycles a second the near side is simulated at, arrays and all: nothing under way;
// all four units streaming, a warp-wide load, add and store at a time (as `mpu bench rtl` has it
// for one unit); and with eight warps in each unit, which is as much as the banks can do. The
// inputs are recorded once, with a base die for each unit behind one bus.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tb/mpu/nbu/base.h"
#include "csim/isa/isa.h"
#include "rig.h"
#include "csim/mpu/tsv_packet.h"

enum { CYCLES = 50000, RUNS = 5 };

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static near *make(const near_config *c) {
  char why[1024];
  near *n = near_new(c, why, sizeof why);
  if (!n)
    fprintf(stderr, "bench: %s\n", why), exit(2);
  return n;
}

static uint64_t line(bool store, unsigned reg, uint32_t addr) {
  return TSV_DN_LINE | tsv_put(TSV_DN_LINE_MTYPE, TSV_MTYPE_F32) |
         tsv_put(TSV_DN_LINE_STORE, store) | tsv_put(TSV_DN_LINE_REG, reg) |
         tsv_put(TSV_DN_LINE_ADDR, addr);
}

static uint64_t add(unsigned d, unsigned a, unsigned b) {
  return TSV_DN_EXEC | tsv_put(TSV_DN_EXEC_OP, ISA_OP_ADD) |
         tsv_put(TSV_DN_EXEC_TYPE, ISA_TYPE_F32) | tsv_put(TSV_DN_EXEC_FN, ISA_RND_RN) |
         tsv_put(TSV_DN_EXEC_D, d) | tsv_put(TSV_DN_EXEC_A, a) | tsv_put(TSV_DN_EXEC_B, b);
}

// Loads of so many warps, then their adds, then their stores, in registers of their own.
static void stream(base *b, uint64_t *n, unsigned warps) {
  const unsigned warp = (unsigned)(*n % warps), what = (unsigned)(*n / warps % 3), reg = 4 * warp;
  const uint32_t addr = (uint32_t)(*n / (3 * warps) * warps + warp) % 32 << 7;
  *n += base_send(b,
                  what == 0   ? line(false, reg + 1, addr)
                  : what == 1 ? add(reg + 2, reg + 1, reg)
                              : line(true, reg + 2, addr),
                  NULL);
}

// The inputs of CYCLES cycles.
static near_in *record(const near_config *c, unsigned warps, uint64_t *packets) {
  base_mix quiet_mix = {.regs = 128, .rows = 1};
  near *n = make(c);
  base *b[NEAR_NBUS];
  uint64_t sent[NEAR_NBUS] = {0};
  near_in *ins = calloc(CYCLES, sizeof *ins);
  near_out out = {0};
  for (unsigned k = 0; k < NEAR_NBUS; k++) {
    quiet_mix.part = (uint8_t)(k + 1);
    if (!ins || !(b[k] = base_create(1 + k, &quiet_mix, 4, false)))
      abort();
    base_quiet(b[k]);
  }
  for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
    near_in *in = &ins[cycle];
    unsigned places = 2, place = 0;
    for (unsigned p = 0; p < 2; p++)
      if (out.up_valid >> p & 1)
        base_up(b[out.up_sel >> 2 * p & 3], out.up_data + 2 * p);
    for (unsigned j = 0; j < NEAR_NBUS; j++) {
      const unsigned k = (cycle + j) % NEAR_NBUS;
      nbu_in pins = {0};
      stream(b[k], &sent[k], warps);
      base_arrays(b[k], near_pins(n, k), &pins);
      in->ref_tick |= pins.ref_tick << 4 * k;
      const uint32_t offer = out.up_count >> 2 * k & 3, up = offer < places ? offer : places;
      in->up_take |= up << 2 * k;
      places -= up;
      in->up_credit |= base_up_credit(b[k]) << 2 * k;
      const uint32_t down =
          base_down(b[k], out.dn_credit >> 2 * k & 3, places, in->dn_data + 2 * place);
      places -= down;
      for (uint32_t f = 0; f < down; f++, place++)
        in->dn_valid |= 1u << place, in->dn_sel |= k << 2 * place;
    }
    if (!near_step(n, in, &out))
      fprintf(stderr, "bench: %s\n", near_error(n)), exit(1);
  }
  *packets = 0;
  for (unsigned k = 0; k < NEAR_NBUS; k++) {
    if (base_error(b[k]))
      fprintf(stderr, "bench: NBU %u: %s\n", k, base_error(b[k])), exit(1);
    *packets += sent[k];
    base_destroy(b[k]);
  }
  near_free(n);
  return ins;
}

static double measure(const near_config *c, const near_in *ins, unsigned cycles) {
  double best = 0;
  for (unsigned run = 0; run < RUNS; run++) {
    near *n = make(c);
    near_out out = {0};
    const near_in idle = {0};
    const double t = seconds();
    for (unsigned k = 0; k < cycles; k++)
      if (!near_step(n, ins ? &ins[k] : &idle, &out))
        fprintf(stderr, "bench: %s\n", near_error(n)), exit(1);
    const double rate = cycles / (seconds() - t);
    best = rate > best ? rate : best;
    near_free(n);
  }
  return best;
}

int main(int argc, char **argv) {
  near_config c = rig_config(NEAR_C);
  for (unsigned warps = 0; warps <= 8; warps = warps ? 8 * warps : 1) {
    uint64_t packets = 0;
    near_in *ins = warps ? record(&c, warps, &packets) : NULL;
    if (warps)
      printf("%u warp%s streaming in each of four units, %llu packets in %d cycles\n", warps,
             warps > 1 ? "s" : "", (unsigned long long)packets, CYCLES);
    else
      puts("idle");
    for (unsigned k = 0; k < NEAR_MODES; k++) {
      if (argc > 1 && strcmp(argv[1], near_mode_names[k]))
        continue;
      near_config m = c;
      m.mode = (near_mode)k;
      printf("  %-9s %9.3f M cycles/s\n", near_mode_names[k],
             measure(&m, ins, ins ? CYCLES : 5000000) * 1e-6);
    }
    free(ins);
  }
  rig_memory_free(&c);
}
