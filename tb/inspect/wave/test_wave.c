// SPDX-License-Identifier: Apache-2.0
// Wave files: VCD text made by hand goes in, an FST file comes out, which the reader that comes
// with Verilator reads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/inspect/wave/wave.h"
#include "harness/inspect/wave/wave_event.h"
#include "harness/inspect/wave/wave_view.h"
#include "tb/file_fixture.h"
#include "fst_read.h"
#include "csim/base/rtl_trace.h"
#include "csim/base/vcd.h"

enum { PS = 1000, WHY = 500, LINE = 3000 };

static wave *w;
static fst_file *f;

static void start(const char *scopes) {
  char why[WHY] = "";
  w = wave_new(name, scopes, why, sizeof why);
  assert_string_equal(why, "");
  assert_non_null(w);
}

static wave_summary finish(void) {
  const wave_summary s = wave_close(w);
  w = NULL;
  f = fst_read(name);
  assert_non_null(f);
  struct stat on_disk;
  assert_int_equal(stat(name, &on_disk), 0);
  assert_int_equal(s.bytes, on_disk.st_size);
  return s;
}

static void forget(void) {
  fst_free(f);
  f = NULL;
}

__attribute__((format(printf, 2, 3))) static void say(wave_source *s, const char *format, ...) {
  char text[LINE];
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  wave_write(s, text, (size_t)n);
}

// As time of cycle n: values that an edge left, with its inputs, when the clock is low.
static uint64_t edge(uint64_t cycle) {
  return RTL_TRACE_TIMES * cycle + RTL_TRACE_EDGE;
}
static uint64_t high(uint64_t cycle) {
  return RTL_TRACE_TIMES * cycle + RTL_TRACE_HIGH;
}
static uint64_t low(uint64_t cycle) {
  return RTL_TRACE_TIMES * cycle + RTL_TRACE_LOW;
}
static void at(wave_source *s, uint64_t time) {
  say(s, "#%llu\n", (unsigned long long)time);
}

// A source with a clock and a counter of four bits.
static const char simple[] =
    "$version made by hand $end\n$timescale 1ps $end\n $scope module top $end\n"
    "  $var wire 1 ! clk_i $end\n  $scope module block $end\n   $var wire 1 ! clk_i $end\n"
    "   $var wire 4 \" count_q [3:0] $end\n  $upscope $end\n $upscope $end\n$enddefinitions $end\n";

static wave_source *source(const char *group, const char *of, const char *header) {
  wave_source *s = wave_source_new(w, group, of);
  assert_non_null(s);
  say(s, "%s", header);
  return s;
}

static const fst_signal *find(const char *path) {
  const fst_signal *s = fst_named(f, path);
  if (!s)
    fail_msg("there is no %s", path);
  return s;
}

static void is(const char *path, uint64_t ps, const char *want) {
  const char *got = fst_at(find(path), ps);
  if (!got || strcmp(got, want) != 0)
    fail_msg("%s at %llu is %s, not %s", path, (unsigned long long)ps, got ? got : "-", want);
}

static void has(const char *path, size_t changes) {
  assert_int_equal(find(path)->n, changes);
}

// ---- one source

static void test_times(void **state) {
  (void)state;
  start(NULL);
  wave_source *s = source("core0", "nbu0", simple);
  wave_begin(w, 10);
  at(s, edge(10)), say(s, "1!\nb0011 \"\n");
  at(s, low(10)), say(s, "0!\n");
  at(s, edge(11)), say(s, "1!\nb0100 \"\n");
  at(s, low(11)), say(s, "0!\n");
  wave_step(w, 12);
  at(s, edge(12)), say(s, "1!\nb0101 \"\n");
  at(s, low(14)), say(s, "0!\n");
  wave_end(w, 20);
  const wave_summary sum = finish();
  assert_int_equal(sum.first, 10);
  assert_int_equal(sum.last, 19);
  assert_int_equal(sum.windows, 1);
  assert_int_equal(sum.signals, 2);
  assert_false(sum.full);
  // a "top" is left out, with what is in it
  assert_int_equal(fst_signals(f), 2);
  assert_int_equal(find("core0.nbu0.count_q")->bits, 4);
  is("core0.nbu0.clk_i", 10 * PS, "1");
  is("core0.nbu0.clk_i", 10 * PS + PS / 2 - 1, "1");
  is("core0.nbu0.clk_i", 10 * PS + PS / 2, "0");
  is("core0.nbu0.clk_i", 11 * PS, "1");
  is("core0.nbu0.clk_i", 14 * PS + PS / 2 - 1, "1");
  is("core0.nbu0.clk_i", 14 * PS + PS / 2, "0");
  has("core0.nbu0.clk_i", 6);
  is("core0.nbu0.count_q", 11 * PS - 1, "0011");
  is("core0.nbu0.count_q", 11 * PS, "0100");
  is("core0.nbu0.count_q", 19 * PS, "0101");
  assert_null(fst_at(find("core0.nbu0.count_q"), 10 * PS - 1));
  assert_int_equal(fst_first(f), 10 * PS);
  assert_int_equal(fst_last(f), 20 * PS);
  assert_true(fst_is_dark(f, 10 * PS - 1));
  assert_false(fst_is_dark(f, 10 * PS));
  assert_false(fst_is_dark(f, 20 * PS - 1));
  assert_true(fst_is_dark(f, 20 * PS));
  forget();
}

