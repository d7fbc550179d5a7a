// SPDX-License-Identifier: Apache-2.0
// Two runs from small statistics: cycles by cause add up exactly, counters and their effects, keys
// that differ, what is damaged.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "harness/study/diff/diff.h"

static char why[DIFF_WHY];

// What statistics are made from: all numbers of a core, but for where something is added.
typedef struct made {
  unsigned cores, cycles, drain, seed;
  const char *configuration;  // NULL: none
  const char *more;           // of the run, ", \"key\": value"
  bool split;                 // memory is in parts
  int wrong;                  // added to cycles_fetch of the first subcore
} made;

static unsigned next(unsigned *seed) {
  *seed = *seed * 1103515245 + 12345;
  return *seed >> 16 & 0x7fff;
}

// Seven numbers that add up to `all`, most of it in the second one.
static void shares(unsigned all, unsigned *seed, unsigned to[7]) {
  unsigned left = all;
  for (int k = 0; k < 7; k++) {
    to[k] = k == 6 ? left : next(seed) % (left / 3 + 1);
    left -= to[k];
  }
}

static void put_core(FILE *f, const made *m, unsigned *seed, unsigned bus, unsigned bank) {
  fprintf(f, "{\"cycles\": %u, \"cycles_drain\": %u, \"bus_down\": %u, \"subcores\": [", m->cycles,
          m->drain, bus);
  for (int s = 0; s < 4; s++) {
    unsigned x[7];
    shares(m->cycles + m->drain, seed, x);
    fprintf(f,
            "%s{\"issued\": %u, \"cycles_issue\": %u, \"cycles_memory\": %u, "
            "\"cycles_scoreboard\": %u, \"cycles_barrier\": %u, \"cycles_fetch\": %u, "
            "\"cycles_engine\": %u, \"cycles_empty\": %u",
            s ? ", " : "", x[0], x[0], x[6], x[2], x[3], x[4] + (unsigned)(s ? 0 : m->wrong), x[5],
            x[1]);
    if (m->split)
      fprintf(f, ", \"cycles_memory_remote\": %u, \"cycles_memory_shared\": %u", x[6] / 3,
              x[6] / 5);
    fputc('}', f);
  }
  fprintf(f, "], \"nbus\": [{\"banks\": [{\"rd\": 5}, {\"rd\": %u}]}, {\"banks\": [{\"rd\": 7}]}]}",
          bank);
}

// bus_down and reads of a bank are `bus` and `bank` in the last core, and half of it in others.
static diff_run *run_of(const char *name, made m, unsigned bus, unsigned bank) {
  char *text;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  diff_run *r = diff_run_new(name, NULL);
  fprintf(f,
          "{\"schema\": 1, \"program\": \"p\", \"cycles\": %u, \"cores\": %u, \"core\": ", m.cycles,
          m.cores);
  unsigned seed = m.seed;
  put_core(f, &m, &seed, bus, bank);  // read for cycles_drain only when there are more
  if (m.cores > 1) {
    fputs(", \"each\": [", f);
    for (unsigned k = 0; k < m.cores; k++) {
      const bool last = k + 1 == m.cores;
      fputs(k ? ", " : "", f);
      put_core(f, &m, &seed, last ? bus : bus / 2, last ? bank : bank / 2);
    }
    fputc(']', f);
  }
  if (m.configuration)
    fprintf(f, ", \"configuration\": %s", m.configuration);
  fprintf(f, "%s}", m.more ? m.more : "");
  fclose(f);
  const bool ok = diff_run_add(r, name, text, bytes, why) && diff_run_complete(r, why);
  free(text);
  if (ok)
    return r;
  diff_run_free(r);
  return NULL;
}

typedef struct pair {
  diff_run *a, *b;
  diff *d;
} pair;

static pair pair_of(diff_run *a, diff_run *b) {
  if (!a || !b)
    fail_msg("%s", why);
  pair p = {a, b, diff_new(a, b, why)};
  if (!p.d)
    fail_msg("%s", why);
  return p;
}

static void done(pair p) {
  diff_free(p.d);
  diff_run_free(p.a);
  diff_run_free(p.b);
}

