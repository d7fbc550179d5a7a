// SPDX-License-Identifier: Apache-2.0
// What commands do to the machine.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "card_priv.h"
#include "csim/isa/model.h"
#include "csim/isa/mpu_elf.h"
#include "harness/machines/mpu/machine/build.h"

// ---- the table

enum { COMMANDS = 64 };
// 1 + the engine; 0: not a command
static const uint8_t engines[COMMANDS] = {
#define CARD_COMMAND(number, name, type, engine, doc) [number] = 1 + ENGINE_##engine,
#include "card.def"
};
enum { TYPE_ANY, TYPE_MPU = CARD_TYPE_MPU, TYPE_SPACEA = CARD_TYPE_SPACEA };
static const struct {
  const char *name;
  uint8_t type;
} commands[COMMANDS] = {
#define CARD_COMMAND(number, name, type, engine, doc) [number] = {#name, TYPE_##type},
#include "card.def"
};
static const char *const types[] = {
    [CARD_TYPE_MPU] = "an MPU (TYPE 1)", [CARD_TYPE_SPACEA] = "a SpaceA (TYPE 2)"};
static const struct {
  uint32_t command, word;
} args[] = {
#define CARD_ARG(command, word, name, doc) {CARD_DO_##command, word},
#include "card.def"
};

static bool is_command(uint32_t opcode) {
  return opcode < COMMANDS && engines[opcode];
}

uint32_t card_engine(uint32_t opcode) {
  return is_command(opcode) ? engines[opcode] - 1u : ENGINE_NONE;
}

static bool has_argument(uint32_t opcode, uint32_t word) {
  for (size_t n = 0; n < sizeof args / sizeof *args; n++)
    if (args[n].command == opcode && args[n].word == word)
      return true;
  return false;
}

// A size or number beyond what its command allows.
static bool out_of_range(const card_command *c) {
  const uint64_t most = 1ull << 32;
  switch (c->opcode) {
    case CARD_DO_WRITE:
    case CARD_DO_READ:
      return c->words[CARD_WRITE_BYTES] > most;
    case CARD_DO_FILL:
      return c->words[CARD_FILL_VALUE] > UINT8_MAX;
    case CARD_DO_LOAD:
      return c->words[CARD_LOAD_BYTES] > most;
    case CARD_DO_KERNEL:
    case CARD_DO_SYMBOL:
      return c->words[CARD_KERNEL_BYTES] > CARD_NAME_MOST;
    case CARD_DO_LAUNCH:
      return c->words[CARD_LAUNCH_BYTES] < sizeof(card_launch) ||
             c->words[CARD_LAUNCH_BYTES] > CARD_LAUNCH_MOST;
    case CARD_DO_SHARE:
      return c->words[CARD_SHARE_CONTEXT] >= CONTEXTS;
    case CARD_DO_MATRIX:
      return c->words[CARD_MATRIX_ROWS] > UINT32_MAX ||
             c->words[CARD_MATRIX_COLUMNS] > UINT32_MAX ||
             c->words[CARD_MATRIX_MAPPING] > CARD_MAPPING_SPACEA;
    case CARD_DO_MULTIPLY:
      return c->words[CARD_MULTIPLY_SEMIRING] > CARD_SEMIRING_MIN_PLUS;
    default:
      return false;
  }
}

// A command of other cards, which the text says.
static bool of_another_type(const card *card, slot *s) {
  const uint32_t type = commands[s->c.opcode].type, own = card_type(card);
  char text[100];
  if (type == TYPE_ANY || type == own)
    return false;
  snprintf(text, sizeof text, "%s is a command of %s; this card is %s", commands[s->c.opcode].name,
           types[type], types[own]);
  card_say(s, text);
  return true;
}

uint32_t card_check(const card *card, slot *s) {
  const card_command *c = &s->c;
  bool ok = is_command(c->opcode) && !of_another_type(card, s) && c->stream < STREAMS &&
            !(c->flags & ~CARD_FLAG_INTERRUPT);
  for (unsigned w = 0; ok && w < 6; w++)
    ok = !c->words[w] || has_argument(c->opcode, w);
  if (ok && c->opcode == CARD_DO_WAIT) {
    const uint64_t command = c->words[CARD_WAIT_COMMAND];
    const uint32_t back = s->r.number - 1 - (uint32_t)command;
    ok = command <= UINT32_MAX && back && back <= 1u << 31;
  }
  return ok && !out_of_range(c) ? CARD_OK : CARD_BAD_COMMAND;
}

