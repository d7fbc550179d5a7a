// SPDX-License-Identifier: Apache-2.0
// The PTX parser: recursive descent over tokens, one function a construct. Errors inside a
// statement skip to its end, so that one run reports several. This file has statements, functions
// and the module.
#include <stdlib.h>
#include <string.h>
#include "ptx_parse.h"

enum { MAX_TARGETS = 65536, MAX_ERRORS = 50 };

// ---- instructions

static bool parse_guard(parser *p, ptx_stmt *s) {
  if (!parse_accept(p, '@'))
    return true;
  s->guarded = true;
  s->guard_neg = parse_accept(p, '!');
  symbol *y = p->t.kind == LEX_WORD ? name_lookup(p, p->scope, p->t.text, p->t.length) : NULL;
  if (!y || y->kind != SYM_REG || p->f->regs[y->index].type != PTX_PRED)
    return parse_error(p, &p->t, "expected a predicate register");
  s->guard = y->index;
  parse_advance(p);
  return true;
}

// q of a pair of destinations `p|q`.
static bool parse_pair(parser *p, ptx_stmt *s) {
  ptx_operand q;
  if (!parse_operand(p, &q))
    return false;
  if (s->operand_count != 1 || (q.kind != PTX_REG && q.kind != PTX_SINK) || q.negated ||
      (q.kind == PTX_REG && p->f->regs[q.reg].type != PTX_PRED))
    return diag_error(p->d, q.line, q.col, "expected a second predicate of the destination");
  if (q.kind == PTX_REG)
    s->pair = q.reg;
  return true;
}

static bool parse_inst(parser *p) {
  ptx_stmt s = {.pair = UINT32_MAX, .cuda_file = p->cuda_file, .cuda_line = p->cuda_line};
  if (!parse_guard(p, &s))
    return false;
  if (p->t.kind != LEX_WORD || *p->t.text == '%')
    return parse_error(p, &p->t, "expected an instruction");
  s.line = p->t.line;
  s.col = p->t.col;
  s.op = parse_text(p);
  parse_advance(p);
  while (p->t.kind == LEX_DOT) {
    if (s.mod_count == PTX_MODS)
      return parse_error(p, &p->t, "too many modifiers");
    s.mods[s.mod_count++] = parse_text(p);
    parse_advance(p);
  }
  if (p->t.kind == LEX_END || parse_is(p, '}'))
    return parse_expect(p, ';');
  while (!parse_is(p, ';')) {
    if (s.operand_count == PTX_OPERANDS)
      return parse_error(p, &p->t, "too many operands");
    if (!parse_operand(p, &s.operands[s.operand_count]))
      return false;
    s.operand_count++;
    if (parse_accept(p, '|') && !parse_pair(p, &s))
      return false;
    if (parse_is(p, ';'))
      break;
    if (!parse_accept(p, ','))
      return parse_error(p, &p->t, "expected ',' or ';'");
    if (parse_is(p, ';'))
      return parse_error(p, &p->t, "expected an operand");
  }
  parse_advance(p);
  *ptx_stmt_add(p->m, p->f) = s;
  return true;
}

// ---- directives among statements

static bool parse_loc(parser *p) {
  uint32_t file, line, col, ignored[3];
  parse_advance(p);
  if (!parse_u32(p, &file) || !parse_u32(p, &line) || !parse_u32(p, &col))
    return false;
  if (line) {  // line 0: made by the compiler, belongs to what is around it
    p->cuda_file = file;
    p->cuda_line = line;
  }
  while (parse_accept(p, ',')) {
    if (parse_is_word(&p->t, "function_name")) {
      parse_advance(p);
      if (p->t.kind != LEX_WORD && p->t.kind != LEX_DOT)
        return parse_error(p, &p->t, "expected a label");
      parse_advance(p);
      if (parse_accept(p, '+') && !parse_u32(p, &ignored[0]))
        return false;
    } else if (parse_is_word(&p->t, "inlined_at")) {
      parse_advance(p);
      for (int n = 0; n < 3; n++)
        if (!parse_u32(p, &ignored[n]))
          return false;
    } else {
      return parse_error(p, &p->t, "expected function_name or inlined_at");
    }
  }
  return true;
}

// The text of a string, where a backslash stands before a quotation mark or another one.
static const char *parse_string(parser *p) {
  char *text = malloc(p->t.length + 1);
  size_t n = 0;
  for (size_t k = 0; text && k < p->t.length; k++) {
    const char *at = p->t.text + k;
    k += at[0] == '\\' && k + 1 < p->t.length && (at[1] == '"' || at[1] == '\\');
    text[n++] = p->t.text[k];
  }
  const char *kept = text ? name_intern(p, text, n) : parse_text(p);
  free(text);
  return kept;
}