static const diff_part *part_of(const diff *d, const char *name) {
  for (size_t k = 0; k < d->parts.n; k++)
    if (strcmp(d->parts.all[k].name, name) == 0)
      return &d->parts.all[k];
  return NULL;
}

static void adds_up(const diff *d, uint64_t cycles_a, uint64_t cycles_b) {
  const diff_parts *p = &d->parts;
  int64_t sum[2] = {0, 0};
  assert_true(p->known);
  for (size_t k = 0; k < p->n; k++)
    for (int s = 0; s < 2; s++)
      sum[s] += p->all[k].cycles[s];
  assert_int_equal(sum[0], p->cycles[0]);
  assert_int_equal(sum[1], p->cycles[1]);
  assert_int_equal(p->cycles[0], (int64_t)cycles_a * p->per_cycle);
  assert_int_equal(p->cycles[1], (int64_t)cycles_b * p->per_cycle);
}

static void causes_add_up(void **state) {
  (void)state;
  for (unsigned n = 0; n < 40; n++) {
    const unsigned ca = 1 + n % 5, cb = 1 + n / 5;
    pair p = pair_of(
        run_of("a", (made){.cores = ca, .cycles = 1000 + 37 * n, .drain = n % 7, .seed = n}, 10, 3),
        run_of("b", (made){.cores = cb, .cycles = 2000 + 11 * n, .drain = n % 3, .seed = 100 + n},
               10, 3));
    adds_up(p.d, 1000 + 37 * n, 2000 + 11 * n);
    assert_null(part_of(p.d, "unexplained"));
    // the unit is that of both: the least common multiple of the subcores
    assert_int_equal(p.d->parts.per_cycle % (4 * ca), 0);
    assert_int_equal(p.d->parts.per_cycle % (4 * cb), 0);
    done(p);
  }
}

static void parts_of_memory(void **state) {
  (void)state;
  const made with = {.cores = 2, .cycles = 900, .drain = 3, .seed = 5, .split = true},
             without = {.cores = 2, .cycles = 1900, .drain = 3, .seed = 6};
  pair p = pair_of(run_of("a", with, 1, 1), run_of("b", with, 1, 1));
  adds_up(p.d, 900, 900);
  assert_null(part_of(p.d, "memory"));
  const int64_t all = (int64_t)p.a->cause[DIFF_MEMORY];
  assert_int_equal(part_of(p.d, "memory, remote")->cycles[0] +
                       part_of(p.d, "memory, local")->cycles[0] +
                       part_of(p.d, "memory, shared")->cycles[0],
                   all);
  assert_int_equal(part_of(p.d, "memory, remote")->cycles[0], p.a->cause[DIFF_REMOTE]);
  assert_true(p.a->cause[DIFF_REMOTE] > 0);
  done(p);
  // only one of them has the parts: they are not shown
  p = pair_of(run_of("a", with, 1, 1), run_of("b", without, 1, 1));
  adds_up(p.d, 900, 1900);
  assert_non_null(part_of(p.d, "memory"));
  assert_null(part_of(p.d, "memory, local"));
  done(p);
}

static void what_does_not_add_up_is_a_row(void **state) {
  (void)state;
  pair p = pair_of(run_of("a", (made){.cores = 1, .cycles = 900, .drain = 3, .wrong = 9}, 1, 1),
                   run_of("b", (made){.cores = 1, .cycles = 900, .drain = 3}, 1, 1));
  adds_up(p.d, 900, 900);
  assert_int_equal(part_of(p.d, "unexplained")->cycles[0], -9);
  assert_int_equal(part_of(p.d, "unexplained")->cycles[1], 0);
  assert_false(p.d->same);
  done(p);
}

static const diff_counter *counter_of(const diff *d, const char *name) {
  for (size_t k = 0; k < d->counters.n; k++)
    if (strcmp(d->counters.all[k].name, name) == 0)
      return &d->counters.all[k];
  return NULL;
}

static const char one[] =
    "{\"tsv\": {\"flits_per_cycle\": 2}, \"dram\": {\"tCCD\": 2, \"burst\": 4}}";
static const char two[] =
    "{\"tsv\": {\"flits_per_cycle\": 1}, \"dram\": {\"tCCD\": 6, \"burst\": 4}}";

