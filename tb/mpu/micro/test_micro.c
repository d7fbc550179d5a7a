// SPDX-License-Identifier: Apache-2.0
// Micro-benchmarks with known answers: what docs/micro.md lists. terms.def has the rules of the
// pages as numbers, cases.def a formula of them for each case; what is measured must be just that.
//   test_micro [--md | NAME...]     --md: prints the page; NAME: cases with this in their name
// When something on the way from the pages to the machine changes, change the rule on its page and
// its number in terms.def; a formula only when the parts of a way are others.
// MPU_NEAR=c|rtl|lockstep: the near side, c if not given.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "csim/isa/isa.h"
#include "harness/machines/mpu/machine/build.h"
#include "rig.h"
#include "csim/mpu/tsv_packet.h"

typedef enum kind {
  CHAIN_OF,  // cycles of one, the next one waits for it on the base die
  NEAR_OF,   // the same near the bank
  STREAM,    // cycles of so many more
  FLITS_OF,  // of a body
} kind;
typedef enum direction { DN, UP } direction;

typedef struct micro {
  const char *group, *name, *formula;
  kind kind;
  uint32_t expected;
  uint32_t counted;   // so many in a body, 0: one
  uint32_t unlisted;  // not on the page
  direction direction;
  uint32_t packet, packets;  // kind, how many
  bool launch;               // all of it, not of a body
  rig_config config;
  rig_program program;  // times 0: CHAIN_LENGTH, flits: 1
} micro;

enum { CHAIN_LENGTH = 4, MAX_CASES = 256 };

static void count(const micro *m, const core_stats *s, int64_t *packets, int64_t *flits, int by) {
  for (unsigned n = 0; n < 4; n++) {
    *packets += by * (int64_t)(m->direction == DN ? s->nbu[n].down : s->nbu[n].up)[m->packet];
    *flits +=
        by * (int64_t)(m->direction == DN ? s->nbu[n].down_flits : s->nbu[n].up_flits)[m->packet];
  }
}

// A body is executed twice in a run. False: not as many packets as there should be.
static bool measure_flits(near_mode mode, const micro *m, uint32_t *got) {
  rig_program p = m->program;
  int64_t packets = 0, flits = 0;
  const rig_result less = rig_run(mode, &m->config, &p);
  if (m->launch) {
    count(m, &less.stats, &packets, &flits, 1);
  } else {
    p.times *= 2;
    const rig_result more = rig_run(mode, &m->config, &p);
    count(m, &more.stats, &packets, &flits, 1);
    count(m, &less.stats, &packets, &flits, -1);
    if (packets % 2 || flits % 2)
      return false;
    packets /= 2, flits /= 2;
  }
  *got = (uint32_t)flits;
  return packets == m->packets;
}

