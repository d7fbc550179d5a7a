// SPDX-License-Identifier: Apache-2.0
// Where the warps of a core are, and what they wait for: for messages.
#include <inttypes.h>
#include <stdarg.h>
#include "core_priv.h"

enum { SHOWN = 8, PLACE = 400 };

__attribute__((format(printf, 3, 4))) static size_t add(char *to, size_t bytes, const char *format,
                                                        ...) {
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(to, bytes, format, args);
  va_end(args);
  return (size_t)n < bytes ? (size_t)n : bytes - 1;
}

static size_t name_warp(const cwarp *w, char *to, size_t bytes) {
  const block *b = w->b;
  return add(to, bytes, "\n  block (%u,%u,%u) warp %u ", b->id[0], b->id[1], b->id[2], w->index);
}

// The warp that started first of those behind `than`.
static const cwarp *next_oldest(const core *c, const cwarp *than) {
  const cwarp *best = NULL;
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t m = c->sub[k].live; m; m &= m - 1) {
      const cwarp *w = &c->sub[k].warps[__builtin_ctz(m)];
      if (w->w && w->w->depth && (!than || w->age > than->age) && (!best || w->age < best->age))
        best = w;
    }
  return best;
}

size_t report_warps(const core *c, char *to, size_t bytes) {
  size_t n = 0;
  uint32_t live = 0, shown = 0;
  to[0] = 0;
  for (uint32_t k = 0; k < SUBCORES; k++)
    live += (uint32_t)__builtin_popcount(c->sub[k].live);
  for (const cwarp *w = NULL; shown < SHOWN && (w = next_oldest(c, w)); shown++) {
    n += name_warp(w, to + n, bytes - n);
    n += add(to + n, bytes - n,
             w->w->state == WARP_AT_BARRIER ? "waits at a barrier before " : "is at ");
    n += trace_place(c->l, w->w->stack[w->w->depth - 1].pc, to + n,
                     bytes - n < PLACE ? bytes - n : PLACE);
  }
  if (live > shown)
    n += add(to + n, bytes - n, "\n  and %u warps more", live - shown);
  return n;
}
