// SPDX-License-Identifier: Apache-2.0
// Integer expressions of test cases, with the precedence of C: numbers, names, name[expr], unary
// - ~ !, * / %, + -, << >>, comparisons, & ^ |, && ||, ?: and parentheses, on 64-bit integers.
#ifndef NEARBANK_TB_WRONG_EXPR_H
#define NEARBANK_TB_WRONG_EXPR_H

#include <stdbool.h>
#include <stdint.h>

// Value of a name; `index` NULL: a plain name. False: unknown name or index out of range.
typedef bool (*expr_lookup)(void *ctx, const char *name, const int64_t *index, int64_t *value);

// False when the text is no expression; *error then points at the place.
bool expr_eval(const char *text, expr_lookup lookup, void *ctx, int64_t *value, const char **error);

#endif
