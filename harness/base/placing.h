// SPDX-License-Identifier: Apache-2.0
// What the text of --place means (docs/placement.md).
#ifndef NEARBANK_PLACING_H
#define NEARBANK_PLACING_H

#include <string.h>

typedef enum placing { PLACING_PAPER, PLACING_AUTO, PLACING_FILE } placing;

static inline placing placing_of(const char *text) {  // NULL: it is not given
  return !text || strcmp(text, "paper") == 0 ? PLACING_PAPER
         : strcmp(text, "auto") == 0         ? PLACING_AUTO
                                             : PLACING_FILE;
}

#endif
