// SPDX-License-Identifier: Apache-2.0
// mpu asm and mpu dis. What dis prints of an object, asm makes an object of again, but for device
// variables, which the text form does not have. With --raw both handle bare instruction words.
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "csim/isa/asm.h"
#include "csim/isa/module.h"
#include "csim/isa/skew.h"
#include "kernels/mpucc/elf_write.h"
#include "kernels/mpucc/image.h"
#include "harness/base/out_file.h"
#include "csim/isa/mpu_elf.h"
#include "tool.h"

// ---- options of both

typedef struct options {
  const char *in, *out;
  bool raw;
} options;

// 0 go on, else the exit status + 1.
static int parse(int argc, char **argv, options *o) {
  args a = args_of(argc, argv);
  if (args_help(&a))
    return 1;
  for (args_item item; (item = args_next(&a)) != ARGS_END;) {
    if (item == ARGS_WRONG)
      return 1 + EXIT_USAGE;
    if (item == ARGS_OPERAND && o->in)
      return 1 + user_error("one file at a time; '%s' is a second", a.value);
    if (item == ARGS_OPERAND)
      o->in = a.value;
    else if (args_is(&a, "--raw"))
      o->raw = true;
    else
      o->out = a.value;
  }
  return o->in ? 0 : 1 + user_error("which file? see mpu %s --help", a.command->name);
}

// ---- dis

typedef struct targets {
  const module_kernel *k;
  bool *is_target;  // by instruction
  char text[24];
} targets;

static const char *target_name(void *context, uint32_t pc) {
  targets *t = context;
  if (pc == ISA_NO_RECONV)
    return NULL;
  snprintf(t->text, sizeof t->text, "L%" PRIx32, pc);
  return t->text;
}

static void dis_kernel(const module_kernel *k, FILE *f) {
  targets t = {.k = k, .is_target = calloc(k->inst_count, 1)};
  asm_labels labels = {target_name, NULL, &t};
  char text[ASM_TEXT + 64];
  if (!t.is_target)
    abort();
  for (uint32_t n = 0; n < k->inst_count; n++)
    if (isa_ops[k->insts[n].op].flags & ISA_F_TARGET) {
      t.is_target[k->insts[n].imm / ISA_BYTES] = true;
      if (k->insts[n].reconv != ISA_NO_RECONV)
        t.is_target[k->insts[n].reconv / ISA_BYTES] = true;
    }
  fprintf(f, ".kernel %s\n.regs %u %u %u %u  // both near far predicates\n", k->name, k->regs_both,
          k->regs_near, k->regs_far, k->preds);
  for (uint32_t n = 0; n < k->param_count; n++)
    fprintf(f, ".param %s %u %u %u  // offset bytes align\n", k->params[n].name,
            k->params[n].offset, k->params[n].bytes, k->params[n].align);
  if (module_dies(k))
    fprintf(f, ".dies %s\n", isa_dies_names[module_dies(k)]);
  if (k->shared_bytes || k->flags & MPU_KERNEL_DYNAMIC_SHARED)
    fprintf(f, ".shared %u%s\n", k->shared_bytes,
            k->flags & MPU_KERNEL_DYNAMIC_SHARED ? " dynamic" : "");
  if (module_skew(k))
    fprintf(f, ".skew %u\n", module_skew(k));
  if (k->stack_at || k->flags & MPU_KERNEL_STACK)
    fprintf(f, ".local %u%s\n", k->stack_at, k->flags & MPU_KERNEL_STACK ? " stack" : "");
  if (k->max_threads)
    fprintf(f, ".maxthreads %u\n", k->max_threads);
  for (uint32_t n = 0; n < k->inst_count; n++) {
    const module_line *line = module_line_at(k, n * ISA_BYTES);
    if (t.is_target[n])
      fprintf(f, "L%x:\n", n * ISA_BYTES);
    asm_print(&k->insts[n], &labels, text, sizeof text);
    fprintf(f, "  %-56s // %04x", text, n * ISA_BYTES);
    if (line && line->pc == n * ISA_BYTES && line->ptx_line)
      fprintf(f, " ptx %u", line->ptx_line);
    if (line && line->pc == n * ISA_BYTES && line->cuda_line)
      fprintf(f, " %s:%u", line->cuda_file, line->cuda_line);
    fputc('\n', f);
  }
  free(t.is_target);
}

