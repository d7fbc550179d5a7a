// SPDX-License-Identifier: Apache-2.0
#include "pitch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "harness/machines/mpu/machine/digits.h"

enum { ENOUGH = 8, STEP = 4 };  // groups; bytes

// Where groups begin, each of the block a step beyond that of the one before it; how many there are
// as long as that holds.
static size_t find_groups(const seen *lines, size_t n, size_t *first) {
  uint32_t now = n ? seen_first(&lines[0]) : SEEN_NONE, step = 0;
  size_t groups = 1;
  first[0] = 0;
  for (size_t k = 1; k < n && now != SEEN_NONE; k++) {
    const uint32_t block = seen_first(&lines[k]);
    if (block == now || block == SEEN_NONE)
      continue;
    if (block < now || (step && block != now + step))
      break;
    step = block - now, now = block;
    first[groups++] = k;
  }
  return groups;
}

// Each group begins in the line that has its first byte, or beside it.
static bool is_pitch(const size_t *first, size_t groups, uint64_t pitch) {
  for (size_t g = 1; g < groups; g++)
    if (first[g] + 1 - g * pitch / DIGITS_LINE > 2)
      return false;
  return true;
}

uint32_t pitch_find(const seen *lines, size_t n) {
  size_t *first = malloc((n + 1) * sizeof *first);
  uint32_t found = 0;
  const size_t groups = first ? find_groups(lines, n, first) : 0;
  if (groups > ENOUGH) {
    const size_t last = groups - 1;
    const uint64_t from = (first[last] - 1) * DIGITS_LINE / last / STEP * STEP,
                   to = (first[last] + 1) * DIGITS_LINE / last;
    uint64_t least = 0, most = 0;
    for (uint64_t pitch = from; pitch <= to && pitch <= DIGITS_PITCH; pitch += STEP)
      if (pitch >= DIGITS_LINE && is_pitch(first, groups, pitch)) {
        least = least ? least : pitch;
        most = pitch;
      }
    if (most / DIGITS_LINE == (least + DIGITS_LINE - 1) / DIGITS_LINE - 1)  // none of whole lines
      found = (uint32_t)((least + most) / 2 / STEP * STEP);
  }
  free(first);
  return found;
}

seen *pitch_lines(const seen *lines, size_t n, uint32_t pitch, size_t *numbers) {
  const size_t groups = (n * DIGITS_LINE + pitch - 1) / pitch;
  *numbers = groups * digits_group(pitch);
  seen *to = calloc(*numbers, sizeof *to);
  for (size_t k = 0; to && k < *numbers; k++)
    memset(to[k].block, 0xff, sizeof to[k].block);
  for (size_t k = 0; to && k < n; k++)
    to[digits_number(pitch, k)] = lines[k];
  return to;
}
