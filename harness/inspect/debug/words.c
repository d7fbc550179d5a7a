// SPDX-License-Identifier: Apache-2.0
// Words of a command.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "debug_priv.h"

void words_split(words *w) {
  char *save = NULL;
  w->n = 0;
  memcpy(w->spaced, w->text, sizeof w->spaced);
  for (char *word = strtok_r(w->spaced, " \t\r\n", &save); word && w->n < WORDS;
       word = strtok_r(NULL, " \t\r\n", &save))
    w->word[w->n++] = word;
}

bool word_is(const char *word, const char *name) {
  return strncmp(name, word, strlen(word)) == 0;
}

int word_choice(const char *word, const char *const names[]) {
  int found = -1;
  for (int n = 0; names[n]; n++) {
    if (strcmp(word, names[n]) == 0)
      return n;
    if (word_is(word, names[n]))
      found = found == -1 ? n : -2;
  }
  return found;
}

bool word_number(const char *word, uint64_t *n) {
  char *end;
  errno = 0;
  *n = strtoull(word, &end, word[0] == '0' && (word[1] == 'x' || word[1] == 'X') ? 16 : 10);
  return *word >= '0' && *word <= '9' && !*end && !errno;
}

bool word_lanes(const char *word, uint32_t *lanes) {
  *lanes = 0;
  do {
    char *end;
    if (*word < '0' || *word > '9')
      return false;
    const unsigned long from = strtoul(word, &end, 10);
    unsigned long to = from;
    if (*end == '-') {
      word = end + 1;
      if (*word < '0' || *word > '9')
        return false;
      to = strtoul(word, &end, 10);
    }
    if (from > to || to >= ISA_LANES)
      return false;
    for (unsigned long k = from; k <= to; k++)
      *lanes |= 1u << k;
    if (!*end)
      return true;
    word = end + 1;
    if (*end != ',')
      return false;
  } while (true);
}

bool word_type(const char *word, show_type *t) {
  for (unsigned n = 0; n < SHOW_TYPES; n++)
    if (strcmp(word, show_type_names[n]) == 0) {
      *t = (show_type)n;
      return true;
    }
  return false;
}

bool word_block(debug *d, const char *word, uint32_t *block) {
  const uint32_t *g = d->l->shape.grid;
  uint64_t n;
  unsigned x, y, z;
  int end = 0;
  bool ok = word_number(word, &n);
  if (!ok && sscanf(word, "%u,%u,%u%n", &x, &y, &z, &end) == 3 && !word[end]) {
    ok = x < g[0] && y < g[1] && z < g[2];
    n = x + (uint64_t)g[0] * (y + (uint64_t)g[1] * z);
  }
  if (!ok || n >= d->l->blocks)
    return debug_wrong(d, "a block of this launch is a number from 0 to %u, or x,y,z, not '%s'",
                       d->l->blocks - 1, word);
  *block = (uint32_t)n;
  return true;
}

bool word_warp(debug *d, const words *w, uint32_t at, show_warp *warp) {
  uint64_t n;
  if (w->n < at + 2)
    return debug_wrong(d, "which warp? BLOCK WARP");
  if (!word_block(d, w->word[at], &warp->block))
    return false;
  if (!word_number(w->word[at + 1], &n) || n >= d->l->warps)
    return debug_wrong(d, "a warp of a block is a number from 0 to %u, not '%s'", d->l->warps - 1,
                       w->word[at + 1]);
  warp->warp = (uint32_t)n;
  return true;
}
