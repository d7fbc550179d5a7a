// SPDX-License-Identifier: Apache-2.0
#include "elf_write.h"

#include <assert.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "addresses.h"
#include "csim/isa/mpu_elf.h"

enum { SEGMENT_ALIGN = 256 };

// A growing byte string.
typedef struct bytes {
  uint8_t *at;
  size_t count, capacity;
} bytes;

static _Noreturn void die(const char *what) {
  fprintf(stderr, "mpucc: cannot write the object: %s\n", what);
  abort();
}

static size_t bytes_add(bytes *b, const void *from, size_t count) {
  if (count == 0)  // nothing may have been allocated yet
    return b->count;
  if (b->count + count > b->capacity) {
    b->capacity = 2 * (b->count + count) + 256;
    b->at = realloc(b->at, b->capacity);
    if (!b->at)
      die("out of memory");
  }
  if (from)
    memcpy(b->at + b->count, from, count);
  else
    memset(b->at + b->count, 0, count);
  b->count += count;
  return b->count - count;
}

static void bytes_align(bytes *b, size_t align) {
  bytes_add(b, NULL, (align - b->count % align) % align);
}

static uint32_t string_add(bytes *b, const char *s) {
  if (!s || !*s)
    return 0;
  return (uint32_t)bytes_add(b, s, strlen(s) + 1);
}

typedef struct writer {
  const mir_module *m;
  Elf *elf;
  bytes names;    // .shstrtab
  bytes strings;  // .mpu.strings
  bytes strtab, symtab;
  bytes data, constants, rela_data, kernels, params, lines, notes, affine;
  bytes *text, *rela_text;  // one a kernel
  size_t *text_section;
  uint64_t bss_bytes, bss_align;
  uint64_t *offset;       // of each variable in its section
  uint32_t *file_string;  // of each source file
  uint32_t *symbol;       // index of each variable's symbol
  size_t data_section, bss_section, const_section;
} writer;

static Elf_Scn *section_add(writer *w, const char *name, uint32_t type, uint64_t flags,
                            uint64_t align, uint64_t entry, bytes *content) {
  Elf_Scn *s = elf_newscn(w->elf);
  GElf_Shdr h;
  Elf_Data *d = s ? elf_newdata(s) : NULL;
  if (!d || !gelf_getshdr(s, &h))
    die(elf_errmsg(-1));
  h.sh_name = string_add(&w->names, name);
  h.sh_type = type;
  h.sh_flags = flags;
  h.sh_addralign = align;
  h.sh_entsize = entry;
  d->d_buf = content ? content->at : NULL;
  d->d_size = content ? content->count : 0;
  d->d_align = align;
  d->d_type = type == SHT_SYMTAB ? ELF_T_SYM : type == SHT_RELA ? ELF_T_RELA : ELF_T_BYTE;
  if (!gelf_update_shdr(s, &h))
    die(elf_errmsg(-1));
  return s;
}

static void section_link(Elf_Scn *s, size_t link, size_t info) {
  GElf_Shdr h;
  if (!gelf_getshdr(s, &h))
    die(elf_errmsg(-1));
  h.sh_link = (uint32_t)link;
  h.sh_info = (uint32_t)info;
  if (!gelf_update_shdr(s, &h))
    die(elf_errmsg(-1));
}

static uint32_t symbol_add(writer *w, const char *name, unsigned char info, size_t section,
                           uint64_t value, uint64_t size) {
  Elf64_Sym s = {.st_name = string_add(&w->strtab, name),
                 .st_info = info,
                 .st_shndx = (uint16_t)section,
                 .st_value = value,
                 .st_size = size};
  return (uint32_t)(bytes_add(&w->symtab, &s, sizeof s) / sizeof s);
}

static bool var_in_bss(const mir_var *v) {
  return !v->is_const && !v->init && !v->reloc_count;
}

static void layout_vars(writer *w) {
  for (uint32_t n = 0; n < w->m->var_count; n++) {
    const mir_var *v = &w->m->vars[n];
    size_t align = v->align ? v->align : 1;
    if (v->is_const) {
      w->offset[n] = v->offset;
      if (w->constants.count < v->offset + v->bytes)
        bytes_add(&w->constants, NULL, v->offset + v->bytes - w->constants.count);
      if (v->init)
        memcpy(w->constants.at + v->offset, v->init, v->bytes);
      assert(v->reloc_count == 0);
    } else if (var_in_bss(v)) {
      w->bss_bytes = (w->bss_bytes + align - 1) / align * align;
      w->offset[n] = w->bss_bytes;
      w->bss_bytes += v->bytes;
      if (align > w->bss_align)
        w->bss_align = align;
    } else {
      bytes_align(&w->data, align);
      w->offset[n] = bytes_add(&w->data, v->init, v->bytes);
    }
  }
}

