// SPDX-License-Identifier: Apache-2.0
#include "expr.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
  const char *at;
  expr_lookup lookup;
  void *ctx;
  bool ok;
  int dead;  // inside a branch of ?: that is not taken
} parser;

static int64_t conditional(parser *p);

static void skip(parser *p) {
  while (isspace((unsigned char)*p->at))
    p->at++;
}

static bool take(parser *p, const char *token) {
  size_t n = strlen(token);
  skip(p);
  if (strncmp(p->at, token, n) != 0)
    return false;
  p->at += n;
  return true;
}

static int64_t primary(parser *p) {
  skip(p);
  if (take(p, "(")) {
    int64_t v = conditional(p);
    p->ok = p->ok && take(p, ")");
    return v;
  }
  if (isdigit((unsigned char)*p->at)) {
    char *end;
    int64_t v = (int64_t)strtoull(p->at, &end, 0);
    p->at = end;
    return v;
  }
  char name[32];
  size_t n = 0;
  while ((isalnum((unsigned char)*p->at) || *p->at == '_') && n < sizeof name - 1)
    name[n++] = *p->at++;
  name[n] = 0;
  int64_t index = 0, value = 0;
  bool indexed = n && take(p, "[");
  if (indexed) {
    index = conditional(p);
    p->ok = p->ok && take(p, "]");
  }
  p->ok = p->ok && n && (p->dead || p->lookup(p->ctx, name, indexed ? &index : NULL, &value));
  return value;
}

static int64_t unary(parser *p) {
  if (take(p, "-"))
    return (int64_t) - (uint64_t)unary(p);
  if (take(p, "~"))
    return ~unary(p);
  if (take(p, "!"))
    return !unary(p);
  return primary(p);
}

// Binary operators from the loosest to the tightest; longer tokens before their prefixes.
static const struct {
  const char *token;
  int level;
} binary[] = {{"||", 0}, {"&&", 1}, {"==", 5}, {"!=", 5}, {"<<", 7}, {">>", 7},
              {"<=", 6}, {">=", 6}, {"<", 6},  {">", 6},  {"|", 2},  {"^", 3},
              {"&", 4},  {"+", 8},  {"-", 8},  {"*", 9},  {"/", 9},  {"%", 9}};
enum { LEVELS = 10 };

static int64_t apply(parser *p, const char *op, int64_t x, int64_t y) {
  uint64_t a = (uint64_t)x, b = (uint64_t)y;
  switch (op[0]) {
    case '|':
      return op[1] ? x || y : x | y;
    case '&':
      return op[1] ? x && y : x & y;
    case '^':
      return x ^ y;
    case '=':
      return x == y;
    case '!':
      return x != y;
    case '<':
      return op[1] == '<' ? (int64_t)(b > 63 ? 0 : a << b) : op[1] ? x <= y : x < y;
    case '>':
      return op[1] == '>' ? x >> (b > 63 ? 63 : b) : op[1] ? x >= y : x > y;
    case '+':
      return (int64_t)(a + b);
    case '-':
      return (int64_t)(a - b);
    case '*':
      return (int64_t)(a * b);
    default:
      break;
  }
  if (y == 0 || y == -1) {
    p->ok = p->ok && (y != 0 || p->dead);
    return op[0] == '/' ? (int64_t)-a : 0;
  }
  return op[0] == '/' ? x / y : x % y;
}

static const char *operator_at(parser *p, int level) {
  skip(p);
  for (size_t k = 0; k < sizeof binary / sizeof *binary; k++)
    if (strncmp(p->at, binary[k].token, strlen(binary[k].token)) == 0)
      return binary[k].level == level ? binary[k].token : NULL;
  return NULL;
}

static int64_t level_eval(parser *p, int level) {
  if (level == LEVELS)
    return unary(p);
  int64_t x = level_eval(p, level + 1);
  for (const char *op; p->ok && (op = operator_at(p, level));) {
    p->at += strlen(op);
    x = apply(p, op, x, level_eval(p, level + 1));
  }
  return x;
}

static int64_t conditional(parser *p) {
  int64_t x = level_eval(p, 0);
  if (!p->ok || !take(p, "?"))
    return x;
  p->dead += x == 0;
  int64_t yes = conditional(p);
  p->dead += (x != 0) - (x == 0);
  p->ok = p->ok && take(p, ":");
  int64_t no = conditional(p);
  p->dead -= x != 0;
  return x ? yes : no;
}

bool expr_eval(const char *text, expr_lookup lookup, void *ctx, int64_t *value,
               const char **error) {
  parser p = {text, lookup, ctx, true, 0};
  *value = conditional(&p);
  skip(&p);
  *error = p.at;
  return p.ok && *p.at == 0;
}
