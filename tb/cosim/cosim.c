// SPDX-License-Identifier: Apache-2.0
// cosim_<block>: see usage().
#include "cosim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "csim/base/rtl_trace.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define STR_(a) #a
#define STR(a) STR_(a)
extern const block_ops CAT(COSIM_BLOCK, _twin), CAT(COSIM_BLOCK, _rtl);
extern const cosim_driver CAT(COSIM_BLOCK, _driver);
// From the shim of the verilated model.
extern bool CAT(COSIM_BLOCK, _rtl_trace)(void *block, const rtl_trace *to, const void *in);
extern void CAT(COSIM_BLOCK, _rtl_trace_off)(void *block);
extern bool CAT(COSIM_BLOCK, _rtl_failed)(const void *block);

enum { HISTORY = 16, WAVE_MARGIN = 200 };

typedef struct options {
  uint64_t cycles, seed, wave_from, stop_after;
  int mode;
  const char *wave, *record, *widths;
  void *sizes;
  bool quiet, twin;
} options;

typedef struct run {
  const block_ops *twin, *rtl;
  const cosim_driver *driver;
  void *t, *r, *state;
  uint8_t *in, *t_out, *r_out;
  uint8_t *past;  // inputs and twin's outputs of the last HISTORY cycles
  cosim_rng rng;
  uint64_t cycle, skipped;
  unsigned mode;
  uint32_t *width;  // of each port in a recording
  FILE *record[2];  // inputs, outputs
} run;

static void usage(FILE *to) {
  fprintf(to,
          "usage: cosim_" STR(COSIM_BLOCK) " [options]\n\n"
          "Steps the C twin and the Verilog of " STR(COSIM_BLOCK) " on random traffic and compares every\n"
          "output of every cycle.\n\n"
          "  --cycles N     cycles in all, shared by the modes (%llu)\n"
          "  --seed N       what is random (1)\n"
          "  --mode NAME    one kind of traffic only\n"
          "  --modes        list them\n"
          "  --stop-after N cycles of each mode that are run, of those that it has\n"
          "  --wave FILE    waveform (VCD) of the Verilog\n"
          "  --wave-from N  from that cycle on (0)\n"
          "  --record FILE  inputs of every cycle to FILE.in, outputs to FILE.out: a number a\n"
          "                 line for $readmemh, rst_n lowest, then ports in the order of their list\n"
          "  --widths FILE  record ports narrower: a line is a port's name and its bits, as in the\n"
          "                 Verilog (data_i 128); ports that are not named have none\n"
          "  --sizes TEXT   sizes that the Verilog was built with: \"ENTRIES=4 FLITS=1\"\n"
          "  --twin         the twin alone, of any sizes: nothing is compared\n"
          "  --quiet        say nothing when all is well\n",
          (unsigned long long)(CAT(COSIM_BLOCK, _driver).cycles ? CAT(COSIM_BLOCK, _driver).cycles
                                                                : 1000000));
}

static void die(const char *what, const char *which) {
  fprintf(stderr, "cosim_" STR(COSIM_BLOCK) ": %s%s\n", what, which);
  exit(2);
}

static void *need(void *p) {
  if (!p)
    die("out of memory", "");
  return p;
}

static const uint32_t *words(const uint8_t *base, const block_port *p) {
  return (const uint32_t *)(const void *)(base + p->offset);
}

static void print_port(const block_port *p, const uint32_t *w) {
  unsigned n = BLOCK_WORDS(p->bits);
  printf("%0*" PRIx32, (int)((p->bits - 1) % 32 / 4 + 1), w[n - 1]);
  for (unsigned k = n - 1; k-- > 0;)
    printf("_%08" PRIx32, w[k]);
}

// Ports of up to 32 bits that are not zero.
static void print_narrow(const run *r, const uint8_t *base, block_dir dir) {
  for (size_t k = 0; k < r->twin->n_ports; k++) {
    const block_port *p = &r->twin->ports[k];
    if (p->dir == dir && p->bits <= 32 && *words(base, p)) {
      printf(" %s=", p->name);
      print_port(p, words(base, p));
    }
  }
}

