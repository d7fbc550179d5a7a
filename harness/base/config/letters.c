// SPDX-License-Identifier: Apache-2.0
#include "letters.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum { MOST = 64 };

static bool same(char a, char b) {
  return strncasecmp(&a, &b, 1) == 0;
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

// d[i % 3][j]: of the first i letters of a and the first j of b.
size_t letters_apart(const char *a, const char *b) {
  size_t d[3][MOST + 1];
  const size_t n = strlen(a), m = strlen(b);
  if (n > MOST || m > MOST)
    return SIZE_MAX;
  for (size_t j = 0; j <= m; j++)
    d[0][j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t *row = d[i % 3];
    const size_t *above = d[(i - 1) % 3], *before = d[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      row[j] = least(above[j - 1] + !same(a[i - 1], b[j - 1]), least(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = least(row[j], before[j - 2] + 1);
    }
  }
  return d[n % 3][m];
}
