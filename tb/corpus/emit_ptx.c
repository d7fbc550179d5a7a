// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include "prog.h"

typedef struct out {
  FILE *f;
  const prog *p;
  unsigned loop;  // id of the innermost loop
} out;

static void value(out *o, prog_value v) {
  static const char *const prefix[] = {
      ['h'] = "h", ['r'] = "r", ['d'] = "rd", ['f'] = "f", ['g'] = "fd", ['p'] = "p"};
  if (!v.imm) {
    fprintf(o->f, "%%%s%u", prefix[(unsigned char)v.cls], v.var);
    return;
  }
  switch (v.cls) {
    case 'f':
      fprintf(o->f, "0f%08" PRIX32, (uint32_t)v.bits);
      break;
    case 'g':
      fprintf(o->f, "0d%016" PRIX64, v.bits);
      break;
    case 'h':
      fprintf(o->f, "%d", (int)(int16_t)v.bits);
      break;
    case 'r':
      if (v.bits % 3)
        fprintf(o->f, "%" PRId32, (int32_t)v.bits);
      else
        fprintf(o->f, "0x%" PRIx32, (uint32_t)v.bits);
      break;
    default:
      fprintf(o->f, "%" PRId64, (int64_t)v.bits);
  }
}

static void guard(out *o, const prog_stmt *s) {
  fprintf(o->f, "\t");
  if (s->guard >= 0)
    fprintf(o->f, "@%s%%p%d ", s->guard_neg ? "!" : "", s->guard);
}

static unsigned type_bytes(const char *type) {
  switch (type[1]) {
    case '8':
      return 1;
    case '1':
      return 2;
    case '3':
      return 4;
    default:
      return 8;
  }
}

// %ta0 = the address of an access; returns the constant to add to it.
static int address(out *o, const prog_stmt *s, prog_value index) {
  static const unsigned size[] = {PROG_IN, PROG_SCRATCH, PROG_LOCAL};
  unsigned half = size[s->place] / 2, unit = type_bytes(s->text) * s->lanes;
  fprintf(o->f, "\tand.b32 %%t0, ");
  value(o, index);
  fprintf(o->f, ", %u;\n\tcvt.u64.u32 %%ta1, %%t0;\n", (half - 1) & ~(unsigned)(unit - 1));
  const char *base = s->place == PROG_FROM_IN       ? s->generic ? "%gin" : "%in"
                     : s->place == PROG_FROM_REGION ? s->generic ? "%gregion" : "%region"
                     : s->generic                   ? "%glocal"
                                                    : "%local";
  fprintf(o->f, "\tadd.s64 %%ta0, %s, %%ta1;\n", base);
  int constant = (int)(s->amount * unit % half);
  if (s->neg) {
    fprintf(o->f, "\tadd.s64 %%ta0, %%ta0, %u;\n", half);
    constant -= (int)half;
  }
  return constant;
}

static const char *space_of(const prog_stmt *s) {
  return s->generic ? "" : s->place == PROG_FROM_LOCAL ? ".local" : ".global";
}

static void list(out *o, const prog_value *v, unsigned n) {
  fprintf(o->f, n > 1 ? "{" : "");
  for (unsigned k = 0; k < n; k++) {
    fprintf(o->f, k ? ", " : "");
    value(o, v[k]);
  }
  fprintf(o->f, n > 1 ? "}" : "");
}

static void load(out *o, const prog_stmt *s) {
  int constant = address(o, s, s->src[0]);
  guard(o, s);
  fprintf(o->f, "ld%s%s.%s ", space_of(s),
          s->lanes == 1   ? ""
          : s->lanes == 2 ? ".v2"
                          : ".v4",
          s->text);
  list(o, s->dst, s->lanes);
  fprintf(o->f, constant ? ", [%%ta0%+d];\n" : ", [%%ta0];\n", constant);
}

// Floats leave as one NaN, into %tf or %tg.
static void canonical(out *o, prog_value v, unsigned k) {
  bool wide = v.cls == 'g';
  const char *type = wide ? "f64" : "f32", *reg = wide ? "%fd" : "%f", *to = wide ? "%tg" : "%tf";
  fprintf(o->f, "\tsetp.nan.%s %%tp0, %s%u, %s%u;\n\tselp.%s %s%u, %s, %s%u, %%tp0;\n", type, reg,
          v.var, reg, v.var, type, to, k, wide ? "0d7FF8000000000000" : "0f7FFFFFFF", reg, v.var);
}