// What the case measures; false when that is no number.
static bool measure(near_mode mode, const micro *m, uint32_t *got) {
  rig_program p = m->program;
  *got = 0;
  if (m->kind >= FLITS_OF)
    return measure_flits(mode, m, got);
  const uint32_t once = rig_run(mode, &m->config, &p).cycles, each = p.times * m->counted;
  if (m->kind == CHAIN_OF) {  // the first is issued in the cycle after the clock
    *got = (once - 1) / each;
    return (once - 1) % each == 0;
  }
  p.times *= 2;
  *got = rig_run(mode, &m->config, &p).cycles - once;
  if (m->kind == STREAM)
    return true;
  const bool whole = *got % each == 0;
  *got /= each;
  return whole;
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

// Prints them too, for the page.
static unsigned all_cases(micro cases[MAX_CASES], bool print) {
  unsigned n_cases = 0;
  const char *group = "";
#define TERM(name, value, where) \
  const uint32_t name = value;   \
  if (print)                     \
    printf("| %s | %u | %s |\n", #name, name, where);
#define SUM(name, value, what) \
  const uint32_t name = value; \
  if (print)                   \
    printf("| %s | %u | %s: %s |\n", #name, name, what, #value);
#include "terms.def"
#define GROUP(title) group = title;
#define CASE(title, what, amount, shown, at, code, result, ...) \
  cases[n_cases++] = (micro){.group = group,                    \
                             .name = title,                     \
                             .formula = shown,                  \
                             .kind = what,                      \
                             .expected = amount,                \
                             .program.body = code,              \
                             .program.last = result,            \
                             .program.side = at,                \
                             __VA_ARGS__};
#define CHAIN(title, cycles, at, code, result, ...) \
  CASE(title, CHAIN_OF, cycles, #cycles, at, code, result, __VA_ARGS__)
#define NEAR(title, cycles, code, ...) \
  CASE(title, NEAR_OF, cycles, #cycles, 'N', code, "r4", .program.used = true, __VA_ARGS__)
#define RATE(title, cycles, more, at, code, result, ...) \
  CASE(title, STREAM, cycles, #cycles, at, code, result, .program.times = more, __VA_ARGS__)
#define FLITS(title, way, name, number, flits, at, code, ...)            \
  CASE(title, FLITS_OF, flits, #flits, at, code, "r4", .direction = way, \
       .packet = TSV_##way##_##name, .packets = number, __VA_ARGS__)
#include "cases.def"
  for (unsigned k = 0; k < n_cases; k++) {
    micro *m = &cases[k];
    m->counted = m->counted ? m->counted : 1;
    if (!m->program.times)
      m->program.times = m->kind <= NEAR_OF ? CHAIN_LENGTH : 1;
  }
  return n_cases;
}

static void print_page(void) {
  static micro cases[MAX_CASES];
  const char *group = "";
  puts(
      "# Micro-benchmarks\n\n"
      "Generated by `test_micro --md` from `tb/mpu/micro/terms.def` and "
      "`tb/mpu/micro/cases.def`. The terms are the times\n"
      "of the other pages as numbers; the cases are small programs on one core whose times "
      "follow from them. `test_micro`\n"
      "runs them and requires exactly these cycles and flits.\n"
      "\n"
      "## Terms\n\n"
      "| term | cycles | where it comes from |\n| --- | --- | --- |");
  const unsigned n = all_cases(cases, true);
  for (unsigned k = 0; k < n; k++) {
    const micro *m = &cases[k];
    if (m->unlisted)
      continue;
    if (strcmp(group, m->group) != 0)
      printf("\n## %s\n\n| case | formula | %s |\n| --- | --- | --- |\n", m->group,
             m->kind < FLITS_OF ? "cycles" : "flits");
    group = m->group;
    printf("| %s | %s | %u |\n", m->name, m->formula, m->expected);
  }
}

static near_mode mode_of(const char *name) {
  near_mode mode;
  if (near_mode_named(name, &mode))
    return mode;
  fprintf(stderr, "MPU_NEAR is c, rtl or lockstep\n");
  exit(2);
}

int main(int argc, char **argv) {
  static micro cases[MAX_CASES];
  const char *name = getenv("MPU_NEAR"), *only = argc > 1 ? argv[1] : "";
  const near_mode mode = mode_of(name ? name : "c");
  unsigned failed = 0, ran = 0;
  if (strcmp(only, "--md") == 0) {
    print_page();
    return 0;
  }
  const unsigned n = all_cases(cases, false);
  for (unsigned k = 0; k < n; k++) {
    const micro *m = &cases[k];
    uint32_t got;
    if (!strstr(m->name, only) && !strstr(m->group, only))
      continue;
    ran++;
    if (measure(mode, m, &got) && got == m->expected)
      continue;
    failed++;
    printf("%s: %s: %u, not %s = %u\n", m->group, m->name, got, m->formula, m->expected);
  }
  printf("%u of %u cases are as derived\n", ran - failed, ran);
  return failed || !ran;
}