static void dis_raw(const char *bytes, size_t count, FILE *f) {
  for (size_t at = 0; at < count; at += ISA_BYTES) {
    uint64_t word[2] = {0};
    isa_inst i;
    char text[ASM_TEXT];
    size_t have = count - at < ISA_BYTES ? count - at : ISA_BYTES;
    memcpy(word, bytes + at, have);
    if (have == ISA_BYTES && isa_decode(word, &i)) {
      asm_print(&i, NULL, text, sizeof text);
      fprintf(f, "  %s\n", text);
    } else if (have == ISA_BYTES) {
      fprintf(f, "  .word 0x%016" PRIx64 ", 0x%016" PRIx64 "\n", word[0], word[1]);
    } else {
      fprintf(f, "  // %zu bytes after the last whole instruction\n", have);
    }
  }
}

// Is it a program of the host, or an object or a library of it?
static bool of_host(const char *file, size_t bytes) {
  Elf64_Ehdr h;
  if (bytes < sizeof h)
    return false;
  memcpy(&h, file, sizeof h);
  return memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 && h.e_machine != MPU_ELF_MACHINE;
}

// False after a message.
static bool dis_object(const char *in, const void *object, size_t bytes, FILE *f) {
  char why[300];
  module *m = module_load(object, bytes, why, sizeof why);
  if (!m) {
    user_error("'%s': %s", in, why);
    return false;
  }
  for (uint32_t n = 0; n < m->symbol_count; n++)
    fprintf(f, "// variable %s: %llu bytes at %s%llu\n", m->symbols[n].name,
            (unsigned long long)m->symbols[n].bytes,
            m->symbols[n].is_const ? "constant bank " : "segment ",
            (unsigned long long)m->symbols[n].offset);
  for (uint32_t n = 0; n < m->kernel_count; n++)
    dis_kernel(&m->kernels[n], f);
  module_free(m);
  return true;
}

// The objects of all CUDA files that were compiled into it.
static bool dis_program(const char *in, const char *file, size_t bytes, FILE *f) {
  mpucc_image i;
  size_t at = mpucc_image_find(file, bytes, 0, &i);
  bool ok = at;
  if (!at && mpucc_relocatable_find(file, bytes, 0, &i))
    user_error("the device code of '%s' is not linked; nvcc -dlink -cubin makes an object of it",
               in);
  else if (!at)
    user_error("'%s' is a program of the host without device code", in);
  while (ok && at) {
    ok = dis_object(in, i.object, i.object_bytes, f);
    at = mpucc_image_find(file, bytes, at, &i);
  }
  return ok;
}

int command_dis(int argc, char **argv) {
  options o = {0};
  mpucc_image i;
  size_t bytes;
  int status = parse(argc, argv, &o);
  if (status)
    return status - 1;
  char *file = read_file(o.in, &bytes);
  if (!file)
    return EXIT_USAGE;
  out_file *to = out_open(o.out ? o.out : "-");
  bool ok = to;
  if (!to)
    cannot_write(o.out);
  else if (o.raw)
    dis_raw(file, bytes, out_stream(to));
  else if (of_host(file, bytes) || mpucc_relocatable_find(file, bytes, 0, &i))
    ok = dis_program(o.in, file, bytes, out_stream(to));
  else
    ok = dis_object(o.in, file, bytes, out_stream(to));
  if (to && !ok)
    out_drop(to);
  else if (to && !out_close(to))
    ok = cannot_write(o.out ? o.out : "-") == EXIT_OK;
  free(file);
  return ok ? EXIT_OK : EXIT_USAGE;
}

// ---- asm

typedef struct label {
  char *name;
  size_t length;
  uint32_t block;
} label;