// What is of the cycle behind the window is not in it, also when it has been told already.
static void test_end(void **state) {
  (void)state;
  start(NULL);
  wave_source *s = source("core0", "nbu0", simple);
  wave_begin(w, 0);
  at(s, edge(0)), say(s, "1!\nb0 \"\n");
  at(s, edge(3)), say(s, "0!\n");
  at(s, edge(4)), say(s, "b1111 \"\n");
  wave_end(w, 4);
  finish();
  is("core0.nbu0.count_q", 4 * PS, "0000");
  is("core0.nbu0.clk_i", 3 * PS, "0");
  forget();
}

// Values with times before the window are those at its begin; of several, the last one.
static void test_before(void **state) {
  (void)state;
  start(NULL);
  wave_source *s = source("core0", "nbu0", simple), *t = source("core0", "nbu1", simple);
  wave_begin(w, 100);
  at(s, edge(3)), say(s, "1!\nb0011 \"\n");
  at(s, low(7)), say(s, "b0111 \"\n");
  at(s, high(101)), say(s, "b1111 \"\n");
  at(t, edge(100)), say(t, "0!\nb1000 \"\n");
  wave_end(w, 110);
  const wave_summary sum = finish();
  assert_int_equal(sum.first, 100);
  is("core0.nbu0.clk_i", 100 * PS, "1");
  is("core0.nbu0.count_q", 100 * PS, "0111");
  is("core0.nbu0.count_q", 101 * PS, "1111");
  is("core0.nbu1.count_q", 100 * PS, "1000");
  assert_int_equal(fst_first(f), 100 * PS);
  has("core0.nbu0.count_q", 2);
  forget();
}

// At one time only the last value counts; what is what it was is no change.
static void test_twice(void **state) {
  (void)state;
  start(NULL);
  wave_source *s = source("core0", "nbu0", simple);
  wave_begin(w, 0);
  at(s, edge(0)), say(s, "0!\nb0001 \"\n");
  at(s, edge(1)), say(s, "b0010 \"\nb0011 \"\n");
  at(s, RTL_TRACE_TIMES * 1 + RTL_TRACE_STILL), say(s, "b0101 \"\n");
  at(s, high(1)), say(s, "b0100 \"\n");
  at(s, high(2)), say(s, "b0111 \"\n");
  at(s, high(2)), say(s, "b0100 \"\n");
  at(s, edge(3)), say(s, "b0100 \"\n0!\n");
  at(s, low(3)), say(s, "1!\n");
  wave_end(w, 9);
  finish();
  is("core0.nbu0.count_q", 0, "0001");
  is("core0.nbu0.count_q", PS - 1, "0001");
  is("core0.nbu0.count_q", 1 * PS, "0100");
  is("core0.nbu0.count_q", 3 * PS, "0100");
  has("core0.nbu0.count_q", 2);
  is("core0.nbu0.clk_i", 3 * PS, "0");
  is("core0.nbu0.clk_i", 3 * PS + PS / 2, "1");
  has("core0.nbu0.clk_i", 2);
  forget();
}

