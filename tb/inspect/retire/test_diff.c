// SPDX-License-Identifier: Apache-2.0
// mpu retire --diff, on traces made for it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/inspect/retire/retire_file.h"

static char folder[] = "/tmp/retire-XXXXXX";
static char out[1 << 14];
static int status;

// A trace from words: `functional` first, if it is; `k NAME OPCODE,...` a kernel, `l` a launch of
// the last one with 4 blocks of 64 threads, `g` one of 5 blocks, and its instructions
// BLOCK.WARP.INDEX@ISSUE-END[:PC][/LANES][N], all in one piece; `end` of it, `fault` when it was
// ended; `cut`: the file ends. By itself the pc is the index, and lanes are all.
static void make(const char *name, const char *text) {
  char path[100], word[100];
  retire_writer w;
  retire_piece p = {.bytes = NULL};
  uint32_t kernels = 0, launches = 0;
  bool cut = false;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  const bool functional = strncmp(text, "functional", 10) == 0;
  text += functional ? 10 : 0;
  assert_true(retire_create(&w, path, functional ? 0 : 2));
  for (int n; sscanf(text, "%99s%n", word, &n) == 1; text += n) {
    retire_entry e = {.lanes = ~0u};
    if (strcmp(word, "k") == 0) {
      char kernel[50], code[100], *save = NULL;
      retire_inst insts[10];
      int more;
      uint32_t count = 0;
      assert_int_equal(sscanf(text + n, "%49s %99s%n", kernel, code, &more), 2);
      n += more;
      for (char *i = strtok_r(code, ",", &save); i; i = strtok_r(NULL, ",", &save))
        insts[count++] = (retire_inst){i, "x.cu", 1, 1};
      for (uint32_t k = 0; k < count; k++) {  // `=` is a space
        for (char *at = strchr(insts[k].text, '='); at; at = strchr(at, '='))
          *at = ' ';
      }
      assert_true(retire_put_kernel(&w, &(retire_kernel){kernel, insts, count}));
      kernels++;
    } else if (strcmp(word, "l") == 0 || strcmp(word, "g") == 0) {
      assert_true(retire_put_launch(&w, &(retire_launch){.number = ++launches,
                                                         .kernel = kernels - 1,
                                                         .grid = {*word == 'l' ? 4 : 5, 1, 1},
                                                         .block = {64, 1, 1}}));
      retire_piece_begin(&p, 0);
    } else if (strcmp(word, "cut") == 0) {
      assert_true(retire_put_piece(&w, 0, &p));
      cut = true;
    } else if (strcmp(word, "end") == 0 || strcmp(word, "fault") == 0) {
      assert_true(retire_put_piece(&w, 0, &p) && retire_put_end(&w, 100, *word == 'e'));
    } else {
      unsigned warp;
      assert_int_equal(
          sscanf(word, "%u.%u.%u@%lu-%lu", &e.block, &warp, &e.index, &e.issue, &e.end), 5);
      const char *pc = strchr(word, ':'), *lanes = strchr(word, '/');
      e.warp = (uint8_t)warp, e.place = (uint8_t)(4 * e.block + warp);
      e.pc = 16 * (pc ? (uint32_t)atoi(pc + 1) : e.index);
      e.lanes = lanes ? (uint32_t)strtoul(lanes + 1, NULL, 16) : ~0u;
      e.near = strchr(word, 'N');
      retire_piece_add(&p, &e);
    }
  }
  assert_true(cut || retire_finish(&w));
  retire_writer_free(&w);
  if (cut) {
    char part[sizeof path + 8];
    snprintf(part, sizeof part, "%s.part", path);
    assert_int_equal(rename(part, path), 0);
  }
  retire_piece_free(&p);
}

static void run(const char *options) {
  char command[1000];
  const char *tool = getenv("MPU");
  snprintf(command, sizeof command, "cd %s && %s retire --diff %s a b 2>&1", folder,
           tool ? tool : NEARBANK_BUILD "/mpu-tool", options);
  FILE *f = popen(command, "r");
  assert_non_null(f);
  out[fread(out, 1, sizeof out - 1, f)] = 0;
  status = pclose(f);
  assert_true(WIFEXITED(status));
  status = WEXITSTATUS(status);
}

// Exit status, and what is said; a text that begins with ! is not.
static void expect(const char *a, const char *b, const char *options, int want, const char *first,
                   const char *second) {
  const char *const texts[] = {first, second};
  make("a", a);
  make("b", b);
  run(options);
  for (unsigned n = 0; n < 2; n++)
    if (texts[n] && !strstr(out, texts[n] + (*texts[n] == '!')) != (*texts[n] == '!'))
      fail_msg("'%s' and '%s': '%s' in\n%s", a, b, texts[n], out);
  if (status != want)
    fail_msg("'%s' and '%s': status %d, not %d\n%s", a, b, status, want, out);
}

#define K "k f add,mov=1,exit l "