// ---- time

// Of `each` bytes a cycle and core. A size beyond the memory takes no time: the command fails.
uint64_t card_machine_time(const card *c, uint64_t bytes, uint64_t each) {
  const uint64_t cycle = each * c->cores;
  return bytes <= c->memory_bytes ? (bytes + cycle - 1) / cycle * CARD_PERIOD : 0;
}

uint64_t card_busy(card *c, const context *x, slot *s) {
  switch (s->c.opcode) {
    case CARD_DO_WRITE:
      return card_link_time(s->c.words[CARD_WRITE_BYTES], c->config.link.down);
    case CARD_DO_READ:
      return card_link_time(s->c.words[CARD_READ_BYTES], c->config.link.up);
    case CARD_DO_LOAD:
      return card_link_time(s->c.words[CARD_LOAD_BYTES], c->config.link.down);
    case CARD_DO_COPY:
      return card_machine_time(c, s->c.words[CARD_COPY_BYTES], CARD_COPIED);
    case CARD_DO_FILL:
      return card_machine_time(c, s->c.words[CARD_FILL_BYTES], CARD_FILLED);
    default:
      return c->spacea ? c->spacea->begin(c, x, s) : 0;
  }
}

uint64_t card_after(const card *c, const slot *s) {
  const uint16_t o = s->c.opcode;
  return o == CARD_DO_WRITE || o == CARD_DO_READ || o == CARD_DO_LOAD
             ? c->config.link.latency * 1000ull
             : 0;
}

// ---- statuses

// A machine's error and its status. Where several statuses have one error, the first is the
// machine's.
static const struct {
  machine_error error;
  uint32_t status;
} errors[] = {
    {MACHINE_OK, CARD_OK},
    {MACHINE_OUT_OF_MEMORY, CARD_NO_MEMORY},
    {MACHINE_BAD_POINTER, CARD_BAD_ADDRESS},
    {MACHINE_BAD_POINTER, CARD_NOT_FOUND},
    {MACHINE_BAD_POINTER, CARD_BAD_HANDLE},
    {MACHINE_BAD_LAUNCH, CARD_BAD_LAUNCH},
    {MACHINE_BAD_LAUNCH, CARD_BAD_PROGRAM},
    {MACHINE_BAD_LAUNCH, CARD_BAD_MATRIX},
    {MACHINE_OUT_OF_REGISTERS, CARD_NO_REGISTERS},
    {MACHINE_OUT_OF_SHARED, CARD_NO_SHARED},
    {MACHINE_FAULT_ADDRESS, CARD_FAULT_ADDRESS},
    {MACHINE_FAULT_ALIGN, CARD_FAULT_ALIGN},
    {MACHINE_FAULT_TRAP, CARD_FAULT_TRAP},
    {MACHINE_FAULT_DEADLOCK, CARD_FAULT_DEADLOCK},
    {MACHINE_FAULT_LIMIT, CARD_WATCHDOG},
    {MACHINE_STOPPED, CARD_STOPPED},
};

static uint32_t status_of(machine_error e) {
  for (size_t n = 0; n < sizeof errors / sizeof *errors; n++)
    if (errors[n].error == e)
      return errors[n].status;
  return CARD_MODEL;
}

machine_error card_error_of(uint32_t status) {
  for (size_t n = 0; n < sizeof errors / sizeof *errors; n++)
    if (errors[n].status == status)
      return errors[n].error;
  return MACHINE_MODEL;
}

// The text of a failure; out of host memory, it is empty.
void card_say(slot *s, const char *text) {
  free(s->text);
  s->text = strdup(text);
}

static void result(const card *c, slot *s, machine_error e) {
  s->r.status = status_of(e);
  if (e)
    card_say(s, machine_message(c->m));
}

static bool from_host(card *c, slot *s, uint64_t at, void *to, uint64_t bytes) {
  if (at <= UINT64_MAX - bytes && c->t.read(c->t.ctx, at, to, bytes))
    return true;
  s->r.status = CARD_BAD_HOST;
  return false;
}

