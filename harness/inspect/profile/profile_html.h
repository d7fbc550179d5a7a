// SPDX-License-Identifier: Apache-2.0
// Pieces of the page that mpu profile writes: profile_html.c puts them together, profile_style.c is
// how they look, profile_plots.c and profile_source.c are the larger ones.
#ifndef NEARBANK_PROFILE_HTML_H
#define NEARBANK_PROFILE_HTML_H

#include "profile_view.h"

extern const char profile_style[];  // CSS

void html_text(FILE *f, const char *text);          // with what HTML asks to be escaped
void html_count(FILE *f, uint64_t n);               // 1,234,567
void html_share(FILE *f, uint64_t n, uint64_t of);  // 12.3 %, or nothing
void html_cell(FILE *f, uint64_t n);                // of a table; nothing for 0

// ---- plots
// A stacked bar of causes; the whole width is `whole` cycles.
void html_bar(FILE *f, const profile_counts *c, uint64_t whole, bool empty);
void html_legend(FILE *f, const profile_counts *c);  // with the shares of all of c
void html_latencies(FILE *f, const profile_kernel *k);

// ---- the listing
// `id` of the kernel: an anchor of a line is kIDfFILEl LINE.
void html_source(FILE *f, const profile_view *v, const profile_view *ptx, uint32_t id);

#endif
