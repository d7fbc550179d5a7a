// SPDX-License-Identifier: Apache-2.0
// The tree as PTX again. Scopes are gone, so a name that several of them use, or several copies
// of an inlined function, gets a number; every register, label and variable is declared once, at
// the top of its function. Names that differ already stay as they are.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "ptx.h"

// ---- names that have been given away

typedef struct taken {
  const char *name;
  uint32_t hash, next;  // next number to try behind the name
} taken;

typedef struct name_set {
  const struct name_set *outer;
  taken *slots;
  uint32_t size, count;
  char **made;  // names that were put together here
  uint32_t made_count, made_capacity;
} name_set;

static void *checked(void *p) {
  if (!p)
    abort();
  return p;
}

static uint32_t hash_of(const char *name) {
  uint32_t h = 2166136261u;
  for (; *name; name++)
    h = (h ^ (unsigned char)*name) * 16777619u;
  return h ^ h >> 15;
}

static taken *set_slot(const name_set *s, const char *name, uint32_t hash) {
  uint32_t n = hash & (s->size - 1);
  while (s->slots[n].name && (s->slots[n].hash != hash || strcmp(s->slots[n].name, name) != 0))
    n = (n + 1) & (s->size - 1);
  return &s->slots[n];
}

static bool set_has(const name_set *s, const char *name) {
  for (; s; s = s->outer)
    if (s->size && set_slot(s, name, hash_of(name))->name)
      return true;
  return false;
}

static taken *set_add(name_set *s, const char *name) {
  if (4 * (uint64_t)s->count >= 3 * (uint64_t)s->size) {
    name_set larger = *s;
    larger.size = s->size ? 2 * s->size : 64;
    larger.slots = checked(calloc(larger.size, sizeof *larger.slots));
    for (uint32_t n = 0; n < s->size; n++)
      if (s->slots[n].name)
        *set_slot(&larger, s->slots[n].name, s->slots[n].hash) = s->slots[n];
    free(s->slots);
    *s = larger;
  }
  uint32_t hash = hash_of(name);
  taken *t = set_slot(s, name, hash);
  if (!t->name) {
    *t = (taken){name, hash, 1};
    s->count++;
  }
  return t;
}

// The name, or one like it that nothing has yet.
static const char *set_unique(name_set *s, const char *name) {
  if (!set_has(s, name))
    return set_add(s, name)->name;
  size_t bytes = strlen(name) + 16;
  char *made = checked(malloc(bytes));
  taken *base = set_add(s, name);
  do
    snprintf(made, bytes, "%s_%u", name, base->next++);
  while (set_has(s, made));
  if (s->made_count == s->made_capacity) {
    s->made_capacity = s->made_capacity ? 2 * s->made_capacity : 16;
    s->made = checked(realloc(s->made, s->made_capacity * sizeof *s->made));
  }
  s->made[s->made_count++] = made;
  return set_add(s, made)->name;
}

static void set_free(name_set *s) {
  for (uint32_t n = 0; n < s->made_count; n++)
    free(s->made[n]);
  free(s->made);
  free(s->slots);
}

// ---- the names of one function

typedef struct var_name {
  const ptx_var *var;
  const char *name;
} var_name;

typedef struct printer {
  FILE *out;
  name_set module, set;
  const ptx_function *f;
  const char **regs, **labels, **targets, **prototypes;
  var_name *vars;  // by address
  uint32_t var_count;
} printer;

static int by_address(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const var_name *)a)->var, y = (uintptr_t)((const var_name *)b)->var;
  return (x > y) - (x < y);
}

static const char **names_new(uint32_t count) {
  return checked(calloc((size_t)count + 1, sizeof(const char *)));
}

static void name_vars(printer *p, ptx_var *const *list, uint32_t count) {
  for (uint32_t n = 0; n < count; n++)
    p->vars[p->var_count++] = (var_name){list[n], set_unique(&p->set, list[n]->name)};
}

