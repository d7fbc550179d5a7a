// SPDX-License-Identifier: Apache-2.0
// One context of the card of docs/card.md. Its part of host memory, from the first byte on:
//
//   ring | completions | message | desk | stage | arena
//
// The desk holds a name or a launch record, for one command at a time. The stage holds a program,
// or two chunks of a copy: while the card has one, the host fills or empties the other. The arena
// is the user's.
//
// A slot for each command that the user has not finished: the card writes its record into the
// completions, and the driver takes it from there before that entry is written again.
#include "driver.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ENTRIES = 64,
  MESSAGE = 4096,
  DESK = CARD_LAUNCH_MOST,
  CHUNKS = 2,
  CHUNK_MOST = 1 << 20,
  STAGE_MOST = 8 << 20,
  ALIGN = 64,
  HOST_LEAST = 256 << 10,
};

typedef struct slot {
  card_command command;
  card_record record;
  bool there, finished;
} slot;

struct driver {
  driver_transport t;
  uint32_t page;  // where the registers of the context are
  uint32_t type, cores, entries, control;
  uint64_t memory;
  uint8_t *ring, *completions, *desk, *stage, *arena;
  char *text;  // of the card
  uint64_t stage_bytes, chunk, arena_bytes;
  uint32_t next, done;  // commands written; DONE as it was last read
  uint32_t oldest;      // that is not finished
  uint32_t desk_user;   // the last launch
  slot *slots;          // of commands oldest to next - 1, by number modulo `capacity`
  uint32_t capacity;    // a power of two, so that this goes on when numbers wrap
  uint32_t broken;      // a status that all calls return until driver_reset, and its message
  char message[MESSAGE + 512], broken_message[MESSAGE + 512];
  size_t text_from, broken_text_from;  // where in these the card's text begins; 0: there is none
};

// ---- registers

// What is in memory before a register is written, is there when the card sees it written; and what
// the card wrote before a register, when the host sees that. ThreadSanitizer knows no fences: with
// it the transport has to see to this.
static void order(void) {
#ifndef __SANITIZE_THREAD__
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
#endif
}

static uint32_t card_get(const driver_transport *t, uint32_t reg) {
  const uint64_t value = t->read(t->ctx, reg, 4);
  order();
  return (uint32_t)value;
}

static uint32_t get(const driver *d, uint32_t reg) {
  return card_get(&d->t, d->page + reg);
}

static void set(driver *d, uint32_t reg, uint32_t bytes, uint64_t value) {
  order();
  d->t.write(d->t.ctx, d->page + reg, bytes, value);
}

static uint64_t offset_of(const driver *d, const void *p) {
  return d->t.offset + (uint64_t)((const uint8_t *)p - d->t.host);
}

// ---- messages

__attribute__((format(printf, 3, 4))) static uint32_t fail(driver *d, uint32_t status,
                                                           const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(d->message, sizeof d->message, format, args);
  va_end(args);
  d->text_from = 0;
  return status;
}

// `status` with the present message is what all calls return from now on.
static uint32_t broke(driver *d, uint32_t status) {
  memcpy(d->broken_message, d->message, sizeof d->message);
  d->broken_text_from = d->text_from;
  return d->broken = status;
}

static uint32_t still_broken(driver *d) {
  memcpy(d->message, d->broken_message, sizeof d->message);
  d->text_from = d->broken_text_from;
  return d->broken;
}

static uint32_t gone(driver *d, const char *why) {
  return broke(d, fail(d, DRIVER_GONE, "%s", why));
}

static const char no_answer[] = "the card is gone: its registers do not answer";