// Signals of all widths; values without their leading zeros; codes of one to three digits.
static void test_wide(void **state) {
  enum { SIGNALS = 94 * 94 + 300 };
  static const uint32_t widths[] = {1, 2, 31, 32, 33, 63, 64, 65, 255, 1024};
  static char digits[1025], zeros[1025];
  (void)state;
  start(NULL);
  wave_source *s = wave_source_new(w, "g", "s");
  char code[VCD_CODE + 1];
  say(s, "$scope module s $end\n");
  for (uint32_t n = 0; n < SIGNALS; n++) {
    *vcd_put_code(code, n) = 0;
    assert_int_equal(vcd_get_code(code, code + strlen(code)), n);
    say(s, "$var wire %u %s x%u $end\n", widths[n % 10], code, n);
  }
  say(s, "$upscope $end\n$enddefinitions $end\n");
  wave_begin(w, 0);
  at(s, edge(0));
  memset(digits, '1', 1024);
  memset(zeros, '0', 1024);
  for (uint32_t n = 0; n < SIGNALS; n++) {
    *vcd_put_code(code, n) = 0;
    if (widths[n % 10] == 1)
      say(s, "%u%s\n", n & 16 ? 1 : 0, code);
    else
      say(s, "b%.*s %s\n", (int)(n % 2 ? widths[n % 10] : 1 + n % widths[n % 10]), digits, code);
  }
  at(s, edge(1));
  for (uint32_t n = 0; n < SIGNALS; n++) {
    *vcd_put_code(code, n) = 0;
    say(s, widths[n % 10] == 1 ? "0%s\n" : "b0 %s\n", code);
  }
  wave_end(w, 2);
  const wave_summary sum = finish();
  assert_int_equal(sum.signals, SIGNALS);
  for (uint32_t n = 0; n < SIGNALS; n++) {
    char path[30];
    const uint32_t bits = widths[n % 10];
    const uint32_t ones = bits == 1 ? n >> 4 & 1 : n % 2 ? bits : 1 + n % bits;
    snprintf(path, sizeof path, "g.s.x%u", n);
    assert_int_equal(find(path)->bits, bits);
    const char *got = fst_at(find(path), 0);
    assert_non_null(got);
    assert_memory_equal(got, zeros, bits - ones);
    assert_memory_equal(got + bits - ones, digits, ones);
    assert_int_equal(strlen(got), bits);
    assert_int_equal(strspn(fst_at(find(path), PS), "0"), bits);
  }
  forget();
}

// One name for each, the same values: of one signal in several scopes, of a wider and a part.
static void test_aliases(void **state) {
  (void)state;
  start(NULL);
  wave_source *s =
      source("core0", "nbu0",
             "$scope module nbu $end\n$var wire 1 ! a $end\n$var wire 8 # v [7:0] $end\n"
             "$scope module i_opc $end\n$var wire 1 ! b $end\n"
             "$var wire 8 # op_q[3] [7:0] $end\n"
             "$scope module unnamedblk1 $end\n$var wire 1 ! hidden $end\n$upscope $end\n"
             "$scope module tsv_pkg $end\n$var wire 1 $ hidden $end\n"
             "$scope module i_in $end\n$var wire 1 $ hidden $end\n$upscope $end\n"
             "$upscope $end\n$var wire 1 % c $end\n$upscope $end\n"
             "$upscope $end\n$enddefinitions $end\n");
  wave_begin(w, 0);
  at(s, edge(0)), say(s, "1!\nb1010 #\n1$\n0%%\n");
  at(s, edge(5)), say(s, "0!\nb10101 #\n");
  wave_end(w, 6);
  const wave_summary sum = finish();
  assert_int_equal(sum.signals, 3);
  assert_int_equal(fst_signals(f), 5);
  assert_int_equal(find("core0.nbu0.a")->number, find("core0.nbu0.opc.b")->number);
  assert_false(find("core0.nbu0.a")->alias);
  assert_true(find("core0.nbu0.opc.b")->alias);
  assert_int_not_equal(find("core0.nbu0.a")->number, find("core0.nbu0.opc.c")->number);
  is("core0.nbu0.opc.op_q[3]", 0, "00001010");
  is("core0.nbu0.v", 5 * PS, "00010101");
  is("core0.nbu0.opc.b", 5 * PS, "0");
  forget();
}

// ---- several

