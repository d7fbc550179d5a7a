// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include "prog.h"

typedef struct out {
  FILE *f;
  const prog *p;
  unsigned loop;
} out;

static void value(out *o, prog_value v) {
  if (!v.imm) {
    fprintf(o->f, "s->%c[%u]", v.cls, v.var);
    return;
  }
  switch (v.cls) {
    case 'f':
      fprintf(o->f, "f32_of(0x%" PRIx64 "u)", v.bits);
      break;
    case 'g':
      fprintf(o->f, "f64_of(0x%" PRIx64 "ull)", v.bits);
      break;
    default:
      fprintf(o->f, "0x%" PRIx64 "u", v.bits);
  }
}

static void guard(out *o, const prog_stmt *s) {
  if (s->guard >= 0)
    fprintf(o->f, "  if (%ss->p[%d]) ", s->guard_neg ? "!" : "", s->guard);
  else
    fprintf(o->f, "  ");
}

// The C type of a PTX type.
static const char *c_type(const char *type) {
  static const char *const names[][2] = {
      {"u8", "uint8_t"},   {"s8", "int8_t"},    {"u16", "uint16_t"}, {"s16", "int16_t"},
      {"u32", "uint32_t"}, {"s32", "int32_t"},  {"b32", "uint32_t"}, {"u64", "uint64_t"},
      {"s64", "int64_t"},  {"b64", "uint64_t"}, {"f32", "float"},    {"f64", "double"}};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strcmp(names[k][0], type) == 0)
      return names[k][1];
  assert(!"a type");
  return "";
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

// a pointer `at` to the place of an access
static void address(out *o, const prog_stmt *s, prog_value index) {
  static const unsigned size[] = {PROG_IN, PROG_SCRATCH, PROG_LOCAL};
  static const char *const base[] = {"s->in", "s->region", "s->local"};
  unsigned half = size[s->place] / 2, unit = type_bytes(s->text) * s->lanes;
  fprintf(o->f, "{ %suint8_t *at = %s + (", s->place == PROG_FROM_IN ? "const " : "",
          base[s->place]);
  value(o, index);
  fprintf(o->f, " & %u) + %u; ", (half - 1) & ~(unsigned)(unit - 1), s->amount * unit % half);
}

static void access_memory(out *o, const prog_stmt *s) {
  bool is_load = s->kind == PROG_LOAD;
  guard(o, s);
  address(o, s, is_load ? s->src[0] : s->dst[0]);
  for (unsigned k = 0; k < s->lanes; k++) {
    prog_value v = is_load ? s->dst[k] : s->src[k];
    unsigned offset = k * type_bytes(s->text);
    if (is_load)
      fprintf(o->f, "s->%c[%u] = LOAD(%s, at + %u); ", v.cls, v.var, c_type(s->text), offset);
    else if (v.cls == 'f')
      fprintf(o->f, "STORE(uint32_t, at + %u, f32_bits(s->f[%u])); ", offset, v.var);
    else if (v.cls == 'g')
      fprintf(o->f, "STORE(uint64_t, at + %u, f64_bits(s->g[%u])); ", offset, v.var);
    else
      fprintf(o->f, "STORE(%s, at + %u, s->%c[%u]); ", c_type(s->text), offset, v.cls, v.var);
  }
  fprintf(o->f, "}\n");
}

static void compare(out *o, const prog_stmt *s) {
  static const char *const bools[] = {"", "&", "|", "^"};
  guard(o, s);
  fprintf(o->f, "{ %s a = (%s)", c_type(s->text), c_type(s->text));
  value(o, s->src[0]);
  fprintf(o->f, ", b = (%s)", c_type(s->text));
  value(o, s->src[1]);
  fputs(s->ftz ? "; a = ftz(a), b = ftz(b)" : "", o->f);
  fprintf(o->f, "; bool y = CMP_%s(a, b), n = !y; ", s->text_buffer);
  if (s->lanes)
    fprintf(o->f, "bool c = %ss->p[%u]; y = y %s c; n = n %s c; ", s->neg ? "!" : "", s->src[2].var,
            bools[s->lanes], bools[s->lanes]);
  fprintf(o->f, "s->p[%u] = y; ", s->dst[0].var);
  if (s->has_q)
    fprintf(o->f, "s->p[%u] = n; ", s->dst[1].var);
  fprintf(o->f, "(void)n; }\n");
}

