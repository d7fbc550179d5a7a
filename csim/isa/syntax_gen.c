// SPDX-License-Identifier: Apache-2.0
// Prints syntax files for listings from isa.def: `syntax_gen vim` for Vim, `syntax_gen textmate` a
// TextMate grammar (VS Code), `syntax_gen sublime` the same for Sublime Text and bat.
//
// An instruction is matched from the beginning of its line: location, guard, name with modifiers,
// hint; operands by themselves. That covers what mpu dis prints and mpu asm reads, listings (-S)
// and dumps (--dump-after).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "isa.h"

enum { WORDS = 256, TEXT = 8192 };

typedef struct words {
  const char *of[WORDS];
  size_t n;
} words;

static void add(words *w, const char *text) {
  for (size_t n = 0; n < w->n; n++)
    if (strcmp(w->of[n], text) == 0)
      return;
  if (!text[0])
    return;
  if (w->n == WORDS)
    abort();
  w->of[w->n++] = text;
}

static int by_name(const void *x, const void *y) {
  return strcmp(*(const char *const *)x, *(const char *const *)y);
}

// As alternatives of a regular expression.
static void join(words *w, char to[TEXT]) {
  size_t at = 0;
  qsort(w->of, w->n, sizeof *w->of, by_name);
  for (size_t n = 0; n < w->n; n++) {
    if (n)
      to[at++] = '|';
    for (const char *c = w->of[n]; *c && at < TEXT - 3; c++) {
      if (*c == '.')
        to[at++] = '\\';
      to[at++] = *c;
    }
  }
  if (at >= TEXT - 3)
    abort();
  to[at] = 0;
}

static char opcodes[TEXT], modifiers[TEXT], specials[TEXT];

static void collect(void) {
  words ops = {.n = 0}, mods = {.n = 0}, sregs = {.n = 0};
  for (unsigned op = 0; op < 256; op++)
    if (isa_ops[op].name)
      add(&ops, isa_ops[op].name);
#define ISA_RND(n, N, text, doc) add(&mods, text);
#define ISA_CMP(n, N, text, doc) add(&mods, text);
#define ISA_ATOM(n, N, text, types, doc) add(&mods, text);
#define ISA_SUB(OP, n, N, text, doc) add(&mods, text);
#define ISA_SPACE(n, N, text, bits, doc) add(&mods, text);
#define ISA_TYPE(n, N, text, bits, kind) add(&mods, text);
#define ISA_SREG(n, N, text, doc) add(&sregs, text);
#include "isa.def"
  for (unsigned n = 0; isa_order_name(n); n++)
    add(&mods, isa_order_name(n));
  for (unsigned n = 0; isa_scope_name(n); n++)
    add(&mods, isa_scope_name(n));
  static const char *const others[] = {"and", "or", "xor", "ftz", "sat"};
  for (size_t n = 0; n < sizeof others / sizeof *others; n++)
    add(&mods, others[n]);
  join(&ops, opcodes);
  join(&mods, modifiers);
  join(&sregs, specials);
}

#define LOCATION "[NFBU]"
#define PREDICATE "%?p(?:[0-9]+|t)"
#define DIRECTIVES                                                                                \
  "kernel|regs|param|dies|shared|skew|local|maxthreads|word|mir|stage|file|frame|predicates|reg|" \
  "block"

// ---- TextMate and Sublime Text: `%o`, `%m` and `%s` are opcodes, modifiers, special registers

enum { CAPTURES = 7 };
typedef struct rule {
  const char *name;  // of the rule
  const char *match;
  const char *scope;               // of all of it, NULL: none
  const char *captures[CAPTURES];  // of groups 1, 2, ...
} rule;