static void test_merge(void **state) {
  (void)state;
  start(NULL);
  wave_source *a = source("core0", "nbu0", simple), *b = source("core0", "base", simple);
  wave_source *c = source("core7", "nbu0", simple);
  wave_begin(w, 0);
  // each tells its own at other times, and some nothing
  at(a, edge(0)), say(a, "1!\nb0001 \"\n");
  at(b, high(0)), say(b, "0!\nb0010 \"\n");
  at(c, edge(0)), say(c, "1!\nb0011 \"\n");
  wave_step(w, 1);
  at(c, edge(2)), say(c, "b0110 \"\n");
  at(c, low(9)), say(c, "0!\n");
  wave_step(w, 5);
  at(a, edge(5)), say(a, "b0101 \"\n");
  at(b, high(7)), say(b, "b0111 \"\n");
  at(a, edge(8)), say(a, "b1000 \"\n");
  at(c, edge(12)), say(c, "b1100 \"\n");
  wave_end(w, 20);
  finish();
  assert_int_equal(fst_signals(f), 6);
  is("core0.nbu0.count_q", 0, "0001");
  is("core0.base.count_q", 0, "0010");
  is("core7.nbu0.count_q", 0, "0011");
  is("core7.nbu0.count_q", 2 * PS, "0110");
  is("core0.nbu0.count_q", 5 * PS, "0101");
  is("core0.base.count_q", 7 * PS - 1, "0010");
  is("core0.base.count_q", 7 * PS, "0111");
  is("core0.nbu0.count_q", 8 * PS, "1000");
  is("core7.nbu0.clk_i", 9 * PS + PS / 2, "0");
  is("core7.nbu0.count_q", 12 * PS, "1100");
  for (size_t n = 0; n < fst_signals(f); n++) {
    const fst_signal *s = fst_signal_of(f, n);
    for (size_t k = 1; k < s->n; k++)
      assert_true(s->changes[k - 1].ps < s->changes[k].ps);
  }
  forget();
}

static void test_gap(void **state) {
  (void)state;
  start(NULL);
  wave_source *s = source("core0", "nbu0", simple), *t = source("core0", "nbu1", simple);
  wave_begin(w, 2);
  at(s, edge(2)), say(s, "1!\nb0001 \"\n");
  at(t, edge(2)), say(t, "0!\nb1111 \"\n");
  at(s, edge(4)), say(s, "b0010 \"\n");
  wave_end(w, 5);
  // what is told meanwhile is not looked at
  at(s, edge(6)), say(s, "b0011 \"\n");
  wave_begin(w, 9);
  say(s, "%s", simple), say(t, "%s", simple);
  at(s, edge(9)), say(s, "1!\nb0100 \"\n");
  at(t, edge(1)), say(t, "0!\nb1111 \"\n");
  at(s, edge(10)), say(s, "0!\n");
  wave_end(w, 12);
  wave_begin(w, 12), wave_end(w, 12);
  wave_begin(w, 30);
  at(s, edge(30)), say(s, "0!\nb0110 \"\n");
  at(t, edge(30)), say(t, "1!\nb1111 \"\n");
  wave_end(w, 31);
  const wave_summary sum = finish();
  assert_int_equal(sum.windows, 3);
  assert_int_equal(sum.first, 2);
  assert_int_equal(sum.last, 30);
  for (uint64_t cycle = 0; cycle < 40; cycle++) {
    const bool light = (cycle >= 2 && cycle < 5) || (cycle >= 9 && cycle < 12) || cycle == 30;
    assert_int_equal(fst_is_dark(f, cycle * PS), !light);
    assert_int_equal(fst_is_dark(f, cycle * PS + PS - 1), !light);
  }
  is("core0.nbu0.count_q", 8 * PS, "0010");
  is("core0.nbu0.count_q", 9 * PS, "0100");
  is("core0.nbu0.clk_i", 10 * PS, "0");
  is("core0.nbu1.count_q", 9 * PS, "1111");
  is("core0.nbu1.clk_i", 29 * PS, "0");
  is("core0.nbu1.clk_i", 30 * PS, "1");
  forget();
}

// A source that begins again gives its header and all its values, in a window too.
static void test_again(void **state) {
  (void)state;
  start(NULL);
  wave_source *s = source("core0", "nbu0", simple), *t = source("core0", "nbu1", simple);
  wave_begin(w, 0);
  at(s, edge(0)), say(s, "1!\nb0001 \"\n");
  at(t, edge(0)), say(t, "1!\nb0001 \"\n");
  at(t, edge(5)), say(t, "b0010 \"\n");
  at(s, edge(6)), say(s, "b0111 \"\n");
  wave_step(w, 6);
  say(s, "%s", simple);
  at(s, edge(6)), say(s, "0!\nb0011 \"\n");
  say(t, "%s", simple);
  at(t, high(6)), say(t, "1!\nb0010 \"\n");
  at(t, high(7)), say(t, "b0011 \"\n");
  wave_end(w, 9);
  finish();
  is("core0.nbu0.count_q", 6 * PS - 1, "0001");
  is("core0.nbu0.count_q", 6 * PS, "0011");
  is("core0.nbu0.clk_i", 6 * PS, "0");
  is("core0.nbu1.count_q", 7 * PS - 1, "0010");
  has("core0.nbu1.count_q", 3);
  forget();
}

