// SPDX-License-Identifier: Apache-2.0
// Plots of the page. Text beside bars is HTML, which keeps its size on any width.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "profile_html.h"

void html_bar(FILE *f, const profile_counts *c, uint64_t whole, bool empty) {
  double at = 0;
  fputs("<svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\">", f);
  for (uint32_t n = 0; n < PROFILE_CAUSES; n++) {
    const uint64_t cycles = profile_cycles(c, (profile_cause)n);
    const double width = profile_percent(cycles, whole) * 10;
    if (!cycles || (n == PROFILE_EMPTY && !empty))
      continue;
    fprintf(f,
            "<rect class=\"c%u\" x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"10\"><title>%s %.1f "
            "%%</title></rect>",
            n, at, width, profile_cause_names[n], width / 10);
    at += width;
  }
  fputs("</svg>", f);
}

void html_legend(FILE *f, const profile_counts *c) {
  uint64_t all = 0;
  for (uint32_t n = 0; n < PROFILE_CAUSES; n++)
    all += profile_cycles(c, (profile_cause)n);
  fputs("<ul class=\"legend\">", f);
  for (uint32_t n = 0; n < PROFILE_CAUSES; n++)
    fprintf(f,
            "<li><svg class=\"key\" viewBox=\"0 0 10 10\"><rect class=\"c%u\" width=\"10\" "
            "height=\"10\"/></svg>%s <b>%.1f&#160;%%</b></li>",
            n, profile_cause_names[n], profile_percent(profile_cycles(c, (profile_cause)n), all));
  fputs("</ul>\n", f);
}

// ---- latencies

enum { CLASSES = 4 };

static const int LEFT = 44;
static const int TOP = 14;
static const int WIDTH = 310;
static const int HEIGHT = 96;

typedef struct histogram {
  const char *what;
  uint64_t count, cycles, in[PROFILE_BUCKETS], most;
} histogram;

// Which of the plots an instruction is in.
static uint32_t class_of(const profile_instruction *i, const profile_counts *c) {
  static const char *const accesses[] = {"ld.", "st.", "atom.", "red."};
  const char *op = *i->text == '@' && strchr(i->text, ' ') ? strchr(i->text, ' ') + 1 : i->text;
  const bool constant = strstr(op, ".param") || strstr(op, ".const");
  for (uint32_t n = 0; n < 4 && !constant; n++)
    if (strncmp(op, accesses[n], strlen(accesses[n])) == 0)
      return strstr(op, ".shared") ? 1 : 0;
  return c->near ? 2 : 3;
}

static void add_instruction(histogram *h, const profile_counts *c) {
  h->count += c->ended, h->cycles += c->latency;
  for (uint32_t b = 0; b < PROFILE_BUCKETS; b++) {
    h->in[b] += c->latencies[b];
    h->most = h->in[b] > h->most ? h->in[b] : h->most;
  }
}

static void put_histogram(FILE *f, const histogram *h, uint32_t buckets) {
  const double step = (double)WIDTH / buckets;
  fputs("<figure><figcaption>", f);
  fprintf(f, "%s<span>", h->what);
  html_count(f, h->count);
  fprintf(f, " instructions, %.1f cycles on average</span></figcaption>",
          (double)h->cycles / (double)h->count);
  fprintf(f, "<svg class=\"histogram\" viewBox=\"0 0 %d %d\">", LEFT + WIDTH + 6,
          TOP + HEIGHT + 34);
  fprintf(f, "<path class=\"grid\" d=\"M%d %dh%d\"/><text x=\"%d\" y=\"%d\" class=\"end\">", LEFT,
          TOP, WIDTH, LEFT - 5, TOP + 4);
  html_count(f, h->most);
  fprintf(f, "</text><text x=\"%d\" y=\"%d\" class=\"end\">0</text>", LEFT - 5, TOP + HEIGHT + 4);
  for (uint32_t b = 0; b < buckets; b++) {
    const double x = LEFT + b * step;
    const double high = HEIGHT * (double)h->in[b] / (double)h->most;
    const uint64_t from = bucket_from(b);
    if (h->in[b])
      fprintf(f,
              "<rect class=\"column\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">"
              "<title>from %" PRIu64 " cycles: %" PRIu64 "</title></rect>",
              x + 0.5, TOP + HEIGHT - fmax(high, 0.8), step - 1, fmax(high, 0.8), from, h->in[b]);
    if (b % 4 == 0 || b == 1)
      fprintf(f,
              "<path class=\"axis\" d=\"M%.1f %dv4\"/><text x=\"%.1f\" y=\"%d\" "
              "class=\"middle\">%" PRIu64 "</text>",
              x, TOP + HEIGHT, x, TOP + HEIGHT + 16, from);
  }
  fprintf(f,
          "<path class=\"axis\" d=\"M%d %dh%d\"/><text x=\"%d\" y=\"%d\" class=\"middle\">cycles "
          "from issue to end</text></svg></figure>\n",
          LEFT, TOP + HEIGHT, WIDTH, LEFT + WIDTH / 2, TOP + HEIGHT + 31);
}

void html_latencies(FILE *f, const profile_kernel *k) {
  histogram h[CLASSES] = {{.what = "Global and local memory"},
                          {.what = "Shared memory"},
                          {.what = "Near the bank"},
                          {.what = "On the base die"}};
  uint32_t buckets = 8;
  for (uint32_t n = 0; n < k->n; n++)
    add_instruction(&h[class_of(&k->instructions[n], &k->counts[n])], &k->counts[n]);
  for (uint32_t n = 0; n < CLASSES; n++)
    for (uint32_t b = buckets; b < PROFILE_BUCKETS; b++)
      if (h[n].in[b])
        buckets = b + 1;
  fputs("<div class=\"plots\">\n", f);
  for (uint32_t n = 0; n < CLASSES; n++)
    if (h[n].count)
      put_histogram(f, &h[n], buckets);
  fputs("</div>\n", f);
}