static const char *const sentences[] = {
    [CARD_OK] = "it is done",
    [CARD_NO_MEMORY] = "the card has not enough device memory, or too many programs",
    [CARD_NOT_FOUND] = "the program has no kernel or variable of that name",
    [CARD_BAD_ADDRESS] = "this is not an allocation of the context, or not inside of one",
    [CARD_BAD_PROGRAM] = "the card does not execute this program, or has no such program or kernel",
    [CARD_BAD_LAUNCH] = "the kernel cannot have this grid, this block or these parameters",
    [CARD_NO_REGISTERS] = "the registers or warps of a block do not fit a core",
    [CARD_NO_SHARED] = "the shared memory of a block does not fit a core",
    [CARD_BAD_HANDLE] = "nothing is shared with this context under that handle",
    [CARD_BAD_MATRIX] = "this is not a matrix, or the machine has no room for it",
    [CARD_BAD_COMMAND] = "the card has no such command, stream or flag, or a number is too large",
    [CARD_BAD_HOST] = "the card cannot read or write this host memory",
    [CARD_BAD_TAIL] = "more commands were written than the ring has entries",
    [CARD_BAD_SETUP] = "the card refuses the places of the ring and of the completions",
    [CARD_FAULT_ADDRESS] = "the kernel accessed memory that is not its own",
    [CARD_FAULT_ALIGN] = "the kernel made a misaligned access",
    [CARD_FAULT_TRAP] = "the kernel executed a trap, or a barrier that has no meaning",
    [CARD_FAULT_DEADLOCK] = "no warp of the kernel can go on",
    [CARD_WATCHDOG] = "the launch took more cycles than it may",
    [CARD_STOPPED] = "whoever runs the card ended the launch",
    [CARD_MODEL] = "models of the machine differ, which is a defect of the card",
};

static const char *sentence(uint32_t status) {
  const bool known = status < sizeof sentences / sizeof *sentences && sentences[status];
  return known ? sentences[status] : "a status that this driver does not know";
}

static void describe(const card_command *c, char *to, size_t bytes) {
  static const char *const names[] = {
      [0] = "command 0",
#define CARD_COMMAND(number, name, type, engine, doc) [number] = #name,
#include "harness/systemc/card/card.def"
  };
  snprintf(to, bytes, "%s(0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 ")",
           c->opcode < sizeof names / sizeof *names ? names[c->opcode] : "command", c->words[0],
           c->words[1], c->words[2]);
}

// A sentence, and behind it the text of the card, if it belongs there.
static uint32_t explain(driver *d, uint32_t status, const char *what, bool with_text) {
  fail(d, status, "%s: %s", what, sentence(status));
  if (with_text && d->text[0]) {
    const size_t n = strlen(d->message);
    snprintf(d->message + n, sizeof d->message - n, ": %.*s", MESSAGE - 1, d->text);
    d->text_from = n + 2;
  }
  return status;
}

// ---- what the card did

static slot *slot_of(const driver *d, uint32_t command) {
  return &d->slots[command & (d->capacity - 1)];
}

static bool pending(const driver *d, uint32_t command) {
  return command - d->oldest < d->next - d->oldest && !slot_of(d, command)->finished;
}

// Whether a pending command has its record.
static bool take(driver *d, uint32_t command) {
  slot *s = slot_of(d, command);
  const uint8_t *r = d->completions + command % d->entries * sizeof s->record;
  const uint32_t *number = (const uint32_t *)(r + offsetof(card_record, number));
  if (!s->there && __atomic_load_n(number, __ATOMIC_ACQUIRE) == command + 1) {
    memcpy(&s->record, r, sizeof s->record);
    s->there = true;
  }
  return s->there;
}

// Why there is no use in waiting for a command without a record; CARD_OK: it may come.
static uint32_t look(driver *d) {
  if (d->broken)
    return still_broken(d);
  const uint32_t state = get(d, CONTEXT_R_STATE);
  if (state == CONTEXT_STATE_ON)
    return CARD_OK;
  if (state > CONTEXT_STATE_RESET || card_get(&d->t, CARD_R_MAGIC) != CARD_MAGIC_VALUE)
    return gone(d, no_answer);
  if (state == CONTEXT_STATE_RESET)
    return gone(d, "the card was reset: the context is off, and its memory is gone");
  if (state == CONTEXT_STATE_OFF)
    return gone(d, "somebody else turned the context off, and its memory is gone");
  const uint32_t error = get(d, CONTEXT_R_ERROR);
  if (error == CARD_OK)
    return CARD_OK;  // the card may write it after STATE
  char what[64];
  snprintf(what, sizeof what, "the context failed at command %" PRIu32,
           get(d, CONTEXT_R_ERROR_COMMAND));
  return broke(d, explain(d, error, what, true));
}