static void names_start(printer *p, const ptx_function *f) {
  p->f = f;
  p->set = (name_set){.outer = &p->module};
  p->vars =
      checked(calloc((size_t)f->param_count + f->ret_count + f->var_count + 1, sizeof *p->vars));
  p->var_count = 0;
  p->regs = names_new(f->reg_count);
  p->labels = names_new(f->label_count);
  p->targets = names_new(f->target_count);
  p->prototypes = names_new(f->prototype_count);
  name_vars(p, f->rets, f->ret_count);
  name_vars(p, f->params, f->param_count);
  for (uint32_t n = 0; n < f->reg_count; n++)
    p->regs[n] = set_unique(&p->set, f->regs[n].name);
  name_vars(p, f->vars, f->var_count);
  for (uint32_t n = 0; n < f->label_count; n++)
    p->labels[n] = set_unique(&p->set, f->labels[n]);
  for (uint32_t n = 0; n < f->target_count; n++)
    p->targets[n] = set_unique(&p->set, f->targets[n].name);
  for (uint32_t n = 0; n < f->prototype_count; n++)
    p->prototypes[n] = set_unique(&p->set, f->prototypes[n].name);
  qsort(p->vars, p->var_count, sizeof *p->vars, by_address);
}

static void names_end(printer *p) {
  set_free(&p->set);
  free(p->vars);
  free(p->regs);
  free(p->labels);
  free(p->targets);
  free(p->prototypes);
  p->f = NULL;
}

static const char *name_of_var(const printer *p, const ptx_var *v) {
  var_name key = {v, NULL};
  const var_name *found =
      p->f ? bsearch(&key, p->vars, p->var_count, sizeof key, by_address) : NULL;
  return found ? found->name : v->name;
}

static const char *name_of_table(const printer *p, const char *name) {
  for (uint32_t n = 0; n < p->f->target_count; n++)
    if (strcmp(p->f->targets[n].name, name) == 0)
      return p->targets[n];
  for (uint32_t n = 0; n < p->f->prototype_count; n++)
    if (strcmp(p->f->prototypes[n].name, name) == 0)
      return p->prototypes[n];
  return name;
}

// ---- statements

static void print_offset(const printer *p, int64_t offset) {
  if (offset)
    fprintf(p->out, "+%" PRId64, offset);
}

static void print_double(FILE *out, uint64_t bits) {
  fprintf(out, "0d%016" PRIX64, bits);
}

// A constant written in decimal has no width: it stays decimal, as its meaning depends on the
// instruction.
static void print_decimal(FILE *out, uint64_t bits) {
  char text[40];
  double value;
  memcpy(&value, &bits, sizeof value);
  snprintf(text, sizeof text, "%.17g", value);
  fprintf(out, strpbrk(text, ".e") ? "%s" : "%s.0", text);
}

static void print_operand(const printer *p, const ptx_operand *o) {
  FILE *out = p->out;
  if (o->negated)
    fputc('!', out);
  switch (o->kind) {
    case PTX_REG:
      fputs(p->regs[o->reg], out);
      break;
    case PTX_INT:
      fprintf(out, "%" PRId64, o->value);
      break;
    case PTX_FLOAT:
      if (o->width == 32)
        fprintf(out, "0f%08" PRIX32, (uint32_t)o->bits);
      else if (o->width == 64)
        print_double(out, o->bits);
      else
        print_decimal(out, o->bits);
      break;
    case PTX_VAR:
      fputs(name_of_var(p, o->var), out);
      print_offset(p, o->value);
      break;
    case PTX_SREG:
      fprintf(out, "%%%s", o->name);
      break;
    case PTX_ADDR:
      fputc('[', out);
      if (o->var || o->has_reg) {
        fputs(o->var ? name_of_var(p, o->var) : p->regs[o->reg], out);
        print_offset(p, o->value);
      } else {
        fprintf(out, "%" PRId64, o->value);
      }
      if (o->count) {
        fputs(", ", out);
        print_operand(p, o->items);
      }
      fputc(']', out);
      break;
    case PTX_VEC:
    case PTX_LIST:
      fputc(o->kind == PTX_VEC ? '{' : '(', out);
      for (uint32_t n = 0; n < o->count; n++) {
        fputs(n ? ", " : "", out);
        print_operand(p, &o->items[n]);
      }
      fputc(o->kind == PTX_VEC ? '}' : ')', out);
      break;
    case PTX_LABEL:
      fputs(p->labels[o->value], out);
      break;
    case PTX_FUNC:
      fputs(o->func->name, out);
      break;
    case PTX_SINK:
      fputc('_', out);
      break;
    case PTX_NAME:
      fputs(name_of_table(p, o->name), out);
      break;
  }
}