static void name_of(out *o, const char *ptx) {
  for (const char *c = ptx; *c; c++)
    fputc(*c == '.' ? '_' : *c, o->f);
}

static void chain(out *o, const prog_stmt *s) {
  fprintf(o->f, "  { %s n = ", s->post ? "uint64_t" : "uint16_t");
  name_of(o, s->step[0]);
  fprintf(o->f, "(");
  value(o, s->src[0]);
  if (strncmp(s->step[0], "mul", 3) == 0) {
    fprintf(o->f, ", ");
    value(o, s->src[1]);
  }
  fprintf(o->f, "); ");
  for (unsigned k = 1; k < s->lanes; k++) {
    fprintf(o->f, "n = ");
    name_of(o, s->step[k]);
    fprintf(o->f, "(n, ");
    value(o, s->src[k + 1]);
    fprintf(o->f, "); ");
  }
  value(o, s->dst[0]);
  if (s->dst[0].cls == 'p') {
    const char *type = c_type(strrchr(s->text, '.') + 1);
    fprintf(o->f, " = CMP_%.2s((%s)n, (%s)%d); }\n", s->text + 5, type, type,
            (int)(int16_t)s->src[1].bits);
  } else {
    fprintf(o->f, " = ");
    name_of(o, s->text);
    fprintf(o->f, "(n); }\n");
  }
}

static void reduce(out *o, const prog_stmt *s) {
  static const char *const how[] = {
      "*w + b", "b < *w ? b : *w", "(int32_t)b > (int32_t)*w ? b : *w", "*w & b", "*w | b",
      "*w ^ b", "*w + b"};
  const char *type = s->amount == 6 ? "uint64_t" : "uint32_t";
  guard(o, s);
  fprintf(o->f, "{ %s *w = (%s *)(s->red + %u) + (", type, type, 4 * s->amount);
  value(o, s->src[0]);
  fprintf(o->f, " & 3), b = ");
  value(o, s->src[1]);
  fprintf(o->f, "; *w = %s; }\n", how[s->amount]);
}

static void block(out *o, const prog_stmt *s);

static void loop(out *o, const prog_stmt *s) {
  unsigned outer = o->loop, k = s->amount;
  o->loop = s->id;
  fprintf(o->f, "  s->k[%u] = (", k);
  value(o, s->src[0]);
  fprintf(o->f, " & %u)%s;\nL_head_%u:;\n", s->lanes, s->post ? " + 1" : "", s->id);
  if (!s->post)
    fprintf(o->f, "  if (s->k[%u] == 0) goto L_end_%u;\n", k, s->id);
  block(o, s->body[0]);
  fprintf(o->f, "L_next_%u:;\n  s->k[%u]--;\n", s->id, k);
  if (s->post)
    fprintf(o->f, "  if (s->k[%u] != 0) goto L_head_%u;\n", k, s->id);
  else
    fprintf(o->f, "  goto L_head_%u;\n", s->id);
  fprintf(o->f, "L_end_%u:;\n", s->id);
  o->loop = outer;
}

static void branches(out *o, const prog_stmt *s) {
  if (s->kind == PROG_IF) {
    fprintf(o->f, "  if (%ss->p[%d]) {\n", s->guard_neg ? "!" : "", s->guard);
    block(o, s->body[0]);
    fprintf(o->f, "  } else {\n");
    block(o, s->body[1]);
    fprintf(o->f, "  }\n");
    return;
  }
  fprintf(o->f, "  switch (");
  value(o, s->src[0]);
  fprintf(o->f, " & 3) {\n");
  for (unsigned k = 0; k < 4; k++) {
    fprintf(o->f, "  case %u:;\n", k);
    block(o, s->body[k]);
    if (!(s->lanes >> k & 1))
      fprintf(o->f, "  break;\n");
  }
  fprintf(o->f, "  }\n");
}

