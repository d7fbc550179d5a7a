// SPDX-License-Identifier: Apache-2.0
// Generated accesses and traces of them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tb/file_fixture.h"
#include "csim/dram/bankctl.h"
#include "harness/study/dram/drive.h"

static stream_access *read_as(const dram_geometry *g, const char *text, size_t bytes, size_t *n,
                              char *why, size_t room) {
  FILE *f = fopen(name, "w");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, bytes, f), bytes);
  fclose(f);
  return stream_read(name, g, n, why, room);
}

static stream_access *read_text(const char *text, size_t bytes, size_t *n, char *why, size_t room) {
  return read_as(&dram_geometry_default, text, bytes, n, why, room);
}

static void a_line_is_an_access(void **state) {
  (void)state;
  static const char text[] =
      "# all that may be in one\n"
      "0 0 0 0 R\n"
      "\n"
      "   \t\n"
      "7 3 16383 31 W # the last place\r\n"
      "7\t1  2   3 R\r\n"
      "- 2 5 6 W\n"
      "281474976710655 0 1 2 R";
  char why[512];
  size_t n;
  stream_access *all = read_text(text, sizeof text - 1, &n, why, sizeof why);
  if (!all)
    fail_msg("%s", why);
  static const stream_access want[] = {{0, false, false, 0, 0, 0},
                                       {7, false, true, 3, 16383, 31},
                                       {7, false, false, 1, 2, 3},
                                       {7, true, true, 2, 5, 6},
                                       {281474976710655, false, false, 0, 1, 2}};
  assert_int_equal(n, sizeof want / sizeof *want);
  for (size_t k = 0; k < n; k++) {
    assert_int_equal(all[k].arrival, want[k].arrival);
    assert_int_equal(all[k].follows, want[k].follows);
    assert_int_equal(all[k].we, want[k].we);
    assert_int_equal(all[k].bank, want[k].bank);
    assert_int_equal(all[k].row, want[k].row);
    assert_int_equal(all[k].col, want[k].col);
  }
  free(all);
}

static void wrong_lines_are_told(void **state) {
  (void)state;
  static const struct {
    const char *text, *line, *why;
  } cases[] = {
      {"x 0 0 0 R", ":1: ", "begins with a cycle"},
      {"-1 0 0 0 R", ":1: ", "begins with a cycle"},
      {"-", ":1: ", "second word is a bank"},
      {"0\n", ":1: ", "second word is a bank"},
      {"281474976710656 0 0 0 R", ":1: ", "begins with a cycle"},
      {"99999999999999999999 0 0 0 R", ":1: ", "begins with a cycle"},
      {"1.5 0 0 0 R", ":1: ", "begins with a cycle"},
      {"0 0 0 0 R\n\n# \n0 4 0 0 R", ":4: ", "second word is a bank, 0 to 3"},
      {"0 -1 0 0 R", ":1: ", "second word is a bank"},
      {"0 0 16384 0 R", ":1: ", "third word is a row, 0 to 16383"},
      {"0 0 0 32 R", ":1: ", "fourth word is a column, 0 to 31"},
      {"0 0 0 1x R", ":1: ", "fourth word is a column"},
      {"0 0 0 0 r", ":1: ", "fifth word is R or W"},
      {"0 0 0 0", ":1: ", "fifth word is R or W"},
      {"0 0 0 0 RW", ":1: ", "a line has five words"},
      {"0 0 0 0 R 1", ":1: ", "a line has five words"},
      {"5 0 0 0 R\n4 0 0 0 R", ":2: ", "cycles must not descend"},
      {"5 0 0 0 R\n- 0 0 0 R\n4 0 0 0 R", ":3: ", "cycles must not descend"},
      {"# nothing\n", ": ", "it has no accesses"},
      {"", ": ", "it has no accesses"},
  };
  char why[512], line[sizeof name + 64];
  size_t n;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    *why = 0;
    assert_null(read_text(cases[k].text, strlen(cases[k].text), &n, why, sizeof why));
    snprintf(line, sizeof line, "%s%s", name, cases[k].line);
    if (!strstr(why, cases[k].why) || strncmp(why, line, strlen(line)) != 0)
      fail_msg("'%s': %s", cases[k].text, why);
  }
  char text[600];
  memset(text, ' ', sizeof text);
  memcpy(text, "0 0 0 0 R", 9);
  text[sizeof text - 1] = '\n';
  assert_null(read_text(text, sizeof text, &n, why, sizeof why));
  assert_non_null(strstr(why, ":1: this is not a line of text of up to 254 characters"));
  assert_null(read_text("0 0 0 0 R\0 1\n", 13, &n, why, sizeof why));
  assert_non_null(strstr(why, ":1: this is not a line of text"));
  assert_null(stream_read("/nowhere/trace", &dram_geometry_default, &n, why, sizeof why));
  assert_non_null(strstr(why, "cannot read '/nowhere/trace'"));
  assert_null(stream_read("/tmp", &dram_geometry_default, &n, why, sizeof why));
  assert_non_null(strstr(why, "cannot read '/tmp'"));
}