static bool parse_file(parser *p) {
  ptx_module *m = p->m;
  uint32_t number;
  parse_advance(p);
  if (!parse_u32(p, &number))
    return false;
  if (p->t.kind != LEX_STRING)
    return parse_error(p, &p->t, "expected a file name");
  m->files = ptx_grow(m, m->files, m->file_count, &m->file_capacity, sizeof *m->files);
  m->files[m->file_count++] = (ptx_file){number, parse_string(p)};
  parse_advance(p);
  while (parse_accept(p, ',')) {  // time and size
    int64_t ignored;
    if (!parse_int(p, &ignored))
      return false;
  }
  return true;
}

static bool parse_section(parser *p) {
  while (p->t.kind != LEX_END && !parse_is(p, '{') && !parse_is(p, ';'))
    parse_advance(p);
  if (!parse_expect(p, '{'))
    return false;
  while (p->t.kind != LEX_END && !parse_is(p, '}'))
    parse_advance(p);
  return parse_expect(p, '}');
}

static bool parse_pragma(parser *p) {
  parse_advance(p);
  do {
    if (p->t.kind != LEX_STRING)
      return parse_error(p, &p->t, "expected a string");
    parse_advance(p);
  } while (parse_accept(p, ','));
  return parse_expect(p, ';');
}

// Declares a table; its name in the function may differ when scopes repeat it.
static const char *declare_table(parser *p, const token *at, const char *name) {
  const char *unique = name_unique(p, p->table_scope, name);
  return name_declare(p, at, name, SYM_TABLE, 0, (void *)(uintptr_t)unique) ? unique : NULL;
}

static bool parse_targets(parser *p, const token *at, const char *name) {
  ptx_operand list = {.kind = PTX_LIST};
  uint32_t capacity = 0;
  parse_advance(p);
  do {
    ptx_operand label;
    if (list.count >= MAX_TARGETS)
      return parse_error(p, &p->t, "too many targets");
    if (p->t.kind != LEX_WORD)
      return parse_error(p, &p->t, "expected a label");
    if (!parse_memory(p) || !parse_operand(p, &label))
      return false;
    list.items = ptx_grow(p->m, list.items, list.count, &capacity, sizeof label);
    list.items[list.count++] = label;
  } while (parse_accept(p, ','));
  list.name = declare_table(p, at, name);
  if (!list.name || !parse_expect(p, ';'))
    return false;
  // A pseudo instruction until labels are resolved.
  ptx_stmt *s = ptx_stmt_add(p->m, p->f);
  s->op = ".branchtargets";
  s->line = at->line;
  s->col = at->col;
  s->operand_count = 1;
  s->operands[0] = list;
  return true;
}

// Kept as text: only what looks at a call through a pointer could want it.
static bool parse_prototype(parser *p, const token *at, const char *name) {
  ptx_function *f = p->f;
  char *text = NULL;
  uint32_t used = 0, capacity = 0;
  for (parse_advance(p); p->t.kind != LEX_END && !parse_is(p, ';'); parse_advance(p)) {
    if (p->t.kind == LEX_BAD || p->t.kind == LEX_STRING || parse_is(p, '{') || parse_is(p, '}'))
      return parse_error(p, &p->t, "expected ';'");
    if (used + p->t.length + 3 > capacity) {
      uint32_t larger = 2 * (used + (uint32_t)p->t.length) + 64;
      char *made = ptx_alloc(p->m, larger);
      if (used)
        memcpy(made, text, used);
      text = made;
      capacity = larger;
    }
    if (used)
      text[used++] = ' ';
    if (p->t.kind == LEX_DOT)
      text[used++] = '.';
    memcpy(text + used, p->t.text, p->t.length);
    used += (uint32_t)p->t.length;
  }
  const char *unique = declare_table(p, at, name);
  if (!unique || !parse_expect(p, ';') || !parse_memory(p))
    return false;
  f->prototypes = ptx_grow(p->m, f->prototypes, f->prototype_count, &f->prototype_capacity,
                           sizeof *f->prototypes);
  f->prototypes[f->prototype_count++] = (ptx_prototype){unique, text ? text : ""};
  return true;
}

