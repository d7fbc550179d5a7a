// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share.
#ifndef NEARBANK_STUDY_PRIV_H
#define NEARBANK_STUDY_PRIV_H

#include "harness/base/pieces.h"
#include "study.h"

typedef struct kept_expr {
  expr *is;
  struct kept_expr *next;
} kept_expr;

typedef struct kept_file {
  tree_file *is;
  struct kept_file *next;
} kept_file;

typedef struct memory {
  pieces pieces;
  kept_expr *exprs;
  kept_file *files;
} memory;

typedef struct reader {
  study *to;
  memory *memory;
  const tree *top;
  bool config_keys;  // keys with a dot are of the machine
  char *why;
  size_t why_bytes;
} reader;

// Memory of the study: pieces_more, pieces_text.
#define study_more(r, bytes) pieces_more(&(r)->memory->pieces, bytes)
#define study_text(r, ...) pieces_text(&(r)->memory->pieces, __VA_ARGS__)
bool study_wrong(reader *r, study_at at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));  // false
study_at study_place(const tree *t);
bool study_keys(reader *r, const tree *t, const char *what, const char *const *keys);
bool study_take_text(reader *r, const tree *in, const char *key, const char **to);
bool study_take_number(reader *r, const tree *in, const char *key, double least, double *to);
bool study_take_word(reader *r, const tree *in, const char *key, const char *const *words,
                     unsigned *to);
bool study_take_expr(reader *r, const tree *t, expr **to);
bool study_take_what(reader *r, const tree *t, study_what *w);

bool study_take_figures(reader *r, const tree *t);  // study_figures.c

// ---- study_list.c

const char *study_folder(void);  // with the shipped ones
void study_unknown(const char *name, char *why, size_t bytes);

#endif
