// SPDX-License-Identifier: Apache-2.0
// A profile on a terminal.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile_view.h"

enum { WHERE = 300 };

static void put_shares(FILE *f, const profile_counts *all) {
  const uint64_t cycles = profile_all_cycles(all) + profile_cycles(all, PROFILE_EMPTY);
  fputs("  cycles of subcores ", f);
  for (uint32_t n = 0; n < PROFILE_CAUSES; n++)
    fprintf(f, "%s %s %.1f %%", n ? "," : "", profile_cause_names[n],
            profile_percent(profile_cycles(all, (profile_cause)n), cycles));
  fputc('\n', f);
}

static void put_head(FILE *f, const profile_kernel *k, const profile_counts *all) {
  const uint64_t accesses = profile_accesses(all);
  fprintf(f, "kernel %s\n", k->called);
  fprintf(f,
          "  launches            %" PRIu64 ", %" PRIu64 " cycles, and %" PRIu64
          " until the machine is idle\n",
          k->launches, k->cycles, k->drain);
  fprintf(f, "  warp instructions   %" PRIu64 ", %.1f %% near, %.1f lanes each\n", all->issued,
          profile_percent(all->near, all->issued),
          all->issued ? (double)all->lanes / (double)all->issued : 0);
  put_shares(f, all);
  fprintf(f, "  TSV flits           %" PRIu64 " down, %" PRIu64 " up\n",
          all->own.flits_down + all->served.flits_down, all->own.flits_up + all->served.flits_up);
  fprintf(f, "  register moves      %" PRIu64 " to the banks, %" PRIu64 " from them\n",
          all->moves_near + all->moves_zero, all->moves_far);
  fprintf(f,
          "  row buffers         %" PRIu64
          " accesses: %.1f %% hits, %.1f %% misses, %.1f %% "
          "conflicts\n",
          accesses, profile_percent(profile_hits(all), accesses),
          profile_percent(profile_misses(all), accesses),
          profile_percent(profile_conflicts(all), accesses));
  fputs("  below, %: of the cycles of subcores that hold a warp\n", f);
}

// ---- the listing

static void put_number(FILE *f, uint64_t n) {
  if (n)
    fprintf(f, " %9" PRIu64, n);
  else
    fprintf(f, " %9s", "-");
}

static void put_share(FILE *f, uint64_t n, uint64_t of) {
  if (n)
    fprintf(f, " %6.1f", profile_percent(n, of));
  else
    fprintf(f, " %6s", "-");
}

static void put_row(FILE *f, const profile_view *v, const profile_row *r) {
  const uint64_t all = profile_all_cycles(&v->all);
  const profile_counts *c = &r->counts;
  const profile_cause stall = profile_stall(c, all);
  put_share(f, profile_all_cycles(c), all);
  fprintf(f, "  %-10s", stall ? profile_cause_names[stall] : "");
  put_share(f, stall ? profile_cycles(c, stall) : 0, all);
  put_share(f, profile_held(c), all);
  put_number(f, c->issued);
  put_number(f, profile_flits(c));
  put_number(f, profile_conflicts(c));
}

static void put_line(FILE *f, const profile_view *v, const profile_row *r, uint32_t file,
                     uint32_t line) {
  char where[WHERE];
  const char *text = profile_view_text(v, file, line);
  if (r)
    put_row(f, v, r);
  else
    fprintf(f, "%63s", "");
  if (v->by == PROFILE_BY_INSTRUCTION)
    profile_view_where(v, r, where, sizeof where);
  else
    snprintf(where, sizeof where, "%u", line);
  fprintf(f, " %6s%s%s\n", line ? where : "", *text ? "  " : "", text);
}

static const profile_row *row_at(const profile_view *v, uint32_t file, uint32_t line) {
  for (uint32_t n = 0; n < v->n; n++)
    if (v->rows[n].file == file && v->rows[n].line == line)
      return &v->rows[n];
  return NULL;
}