static bool parse_label(parser *p) {
  token at = p->t;
  const char *name = parse_text(p);
  parse_advance(p);
  parse_advance(p);
  if (parse_is_dot(p, "branchtargets"))
    return parse_targets(p, &at, name);
  if (parse_is_dot(p, "callprototype"))
    return parse_prototype(p, &at, name);
  if (parse_is_dot(p, "calltargets")) {
    parse_skip(p);
    return declare_table(p, &at, name);
  }
  if (!name_declare(p, &at, name, SYM_LABEL, p->f->label_count, NULL))
    return false;
  ptx_stmt *s = ptx_stmt_add(p->m, p->f);
  s->is_label = true;
  s->label = ptx_label_add(p->m, p->f, name);
  s->line = at.line;
  s->col = at.col;
  return true;
}

static bool parse_statement(parser *p) {
  ptx_space space;
  ptx_var *v;
  const char *linkage = "";
  if (!parse_memory(p))
    return false;
  if (parse_is_dot(p, "reg"))
    return parse_regs(p);
  if (parse_is_dot(p, "loc"))
    return parse_loc(p);
  if (parse_is_dot(p, "file"))
    return parse_file(p);
  if (parse_is_dot(p, "pragma"))
    return parse_pragma(p);
  if (parse_is_dot(p, "extern")) {
    linkage = ".extern";
    parse_advance(p);
  }
  if (parse_space(p, &space)) {
    parse_advance(p);
    return parse_var(p, space, linkage, false, &v);
  }
  if (p->t.kind == LEX_WORD && p->next.kind == LEX_PUNCT && p->next.punct == ':')
    return parse_label(p);
  return parse_inst(p);
}

static bool more(const parser *p) {
  return p->t.kind != LEX_END && !p->full && diag_errors(p->d) < MAX_ERRORS;
}

static void parse_body(parser *p) {
  unsigned depth = 1;
  p->scope = scope_new(p, p->scope);
  parse_advance(p);
  while (more(p)) {
    p->depth = 0;
    if (parse_is(p, '{')) {
      if (++depth > PARSE_MAX_DEPTH) {
        parse_error(p, &p->t, "scopes are nested too deeply");
        return;
      }
      p->scope = scope_new(p, p->scope);
      parse_advance(p);
      parse_memory(p);
    } else if (parse_is(p, '}')) {
      p->scope = p->scope->parent;
      parse_advance(p);
      if (--depth == 0)
        return;
    } else if (!parse_accept(p, ';') && !parse_statement(p)) {
      parse_skip(p);
    }
  }
  if (p->t.kind == LEX_END)
    parse_error(p, &p->t, "expected '}'");
}

// ---- names that were used before they were declared: labels, functions of calls

static void resolve_operand(parser *p, const ptx_stmt *s, ptx_operand *o) {
  for (uint32_t n = 0; n < o->count; n++)
    resolve_operand(p, s, &o->items[n]);
  if (o->kind != PTX_NAME || !o->func)
    return;
  symbol *y = name_lookup(p, (scope *)(void *)o->func, o->name, strlen(o->name));
  o->func = NULL;
  if (y && y->kind == SYM_LABEL) {
    o->kind = PTX_LABEL;
    o->value = y->index;
  } else if (y && y->kind == SYM_FUNC) {
    o->kind = PTX_FUNC;
    o->func = y->pointer;
  } else if (y && y->kind == SYM_TABLE) {
    o->name = y->pointer;
  } else if (strcmp(s->op, "call") != 0 ||
             o != &s->operands[0] + (s->operand_count > 1 && s->operands[0].kind == PTX_LIST)) {
    diag_error(p->d, o->line, o->col, "'%s' is not declared", o->name);
  }
}

static void add_targets(parser *p, ptx_function *f, const ptx_operand *list) {
  uint32_t *labels = ptx_alloc(p->m, list->count * sizeof *labels);
  for (uint32_t n = 0; n < list->count; n++) {
    const ptx_operand *o = &list->items[n];
    if (o->kind != PTX_LABEL && o->kind != PTX_NAME)  // a name has been reported
      diag_error(p->d, o->line, o->col, "expected a label");
    labels[n] = (uint32_t)o->value;
  }
  f->targets = ptx_grow(p->m, f->targets, f->target_count, &f->target_capacity, sizeof *f->targets);
  f->targets[f->target_count++] = (ptx_targets){list->name, labels, list->count};
}

static void resolve(parser *p, ptx_function *f) {
  uint32_t kept = 0;
  for (uint32_t n = 0; n < f->stmt_count; n++) {
    ptx_stmt *s = &f->stmts[n];
    for (uint32_t o = 0; o < s->operand_count; o++)
      resolve_operand(p, s, &s->operands[o]);
    if (s->is_label || s->op[0] != '.')
      f->stmts[kept++] = *s;
    else
      add_targets(p, f, &s->operands[0]);
  }
  f->stmt_count = kept;
}