static void statement(out *o, const prog_stmt *s) {
  switch (s->kind) {
    case PROG_ASSIGN: {
      guard(o, s);
      value(o, s->dst[0]);
      fprintf(o->f, " = ");
      name_of(o, s->op->ptx);
      for (unsigned k = 0; s->op->src[k]; k++) {
        fprintf(o->f, k ? ", " : "(");
        value(o, s->src[k]);
      }
      fprintf(o->f, ");\n");
      break;
    }
    case PROG_COMPARE:
      compare(o, s);
      break;
    case PROG_CHAIN:
      chain(o, s);
      break;
    case PROG_PACK:
      guard(o, s);
      fprintf(o->f, "s->d[%u] = (uint64_t)s->r[%u] << 32 | s->r[%u];\n", s->dst[0].var,
              s->src[1].var, s->src[0].var);
      break;
    case PROG_UNPACK:
      guard(o, s);
      fprintf(o->f, "{ s->r[%u] = (uint32_t)s->d[%u]; s->r[%u] = (uint32_t)(s->d[%u] >> 32); }\n",
              s->dst[0].var, s->src[0].var, s->dst[1].var, s->src[0].var);
      break;
    case PROG_LOAD:
    case PROG_STORE:
      access_memory(o, s);
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
    case PROG_BREAK:
      guard(o, s);
      fprintf(o->f, "goto L_end_%u;\n", o->loop);
      break;
    case PROG_CONTINUE:
      guard(o, s);
      fprintf(o->f, "goto L_next_%u;\n", o->loop);
      break;
    case PROG_RETURN:
      guard(o, s);
      fprintf(o->f, "{ s->done = true; return; }\n");
      break;
    default:
      assert(!"exchanges stand between phases");
  }
}

static void block(out *o, const prog_stmt *s) {
  for (; s; s = s->next)
    if (!s->off)
      statement(o, s);
}

static bool ends_phase(const prog_stmt *s) {
  return s->kind >= PROG_SHARE;
}

// All threads of a block at an exchange: what they give, then what each takes.
static void exchange(out *o, const prog_stmt *s) {
  FILE *f = o->f;
  char c = s->dst[0].cls;
  unsigned n = o->p->threads;
  fprintf(f,
          "    for (unsigned t = 0; t < %u; t++) memcpy(&gives[t], &all[t].%c[%u], sizeof "
          "all[t].%c[0]);\n",
          n, s->src[0].cls, s->src[0].var, s->src[0].cls);
  fprintf(f, "    for (unsigned t = 0; t < %u; t++) {\n      state *s = &all[t];\n", n);
  if (s->kind == PROG_SHARE) {
    fprintf(f, "      unsigned j = ");
    if (s->post)
      value(o, s->src[1]);
    else
      fprintf(f, "(t + %u)", s->amount);
    fprintf(f, " %% %u;\n      memcpy(&s->%c[%u], &gives[j], sizeof s->%c[0]);\n", n, c,
            s->dst[0].var, c);
  } else if (s->kind == PROG_SHUFFLE) {
    fprintf(f, "      bool in; unsigned j = t / 32 * 32 + shuffle_from('%c', t %% 32, ",
            s->text[0]);
    value(o, s->src[1]);
    fprintf(f, ", %uu, &in);\n      s->r[%u] = (uint32_t)gives[j];\n", s->amount, s->dst[0].var);
    if (s->has_q)
      fprintf(f, "      s->p[%u] = in;\n", s->dst[1].var);
  } else {
    fprintf(f,
            "      uint32_t yes = 0;\n      for (unsigned j = 0; j < 32; j++) yes |= "
            "(uint32_t)(*(bool *)&gives[t / 32 * 32 + j] != %d) << j;\n",
            s->neg);
    fprintf(f, "      s->%c[%u] = %s;\n", c, s->dst[0].var,
            s->text[0] == 'b'                        ? "yes"
            : s->text[1] == 'n' && s->text[0] == 'a' ? "yes != 0"
            : s->text[0] == 'a'                      ? "yes == 0xffffffffu"
                                                     : "yes == 0 || yes == 0xffffffffu");
  }
  fprintf(f, "    }\n");
}

