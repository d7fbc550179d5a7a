// SPDX-License-Identifier: Apache-2.0
// MIR as text: one directive or instruction a line (docs/mpucc.md, "Dumps").
#include <ctype.h>
#include "csim/isa/asm.h"
#include "mem.h"
#include "mir.h"
#include "mir_text.h"

const char *const mir_stage_names[MIR_STAGES] = {"lowered", "simplified", "reconverged", "masked",
                                                 "located", "reordered",  "allocated"};
const char mir_loc_letters[5] = "UNFB";

static void print_string(FILE *f, const char *s) {
  if (!s) {
    putc('-', f);
    return;
  }
  putc('"', f);
  for (; *s; s++)
    if (*s == '"' || *s == '\\' || !isprint((unsigned char)*s))
      fprintf(f, "\\x%02x", (unsigned char)*s);
    else
      putc(*s, f);
  putc('"', f);
}

static void print_var(const mir_var *v, FILE *f) {
  fputs(".var ", f);
  print_string(f, v->name);
  fprintf(f, " %s align %u bytes %llu offset %llu\n", v->is_const ? "const" : "global", v->align,
          (unsigned long long)v->bytes, (unsigned long long)v->offset);
  for (uint64_t n = 0; v->init && (n < v->bytes || n == 0); n += 32) {
    fputs(".init ", f);
    for (uint64_t k = n; k < v->bytes && k < n + 32; k++)
      fprintf(f, "%02x", v->init[k]);
    putc('\n', f);
  }
  for (uint32_t n = 0; n < v->reloc_count; n++)
    fprintf(f, ".address %llu %u %lld\n", (unsigned long long)v->relocs[n].offset, v->relocs[n].var,
            (long long)v->relocs[n].addend);
}

static const char *label_of(void *context, uint32_t target) {
  const mir_kernel *k = context;
  return target < k->block_count ? k->blocks[target].label : NULL;
}

char *mir_inst_text(mir_kernel *k, const isa_inst *i) {
  const asm_labels labels = {.name = label_of, .context = k};
  size_t bytes = asm_print(i, &labels, NULL, 0) + 1;
  char *text = mem_new(bytes, 1);
  asm_print(i, &labels, text, bytes);
  return text;
}

static void print_inst(mir_kernel *k, const mir_inst *mi, FILE *f) {
  static const char *const relocs[] = {"", "lo32", "hi32", "stack", "pointer"};
  char *text = mir_inst_text(k, &mi->i);
  fprintf(f, "  %s ; ptx=%u", text, mi->at.ptx_line);
  free(text);
  if (mi->at.cuda_file || mi->at.cuda_line)
    fprintf(f, " cuda=%u:%u", mi->at.cuda_file, mi->at.cuda_line);
  if (mi->loc)
    fprintf(f, " loc=%c", mir_loc_letters[mi->loc]);
  if (mi->reloc)
    fprintf(f, " reloc=%s:%u:%lld", relocs[mi->reloc], mi->var, (long long)mi->addend);
  putc('\n', f);
}

static void print_kernel(mir_kernel *k, FILE *f) {
  fputs(".kernel ", f);
  print_string(f, k->name);
  putc('\n', f);
  for (uint32_t n = 0; n < k->param_count; n++) {
    fputs(".param ", f);
    print_string(f, k->params[n].name);
    fprintf(f, " offset %u bytes %u align %u\n", k->params[n].offset, k->params[n].bytes,
            k->params[n].align);
  }
  fprintf(f,
          ".frame params %u shared %u local %u threads %u block %u %u %u dynamic %d dies %d "
          "skew %d\n",
          k->param_bytes, k->shared_bytes, k->local_bytes, k->max_threads, k->reqntid[0],
          k->reqntid[1], k->reqntid[2], k->dynamic_shared, (int)k->dies, (int)k->skew);
  fprintf(f, ".regs both %u near %u far %u preds %u\n", k->regs_both, k->regs_near, k->regs_far,
          k->preds);
  fprintf(f, ".predicates %u\n", k->pred_count);
  for (uint32_t v = 0; v < k->vreg_count; v++) {
    const mir_vreg *r = &k->vregs[v];
    fprintf(f, ".reg %u words %u loc %c files %u temp %d %snumber %u ", v, r->words,
            mir_loc_letters[r->loc], r->files, r->temp, r->mask ? "mask " : "", r->phys);
    print_string(f, r->name);
    putc('\n', f);
  }
  for (uint32_t b = 0; b < k->block_count; b++) {
    fprintf(f, ".block %s", k->blocks[b].label);
    if (k->blocks[b].function) {
      fputs(" function ", f);
      print_string(f, k->blocks[b].function);
    }
    putc('\n', f);
    for (uint32_t j = 0; j < k->blocks[b].count; j++)
      print_inst(k, &k->blocks[b].insts[j], f);
  }
  fputs(".end\n", f);
}

void mir_print(const mir_module *m, FILE *f) {
  fprintf(f, ".mir %d\n.stage %s\n", MIR_TEXT_VERSION, mir_stage_names[m->stage]);
  for (uint32_t n = 1; n < m->file_count; n++) {
    fputs(".file ", f);
    print_string(f, m->files[n]);
    putc('\n', f);
  }
  for (uint32_t n = 0; n < m->var_count; n++)
    print_var(&m->vars[n], f);
  for (uint32_t n = 0; n < m->kernel_count; n++)
    print_kernel(&m->kernels[n], f);
}
