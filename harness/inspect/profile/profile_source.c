// SPDX-License-Identifier: Apache-2.0
// The source with counters beside its lines; behind each line its instructions, to be unfolded.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "csim/isa/isa.h"
#include "profile_html.h"

// ---- the instructions of a line

static void put_causes(FILE *f, const profile_counts *c, uint64_t all) {
  const char *comma = "";
  for (uint32_t n = 0; n < PROFILE_EMPTY; n++) {
    const uint64_t cycles = profile_cycles(c, (profile_cause)n);
    if (profile_percent(cycles, all) < 0.05)
      continue;
    fprintf(f, "%s%s&#160;%.1f", comma, profile_cause_names[n], profile_percent(cycles, all));
    comma = ", ";
  }
}

static void put_packets(FILE *f, const profile_counts *c) {
  const char *comma = "";
  for (uint32_t n = 0; n < PROFILE_PACKETS; n++) {
    const uint64_t packets = c->own.packets[n] + c->served.packets[n];
    if (!packets)
      continue;
    fprintf(f, "%s%s&#160;", comma, profile_packet_names[n]);
    html_count(f, packets);
    comma = ", ";
  }
}

static void put_average(FILE *f, uint64_t sum, uint64_t of) {
  if (of)
    fprintf(f, "<td class=\"n\">%.1f</td>", (double)sum / (double)of);
  else
    fputs("<td></td>", f);
}

static void put_rows_met(FILE *f, const profile_counts *c) {
  fputs("<td class=\"n\">", f);
  if (profile_accesses(c)) {
    html_count(f, profile_hits(c));
    fputs(" / ", f);
    html_count(f, profile_misses(c));
    fputs(" / ", f);
    html_count(f, profile_conflicts(c));
  }
  fputs("</td>", f);
}

static void put_instruction(FILE *f, const profile_view *v, const profile_view *ptx, uint32_t n) {
  const profile_instruction *i = &v->k->instructions[n];
  const profile_counts *c = &v->k->counts[n];
  const uint64_t all = profile_all_cycles(&v->all);
  const char *text = profile_view_text(ptx, 0, i->ptx_line);
  fprintf(f, "<tr><td class=\"n code\">%x</td><td class=\"code\">", n * ISA_BYTES);
  html_text(f, i->text);
  if (i->ptx_line && *text) {
    fprintf(f, "<br/><span class=\"ptx\">%u: ", i->ptx_line);
    html_text(f, text + strspn(text, " \t"));
    fputs("</span>", f);
  }
  fputs("</td><td class=\"n\">", f);
  html_share(f, profile_all_cycles(c), all);
  fputs("</td><td>", f);
  put_causes(f, c, all);
  fputs("</td><td class=\"n\">", f);
  html_share(f, profile_held(c), all);
  fputs("</td>", f);
  html_cell(f, c->issued);
  put_average(f, c->lanes, c->issued);
  fputs("<td class=\"n\">", f);
  html_share(f, c->near, c->near + c->far);
  fputs("</td>", f);
  put_average(f, c->latency, c->ended);
  fputs("<td>", f);
  put_packets(f, c);
  fputs("</td>", f);
  html_cell(f, profile_flits(c));
  put_rows_met(f, c);
  fputs("</tr>\n", f);
}

static void put_instructions(FILE *f, const profile_view *v, const profile_view *ptx,
                             uint32_t row) {
  fputs(
      "<div class=\"scroll\"><table class=\"inside\"><thead><tr><th class=\"n w0\">pc</th>"
      "<th class=\"w1\">instruction, PTX</th><th class=\"n w2\">cycles</th>"
      "<th class=\"w3\">which went to, %</th><th class=\"n w4\">held</th>"
      "<th class=\"n w5\">issued</th><th class=\"n w6\">lanes</th><th class=\"n w4\">near</th>"
      "<th class=\"n w2\">latency</th><th class=\"w7\">packets</th><th class=\"n w8\">flits</th>"
      "<th class=\"n w9\">rows hit / missed / in&#160;conflict</th></tr></thead><tbody>\n",
      f);
  for (uint32_t n = 0; n + 1 < v->k->n; n++)
    if (v->row_of[n] == row)
      put_instruction(f, v, ptx, n);
  fputs("</tbody></table></div>", f);
}

