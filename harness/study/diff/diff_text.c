// SPDX-License-Identifier: Apache-2.0
// A comparison as text of at most 100 columns.
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "diff_priv.h"

enum { WIDTH = 100, LABEL = 19, SIDE = 39, CYCLES = 15, LINE_CYCLES = 13, CAUSE = 11 };

// ---- texts, of which some come from files: no control characters, whole characters

static bool begins(char c) {
  return (c & 0xc0) != 0x80;
}

static int columns(const char *text, size_t bytes) {
  int n = 0;
  for (size_t k = 0; k < bytes; k++)
    n += begins(text[k]);
  return n;
}

// So many bytes, in at most `width` columns. Returns how many.
static int put_part(const char *text, size_t bytes, int width, FILE *to) {
  const char *end = text + bytes;
  const int all = columns(text, bytes), shown = all <= width ? all : width - 3;
  int n = 0;
  for (; text < end && (n < shown || !begins(*text)); text++) {
    n += begins(*text);
    fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, to);
  }
  if (shown < all)
    fputs("...", to);
  return shown < all ? width : all;
}

static int put(const char *text, int width, FILE *to) {
  return put_part(text, strlen(text), width, to);
}

static void put_left(const char *text, int width, FILE *to) {
  fprintf(to, "%*s", width - put(text, width, to), "");
}

// A text in lines from column `indent` on.
static void put_filled(const char *text, int indent, FILE *to) {
  int at = indent;
  fprintf(to, "%*s", indent, "");
  for (const char *word = text; *word;) {
    const size_t n = strcspn(word, " ");
    if (word != text && at + 1 + columns(word, n) > WIDTH)
      fprintf(to, "\n%*s", indent, ""), at = indent;
    else if (word != text)
      fputc(' ', to), at++;
    at += put_part(word, n, WIDTH - indent, to);
    word += n + (word[n] == ' ');
  }
  fputc('\n', to);
}

// ---- what the runs are

static void put_row(const char *label, const char *a, const char *b, FILE *to) {
  if (!a && !b)
    return;
  put_left(label, LABEL, to);
  fputc(' ', to);
  put_left(a ? a : "-", SIDE, to);
  fputs("  ", to);
  put(a && b && !strcmp(a, b) ? "the same" : b ? b : "-", SIDE, to);
  fputc('\n', to);
}

static const char *instructions_of(const diff_run *r, char to[DIFF_NUMBER]) {
  if (isnan(r->instructions))
    return NULL;
  snprintf(to, DIFF_NUMBER, "%.0f", r->instructions);
  return to;
}

static const char *build_of(const diff_run *r, char *to, size_t bytes) {
  const tree *b = tree_in(r->top, "build");
  if (!b)
    return NULL;
  snprintf(to, bytes, "%s, %s", tree_text(tree_in(b, "release"), "?"),
           tree_text(tree_in(b, "commit"), "?"));
  return to;
}

static const char *cores_of(const diff_run *r, char to[DIFF_NUMBER]) {
  if (!r->cores || r->machine_name)
    return NULL;
  snprintf(to, DIFF_NUMBER, "%" PRIu64, r->cores);
  return to;
}

static void put_runs(const diff *d, FILE *to) {
  const diff_run *a = d->run[0], *b = d->run[1];
  char x[DIFF_MACHINE], y[DIFF_MACHINE];
  put_row("", "A", "B", to);
  put_row("file", a->name, b->name, to);
  put_row("program", a->program, b->program, to);
  put_row("arguments", diff_arguments(a), diff_arguments(b), to);
  put_row("machine", a->machine_name ? a->machine_name : "mpu",
          b->machine_name ? b->machine_name : "mpu", to);
  put_row("configuration", diff_machine(a, x), diff_machine(b, y), to);
  put_row("cores", cores_of(a, x), cores_of(b, y), to);
  put_row("near side", a->near, b->near, to);
  put_row("build", build_of(a, x, sizeof x), build_of(b, y, sizeof y), to);
  put_row("result", a->result, b->result, to);
  put_row("end", a->end, b->end, to);
  put_row("device memory", a->digest, b->digest, to);
  put_row("cycles", a->timed ? diff_cycles(a, x) : NULL, b->timed ? diff_cycles(b, y) : NULL, to);
  put_row("warp instructions", instructions_of(a, x), instructions_of(b, y), to);
  fputc('\n', to);
  put_filled(d->verdict, 0, to);
}

// ---- configuration

