// SPDX-License-Identifier: Apache-2.0
// Lists of values, as options of studies have them: A,B,C, or FROM:TO:STEP; and sweeps over an
// option, NAME=LIST.
#ifndef NEARBANK_SWEEP_H
#define NEARBANK_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

enum { SWEEP_TEXT = 64, SWEEP_VALUES = 512 };

typedef struct sweep {
  char option[SWEEP_TEXT];  // with its dashes
  size_t n;
  char values[SWEEP_VALUES][SWEEP_TEXT];  // not looked at: they may be no numbers
} sweep;

// One value at least, `most` at the most. False after a message.
bool sweep_list(sweep *s, const char *option, const char *list, size_t most);
// NAME=LIST; `names` says in messages which there are.
bool sweep_read(sweep *s, const char *text, const char *names, size_t most);
// The message of a text whose NAME cannot be swept: an exit status.
int sweep_wrong(const char *text, const char *names);

#endif
