// SPDX-License-Identifier: Apache-2.0
// Choice, text that belongs to the program, types and nodes.
#include "csim/base/splitmix.h"
#include "generate.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void *own(generator *g, void *memory) {
  program *p = g->p;
  assert(memory);
  if ((p->owned_count & (p->owned_count + 1)) == 0) {
    p->owned = realloc(p->owned, 2 * (p->owned_count + 1) * sizeof *p->owned);
    assert(p->owned);
  }
  p->owned[p->owned_count++] = memory;
  return memory;
}

char *say(generator *g, const char *form, ...) {
  char *text = NULL;
  va_list args;
  va_start(args, form);
  const int n = vasprintf(&text, form, args);
  va_end(args);
  assert(n >= 0);
  return own(g, text);
}

uint64_t draw(generator *g) {
  return splitmix(&g->x);
}

unsigned below(generator *g, unsigned n) {
  return (unsigned)((draw(g) >> 32) * n >> 32);
}

bool chance(generator *g, unsigned percent) {
  return below(g, 100) < percent;
}

bool is_float(char type) {
  return type == 'f' || type == 'd';
}

char any_type(generator *g) {
  // types of 32 bits twice as often
  return (TYPES "iuuif")[below(g, 15)];
}

char integer_type(generator *g) {
  return (TYPES "iu")[(below(g, 10) + 4) % 8];
}

const char *type_name(char type) {
  static const char *const names[] = {"i8",  "u8",  "i16", "u16", "i32",
                                      "u32", "i64", "u64", "f32", "f64"};
  return type == 'b' ? "bool" : names[strchr(TYPES, type) - TYPES];
}

unsigned type_bytes(char type) {
  static const unsigned bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return bytes[strchr(TYPES, type) - TYPES];
}

const char *fresh(generator *g, const char *stem) {
  return say(g, "%s%u", stem, g->names++);
}

stmt *stmt_new(generator *g, const char *text, const char *end) {
  stmt *n = own(g, calloc(1, sizeof *n));
  n->text = text;
  n->end = end;
  if (g->p->count < PROGRAM_NODES)
    g->p->all[g->p->count++] = n;
  return n;
}

void stmt_keep(generator *g, const stmt *n) {
  if (g->p->count && g->p->all[g->p->count - 1] == n)
    g->p->count--;
}

void stmt_add(stmt *to, stmt *n) {
  if (to->last)
    to->last->next = n;
  else
    to->first = n;
  to->last = n;
}

void scope_value(scope *s, char type, const char *text, bool fixed) {
  if (s->value_count < VALUES_MAX)
    s->values[s->value_count++] = (value){type, text, fixed};
}

void scope_array(scope *s, char type, const char *text, unsigned count, bool fixed) {
  if (s->array_count < ARRAYS_MAX)
    s->arrays[s->array_count++] = (array){type, text, count, fixed};
}

void program_free(program *p) {
  for (size_t n = 0; n < p->owned_count; n++)
    free(p->owned[n]);
  free(p->owned);
  free(p);
}