static void put_keys(const diff *d, FILE *to) {
  const diff_keys *k = &d->keys;
  fputs("\nconfiguration: ", to);
  if (!k->known) {
    fputs("not in both files\n", to);
    return;
  }
  if (!k->n) {
    fprintf(to, "the same machine%s%s\n", d->run[0]->hash ? ", " : "",
            d->run[0]->hash ? d->run[0]->hash : "");
    return;
  }
  fprintf(to, "%zu key%s\n", k->n, k->n == 1 ? " differs" : "s differ");
  for (size_t n = 0; n < k->n; n++) {
    const diff_key *x = &k->all[n];
    char text[200];
    snprintf(text, sizeof text, "%s -> %s%s%s", x->value[0] ? x->value[0] : "missing",
             x->value[1] ? x->value[1] : "missing", *x->unit ? " " : "", x->unit);
    fputs("  ", to);
    put_left(x->name, 26, to);
    fputs("  ", to);
    put_left(text, 26, to);
    fputs("  ", to);
    put(x->doc, WIDTH - 58, to);
    fputc('\n', to);
  }
}

// ---- numbers

static void put_share(int64_t part, int64_t of, FILE *to) {
  if (of)
    fprintf(to, " %7.1f %%", part ? 100 * (double)part / (double)of : 0);
  else
    fprintf(to, " %9s", "-");
}

static void put_cycles(diff_column *c, const int64_t cycles[2], int width, FILE *to) {
  int64_t tenths[2];
  char text[DIFF_NUMBER];
  diff_round(c, cycles, tenths);
  for (int s = 0; s < 2; s++)
    fprintf(to, "%*s", width, diff_tenths(tenths[s], false, text));
  fprintf(to, "%*s", width, diff_tenths(tenths[1] - tenths[0], true, text));
}

// ---- cycles by cause

static void put_parts(const diff *d, FILE *to) {
  const diff_parts *p = &d->parts;
  diff_column c = {.per_cycle = p->per_cycle};
  if (!p->known) {
    fputs("\ncycles by cause: not in both files\n", to);
    return;
  }
  fprintf(to, "\ncycles by cause, mean of the subcores\n%-16s %15s%15s%15s %9s\n", "", "A", "B",
          "difference", "share");
  const int64_t all = p->cycles[1] - p->cycles[0];
  for (size_t k = 0; k < p->n; k++) {
    const diff_part *x = &p->all[k];
    fputs("  ", to);
    put_left(x->name, 15, to);
    put_cycles(&c, x->cycles, CYCLES, to);
    put_share(x->cycles[1] - x->cycles[0], all, to);
    fprintf(to, "%s\n", !strcmp(x->name, "drain") ? "  (counted in empty)" : "");
  }
  diff_column sum = {.per_cycle = p->per_cycle};
  fprintf(to, "  %-15s", "cycles");
  put_cycles(&sum, p->cycles, CYCLES, to);
  put_share(all, all, to);
  fputc('\n', to);
}

// ---- counters

static void put_count(double n, int width, FILE *to) {
  fprintf(to, fabs(n) < 1e13 && n == floor(n) ? "%*.0f" : "%*.6g", width, n);
}

static void put_counter(const diff_counter *c, FILE *to) {
  char text[DIFF_NUMBER] = "";
  if (c->costs)
    snprintf(text, sizeof text, "%+.1f", c->effect);
  fprintf(to, "%12s", text);
  put_count(c->value[0], 15, to);
  put_count(c->value[1], 15, to);
  if (c->value[0] > 0)
    snprintf(text, sizeof text, "%.3f", c->value[1] / c->value[0]);
  fprintf(to, "%9s  ", c->value[0] > 0 ? text : "-");
  const bool core = strncmp(c->name, "core.", 5) == 0;
  const int n = put(c->name + (core ? 5 : 0), WIDTH - 53, to);
  if (*c->unit && 56 + n + (int)strlen(c->unit) <= WIDTH)
    fprintf(to, " (%s)", c->unit);
  fputc('\n', to);
  char doc[1024];
  snprintf(doc, sizeof doc, "%s%s%s", c->doc, c->costs && *c->doc ? "; " : "",
           c->costs ? c->how : "");
  if (*doc)
    put_filled(doc, 13, to);
}

static void put_counters(const diff *d, size_t top, FILE *to) {
  const diff_counters *c = &d->counters;
  size_t n = 0;
  fprintf(to, "\ncounters: %zu differ, %zu are the same", c->differ, c->same);
  for (int s = 0; s < 2; s++)
    if (c->only[s])
      fprintf(to, ", %zu only in %c", c->only[s], "AB"[s]);
  fputc('\n', to);
  if (!c->n)
    return;
  fprintf(to, "%12s%15s%15s%9s  %s\n", "effect", "A", "B", "ratio", "counter");
  for (; n < c->n && n < top && (top == SIZE_MAX || !c->all[n].again); n++)
    put_counter(&c->all[n], to);
  if (n < c->n)
    fprintf(to, "  and %zu more (--all)\n", c->n - n);
}