// Nothing is there yet. An error, or CARD_OK after a while. *more: at first true.
static uint32_t sleep_on(driver *d, bool *more) {
  const uint32_t status = look(d);
  if (status)
    return status;
  if (!*more)
    return gone(d, "the card does nothing any more, and a command is not done");
  *more = d->t.wait(d->t.ctx);
  return CARD_OK;
}

static uint32_t await(driver *d, uint32_t command) {
  bool more = true;
  while (!take(d, command)) {
    const uint32_t status = sleep_on(d, &more);
    if (status)
      return take(d, command) ? (uint32_t)CARD_OK : status;  // it may have come before the failure
  }
  return CARD_OK;
}

// Room for one more command in the ring, and in the slots; the record that its own will overwrite
// is taken.
static uint32_t make_room(driver *d) {
  const uint32_t before = d->next - d->entries;
  bool more = true;
  while (d->next - d->done == d->entries) {
    const uint32_t passed = get(d, CONTEXT_R_DONE) - d->done;
    if (passed && passed <= d->entries)
      d->done += passed;
    else {
      const uint32_t status = sleep_on(d, &more);
      if (status)
        return status;
    }
  }
  if (pending(d, before) && !take(d, before))
    return gone(d, "the card is wrong: a command is done that has no record");
  if (d->next - d->oldest < d->capacity)
    return CARD_OK;
  slot *twice = calloc(2 * (size_t)d->capacity, sizeof *twice);
  if (!twice)
    return fail(d, CARD_NO_MEMORY,
                "the host has no memory for the records of %" PRIu32
                " commands that are not finished",
                d->capacity);
  for (uint32_t n = d->oldest; n != d->next; n++)
    twice[n & (2 * d->capacity - 1)] = *slot_of(d, n);
  free(d->slots);
  d->slots = twice;
  d->capacity *= 2;
  return CARD_OK;
}

uint32_t driver_submit(driver *d, const card_command *c, uint32_t *command) {
  const uint32_t status = d->broken ? still_broken(d) : make_room(d), n = d->next;
  if (status)
    return status;
  slot *s = slot_of(d, n);
  *s = (slot){.command = *c};
  s->command.tag = n;
  memcpy(d->ring + n % d->entries * sizeof s->command, &s->command, sizeof s->command);
  set(d, CONTEXT_R_TAIL, 4, d->next = n + 1);
  set(d, CONTEXT_R_DOORBELL, 4, 1);
  *command = n;
  return CARD_OK;
}

// There is one text, of the last command that failed. Once the context has failed it is left alone.
static uint32_t command_failed(driver *d, const slot *s) {
  const uint32_t status = s->record.status;
  const bool fatal = status >= CARD_FIRST_FAILURE, has_text = fatal || look(d) == CARD_OK;
  char what[128];
  describe(&s->command, what, sizeof what);
  explain(d, status, what, has_text);
  if (fatal)
    broke(d, status);
  else if (has_text)
    d->text[0] = 0;  // the next failure may have none
  return status;
}

uint32_t driver_finish(driver *d, uint32_t command, card_record *r) {
  if (!pending(d, command))
    return fail(d, CARD_BAD_COMMAND, "command %" PRIu32 " was never submitted, or is finished",
                command);
  const uint32_t status = await(d, command);
  slot *s = slot_of(d, command);
  s->finished = true;
  while (d->oldest != d->next && slot_of(d, d->oldest)->finished)
    d->oldest++;
  if (status)
    return status;
  if (r)
    *r = s->record;
  return s->record.status ? command_failed(d, s) : (uint32_t)CARD_OK;
}