static void report(const run *r, const options *o) {
  size_t each = r->twin->in_bytes + r->twin->out_bytes;
  printf("%s, mode %s: cycle %" PRIu64 "\n", r->driver->block, r->driver->mode_names[r->mode],
         r->cycle);
  for (size_t k = 0; k < r->twin->n_ports; k++) {
    const block_port *p = &r->twin->ports[k];
    if (p->dir != BLOCK_OUT ||
        !memcmp(words(r->t_out, p), words(r->r_out, p), 4 * BLOCK_WORDS(p->bits)))
      continue;
    uint32_t x[64];
    for (unsigned w = 0; w < BLOCK_WORDS(p->bits) && w < 64; w++)
      x[w] = words(r->t_out, p)[w] ^ words(r->r_out, p)[w];
    printf("  %s_o (%s)\n    twin    ", p->name, p->doc);
    print_port(p, words(r->t_out, p));
    printf("\n    verilog ");
    print_port(p, words(r->r_out, p));
    printf("\n    differ  ");
    print_port(p, x);
    puts("");
  }
  puts("narrow ports of the cycles before (inputs of an edge : outputs of the twin after it):");
  for (uint64_t c = r->cycle + 1 > HISTORY ? r->cycle + 1 - HISTORY : 0; c <= r->cycle; c++) {
    const uint8_t *at = r->past + c % HISTORY * each;
    printf("  %8" PRIu64, c);
    print_narrow(r, at, BLOCK_IN);
    printf(" :");
    print_narrow(r, at + r->twin->in_bytes, BLOCK_OUT);
    puts("");
  }
  printf("again, with waves: cosim_" STR(
             COSIM_BLOCK) " --seed %" PRIu64 " --mode '%s' --cycles %" PRIu64
                          " --stop-after %" PRIu64
                          " --wave " STR(COSIM_BLOCK) ".vcd --wave-from %" PRIu64 "\n",
         o->seed, r->driver->mode_names[r->mode], o->cycles, r->cycle + 20,
         r->cycle > WAVE_MARGIN ? r->cycle - WAVE_MARGIN : 0);
}

static void record(const run *r) {
  for (int dir = BLOCK_IN; dir <= BLOCK_OUT; dir++) {
    static uint8_t digits[16384];  // lowest first
    const uint8_t *base = dir == BLOCK_IN ? r->in : r->t_out;
    size_t n = 0;  // bits
    memset(digits, 0, sizeof digits);
    for (size_t k = 0; k < r->twin->n_ports; k++) {
      const block_port *p = &r->twin->ports[k];
      for (uint32_t b = 0; p->dir == (block_dir)dir && b < r->width[k]; b++, n++)
        if (words(base, p)[b / 32] >> b % 32 & 1)
          digits[n / 4] |= (uint8_t)(1 << n % 4);
    }
    for (n = (n + 3) / 4; n--;)
      fputc("0123456789abcdef"[digits[n]], r -> record[dir]);
    fputc('\n', r->record[dir]);
  }
}

static void open_records(run *r, const options *o) {
  char name[4096];
  size_t bits[2] = {0, 0};
  r->width = need(calloc(r->twin->n_ports, sizeof *r->width));
  for (size_t k = 0; k < r->twin->n_ports; k++)
    r->width[k] = o->widths && strcmp(r->twin->ports[k].name, "rst_n") ? 0 : r->twin->ports[k].bits;
  FILE *widths = o->widths ? fopen(o->widths, "r") : NULL;
  if (o->widths && !widths)
    die("can't read ", o->widths);
  uint32_t n;
  while (widths && fscanf(widths, "%255s %" SCNu32, name, &n) == 2)
    for (size_t k = 0; k < r->twin->n_ports; k++) {
      const block_port *p = &r->twin->ports[k];
      char full[256];
      snprintf(full, sizeof full, "%s_%c", p->name, p->dir == BLOCK_IN ? 'i' : 'o');
      if (!strcmp(full, name))
        r->width[k] = n < p->bits ? n : p->bits;
    }
  if (widths)
    fclose(widths);
  for (size_t k = 0; k < r->twin->n_ports; k++)
    bits[r->twin->ports[k].dir] += r->width[k];
  if (bits[0] > 65536 || bits[1] > 65536)
    die("too many bits to record", "");
  for (int dir = BLOCK_IN; dir <= BLOCK_OUT; dir++) {
    snprintf(name, sizeof name, "%s.%s", o->record, dir == BLOCK_IN ? "in" : "out");
    if (!(r->record[dir] = fopen(name, "w")))
      die("can't write ", name);
  }
}

