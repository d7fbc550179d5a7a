// SPDX-License-Identifier: Apache-2.0
// Reads what mir_print writes. Nothing in the text is trusted: what this returns passes mir_verify.
#include <ctype.h>
#include <string.h>
#include "csim/isa/asm.h"
#include "csim/isa/skew.h"
#include "mem.h"
#include "mir.h"
#include "mir_text.h"

enum { MAX_VAR_BYTES = 1 << 30 };

typedef struct patch {  // a label that an instruction names, and where its index goes
  uint32_t block, inst, line;
  bool meet;
  const char *name;
  size_t bytes;
} patch;

typedef struct cursor {
  const char *at, *end;
} cursor;

typedef struct reader {
  mir_module *m;
  diag *d;
  cursor c;  // the rest of the line
  const char *line_start, *end;
  uint32_t line;
  mir_kernel *k;  // being read, NULL outside of kernels
  uint32_t first_inst_line;
  mir_var *v;  // the last one
  uint64_t init_bytes;
  patch *patches;
  uint32_t patch_count, patch_capacity;
} reader;

static bool error(reader *r, const char *why) {
  uint32_t col = (uint32_t)(r->c.at - r->line_start) + 1;
  return diag_error(r->d, r->line, col, "%s", why);
}

static bool next_line(reader *r) {
  if (r->line && r->c.end == r->end)
    return false;
  const char *at = r->line ? r->c.end + 1 : r->line_start;
  if (at == r->end)
    return false;
  const char *nl = memchr(at, '\n', (size_t)(r->end - at));
  r->line_start = at;
  r->c = (cursor){at, nl ? nl : r->end};
  r->line++;
  return true;
}

static void skip_blanks(reader *r) {
  while (r->c.at < r->c.end && (*r->c.at == ' ' || *r->c.at == '\t'))
    r->c.at++;
}

static bool at_end(reader *r) {
  skip_blanks(r);
  return r->c.at == r->c.end;
}

// Takes a word when it stands here, up to a blank, `=` or the end of the line.
static bool take_word(reader *r, const char *word) {
  size_t n = strlen(word);
  skip_blanks(r);
  const char *at = r->c.at;
  if ((size_t)(r->c.end - at) < n || memcmp(at, word, n) != 0 ||
      (at + n < r->c.end && at[n] != ' ' && at[n] != '\t' && at[n] != '='))
    return false;
  r->c.at += n;
  return true;
}

// A decimal number with an optional sign.
static bool signed_number(reader *r, int64_t *value) {
  skip_blanks(r);
  const char *was = r->c.at;
  uint64_t v = 0;
  bool negative = r->c.at < r->c.end && *r->c.at == '-', any = false;
  r->c.at += negative;
  for (; r->c.at < r->c.end && isdigit((unsigned char)*r->c.at); r->c.at++, any = true) {
    if (v > ((uint64_t)INT64_MAX - 9) / 10) {
      any = false;
      break;
    }
    v = 10 * v + (uint64_t)(*r->c.at - '0');
  }
  *value = negative ? -(int64_t)v : (int64_t)v;
  if (any)
    return true;
  r->c.at = was;
  return error(r, "expected a number in range");
}

static bool number(reader *r, uint64_t max, uint64_t *value) {
  const char *was = r->c.at;
  int64_t v;
  *value = 0;
  if (!signed_number(r, &v))
    return false;
  if (v < 0 || (uint64_t)v > max) {
    r->c.at = was;
    return error(r, "expected a number in range");
  }
  *value = (uint64_t)v;
  return true;
}

// `word N`.
static bool field(reader *r, const char *word, uint64_t max, uint64_t *value) {
  *value = 0;
  if (!take_word(r, word))
    return diag_error(r->d, r->line, (uint32_t)(r->c.at - r->line_start) + 1, "expected '%s'",
                      word);
  return number(r, max, value);
}

static bool field32(reader *r, const char *word, uint32_t *value) {
  uint64_t v;
  if (!field(r, word, UINT32_MAX, &v))
    return false;
  *value = (uint32_t)v;
  return true;
}

static int hex(char ch) {
  return ch >= '0' && ch <= '9' ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : -1;
}

