// SPDX-License-Identifier: Apache-2.0
// A comparison as a whole: its parts, what is to be said first, and the verdict.
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "diff_priv.h"

static const char letters[2] = {'A', 'B'};

static void note(diff *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(diff *d, const char *format, ...) {
  va_list a;
  if (d->n_notes == DIFF_NOTES)
    return;
  va_start(a, format);
  if (vasprintf(&d->notes[d->n_notes++], format, a) < 0)
    abort();
  va_end(a);
}

static bool differ(const char *a, const char *b) {
  return a && b && strcmp(a, b) != 0;
}

// A path beside a name is the same program when it ends with it.
static bool other_program(const char *a, const char *b) {
  if (!a || !b || (strchr(a, '/') && strchr(b, '/')))
    return differ(a, b);
  const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
  return differ(x ? x + 1 : a, y ? y + 1 : b);
}

// ---- what is to be said first

static void note_programs(diff *d) {
  const diff_run *a = d->run[0], *b = d->run[1];
  if (!a->machine_name != !b->machine_name)
    note(d, "a program on MPU and the machine '%s'",
         a->machine_name ? a->machine_name : b->machine_name);
  else if (differ(a->machine_name, b->machine_name))
    note(d, "different machines: %s and %s", a->machine_name, b->machine_name);
  if (other_program(a->program, b->program))
    note(d, "different programs: %s and %s", a->program, b->program);
  else if (differ(a->arguments, b->arguments))
    note(d, "different arguments: '%s' and '%s'", a->arguments, b->arguments);
  if (a->cards > 1 || b->cards > 1)
    note(d, "cycles and energy are those of the cards in the mean, counters those of all cards");
}

static void note_results(diff *d) {
  const diff_run *a = d->run[0], *b = d->run[1];
  for (int s = 0; s < 2; s++)
    if (d->run[s]->end && strcmp(d->run[s]->end, "done") != 0)
      note(d, "%c ended early (%s): what it did until then is compared", letters[s],
           d->run[s]->end);
  if (differ(a->result, b->result))
    note(d, "different results: %s and %s", a->result, b->result);
  if (differ(a->digest, b->digest) && !other_program(a->program, b->program) &&
      !differ(a->arguments, b->arguments))
    note(d, "different contents of device memory at the end (memory_digest)");
}

static void note_missing(diff *d) {
  const tree *builds[2];
  for (int s = 0; s < 2; s++) {
    const diff_run *r = d->run[s];
    builds[s] = tree_in(r->top, "build");
    if (!r->timed)
      note(d,
           "%c is of the functional machine (--near=none): without cycles, causes, counters of "
           "cores, energy; run it with --near=c",
           letters[s]);
    else if (!r->statistics)
      note(d,
           "%c is a profile: without configuration, energy and some counters; statistics (mpu "
           "run --stats FILE) have them",
           letters[s]);
    if (r->statistics && r->profile && r->timed && r->profile_cores == r->cores &&
        r->profile_cycles != r->cycles)
      note(d, "the profile of %c is of another run: its kernels take %" PRIu64 " cycles",
           letters[s], r->profile_cycles / (4 * r->profile_cores));
  }
  const tree *a = builds[0] ? builds[0]->first : NULL;
  for (; a; a = a->next) {
    const char *b = tree_text(tree_in(builds[1], a->key), NULL);
    if (differ(tree_text(a, NULL), b))
      note(d, "different builds: %s %s and %s", a->key, a->text, b);
  }
}

// ---- the verdict

// Cycles of a run, without a fraction when it is whole.
const char *diff_cycles(const diff_run *r, char to[DIFF_NUMBER]) {
  if (r->cycles % r->parts)
    snprintf(to, DIFF_NUMBER, "%.1f", (double)r->cycles / (double)r->parts);
  else
    snprintf(to, DIFF_NUMBER, "%" PRIu64, r->cycles / r->parts);
  return to;
}

static void put_change(FILE *f, double a, double b) {
  if (a > 0)
    fprintf(f, " (x %.4g, %+.2f %%)", b / a, 100 * (b / a - 1));
}

static void put_cycles(const diff *d, FILE *f) {
  char a[DIFF_NUMBER], b[DIFF_NUMBER];
  for (int s = 0; s < 2; s++)
    if (!d->run[s]->timed) {
      fprintf(f, d->run[!s]->timed ? "cycles only in %c" : "no cycles", letters[!s]);
      return;
    }
  diff_cycles(d->run[0], a), diff_cycles(d->run[1], b);
  if (d->parts.cycles[0] == d->parts.cycles[1]) {
    fprintf(f, "the same cycles, %s", a);
    return;
  }
  fprintf(f, "cycles %s -> %s", a, b);
  put_change(f, (double)d->parts.cycles[0], (double)d->parts.cycles[1]);
}

static void put_instructions(const diff *d, FILE *f) {
  const double a = d->run[0]->instructions, b = d->run[1]->instructions;
  if (isnan(a) || isnan(b))
    return;
  if (a == b) {
    fprintf(f, "; the same warp instructions, %.0f", a);
    return;
  }
  fprintf(f, "; warp instructions %.0f -> %.0f", a, b);
  put_change(f, a, b);
}

static void judge(diff *d) {
  size_t bytes;
  const diff_run *a = d->run[0], *b = d->run[1];
  const size_t n = d->counters.differ, all = n + d->counters.same;
  const bool cycles = d->parts.cycles[0] == d->parts.cycles[1];
  bool causes = true;
  for (size_t k = 0; k < d->parts.n; k++)
    causes &= d->parts.all[k].cycles[0] == d->parts.all[k].cycles[1];
  d->same = cycles && causes && !n && !d->arrays.differ && !differ(a->result, b->result) &&
            !differ(a->end, b->end) && !differ(a->digest, b->digest);
  FILE *f = diff_must(open_memstream(&d->verdict, &bytes));
  if (d->keys.known && d->keys.n == 1) {
    const diff_key *k = &d->keys.all[0];
    fprintf(f, "%s %s -> %s: ", k->name, k->value[0] ? k->value[0] : "missing",
            k->value[1] ? k->value[1] : "missing");
  }
  put_cycles(d, f);
  put_instructions(d, f);
  if (n)
    fprintf(f, "; %zu of %zu counters differ", n, all);
  else
    fprintf(f, all ? "; the same counters, all %zu" : "; no counters in both", all);
  if (!n && d->arrays.differ)
    fprintf(f, "; %zu of %zu arrays differ", d->arrays.differ, d->arrays.differ + d->arrays.same);
  fclose(f);
}

// ---- all of it

diff *diff_new(const diff_run *a, const diff_run *b, char *why) {
  diff *d = diff_must(calloc(1, sizeof *d));
  d->run[0] = a, d->run[1] = b;
  diff_keys_of(d);
  diff_counters_of(d);
  diff_arrays_of(d);
  diff_joules_of(d);
  if (!diff_parts_of(d, why) || !diff_lines_of(d, why)) {
    diff_free(d);
    return NULL;
  }
  note_programs(d);
  note_results(d);
  note_missing(d);
  judge(d);
  return d;
}

void diff_free(diff *d) {
  if (!d)
    return;
  for (size_t k = 0; k < d->counters.n; k++)
    free(d->counters.all[k].name);
  for (size_t k = 0; k < d->n_notes; k++)
    free(d->notes[k]);
  free(d->counters.all);
  free(d->arrays.all);
  free(d->keys.all);
  free(d->joules.all);
  free(d->verdict);
  diff_lines_free(&d->lines);
  free(d);
}
