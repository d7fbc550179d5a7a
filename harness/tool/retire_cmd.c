// SPDX-License-Identifier: Apache-2.0
// mpu retire: an instruction trace as text.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "csim/isa/isa.h"
#include "harness/base/window.h"
#include "harness/inspect/retire/retire_show.h"
#include "tool.h"

typedef struct options {
  const char *files[2];
  int n_files;
  bool count, summary, diff, timing, near, far;
  bool filters;                                 // any option that the comparison does not have
  int64_t launch, core, block, warp, pc, line;  // -1: any
  const char *line_file;                        // NULL: any
  size_t line_file_length;
  uint64_t from, until, limit;
} options;

// ---- the summary

typedef struct row {
  const retire_inst *inst;  // one of the line's
  uint64_t count, near, cycles;
} row;

typedef struct summary {
  row *rows;
  size_t n;
  const retire_kernel *kernel;
  size_t *of;  // of its instructions: their rows
} summary;

static int compare_lines(const retire_inst *x, const retire_inst *y) {
  const int base = strcmp(retire_show_file(x->file), retire_show_file(y->file));
  const int file = base ? base : strcmp(x->file, y->file);
  if (file || x->cuda_line != y->cuda_line)
    return file ? file : x->cuda_line < y->cuda_line ? -1 : 1;
  // what has no line of the source is told apart by that of the PTX
  return x->cuda_line ? 0 : (x->ptx_line > y->ptx_line) - (x->ptx_line < y->ptx_line);
}

static int compare_rows(const void *x, const void *y) {
  return compare_lines(((const row *)x)->inst, ((const row *)y)->inst);
}

static void *need(void *p) {
  if (!p)
    abort();
  return p;
}

static void summary_kernel(summary *s, const retire_kernel *k) {
  s->kernel = k;
  s->rows = need(realloc(s->rows, (s->n + k->count + 1) * sizeof *s->rows));
  s->of = need(realloc(s->of, (k->count + 1) * sizeof *s->of));
  for (uint32_t i = 0; i < k->count; i++) {
    size_t n = 0;
    while (n < s->n && compare_lines(s->rows[n].inst, &k->insts[i]) != 0)
      n++;
    if (n == s->n)
      s->rows[s->n++] = (row){.inst = &k->insts[i]};
    s->of[i] = n;
  }
}

static void summary_add(summary *s, const retire_kernel *k, const retire_entry *e) {
  if (k != s->kernel)
    summary_kernel(s, k);
  row *r = &s->rows[s->of[e->pc / ISA_BYTES]];
  r->count++;
  r->near += e->near;
  r->cycles += e->end - e->issue;
}

static void summary_row(const row *r, const char *name) {
  printf("%12" PRIu64 " %6.1f %%  %13.1f   %s\n", r->count,
         100.0 * (double)r->near / (double)r->count, (double)r->cycles / (double)r->count, name);
}

static void summary_print(summary *s) {
  row all = {0};
  char line[300];
  printf("instructions     near  issue to end   line\n");
  qsort(s->rows, s->n, sizeof *s->rows, compare_rows);
  for (size_t n = 0; n < s->n; n++) {
    const row *r = &s->rows[n];
    retire_show_line(r->inst, line, sizeof line);
    if (r->count)
      summary_row(r, *line ? line : "no line");
    all.count += r->count, all.near += r->near, all.cycles += r->cycles;
  }
  if (all.count)
    summary_row(&all, "all");
}

// ---- which

static bool is_line(const options *o, const retire_inst *i) {
  if (i->cuda_line != o->line)
    return false;
  const size_t length = strlen(i->file), end = o->line_file_length;
  if (!o->line_file)
    return true;
  return length >= end && memcmp(i->file + length - end, o->line_file, end) == 0 &&
         (length == end || i->file[length - end - 1] == '/');
}

static bool wanted(const options *o, const retire_kernel *k, const retire_entry *e) {
  return (o->core < 0 || o->core == e->core) && (o->block < 0 || o->block == e->block) &&
         (o->warp < 0 || o->warp == e->warp) && (o->pc < 0 || o->pc == e->pc) &&
         e->issue < o->until && e->end >= o->from && !(o->near && !e->near) &&
         !(o->far && e->near) && (o->line < 0 || is_line(o, &k->insts[e->pc / ISA_BYTES]));
}

typedef struct output {
  const options *o;
  const retire_reader *r;
  uint64_t count, cycle;  // what was wanted; that the file has come to
  bool told;              // which launch it is
  summary s;
} output;

static void print_entry(output *x, const retire_entry *e) {
  const retire_kernel *k = retire_kernel_of(x->r);
  const retire_launch *l = retire_current(x->r);
  x->cycle = e->end > x->cycle ? e->end : x->cycle;
  if ((x->o->launch >= 0 && x->o->launch != l->number) || !wanted(x->o, k, e))
    return;
  x->count++;
  if (x->o->summary)
    summary_add(&x->s, k, e);
  if (x->o->summary || x->o->count)
    return;
  if (!x->told) {
    retire_show_launch(l, k);
    printf("\n");
    retire_show_columns("");
  }
  x->told = true;
  retire_show_entry("", k, e);
}

static retire_item print_all(output *x, retire_reader *r) {
  retire_item item = RETIRE_LAUNCH_END;
  retire_entry e;
  while (x->count < x->o->limit && (item = retire_next(r, &e)) < RETIRE_END)
    if (item == RETIRE_LAUNCH)
      x->cycle = retire_current(r)->cycle, x->told = false;
    else if (item == RETIRE_ENTRY)
      print_entry(x, &e);
    else if (x->told && !retire_whole(r))
      printf("launch %u was ended in cycle %" PRIu64 "\n", retire_current(r)->number,
             retire_end_cycle(r));
  return item;
}