// A quoted string; `-` is NULL when that is allowed. The caller owns *s.
static bool string(reader *r, bool may_lack, char **s) {
  *s = NULL;
  skip_blanks(r);
  if (may_lack && r->c.at < r->c.end && *r->c.at == '-') {
    r->c.at++;
    return true;
  }
  if (r->c.at == r->c.end || *r->c.at != '"')
    return error(r, "expected a quoted name");
  char *to = *s = mem_new((size_t)(r->c.end - r->c.at) + 1, 1);
  for (r->c.at++; r->c.at < r->c.end && *r->c.at != '"'; r->c.at++) {
    const char *at = r->c.at;
    if (*at == '\\') {
      if (r->c.end - at < 4 || at[1] != 'x' || hex(at[2]) < 0 || hex(at[3]) < 0 ||
          (at[2] == '0' && at[3] == '0'))
        break;
      *to++ = (char)(hex(at[2]) * 16 + hex(at[3]));
      r->c.at += 3;
    } else if (*at == 0) {
      break;
    } else {
      *to++ = *at;
    }
  }
  if (r->c.at < r->c.end && *r->c.at == '"') {
    r->c.at++;
    return true;
  }
  free(*s);
  *s = NULL;
  return error(r, "the quoted name does not end, or has a bad escape");
}

static bool read_loc(reader *r, uint8_t *loc) {
  const char *l = r->c.at < r->c.end && *r->c.at ? strchr(mir_loc_letters, *r->c.at) : NULL;
  if (!l)
    return error(r, "expected a location: U, N, F or B");
  r->c.at++;
  *loc = (uint8_t)(l - mir_loc_letters);
  return true;
}

// ---- module

static bool read_file(reader *r) {
  char *name;
  if (!string(r, false, &name))
    return false;
  uint32_t before = r->m->file_count;
  mir_file(r->m, name);
  free(name);
  return r->m->file_count > before || error(r, "this file is already defined");
}

static bool read_var(reader *r) {
  char *name;
  uint64_t bytes, offset;
  if (!string(r, false, &name))
    return false;
  mir_var *v = r->v = mir_var_add(r->m, name);
  free(name);
  r->init_bytes = 0;
  v->is_const = take_word(r, "const");
  if (!v->is_const && !take_word(r, "global"))
    return error(r, "expected const or global");
  if (!field32(r, "align", &v->align) || !field(r, "bytes", MAX_VAR_BYTES, &bytes) ||
      !field(r, "offset", MAX_VAR_BYTES, &offset))
    return false;
  v->bytes = bytes;
  v->offset = offset;
  return v->align > 0 && (v->align & (v->align - 1)) == 0 && v->align <= 4096
             ? true
             : error(r, "an alignment is a power of two up to 4096");
}

static bool read_init(reader *r) {
  if (!r->v)
    return error(r, "an initial value needs a variable");
  if (!r->v->init)
    r->v->init = mem_new(r->v->bytes, 1);
  skip_blanks(r);
  while (r->c.end - r->c.at >= 2 && hex(r->c.at[0]) >= 0 && hex(r->c.at[1]) >= 0) {
    if (r->init_bytes == r->v->bytes)
      return error(r, "more initial bytes than the variable has");
    r->v->init[r->init_bytes++] = (uint8_t)(hex(r->c.at[0]) * 16 + hex(r->c.at[1]));
    r->c.at += 2;
  }
  return true;
}

static bool read_address(reader *r) {
  uint64_t offset, var;
  int64_t addend;
  if (!r->v || r->v->is_const)
    return error(r, "an address needs a global variable");
  if (!number(r, r->v->bytes, &offset) || !number(r, UINT32_MAX, &var))
    return false;
  if (offset + 8 > r->v->bytes)
    return error(r, "the address lies outside of the variable");
  if (!signed_number(r, &addend))
    return false;
  r->v->relocs = mem_resize(r->v->relocs, r->v->reloc_count + 1, sizeof *r->v->relocs);
  r->v->relocs[r->v->reloc_count++] = (mir_init_reloc){offset, (uint32_t)var, addend};
  return true;
}