static void alike(void **unused) {
  (void)unused;
  expect(K "0.0.0@1-5 0.0.1@2-6 0.1.0@1-9 end", K "0.0.0@1-5 0.0.1@2-6 0.1.0@1-9 end", "--timing",
         0, "the same in the same cycles: 3 instructions of 2 warps in 1 launch\n", NULL);
  // another order of ends, of warps, of cycles
  expect(K "0.0.0@1-5 0.0.1@2-6 0.1.0@1-9 end", K "0.1.0@3-3 0.0.1@8-10 0.0.0@7-11 end", "", 0,
         "the same: 3 instructions of 2 warps in 1 launch\n", NULL);
  expect("functional " K "0.0.0@0-0 end", K "0.0.0@8-10 end", "", 0, "the same: 1 ", NULL);
  expect(K "0.0.0@0-0 end l 3.0.0@1-2 end", K "0.0.0@0-0 end l 3.0.0@7-8 end", "", 0,
         "2 instructions of 2 warps in 2 launches\n", NULL);
  expect("", "", "", 0, "the same: 0 ", NULL);
}

static void different(void **unused) {
  (void)unused;
  const char *a = K "0.0.0@1-5 0.0.1@2-6 end";
  expect(a, K "0.0.0@1-5 0.0.1@2-6:2 end", "", 1,
         "block 0, warp 0 differs in its instruction 2: pc\n",
         "launch 1: f, grid (4,1,1), block (64,1,1), from cycle 0\n");
  expect(a, K "0.0.0@1-5 0.0.1@2-6/7 end", "", 1, "instruction 2: lanes\n", NULL);
  expect(a, K "0.0.0@1-5N 0.0.1@2-6 end", "", 1, "instruction 1: near or far\n", NULL);
  expect(a, K "0.0.0@1-5 0.0.1@2-6:2/1N end", "", 1, "instruction 2: pc, lanes, near or far\n",
         NULL);
  expect(a, K "0.0.0@1-5 0.0.1@3-6 end", "--timing", 1, "instruction 2: cycle of issue\n", NULL);
  expect(a, K "0.0.0@1-5 0.0.1@2-7 end", "--timing", 1, "instruction 2: cycle of end\n", NULL);
  expect(a, K "0.0.0@1-5 0.0.1@3-7 end", "", 0, "the same", NULL);
  // context of both
  expect(a, K "0.0.0@1-5 0.0.1@2-6:2 end", "", 1,
         "           1         5    0.0       0    0      0 ffffffff F  add ",
         "\n A         2         6    0.0       0    0     10 ffffffff F  mov 1 ");
  expect(a, K "0.0.0@1-5 0.0.1@2-6:2 end", "", 1,
         "\n B         2         6    0.0       0    0     20 ffffffff F  exit ",
         "A is a, B is b\n");
  // a warp goes on, or is there, in one of them only
  expect(a, K "0.0.0@1-5 end", "", 1,
         "block 0, warp 0 differs in its instruction 2: b has no more\n", "\n A         2 ");
  expect(K "0.0.0@1-5 end", a, "", 1, "instruction 2: a has no more\n", "\n B         2 ");
  expect(a, K "0.0.0@1-5 0.0.1@2-6 2.1.0@9-9 end", "", 1,
         "block 2, warp 1 differs in its instruction 1: a has no more\n", NULL);
  expect(K "2.1.0@9-9 end", K "end", "", 1, "block 2, warp 1 differs in its instruction 1: b has",
         NULL);
}

static void earliest(void **unused) {
  (void)unused;
  expect(K "0.0.0@7-8/1 1.1.0@6-9/1 3.0.0@8-9/1 end", K "0.0.0@1-8 1.1.0@6-9 3.0.0@8-9 end", "", 1,
         "block 1, warp 1 differs in its instruction 1: lanes\n", NULL);
  expect(K "0.0.0@6-8/1 1.1.0@6-9/1 end", K "0.0.0@6-8 1.1.0@6-9 end", "", 1, "block 0, warp 0",
         NULL);
  // the first difference of a warp counts, not the others
  expect(K "0.0.0@1-2 0.0.1@5-6/1 0.0.2@6-7/1 1.0.0@4-7/1 end",
         K "0.0.0@1-2 0.0.1@5-6 0.0.2@6-7 1.0.0@4-7 end", "", 1, "block 1, warp 0", NULL);
  // a warp that has ended: when it did
  expect(K "0.0.0@1-3 1.0.0@4-5/1 end", K "0.0.0@1-3 0.0.1@4-4 1.0.0@4-5 end", "", 1,
         "block 0, warp 0 differs in its instruction 2: a has no more", NULL);
  // of cycles: when the first of the two is issued, or ends
  expect(K "1.0.0@5-20 0.0.0@1-50 end", K "1.0.0@6-20 0.0.0@1-60 end", "--timing", 1,
         "block 1, warp 0 differs in its instruction 1: cycle of issue\n", NULL);
  expect(K "1.0.0@5-20 0.0.0@1-50 end", K "0.0.0@1-4 1.0.0@6-20 end", "--timing", 1,
         "block 0, warp 0 differs in its instruction 1: cycle of end\n", NULL);
  // launches one after the other
  expect(K "0.0.0@50-60/1 end l 0.0.0@1-2/1 end", K "0.0.0@50-60 end l 0.0.0@1-2 end", "", 1,
         "launch 1: f", "!launch 2");
  expect(K "0.0.0@50-60 end l 0.0.0@1-2/1 end", K "0.0.0@50-60 end l 0.0.0@1-2 end", "", 1,
         "launch 2: f", NULL);
}

