// SPDX-License-Identifier: Apache-2.0
// The PTX parser, its messages, the printer and the inliner.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/mpucc/ptx.h"

#define HEAD ".version 6.3\n.target sm_70\n.address_size 64\n"

// A copy, as gcc takes what a memory stream gives for a pointer to the variable.
static char *own(char *text) {
  char *copy = strdup(text);
  assert_non_null(copy);
  free(text);
  return copy;
}

static char *print(const ptx_module *m) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);
  assert_non_null(f);
  ptx_print(m, f);
  fclose(f);
  return own(text);
}

static char *messages(const diag *d) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);
  assert_non_null(f);
  diag_print(d, f);
  fclose(f);
  return own(text);
}

static ptx_module *parse(const char *text) {
  diag *d = diag_new("t.ptx", text, strlen(text));
  ptx_module *m = ptx_parse(text, strlen(text), "t.ptx", d);
  if (!m)
    fail_msg("%s\n%s", messages(d), text);
  diag_free(d);
  return m;
}

// Printing what was printed gives the same text.
static void check_fixpoint(const ptx_module *m) {
  char *first = print(m);
  ptx_module *again = parse(first);
  char *second = print(again);
  assert_string_equal(first, second);
  ptx_free(again);
  free(first);
  free(second);
}

static void must_inline(ptx_module *m) {
  diag *d = diag_new("t.ptx", "", 0);
  if (!ptx_inline(m, d))
    fail_msg("%s", diag_first(d));
  diag_free(d);
}

static ptx_function *function_of(const ptx_module *m, const char *name) {
  for (uint32_t n = 0; n < m->function_count; n++)
    if (strcmp(m->functions[n]->name, name) == 0)
      return m->functions[n];
  fail_msg("no function %s", name);
  return NULL;
}

static ptx_var *var_of(const ptx_module *m, const char *name) {
  for (uint32_t n = 0; n < m->var_count; n++)
    if (strcmp(m->vars[n]->name, name) == 0)
      return m->vars[n];
  fail_msg("no variable %s", name);
  return NULL;
}

static char *read_file(const char *name) {
  char path[400];
  snprintf(path, sizeof path, "%.*s/ptx/%s", (int)(strrchr(__FILE__, '/') - __FILE__), __FILE__,
           name);
  FILE *f = fopen(path, "rb");
  if (!f)
    fail_msg("cannot read %s", path);
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  assert_in_range(fread(text, 1, 1 << 20, f), 1, (1 << 20) - 1);
  fclose(f);
  return text;
}

static void test_files(void **state) {
  static const char *const files[] = {"forms.ptx", "sample_clang_O0.ptx", "sample_clang_O2.ptx",
                                      "sample_nvcc.ptx"};
  (void)state;
  for (unsigned n = 0; n < sizeof files / sizeof *files; n++) {
    char *text = read_file(files[n]);
    ptx_module *m = parse(text);
    check_fixpoint(m);
    must_inline(m);
    check_fixpoint(m);
    for (uint32_t k = 0; k < m->function_count; k++)
      for (uint32_t s = 0; m->functions[k]->is_entry && s < m->functions[k]->stmt_count; s++)
        if (!m->functions[k]->stmts[s].is_label)
          assert_string_not_equal(m->functions[k]->stmts[s].op, "call");
    ptx_free(m);
    free(text);
  }
}

static void test_file_names(void **state) {
  (void)state;
  ptx_module *m = parse(HEAD ".file 3 \"/a \\\"b\\\"/c\\\\d\\e.cu\", 17, 4\n");
  assert_int_equal(m->file_count, 1);
  assert_int_equal(m->files[0].number, 3);
  assert_string_equal(m->files[0].name, "/a \"b\"/c\\d\\e.cu");
  check_fixpoint(m);
  ptx_free(m);
}

// ---- one form a line: what is written, and what it prints as

static const char body_head[] = HEAD
    ".global .u32 g[4];\n.shared .f32 sh[8];\n.const .b8 c[9];\n"
    ".entry k(.param .u64 kp, .param .align 8 .b8 ks[16]) {\n"
    ".reg .pred p, q; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %d<3>;\n"
    ".local .align 8 .b8 depot[16];\n";

typedef struct form {
  const char *in, *out;  // out NULL: as it is
} form;