static const stream_config kinds[] = {
    {STREAM_RANDOM, 1, 1, 32, 1, 1, 0, 1, 3000},
    {STREAM_RANDOM, 1, 1, 32, 4, 0.3, 0.05, 7, 3000},
    {STREAM_STREAMS, 3, 2, 64, 1, 0.8, 0, 2, 3000},
    {STREAM_STREAMS, 2, 4, 5, 4, 0, 0.2, 3, 3000},
    {STREAM_ROWS, 4, 1, 32, 4, 0.5, 0.001, 4, 3000},
};

static void a_trace_gives_what_its_stream_gives(void **state) {
  (void)state;
  const drive_config c = {channel_config_default(), DRIVE_QUEUE};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    drive_result made, read;
    char why[512];
    size_t n;
    stream_access *all = stream_generate(&kinds[k], &dram_geometry_default);
    assert_true(stream_write(name, all, kinds[k].count));
    assert_true(drive(&c, all, kinds[k].count, &made, why, sizeof why));
    free(all);
    all = stream_read(name, &dram_geometry_default, &n, why, sizeof why);
    assert_non_null(all);
    assert_int_equal(n, kinds[k].count);
    assert_true(drive(&c, all, n, &read, why, sizeof why));
    assert_memory_equal(&made, &read, sizeof made);
    free(all);
  }
  assert_false(stream_write("/nowhere/trace", NULL, 0));
}

static void streams_are_what_was_asked_for(void **state) {
  (void)state;
  // two streams in each of two turns: bank 0 and 1, ..., first row 0 then 1; 3 accesses a row
  const stream_config c = {STREAM_STREAMS, 2, 2, 3, 4, 1, 0, 1, 64};
  stream_access *all = stream_generate(&c, &dram_geometry_default);
  for (uint32_t k = 0; k < 64; k++) {
    const uint32_t turn = k / 2, stream = turn / 4 % 2, nth = turn / 8 * 2 + k % 2;
    assert_int_equal(all[k].bank, turn % 4);
    assert_int_equal(all[k].row, stream + 2 * (nth / 3));
    assert_int_equal(all[k].col, nth % 3);
    assert_true(all[k].follows && !all[k].we);
  }
  free(all);
  for (uint32_t percent = 0; percent <= 100; percent += 25) {
    stream_config r = {STREAM_RANDOM, 1, 1, 32, 4, percent / 100.0, 0.01, 1, 40000};
    uint32_t writes = 0, banks[4] = {0}, subarrays[32] = {0};
    stream_access *some = stream_generate(&r, &dram_geometry_default),
                  *again = stream_generate(&r, &dram_geometry_default);
    assert_memory_equal(some, again, r.count * sizeof *some);
    free(again);
    for (uint32_t k = 0; k < r.count; k++)
      writes += some[k].we, banks[some[k].bank]++, subarrays[some[k].row % 32]++;
    assert_in_range(writes, 400 * (100 - percent) - (percent % 100 ? 500 : 0),
                    400 * (100 - percent) + (percent % 100 ? 500 : 0));
    assert_in_range(some[39999].arrival, 3900000, 4100000);
    for (uint32_t k = 0; k < 32; k++)
      assert_in_range(subarrays[k], 1000, 1500);
    for (uint32_t k = 0; k < 4; k++)
      assert_in_range(banks[k], 9500, 10500);
    // the rate changes the cycles only, the seed all
    r.rate = 0.5;
    again = stream_generate(&r, &dram_geometry_default);
    for (uint32_t k = 0; k < r.count; k++)
      assert_true(some[k].row == again[k].row && some[k].we == again[k].we);
    free(again);
    r.seed = 2;
    again = stream_generate(&r, &dram_geometry_default);
    assert_true(some[0].row != again[0].row || some[1].row != again[1].row);
    free(again);
    free(some);
  }
}