static void effects(void **state) {
  (void)state;
  const made m = {.cores = 3, .cycles = 900, .drain = 3, .configuration = one};
  pair p = pair_of(run_of("a", m, 100, 40), run_of("b", m, 140, 60));
  const diff_counter *bus = counter_of(p.d, "core.bus_down"),
                     *rd = counter_of(p.d, "core.nbus.banks.rd");
  // `core` is the sum in a real file; what counts for an effect is the busiest of `each`
  assert_true(bus->costs && bus->effect == (140 - 100) / 2.0);
  assert_true(rd->costs && rd->effect == (60 - 40) * 4.0);  // the longer of tCCD and burst
  assert_true(rd < bus);
  assert_string_equal(bus->unit, "flits");
  assert_int_equal(p.d->counters.differ, 2);
  assert_false(p.d->same);
  done(p);
  // another machine: the same counts cost more
  made other = m;
  other.configuration = two;
  p = pair_of(run_of("a", m, 100, 40), run_of("b", other, 100, 40));
  assert_true(counter_of(p.d, "core.bus_down")->effect == 100 - 100 / 2.0);
  assert_true(counter_of(p.d, "core.nbus.banks.rd")->effect == 40 * 6.0 - 40 * 4.0);
  assert_int_equal(p.d->counters.differ, 0);
  assert_true(p.d->same);
  done(p);
  // without a configuration no cost is known
  other.configuration = NULL;
  p = pair_of(run_of("a", m, 100, 40), run_of("b", other, 120, 40));
  assert_false(counter_of(p.d, "core.bus_down")->costs);
  done(p);
}

static void counters_without_costs_come_by_their_ratio(void **state) {
  (void)state;
  made a = {.cores = 1,
            .cycles = 900,
            .drain = 3,
            .configuration = one,
            .more = ", \"w\": 1000000, \"x\": 10, \"y\": 1000, \"z\": 5, \"bound_tsv\": 1"},
       b = a;
  b.more =
      ", \"w\": 1000001, \"x\": 20, \"y\": 2000, \"only\": 3, \"bound_tsv\": 99, \"host_seconds\": "
      "8";
  pair p = pair_of(run_of("a", a, 100, 40), run_of("b", b, 102, 40));
  const diff_counters *c = &p.d->counters;
  assert_int_equal(c->n, 5);
  assert_string_equal(c->all[0].name, "core.bus_down");
  assert_string_equal(c->all[1].name, "y");
  assert_string_equal(c->all[2].name, "x");
  assert_string_equal(c->all[3].name, "w");
  assert_string_equal(c->all[4].name, "bound_tsv");
  assert_true(c->all[4].again);
  assert_int_equal(c->only[0], 1);
  assert_int_equal(c->only[1], 1);
  done(p);
}

// ---- arrays

static const char banks[] =
    "{\"network\": {\"requests\": 8}, "
    "\"dram\": {\"tCCD\": 2, \"burst\": 4, \"tRCD\": 10, \"tRP\": 20}}";

static pair arrays_of(const char *configuration, const char *a, const char *b) {
  const made m = {.cores = 2, .cycles = 900, .drain = 3, .configuration = configuration};
  made x = m, y = m;
  x.more = a, y.more = b;
  return pair_of(run_of("a", x, 1, 1), run_of("b", y, 1, 1));
}

static void is_pair(const diff *d, size_t n, const char *name, const char *a, const char *b) {
  assert_true(n < d->arrays.n);
  const char *const places[2] = {a, b};
  for (int s = 0; s < 2; s++) {
    const diff_array *x = d->arrays.all[n].of[s];
    assert_int_equal(x != NULL, places[s] != NULL);
    if (!x)
      continue;
    assert_string_equal(x->name, name);
    assert_string_equal(x->place ? x->place : "", places[s]);
  }
}

#define COUNTED(read, remote, hits, misses, conflicts)                                         \
  "\"read\": " #read ", \"written\": 0, \"remote_read\": " #remote                             \
  ", \"remote_written\": 0, \"atomics\": 0, \"row_hits\": " #hits ", \"row_misses\": " #misses \
  ", \"row_conflicts\": " #conflicts "}"
#define MEMORY(name, place, ...) \
  "{\"name\": \"" name "\", \"place\": \"" place "\", \"variable\": false, " COUNTED(__VA_ARGS__)