static int print(const options *o, retire_reader *r) {
  output x = {.o = o, .r = r};
  const retire_item item = print_all(&x, r);
  if (item != RETIRE_BAD && o->count)
    printf("%" PRIu64 "\n", x.count);
  if (item != RETIRE_BAD && o->summary)
    summary_print(&x.s);
  free(x.s.rows);
  free(x.s.of);
  fflush(stdout);
  return item == RETIRE_BAD   ? user_error("%s", retire_message(r))
         : item == RETIRE_CUT ? retire_show_cut(r, o->files[0], x.cycle)
                              : EXIT_OK;
}

// ---- options

static bool number_of(const char *v, int base, uint64_t most, uint64_t *to) {
  char *end;
  errno = 0;
  *to = strtoull(v, &end, base);
  return *v && *v != '-' && *v != '+' && *v != ' ' && !*end && !errno && *to <= most;
}

// Options with a number. 0: it is none of them, 1: taken, 2: a message was given.
static int parse_number(options *o, const args *a) {
  const struct {
    const char *name;
    int64_t *to;
    int base;
    uint64_t least, most;
  } numbers[] = {
      {"--launch", &o->launch, 10, 1, UINT32_MAX},
      {"--core", &o->core, 10, 0, RETIRE_CORES - 1},
      {"--block", &o->block, 10, 0, UINT32_MAX},
      {"--warp", &o->warp, 10, 0, RETIRE_WARPS - 1},
      {"--pc", &o->pc, 16, 0, UINT32_MAX},
      {"--limit", (int64_t *)&o->limit, 10, 1, INT64_MAX},
  };
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    const char *v = args_is(a, numbers[k].name) ? a->value : NULL;
    uint64_t value;
    if (!v)
      continue;
    if (!number_of(v, numbers[k].base, numbers[k].most, &value) || value < numbers[k].least)
      return user_error("%s takes a number%s from %" PRIu64 ", not '%s'", numbers[k].name,
                        numbers[k].base == 16 ? " (hexadecimal)" : "", numbers[k].least, v);
    *numbers[k].to = (int64_t)value;
    return 1;
  }
  return 0;
}

static int parse_line(options *o, const char *v) {
  const char *colon = strrchr(v, ':');
  uint64_t line;
  if (!number_of(colon ? colon + 1 : v, 10, UINT32_MAX, &line) || !line || colon == v)
    return user_error("--line takes a line, like 9 or axpy.cu:9, not '%s'", v);
  o->line = (int64_t)line;
  o->line_file = colon ? v : NULL;
  o->line_file_length = colon ? (size_t)(colon - v) : 0;
  return 1;
}

static int parse_cycles(options *o, const char *v) {
  if (!window_parse(v, &o->from, &o->until))
    return user_error("--cycles takes %s, not '%s'", window_forms, v);
  return 1;
}

static int parse_flag(options *o, const char *argument) {
  const struct {
    const char *name;
    bool *to;
  } flags[] = {{"--count", &o->count}, {"--summary", &o->summary}, {"--near", &o->near},
               {"--far", &o->far},     {"--diff", &o->diff},       {"--timing", &o->timing}};
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
    if (strcmp(argument, flags[k].name) == 0)
      return *flags[k].to = true;
  return 0;
}

static int parse(args *a, options *o) {
  for (args_item item; (item = args_next(a)) != ARGS_END;) {
    if (item == ARGS_WRONG)
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && o->n_files == 2)
      return user_error("two files at most; '%s' is a third", a->value);
    if (item == ARGS_OPERAND) {
      o->files[o->n_files++] = a->value;
      continue;
    }
    int taken = parse_number(o, a);
    if (!taken && args_is(a, "--line"))
      taken = parse_line(o, a->value);
    if (!taken && args_is(a, "--cycles"))
      taken = parse_cycles(o, a->value);
    o->filters |= taken;
    if (taken == 2)
      return EXIT_USAGE;
    if (!taken)
      parse_flag(o, a->name);
  }
  if (o->diff && (o->filters || o->count || o->summary || o->near || o->far))
    return user_error("--diff compares whole files; only --timing goes with it");
  if (o->diff && o->n_files != 2)
    return user_error("--diff takes two files; see mpu retire --help");
  if (o->timing && !o->diff)
    return user_error("--timing goes with --diff");
  if (o->near && o->far)
    return user_error("--near and --far together select nothing; leave one of them out");
  if (o->count && o->summary)
    return user_error("--count or --summary, not both");
  if (!o->diff && o->n_files == 2)
    return user_error("one file at a time; '%s' is a second (--diff compares two)", o->files[1]);
  return o->n_files ? EXIT_OK : user_error("which file? see mpu retire --help");
}

int command_retire(int argc, char **argv) {
  options o = {.launch = -1, .core = -1, .block = -1, .warp = -1, .pc = -1, .line = -1};
  char why[4200];
  o.until = UINT64_MAX, o.limit = INT64_MAX;
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  int status = parse(&a, &o);
  if (status)
    return status;
  if (o.diff)
    return retire_diff(o.files, o.timing);
  retire_reader *r = retire_open(o.files[0], why, sizeof why);
  if (!r)
    return user_error("%s", why);
  status = print(&o, r);
  retire_close(r);
  return status;
}
