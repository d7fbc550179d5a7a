// SPDX-License-Identifier: Apache-2.0
// The listing of -S: Fig. 7 of the MPU paper for a whole kernel, and the totals of its Fig. 14.
#include <ctype.h>
#include "harness/base/json.h"
#include "live.h"
#include "mem.h"
#include "mir.h"
#include "mir_text.h"

typedef struct listing {
  mir_kernel *k;
  bool allocated;
} listing;

// A virtual register at `text` ("%v12.w0"): its name and location. Returns what follows it.
static const char *print_virtual(FILE *f, const listing *l, const char *text) {
  char *end;
  unsigned long id = strtoul(text + 2, &end, 10);
  const mir_vreg *v = &l->k->vregs[id];
  if (v->name)
    fputs(v->name, f);
  else
    fprintf(f, "%%v%lu", id);
  if (end[0] == '.' && (end[1] == 'w' || end[1] == 'p')) {
    fwrite(end, 1, 3, f);
    end += 3;
  }
  fprintf(f, ":%c", mir_loc_letters[v->loc]);
  return end;
}

// A numbered register ("rd4"): the range that it is in tells its file.
static const char *print_numbered(FILE *f, const listing *l, const char *text, const char *digits) {
  char *end;
  unsigned long r = strtoul(digits, &end, 10);
  uint32_t both = l->k->regs_both, near = both + l->k->regs_near;
  fwrite(text, 1, (size_t)(end - text), f);
  fprintf(f, ":%c", r < both ? 'B' : r < near ? 'N' : 'F');
  return end;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

// The text of an instruction, with PTX names for virtual registers and a location on each.
static void print_inst(FILE *f, const listing *l, const isa_inst *i) {
  char *text = mir_inst_text(l->k, i);
  const char *at = text;
  bool first = true, labels = i->op == ISA_OP_BRA;
  while (*at) {
    const char *digits = at + 1 + (at[0] == 'r' && (at[1] == 'd' || at[1] == 'q'));
    bool start = at == text || !is_word(at[-1]);
    if (labels && !first && *at != '@') {
      fputs(at, f);
      break;
    }
    if (start && at[0] == '%' && at[1] == 'v' && isdigit((unsigned char)at[2])) {
      at = print_virtual(f, l, at);
    } else if (start && at[0] == '%' && at[1] == 'p' && isdigit((unsigned char)at[2])) {
      do
        putc(*at++, f);
      while (isdigit((unsigned char)*at) || *at == 'p');
      fputs(":F", f);
    } else if (start && at[0] == 'r' && isdigit((unsigned char)*digits)) {
      at = print_numbered(f, l, at, digits);
    } else {
      first = first && *at != ' ';
      putc(*at++, f);
    }
  }
  free(text);
}

// Of --locate=cost.
static void print_why(const mir_kernel *k, const mir_inst *mi, FILE *f) {
  const mir_why *w = &mi->why;
  const char *const sides[] = {"near", "far"};
  const isa_reg r[4] = {mi->i.d, mi->i.a, mi->i.b, mi->i.c};
  const bool data = isa_may_have_far_data(&mi->i);
  const bool far = data ? mi->i.hint == ISA_HINT_FAR_DATA : mi->loc == MIR_LOC_F;
  bool first = true;
  if (w->kind == MIR_WHY_NONE)
    return;
  if (w->kind == MIR_WHY_ONLY) {
    fputs("; only far", f);
    return;
  }
  fprintf(f, "; %s%s %.1f flits, %s %.1f", data ? "data " : "", sides[far], w->here, sides[!far],
          w->there);
  for (unsigned o = 0; o < 4; o++) {
    if (!(w->crossing >> o & 1) || !ISA_REG_IS_VIRTUAL(r[o]))
      continue;
    const mir_vreg *v = &k->vregs[ISA_REG_ID(r[o])];
    if (v->name)
      fprintf(f, "%s %s", first ? ":" : ",", v->name);
    else
      fprintf(f, "%s %%v%u", first ? ":" : ",", ISA_REG_ID(r[o]));
    first = false;
  }
  if (!first)
    fputs(" would cross", f);
  if (w->kind == MIR_WHY_KEPT)
    fputs("; as paper", f);
}

static void print_place(const mir_module *m, const mir_kernel *k, const mir_inst *mi, FILE *f) {
  fputs("  //", f);
  if (mi->at.ptx_line)
    fprintf(f, " ptx %u", mi->at.ptx_line);
  if (mi->at.cuda_line)
    fprintf(f, " %s:%u", m->files[mi->at.cuda_file], mi->at.cuda_line);
  print_why(k, mi, f);
  putc('\n', f);
}

static void print_code(const mir_module *m, const listing *l, FILE *f) {
  for (uint32_t b = 0; b < l->k->block_count; b++) {
    fprintf(f, "%s:\n", l->k->blocks[b].label);
    for (uint32_t j = 0; j < l->k->blocks[b].count; j++) {
      const mir_inst *mi = &l->k->blocks[b].insts[j];
      fprintf(f, "  [%c] ", mir_loc_letters[mi->loc]);
      print_inst(f, l, &mi->i);
      print_place(m, l->k, mi, f);
    }
  }
}

static double percent(uint32_t part, uint32_t all) {
  return all ? 100.0 * part / all : 0;
}

static void print_counts(const char *what, const uint32_t count[4], FILE *f) {
  uint32_t all = count[0] + count[1] + count[2] + count[3];
  fprintf(f, "//   %-13s %5u: N %u (%.1f %%), F %u (%.1f %%), B %u (%.1f %%), U %u (%.1f %%)\n",
          what, all, count[MIR_LOC_N], percent(count[MIR_LOC_N], all), count[MIR_LOC_F],
          percent(count[MIR_LOC_F], all), count[MIR_LOC_B], percent(count[MIR_LOC_B], all),
          count[MIR_LOC_U], percent(count[MIR_LOC_U], all));
}

// Files that a location alone asks for.
static unsigned own_files(uint8_t loc) {
  return loc == MIR_LOC_N   ? MIR_FILE_NEAR
         : loc == MIR_LOC_F ? MIR_FILE_FAR
         : loc == MIR_LOC_B ? MIR_FILE_NEAR | MIR_FILE_FAR
                            : 0;
}

// Of a kernel: its registers and instructions by location, and the registers that need a place on
// the other side too.
typedef struct totals {
  uint32_t regs[4], insts[4], widened;
} totals;

static totals totals_of(const listing *l) {
  const mir_kernel *k = l->k;
  totals t = {0};
  bool *named = mem_new(k->vreg_count, sizeof *named);
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      const isa_inst *i = &k->blocks[b].insts[j].i;
      const isa_reg r[4] = {i->d, i->a, i->b, i->c};
      t.insts[k->blocks[b].insts[j].loc]++;
      for (unsigned o = 0; o < 4; o++)
        if (ISA_REG_IS_VIRTUAL(r[o]))
          named[ISA_REG_ID(r[o])] = true;
    }
  for (uint32_t v = 0; v < k->vreg_count; v++) {
    const mir_vreg *r = &k->vregs[v];
    if (!named[v] && !(l->allocated && r->phys != ISA_RZ))
      continue;
    t.regs[r->loc]++;
    t.widened += r->loc != MIR_LOC_U && (r->files & ~own_files(r->loc)) != 0;
  }
  free(named);
  return t;
}

