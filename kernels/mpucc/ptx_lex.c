// SPDX-License-Identifier: Apache-2.0
#include "ptx_lex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lex_start(lexer *l, const char *text, size_t bytes) {
  *l = (lexer){text, text + bytes, text, 1, 0};
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
static bool is_word(char c) {
  return is_word_start(c) || is_digit(c);
}

static int digit_value(char c) {
  if (is_digit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 99;
}

static bool comment_ends(const lexer *l) {
  for (const char *at = l->at + 2; at + 1 < l->end; at++)
    if (at[0] == '*' && at[1] == '/')
      return true;
  return false;
}

// True when there was nothing to skip. A comment without an end is left, for an error about it.
static bool skip_blank(lexer *l) {
  const char *before = l->at;
  while (l->at < l->end) {
    char c = *l->at;
    if (c == '\n') {
      l->at++;
      l->line++;
      l->line_start = l->at;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      l->at++;
    } else if (c == '/' && l->at + 1 < l->end && l->at[1] == '/') {
      while (l->at < l->end && *l->at != '\n')
        l->at++;
    } else if (c == '/' && l->at + 1 < l->end && l->at[1] == '*') {
      if (!comment_ends(l))
        break;
      l->at += 2;
      while (!(l->at[0] == '*' && l->at[1] == '/')) {
        if (*l->at == '\n') {
          l->line++;
          l->line_start = l->at + 1;
        }
        l->at++;
      }
      l->at += 2;
    } else {
      break;
    }
  }
  return l->at == before;
}

// 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX: exactly 8 or 16 digits.
static bool lex_hex_float(lexer *l, token *t) {
  char c = l->at[1];
  size_t digits = c == 'f' || c == 'F' ? 8 : c == 'd' || c == 'D' ? 16 : 0;
  if (digits == 0 || (size_t)(l->end - l->at) < 2 + digits)
    return false;
  uint64_t bits = 0;
  for (size_t n = 0; n < digits; n++) {
    int v = digit_value(l->at[2 + n]);
    if (v > 15)
      return false;
    bits = bits << 4 | (uint64_t)v;
  }
  t->kind = LEX_FLOAT;
  t->bits = bits;
  t->width = digits == 8 ? 32 : 64;
  l->at += 2 + digits;
  return true;
}

static void lex_decimal_float(lexer *l, token *t) {
  char copy[64];
  size_t n = 0;
  const char *at = l->at;
  while (at < l->end && (is_digit(*at) || *at == '.' ||
                         ((*at == 'e' || *at == 'E') && at + 1 < l->end &&
                          (is_digit(at[1]) || at[1] == '+' || at[1] == '-')) ||
                         ((*at == '+' || *at == '-') && (at[-1] == 'e' || at[-1] == 'E')))) {
    if (n + 1 < sizeof copy)
      copy[n++] = *at;
    at++;
  }
  copy[n] = 0;
  char *rest;
  double v = strtod(copy, &rest);
  t->kind = n + 1 < sizeof copy && *rest == 0 ? LEX_FLOAT : LEX_BAD;
  t->huge = isinf(v);
  memcpy(&t->bits, &v, sizeof v);
  l->at = at;
}

static void lex_number(lexer *l, token *t) {
  const char *at = l->at;
  unsigned base = 10;
  if (*at == '0' && at + 1 < l->end) {
    if (lex_hex_float(l, t))
      return;
    if (at[1] == 'x' || at[1] == 'X')
      base = 16, at += 2;
    else if (at[1] == 'b' || at[1] == 'B')
      base = 2, at += 2;
    else if (is_digit(at[1]))
      base = 8, at += 1;
  }
  const char *first = at;
  uint64_t value = 0;
  while (at < l->end && digit_value(*at) < (int)base) {
    uint64_t digit = (uint64_t)digit_value(*at);
    if (value > (UINT64_MAX - digit) / base)
      t->huge = true;
    value = value * base + digit;
    at++;
  }
  bool fraction =
      at < l->end && (*at == '.' || *at == 'e' || *at == 'E') && base != 16 && base != 2;
  if (fraction && at + 1 < l->end && (is_digit(at[1]) || *at != '.' || !is_word(at[1]))) {
    lex_decimal_float(l, t);
    return;
  }
  t->kind = at == first && base != 10 ? LEX_BAD : LEX_INT;
  t->value = value;
  if (at < l->end && *at == 'U') {
    t->is_unsigned = true;
    at++;
  }
  l->at = at;
}

token lex_next(lexer *l) {
  token t = {0};
  t.glued = skip_blank(l);
  t.first = l->line != l->last_line;
  l->last_line = l->line;
  t.line = l->line;
  t.col = (uint32_t)(l->at - l->line_start) + 1;
  t.text = l->at;
  if (l->at >= l->end)
    return t;
  char c = *l->at;
  if (is_word_start(c)) {
    t.kind = LEX_WORD;
    do
      l->at++;
    while (l->at < l->end && is_word(*l->at));
    t.length = (size_t)(l->at - t.text);
  } else if (c == '.' && l->at + 1 < l->end && is_word(l->at[1])) {
    t.kind = LEX_DOT;
    t.text = ++l->at;
    while (l->at < l->end && (is_word(*l->at) || (*l->at == ':' && l->end - l->at > 2 &&
                                                  (l->at[1] == ':' || l->at[-1] == ':'))))
      l->at++;
    t.length = (size_t)(l->at - t.text);
  } else if (is_digit(c)) {
    lex_number(l, &t);
    t.length = (size_t)(l->at - t.text);
  } else if (c == '"') {
    t.kind = LEX_STRING;
    t.text = ++l->at;
    while (l->at < l->end && *l->at != '"' && *l->at != '\n')  // a backslash takes the next along
      l->at += *l->at == '\\' && l->end - l->at > 1 && l->at[1] != '\n' ? 2 : 1;
    t.length = (size_t)(l->at - t.text);
    if (l->at < l->end && *l->at == '"')
      l->at++;
    else
      t.kind = LEX_BAD;
  } else if (c == '/' && l->end - l->at > 1 && l->at[1] == '*') {
    t.kind = LEX_BAD;  // a comment without an end
    t.length = 2;
    l->at = l->end;
  } else {
    t.kind = strchr("{}()[]<>,;:@!|+-=*&", c) && c ? LEX_PUNCT : LEX_BAD;
    t.punct = c;
    t.length = 1;
    l->at++;
  }
  return t;
}
