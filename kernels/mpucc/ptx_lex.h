// SPDX-License-Identifier: Apache-2.0
// Tokens of PTX.
#ifndef NEARBANK_PTX_LEX_H
#define NEARBANK_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum lex_kind {
  LEX_END,
  LEX_WORD,    // name, opcode, %register
  LEX_DOT,     // .directive or .modifier; text without the dot
  LEX_INT,     // value; `huge` when it needs more than 64 bits (LEX_FLOAT: is out of range)
  LEX_FLOAT,   // bits, width (0: decimal constant, bits of a double)
  LEX_STRING,  // text without the quotes
  LEX_PUNCT,   // one character in `punct`
  LEX_BAD      // a character that no token starts with; a string or comment without an end
} lex_kind;

typedef struct token {
  lex_kind kind;
  const char *text;
  size_t length;
  char punct;
  bool huge, is_unsigned;
  bool glued;  // nothing stands between this token and the one before
  bool first;  // of its line
  uint64_t value, bits;
  uint32_t width;
  uint32_t line, col;
} token;

typedef struct lexer {
  const char *at, *end, *line_start;
  uint32_t line, last_line;
} lexer;

void lex_start(lexer *l, const char *text, size_t bytes);
token lex_next(lexer *l);

#endif
