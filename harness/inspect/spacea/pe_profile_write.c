// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdlib.h>
#include "harness/base/made.h"
#include "pe_profile_priv.h"

static double share(uint64_t part, uint64_t all) {
  return all ? 100 * (double)part / (double)all : 0;
}

// PEs are numbered as those of a mapping, bank group by bank group.
static uint32_t pes_of(const pe_profile *p) {
  return p->vaults * p->groups * BGROUP_PES;
}

static const pe_seen *pe_at(const pe_profile *p, uint32_t n) {
  const uint32_t group = n / BGROUP_PES;
  return &p->seen[group / p->groups].pes[group % p->groups][n % BGROUP_PES];
}

// ---- JSON

static void write_waits(const uint64_t *waits, json_writer *j) {
  jw_object(j, "waits");
  for (uint32_t w = 0; w < SPE_WAITS; w++)
    jw_count(j, pe_wait_names[w], waits[w]);
  jw_end(j);
}

static void write_pe(const pe_profile *p, uint32_t n, json_writer *j) {
  const pe_seen *s = pe_at(p, n);
  const uint32_t group = n / BGROUP_PES;
  jw_break(j, 2);
  jw_object(j, NULL);
  jw_count(j, "vault", group / p->groups);
  jw_count(j, "layer", group % p->groups + 1);
  jw_count(j, "pe", n % BGROUP_PES);
  jw_count(j, "elements", s->elements);
  jw_count(j, "turns", s->waits[SPE_TURN] + s->waits[SPE_AGAIN]);
  jw_count(j, "put", s->put);
  jw_count(j, "hits", s->hits);
  jw_count(j, "hits_again", s->hits_again);
  jw_count(j, "asks", s->asks);
  jw_count(j, "merges", s->merges);
  jw_count(j, "full", s->full);
  jw_count(j, "rows_opened", s->opened);
  jw_count(j, "reads", s->reads);
  jw_count(j, "ended", s->ended);
  write_waits(s->waits, j);
  jw_end(j);
}

static void sum_waits(const pe_profile *p, uint64_t to[SPE_WAITS]) {
  for (uint32_t w = 0; w < SPE_WAITS; w++) {
    to[w] = 0;
    for (uint32_t n = 0; n < pes_of(p); n++)
      to[w] += pe_at(p, n)->waits[w];
  }
}

void pe_profile_json(const pe_profile *p, const config *c, const build_info *b, FILE *to) {
  json_writer j = jw_to(to);
  uint64_t waits[SPE_WAITS];
  pe_level levels[PE_LEVELS];
  jw_object(&j, NULL);
  jw_text(&j, "machine", "spacea");
  made_json(c, b, &j);
  jw_count(&j, "cycles", p->cycles);
  jw_object(&j, "classes");
  for (uint32_t w = 0; w < SPE_WAITS; w++)
    jw_text(&j, pe_wait_names[w], pe_wait_docs[w]);
  jw_end(&j);
  sum_waits(p, waits);
  write_waits(waits, &j);
  jw_object(&j, "lines");
  pe_profile_levels(p, levels);
  for (uint32_t n = 0; n < PE_LEVELS; n++) {
    jw_object(&j, levels[n].name);
    jw_count(&j, "looks", levels[n].looks);
    jw_count(&j, "hits", levels[n].hits);
    jw_end(&j);
  }
  jw_end(&j);
  jw_list(&j, "pes");
  for (uint32_t n = 0; n < pes_of(p); n++)
    write_pe(p, n, &j);
  jw_end(&j);
  jw_list(&j, "vectors");
  for (uint32_t n = 0; n < p->vaults * BANKS; n++) {
    const bank_seen *s = &p->seen[n / BANKS].vectors[n % BANKS];
    jw_break(&j, 2);
    jw_object(&j, NULL);
    jw_count(&j, "vault", n / BANKS);
    jw_count(&j, "bank", n % BANKS);
    jw_count(&j, "rows_opened", s->opened);
    jw_count(&j, "accesses", s->accesses);
    jw_count(&j, "busy", s->busy);
    jw_end(&j);
  }
  jw_end(&j);
  jw_end(&j);
  fputc('\n', to);
}

// ---- for people