// ---- scopes

static const char deep[] =
    "$scope module top $end\n$scope module nbu $end\n$var wire 1 ! a $end\n"
    "$scope module i_opc $end\n$var wire 1 \" valid_i $end\n"
    "$scope module g_bank[0] $end\n$scope module i_arb $end\n$var wire 2 # gnt_q [1:0] $end\n"
    "$upscope $end\n$upscope $end\n$upscope $end\n"
    "$scope module i_lsux $end\n$var wire 1 $ valid_i $end\n$upscope $end\n"
    "$upscope $end\n$upscope $end\n$enddefinitions $end\n";
static const char *const paths[] = {"a", "opc.valid_i", "opc.g_bank[0].arb.gnt_q", "lsux.valid_i"};

// Of cores 0, 1 and 10, each with nbu0, nbu1 and base: what is kept, as core:block:path.
static void check_scopes(const char *scopes, const char *missed, const char *const *kept) {
  static const char *const groups[] = {"core0", "core1", "core10"};
  static const char *const blocks[] = {"nbu0", "nbu1", "base"};
  start(scopes);
  for (int g = 0; g < 3; g++)
    for (int b = 0; b < 3; b++)
      source(groups[g], blocks[b], deep);
  wave_begin(w, 0);
  wave_end(w, 1);
  const wave_summary sum = finish();
  assert_string_equal(sum.missed, missed);
  size_t want = 0;
  for (; kept[want]; want++)
    find(kept[want]);
  for (int g = 0; g < 3; g++)
    for (int p = 0; p < 4; p++, want++) {
      char path[100];
      snprintf(path, sizeof path, "%s.base.%s", groups[g], paths[p]);
      find(path);
    }
  assert_int_equal(fst_signals(f), want);
  forget();
}

static void test_scopes(void **state) {
  (void)state;
  check_scopes("core0.nbu1", "",
               (const char *[]){"core0.nbu1.a", "core0.nbu1.opc.valid_i", "core0.nbu1.lsux.valid_i",
                                "core0.nbu1.opc.g_bank[0].arb.gnt_q", NULL});
  check_scopes("core*.nbu0.lsux", "",
               (const char *[]){"core0.nbu0.lsux.valid_i", "core1.nbu0.lsux.valid_i",
                                "core10.nbu0.lsux.valid_i", NULL});
  // * stays in a scope, ? is one sign
  check_scopes(
      "core?.nbu?.opc.*.arb,core10.nbu0.a", "",
      (const char *[]){"core0.nbu0.opc.g_bank[0].arb.gnt_q", "core0.nbu1.opc.g_bank[0].arb.gnt_q",
                       "core1.nbu0.opc.g_bank[0].arb.gnt_q", "core1.nbu1.opc.g_bank[0].arb.gnt_q",
                       "core10.nbu0.a", NULL});
  check_scopes("core1.*.*.valid_i,core1.nbu1.opc,core1.nbu1.opc.valid_i", "",
               (const char *[]){"core1.nbu0.opc.valid_i", "core1.nbu0.lsux.valid_i",
                                "core1.nbu1.opc.valid_i", "core1.nbu1.lsux.valid_i",
                                "core1.nbu1.opc.g_bank[0].arb.gnt_q", NULL});
  check_scopes("core2", "core2", (const char *[]){NULL});
  check_scopes("core0.nbu0.a,core1.nbu0.obc,core3", "core1.nbu0.obc",
               (const char *[]){"core0.nbu0.a", NULL});
  check_scopes("core", "core", (const char *[]){NULL});
  check_scopes("core0.nbu", "core0.nbu", (const char *[]){NULL});
  check_scopes("nbu0", "nbu0", (const char *[]){NULL});
}

