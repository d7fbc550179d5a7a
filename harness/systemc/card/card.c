// SPDX-License-Identifier: Apache-2.0
#include "card_priv.h"

#include <stdlib.h>
#include <string.h>
#include "csim/isa/model.h"

// ---- registers

typedef enum page { PAGE_CARD, PAGE_CONTEXT } page;
typedef enum access { ACCESS_RO, ACCESS_RW, ACCESS_RING } access;
typedef struct reg {
  page page;
  uint32_t offset, bits;
  access access;
} reg;
static const reg regs[] = {
#define CARD_REG(page, offset, bits, name, access, reset, doc) \
  {PAGE_##page, offset, bits, ACCESS_##access},
#include "card.def"
};

static const reg *reg_at(page p, uint32_t offset) {
  for (size_t n = 0; n < sizeof regs / sizeof *regs; n++)
    if (regs[n].page == p && offset - regs[n].offset < regs[n].bits / 8)
      return &regs[n];
  return NULL;
}

static uint64_t of_card(const card *c, uint32_t offset) {
  switch (offset) {
    case CARD_R_MAGIC:
      return CARD_MAGIC_VALUE;
    case CARD_R_VERSION:
      return CARD_VERSION_VALUE;
    case CARD_R_TYPE:
      return card_type(c);
    case CARD_R_FEATURES:
      return c->t.features;
    case CARD_R_STATUS:
      return c->reset ? 0 : CARD_STATUS_READY;
    case CARD_R_CONTEXTS:
      return CONTEXTS;
    case CARD_R_STREAMS:
      return STREAMS;
    case CARD_R_ENTRIES_MOST:
      return CARD_ENTRIES_MOST_VALUE;
    case CARD_R_MEMORY:
      return c->memory_bytes;
    case CARD_R_CORES:
      return c->cores;
    case CARD_R_PERIOD:
      return CARD_PERIOD;
    case CARD_R_LINK_DOWN:
      return c->config.link.down;
    case CARD_R_LINK_UP:
      return c->config.link.up;
    case CARD_R_LINK_LATENCY:
      return c->config.link.latency;
    case CARD_R_RESETS:
      return c->resets;
    case CARD_R_TIME:
      return c->time;
    case CARD_R_CONTROL:
      return c->control;
    case CARD_R_WATCHDOG:
      return c->watchdog;
    default:
      return 0;
  }
}

static uint64_t of_context(const context *x, uint32_t offset) {
  switch (offset) {
    case CONTEXT_R_CONTROL:
      return x->control;
    case CONTEXT_R_ENTRIES:
      return x->entries;
    case CONTEXT_R_RING:
      return x->ring;
    case CONTEXT_R_COMPLETIONS:
      return x->completions;
    case CONTEXT_R_MESSAGE:
      return x->message;
    case CONTEXT_R_MESSAGE_BYTES:
      return x->message_bytes;
    case CONTEXT_R_TAIL:
      return x->tail;
    case CONTEXT_R_DONE:
      return x->done;
    case CONTEXT_R_STATE:
      return x->state;
    case CONTEXT_R_ERROR:
      return x->error;
    case CONTEXT_R_ERROR_COMMAND:
      return x->error_command;
    case CONTEXT_R_INTERRUPTS:
      return x->interrupts;
    default:
      return 0;
  }
}

static void set_card(card *c, uint32_t offset, uint64_t value) {
  if (offset == CARD_R_CONTROL)
    c->control = (uint32_t)value;
  if (offset == CARD_R_WATCHDOG)
    c->watchdog = value;
}

static void set_context(context *x, uint32_t offset, uint64_t value) {
  switch (offset) {
    case CONTEXT_R_CONTROL:
      x->control = (uint32_t)value;
      break;
    case CONTEXT_R_ENTRIES:
      x->entries = (uint32_t)value;
      break;
    case CONTEXT_R_RING:
      x->ring = value;
      break;
    case CONTEXT_R_COMPLETIONS:
      x->completions = value;
      break;
    case CONTEXT_R_MESSAGE:
      x->message = value;
      break;
    case CONTEXT_R_MESSAGE_BYTES:
      x->message_bytes = (uint32_t)value;
      break;
    case CONTEXT_R_TAIL:
      x->tail = (uint32_t)value;
      break;
    default:
      break;
  }
}

static uint64_t value_of(const card *c, uint64_t offset, const reg *r) {
  return offset < CARD_PAGE ? of_card(c, r->offset)
                            : of_context(&c->contexts[offset / CARD_PAGE - 1], r->offset);
}

static const reg *reg_of(uint64_t offset) {
  return reg_at(offset < CARD_PAGE ? PAGE_CARD : PAGE_CONTEXT, offset % CARD_PAGE);
}

static bool fits(uint64_t offset, uint32_t bytes) {
  return (bytes == 4 || bytes == 8) && offset % bytes == 0 && offset < CARD_REGISTERS;
}

// Half of a register that is there, or 0.
static uint32_t half_at(const card *c, uint64_t offset) {
  const reg *r = reg_of(offset);
  return r ? (uint32_t)(value_of(c, offset, r) >> (offset % CARD_PAGE - r->offset) * 8) : 0;
}

bool card_read(const card *c, uint64_t offset, uint32_t bytes, uint64_t *value) {
  if (!fits(offset, bytes))
    return false;
  *value = half_at(c, offset);
  if (bytes == 8)
    *value |= (uint64_t)half_at(c, offset + 4) << 32;
  return true;
}

static void ring_doorbell(card *c, uint64_t offset, uint64_t now);

static void write_half(card *c, uint64_t offset, uint32_t value, uint64_t now) {
  const reg *r = reg_of(offset);
  if (r && r->access == ACCESS_RING)
    ring_doorbell(c, offset, now);
  if (!r || r->access != ACCESS_RW)
    return;
  const uint32_t shift = (uint32_t)(offset % CARD_PAGE - r->offset) * 8;
  const uint64_t old = value_of(c, offset, r);
  const uint64_t all = (old & ~(0xffffffffull << shift)) | (uint64_t)value << shift;
  if (offset < CARD_PAGE)
    set_card(c, r->offset, all);
  else
    set_context(&c->contexts[offset / CARD_PAGE - 1], r->offset, all);
}

bool card_write(card *c, uint64_t offset, uint32_t bytes, uint64_t value, uint64_t now) {
  if (!fits(offset, bytes))
    return false;
  write_half(c, offset, (uint32_t)value, now);
  if (bytes == 8)
    write_half(c, offset + 4, (uint32_t)(value >> 32), now);
  return true;
}

// ---- life of contexts

static bool set_up(context *x) {
  const uint32_t n = x->entries;
  if (n < CARD_ENTRIES_LEAST || n > CARD_ENTRIES_MOST_VALUE || (n & (n - 1)) || x->ring % 64 ||
      x->completions % 64)
    return false;
  x->slots = calloc(n, sizeof *x->slots);
  return x->slots != NULL;
}

static void turn_on(card *c, context *x, uint64_t now) {
  c->time = now;
  x->done = x->error = x->error_command = 0;
  x->fetched = x->rung = 0;
  x->fetch_at = CARD_NEVER;
  x->rung_at = 0;
  x->failing = false;
  x->set.entries = x->entries, x->set.ring = x->ring, x->set.completions = x->completions;
  x->set.message = x->message, x->set.message_bytes = x->message_bytes;
  x->state = CONTEXT_STATE_ON;
  if (!set_up(x))
    card_ring_fail(c, x, CARD_BAD_SETUP, 0, now);
}

static void turn_off(card *c, context *x, uint64_t now) {
  c->time = now;
  card_ring_drop(c, x, now);
  card_release(c, x);
  free(x->slots);
  x->slots = NULL;
  x->fetch_at = CARD_NEVER;
  x->state = CONTEXT_STATE_OFF;
}

static void ring_context(card *c, context *x, uint64_t now) {
  const bool enable = x->control & CONTEXT_CONTROL_ENABLE;
  x->may_interrupt = x->control & CONTEXT_CONTROL_INTERRUPT;
  if (x->state != CONTEXT_STATE_OFF && !enable)
    turn_off(c, x, now);
  if (x->state == CONTEXT_STATE_OFF && enable)
    turn_on(c, x, now);
  if (x->state != CONTEXT_STATE_ON || x->failing || x->tail == x->rung)
    return;
  if (x->tail - x->done > x->set.entries || x->tail - x->done < x->rung - x->done) {
    card_ring_fail(c, x, CARD_BAD_TAIL, 0, now);
    return;
  }
  card_ring_rung(c, x, now);
}

static void ring_card(card *c, uint64_t now) {
  const bool reset = c->control & CARD_CONTROL_RESET;
  if (reset == c->reset)
    return;
  c->reset = reset;
  c->time = now;
  if (reset) {
    for (uint32_t k = 0; k < CONTEXTS; k++) {
      context *x = &c->contexts[k];
      if (x->state != CONTEXT_STATE_OFF)
        turn_off(c, x, now);
      x->done = x->error = x->error_command = x->interrupts = 0;
      if (x->control & CONTEXT_CONTROL_ENABLE)
        x->state = CONTEXT_STATE_RESET;
    }
    c->resets++;
  }
}

// The doorbells of these pages, a bit each, were rung. While the card accesses host memory, a
// transport may let the host run; such doorbells are handled afterwards.
static void ring_pages(card *c, uint32_t pages, uint64_t now) {
  if (c->inside) {
    c->later |= pages;
    c->later_at = now;
    return;
  }
  if (pages & 1)
    ring_card(c, now);
  for (uint32_t k = 0; k < CONTEXTS && !c->reset; k++)
    if (pages >> (k + 1) & 1)
      ring_context(c, &c->contexts[k], now);
}

static void ring_doorbell(card *c, uint64_t offset, uint64_t now) {
  c->counts.doorbells++;
  ring_pages(c, 1u << offset / CARD_PAGE, now);
}

void card_ring_all(card *c, uint64_t now) {
  c->counts.doorbells++;
  ring_pages(c, (2u << CONTEXTS) - 1, now);
}

// ---- time

// Does one thing that is due; false: nothing is.
static bool step(card *c, uint64_t now) {
  const uint32_t pages = c->later;
  c->later = 0;
  ring_pages(c, pages, c->later_at > now ? c->later_at : now);
  c->inside = true;
  const bool any = card_ring_step(c, now);
  c->inside = false;
  return any || c->later;
}

uint64_t card_run(card *c, uint64_t now, uint64_t ahead) {
  for (;;) {
    while (step(c, now)) {
    }
    const uint64_t least = ahead > CARD_PERIOD ? ahead : CARD_PERIOD;
    const uint64_t until = least < CARD_NEVER - now ? now + least : CARD_NEVER;
    card_ring_ahead(c, until);
    const uint64_t next = card_ring_next(c, now);
    if (next > now)
      return c->l && until < next ? until : next;
  }
}

// ---- the window of device memory

static bool in_memory(const card *c, uint64_t address, uint64_t bytes) {
  return address <= c->memory_bytes && bytes <= c->memory_bytes - address;
}

bool card_window_read(const card *c, uint64_t address, void *to, uint64_t bytes) {
  if (!in_memory(c, address, bytes))
    return false;
  memcpy(to, machine_memory(c->m) + address, bytes);
  return true;
}

bool card_window_write(card *c, uint64_t address, const void *from, uint64_t bytes) {
  if (!in_memory(c, address, bytes))
    return false;
  memcpy(machine_memory(c->m) + address, from, bytes);
  if (c->s)
    sim_wrote(c->s, address, bytes);
  return true;
}

uint8_t *card_window(const card *c, uint64_t *bytes) {
  *bytes = c->memory_bytes;
  return c->launches ? NULL : machine_memory(c->m);
}

// ---- begin and end

card *card_new(const card_device *d, const card_transport *t) {
  card *c = calloc(1, sizeof *c);
  if (!c || !(c->buffer = malloc(BUFFER))) {
    free(c);
    return NULL;
  }
  c->config = *d->config;
  c->m = d->m, c->s = d->s, c->spacea = d->spacea, c->t = *t;
  c->cores = c->spacea ? c->spacea->vaults : sim_cores(c->s);
  c->memory_bytes = machine_memory_bytes(c->m);
  for (uint32_t k = 0; k < CONTEXTS; k++)
    c->contexts[k].fetch_at = CARD_NEVER;
  return c;
}

void card_free(card *c) {
  if (!c)
    return;
  for (uint32_t k = 0; k < CONTEXTS; k++)
    if (c->contexts[k].state != CONTEXT_STATE_OFF)
      turn_off(c, &c->contexts[k], c->time);
  machine_set_owner(c->m, 1);
  free(c->buffer);
  free(c);
}

uint64_t card_launch_begin(const card *c) {
  return c->launched;
}

launch_stats card_launched(const card *c) {
  return c->stats;
}

card_counts card_counted(const card *c) {
  return c->counts;
}

const card_ops card_functions = {
    .make = card_new,
    .free = card_free,
    .read = card_read,
    .write = card_write,
    .run = card_run,
    .window_read = card_window_read,
    .window_write = card_window_write,
    .window = card_window,
};