// ---- arrays

static void put_sectors(double n, FILE *to) {
  if (isnan(n))
    fprintf(to, "%12s", "-");
  else
    put_count(n, 12, to);
}

static void put_hits(double percent, FILE *to) {
  if (isnan(percent))
    fprintf(to, "%9s", "-");
  else
    fprintf(to, "%7.1f %%", percent);
}

static const char *place_of(const diff_array *a) {
  return a->place ? a->place : strcmp(a->kind, "variable") ? "" : "variable";
}

// Below a row: where it is allocated, who has it, what the effect is one of.
static void put_more(const diff_pair *p, FILE *to) {
  const diff_array *a = p->of[0] ? p->of[0] : p->of[1], *b = p->of[1] ? p->of[1] : a;
  char places[200], text[300] = "";
  snprintf(places, sizeof places, "%.90s", place_of(a));
  if (strcmp(place_of(a), place_of(b)) != 0)
    snprintf(places, sizeof places, "%.90s -> %.90s", place_of(a), place_of(b));
  const char *const parts[] = {places,
                               !p->of[1]   ? "only in A"
                               : !p->of[0] ? "only in B"
                                           : "",
                               p->costs && p->effect != 0 ? p->how : ""};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    if (*parts[k])
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? "; " : "",
               parts[k]);
  if (*text)
    put_filled(text, 13, to);
}

static void put_array(const diff_pair *p, FILE *to) {
  char text[DIFF_NUMBER] = "";
  if (p->costs)
    snprintf(text, sizeof text, "%+.1f", p->effect);
  fprintf(to, "%12s", text);
  for (int s = 0; s < 2; s++)
    put_sectors(diff_local(p->of[s]), to);
  for (int s = 0; s < 2; s++)
    put_sectors(diff_remote(p->of[s]), to);
  for (int s = 0; s < 2; s++)
    put_hits(diff_hits(p->of[s]), to);
  fputs("  ", to);
  put(p->of[p->of[0] ? 0 : 1]->name, WIDTH - 80, to);
  fputc('\n', to);
  put_more(p, to);
}

static void put_arrays(const diff *d, size_t top, FILE *to) {
  const diff_arrays *a = &d->arrays;
  size_t n = 0;
  if (!a->known) {
    if (a->has[0] || a->has[1])
      fprintf(to, "\narrays: only in %c; mpu run --arrays counts them\n", a->has[0] ? 'A' : 'B');
    return;
  }
  fprintf(to, "\narrays: %zu differ%s, %zu %s the same", a->differ, a->differ == 1 ? "s" : "",
          a->same, a->same == 1 ? "is" : "are");
  for (int s = 0; s < 2; s++)
    if (a->only[s])
      fprintf(to, ", %zu only in %c", a->only[s], "AB"[s]);
  fputc('\n', to);
  for (int s = 0; s < 2 && a->n; s++)
    if (a->whole[s])
      fprintf(to, "  %c does not know which sectors are remote: local has all of them\n", "AB"[s]);
  if (!a->n)
    return;
  fprintf(to, "%12s%24s%24s%18s\n", "", "sectors, local", "sectors, remote", "row hits");
  fprintf(to, "%12s%12s%12s%12s%12s%9s%9s  %s\n", "effect", "A", "B", "A", "B", "A", "B", "array");
  for (; n < a->n && n < top; n++)
    put_array(&a->all[n], to);
  if (n < a->n)
    fprintf(to, "  and %zu more (--all)\n", a->n - n);
}

// ---- energy

static const char *joules(double j, const char *sign, char to[DIFF_NUMBER]) {
  static const struct {
    double one;
    const char *name;
  } units[] = {{1, "J"}, {1e-3, "mJ"}, {1e-6, "uJ"}, {1e-9, "nJ"}};
  unsigned k = 0;
  while (k < 3 && fabs(j) < units[k].one)
    k++;
  snprintf(to, DIFF_NUMBER, "%s%.3f %s", j > 0 ? sign : "", j / units[k].one, units[k].name);
  return j == 0 ? "0" : to;
}

static void put_joules(const char *name, int indent, const double j[2], double all, FILE *to) {
  char a[DIFF_NUMBER], b[DIFF_NUMBER], c[DIFF_NUMBER];
  const double change = j[1] - j[0];
  fprintf(to, "  %*s", indent, "");
  put_left(name, 20 - indent, to);
  fprintf(to, "%15s%15s%15s", joules(j[0], "", a), joules(j[1], "", b), joules(change, "+", c));
  if (all != 0)
    fprintf(to, " %7.1f %%", change != 0 ? 100 * change / all : 0);
  fputc('\n', to);
}