static void test_wants(void **state) {
  (void)state;
  start("core0.nbu1.opc,core1?.smem,*.rtt3");
  assert_true(wave_wants(w, "core0", NULL));
  assert_true(wave_wants(w, "core0", "nbu1"));
  assert_false(wave_wants(w, "core0", "nbu0"));
  assert_true(wave_wants(w, "core0", "base"));
  assert_true(wave_wants(w, "core15", "smem"));
  assert_false(wave_wants(w, "core1", "smem"));
  assert_true(wave_wants(w, "core1", NULL));  // its rtt3
  assert_true(wave_wants(w, "core1", "rtt3"));
  assert_false(wave_wants(w, "core15", "rtt1"));
  wave_close(w);
  start("core0");
  assert_false(wave_wants(w, "core1", NULL));
  assert_false(wave_wants(w, "core00", NULL));
  wave_close(w);
  w = NULL;
}

// ---- files

static void test_empty(void **state) {
  (void)state;
  // no source, no window; headers alone; windows without cycles
  start(NULL);
  wave_summary sum = wave_close(w);
  assert_int_equal(sum.windows, 0);
  assert_string_equal(sum.missed, "");
  start("core0");
  source("core0", "nbu0", simple);
  sum = finish();
  assert_int_equal(sum.windows, 0);
  assert_int_equal(sum.signals, 2);
  has("core0.nbu0.clk_i", 0);
  forget();
  start("core0");
  wave_source *s = source("core0", "nbu0", simple);
  for (int n = 0; n < 2; n++) {
    wave_begin(w, 77);
    at(s, edge(77)), say(s, "1!\nb0001 \"\n");
    wave_end(w, 77);
  }
  sum = finish();
  assert_int_equal(sum.windows, 0);
  assert_int_equal(fst_signals(f), 2);
  has("core0.nbu0.count_q", 0);
  forget();
  // nothing happens
  start(NULL);
  source("core0", "nbu0", simple);
  wave_begin(w, 5);
  wave_end(w, 8);
  sum = finish();
  assert_int_equal(sum.windows, 1);
  assert_int_equal(sum.last, 7);
  has("core0.nbu0.clk_i", 0);
  forget();
}

static void refuses(const char *file, const char *text) {
  char why[WHY] = "";
  assert_null(wave_new(file, NULL, why, sizeof why));
  if (!strstr(why, text))
    fail_msg("%s: %s", file, why);
}

static void test_files(void **state) {
  (void)state;
  refuses("/no/such/folder/x.fst", "cannot write '/no/such/folder/x.fst': No such file");
  refuses("/tmp", "cannot write waves to '/tmp': it is not a regular file");
  refuses("/dev/full", "it is not a regular file");
}

// Runs into a limit of the size of files, after `cycles` that fit: the rest is lost.
static wave_summary run_full(rlim_t bytes, uint64_t cycles) {
  enum { BITS = 1024 };
  struct rlimit before, limit;
  static char digits[BITS + 1];
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = bytes;
  unlink(name);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  start(NULL);
  wave_source *s = source("core0", "nbu0",
                          "$scope module s $end\n$var wire 1024 ! x $end\n$upscope $end\n"
                          "$enddefinitions $end\n");
  wave_begin(w, 0);
  uint64_t random = 1;
  for (uint64_t n = 0; n < cycles; n++) {
    for (int k = 0; k < BITS; k++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      digits[k] = '0' + (random >> 40 & 1);
    }
    at(s, edge(n)), say(s, "b%s !\n", digits);
    if (n % 16 == 0)
      wave_step(w, n);
  }
  wave_end(w, cycles);
  const wave_summary sum = wave_close(w);
  w = NULL;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  return sum;
}

static void test_full(void **state) {
  (void)state;
  for (rlim_t bytes = 0; bytes < 5 << 20; bytes = 2 * bytes + 700) {
    const wave_summary sum = run_full(bytes, 20);
    assert_true(sum.full);
    assert_int_equal(sum.windows, 0);
    assert_non_null(strstr(sum.lost, "ulimit -f"));
  }
  const uint64_t cycles = 300000;
  const wave_summary sum = run_full(30 << 20, cycles);
  assert_true(sum.full);
  assert_int_equal(sum.windows, 1);
  assert_true(sum.last > 1000 && sum.last < cycles - 1);
  assert_true(sum.bytes < 30 << 20);
  // not under its name
  char part[sizeof name + 8];
  snprintf(part, sizeof part, "%s.part", name);
  assert_int_not_equal(access(name, F_OK), 0);
  f = fst_read(part);
  unlink(part);
  assert_non_null(f);
  assert_int_equal(fst_last(f), (sum.last + 1) * PS);
  has("core0.nbu0.x", sum.last + 1);
  assert_false(fst_is_dark(f, sum.last * PS));
  assert_true(fst_is_dark(f, (sum.last + 1) * PS));
  forget();
}

