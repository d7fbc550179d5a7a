// SPDX-License-Identifier: Apache-2.0
// Expressions of a type: operations of ops.def over what the place can name.
#include "generate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct op {
  const char *results, *form, *operands;
} op;

static const op ops[] = {
#define OP(results, form, operands) {results, form, operands},
#include "ops.def"
#undef OP
};
enum { OPS = sizeof ops / sizeof ops[0] };

static bool fits(const char *results, char type) {
  switch (*results) {
    case 'A':
      return type != 'b';
    case 'I':
      return type != 'b' && !is_float(type);
    case 'F':
      return is_float(type);
    default:
      return *results == type;
  }
}

static const char *float_literal(generator *g, char type) {
  static const char *const special[] = {"0.0", "-0.0",  "1.0",    "-1.5",   "0.5",
                                        "3.0", "1e-40", "1e-310", "2.5e30", "4294967296.0"};
  const char *suffix = type == 'f' ? "f" : "";
  const char *sign = chance(g, 50) ? "-" : "";
  const unsigned which = below(g, 30);
  if (which < 10)
    return say(g, "%s%s", special[which], suffix);
  if (which == 10)
    return say(g, "(%s__builtin_inf%s())", sign, suffix);
  if (which == 11)
    return say(g, "__builtin_nan%s(\"\")", suffix);
  const unsigned high = below(g, 2000);
  return say(g, "(%s%u.%03u%s)", sign, which < 20 ? high : high / 100, below(g, 1000), suffix);
}

const char *literal(generator *g, char type) {
  if (type == 'b')
    return chance(g, 50) ? "true" : "false";
  if (is_float(type))
    return float_literal(g, type);
  uint64_t v = draw(g);
  const unsigned bits = 8 * type_bytes(type);
  switch (below(g, 5)) {
    case 0:
      v %= 20;
      break;
    case 1:
      v = (uint64_t)1 << below(g, bits);
      break;
    case 2:
      v = ((uint64_t)1 << below(g, bits)) - 1;
      break;
    case 3:
      v = 0 - v % 9;
      break;
    default:
      break;
  }
  v &= ~(uint64_t)0 >> (64 - bits);
  return say(g, "((%s)0x%llx%s)", type_name(type), (unsigned long long)v, bits == 64 ? "ull" : "u");
}

// ---- leaves

static const char *index_text(generator *g, const scope *s, unsigned count) {
  const char *e = chance(g, 30) ? literal(g, 'u') : expression(g, s, 'u', 1);
  return say(g, "(%s) & %u", e, count - 1);
}

static const char *element(generator *g, const scope *s, const array *a) {
  return say(g, "%s[%s]", a->text, index_text(g, s, a->count));
}

// One of those that fit, at random.
static const char *named(generator *g, const scope *s, char type, bool assign) {
  const char *found = NULL;
  unsigned seen = 0;
  for (unsigned n = 0; n < s->value_count; n++)
    if (s->values[n].type == type && !(assign && s->values[n].fixed) && below(g, ++seen) == 0)
      found = s->values[n].text;
  return found;
}

static const array *array_of(generator *g, const scope *s, char type, bool assign) {
  const array *found = NULL;
  unsigned seen = 0;
  for (unsigned n = 0; n < s->array_count; n++)
    if (s->arrays[n].type == type && !(assign && s->arrays[n].fixed) && below(g, ++seen) == 0)
      found = &s->arrays[n];
  return found;
}

const char *assignable(generator *g, const scope *s, char type) {
  const array *a = chance(g, 25) ? array_of(g, s, type, true) : NULL;
  return a ? element(g, s, a) : named(g, s, type, true);
}

// Input, and what the launch before has left.
static const char *input(generator *g, const scope *s, char type) {
  const char *t = type_name(type);
  if (!g->k || chance(g, 20))
    return literal(g, type);
  if (g->prev && chance(g, 50))
    return say(g, "load<%s>(prev, %s, %u)", t, expression(g, s, 'u', 1), g->prev);
  return say(g, "%s<%s>(in, %s, %u)", chance(g, 20) ? "load_cached" : "load", t,
             expression(g, s, 'u', 1), (unsigned)PROGRAM_IN);
}

