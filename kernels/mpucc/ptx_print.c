// SPDX-License-Identifier: Apache-2.0
// The tree as PTX again. Names are made unique with a number where scopes or inlining repeat them,
// so every register, label and local variable is declared once, at the top of its function.
#include <inttypes.h>
#include <string.h>
#include "ptx.h"

static void print_reg(const ptx_function *f, uint32_t reg, FILE *out) {
  fprintf(out, "%%R%u", reg);
  (void)f;
}

// Variables of a function carry their place in its list; others keep their names.
static void print_var(const ptx_function *f, const ptx_var *v, FILE *out) {
  for (uint32_t n = 0; f && n < f->var_count; n++)
    if (f->vars[n] == v) {
      fprintf(out, "%s_v%u", v->name, n);
      return;
    }
  fputs(v->name, out);
}

static void print_operand(const ptx_function *f, const ptx_operand *o, FILE *out) {
  if (o->negated)
    fputc('!', out);
  switch (o->kind) {
    case PTX_REG: print_reg(f, o->reg, out); break;
    case PTX_INT: fprintf(out, "%" PRId64, o->value); break;
    case PTX_FLOAT:
      if (o->width == 32)
        fprintf(out, "0f%08" PRIX32, (uint32_t)o->bits);
      else
        fprintf(out, "0d%016" PRIX64, o->bits);
      break;
    case PTX_VAR:
      print_var(f, o->var, out);
      if (o->value)
        fprintf(out, "+%" PRId64, o->value);
      break;
    case PTX_SREG: fprintf(out, "%%%s", o->name); break;
    case PTX_ADDR:
      fputc('[', out);
      if (o->var)
        print_var(f, o->var, out);
      else if (o->has_reg)
        print_reg(f, o->reg, out);
      if (o->value || !(o->var || o->has_reg))
        fprintf(out, o->var || o->has_reg ? "+%" PRId64 : "%" PRId64, o->value);
      if (o->count) {
        fputs(", ", out);
        print_operand(f, o->items, out);
      }
      fputc(']', out);
      break;
    case PTX_VEC:
    case PTX_LIST:
      fputc(o->kind == PTX_VEC ? '{' : '(', out);
      for (uint32_t n = 0; n < o->count; n++) {
        fputs(n ? ", " : "", out);
        print_operand(f, &o->items[n], out);
      }
      fputc(o->kind == PTX_VEC ? '}' : ')', out);
      break;
    case PTX_LABEL: fprintf(out, "$L%" PRId64, o->value); break;
    case PTX_FUNC: fputs(o->func->name, out); break;
    case PTX_SINK: fputc('_', out); break;
    case PTX_NAME: fputs(o->name, out); break;
  }
}

static void print_stmt(const ptx_function *f, const ptx_stmt *s, FILE *out) {
  if (s->is_label) {
    fprintf(out, "$L%u:\n", s->label);
    return;
  }
  fputc('\t', out);
  if (s->guarded) {
    fputs(s->guard_neg ? "@!" : "@", out);
    print_reg(f, s->guard, out);
    fputc(' ', out);
  }
  fputs(s->op, out);
  for (uint32_t n = 0; n < s->mod_count; n++)
    fprintf(out, ".%s", s->mods[n]);
  for (uint32_t n = 0; n < s->operand_count; n++) {
    fputs(n ? ", " : " ", out);
    print_operand(f, &s->operands[n], out);
    if (n == 0 && s->pair != UINT32_MAX) {
      fputc('|', out);
      print_reg(f, s->pair, out);
    }
  }
  fputs(";\n", out);
}

static void print_init(const ptx_function *f, const ptx_var *v, FILE *out) {
  unsigned size = ptx_type_bytes(v->type);
  fputs(v->is_array ? " = {" : " = ", out);
  for (uint64_t at = 0; at + size <= v->bytes; at += size) {
    const ptx_init *r = v->relocs;
    uint64_t bits = 0;
    fputs(at ? ", " : "", out);
    while (r && r->offset != at)
      r = r->next;
    for (unsigned n = 0; n < size && n < 8; n++)
      bits |= (uint64_t)v->init[at + n] << 8 * n;
    if (r) {
      fputs(r->generic ? "generic(" : "", out);
      print_var(f, r->var, out);
      if (r->addend)
        fprintf(out, "+%" PRId64, r->addend);
      fputs(r->generic ? ")" : "", out);
    } else if (v->type == PTX_F32) {
      fprintf(out, "0f%08" PRIX32, (uint32_t)bits);
    } else if (v->type == PTX_F64) {
      fprintf(out, "0d%016" PRIX64, bits);
    } else {
      fprintf(out, "%" PRIu64, bits);
    }
  }
  fputs(v->is_array ? "}" : "", out);
}

