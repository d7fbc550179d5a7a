// SPDX-License-Identifier: Apache-2.0
#include "addresses.h"

#include <string.h>
#include "addresses_sum.h"
#include "mem.h"

typedef struct finder {
  ssa v;
  adder *a;
  affine_kernel *to;
} finder;

static bool may_be_global(const isa_inst *i) {
  return mir_is_memory(i) && (i->space == ISA_SPACE_GLOBAL || i->space == ISA_SPACE_GENERIC);
}

static uint32_t add_terms(affine_kernel *to, const affine_term *terms, uint32_t n) {
  const uint32_t first = to->n_terms;
  to->terms = mem_resize(to->terms, (size_t)first + n, sizeof *to->terms);
  if (n)
    memcpy(to->terms + first, terms, n * sizeof *terms);
  to->n_terms += n;
  return first;
}

static void add_range(affine_kernel *to, const sum_range *r) {
  const uint32_t first = add_terms(to, r->terms, r->n);
  to->ranges = mem_resize(to->ranges, (size_t)to->n_ranges + 1, sizeof *to->ranges);
  to->ranges[to->n_ranges++] = (affine_range){r->least, r->most, first, r->n};
}

static void add_access(finder *f, uint32_t site) {
  affine_kernel *to = f->to;
  const ssa_site *at = &f->v.sites[site];
  const sum base = adder_operand(f->a, site, 1), offset = sum_number((int32_t)at->mi->i.imm),
            all = sum_add(&base, &offset, 1, site);
  affine_access x = {.pc = at->pc, .reason = all.reason};
  if (all.reason == AFFINE_IS) {
    x.first = add_terms(to, all.terms, all.n);
    x.terms = all.n;
    x.first_range = to->n_ranges;
    x.ranges = all.n_ranges;
    for (uint32_t r = 0; r < all.n_ranges; r++)
      add_range(to, &adder_ranges(f->a)->of[all.ranges[r]]);
  } else {
    x.at = all.site < f->v.n_sites ? f->v.sites[all.site].pc : at->pc;
  }
  to->accesses = mem_resize(to->accesses, (size_t)to->n_accesses + 1, sizeof *to->accesses);
  to->accesses[to->n_accesses++] = x;
}

static void add_loops(finder *f) {
  const uint32_t *heads, *backs;
  f->to->n_loops = adder_loops(f->a, &heads, &backs);
  f->to->loops = mem_new(f->to->n_loops, sizeof *f->to->loops);
  for (uint32_t n = 0; n < f->to->n_loops; n++) {
    const uint32_t back = backs[n] == CFG_NONE ? heads[n] : backs[n];
    f->to->loops[n] = (affine_loop){f->v.first_site[heads[n]] * ISA_BYTES,
                                    (f->v.first_site[back + 1] - 1) * ISA_BYTES};
  }
}

static bool has_access(const mir_kernel *k) {
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++)
      if (may_be_global(&k->blocks[b].insts[j].i))
        return true;
  return false;
}

static void find(const mir_kernel *k, affine_kernel *to) {
  finder f = {.to = to};
  if (!has_access(k))
    return;
  ssa_build(&f.v, k);
  f.a = adder_new(&f.v);
  for (uint32_t s = 0; s < f.v.n_sites; s++)
    if (may_be_global(&f.v.sites[s].mi->i) && f.v.cfg.rpo_of[f.v.sites[s].block] != CFG_NONE)
      add_access(&f, s);
  add_loops(&f);
  adder_free(f.a);
  ssa_free(&f.v);
}

affine_kernel *addresses_find(const mir_module *m) {
  affine_kernel *all = mem_new(m->kernel_count, sizeof *all);
  for (uint32_t n = 0; n < m->kernel_count; n++)
    find(&m->kernels[n], &all[n]);
  return all;
}

void addresses_free(affine_kernel *kernels, uint32_t count) {
  for (uint32_t n = 0; n < count; n++)
    affine_free(&kernels[n]);
  free(kernels);
}

// ---- the list

typedef struct listed {
  const mir_module *m;
  const mir_kernel *k;
} listed;

static const char *name_of(const void *context, affine_symbol s) {
  const listed *l = context;
  if (s.kind == AFFINE_VARIABLE)
    return s.index < l->m->var_count ? l->m->vars[s.index].name : NULL;
  for (uint32_t p = 0; p < l->k->param_count; p++)
    if (l->k->params[p].offset == s.index)
      return l->k->params[p].name;
  return NULL;
}

static const mir_inst *inst_at(const mir_kernel *k, uint32_t pc) {
  uint32_t n = pc / ISA_BYTES, b = 0;
  while (b + 1 < k->block_count && n >= k->blocks[b].count)
    n -= k->blocks[b++].count;
  return n < k->blocks[b].count ? &k->blocks[b].insts[n] : NULL;
}

static void print_place(const listed *l, const mir_inst *mi, FILE *f) {
  if (mi && mi->at.cuda_line)
    fprintf(f, "%s:%u", l->m->files[mi->at.cuda_file], mi->at.cuda_line);
  else
    fprintf(f, "ptx %u", mi ? mi->at.ptx_line : 0);
}

static void print_reason(const listed *l, const affine_access *a, FILE *f) {
  const mir_inst *mi = inst_at(l->k, a->at);
  fputs("not affine: ", f);
  if (a->reason == AFFINE_VALUE)
    fprintf(f, "it depends on what %s gives, ", mi ? isa_ops[mi->i.op].name : "?");
  else if (a->reason == AFFINE_PATHS)
    fputs("it differs by the path that a thread takes, ", f);
  else if (a->reason == AFFINE_UNEVEN)
    fputs("it does not grow evenly, or is used behind its loop, ", f);
  else
    fputs("it has too many terms, ", f);
  print_place(l, mi, f);
}

void addresses_list(const mir_module *m, const affine_kernel *kernels, FILE *f) {
  for (uint32_t n = 0; n < m->kernel_count; n++) {
    const listed l = {m, &m->kernels[n]};
    const affine_names names = {name_of, &l};
    fprintf(f, "// addresses of %s\n", l.k->name);
    for (uint32_t k = 0; k < kernels[n].n_accesses; k++) {
      const affine_access *a = &kernels[n].accesses[k];
      const mir_inst *mi = inst_at(l.k, a->pc);
      fprintf(f, "//   %s ", mi ? isa_ops[mi->i.op].name : "?");
      print_place(&l, mi, f);
      fputs(": ", f);
      if (a->reason == AFFINE_IS)
        affine_print(kernels[n].terms + a->first, a->terms, &names, f);
      else
        print_reason(&l, a, f);
      putc('\n', f);
    }
    putc('\n', f);
  }
}