// ---- memory

static void do_write(card *c, slot *s) {
  uint64_t to = s->c.words[CARD_WRITE_TO], from = s->c.words[CARD_WRITE_FROM];
  uint64_t left = s->c.words[CARD_WRITE_BYTES];
  result(c, s, machine_reach(c->m, to, left));
  c->counts.bytes_down += left;
  while (left && !s->r.status) {
    const uint64_t n = left < BUFFER ? left : BUFFER;
    if (!from_host(c, s, from, c->buffer, n))
      return;
    result(c, s, machine_write(c->m, to, c->buffer, n));
    if (c->s && to < ISA_WINDOW_CONST)
      sim_wrote(c->s, to, n);
    to += n, from += n, left -= n;
  }
}

static void do_read(card *c, slot *s) {
  uint64_t to = s->c.words[CARD_READ_TO], from = s->c.words[CARD_READ_FROM];
  uint64_t left = s->c.words[CARD_READ_BYTES];
  result(c, s, machine_reach(c->m, from, left));
  c->counts.bytes_up += left;
  while (left && !s->r.status) {
    const uint64_t n = left < BUFFER ? left : BUFFER;
    result(c, s, machine_read(c->m, c->buffer, from, n));
    if (!s->r.status && (to > UINT64_MAX - n || !c->t.write(c->t.ctx, to, c->buffer, n)))
      s->r.status = CARD_BAD_HOST;
    to += n, from += n, left -= n;
  }
}

static void do_alloc(card *c, slot *s) {
  result(c, s,
         machine_malloc(c->m, s->c.words[CARD_ALLOC_BYTES], &s->r.words[CARD_ALLOC_GIVES_ADDRESS]));
}

static void do_free(card *c, context *x, slot *s) {
  const uint64_t address = s->c.words[CARD_FREE_ADDRESS];
  result(c, s, machine_release(c->m, address));
  for (uint32_t n = 0; n < SHARES && !s->r.status; n++)
    if (c->shares[n].address == address && c->shares[n].from == context_number(c, x))
      c->shares[n].handle = 0;
}

static void do_share(card *c, context *x, slot *s) {
  const uint64_t address = s->c.words[CARD_SHARE_ADDRESS];
  share *own = &c->shares[context_number(c, x) * OWN_SHARES], *free_one = NULL;
  for (uint32_t n = 0; n < OWN_SHARES && !free_one; n++)
    if (!own[n].handle)
      free_one = &own[n];
  result(c, s, machine_share(c->m, address, 0));
  if (!s->r.status && !free_one) {
    s->r.status = CARD_NO_MEMORY;
    card_say(s, "too many allocations are shared that nobody has attached");
  }
  if (s->r.status)
    return;
  *free_one = (share){++c->n_handles, address, context_number(c, x),
                      (uint32_t)s->c.words[CARD_SHARE_CONTEXT]};
  s->r.words[CARD_SHARE_GIVES_HANDLE] = free_one->handle;
}

static void do_attach(card *c, context *x, slot *s) {
  const uint64_t handle = s->c.words[CARD_ATTACH_HANDLE];
  const uint32_t me = context_number(c, x);
  s->r.status = CARD_BAD_HANDLE;
  for (uint32_t n = 0; n < SHARES && handle; n++) {
    share *h = &c->shares[n];
    uint64_t base;
    if (h->handle != handle || h->to != me)
      continue;
    machine_set_owner(c->m, 1u << h->from);
    result(c, s, machine_share(c->m, h->address, 1u << me));
    machine_set_owner(c->m, 1u << me);
    h->handle = 0;
    s->r.words[CARD_ATTACH_GIVES_ADDRESS] = h->address;
    machine_find(c->m, h->address, &base, &s->r.words[CARD_ATTACH_GIVES_BYTES]);
    return;
  }
}

// ---- programs

