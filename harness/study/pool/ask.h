// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end and keeps what it says.
#ifndef NEARBANK_ASK_H
#define NEARBANK_ASK_H

#include <stdbool.h>

typedef struct asked {
  char *out;       // standard output; the caller frees it
  char said[512];  // the last line of standard error; if that is empty: how the program ended
  bool missing;    // the program
} asked;

// `words` up to a NULL; `input`: its standard input, NULL: none. True: it ended with status 0. It
// is killed after so many seconds.
bool ask(const char *const *words, const char *input, double seconds, asked *to);

#endif