static void print_declaration(const ptx_function *f, const ptx_var *v, FILE *out) {
  unsigned size = ptx_type_bytes(v->type);
  if (v->linkage[0])
    fprintf(out, "%s ", v->linkage);
  fprintf(out, ".%s .align %u .%s ", ptx_space_name(v->space), v->align, ptx_type_name(v->type));
  print_var(f, v, out);
  if (v->is_array && v->bytes)
    fprintf(out, "[%" PRIu64 "]", v->bytes / size);
  else if (v->is_array)
    fputs("[]", out);
}

static void print_params(ptx_var *const *list, uint32_t count, FILE *out) {
  fputc('(', out);
  for (uint32_t n = 0; n < count; n++) {
    fputs(n ? ", " : "", out);
    print_declaration(NULL, list[n], out);
  }
  fputc(')', out);
}

static void print_dims(const char *name, const uint32_t v[3], FILE *out) {
  if (v[0])
    fprintf(out, "\n.%s %u, %u, %u", name, v[0], v[1], v[2]);
}

static void print_function(const ptx_module *m, const ptx_function *f, FILE *out) {
  if (f->linkage[0])
    fprintf(out, "%s ", f->linkage);
  fputs(f->is_entry ? ".entry " : ".func ", out);
  if (f->ret_count)
    print_params(f->rets, f->ret_count, out);
  fprintf(out, "%s ", f->name);
  print_params(f->params, f->param_count, out);
  print_dims("maxntid", f->maxntid, out);
  print_dims("reqntid", f->reqntid, out);
  if (!f->has_body) {
    fputs(";\n", out);
    return;
  }
  fputs("\n{\n", out);
  for (uint32_t n = 0; n < f->reg_count; n++)
    fprintf(out, "\t.reg .%s %%R%u;\n", ptx_type_name(f->regs[n].type), n);
  for (uint32_t n = 0; n < f->var_count; n++) {
    fputc('\t', out);
    print_declaration(f, f->vars[n], out);
    if (f->vars[n]->init)
      print_init(f, f->vars[n], out);
    fputs(";\n", out);
  }
  for (uint32_t n = 0; n < f->target_count; n++) {
    fprintf(out, "%s: .branchtargets ", f->targets[n].name);
    for (uint32_t t = 0; t < f->targets[n].count; t++)
      fprintf(out, "%s$L%u", t ? ", " : "", f->targets[n].labels[t]);
    fputs(";\n", out);
  }
  uint32_t file = 0, line = 0;
  for (uint32_t n = 0; n < f->stmt_count; n++) {
    const ptx_stmt *s = &f->stmts[n];
    if (!s->is_label && s->cuda_line && (s->cuda_file != file || s->cuda_line != line))
      fprintf(out, "\t.loc %u %u 0\n", file = s->cuda_file, line = s->cuda_line);
    print_stmt(f, s, out);
  }
  fputs("}\n", out);
  (void)m;
}

void ptx_print(const ptx_module *m, FILE *out) {
  fprintf(out, ".version %u.%u\n.target %s\n.address_size 64\n", m->version_major,
          m->version_minor, m->target ? m->target : "sm_70");
  for (uint32_t n = 0; n < m->file_count; n++)
    fprintf(out, ".file %u \"%s\"\n", m->files[n].number, m->files[n].name);
  for (uint32_t n = 0; n < m->var_count; n++) {
    print_declaration(NULL, m->vars[n], out);
    if (m->vars[n]->init)
      print_init(NULL, m->vars[n], out);
    fputs(";\n", out);
  }
  for (uint32_t n = 0; n < m->function_count; n++)
    print_function(m, m->functions[n], out);
}
