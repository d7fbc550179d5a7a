// SPDX-License-Identifier: Apache-2.0
#include "profile_observe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/isa/asm.h"
#include "harness/base/out_file.h"
#include "csim/isa/model.h"
#include "core_profile.h"
#include "profile_data.h"

typedef struct kernel {
  const module_kernel *of;
  uint64_t launches, cycles, drain;
  uint32_t rows;
  profile_counts *counts;
} kernel;

struct profile_observer {
  out_file *out;
  char *name;
  sim *s;
  core_profile *cores[SIM_CORES];
  kernel *kernels;
  uint32_t n_kernels;
  kernel *now;  // of the launch
  uint64_t cycles, drain;
  bool lost;  // no memory
};

static kernel *kernel_of(profile_observer *p, const launch *l) {
  for (uint32_t n = 0; n < p->n_kernels; n++)
    if (p->kernels[n].of == l->kernel)
      return &p->kernels[n];
  kernel k = {.of = l->kernel, .rows = core_profile_rows(l)};
  kernel *more = realloc(p->kernels, (p->n_kernels + 1) * sizeof *more);
  if (!more)
    return NULL;
  p->kernels = more;
  if (!(k.counts = calloc(k.rows, sizeof *k.counts)))
    return NULL;
  more[p->n_kernels] = k;
  return &more[p->n_kernels++];
}

static void give_up(profile_observer *p) {
  for (uint32_t k = 0; k < sim_cores(p->s); k++)
    sim_unobserve_core(p->s, k, p->cores[k]);
  p->lost = true;
}

static void begin(void *ctx, sim *s, const launch *l) {
  profile_observer *p = ctx;
  const core_stats *t = core_statistics(sim_core(s, 0));
  if (p->lost)
    return;
  bool ok = (p->now = kernel_of(p, l)) != NULL;
  for (uint32_t k = 0; ok && k < sim_cores(s); k++)
    ok = core_profile_begin(p->cores[k], sim_core(s, k));
  p->cycles = t->cycles, p->drain = t->cycles_drain;
  if (!ok)
    give_up(p);
}

static void end(void *ctx, sim *s, machine_error e, uint32_t core) {
  profile_observer *p = ctx;
  const core_stats *t = core_statistics(sim_core(s, 0));
  (void)e, (void)core;
  if (p->lost)
    return;
  for (uint32_t k = 0; k < sim_cores(s); k++)
    core_profile_end(p->cores[k], sim_core(s, k), p->now->counts);
  p->now->launches++;
  p->now->cycles += t->cycles - p->cycles, p->now->drain += t->cycles_drain - p->drain;
}

static void observer_free(profile_observer *p) {
  for (uint32_t k = 0; k < SIM_CORES; k++)
    core_profile_free(p->cores[k]);
  for (uint32_t n = 0; n < p->n_kernels; n++)
    free(p->kernels[n].counts);
  free(p->kernels);
  free(p->name);
  free(p);
}

profile_observer *profile_observe(const char *file, sim *s, char *why, size_t why_bytes) {
  profile_observer *p = calloc(1, sizeof *p);
  bool ok = p && (p->name = strdup(file));
  for (uint32_t k = 0; ok && k < sim_cores(s); k++)
    ok = (p->cores[k] = core_profile_new()) != NULL;
  snprintf(why, why_bytes, "out of host memory");
  if (ok && !(p->out = out_open(file))) {
    snprintf(why, why_bytes, "cannot write '%s': %s", file, strerror(errno));
    ok = false;
  }
  if (!ok) {
    if (p)
      observer_free(p);
    return NULL;
  }
  p->s = s;
  sim_observe(s, &(sim_observer){.ctx = p, .begin = begin, .end = end});
  for (uint32_t k = 0; k < sim_cores(s); k++)
    sim_observe_core(s, k, core_profile_observer(p->cores[k]));
  return p;
}

// ---- the file, as profile_data.h says

static void write_instruction(FILE *f, const module_kernel *k, uint32_t n) {
  char text[ASM_TEXT];
  const module_line *l = module_line_at(k, n * ISA_BYTES);
  asm_print(&k->insts[n], NULL, text, sizeof text);
  fprintf(f, "%u %u %u %s\n%s\n", l ? l->block : 0, l ? l->ptx_line : 0, l ? l->cuda_line : 0,
          l && l->cuda_line ? l->cuda_file : "", text);
}

static void write_counts(FILE *f, const profile_counts *c) {
  for (uint32_t n = 0; n < PROFILE_WORDS; n++)
    fprintf(f, "%s%" PRIu64, n ? " " : "", ((const uint64_t *)c)[n]);
  fputc('\n', f);
}

static void write_kernel(FILE *f, const kernel *k) {
  fprintf(f, "kernel %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", k->of->inst_count,
          k->launches, k->cycles, k->drain, k->of->shape, k->of->name);
  for (uint32_t n = 0; n < k->of->inst_count; n++)
    write_instruction(f, k->of, n);
  for (uint32_t n = 0; n < k->rows; n++)
    write_counts(f, &k->counts[n]);
}

bool profile_observed(profile_observer *p, const char *result, const char *end) {
  FILE *f = out_stream(p->out);
  fprintf(f, "%s %d\nresult %s\nend %s\ncores %u\n", PROFILE_MAGIC, PROFILE_WORDS, result, end,
          sim_cores(p->s));
  for (uint32_t n = 0; !p->lost && n < p->n_kernels; n++)
    write_kernel(f, &p->kernels[n]);
  if (!p->lost)
    fputs(PROFILE_END "\n", f);
  const bool lost = p->lost, failed = !out_close(p->out);
  if (failed)
    fprintf(stderr, "mpu: cannot write '%s': %s; the profile is incomplete\n", p->name,
            strerror(errno));
  else if (lost)
    fprintf(stderr, "mpu: out of host memory; the profile is lost\n");
  observer_free(p);
  return !lost && !failed;
}