uint8_t *driver_arena(driver *d, uint64_t *offset, uint64_t *bytes) {
  *offset = offset_of(d, d->arena);
  *bytes = d->arena_bytes;
  return d->arena;
}

// ---- on and off

// Waits while the context is on, or while it is off; its state then.
static uint32_t state_after(driver *d, bool on) {
  for (bool more = true;;) {
    const uint32_t state = get(d, CONTEXT_R_STATE);
    if (!more || state > CONTEXT_STATE_RESET || on != (state != CONTEXT_STATE_OFF))
      return state;
    more = d->t.wait(d->t.ctx);
  }
}

static bool turn_off(driver *d) {
  set(d, CONTEXT_R_CONTROL, 4, 0);
  set(d, CONTEXT_R_DOORBELL, 4, 1);
  return state_after(d, true) == CONTEXT_STATE_OFF;
}

bool driver_reset(driver *d) {
  if (card_get(&d->t, CARD_R_MAGIC) != CARD_MAGIC_VALUE)
    return gone(d, no_answer), false;
  if (!(card_get(&d->t, CARD_R_STATUS) & CARD_STATUS_READY))
    return gone(d, "the card is in reset"), false;
  if (!turn_off(d))
    return gone(d, "the context does not turn off"), false;
  d->next = d->done = d->oldest = 0;
  d->text[0] = 0;
  memset(d->completions, 0, ENTRIES * sizeof(card_record));
  set(d, CONTEXT_R_ENTRIES, 4, d->entries);
  set(d, CONTEXT_R_RING, 8, offset_of(d, d->ring));
  set(d, CONTEXT_R_COMPLETIONS, 8, offset_of(d, d->completions));
  set(d, CONTEXT_R_MESSAGE, 8, offset_of(d, d->text));
  set(d, CONTEXT_R_MESSAGE_BYTES, 4, MESSAGE);
  set(d, CONTEXT_R_TAIL, 4, 0);
  set(d, CONTEXT_R_CONTROL, 4, d->control);
  set(d, CONTEXT_R_DOORBELL, 4, 1);
  const uint32_t state = state_after(d, false);
  d->broken = CARD_OK;
  if (state == CONTEXT_STATE_ON)
    return true;
  gone(d, "the context does not turn on");
  if (state == CONTEXT_STATE_FAILED) {
    explain(d, get(d, CONTEXT_R_ERROR), "the context does not turn on", true);
    turn_off(d);
  }
  return false;
}

// False: too little.
static bool lay_out(driver *d) {
  const driver_transport *t = &d->t;
  if (t->bytes < HOST_LEAST || (uintptr_t)t->host % ALIGN || t->offset % ALIGN)
    return false;
  d->ring = t->host;
  d->completions = d->ring + ENTRIES * sizeof(card_command);
  d->text = (char *)d->completions + ENTRIES * sizeof(card_record);
  d->desk = (uint8_t *)d->text + MESSAGE;
  d->stage = d->desk + DESK;
  const uint64_t rest = t->bytes - (uint64_t)(d->stage - t->host);
  d->stage_bytes = (rest / 2 < STAGE_MOST ? rest / 2 : STAGE_MOST) / ALIGN * ALIGN;
  d->chunk = d->stage_bytes / CHUNKS / ALIGN * ALIGN;
  d->chunk = d->chunk < CHUNK_MOST ? d->chunk : CHUNK_MOST;
  d->arena = d->stage + d->stage_bytes;
  d->arena_bytes = rest - d->stage_bytes;
  return true;
}

