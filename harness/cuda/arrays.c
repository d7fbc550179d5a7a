// SPDX-License-Identifier: Apache-2.0
#include "arrays.h"

#include <stdlib.h>
#include <string.h>
#include "array_name.h"
#include "harness/base/plain_name.h"
#include "target.h"

enum { PLACE = 80, UNPLACED = 1000 };

// What is allocated at one place, or a variable of the device.
typedef struct array {
  char name[ARRAY_NAME], place[PLACE];  // place: empty when it is not known
  rt_place at;
  const module_symbol *variable;  // NULL: memory that was allocated
  uint64_t bytes, allocations;
} array;

typedef struct live {
  uint64_t address, bytes;
  uint32_t array;
} live;

struct rt_arrays {
  sim *s;            // NULL: the functional machine
  core_arrays *own;  // what it counts
  array *of;         // number n is ARRAY_FIRST + n of those who count
  live *lives;
  array_range *ranges;
  uint32_t n, n_lives;
  uint32_t allocations;  // of the program, so far
  uint32_t unplaced;     // of these, whose place is not known
  uint32_t later;        // the array of those behind the first UNPLACED
};

static void *more(void *p, size_t count, size_t bytes) {
  p = realloc(p, count * bytes);
  if (!p)
    rt_wrong("out of host memory");
  return p;
}

static void accessed(void *ctx, const machine_access *x) {
  arrays_access(ctx, x->address, x->reads, x->writes);
}

rt_arrays *arrays_of_program(sim *s, machine *m) {
  rt_arrays *a = calloc(1, sizeof *a);
  core_arrays *own = s ? NULL : arrays_new();
  if (!a || (s ? !sim_count_arrays(s) : !own))
    rt_wrong("out of host memory");
  a->s = s, a->own = own;
  if (own)
    machine_set_accessed(m, accessed, own);
  return a;
}

void arrays_forget(rt_arrays *a) {
  if (!a)
    return;
  arrays_free(a->own);
  free(a->of);
  free(a->lives);
  free(a->ranges);
  free(a);
}

// ---- what there is

static uint32_t add(rt_arrays *a, array x) {
  a->of = more(a->of, a->n + 1, sizeof *a->of);
  a->of[a->n] = x;
  return a->n++;
}

// Names are in the program, as long as it lives.
static bool same_place(const rt_place *a, const rt_place *b) {
  return a->line == b->line && a->column == b->column && a->file && b->file &&
         strcmp(a->file, b->file) == 0;
}

static array named(const rt_place *at, uint32_t allocation) {
  array x = {.at = *at};
  if (!at->file) {
    snprintf(x.name, sizeof x.name, "allocation %u", allocation);
    return x;
  }
  const char *slash = strrchr(at->file, '/');
  snprintf(x.place, sizeof x.place, "%.60s:%d", slash ? slash + 1 : at->file, at->line);
  if (!array_name(at->file, at->line, at->column, at->call, x.name, sizeof x.name))
    snprintf(x.name, sizeof x.name, "%.63s", x.place);
  return x;
}

// Each is an array, but for those behind the first UNPLACED together.
static uint32_t unplaced(rt_arrays *a) {
  static const rt_place nowhere;
  if (++a->unplaced <= UNPLACED)
    return add(a, named(&nowhere, a->allocations));
  if (a->unplaced == UNPLACED + 1)
    a->later = add(a, (array){.name = "later allocations"});
  return a->later;
}

static uint32_t array_at(rt_arrays *a, const rt_place *at) {
  if (!at->file)
    return unplaced(a);
  for (uint32_t n = 0; n < a->n; n++)
    if (!a->of[n].variable && same_place(&a->of[n].at, at))
      return n;
  return add(a, named(at, a->allocations));
}

void arrays_allocated(rt_arrays *a, uint64_t address, uint64_t bytes) {
  if (!a)
    return;
  a->allocations++;
  const uint32_t n = array_at(a, &thread.place);
  a->of[n].bytes += bytes;
  a->of[n].allocations++;
  a->lives = more(a->lives, a->n_lives + 1, sizeof *a->lives);
  a->lives[a->n_lives++] = (live){address, bytes, n};
}

void arrays_released(rt_arrays *a, uint64_t address) {
  for (uint32_t n = 0; a && n < a->n_lives; n++)
    if (a->lives[n].address == address) {
      a->lives[n] = a->lives[--a->n_lives];
      return;
    }
}

static uint32_t variable(rt_arrays *a, const module_symbol *s) {
  for (uint32_t n = 0; n < a->n; n++)
    if (a->of[n].variable == s)
      return n;
  array x = {.variable = s, .bytes = s->bytes, .allocations = 1};
  char *name = plain_name(s->name);
  snprintf(x.name, sizeof x.name, "%.63s", name);
  free(name);
  return add(a, x);
}

// ---- before a launch

static int by_address(const void *a, const void *b) {
  const array_range *x = a, *y = b;
  return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                            : (x->array > y->array) - (x->array < y->array);
}

static uint32_t add_variables(rt_arrays *a, const rt_context *c, uint32_t n) {
  for (const rt_program *p = c->programs; p; p = p->next)
    for (uint32_t k = 0; k < p->mod->symbol_count; k++) {
      const module_symbol *s = &p->mod->symbols[k];
      const uint64_t at = s->is_const ? 0 : target_symbol(c, p, s);
      if (s->is_const || !s->bytes)
        continue;
      a->ranges = more(a->ranges, n + 1, sizeof *a->ranges);
      a->ranges[n++] = (array_range){at, at + s->bytes, ARRAY_FIRST + variable(a, s)};
    }
  return n;
}

