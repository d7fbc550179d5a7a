// SPDX-License-Identifier: Apache-2.0
// The device linker works on names alone. Each unit is parsed by itself; then the names of all of
// them are sorted, and what happens with a name is decided once for all that have it. The result
// is printed, so operands of one unit need not point into another: they have the same name.
#include "ptx_link.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "ptx.h"
#include "ptx_calls.h"

typedef enum role { LOCAL, DECLARED, WEAK, STRONG } role;

// A name as one unit has it: of a variable or a function.
typedef struct item {
  const char *name;
  uint32_t unit, order;
  role role;
  ptx_var *var;
  ptx_function *function;
  bool kept;
} item;

typedef struct linker {
  const ptx_unit *units;
  ptx_module **modules, *all;
  size_t count;
  item *items;  // by name, then in the order of units
  uint32_t item_count, item_capacity;
  const void **used;  // variables and functions, by address
  size_t used_count, used_capacity;
  FILE *messages;
  bool ok;
} linker;

static void *checked(void *p) {
  if (!p)
    abort();
  return p;
}

__attribute__((format(printf, 2, 3))) static void wrong(linker *l, const char *format, ...) {
  va_list list;
  va_start(list, format);
  fputs("nvlink: error: ", l->messages);
  vfprintf(l->messages, format, list);
  fputc('\n', l->messages);
  va_end(list);
  l->ok = false;
}

static const char *unit_of(const linker *l, const item *i) {
  return l->units[i->unit].name;
}

// ---- the names of a unit

static role role_of_var(const ptx_var *v) {
  if (v->space == PTX_SHARED && v->is_extern)
    return LOCAL;
  return v->is_extern                                                             ? DECLARED
         : !v->linkage[0]                                                         ? LOCAL
         : strcmp(v->linkage, ".weak") == 0 || strcmp(v->linkage, ".common") == 0 ? WEAK
                                                                                  : STRONG;
}

// A kernel is what the host asks for by its name.
static role role_of_function(const ptx_function *f) {
  return !f->has_body                       ? DECLARED
         : !f->linkage[0] && !f->is_entry   ? LOCAL
         : strcmp(f->linkage, ".weak") == 0 ? WEAK
                                            : STRONG;
}

static void add_item(linker *l, item i) {
  if (l->item_count == l->item_capacity) {
    l->item_capacity = l->item_capacity ? 2 * l->item_capacity : 256;
    l->items = checked(realloc(l->items, l->item_capacity * sizeof *l->items));
  }
  i.order = l->item_count;
  l->items[l->item_count++] = i;
}

// clang gives a static variable that the host names an ending, but not in code that it has made
// before it saw the host do so.
static void find_ending(ptx_module *m, ptx_var *v) {
  static const char ending[] = "__static__";
  const size_t n = strlen(v->name);
  for (uint32_t k = 0; k < m->var_count; k++) {
    const char *name = m->vars[k]->name;
    if (!m->vars[k]->is_extern && strncmp(name, v->name, n) == 0 &&
        strncmp(name + n, ending, sizeof ending - 1) == 0)
      v->name = name;
  }
}

static void add_items(linker *l, uint32_t unit) {
  ptx_module *m = l->modules[unit];
  for (uint32_t n = 0; n < m->var_count; n++) {
    ptx_var *v = m->vars[n];
    const role r = role_of_var(v);
    if (r == DECLARED)
      find_ending(m, v);
    add_item(l, (item){.name = v->name, .unit = unit, .role = r, .var = v});
  }
  for (uint32_t n = 0; n < m->function_count; n++) {
    ptx_function *f = m->functions[n];
    add_item(l, (item){.name = f->name, .unit = unit, .role = role_of_function(f), .function = f});
  }
}

static void add_used(linker *l, const void *what) {
  if (l->used_count == l->used_capacity) {
    l->used_capacity = l->used_capacity ? 2 * l->used_capacity : 1024;
    l->used = checked(realloc(l->used, l->used_capacity * sizeof *l->used));
  }
  l->used[l->used_count++] = what;
}