static const form forms[] = {
    {"mov.u32 %r1, %tid.x;", NULL},
    {"mov.u32 %r1, %nctaid.z;", NULL},
    {"mov.u32 %r1, %lanemask_lt;", NULL},
    {"mov.u32 %r1, %envreg31;", NULL},
    {"mov.u64 %rd1, %pm3_64;", NULL},
    {"mov.u32 %r1, WARP_SZ;", "mov.u32 %r1, 32;"},
    {"mov.b32 %r1, 0x7f;", "mov.b32 %r1, 127;"},
    {"mov.b32 %r1, 0X7FU;", "mov.b32 %r1, 127;"},
    {"mov.b32 %r1, 0b101;", "mov.b32 %r1, 5;"},
    {"mov.b32 %r1, 017;", "mov.b32 %r1, 15;"},
    {"mov.b32 %r1, -5;", NULL},
    {"mov.b32 %r1, +5;", "mov.b32 %r1, 5;"},
    {"mov.b64 %rd1, -9223372036854775808;", NULL},
    {"mov.b64 %rd1, 0xFFFFFFFFFFFFFFFF;", "mov.b64 %rd1, -1;"},
    {"mov.f32 %f1, 0f3F800000;", NULL},
    {"mov.f32 %f1, 0F3f800000;", "mov.f32 %f1, 0f3F800000;"},
    {"mov.f32 %f1, -0f3F800000;", "mov.f32 %f1, 0fBF800000;"},
    {"mov.f64 %d1, 0d400921FB54442D18;", NULL},
    {"mov.f64 %d1, 1.5;", NULL},
    {"mov.f64 %d1, -1.5e-3;", "mov.f64 %d1, -0.0015;"},
    {"mov.f64 %d1, 2.;", "mov.f64 %d1, 2.0;"},
    {"mov.f64 %d1, 1e+30;", NULL},
    {"@p bra L;", NULL},
    {"@!p bra.uni L;", NULL},
    {"@!\n p // note\n bra /* or\n so */ L;", "@!p bra L;"},
    {"ld.global.u32 %r1, [%rd1];", NULL},
    {"ld.global.u32 %r1, [%rd1+4];", NULL},
    {"ld.global.u32 %r1, [%rd1+-4];", NULL},
    {"ld.global.u32 %r1, [%rd1-4];", "ld.global.u32 %r1, [%rd1+-4];"},
    {"ld.global.u32 %r1, [g];", NULL},
    {"ld.global.u32 %r1, [g+12];", NULL},
    {"ld.local.u32 %r1, [16];", NULL},
    {"ld.local.u32 %r1, [depot+8];", NULL},
    {"ld.param.u64 %rd1, [kp];", NULL},
    {"ld.param.u32 %r1, [ks+4];", NULL},
    {"ld.const.u8 %r1, [c+8];", NULL},
    {"st.shared.f32 [sh+4], %f1;", NULL},
    {"mov.u64 %rd1, g;", NULL},
    {"mov.u64 %rd1, g+8;", NULL},
    {"ld.global.v2.u32 {%r1, %r2}, [%rd1];", NULL},
    {"ld.global.v4.u32 {%r1,_,%r3,_}, [%rd1];", "ld.global.v4.u32 {%r1, _, %r3, _}, [%rd1];"},
    {"mov.b64 {%r1, %r2}, %rd1;", NULL},
    {"mov.b64 %rd1, {%r1, 0};", NULL},
    {"setp.eq.s32 p|q, %r1, 0;", NULL},
    {"setp.eq.s32 p|_, %r1, 0;", "setp.eq.s32 p, %r1, 0;"},
    {"setp.lt.and.s32 p, %r1, %r2, !q;", NULL},
    {"shfl.sync.idx.b32 %r1|p, %r2, 0, 31, -1;", NULL},
    {"atom.global.add.u32 _, [%rd1], 1;", NULL},
    {"atom.shared::cta.add.u32 %r1, [%rd1], 1;", NULL},
    {"ret;", NULL},
    {"bar.sync 0;", NULL},
    {"call outside, ();", NULL},
    {"call.uni (%r1), outside, (%r2, 5);", NULL},
    {"call outside;", NULL},
    {".pragma \"nounroll\"; ret;", "ret;"},
    {"{ .reg .b32 %r1; mov.b32 %r1, 7; }", "mov.b32 %r1_1, 7;"},
    {".reg .b32 %r1_1; { .reg .b32 %r1; mov.b32 %r1, %r1_1; }", "mov.b32 %r1_2, %r1_1;"},
    {"{ .reg .pred p; @p bra L; L: }", "@p_1 bra L;\nL:"},
};

static void test_forms(void **state) {
  (void)state;
  for (unsigned n = 0; n < sizeof forms / sizeof *forms; n++) {
    char text[1200], want[300];
    // The registers of the head come to be in the order p q %r1 %r2 %rd1.
    snprintf(text, sizeof text, "%smov.b32 %%r1, %%r2; mov.b64 %%rd1, %%rd2;\n%s\nL: ret; }\n",
             body_head, forms[n].in);
    ptx_module *m = parse(text);
    char *printed = print(m);
    const char *out = forms[n].out ? forms[n].out : forms[n].in;
    const char *behind = "\tmov.b64 %rd1, %rd2;\n\t";
    const char *from = strstr(printed, behind);
    assert_non_null(from);
    snprintf(want, sizeof want, "%.*s", (int)strlen(out), from + strlen(behind));
    assert_string_equal(want, out);
    check_fixpoint(m);
    ptx_free(m);
    free(printed);
  }
}

// ---- the tree itself