#define VARIABLE(name, ...) \
  "{\"name\": \"" name "\", \"place\": null, \"variable\": true, " COUNTED(__VA_ARGS__)
#define ARRAYS(named) ", \"arrays\": {\"named\": [" named "], \"local\": null}"

static void arrays_and_their_effects(void **state) {
  (void)state;
  // 2 cores with 3 banks each
  pair p = arrays_of(banks,
                     ARRAYS(MEMORY("x", "f:1", 60, 0, 50, 10, 0) ", " MEMORY(
                         "y", "f:2", 10, 0, 10, 0, 0) ", " MEMORY("z", "f:3", 7, 0, 7, 0, 0)),
                     ARRAYS(MEMORY("z", "f:4", 7, 0, 7, 0, 0) ", " MEMORY(
                         "y", "f:2", 16, 0, 10, 0, 6) ", " MEMORY("x", "f:1", 66, 0, 56, 10, 0)));
  const diff_arrays *a = &p.d->arrays;
  assert_true(a->known);
  assert_int_equal(a->differ, 2);
  assert_int_equal(a->same, 1);
  assert_int_equal(a->n, 2);
  is_pair(p.d, 0, "y", "f:2", "f:2");
  assert_true(a->all[0].costs && a->all[0].effect == (6 * 4 + 6 * (10 + 20)) / 6.0);
  assert_string_equal(a->all[0].how, "banks");
  is_pair(p.d, 1, "x", "f:1", "f:1");
  assert_true(a->all[1].effect == 6 * 4 / 6.0);
  assert_true(diff_local(a->all[1].of[1]) == 66 && diff_remote(a->all[1].of[1]) == 0);
  assert_true(diff_hits(a->all[0].of[1]) == 100 * 10 / 16.0);
  assert_false(p.d->same);
  assert_non_null(strstr(p.d->verdict, "; 2 of 3 arrays differ"));
  done(p);
  // without costs by sectors
  p = arrays_of(NULL,
                ARRAYS(MEMORY("x", "f:1", 60, 0, 60, 0, 0) ", " MEMORY("y", "f:2", 1, 0, 1, 0, 0)),
                ARRAYS(MEMORY("x", "f:1", 61, 0, 61, 0, 0) ", " MEMORY("y", "f:2", 5, 1, 6, 0, 0)));
  is_pair(p.d, 0, "y", "f:2", "f:2");
  assert_false(p.d->arrays.all[0].costs);
  assert_true(diff_remote(p.d->arrays.all[0].of[1]) == 1);
  is_pair(p.d, 1, "x", "f:1", "f:1");
  done(p);
}

static void arrays_of_one_name(void **state) {
  (void)state;
  // as many: in their order, wherever they are; a variable is none of them
  pair p = arrays_of(NULL,
                     ARRAYS(MEMORY("x", "f:1", 1, 0, 0, 0, 0) ", " MEMORY(
                         "x", "f:3", 20, 0, 0, 0, 0) ", " VARIABLE("x", 300, 0, 0, 0, 0)),
                     ARRAYS(VARIABLE("x", 302, 0, 0, 0, 0) ", " MEMORY(
                         "x", "f:3", 2, 0, 0, 0, 0) ", " MEMORY("x", "f:5", 26, 0, 0, 0, 0)));
  assert_int_equal(p.d->arrays.differ, 3);
  is_pair(p.d, 0, "x", "f:3", "f:5");
  is_pair(p.d, 1, "x", "", "");
  is_pair(p.d, 2, "x", "f:1", "f:3");
  done(p);
  // not as many: of the same place, then in their order
  p = arrays_of(NULL,
                ARRAYS(MEMORY("x", "f:1", 1, 0, 0, 0, 0) ", " MEMORY(
                    "x", "f:3", 20, 0, 0, 0, 0) ", " MEMORY("x", "f:7", 100, 0, 0, 0, 0)),
                ARRAYS(MEMORY("x", "f:9", 3, 0, 0, 0, 0) ", " MEMORY("x", "f:3", 21, 0, 0, 0, 0)));
  assert_int_equal(p.d->arrays.differ, 2);
  assert_int_equal(p.d->arrays.only[0], 1);
  is_pair(p.d, 0, "x", "f:7", NULL);
  is_pair(p.d, 1, "x", "f:1", "f:9");
  is_pair(p.d, 2, "x", "f:3", "f:3");
  assert_true(diff_local(p.d->arrays.all[0].of[1]) == 0);
  done(p);
}