// Of a bank with 64 rows of 8 columns in 4 subarrays: every place of it, and no other.
static void places_are_of_the_geometry(void **state) {
  (void)state;
  const dram_geometry g = {.banks = 2, .rows = 64, .cols = 8, .subarrays = 4};
  static const struct {
    const char *text, *why;
  } cases[] = {{"0 1 63 7 W", NULL},
               {"0 2 0 0 R", "second word is a bank, 0 to 1"},
               {"0 0 64 0 R", "third word is a row, 0 to 63"},
               {"0 0 0 8 R", "fourth word is a column, 0 to 7"}};
  drive_config c = {channel_config_default(), DRIVE_QUEUE};
  drive_result r;
  char why[512];
  size_t n;
  c.channel.geometry = g;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    stream_access *all = read_as(&g, cases[k].text, strlen(cases[k].text), &n, why, sizeof why);
    if (!all != (cases[k].why != NULL) || (!all && !strstr(why, cases[k].why)))
      fail_msg("'%s': %s", cases[k].text, why);
    free(all);
  }
  for (stream_pattern p = STREAM_RANDOM; p < STREAM_PATTERNS; p++) {
    const stream_config s = {p, 3, 1, 16, 2, 0.5, 0, 1, 8000};
    uint32_t rows[64] = {0}, cols[8] = {0}, used = 0;
    stream_access *all = stream_generate(&s, &g);
    for (uint32_t k = 0; k < s.count; k++) {
      assert_true(all[k].bank < g.banks && all[k].row < g.rows && all[k].col < g.cols);
      used += !rows[all[k].row]++;
      cols[all[k].col]++;
    }
    assert_int_equal(used, p == STREAM_ROWS ? 3 : 64);
    for (uint32_t k = 0; k < g.cols; k++)
      assert_in_range(cols[k], 900, 1100);
    if (!drive(&c, all, s.count, &r, why, sizeof why))
      fail_msg("pattern %d: %s", (int)p, why);
    free(all);
  }
}

static void expect_figure(double value, double want) {
  if (fabs(value - want) > 1e-9)
    fail_msg("%.9f is not %.9f", value, want);
}

// One buffer, no refresh: a hit takes 7 cycles, another row 35. The first ten are left out.
static void figures_are_of_nine_tenths(void **state) {
  (void)state;
  drive_config c = {channel_config_default(), DRIVE_QUEUE};
  c.channel.row_buffers = 1, c.channel.refresh = CHANNEL_NO_REFRESH;
  stream_access all[100] = {0};
  for (uint32_t k = 0; k < 100; k++) {
    all[k].arrival = 1000 * k;
    all[k].row = 32 * (k < 10 ? k % 2 : k % 10 == 9);
    all[k].we = k >= 10 && k < 20;
  }
  drive_result r;
  char why[512];
  assert_true(drive(&c, all, 100, &r, why, sizeof why));
  assert_int_equal(r.accesses, 90);
  assert_int_equal(r.cycles, 90000);
  expect_figure(r.offered, 0.001);
  expect_figure(r.accepted, 0.001);
  expect_figure(r.bytes, 0.032);
  expect_figure(r.hit_rate, 0.8);
  expect_figure(r.mean, (72 * 7 + 18 * 35) / 90.0);
  assert_int_equal(r.least, 7);
  assert_int_equal(r.p50, 7);
  assert_int_equal(r.p90, 35);
  assert_int_equal(r.p99, 35);
  assert_int_equal(r.most, 35);
  static const uint64_t commands[DRAM_CMDS] = {
      [DRAM_ACT] = 18, [DRAM_PRE] = 18, [DRAM_RD] = 80, [DRAM_WR] = 10};
  assert_memory_equal(r.commands, commands, sizeof commands);
}

