// SPDX-License-Identifier: Apache-2.0
// Arrays whose blocks follow each other every so many bytes, which need not be whole lines, as
// matrices of 65 x 65 words do.
#ifndef NEARBANK_PLACE_PITCH_H
#define NEARBANK_PLACE_PITCH_H

#include <stddef.h>
#include "seen.h"

// In bytes; 0: there is none, or it is a number of lines.
uint32_t pitch_find(const seen *lines, size_t n);
// The lines by their numbers with a pitch (digits.h), and how many numbers there are; those that no
// line has nobody has accessed. NULL: no memory.
seen *pitch_lines(const seen *lines, size_t n, uint32_t pitch, size_t *numbers);

#endif
