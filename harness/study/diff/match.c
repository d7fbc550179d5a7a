// SPDX-License-Identifier: Apache-2.0
// Lines of two versions of a file that belong together: by their numbers when the file is the same,
// otherwise the longest common sequence of texts. What stands between two pairs belongs together,
// in order, when there is as much of it on both sides.
#include <stdlib.h>
#include <string.h>
#include "diff_priv.h"

enum { MOST_CELLS = 1 << 24 };

static bool equal(const diff_place *a, const diff_place *b) {
  if (!a->text || !b->text)
    return false;
  return strcmp(a->text + strspn(a->text, " \t"), b->text + strspn(b->text, " \t")) == 0;
}

// Matches lines of one number. False: the text of one has changed.
static bool by_number(const diff_place *a, size_t na, const diff_place *b, size_t nb,
                      size_t *partner) {
  bool same = true;
  for (size_t i = 0, k = 0; i < na; i++) {
    while (k < nb && b[k].line < a[i].line)
      k++;
    const bool there = k < nb && b[k].line == a[i].line;
    partner[i] = there ? k : SIZE_MAX;
    same &= !there || !a[i].text || !b[k].text || equal(&a[i], &b[k]);
  }
  return same;
}

static void by_text(const diff_place *a, size_t na, const diff_place *b, size_t nb,
                    size_t *partner) {
  // longest[i * width + k]: of what begins with a[i] and b[k]
  const size_t width = nb + 1;
  uint32_t *longest = diff_must(calloc((na + 1) * width, sizeof *longest));
  for (size_t i = na; i-- > 0;)
    for (size_t k = nb; k-- > 0;) {
      const uint32_t down = longest[(i + 1) * width + k], right = longest[i * width + k + 1];
      longest[i * width + k] = equal(&a[i], &b[k]) ? longest[(i + 1) * width + k + 1] + 1
                               : down > right      ? down
                                                   : right;
    }
  for (size_t i = 0; i < na; i++)
    partner[i] = SIZE_MAX;
  for (size_t i = 0, k = 0; i < na && k < nb;)
    if (equal(&a[i], &b[k]))
      partner[i++] = k++;
    else if (longest[(i + 1) * width + k] >= longest[i * width + k + 1])
      i++;
    else
      k++;
  free(longest);
}

// a[i] up to before a[end_a], b[k] up to before b[end_b] are without partners.
static void fill_gap(size_t i, size_t end_a, size_t k, size_t end_b, size_t *partner) {
  if (end_a - i != end_b - k)
    return;
  for (; i < end_a; i++, k++)
    partner[i] = k;
}

static void between(size_t na, size_t nb, size_t *partner) {
  size_t i = 0, k = 0;
  for (size_t at = 0; at <= na; at++) {
    if (at < na && partner[at] == SIZE_MAX)
      continue;
    const size_t pair = at < na ? partner[at] : nb;
    fill_gap(i, at, k, pair, partner);
    i = at + 1, k = pair + 1;
  }
}

void diff_match(const diff_place *a, size_t na, const diff_place *b, size_t nb, size_t *partner) {
  if (by_number(a, na, b, nb, partner) || (nb && na > MOST_CELLS / nb))
    return;
  by_text(a, na, b, nb, partner);
  between(na, nb, partner);
}
