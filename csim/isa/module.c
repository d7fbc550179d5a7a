// SPDX-License-Identifier: Apache-2.0
#include "module.h"

#include <assert.h>
#include <gelf.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpu_elf.h"
#include "skew.h"

enum {
  MAX_KERNELS = 65536,
  MAX_SHARED_BYTES = 1 << 20,
  MAX_LOCAL_BYTES = 512 << 10,
  MAX_CONST_BYTES = 65536,
  SEGMENT_ALIGN = 256
};
#define MAX_BSS_BYTES (1ull << 35)

typedef struct reloc {
  uint32_t kernel;  // UINT32_MAX: in .data
  uint64_t offset;  // instruction index, or byte in .data
  uint64_t value;   // of the symbol, without the segment base
  bool is_const;
  uint32_t kind;  // R_MPU_*
} reloc;

typedef struct priv {
  char *strings;
  uint64_t string_bytes;
  char *symbol_names;
  module_param *params;
  module_line *lines;
  module_note *notes;
  reloc *relocs;
  size_t reloc_count;
} priv;

// State of one load.
typedef struct loader {
  module *m;
  priv *p;
  Elf *elf;
  size_t shstrndx;
  char *why;
  size_t why_bytes;
  size_t *text_of;  // section index of each kernel
} loader;