static void use_operand(linker *l, const ptx_operand *o) {
  if (o->var)
    add_used(l, o->var);
  if (o->kind == PTX_FUNC)
    add_used(l, o->func);
  for (uint32_t n = 0; n < o->count; n++)
    use_operand(l, &o->items[n]);
}

static int by_address(const void *a, const void *b) {
  const uintptr_t x = (uintptr_t) * (const void *const *)a,
                  y = (uintptr_t) * (const void *const *)b;
  return (x > y) - (x < y);
}

// What is named at all: clang declares more.
static void find_used(linker *l) {
  for (uint32_t k = 0; k < l->count; k++) {
    const ptx_module *m = l->modules[k];
    for (uint32_t n = 0; n < m->var_count; n++)
      for (const ptx_init *r = m->vars[n]->relocs; r; r = r->next)
        add_used(l, r->var ? (const void *)r->var : r->func);
    for (uint32_t n = 0; n < m->function_count; n++)
      for (uint32_t s = 0; s < m->functions[n]->stmt_count; s++)
        for (uint32_t o = 0; o < m->functions[n]->stmts[s].operand_count; o++)
          use_operand(l, &m->functions[n]->stmts[s].operands[o]);
  }
  if (l->used_count)
    qsort(l->used, l->used_count, sizeof *l->used, by_address);
}

// ---- one name in all units

static bool is_used(const linker *l, const item *i) {
  const void *what = i->var ? (const void *)i->var : i->function;
  return l->used_count && bsearch(&what, l->used, l->used_count, sizeof *l->used, by_address);
}

static bool is_float(ptx_type t) {
  return t == PTX_F32 || t == PTX_F64;
}

static void compare_vars(linker *l, const item *a, const item *b) {
  const ptx_var *x = a->var, *y = b->var;
  if (x->space != y->space)
    wrong(l, "'%s' is in %s memory in '%s', but in %s memory in '%s'", a->name,
          ptx_space_name(x->space), unit_of(l, a), ptx_space_name(y->space), unit_of(l, b));
  else if (x->bytes && y->bytes && x->bytes != y->bytes)
    wrong(l, "size of '%s' does not match: %llu bytes in '%s', %llu bytes in '%s'", a->name,
          (unsigned long long)x->bytes, unit_of(l, a), (unsigned long long)y->bytes, unit_of(l, b));
  else if (!x->is_array && !y->is_array && is_float(x->type) != is_float(y->type))
    wrong(l, "type of '%s' does not match: .%s in '%s', .%s in '%s'", a->name,
          ptx_type_name(x->type), unit_of(l, a), ptx_type_name(y->type), unit_of(l, b));
}

static bool same_sizes(ptx_var *const *a, uint32_t a_count, ptx_var *const *b, uint32_t b_count) {
  if (a_count != b_count)
    return false;
  for (uint32_t n = 0; n < a_count; n++)
    if (a[n]->bytes != b[n]->bytes)
      return false;
  return true;
}

static void compare_functions(linker *l, const item *a, const item *b) {
  const ptx_function *f = a->function, *g = b->function;
  if (f->is_entry != g->is_entry)
    wrong(l, "'%s' is a kernel in '%s', but not in '%s'", a->name, unit_of(l, f->is_entry ? a : b),
          unit_of(l, f->is_entry ? b : a));
  else if (!same_sizes(f->params, f->param_count, g->params, g->param_count) ||
           !same_sizes(f->rets, f->ret_count, g->rets, g->ret_count))
    wrong(l, "'%s' has other parameters or another result in '%s' than in '%s'", a->name,
          unit_of(l, a), unit_of(l, b));
}

static void compare(linker *l, const item *definition, const item *other) {
  if (other->role == DECLARED && other->function && !is_used(l, other))
    return;  // a kernel that the host of this file launches; clang declares a function
  if (!definition->var != !other->var)
    wrong(l, "'%s' is a variable in '%s', but a function in '%s'", definition->name,
          unit_of(l, definition->var ? definition : other),
          unit_of(l, definition->var ? other : definition));
  else if (definition->var)
    compare_vars(l, definition, other);
  else
    compare_functions(l, definition, other);
}

