// SPDX-License-Identifier: Apache-2.0
// How far two names are apart, to say which one was meant.
#ifndef NEARBANK_LETTERS_H
#define NEARBANK_LETTERS_H

#include <stddef.h>

// Letters that are missing, too many or others, and neighbours that changed places; capital or not
// is the same. What is longer than 64 letters is far from all.
size_t letters_apart(const char *a, const char *b);

#endif
