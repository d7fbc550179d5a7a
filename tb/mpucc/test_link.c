// SPDX-License-Identifier: Apache-2.0
// Device linking: which names are one thing, which stay apart, and what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/mpucc/ptx.h"
#include "kernels/mpucc/ptx_link.h"

#define HEAD ".version 6.3\n.target sm_70\n.address_size 64\n"

typedef struct result {
  bool ok;
  char *text, *messages;
} result;

// Of up to three units; NULL: no more.
static result join(const char *a, const char *b, const char *c) {
  const char *const texts[] = {a, b, c};
  static const char *const names[] = {"a.o", "b.o", "c.o"};
  ptx_unit units[3];
  size_t count = 0, bytes;
  char whole[3][4000];
  result r = {0};
  for (; count < 3 && texts[count]; count++) {
    snprintf(whole[count], sizeof whole[0], HEAD "%s", texts[count]);
    units[count] = (ptx_unit){names[count], whole[count], strlen(whole[count])};
  }
  FILE *to = open_memstream(&r.text, &bytes), *messages = open_memstream(&r.messages, &bytes);
  assert_non_null(to);
  assert_non_null(messages);
  r.ok = ptx_link(units, count, to, messages);
  fclose(to);
  fclose(messages);
  return r;
}

static void drop(result *r) {
  free(r->text);
  free(r->messages);
}

// The whole, which is PTX again; `has` is in it, `lacks` is not.
static void joins(const char *a, const char *b, const char *has, const char *lacks) {
  result r = join(a, b, NULL);
  if (!r.ok)
    fail_msg("%s", r.messages);
  diag *d = diag_new("whole", r.text, strlen(r.text));
  ptx_module *m = ptx_parse(r.text, strlen(r.text), "whole", d);
  if (!m)
    diag_print(d, stderr);
  assert_non_null(m);
  if (!strstr(r.text, has))
    fail_msg("no \"%s\" in\n%s", has, r.text);
  if (lacks && strstr(r.text, lacks))
    fail_msg("\"%s\" in\n%s", lacks, r.text);
  ptx_free(m);
  diag_free(d);
  drop(&r);
}

static void refuses(const char *a, const char *b, const char *message) {
  result r = join(a, b, NULL);
  assert_false(r.ok);
  if (strcmp(r.messages, message) != 0)
    fail_msg("expected\n%sgot\n%s", message, r.messages);
  drop(&r);
}

#define USE(what) ".entry k() {\n.reg .b64 %rd<2>;\nmov.u64 %rd1, " what ";\nret;\n}\n"
#define CALL(what) ".entry k() {\ncall " what ";\nret;\n}\n"

static void declarations(void **state) {
  (void)state;
  joins(".extern .global .align 4 .u32 x;\n" USE("x"), ".visible .global .align 4 .u32 x = 7;\n",
        ".visible .global .align 4 .u32 x = 7;", NULL);
  joins(".extern .global .align 4 .b8 x[];\n" USE("x"), ".visible .global .align 4 .b8 x[8];\n",
        ".visible .global .align 4 .b8 x[8];", NULL);
  joins(".extern .func f();\n" CALL("f"), ".visible .func f() { ret; }\n", "call f;",
        ".extern .func");
  // an address of what another file defines, on both sides
  joins(".extern .global .align 8 .u64 y;\n.visible .global .align 8 .u64 x = y;\n",
        ".extern .global .align 8 .u64 x;\n.visible .global .align 8 .u64 y = generic(x)+8;\n",
        "x = y;", NULL);
  // unused: not asked for
  joins(".extern .global .align 4 .u32 x;\n.extern .func f();\n", USE("1"), ".entry k", "x");
  // a kernel that the host of the file launches is declared as a function
  joins(".extern .func f(.param .u32 a);\n", ".visible .entry f() { ret; }\n", ".entry f", NULL);
  // the larger alignment counts
  joins(".extern .global .align 16 .b8 x[16];\n" USE("x"), ".visible .global .align 4 .b8 x[16];\n",
        ".visible .global .align 16 .b8 x[16];", NULL);
}

