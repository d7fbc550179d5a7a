// SPDX-License-Identifier: Apache-2.0
// The PTX tree: memory, names of types and spaces, building.
#include "ptx.h"

#include <stdlib.h>
#include <string.h>

typedef struct chunk {
  struct chunk *next;
  size_t used, size;
  _Alignas(16) char bytes[];
} chunk;

void *ptx_alloc(ptx_module *m, size_t bytes) {
  chunk *c = m->arena;
  bytes = (bytes + 15) & ~(size_t)15;
  if (!c || c->size - c->used < bytes) {
    size_t size = bytes > 65536 ? bytes : 65536;
    chunk *made = calloc(1, sizeof *made + size);
    if (!made)
      abort();
    made->size = size;
    m->arena_bytes += size;
    made->next = c;
    m->arena = c = made;
  }
  c->used += bytes;
  return c->bytes + c->used - bytes;
}

void ptx_free(ptx_module *m) {
  if (!m)
    return;
  for (chunk *c = m->arena, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  free(m);
}

char *ptx_strdup(ptx_module *m, const char *text, size_t bytes) {
  char *copy = ptx_alloc(m, bytes + 1);
  memcpy(copy, text, bytes);
  return copy;
}

void *ptx_grow(ptx_module *m, void *array, uint32_t count, uint32_t *capacity, size_t size) {
  if (count < *capacity)
    return array;
  *capacity = *capacity ? 2 * *capacity : 16;
  void *made = ptx_alloc(m, *capacity * size);
  if (count)
    memcpy(made, array, count * size);
  return made;
}

uint32_t ptx_reg_add(ptx_module *m, ptx_function *f, const char *name, ptx_type type) {
  f->regs = ptx_grow(m, f->regs, f->reg_count, &f->reg_capacity, sizeof *f->regs);
  f->regs[f->reg_count] = (ptx_reg){name, type};
  return f->reg_count++;
}

uint32_t ptx_label_add(ptx_module *m, ptx_function *f, const char *name) {
  f->labels = ptx_grow(m, f->labels, f->label_count, &f->label_capacity, sizeof *f->labels);
  f->labels[f->label_count] = name;
  return f->label_count++;
}

ptx_stmt *ptx_stmt_add(ptx_module *m, ptx_function *f) {
  f->stmts = ptx_grow(m, f->stmts, f->stmt_count, &f->stmt_capacity, sizeof *f->stmts);
  ptx_stmt *s = &f->stmts[f->stmt_count++];
  memset(s, 0, sizeof *s);
  s->pair = UINT32_MAX;
  return s;
}

void ptx_var_add(ptx_module *m, ptx_function *f, ptx_var *v) {
  ptx_var ***list = f ? &f->vars : &m->vars;
  uint32_t *count = f ? &f->var_count : &m->var_count;
  *list = ptx_grow(m, *list, *count, f ? &f->var_capacity : &m->var_capacity, sizeof **list);
  (*list)[(*count)++] = v;
}

static const struct {
  const char *name;
  unsigned bytes;
} type_info[PTX_TYPES] = {
    [PTX_NOTYPE] = {"", 0},       [PTX_PRED] = {"pred", 1},   [PTX_B8] = {"b8", 1},
    [PTX_B16] = {"b16", 2},       [PTX_B32] = {"b32", 4},     [PTX_B64] = {"b64", 8},
    [PTX_B128] = {"b128", 16},    [PTX_U8] = {"u8", 1},       [PTX_U16] = {"u16", 2},
    [PTX_U32] = {"u32", 4},       [PTX_U64] = {"u64", 8},     [PTX_S8] = {"s8", 1},
    [PTX_S16] = {"s16", 2},       [PTX_S32] = {"s32", 4},     [PTX_S64] = {"s64", 8},
    [PTX_F16] = {"f16", 2},       [PTX_F16X2] = {"f16x2", 4}, [PTX_BF16] = {"bf16", 2},
    [PTX_BF16X2] = {"bf16x2", 4}, [PTX_F32] = {"f32", 4},     [PTX_F64] = {"f64", 8}};

unsigned ptx_type_bytes(ptx_type t) {
  return type_info[t].bytes;
}
const char *ptx_type_name(ptx_type t) {
  return type_info[t].name;
}

bool ptx_type_find(const char *name, ptx_type *t) {
  for (int n = PTX_PRED; n < PTX_TYPES; n++)
    if (strcmp(type_info[n].name, name) == 0) {
      *t = (ptx_type)n;
      return true;
    }
  return false;
}

const char *ptx_space_name(ptx_space s) {
  static const char *const names[PTX_SPACES] = {"", "global", "shared", "local", "const", "param"};
  return names[s];
}

bool ptx_has_mod(const ptx_stmt *s, const char *mod) {
  for (uint32_t n = 0; n < s->mod_count; n++)
    if (strcmp(s->mods[n], mod) == 0)
      return true;
  return false;
}
