// SPDX-License-Identifier: Apache-2.0
// Names of a PTX text: one table for all scopes, keyed by scope and name.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "ptx_parse.h"

enum { MAX_RANGES = 256, INDEX_DIGITS = 10 };

scope *scope_new(parser *p, scope *parent) {
  scope *s = ptx_alloc(p->m, sizeof *s);
  s->parent = parent;
  s->number = ++p->scope_count;
  return s;
}

static uint32_t hash_of(uint32_t scope_number, bool range, const char *name, size_t length) {
  uint32_t h = 2166136261u ^ (scope_number * 2 + range) * 2654435761u;
  for (size_t n = 0; n < length; n++)
    h = (h ^ (unsigned char)name[n]) * 16777619u;
  return h ^ h >> 15;
}

// The slot of the name, or the free one where it belongs.
static symbol **slot_of(const parser *p, uint32_t scope_number, bool range, const char *name,
                        size_t length, uint32_t hash) {
  uint32_t n = hash & (p->table_size - 1);
  for (;; n = (n + 1) & (p->table_size - 1)) {
    symbol *y = p->table[n];
    if (!y || (y->hash == hash && y->scope == scope_number && (y->kind == SYM_RANGE) == range &&
               y->length == length && memcmp(y->name, name, length) == 0))
      return &p->table[n];
  }
}

static symbol *find(const parser *p, uint32_t scope_number, bool range, const char *name,
                    size_t length) {
  if (!p->table_size)
    return NULL;
  return *slot_of(p, scope_number, range, name, length, hash_of(scope_number, range, name, length));
}

static void table_grow(parser *p) {
  symbol **old = p->table;
  uint32_t old_size = p->table_size;
  p->table_size = old_size ? 2 * old_size : 1024;
  p->table = calloc(p->table_size, sizeof *p->table);
  if (!p->table)
    abort();
  for (uint32_t n = 0; n < old_size; n++)
    if (old[n])
      *slot_of(p, old[n]->scope, old[n]->kind == SYM_RANGE, old[n]->name, old[n]->length,
               old[n]->hash) = old[n];
  free(old);
}

static symbol *add(parser *p, uint32_t scope_number, const char *name, size_t length,
                   sym_kind kind) {
  if (4 * (uint64_t)p->symbol_count >= 3 * (uint64_t)p->table_size)
    table_grow(p);
  symbol *y = ptx_alloc(p->m, sizeof *y);
  *y = (symbol){.name = name,
                .length = length,
                .scope = scope_number,
                .kind = kind,
                .hash = hash_of(scope_number, kind == SYM_RANGE, name, length)};
  symbol **slot = slot_of(p, scope_number, kind == SYM_RANGE, name, length, y->hash);
  assert(!*slot);
  *slot = y;
  p->symbol_count++;
  return y;
}

const char *name_intern(parser *p, const char *text, size_t length) {
  symbol *y = find(p, 0, false, text, length);
  return y ? y->name : add(p, 0, ptx_strdup(p->m, text, length), length, SYM_STRING)->name;
}

symbol *name_find(const parser *p, const scope *s, const char *name, size_t length) {
  return find(p, s->number, false, name, length);
}

symbol *name_add(parser *p, scope *s, const char *name, sym_kind kind, uint32_t index,
                 void *pointer) {
  symbol *y = add(p, s->number, name, strlen(name), kind);
  y->index = index;
  y->pointer = pointer;
  y->next = s->symbols;
  s->symbols = y;
  return y;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Does the name end in a number below `count` behind `prefix` characters?
static bool in_range(const char *name, size_t length, size_t prefix, uint32_t count) {
  uint64_t index = 0;
  if (length <= prefix || length > prefix + INDEX_DIGITS ||
      (name[prefix] == '0' && length > prefix + 1))
    return false;
  for (size_t n = prefix; n < length; n++) {
    if (!is_digit(name[n]))
      return false;
    index = index * 10 + (uint64_t)(name[n] - '0');
  }
  return index < count;
}

static const symbol *find_range(const parser *p, const scope *s, const char *name, size_t length) {
  for (size_t k = 1; s->range_count && k < length && k <= INDEX_DIGITS; k++) {
    if (!is_digit(name[length - k]))
      break;
    const symbol *r = find(p, s->number, true, name, length - k);
    if (r && in_range(name, length, length - k, r->index))
      return r;
  }
  return NULL;
}

symbol *name_lookup(parser *p, scope *from, const char *name, size_t length) {
  for (scope *s = from; s; s = s->parent) {
    symbol *y = name_find(p, s, name, length);
    if (y)
      return y;
    const symbol *r = find_range(p, s, name, length);
    if (r) {
      const char *kept = name_intern(p, name, length);
      return name_add(p, s, kept, SYM_REG, ptx_reg_add(p->m, p->f, kept, r->type), NULL);
    }
  }
  return NULL;
}

static bool redefined(parser *p, const token *at, const char *name) {
  return diag_error(p->d, at->line, at->col, "'%s' is already declared here", name);
}

bool name_declare(parser *p, const token *at, const char *name, sym_kind kind, uint32_t index,
                  void *pointer) {
  size_t length = strlen(name);
  if (name_find(p, p->scope, name, length) || find_range(p, p->scope, name, length))
    return redefined(p, at, name);
  name_add(p, p->scope, name, kind, index, pointer);
  return true;
}

bool name_declare_range(parser *p, const token *at, const char *prefix, uint32_t count,
                        ptx_type type) {
  size_t length = strlen(prefix);
  if (find(p, p->scope->number, true, prefix, length))
    return redefined(p, at, prefix);
  if (p->scope->range_count == MAX_RANGES)
    return parse_error(p, at, "too many ranges of registers in one scope");
  for (symbol *y = p->scope->symbols; y; y = y->next)
    if (y->length > length && memcmp(y->name, prefix, length) == 0 &&
        in_range(y->name, y->length, length, count))
      return redefined(p, at, y->name);
  symbol *y = add(p, p->scope->number, prefix, length, SYM_RANGE);
  y->index = count;
  y->type = type;
  p->scope->range_count++;
  return true;
}

const char *name_unique(parser *p, scope *s, const char *name) {
  symbol *first = name_find(p, s, name, strlen(name));
  if (!first)
    return name_add(p, s, name, SYM_STRING, 1, NULL)->name;
  size_t bytes = strlen(name) + 16;
  char *made = ptx_alloc(p->m, bytes);
  do  // `first` counts: the next one starts where this one found something
    snprintf(made, bytes, "%s_%u", name, first->index++);
  while (name_find(p, s, made, strlen(made)));
  return name_add(p, s, made, SYM_STRING, 1, NULL)->name;
}