static void rela_add(writer *w, bytes *to, uint64_t offset, uint32_t var, unsigned kind,
                     int64_t addend) {
  Elf64_Rela r = {offset, ELF64_R_INFO((uint64_t)w->symbol[var], kind), addend};
  bytes_add(to, &r, sizeof r);
}

static void note_add(writer *w, mpu_elf_note note) {
  bytes_add(&w->notes, &note, sizeof note);
}

static void encode_kernel(writer *w, uint32_t n) {
  const mir_kernel *k = &w->m->kernels[n];
  uint32_t *pc = calloc(k->block_count + 1, sizeof *pc);
  if (!pc)
    die("out of memory");
  for (uint32_t b = 0; b < k->block_count; b++)
    pc[b + 1] = pc[b] + k->blocks[b].count * ISA_BYTES;
  mir_place last = {0};
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      const mir_inst *mi = &k->blocks[b].insts[j];
      isa_inst i = mi->i;
      uint32_t at = (uint32_t)w->text[n].count;
      if (isa_ops[i.op].flags & ISA_F_TARGET) {
        i.imm = pc[i.imm];
        i.reconv = i.reconv == MIR_NO_BLOCK ? ISA_NO_RECONV : pc[i.reconv];
      }
      if (j == 0 && k->blocks[b].function)
        note_add(w, (mpu_elf_note){n, at, MPU_NOTE_FUNCTION,
                                   string_add(&w->strings, k->blocks[b].function)});
      if (mi->reloc == MIR_RELOC_STACK)
        i.imm = k->local_bytes;  // allocate has added its slots
      else if (mi->reloc == MIR_RELOC_POINTER)
        note_add(w, (mpu_elf_note){n, at, MPU_NOTE_POINTER, 0});
      else if (mi->reloc)
        rela_add(w, &w->rela_text[n], at, mi->var,
                 mi->reloc == MIR_RELOC_LO32 ? R_MPU_LO32 : R_MPU_HI32, mi->addend);
      uint64_t word[2];
      isa_encode(&i, word);
      bytes_add(&w->text[n], word, sizeof word);
      if (j == 0 || memcmp(&mi->at, &last, sizeof last) != 0) {
        last = mi->at;
        mpu_elf_line line = {n, at, last.ptx_line, w->file_string[last.cuda_file], last.cuda_line,
                             b};
        bytes_add(&w->lines, &line, sizeof line);
      }
    }
  free(pc);
}

static bool has_stack(const mir_kernel *k) {
  if (k->stack)
    return true;
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++)
      if (k->blocks[b].insts[j].reloc == MIR_RELOC_STACK)
        return true;
  return false;
}

static void describe_kernel(writer *w, uint32_t n) {
  const mir_kernel *k = &w->m->kernels[n];
  const uint64_t shape = mir_shape(k);
  mpu_elf_kernel e = {.name = string_add(&w->strings, k->name),
                      .text = (uint32_t)w->text_section[n],
                      .first_param = (uint32_t)(w->params.count / sizeof(mpu_elf_param)),
                      .params = k->param_count,
                      .param_bytes = k->param_bytes,
                      .shared_bytes = k->shared_bytes,
                      .local_bytes = k->local_bytes,
                      .max_threads = k->max_threads,
                      .regs_both = k->regs_both,
                      .regs_near = k->regs_near,
                      .regs_far = k->regs_far,
                      .preds = k->preds,
                      .shape = {(uint32_t)shape, (uint32_t)(shape >> 32)},
                      .flags = (k->dynamic_shared ? MPU_KERNEL_DYNAMIC_SHARED : 0u) |
                               (has_stack(k) ? MPU_KERNEL_STACK : 0u) |
                               (uint32_t)k->skew << MPU_KERNEL_SKEW |
                               (uint32_t)k->dies << MPU_KERNEL_DIES};
  memcpy(e.reqntid, k->reqntid, sizeof e.reqntid);
  bytes_add(&w->kernels, &e, sizeof e);
  for (uint32_t p = 0; p < k->param_count; p++) {
    mpu_elf_param q = {string_add(&w->strings, k->params[p].name), k->params[p].offset,
                       k->params[p].bytes, k->params[p].align};
    bytes_add(&w->params, &q, sizeof q);
  }
}