static item *find_definition(linker *l, item *first, uint32_t count) {
  item *found = NULL;
  for (item *i = first; i < first + count; i++) {
    if (i->role == STRONG && found && found->role == STRONG)
      wrong(l, "multiple definition of '%s' in '%s', first defined in '%s'", i->name, unit_of(l, i),
            unit_of(l, found));
    else if (i->role == STRONG || (i->role == WEAK && !found))
      found = i;
  }
  return found;
}

static int by_name(const void *a, const void *b) {
  const item *x = a, *y = b;
  const int c = strcmp(x->name, y->name);
  return c ? c : (x->order > y->order) - (x->order < y->order);
}

static int to_name(const void *name, const void *i) {
  return strcmp(name, ((const item *)i)->name);
}

// The host of each file asks for its references by name, those without linkage too.
static void refuse_reference(linker *l, const item *i, const item *first, uint32_t count) {
  const item *other = first == i && count > 1 ? first + 1 : first;
  wrong(l,
        "'%s' is a static texture or surface reference in '%s', and also a name in '%s'; rename it",
        i->name, unit_of(l, i), unit_of(l, other));
}

static void rename_local(linker *l, item *i) {
  const size_t bytes = strlen(i->name) + 32;
  char *name = ptx_alloc(l->modules[i->unit], bytes);
  snprintf(name, bytes, "%s__%u", i->name, i->unit + 1);
  while (bsearch(name, l->items, l->item_count, sizeof *l->items, to_name) &&
         strlen(name) + 1 < bytes)
    strcat(name, "_");
  if (i->var)
    i->var->name = name;
  else
    i->function->name = name;
}

// A constant that an earlier file has too, with the same bytes, is that one: tables of mathematical
// functions are each file's own.
static const item *find_twin(const item *first, const item *i) {
  const ptx_var *v = i->var;
  if (!v || v->space != PTX_CONST || i->role != LOCAL || !v->init || v->relocs)
    return NULL;
  for (; first < i; first++) {
    const ptx_var *w = first->var;
    if (first->kept && first->role == LOCAL && w && w->space == PTX_CONST && w->init &&
        !w->relocs && w->bytes == v->bytes && w->align >= v->align &&
        memcmp(w->init, v->init, v->bytes) == 0)
      return first;
  }
  return NULL;
}

// Keeps what is each file's own, under different names when there are several, or others.
static void resolve_locals(linker *l, item *first, uint32_t count) {
  uint32_t different = 0;
  for (item *i = first; i < first + count; i++) {
    i->kept = i->role == LOCAL && !find_twin(first, i);
    different += i->kept || i->role != LOCAL;
  }
  for (item *i = first; i < first + count && different > 1; i++)
    if (i->kept && i->var && i->var->is_reference)
      refuse_reference(l, i, first, count);
    else if (i->kept)
      rename_local(l, i);
  for (item *i = first; i < first + count; i++)
    if (i->role == LOCAL && !i->kept)
      i->var->name = find_twin(first, i)->var->name;
}

// Of what is defined one declaration of a variable stays, in front: the initial value of another
// one may be its address.
static void resolve(linker *l, item *first, uint32_t count) {
  item *definition = find_definition(l, first, count);
  bool declared = false;
  resolve_locals(l, first, count);
  for (item *i = first; i < first + count; i++) {
    if (i->role == LOCAL)
      continue;
    const bool pure = !definition && i == first && calls_is_pure_name(i->name);
    i->kept = pure || i == definition || (definition && i->role == DECLARED && i->var && !declared);
    declared |= i->role == DECLARED;
    if (!definition && !calls_is_pure_name(i->name) && is_used(l, i))
      wrong(l, "undefined reference to '%s' in '%s'", i->name, unit_of(l, i));
    if (definition && i != definition)
      compare(l, definition, i);
    if (definition && definition->var && i->var && i->var->align > definition->var->align)
      definition->var->align = i->var->align;
  }
}

