// SPDX-License-Identifier: Apache-2.0
// mpu activity: toggle counts of a wave, for tools that estimate power.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/out_file.h"
#include "harness/base/window.h"
#include "harness/study/power/gates.h"
#include "harness/inspect/wave/activity.h"
#include "tool.h"

enum { DEPTH = 64 };

typedef struct options {
  const char *wave, *scopes, *saif, *table, *netlist, *liberty, *gates;
  uint64_t from, until;
} options;

static int parse(args *a, options *o) {
  for (args_item item; (item = args_next(a)) != ARGS_END;) {
    const struct {
      const char *name, **to;
    } texts[] = {{"--scope", &o->scopes},    {"--table", &o->table}, {"--netlist", &o->netlist},
                 {"--liberty", &o->liberty}, {"--gates", &o->gates}, {"-o", &o->saif}};
    if (item == ARGS_WRONG)
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && o->wave)
      return user_error("one file at a time; '%s' is a second", a->value);
    if (item == ARGS_OPERAND)
      o->wave = a->value;
    else if (args_is(a, "--window") && !window_parse(a->value, &o->from, &o->until))
      return user_error("--window takes %s, not '%s'", window_forms, a->value);
    for (size_t k = 0; item == ARGS_OPTION && k < sizeof texts / sizeof *texts; k++)
      if (args_is(a, texts[k].name))
        *texts[k].to = a->value;
  }
  if (!o->netlist != !o->gates || !o->liberty != !o->gates)
    return user_error("--netlist, --liberty and --gates go together");
  return o->wave ? EXIT_OK : user_error("which file? see mpu activity --help");
}

// ---- SAIF
static void put_name(FILE *f, const char *name, size_t bytes) {
  for (size_t k = 0; k < bytes; k++) {
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$", name[k]))
      fputc('\\', f);
    fputc(name[k], f);
  }
}

static void put_signal(FILE *f, const activity *a, const activity_signal *s, int depth) {
  for (uint32_t k = 0; k < s->bits; k++) {
    const activity_bit *b = &s->counts[k];
    fprintf(f, "%*s(", 2 * depth, "");
    put_name(f, s->name, strlen(s->name));
    if (s->vector)
      fprintf(f, "\\[%u\\]", s->lowest + k);
    fprintf(f, " (T0 %" PRIu64 ") (T1 %" PRIu64 ") (TX %" PRIu64 ") (TC %" PRIu64 ") (IG 0))\n",
            b->low, b->high, a->ps - b->low - b->high, b->toggles);
  }
}

static void put_saif(FILE *f, const activity *a) {
  static const char none[] = "";
  const char *open = none;  // the scope that is open
  int depth = 0;
  bool nets = false;
  fprintf(f,
          "(SAIFILE\n(SAIFVERSION \"2.0\")\n(DIRECTION \"backward\")\n(VENDOR \"nearbank\")\n"
          "(PROGRAM_NAME \"mpu activity\")\n(DIVIDER / )\n(TIMESCALE 1 ps)\n(DURATION %" PRIu64
          ")\n",
          a->ps);
  for (size_t k = 0; k < a->n; k++) {
    const activity_signal *s = &a->signals[k];
    if (strcmp(s->scope, open) != 0) {
      if (nets)
        fprintf(f, "%*s)\n", 2 * depth, "");
      size_t same = 0;  // bytes of the scopes that stay open
      for (size_t n = 0; open[n] || s->scope[n]; n++) {
        if ((!open[n] || open[n] == '.') && (!s->scope[n] || s->scope[n] == '.'))
          same = n;
        if (open[n] != s->scope[n])
          break;
      }
      for (const char *c = open + same; *c; c++)
        if (c == open || *c == '.')
          fprintf(f, "%*s)\n", 2 * --depth, "");
      for (const char *c = s->scope + same; *c;) {
        c += *c == '.';
        const size_t bytes = strcspn(c, ".");
        fprintf(f, "%*s(INSTANCE ", 2 * depth++, "");
        put_name(f, c, bytes);
        fputc('\n', f);
        c += bytes;
      }
      fprintf(f, "%*s(NET\n", 2 * depth, "");
      open = s->scope;
      nets = true;
    }
    put_signal(f, a, s, depth + 1);
  }
  fprintf(f, "%*s)\n", 2 * depth, "");
  while (depth)
    fprintf(f, "%*s)\n", 2 * --depth, "");
  fputs(")\n", f);
}

// ---- the table
typedef struct row {
  const char *scope, *name;  // scope: below that of the list, with a dot before it, or ""
  uint32_t bit;
  bool vector;
  activity_bit sum;
  size_t n;
} row;