typedef struct source {
  const char *text, *end, *at;
  uint32_t line;
  diag *d;
  mir_module *m;
  mir_kernel *k;
  label *labels;
  size_t label_count;
  unsigned found;  // labels in the operands of this instruction
  bool ok;
} source;

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '.';
}

// The next line without its comment and outer blanks; false at the end.
static bool next_line(source *s, const char **line, size_t *length) {
  if (s->at >= s->end)
    return false;
  const char *start = s->at, *stop = start;
  while (stop < s->end && *stop != '\n')
    stop++;
  s->at = stop < s->end ? stop + 1 : stop;
  s->line++;
  const char *end = start;
  while (end < stop && !(end[0] == '/' && end + 1 < stop && end[1] == '/'))
    end++;
  while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
    end--;
  while (start < end && (*start == ' ' || *start == '\t'))
    start++;
  *line = start;
  *length = (size_t)(end - start);
  return true;
}

static bool is_label(const char *line, size_t length) {
  if (length < 2 || line[length - 1] != ':')
    return false;
  for (size_t n = 0; n + 1 < length; n++)
    if (!is_name(line[n]))
      return false;
  return true;
}

static bool find_label(void *context, const char *name, size_t length, uint32_t *target) {
  source *s = context;
  for (size_t n = 0; n < s->label_count; n++)
    if (s->labels[n].length == length && memcmp(s->labels[n].name, name, length) == 0) {
      *target = s->labels[n].block;
      s->found++;
      return true;
    }
  return false;
}

static bool starts(const char *line, size_t length, const char *word) {
  size_t n = strlen(word);
  return length >= n && memcmp(line, word, n) == 0 && (length == n || line[n] == ' ');
}

// Labels of the kernel that begins here, and the blocks that they start.
static void scan_labels(source *s) {
  source ahead = *s;
  const char *line;
  size_t length;
  uint32_t block = 0;
  bool any = false;
  s->label_count = 0;
  while (next_line(&ahead, &line, &length) && !starts(line, length, ".kernel")) {
    if (length == 0 || line[0] == '.')
      continue;
    if (!is_label(line, length)) {
      any = true;
      continue;
    }
    s->labels = realloc(s->labels, (s->label_count + 1) * sizeof *s->labels);
    if (!s->labels)
      abort();
    block += any || s->label_count != 0;  // a label before any instruction names the entry
    any = false;
    for (size_t n = 0; n < s->label_count; n++)
      if (s->labels[n].length == length - 1 && memcmp(s->labels[n].name, line, length - 1) == 0)
        diag_error(s->d, ahead.line, 1, "the label '%.*s' is defined twice", (int)(length - 1),
                   line);
    s->labels[s->label_count++] = (label){(char *)(uintptr_t)line, length - 1, block};
  }
}

static bool numbers(source *s, const char *text, size_t length, uint32_t *v, int count) {
  char copy[200];
  char *at = copy, *rest;
  if (length >= sizeof copy)
    return diag_error(s->d, s->line, 1, "the line is too long");
  memcpy(copy, text, length);
  copy[length] = 0;
  for (int n = 0; n < count; n++) {
    unsigned long value = strtoul(at, &rest, 0);
    if (rest == at || value > UINT32_MAX)
      return diag_error(s->d, s->line, 1, "expected %d number%s here", count, count > 1 ? "s" : "");
    v[n] = (uint32_t)value;
    at = rest;
  }
  while (*at == ' ')
    at++;
  if (count == 1 && v == &s->k->shared_bytes && strcmp(at, "dynamic") == 0)
    s->k->dynamic_shared = true;
  else if (count == 1 && v == &s->k->local_bytes && strcmp(at, "stack") == 0)
    s->k->stack = true;
  else if (*at)
    return diag_error(s->d, s->line, 1, "unexpected text at the end of the line");
  return true;
}