// Bits above the width of a port.
static void cut_inputs(run *r) {
  for (size_t k = 0; k < r->twin->n_ports; k++) {
    const block_port *p = &r->twin->ports[k];
    if (p->dir == BLOCK_IN && p->bits % 32)
      ((uint32_t *)(void *)(r->in + p->offset))[p->bits / 32] &= (1u << p->bits % 32) - 1;
  }
}

static void write_wave(void *file, const char *text, size_t bytes) {
  fwrite(text, 1, bytes, file);
}

static FILE *open_wave(const char *name) {
  FILE *f = fopen(name, "w");
  if (!f) {
    perror(name);
    exit(2);
  }
  return f;
}

static bool run_mode(run *r, const options *o, uint64_t cycles) {
  size_t in_bytes = r->twin->in_bytes, out_bytes = r->twin->out_bytes, each = in_bytes + out_bytes;
  const void *sizes = r->driver->of_sizes ? r->driver->of_sizes(o->sizes) : o->sizes;
  r->t = need(r->twin->create(sizes));
  r->r = need(r->rtl->create(sizes));
  memset(r->state, 0, r->driver->state_bytes);
  memset(r->in, 0, in_bytes);
  memset(r->t_out, 0, out_bytes);
  memset(r->r_out, 0, out_bytes);
  r->rng.state = o->seed ^ (uint64_t)(r->mode + 1) << 32;
  r->cycle = r->skipped = 0;
  uint32_t reset = 2;  // cycles of reset to go
  const uint32_t lives = r->driver->lives ? r->driver->lives : 50000;
  bool ok = true;
  FILE *waves = NULL;
  if (o->stop_after && o->stop_after < cycles)
    cycles = o->stop_after;
  for (; ok && r->cycle < cycles; r->cycle++) {
    if (!reset && rng_below(&r->rng, lives) == 0)
      reset = 1 + rng_below(&r->rng, 3);
    uint32_t *rst_n = (uint32_t *)(void *)r->in;
    if (reset) {
      memset(r->in, 0, in_bytes);
      if (r->driver->straps)
        r->driver->straps(r->state, r->in);
      if (--reset == 0) {
        r->driver->start(r->state, &r->rng, r->mode);
        if (r->driver->sizes)
          r->driver->sizes(r->state, o->sizes);
      }
      *rst_n = 0;
    } else {
      r->driver->drive(r->state, &r->rng, r->t_out, r->in);
      cut_inputs(r);
      *rst_n = 1;
    }
    if (o->wave && !o->twin && !waves && r->cycle >= o->wave_from) {
      const rtl_trace to = {write_wave, waves = open_wave(o->wave), &r->cycle};
      CAT(COSIM_BLOCK, _rtl_trace)(r->r, &to, r->in);
    }
    // The clock of one of the two may stand while the block is idle: nothing must change.
    bool still = *rst_n && r->driver->quiet && r->driver->quiet(r->in) && r->twin->idle(r->t);
    uint32_t who = still ? rng_u32(&r->rng) & 3 : 3;
    if (who & 1 || !still)
      r->twin->step(r->t, r->in, r->t_out);
    if (who & 2 || !still)
      r->rtl->step(r->r, r->in, r->r_out);
    r->skipped += who != 3;
    memcpy(r->past + r->cycle % HISTORY * each, r->in, in_bytes);
    memcpy(r->past + r->cycle % HISTORY * each + in_bytes, r->t_out, out_bytes);
    if (r->record[0])
      record(r);
    if (memcmp(r->t_out, r->r_out, out_bytes)) {
      report(r, o);
      ok = false;
      break;
    }
    char why[256] = "";
    if (!o->twin && CAT(COSIM_BLOCK, _rtl_failed)(r->r)) {
      printf("%s, mode %s: a check of the Verilog in cycle %" PRIu64 "\n", r->driver->block,
             r->driver->mode_names[r->mode], r->cycle);
      report(r, o);
      ok = false;
      break;
    }
    if (*rst_n && r->driver->check &&
        !r->driver->check(r->state, r->in, r->t_out, why, sizeof why)) {
      printf("%s, mode %s: wrong in cycle %" PRIu64 ", twin and Verilog alike: %s\n",
             r->driver->block, r->driver->mode_names[r->mode], r->cycle, why);
      report(r, o);
      ok = false;
      break;
    }
  }
  if (waves)
    CAT(COSIM_BLOCK, _rtl_trace_off)(r->r), fclose(waves);
  r->twin->destroy(r->t);
  r->rtl->destroy(r->r);
  return ok;
}

