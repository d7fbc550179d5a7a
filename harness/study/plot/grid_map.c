// SPDX-License-Identifier: Apache-2.0
#include "grid_map.h"

#include <inttypes.h>
#include "harness/study/page/palette.h"

enum { CELL = 48, GAP = 18, LEFT = 16, TOP = 86, KEY = 14, LEAST = 420 };

static uint64_t most_of(const grid_map *g) {
  uint64_t most = 0;
  for (uint32_t k = 0; k < g->outers * g->inners; k++)
    most = g->values[k] > most ? g->values[k] : most;
  return most;
}

// Of a scale from 0 to the most.
static int step_of(uint64_t value, uint64_t most) {
  const int step = most ? (int)(PALETTE_STEPS * (double)value / (double)most) : 0;
  return step < PALETTE_STEPS ? step : PALETTE_STEPS - 1;
}

static void put_text(FILE *to, const char *text) {
  for (; *text; text++)
    if (*text == '&' || *text == '<')
      fprintf(to, "&#%d;", *text);
    else
      fputc(*text, to);
}

static void put_short(FILE *to, uint64_t value) {
  if (value < 100000)
    fprintf(to, "%" PRIu64, value);
  else if (value < 100000000)
    fprintf(to, "%.0fk", 1e-3 * (double)value);
  else
    fprintf(to, "%.0fM", 1e-6 * (double)value);
}

static void put_cell(const grid_map *g, uint32_t outer, uint32_t inner, uint64_t most, FILE *to) {
  const uint32_t high = (g->inners + g->inners_wide - 1) / g->inners_wide,
                 k = outer * g->inners + inner;
  const uint32_t x =
      LEFT + outer % g->outers_wide * (g->inners_wide * CELL + GAP) + inner % g->inners_wide * CELL;
  const uint32_t y =
      TOP + outer / g->outers_wide * (high * CELL + GAP) + inner / g->inners_wide * CELL;
  const int step = step_of(g->values[k], most);
  fprintf(to,
          "<g><title>%s %" PRIu32 " (%s %" PRIu32 "): %" PRIu64 "</title><rect x='%" PRIu32
          "' y='%" PRIu32 "' width='%d' height='%d' fill='%s' stroke='white'/>",
          g->inner, k, g->outer, outer, g->values[k], x, y, CELL, CELL,
          palette_heat[PALETTE_LIGHT][step]);
  fprintf(to, "<text x='%" PRIu32 "' y='%" PRIu32 "' fill='%s' text-anchor='middle'>", x + CELL / 2,
          y + CELL / 2 + 4, palette_inks[palette_heat_ink(PALETTE_LIGHT, step)]);
  put_short(to, g->values[k]);
  fputs("</text></g>\n", to);
}

static void put_scale(uint64_t most, FILE *to) {
  fprintf(to, "<text x='%d' y='72' font-size='12'>0</text>\n", LEFT);
  for (int step = 0; step < PALETTE_STEPS; step++)
    fprintf(to, "<rect x='%d' y='62' width='%d' height='12' fill='%s'/>\n", LEFT + 12 + step * KEY,
            KEY, palette_heat[PALETTE_LIGHT][step]);
  fprintf(to, "<text x='%d' y='72' font-size='12'>%" PRIu64 "</text>\n",
          LEFT + 18 + PALETTE_STEPS * KEY, most);
}

void grid_map_write(const grid_map *g, FILE *to) {
  const uint32_t high = (g->inners + g->inners_wide - 1) / g->inners_wide,
                 down = (g->outers + g->outers_wide - 1) / g->outers_wide;
  const uint32_t width = 2 * LEFT + g->outers_wide * (g->inners_wide * CELL + GAP) - GAP;
  const uint64_t most = most_of(g);
  fprintf(to,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%" PRIu32 "' height='%" PRIu32
          "' font-family='sans-serif' font-size='11'>\n"
          "<rect width='100%%' height='100%%' fill='white'/>\n<text x='%d' y='24' font-size='15'>",
          width > LEAST ? width : LEAST, TOP + LEFT + down * (high * CELL + GAP) - GAP, LEFT);
  put_text(to, g->title);
  fprintf(to, "</text>\n<text x='%d' y='46' font-size='12'>", LEFT);
  put_text(to, g->note);
  fputs("</text>\n", to);
  put_scale(most, to);
  for (uint32_t outer = 0; outer < g->outers; outer++)
    for (uint32_t inner = 0; inner < g->inners; inner++)
      put_cell(g, outer, inner, most, to);
  fputs("</svg>\n", to);
}
