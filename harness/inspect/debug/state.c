// SPDX-License-Identifier: Apache-2.0
// What is printed of things that are not in a core: the launch, memory, source, code.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "csim/isa/asm.h"
#include "debug_priv.h"

enum { VALUES = 8, MOST_VALUES = 4096, AROUND = 5, CODE = 12 };

// ---- where it stands

static void put_selected(const debug *d) {
  uint32_t pc;
  if (d->cores > 1)
    fprintf(d->to, "core %u, ", d->core);
  show_block(d->to, d->l, d->warp.block);
  fprintf(d->to, " warp %u: ", d->warp.warp);
  if (show_pc(debug_core(d), d->warp, &pc))
    show_place(d->to, d->l, pc);
  else
    fputs("has issued all its instructions", d->to);
}

void state_stop(const debug *d) {
  fflush(stdout);
  fprintf(d->to, "before cycle %" PRIu64, debug_now(d));
  if (d->has_warp && show_has(debug_core(d), d->warp)) {
    fputs(": ", d->to);
    put_selected(d);
  }
  fputc('\n', d->to);
}

void state_launch(const debug *d) {
  const uint32_t *g = d->l->shape.grid, *b = d->l->shape.block;
  fflush(stdout);
  fprintf(d->to,
          "launch %" PRIu64
          ": %s, grid (%u,%u,%u), blocks of (%u,%u,%u) threads, from cycle "
          "%" PRIu64 " on\n",
          d->launches + 1, d->l->kernel->name, g[0], g[1], g[2], b[0], b[1], b[2], d->begun);
}

static uint32_t blocks_done(const debug *d) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < d->cores; k++)
    n += core_launch(sim_core(d->s, k))->done;
  return n;
}

static uint32_t blocks_started(const debug *d) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < d->l->blocks; k++)
    n += d->l->all[k] != NULL;
  return n;
}

// ---- memory

// Bytes from an address on that are in one allocation, or in the constants of one module. NULL:
// nothing is there.
static const uint8_t *bytes_at(const machine *m, uint64_t address, uint64_t *left) {
  const uint64_t window = address - ISA_WINDOW_CONST, n = window / ISA_WINDOW_BYTES;
  const uint64_t offset = window % ISA_WINDOW_BYTES;
  allocation a;
  for (size_t k = 0; machine_allocation(m, k, &a); k++) {
    *left = a.base + a.bytes - address;
    if (address >= a.base && address < a.base + a.bytes)
      return machine_memory(m) + address;
  }
  const bool named = address >= ISA_WINDOW_CONST && n && n - 1 <= UINT32_MAX;
  const module *mod = named ? machine_module(m, (unsigned)(n - 1)) : NULL;
  if (!mod || offset >= mod->constant_bytes)
    return NULL;
  *left = mod->constant_bytes - offset;
  return mod->constants + offset;
}

static bool symbol_address(const machine *m, const char *name, uint64_t *address) {
  const module *mod;
  for (unsigned n = 0; (mod = machine_module(m, n)); n++) {
    const module_symbol *s = module_find_symbol(mod, name);
    if (s)
      *address = machine_symbol_address(m, mod, s);
    if (s)
      return true;
  }
  return false;
}

// NUMBER, VARIABLE or @N, and +BYTES.
static bool parse_address(debug *d, const char *word, uint64_t *address) {
  const machine *m = d->config.m;
  char base[LINE] = "";
  const char *plus = strrchr(word, '+');
  uint64_t more = 0, n;
  memcpy(base, word, plus ? (size_t)(plus - word) : strlen(word));
  bool ok = !plus || word_number(plus + 1, &more);
  if (ok && base[0] == '@') {
    allocation a;
    ok = word_number(base + 1, &n) && machine_allocation(m, n, &a);
    *address = ok ? a.base : 0;
  } else if (ok) {
    ok = word_number(base, address) || symbol_address(m, base, address);
  }
  *address += more;
  return ok || debug_wrong(d,
                           "'%s' is not a valid address; allowed: a number, a variable, or @N of "
                           "info memory, and +BYTES",
                           word);
}

// [COUNT] [TYPE] [block N] from word `at` on.
typedef struct values {
  uint32_t count, block;  // count 0: not said
  show_type type;
} values;

static bool parse_values(debug *d, const words *w, uint32_t at, bool blocks, values *v) {
  uint64_t n;
  for (; at < w->n; at++) {
    if (word_type(w->word[at], &v->type))
      continue;
    if (blocks && word_is(w->word[at], "block") && at + 1 < w->n) {
      if (!word_block(d, w->word[++at], &v->block))
        return false;
    } else if (word_number(w->word[at], &n) && n && n <= MOST_VALUES) {
      v->count = (uint32_t)n;
    } else {
      return debug_wrong(d,
                         "'%s' is neither a count from 1 to %d nor a type (x32, u32, s32, f32, "
                         "u64, f64, u8)",
                         w->word[at], MOST_VALUES);
    }
  }
  return true;
}