static void store(out *o, const prog_stmt *s) {
  bool is_float = s->src[0].cls == 'f' || s->src[0].cls == 'g';
  for (unsigned k = 0; is_float && k < s->lanes; k++)
    canonical(o, s->src[k], k);
  int constant = address(o, s, s->dst[0]);
  guard(o, s);
  fprintf(o->f, "st%s%s.%s [%%ta0%+d], ", space_of(s),
          s->lanes == 1   ? ""
          : s->lanes == 2 ? ".v2"
                          : ".v4",
          s->text, constant);
  if (is_float) {
    fprintf(o->f, s->lanes > 1 ? "{" : "");
    for (unsigned k = 0; k < s->lanes; k++)
      fprintf(o->f, "%s%%t%c%u", k ? ", " : "", s->src[0].cls, k);
    fprintf(o->f, s->lanes > 1 ? "}" : "");
  } else {
    list(o, s->src, s->lanes);
  }
  fprintf(o->f, ";\n");
}

static void compare(out *o, const prog_stmt *s) {
  static const char *const bools[] = {"", ".and", ".or", ".xor"};
  guard(o, s);
  fprintf(o->f, "setp.%s%s%s.%s %%p%u", s->text_buffer, bools[s->lanes], s->ftz ? ".ftz" : "",
          s->text, s->dst[0].var);
  if (s->has_q)
    fprintf(o->f, "|%%p%u", s->dst[1].var);
  fprintf(o->f, ", ");
  value(o, s->src[0]);
  fprintf(o->f, ", ");
  value(o, s->src[1]);
  if (s->lanes)
    fprintf(o->f, ", %s%%p%u", s->neg ? "!" : "", s->src[2].var);
  fprintf(o->f, ";\n");
}

static void reduce(out *o, const prog_stmt *s) {
  bool wide = s->amount == 6;
  fprintf(o->f, "\tand.b32 %%t0, ");
  value(o, s->src[0]);
  fprintf(o->f, ", 3;\n\tmul.wide.u32 %%ta1, %%t0, %d;\n\tadd.s64 %%ta0, %s, %%ta1;\n",
          wide ? 8 : 4, s->generic ? "%gred" : "%red");
  guard(o, s);
  fprintf(o->f, "%s%s.%s ", s->post ? "atom" : "red", s->generic ? "" : ".global", s->text);
  if (s->post)
    fprintf(o->f, wide ? "%%ta1, " : "%%t0, ");
  fprintf(o->f, "[%%ta0+%u], ", 16 * s->amount);
  value(o, s->src[1]);
  fprintf(o->f, ";\n");
}

static void chain(out *o, const prog_stmt *s) {
  unsigned n = s->lanes;
  fprintf(o->f, "\t.reg .b%d %%n%u_<%u>;\n\t%s %%n%u_0, ", s->post ? 64 : 16, s->id, n, s->step[0],
          s->id);
  value(o, s->src[0]);
  if (strncmp(s->step[0], "mul", 3) == 0) {
    fprintf(o->f, ", ");
    value(o, s->src[1]);
  }
  fprintf(o->f, ";\n");
  for (unsigned k = 1; k < n; k++) {
    fprintf(o->f, "\t%s %%n%u_%u, %%n%u_%u, ", s->step[k], s->id, k, s->id, k - 1);
    value(o, s->src[k + 1]);
    fprintf(o->f, ";\n");
  }
  fprintf(o->f, "\t%s ", s->text);
  value(o, s->dst[0]);
  fprintf(o->f, ", %%n%u_%u", s->id, n - 1);
  if (s->dst[0].cls == 'p')
    fprintf(o->f, ", %d", (int)(int16_t)s->src[1].bits);
  fprintf(o->f, ";\n");
}

static void block(out *o, const prog_stmt *s);