static bool read_stage(reader *r) {
  for (unsigned n = 0; n < MIR_STAGES; n++)
    if (take_word(r, mir_stage_names[n])) {
      r->m->stage = (mir_stage)n;
      return true;
    }
  return error(r, "no stage has this name");
}

// ---- kernels

static bool read_kernel(reader *r) {
  char *name;
  if (!string(r, false, &name))
    return false;
  r->k = mir_kernel_add(r->m, name);
  free(name);
  r->patch_count = 0;
  return true;
}

static bool read_param(reader *r) {
  mir_kernel *k = r->k;
  char *name;
  if (!string(r, false, &name))
    return false;
  k->params = mem_resize(k->params, k->param_count + 1, sizeof *k->params);
  mir_param *p = &k->params[k->param_count++];
  *p = (mir_param){.name = name};
  return field32(r, "offset", &p->offset) && field32(r, "bytes", &p->bytes) &&
         field32(r, "align", &p->align);
}

static bool read_frame(reader *r) {
  mir_kernel *k = r->k;
  uint32_t dynamic;
  uint64_t dies, skew;
  if (!field32(r, "params", &k->param_bytes) || !field32(r, "shared", &k->shared_bytes) ||
      !field32(r, "local", &k->local_bytes) || !field32(r, "threads", &k->max_threads) ||
      !field32(r, "block", &k->reqntid[0]))
    return false;
  for (unsigned n = 1; n < 3; n++) {
    uint64_t v;
    if (!number(r, UINT32_MAX, &v))
      return false;
    k->reqntid[n] = (uint32_t)v;
  }
  if (!field32(r, "dynamic", &dynamic) || !field(r, "dies", ISA_DIES_BASE, &dies) ||
      !field(r, "skew", SKEWS - 1, &skew))
    return false;
  k->dynamic_shared = dynamic != 0;
  k->dies = (isa_dies)dies;
  k->skew = (uint8_t)skew;
  return true;
}

static bool read_regs(reader *r) {
  uint64_t both, near, far, preds;
  if (!field(r, "both", ISA_RZ, &both) || !field(r, "near", ISA_RZ, &near) ||
      !field(r, "far", ISA_RZ, &far) || !field(r, "preds", ISA_PT, &preds))
    return false;
  r->k->regs_both = (uint16_t)both;
  r->k->regs_near = (uint16_t)near;
  r->k->regs_far = (uint16_t)far;
  r->k->preds = (uint16_t)preds;
  return both + near + far <= ISA_RZ || error(r, "there are 255 registers");
}

static bool read_reg(reader *r) {
  mir_kernel *k = r->k;
  uint64_t index, words, files = 0, temp = 0, phys = 0;
  uint8_t loc;
  char *name;
  if (!number(r, UINT32_MAX, &index) || !field(r, "words", 4, &words))
    return false;
  if (index != k->vreg_count || (words != 1 && words != 2 && words != 4))
    return error(r, "registers count up from 0 and have 1, 2 or 4 words");
  if (!take_word(r, "loc"))
    return error(r, "expected 'loc'");
  skip_blanks(r);
  if (!read_loc(r, &loc) || !field(r, "files", 3, &files) || !field(r, "temp", 1, &temp))
    return false;
  const bool mask = take_word(r, "mask");
  if (!field(r, "number", ISA_RZ, &phys) || !string(r, true, &name))
    return false;
  mir_vreg_new(k, (unsigned)words, name);
  free(name);
  mir_vreg *v = &k->vregs[index];
  v->loc = loc;
  v->files = (uint8_t)files;
  v->temp = temp != 0;
  v->mask = mask;
  v->phys = (isa_reg)phys;
  return true;
}

static bool read_block(reader *r) {
  skip_blanks(r);
  const char *at = r->c.at;
  while (r->c.at<r->c.end && * r->c.at> ' ' && *r->c.at != ';')
    r->c.at++;
  size_t n = (size_t)(r->c.at - at);
  if (n == 0)
    return error(r, "expected a label");
  char *label = mem_new(n + 1, 1);
  memcpy(label, at, n);
  const uint32_t block = mir_block_add(r->k, label);
  free(label);
  skip_blanks(r);
  return r->c.at == r->c.end ||
         (take_word(r, "function") && string(r, true, &r->k->blocks[block].function)) ||
         error(r, "expected function");
}