// Symbols name their sections, so the section numbers are fixed before the contents: texts first,
// then .data, .bss and .mpu.const.
static void number_sections(writer *w) {
  size_t next = 1;
  for (uint32_t n = 0; n < w->m->kernel_count; n++)
    w->text_section[n] = next++;
  w->data_section = next++;
  w->bss_section = next++;
  w->const_section = next;
}

static void make_symbols(writer *w) {
  bytes_add(&w->symtab, NULL, sizeof(Elf64_Sym));
  for (uint32_t n = 0; n < w->m->var_count; n++) {
    const mir_var *v = &w->m->vars[n];
    size_t section = v->is_const     ? w->const_section
                     : var_in_bss(v) ? w->bss_section
                                     : w->data_section;
    w->symbol[n] = symbol_add(w, v->name, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), section,
                              w->offset[n], v->bytes);
  }
  for (uint32_t n = 0; n < w->m->kernel_count; n++) {
    uint64_t size = 0;
    for (uint32_t b = 0; b < w->m->kernels[n].block_count; b++)
      size += (uint64_t)w->m->kernels[n].blocks[b].count * ISA_BYTES;
    symbol_add(w, w->m->kernels[n].name, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), w->text_section[n], 0,
               size);
  }
}

static void text_name(char *to, size_t bytes_max, const char *prefix, const char *kernel) {
  snprintf(to, bytes_max, "%s%s", prefix, kernel);
}

static void make_sections(writer *w) {
  const mir_module *m = w->m;
  char name[1100];
  for (uint32_t n = 0; n < m->kernel_count; n++) {
    text_name(name, sizeof name, ".text.", m->kernels[n].name);
    Elf_Scn *s =
        section_add(w, name, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, ISA_BYTES, 0, &w->text[n]);
    assert(elf_ndxscn(s) == w->text_section[n]);
  }
  section_add(w, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, SEGMENT_ALIGN, 0, &w->data);
  Elf_Scn *bss = section_add(w, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE,
                             w->bss_align > SEGMENT_ALIGN ? w->bss_align : SEGMENT_ALIGN, 0, NULL);
  elf_getdata(bss, NULL)->d_size = w->bss_bytes;
  section_add(w, ".mpu.const", SHT_PROGBITS, SHF_ALLOC, 16, 0, &w->constants);
  section_add(w, ".mpu.kernels", SHT_PROGBITS, 0, 4, sizeof(mpu_elf_kernel), &w->kernels);
  section_add(w, ".mpu.params", SHT_PROGBITS, 0, 4, sizeof(mpu_elf_param), &w->params);
  section_add(w, ".mpu.lines", SHT_PROGBITS, 0, 4, sizeof(mpu_elf_line), &w->lines);
  if (w->notes.count)
    section_add(w, ".mpu.notes", SHT_PROGBITS, 0, 4, sizeof(mpu_elf_note), &w->notes);
  section_add(w, ".mpu.affine", SHT_PROGBITS, 0, 8, 0, &w->affine);
  section_add(w, ".mpu.strings", SHT_STRTAB, SHF_STRINGS, 1, 0, &w->strings);
  Elf_Scn *strtab = section_add(w, ".strtab", SHT_STRTAB, 0, 1, 0, &w->strtab);
  Elf_Scn *symtab = section_add(w, ".symtab", SHT_SYMTAB, 0, 8, sizeof(Elf64_Sym), &w->symtab);
  section_link(symtab, elf_ndxscn(strtab), 1);
  for (uint32_t n = 0; n < m->kernel_count; n++)
    if (w->rela_text[n].count) {
      text_name(name, sizeof name, ".rela.text.", m->kernels[n].name);
      section_link(section_add(w, name, SHT_RELA, 0, 8, sizeof(Elf64_Rela), &w->rela_text[n]),
                   elf_ndxscn(symtab), w->text_section[n]);
    }
  if (w->rela_data.count)
    section_link(section_add(w, ".rela.data", SHT_RELA, 0, 8, sizeof(Elf64_Rela), &w->rela_data),
                 elf_ndxscn(symtab), w->data_section);
  // The names' own section comes last: its name must be in before its contents are taken.
  uint32_t own = string_add(&w->names, ".shstrtab");
  Elf_Scn *names = section_add(w, "", SHT_STRTAB, 0, 1, 0, &w->names);
  GElf_Shdr h;
  gelf_getshdr(names, &h);
  h.sh_name = own;
  gelf_update_shdr(names, &h);
  GElf_Ehdr e;
  gelf_getehdr(w->elf, &e);
  e.e_shstrndx = (uint16_t)elf_ndxscn(names);
  gelf_update_ehdr(w->elf, &e);
}

