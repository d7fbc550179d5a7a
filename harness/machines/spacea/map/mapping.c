// SPDX-License-Identifier: Apache-2.0
#include "mapping.h"
#include <stdlib.h>
#include <string.h>
#include "assign.h"
#include "harness/base/json.h"
#include "harness/machines/spacea/matrix/random.h"
#include "near.h"

mapping_machine mapping_machine_of(const config *c) {
  return (mapping_machine){(uint32_t)(c->spacea.cubes * c->spacea.vaults),
                           (uint32_t)c->spacea.layers - 1, 2};
}

mapping_kind mapping_kind_of(const char *name) {
  return !strcmp(name, "naive")  ? MAPPING_NAIVE
         : !strcmp(name, "near") ? MAPPING_NEAR
                                 : MAPPING_SPACEA;
}

uint32_t mapping_share(uint32_t elements, uint32_t vaults) {
  const uint32_t two_rows = 2 * MAPPING_VECTOR_ROW, each = (elements + vaults - 1) / vaults;
  return (each + two_rows - 1) / two_rows * two_rows;
}

void mapping_free(mapping *p) {
  free(p->begin), free(p->row);
  *p = (mapping){0};
}

// ---- sets of columns of bins

typedef struct unions {
  column_sets sets;
  uint64_t *begin;
  uint32_t *col;
} unions;

static void unions_free(unions *u) {
  free(u->begin), free(u->col);
}

// Of each bin the columns of all its sets, each once.
static bool unions_make(unions *u, const column_sets *sets, const uint32_t *bin, uint32_t bins) {
  uint32_t *next = malloc((sets->n + 1) * sizeof *next), *first = malloc(bins * sizeof *first),
           *mark = malloc(sets->cols * sizeof *mark);
  *u = (unions){.begin = malloc((bins + 1) * sizeof *u->begin),
                .col = malloc((sets->begin[sets->n] + 1) * sizeof *u->col)};
  const bool room = next && first && mark && u->begin && u->col;
  if (room) {
    memset(first, 0xff, bins * sizeof *first), memset(mark, 0xff, sets->cols * sizeof *mark);
    for (uint32_t s = sets->n; s--;)
      if (bin[s] != UINT32_MAX)
        next[s] = first[bin[s]], first[bin[s]] = s;
    uint64_t n = 0;
    for (uint32_t b = 0; b < bins; b++) {
      u->begin[b] = n;
      for (uint32_t s = first[b]; s != UINT32_MAX; s = next[s])
        for (uint64_t k = sets->begin[s]; k < sets->begin[s + 1]; k++)
          if (mark[sets->col[k]] != b)
            mark[sets->col[k]] = b, u->col[n++] = sets->col[k];
    }
    u->begin[bins] = n;
    u->sets = (column_sets){bins, sets->cols, u->begin, u->col, NULL};
  } else {
    unions_free(u);
  }
  free(next), free(first), free(mark);
  return room;
}

// ---- phase II

typedef struct sized {
  uint64_t size;
  uint32_t set;
} sized;
static int by_size(const void *a, const void *b) {
  const sized *x = a, *y = b;
  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  return x->set < y->set ? -1 : x->set > y->set;
}

// Sets into groups of so many places: the largest first. place[s] = group * places + its number
// there.
static bool place(const column_sets *sets, uint32_t groups, uint32_t places, uint32_t *where) {
  sized *by = malloc(sets->n * sizeof *by);
  uint32_t *order = malloc(sets->n * sizeof *order), *held = calloc(groups, sizeof *held);
  bool good = by && order && held;
  if (good) {
    for (uint32_t s = 0; s < sets->n; s++)
      by[s] = (sized){sets->begin[s + 1] - sets->begin[s], s};
    qsort(by, sets->n, sizeof *by, by_size);
    for (uint32_t s = 0; s < sets->n; s++)
      order[s] = by[s].set;
    const assign_rule rule = {groups, (double)sets->begin[sets->n] / groups, true, places};
    good = assign(sets, order, &rule, where);
  }
  for (uint32_t s = 0; good && s < sets->n; s++)
    if (where[s] != UINT32_MAX)
      where[s] = where[s] * places + held[where[s]]++;
  for (uint32_t s = 0, g = 0; good && s < sets->n; s++)  // what has no columns fills up
    if (where[s] == UINT32_MAX) {
      while (held[g] == places)
        g++;
      where[s] = g * places + held[g]++;
    }
  free(by), free(order), free(held);
  return good;
}