// asm_labels.find: notes a label of the instruction that is about to be appended.
static bool name_target(void *context, const char *name, size_t bytes, uint32_t *target) {
  reader *r = context;
  if (r->patch_count == r->patch_capacity) {
    r->patch_capacity = 2 * r->patch_capacity + 16;
    r->patches = mem_resize(r->patches, r->patch_capacity, sizeof *r->patches);
  }
  uint32_t b = r->k->block_count - 1;
  *target = r->patch_count;
  r->patches[r->patch_count++] = (patch){b, r->k->blocks[b].count, r->line, false, name, bytes};
  return true;
}

static bool read_reloc(reader *r, mir_inst *mi) {
  uint64_t var;
  static const char *const names[] = {"lo32:", "hi32:", "stack:", "pointer:"};
  size_t length = 0;
  for (unsigned n = 0; n < 4 && !mi->reloc; n++) {
    length = strlen(names[n]);
    if (r->c.end - r->c.at > (ptrdiff_t)length && memcmp(r->c.at, names[n], length) == 0)
      mi->reloc = (uint8_t)(MIR_RELOC_LO32 + n);
  }
  if (mi->reloc == MIR_RELOC_POINTER
          ? mi->i.op != ISA_OP_TRAP
          : !mi->reloc || mi->i.op != ISA_OP_MOV || mi->i.type != ISA_TYPE_B32 || !mi->i.imm_at)
    return error(r,
                 "a relocation is lo32, hi32 or stack, on a mov.b32 with an immediate, or "
                 "pointer on a trap");
  r->c.at += length;
  if (!number(r, UINT32_MAX, &var))
    return false;
  mi->var = (uint32_t)var;
  if (r->c.at == r->c.end || *r->c.at != ':')
    return error(r, "expected :addend");
  r->c.at++;
  return signed_number(r, &mi->addend);
}

// `; name=value ...` after an instruction, which is the last one of the block.
static bool read_notes(reader *r) {
  mir_block *b = &r->k->blocks[r->k->block_count - 1];
  mir_inst *mi = &b->insts[b->count - 1];
  uint64_t v;
  skip_blanks(r);
  if (r->c.at < r->c.end && *r->c.at == ';')
    r->c.at++;
  while (!at_end(r)) {
    bool ptx = take_word(r, "ptx"), cuda = !ptx && take_word(r, "cuda");
    bool loc = !ptx && !cuda && take_word(r, "loc");
    bool reloc = !ptx && !cuda && !loc && take_word(r, "reloc");
    if (!(ptx || cuda || loc || reloc) || r->c.at == r->c.end || *r->c.at != '=')
      return error(r, "expected ptx=, cuda=, loc= or reloc=");
    r->c.at++;
    if (ptx) {
      if (!number(r, UINT32_MAX, &v))
        return false;
      mi->at.ptx_line = (uint32_t)v;
    } else if (cuda) {
      if (!number(r, UINT32_MAX, &v))
        return false;
      mi->at.cuda_file = (uint32_t)v;
      if (v >= r->m->file_count)
        return error(r, "no file has this number");
      if (r->c.at == r->c.end || *r->c.at != ':')
        return error(r, "expected :line");
      r->c.at++;
      if (!number(r, UINT32_MAX, &v))
        return false;
      mi->at.cuda_line = (uint32_t)v;
    } else if (loc) {
      if (!read_loc(r, &mi->loc))
        return false;
    } else if (!read_reloc(r, mi)) {
      return false;
    }
  }
  return true;
}