static void launches(void **unused) {
  (void)unused;
  expect(K "0.0.0@1-2 end", K "0.0.0@1-2 end l end", "", 1, "b has a launch more\nb: launch 2: f",
         NULL);
  expect(K "0.0.0@1-2 end l end", K "0.0.0@1-2 end", "", 1, "a has a launch more\na: launch 2: f",
         NULL);
  expect(K "end", "k g add,mov,exit l end", "", 1,
         "the launches differ\na: launch 1: f, grid (4,1,1), block (64,1,1), from cycle 0\nb: "
         "launch 1: g",
         NULL);
  expect("k f add l end", "k f add g end", "", 1, "the launches differ\n",
         "b: launch 1: f, grid (5,1,1)");
  expect(K "end", "k f add,mov=2,exit l end", "", 0, "the same", NULL);
  expect(K "end", "k f add,movs=1,exit l end", "", 1, "launch 1: the code of f differs at pc 10\n",
         "a: mov 1\nb: movs 1\n");
  expect("k f add.N,@p1=bra.F=3 l end", "k f add.F,@p1=bra=4 l end", "", 0, "the same", NULL);
  expect("k f add,@p1=bra.F=3 l end", "k f add,@p1=exit=3 l end", "", 1,
         "the code of f differs at pc 10\n", "a: @p1 bra.F 3\nb: @p1 exit 3\n");
  expect("k f @p1=bra l end", "k f @!p1=bra l end", "", 1, "the code of f differs at pc 0\n", NULL);
  expect(K "end", "k f add,mov l end", "", 1, "the code of f differs at pc 20\n",
         "a: exit\nb: the end of the code\n");
}

// What was under way when a launch was ended, or the file cut, is missing.
static void partial(void **unused) {
  (void)unused;
  const char *whole = K "0.0.0@1-2 0.0.1@3-4 0.0.2@5-6 1.0.0@1-6 end";
  expect(K "0.0.0@1-2 0.0.2@5-6 fault", whole, "", 0,
         "the same: 1 instructions of 2 warps in 1 launch, as far as both go\n", NULL);
  expect(whole, K "0.0.0@1-2 0.0.2@5-6 fault", "", 0, "the same: 1 ", NULL);
  expect(K "0.0.0@1-2/1 0.0.2@5-6 fault", whole, "", 1, "instruction 1: lanes", NULL);
  expect(K "0.0.0@1-2 0.0.1@5-6 cut", whole, "", 1, "the same: 2 ",
         "mpu: 'a' has nothing after cycle 6 of launch 1: the run was killed, or the file was "
         "truncated\n");
  expect(whole, K "cut", "", 1, "the same: 0 ", "mpu: 'b' has nothing after cycle 0 of launch 1");
  expect(K "0.0.0@1-2 cut", K "cut", "", 1, "mpu: 'a' has nothing after cycle 2 ", "mpu: 'b' has ");
  expect(K "0.0.0@1-2 cut", K "0.0.0@1-2 end l end", "", 1, "the same: 1 ", "!launch more");
  expect(K "end cut", K "end l end", "", 1, "the same: 0 ", "!launch more");
  expect("cut", K "end l end", "", 1, "the same: 0 ", "mpu: 'a' ends before its first launch");
  // more than the whole one has is a difference
  expect(K "0.0.0@1-2 0.0.1@3-4 fault", K "0.0.0@1-2 end", "", 1, "instruction 2: b has no more",
         NULL);
}

static void wrong_use(void **unused) {
  (void)unused;
  expect("functional " K "end", K "end", "--timing", 2,
         "mpu: 'a' comes from the functional machine, which has no cycles", NULL);
  expect(K "end", "functional " K "end", "--timing", 2,
         "mpu: 'b' comes from the functional machine", NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alike),    cmocka_unit_test(different), cmocka_unit_test(earliest),
      cmocka_unit_test(launches), cmocka_unit_test(partial),   cmocka_unit_test(wrong_use),
  };
  if (!mkdtemp(folder))
    return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char path[100];
  for (const char *name = "ab"; *name; name++) {
    snprintf(path, sizeof path, "%s/%c", folder, *name);
    remove(path);
  }
  rmdir(folder);
  return failed;
}