static void arrays_of_one_run(void **state) {
  (void)state;
  // another name is no difference of the runs
  pair p = arrays_of(banks, ARRAYS(MEMORY("x", "f:1", 6, 0, 6, 0, 0)),
                     ARRAYS(MEMORY("y", "f:1", 6, 0, 6, 0, 0)));
  assert_int_equal(p.d->arrays.only[0], 1);
  assert_int_equal(p.d->arrays.only[1], 1);
  is_pair(p.d, 0, "x", "f:1", NULL);
  is_pair(p.d, 1, "y", NULL, "f:1");
  assert_true(p.d->arrays.all[0].effect == -6 * 4 / 6.0);
  assert_true(p.d->same);
  done(p);
  // only one run was asked
  p = arrays_of(banks, NULL, ARRAYS(MEMORY("y", "f:1", 6, 0, 6, 0, 0)));
  assert_false(p.d->arrays.known || p.d->arrays.has[0]);
  assert_true(p.d->arrays.has[1]);
  assert_true(p.d->same);
  done(p);
  // asked, and there were none
  p = arrays_of(banks, ARRAYS(""), ARRAYS(""));
  assert_true(p.d->arrays.known);
  assert_int_equal(p.d->arrays.n, 0);
  done(p);
}

// The functional machine does not know which sectors are remote, nor what rows they met.
static void arrays_without_cores(void **state) {
  (void)state;
  pair p = arrays_of(banks, ARRAYS(MEMORY("x", "f:1", 40, 20, 50, 10, 0)),
                     ARRAYS(MEMORY("x", "f:1", 60, null, null, null, null)));
  assert_false(p.d->arrays.whole[0]);
  assert_true(p.d->arrays.whole[1]);
  assert_int_equal(p.d->arrays.same, 1);
  assert_int_equal(p.d->arrays.n, 0);
  done(p);
  p = arrays_of(banks, ARRAYS(MEMORY("x", "f:1", 40, 20, 50, 10, 0)),
                ARRAYS(MEMORY("x", "f:1", 61, null, null, null, null)));
  assert_int_equal(p.d->arrays.differ, 1);
  const diff_array *b = p.d->arrays.all[0].of[1];
  assert_true(isnan(diff_remote(b)) && isnan(diff_hits(b)) && diff_sectors(b) == 61);
  assert_false(p.d->arrays.all[0].costs);
  done(p);
}

static void keys(void **state) {
  (void)state;
  made a = {.cores = 1, .cycles = 900, .drain = 3}, b = a;
  a.configuration =
      "{\"tsv\": {\"flits_per_cycle\": 2}, \"dram\": {\"tCCD\": 2, \"burst\": 4}, "
      "\"energy\": {\"alu_int\": 4.5}}";
  b.configuration =
      "{\"tsv\": {\"flits_per_cycle\": 2, \"new\": true}, \"dram\": {\"burst\": 5}, "
      "\"energy\": {\"alu_int\": 4.50}}";
  pair p = pair_of(run_of("a", a, 1, 1), run_of("b", b, 1, 1));
  const diff_keys *k = &p.d->keys;
  assert_true(k->known);
  assert_int_equal(k->n, 3);
  assert_string_equal(k->all[0].name, "dram.tCCD");
  assert_string_equal(k->all[0].value[0], "2");
  assert_null(k->all[0].value[1]);
  assert_string_equal(k->all[0].unit, "cycles");
  assert_string_equal(k->all[1].name, "dram.burst");
  assert_string_equal(k->all[2].name, "tsv.new");
  assert_null(k->all[2].value[0]);
  done(p);
  // a single key comes first in the verdict
  a.configuration = one;
  b.configuration = "{\"tsv\": {\"flits_per_cycle\": 2}, \"dram\": {\"tCCD\": 2, \"burst\": 8}}";
  p = pair_of(run_of("a", a, 1, 1), run_of("b", b, 1, 1));
  assert_ptr_equal(strstr(p.d->verdict, "dram.burst 4 -> 8: the same cycles, 900"), p.d->verdict);
  done(p);
}