static void test_tree(void **state) {
  (void)state;
  const char *text = HEAD
      ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n"
      ".visible .entry k(.param .u32 n)\n.maxntid 64, 2\n.reqntid 32\n.minnctapersm 3\n"
      ".maxnreg 40\n{\n"
      "  .reg .pred %p<2>;\n  .reg .b32 %r<2000000000>;\n"
      "  .loc 1 7 3\n"
      "  ld.param.u32 %r5, [n];\n"
      "  .loc 2 9 1, function_name info, inlined_at 1 8 2\n"
      "  .loc 1 0 0\n"
      "  @!%p1 add.sat.s32 %r1999999999, %r5, 0x10;\n"
      "}\n";
  ptx_module *m = parse(text);
  ptx_function *k = function_of(m, "k");
  assert_int_equal(m->version_major * 100 + m->version_minor, 603);
  assert_string_equal(m->target, "sm_70");
  assert_int_equal(m->file_count, 2);
  assert_string_equal(m->files[1].name, "b.h");
  assert_true(k->is_entry && k->has_body && k->param_count == 1);
  assert_string_equal(k->linkage, ".visible");
  assert_int_equal(k->maxntid[0] * 10000 + k->maxntid[1] * 100 + k->maxntid[2], 640201);
  assert_int_equal(k->reqntid[0] * 10000 + k->reqntid[1] * 100 + k->reqntid[2], 320101);
  assert_int_equal(k->minnctapersm, 3);
  assert_int_equal(k->maxnreg, 40);
  assert_int_equal(k->reg_count, 3);  // only those that are used
  assert_int_equal(k->stmt_count, 2);
  const ptx_stmt *s = &k->stmts[1];
  assert_string_equal(s->op, "add");
  assert_int_equal(s->mod_count, 2);
  assert_string_equal(s->mods[0], "sat");
  assert_true(ptx_has_mod(s, "s32") && !ptx_has_mod(s, "u32"));
  assert_true(s->guarded && s->guard_neg);
  assert_string_equal(k->regs[s->guard].name, "%p1");
  assert_int_equal(k->regs[s->guard].type, PTX_PRED);
  assert_int_equal(s->line, 18);
  assert_int_equal(s->col, 9);
  assert_int_equal(s->operands[0].col, 21);
  assert_int_equal(s->operands[1].col, 35);
  assert_int_equal(s->operands[2].col, 40);
  assert_int_equal(s->operands[2].kind, PTX_INT);
  assert_int_equal(s->operands[2].value, 16);
  assert_int_equal(k->regs[s->operands[1].reg].type, PTX_B32);
  assert_int_equal(s->operands[1].reg, k->stmts[0].operands[0].reg);
  assert_ptr_equal(k->stmts[0].operands[1].var, k->params[0]);
  assert_int_equal(s->cuda_file, 2);
  assert_int_equal(s->cuda_line, 9);
  assert_int_equal(k->stmts[0].cuda_line, 7);
  ptx_free(m);
}

static void test_variables(void **state) {
  (void)state;
  char *text = read_file("forms.ptx");
  strcat(text, "\n.global .s32 rows[3][2] = {7, {1, 2}, {3}};\n");
  strcat(text, ".visible .global .texref tex;\n.global .surfref surf;\n");
  ptx_module *m = parse(text);
  const ptx_var *v = var_of(m, "counter");
  assert_memory_equal(v->init, "\xf9\xff\xff\xff", 4);
  assert_string_equal(v->linkage, ".visible");
  v = var_of(m, "many");
  assert_int_equal(v->bytes, 48);
  double many[6] = {1, 2, -300, -0.0, 0, 0};  // a short row is filled up
  assert_memory_equal(v->init, many, sizeof many);
  v = var_of(m, "pairs");
  int32_t pairs[6] = {-1, 0, 0, 0, 1, 2};
  assert_int_equal(v->bytes, sizeof pairs);
  assert_memory_equal(v->init, pairs, sizeof pairs);
  int32_t rows[6] = {7, 0, 1, 2, 3, 0};
  assert_memory_equal(var_of(m, "rows")->init, rows, sizeof rows);
  assert_int_equal(var_of(m, "bytes")->bytes, 5);
  v = var_of(m, "addresses");
  const ptx_init *r = v->relocs;
  assert_true(r->offset == 0 && !r->generic && r->addend == 0);
  r = r->next;
  assert_true(r->offset == 8 && r->generic);
  r = r->next;
  assert_true(r->offset == 16 && r->addend == 4 && r->var == var_of(m, "counter"));
  r = r->next;
  assert_true(r->offset == 24 && r->addend == 8 && r->var == var_of(m, "many"));
  r = r->next;
  assert_true(r->offset == 40 && r->addend == 1 && r->next == NULL);
  v = var_of(m, "packed");
  assert_true(v->relocs->offset == 8 && !v->relocs->next);
  assert_int_equal(v->init[16], 9);
  v = var_of(m, "four");
  assert_true(v->bytes == 16 && v->align == 16);
  v = var_of(m, "dynamic");
  assert_true(v->bytes == 0 && v->is_extern && v->align == 16 && v->space == PTX_SHARED);
  assert_int_equal(var_of(m, "tile")->bytes, 8 * 17 * 4);
  v = var_of(m, "tex");  // room for a descriptor
  assert_true(v->bytes == 128 && v->align == 16 && v->space == PTX_GLOBAL && !v->init);
  assert_int_equal(var_of(m, "surf")->bytes, 128);
  v = var_of(m, "declared");
  assert_true(!v->is_extern && v->init[0] == 5);
  ptx_free(m);
  free(text);
}

// ---- inlining

// The statements of kernel k after inlining, as text.
static char *inlined(const char *functions, const char *kernel) {
  static char text[20000];
  snprintf(text, sizeof text, HEAD "%s.entry k(.param .u64 kp) {\n%s}\n", functions, kernel);
  ptx_module *m = parse(text);
  must_inline(m);
  check_fixpoint(m);
  char *printed = print(m), *from = strstr(printed, ".entry k");
  assert_non_null(from);
  char *made = strdup(strchr(from, '{') + 2);
  ptx_free(m);
  free(printed);
  return made;
}