// Kernels must be compiled for the dies of this machine.
static bool executes(const card *c, const module *mod, char *why, size_t why_bytes) {
  const isa_dies dies = dies_of_config(&c->config);
  for (uint32_t n = 0; n < mod->kernel_count; n++) {
    const module_kernel *k = &mod->kernels[n];
    if (isa_dies_execute(dies, module_dies(k)))
      continue;
    snprintf(why, why_bytes, "kernel %.200s is compiled with --dies=%s; this machine is --dies=%s",
             k->name, isa_dies_names[module_dies(k)], isa_dies_names[dies]);
    return false;
  }
  return true;
}

static void do_load(card *c, context *x, slot *s) {
  const uint64_t bytes = s->c.words[CARD_LOAD_BYTES];
  char why[500];
  uint8_t *image = malloc(bytes + 1);
  c->counts.bytes_down += bytes;
  if (!image || x->n_programs == PROGRAMS) {
    s->r.status = CARD_NO_MEMORY;
    card_say(s, image ? "too many programs" : "the card's host is out of memory");
    free(image);
    return;
  }
  if (from_host(c, s, s->c.words[CARD_LOAD_FROM], image, bytes)) {
    module *mod = module_load(image, bytes, why, sizeof why);
    if (!mod || !executes(c, mod, why, sizeof why)) {
      module_free(mod);
      s->r.status = CARD_BAD_PROGRAM;
      card_say(s, why);
    } else {
      result(c, s, machine_add_module(c->m, mod));
      if (!s->r.status) {
        s->r.words[CARD_LOAD_GIVES_PROGRAM] = x->n_programs;
        x->programs[x->n_programs++] = mod;
      }
    }
  }
  free(image);
}

static module *program_of(const context *x, slot *s, uint64_t program) {
  if (program < x->n_programs)
    return x->programs[program];
  s->r.status = CARD_BAD_PROGRAM;
  card_say(s, "no program has this number");
  return NULL;
}

// The program and the name of KERNEL and SYMBOL.
static module *named(card *c, const context *x, slot *s, char name[CARD_NAME_MOST + 1]) {
  const uint64_t bytes = s->c.words[CARD_KERNEL_BYTES];
  module *mod = program_of(x, s, s->c.words[CARD_KERNEL_PROGRAM]);
  if (!mod || !from_host(c, s, s->c.words[CARD_KERNEL_NAME], name, bytes))
    return NULL;
  name[bytes] = 0;
  if (strlen(name) == bytes)
    return mod;
  s->r.status = CARD_NOT_FOUND;
  card_say(s, "there is a zero in the name");
  return NULL;
}

static void not_found(slot *s, const char *what, const char *name) {
  char text[300];
  s->r.status = CARD_NOT_FOUND;
  snprintf(text, sizeof text, "the program has no %s '%.200s'", what, name);
  card_say(s, text);
}

static void do_kernel(card *c, context *x, slot *s) {
  char name[CARD_NAME_MOST + 1];
  module *mod = named(c, x, s, name);
  const module_kernel *k = mod ? module_find_kernel(mod, name) : NULL;
  if (mod && !k)
    not_found(s, "kernel", name);
  if (!k)
    return;
  s->r.words[CARD_KERNEL_GIVES_KERNEL] = (uint64_t)(k - mod->kernels);
  s->r.words[CARD_KERNEL_GIVES_PARAMETERS] = k->param_bytes;
}

static void do_symbol(card *c, context *x, slot *s) {
  char name[CARD_NAME_MOST + 1];
  module *mod = named(c, x, s, name);
  const module_symbol *v = mod ? module_find_symbol(mod, name) : NULL;
  if (mod && !v)
    not_found(s, "variable", name);
  if (!v)
    return;
  s->r.words[CARD_SYMBOL_GIVES_ADDRESS] = machine_symbol_address(c->m, mod, v);
  s->r.words[CARD_SYMBOL_GIVES_BYTES] = v->bytes;
}

// ---- launches

static bool record_of(card *c, context *x, slot *s, uint8_t *to, module **mod) {
  const uint64_t bytes = s->c.words[CARD_LAUNCH_BYTES];
  const card_launch *r = (const card_launch *)to;
  if (!from_host(c, s, s->c.words[CARD_LAUNCH_FROM], to, bytes))
    return false;
  if (r->parameter_bytes != bytes - sizeof *r) {
    s->r.status = CARD_BAD_LAUNCH;
    card_say(s, "the size of the launch record and that of its parameters do not match");
    return false;
  }
  *mod = program_of(x, s, r->program);
  if (*mod && r->kernel >= (*mod)->kernel_count) {
    s->r.status = CARD_BAD_PROGRAM;
    card_say(s, "no kernel of the program has this number");
    return false;
  }
  return *mod != NULL;
}