static void begin(FILE *f) {
  fprintf(f,
          "  memset(s, 0, sizeof *s);\n  s->tid = tid, s->cta = cta, s->gid = cta * threads + "
          "tid;\n  s->in = in, s->region = out + s->gid * %d, s->red = red;\n  const uint8_t *at "
          "= in + (s->gid * 56 & 2040);\n",
          PROG_REGION);
  for (const char *c = "hrdfg"; *c; c++)
    for (unsigned k = 0; k < prog_vars(*c); k++)
      fprintf(f, "  memcpy(&s->%c[%u], at + %u, sizeof s->%c[0]);\n", *c, k, prog_slot(*c, k), *c);
  for (unsigned k = 0; k < PROG_P; k++)
    fprintf(f, "  s->p[%u] = (int32_t)s->r[%u] < (int32_t)s->r[%u];\n", k, k, k + 1);
}

static void finish(FILE *f) {
  for (const char *c = "hrd"; *c; c++)
    for (unsigned k = 0; k < prog_vars(*c); k++)
      fprintf(f, "  memcpy(s->region + %u, &s->%c[%u], sizeof s->%c[0]);\n", prog_slot(*c, k), *c,
              k, *c);
  for (unsigned k = 0; k < PROG_F; k++)
    fprintf(f, "  STORE(uint32_t, s->region + %u, f32_bits(s->f[%u]));\n", prog_slot('f', k), k);
  for (unsigned k = 0; k < PROG_G; k++)
    fprintf(f, "  STORE(uint64_t, s->region + %u, f64_bits(s->g[%u]));\n", prog_slot('g', k), k);
  fprintf(f, "  uint32_t p = 0;\n");
  for (unsigned k = 0; k < PROG_P; k++)
    fprintf(f, "  p |= (uint32_t)s->p[%u] << %u;\n", k, k);
  fprintf(f, "  STORE(uint32_t, s->region + %u, p);\n", prog_slot('p', 0));
}

// The phases of a list: their functions, or the calls of them by every thread.
static void phases(out *o, const prog_stmt *s, bool calls, unsigned *phase) {
  unsigned n = o->p->number, threads = o->p->threads;
  for (;; s = s->next) {
    if (calls)
      fprintf(o->f, "    for (unsigned t = 0; t < %u; t++) phase_%u_%u(&all[t]);\n", threads, n,
              *phase);
    else
      fprintf(o->f, "static void phase_%u_%u(state *s) {\n", n, *phase);
    ++*phase;
    for (; s && !ends_phase(s); s = s->next)
      if (!s->off && !calls)
        statement(o, s);
    if (!calls)
      fprintf(o->f, "}\n");
    if (!s)
      return;
    if (s->kind == PROG_REPEAT) {
      if (calls)
        fprintf(o->f, "    for (unsigned k_%u = 0; k_%u < %u; k_%u++) {\n", s->id, s->id,
                s->off ? 0 : (unsigned)s->src[0].bits, s->id);
      phases(o, s->body[0], calls, phase);
      if (calls)
        fprintf(o->f, "    }\n");
    } else if (calls && !s->off) {
      exchange(o, s);
    }
  }
}

void prog_write_c(const prog *p, FILE *f) {
  out o = {.f = f, .p = p};
  unsigned n = p->number, phase = 0;
  fprintf(f,
          "\n// program %u of seed %" PRIu64
          "\nstatic void start_%u(state *s, const uint8_t *in, "
          "uint8_t *out, uint32_t *red, uint32_t cta, uint32_t tid, uint32_t threads) {\n",
          n, p->seed, n);
  begin(f);
  fprintf(f, "}\n");
  phases(&o, p->body, false, &phase);
  fprintf(f, "static void finish_%u(state *s) {\n", n);
  finish(f);
  fprintf(f, "}\nvoid prog_%u(const uint8_t *in, uint8_t *out, uint32_t *red) {\n", n);
  fprintf(f,
          "  static state all[%u];\n  static uint64_t gives[%u];\n  for (unsigned cta = 0; cta < "
          "%u; cta++) {\n    (void)gives;\n",
          p->threads, p->threads, p->blocks);
  fprintf(f, "    for (unsigned t = 0; t < %u; t++) start_%u(&all[t], in, out, red, cta, t, %u);\n",
          p->threads, n, p->threads);
  phase = 0;
  phases(&o, p->body, true, &phase);
  fprintf(f,
          "    for (unsigned t = 0; t < %u; t++) if (!all[t].done) finish_%u(&all[t]);\n  }\n}\n",
          p->threads, n);
}