static void print_stmt(const printer *p, const ptx_stmt *s) {
  FILE *out = p->out;
  if (s->is_label) {
    fprintf(out, "%s:\n", p->labels[s->label]);
    return;
  }
  fputc('\t', out);
  if (s->guarded)
    fprintf(out, "@%s%s ", s->guard_neg ? "!" : "", p->regs[s->guard]);
  fputs(s->op, out);
  for (uint32_t n = 0; n < s->mod_count; n++)
    fprintf(out, ".%s", s->mods[n]);
  for (uint32_t n = 0; n < s->operand_count; n++) {
    fputs(n ? ", " : " ", out);
    print_operand(p, &s->operands[n]);
    if (n == 0 && s->pair != UINT32_MAX)
      fprintf(out, "|%s", p->regs[s->pair]);
  }
  fputs(";\n", out);
}

// ---- variables

static void print_address(const printer *p, const ptx_init *r) {
  fprintf(p->out, r->generic ? "generic(%s)" : "%s",
          r->var ? name_of_var(p, r->var) : r->func->name);
  print_offset(p, r->addend);
}

static void print_init(const printer *p, const ptx_var *v) {
  unsigned size = ptx_type_bytes(v->type);
  const ptx_init *r = v->relocs;
  FILE *out = p->out;
  fputs(v->is_array ? " = {" : " = ", out);
  for (uint64_t at = 0; at + size <= v->bytes; at += size) {
    uint64_t bits = 0;
    fputs(at ? ", " : "", out);
    for (unsigned n = 0; n < size && n < 8; n++)
      bits |= (uint64_t)v->init[at + n] << 8 * n;
    while (r && r->offset + 8 <= at)
      r = r->next;
    if (r && r->offset <= at) {
      if (size == 1)
        fprintf(out, "0x%" PRIX64 "(", UINT64_C(0xff) << 8 * (at - r->offset));
      print_address(p, r);
      fputs(size == 1 ? ")" : "", out);
    } else if (v->type == PTX_F32) {
      fprintf(out, "0f%08" PRIX32, (uint32_t)bits);
    } else if (v->type == PTX_F64) {
      print_double(out, bits);
    } else if (size < 8 && ptx_type_name(v->type)[0] == 's') {
      fprintf(out, "%" PRId64, (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size));
    } else {
      fprintf(out, "%" PRIu64, bits);
    }
  }
  fputs(v->is_array ? "}" : "", out);
}

static void print_declaration(const printer *p, const ptx_var *v) {
  if (v->linkage[0])
    fprintf(p->out, "%s ", v->linkage);
  fprintf(p->out, ".%s .align %u .%s %s", ptx_space_name(v->space), v->align,
          ptx_type_name(v->type), name_of_var(p, v));
  if (v->is_array && v->bytes)
    fprintf(p->out, "[%" PRIu64 "]", v->bytes / ptx_type_bytes(v->type));
  else if (v->is_array)
    fputs("[]", p->out);
}

static void print_var(const printer *p, const ptx_var *v) {
  print_declaration(p, v);
  if (v->init)
    print_init(p, v);
  fputs(";\n", p->out);
}

// ---- functions

static void print_params(const printer *p, ptx_var *const *list, uint32_t count) {
  fputc('(', p->out);
  for (uint32_t n = 0; n < count; n++) {
    fputs(n ? ", " : "", p->out);
    print_declaration(p, list[n]);
  }
  fputc(')', p->out);
}

static void print_head(const printer *p, const ptx_function *f) {
  if (f->linkage[0])
    fprintf(p->out, "%s ", f->linkage);
  fputs(f->is_entry ? ".entry " : ".func ", p->out);
  if (f->ret_count)
    print_params(p, f->rets, f->ret_count);
  fprintf(p->out, "%s%s ", f->ret_count ? " " : "", f->name);
  print_params(p, f->params, f->param_count);
}