static void resolve_all(linker *l) {
  qsort(l->items, l->item_count, sizeof *l->items, by_name);
  for (uint32_t n = 0, end; n < l->item_count; n = end) {
    for (end = n + 1; end < l->item_count && strcmp(l->items[n].name, l->items[end].name) == 0;)
      end++;
    resolve(l, l->items + n, end - n);
  }
}

// ---- the module of all

// The number of a CUDA file in the whole.
static uint32_t number_of(ptx_module *all, const char *name) {
  for (uint32_t n = 0; n < all->file_count; n++)
    if (strcmp(all->files[n].name, name) == 0)
      return all->files[n].number;
  all->files = ptx_grow(all, all->files, all->file_count, &all->file_capacity, sizeof *all->files);
  all->files[all->file_count] = (ptx_file){all->file_count + 1, name};
  return ++all->file_count;
}

static void number_lines(ptx_module *all, ptx_module *m) {
  uint32_t from = 0, to = 0;
  for (uint32_t n = 0; n < m->function_count; n++)
    for (uint32_t k = 0; k < m->functions[n]->stmt_count; k++) {
      ptx_stmt *s = &m->functions[n]->stmts[k];
      if (s->cuda_file != from) {
        from = s->cuda_file;
        to = 0;
        for (uint32_t f = 0; f < m->file_count; f++)
          if (m->files[f].number == from)
            to = number_of(all, m->files[f].name);
      }
      s->cuda_file = to;
      if (!to)
        s->cuda_line = 0;
    }
}

static void take_header(ptx_module *all, const ptx_module *m) {
  const uint32_t of_all = all->version_major * 1000 + all->version_minor,
                 of_m = m->version_major * 1000 + m->version_minor;
  if (of_m > of_all) {
    all->version_major = m->version_major;
    all->version_minor = m->version_minor;
  }
  if (m->target && (!all->target || strcmp(m->target, all->target) > 0))
    all->target = m->target;
}

static int by_order(const void *a, const void *b) {
  const item *x = a, *y = b;
  return (x->order > y->order) - (x->order < y->order);
}

static void gather(linker *l) {
  ptx_module *all = l->all;
  qsort(l->items, l->item_count, sizeof *l->items, by_order);
  for (int definitions = 0; definitions < 2; definitions++)
    for (uint32_t n = 0; n < l->item_count; n++) {
      const item *i = &l->items[n];
      if (i->kept && i->var && (i->role != DECLARED) == definitions)
        ptx_var_add(all, NULL, i->var);
    }
  for (uint32_t n = 0; n < l->item_count; n++)
    if (l->items[n].kept && l->items[n].function) {
      all->functions = ptx_grow(all, all->functions, all->function_count, &all->function_capacity,
                                sizeof *all->functions);
      all->functions[all->function_count++] = l->items[n].function;
    }
  for (uint32_t n = 0; n < l->count; n++) {
    take_header(all, l->modules[n]);
    number_lines(all, l->modules[n]);
  }
}

static bool parse_all(linker *l) {
  for (uint32_t n = 0; n < l->count; n++) {
    const ptx_unit *u = &l->units[n];
    diag *d = diag_new(u->name, u->text, u->bytes);
    l->modules[n] = ptx_parse(u->text, u->bytes, u->name, d);
    diag_print(d, l->messages);
    diag_free(d);
    l->ok &= l->modules[n] != NULL;
  }
  return l->ok;
}

bool ptx_link(const ptx_unit *units, size_t count, FILE *to, FILE *messages) {
  linker l = {.units = units, .count = count, .messages = messages, .ok = true};
  l.modules = checked(calloc(count + 1, sizeof *l.modules));
  l.all = checked(calloc(1, sizeof *l.all));
  if (parse_all(&l)) {
    for (uint32_t n = 0; n < count; n++)
      add_items(&l, n);
    find_used(&l);
    resolve_all(&l);
  }
  if (l.ok) {
    gather(&l);
    ptx_print(l.all, to);
  }
  for (size_t n = 0; n < count; n++)
    ptx_free(l.modules[n]);
  ptx_free(l.all);
  free(l.modules);
  free(l.items);
  free(l.used);
  return l.ok;
}
