// SPDX-License-Identifier: Apache-2.0
#include "profile_view.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csim/isa/isa.h"

enum { CONTEXT = 1 };  // lines that are shown around one with counters

const char *const profile_cause_names[] = {
#define PROFILE_CAUSE(NAME, name, doc) #name,
#include "profile.def"
};
const char *const profile_other_names[] = {
#define PROFILE_OTHER(NAME, name, doc) #name,
#include "profile.def"
};
const char *const profile_other_texts[] = {
#define PROFILE_OTHER(NAME, name, doc) doc,
#include "profile.def"
};
#define TSV_PACKET(dir, num, name, reply, body, doc) NAME_##dir(#name)
#define NAME_DN(name) name,
#define NAME_UP(name)
const char *const profile_packet_names[] = {
#include "csim/mpu/tsv.def"
};

static void *allocate(size_t count, size_t bytes) {
  void *p = calloc(count + 1, bytes);
  if (!p)
    abort();
  return p;
}

static char *copy(const char *text) {
  return strcpy(allocate(strlen(text), 1), text);
}

// ---- of counters

uint64_t profile_cycles(const profile_counts *c, profile_cause cause) {
  uint64_t n = 0;
  for (uint32_t k = 0; k < PROFILE_SUBCORES; k++)
    n += c->cycles[cause][k];
  return n;
}

uint64_t profile_all_cycles(const profile_counts *c) {
  uint64_t n = 0;
  for (uint32_t cause = 0; cause < PROFILE_CAUSES; cause++)
    n += cause == PROFILE_EMPTY ? 0 : profile_cycles(c, (profile_cause)cause);
  return n;
}

uint64_t profile_held(const profile_counts *c) {
  return c->held_memory + c->held_scoreboard;
}
uint64_t profile_flits(const profile_counts *c) {
  return c->own.flits_down + c->own.flits_up + c->served.flits_down + c->served.flits_up;
}
uint64_t profile_conflicts(const profile_counts *c) {
  return c->own.row_conflicts + c->served.row_conflicts;
}
uint64_t profile_misses(const profile_counts *c) {
  return c->own.row_misses + c->served.row_misses;
}
uint64_t profile_accesses(const profile_counts *c) {
  return c->own.rd + c->own.wr + c->served.rd + c->served.wr;
}
uint64_t profile_hits(const profile_counts *c) {
  return profile_accesses(c) - profile_misses(c) - profile_conflicts(c);
}

profile_cause profile_stall(const profile_counts *c, uint64_t all) {
  profile_cause most = PROFILE_ISSUE;
  uint64_t cycles = all / 2000;  // 0.05 %
  for (uint32_t cause = PROFILE_ISSUE + 1; cause < PROFILE_EMPTY; cause++)
    if (profile_cycles(c, (profile_cause)cause) > cycles)
      most = (profile_cause)cause, cycles = profile_cycles(c, most);
  return most;
}

double profile_percent(uint64_t n, uint64_t of) {
  return of ? 100.0 * (double)n / (double)of : 0;
}

// ---- texts

static void split_lines(profile_text_file *f) {
  uint32_t n = 0;
  for (const char *c = f->bytes; *c; c++)
    n += *c == '\n';
  f->lines = allocate(n + 1, sizeof *f->lines);
  for (char *at = f->bytes; *at;) {
    char *end = strchrnul(at, '\n'), *last = end;
    while (last > at && (last[-1] == '\r' || last[-1] == ' ' || last[-1] == '\t'))
      last--;
    f->lines[f->n++] = at;
    at = *end ? end + 1 : end;
    *last = 0;
  }
}

static bool read_text(profile_text_file *f, const char *path) {
  FILE *in = *path ? fopen(path, "r") : NULL;
  size_t room = 0;
  if (!in)
    return false;
  if (getdelim(&f->bytes, &room, 0, in) < 0) {
    free(f->bytes);
    f->bytes = NULL;
  } else {
    split_lines(f);
  }
  fclose(in);
  return f->n > 0;
}

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static uint32_t add_file(profile_view *v, const char *path) {
  v->files = realloc(v->files, (v->n_files + 1) * sizeof *v->files);
  if (!v->files)
    abort();
  profile_text_file *f = &v->files[v->n_files];
  *f = (profile_text_file){.path = copy(path), .name = copy(base_of(path))};
  for (uint32_t n = 0; n < v->n_files; n++)
    if (strcmp(v->files[n].name, f->name) == 0) {  // another one of this name
      free(f->name);
      f->name = copy(path);
      break;
    }
  read_text(f, path);
  return v->n_files++;
}

// A path that leads nowhere, from another folder than this, means the program if it has its name.
static uint32_t find_file(profile_view *v, const char *path) {
  char a[PATH_MAX], b[PATH_MAX];
  if (!*path)
    return 0;
  for (uint32_t n = 0; n < v->n_files; n++)
    if (strcmp(v->files[n].path, path) == 0 ||
        (realpath(v->files[n].path, a) && realpath(path, b) && strcmp(a, b) == 0))
      return n;
  if (access(path, R_OK) && strcmp(base_of(path), base_of(v->files[0].path)) == 0)
    return 0;
  return add_file(v, path);
}