static uint64_t number(const char *option, const char *text) {
  char *end;
  uint64_t n = text ? strtoull(text, &end, 0) : 0;
  if (!text || !*text || *end)
    die("a number must follow ", option);
  return n;
}

int main(int argc, char **argv) {
  run r = {.twin = &CAT(COSIM_BLOCK, _twin),
           .rtl = &CAT(COSIM_BLOCK, _rtl),
           .driver = &CAT(COSIM_BLOCK, _driver)};
  const size_table *table = r.driver->table ? r.driver->table : &structure_table;
  options o = {.seed = 1, .mode = -1, .sizes = need(calloc(table->count, sizeof(uint32_t)))};
  sizes_default(table, o.sizes);
  char why[256];
  o.cycles = r.driver->cycles ? r.driver->cycles : 1000000;
  if (getenv("MPU_LONG"))
    o.cycles *= 10;
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strcmp(a, "--help") || !strcmp(a, "-h"))
      return usage(stdout), 0;
    else if (!strcmp(a, "--quiet"))
      o.quiet = true;
    else if (!strcmp(a, "--twin"))
      o.twin = true, r.rtl = r.twin;
    else if (!strcmp(a, "--modes")) {
      for (unsigned m = 0; m < r.driver->modes; m++)
        puts(r.driver->mode_names[m]);
      return 0;
    } else if (!strcmp(a, "--cycles"))
      o.cycles = number(a, next), i++;
    else if (!strcmp(a, "--seed"))
      o.seed = number(a, next), i++;
    else if (!strcmp(a, "--wave-from"))
      o.wave_from = number(a, next), i++;
    else if (!strcmp(a, "--stop-after"))
      o.stop_after = number(a, next), i++;
    else if (next && !strcmp(a, "--widths"))
      o.widths = next, i++;
    else if (next && !strcmp(a, "--wave"))
      o.wave = next, i++;
    else if (next && !strcmp(a, "--sizes")) {
      if (!sizes_read(table, o.sizes, next, why, sizeof why))
        die("--sizes: ", why);
      i++;
    } else if (next && !strcmp(a, "--record"))
      o.record = next, i++;
    else if (next && !strcmp(a, "--mode")) {
      for (unsigned m = 0; m < r.driver->modes; m++)
        if (!strcmp(next, r.driver->mode_names[m]))
          o.mode = (int)m;
      if (o.mode < 0)
        die("no such mode, see --modes: ", next);
      i++;
    } else
      return usage(stderr), 2;
  }
  if (o.record)
    open_records(&r, &o);
  r.state = need(calloc(1, r.driver->state_bytes ? r.driver->state_bytes : 1));
  r.in = need(calloc(1, r.twin->in_bytes));
  r.t_out = need(calloc(1, r.twin->out_bytes));
  r.r_out = need(calloc(1, r.twin->out_bytes));
  r.past = need(calloc(HISTORY, r.twin->in_bytes + r.twin->out_bytes));
  unsigned first = o.mode < 0 ? 0 : (unsigned)o.mode,
           last = o.mode < 0 ? r.driver->modes : first + 1;
  bool ok = true;
  uint64_t total = 0, skipped = 0;
  struct timespec t0, t1;
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (r.mode = first; ok && r.mode < last; r.mode++) {
    // a single mode runs as it does among all, so that a report can be repeated
    ok = run_mode(&r, &o, o.cycles / r.driver->modes);
    total += r.cycle, skipped += r.skipped;
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  double s = (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
  if (ok && !o.quiet)
    printf("%s: %s in %" PRIu64 " cycles (%" PRIu64 " with a clock that stood), %.0f a second\n",
           r.driver->block, o.twin ? "nothing wrong" : "twin and Verilog agree", total, skipped,
           (double)total / s);
  for (int k = 0; k < 2; k++)
    if (r.record[k] && fclose(r.record[k]))
      die("can't write ", o.record);
  free(r.state), free(r.in), free(r.t_out), free(r.r_out), free(r.past), free(r.width),
      free(o.sizes);
  return !ok;
}