static void test_inline(void **state) {
  (void)state;
  char *made = inlined(
      ".func (.param .b32 r) f(.param .align 8 .b8 s[16], .param .b32 n) {\n"
      "  .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred p; .local .b32 own;\n"
      "  mov.b64 %rd1, s;\n  ld.param.u32 %r1, [%rd1+4];\n  ld.param.u32 %r2, [n];\n"
      "  st.local.b32 [own], %r2;\n  setp.eq.s32 p, %r1, 0;\n  st.param.b32 [r+0], %r2;\n"
      "  @p ret;\nL: st.param.b32 [r+0], %r1;\n  ret;\n}\n",
      "  .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred p;\n  ld.param.u64 %rd1, [kp];\n"
      "  { .param .align 8 .b8 a[16]; .param .b32 b; .param .b32 v;\n"
      "    st.param.b64 [a+0], %rd1; st.param.b32 [b+0], 3;\n"
      "    call.uni (v), f, (a, b);\n    ld.param.b32 %r1, [v+0]; }\n"
      "  { .param .align 8 .b8 a[16]; .param .b32 b; .param .b32 v;\n"
      "    setp.ne.s32 p, %r1, 0;\n    @p call (v), f, (a, b); }\n");
  assert_string_equal(made,
                      "\t.reg .pred p;\n\t.reg .b64 %rd1;\n\t.reg .b32 %r1;\n"
                      "\t.reg .pred p_1;\n\t.reg .b64 %rd1_1;\n\t.reg .b32 %r1_1, %r2;\n"
                      "\t.reg .pred p_2;\n\t.reg .b64 %rd1_2;\n\t.reg .b32 %r1_2, %r2_1;\n"
                      "\t.local .align 8 .b8 a[16];\n\t.local .align 4 .b32 b;\n"
                      "\t.local .align 4 .b32 v;\n\t.local .align 8 .b8 a_1[16];\n"
                      "\t.local .align 4 .b32 b_1;\n\t.local .align 4 .b32 v_1;\n"
                      "\t.local .align 4 .b32 own;\n"
                      "\tld.param.u64 %rd1, [kp];\n"
                      "\tst.local.b64 [a], %rd1;\n"
                      "\tst.local.b32 [b], 3;\n"
                      "\tmov.b64 %rd1_1, a;\n"
                      "\tld.local.u32 %r1_1, [%rd1_1+4];\n"
                      "\tld.local.u32 %r2, [b];\n"
                      "\tst.local.b32 [own], %r2;\n"
                      "\tsetp.eq.s32 p_1, %r1_1, 0;\n"
                      "\tst.local.b32 [v], %r2;\n"
                      "\t@p_1 bra $L__return;\n"
                      "L:\n"
                      "\tst.local.b32 [v], %r1_1;\n"
                      "\tbra $L__return;\n"
                      "$L__return:\n"
                      "\tld.local.b32 %r1, [v];\n"
                      "\tsetp.ne.s32 p, %r1, 0;\n"
                      "\t@!p bra $L__return_1;\n"
                      "\tmov.b64 %rd1_2, a_1;\n"
                      "\tld.local.u32 %r1_2, [%rd1_2+4];\n"
                      "\tld.local.u32 %r2_1, [b_1];\n"
                      "\tst.local.b32 [own], %r2_1;\n"
                      "\tsetp.eq.s32 p_2, %r1_2, 0;\n"
                      "\tst.local.b32 [v_1], %r2_1;\n"
                      "\t@p_2 bra $L__return_1;\n"
                      "L_1:\n"
                      "\tst.local.b32 [v_1], %r1_2;\n"
                      "\tbra $L__return_1;\n"
                      "$L__return_1:\n"
                      "}\n");
  free(made);
}

static unsigned count_of(const char *text, const char *what) {
  unsigned count = 0;
  for (; (text = strstr(text, what)); text++)
    count++;
  return count;
}

// Functions in functions, tables of branches, shared variables of functions.
static void test_inline_nested(void **state) {
  (void)state;
  char *made = inlined(
      ".func g();\n"
      ".func f() { call g, (); call g, (); ret; }\n"
      ".func g() {\n  .reg .b32 %r<2>; .shared .b32 once;\n  t: .branchtargets A, B;\n"
      "  st.shared.b32 [once], %r1;\n  brx.idx %r1, t;\nA: ret;\nB: ret; }\n",
      "  call f, ();\n  call f, ();\n  call g, ();\n");
  assert_int_equal(count_of(made, "brx.idx"), 5);
  assert_int_equal(count_of(made, ".branchtargets"), 5);
  assert_int_equal(count_of(made, ".shared .align 4 .b32 once;"), 1);
  assert_int_equal(count_of(made, "st.shared.b32 [once]"), 5);
  free(made);
}

// Functions that call themselves stand once; the calls of others inside of them are inlined.
static void test_stand(void **state) {
  (void)state;
  char *made = inlined(
      ".func g();\n"
      ".func leaf() { .reg .b32 %r<2>; mov.u32 %r1, 77; ret; }\n"
      ".func f() { call g, (); call leaf, (); ret; }\n"
      ".func g() {\n  .reg .pred p; .reg .b32 %r<3>;\n  @p ret;\n  call f, ();\n"
      "  mov.u32 %r2, %r1;\n  ret; }\n",
      "  call f, ();\n  call f, ();\n  call g, ();\n");
  assert_int_equal(count_of(made, ", 77;"), 1);
  assert_int_equal(count_of(made, "\tbra.call f_1, "), 2);
  assert_int_equal(count_of(made, "\tbra.call g_1, "), 1);
  assert_int_equal(count_of(made, "\tbra f_1;"), 1);
  assert_int_equal(count_of(made, "\tbra g_1;"), 1);
  assert_int_equal(count_of(made, "\tbra.ret "), 3);
  assert_int_equal(count_of(made, "mov.u32 %sp, %stack_base;"), 1);
  // %r1 is needed after the call of f in g, and nothing else anywhere
  assert_int_equal(count_of(made, "st.local.b32 [%sp+"), 1);
  assert_int_equal(count_of(made, "ld.local.b32 %r1"), 1);
  free(made);
}

