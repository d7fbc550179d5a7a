// SPDX-License-Identifier: Apache-2.0
// Memory in pieces that are freed together: what a file or a plan is made of.
#ifndef NEARBANK_PIECES_H
#define NEARBANK_PIECES_H

#include <stddef.h>

typedef struct pieces {
  struct piece *last;  // NULL: none yet
} pieces;

void *pieces_more(pieces *p, size_t bytes);  // zeros; aborts when memory is short
char *pieces_text(pieces *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pieces_free(pieces *p);  // all of them

#endif
