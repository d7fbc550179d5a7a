// SPDX-License-Identifier: Apache-2.0
// A profile as one page that needs nothing else: no script, no font, no network.
#include "profile_html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WHERE = 300, LINES = 12 };  // LINES: of the plot by line

// ---- small things

void html_text(FILE *f, const char *text) {
  for (; *text; text++)
    switch (*text) {
      case '<':
        fputs("&lt;", f);
        break;
      case '>':
        fputs("&gt;", f);
        break;
      case '&':
        fputs("&amp;", f);
        break;
      case '"':
        fputs("&quot;", f);
        break;
      default:
        fputc((unsigned char)*text < ' ' && *text != '\t' ? ' ' : *text, f);
    }
}

void html_count(FILE *f, uint64_t n) {
  char digits[24];
  const int count = snprintf(digits, sizeof digits, "%" PRIu64, n);
  for (int k = 0; k < count; k++)
    fprintf(f, "%s%c", k && (count - k) % 3 == 0 ? "," : "", digits[k]);
}

void html_share(FILE *f, uint64_t n, uint64_t of) {
  if (n)
    fprintf(f, "%.1f&#160;%%", profile_percent(n, of));
}

void html_cell(FILE *f, uint64_t n) {
  fputs("<td class=\"n\">", f);
  if (n)
    html_count(f, n);
  fputs("</td>", f);
}

static void begin_fact(FILE *f, const char *name) {
  fprintf(f, "<div><dt>%s</dt><dd>", name);
}
static void end_fact(FILE *f) {
  fputs("</dd></div>\n", f);
}

static void put_fact(FILE *f, const char *name, const char *value) {
  begin_fact(f, name);
  html_text(f, value);
  end_fact(f);
}

static void put_counts(FILE *f, const char *name, uint64_t a, const char *then, uint64_t b,
                       const char *last) {
  begin_fact(f, name);
  html_count(f, a);
  fputs(then, f);
  if (*last)
    html_count(f, b);
  fputs(last, f);
  end_fact(f);
}

// ---- the run

static void put_run(FILE *f, const profile_run *r) {
  const profile *p = r->data;
  const char *base = strrchr(r->source, '/');
  uint64_t launches = 0, cycles = 0;
  for (uint32_t n = 0; n < p->n; n++)
    launches += p->kernels[n].launches, cycles += p->kernels[n].cycles;
  fputs("<dl class=\"facts\">\n", f);
  begin_fact(f, "Program");
  html_text(f, base ? base + 1 : r->source);
  for (size_t n = 0; n < r->n_arguments; n++) {
    fputc(' ', f);
    html_text(f, r->arguments[n]);
  }
  end_fact(f);
  begin_fact(f, "Machine");
  html_text(f, r->config);
  fprintf(f, p->cores == 1 ? ", one core" : ", %u cores", p->cores);
  fprintf(f, "; near side in %s",
          strcmp(r->near, "c") == 0     ? "C"
          : strcmp(r->near, "rtl") == 0 ? "Verilog"
                                        : "C and Verilog");
  end_fact(f);
  put_fact(f, "Result",
           strcmp(p->result, "pass") == 0   ? "its own check passed"
           : strcmp(p->result, "fail") == 0 ? "its own check failed"
                                            : "it checks nothing");
  if (strcmp(p->end, "done") != 0)
    put_fact(f, "It ended early",
             strcmp(p->end, "fault") == 0    ? "with a fault, or at a limit"
             : strcmp(p->end, "differ") == 0 ? "models differ"
                                             : p->end);
  begin_fact(f, "Launches");
  html_count(f, launches);
  fprintf(f, p->n == 1 ? ", of one kernel" : ", of %u kernels", p->n);
  end_fact(f);
  put_counts(f, "Cycles", cycles, "", 0, "");
  fputs("</dl>\n", f);
}

static void put_kernel_facts(FILE *f, const profile_kernel *k, const profile_counts *all,
                             uint32_t cores, uint32_t bus_flits) {
  const uint64_t accesses = profile_accesses(all), flits = profile_flits(all);
  const double slots = (double)bus_flits * (double)(k->cycles + k->drain) * cores;
  fputs("<dl class=\"facts\">\n", f);
  put_counts(f, "Launches", k->launches, "", 0, "");
  put_counts(f, "Cycles", k->cycles, ", and ", k->drain, " until the machine is idle");
  begin_fact(f, "Warp instructions");
  html_count(f, all->issued);
  fprintf(f, ", %.1f&#160;%% near the bank, %.1f lanes each",
          profile_percent(all->near, all->issued),
          all->issued ? (double)all->lanes / (double)all->issued : 0);
  end_fact(f);
  begin_fact(f, "TSV bus");
  html_count(f, flits);
  fprintf(f, " flits, %.1f&#160;%% of its slots", slots > 0 ? 100.0 * (double)flits / slots : 0);
  end_fact(f);
  put_counts(f, "Register moves", all->moves_near + all->moves_zero, " to the banks, ",
             all->moves_far, " from them");
  begin_fact(f, "Row buffers");
  html_count(f, accesses);
  fprintf(f, " accesses: %.1f&#160;%% hits, %.1f&#160;%% misses, %.1f&#160;%% conflicts",
          profile_percent(profile_hits(all), accesses),
          profile_percent(profile_misses(all), accesses),
          profile_percent(profile_conflicts(all), accesses));
  end_fact(f);
  fputs("</dl>\n", f);
}

