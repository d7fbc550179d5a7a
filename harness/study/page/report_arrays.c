// SPDX-License-Identifier: Apache-2.0
// What was counted for each array of device memory: `arrays` of the statistics, a list of objects
// or an object of them. Whatever numbers they have are columns; those of sectors are drawn.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_priv.h"

enum { COLUMNS = 16, SHOWN = 24, NAME = 64 };

// The first text of an array is its name, or its key.
static void name_of(const tree *t, size_t n, char to[NAME]) {
  const char *name = t->key;
  for (const tree *c = t->kind == TREE_MAP ? t->first : NULL; c && !name; c = c->next)
    if (c->kind == TREE_TEXT)
      name = c->text;
  if (name)
    snprintf(to, NAME, "%.60s", name);
  else
    snprintf(to, NAME, "array %zu", n);
}

// Keys of numbers, of all arrays.
static size_t keys_of(const tree *arrays, const char *keys[COLUMNS]) {
  size_t n = 0;
  for (const tree *t = arrays->first; t; t = t->next)
    for (const tree *c = t->kind == TREE_MAP ? t->first : NULL; c; c = c->next) {
      size_t k = 0;
      while (k < n && strcmp(keys[k], c->key) != 0)
        k++;
      if (c->kind == TREE_NUMBER && k == n && n < COLUMNS)
        keys[n++] = c->key;
    }
  return n;
}

static bool is_sectors(const char *key) {
  return strncmp(key, "sectors", 7) == 0;
}

// "sectors_own" as "own".
static void series_of(const char *key, char to[NAME]) {
  snprintf(to, NAME, "%.60s", key[7] == '_' ? key + 8 : key);
  for (char *at = to; (at = strchr(at, '_'));)
    *at = ' ';
}

static void put_bars(const report *r, const tree *arrays, const char *const *keys, size_t n_keys) {
  char names[SHOWN][NAME], series_texts[COLUMNS][NAME];
  const char *name_texts[SHOWN], *series[COLUMNS], *used[COLUMNS];
  double values[SHOWN * COLUMNS];
  size_t n = 0, m = 0;
  for (size_t k = 0; k < n_keys; k++)
    if (is_sectors(keys[k])) {
      series_of(keys[k], series_texts[m]);
      series[m] = series_texts[m];
      used[m++] = keys[k];
    }
  for (const tree *t = arrays->first; t && n < SHOWN && m; t = t->next, n++) {
    name_of(t, n, names[n]);
    name_texts[n] = names[n];
    for (size_t k = 0; k < m; k++)
      values[n * m + k] = tree_number(tree_in(t, used[k]), NAN);
  }
  if (!m || !n)
    return;
  chart_bars_put(r->p, &(chart_bars){.about = {.title = "Sectors by array",
                                               .note = "accesses of 32 bytes",
                                               .no_table = true},
                                     .names = name_texts,
                                     .n = n,
                                     .series = series,
                                     .n_series = m,
                                     .values = values,
                                     .stacked = true,
                                     .rows = true});
}

void report_arrays(const report *r) {
  const tree *arrays = tree_in(r->run, "arrays");
  const char *keys[COLUMNS];
  page_column columns[COLUMNS + 1] = {{.name = "array"}};
  if (!arrays)
    arrays = tree_in(r->core, "arrays");
  if (!arrays) {
    report_lacks(r, "Sectors by array: the mpu that wrote the statistics did not count them.");
    return;
  }
  report_section(r, "arrays", "Arrays");
  const size_t n = keys_of(arrays, keys);
  if (!n) {
    page_note(r->p, "Nothing was counted for arrays.");
    return;
  }
  put_bars(r, arrays, keys, n);
  for (size_t k = 0; k < n; k++)
    columns[k + 1] = (page_column){.name = keys[k], .number = true};
  page_table_begin(r->p, NULL, columns, n + 1);
  size_t row = 0;
  for (const tree *t = arrays->first; t; t = t->next, row++) {
    char name[NAME];
    name_of(t, row, name);
    page_cell(r->p, "%s", name);
    for (size_t k = 0; k < n; k++)
      page_cell_number(r->p, tree_number(tree_in(t, keys[k]), NAN));
  }
  page_table_end(r->p);
}