static const rule rules[] = {
    {"comment", "(?://|;).*$", "comment.line.mpu", {NULL}},
    {"directive",
     "^\\s*(\\.(?:" DIRECTIVES "))(?=\\s|$)(?:\\s+(\"[^\"]*\"|[A-Za-z_$%.][A-Za-z0-9_$%.]*))?",
     NULL,
     {"keyword.control.directive.mpu", "entity.name.function.mpu"}},
    {"label", "^\\s*([A-Za-z0-9_$.]+)(?=:\\s*(?:$|//))", NULL, {"entity.name.label.mpu"}},
    {"instruction",
     "^\\s*(\\[" LOCATION "\\])?\\s*(@!?" PREDICATE "(?::" LOCATION
     ")?)?\\s*\\b(%o)((?:\\.(?:%m))*)"
     "(?:(\\.N)|(\\.FD?))?(?=\\s|$)",
     NULL,
     {"storage.modifier.location.mpu", "keyword.operator.guard.mpu",
      "support.function.mnemonic.mpu", "storage.type.modifier.mpu", "constant.language.near.mpu",
      "constant.language.far.mpu"}},
    {"special", "(?<![\\w.%$])(?:%s)(?![\\w.$])", "variable.language.special.mpu", {NULL}},
    {"predicate",
     "!?(?<![\\w.$])" PREDICATE "(?![\\w.$])(?:(:" LOCATION ")(?!\\w))?",
     "variable.parameter.predicate.mpu",
     {"storage.modifier.location.mpu"}},
    {"register",
     "(?<![\\w.%$])(?:r[dq]?[0-9]+|rz|%[A-Za-z_][A-Za-z0-9_$]*(?:\\.[wp][0-9])?)(?![\\w$])(?:(:N)|("
     ":F)"
     "|(:[BU]))?",
     "variable.other.register.mpu",
     {"constant.language.near.mpu", "constant.language.far.mpu", "storage.modifier.location.mpu"}},
    {"number",
     "(?<![\\w.%$])-?(?:0f[0-9a-fA-F]{8}|0x[0-9a-fA-F]+|[0-9]+)(?![\\w.$])",
     "constant.numeric.mpu",
     {NULL}},
};
enum { RULES = sizeof rules / sizeof *rules };
static const char first_line[] = "^(?:\\.kernel |// kernel |\\.mir )";

static void regex(const char *match, char to[2 * TEXT]) {
  size_t at = 0;
  to[0] = 0;
  for (const char *c = match; *c; c++) {
    const char *words = c[0] != '%'   ? NULL
                        : c[1] == 'o' ? opcodes
                        : c[1] == 'm' ? modifiers
                        : c[1] == 's' ? specials
                                      : NULL;
    if (words)
      at += (size_t)snprintf(to + at, 2 * TEXT - at, "%s", words), c++;
    else
      at += (size_t)snprintf(to + at, 2 * TEXT - at, "%c", *c);
  }
  if (at >= 2 * TEXT)
    abort();
}

static void json_string(const char *s) {
  putchar('"');
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      putchar('\\');
    putchar(*s);
  }
  putchar('"');
}

static void print_textmate(void) {
  char match[2 * TEXT];
  puts(
      "{\n  \"comment\": \"Generated by syntax_gen textmate from csim/isa/isa.def. Do not "
      "edit.\",\n  \"name\": \"MPU listing\",\n  \"scopeName\": \"source.mpu\",\n  \"fileTypes\": "
      "[\"mpu\", \"lst\"],");
  printf("  \"firstLineMatch\": ");
  json_string(first_line);
  puts(",\n  \"patterns\": [");
  for (size_t n = 0; n < RULES; n++)
    printf("    {\"include\": \"#%s\"}%s\n", rules[n].name, n + 1 < RULES ? "," : "");
  puts("  ],\n  \"repository\": {");
  for (size_t n = 0; n < RULES; n++) {
    const rule *r = &rules[n];
    regex(r->match, match);
    printf("    \"%s\": {\n", r->name);
    if (r->scope)
      printf("      \"name\": \"%s\",\n", r->scope);
    printf("      \"match\": ");
    json_string(match);
    if (r->captures[0])
      printf(",\n      \"captures\": {");
    for (unsigned k = 0; k < CAPTURES && r->captures[k]; k++)
      printf("%s\n        \"%u\": {\"name\": \"%s\"}", k ? "," : "", k + 1, r->captures[k]);
    printf("%s\n    }%s\n", r->captures[0] ? "\n      }" : "", n + 1 < RULES ? "," : "");
  }
  puts("  }\n}");
}

static void print_sublime(void) {
  char match[2 * TEXT];
  printf(
      "%%YAML 1.2\n---\n# Generated by syntax_gen sublime from csim/isa/isa.def. Do not edit.\n"
      "name: MPU listing\nfile_extensions: [mpu, lst]\nfirst_line_match: '%s'\nscope: source.mpu\n"
      "contexts:\n  main:\n",
      first_line);
  for (size_t n = 0; n < RULES; n++) {
    const rule *r = &rules[n];
    regex(r->match, match);
    printf("    - match: '%s'\n", match);
    if (r->scope)
      printf("      scope: %s\n", r->scope);
    if (r->captures[0])
      puts("      captures:");
    for (unsigned k = 0; k < CAPTURES && r->captures[k]; k++)
      printf("        %u: %s\n", k + 1, r->captures[k]);
  }
}