// ---- lines

static void put_cell(FILE *f, const char *class, uint64_t n) {
  fprintf(f, "<span class=\"%s\">", class);
  if (n)
    html_count(f, n);
  fputs("</span>", f);
}

static void put_line_text(FILE *f, uint32_t line, const char *text) {
  if (line)
    fprintf(f, "<span class=\"n line\">%u</span>", line);
  else
    fputs("<span></span>", f);
  fputs("<span class=\"source\">", f);
  html_text(f, text);
  fputs("</span>", f);
}

// `most`: cycles of the row with the most.
static void put_row(FILE *f, const profile_view *v, const profile_view *ptx, uint32_t row,
                    uint32_t id, uint64_t most) {
  const profile_row *r = &v->rows[row];
  const profile_counts *c = &r->counts;
  const uint64_t all = profile_all_cycles(&v->all), cycles = profile_all_cycles(c);
  const profile_cause stall = profile_stall(c, all);
  fprintf(f,
          "<details id=\"k%uf%ul%u\"><summary class=\"row\"><span class=\"n hot\" "
          "style=\"--heat:%.2f\">",
          id, r->file, r->line, most ? (double)cycles / (double)most : 0);
  html_share(f, cycles, all);
  fputs("</span><span class=\"cause\">", f);
  if (stall)
    fprintf(f,
            "<svg class=\"key\" viewBox=\"0 0 10 10\"><rect class=\"c%u\" width=\"10\" "
            "height=\"10\"/></svg>%s ",
            stall, profile_cause_names[stall]);
  if (stall)
    html_share(f, profile_cycles(c, stall), all);
  fputs("</span><span class=\"n\">", f);
  html_share(f, profile_held(c), all);
  fputs("</span>", f);
  put_cell(f, "n", c->issued);
  put_cell(f, "n", profile_flits(c));
  put_cell(f, "n", profile_conflicts(c));
  put_line_text(f, r->line, profile_view_text(v, r->file, r->line));
  fputs("</summary>", f);
  put_instructions(f, v, ptx, row);
  fputs("</details>\n", f);
}

static void put_plain(FILE *f, uint32_t line, const char *text) {
  fputs(
      "<div class=\"row\"><span></span><span></span><span></span><span></span><span></span>"
      "<span></span>",
      f);
  put_line_text(f, line, text);
  fputs("</div>\n", f);
}

static void put_file(FILE *f, const profile_view *v, const profile_view *ptx, uint32_t file,
                     uint32_t id, uint64_t most) {
  uint32_t from = 1, to, before = 0, row = 0;
  while (row < v->n && v->rows[row].file != file)
    row++;
  fputs("<h4>", f);
  html_text(f, v->files[file].name);
  fputs(v->files[file].n ? "</h4>\n" : " (cannot be read)</h4>\n", f);
  fputs(
      "<div class=\"listing\"><div class=\"row head\"><span class=\"n\">cycles</span><span>most "
      "stalls</span><span class=\"n\">held</span><span class=\"n\">issued</span><span "
      "class=\"n\">flits</span><span class=\"n\">conflicts</span><span "
      "class=\"n\">line</span><span></span></div>\n",
      f);
  if (row < v->n && !v->rows[row].line && v->rows[row].file == file)
    put_row(f, v, ptx, row++, id, most);
  for (; profile_view_piece(v, file, &from, &to); from = to + 1) {
    if (before && from > before + 1)
      fputs("<div class=\"gap\"></div>\n", f);
    for (uint32_t line = from; line <= to; line++)
      if (row < v->n && v->rows[row].file == file && v->rows[row].line == line)
        put_row(f, v, ptx, row++, id, most);
      else if (v->files[file].n)
        put_plain(f, line, profile_view_text(v, file, line));
    before = to;
  }
  fputs("</div>\n", f);
}

void html_source(FILE *f, const profile_view *v, const profile_view *ptx, uint32_t id) {
  uint64_t most = 0;
  for (uint32_t n = 0; n < v->n; n++) {
    const uint64_t cycles = profile_all_cycles(&v->rows[n].counts);
    most = cycles > most ? cycles : most;
  }
  for (uint32_t file = 0; file < v->n_files; file++)
    put_file(f, v, ptx, file, id, most);
}
