// SPDX-License-Identifier: Apache-2.0
#include "spacea_machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vault.h"

struct spacea_machine {
  machine_run *run;
  product f;
  vault *vaults[SCHEDULE_NODES];
  uint32_t n;
  uint32_t share_x, share_y;
};

machine_run *spacea_machine_run(const spacea_machine *s) {
  return s->run;
}

static double share(uint64_t part, uint64_t all) {
  return all ? 100 * (double)part / (double)all : 0;
}

void spacea_machine_report(const spacea_machine *s, FILE *to) {
  const uint64_t cycles = machine_run_cycles(s->run), elements = csr_count(s->f.a);
  const uint64_t width = s->vaults[0]->bus.flits;
  uint64_t hits = 0, looks = 0, wants = 0, l2 = 0, far = 0, flits = 0;
  for (uint32_t k = 0; k < s->n; k++) {
    const vault *v = s->vaults[k];
    // an element that found no room to ask looks for the first time once more
    hits += v->counters.hits, looks += v->counters.looks - v->counters.again - v->counters.full;
    wants += v->counters.wants, l2 += v->counters.l2_hits + v->counters.merged;
    far += v->counters.far, flits += v->counters.tsv_flits;
  }
  fprintf(to, "cycles          %" PRIu64 "\n", cycles);
  fprintf(to, "lines           %.1f %% of first looks hit in the bank group\n", share(hits, looks));
  fprintf(to, "                %.1f %% of what they ask for is in the vault or under way\n",
          share(l2, wants));
  fprintf(to, "                %.2f of an element come from another vault\n",
          elements ? (double)far / (double)elements : 0);
  fprintf(to, "TSVs            %.2f flits an element",
          elements ? (double)flits / (double)elements : 0);
  if (width)
    fprintf(to, ", %.1f %% of what they carry", share(flits, width * cycles * s->n));
  fprintf(to, "\n");
}

// ---- the matrix

enum { NOBODY = 0xffffffff, WORDS = 64 };

typedef struct loader {
  matrix_group *to;
  uint32_t bank, at;  // the next row of the bank
  uint32_t words[WORDS];
} loader;

static void flush(loader *l) {
  banks_write(&l->to->banks, l->bank, l->at++, l->words);
}

static void load_row(loader *l, const csr *m, uint32_t r) {
  for (uint64_t k = m->begin[r]; k < m->begin[r + 1]; k += MAPPING_DRAM_ROW) {
    memset(l->words, 0xff, sizeof l->words);
    l->words[0] = r;
    for (uint64_t e = k; e < k + MAPPING_DRAM_ROW && e < m->begin[r + 1]; e++) {
      uint32_t *to = &l->words[1 + 3 * (e - k)];
      to[0] = m->col[e];
      memcpy(to + 1, &m->value[e], sizeof m->value[e]);
    }
    flush(l);
  }
}

static void load_pe(spacea_machine *s, uint32_t pe) {
  const mapping *p = s->f.p;
  const mapping_machine *w = &p->machine;
  const uint32_t group = pe / w->pes;
  const csr *m = s->f.a;
  loader l = {.to = &s->vaults[group / w->groups]->group[group % w->groups], .bank = pe % w->pes};
  for (uint32_t k = p->begin[pe]; k < p->begin[pe + 1]; k++) {
    load_row(&l, m, p->row[k]);
    l.to->elements += m->begin[p->row[k] + 1] - m->begin[p->row[k]];
  }
  memset(l.words, 0xff, sizeof l.words);
  l.words[0] = NOBODY;
  flush(&l);
}

spacea_machine *spacea_machine_new(const config *c, const product *f, const lockstep_mode *near,
                                   uint32_t threads, char *why, size_t why_bytes) {
  spacea_machine *s = calloc(1, sizeof *s);
  config own = *c;
  own.machine.processors = c->spacea.cubes, own.machine.cores = c->spacea.vaults;
  if (!s || !(s->run = machine_run_new(&spacea_vaults, &own, near, threads, why, why_bytes))) {
    spacea_machine_free(s);
    return NULL;
  }
  s->f = *f;
  const node *nodes = machine_run_nodes(s->run, &s->n);
  s->share_x = mapping_share(f->a->cols, s->n), s->share_y = mapping_share(f->a->rows, s->n);
  for (uint32_t k = 0; k < s->n; k++) {
    s->vaults[k] = nodes[k].state;
    s->vaults[k]->share_x = s->share_x, s->vaults[k]->share_y = s->share_y;
  }
  for (uint32_t pe = 0; pe < f->p->n; pe++)
    load_pe(s, pe);
  return s;
}

void spacea_machine_free(spacea_machine *s) {
  if (s && s->run)
    machine_run_free(s->run);
  free(s);
}

// ---- a multiplication

void spacea_machine_semiring(spacea_machine *s, semiring r) {
  s->f.semiring = r;
}

static void load_vectors(spacea_machine *s, const double *x, const double *y) {
  for (uint32_t c = 0; c < s->f.a->cols; c++)
    *vectors_x(&s->vaults[c / s->share_x]->vectors, c % s->share_x) = x[c];
  for (uint32_t r = 0; r < s->f.a->rows; r++)
    *vectors_y(&s->vaults[r / s->share_y]->vectors, r % s->share_y) = y[r];
}

static void start(spacea_machine *s) {
  const packet p = {.kind = PACKET_START};
  for (uint32_t k = 0; k < s->n; k++)
    vault_start(s->vaults[k], &p, s->f.semiring);
}

bool spacea_machine_multiply(spacea_machine *s, const double *x, double *y, char *why,
                             size_t why_bytes) {
  load_vectors(s, x, y);
  start(s);
  if (!machine_run_all(s->run, why, why_bytes))
    return false;
  for (uint32_t k = 0; k < s->n; k++)
    s->vaults[k]->vectors.drains = true;
  if (!machine_run_all(s->run, why, why_bytes))
    return false;
  for (uint32_t r = 0; r < s->f.a->rows; r++)
    y[r] = *vectors_y(&s->vaults[r / s->share_y]->vectors, r % s->share_y);
  return true;
}