static bool fail(loader *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(loader *l, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(l->why, l->why_bytes, format, args);
  va_end(args);
  return false;
}

// malloc that never returns NULL for 0 bytes and checks the product.
static void *array_new(size_t count, size_t size) {
  return calloc(count ? count : 1, size);
}

static const char *section_name(loader *l, Elf_Scn *s, GElf_Shdr *header) {
  if (!gelf_getshdr(s, header))
    return "";
  const char *name = elf_strptr(l->elf, l->shstrndx, header->sh_name);
  return name ? name : "";
}

static Elf_Scn *section_find(loader *l, const char *name) {
  for (Elf_Scn *s = NULL; (s = elf_nextscn(l->elf, s));) {
    GElf_Shdr header;
    if (strcmp(section_name(l, s, &header), name) == 0)
      return s;
  }
  return NULL;
}

// Bytes of a section; an absent one is empty.
static bool section_bytes(loader *l, Elf_Scn *s, const uint8_t **bytes, uint64_t *count) {
  *bytes = NULL;
  *count = 0;
  if (!s)
    return true;
  GElf_Shdr header;
  if (!gelf_getshdr(s, &header))
    return fail(l, "a section header is damaged");
  if (header.sh_type == SHT_NOBITS || header.sh_size == 0)
    return true;
  Elf_Data *d = elf_rawdata(s, NULL);
  if (!d || !d->d_buf || d->d_size != header.sh_size)
    return fail(l, "section %s lies outside the file", section_name(l, s, &header));
  *bytes = d->d_buf;
  *count = d->d_size;
  return true;
}

static const char *string_at(const loader *l, uint32_t offset) {
  return offset < l->p->string_bytes ? l->p->strings + offset : NULL;
}

static bool load_strings(loader *l) {
  const uint8_t *bytes;
  uint64_t count;
  if (!section_bytes(l, section_find(l, ".mpu.strings"), &bytes, &count))
    return false;
  if (count == 0 || bytes[0] != 0 || bytes[count - 1] != 0)
    return fail(l, "section .mpu.strings is missing or not terminated");
  l->p->strings = array_new(count, 1);
  if (!l->p->strings)
    return fail(l, "out of memory");
  memcpy(l->p->strings, bytes, count);
  l->p->string_bytes = count;
  return true;
}

// A table of fixed-size entries.
static bool load_table(loader *l, const char *name, size_t entry, const uint8_t **bytes,
                       size_t *count) {
  uint64_t size;
  if (!section_bytes(l, section_find(l, name), bytes, &size))
    return false;
  if (size % entry)
    return fail(l, "section %s is not a whole number of entries", name);
  *count = size / entry;
  return true;
}

static bool load_params(loader *l, size_t *count) {
  const uint8_t *bytes;
  if (!load_table(l, ".mpu.params", sizeof(mpu_elf_param), &bytes, count))
    return false;
  l->p->params = array_new(*count, sizeof *l->p->params);
  if (!l->p->params)
    return fail(l, "out of memory");
  for (size_t k = 0; k < *count; k++) {
    mpu_elf_param e;
    memcpy(&e, bytes + k * sizeof e, sizeof e);
    l->p->params[k] = (module_param){string_at(l, e.name), e.offset, e.bytes, e.align};
    if (!l->p->params[k].name || e.offset > MPU_ELF_PARAM_MOST || e.bytes > MPU_ELF_PARAM_MOST)
      return fail(l, "parameter %zu is damaged", k);
  }
  return true;
}

// Registers and predicates inside the kernel's counts, branches inside its text.
static bool check_inst(loader *l, const module_kernel *k, const isa_inst *i, uint32_t at) {
  const isa_reg regs[4] = {i->d, i->a, i->b, i->c};
  const isa_reg preds[4] = {i->guard, i->pd, i->pq, i->ps};
  unsigned total = (unsigned)k->regs_both + k->regs_near + k->regs_far;
  for (unsigned o = 0; o < 4; o++) {
    if (regs[o] != ISA_RZ && regs[o] + isa_words(i, o) > total)
      return fail(l, "kernel %s, pc 0x%x: register r%u, the kernel has %u", k->name, at * ISA_BYTES,
                  regs[o], total);
    if (preds[o] != ISA_PT && preds[o] >= k->preds)
      return fail(l, "kernel %s, pc 0x%x: predicate p%u, the kernel has %u", k->name,
                  at * ISA_BYTES, preds[o], k->preds);
  }
  uint32_t size = k->inst_count * ISA_BYTES;
  if ((isa_ops[i->op].flags & ISA_F_TARGET) &&
      (i->imm >= size || (i->reconv != ISA_NO_RECONV && i->reconv >= size)))
    return fail(l, "kernel %s, pc 0x%x: branch out of the kernel", k->name, at * ISA_BYTES);
  return true;
}

static bool load_text(loader *l, module_kernel *k, size_t section) {
  Elf_Scn *s = elf_getscn(l->elf, section);
  const uint8_t *bytes;
  uint64_t count;
  if (!s || section == 0)
    return fail(l, "kernel %s has no text section", k->name);
  if (!section_bytes(l, s, &bytes, &count))
    return false;
  if (count == 0 || count % ISA_BYTES || count > UINT32_MAX / 2)
    return fail(l, "kernel %s: text is not a whole number of instructions", k->name);
  k->inst_count = (uint32_t)(count / ISA_BYTES);
  k->insts = array_new(k->inst_count, sizeof *k->insts);
  if (!k->insts)
    return fail(l, "out of memory");
  for (uint32_t i = 0; i < k->inst_count; i++) {
    uint64_t word[2];
    memcpy(word, bytes + (size_t)i * ISA_BYTES, sizeof word);
    if (!isa_decode(word, &k->insts[i]))
      return fail(l, "kernel %s, pc 0x%x: illegal instruction", k->name, i * ISA_BYTES);
    if (!check_inst(l, k, &k->insts[i], i))
      return false;
  }
  const isa_inst *last = &k->insts[k->inst_count - 1];
  if (last->guard != ISA_PT || last->guard_neg ||
      (last->op != ISA_OP_EXIT && last->op != ISA_OP_BRA && last->op != ISA_OP_TRAP))
    return fail(l, "kernel %s runs off its end", k->name);
  return true;
}

static uint32_t dies_of(uint32_t flags) {
  return (flags & (MPU_KERNEL_STACK - 1)) >> MPU_KERNEL_DIES;
}

static bool load_kernels(loader *l) {
  const uint8_t *bytes;
  size_t count = 0, params = 0;
  module *m = l->m;
  if (!load_params(l, &params) ||
      !load_table(l, ".mpu.kernels", sizeof(mpu_elf_kernel), &bytes, &count))
    return false;
  if (count > MAX_KERNELS)
    return fail(l, "%zu kernels, at most %d", count, MAX_KERNELS);
  m->kernels = array_new(count, sizeof *m->kernels);
  l->text_of = array_new(count, sizeof *l->text_of);
  if (!m->kernels || !l->text_of)
    return fail(l, "out of memory");
  for (size_t n = 0; n < count; n++) {
    mpu_elf_kernel e;
    memcpy(&e, bytes + n * sizeof e, sizeof e);
    module_kernel *k = &m->kernels[n];
    m->kernel_count = (uint32_t)n + 1;
    l->text_of[n] = e.text;
    k->name = string_at(l, e.name);
    if (!k->name || !*k->name || e.first_param > params || e.params > params - e.first_param ||
        e.param_bytes > MPU_ELF_PARAM_MOST || e.shared_bytes > MAX_SHARED_BYTES ||
        e.local_bytes > MAX_LOCAL_BYTES || e.local_bytes % 16 || e.preds > ISA_PT ||
        e.regs_both + e.regs_near + e.regs_far > ISA_RZ || e.flags >> MPU_KERNEL_SKEW >= SKEWS ||
        dies_of(e.flags) >= ISA_DIES_BOTH_SHARED)
      return fail(l, "entry %zu of .mpu.kernels is damaged", n);
    k->params = l->p->params + e.first_param;
    k->param_count = e.params;
    k->param_bytes = e.param_bytes;
    for (uint32_t q = 0; q < e.params; q++)
      if (k->params[q].offset + k->params[q].bytes > e.param_bytes)
        return fail(l, "kernel %s: parameter %s is outside the block", k->name, k->params[q].name);
    k->shared_bytes = e.shared_bytes;
    k->local_bytes = k->stack_at = e.local_bytes;
    k->max_threads = e.max_threads;
    memcpy(k->reqntid, e.reqntid, sizeof k->reqntid);
    k->regs_both = e.regs_both;
    k->regs_near = e.regs_near;
    k->regs_far = e.regs_far;
    k->preds = e.preds;
    k->flags = e.flags;
    if (e.flags & MPU_KERNEL_STACK)
      k->local_bytes += MODULE_STACK;
    k->shape = (uint64_t)e.shape[1] << 32 | e.shape[0];
    if (!load_text(l, k, e.text))
      return false;
  }
  return true;
}

static bool load_lines(loader *l) {
  const uint8_t *bytes;
  size_t count = 0;
  module *m = l->m;
  if (!load_table(l, ".mpu.lines", sizeof(mpu_elf_line), &bytes, &count))
    return false;
  if (count > UINT32_MAX)
    return fail(l, "too many lines");
  l->p->lines = array_new(count, sizeof *l->p->lines);
  if (!l->p->lines)
    return fail(l, "out of memory");
  mpu_elf_line before = {0};
  for (size_t n = 0; n < count; n++) {
    mpu_elf_line e;
    memcpy(&e, bytes + n * sizeof e, sizeof e);
    const char *file = string_at(l, e.cuda_file);
    if (!file || e.kernel >= m->kernel_count ||
        e.pc / ISA_BYTES >= m->kernels[e.kernel].inst_count ||
        (n && (e.kernel < before.kernel || (e.kernel == before.kernel && e.pc <= before.pc))))
      return fail(l, "entry %zu of .mpu.lines is damaged", n);
    module_kernel *k = &m->kernels[e.kernel];
    if (k->line_count++ == 0)
      k->lines = l->p->lines + n;
    l->p->lines[n] = (module_line){e.pc, e.ptx_line, file, e.cuda_line, e.block};
    before = e;
  }
  return true;
}

static bool load_notes(loader *l) {
  const uint8_t *bytes;
  size_t count = 0;
  module *m = l->m;
  if (!section_find(l, ".mpu.notes"))
    return true;
  if (!load_table(l, ".mpu.notes", sizeof(mpu_elf_note), &bytes, &count))
    return false;
  l->p->notes = array_new(count, sizeof *l->p->notes);
  if (!l->p->notes || count > UINT32_MAX)
    return fail(l, "out of memory");
  mpu_elf_note before = {0};
  for (size_t n = 0; n < count; n++) {
    mpu_elf_note e;
    memcpy(&e, bytes + n * sizeof e, sizeof e);
    const char *name = string_at(l, e.name);
    if (!name || e.kernel >= m->kernel_count || e.kind >= MPU_NOTES ||
        e.pc / ISA_BYTES >= m->kernels[e.kernel].inst_count ||
        (n && (e.kernel < before.kernel || (e.kernel == before.kernel && e.pc < before.pc))))
      return fail(l, "entry %zu of .mpu.notes is damaged", n);
    module_kernel *k = &m->kernels[e.kernel];
    if (k->note_count++ == 0)
      k->notes = l->p->notes + n;
    l->p->notes[n] = (module_note){e.pc, e.kind, name};
    before = e;
  }
  return true;
}

// What another compiler has written in another form is left out.
static bool load_addresses(loader *l) {
  const uint8_t *bytes;
  uint64_t count;
  module *m = l->m;
  if (!section_bytes(l, section_find(l, ".mpu.affine"), &bytes, &count))
    return false;
  affine_kernel *all = array_new(m->kernel_count, sizeof *all);
  if (!all)
    return fail(l, "out of memory");
  const bool damaged = bytes && affine_read(bytes, count, all, m->kernel_count) == AFFINE_DAMAGED;
  for (uint32_t k = 0; k < m->kernel_count; k++)
    m->kernels[k].addresses = all[k];
  free(all);
  return !damaged || fail(l, "section .mpu.affine is damaged");
}

static bool load_data(loader *l, size_t *data_section, size_t *bss_section, size_t *const_section) {
  const uint8_t *bytes;
  uint64_t count;
  module *m = l->m;
  Elf_Scn *data = section_find(l, ".data"), *bss = section_find(l, ".bss"),
          *constants = section_find(l, ".mpu.const");
  *data_section = data ? elf_ndxscn(data) : 0;
  *bss_section = bss ? elf_ndxscn(bss) : 0;
  *const_section = constants ? elf_ndxscn(constants) : 0;
  if (!section_bytes(l, data, &bytes, &count))
    return false;
  m->data = array_new(count, 1);
  if (!m->data)
    return fail(l, "out of memory");
  if (count)
    memcpy(m->data, bytes, count);
  m->data_bytes = count;
  if (!section_bytes(l, constants, &bytes, &count))
    return false;
  if (count > MAX_CONST_BYTES)
    return fail(l, "%llu bytes of constants, at most %d", (unsigned long long)count,
                MAX_CONST_BYTES);
  m->constants = array_new(count, 1);
  if (!m->constants)
    return fail(l, "out of memory");
  if (count)
    memcpy(m->constants, bytes, count);
  m->constant_bytes = count;
  GElf_Shdr header;
  if (bss) {
    if (!gelf_getshdr(bss, &header) || header.sh_type != SHT_NOBITS ||
        header.sh_size > MAX_BSS_BYTES)
      return fail(l, "section .bss is damaged");
    m->bss_bytes = header.sh_size;
  }
  uint64_t start = (m->data_bytes + SEGMENT_ALIGN - 1) / SEGMENT_ALIGN * SEGMENT_ALIGN;
  m->segment_bytes = m->bss_bytes ? start + m->bss_bytes : m->data_bytes;
  return true;
}

// Place of an object symbol in the segment or the constant bank.
static bool symbol_place(loader *l, const GElf_Sym *s, const size_t sections[3], uint64_t *offset,
                         bool *is_const) {
  const module *m = l->m;
  uint64_t start = 0, size;
  *is_const = false;
  if (s->st_shndx == SHN_UNDEF)
    return false;
  if (s->st_shndx == sections[0]) {
    size = m->data_bytes;
  } else if (s->st_shndx == sections[1]) {
    start = (m->data_bytes + SEGMENT_ALIGN - 1) / SEGMENT_ALIGN * SEGMENT_ALIGN;
    size = m->bss_bytes;
  } else if (s->st_shndx == sections[2]) {
    size = m->constant_bytes;
    *is_const = true;
  } else {
    return false;
  }
  *offset = start + s->st_value;
  return s->st_value <= size && s->st_size <= size - s->st_value;
}

static bool load_symbols(loader *l, Elf_Scn *symtab, const size_t sections[3]) {
  module *m = l->m;
  GElf_Shdr header;
  if (!symtab)
    return true;
  if (!gelf_getshdr(symtab, &header) || header.sh_type != SHT_SYMTAB)
    return fail(l, "section .symtab is damaged");
  Elf_Data *d = elf_getdata(symtab, NULL);
  size_t count = d ? d->d_size / sizeof(Elf64_Sym) : 0;
  size_t name_bytes = 0;
  m->symbols = array_new(count, sizeof *m->symbols);
  if (!m->symbols || count > UINT32_MAX)
    return fail(l, "out of memory");
  for (int pass = 0; pass < 2; pass++) {  // measure the names, then copy
    size_t used = 0;
    m->symbol_count = 0;
    for (size_t n = 0; n < count; n++) {
      GElf_Sym s;
      uint64_t offset;
      bool is_const;
      if (!gelf_getsym(d, (int)n, &s) || GELF_ST_TYPE(s.st_info) != STT_OBJECT)
        continue;
      const char *name = elf_strptr(l->elf, header.sh_link, s.st_name);
      if (!name || !symbol_place(l, &s, sections, &offset, &is_const))
        return fail(l, "symbol %zu is damaged", n);
      size_t bytes = strlen(name) + 1;
      if (pass) {
        memcpy(l->p->symbol_names + used, name, bytes);
        m->symbols[m->symbol_count++] =
            (module_symbol){l->p->symbol_names + used, offset, s.st_size, is_const};
      }
      used += bytes;
    }
    name_bytes = used;
    if (!pass && !(l->p->symbol_names = array_new(name_bytes, 1)))
      return fail(l, "out of memory");
  }
  return true;
}

static bool load_reloc(loader *l, const GElf_Rela *r, Elf_Data *symbols, const size_t sections[3],
                       uint32_t kernel) {
  module *m = l->m;
  GElf_Sym s;
  reloc out = {.kernel = kernel, .kind = (uint32_t)GELF_R_TYPE(r->r_info)};
  if (!symbols || GELF_R_SYM(r->r_info) > INT32_MAX ||
      !gelf_getsym(symbols, (int)GELF_R_SYM(r->r_info), &s) ||
      !symbol_place(l, &s, sections, &out.value, &out.is_const))
    return fail(l, "a relocation has no symbol");
  out.value += (uint64_t)r->r_addend;
  if (kernel == UINT32_MAX) {
    if (out.kind != R_MPU_64 || m->data_bytes < 8 || r->r_offset > m->data_bytes - 8)
      return fail(l, "a relocation of .data is damaged");
    out.offset = r->r_offset;
  } else {
    out.offset = r->r_offset / ISA_BYTES;
    if ((out.kind != R_MPU_LO32 && out.kind != R_MPU_HI32) || r->r_offset % ISA_BYTES ||
        out.offset >= m->kernels[kernel].inst_count || !m->kernels[kernel].insts[out.offset].imm_at)
      return fail(l, "a relocation of kernel %s is damaged", m->kernels[kernel].name);
  }
  l->p->relocs[l->p->reloc_count++] = out;
  return true;
}

static bool load_relocs(loader *l, Elf_Scn *symtab, const size_t sections[3]) {
  Elf_Data *symbols = symtab ? elf_getdata(symtab, NULL) : NULL;
  for (int pass = 0; pass < 2; pass++) {
    size_t total = 0;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(l->elf, s));) {
      GElf_Shdr header;
      if (!gelf_getshdr(s, &header) || header.sh_type != SHT_RELA)
        continue;
      Elf_Data *d = elf_getdata(s, NULL);
      size_t count = d ? d->d_size / sizeof(Elf64_Rela) : 0;
      total += count;
      if (!pass)
        continue;
      uint32_t kernel = UINT32_MAX;
      for (uint32_t k = 0; k < l->m->kernel_count && header.sh_info != sections[0]; k++)
        if (l->text_of[k] == header.sh_info)
          kernel = k;
      if (kernel == UINT32_MAX && header.sh_info != sections[0])
        return fail(l, "relocations for a section that has none");
      for (size_t n = 0; n < count; n++) {
        GElf_Rela r;
        if (!gelf_getrela(d, (int)n, &r))
          return fail(l, "a relocation is damaged");
        if (!load_reloc(l, &r, symbols, sections, kernel))
          return false;
      }
    }
    if (!pass && !(l->p->relocs = array_new(total, sizeof *l->p->relocs)))
      return fail(l, "out of memory");
  }
  return true;
}