static bool directive(source *s, const char *line, size_t length) {
  uint32_t v[4];
  size_t name = 0;
  while (name < length && line[name] != ' ')
    name++;
  const char *rest = line + name;
  size_t left = length - name;
  while (left && *rest == ' ')
    rest++, left--;
  if (starts(line, length, ".kernel")) {
    char copy[1000];
    if (left == 0 || left >= sizeof copy)
      return diag_error(s->d, s->line, 1, "expected the name of a kernel");
    memcpy(copy, rest, left);
    copy[left] = 0;
    s->k = mir_kernel_add(s->m, copy);
    mir_block_add(s->k, NULL);
    scan_labels(s);
    return true;
  }
  if (!s->k)
    return diag_error(s->d, s->line, 1, "expected .kernel first");
  if (starts(line, length, ".regs")) {
    if (!numbers(s, rest, left, v, 4))
      return false;
    if (v[0] > 255 || v[1] > 255 || v[2] > 255 || v[0] + v[1] + v[2] > 255 || v[3] > 15)
      return diag_error(s->d, s->line, 1, "at most 255 registers and 15 predicates");
    s->k->regs_both = (uint16_t)v[0];
    s->k->regs_near = (uint16_t)v[1];
    s->k->regs_far = (uint16_t)v[2];
    s->k->preds = (uint16_t)v[3];
    return true;
  }
  if (starts(line, length, ".dies")) {
    char copy[32];
    snprintf(copy, sizeof copy, "%.*s", left < sizeof copy ? (int)left : 0, rest);
    return (mpucc_parse_dies(copy, &s->k->dies) && s->k->dies != ISA_DIES_BOTH_SHARED) ||
           diag_error(s->d, s->line, 1, "expected hybrid, far-shared or base-die");
  }
  if (starts(line, length, ".shared"))
    return numbers(s, rest, left, &s->k->shared_bytes, 1);
  if (starts(line, length, ".skew")) {
    if (!numbers(s, rest, left, v, 1))
      return false;
    s->k->skew = (uint8_t)(v[0] < SKEWS ? v[0] : 0);
    return v[0] < SKEWS ||
           diag_error(s->d, s->line, 1, "expected a number from 0 to %d", SKEWS - 1);
  }
  if (starts(line, length, ".local"))
    return numbers(s, rest, left, &s->k->local_bytes, 1);
  if (starts(line, length, ".maxthreads"))
    return numbers(s, rest, left, &s->k->max_threads, 1);
  if (starts(line, length, ".param")) {
    size_t n = 0;
    while (n < left && rest[n] != ' ')
      n++;
    if (!numbers(s, rest + n, left - n, v, 3))
      return false;
    s->k->params = realloc(s->k->params, (s->k->param_count + 1) * sizeof *s->k->params);
    char *copy = malloc(n + 1);
    if (!s->k->params || !copy)
      abort();
    memcpy(copy, rest, n);
    copy[n] = 0;
    s->k->params[s->k->param_count++] = (mir_param){copy, v[0], v[1], v[2]};
    if (v[0] < UINT32_MAX / 2 && v[1] < UINT32_MAX / 2 && v[0] + v[1] > s->k->param_bytes)
      s->k->param_bytes = v[0] + v[1];
    return true;
  }
  return diag_error(s->d, s->line, 1, "unknown directive");
}

static bool instruction(source *s, const char *line, size_t length) {
  asm_labels labels = {NULL, find_label, s};
  isa_inst i;
  size_t at;
  char why[200];
  mir_place place = {s->line, 0, 0};
  if (!s->k)
    return diag_error(s->d, s->line, 1, "expected .kernel first");
  if (length && line[length - 1] == ';')
    length--;
  const char *start = line;
  while (start > s->text && start[-1] != '\n')
    start--;
  uint32_t col = (uint32_t)(line - start) + 1;
  s->found = 0;
  if (!asm_parse(line, length, &labels, &i, &at, why, sizeof why))
    return diag_error(s->d, s->line, col + (uint32_t)at, "%s", why);
  if (isa_ops[i.op].flags & ISA_F_TARGET) {
    if (i.imm == ISA_NO_RECONV || s->found != 1u + (i.reconv != ISA_NO_RECONV))
      return diag_error(s->d, s->line, col, "branch targets are labels");
  }
  const isa_reg all[8] = {i.d, i.a, i.b, i.c, i.guard, i.pd, i.pq, i.ps};
  for (int n = 0; n < 8; n++)
    if (ISA_REG_IS_VIRTUAL(all[n]))
      return diag_error(s->d, s->line, col, "virtual registers are for the compiler");
  mir_append(s->k, s->k->block_count - 1, i, place);
  return true;
}

