// SPDX-License-Identifier: Apache-2.0
// Draws a program. Nothing in it is undefined: addresses are masked, loops are counted.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "csim/base/splitmix.h"
#include "prog.h"

typedef struct gen {
  prog *p;
  uint64_t state;
  unsigned loops;  // counters used
  unsigned ids;
} gen;

static uint64_t draw(gen *g) {
  return splitmix(&g->state);
}

static unsigned below(gen *g, unsigned n) {
  return (unsigned)((draw(g) >> 32) * n >> 32);
}
static bool chance(gen *g, unsigned percent) {
  return below(g, 100) < percent;
}

unsigned prog_vars(char cls) {
  switch (cls) {
    case 'h':
      return PROG_H;
    case 'r':
      return PROG_R;
    case 'd':
      return PROG_D;
    case 'f':
      return PROG_F;
    case 'g':
      return PROG_G;
    default:
      return PROG_P;
  }
}

unsigned prog_bytes(char cls) {
  return cls == 'h' ? 2 : cls == 'r' || cls == 'f' ? 4 : 8;
}

unsigned prog_slot(char cls, unsigned var) {
  static const struct {
    char cls;
    unsigned at;
  } base[] = {{'r', 0}, {'d', 32}, {'f', 64}, {'h', 84}, {'g', 96}, {'p', 120}};
  for (size_t k = 0; k < sizeof base / sizeof *base; k++)
    if (base[k].cls == cls)
      return PROG_SCRATCH + base[k].at + (cls == 'p' ? 0 : var * prog_bytes(cls));
  assert(!"a class");
  return 0;
}

static prog_value var_of(gen *g, char cls) {
  return (prog_value){.cls = cls, .var = below(g, prog_vars(cls))};
}

static uint64_t immediate_bits(gen *g, char cls) {
  static const uint32_t f32[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x40490fdb,
                                 0x3f000000, 0x7f800000, 0x00000001, 0x4b800000, 0xcf000000,
                                 0x80400000, 0x007fffff, 0x00800000};
  static const uint64_t f64[] = {0,
                                 0x8000000000000000,
                                 0x3ff0000000000000,
                                 0xc008000000000000,
                                 0x3fb999999999999a,
                                 0x41e0000000000000,
                                 0x7ff0000000000000};
  uint64_t x;
  switch (cls) {
    case 'f':
      return f32[below(g, sizeof f32 / sizeof *f32)];
    case 'g':
      return f64[below(g, sizeof f64 / sizeof *f64)];
    default:
      break;
  }
  switch (below(g, 4)) {
    case 0:
      x = below(g, 70);
      break;
    case 1:
      x = -(uint64_t)below(g, 40);
      break;
    case 2:
      x = 1ull << below(g, 64);
      break;
    default:
      x = draw(g);
      break;
  }
  return cls == 'h' ? x & 0xffff : cls == 'r' ? x & 0xffffffff : x;
}

static prog_value immediate(gen *g, char cls) {
  return (prog_value){.cls = cls, .imm = true, .bits = immediate_bits(g, cls)};
}

static prog_stmt *stmt_new(gen *g, prog_kind kind) {
  prog_stmt *s = calloc(1, sizeof *s);
  assert(s && g->p->count < sizeof g->p->all / sizeof *g->p->all);
  s->kind = kind;
  s->id = g->ids++;
  s->guard = -1;
  g->p->all[g->p->count++] = s;
  return s;
}

static void maybe_guard(gen *g, prog_stmt *s, unsigned percent) {
  if (!chance(g, percent))
    return;
  s->guard = (int)below(g, PROG_P);
  s->guard_neg = chance(g, 50);
}

static void make_assign(gen *g, prog_stmt *s) {
  const prog_op *op = s->op = &prog_ops[below(g, (unsigned)prog_op_count)];
  size_t n = strlen(op->src);
  bool select = strncmp(op->ptx, "selp", 4) == 0, moves = strncmp(op->ptx, "mov", 3) == 0;
  size_t literal = n > 1 || moves ? below(g, (unsigned)n) : n;
  s->dst[0] = var_of(g, op->d);
  for (size_t k = 0; k < n; k++) {
    bool imm = op->src[k] != 'p' && (k == literal || select) && chance(g, 30);
    s->src[k] = imm ? immediate(g, op->src[k]) : var_of(g, op->src[k]);
  }
  maybe_guard(g, s, 20);
}