static void weak_ones(void **state) {
  (void)state;
  joins(".weak .global .align 4 .u32 x = 1;\n" USE("x"), ".weak .global .align 4 .u32 x = 2;\n",
        "x = 1;", "x = 2;");
  joins(".weak .global .align 4 .u32 x = 1;\n" USE("x"), ".visible .global .align 4 .u32 x = 2;\n",
        "x = 2;", "x = 1;");
  joins(".weak .func f() { bar.sync 1; ret; }\n" CALL("f"),
        ".weak .func f() { bar.sync 2; ret; }\n", "bar.sync 1;", "bar.sync 2;");
  joins(".weak .entry f() { ret; }\n", ".weak .entry f() { ret; }\n", ".weak .entry f", NULL);
}

static void own_names(void **state) {
  (void)state;
  joins(".global .align 4 .u32 x = 1;\n" USE("x"),
        ".global .align 4 .u32 x = 2;\n.entry l() {\n.reg .b64 %r;\nmov.u64 %r, x;\nret;\n}\n",
        "mov.u64 %r, x__2;", "x;");
  joins(".global .align 4 .u32 x = 1;\n" USE("x"), ".visible .global .align 4 .u32 x = 2;\n",
        "mov.u64 %rd1, x__1;", "x__2");
  joins(".global .align 4 .u32 x = 1;\n.global .align 4 .u32 x__1 = 3;\n" USE("x"),
        ".global .align 4 .u32 x = 2;\n", "mov.u64 %rd1, x__1_;", NULL);
  joins(".func f() { bar.sync 1; ret; }\n" CALL("f"),
        ".func f() { bar.sync 2; ret; }\n.entry l() { call f; ret; }\n", "call f__2;", NULL);
  // alone: as it is
  joins(".global .align 4 .u32 x = 1;\n" USE("x"), ".global .align 4 .u32 y;\n", "x = 1;", "__");
  // dynamic shared memory of two types
  joins(".extern .shared .align 4 .b8 s[];\n" USE("s"),
        ".extern .shared .align 8 .b8 s[];\n.entry l() {\n.reg .b64 %r;\nmov.u64 %r, s;\nret;\n}\n",
        ".extern .shared .align 8 .b8 s__2[];", NULL);
  // code that clang made before it saw the host name the variable
  joins(".extern .global .align 4 .u32 x;\n.visible .global .align 4 .u32 x__static__12 = 5;\n" USE(
            "x"),
        ".visible .global .align 4 .u32 x__static__13 = 6;\n", "mov.u64 %rd1, x__static__12;",
        "x;");
  joins(".global .align 8 .u64 __clang_gpu_used_external[1] = {f};\n", USE("1"), ".entry k",
        "clang");
}

// Constants of equal bytes are one, others are not.
static void constants(void **state) {
  (void)state;
  static const char k[] = ".const .align 4 .u32 x = 5;\n" USE("x"),
                    l[] = ".entry l() {\n.reg .b64 %r;\nmov.u64 %r, x;\nret;\n}\n";
  char b[400];
  snprintf(b, sizeof b, "%s%s", ".const .align 4 .u32 x = 5;\n", l);
  joins(k, b, "mov.u64 %r, x;", "x__");
  snprintf(b, sizeof b, "%s%s", ".const .align 4 .u32 x = 6;\n", l);
  joins(k, b, "mov.u64 %r, x__2;", "x;");
  snprintf(b, sizeof b, "%s%s", ".const .align 4 .b8 x[8] = {5};\n", l);
  joins(k, b, "mov.u64 %r, x__2;", "x;");
  snprintf(b, sizeof b, "%s%s", ".const .align 8 .u32 x = 5;\n", l);
  joins(k, b, "mov.u64 %r, x__2;", "x;");
  snprintf(b, sizeof b, "%s%s", ".global .align 4 .u32 x = 5;\n", l);
  joins(k, b, "mov.u64 %r, x__2;", "x;");
  snprintf(b, sizeof b, "%s%s", ".visible .const .align 4 .u32 x = 5;\n", l);
  joins(k, b, "mov.u64 %r, x;", "x__2");
  // the third file has the constant of the first
  snprintf(b, sizeof b, "%s%s", ".const .align 4 .u32 x = 5;\n", l);
  result r = join(k, ".const .align 4 .u32 x = 6;\n", b);
  assert_true(r.ok);
  assert_non_null(strstr(r.text, "mov.u64 %r, x__1;"));
  assert_null(strstr(r.text, "x__3"));
  drop(&r);
}