static void cards(void **state) {
  (void)state;
  static const char card[] =
      "{\"launches\": 1, \"cycles\": %u, \"cores\": 1, \"core\": {\"cycles\": %u, "
      "\"cycles_drain\": 0, "
      "\"subcores\": [{\"cycles_issue\": %u, \"cycles_memory\": 0, \"cycles_scoreboard\": 0, "
      "\"cycles_barrier\": 0, \"cycles_fetch\": 0, \"cycles_engine\": 0, \"cycles_empty\": "
      "0}]}" ARRAYS(MEMORY("x", "f:1", 6, 0, 6, 0, 0) ", " VARIABLE(
          "v", 1, 0, 1, 0, 0) ", " VARIABLE("v", 20, 0, 1, 0, 0)) "}";
  char text[8192] = "{\"schema\": 1, \"launches\": 2, \"devices\": [";
  for (unsigned k = 0; k < 2; k++) {
    sprintf(text + strlen(text), card, 10 + k, 10 + k, 10 + k);
    strcat(text, k ? "]}" : ", ");
  }
  diff_run *r[2];
  for (int k = 0; k < 2; k++) {
    r[k] = diff_run_new("cards", NULL);
    assert_true(diff_run_add(r[k], "cards", text, strlen(text), why));
    assert_true(diff_run_complete(r[k], why));
  }
  assert_int_equal(r[0]->cards, 2);
  assert_int_equal(r[0]->cycles, 21);  // of two parts: 10.5 in the mean
  assert_int_equal(r[0]->parts, 2);
  pair p = pair_of(r[0], r[1]);
  assert_int_equal(part_of(p.d, "issue")->cycles[0], 21);
  assert_true(p.d->same);
  assert_non_null(strstr(p.d->verdict, "10.5"));
  assert_true(*values_find(&r[0]->counters, "launches") == 2);
  // arrays are summed; two variables of one name are not one
  assert_int_equal(r[0]->n_arrays, 3);
  assert_true(diff_local(&r[0]->arrays[0]) == 12);
  assert_true(diff_local(&r[0]->arrays[1]) == 2);
  assert_true(diff_local(&r[0]->arrays[2]) == 40);
  done(p);
}

// ---- what is wrong

static void refused(const char *text, const char *message) {
  diff_run *r = diff_run_new("x", NULL);
  *why = 0;
  assert_false(diff_run_add(r, "x", text, strlen(text), why) && diff_run_complete(r, why));
  if (!strstr(why, message))
    fail_msg("'%s', not '%s'", why, message);
  diff_run_free(r);
}