// ---- controllers that do what they must not

typedef struct faulty {
  bankctl_out from;
  void *real;
} faulty;

static enum { EARLY, DEAF, LATE, STRANGE, OTHER } fault;

static void *faulty_create(const void *sizes) {
  (void)sizes;
  faulty *f = calloc(1, sizeof *f);
  f->real = bankctl_twin.create(NULL);
  return f;
}

static void faulty_destroy(void *block) {
  bankctl_twin.destroy(((faulty *)block)->real);
  free(block);
}

static void faulty_step(void *block, const void *in, void *out) {
  static uint32_t reads;
  faulty *f = block;
  bankctl_in with = *(const bankctl_in *)in;
  bankctl_out *to = out;
  if (fault == LATE)
    with.ref_tick = 0;
  bankctl_twin.step(f->real, &with, out);
  if (!with.rst_n)
    reads = 0;
  reads += to->cmd == DRAM_RD;
  if (fault == EARLY && to->cmd == DRAM_RD && reads == 20)
    to->cmd = DRAM_PRE;
  if (fault == DEAF)
    to->cmd = 0, to->rsp_valid = 0;
  if (fault == STRANGE && to->rsp_valid && reads == 20)
    to->rsp_id ^= 128;
  if (fault == OTHER && to->cmd == DRAM_RD && reads == 20)
    to->cmd_col ^= 1;
}

static bool faulty_idle(const void *block) {
  return bankctl_twin.idle(((const faulty *)block)->real);
}

static void what_breaks_a_rule_is_an_error(void **state) {
  (void)state;
  static const char *const want[] = {[EARLY] = "breaks tRAS",
                                     [DEAF] = "the controller has stalled",
                                     [LATE] = "refresh late",
                                     [STRANGE] = "an id that no read has",
                                     [OTHER] = "without a request"};
  block_ops ops = bankctl_twin;
  ops.name = "faulty";
  ops.create = faulty_create, ops.destroy = faulty_destroy;
  ops.step = faulty_step, ops.idle = faulty_idle;
  const stream_config s = {STREAM_RANDOM, 1, 1, 32, 1, 1, 0, 1, 6000};
  stream_access *all = stream_generate(&s, &dram_geometry_default);
  drive_result r;
  char why[4096];
  for (fault = EARLY; fault <= OTHER; fault++) {
    drive_config c = {channel_config_default(), DRIVE_QUEUE};
    c.channel.model = &ops;
    c.channel.refresh = fault == DEAF ? CHANNEL_NO_REFRESH : CHANNEL_TICKS;
    if (drive(&c, all, s.count, &r, why, sizeof why) || !strstr(why, want[fault]))
      fail_msg("fault %d: %s", (int)fault, why);
    c.channel.model = NULL, c.channel.second = &ops;
    if (drive(&c, all, s.count, &r, why, sizeof why) || !strstr(why, "bankctl and faulty differ") ||
        !strstr(why, "port "))
      fail_msg("fault %d: %s", (int)fault, why);
  }
  free(all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_is_an_access),
      cmocka_unit_test(wrong_lines_are_told),
      cmocka_unit_test(a_trace_gives_what_its_stream_gives),
      cmocka_unit_test(streams_are_what_was_asked_for),
      cmocka_unit_test(places_are_of_the_geometry),
      cmocka_unit_test(figures_are_of_nine_tenths),
      cmocka_unit_test(what_breaks_a_rule_is_an_error),
  };
  return cmocka_run_group_tests_name("streams and traces", tests, make_file, remove_file);
}