static void loop(out *o, const prog_stmt *s) {
  unsigned outer = o->loop;
  o->loop = s->id;
  fprintf(o->f, "\tand.b32 %%k%u, ", s->amount);
  value(o, s->src[0]);
  fprintf(o->f, ", %u;\n", s->lanes);
  if (s->post)
    fprintf(o->f, "\tadd.s32 %%k%u, %%k%u, 1;\n", s->amount, s->amount);
  fprintf(o->f, "$L_head_%u:\n", s->id);
  if (!s->post)
    fprintf(o->f, "\tsetp.eq.u32 %%tp0, %%k%u, 0;\n\t@%%tp0 bra $L_end_%u;\n", s->amount, s->id);
  block(o, s->body[0]);
  fprintf(o->f, "$L_next_%u:\n\tadd.s32 %%k%u, %%k%u, -1;\n", s->id, s->amount, s->amount);
  if (s->post)
    fprintf(o->f, "\tsetp.ne.u32 %%tp0, %%k%u, 0;\n\t@%%tp0 bra $L_head_%u;\n", s->amount, s->id);
  else
    fprintf(o->f, "\tbra $L_head_%u;\n", s->id);
  fprintf(o->f, "$L_end_%u:\n", s->id);
  o->loop = outer;
}

static void repeat(out *o, const prog_stmt *s) {
  fprintf(o->f, "\tmov.u32 %%k%u, 0;\n$L_head_%u:\n", s->amount, s->id);
  block(o, s->body[0]);
  fprintf(o->f,
          "\tadd.s32 %%k%u, %%k%u, 1;\n\tsetp.lt.u32 %%tp0, %%k%u, %u;\n\t@%%tp0 bra "
          "$L_head_%u;\n",
          s->amount, s->amount, s->amount, (unsigned)s->src[0].bits, s->id);
}

static void branches(out *o, const prog_stmt *s) {
  if (s->kind == PROG_IF) {
    fprintf(o->f, "\t@%s%%p%d bra $L_else_%u;\n", s->guard_neg ? "" : "!", s->guard, s->id);
    block(o, s->body[0]);
    if (s->body[1])
      fprintf(o->f, "\tbra.uni $L_fi_%u;\n", s->id);
    fprintf(o->f, "$L_else_%u:\n", s->id);
    block(o, s->body[1]);
    fprintf(o->f, "$L_fi_%u:\n", s->id);
    return;
  }
  fprintf(o->f, "\tand.b32 %%t0, ");
  value(o, s->src[0]);
  fprintf(o->f, ", 3;\n");
  for (unsigned k = 0; k < 3; k++)
    fprintf(o->f, "\tsetp.eq.s32 %%tp0, %%t0, %u;\n\t@%%tp0 bra $L_arm_%u_%u;\n", k, s->id, k);
  fprintf(o->f, "\tbra $L_arm_%u_3;\n", s->id);
  for (unsigned k = 0; k < 4; k++) {
    fprintf(o->f, "$L_arm_%u_%u:\n", s->id, k);
    block(o, s->body[k]);
    if (!(s->lanes >> k & 1) && k < 3)
      fprintf(o->f, "\tbra $L_fi_%u;\n", s->id);
  }
  fprintf(o->f, "$L_fi_%u:\n", s->id);
}

static void exchange(out *o, const prog_stmt *s) {
  static const char *const types[] = {['r'] = "u32", ['d'] = "u64", ['f'] = "f32", ['g'] = "f64"};
  if (s->kind == PROG_VOTE) {
    fprintf(o->f, "\tvote.sync.%s.%s ", s->text, s->text[0] == 'b' ? "b32" : "pred");
    value(o, s->dst[0]);
    fprintf(o->f, ", %s%%p%u, -1;\n", s->neg ? "!" : "", s->src[0].var);
    return;
  }
  if (s->kind == PROG_SHUFFLE) {
    fprintf(o->f, "\tshfl.sync.%s.b32 ", s->text);
    value(o, s->dst[0]);
    if (s->has_q)
      fprintf(o->f, "|%%p%u", s->dst[1].var);
    fprintf(o->f, ", ");
    value(o, s->src[0]);
    fprintf(o->f, ", ");
    value(o, s->src[1]);
    fprintf(o->f, ", %u, -1;\n", s->amount);
    return;
  }
  const char *type = types[(unsigned char)s->dst[0].cls];
  fprintf(o->f,
          "\tshl.b32 %%t0, %%me, 3;\n\tmov.u32 %%t1, shared_%u;\n"
          "\tadd.s32 %%t0, %%t1, %%t0;\n\tst.shared.%s [%%t0], ",
          o->p->number, type);
  value(o, s->src[0]);
  fprintf(o->f, ";\n\tbar.sync 0;\n");
  if (s->post) {
    fprintf(o->f, "\trem.u32 %%t0, ");
    value(o, s->src[1]);
    fprintf(o->f, ", %u;\n", o->p->threads);
  } else {
    fprintf(o->f, "\tadd.s32 %%t0, %%me, %u;\n\trem.u32 %%t0, %%t0, %u;\n", s->amount,
            o->p->threads);
  }
  fprintf(o->f, "\tshl.b32 %%t0, %%t0, 3;\n\tadd.s32 %%t0, %%t1, %%t0;\n\tld.shared.%s ", type);
  value(o, s->dst[0]);
  fprintf(o->f, ", [%%t0];\n\tbar.sync 0;\n");
}