static void make_compare(gen *g, prog_stmt *s) {
  static const char *const types[] = {"s32", "u32", "b32", "s64", "u64",
                                      "s16", "u16", "f32", "f64"};
  static const char classes[] = "rrrddhhfg";
  static const char *const cmps[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                     "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  unsigned type = below(g, 9);
  char cls = classes[type];
  s->text = types[type];
  s->amount = below(g, type == 2 ? 2 : type >= 7 ? 14 : 6);
  strcpy(s->text_buffer, cmps[s->amount]);
  s->dst[0] = var_of(g, 'p');
  s->src[0] = var_of(g, cls);
  s->src[1] = chance(g, 40) ? immediate(g, cls) : var_of(g, cls);
  s->has_q = chance(g, 25);
  s->dst[1] = (prog_value){.cls = 'p', .var = (s->dst[0].var + 1 + below(g, PROG_P - 1)) % PROG_P};
  s->lanes = chance(g, 30) ? 1 + below(g, 3) : 0;  // and or xor
  s->src[2] = var_of(g, 'p');
  s->neg = chance(g, 50);
  s->ftz = type == 7 && chance(g, 30);
  maybe_guard(g, s, 15);
}

static void make_access(gen *g, prog_stmt *s, bool store) {
  static const struct {
    const char *type;
    char cls;
    unsigned lanes;
  } forms[] = {{"u8", 'h', 1},  {"s8", 'h', 1},  {"u8", 'r', 1},  {"s8", 'r', 1},  {"u16", 'h', 1},
               {"u16", 'r', 1}, {"s16", 'r', 1}, {"u32", 'r', 1}, {"s32", 'r', 1}, {"b32", 'r', 1},
               {"u64", 'd', 1}, {"b64", 'd', 1}, {"f32", 'f', 1}, {"f64", 'g', 1}, {"u32", 'r', 2},
               {"u32", 'r', 4}, {"f32", 'f', 2}, {"f32", 'f', 4}, {"f64", 'g', 2}, {"u64", 'd', 2},
               {"u8", 'h', 2},  {"u8", 'h', 4},  {"u16", 'h', 2}, {"u16", 'h', 4}};
  unsigned n = below(g, sizeof forms / sizeof *forms);
  unsigned first = below(g, prog_vars(forms[n].cls));
  s->text = forms[n].type;
  s->lanes = forms[n].lanes;
  s->place = store ? PROG_FROM_REGION + below(g, 2) : (prog_place)below(g, 3);
  s->generic = chance(g, 30);
  if (s->place == PROG_FROM_LOCAL)
    g->p->uses_local = true;
  for (unsigned k = 0; k < s->lanes; k++) {
    prog_value v = {.cls = forms[n].cls, .var = (first + k) % prog_vars(forms[n].cls)};
    *(store ? &s->src[k] : &s->dst[k]) = v;
  }
  s->amount = below(g, 32);  // scaled by the access's size where it is written out
  // the index; loads may have it in a destination
  prog_value index = var_of(g, 'r');
  *(store ? &s->dst[0] : &s->src[0]) = index;
  s->neg = chance(g, 40);
  maybe_guard(g, s, 20);
}

static void make_reduce(gen *g, prog_stmt *s) {
  static const char *const ops[] = {"add.u32", "min.u32", "max.s32", "and.b32",
                                    "or.b32",  "xor.b32", "add.u64"};
  s->amount = below(g, 7);
  s->text = ops[s->amount];
  s->src[0] = var_of(g, 'r');  // which word
  s->src[1] = s->amount == 6 ? var_of(g, 'd') : chance(g, 30) ? immediate(g, 'r') : var_of(g, 'r');
  s->post = chance(g, 50);  // atom instead of red
  s->generic = chance(g, 30);
  maybe_guard(g, s, 30);
}

// What an index or a short goes through: widened or cut, some steps, and back or into a predicate.
static void make_chain(gen *g, prog_stmt *s) {
  static const char *const start64[] = {"cvt.u64.u32", "cvt.s64.s32", "mul.wide.s32",
                                        "mul.wide.u32"};
  static const char *const steps64[] = {"add.s64",    "sub.s64", "and.b64", "or.b64",
                                        "xor.b64",    "shl.b64", "shr.u64", "shr.s64",
                                        "mul.lo.s64", "min.s64", "max.u64"};
  static const char *const end64[] = {"cvt.u32.u64", "mov.u64", "setp.lt.s64", "setp.ge.u64",
                                      "setp.eq.s64"};
  static const char *const start16[] = {"cvt.u16.u32", "cvt.u16.u32", "cvt.s16.s32"};
  static const char *const steps16[] = {"add.s16",    "sub.s16", "and.b16", "or.b16",
                                        "xor.b16",    "shl.b16", "shr.u16", "shr.s16",
                                        "mul.lo.s16", "min.s16", "max.u16"};
  static const char *const end16[] = {"cvt.u32.u16", "cvt.s32.s16", "mov.u16",   "setp.lt.s16",
                                      "setp.ge.u16", "cvt.s32.s8",  "cvt.u32.u8"};
  static const char end64_class[] = "rdppp", end16_class[] = "rrhpprr";
  bool wide = chance(g, 65);
  unsigned steps = below(g, 4), first = below(g, wide ? 4 : 3), last = below(g, wide ? 5 : 7);
  char cls = wide ? 'd' : 'h';
  s->src[0] = var_of(g, 'r');
  s->step[0] = wide ? start64[first] : start16[first];
  s->src[1] = immediate(g, 'r');  // of mul.wide and of comparisons
  for (unsigned k = 1; k <= steps; k++) {
    unsigned op = below(g, 11);
    bool shift = op >= 5 && op <= 7;
    s->step[k] = (wide ? steps64 : steps16)[op];
    s->src[k + 1] = shift ? (prog_value){.cls = 'r', .imm = true, .bits = below(g, wide ? 66 : 18)}
                    : chance(g, 70) ? immediate(g, cls)
                                    : var_of(g, cls);
  }
  s->lanes = steps + 1;
  s->text = wide ? end64[last] : end16[last];
  s->dst[0] = var_of(g, wide ? end64_class[last] : end16_class[last]);
  s->post = wide;
}

static prog_stmt *make_block(gen *g, unsigned length, unsigned depth, bool in_loop,
                             bool may_return);

static void make_nested(gen *g, prog_stmt *s, unsigned depth, bool in_loop, bool may_return) {
  unsigned length = 1 + below(g, depth > 1 ? 4 : 8);
  switch (s->kind) {
    case PROG_IF:
      s->guard = (int)below(g, PROG_P);
      s->guard_neg = chance(g, 50);
      s->body[0] = make_block(g, length, depth + 1, in_loop, may_return);
      if (chance(g, 50))
        s->body[1] = make_block(g, 1 + below(g, 5), depth + 1, in_loop, may_return);
      break;
    case PROG_LOOP:
      s->amount = g->loops++;
      s->src[0] = var_of(g, 'r');
      s->post = chance(g, 40);
      s->lanes = depth ? 3 : 7;  // mask of the trip count
      s->body[0] = make_block(g, length, depth + 1, true, may_return);
      break;
    default:
      s->src[0] = var_of(g, 'r');
      s->lanes = below(g, 8);
      for (unsigned k = 0; k < 4; k++)
        s->body[k] = make_block(g, 1 + below(g, 3), depth + 1, in_loop, may_return);
  }
}

static prog_stmt *make_stmt(gen *g, unsigned depth, bool in_loop, bool may_return) {
  unsigned dice = below(g, 100);
  prog_kind kind = dice < 42   ? PROG_ASSIGN
                   : dice < 50 ? PROG_CHAIN
                   : dice < 64 ? PROG_COMPARE
                   : dice < 71 ? PROG_LOAD
                   : dice < 78 ? PROG_STORE
                   : dice < 81 ? PROG_REDUCE
                   : dice < 83 ? PROG_PACK
                   : dice < 85 ? PROG_UNPACK
                   : dice < 91 ? PROG_IF
                   : dice < 95 ? PROG_LOOP
                   : dice < 97 ? PROG_SWITCH
                   : dice < 98 ? PROG_CONTINUE
                   : dice < 99 ? PROG_BREAK
                               : PROG_RETURN;
  bool nested = kind == PROG_IF || kind == PROG_LOOP || kind == PROG_SWITCH;
  if ((nested && depth > 3) || (kind == PROG_LOOP && g->loops == PROG_LOOPS) ||
      (kind == PROG_RETURN && !may_return) ||
      ((kind == PROG_BREAK || kind == PROG_CONTINUE) && !in_loop) || g->p->count > 400)
    kind = PROG_ASSIGN, nested = false;
  prog_stmt *s = stmt_new(g, kind);
  switch (kind) {
    case PROG_COMPARE:
      make_compare(g, s);
      break;
    case PROG_CHAIN:
      make_chain(g, s);
      break;
    case PROG_LOAD:
      make_access(g, s, false);
      break;
    case PROG_STORE:
      make_access(g, s, true);
      break;
    case PROG_REDUCE:
      make_reduce(g, s);
      break;
    case PROG_PACK:
      s->dst[0] = var_of(g, 'd'), s->src[0] = var_of(g, 'r'), s->src[1] = var_of(g, 'r');
      maybe_guard(g, s, 20);
      break;
    case PROG_UNPACK:
      s->src[0] = var_of(g, 'd'), s->dst[0] = var_of(g, 'r');
      s->dst[1] = (prog_value){.cls = 'r', .var = (s->dst[0].var + 1) % PROG_R};
      maybe_guard(g, s, 20);
      break;
    case PROG_BREAK:
    case PROG_CONTINUE:
    case PROG_RETURN:
      maybe_guard(g, s, 100);
      s->post = chance(g, 50);
      break;
    case PROG_ASSIGN:
      make_assign(g, s);
      break;
    default:
      make_nested(g, s, depth, in_loop, may_return);
  }
  return s;
}

static prog_stmt *make_block(gen *g, unsigned length, unsigned depth, bool in_loop,
                             bool may_return) {
  prog_stmt *first = NULL, **tail = &first;
  for (unsigned k = 0; k < length; k++) {
    *tail = make_stmt(g, depth, in_loop, may_return);
    tail = &(*tail)->next;
  }
  return first;
}

static prog_stmt *make_exchange(gen *g) {
  bool whole_warps = g->p->threads % 32 == 0;
  unsigned dice = below(g, whole_warps ? 4 : 2);
  prog_stmt *s = stmt_new(g, dice < 2 ? PROG_SHARE : dice == 2 ? PROG_SHUFFLE : PROG_VOTE);
  static const char *const modes[] = {"up", "down", "bfly", "idx"};
  static const char *const votes[] = {"any", "all", "uni", "ballot"};
  switch (s->kind) {
    case PROG_SHARE: {
      char cls = "rdfg"[below(g, 4)];
      s->dst[0] = var_of(g, cls), s->src[0] = var_of(g, cls), s->src[1] = var_of(g, 'r');
      s->post = chance(g, 40);  // the index from a variable
      s->amount = below(g, 200);
      break;
    }
    case PROG_SHUFFLE:
      s->text = modes[below(g, 4)];
      s->dst[0] = var_of(g, 'r'), s->src[0] = var_of(g, 'r'), s->dst[1] = var_of(g, 'p');
      s->src[1] = chance(g, 50) ? var_of(g, 'r')
                                : (prog_value){.cls = 'r', .imm = true, .bits = below(g, 32)};
      s->has_q = chance(g, 50);
      s->amount = chance(g, 70) ? (s->text[0] == 'u' ? 0 : 0x1f) : (unsigned)draw(g) & 0x1f1f;
      break;
    default:
      s->text = votes[below(g, 4)];
      s->dst[0] = var_of(g, s->text[0] == 'b' ? 'r' : 'p');
      s->src[0] = var_of(g, 'p');
      s->neg = chance(g, 30);
  }
  return s;
}

// Exchanges with statements before and behind, as one list.
static prog_stmt *make_exchanges(gen *g, unsigned count, bool may_nest) {
  prog_stmt *first = NULL, **tail = &first;
  for (unsigned k = 0; k < count; k++) {
    *tail = make_block(g, 1 + below(g, 8), 0, false, false);
    while (*tail)
      tail = &(*tail)->next;
    if (may_nest && g->loops < PROG_LOOPS && chance(g, 35)) {
      prog_stmt *s = *tail = stmt_new(g, PROG_REPEAT);
      s->amount = g->loops++;
      s->src[0] = (prog_value){.cls = 'r', .imm = true, .bits = 1 + below(g, 5)};
      s->body[0] = make_exchanges(g, 1 + below(g, 2), false);
    } else {
      *tail = make_exchange(g);
    }
    tail = &(*tail)->next;
  }
  *tail = make_block(g, 1 + below(g, 4), 0, false, false);
  return first;
}

prog *prog_generate(uint64_t seed, unsigned number) {
  static const unsigned sizes[] = {32, 64, 17, 51, 96, 1, 33};
  prog *p = calloc(1, sizeof *p);
  assert(p);
  gen g = {.p = p, .state = seed * 0x2545f4914f6cdd1du + number * 0x9e3779b97f4a7c15u};
  p->seed = seed;
  p->number = number;
  p->blocks = 1 + below(&g, 3);
  p->threads = sizes[below(&g, 7)];
  prog_stmt **tail = &p->body;
  if (chance(&g, 60))
    *tail = make_exchanges(&g, 1 + below(&g, 3), true);
  while (*tail)
    tail = &(*tail)->next;
  // Threads may leave only when nobody waits for them any more.
  *tail = make_block(&g, 4 + below(&g, 25), 0, false, true);
  return p;
}

void prog_free(prog *p) {
  if (!p)
    return;
  for (unsigned k = 0; k < p->count; k++)
    free(p->all[k]);
  free(p);
}
