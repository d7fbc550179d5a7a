// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdlib.h>
#include "harness/base/out_file.h"
#include "harness/base/user_error.h"
#include "matrix.h"

enum { CELLS = 256, SHADES = 5, SIDE = 768, LEFT = 16, TOP = 40 };
static const char *const colors[SHADES] = {"#dbe7f4", "#b3cde9", "#7ba7d7", "#3573b5", "#123a66"};

// How full a cell is: 0, or 1 to SHADES, that of the fullest; a factor of 4 each.
static unsigned shade(uint64_t entries, uint64_t most) {
  unsigned s = entries ? SHADES : 0;
  while (s > 1 && (entries *= 4) <= most)
    s--;
  return s;
}

static void draw(FILE *to, const uint64_t *cell, uint32_t down, uint32_t across) {
  uint64_t most = 0;
  for (uint32_t k = 0; k < down * across; k++)
    most = cell[k] > most ? cell[k] : most;
  for (unsigned s = 1; s <= SHADES; s++) {
    fprintf(to, "<path fill='%s' d='", colors[s - 1]);
    for (uint32_t y = 0; y < down; y++)
      for (uint32_t x = 0, end; x < across; x = end) {
        const unsigned is = shade(cell[y * across + x], most);
        for (end = x + 1; end < across && shade(cell[y * across + end], most) == is;)
          end++;
        if (is == s)
          fprintf(to, "M%" PRIu32 " %" PRIu32 "h%" PRIu32 "v1h-%" PRIu32 "z", x, y, end - x,
                  end - x);
      }
    fputs("'/>\n", to);
  }
}

bool matrix_spy(const csr *m, const char *name, const char *file) {
  const uint32_t down = m->rows < CELLS ? m->rows : CELLS,
                 across = m->cols < CELLS ? m->cols : CELLS;
  uint64_t *cell = calloc((size_t)down * across, sizeof *cell);
  out_file *out = cell ? out_open(file) : NULL;
  if (!out) {
    free(cell);
    return cannot_write(file), false;
  }
  for (uint32_t r = 0; r < m->rows; r++)
    for (uint64_t k = m->begin[r]; k < m->begin[r + 1]; k++)
      cell[(uint64_t)r * down / m->rows * across + (uint64_t)m->col[k] * across / m->cols]++;
  FILE *to = out_stream(out);
  fprintf(to,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
          "font-family='sans-serif' font-size='14'>\n"
          "<rect width='100%%' height='100%%' fill='white'/>\n"
          "<text x='%d' y='26'>%s: %" PRIu32 " x %" PRIu32 ", %" PRIu64 " entries</text>\n",
          SIDE + 2 * LEFT, SIDE + TOP + LEFT, LEFT, name, m->rows, m->cols, csr_count(m));
  fprintf(to, "<g transform='translate(%d %d) scale(%.9g %.9g)' shape-rendering='crispEdges'>\n",
          LEFT, TOP, (double)SIDE / across, (double)SIDE / down);
  draw(to, cell, down, across);
  fprintf(to,
          "</g>\n<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='black'/>\n</svg>\n",
          LEFT, TOP, SIDE, SIDE);
  free(cell);
  return out_close(out) || (cannot_write(file), false);
}