// ---- functions

static bool parse_params(parser *p, ptx_var ***list, uint32_t *count) {
  uint32_t capacity = 0;
  if (!parse_accept(p, '(') || parse_accept(p, ')'))
    return true;
  do {
    ptx_var *v;
    if (parse_is_dot(p, "reg"))
      return parse_error(p, &p->t, "register parameters are not supported: expected .param");
    if (!parse_is_dot(p, "param"))
      return parse_error(p, &p->t, "expected .param");
    parse_advance(p);
    if (!parse_memory(p) || !parse_var(p, PTX_PARAM, "", true, &v))
      return false;
    *list = ptx_grow(p->m, *list, *count, &capacity, sizeof **list);
    (*list)[(*count)++] = v;
  } while (parse_accept(p, ','));
  return parse_expect(p, ')');
}

static bool parse_triple(parser *p, uint32_t v[3]) {
  parse_advance(p);
  v[0] = v[1] = v[2] = 1;
  for (int n = 0; n < 3; n++) {
    token at = p->t;
    if (!parse_u32(p, &v[n]))
      return false;
    if (v[n] == 0)
      return parse_error(p, &at, "expected a number above 0");
    if (!parse_accept(p, ','))
      break;
  }
  return true;
}

static bool parse_performance(parser *p, ptx_function *f) {
  uint32_t ignored;
  for (;;) {
    if (parse_is_dot(p, "maxntid")) {
      if (!parse_triple(p, f->maxntid))
        return false;
    } else if (parse_is_dot(p, "reqntid")) {
      if (!parse_triple(p, f->reqntid))
        return false;
    } else if (parse_is_dot(p, "maxnreg") || parse_is_dot(p, "minnctapersm") ||
               parse_is_dot(p, "maxnctapersm")) {
      uint32_t *to = parse_is_dot(p, "maxnreg")        ? &f->maxnreg
                     : parse_is_dot(p, "minnctapersm") ? &f->minnctapersm
                                                       : &ignored;
      parse_advance(p);
      if (!parse_u32(p, to))
        return false;
    } else if (parse_is_dot(p, "noreturn")) {
      parse_advance(p);
    } else if (parse_is_dot(p, "pragma")) {
      if (!parse_pragma(p))
        return false;
    } else {
      return true;
    }
  }
}

// Makes f known. The function that has the name from now on, NULL after an error.
static ptx_function *declare_function(parser *p, ptx_function *f) {
  ptx_module *m = p->m;
  symbol *before = name_find(p, p->module_scope, f->name, strlen(f->name));
  ptx_function *old = before && before->kind == SYM_FUNC ? before->pointer : NULL;
  bool body = parse_is(p, '{');
  if (before && (!old || (old->has_body && body) || old->is_entry != f->is_entry)) {
    diag_error(p->d, f->line, f->col, "'%s' is already declared", f->name);
    return NULL;
  }
  if (old) {
    if (body)
      *old = *f;  // uses of the prototype mean the body
    return old;
  }
  name_add(p, p->module_scope, f->name, SYM_FUNC, 0, f);
  m->functions =
      ptx_grow(m, m->functions, m->function_count, &m->function_capacity, sizeof(ptx_function *));
  m->functions[m->function_count++] = f;
  return f;
}

static bool parse_function(parser *p, const char *linkage) {
  ptx_function *f = ptx_alloc(p->m, sizeof *f);
  f->is_entry = parse_is_dot(p, "entry");
  f->linkage = linkage;
  parse_advance(p);
  p->scope = scope_new(p, p->module_scope);
  p->table_scope = scope_new(p, NULL);
  p->f = f;
  if (!f->is_entry && !parse_params(p, &f->rets, &f->ret_count))
    return false;
  if (p->t.kind != LEX_WORD)
    return parse_error(p, &p->t, "expected the name of a function");
  f->name = parse_text(p);
  f->line = p->t.line;
  f->col = p->t.col;
  parse_advance(p);
  if (!parse_params(p, &f->params, &f->param_count) || !parse_performance(p, f))
    return false;
  if (!parse_is(p, '{') && !parse_is(p, ';'))
    return parse_error(p, &p->t, "expected '{' or ';'");
  ptx_function *known = declare_function(p, f);
  if (parse_accept(p, ';'))
    return true;
  if (known)
    f = known;  // else a second body: parsed for its errors
  p->f = f;
  f->has_body = true;
  p->cuda_file = p->cuda_line = 0;
  parse_body(p);
  if (!p->full)
    resolve(p, f);
  return true;
}