// Prints what was asked for of the `left` bytes from `from` on; without a count a line of it.
// False: there are not so many.
static bool put_values(const debug *d, const values *v, uint64_t address, const uint8_t *from,
                       uint64_t left) {
  const uint64_t all = left / show_bytes(v->type);
  const uint64_t count = v->count ? v->count : all < VALUES ? all : VALUES;
  if (!count || count > all)
    return false;
  show_memory(d->to, address, from, (uint32_t)count, v->type);
  return true;
}

bool state_memory(debug *d, const words *w, uint32_t at) {
  uint64_t address, left;
  values v = {.count = 0};
  if (w->n <= at)
    return debug_wrong(d, "print memory ADDRESS [COUNT] [TYPE]");
  if (!parse_address(d, w->word[at], &address) || !parse_values(d, w, at + 1, false, &v))
    return false;
  const uint8_t *from = bytes_at(d->config.m, address, &left);
  if (!from)
    return debug_wrong(d, "nothing is allocated at 0x%" PRIx64, address);
  return put_values(d, &v, address, from, left) ||
         debug_wrong(d, "only %" PRIu64 " bytes from 0x%" PRIx64 " on are allocated", left,
                     address);
}

bool state_shared(debug *d, const words *w, uint32_t at) {
  uint64_t offset;
  uint32_t bytes;
  values v = {.block = BREAK_ANY};
  if (w->n <= at || !word_number(w->word[at], &offset))
    return debug_wrong(d, "print shared OFFSET [COUNT] [TYPE] [block N]");
  if (!parse_values(d, w, at + 1, true, &v) || (v.block == BREAK_ANY && !debug_warp(d)))
    return false;
  const uint32_t block = v.block == BREAK_ANY ? d->warp.block : v.block;
  uint8_t *from = show_shared(debug_core(d), block, &bytes);
  if (!from && bytes)
    return debug_wrong(d, "shared memory is in the Verilog: --near=lockstep shows it");
  if (!from)
    return debug_wrong(d, "core %u has no block %u", d->core, block);
  const bool ok = (offset < bytes && put_values(d, &v, offset, from + offset, bytes - offset)) ||
                  debug_wrong(d, "the shared memory of a block has %u bytes", bytes);
  free(from);
  return ok;
}

// ---- source

static const module_line *line_of(const debug *d, uint32_t pc) {
  const module_line *line = module_line_at(d->l->kernel, pc);
  return line && line->cuda_line ? line : NULL;
}

const char *state_source(const debug *d) {
  const module_line *line = line_of(d, 0);
  return line ? line->cuda_file : "";
}

static void put_lines(const debug *d, FILE *f, uint32_t line, uint32_t mark) {
  char *text = NULL;
  size_t bytes = 0;
  ssize_t length;
  const uint32_t from = line > AROUND ? line - AROUND : 1;
  for (uint32_t n = 1; n < from + 2 * AROUND && (length = getline(&text, &bytes, f)) >= 0; n++)
    if (n >= from)
      fprintf(d->to, "%c%4u  %.*s\n", n == mark ? '>' : ' ', n,
              (int)(length - (text[length - 1] == '\n')), text);
  free(text);
}

bool state_list(debug *d, uint32_t line) {
  uint32_t pc = 0;
  const bool warp = debug_warp(d) && show_pc(debug_core(d), d->warp, &pc);
  const module_line *here = line_of(d, pc);
  const char *file = line || !here ? state_source(d) : here->cuda_file;
  if (!line && !here)
    return debug_wrong(d, "pc 0x%x has no line number", pc);
  FILE *f = fopen(file, "r");
  if (!f)
    return debug_wrong(d, "cannot read '%s': %s", file, strerror(errno));
  fprintf(d->to, "%s\n", show_file(file));
  const bool same = warp && here && strcmp(file, here->cuda_file) == 0;
  put_lines(d, f, line ? line : here->cuda_line, same ? here->cuda_line : 0);
  fclose(f);
  return true;
}

// ---- code