static void put_file(FILE *f, const profile_view *v, uint32_t file) {
  uint32_t from = 1, to, before = 0;
  const profile_row *none = row_at(v, file, 0);
  fprintf(f, "\n %6s  %-10s %6s %6s %9s %9s %9s %6s  %s%s\n", "cycles", "stall", "", "held",
          "issued", "flits", "conflicts", v->by == PROFILE_BY_INSTRUCTION ? "pc" : "line",
          v->files[file].name, v->files[file].n ? "" : " (cannot be read)");
  if (none)
    put_line(f, v, none, file, 0);
  for (; profile_view_piece(v, file, &from, &to); from = before + 1) {
    if (before && from > before + 1)
      fprintf(f, "%63s %6s\n", "", "...");
    for (uint32_t line = from; line <= to; line++) {
      const profile_row *r = row_at(v, file, line);
      if (r || v->files[file].n)
        put_line(f, v, r, file, line);
    }
    before = to;
  }
}

static void put_others(FILE *f, const profile_view *v) {
  static const struct {
    profile_other other;
    const char *name;
  } others[] = {{PROFILE_CLEARING, "local memory set to zero"},
                {PROFILE_WINDOWS, "windows of shared memory"},
                {PROFILE_UNKNOWN, "unknown"}};
  for (size_t n = 0; n < sizeof others / sizeof *others; n++) {
    const profile_counts *c = profile_rest(v->k, others[n].other);
    if (!profile_flits(c) && !profile_accesses(c))
      continue;
    fprintf(f, "%43s", "");
    put_number(f, profile_flits(c));
    put_number(f, profile_conflicts(c));
    fprintf(f, "         %s\n", others[n].name);
  }
  const profile_traffic *s = &v->all.served;
  if (s->flits_down)
    fprintf(f,
            "  of these, in other cores than the instructions: %" PRIu64 " flits, %" PRIu64
            " accesses, %" PRIu64 " row conflicts\n",
            s->flits_down + s->flits_up, s->rd + s->wr, s->row_conflicts);
}

// ---- the most of something

static void put_top(FILE *f, const profile_view *v, const char *what, profile_measure *m,
                    uint64_t all, uint32_t top) {
  uint32_t *rows = calloc(top + 1, sizeof *rows);
  if (!rows)
    abort();
  const uint32_t n = profile_view_top(v, m, top, rows);
  int width = 0;
  for (uint32_t k = 0; k < n; k++) {
    char where[WHERE];
    profile_view_where(v, &v->rows[rows[k]], where, sizeof where);
    width = (int)strlen(where) > width ? (int)strlen(where) : width;
  }
  if (n)
    fprintf(f, "\n  %s\n", what);
  for (uint32_t k = 0; k < n; k++) {
    const profile_row *r = &v->rows[rows[k]];
    char where[WHERE];
    const char *text = profile_view_text(v, r->file, r->line);
    profile_view_where(v, r, where, sizeof where);
    fprintf(f, " %6.1f %%  %10" PRIu64 "  %-*s  %s\n", profile_percent(m(&r->counts), all),
            m(&r->counts), width, where, text + strspn(text, " \t"));
  }
  free(rows);
}

static void put_kernel(FILE *f, const profile_run *r, const profile_kernel *k, profile_by by,
                       uint32_t top) {
  profile_view *v = profile_view_new(r, k, by);
  profile_counts all = v->all;
  for (uint32_t n = 0; n < PROFILE_OTHERS; n++)
    profile_add(&all, profile_rest(k, (profile_other)n));
  fputc('\n', f);
  put_head(f, k, &all);
  for (uint32_t file = 0; file < v->n_files; file++)
    put_file(f, v, file);
  put_others(f, v);
  put_top(f, v, "most cycles", profile_all_cycles, profile_all_cycles(&all), top);
  put_top(f, v, "most cycles that others wait for it", profile_held, profile_all_cycles(&all), top);
  put_top(f, v, "most TSV flits", profile_flits, profile_flits(&all), top);
  put_top(f, v, "most row conflicts", profile_conflicts, profile_conflicts(&all), top);
  profile_view_free(v);
}

void profile_text(FILE *f, const profile_run *r, profile_by by, uint32_t top) {
  for (uint32_t n = 0; n < r->data->n; n++)
    put_kernel(f, r, &r->data->kernels[n], by, top);
}