// ---- events

static void test_event_forms(void **state) {
  (void)state;
  wave_event e;
  assert_true(wave_event_parse("difference", &e));
  assert_int_equal(e.kind, WAVE_EVENT_WRONG);
  assert_true(wave_event_parse("cycle:0", &e));
  assert_int_equal(e.kind, WAVE_EVENT_CYCLE);
  assert_int_equal(e.cycle, 0);
  assert_true(wave_event_parse("cycle:18446744073709551615", &e));
  assert_true(e.cycle == UINT64_MAX);
  assert_true(wave_event_parse("pc:0x150", &e));
  assert_int_equal(e.kind, WAVE_EVENT_PC);
  assert_int_equal(e.pc, 0x150);
  assert_true(wave_event_parse("pc:336", &e));
  assert_int_equal(e.pc, 336);
  assert_true(wave_event_parse("line:12", &e));
  assert_int_equal(e.kind, WAVE_EVENT_LINE);
  assert_int_equal(e.line, 12);
  assert_string_equal(e.file, "");
  assert_true(wave_event_parse("line:a:b.cu:7", &e));
  assert_int_equal(e.line, 7);
  assert_string_equal(e.file, "a:b.cu");
  static const char *const commands[] = {"ACT", "PRE", "SASEL", "RD", "WR", "REF"};
  for (uint32_t n = 0; n < 6; n++) {
    char text[30];
    snprintf(text, sizeof text, "bank:%s", commands[n]);
    assert_true(wave_event_parse(text, &e));
    assert_int_equal(e.kind, WAVE_EVENT_BANK);
    assert_int_equal(e.cmd, n + 1);
    assert_int_equal(e.nbu, -1);
    assert_int_equal(e.bank, -1);
  }
  assert_true(wave_event_parse("bank:ref,2", &e));
  assert_int_equal(e.cmd, DRAM_REF);
  assert_int_equal(e.nbu, 2);
  assert_true(wave_event_parse("bank:Act,0,3", &e));
  assert_int_equal(e.nbu, 0);
  assert_int_equal(e.bank, 3);
  assert_true(wave_event_parse("barrier", &e));
  assert_int_equal(e.kind, WAVE_EVENT_BARRIER);
  assert_int_equal(e.block, -1);
  assert_int_equal(e.warp, -1);
  assert_true(wave_event_parse("barrier:4294967295", &e));
  assert_true(e.block == UINT32_MAX);
  assert_true(wave_event_parse("barrier:5.31", &e));
  assert_int_equal(e.block, 5);
  assert_int_equal(e.warp, 31);
  static const char *const bad[] = {"",
                                    "differences",
                                    "diff",
                                    "cycle",
                                    "cycle:",
                                    "cycle:-1",
                                    "cycle: 1",
                                    "cycle:+1",
                                    "cycle:1x",
                                    "cycle:0x10",
                                    "cycle:18446744073709551616",
                                    "pc:",
                                    "pc:x",
                                    "pc:0x",
                                    "pc:0x100000000",
                                    "pc:0xg",
                                    "pc:-16",
                                    "line:",
                                    "line:a",
                                    "line:a.cu",
                                    "line:a.cu:",
                                    "line:a.cu:x",
                                    "line:4294967296",
                                    "bank",
                                    "bank:",
                                    "bank:XYZ",
                                    "bank:AC",
                                    "bank:ACTS",
                                    "bank:ACT,",
                                    "bank:ACT,4",
                                    "bank:ACT,1,4",
                                    "bank:ACT,1,",
                                    "bank:ACT,1,2,3",
                                    "bank:ACT,,1",
                                    "bank: ACT",
                                    "barriers",
                                    "barrier.",
                                    "barrier:",
                                    "barrier:x",
                                    "barrier:1.",
                                    "barrier:1.32",
                                    "barrier:1.2.3",
                                    "barrier:-1",
                                    "barrier:4294967296",
                                    "never"};
  for (size_t n = 0; n < sizeof bad / sizeof *bad; n++)
    if (wave_event_parse(bad[n], &e))
      fail_msg("'%s' is taken", bad[n]);
  char file[200];
  snprintf(file, sizeof file, "line:%0127d.cu:3", 1);  // its name is too long
  assert_false(wave_event_parse(file, &e));
}