bool state_disassemble(debug *d, const words *w) {
  const module_kernel *k = d->l->kernel;
  uint32_t here = UINT32_MAX;
  uint64_t pc = 0, count = CODE;
  const bool warp = debug_warp(d) && show_pc(debug_core(d), d->warp, &here);
  if (warp && here / ISA_BYTES >= CODE / 3)
    pc = here - CODE / 3 * ISA_BYTES;
  if (w->n > 1 && (!word_number(w->word[1], &pc) || pc % ISA_BYTES))
    return debug_wrong(d, "a pc is a multiple of %d, not '%s'", ISA_BYTES, w->word[1]);
  if (w->n > 3 || (w->n > 2 && (!word_number(w->word[2], &count) || !count)))
    return debug_wrong(d, "disassemble [PC [COUNT]]");
  if (pc / ISA_BYTES >= k->inst_count)
    return debug_wrong(d, "the last pc of %s is 0x%x", k->name, (k->inst_count - 1) * ISA_BYTES);
  for (; count-- && pc / ISA_BYTES < k->inst_count; pc += ISA_BYTES) {
    fprintf(d->to, "%c%c ", pc == here ? '>' : ' ', break_at(d, (uint32_t)pc) ? 'b' : ' ');
    show_place(d->to, d->l, (uint32_t)pc);
    fputc('\n', d->to);
  }
  return true;
}

// ---- info

static void put_allocation(const debug *d, uint64_t address) {
  const machine *m = d->config.m;
  allocation a;
  for (size_t k = 0; machine_allocation(m, k, &a); k++)
    if (address >= a.base && address < a.base + a.bytes)
      fprintf(d->to, ", @%zu+%" PRIu64, k, address - a.base);
}

static void info_launch(const debug *d) {
  const module_kernel *k = d->l->kernel;
  const uint32_t done = blocks_done(d), started = blocks_started(d);
  state_launch(d);
  fprintf(d->to, "blocks: %u have ended, %u are on cores, %u have not started; %u warps each\n",
          done, started - done, d->l->blocks - started, d->l->warps);
  fprintf(
      d->to,
      "registers: %u on both sides, %u near, %u far; %u predicates; %u bytes of shared memory a "
      "block, %u of local memory a thread\n",
      k->regs_both, k->regs_near, k->regs_far, k->preds, d->l->shared_bytes, k->local_bytes);
  for (uint32_t n = 0; n < k->param_count; n++) {
    const module_param *p = &k->params[n];
    uint64_t value = 0;
    fprintf(d->to, "parameter %u, %u bytes: ", n, p->bytes);
    if (p->bytes <= sizeof value) {
      memcpy(&value, d->l->params + p->offset, p->bytes);
      fprintf(d->to, "0x%" PRIx64, value);
      put_allocation(d, value);
      fputc('\n', d->to);
    } else {
      fputc('\n', d->to);
      show_memory(d->to, 0, d->l->params + p->offset, p->bytes, SHOW_U8);
    }
  }
}

static void info_cores(const debug *d) {
  uint32_t rest = 0, idle = 0;
  for (uint32_t k = 0; k < d->cores; k++) {
    const core *c = sim_core(d->s, k);
    const uint32_t live = show_live(c);
    if (live)
      fprintf(d->to, "core %u: %u warps, %u blocks have ended\n", k, live, core_launch(c)->done);
    idle += !live && !core_rests(c);
    rest += !live && core_rests(c);
  }
  fprintf(d->to, "%u without warps are busy, %u are idle\n", idle, rest);
}

static void info_memory(const debug *d) {
  const machine *m = d->config.m;
  const module *mod;
  allocation a;
  for (size_t k = 0; machine_allocation(m, k, &a); k++)
    fprintf(d->to, "@%zu  0x%" PRIx64 ", %" PRIu64 " bytes\n", k, a.base, a.bytes);
  for (unsigned n = 0; (mod = machine_module(m, n)); n++)
    for (uint32_t k = 0; k < mod->symbol_count; k++) {
      const module_symbol *s = &mod->symbols[k];
      fprintf(d->to, "%s  0x%" PRIx64 ", %" PRIu64 " bytes%s\n", s->name,
              machine_symbol_address(m, mod, s), s->bytes, s->is_const ? ", constant" : "");
    }
}

static void info_short(const debug *d) {
  fprintf(d->to, "before cycle %" PRIu64 ", cycle %" PRIu64 " of launch %" PRIu64 "\n",
          debug_now(d), debug_now(d) - d->begun, d->launches + 1);
  fputs("selected: ", d->to);
  if (d->has_warp)
    put_selected(d);
  else
    fprintf(d->to, "core %u, no warp", d->core);
  fputc('\n', d->to);
}

static void info_breaks(const debug *d) {
  breaks_list(d);
  watches_list(d);
}

bool state_info(debug *d, const char *what) {
  static const char *const names[] = {"breaks", "launch", "cores", "memory", NULL};
  static void (*const show[])(const debug *) = {info_breaks, info_launch, info_cores, info_memory};
  const int which = what ? word_choice(what, names) : 0;
  if (which < 0)
    return debug_wrong(d, "info takes breaks, launch, cores and memory, not '%s'", what);
  if (what)
    show[which](d);
  else
    info_short(d);
  return true;
}