static void put_energy(const diff *d, FILE *to) {
  const diff_joules *j = &d->joules;
  if (!j->known) {
    char text[DIFF_WHY + 32];
    snprintf(text, sizeof text, "energy: not of both: %s",
             d->run[d->run[0]->has_energy]->no_energy);
    fputc('\n', to);
    put_filled(text, 0, to);
    return;
  }
  const double all = j->total[1] - j->total[0];
  fprintf(to, "\nenergy, with the constants of each configuration\n%-22s%15s%15s%15s %9s\n", "",
          "A", "B", "difference", "share");
  for (size_t k = 0; k < j->n; k++) {
    const diff_joule *r = &j->all[k];
    if (!r->name || r->joules[0] != r->joules[1])
      put_joules(r->name ? r->name : r->group, r->name ? 2 : 0, r->joules, all, to);
  }
  put_joules("all", 0, j->total, all, to);
  put_joules("idle, in addition", 0, j->idle, 0, to);
  fprintf(to, "  %-20s%12.4g Js%12.4g Js", "energy x delay", j->edp[0], j->edp[1]);
  if (j->edp[0] > 0)
    fprintf(to, "  x %.4g", j->edp[1] / j->edp[0]);
  fputs("  (with what idles)\n", to);
}

// ---- lines

static void put_line(diff_column *c, const diff_line *l, FILE *to) {
  put_cycles(c, l->cycles, LINE_CYCLES, to);
  fprintf(to, "  %-*s", CAUSE,
          l->cycles[0] == l->cycles[1] ? "" : diff_cause_names[diff_mostly(l)]);
  int room = WIDTH - 3 * LINE_CYCLES - 2 - CAUSE;
  room -= put(l->where, room, to);
  if (*l->how && strcmp(l->how, "moved") != 0 && room > 14)
    room -= fprintf(to, " (%s)", l->how);
  if (l->text && room > 8) {
    fputs("  ", to);
    put(l->text + strspn(l->text, " \t"), room - 2, to);
  }
  fputc('\n', to);
}

static void put_kernel(const diff_kernel *k, int64_t per_cycle, size_t top, FILE *to) {
  diff_column c = {.per_cycle = per_cycle}, sum = c;
  int64_t rest[2] = {k->cycles[0], k->cycles[1]};
  fputs("\nkernel ", to);
  put(k->name[k->name[0] ? 0 : 1], 60, to);
  if (!k->name[0] || !k->name[1])
    fprintf(to, ", only in %c", k->name[0] ? 'A' : 'B');
  else if (strcmp(k->name[0], k->name[1]) != 0)
    fputs(" -> ", to), put(k->name[1], 25, to);
  if (k->launches[0] != k->launches[1])
    fprintf(to, ", launches %" PRIu64 " -> %" PRIu64, k->launches[0], k->launches[1]);
  fprintf(to, "\n%*s%*s%*s  %-*s%s\n", LINE_CYCLES, "A", LINE_CYCLES, "B", LINE_CYCLES,
          "difference", CAUSE, "mostly", "line");
  size_t n = 0;
  for (; n < k->n && n < top; n++) {
    put_line(&c, &k->lines[n], to);
    for (int s = 0; s < 2; s++)
      rest[s] -= k->lines[n].cycles[s];
  }
  if (n < k->n) {
    put_cycles(&c, rest, LINE_CYCLES, to);
    fprintf(to, "  %zu more rows (--all)\n", k->n - n);
  }
  put_cycles(&sum, k->cycles, LINE_CYCLES, to);
  fputs("  all: cycles of its launches\n", to);
}

static void put_lines(const diff *d, size_t top, FILE *to) {
  if (!d->lines.known)
    return;
  fputs("\ncycles by source line, mean of the subcores\n", to);
  for (size_t k = 0; k < d->lines.n; k++)
    put_kernel(&d->lines.all[k], d->lines.per_cycle, top, to);
}

void diff_text(const diff *d, size_t top, FILE *to) {
  for (size_t k = 0; k < d->n_notes; k++)
    put_filled(d->notes[k], 0, to);
  if (d->n_notes)
    fputc('\n', to);
  put_runs(d, to);
  put_keys(d, to);
  put_parts(d, to);
  put_counters(d, top, to);
  put_arrays(d, top, to);
  put_energy(d, to);
  put_lines(d, top, to);
}