static void print_performance(FILE *out, const ptx_function *f) {
  if (f->maxntid[0])
    fprintf(out, "\n.maxntid %u, %u, %u", f->maxntid[0], f->maxntid[1], f->maxntid[2]);
  if (f->reqntid[0])
    fprintf(out, "\n.reqntid %u, %u, %u", f->reqntid[0], f->reqntid[1], f->reqntid[2]);
  if (f->minnctapersm)
    fprintf(out, "\n.minnctapersm %u", f->minnctapersm);
  if (f->maxnreg)
    fprintf(out, "\n.maxnreg %u", f->maxnreg);
}

static void print_body(const printer *p) {
  const ptx_function *f = p->f;
  FILE *out = p->out;
  for (uint32_t n = 0; n < f->reg_count; n++) {
    bool same = n && f->regs[n].type == f->regs[n - 1].type && n % 8;
    if (same)
      fprintf(out, ", %s", p->regs[n]);
    else
      fprintf(out, "%s\t.reg .%s %s", n ? ";\n" : "", ptx_type_name(f->regs[n].type), p->regs[n]);
  }
  fputs(f->reg_count ? ";\n" : "", out);
  for (uint32_t n = 0; n < f->var_count; n++) {
    fputc('\t', out);
    print_var(p, f->vars[n]);
  }
  for (uint32_t n = 0; n < f->target_count; n++) {
    fprintf(out, "%s: .branchtargets ", p->targets[n]);
    for (uint32_t t = 0; t < f->targets[n].count; t++)
      fprintf(out, "%s%s", t ? ", " : "", p->labels[f->targets[n].labels[t]]);
    fputs(";\n", out);
  }
  for (uint32_t n = 0; n < f->prototype_count; n++)
    fprintf(out, "%s: .callprototype %s;\n", p->prototypes[n], f->prototypes[n].text);
  uint32_t file = 0, line = 0;
  for (uint32_t n = 0; n < f->stmt_count; n++) {
    const ptx_stmt *s = &f->stmts[n];
    if (!s->is_label && s->cuda_line && (s->cuda_file != file || s->cuda_line != line))
      fprintf(out, "\t.loc %u %u 0\n", file = s->cuda_file, line = s->cuda_line);
    print_stmt(p, s);
  }
}

static void print_function(printer *p, const ptx_function *f) {
  names_start(p, f);
  print_head(p, f);
  print_performance(p->out, f);
  fputs("\n{\n", p->out);
  print_body(p);
  fputs("}\n", p->out);
  names_end(p);
}

void ptx_print(const ptx_module *m, FILE *out) {
  printer p = {.out = out};
  fprintf(out, ".version %u.%u\n.target %s\n.address_size 64\n", m->version_major, m->version_minor,
          m->target ? m->target : "sm_70");
  for (uint32_t n = 0; n < m->file_count; n++) {
    fprintf(out, ".file %u \"", m->files[n].number);
    for (const char *c = m->files[n].name; *c; c++)
      fprintf(out, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    fputs("\"\n", out);
  }
  for (uint32_t n = 0; n < m->var_count; n++)
    set_add(&p.module, m->vars[n]->name);
  for (uint32_t n = 0; n < m->function_count; n++)
    set_add(&p.module, m->functions[n]->name);
  for (uint32_t n = 0; n < m->function_count; n++) {  // variables and bodies may name them
    const ptx_function *f = m->functions[n];
    if (f->is_entry && f->has_body)
      continue;
    names_start(&p, f);
    print_head(&p, f);
    fputs(";\n", out);
    names_end(&p);
  }
  for (uint32_t n = 0; n < m->var_count; n++)
    print_var(&p, m->vars[n]);
  for (int entries = 0; entries < 2; entries++)
    for (uint32_t n = 0; n < m->function_count; n++)
      if (m->functions[n]->has_body && m->functions[n]->is_entry == entries)
        print_function(&p, m->functions[n]);
  set_free(&p.module);
}