// What is stored at a call: registers that are read behind it before they are written.
static void test_kept(void **state) {
  static const struct {
    const char *body;
    unsigned stored;
  } cases[] = {
      {"call g, (); mov.u32 %r1, 3; add.u32 %r2, %r1, %r1; ret;", 0},
      {"call g, (); @p mov.u32 %r1, 3; mov.u32 %r2, %r1; ret;", 2},  // %r1 and p
      {"call g, (); mov.b64 %rd1, {%r1, %r2}; mov.b64 {%r1, %r2}, %rd1; ret;", 2},
      {"call g, (); ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r3; ret;", 3},
      {"call g, (); bar.sync %r1; bar.red.popc.u32 %r2, 0, p; ret;", 2},
      {"L: call g, (); add.u32 %r1, %r2, 1; setp.eq.u32 p, %r1, 0; @p bra L; ret;", 1},
      {"L: call g, (); @q bra M; mov.u32 %r1, %r3; bra L; M: mov.u32 %r2, %r1; ret;", 3},
      {"t: .branchtargets L, M; call g, (); brx.idx %r1, t; L: ret; M: mov.u32 %r1, %r2; ret;", 2},
      {"call g, (); setp.eq.u32 p|q, %r1, 0; selp.b32 %r2, 1, 2, p; @q mov.u32 %r3, 1; ret;", 1},
  };
  (void)state;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    char text[1000];
    snprintf(text, sizeof text,
             ".func g() {\n  .reg .pred p, q; .reg .b32 %%r<4>; .reg .b64 %%rd<4>;\n  %s }\n",
             cases[n].body);
    char *made = inlined(text, "  call g, ();\n");
    const unsigned stored =
        count_of(made, "st.local.b32 [%sp+") + count_of(made, "st.local.b64 [%sp+");
    if (stored != cases[n].stored)
      fail_msg("%s: %u registers are stored, not %u\n%s", cases[n].body, stored, cases[n].stored,
               made);
    free(made);
  }
}

// A pointer is compared with the functions of its type whose address is taken.
static void test_pointer(void **state) {
  (void)state;
  char *made = inlined(
      ".func a(.param .b32 x) { .reg .b32 %r<2>; mov.u32 %r1, 71; ret; }\n"
      ".func b(.param .b32 x) { .reg .b32 %r<2>; mov.u32 %r1, 72; ret; }\n"
      ".func wide(.param .b64 x) { .reg .b32 %r<2>; mov.u32 %r1, 73; ret; }\n"
      ".func untaken(.param .b32 x) { .reg .b32 %r<2>; mov.u32 %r1, 74; ret; }\n"
      ".global .u64 table[3] = {a, wide, generic(a)};\n",
      "  .reg .b64 %rd<3>;\n  mov.u64 %rd1, b;\n  { .param .b32 v;\n"
      "  P: .callprototype _ (.param .b32 _);\n  call %rd1, (v), P; }\n");
  assert_int_equal(count_of(made, ", 71;"), 1);
  assert_int_equal(count_of(made, ", 72;"), 1);
  assert_int_equal(count_of(made, ", 73;"), 0);
  assert_int_equal(count_of(made, ", 74;"), 0);
  assert_int_equal(count_of(made, "trap.pointer;"), 3);  // not of this module, not a, not b
  assert_int_equal(count_of(made, "call"), 1);           // the prototype
  free(made);
}

// Large functions stand when many calls may mean them.
static void test_stand_large(void **state) {
  (void)state;
  enum { FUNCTIONS = 5, CALLS = 40, BODY = 30 };
  static char text[10000], calls[4000];
  size_t n = 0, k = 0;
  for (int f = 0; f < FUNCTIONS; f++) {
    n += (size_t)snprintf(text + n, sizeof text - n, ".func f%d() { .reg .b32 %%r<2>;\n", f);
    for (int s = 0; s < BODY; s++)
      n += (size_t)snprintf(text + n, sizeof text - n, "  add.s32 %%r1, %%r1, %d;\n", 1000 + f);
    n += (size_t)snprintf(text + n, sizeof text - n, "}\n.global .u64 t%d = f%d;\n", f, f);
  }
  k += (size_t)snprintf(calls, sizeof calls, "  .reg .b64 %%rd<2>;\nP: .callprototype _ ();\n");
  for (int c = 0; c < CALLS; c++)
    k += (size_t)snprintf(calls + k, sizeof calls - k, "  call %%rd1, (), P;\n");
  char *made = inlined(text, calls);
  assert_int_equal(count_of(made, ", 1000;"), BODY);
  assert_int_equal(count_of(made, "\tbra.call f3_1, "), CALLS);
  free(made);
}

typedef struct bad {
  const char *text, *message;  // the first message, with its place
} bad;

static const char body[] = HEAD ".entry k() {\n.reg .pred p; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n";
enum { BODY_LINES = 5 };

static const bad bad_calls[] = {
    {".func f();\n.entry k() {\n  call f, ();\n}\n",
     "6:3: error: the opcode `call` is not supported here: undefined function f: define it "
     "here, or link the file that does (nvcc -rdc=true)"},
    {".entry k() {\n.reg .b32 %r<2>;\n {.param .b32 v;\n  call.uni (v), vprintf, (v);\n} }\n",
     "7:3: error: the opcode `call` is not supported here: undefined function vprintf: define "
     "it here, or link the file that does (nvcc -rdc=true)"},
    {".entry k() {\n.reg .b32 %r<2>;\nP: .callprototype _ ();\n  call %r1, (), P;\n}\n",
     "7:3: error: the opcode `call` is not supported here: a pointer of another size than 64 "
     "bits: use .u64"},
    {".entry k() {\n.reg .b64 %rd<2>;\nP: .callprototype _ (.param .b64 _);\n"
     "  call %rd1, (%rd1), P;\n}\n",
     "7:3: error: the opcode `call` is not supported here: an argument that is not a .param "
     "variable: store it in one"},
    {".func f();\n.entry k() {\n.reg .b64 %rd<2>;\n  mov.u64 %rd1, f;\n}\n",
     "7:17: error: the address of f: the function is undefined"},
    {".entry k() {\n.reg .b64 %rd<2>;\n  mov.u64 %rd1, k;\n}\n",
     "6:17: error: the address of k: kernels have no address in device code"},
    {".func f() { ret; }\n.global .b8 x[1] = {0xFF(f)};\n.entry k() {\n}\n",
     "5:13: error: only a part of the address of f stands in x"},
    {".func f(.param .b32 a) { ret; }\n.entry k() {\n call f, ();\n}\n",
     "6:2: error: the opcode `call` is not supported here: wrong number of arguments for f: "
     "pass as many as it declares"},
    {".func f(.param .b64 a) { ret; }\n.entry k() { .param .b32 v;\n call f, (v);\n}\n",
     "6:2: error: the opcode `call` is not supported here: an argument that is not a .param "
     "variable of the right size for f"},
};