// ---- Vim: where two begin together, the later one counts

static void print_vim(void) {
  printf(
      "\" Vim syntax file: MPU listings\n"
      "\" Generated by syntax_gen vim from csim/isa/isa.def. Do not edit.\n"
      "if exists('b:current_syntax')\n  finish\nendif\n\n"
      "syn match mpuNumber /\\v[[:alnum:]_.%%$]@1<!-?%%(0f\\x{8}|0x\\x+|\\d+)[[:alnum:]_.$]@!/\n"
      "syn match mpuRegister "
      "/\\v[[:alnum:]_.%%$]@1<!%%(r[dq]?\\d+|rz|\\%%\\a[[:alnum:]_$]*%%(\\.[wp]\\d)?)"
      "[[:alnum:]_$]@!/ nextgroup=mpuNear,mpuFar,mpuLocation\n"
      "syn match mpuPredicate /\\v!?[[:alnum:]_.$]@1<!\\%%?p%%(\\d+|t)[[:alnum:]_.$]@!/ "
      "nextgroup=mpuNear,mpuFar,mpuLocation\n"
      "syn match mpuSpecial /\\v[[:alnum:]_.%%$]@1<!%%(%s)[[:alnum:]_.$]@!/\n\n"
      "syn match mpuStart /\\v^\\s*/ nextgroup=mpuTag,mpuGuard,mpuOpcode\n"
      "syn match mpuTag /\\v\\[[NFBU]\\]\\s*/ contained nextgroup=mpuGuard,mpuOpcode\n"
      "syn match mpuGuard /\\v\\@!?\\%%?p%%(\\d+|t)%%(:[NFBU])?\\s*/ contained "
      "nextgroup=mpuOpcode\n"
      "syn match mpuOpcode /\\v%%(%s)%%([.[:space:]]|$)@=/ contained "
      "nextgroup=mpuModifier,mpuNear,mpuFar\n"
      "syn match mpuModifier /\\v\\.%%(%s)%%([.[:space:]]|$)@=/ contained "
      "nextgroup=mpuModifier,mpuNear,mpuFar\n"
      "syn match mpuNear /\\v[.:]N[[:alnum:]_.]@!/ contained\n"
      "syn match mpuFar /\\v[.:]F[[:alnum:]_.]@!/ contained\n"
      "syn match mpuLocation /\\v:[BU][[:alnum:]_.]@!/ contained\n\n"
      "syn match mpuLabel /\\v^\\s*[[:alnum:]_$.]+%%(:\\s*%%($|\\/\\/))@=/\n"
      "syn match mpuDirective /\\v^\\s*\\.%%(%s)%%(\\s|$)@=/\n"
      "syn match mpuComment /\\v%%(\\/\\/|;).*/\n\n",
      specials, opcodes, modifiers, DIRECTIVES);
  static const char *const links[][2] = {
      {"Number", "Number"},       {"Register", "Identifier"},   {"Predicate", "Special"},
      {"Special", "Constant"},    {"Tag", "StorageClass"},      {"Guard", "Special"},
      {"Opcode", "Statement"},    {"Modifier", "Type"},         {"Near", "String"},
      {"Far", "PreProc"},         {"Location", "StorageClass"}, {"Label", "Function"},
      {"Directive", "PreCondit"}, {"Comment", "Comment"}};
  for (size_t n = 0; n < sizeof links / sizeof *links; n++)
    printf("hi def link mpu%s %s\n", links[n][0], links[n][1]);
  puts("\nlet b:current_syntax = 'mpu'");
}

int main(int argc, char **argv) {
  collect();
  if (argc == 2 && strcmp(argv[1], "vim") == 0)
    print_vim();
  else if (argc == 2 && strcmp(argv[1], "textmate") == 0)
    print_textmate();
  else if (argc == 2 && strcmp(argv[1], "sublime") == 0)
    print_sublime();
  else
    return fputs("usage: syntax_gen vim|textmate|sublime\n", stderr), 2;
  return 0;
}