// ---- the module

static bool parse_header(parser *p) {
  if (parse_is_dot(p, "version")) {
    parse_advance(p);
    char text[16] = "";
    size_t n = p->t.length < sizeof text - 1 ? p->t.length : sizeof text - 1;
    memcpy(text, p->t.text, n);
    char *rest;
    if (p->t.kind != LEX_FLOAT)
      return parse_error(p, &p->t, "expected a version such as 6.3");
    p->m->version_major = (uint32_t)strtoul(text, &rest, 10);
    p->m->version_minor = *rest == '.' ? (uint32_t)strtoul(rest + 1, NULL, 10) : 0;
    if (p->m->version_major == 0)
      return parse_error(p, &p->t, "expected a version such as 6.3");
    parse_advance(p);
    return true;
  }
  if (parse_is_dot(p, "target")) {
    parse_advance(p);
    p->m->target = p->t.kind == LEX_WORD ? parse_text(p) : NULL;
    do {
      if (p->t.kind != LEX_WORD)
        return parse_error(p, &p->t, "expected a target such as sm_70");
      parse_advance(p);
    } while (parse_accept(p, ','));
    return true;
  }
  parse_advance(p);
  token at = p->t;
  if (!parse_u32(p, &p->m->address_size))
    return false;
  if (p->m->address_size != 64)
    return parse_error(p, &at, "only 64-bit addresses are supported: expected 64");
  return true;
}

static bool parse_top(parser *p) {
  const char *linkage = "";
  ptx_space space;
  ptx_var *v;
  if (!parse_memory(p))
    return false;
  if (parse_is_dot(p, "version") || parse_is_dot(p, "target") || parse_is_dot(p, "address_size"))
    return parse_header(p);
  if (parse_is_dot(p, "file"))
    return parse_file(p);
  if (parse_is_dot(p, "section"))
    return parse_section(p);
  if (parse_is_dot(p, "pragma"))
    return parse_pragma(p);
  if (parse_is_dot(p, "loc"))
    return parse_loc(p);
  for (;; parse_advance(p)) {
    if (parse_is_dot(p, "visible"))
      linkage = ".visible";
    else if (parse_is_dot(p, "extern"))
      linkage = ".extern";
    else if (parse_is_dot(p, "weak"))
      linkage = ".weak";
    else if (parse_is_dot(p, "common"))
      linkage = ".common";
    else
      break;
  }
  if (parse_is_dot(p, "entry") || parse_is_dot(p, "func"))
    return parse_function(p, linkage);
  if (parse_space(p, &space) && space != PTX_PARAM && space != PTX_LOCAL) {
    parse_advance(p);
    return parse_var(p, space, linkage, false, &v);
  }
  return parse_error(p, &p->t, "expected a declaration");
}

// After an error outside of a body: to what may start a declaration, behind any body between.
static void skip_declaration(parser *p, uint32_t line) {
  unsigned depth = 0;
  while (p->t.kind != LEX_END &&
         (depth || p->t.line == line || !p->t.first || p->t.kind != LEX_DOT)) {
    if (parse_is(p, '{'))
      depth++;
    else if (parse_is(p, '}') && depth)
      depth--;
    parse_advance(p);
  }
}

ptx_module *ptx_parse(const char *text, size_t bytes, const char *filename, diag *d) {
  (void)filename;
  ptx_module *m = calloc(1, sizeof *m);
  if (!m)
    abort();
  m->hash = UINT64_C(0xcbf29ce484222325);
  for (size_t n = 0; n < bytes; n++)
    m->hash = (m->hash ^ (uint8_t)text[n]) * UINT64_C(0x100000001b3);
  parser p = {.m = m, .d = d};
  p.module_scope = p.scope = scope_new(&p, NULL);
  lex_start(&p.lex, text, bytes);
  parse_advance(&p);
  parse_advance(&p);
  while (more(&p)) {
    p.scope = p.module_scope;
    p.f = NULL;
    p.depth = 0;
    uint32_t line = p.t.line;
    if (!parse_accept(&p, ';') && !parse_top(&p))
      skip_declaration(&p, line);
  }
  free(p.table);
  if (!diag_errors(d) && m->version_major == 0)
    diag_error(d, 1, 1, "not a PTX file: .version is missing");
  if (diag_errors(d)) {
    ptx_free(m);
    return NULL;
  }
  return m;
}