static void lines(void **state) {
  (void)state;
  joins(".file 1 \"a.cu\"\n.entry k() {\n.loc 1 5 0\nret;\n}\n",
        ".file 1 \"b.cu\"\n.file 3 \"a.cu\"\n.entry l() {\n.loc 1 6 0\nbar.sync 0;\n.loc 3 7 0\n"
        "ret;\n}\n",
        "\t.loc 2 6 0\n\tbar.sync 0;\n\t.loc 1 7 0\n", ".file 3");
}

static void mistakes(void **state) {
  (void)state;
  refuses(".extern .func f();\n" CALL("f"), ".extern .global .align 4 .u32 x;\n" USE("x"),
          "nvlink: error: undefined reference to 'f' in 'a.o'\n"
          "nvlink: error: multiple definition of 'k' in 'b.o', first defined in 'a.o'\n"
          "nvlink: error: undefined reference to 'x' in 'b.o'\n");
  refuses(".visible .func f() { ret; }\n", ".visible .func f() { ret; }\n",
          "nvlink: error: multiple definition of 'f' in 'b.o', first defined in 'a.o'\n");
  refuses(".visible .global .align 4 .u32 x;\n", ".visible .global .align 4 .u32 x;\n",
          "nvlink: error: multiple definition of 'x' in 'b.o', first defined in 'a.o'\n");
  refuses(".extern .global .align 8 .u64 x;\n", ".visible .global .align 4 .u32 x;\n",
          "nvlink: error: size of 'x' does not match: 4 bytes in 'b.o', 8 bytes in 'a.o'\n");
  refuses(".extern .global .align 4 .f32 x;\n", ".visible .global .align 4 .u32 x;\n",
          "nvlink: error: type of 'x' does not match: .u32 in 'b.o', .f32 in 'a.o'\n");
  refuses(".extern .const .align 4 .u32 x;\n", ".visible .global .align 4 .u32 x;\n",
          "nvlink: error: 'x' is in global memory in 'b.o', but in const memory in 'a.o'\n");
  refuses(".extern .func f(.param .b64 a);\n" CALL("f, (1)"),
          ".visible .func f(.param .b32 a) { ret; }\n",
          "nvlink: error: 'f' has other parameters or another result in 'b.o' than in 'a.o'\n");
  refuses(".extern .func f();\n" CALL("f"), ".visible .entry f() { ret; }\n",
          "nvlink: error: 'f' is a kernel in 'b.o', but not in 'a.o'\n");
  refuses(".extern .func f();\n" CALL("f"), ".visible .global .align 4 .u32 f;\n",
          "nvlink: error: 'f' is a variable in 'b.o', but a function in 'a.o'\n");
  refuses(
      ".global .texref t;\n", ".global .align 4 .u32 t;\n",
      "nvlink: error: 't' is a static texture or surface reference in 'a.o', and also a name in "
      "'b.o'; rename it\n");
  refuses("frob;\n", USE("1"),
          "a.o:4:1: error: expected a declaration, not 'frob'\n  frob;\n  ^\n");
}

static void nothing(void **state) {
  (void)state;
  result r = join(NULL, NULL, NULL);
  assert_true(r.ok);
  drop(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(declarations), cmocka_unit_test(weak_ones),
                                     cmocka_unit_test(own_names),    cmocka_unit_test(constants),
                                     cmocka_unit_test(lines),        cmocka_unit_test(mistakes),
                                     cmocka_unit_test(nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