static void check_message(const diag *d, const char *want) {
  char *all = messages(d), full[300];
  snprintf(full, sizeof full, "t.ptx:%s", want);
  size_t length = strcspn(all, "\n");
  if (strlen(full) != length || strncmp(all, full, length) != 0)
    fail_msg("want: %s\ngot:  %s", full, all);
  free(all);
}

static void test_bad_calls(void **state) {
  (void)state;
  for (unsigned n = 0; n < sizeof bad_calls / sizeof *bad_calls; n++) {
    char text[1000];
    snprintf(text, sizeof text, HEAD "%s", bad_calls[n].text);
    diag *d = diag_new("t.ptx", text, strlen(text));
    ptx_module *m = ptx_parse(text, strlen(text), "t.ptx", d);
    assert_int_equal(diag_errors(d), 0);
    assert_false(ptx_inline(m, d));
    check_message(d, bad_calls[n].message);
    ptx_free(m);
    diag_free(d);
  }
}

// ---- errors. Statements stand on line 6, behind `body`.

static const bad bad_statements[] = {
    {"mov.b32 %r1, %r9;", "6:14: error: '%r9' is not declared"},
    {"mov.b32 %r1, %r01;", "6:14: error: '%r01' is not declared"},
    {"mov.b32 %r1, x;\n.reg .b32 x;", "6:14: error: 'x' is not declared"},
    {"mov.b32 %r1, %tidx;", "6:14: error: '%tidx' is not declared"},
    {"mov.b32 %r1, %tid;", "6:18: error: expected .x, .y, .z or .w, not ';'"},
    {"mov.b32 %r1, nothing;", "6:14: error: 'nothing' is not declared"},
    {"mov.b32 %r1 %r2;", "6:13: error: expected ',' or ';', not '%r2'"},
    {"mov.b32 %r1, ;", "6:14: error: expected an operand, not ';'"},
    {"mov.b32 , %r1;", "6:9: error: expected an operand, not ','"},
    {"mov.b32 %r1, 0x10000000000000000;", "6:14: error: the number needs more than 64 bits"},
    {"mov.b32 %r1, -9223372036854775809;", "6:14: error: the number needs more than 64 bits"},
    {"mov.b32 %r1, 09;", "6:14: error: expected an operand, not '0'"},
    {"mov.b32 %r1, 1e999;", "6:14: error: expected a number in the range of double, not '1e999'"},
    {"mov.b32 %r1, 0f3F80;", "6:15: error: expected ',' or ';', not 'f3F80'"},
    {"mov.b32 %r1, #;", "6:14: error: expected an operand, not '#'"},
    {"@%r1 mov.b32 %r1, 0;", "6:2: error: expected a predicate register, not '%r1'"},
    {"@p; ret;", "6:3: error: expected an instruction, not ';'"},
    {"%r1, 5;", "6:1: error: expected an instruction, not '%r1'"},
    {"bra away;", "6:5: error: 'away' is not declared"},
    {"{ In: }\nbra In;", "7:5: error: 'In' is not declared"},
    {"A: ret;\nA: ret;", "7:1: error: 'A' is already declared here"},
    {".reg .b32 %r3;", "6:11: error: '%r3' is already declared here"},
    {".reg .b32 %x, %x;", "6:15: error: '%x' is already declared here"},
    {".reg .b64 %r<3>;", "6:11: error: '%r' is already declared here"},
    {".reg .b32 %x7; .reg .b32 %x<8>;", "6:26: error: '%x7' is already declared here"},
    {".reg .b33 %x;", "6:6: error: expected a type, not '.b33'"},
    {".reg .v4 .b32 %x;",
     "6:6: error: vector registers are not supported: expected a scalar type, not '.v4'"},
    {".reg .b32 %x<4294967296>;",
     "6:14: error: expected a number from 0 to 4294967295, not '4294967296'"},
    {".reg .b32 %x<;", "6:14: error: expected a whole number, not ';'"},
    {".local .b32 x; .local .b32 x;", "6:28: error: 'x' is already declared here"},
    {".local .align 3 .b8 x[4];",
     "6:15: error: the alignment must be a power of two up to 4096, not '3'"},
    {".local .b8 x[9999999999999];", "6:14: error: the array is too large"},
    {".local .b8 x[1048576][1048576][1048576];", "6:23: error: the array is too large"},
    {".local .b8 x[4][];",
     "6:17: error: expected a size: only the first one may be missing, not ']'"},
    {"ld.global.u32 %r1, [p+4;", "6:24: error: expected ']', not ';'"},
    {"ld.global.u32 %r1, [missing];", "6:21: error: 'missing' is not a register or variable"},
    {"ld.global.v2.u32 {%r1, %r2, [%rd1];", "6:35: error: expected '}', not ';'"},
    {"setp.eq.s32 p|%r1, %r2, 0;", "6:15: error: expected a second predicate of the destination"},
    {"mov.b32 %r1, !5;", "6:15: error: expected a predicate, not '5'"},
    {"a.b.c.d.e.f.g.h.i.j.k.l.m.n;", "6:26: error: too many modifiers, not '.n'"},
    {"x 1, 2, 3, 4, 5, 6, 7, 8, 9;", "6:27: error: too many operands, not '9'"},
    {"t: .branchtargets nowhere;", "6:19: error: 'nowhere' is not declared"},
    {"t: .branchtargets %r1;", "6:19: error: expected a label"},
    {".loc 1 2;", "6:9: error: expected a whole number, not ';'"},
    {".loc 1 2 3, here 4", "6:13: error: expected function_name or inlined_at, not 'here'"},
    {"/* no end", "6:1: error: expected an instruction, not '/*'"},
    {"ret", "7:1: error: expected ';', not '}'"},
};