// Sectors are counted: one with several variables is the first one's.
static uint32_t to_sectors(array_range *r, uint32_t count) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < count; k++) {
    const uint64_t before = n ? r[n - 1].until : 0, from = r[k].from / 32 * 32;
    const array_range x = {from > before ? from : before, (r[k].until + 31) / 32 * 32, r[k].array};
    if (x.from < x.until)
      r[n++] = x;
  }
  return n;
}

void arrays_launch(rt_arrays *a, const rt_context *c) {
  if (!a)
    return;
  uint32_t n = 0;
  a->ranges = more(a->ranges, a->n_lives + 1, sizeof *a->ranges);
  for (; n < a->n_lives; n++)
    a->ranges[n] = (array_range){a->lives[n].address, a->lives[n].address + a->lives[n].bytes,
                                 ARRAY_FIRST + a->lives[n].array};
  n = add_variables(a, c, n);
  qsort(a->ranges, n, sizeof *a->ranges, by_address);
  n = to_sectors(a->ranges, n);
  if (a->s ? !sim_set_arrays(a->s, a->ranges, n, ARRAY_FIRST + a->n)
           : !arrays_set(a->own, a->ranges, n, ARRAY_FIRST + a->n))
    rt_wrong("out of host memory");
}

// ---- what was counted

static array_counts counted(const rt_arrays *a, uint32_t array) {
  return a->s ? sim_array(a->s, array) : arrays_counted(a->own, array);
}

static void put_one(json_writer *j, const char *key, bool known, uint64_t n) {
  if (known)
    jw_count(j, key, n);
  else
    jw_null(j, key);
}

static void put(const rt_arrays *a, const array_counts *c, json_writer *j) {
  jw_count(j, "read", c->read);
  jw_count(j, "written", c->written);
  put_one(j, "remote_read", a->s, c->remote_read);
  put_one(j, "remote_written", a->s, c->remote_written);
  jw_count(j, "atomics", c->atomics);
  put_one(j, "row_hits", a->s, c->row_hits);
  put_one(j, "row_misses", a->s, c->row_misses);
  put_one(j, "row_conflicts", a->s, c->row_conflicts);
}

void arrays_json(const rt_arrays *a, json_writer *j) {
  if (!a)
    return;
  const array_counts local = counted(a, ARRAY_LOCAL), none = counted(a, ARRAY_NONE);
  jw_object(j, "arrays");
  jw_list(j, "named");
  for (uint32_t n = 0; n < a->n; n++) {
    const array *x = &a->of[n];
    const array_counts counts = counted(a, ARRAY_FIRST + n);
    jw_object(j, NULL);
    jw_text(j, "name", x->name);
    jw_text(j, "place", x->place[0] ? x->place : NULL);
    jw_truth(j, "variable", x->variable);
    jw_count(j, "allocations", x->allocations);
    jw_count(j, "bytes", x->bytes);
    put(a, &counts, j);
    jw_end(j);
  }
  jw_end(j);
  if (a->s) {
    jw_object(j, "local");
    jw_count(j, "bytes", sim_local_bytes(a->s));
    put(a, &local, j);
    jw_end(j);
  } else {
    jw_null(j, "local");
  }
  jw_object(j, "others");
  put(a, &none, j);
  jw_end(j);
  jw_end(j);
}

static uint64_t sectors(const array_counts *c) {
  return c->read + c->written + c->remote_read + c->remote_written;
}

static double percent(uint64_t n, uint64_t of) {
  return of ? 100.0 * (double)n / (double)of : 0;
}

static void row(FILE *f, const rt_arrays *a, const char *name, const char *place, uint64_t bytes,
                const array_counts *c) {
  const uint64_t all = sectors(c);
  fprintf(f, "  %-20s %-18s %12llu %12llu %12llu", name, place, (unsigned long long)bytes,
          (unsigned long long)(c->read + c->remote_read),
          (unsigned long long)(c->written + c->remote_written));
  if (a->s)
    fprintf(f, " %6.1f %% %6.1f %% %7.1f %%\n", percent(c->remote_read + c->remote_written, all),
            percent(c->row_hits, all), percent(c->row_conflicts, all));
  else
    fprintf(f, " %8s %8s %9s\n", "-", "-", "-");
}

void arrays_report(const rt_arrays *a, FILE *f) {
  if (!a)
    return;
  const array_counts local = counted(a, ARRAY_LOCAL), none = counted(a, ARRAY_NONE);
  fprintf(f, "%-22s %-18s %12s %12s %12s %8s %8s %9s\n", "arrays", "", "bytes", "sectors read",
          "written", "remote", "row hits", "conflicts");
  for (uint32_t n = 0; n < a->n; n++) {
    const array *x = &a->of[n];
    const array_counts c = counted(a, ARRAY_FIRST + n);
    if (!x->variable || sectors(&c))
      row(f, a, x->name, x->variable ? "variable" : x->place, x->bytes, &c);
  }
  if (sectors(&local))
    row(f, a, "local memory", "", sim_local_bytes(a->s), &local);
  if (sectors(&none))
    row(f, a, "others", "", 0, &none);
}
