// SPDX-License-Identifier: Apache-2.0
// mpu diff: two runs side by side.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "harness/base/out_file.h"
#include "harness/study/diff/diff.h"
#include "harness/study/store/store.h"
#include "tool.h"

enum { TOP = 20, MOST_TOP = 1000000, FILES = 4, PATH = 4200 };

typedef struct options {
  const char *files[FILES];  // A, B, and their profiles
  int n_files;
  const char *store, *json, *html;
  size_t top;
  bool quiet;
} options;

static int parse_top(const char *v, size_t *top) {
  *top = strtoul(v, NULL, 10);
  return strlen(v) < 8 && *top <= MOST_TOP
             ? EXIT_OK
             : user_error("--top takes a number from 1 to %d, not '%s'", MOST_TOP, v);
}

static int take_option(options *o, const args *a) {
  if (args_is(a, "--top"))
    return parse_top(a->value, &o->top);
  if (args_is(a, "--all"))
    o->top = SIZE_MAX;
  else if (args_is(a, "--store"))
    o->store = a->value;
  else if (args_is(a, "--json"))
    o->json = a->value;
  else if (args_is(a, "--html"))
    o->html = a->value;
  else if (args_is(a, "--quiet"))
    o->quiet = true;
  return EXIT_OK;
}

static bool is_output(const char *file) {
  return file && strcmp(file, "-") == 0;
}

static int parse(args *a, options *o) {
  for (args_item item; (item = args_next(a)) != ARGS_END;) {
    if (item == ARGS_WRONG || (item == ARGS_OPTION && take_option(o, a)))
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && o->n_files == FILES)
      return user_error("two runs and their profiles at most; '%s' is a fifth file", a->value);
    if (item == ARGS_OPERAND)
      o->files[o->n_files++] = a->value;
  }
  if (o->n_files == 3)
    return user_error("a profile of each run, or of none: mpu diff A B PROFILE_A PROFILE_B");
  if (o->n_files < 2)
    return user_error(
        "which two runs? mpu diff takes two files of mpu run --stats, mpu machine --stats or mpu "
        "profile --json, or numbers of runs of a store; see --help");
  if (is_output(o->json) && is_output(o->html))
    return user_error("--json or --html to standard output, not both");
  return check_writable(o->json) ? EXIT_USAGE : check_writable(o->html);
}

// ---- where runs come from: files, and the store of studies

typedef struct input {
  diff_run *run;
  char name[PATH];
  bool has_row;
  store_run row;  // of a store, which the run points into
} input;

// Numbers are runs of the store; a file with such a name is ./17.
static bool is_run(const char *operand) {
  return operand[strspn(operand, "0123456789")] == 0 && strlen(operand) < 19;
}

static int load_row(input *to, const options *o, const char *operand) {
  char file[PATH], why[STORE_WHY];
  snprintf(file, sizeof file, "%s", o->store ? o->store : "");
  if (!o->store)
    snprintf(file, sizeof file, "%.4000s/build/study.db", compile_root());
  if (access(file, F_OK))
    return user_error("run %s: '%s' is missing: name the store with --store, or a file as ./%s",
                      operand, file, operand);
  store *s = store_open(file, false, why);
  to->has_row = s && store_read(s, strtoll(operand, NULL, 10), true, &to->row, why);
  store_close(s);
  if (!to->has_row)
    return user_error("%s", why);
  const store_run *r = &to->row;
  if (!r->statistics)
    return user_error("run %s has no statistics: it is '%s'%s%s", operand,
                      *r->outcome ? r->outcome : "not over", *r->message ? ": " : "", r->message);
  diff_run *d = to->run;
  d->program = *r->program ? r->program : NULL;
  d->config = *r->machine ? r->machine : NULL;
  d->arguments = r->arguments;
  return diff_run_add(d, to->name, r->statistics, strlen(r->statistics), why)
             ? EXIT_OK
             : user_error("%s", why);
}

static int load_file(input *to, const char *operand) {
  char why[DIFF_WHY];
  size_t length;
  char *text = read_file(operand, &length);
  if (!text)
    return EXIT_USAGE;
  const bool ok = diff_run_add(to->run, operand, text, length, why);
  free(text);
  return ok ? EXIT_OK : user_error("%s", why);
}

static int load(input *to, const options *o, int which) {
  char why[DIFF_WHY];
  const char *first = o->files[which];
  snprintf(to->name, sizeof to->name, "%s%s", is_run(first) ? "run " : "", first);
  to->run = diff_run_new(to->name, machines_known());
  if (is_run(first) ? load_row(to, o, first) : load_file(to, first))
    return EXIT_USAGE;
  if (o->n_files == FILES && load_file(to, o->files[2 + which]))
    return EXIT_USAGE;
  return diff_run_complete(to->run, why) ? EXIT_OK : user_error("%s", why);
}

// ---- what it writes

static int write_json(const options *o, const diff *d) {
  out_file *f = o->json ? out_open(o->json) : NULL;
  if (!o->json)
    return EXIT_OK;
  if (f)
    diff_json(d, out_stream(f));
  return f && out_close(f) ? EXIT_OK : cannot_write(o->json);
}

static int show(const options *o, const diff *d) {
  if (!o->quiet && !is_output(o->json) && !is_output(o->html))
    diff_text(d, o->top, stdout);
  if (!out_printed())
    return cannot_write("-");
  if (write_json(o, d))
    return EXIT_USAGE;
  if (o->html && !diff_html(d, o->html))
    return cannot_write(o->html);
  return d->same ? EXIT_OK : EXIT_FAILED;
}

int command_diff(int argc, char **argv) {
  options o = {.top = TOP};
  char why[DIFF_WHY];
  input in[2] = {{0}, {0}};
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  int status = parse(&a, &o);
  for (int k = 0; k < 2 && !status; k++)
    status = load(&in[k], &o, k);
  if (!status) {
    diff *d = diff_new(in[0].run, in[1].run, why);
    status = d ? show(&o, d) : user_error("%s", why);
    diff_free(d);
  }
  for (int k = 0; k < 2; k++) {
    diff_run_free(in[k].run);
    if (in[k].has_row)
      store_run_free(&in[k].row);
  }
  return status;
}