static void print_totals(const listing *l, FILE *f) {
  const mir_kernel *k = l->k;
  const totals t = totals_of(l);
  fprintf(f, "// totals of %s\n", k->name);
  print_counts("registers", t.regs, f);
  print_counts("instructions", t.insts, f);
  fprintf(f, "//   widened: %u registers need a place on the side that their location is not\n",
          t.widened);
  if (l->allocated)
    fprintf(f, "//   files: near %u, far %u registers of 32 bits a thread (%u on both sides)\n",
            k->regs_both + k->regs_near, k->regs_both + k->regs_far, k->regs_both);
  else
    fprintf(f, "//   files: near %u, far %u registers of 32 bits a thread live at once\n",
            live_peak(k, MIR_FILE_NEAR), live_peak(k, MIR_FILE_FAR));
}

void mir_listing(const mir_module *m, FILE *f) {
  for (uint32_t n = 0; n < m->kernel_count; n++) {
    const listing l = {&m->kernels[n], m->stage == MIR_ALLOCATED};
    fprintf(f, "// kernel %s%s%s\n", l.k->name, l.k->dies ? ", dies " : "",
            l.k->dies ? isa_dies_names[l.k->dies] : "");
    print_code(m, &l, f);
    print_totals(&l, f);
    putc('\n', f);
  }
}

static void put_counts(json_writer *j, const char *what, const uint32_t count[4]) {
  jw_object(j, what);
  jw_count(j, "near", count[MIR_LOC_N]);
  jw_count(j, "far", count[MIR_LOC_F]);
  jw_count(j, "both", count[MIR_LOC_B]);
  jw_count(j, "unknown", count[MIR_LOC_U]);
  jw_end(j);
}

void mir_counts(const mir_module *m, FILE *f) {
  json_writer j = jw_to(f);
  jw_object(&j, NULL);
  jw_list(&j, "kernels");
  for (uint32_t n = 0; n < m->kernel_count; n++) {
    const listing l = {&m->kernels[n], m->stage == MIR_ALLOCATED};
    const totals t = totals_of(&l);
    jw_object(&j, NULL);
    jw_text(&j, "name", l.k->name);
    put_counts(&j, "registers", t.regs);
    put_counts(&j, "instructions", t.insts);
    jw_count(&j, "widened", t.widened);
    jw_end(&j);
  }
  jw_end(&j);
  jw_end(&j);
  fputc('\n', f);
}
