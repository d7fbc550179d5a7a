// SPDX-License-Identifier: Apache-2.0
#include "differ.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROW = 8, LISTED = 8 };  // words a row of text; bits that are listed by their number

typedef struct text {
  char *at;
  size_t bytes, n;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(t->at + t->n, t->bytes - t->n, format, list);
  va_end(list);
  if (n > 0)
    t->n = t->n + (size_t)n < t->bytes ? t->n + (size_t)n : t->bytes - 1;
}

static const uint32_t *words(const void *base, const block_port *p) {
  return (const uint32_t *)(const void *)((const char *)base + p->offset);
}

static unsigned digits(const block_port *p, unsigned word) {
  return p->bits - 32 * word >= 32 ? 8 : (p->bits - 32 * word + 3) / 4;
}

// Words of a port from `low` to `high`, highest first; or carets under what differs.
static void row(text *t, const block_port *p, const uint32_t *w, unsigned low, unsigned high) {
  for (unsigned k = high + 1; k-- > low;)
    add(t, "%0*x%s", (int)digits(p, k), w[k], k > low ? "_" : "");
}

static void carets(text *t, const block_port *p, const uint32_t *a, const uint32_t *b, unsigned low,
                   unsigned high) {
  char line[9 * ROW + 1] = "";
  unsigned n = 0, used = 0;
  for (unsigned k = high + 1; k-- > low; n++)
    for (unsigned d = digits(p, k); d-- > 0; n++) {
      line[n] = ' ';
      if ((a[k] ^ b[k]) >> 4 * d & 15)
        line[n] = '^', used = n + 1;
      if (!d)
        line[n + 1] = ' ';
    }
  line[used] = 0;
  add(t, "%s", line);
}

static void bits(text *t, const block_port *p, const uint32_t *a, const uint32_t *b) {
  unsigned n = 0, of = 0;
  for (unsigned k = 0; k < BLOCK_WORDS(p->bits); k++)
    of += (unsigned)__builtin_popcount(a[k] ^ b[k]);
  add(t, "%s %s (%u bit%s): %u differ%s, bit", t->n ? "\n  port" : "  port", p->name, p->bits,
      p->bits > 1 ? "s" : "", of, of > 1 ? "" : "s");
  for (unsigned k = 0; k < p->bits && n < LISTED; k++)
    if ((a[k / 32] ^ b[k / 32]) >> k % 32 & 1)
      add(t, "%s %u", n++ ? "," : of > 1 ? "s" : "", k);
  if (of > LISTED)
    add(t, " and more");
}

size_t differ_ports(char *at, size_t bytes, const block_ops *block, const void *twin,
                    const void *verilog) {
  text t = {at, bytes, 0};
  *at = 0;
  for (size_t k = 0; k < block->n_ports; k++) {
    const block_port *p = &block->ports[k];
    const uint32_t *a = words(twin, p), *b = words(verilog, p);
    const unsigned n = BLOCK_WORDS(p->bits);
    if (p->dir != BLOCK_OUT || !memcmp(a, b, 4 * n))
      continue;
    bits(&t, p, a, b);
    for (unsigned low = (n - 1) / ROW * ROW;; low -= ROW) {
      const unsigned high = low + ROW < n ? low + ROW - 1 : n - 1;
      if (memcmp(a + low, b + low, 4 * (high - low + 1))) {
        if (n > ROW)
          add(&t, "\n    bits %u to %u", p->bits < 32 * high + 32 ? p->bits - 1 : 32 * high + 31,
              32 * low);
        add(&t, "\n    twin    ");
        row(&t, p, a, low, high);
        add(&t, "\n    verilog ");
        row(&t, p, b, low, high);
        add(&t, "\n            ");
        carets(&t, p, a, b, low, high);
      }
      if (!low)
        break;
    }
  }
  return t.n;
}