// ---- lines with the most

static void put_where(FILE *f, const profile_view *v, const profile_row *r, uint32_t id) {
  char where[WHERE];
  profile_view_where(v, r, where, sizeof where);
  fprintf(f, "<td class=\"code where\"><a href=\"#k%uf%ul%u\">", id, r->file, r->line);
  html_text(f, where);
  fputs("</a></td>", f);
}

static void put_source(FILE *f, const profile_view *v, const profile_row *r) {
  const char *text = profile_view_text(v, r->file, r->line);
  fputs("<td class=\"code source\">", f);
  html_text(f, text + strspn(text, " \t"));
  fputs("</td>", f);
}

static uint32_t *top_of(const profile_view *v, profile_measure *m, uint32_t top, uint32_t *n) {
  uint32_t *rows = calloc(top + 1, sizeof *rows);
  if (!rows)
    abort();
  *n = profile_view_top(v, m, top, rows);
  return rows;
}

static void put_bars(FILE *f, const profile_view *v, uint32_t id) {
  uint32_t n, *rows = top_of(v, profile_all_cycles, LINES, &n);
  const uint64_t all = profile_all_cycles(&v->all);
  fputs("<table class=\"lines\"><tbody>\n", f);
  for (uint32_t k = 0; k < n; k++) {
    const profile_row *r = &v->rows[rows[k]];
    fputs("<tr>", f);
    put_where(f, v, r, id);
    put_source(f, v, r);
    fputs("<td class=\"n\">", f);
    html_share(f, profile_all_cycles(&r->counts), all);
    fputs("</td><td class=\"bars\">", f);
    html_bar(f, &r->counts, profile_all_cycles(&v->rows[rows[0]].counts), false);
    fputs("</td></tr>\n", f);
  }
  fputs("</tbody></table>\n", f);
  free(rows);
}

static void put_top(FILE *f, const profile_view *v, uint32_t id, const char *title,
                    const char *unit, profile_measure *m, uint64_t all, uint32_t top) {
  uint32_t n, *rows = top_of(v, m, top, &n);
  fprintf(f, "<section><h3>%s</h3>\n", title);
  if (n)
    fprintf(f,
            "<table class=\"top\"><thead><tr><th class=\"n share\">share</th><th class=\"n "
            "amount\">%s</th><th class=\"where\">line</th><th "
            "class=\"source\"></th></tr></thead><tbody>\n",
            unit);
  for (uint32_t k = 0; k < n; k++) {
    const profile_row *r = &v->rows[rows[k]];
    fputs("<tr><td class=\"n\">", f);
    html_share(f, m(&r->counts), all);
    fputs("</td>", f);
    html_cell(f, m(&r->counts));
    put_where(f, v, r, id);
    put_source(f, v, r);
    fputs("</tr>\n", f);
  }
  fputs(n ? "</tbody></table></section>\n" : "<p class=\"note\">None.</p></section>\n", f);
  free(rows);
}

// ---- what is no line's

static void put_traffic(FILE *f, const char *name, const profile_traffic *t) {
  if (!(t->flits_down + t->flits_up + t->rd + t->wr + t->act + t->pre + t->ref))
    return;
  fprintf(f, "<tr><td>%s</td>", name);
  html_cell(f, t->flits_down);
  html_cell(f, t->flits_up);
  html_cell(f, t->rd);
  html_cell(f, t->wr);
  html_cell(f, t->act);
  html_cell(f, t->pre);
  html_cell(f, t->ref);
  html_cell(f, t->row_misses);
  html_cell(f, t->row_conflicts);
  fputs("</tr>\n", f);
}