static void assemble(source *s) {
  const char *line;
  size_t length;
  while (next_line(s, &line, &length)) {
    if (length == 0)
      continue;
    if (is_label(line, length)) {
      if (!s->k)
        diag_error(s->d, s->line, 1, "expected .kernel first");
      else if (s->k->block_count > 1 || s->k->blocks[0].count ||
               line != s->labels[0].name)  // see scan_labels
        mir_block_add(s->k, NULL);
    } else if (line[0] == '.' && line[1] != 'w') {
      directive(s, line, length);
    } else {
      instruction(s, line, length);
    }
  }
  if (!diag_errors(s->d) && s->m->kernel_count == 0)
    diag_error(s->d, 1, 1, "the file has no .kernel");
}

static int asm_object(const char *text, size_t count, const options *o) {
  source s = {.text = text, .end = text + count, .at = text, .m = mir_module_new()};
  uint8_t *image = NULL;
  size_t bytes = 0;
  char why[300];
  int status = EXIT_OK;
  s.d = diag_new(o->in, text, count);
  assemble(&s);
  if (diag_errors(s.d)) {
    diag_print(s.d, stderr);
    status = EXIT_FAILED;
  } else {
    s.m->stage = MIR_ALLOCATED;
    elf_write(s.m, &image, &bytes);
    module *m = module_load(image, bytes, why, sizeof why);  // its rules are the object's
    if (!m) {
      fprintf(stderr, "%s: error: %s\n", o->in, why);
      status = EXIT_FAILED;
    } else if (!write_file(o->out, image, bytes)) {
      status = EXIT_USAGE;
    }
    module_free(m);
  }
  free(image);
  free(s.labels);
  diag_free(s.d);
  mir_module_free(s.m);
  return status;
}

static bool raw_line(const char *line, size_t length, uint64_t word[2], size_t *at, char *why,
                     size_t why_bytes) {
  char copy[100];
  isa_inst i;
  if (starts(line, length, ".word")) {
    size_t n = length < sizeof copy ? length : sizeof copy - 1;
    memcpy(copy, line, n);
    copy[n] = 0;
    *at = 0;
    snprintf(why, why_bytes, "expected .word and two numbers");
    return sscanf(copy, ".word 0x%" SCNx64 ", 0x%" SCNx64, &word[0], &word[1]) == 2;
  }
  if (!asm_parse(line, length, NULL, &i, at, why, why_bytes))
    return false;
  isa_encode(&i, word);
  return true;
}

static int asm_raw(const char *text, size_t count, const options *o) {
  source s = {.text = text, .end = text + count, .at = text};
  const char *line;
  size_t length, at;
  char why[200];
  out_file *to = out_open(o->out);
  if (!to)
    return cannot_write(o->out);
  s.d = diag_new(o->in, text, count);
  while (next_line(&s, &line, &length)) {
    uint64_t word[2];
    if (length == 0)
      continue;
    if (raw_line(line, length, word, &at, why, sizeof why))
      fwrite(word, 1, sizeof word, out_stream(to));
    else
      diag_error(s.d, s.line, (uint32_t)at + 1, "%s", why);
  }
  int status = EXIT_OK;
  if (diag_errors(s.d)) {
    out_drop(to);
    diag_print(s.d, stderr);
    status = EXIT_FAILED;
  } else if (!out_close(to)) {
    status = cannot_write(o->out);
  }
  diag_free(s.d);
  return status;
}

int command_asm(int argc, char **argv) {
  options o = {0};
  size_t count;
  int status = parse(argc, argv, &o);
  if (status)
    return status - 1;
  if (!o.out)
    return user_error("-o OUT is missing");
  char *text = read_file(o.in, &count);
  if (!text)
    return EXIT_USAGE;
  status = (o.raw ? asm_raw : asm_object)(text, count, &o);
  free(text);
  return status;
}