// of_group[g]: a place of a logical vault. The vault becomes one of the machine.
static bool go_home(const column_sets *groups, const mapping_machine *w, uint32_t share,
                    uint32_t *of_group) {
  uint32_t *where = malloc(w->vaults * sizeof *where), *vault = malloc(groups->n * sizeof *vault);
  unions in_vault = {0};
  for (uint32_t g = 0; vault && g < groups->n; g++)
    vault[g] = of_group[g] / w->groups;
  const bool good = where && vault && unions_make(&in_vault, groups, vault, w->vaults) &&
                    near_homes(&in_vault.sets, share, where);
  for (uint32_t g = 0; good && g < groups->n; g++)
    of_group[g] = where[vault[g]] * w->groups + of_group[g] % w->groups;
  unions_free(&in_vault), free(where), free(vault);
  return good;
}

// pe[r], a logical PE, becomes a place in the machine. A share of 0: a vault is any vault.
static bool place_all(const column_sets *rows, const mapping_machine *w, uint32_t share,
                      uint32_t *pe) {
  const uint32_t groups = w->vaults * w->groups, pes = groups * w->pes;
  uint32_t *of_pe = malloc(pes * sizeof *of_pe), *group = malloc(pes * sizeof *group),
           *of_group = malloc(groups * sizeof *of_group);
  unions in_pe = {0}, in_group = {0};
  bool good = of_pe && group && of_group && unions_make(&in_pe, rows, pe, pes) &&
              place(&in_pe.sets, groups, w->pes, of_pe);
  for (uint32_t p = 0; good && p < pes; p++)
    group[p] = of_pe[p] / w->pes;
  good = good && unions_make(&in_group, &in_pe.sets, group, groups) &&
         place(&in_group.sets, w->vaults, w->groups, of_group) &&
         (!share || go_home(&in_group.sets, w, share, of_group));
  for (uint32_t r = 0; good && r < rows->n; r++)
    if (pe[r] != UINT32_MAX)
      pe[r] = of_group[group[pe[r]]] * w->pes + of_pe[pe[r]] % w->pes;
  unions_free(&in_pe), unions_free(&in_group);
  free(of_pe), free(group), free(of_group);
  return good;
}

// ---- all

static column_sets rows_of(const csr *m) {
  return (column_sets){m->rows, m->cols, m->begin, m->col, NULL};
}

// The rows of each PE, in the order of the file or in `order`.
static bool collect(mapping *to, const csr *m, const uint32_t *pe, const uint32_t *order) {
  to->begin = calloc((size_t)to->n + 2, sizeof *to->begin);
  to->row = malloc(m->rows * sizeof *to->row);
  if (!to->begin || !to->row)
    return false;
  for (uint32_t r = 0; r < m->rows; r++)
    if (pe[r] != UINT32_MAX)
      to->begin[pe[r] + 2]++;
  for (uint32_t p = 0; p < to->n; p++)
    to->begin[p + 2] += to->begin[p + 1];
  for (uint32_t k = 0; k < m->rows; k++) {
    const uint32_t r = order ? order[k] : k;
    if (pe[r] != UINT32_MAX)
      to->row[to->begin[pe[r] + 1]++] = r;
  }
  return true;
}

// As many rows to each PE, at random.
static uint32_t *deal(const csr *m, uint32_t n, dice *d, uint32_t *pe) {
  uint32_t *order = malloc(m->rows * sizeof *order), dealt = 0;
  if (!order)
    return NULL;
  dice_order(d, order, m->rows);
  for (uint32_t k = 0; k < m->rows; k++) {
    const uint32_t r = order[k];
    pe[r] = m->begin[r] == m->begin[r + 1] ? UINT32_MAX : dealt++ % n;
  }
  return order;
}

static bool by_columns(const csr *m, const mapping_machine *machine, bool near, uint32_t *pe) {
  const uint32_t n = machine->vaults * machine->groups * machine->pes;
  const assign_rule rule = {n, (double)csr_count(m) / n, false, 0};
  near_lines lines = {0};
  if (near && !near_lines_make(&lines, m))
    return false;
  const column_sets rows = near ? lines.sets : rows_of(m);
  const uint32_t share = near ? mapping_share(m->cols, machine->vaults) : 0;
  const bool good = assign(&rows, NULL, &rule, pe) && place_all(&rows, machine, share, pe);
  near_lines_free(&lines);
  return good;
}

bool mapping_make(mapping *to, const csr *m, const mapping_machine *machine, mapping_kind kind,
                  uint64_t seed) {
  const uint32_t n = machine->vaults * machine->groups * machine->pes;
  uint32_t *pe = malloc(m->rows * sizeof *pe), *order = NULL;
  dice d = {seed};
  *to = (mapping){*machine, n, NULL, NULL};
  bool good = pe;
  if (good && kind == MAPPING_NAIVE) {
    good = (order = deal(m, n, &d, pe)) != NULL;
  } else if (good) {
    good = by_columns(m, machine, kind == MAPPING_NEAR, pe);
  }
  good = good && collect(to, m, pe, order);
  free(pe), free(order);
  if (!good)
    mapping_free(to);
  return good;
}