static void put_rest(FILE *f, const profile_view *v) {
  fputs(
      "<h3>Traffic</h3>\n<div class=\"wide\"><table><thead><tr><th></th><th "
      "class=\"n\">flits "
      "down</th><th class=\"n\">flits up</th><th class=\"n\">reads</th><th "
      "class=\"n\">writes</th><th class=\"n\">rows opened</th><th class=\"n\">closed</th><th "
      "class=\"n\">refreshes</th><th class=\"n\">row misses</th><th class=\"n\">row "
      "conflicts</th></tr></thead><tbody>\n",
      f);
  put_traffic(f, "Instructions, in their own core", &v->all.own);
  put_traffic(f, "Instructions, in other cores (LSU-Remote)", &v->all.served);
  put_traffic(f, "Local memory set to zero", &profile_rest(v->k, PROFILE_CLEARING)->own);
  put_traffic(f, "Windows of shared memory", &profile_rest(v->k, PROFILE_WINDOWS)->own);
  put_traffic(f, "Refresh", &profile_rest(v->k, PROFILE_REFRESH)->own);
  put_traffic(f, "Unknown", &profile_rest(v->k, PROFILE_UNKNOWN)->own);
  fputs("</tbody></table></div>\n", f);
}

// ---- the page

static void put_kernel(FILE *f, const profile_run *r, uint32_t id, uint32_t top) {
  const profile_kernel *k = &r->data->kernels[id];
  profile_view *v = profile_view_new(r, k, PROFILE_BY_LINE);
  profile_view *ptx = profile_view_new(r, k, PROFILE_BY_PTX);
  profile_counts all = v->all;
  for (uint32_t n = 0; n < PROFILE_OTHERS; n++)
    profile_add(&all, profile_rest(k, (profile_other)n));
  const uint64_t busy = profile_all_cycles(&all);
  fputs("<h2>Kernel <span class=\"name\">", f);
  html_text(f, k->called);
  fputs("</span></h2>\n", f);
  put_kernel_facts(f, k, &all, r->data->cores, r->bus_flits);
  fputs("<h3>Where the cycles of the subcores went</h3>\n<div class=\"whole\">", f);
  html_bar(f, &all, busy + profile_cycles(&all, PROFILE_EMPTY), true);
  fputs("</div>\n", f);
  html_legend(f, &all);
  fputs(
      "<h3>By line</h3>\n<p class=\"note\">Shares of the cycles in which the subcore holds a "
      "warp; the longest bar is as wide as the plot.</p>\n",
      f);
  put_bars(f, v, id);
  fputs("<div class=\"tops\">\n", f);
  put_top(f, v, id, "Most cycles", "cycles", profile_all_cycles, busy, top);
  put_top(f, v, id, "Most waited for", "cycles held", profile_held, busy, top);
  put_top(f, v, id, "Most TSV flits", "flits", profile_flits, profile_flits(&all), top);
  put_top(f, v, id, "Most row conflicts", "conflicts", profile_conflicts, profile_conflicts(&all),
          top);
  fputs("</div>\n<h3>Latencies</h3>\n", f);
  html_latencies(f, k);
  put_rest(f, v);
  fputs("<h3>Source</h3>\n<p class=\"note screen\">A line unfolds to its instructions.</p>\n", f);
  html_source(f, v, ptx, id);
  profile_view_free(v);
  profile_view_free(ptx);
}

static void put_terms(FILE *f) {
  static const struct {
    const char *term, *what;
  } terms[] = {
      {"cycles",
       "of subcores, in % of those that hold a warp. A cycle without an issue is charged to the "
       "next instruction of the oldest warp that waits for the named cause."},
      {"issue", "an instruction was issued"},
      {"memory", "none: warps wait for results, at least one of them has an access in flight"},
      {"scoreboard", "none: warps wait for results of arithmetic"},
      {"barrier", "none: warps wait at a barrier"},
      {"fetch", "none: instructions are being fetched"},
      {"engine", "none: the offload engine is not free"},
      {"empty", "the subcore holds no warp"},
      {"held", "cycles of memory and scoreboard in which the oldest warp waits for this line"},
      {"flits", "on the TSV bus, both ways, also in other cores"},
      {"conflicts", "accesses of the banks whose row had to be opened in the place of another"},
      {"latency", "cycles from issue to end, on average"},
  };
  fputs("<h2>What the words mean</h2>\n<dl class=\"terms\">\n", f);
  for (size_t n = 0; n < sizeof terms / sizeof *terms; n++) {
    fprintf(f, "<dt>%s</dt><dd>", terms[n].term);
    html_text(f, terms[n].what);
    fputs("</dd>\n", f);
  }
  fputs("</dl>\n", f);
}

void profile_html(FILE *f, const profile_run *r, uint32_t top) {
  fputs(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
      f);
  html_text(f, r->program);
  fprintf(f, ": profile</title>\n<style>\n%s</style>\n</head>\n<body><main>\n<h1>", profile_style);
  html_text(f, r->program);
  fputs("</h1>\n<p class=\"sub\">Where the cycles of a run went</p>\n", f);
  put_run(f, r);
  for (uint32_t n = 0; n < r->data->n; n++)
    put_kernel(f, r, n, top);
  put_terms(f);
  fputs("</main></body></html>\n", f);
}