static void print_waits(const pe_profile *p, FILE *to) {
  uint64_t sums[SPE_WAITS];
  const uint32_t n_pes = pes_of(p);
  sum_waits(p, sums);
  fprintf(to, "\ncycles of %" PRIu32 " PEs, %" PRIu64 " each\n", n_pes, p->cycles);
  fprintf(to, "               mean   least    most\n");
  for (uint32_t w = 0; w < SPE_WAITS; w++) {
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t n = 0; n < n_pes; n++) {
      const uint64_t of = pe_at(p, n)->waits[w];
      least = of < least ? of : least, most = of > most ? of : most;
    }
    fprintf(to, "  %-8s %6.1f %% %5.1f %% %5.1f %%  %s\n", pe_wait_names[w],
            share(sums[w], p->cycles * n_pes), share(least, p->cycles), share(most, p->cycles),
            pe_wait_docs[w]);
  }
}

typedef struct last {
  uint64_t ended;
  uint32_t pe;
} last;

static int later_first(const void *a, const void *b) {
  const last *x = a, *y = b;
  return x->ended != y->ended ? (x->ended < y->ended ? 1 : -1) : x->pe < y->pe ? -1 : 1;
}

static void print_last(const pe_profile *p, uint32_t top, FILE *to) {
  const uint32_t n_pes = pes_of(p), n_shown = top < n_pes ? top : n_pes;
  last *order = malloc(n_pes * sizeof *order);
  if (!order || !n_shown) {
    free(order);
    return;
  }
  for (uint32_t n = 0; n < n_pes; n++)
    order[n] = (last){pe_at(p, n)->ended, n};
  qsort(order, n_pes, sizeof *order, later_first);
  fprintf(to, "\nPEs that ended last; their cycles in %%\n  vault.layer.pe    ended elements");
  for (uint32_t w = 0; w < SPE_WAITS; w++)
    fprintf(to, " %5s", pe_wait_names[w]);
  for (uint32_t k = 0; k < n_shown; k++) {
    const uint32_t n = order[k].pe, group = n / BGROUP_PES;
    const pe_seen *s = pe_at(p, n);
    char name[32];
    snprintf(name, sizeof name, "%" PRIu32 ".%" PRIu32 ".%" PRIu32, group / p->groups,
             group % p->groups + 1, n % BGROUP_PES);
    fprintf(to, "\n  %-14s %8" PRIu64 " %8" PRIu64, name, s->ended, s->elements);
    for (uint32_t w = 0; w < SPE_WAITS; w++)
      fprintf(to, " %5.1f", share(s->waits[w], p->cycles));
  }
  fputc('\n', to);
  free(order);
}

typedef struct load {
  uint64_t sum, most;
  uint32_t n;
} load;

static void add(load *l, uint64_t value) {
  l->sum += value, l->n++;
  l->most = value > l->most ? value : l->most;
}

static void print_load(const char *what, const load *l, FILE *to) {
  fprintf(to, "  %-38s %10.1f %10" PRIu64 "\n", what, l->n ? (double)l->sum / l->n : 0, l->most);
}

static void print_banks(const pe_profile *p, FILE *to) {
  load elements = {0}, opened = {0}, reads = {0}, vectors = {0}, accesses = {0}, busy = {0};
  for (uint32_t n = 0; n < pes_of(p); n++) {
    const pe_seen *s = pe_at(p, n);
    add(&elements, s->elements), add(&opened, s->opened), add(&reads, s->reads);
  }
  for (uint32_t n = 0; n < p->vaults * BANKS; n++) {
    const bank_seen *s = &p->seen[n / BANKS].vectors[n % BANKS];
    add(&vectors, s->opened), add(&accesses, s->accesses), add(&busy, s->busy);
  }
  fprintf(to, "\na bank                                         mean       most\n");
  print_load("of the matrix: elements", &elements, to);
  print_load("of the matrix: rows opened", &opened, to);
  print_load("of the matrix: reads of 32 bytes", &reads, to);
  print_load("of the vectors: rows opened", &vectors, to);
  print_load("of the vectors: reads and writes", &accesses, to);
  print_load("of the vectors: cycles with a request", &busy, to);
}

static void print_levels(const pe_profile *p, FILE *to) {
  pe_level levels[PE_LEVELS];
  pe_profile_levels(p, levels);
  fprintf(to, "\nlines of X          looks    hits\n");
  for (uint32_t n = 0; n < PE_LEVELS; n++)
    fprintf(to, "  %-12s %10" PRIu64 " %5.1f %%  %s\n", levels[n].name, levels[n].looks,
            share(levels[n].hits, levels[n].looks), levels[n].doc);
}

void pe_profile_print(const pe_profile *p, uint32_t top, FILE *to) {
  print_waits(p, to);
  print_last(p, top, to);
  print_banks(p, to);
  print_levels(p, to);
}
