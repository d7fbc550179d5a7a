// SPDX-License-Identifier: Apache-2.0
// Jobs of a place by their folders, in the order in which they came.
#ifndef NEARBANK_TABLE_H
#define NEARBANK_TABLE_H

#include <stddef.h>

// Each job is memory of malloc, and begins with the name of its folder, of malloc too (char *).
typedef struct table {
  void *tree;
  void **list;
  size_t n, room;
} table;

// A job of so many bytes, all 0 but its folder.
void *table_add(table *t, const char *folder, size_t bytes);
void *table_find(const table *t, const char *folder);  // NULL: none
void table_remove(table *t, void *job);                // frees it, and the name
void table_free(table *t);

#endif