static void wrong_files(void **state) {
  (void)state;
  refused("{\"schema\": 2}", "is of schema 2, which a later mpu wrote; this one reads 1");
  refused("{\"schema\": 0.5}", "damaged: its schema is '0.5'");
  refused("{\"schema\": [1]}", "damaged: its schema is 'null'");
  refused("{\"schema\": 2, \"kernels\": []}", "is of schema 2");
  refused("[1]", "neither statistics");
  refused("3", "neither statistics");
  refused("{\"schema\": 1, \"core\": {", "it is not JSON, or is damaged; run again");
  refused("{\"schema\": 1, \"cycles\": 7, \"cores\": 1}", "x:1:1: core is missing");
  refused("{\"schema\": 1, \"cycles\": -7, \"cores\": 1, \"core\": {}}",
          "cycles is '-7', which is not a count");
  refused("{\"schema\": 1, \"cycles\": 7, \"cores\": 1, \"core\": {}}", "cycles_drain is missing");
  refused("{\"schema\": 1, \"cycles\": 7, \"cores\": 0, \"core\": {\"cycles_drain\": 0}}",
          "cores is not the number");
  refused("{\"schema\": 1, \"cycles\": 7, \"cores\": 1, \"core\": {\"cycles_drain\": 0}}",
          "subcores is missing");
  refused(
      "{\"schema\": 1, \"cycles\": 7, \"cores\": 1, \"core\": {\"cycles_drain\": 0, \"subcores\": "
      "[{}], \"bus\": \"1\"}}",
      "bus is '1', which is not a count");
  refused(
      "{\"schema\": 1, \"cycles\": 7, \"cores\": 1, \"core\": {\"cycles_drain\": 0, \"subcores\": "
      "[{}]}}",
      "cycles_issue is missing");
  refused(
      "{\"schema\": 1, \"cycles\": 7, \"cores\": 2, \"core\": {\"cycles_drain\": 0}, \"each\": []}",
      "cores is not the number");
  refused(
      "{\"schema\": 1, \"cycles\": 7, \"cores\": 2, \"core\": {\"cycles_drain\": 0}, \"each\": "
      "[3]}",
      "subcores is missing");
  refused("{\"schema\": 1, \"kernels\": [], \"cores\": 0}", "cores is not the number");
  refused("{\"schema\": 1, \"kernels\": [{}], \"cores\": 1}", "instructions is missing");
  refused(
      "{\"schema\": 1, \"kernels\": [{\"instructions\": [{}], \"others\": {}, \"run_cycles\": 1, "
      "\"drain_cycles\": 1, \"launches\": 1}], \"cores\": 1}",
      "issued is missing");
  refused("{\"machine\": \"m\", \"cycles\": \"\\n\\u001b\"}", "cycles is '?");
  refused(
      "{\"schema\": 1, \"launches\": 1, \"arrays\": {\"named\": [{\"name\": \"x\", \"read\": "
      "1.5}]}}",
      "read is '1.5', which is not a count");
  refused("{\"schema\": 1, \"launches\": 1, \"arrays\": {\"named\": [{\"read\": 1}]}}",
          "name is missing");
  refused("{\"schema\": 1, \"launches\": 1, \"arrays\": [1]}", "named is missing");
  refused("{\"machine\": \"m\"}", "cycles is missing");
  refused("{\"machine\": \"m\", \"cycles\": 1, \"sums\": {\"n\": {\"x\": 1.5}}}", "x is '1.5'");
  refused("{\"machine\": \"m\", \"cycles\": 1, \"configuration\": {\"dram\": {\"tRCD\": \"x\"}}}",
          "x:1:58: dram.tRCD: 'x' is not a whole decimal number");
}

static void too_large(void **state) {
  (void)state;
  refused("{\"machine\": \"m\", \"cycles\": 9007199254740992}", "is not a count");
  // each is read, but they have no common unit
  char text[256];
  diff_run *r[2];
  for (int k = 0; k < 2; k++) {
    r[k] = diff_run_new(k ? "b" : "a", NULL);
    snprintf(text, sizeof text,
             k ? "{\"schema\": 1, \"kernels\": [], \"cores\": 4095}"
               : "{\"machine\": \"m\", \"cycles\": 9007199254740991}");
    assert_true(diff_run_add(r[k], "x", text, strlen(text), why));
    assert_true(diff_run_complete(r[k], why));
  }
  assert_null(diff_new(r[0], r[1], why));
  assert_non_null(strstr(why, "'a' and 'b' have too many cycles"));
  diff_run_free(r[0]);
  diff_run_free(r[1]);
}

static void two_of_a_kind(void **state) {
  (void)state;
  static const char text[] = "{\"machine\": \"m\", \"cycles\": 1}";
  diff_run *r = diff_run_new("x", NULL);
  assert_true(diff_run_add(r, "x", text, sizeof text - 1, why));
  assert_false(diff_run_add(r, "y", text, sizeof text - 1, why));
  assert_non_null(strstr(why, "'x' and 'y' are both statistics of one run"));
  diff_run_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(causes_add_up),
      cmocka_unit_test(parts_of_memory),
      cmocka_unit_test(what_does_not_add_up_is_a_row),
      cmocka_unit_test(effects),
      cmocka_unit_test(counters_without_costs_come_by_their_ratio),
      cmocka_unit_test(arrays_and_their_effects),
      cmocka_unit_test(arrays_of_one_name),
      cmocka_unit_test(arrays_of_one_run),
      cmocka_unit_test(arrays_without_cores),
      cmocka_unit_test(keys),
      cmocka_unit_test(cards),
      cmocka_unit_test(wrong_files),
      cmocka_unit_test(too_large),
      cmocka_unit_test(two_of_a_kind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
