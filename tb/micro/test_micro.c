// SPDX-License-Identifier: Apache-2.0
// Micro-benchmarks with known answers: what docs/micro.md lists. terms.def has the rules of the
// pages as numbers, cases.def a formula of them for each case; what is measured must be just that.
//   test_micro [--md | NAME...]     --md: prints the page; NAME: cases with this in their name
// MPU_NEAR=c|rtl|lockstep: the near side, c if not given.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "../../csim/isa/isa.h"
#include "rig.h"

typedef enum kind { CHAIN_OF, STREAM } kind;

typedef struct micro {
  const char *group, *name, *formula;
  kind kind;
  uint32_t expected;
  uint32_t half;      // the body has one more of what is counted, or so many
  uint32_t unlisted;  // not on the page
  rig_config config;
  rig_program program;
} micro;

enum { CHAIN_LENGTH = 4, MAX_CASES = 256 };

// Cycles of the body, as the case counts them; false when it cannot be said.
static bool measure(near_mode mode, const micro *m, uint32_t *cycles) {
  rig_program p = m->program;
  const uint32_t once = rig_run(mode, &m->config, &p).cycles, each = p.times * (m->half + 1);
  if (m->kind == CHAIN_OF) {  // the first is issued in the cycle after the clock
    *cycles = (once - 1) / each;
    return (once - 1) % each == 0;
  }
  p.times *= 2;
  *cycles = rig_run(mode, &m->config, &p).cycles - once;
  return true;
}

static char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *text(const char *format, ...) {
  va_list args;
  char *t = malloc(400);
  va_start(args, format);
  if (!t || vsnprintf(t, 400, format, args) >= 400)
    abort();
  va_end(args);
  return t;
}

static unsigned all_cases(micro cases[MAX_CASES]) {
#define TERM(name, value, text) const uint32_t name = value;
#include "terms.def"
#undef TERM
  unsigned n_cases = 0;
  const char *group = "";
#define GROUP(text) group = text;
#define CASE(text, k, cycles, at, code, result, ...) \
  cases[n_cases++] = (micro){.group = group,         \
                             .name = text,           \
                             .formula = #cycles,     \
                             .kind = k,              \
                             .expected = cycles,     \
                             .program.body = code,   \
                             .program.last = result, \
                             .program.side = at,     \
                             __VA_ARGS__};
#define CHAIN(text, cycles, at, code, result, ...) \
  CASE(text, CHAIN_OF, cycles, at, code, result, __VA_ARGS__)
#define RATE(text, cycles, number, at, code, result, ...) \
  CASE(text, STREAM, cycles, at, code, result, .program.times = number, __VA_ARGS__)
#include "cases.def"
  for (unsigned k = 0; k < n_cases; k++)
    if (!cases[k].program.times)
      cases[k].program.times = CHAIN_LENGTH;
  return n_cases;
}

int main(int argc, char **argv) {
  static micro cases[MAX_CASES];
  const unsigned n = all_cases(cases);
  unsigned failed = 0;
  for (unsigned k = 0; k < n; k++) {
    const micro *m = &cases[k];
    uint32_t cycles;
    if (argc > 1 && !strstr(m->name, argv[1]))
      continue;
    const bool whole = measure(NEAR_C, m, &cycles);
    const bool ok = whole && cycles == m->expected;
    failed += !ok;
    printf("%s %-50s %4u %4u  %s\n", ok ? "  " : "**", m->name, m->expected, cycles, m->formula);
  }
  return failed != 0;
}
