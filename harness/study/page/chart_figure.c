// SPDX-License-Identifier: Apache-2.0
// The frame of a figure: caption, legend, its drawings, the table below.
#include <stdlib.h>

#include "chart_priv.h"

static const char *const dashes[PALETTE_SERIES] = {
    "", "14 3", "5 3", "14 3 3 3", "2 2", "9 5", "14 3 3 3 3 3", "3 6", "20 4 6 4", "6 2 2 2"};
static const char *const marks[] = {"M-4 -4h8v8h-8z", "M0 -5.5L5.5 4.5H-5.5z",
                                    "M0 -6L6 0L0 6L-6 0z", "M0 5.5L5.5 -4.5H-5.5z",
                                    "M-2 -5.5h4v3.5h3.5v4h-3.5v3.5h-4v-3.5h-3.5v-4h3.5z"};

const char *dash_of(size_t n) {
  return dashes[n % PALETTE_SERIES];
}

void put_mark(const drawing *d, double x, double y, size_t n) {
  fprintf(d->f, "<path class=\"dot f%zu\" transform=\"translate(%.1f %.1f)\" d=\"%s\">",
          n % PALETTE_SERIES, x, y, marks[n % (sizeof marks / sizeof *marks)]);
}

// ---- legends

void legend_begin(page *p) {
  fputs("<ul class=\"legend\">\n", page_stream(p));
}

void legend_key(page *p, sample s, size_t n, const char *name) {
  FILE *f = page_stream(p);
  const drawing d = {.f = f};
  const size_t colour = n == PALETTE_FAINT ? n : n % PALETTE_SERIES;
  fprintf(f, "<li><svg class=\"key%s\" viewBox=\"%s 0 %d 12\" aria-hidden=\"true\">",
          s == SAMPLE_SQUARE ? " square" : "", "0", s == SAMPLE_SQUARE ? 12 : 26);
  if (s == SAMPLE_SQUARE)
    fprintf(f, "<rect class=\"f%zu\" width=\"12\" height=\"12\"/>", colour);
  else if (s == SAMPLE_LINE || s == SAMPLE_SOLID)
    fprintf(f, "<path class=\"curve l%zu\" stroke-dasharray=\"%s\" d=\"M0 6H26\"/>", colour,
            s == SAMPLE_LINE ? dash_of(n) : "");
  else if (s == SAMPLE_REF)
    fputs("<path class=\"ref\" d=\"M4 6H22\"/>", f);
  else if (s == SAMPLE_GUIDE)
    fputs("<path class=\"guide\" d=\"M0 6H26\"/>", f);
  else if (s == SAMPLE_VOID)
    fputs("<rect class=\"void\" x=\"8\" y=\".5\" width=\"11\" height=\"11\"/>", f);
  else
    put_mark(&d, 13, 6, n), fputs("</path>", f);
  fputs("</svg>", f);
  page_escape(f, name);
  fputs("</li>\n", f);
}

void legend_end(page *p) {
  fputs("</ul>\n", page_stream(p));
}

// ---- figures

void figure_begin(page *p, const chart_about *about) {
  FILE *f = page_stream(p);
  fputs("<figure><figcaption>", f);
  page_escape(f, about->title);
  if (about->note) {
    fputs("<span>", f);
    page_escape(f, about->note);
    fputs("</span>", f);
  }
  fputs("</figcaption>\n", f);
}

static void draw_once(page *p, const chart_about *about, draw_function *draw, const void *chart,
                      const char *class) {
  char *text;
  size_t bytes;
  FILE *f = page_stream(p);
  const bool narrow = *class != 'w';
  drawing d = {.narrow = narrow, .letter = narrow ? 12 : 13};
  d.width = narrow ? CHART_NARROW : CHART_WIDE;
  if (!(d.f = open_memstream(&text, &bytes)))
    abort();
  draw(&d, chart);
  if (fclose(d.f))
    abort();
  const unsigned id = page_id(p);
  // letters have 11 pixels or more: a wide drawing scrolls in a narrow place
  fprintf(f,
          "<div class=\"draw %s\"><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
          "aria-labelledby=\"t%u d%u\" style=\"min-width:%.0fpx;max-width:%.0fpx\">\n"
          "<title id=\"t%u\">",
          class, d.width, d.height, id, id, d.width * (narrow ? 0.925 : 0.85),
          d.width * (narrow ? 1.4 : 1.25), id);
  page_escape(f, about->title);
  fprintf(f, "</title><desc id=\"d%u\">", id);
  page_escape(f, about->told ? about->told : about->note ? about->note : "");
  fputs("</desc>\n", f);
  fwrite(text, 1, bytes, f);
  fputs("</svg></div>\n", f);
  free(text);
}

void figure_draw(page *p, const chart_about *about, draw_function *draw, const void *chart) {
  if (about->half) {
    draw_once(p, about, draw, chart, "small");
    return;
  }
  draw_once(p, about, draw, chart, "wide");
  draw_once(p, about, draw, chart, "narrow");
}

void figure_empty(page *p) {
  page_note(p, "Nothing to draw: no value is there.");
}

void figure_table_begin(page *p, const page_column *columns, size_t n) {
  page_fold_begin(p, "The numbers");
  page_table_begin(p, NULL, columns, n);
}

void figure_table_end(page *p) {
  page_table_end(p);
  page_fold_end(p);
}

void figure_end(page *p) {
  fputs("</figure>\n", page_stream(p));
}