static void statement(out *o, const prog_stmt *s) {
  switch (s->kind) {
    case PROG_ASSIGN:
      guard(o, s);
      fprintf(o->f, "%s ", s->op->ptx);
      value(o, s->dst[0]);
      for (unsigned k = 0; s->op->src[k]; k++) {
        fprintf(o->f, ", ");
        value(o, s->src[k]);
      }
      fprintf(o->f, ";\n");
      break;
    case PROG_COMPARE:
      compare(o, s);
      break;
    case PROG_CHAIN:
      chain(o, s);
      break;
    case PROG_PACK:
      guard(o, s);
      fprintf(o->f, "mov.b64 %%rd%u, {%%r%u, %%r%u};\n", s->dst[0].var, s->src[0].var,
              s->src[1].var);
      break;
    case PROG_UNPACK:
      guard(o, s);
      fprintf(o->f, "mov.b64 {%%r%u, %%r%u}, %%rd%u;\n", s->dst[0].var, s->dst[1].var,
              s->src[0].var);
      break;
    case PROG_LOAD:
      load(o, s);
      break;
    case PROG_STORE:
      store(o, s);
      break;
    case PROG_REDUCE:
      reduce(o, s);
      break;
    case PROG_IF:
    case PROG_SWITCH:
      branches(o, s);
      break;
    case PROG_LOOP:
      loop(o, s);
      break;
    case PROG_REPEAT:
      repeat(o, s);
      break;
    case PROG_BREAK:
      guard(o, s);
      fprintf(o->f, "bra $L_end_%u;\n", o->loop);
      break;
    case PROG_CONTINUE:
      guard(o, s);
      fprintf(o->f, "bra $L_next_%u;\n", o->loop);
      break;
    case PROG_RETURN:
      if (s->id % 3 == 0) {  // as clang writes it: around a bare ret
        fprintf(o->f, "\t@%s%%p%d bra $L_stay_%u;\n\tret;\n$L_stay_%u:\n", s->guard_neg ? "" : "!",
                s->guard, s->id, s->id);
        break;
      }
      guard(o, s);
      fprintf(o->f, s->post ? "ret;\n" : "bra $L_leave;\n");
      break;
    default:
      exchange(o, s);
  }
}

static void block(out *o, const prog_stmt *s) {
  for (; s; s = s->next)
    if (!s->off)
      statement(o, s);
}