driver *driver_open(const driver_transport *t, uint32_t context, char *why, size_t why_bytes) {
  const uint32_t magic = card_get(t, CARD_R_MAGIC), version = card_get(t, CARD_R_VERSION);
  const uint32_t type = card_get(t, CARD_R_TYPE), contexts = card_get(t, CARD_R_CONTEXTS);
  const uint32_t page = (1 + context) * CARD_PAGE;
  if (magic != CARD_MAGIC_VALUE)
    snprintf(why, why_bytes, "no card: MAGIC is 0x%08" PRIx32, magic);
  else if (version >> 16 != CARD_VERSION_VALUE >> 16)
    snprintf(why, why_bytes, "the card has version %" PRIu32 " of the interface, this driver %d",
             version >> 16, CARD_VERSION_VALUE >> 16);
  else if (type != CARD_TYPE_MPU && type != CARD_TYPE_SPACEA)
    snprintf(why, why_bytes, "the card is of type %" PRIu32 ", which this driver does not know",
             type);
  else if (context >= contexts)
    snprintf(why, why_bytes, "no context %" PRIu32 ": the card has %" PRIu32, context, contexts);
  else if (card_get(t, page + CONTEXT_R_STATE) != CONTEXT_STATE_OFF &&
           card_get(t, page + CONTEXT_R_STATE) != CONTEXT_STATE_RESET)
    snprintf(why, why_bytes, "context %" PRIu32 " is in use", context);
  else {
    driver *d = calloc(1, sizeof *d);
    slot *slots = calloc(ENTRIES, sizeof *slots);
    if (d && slots) {
      *d = (driver){.t = *t, .page = page, .slots = slots, .capacity = ENTRIES};
      d->entries = card_get(t, CARD_R_ENTRIES_MOST);
      d->entries = d->entries < ENTRIES ? d->entries : ENTRIES;
      d->type = type;
      d->cores = card_get(t, CARD_R_CORES);
      d->memory = t->read(t->ctx, CARD_R_MEMORY, 8);
      d->control = CONTEXT_CONTROL_ENABLE;
      if (card_get(t, CARD_R_FEATURES) & CARD_FEATURES_INTERRUPTS)
        d->control |= CONTEXT_CONTROL_INTERRUPT;
      if (!lay_out(d))
        snprintf(why, why_bytes, "host memory of a context is at least %d KB, aligned to %d bytes",
                 HOST_LEAST >> 10, ALIGN);
      else if (driver_reset(d))
        return d;
      else
        snprintf(why, why_bytes, "context %" PRIu32 ": %s", context, d->message);
    } else {
      snprintf(why, why_bytes, "the host has no memory for a driver");
    }
    free(slots);
    free(d);
  }
  return NULL;
}

void driver_close(driver *d) {
  if (!d)
    return;
  turn_off(d);
  free(d->slots);
  free(d);
}

uint32_t driver_type(const driver *d) {
  return d->type;
}

uint64_t driver_memory(const driver *d) {
  return d->memory;
}

uint32_t driver_cores(const driver *d) {
  return d->cores;
}

const char *driver_message(const driver *d) {
  return d->message;
}

const char *driver_text(const driver *d) {
  return d->text_from ? d->message + d->text_from : "";
}

// ---- commands

// The driver sleeps for it.
static card_command command_of(card_opcode opcode, uint64_t a, uint64_t b, uint64_t c) {
  return (card_command){
      .opcode = (uint16_t)opcode, .flags = CARD_FLAG_INTERRUPT, .words = {a, b, c}};
}

static uint32_t submit(driver *d, card_opcode opcode, uint64_t a, uint64_t b, uint64_t c,
                       uint32_t *command) {
  const card_command x = command_of(opcode, a, b, c);
  return driver_submit(d, &x, command);
}

static uint32_t execute_all(driver *d, const card_command *x, card_record *r) {
  uint32_t n;
  const uint32_t status = driver_submit(d, x, &n);
  return status ? status : driver_finish(d, n, r);
}

static uint32_t execute(driver *d, card_opcode opcode, uint64_t a, uint64_t b, uint64_t c,
                        card_record *r) {
  const card_command x = command_of(opcode, a, b, c);
  return execute_all(d, &x, r);
}

static uint32_t free_desk(driver *d) {
  return pending(d, d->desk_user) ? await(d, d->desk_user) : (uint32_t)CARD_OK;
}

