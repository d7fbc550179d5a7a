// SPDX-License-Identifier: Apache-2.0
// Micro-benchmarks with known answers: what docs/micro.md lists. terms.def has the rules of the
// pages as numbers, cases.def a formula of them for each case; what is measured must be just that.
//   test_micro [--md | NAME...]     --md: prints the page; NAME: cases with this in their name
// MPU_NEAR=c|rtl|lockstep: the near side, c if not given.
#include <stdlib.h>
#include <string.h>
#include "../../csim/isa/isa.h"
#include "rig.h"

typedef enum kind { CHAIN_OF, STREAM } kind;

typedef struct micro {
  const char *group, *name, *formula;
  kind kind;
  uint32_t expected;
  rig_config config;
  rig_program program;
} micro;

enum { CHAIN_LENGTH = 4, MAX_CASES = 256 };

// Cycles of the body, as the case counts them; false when it cannot be said.
static bool measure(near_mode mode, const micro *m, uint32_t *cycles) {
  rig_program p = m->program;
  const uint32_t once = rig_run(mode, &m->config, &p).cycles;
  if (m->kind == CHAIN_OF) {  // the first is issued in the cycle after the clock
    *cycles = (once - 1) / p.times;
    return (once - 1) % p.times == 0;
  }
  p.times *= 2;
  *cycles = rig_run(mode, &m->config, &p).cycles - once;
  return true;
}

static unsigned all_cases(micro cases[MAX_CASES]) {
#define TERM(name, value, text) const uint32_t name = value;
#include "terms.def"
#undef TERM
  unsigned n = 0;
  const char *group = "";
#define GROUP(text) group = text;
#define CHAIN(text, cycles, at, code, result) \
  cases[n++] = (micro){group, text, #cycles, CHAIN_OF, cycles, {0}, {.body = code, .last = result, .side = at, .times = CHAIN_LENGTH}};
#define RATE(text, cycles, number, at, code, result) \
  cases[n++] = (micro){group, text, #cycles, STREAM, cycles, {0}, {.body = code, .last = result, .side = at, .times = number}};
#include "cases.def"
  return n;
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