static const char *check_operands(const reader *r, const mir_inst *mi) {
  const mir_kernel *k = r->k;
  const isa_reg regs[4] = {mi->i.d, mi->i.a, mi->i.b, mi->i.c};
  bool allocated = r->m->stage == MIR_ALLOCATED;
  for (unsigned o = 0; o < 4; o++) {
    unsigned part = ISA_REG_PART(regs[o]);
    if (regs[o] == ISA_RZ)
      continue;
    if (ISA_REG_IS_VIRTUAL(regs[o]) == allocated)
      return allocated ? "a virtual register after allocation"
                       : "a numbered register before allocation";
    if (allocated) {
      if (regs[o] + isa_words(&mi->i, o) > (isa_reg)(k->regs_both + k->regs_near + k->regs_far))
        return "the register is beyond what .regs gives";
      continue;
    }
    if (ISA_REG_ID(regs[o]) >= k->vreg_count)
      return "unknown register";
    unsigned has = k->vregs[ISA_REG_ID(regs[o])].words;
    unsigned last = part == 0 ? has : part <= 4 ? part : 2 * (part - 4);
    if (last > has)
      return "the register has no such part";
    if (mir_reg_words(k, regs[o]) != isa_words(&mi->i, o))
      return "the register does not have the size of the operand";
  }
  isa_reg preds[5];
  unsigned count = mir_pred_uses(mi, preds);
  count += mir_pred_defs(mi, preds + count);
  for (unsigned n = 0; n < count; n++)
    if (allocated ? preds[n] >= k->preds
                  : !ISA_REG_IS_VIRTUAL(preds[n]) || ISA_REG_ID(preds[n]) >= k->pred_count)
      return "unknown predicate";
  return NULL;
}

static bool ends_block(const mir_inst *mi) {
  return mi->i.op == ISA_OP_BRA || ((mi->i.op == ISA_OP_EXIT || mi->i.op == ISA_OP_TRAP) &&
                                    mi->i.guard == ISA_PT && !mi->i.guard_neg);
}

// The labels of a branch: one for the target, one for the meeting place unless that is `none`.
static bool check_branch(reader *r, const isa_inst *i, uint32_t first) {
  uint32_t named = r->patch_count - first;
  if (i->op != ISA_OP_BRA)
    return true;
  if (named == 0 || i->imm != first || (i->reconv != MIR_NO_BLOCK && named != 2))
    return error(r, "branches go to labels");
  if (named == 2)
    r->patches[first + 1].meet = true;
  return true;
}

static bool read_inst(reader *r) {
  mir_kernel *k = r->k;
  isa_inst i;
  if (!k || !k->block_count)
    return error(r, "an instruction outside of a block");
  const char *notes = memchr(r->c.at, ';', (size_t)(r->c.end - r->c.at));
  const asm_labels labels = {.find = name_target, .context = r};
  uint32_t first_patch = r->patch_count;
  char why[200];
  size_t at;
  size_t length = (size_t)((notes ? notes : r->c.end) - r->c.at);
  bool ok = asm_parse(r->c.at, length, &labels, &i, &at, why, sizeof why);
  r->c.at += ok ? length : at;
  if (!ok)
    return error(r, why);
  mir_block *b = &k->blocks[k->block_count - 1];
  if (b->count && ends_block(&b->insts[b->count - 1]))
    return error(r, "the block has ended: expected .block");
  mir_inst *mi = mir_append(k, k->block_count - 1, i, (mir_place){0, 0, 0});
  const char *wrong = check_operands(r, mi);
  if (wrong)
    return error(r, wrong);
  return check_branch(r, &i, first_patch) && read_notes(r);
}

// ---- the end of a kernel: labels become block indices

typedef struct label {
  const char *name;
  uint32_t block;
} label;

static int by_name(const void *x, const void *y) {
  return strcmp(((const label *)x)->name, ((const label *)y)->name);
}

static bool resolve(reader *r, const label *labels) {
  mir_kernel *k = r->k;
  for (uint32_t n = 0; n < r->patch_count; n++) {
    const patch *p = &r->patches[n];
    char *name = mem_new(p->bytes + 1, 1);
    memcpy(name, p->name, p->bytes);
    const label key = {name, 0};
    const label *l = bsearch(&key, labels, k->block_count, sizeof key, by_name);
    isa_inst *i = &k->blocks[p->block].insts[p->inst].i;
    if (l)
      *(p->meet ? &i->reconv : &i->imm) = l->block;
    else
      diag_error(r->d, p->line, 1, "no block is called '%s'", name);
    free(name);
    if (!l)
      return false;
  }
  return true;
}