// ---- what it is like

static mapping_level level(const uint64_t *begin, uint32_t n) {
  mapping_level l = {(double)(begin[n] - begin[0]) / n, 0};
  for (uint32_t k = 0; k < n; k++)
    l.most = begin[k + 1] - begin[k] > l.most ? begin[k + 1] - begin[k] : l.most;
  return l;
}

// Different columns of bins of so many PEs.
static mapping_level different(const mapping *p, const csr *m, uint32_t pes) {
  const column_sets rows = rows_of(m);
  const uint32_t bins = p->n / pes;
  uint32_t *bin = malloc(m->rows * sizeof *bin);
  unions u = {0};
  mapping_level l = {0, 0};
  if (bin) {
    memset(bin, 0xff, m->rows * sizeof *bin);
    for (uint32_t pe = 0; pe < p->n; pe++)
      for (uint32_t k = p->begin[pe]; k < p->begin[pe + 1]; k++)
        bin[p->row[k]] = pe / pes;
    if (unions_make(&u, &rows, bin, bins))
      l = level(u.begin, bins);
  }
  unions_free(&u), free(bin);
  return l;
}

mapping_facts mapping_look(const mapping *p, const csr *m) {
  mapping_facts f = {.load = {(double)csr_count(m) / p->n, 0}};
  for (uint32_t pe = 0; pe < p->n; pe++) {
    uint64_t load = 0;
    for (uint32_t k = p->begin[pe]; k < p->begin[pe + 1]; k++) {
      const uint64_t n = m->begin[p->row[k] + 1] - m->begin[p->row[k]];
      load += n, f.dram_rows += mapping_dram_rows(n);
    }
    f.load.most = load > f.load.most ? load : f.load.most;
  }
  f.filled = f.dram_rows ? (double)csr_count(m) / (double)(f.dram_rows * MAPPING_DRAM_ROW) : 0;
  f.pe = different(p, m, 1);
  f.group = different(p, m, p->machine.pes);
  f.vault = different(p, m, p->machine.pes * p->machine.groups);
  return f;
}

static void print_level(FILE *to, const char *what, mapping_level l) {
  fprintf(to, "%-28s %10.1f on average, %8llu at most, %.3f of it\n", what, l.mean,
          (unsigned long long)l.most, l.most ? l.mean / (double)l.most : 1);
}

void mapping_print(FILE *to, const mapping *p, const csr *m) {
  const mapping_facts f = mapping_look(p, m);
  const double n = (double)csr_count(m);
  fprintf(to, "PEs                          %10u in %u vaults of %u groups\n", p->n,
          p->machine.vaults, p->machine.groups);
  print_level(to, "elements of a PE", f.load);
  print_level(to, "different columns of a PE", f.pe);
  print_level(to, "different columns of a group", f.group);
  print_level(to, "different columns of a vault", f.vault);
  fprintf(to, "DRAM rows                    %10llu, %.0f %% filled\n",
          (unsigned long long)f.dram_rows, 100 * f.filled);
  const double group = f.group.mean * p->machine.vaults * p->machine.groups;
  const double vault = f.vault.mean * p->machine.vaults;
  fprintf(to, "columns asked of a vault     %10.0f at least, %.1f %% of all elements\n", group,
          n > 0 ? 100 * group / n : 0);
  fprintf(to, "columns asked of the network %10.0f at least, %.1f %% of all elements\n", vault,
          n > 0 ? 100 * vault / n : 0);
}

static void json_level(json_writer *j, const char *key, mapping_level l) {
  jw_object(j, key);
  jw_number(j, "mean", "%.9g", l.mean);
  jw_count(j, "most", l.most);
  jw_number(j, "mean_of_most", "%.9g", l.most ? l.mean / (double)l.most : 1);
  jw_end(j);
}

void mapping_json(FILE *to, const mapping *p, const csr *m) {
  const mapping_facts f = mapping_look(p, m);
  json_writer j = jw_to(to);
  jw_object(&j, NULL);
  jw_count(&j, "pes", p->n);
  jw_count(&j, "vaults", p->machine.vaults);
  jw_count(&j, "groups", p->machine.groups);
  jw_count(&j, "elements", csr_count(m));
  json_level(&j, "elements_of_pe", f.load);
  json_level(&j, "columns_of_pe", f.pe);
  json_level(&j, "columns_of_group", f.group);
  json_level(&j, "columns_of_vault", f.vault);
  jw_count(&j, "dram_rows", f.dram_rows);
  jw_number(&j, "filled", "%.9g", f.filled);
  jw_end(&j);
  fputc('\n', to);
}