static void begin(out *o) {
  FILE *f = o->f;
  unsigned n = o->p->number;
  fprintf(f, "// program %u of seed %" PRIu64 ": %u blocks of %u threads\n", n, o->p->seed,
          o->p->blocks, o->p->threads);
  fprintf(f,
          ".version 6.4\n.target sm_70\n.address_size 64\n\n"
          ".visible .entry prog_%u(\n\t.param .u64 prog_%u_param_0,\n\t.param .u64 "
          "prog_%u_param_1,\n\t.param .u64 prog_%u_param_2\n)\n{\n",
          n, n, n, n);
  fprintf(f, "\t.shared .align 8 .b8 shared_%u[%u];\n", n, 8 * o->p->threads);
  if (o->p->uses_local)
    fprintf(f, "\t.local .align 16 .b8 array_%u[%d];\n", n, PROG_LOCAL);
  fprintf(f,
          "\t.reg .b16 %%h<%d>;\n\t.reg .b32 %%r<%d>;\n\t.reg .b64 %%rd<%d>;\n"
          "\t.reg .f32 %%f<%d>;\n\t.reg .f64 %%fd<%d>;\n\t.reg .pred %%p<%d>;\n"
          "\t.reg .b32 %%k<%d>, %%t<4>;\n\t.reg .b64 %%ta<4>;\n\t.reg .pred %%tp<2>;\n"
          "\t.reg .f32 %%tf<4>;\n\t.reg .f64 %%tg<4>;\n\t.reg .b32 %%me, %%who;\n"
          "\t.reg .b64 %%in, %%region, %%red, %%local, %%gin, %%gregion, %%gred, %%glocal;\n\n",
          PROG_H, PROG_R, PROG_D, PROG_F, PROG_G, PROG_P, PROG_LOOPS);
  fprintf(f,
          "\tld.param.u64 %%gin, [prog_%u_param_0];\n\tld.param.u64 %%gregion, "
          "[prog_%u_param_1];\n\tld.param.u64 %%gred, [prog_%u_param_2];\n",
          n, n, n);
  fprintf(f,
          "\tmov.u32 %%me, %%tid.x;\n\tmov.u32 %%t0, %%ctaid.x;\n\tmov.u32 %%t1, %%ntid.x;\n"
          "\tmad.lo.s32 %%who, %%t0, %%t1, %%me;\n\tmul.wide.u32 %%ta0, %%who, %d;\n"
          "\tadd.s64 %%gregion, %%gregion, %%ta0;\n\tcvta.to.global.u64 %%in, %%gin;\n"
          "\tcvta.to.global.u64 %%region, %%gregion;\n\tcvta.to.global.u64 %%red, %%gred;\n",
          PROG_REGION);
  if (o->p->uses_local) {
    fprintf(f,
            "\tmov.u64 %%local, array_%u;\n\tcvta.local.u64 %%glocal, %%local;\n\tmov.u64 "
            "%%ta0, 0;\n",
            n);
    for (unsigned k = 0; k < PROG_LOCAL; k += 8)
      fprintf(f, "\tst.local.u64 [%%local+%u], %%ta0;\n", k);
  }
  fprintf(f,
          "\tmul.lo.u32 %%t0, %%who, 56;\n\tand.b32 %%t0, %%t0, 2040;\n"
          "\tcvt.u64.u32 %%ta1, %%t0;\n\tadd.s64 %%ta0, %%in, %%ta1;\n");
  static const char *const types[] = {
      ['h'] = "u16", ['r'] = "u32", ['d'] = "u64", ['f'] = "f32", ['g'] = "f64"};
  for (const char *c = "hrdfg"; *c; c++)
    for (unsigned k = 0; k < prog_vars(*c); k++) {
      fprintf(f, "\tld.global.%s ", types[(unsigned char)*c]);
      value(o, (prog_value){.cls = *c, .var = k});
      fprintf(f, ", [%%ta0+%u];\n", prog_slot(*c, k));
    }
  for (unsigned k = 0; k < PROG_P; k++)
    fprintf(f, "\tsetp.lt.s32 %%p%u, %%r%u, %%r%u;\n", k, k, k + 1);
}

static void finish(out *o) {
  FILE *f = o->f;
  static const char *const types[] = {['h'] = "u16", ['r'] = "u32", ['d'] = "u64"};
  for (const char *c = "hrd"; *c; c++)
    for (unsigned k = 0; k < prog_vars(*c); k++) {
      fprintf(f, "\tst.global.%s [%%region+%u], ", types[(unsigned char)*c], prog_slot(*c, k));
      value(o, (prog_value){.cls = *c, .var = k});
      fprintf(f, ";\n");
    }
  for (const char *c = "fg"; *c; c++)
    for (unsigned k = 0; k < prog_vars(*c); k++) {
      canonical(o, (prog_value){.cls = *c, .var = k}, 0);
      fprintf(f, "\tst.global.%s [%%region+%u], %%t%c0;\n", *c == 'f' ? "f32" : "f64",
              prog_slot(*c, k), *c);
    }
  fprintf(f, "\tmov.u32 %%t1, 0;\n");
  for (unsigned k = 0; k < PROG_P; k++)
    fprintf(f, "\tselp.u32 %%t0, %u, 0, %%p%u;\n\tor.b32 %%t1, %%t1, %%t0;\n", 1u << k, k);
  fprintf(f, "\tst.global.u32 [%%region+%u], %%t1;\n$L_leave:\n\tret;\n}\n", prog_slot('p', 0));
}

void prog_write_ptx(const prog *p, FILE *f) {
  out o = {.f = f, .p = p};
  begin(&o);
  block(&o, p->body);
  finish(&o);
}