static bool end_kernel(reader *r) {
  mir_kernel *k = r->k;
  if (!k->block_count)
    return error(r, "the kernel has no block");
  const mir_block *last = &k->blocks[k->block_count - 1];
  if (!last->count || !ends_block(&last->insts[last->count - 1]) ||
      last->insts[last->count - 1].i.guard != ISA_PT)
    return error(r, "the last block of the kernel does not end in exit, trap or a branch");
  label *labels = mem_new(k->block_count, sizeof *labels);
  for (uint32_t b = 0; b < k->block_count; b++)
    labels[b] = (label){k->blocks[b].label, b};
  qsort(labels, k->block_count, sizeof *labels, by_name);
  bool ok = true;
  for (uint32_t b = 1; b < k->block_count && ok; b++)
    if (strcmp(labels[b - 1].name, labels[b].name) == 0)
      ok = diag_error(r->d, r->line, 1, "two blocks are called '%s'", labels[b].name);
  ok = ok && resolve(r, labels);
  free(labels);
  r->k = NULL;
  return ok;
}

static bool check_vars(reader *r) {
  for (uint32_t n = 0; n < r->m->var_count; n++)
    for (uint32_t k = 0; k < r->m->vars[n].reloc_count; k++)
      if (r->m->vars[n].relocs[k].var >= r->m->var_count)
        return error(r, "an address of a variable that does not exist");
  for (uint32_t n = 0; n < r->m->kernel_count; n++)
    for (uint32_t b = 0; b < r->m->kernels[n].block_count; b++)
      for (uint32_t j = 0; j < r->m->kernels[n].blocks[b].count; j++) {
        const mir_inst *mi = &r->m->kernels[n].blocks[b].insts[j];
        if (mi->reloc && mi->reloc < MIR_RELOC_STACK && mi->var >= r->m->var_count)
          return error(r, "a relocation against a variable that does not exist");
      }
  return true;
}

static bool read_line(reader *r) {
  static const struct {
    const char *word;
    bool in_kernel, (*read)(reader *r);
  } directives[] = {{".file", false, read_file},     {".var", false, read_var},
                    {".init", false, read_init},     {".address", false, read_address},
                    {".kernel", false, read_kernel}, {".param", true, read_param},
                    {".frame", true, read_frame},    {".regs", true, read_regs},
                    {".reg", true, read_reg},        {".block", true, read_block},
                    {".end", true, end_kernel}};
  if (at_end(r) || *r->c.at == ';')
    return true;
  if (*r->c.at != '.')
    return read_inst(r);
  if (r->k && take_word(r, ".predicates")) {
    uint64_t count;
    if (!number(r, 1 << 20, &count))
      return false;
    r->k->pred_count = (uint32_t)count;
    return at_end(r) || error(r, "unexpected text at the end of the line");
  }
  for (size_t n = 0; n < sizeof directives / sizeof *directives; n++) {
    if (directives[n].in_kernel != (r->k != NULL) || !take_word(r, directives[n].word))
      continue;
    return directives[n].read(r) &&
           (at_end(r) || error(r, "unexpected text at the end of the line"));
  }
  return error(r, r->k ? "unknown directive in a kernel" : "unknown directive");
}

mir_module *mir_read(const char *text, size_t bytes, const char *filename, diag *d) {
  reader r = {.m = mir_module_new(), .d = d, .line_start = text, .end = text + bytes};
  uint64_t version;
  (void)filename;
  bool ok = next_line(&r) || diag_error(d, 1, 1, "the text is empty");
  ok = ok && field(&r, ".mir", MIR_TEXT_VERSION, &version) &&
       (version == MIR_TEXT_VERSION || error(&r, "this version of the text is not known"));
  ok = ok && ((next_line(&r) && take_word(&r, ".stage")) || error(&r, "expected .stage")) &&
       read_stage(&r);
  while (ok && next_line(&r))
    ok = read_line(&r);
  if (ok && r.k)
    ok = error(&r, "expected .end");
  ok = ok && check_vars(&r);
  free(r.patches);
  if (ok)
    return r.m;
  mir_module_free(r.m);
  return NULL;
}
