// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tree.h"

enum { NAME = 512 };

void values_add(values *v, const char *name, double number) {
  if (v->n == v->room) {
    v->room = v->room ? 2 * v->room : 256;
    v->all = realloc(v->all, v->room * sizeof *v->all);
  }
  char *copy = strdup(name);
  if (!v->all || !copy)
    abort();
  v->all[v->n++] = (value){copy, number};
}

void values_add_tree(values *v, const char *name, const tree *t) {
  if (t->kind == TREE_NUMBER)
    values_add(v, name, t->number);
  for (const tree *c = t->first; c; c = c->next) {
    char below[NAME];
    if (c->key)
      snprintf(below, sizeof below, "%s%s%s", name, *name ? "." : "", c->key);
    values_add_tree(v, c->key ? below : name, c);
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const value *)a)->name, ((const value *)b)->name);
}

void values_done(values *v) {
  size_t kept = 0;
  if (v->n)
    qsort(v->all, v->n, sizeof *v->all, by_name);
  for (size_t k = 0; k < v->n; k++) {
    if (kept && strcmp(v->all[kept - 1].name, v->all[k].name) == 0) {
      v->all[kept - 1].number += v->all[k].number;
      free(v->all[k].name);
    } else {
      v->all[kept++] = v->all[k];
    }
  }
  v->n = kept;
}

const double *values_find(const values *v, const char *name) {
  const value key = {(char *)name, 0};
  const value *found = v->n ? bsearch(&key, v->all, v->n, sizeof key, by_name) : NULL;
  return found ? &found->number : NULL;
}

void values_free(values *v) {
  for (size_t k = 0; k < v->n; k++)
    free(v->all[k].name);
  free(v->all);
  *v = (values){0};
}