static bool load_all(loader *l) {
  GElf_Ehdr header;
  if (elf_kind(l->elf) != ELF_K_ELF || !gelf_getehdr(l->elf, &header))
    return fail(l, "not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_type != ET_REL || header.e_machine != MPU_ELF_MACHINE)
    return fail(l, "not an MPU object");
  if (header.e_flags != MPU_ELF_VERSION)
    return fail(l, "MPU object of version %u, this program reads version %d", header.e_flags,
                MPU_ELF_VERSION);
  if (elf_getshdrstrndx(l->elf, &l->shstrndx) != 0)
    return fail(l, "no section names");
  size_t sections[3];
  Elf_Scn *symtab;
  return load_strings(l) && load_kernels(l) && load_lines(l) && load_notes(l) &&
         load_addresses(l) && load_data(l, &sections[0], &sections[1], &sections[2]) &&
         (symtab = section_find(l, ".symtab"), load_symbols(l, symtab, sections)) &&
         load_relocs(l, symtab, sections);
}

module *module_load(const void *image, size_t bytes, char *why, size_t why_bytes) {
  module *m = calloc(1, sizeof *m);
  priv *p = calloc(1, sizeof *p);
  char *copy = malloc(bytes ? bytes : 1);  // libelf wants writable, aligned memory
  loader l = {.m = m, .p = p, .why = why, .why_bytes = why_bytes};
  bool ok = false;
  why[0] = 0;
  if (!m || !p || !copy) {
    fail(&l, "out of memory");
    free(p);
    free(m);
    free(copy);
    return NULL;
  }
  m->priv = p;
  if (bytes)
    memcpy(copy, image, bytes);
  if (elf_version(EV_CURRENT) == EV_NONE || !(l.elf = elf_memory(copy, bytes)))
    fail(&l, "not an ELF file");
  else
    ok = load_all(&l);
  if (l.elf)
    elf_end(l.elf);
  free(l.text_of);
  free(copy);
  if (!ok) {
    module_free(m);
    return NULL;
  }
  module_bind(m, 0);
  return m;
}

void module_free(module *m) {
  if (!m)
    return;
  priv *p = m->priv;
  for (uint32_t k = 0; k < m->kernel_count; k++)
    free(m->kernels[k].insts), affine_free(&m->kernels[k].addresses);
  if (p) {
    free(p->strings);
    free(p->symbol_names);
    free(p->params);
    free(p->lines);
    free(p->notes);
    free(p->relocs);
    free(p);
  }
  free(m->kernels);
  free(m->symbols);
  free(m->data);
  free(m->constants);
  free(m);
}

void module_bind(module *m, uint64_t base) {
  const priv *p = m->priv;  // NULL: made by hand, nothing to relocate
  for (size_t n = 0; p && n < p->reloc_count; n++) {
    const reloc *r = &p->relocs[n];
    uint64_t value = (r->is_const ? ISA_WINDOW_CONST : base) + r->value;
    if (r->kernel == UINT32_MAX)
      memcpy(m->data + r->offset, &value, sizeof value);
    else
      m->kernels[r->kernel].insts[r->offset].imm =
          (uint32_t)(r->kind == R_MPU_HI32 ? value >> 32 : value);
  }
}

const module_kernel *module_find_kernel(const module *m, const char *name) {
  for (uint32_t k = 0; k < m->kernel_count; k++)
    if (strcmp(m->kernels[k].name, name) == 0)
      return &m->kernels[k];
  return NULL;
}

const module_symbol *module_find_symbol(const module *m, const char *name) {
  for (uint32_t k = 0; k < m->symbol_count; k++)
    if (strcmp(m->symbols[k].name, name) == 0)
      return &m->symbols[k];
  return NULL;
}

const module_line *module_line_at(const module_kernel *k, uint32_t pc) {
  const module_line *found = NULL;
  for (uint32_t lo = 0, hi = k->line_count; lo < hi;) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (k->lines[mid].pc <= pc) {
      found = &k->lines[mid];
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return found;
}

static bool in_file(const module_line *line, const char *file) {
  return line && line->cuda_line && strcmp(line->cuda_file, file) == 0;
}

static const char *file_of(const module_kernel *k) {
  for (uint32_t n = k->inst_count; n-- > 0;) {
    const module_line *line = module_line_at(k, n * ISA_BYTES);
    if (k->insts[n].op == ISA_OP_EXIT && line && line->cuda_line)
      return line->cuda_file;
  }
  return NULL;
}

const module_line *module_line_near(const module_kernel *k, uint32_t pc) {
  const char *file = file_of(k);
  const module_line *line = module_line_at(k, pc);
  if (!file || !line || !line->cuda_line || in_file(line, file))
    return NULL;
  while (line > k->lines && !in_file(line, file))
    line--;
  return in_file(line, file) ? line : NULL;
}

const char *module_function_at(const module_kernel *k, uint32_t pc) {
  const char *name = "";
  for (uint32_t n = 0; n < k->note_count && k->notes[n].pc <= pc; n++)
    if (k->notes[n].kind == MPU_NOTE_FUNCTION)
      name = k->notes[n].name;
  return name;
}

bool module_is_pointer_trap(const module_kernel *k, uint32_t pc) {
  for (uint32_t n = 0; n < k->note_count; n++)
    if (k->notes[n].kind == MPU_NOTE_POINTER && k->notes[n].pc == pc)
      return true;
  return false;
}

void module_set_stack(module *m, uint32_t bytes) {
  for (uint32_t n = 0; n < m->kernel_count; n++)
    if (m->kernels[n].flags & MPU_KERNEL_STACK)
      m->kernels[n].local_bytes = m->kernels[n].stack_at + (bytes + 15) / 16 * 16;
}

isa_dies module_dies(const module_kernel *k) {
  return (isa_dies)dies_of(k->flags);
}

uint32_t module_skew(const module_kernel *k) {
  return k->flags >> MPU_KERNEL_SKEW;
}
