// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

typedef struct head {
  char *folder;
} head;

static int by_folder(const void *a, const void *b) {
  return strcmp(((const head *)a)->folder, ((const head *)b)->folder);
}

void *table_add(table *t, const char *folder, size_t bytes) {
  head *job = calloc(1, bytes);
  if (t->n == t->room) {
    t->room = t->room ? 2 * t->room : 256;
    t->list = realloc(t->list, t->room * sizeof *t->list);
  }
  if (!job || !t->list || !(job->folder = strdup(folder)) || !tsearch(job, &t->tree, by_folder))
    abort();
  return t->list[t->n++] = job;
}

void *table_find(const table *t, const char *folder) {
  const head key = {(char *)folder};
  void *const *found = tfind(&key, &t->tree, by_folder);
  return found ? *found : NULL;
}

static void free_job(void *job) {
  free(((head *)job)->folder);
  free(job);
}

void table_remove(table *t, void *job) {
  size_t k = 0;
  while (t->list[k] != job)
    k++;
  t->n--;
  memmove(t->list + k, t->list + k + 1, (t->n - k) * sizeof *t->list);
  tdelete(job, &t->tree, by_folder);
  free_job(job);
}

void table_free(table *t) {
  tdestroy(t->tree, free_job);
  free(t->list);
  *t = (table){0};
}