static void describe_addresses(writer *w) {
  affine_kernel *kernels = addresses_find(w->m);
  size_t count;
  uint8_t *all = affine_write(kernels, w->m->kernel_count, &count);
  if (!all)
    die("out of memory");
  bytes_add(&w->affine, all, count);
  free(all);
  addresses_free(kernels, w->m->kernel_count);
}

static void write_file(writer *w, uint8_t **image, size_t *count) {
  FILE *f = tmpfile();
  if (!f)
    die("cannot make a temporary file");
  if (elf_version(EV_CURRENT) == EV_NONE || !(w->elf = elf_begin(fileno(f), ELF_C_WRITE, NULL)))
    die(elf_errmsg(-1));
  GElf_Ehdr h;
  if (!gelf_newehdr(w->elf, ELFCLASS64) || !gelf_getehdr(w->elf, &h))
    die(elf_errmsg(-1));
  h.e_ident[EI_DATA] = ELFDATA2LSB;
  h.e_type = ET_REL;
  h.e_machine = MPU_ELF_MACHINE;
  h.e_version = EV_CURRENT;
  h.e_flags = MPU_ELF_VERSION;
  if (!gelf_update_ehdr(w->elf, &h))
    die(elf_errmsg(-1));
  make_sections(w);
  off_t size = (off_t)elf_update(w->elf, ELF_C_WRITE);
  if (size < 0)
    die(elf_errmsg(-1));
  elf_end(w->elf);
  *count = (size_t)size;
  *image = malloc(*count);
  if (!*image || pread(fileno(f), *image, *count, 0) != (ssize_t)size)
    die("out of memory");
  fclose(f);
}

void elf_write(const mir_module *m, uint8_t **image, size_t *count) {
  assert(m->stage == MIR_ALLOCATED);
  writer w = {.m = m};
  w.text = calloc(m->kernel_count + 1, sizeof *w.text);
  w.rela_text = calloc(m->kernel_count + 1, sizeof *w.rela_text);
  w.text_section = calloc(m->kernel_count + 1, sizeof *w.text_section);
  w.offset = calloc(m->var_count + 1, sizeof *w.offset);
  w.symbol = calloc(m->var_count + 1, sizeof *w.symbol);
  w.file_string = calloc(m->file_count + 1, sizeof *w.file_string);
  if (!w.text || !w.rela_text || !w.text_section || !w.offset || !w.symbol || !w.file_string)
    die("out of memory");
  bytes_add(&w.names, "", 1);
  bytes_add(&w.strings, "", 1);
  bytes_add(&w.strtab, "", 1);
  for (uint32_t n = 0; n < m->file_count; n++)
    w.file_string[n] = string_add(&w.strings, m->files[n]);
  number_sections(&w);
  layout_vars(&w);
  make_symbols(&w);
  for (uint32_t n = 0; n < m->var_count; n++)
    for (uint32_t r = 0; r < m->vars[n].reloc_count; r++)
      rela_add(&w, &w.rela_data, w.offset[n] + m->vars[n].relocs[r].offset,
               m->vars[n].relocs[r].var, R_MPU_64, m->vars[n].relocs[r].addend);
  for (uint32_t n = 0; n < m->kernel_count; n++) {
    encode_kernel(&w, n);
    describe_kernel(&w, n);
  }
  describe_addresses(&w);
  write_file(&w, image, count);
  bytes *all[] = {&w.names,     &w.strings, &w.strtab, &w.symtab, &w.data,  &w.constants,
                  &w.rela_data, &w.kernels, &w.params, &w.lines,  &w.notes, &w.affine};
  for (size_t n = 0; n < sizeof all / sizeof *all; n++)
    free(all[n]->at);
  for (uint32_t n = 0; n < m->kernel_count; n++) {
    free(w.text[n].at);
    free(w.rela_text[n].at);
  }
  free(w.text);
  free(w.rela_text);
  free(w.text_section);
  free(w.offset);
  free(w.symbol);
  free(w.file_string);
}
