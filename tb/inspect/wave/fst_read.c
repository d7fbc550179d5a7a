// SPDX-License-Identifier: Apache-2.0
#include "fst_read.h"

#include <stdlib.h>
#include <string.h>

#include "gtkwave/fstapi.h"

typedef struct values {  // of a number
  uint32_t bits;
  size_t n, room;
  fst_change *changes;
} values;

struct fst_file {
  fst_signal *signals, **by_name;
  size_t n, room;
  values *values;
  uint32_t n_values;
  uint64_t first, last;
  uint64_t *turns;  // times at which it becomes dark, and light again
  uint32_t n_turns;
  bool no_memory;
};

static bool grow(void **array, size_t n, size_t *room, size_t bytes) {
  if (n < *room)
    return true;
  void *more = realloc(*array, (2 * *room + 16) * bytes);
  if (more)
    *array = more, *room = 2 * *room + 16;
  return more;
}

static void take_value(void *ctx, uint64_t ps, fstHandle number, const unsigned char *text) {
  fst_file *f = ctx;
  values *v = &f->values[number];
  // what is not known before the first value is told too
  if (text[0] == 'x')
    return;
  char *digits = malloc(v->bits + 1);
  if (!digits || !grow((void **)&v->changes, v->n, &v->room, sizeof *v->changes)) {
    f->no_memory = true;
    free(digits);
    return;
  }
  memcpy(digits, text, v->bits);
  digits[v->bits] = 0;
  v->changes[v->n++] = (fst_change){ps, digits};
}

static void take_names(fst_file *f, void *r) {
  const struct fstHier *h;
  while ((h = fstReaderIterateHier(r))) {
    if (h->htyp == FST_HT_SCOPE)
      fstReaderPushScope(r, h->u.scope.name, NULL);
    else if (h->htyp == FST_HT_UPSCOPE)
      fstReaderPopScope(r);
    if (h->htyp != FST_HT_VAR)
      continue;
    const char *scope = fstReaderGetCurrentFlatScope(r), *name = h->u.var.name;
    const size_t length = strlen(scope), n = strcspn(name, " ");
    fst_signal s = {.name = malloc(length + n + 2),
                    .bits = h->u.var.length,
                    .number = h->u.var.handle,
                    .alias = h->u.var.is_alias};
    if (!s.name || !grow((void **)&f->signals, f->n, &f->room, sizeof *f->signals)) {
      free(s.name);
      f->no_memory = true;
      return;
    }
    memcpy(s.name, scope, length);
    s.name[length] = '.';
    memcpy(s.name + length + 1, name, n);
    s.name[length + n + 1] = 0;
    f->values[s.number].bits = s.bits;
    f->signals[f->n++] = s;
  }
}

static void take_turns(fst_file *f, void *r) {
  const uint32_t n = fstReaderGetNumberDumpActivityChanges(r);
  f->turns = malloc((n + 1) * sizeof *f->turns);
  bool on = true;
  for (uint32_t k = 0; f->turns && k < n; k++) {
    const bool next = fstReaderGetDumpActivityChangeValue(r, k);
    if (next != on)
      f->turns[f->n_turns++] = fstReaderGetDumpActivityChangeTime(r, k);
    on = next;
  }
  f->no_memory |= !f->turns;
}

static int compare(const void *a, const void *b) {
  return strcmp((*(fst_signal *const *)a)->name, (*(fst_signal *const *)b)->name);
}

static void sort(fst_file *f) {
  f->by_name = malloc((f->n + 1) * sizeof *f->by_name);
  f->no_memory |= !f->by_name;
  for (size_t k = 0; k < f->n; k++) {
    fst_signal *s = &f->signals[k];
    s->n = f->values[s->number].n;
    s->changes = f->values[s->number].changes;
    if (f->by_name)
      f->by_name[k] = s;
  }
  if (f->by_name)
    qsort(f->by_name, f->n, sizeof *f->by_name, compare);
}

fst_file *fst_read(const char *file) {
  void *r = fstReaderOpen(file);
  fst_file *f = r ? calloc(1, sizeof *f) : NULL;
  if (!f) {
    if (r)
      fstReaderClose(r);
    return NULL;
  }
  f->n_values = fstReaderGetMaxHandle(r) + 1;
  f->values = calloc(f->n_values, sizeof *f->values);
  f->no_memory = !f->values;
  f->first = fstReaderGetStartTime(r);
  f->last = fstReaderGetEndTime(r);
  if (f->values) {
    take_names(f, r);
    take_turns(f, r);
    fstReaderSetFacProcessMaskAll(r);
    fstReaderIterBlocks(r, take_value, f, NULL);
    sort(f);
  }
  fstReaderClose(r);
  if (!f->no_memory)
    return f;
  fst_free(f);
  return NULL;
}

void fst_free(fst_file *f) {
  for (uint32_t v = 0; f && f->values && v < f->n_values; v++) {
    for (size_t k = 0; k < f->values[v].n; k++)
      free((char *)f->values[v].changes[k].digits);
    free(f->values[v].changes);
  }
  for (size_t k = 0; f && k < f->n; k++)
    free(f->signals[k].name);
  if (!f)
    return;
  free(f->signals);
  free(f->by_name);
  free(f->values);
  free(f->turns);
  free(f);
}

size_t fst_signals(const fst_file *f) {
  return f->n;
}

const fst_signal *fst_signal_of(const fst_file *f, size_t n) {
  return &f->signals[n];
}

const fst_signal *fst_named(const fst_file *f, const char *name) {
  const fst_signal key = {.name = (char *)name}, *at = &key;
  fst_signal **found = bsearch(&at, f->by_name, f->n, sizeof *f->by_name, compare);
  return found ? *found : NULL;
}

uint64_t fst_first(const fst_file *f) {
  return f->first;
}

uint64_t fst_last(const fst_file *f) {
  return f->last;
}

const char *fst_at(const fst_signal *s, uint64_t ps) {
  size_t low = 0, high = s->n;  // of the first change behind it
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (s->changes[middle].ps > ps)
      high = middle;
    else
      low = middle + 1;
  }
  return low ? s->changes[low - 1].digits : NULL;
}

bool fst_is_dark(const fst_file *f, uint64_t ps) {
  uint32_t turns = 0;
  while (turns < f->n_turns && f->turns[turns] <= ps)
    turns++;
  return ps < f->first || ps > f->last || turns % 2 == 1;
}
