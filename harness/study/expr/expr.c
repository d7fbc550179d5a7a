// SPDX-License-Identifier: Apache-2.0
#include "expr.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 64 };

typedef enum kind { NUMBER, NAME, NEGATE, ADD, SUBTRACT, TIMES, DIVIDE, MIN, MAX, SQRT, LOG2 } kind;

struct expr {
  kind kind;
  double number;
  char *name, *run;  // of NAME; run NULL: the run itself
  expr *a, *b;
};

static const struct {
  const char *name;
  kind kind;
  unsigned arguments;
} functions[] = {{"min", MIN, 2}, {"max", MAX, 2}, {"sqrt", SQRT, 1}, {"log2", LOG2, 1}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

typedef struct parser {
  const char *text, *p;
  unsigned depth;
  size_t *at;
  char *why;
  size_t bytes;
} parser;

static expr *wrong(parser *p, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static expr *wrong(parser *p, const char *at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(p->why, p->bytes, format, args);
  va_end(args);
  *p->at = (size_t)(at - p->text);
  return NULL;
}

static char next(parser *p) {
  while (isspace((unsigned char)*p->p))
    p->p++;
  return *p->p;
}

static expr *make(kind k, expr *a, expr *b) {
  expr *e = calloc(1, sizeof *e);
  if (!e)
    abort();
  e->kind = k, e->a = a, e->b = b;
  return e;
}

void expr_free(expr *e) {
  if (!e)
    return;
  expr_free(e->a);
  expr_free(e->b);
  free(e->name);
  free(e->run);
  free(e);
}

// Frees `left` when `right` is not there.
static expr *both(kind k, expr *left, expr *right) {
  if (right)
    return make(k, left, right);
  expr_free(left);
  return NULL;
}

static expr *sum(parser *p);

static bool expect(parser *p, char c) {
  if (next(p) != c)
    return wrong(p, p->p, *p->p ? "expected '%c', not '%.1s'" : "expected '%c' at the end", c,
                 p->p);
  p->p++;
  return true;
}

static expr *call(parser *p, size_t f) {
  expr *a, *e;
  p->p++;
  if (!(a = sum(p)))
    return NULL;
  if (functions[f].arguments == 2)
    e = expect(p, ',') ? both(functions[f].kind, a, sum(p)) : (expr_free(a), NULL);
  else
    e = make(functions[f].kind, a, NULL);
  if (e && expect(p, ')'))
    return e;
  expr_free(e);
  return NULL;
}

static bool in_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static expr *name(parser *p) {
  const char *begin = p->p;
  while (in_name(*p->p))
    p->p++;
  char *word = strndup(begin, (size_t)(p->p - begin)), *run = NULL;
  if (next(p) == '(') {
    size_t f = 0;
    while (f < FUNCTIONS && strcmp(functions[f].name, word) != 0)
      f++;
    if (f == FUNCTIONS)
      wrong(p, begin, "unknown function '%s'; functions: min, max, sqrt, log2", word);
    free(word);
    return f < FUNCTIONS ? call(p, f) : NULL;
  }
  if (*p->p == '[') {
    const char *open = p->p + 1, *close = strchr(open, ']');
    if (!close || close == open) {
      free(word);
      return wrong(p, p->p, close ? "[] names no run" : "']' is missing");
    }
    run = strndup(open, (size_t)(close - open));
    p->p = close + 1;
  }
  expr *e = make(NAME, NULL, NULL);
  e->name = word, e->run = run;
  return e;
}

static expr *factor(parser *p) {
  const char c = next(p);
  if (c == '-') {
    p->p++;
    expr *a = p->depth++ < DEEP ? factor(p) : wrong(p, p->p, "nested too deeply");
    p->depth--;
    return a ? make(NEGATE, a, NULL) : NULL;
  }
  if (c == '(') {
    p->p++;
    expr *e = sum(p);
    if (e && expect(p, ')'))
      return e;
    expr_free(e);
    return NULL;
  }
  if (isdigit((unsigned char)c) || c == '.') {
    char *end;
    expr *e = make(NUMBER, NULL, NULL);
    e->number = strtod(p->p, &end);
    if (end > p->p) {
      p->p = end;
      return e;
    }
    expr_free(e);
    return wrong(p, p->p, "'%.1s' is not a number", p->p);
  }
  if (isalpha((unsigned char)c) || c == '_')
    return name(p);
  return wrong(p, p->p, c ? "expected a number or a name, not '%.1s'" : "it ends too early", p->p);
}

static expr *product(parser *p) {
  expr *e = factor(p);
  for (char c; e && ((c = next(p)) == '*' || c == '/');) {
    p->p++;
    e = both(c == '*' ? TIMES : DIVIDE, e, factor(p));
  }
  return e;
}

static expr *sum(parser *p) {
  if (p->depth == DEEP)
    return wrong(p, p->p, "nested too deeply");
  p->depth++;
  expr *e = product(p);
  for (char c; e && ((c = next(p)) == '+' || c == '-');) {
    p->p++;
    e = both(c == '+' ? ADD : SUBTRACT, e, product(p));
  }
  p->depth--;
  return e;
}

expr *expr_parse(const char *text, size_t *at, char *why, size_t bytes) {
  parser p = {text, text, 0, at, why, bytes};
  expr *e = sum(&p);
  if (!e || !next(&p))
    return e;
  expr_free(e);
  return wrong(&p, p.p, "'%.20s' is left over", p.p);
}

void expr_each(const expr *e, void (*take)(void *ctx, const char *name, const char *run),
               void *ctx) {
  if (!e)
    return;
  if (e->kind == NAME)
    take(ctx, e->name, e->run);
  expr_each(e->a, take, ctx);
  expr_each(e->b, take, ctx);
}

bool expr_names(const expr *e, const char *run) {
  if (!e)
    return false;
  if (e->kind == NAME && e->run && (!run || strcmp(e->run, run) == 0))
    return true;
  return expr_names(e->a, run) || expr_names(e->b, run);
}

static double combine(kind k, double a, double b) {
  switch (k) {
    case NEGATE:
      return -a;
    case ADD:
      return a + b;
    case SUBTRACT:
      return a - b;
    case TIMES:
      return a * b;
    case DIVIDE:
      return a / b;
    case MIN:
      return fmin(a, b);
    case MAX:
      return fmax(a, b);
    case SQRT:
      return sqrt(a);
    default:
      return log2(a);
  }
}

static bool compute(const expr *e, expr_lookup lookup, void *ctx, double *to) {
  double a = 0, b = 0;
  if (e->kind == NUMBER)
    return *to = e->number, true;
  if (e->kind == NAME)
    return lookup(ctx, e->name, e->run, to);
  if (!compute(e->a, lookup, ctx, &a) || (e->b && !compute(e->b, lookup, ctx, &b)))
    return false;
  *to = combine(e->kind, a, b);
  return true;
}

bool expr_value(const expr *e, expr_lookup lookup, void *ctx, double *to) {
  return compute(e, lookup, ctx, to) && isfinite(*to);
}
