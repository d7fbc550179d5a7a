// SPDX-License-Identifier: Apache-2.0
// A line from a terminal that can edit: cursor keys, history, completion.
#ifndef NEARBANK_DEBUG_EDIT_H
#define NEARBANK_DEBUG_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct edit edit;

enum { EDIT_CHOICES = 64 };

// What the last word of `line`, which ends with `word`, may be: all that begin with it. Returns how
// many of `choices` there are.
typedef size_t edit_complete(const char *line, const char *word, const char **choices);

// `in` stays the caller's. NULL: this terminal cannot (or no memory), to be read line by line.
edit *edit_new(int in, FILE *out, edit_complete *complete);
void edit_free(edit *e);

typedef enum edit_result { EDIT_LINE, EDIT_LONG, EDIT_END, EDIT_SIGNAL } edit_result;

// A line without its end. A signal gives up what was typed. An empty line is not remembered.
edit_result edit_line(edit *e, const char *prompt, char *to, size_t bytes);

#endif
