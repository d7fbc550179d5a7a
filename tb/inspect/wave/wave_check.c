// SPDX-License-Identifier: Apache-2.0
// What is in a wave file, for scripts. A cycle is the ns from its begin on.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fst_read.h"

enum { PS = 1000, SHOWN = 10 };

static const char usage[] =
    "usage: wave_check signals FILE         name and width of each, a line each\n"
    "       wave_check span FILE            cycles \"FIRST LAST\" of each time with values\n"
    "       wave_check table FILE SIGNAL... cycle, values (hex) at its begin, whenever one is new; "
    "-\n"
    "                                       where there are none\n"
    "       wave_check values FILE SIGNAL... name, value, at the beginning of how many cycles\n"
    "       wave_check same A B             whether B has all signals of A, and their values at\n"
    "                                       all times of A; --both A B: signals that both have\n";

static void put_hex(const char *digits) {
  unsigned digit = 0;
  bool any = false;
  if (!digits)
    putchar('x');
  for (size_t n = digits ? strlen(digits) : 0; n > 0; n--, digits++) {
    digit = 2 * digit + (*digits == '1');
    if (n % 4 != 1)
      continue;
    if (digit || any || n == 1)
      printf("%x", digit), any = true;
    digit = 0;
  }
}

static int signals(const fst_file *f) {
  for (size_t n = 0; n < fst_signals(f); n++)
    printf("%s %u\n", fst_signal_of(f, n)->name, fst_signal_of(f, n)->bits);
  return 0;
}

static int span(const fst_file *f) {
  bool dark = true;
  for (uint64_t ps = fst_first(f) / PS * PS; ps <= fst_last(f) + PS; ps += PS) {
    const bool now = fst_is_dark(f, ps);
    if (dark && !now)
      printf("%" PRIu64, ps / PS);
    else if (!dark && now)
      printf(" %" PRIu64 "\n", ps / PS - 1);
    dark = now;
  }
  return 0;
}

static int table(const fst_file *f, char **names, int n) {
  const fst_signal *s[n];
  const char *before[n], *now[n];
  bool first = true, dark = true, was_dark = true;
  for (int k = 0; k < n; k++)
    if (!(s[k] = fst_named(f, names[k]))) {
      fprintf(stderr, "there is no %s\n", names[k]);
      return 1;
    }
  for (uint64_t ps = fst_first(f) / PS * PS; ps <= fst_last(f) + PS; ps += PS) {
    bool news = first;
    dark = fst_is_dark(f, ps);
    for (int k = 0; k < n; k++) {
      now[k] = fst_at(s[k], ps);
      news |= !dark && (first || before[k] != now[k]);
    }
    if (!news && dark == was_dark)
      continue;
    printf("%" PRIu64, ps / PS);
    for (int k = 0; k < n; k++) {
      putchar(' ');
      if (dark)
        putchar('-');
      else
        put_hex(now[k]);
      before[k] = now[k];
    }
    putchar('\n');
    first = false, was_dark = dark;
  }
  return 0;
}

typedef struct counted {
  const char *digits;
  uint64_t cycles;
} counted;

static bool equal(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

static void put_values(const fst_file *f, const fst_signal *s) {
  counted *all = NULL;
  size_t n = 0;
  for (uint64_t ps = fst_first(f) / PS * PS; ps <= fst_last(f); ps += PS) {
    if (fst_is_dark(f, ps))
      continue;
    const char *digits = fst_at(s, ps);
    size_t k = 0;
    while (k < n && !equal(all[k].digits, digits))
      k++;
    if (k == n) {
      counted *more = realloc(all, (n + 1) * sizeof *all);
      if (!more)
        abort();
      all = more;
      all[n++] = (counted){digits, 0};
    }
    all[k].cycles++;
  }
  for (size_t k = 0; k < n; k++) {
    printf("%s ", s->name);
    put_hex(all[k].digits);
    printf(" %" PRIu64 "\n", all[k].cycles);
  }
  free(all);
}

static int values(const fst_file *f, char **names, int n) {
  for (int k = 0; k < n; k++) {
    const fst_signal *s = fst_named(f, names[k]);
    if (!s) {
      fprintf(stderr, "there is no %s\n", names[k]);
      return 1;
    }
    put_values(f, s);
  }
  return 0;
}

// Where they differ first, at the times of changes of x. UINT64_MAX: nowhere.
static uint64_t differ(const fst_file *f, const fst_signal *x, const fst_signal *a,
                       const fst_signal *b) {
  for (size_t n = 0; n < x->n; n++) {
    const uint64_t ps = x->changes[n].ps;
    if (!fst_is_dark(f, ps) && !equal(fst_at(a, ps), fst_at(b, ps)))
      return ps;
  }
  return UINT64_MAX;
}

static int same(const fst_file *a, const fst_file *b, bool both) {
  int wrong = 0;
  size_t compared = 0;
  for (size_t n = 0; n < fst_signals(a); n++) {
    const fst_signal *s = fst_signal_of(a, n), *t = fst_named(b, s->name);
    if (!t && both)
      continue;
    uint64_t ps = UINT64_MAX;
    if (t && s->bits == t->bits) {
      const uint64_t p = differ(a, s, s, t), q = differ(a, t, s, t);
      ps = p < q ? p : q;
      compared++;
    } else {
      ps = fst_first(a);
    }
    if (ps == UINT64_MAX)
      continue;
    if (wrong++ < SHOWN)
      printf("%s differs at %" PRIu64 " ps\n", s->name, ps);
  }
  printf("%zu signals compared, %d differ\n", compared, wrong);
  return wrong != 0;
}

int main(int argc, char **argv) {
  const bool both = argc == 5 && !strcmp(argv[2], "--both");
  const char *what = argc > 2 ? argv[1] : "";
  fst_file *f[2] = {NULL, NULL};
  const int two = !strcmp(what, "same");
  int status = 2;
  for (int k = 0; k <= two; k++)
    if (2 + both + k < argc && !(f[k] = fst_read(argv[2 + both + k]))) {
      fprintf(stderr, "cannot read '%s'\n", argv[2 + both + k]);
      return 2;
    }
  if (!strcmp(what, "signals") && argc == 3)
    status = signals(f[0]);
  else if (!strcmp(what, "span") && argc == 3)
    status = span(f[0]);
  else if (!strcmp(what, "table") && argc > 3)
    status = table(f[0], argv + 3, argc - 3);
  else if (!strcmp(what, "values") && argc > 3)
    status = values(f[0], argv + 3, argc - 3);
  else if (two && argc == 4 + both)
    status = same(f[0], f[1], both);
  else
    fputs(usage, stderr);
  fst_free(f[0]);
  fst_free(f[1]);
  return status;
}