static const bad bad_modules[] = {
    {"", "1:1: error: not a PTX file: .version is missing"},
    {"MZ\x01", "1:1: error: expected a declaration, not 'MZ'"},
    {".version x\n", "1:10: error: expected a version such as 6.3, not 'x'"},
    {HEAD ".address_size 32\n",
     "4:15: error: only 64-bit addresses are supported: expected 64, not '32'"},
    {HEAD ".entry k(.reg .b32 x) {}\n",
     "4:10: error: register parameters are not supported: expected .param, not '.reg'"},
    {HEAD ".entry k(.param .b32 x, .param .b32 x) {}\n",
     "4:37: error: 'x' is already declared here"},
    {HEAD ".entry k() {}\n.entry k() {}\n", "5:8: error: 'k' is already declared"},
    {HEAD ".entry k() { ret;\n", "5:1: error: expected '}' before the end of the file"},
    {HEAD ".entry k()\n", "5:1: error: expected '{' or ';' before the end of the file"},
    {HEAD ".entry k() .maxntid 0 {}\n", "4:21: error: expected a number above 0, not '0'"},
    {HEAD ".global .u32 x;\n.global .u32 x;\n", "5:14: error: 'x' is already declared here"},
    {HEAD ".global .u8 x = 256;\n", "4:17: error: the number does not fit .u8"},
    {HEAD ".global .u8 x[2] = {1, 2, 3};\n",
     "4:27: error: more initial values than elements: expected '}', not '3'"},
    {HEAD ".global .u8 x[2] = {{1}};\n", "4:21: error: expected a value, not '{'"},
    {HEAD ".global .u32 x = y;\n",
     "4:18: error: expected a number or a variable or function that was declared, not 'y'"},
    {HEAD ".global .u32 y;\n.global .u32 x = y;\n",
     "5:18: error: an address needs an element of 64 bits"},
    {HEAD ".func f() {}\n.global .u32 x = f;\n",
     "5:18: error: an address needs an element of 64 bits"},
    {HEAD ".global .b8 x[8] = {0xFF(x), 0xFF0000(x)};\n",
     "4:30: error: expected the bytes of an address one after the other"},
    {HEAD ".global .b8 x[99999999] = {1};\n", "4:13: error: the initialised variable is too large"},
    {HEAD ".global .samplerref t;\n", "4:9: error: expected a type, not '.samplerref'"},
    {HEAD ".shared .texref t;\n", "4:9: error: expected a type, not '.texref'"},
    {HEAD ".global .texref t = 1;\n", "4:19: error: expected ';', not '='"},
    {HEAD ".section .debug_str { 1 2", "4:26: error: expected '}' before the end of the file"},
};

static void check_bad(const char *text, const char *message) {
  diag *d = diag_new("t.ptx", text, strlen(text));
  ptx_module *m = ptx_parse(text, strlen(text), "t.ptx", d);
  if (m)
    fail_msg("accepted: %s", text);
  check_message(d, message);
  diag_free(d);
}

static void test_errors(void **state) {
  (void)state;
  for (unsigned n = 0; n < sizeof bad_statements / sizeof *bad_statements; n++) {
    char text[1000];
    snprintf(text, sizeof text, "%s%s\n}\n", body, bad_statements[n].text);
    check_bad(text, bad_statements[n].message);
  }
  for (unsigned n = 0; n < sizeof bad_modules / sizeof *bad_modules; n++)
    check_bad(bad_modules[n].text, bad_modules[n].message);
}

// One error a statement, in one run; what follows is understood again.
static void test_recovery(void **state) {
  (void)state;
  const char *text = HEAD
      ".global .u32 a b;\n"
      ".entry k() {\n  .reg .b32 %r<2>;\n  mov.v2 {%r1, %x}, 5;\n  mov.b32 %r1, 5 5;\n"
      "  mov.b32 %r1, 4;\n}\n"
      ".entry l(.param .bad x) {\n  .reg .b32 %r<2>;\n  mov.b32 %r1, 0;\n}\n"
      ".entry m() {\n  bra x;\n}\n";
  diag *d = diag_new("t.ptx", text, strlen(text));
  assert_null(ptx_parse(text, strlen(text), "t.ptx", d));
  assert_int_equal(diag_errors(d), 5);
  char *all = messages(d);
  assert_string_equal(all,
                      "t.ptx:4:16: error: expected ';', not 'b'\n"
                      "  .global .u32 a b;\n"
                      "                 ^\n"
                      "t.ptx:7:16: error: '%x' is not declared\n"
                      "    mov.v2 {%r1, %x}, 5;\n"
                      "                 ^\n"
                      "t.ptx:8:18: error: expected ',' or ';', not '5'\n"
                      "    mov.b32 %r1, 5 5;\n"
                      "                   ^\n"
                      "t.ptx:11:17: error: expected a type, not '.bad'\n"
                      "  .entry l(.param .bad x) {\n"
                      "                  ^\n"
                      "t.ptx:16:7: error: 'x' is not declared\n"
                      "    bra x;\n"
                      "        ^\n");
  free(all);
  diag_free(d);
}

