// SPDX-License-Identifier: Apache-2.0
// mpu diff: two runs side by side.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "harness/base/out_file.h"
#include "harness/study/diff/diff.h"
#include "tool.h"

enum { TOP = 20, MOST_TOP = 1000000, FILES = 4 };

typedef struct options {
  const char *files[FILES];  // A, B, and their profiles
  int n_files;
  const char *json;
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
  else if (args_is(a, "--json"))
    o->json = a->value;
  else if (args_is(a, "--quiet"))
    o->quiet = true;
  return EXIT_OK;
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
  if (o->n_files == 2 || o->n_files == 4)
    return EXIT_OK;
  return o->n_files == 3
             ? user_error("a profile of each run, or of none: mpu diff A B PROFILE_A PROFILE_B")
             : user_error(
                   "which two runs? mpu diff takes two files of mpu run --stats, mpu machine "
                   "--stats or mpu profile --json; see --help");
}

// Where the runs come from: takes an operand as a part of a run.
static int load(diff_run *to, const char *operand) {
  char why[DIFF_WHY];
  size_t length;
  char *text = read_file(operand, &length);
  if (!text)
    return EXIT_USAGE;
  const bool ok = diff_run_add(to, operand, text, length, why);
  free(text);
  return ok ? EXIT_OK : user_error("%s", why);
}

static int load_run(diff_run **to, const options *o, int which) {
  char why[DIFF_WHY];
  *to = diff_run_new(o->files[which], machines_known());
  for (int n = which; n < o->n_files; n += 2)
    if (load(*to, o->files[n]))
      return EXIT_USAGE;
  return diff_run_complete(*to, why) ? EXIT_OK : user_error("%s", why);
}

static int write_json(const options *o, const diff *d) {
  out_file *f = o->json ? out_open(o->json) : NULL;
  if (!o->json)
    return EXIT_OK;
  if (f)
    diff_json(d, out_stream(f));
  return f && out_close(f) ? EXIT_OK : cannot_write(o->json);
}

static int show(const options *o, const diff *d) {
  const bool text = !o->quiet && !(o->json && !strcmp(o->json, "-"));
  if (text)
    diff_text(d, o->top, stdout);
  if (write_json(o, d))
    return EXIT_USAGE;
  return d->same ? EXIT_OK : EXIT_FAILED;
}

int command_diff(int argc, char **argv) {
  options o = {.top = TOP};
  char why[DIFF_WHY];
  diff_run *runs[2] = {NULL, NULL};
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  int status = parse(&a, &o);
  for (int k = 0; k < 2 && !status; k++)
    status = load_run(&runs[k], &o, k);
  if (!status) {
    diff *d = diff_new(runs[0], runs[1], why);
    status = d ? show(&o, d) : user_error("%s", why);
    diff_free(d);
  }
  diff_run_free(runs[0]);
  diff_run_free(runs[1]);
  return status;
}