uint32_t driver_alloc(driver *d, uint64_t bytes, uint64_t *address) {
  card_record r = {0};
  const uint32_t status = bytes ? execute(d, CARD_DO_ALLOC, bytes, 0, 0, &r) : (uint32_t)CARD_OK;
  if (!status)
    *address = r.words[CARD_ALLOC_GIVES_ADDRESS];
  return status;
}

uint32_t driver_free(driver *d, uint64_t address) {
  return address ? execute(d, CARD_DO_FREE, address, 0, 0, NULL) : (uint32_t)CARD_OK;
}

uint32_t driver_share(driver *d, uint64_t address, uint32_t context, uint64_t *handle) {
  card_record r;
  const uint32_t status = execute(d, CARD_DO_SHARE, address, context, 0, &r);
  if (!status)
    *handle = r.words[CARD_SHARE_GIVES_HANDLE];
  return status;
}

uint32_t driver_attach(driver *d, uint64_t handle, uint64_t *address, uint64_t *bytes) {
  card_record r;
  const uint32_t status = execute(d, CARD_DO_ATTACH, handle, 0, 0, &r);
  if (!status) {
    *address = r.words[CARD_ATTACH_GIVES_ADDRESS];
    *bytes = r.words[CARD_ATTACH_GIVES_BYTES];
  }
  return status;
}

// Down if there is `from`, up if there is `to`. All chunks that have begun are finished.
static uint32_t transfer(driver *d, uint64_t device, uint8_t *to, const uint8_t *from,
                         uint64_t bytes) {
  const uint64_t count = bytes / d->chunk + (bytes % d->chunk != 0);
  uint32_t commands[CHUNKS], status = CARD_OK;
  uint64_t begun = 0, finished = 0;
  while (finished < begun || (begun < count && !status)) {
    const bool begin = begun < count && begun - finished < CHUNKS && !status;
    const uint64_t k = begin ? begun : finished, at = k * d->chunk;
    const uint64_t n = bytes - at < d->chunk ? bytes - at : d->chunk;
    uint8_t *chunk = d->stage + k % CHUNKS * d->chunk;
    uint32_t s;
    if (begin) {
      if (from)
        memcpy(chunk, from + at, n);
      s = from
              ? submit(d, CARD_DO_WRITE, device + at, offset_of(d, chunk), n, &commands[k % CHUNKS])
              : submit(d, CARD_DO_READ, offset_of(d, chunk), device + at, n, &commands[k % CHUNKS]);
      begun += s == CARD_OK;
    } else {
      s = driver_finish(d, commands[k % CHUNKS], NULL);
      if (to && !s)
        memcpy(to + at, chunk, n);
      finished++;
    }
    status = status ? status : s;
  }
  return status;
}

uint32_t driver_write(driver *d, uint64_t to, const void *from, uint64_t bytes) {
  return transfer(d, to, NULL, from, bytes);
}

uint32_t driver_read(driver *d, void *to, uint64_t from, uint64_t bytes) {
  return transfer(d, from, to, NULL, bytes);
}

uint32_t driver_copy(driver *d, uint64_t to, uint64_t from, uint64_t bytes) {
  return bytes ? execute(d, CARD_DO_COPY, to, from, bytes, NULL) : (uint32_t)CARD_OK;
}

uint32_t driver_fill(driver *d, uint64_t to, uint8_t value, uint64_t bytes) {
  return bytes ? execute(d, CARD_DO_FILL, to, value, bytes, NULL) : (uint32_t)CARD_OK;
}

uint32_t driver_load(driver *d, const void *image, uint64_t bytes, uint32_t *program) {
  card_record r;
  if (bytes > d->stage_bytes)
    return fail(d, CARD_NO_MEMORY,
                "the program has %" PRIu64 " bytes, and the driver host memory for %" PRIu64, bytes,
                d->stage_bytes);
  if (bytes)
    memcpy(d->stage, image, bytes);
  const uint32_t status = execute(d, CARD_DO_LOAD, offset_of(d, d->stage), bytes, 0, &r);
  if (!status)
    *program = (uint32_t)r.words[CARD_LOAD_GIVES_PROGRAM];
  return status;
}