static int by_name(const void *x, const void *y) {
  const row *a = x, *b = y;
  int c = strcmp(a->scope, b->scope);
  c = c ? c : strcmp(a->name, b->name);
  return c ? c : (a->bit > b->bit) - (a->bit < b->bit);
}

static bool put_table(FILE *f, const activity *a) {
  size_t n = 0, bits = 0;
  for (size_t k = 0; k < a->n; k++)
    bits += a->signals[k].bits;
  row *rows = calloc(bits, sizeof *rows);
  if (!rows)
    return false;
  for (size_t k = 0; k < a->n; k++) {
    const activity_signal *s = &a->signals[k];
    for (uint32_t b = 0; b < s->bits; b++)
      rows[n++] = (row){s->scope + s->below, s->name, s->lowest + b, s->vector, s->counts[b], 1};
  }
  qsort(rows, n, sizeof *rows, by_name);
  fprintf(f, "window %" PRIu64 " %" PRIu64 " scopes %zu\n", a->from, a->until, a->scopes);
  for (size_t k = 0; k < n;) {
    row sum = rows[k];
    for (k++; k < n && by_name(&sum, &rows[k]) == 0; k++) {
      sum.n++;
      sum.sum.toggles += rows[k].sum.toggles;
      sum.sum.low += rows[k].sum.low;
      sum.sum.high += rows[k].sum.high;
    }
    fprintf(f, "%s%s%s", sum.scope + (*sum.scope == '.'), *sum.scope ? "." : "", sum.name);
    if (sum.vector)
      fprintf(f, "[%u]", sum.bit);
    fprintf(f, " %zu %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", sum.n, sum.sum.toggles, sum.sum.low,
            sum.sum.high);
  }
  free(rows);
  return true;
}

// ---- the command
typedef enum form { SAIF, TABLE, GATES } form;

static int write_to(const char *name, const activity *a, const gates *g, form what) {
  if (!name)
    return EXIT_OK;
  out_file *o = out_open(name);
  if (!o)
    return cannot_write(name);
  FILE *f = out_stream(o);
  bool room = true;
  if (what == SAIF)
    put_saif(f, a);
  else if (what == TABLE)
    room = put_table(f, a);
  else
    gates_print(g, a, f);
  if (room)
    return out_close(o) ? EXIT_OK : cannot_write(name);
  out_drop(o);
  return user_error("out of host memory");
}

static void say(const activity *a) {
  uint64_t bits = 0, still = 0, toggles = 0, known = 0;
  for (size_t k = 0; k < a->n; k++)
    for (uint32_t b = 0; b < a->signals[k].bits; b++) {
      const activity_bit *c = &a->signals[k].counts[b];
      bits++;
      still += c->toggles == 0;
      toggles += c->toggles;
      known += c->low + c->high == a->ps;
    }
  const double cycles = (double)(a->until - a->from);
  printf("cycles %" PRIu64 " to %" PRIu64 ", %zu scope%s: %zu signals of %" PRIu64
         " bits, %.1f %% of them known all the time\n",
         a->from, a->until - 1, a->scopes, a->scopes == 1 ? "" : "s", a->n, bits,
         100.0 * (double)known / (double)bits);
  printf("%" PRIu64 " toggles, %.4f a bit and cycle; %.1f %% of the bits stand still\n", toggles,
         (double)toggles / (double)bits / cycles, 100.0 * (double)still / (double)bits);
}

int command_activity(int argc, char **argv) {
  options o = {.until = UINT64_MAX};
  char why[1024];
  activity a;
  args all = args_of(argc, argv);
  if (args_help(&all))
    return EXIT_OK;
  int status = parse(&all, &o);
  if (!status && (check_writable(o.saif) || check_writable(o.table) || check_writable(o.gates)))
    status = EXIT_USAGE;
  if (status)
    return status;
  cells c = {0};
  netlist n = {0};
  gates *g = NULL;
  if (o.gates && (!cells_read(&c, o.liberty, why, sizeof why) ||
                  !netlist_read(&n, o.netlist, &c, why, sizeof why)))
    status = user_error("%s", why);
  else if (o.gates && !(g = gates_new(&n)))
    status = user_error("out of host memory");
  else if (!activity_read(&a, o.wave, o.scopes, o.from, o.until, g ? &gates_follower : NULL, g, why,
                          sizeof why))
    status = user_error("%s", why);
  if (!status) {
    status = write_to(o.saif, &a, NULL, SAIF);
    status = status ? status : write_to(o.table, &a, NULL, TABLE);
    status = status ? status : write_to(o.gates, &a, g, GATES);
    if (!status)
      say(&a);
    activity_free(&a);
  }
  gates_free(g);
  netlist_free(&n);
  cells_free(&c);
  return status;
}