static const char *vector_input(generator *g, const scope *s, char type) {
  static const char *const vectors[] = {"char", "uchar",    "short",     "ushort", "int",
                                        "uint", "longlong", "ulonglong", "float",  "double"};
  const unsigned width = type_bytes(type) == 8 ? 2 : 2 + 2 * below(g, 2);
  const char *name = vectors[strchr(TYPES, type) - TYPES];
  const char *at = index_text(g, s, PROGRAM_IN / (width * type_bytes(type)));
  return say(g, "num((%s)((const %s%u *)in)[%s].%c)", type_name(type), name, width, at,
             "xyzw"[below(g, width)]);
}

static const char *place_text(generator *g, char type) {
  static const char *const places[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z",
                                       "blockIdx.x",  "blockIdx.y",  "blockIdx.z",
                                       "blockDim.x",  "gridDim.x",   "lane_of_thread()"};
  return say(g, "((%s)%s)", type_name(type), places[below(g, 9)]);
}

// Of a variable, so that it is not always the same.
static const char *simple_condition(generator *g, const scope *s) {
  const char *v = NULL;
  char type = 'i';
  for (int tries = 0; tries < 5 && !v; tries++)
    v = named(g, s, type = any_type(g), false);
  if (!v)
    return chance(g, 50) ? "true" : "false";
  if (!is_float(type) && chance(g, 40))
    return say(g, "((%s & %u) != 0)", v, 1u << below(g, 6));
  const char *other = chance(g, 40) ? named(g, s, type, false) : literal(g, type);
  return say(g, "(%s %s %s)", v, chance(g, 50) ? "<" : ">", other);
}

static const char *leaf(generator *g, const scope *s, char type) {
  if (type == 'b')
    return simple_condition(g, s);
  const unsigned which = below(g, 20);
  const array *a = which < 4 ? array_of(g, s, type, false) : NULL;
  const char *v = named(g, s, type, false);
  if (a)
    return element(g, s, a);
  if (which == 5 && s->depth < 4)
    return input(g, s, type);
  if (which == 6 && g->k && s->depth < 4)
    return vector_input(g, s, type);
  if (which == 7 && g->k)
    return place_text(g, type);
  if (which < 17 && v)
    return v;
  if (which < 18) {
    const char other = "iuf"[below(g, 3)];
    v = named(g, s, other, false);
    if (v && (other != 'f' || is_float(type)))
      return say(g, "((%s)%s)", type_name(type), v);
  }
  return literal(g, type);
}

// ---- operations

static char operand_type(generator *g, char letter, char result, char shared) {
  switch (letter) {
    case 'T':
      return result;
    case 'N':
      return integer_type(g);
    case 'G':
      return chance(g, 50) ? 'f' : 'd';
    case 'P':
      return shared;
    default:
      return letter;
  }
}

static const char *operation(generator *g, const scope *s, const op *o, char type, unsigned depth) {
  static const char *const modes[] = {"rn", "rz", "rd", "ru"};
  const char shared = any_type(g), *operand = o->operands;
  char *text = say(g, "%s", "");
  for (const char *c = o->form; *c; c++) {
    if (*c == '$') {
      text = say(g, "%s%s", text, type_name(type));
    } else if (*c == '@') {
      text = say(g, "%s%s", text, modes[below(g, 4)]);
    } else if (*c == '#') {
      const char t = operand_type(g, *operand++, type, shared);
      text = say(g, "%s%s", text, expression(g, s, t, depth - 1));
    } else {
      text = say(g, "%s%c", text, *c);
    }
  }
  assert(!*operand);
  return text;
}

const char *expression(generator *g, const scope *s, char type, unsigned depth) {
  if (depth == 0 || chance(g, 15))
    return leaf(g, s, type);
  const op *found = NULL;
  unsigned seen = 0;
  for (unsigned n = 0; n < OPS; n++)
    if (fits(ops[n].results, type) && below(g, ++seen) == 0)
      found = &ops[n];
  return operation(g, s, found, type, depth);
}