// A kernel or a variable. The card would fail the context for a name that it cannot have.
static uint32_t find(driver *d, card_opcode opcode, uint32_t program, const char *name,
                     card_record *r) {
  const size_t bytes = strlen(name);
  uint32_t status = CARD_NOT_FOUND;
  if (bytes && bytes <= CARD_NAME_MOST && !(status = free_desk(d))) {
    memcpy(d->desk, name, bytes);
    status = execute(d, opcode, program, offset_of(d, d->desk), bytes, r);
  }
  return status == CARD_NOT_FOUND ? fail(d, status, "the program has no %s '%s'",
                                         opcode == CARD_DO_KERNEL ? "kernel" : "variable", name)
                                  : status;
}

uint32_t driver_kernel(driver *d, uint32_t program, const char *name, uint32_t *kernel,
                       uint32_t *parameter_bytes) {
  card_record r;
  const uint32_t status = find(d, CARD_DO_KERNEL, program, name, &r);
  if (!status) {
    *kernel = (uint32_t)r.words[CARD_KERNEL_GIVES_KERNEL];
    *parameter_bytes = (uint32_t)r.words[CARD_KERNEL_GIVES_PARAMETERS];
  }
  return status;
}

uint32_t driver_symbol(driver *d, uint32_t program, const char *name, uint64_t *address,
                       uint64_t *bytes) {
  card_record r;
  const uint32_t status = find(d, CARD_DO_SYMBOL, program, name, &r);
  if (!status) {
    *address = r.words[CARD_SYMBOL_GIVES_ADDRESS];
    *bytes = r.words[CARD_SYMBOL_GIVES_BYTES];
  }
  return status;
}

uint32_t driver_launch_begin(driver *d, const card_launch *what, const void *parameters,
                             uint32_t *command) {
  const uint64_t bytes = sizeof *what + (uint64_t)what->parameter_bytes;
  if (bytes > CARD_LAUNCH_MOST)
    return fail(d, CARD_BAD_LAUNCH, "%" PRIu32 " bytes of parameters are more than a kernel has",
                what->parameter_bytes);
  uint32_t status = free_desk(d);
  if (status)
    return status;
  memcpy(d->desk, what, sizeof *what);
  if (what->parameter_bytes)
    memcpy(d->desk + sizeof *what, parameters, what->parameter_bytes);
  if (!(status = submit(d, CARD_DO_LAUNCH, offset_of(d, d->desk), bytes, 0, command)))
    d->desk_user = *command;
  return status;
}

uint32_t driver_launch(driver *d, const card_launch *what, const void *parameters, card_record *r) {
  uint32_t n;
  const uint32_t status = driver_launch_begin(d, what, parameters, &n);
  return status ? status : driver_finish(d, n, r);
}

// ---- a SpaceA

uint32_t driver_matrix(driver *d, const driver_csr *a, uint32_t mapping, uint32_t *matrix) {
  card_record r;
  card_command x = command_of(CARD_DO_MATRIX, a->row_ptr, a->col, a->val);
  x.words[CARD_MATRIX_ROWS] = a->rows;
  x.words[CARD_MATRIX_COLUMNS] = a->columns;
  x.words[CARD_MATRIX_MAPPING] = mapping;
  const uint32_t status = execute_all(d, &x, &r);
  if (!status)
    *matrix = (uint32_t)r.words[CARD_MATRIX_GIVES_MATRIX];
  return status;
}

uint32_t driver_matrix_free(driver *d, uint32_t matrix) {
  return execute(d, CARD_DO_MATRIX_FREE, matrix, 0, 0, NULL);
}

uint32_t driver_multiply(driver *d, uint32_t matrix, uint64_t x, uint64_t y, uint32_t semiring,
                         card_record *r) {
  card_command c = command_of(CARD_DO_MULTIPLY, matrix, x, y);
  c.words[CARD_MULTIPLY_SEMIRING] = semiring;
  return execute_all(d, &c, r);
}
