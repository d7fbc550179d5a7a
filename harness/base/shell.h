// SPDX-License-Identifier: Apache-2.0
#ifndef NEARBANK_SHELL_H
#define NEARBANK_SHELL_H

#include <stdio.h>

// A blank, and a word as a shell takes it: in quotes where it needs them.
void shell_put_word(FILE *f, const char *word);

#endif
