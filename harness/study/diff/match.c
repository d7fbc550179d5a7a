// SPDX-License-Identifier: Apache-2.0
// Lines of two versions of a file that belong together: the longest common sequence of texts, and
// among several that with the most lines that stayed where they were. When the file has changed,
// what stands between two pairs belongs together too, in order, if there is as much of it on both
// sides. Without texts, lines are told by their numbers.
#include <stdlib.h>
#include <string.h>
#include "diff_priv.h"

enum { MOST_CELLS = 1 << 24, MOST_LINES = 1 << 15 };

static bool equal(const diff_place *a, const diff_place *b) {
  if (!a->text || !b->text)
    return false;
  return strcmp(a->text + strspn(a->text, " \t"), b->text + strspn(b->text, " \t")) == 0;
}

static bool has_texts(const diff_place *p, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (p[k].text)
      return true;
  return false;
}

static void by_number(const diff_place *a, size_t na, const diff_place *b, size_t nb,
                      size_t *partner) {
  for (size_t i = 0, k = 0; i < na; i++) {
    while (k < nb && b[k].line < a[i].line)
      k++;
    partner[i] = k < nb && b[k].line == a[i].line ? k : SIZE_MAX;
  }
}

// A pair is worth more than all lines that stay.
static uint32_t worth(const diff_place *a, const diff_place *b) {
  return !equal(a, b) ? 0 : 2 * MOST_LINES + (a->line == b->line);
}

static void by_text(const diff_place *a, size_t na, const diff_place *b, size_t nb,
                    size_t *partner) {
  // best[i * width + k]: of what begins with a[i] and b[k]
  const size_t width = nb + 1;
  uint64_t *best = diff_must(calloc((na + 1) * width, sizeof *best));
  for (size_t i = na; i-- > 0;)
    for (size_t k = nb; k-- > 0;) {
      const uint64_t down = best[(i + 1) * width + k], right = best[i * width + k + 1];
      const uint32_t pair = worth(&a[i], &b[k]);
      const uint64_t both = best[(i + 1) * width + k + 1] + pair;
      uint64_t most = down > right ? down : right;
      best[i * width + k] = pair && both > most ? both : most;
    }
  for (size_t i = 0; i < na; i++)
    partner[i] = SIZE_MAX;
  for (size_t i = 0, k = 0; i < na && k < nb;)
    if (best[i * width + k] == best[(i + 1) * width + k])
      i++;
    else if (best[i * width + k] == best[i * width + k + 1])
      k++;
    else
      partner[i++] = k++;
  free(best);
}

// A line has moved, or has another text.
static bool has_changed(const diff_place *a, size_t na, const diff_place *b, size_t nb,
                        const size_t *partner) {
  for (size_t i = 0, k = 0; i < na; i++) {
    while (k < nb && b[k].line < a[i].line)
      k++;
    if (k < nb && b[k].line == a[i].line && a[i].text && b[k].text && !equal(&a[i], &b[k]))
      return true;
    if (partner[i] != SIZE_MAX && b[partner[i]].line != a[i].line)
      return true;
  }
  return false;
}

static void fill_gaps(size_t na, size_t nb, size_t *partner) {
  size_t i = 0, k = 0;  // behind the last pair
  for (size_t at = 0; at <= na; at++) {
    if (at < na && partner[at] == SIZE_MAX)
      continue;
    const size_t other = at < na ? partner[at] : nb;
    for (size_t n = 0; at - i == other - k && n < at - i; n++)
      partner[i + n] = k + n;
    i = at + 1, k = other + 1;
  }
}

void diff_match(const diff_place *a, size_t na, const diff_place *b, size_t nb, size_t *partner) {
  const bool large = na >= MOST_LINES || nb >= MOST_LINES || (nb && na > MOST_CELLS / nb);
  if (large || !has_texts(a, na) || !has_texts(b, nb)) {
    by_number(a, na, b, nb, partner);
    return;
  }
  by_text(a, na, b, nb, partner);
  if (has_changed(a, na, b, nb, partner))
    fill_gaps(na, nb, partner);
}
