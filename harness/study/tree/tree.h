// SPDX-License-Identifier: Apache-2.0
// YAML and JSON files as trees (JSON is YAML): study files, statistics of runs. Every node knows
// its place, so that messages can say where something is wrong. Texts and nodes live as long as the
// tree.
#ifndef NEARBANK_TREE_H
#define NEARBANK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tree_kind {
  TREE_NULL,    // null, ~ or nothing
  TREE_TRUTH,   // true, false, on, off, yes, no; number is 1 or 0
  TREE_NUMBER,  // decimal, or hexadecimal with 0x
  TREE_TEXT,
  TREE_LIST,
  TREE_MAP
} tree_kind;

typedef struct tree {
  const char *key;  // in a map; NULL elsewhere
  tree_kind kind;
  const char *text;  // of what is neither list nor map: as it is in the file, NULL for nothing
  double number;
  const struct tree *first, *next;  // of a list or map: its first child; the next one of the parent
  size_t n;                         // children
  const char *file;                 // as tree_name
  uint32_t line, column;            // from 1: of the key in a map, otherwise of the value
} tree;

typedef struct tree_file tree_file;

// NULL: `why` says what is wrong, and where: "NAME:LINE:COLUMN: ...". Keys of a map must differ.
tree_file *tree_read(const char *name, char *why, size_t bytes);
tree_file *tree_parse(const char *name, const char *text, size_t length, char *why, size_t bytes);
void tree_free(tree_file *f);  // also NULL
const tree *tree_top(const tree_file *f);
const char *tree_name(const tree_file *f);  // for messages

// NULL: it is not there; also when t is NULL or not a map.
const tree *tree_in(const tree *t, const char *key);
// Along a path of keys with dots and of numbers from 0: "core.subcores.0.issued".
const tree *tree_at(const tree *t, const char *path);
double tree_number(const tree *t, double otherwise);
const char *tree_text(const tree *t, const char *otherwise);

// A tree of two: maps in both are joined key by key, anything else of `over` takes the place of
// what `under` has. Keys that are only in `over` come last. The new nodes live in `f`; both trees
// must live as long.
const tree *tree_join(tree_file *f, const tree *under, const tree *over);

// ---- values: a tree of numbers, flat

typedef struct value {
  char *name;  // keys with dots between them: core.nbus.banks.rd
  double number;
} value;

typedef struct values {
  value *all;  // by name, in the order of strcmp, after values_done
  size_t n, room;
} values;

// Adds what `t` has below `name` ("": nothing before its keys): elements of a list have the name of
// the list, so that they are summed; truths, texts and nulls are left out.
void values_add_tree(values *v, const char *name, const tree *t);
void values_add(values *v, const char *name, double number);
void values_done(values *v);  // sorts, and sums what has the same name
const double *values_find(const values *v, const char *name);  // NULL: it is not there
void values_free(values *v);

#endif