static void test_messages(void **state) {
  (void)state;
  char text[600];
  memset(text, 'x', sizeof text);
  memcpy(text, "\ta\x1b\n", 4);
  text[300] = 'Y';
  diag *d = diag_new("a.ptx", text, sizeof text);
  assert_false(diag_error(d, 1, 2, "one %d \x1b[31m", 1));
  diag_error(d, 2, 297, "long line");
  diag_error(d, 0, 0, "about the file");
  diag_error(d, 9, 9, "behind the end");
  char *all = messages(d);
  assert_ptr_equal(strstr(all, "a.ptx:1:2: error: one 1 ?[31m\n   a?\n   ^\na.ptx:2:297: "), all);
  const char *line = strstr(all, "long line\n") + 10, *caret = strchr(line, '^');
  assert_in_range(strcspn(line, "\n"), 20, 170);
  assert_int_equal(strcspn(line, "Y"), (size_t)(caret - strchr(line, '\n')) - 1);
  assert_non_null(strstr(all, "\na.ptx: error: about the file\na.ptx:9:9: error: behind"));
  free(all);
  for (int n = 0; n < 100; n++)
    diag_error(d, 1, 1, "again");
  all = messages(d);
  assert_non_null(strstr(all, "a.ptx: 84 more errors\n"));
  assert_int_equal(diag_errors(d), 104);
  free(all);
  diag_free(d);
}

// ---- size

// `repeat` copies of `part` between `before` and `behind`. Returns the first message.
static const char *big(const char *before, const char *part, size_t repeat, const char *behind,
                       bool inlines, char *message, size_t message_bytes) {
  size_t length = strlen(before) + repeat * strlen(part) + strlen(behind);
  char *text = malloc(length + 1), *at = text;
  assert_non_null(text);
  at = stpcpy(at, before);
  for (size_t n = 0; n < repeat; n++)
    at = stpcpy(at, part);
  stpcpy(at, behind);
  diag *d = diag_new("t.ptx", text, length);
  ptx_module *m = ptx_parse(text, length, "t.ptx", d);
  if (m && inlines)
    ptx_inline(m, d);
  ptx_free(m);
  snprintf(message, message_bytes, "%s", diag_first(d));
  diag_free(d);
  free(text);
  return message;
}

static void test_limits(void **state) {
  (void)state;
  char why[300];
  const char *nothing = "";
  assert_string_equal(big(body, "{", 100000, "", false, why, sizeof why),
                      "scopes are nested too deeply, not '{'");
  assert_string_equal(big(body, "{}", 200000, "}", false, why, sizeof why), nothing);
  assert_string_equal(big(body, "x (", 1, "", false, why, sizeof why),
                      "expected an operand before the end of the file");
  char nest[400] = "x ";
  for (int n = 0; n < 300; n++)
    strcat(nest, "(");
  assert_string_equal(big(body, nest, 1, ";}", false, why, sizeof why),
                      "nested too deeply, not '('");
  assert_string_equal(big(body, "/* ", 200000, "", false, why, sizeof why),
                      "expected an instruction, not '/*'");
  assert_string_equal(big(body, "-", 200000, "", false, why, sizeof why),
                      "expected an instruction, not '-'");
  assert_string_equal(big(HEAD ".entry k() { f (1", ",1", 200000, "); }", false, why, sizeof why),
                      "too many operands, not '1'");
  assert_string_equal(big(HEAD ".entry k() { ", "a;", 600000, "}", false, why, sizeof why),
                      "the program is too large");
  // Doubled by every function: 2^30 statements.
  char chain[4000] = HEAD ".func f0() { ret; }\n";
  for (int n = 1; n <= 30; n++)
    sprintf(chain + strlen(chain), ".func f%d() { call f%d, (); call f%d, (); }\n", n, n - 1,
            n - 1);
  strcat(chain, ".entry k() { call f30, (); }\n");
  assert_string_equal(big(chain, "", 0, "", true, why, sizeof why),
                      "the opcode `call` is not supported here: inlining makes the kernel too "
                      "large: split it, or call fewer functions in it");
}

// Any part of a text, not followed by a NUL: messages or a module, nothing worse.
static void test_truncated(void **state) {
  (void)state;
  char *text = read_file("forms.ptx");
  size_t length = strlen(text);
  for (size_t n = 0; n <= length; n++) {
    char *part = malloc(n ? n : 1);
    assert_non_null(part);
    memcpy(part, text, n);
    diag *d = diag_new("t.ptx", part, n);
    ptx_module *m = ptx_parse(part, n, "t.ptx", d);
    assert_int_equal(m == NULL, diag_errors(d) != 0);
    ptx_free(m);
    diag_free(d);
    free(part);
  }
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_files),         cmocka_unit_test(test_forms),
      cmocka_unit_test(test_file_names),    cmocka_unit_test(test_tree),
      cmocka_unit_test(test_variables),     cmocka_unit_test(test_inline),
      cmocka_unit_test(test_inline_nested), cmocka_unit_test(test_stand),
      cmocka_unit_test(test_kept),          cmocka_unit_test(test_pointer),
      cmocka_unit_test(test_stand_large),   cmocka_unit_test(test_bad_calls),
      cmocka_unit_test(test_errors),        cmocka_unit_test(test_recovery),
      cmocka_unit_test(test_messages),      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_truncated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