bool card_begin_launch(card *c, context *x, slot *s) {
  _Alignas(8) uint8_t record[CARD_LAUNCH_MOST];
  module *mod;
  machine_set_owner(c->m, 1u << context_number(c, x));
  if (!record_of(c, x, s, record, &mod))
    return false;
  const card_launch *r = (const card_launch *)record;
  const launch_shape shape = {
      {r->grid[0], r->grid[1], r->grid[2]}, {r->block[0], r->block[1], r->block[2]}, r->shared};
  c->issued = sim_issued(c->s);
  machine_error e =
      launch_new(c->m, mod, &mod->kernels[r->kernel], &shape, r + 1, r->parameter_bytes, &c->l);
  if (!e && (e = sim_start(c->s, c->l, c->watchdog)))
    launch_free(c->l);
  if (e)
    c->l = NULL;
  result(c, s, e);
  return !e;
}

void card_end_launch(card *c, slot *s, uint64_t *cycles) {
  result(c, s, sim_end(c->s, cycles));
  launch_stats_add(&c->stats, launch_get_stats(c->l));
  launch_free(c->l);
  c->l = NULL;
  s->r.words[CARD_LAUNCH_GIVES_CYCLES] = *cycles;
  s->r.words[CARD_LAUNCH_GIVES_INSTRUCTIONS] = sim_issued(c->s) - c->issued;
}

void card_drop_launch(card *c) {
  uint64_t cycles;
  if (!c->l)
    return;
  sim_stop(c->s);
  sim_end(c->s, &cycles);
  launch_stats_add(&c->stats, launch_get_stats(c->l));
  launch_free(c->l);
  c->l = NULL;
}

// ---- all of them

void card_do(card *c, context *x, slot *s) {
  machine_set_owner(c->m, 1u << context_number(c, x));
  switch ((card_opcode)s->c.opcode) {
    case CARD_DO_ALLOC:
      do_alloc(c, s);
      break;
    case CARD_DO_FREE:
      do_free(c, x, s);
      break;
    case CARD_DO_SHARE:
      do_share(c, x, s);
      break;
    case CARD_DO_ATTACH:
      do_attach(c, x, s);
      break;
    case CARD_DO_WRITE:
      do_write(c, s);
      break;
    case CARD_DO_READ:
      do_read(c, s);
      break;
    case CARD_DO_COPY:
      result(c, s,
             machine_copy(c->m, s->c.words[CARD_COPY_TO], s->c.words[CARD_COPY_FROM],
                          s->c.words[CARD_COPY_BYTES]));
      break;
    case CARD_DO_FILL:
      result(c, s,
             machine_fill(c->m, s->c.words[CARD_FILL_TO], (uint8_t)s->c.words[CARD_FILL_VALUE],
                          s->c.words[CARD_FILL_BYTES]));
      break;
    case CARD_DO_LOAD:
      do_load(c, x, s);
      break;
    case CARD_DO_KERNEL:
      do_kernel(c, x, s);
      break;
    case CARD_DO_SYMBOL:
      do_symbol(c, x, s);
      break;
    case CARD_DO_EVENT:
    case CARD_DO_FENCE:
    case CARD_DO_WAIT:
    case CARD_DO_LAUNCH:
      break;
    case CARD_DO_MATRIX:
    case CARD_DO_MATRIX_FREE:
    case CARD_DO_MULTIPLY:
      c->spacea->end(c, x, s);
      break;
  }
}

void card_release(card *c, context *x) {
  const uint32_t me = context_number(c, x);
  machine_set_owner(c->m, 1u << me);
  machine_release_all(c->m);
  if (c->spacea)
    c->spacea->release(c, x);
  for (uint32_t n = 0; n < SHARES; n++)
    if (c->shares[n].from == me || c->shares[n].to == me)
      c->shares[n].handle = 0;
  x->n_programs = 0;
}