// ---- views

static void shows(const char *scopes, const char *view, uint32_t core, uint32_t nbu) {
  const wave_view v = wave_view_of_scopes(scopes);
  assert_string_equal(v.view, view);
  assert_int_equal(v.core, core);
  assert_int_equal(v.nbu, nbu);
  assert_true(v.seek);
}

static void test_views(void **state) {
  (void)state;
  shows(NULL, "story", 0, 0);
  shows("core5", "story", 5, 0);
  shows("core5.nbu2", "story", 5, 2);
  shows("core12.nbu3.opc", "opc", 12, 3);
  shows("core12.nbu3.nothing", "story", 12, 3);
  shows("core1.rtt2", "rtt", 1, 2);
  shows("core1.smem", "smem", 1, 0);
  shows("core1.smem,core2", "story", 1, 0);
  shows("core*.nbu1", "story", 0, 0);
  assert_true(wave_view_is("bankctl"));
  assert_false(wave_view_is("../waves/bankctl"));
  assert_false(wave_view_is(""));
  char file[100];
  wave_view_file("a/b.fst", NULL, file, sizeof file);
  assert_string_equal(file, "a/b.gtkw");
  wave_view_file("a/b.fst", "opc", file, sizeof file);
  assert_string_equal(file, "a/b.opc.gtkw");
  wave_view_file("wave", NULL, file, sizeof file);
  assert_string_equal(file, "wave.gtkw");
}

// What is written is read, for any core and NBU.
static void test_view_file(void **state) {
  static const wave_view views[] = {
      {"story", 0, 0, 0, UINT64_MAX, true, false, false, 0, false},
      {"bankctl", 127, 3, 4133, 4153, false, false, true, 0, false},
      {"platform", 0, 0, 0, UINT64_MAX, false, false, false, 51200, true},
      {"rtt", 5, 2, 1ull << 40, UINT64_MAX, false, true, false, 0, false}};
  (void)state;
  for (int n = 0; n < 4; n++) {
    char why[WHY] = "", line[9000], core[20];
    wave_view got;
    const wave_view *v = &views[n];
    assert_true(wave_view_write(v, "x.fst", name, why, sizeof why));
    assert_true(wave_view_read(name, &got));
    assert_string_equal(got.view, v->view);
    assert_int_equal(got.core, v->core);
    assert_int_equal(got.nbu, v->nbu);
    assert_int_equal(got.cycle, v->cycle);
    assert_true(got.marker == v->marker);
    assert_int_equal(got.seek, v->seek);
    assert_int_equal(got.near, v->near);
    assert_int_equal(got.cycles, v->cycles);
    assert_int_equal(got.range, v->range);
    snprintf(core, sizeof core, "core%u.", v->core);
    FILE *in = fopen(name, "r");
    assert_non_null(in);
    for (; fgets(line, sizeof line, in);)
      for (const char *at = line; *line == '+' && (at = strstr(at, "core")); at++)
        assert_memory_equal(at, core, strlen(core));
    fclose(in);
  }
  wave_view got;
  assert_false(wave_view_read("/no/such/file", &got));
  char why[WHY] = "";
  assert_false(wave_view_write(&views[0], "x.fst", "/no/such/file", why, sizeof why));
  assert_non_null(strstr(why, "cannot write '/no/such/file'"));
  assert_false(wave_view_write(&(wave_view){.view = "none"}, "x.fst", name, why, sizeof why));
  assert_non_null(strstr(why, "unknown view 'none'"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_times),       cmocka_unit_test(test_end),
      cmocka_unit_test(test_before),      cmocka_unit_test(test_twice),
      cmocka_unit_test(test_wide),        cmocka_unit_test(test_aliases),
      cmocka_unit_test(test_merge),       cmocka_unit_test(test_gap),
      cmocka_unit_test(test_again),       cmocka_unit_test(test_scopes),
      cmocka_unit_test(test_wants),       cmocka_unit_test(test_empty),
      cmocka_unit_test(test_files),       cmocka_unit_test(test_full),
      cmocka_unit_test(test_event_forms), cmocka_unit_test(test_views),
      cmocka_unit_test(test_view_file),
  };
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