// The text of the instructions, each with its pc as its line.
static void list_instructions(profile_view *v) {
  profile_text_file *f = allocate(0, sizeof *f);
  *f = (profile_text_file){.path = copy(""), .name = copy("instructions"), .n = v->k->n};
  f->lines = allocate(v->k->n, sizeof *f->lines);
  for (uint32_t n = 0; n < v->k->n; n++)
    f->lines[n] = v->k->instructions[n].text;
  v->files = f, v->n_files = 1;
}

// ---- rows

static int in_order(const void *x, const void *y) {
  const profile_row *a = x, *b = y;
  if (a->file != b->file)
    return a->file < b->file ? -1 : 1;
  return a->line < b->line ? -1 : a->line > b->line;
}

static profile_row place_of(profile_view *v, uint32_t n) {
  const profile_instruction *i = &v->k->instructions[n];
  switch (v->by) {
    case PROFILE_BY_LINE:
      return (profile_row){.file = find_file(v, i->file), .line = i->cuda_line};
    case PROFILE_BY_PTX:
      return (profile_row){.line = i->ptx_line};
    default:
      return (profile_row){.line = n + 1};
  }
}

static bool any(const profile_counts *c) {
  for (size_t n = 0; n < PROFILE_WORDS; n++)
    if (((const uint64_t *)c)[n])
      return true;
  return false;
}

static void make_rows(profile_view *v) {
  const uint32_t n = v->k->n - !any(&v->k->counts[v->k->n - 1]);  // of instructions
  profile_row *places = allocate(n, sizeof *places);
  v->rows = allocate(n, sizeof *v->rows);
  v->row_of = allocate(v->k->n, sizeof *v->row_of);
  for (uint32_t k = 0; k < n; k++)
    v->rows[k] = places[k] = place_of(v, k);
  qsort(v->rows, n, sizeof *v->rows, in_order);
  for (uint32_t k = 0; k < n; k++)
    if (!k || in_order(&v->rows[k], &v->rows[v->n - 1]))
      v->rows[v->n++] = v->rows[k];
  for (uint32_t k = 0; k < n; k++) {
    const profile_row *r = bsearch(&places[k], v->rows, v->n, sizeof *r, in_order);
    v->row_of[k] = (uint32_t)(r - v->rows);
    profile_add(&v->rows[v->row_of[k]].counts, &v->k->counts[k]);
    profile_add(&v->all, &v->k->counts[k]);
  }
  free(places);
}

profile_view *profile_view_new(const profile_run *r, const profile_kernel *k, profile_by by) {
  profile_view *v = allocate(0, sizeof *v);
  v->k = k, v->by = by;
  if (by == PROFILE_BY_INSTRUCTION)
    list_instructions(v);
  else
    add_file(v, by == PROFILE_BY_PTX ? r->ptx : r->source);
  make_rows(v);
  return v;
}

void profile_view_free(profile_view *v) {
  for (uint32_t n = 0; n < v->n_files; n++) {
    free(v->files[n].path);
    free(v->files[n].name);
    free(v->files[n].bytes);
    free(v->files[n].lines);
  }
  free(v->files);
  free(v->rows);
  free(v->row_of);
  free(v);
}

const char *profile_view_text(const profile_view *v, uint32_t file, uint32_t line) {
  const profile_text_file *f = &v->files[file];
  if (!line)
    return "(of no line)";
  return line <= f->n ? f->lines[line - 1] : "";
}

void profile_view_where(const profile_view *v, const profile_row *r, char *to, size_t bytes) {
  const char *name = base_of(v->files[r->file].name);
  if (v->by == PROFILE_BY_INSTRUCTION)
    snprintf(to, bytes, "0x%x", (r->line - 1) * ISA_BYTES);
  else
    snprintf(to, bytes, "%s:%u", v->by == PROFILE_BY_PTX ? "ptx" : name, r->line);
}

uint32_t profile_view_top(const profile_view *v, profile_measure *m, uint32_t n, uint32_t *rows) {
  uint32_t found = 0;
  for (uint32_t k = 0; k < v->n; k++) {
    const uint64_t value = m(&v->rows[k].counts);
    uint32_t at = found;
    if (!value)
      continue;
    while (at && m(&v->rows[rows[at - 1]].counts) < value)
      at--;
    if (at == n)
      continue;
    found += found < n;
    memmove(rows + at + 1, rows + at, (found - at - 1) * sizeof *rows);
    rows[at] = k;
  }
  return found;
}

bool profile_view_piece(const profile_view *v, uint32_t file, uint32_t *from, uint32_t *to) {
  const uint32_t around = file || v->by == PROFILE_BY_INSTRUCTION ? 0 : CONTEXT;
  uint32_t first = 0, last = 0;
  for (uint32_t n = 0; n < v->n; n++) {
    const profile_row *r = &v->rows[n];
    if (r->file != file || r->line < *from)
      continue;
    if (first && r->line > last + 2 * around + 1)
      break;
    first = first ? first : r->line, last = r->line;
  }
  if (!first)
    return false;
  *from = first > *from + around ? first - around : *from;
  *to = last + around < v->files[file].n || last > v->files[file].n ? last + around
                                                                    : v->files[file].n;
  return true;
}
