// SPDX-License-Identifier: Apache-2.0
#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/mpucc/mpucc.h"
#include "tb/cosim/timed.h"

uint64_t rig_down(uint64_t bytes) {
  return bytes * 1000000 / RIG_DOWN;
}
uint64_t rig_up(uint64_t bytes) {
  return bytes * 1000000 / RIG_UP;
}

const char *card_status_name(uint32_t status) {
  switch (status) {
#define CARD_STATUS(number, name, ends, doc) \
  case number:                               \
    return #name;
#include "harness/systemc/card/card.def"
    default:
      return NULL;
  }
}

// ---- the transport

static bool all_memory(uint64_t offset, uint64_t bytes) {
  if (offset > RIG_END || bytes > RIG_END - offset)
    return false;
  return !bytes || offset + bytes <= RIG_HOLE || offset >= RIG_HOLE_END;
}

static void note(rig *r, rig_kind kind, uint64_t offset, uint64_t bytes) {
  if (r->events == RIG_EVENTS)
    return;
  const int k = (int)r->watched;
  r->log[r->events++] = (rig_event){.kind = kind,
                                    .at = r->now,
                                    .offset = offset,
                                    .bytes = bytes,
                                    .done = (uint32_t)rig_get(r, k, CONTEXT_R_DONE),
                                    .state = (uint32_t)rig_get(r, k, CONTEXT_R_STATE),
                                    .error = (uint32_t)rig_get(r, k, CONTEXT_R_ERROR),
                                    .interrupts = (uint32_t)rig_get(r, k, CONTEXT_R_INTERRUPTS)};
}

static bool host_read(void *ctx, uint64_t offset, void *to, uint64_t bytes) {
  rig *r = ctx;
  note(r, RIG_READ, offset, bytes);
  if (r->looks)
    r->looks(r);
  if (!all_memory(offset, bytes))
    return false;
  memcpy(to, r->host + offset, bytes);
  return true;
}

static bool host_write(void *ctx, uint64_t offset, const void *from, uint64_t bytes) {
  rig *r = ctx;
  note(r, RIG_WRITE, offset, bytes);
  if (r->looks)
    r->looks(r);
  if (!all_memory(offset, bytes))
    return false;
  memcpy(r->host + offset, from, bytes);
  return true;
}

static void interrupt(void *ctx) {
  rig *r = ctx;
  note(r, RIG_INTERRUPT, 0, 0);
  if (r->looks)
    r->looks(r);
  r->interrupts++;
}

static bool watch(void *ctx, uint64_t cycles, uint32_t blocks_done, uint32_t blocks) {
  (void)cycles, (void)blocks_done, (void)blocks;
  return ((rig *)ctx)->stop;
}

// ---- the machine and the card

config rig_config(void) {
  char why[CONFIG_WHY];
  config c;
  if (!config_from_preset(&c, "small", why, sizeof why))
    fail_msg("%s", why);
  c.link.down = RIG_DOWN, c.link.up = RIG_UP, c.link.latency = RIG_LATENCY;
  return c;
}

bool rig_open_as(rig *r, const config *c, near_mode mode, uint32_t features, char *why,
                 size_t why_bytes) {
  machine_config mc = machine_config_default();
  memset(r, 0, sizeof *r);
  r->config = *c;
  r->steps = 2000000;
  sim_config sc = sim_of_config(c, mode);
  sc.watch = watch, sc.ctx = r;
  timed_host(&sc);
  if (!sim_machine(&sc, &mc, why, why_bytes))
    return false;
  r->m = machine_new(&mc);
  assert_non_null(r->m);
  r->s = sim_new(&sc, r->m, why, why_bytes);
  if (!r->s) {
    machine_free(r->m);
    return false;
  }
  r->host = calloc(RIG_END, 1);
  assert_non_null(r->host);
  const card_transport t = {r, host_read, host_write, interrupt, features};
  r->card = card_new(&(card_device){.config = c, .m = r->m, .s = r->s}, &t);
  assert_non_null(r->card);
  return true;
}

void rig_open(rig *r) {
  char why[1000];
  const config c = rig_config();
  near_mode mode = NEAR_C;
  timed_mode(&mode);
  if (!rig_open_as(r, &c, mode, CARD_FEATURES_MEMORY_WINDOW | CARD_FEATURES_INTERRUPTS, why,
                   sizeof why))
    fail_msg("%s", why);
}

void rig_close(rig *r) {
  card_free(r->card);
  sim_free(r->s);
  machine_free(r->m);
  free(r->host);
}

void rig_until(rig *r, uint64_t time) {
  for (;;) {
    const uint64_t next = card_run(r->card, r->now, r->ahead);
    if (!r->steps--)
      fail_msg("the card does not come to rest");
    if (next <= r->now)
      fail_msg("card_run(%llu) wants to be called at %llu", (unsigned long long)r->now,
               (unsigned long long)next);
    if (next > time || next == CARD_NEVER)
      break;
    r->now = next;
  }
  if (time != CARD_NEVER && r->now != time) {
    r->now = time;
    card_run(r->card, r->now, r->ahead);
  }
}

void rig_run(rig *r) {
  rig_until(r, CARD_NEVER);
}

// ---- registers

static uint32_t width(int context, uint32_t reg) {
#define CARD_PAGE_OF_CARD (context < 0)
#define CARD_PAGE_OF_CONTEXT (context >= 0)
#define CARD_REG(page, offset, bits, name, access, reset, doc) \
  if (CARD_PAGE_OF_##page && reg == (offset))                  \
    return (bits) / 8;
#include "harness/systemc/card/card.def"
  fail_msg("no register 0x%x", reg);
  return 4;
}

static uint64_t place(int context, uint32_t reg) {
  return (uint64_t)(context + 1) * CARD_PAGE + reg;
}

uint64_t rig_get(const rig *r, int context, uint32_t reg) {
  uint64_t value = 0;
  assert_true(card_read(r->card, place(context, reg), width(context, reg), &value));
  return value;
}

void rig_set(rig *r, int context, uint32_t reg, uint64_t value) {
  assert_true(card_write(r->card, place(context, reg), width(context, reg), value, r->now));
}

void rig_reset(rig *r) {
  rig_set(r, -1, CARD_R_CONTROL, CARD_CONTROL_RESET);
  rig_set(r, -1, CARD_R_DOORBELL, 1);
  rig_run(r);
  rig_set(r, -1, CARD_R_CONTROL, 0);
  rig_set(r, -1, CARD_R_DOORBELL, 1);
  rig_run(r);
  assert_int_equal(rig_get(r, -1, CARD_R_STATUS), CARD_STATUS_READY);
}

// ---- a context

user user_of(rig *r, uint32_t k) {
  const uint64_t area = (uint64_t)k * RIG_AREA;
  return (user){.r = r,
                .k = k,
                .entries = 16,
                .ring = area,
                .completions = area + RIG_COMPLETIONS,
                .message = area + RIG_MESSAGE,
                .data = area + RIG_DATA,
                .bytes = r->host + area + RIG_DATA};
}

uint32_t user_state(const user *u) {
  return (uint32_t)rig_get(u->r, (int)u->k, CONTEXT_R_STATE);
}
uint32_t user_done(const user *u) {
  return (uint32_t)rig_get(u->r, (int)u->k, CONTEXT_R_DONE);
}

void user_on(user *u) {
  const int k = (int)u->k;
  u->tail = 0;
  memset(u->r->host + (uint64_t)u->k * RIG_AREA + RIG_COMPLETIONS, 0,
         RIG_MESSAGE - RIG_COMPLETIONS);
  memset(u->r->host + (uint64_t)u->k * RIG_AREA + RIG_MESSAGE, 0, RIG_MESSAGE_BYTES);
  rig_set(u->r, k, CONTEXT_R_ENTRIES, u->entries);
  rig_set(u->r, k, CONTEXT_R_RING, u->ring);
  rig_set(u->r, k, CONTEXT_R_COMPLETIONS, u->completions);
  rig_set(u->r, k, CONTEXT_R_MESSAGE, u->message);
  rig_set(u->r, k, CONTEXT_R_MESSAGE_BYTES, RIG_MESSAGE_BYTES);
  rig_set(u->r, k, CONTEXT_R_TAIL, 0);
  rig_set(u->r, k, CONTEXT_R_CONTROL, CONTEXT_CONTROL_ENABLE | CONTEXT_CONTROL_INTERRUPT);
  rig_set(u->r, k, CONTEXT_R_DOORBELL, 1);
}

void user_off(user *u) {
  rig_set(u->r, (int)u->k, CONTEXT_R_CONTROL, 0);
  rig_set(u->r, (int)u->k, CONTEXT_R_DOORBELL, 1);
  rig_until(u->r, u->r->now);
  assert_int_equal(user_state(u), CONTEXT_STATE_OFF);
}

user user_new(rig *r, uint32_t k) {
  user u = user_of(r, k);
  user_on(&u);
  rig_until(r, r->now);
  assert_int_equal(user_state(&u), CONTEXT_STATE_ON);
  return u;
}

static uint64_t tag_of(const user *u, uint32_t number) {
  return (number + 1) * 0x9e3779b97f4a7c15u ^ u->k;
}

uint32_t user_put(user *u, card_command c) {
  const uint32_t number = u->tail++;
  c.tag = tag_of(u, number);
  memcpy(u->r->host + u->ring + (uint64_t)(number % u->entries) * sizeof c, &c, sizeof c);
  return number;
}

void user_ring(user *u) {
  rig_set(u->r, (int)u->k, CONTEXT_R_TAIL, u->tail);
  rig_set(u->r, (int)u->k, CONTEXT_R_DOORBELL, 1);
}

static card_record record_at(const user *u, uint32_t number) {
  card_record c;
  memcpy(&c, u->r->host + u->completions + (uint64_t)(number % u->entries) * sizeof c, sizeof c);
  return c;
}

bool user_has(const user *u, uint32_t number) {
  return record_at(u, number).number == number + 1;
}

card_record user_record(const user *u, uint32_t number) {
  const card_record c = record_at(u, number);
  if (c.number != number + 1)
    fail_msg("context %u: no record of command %u (number %u, state %u, error %u)", u->k, number,
             c.number, user_state(u), (unsigned)rig_get(u->r, (int)u->k, CONTEXT_R_ERROR));
  assert_true(c.tag == tag_of(u, number));
  assert_non_null(card_status_name(c.status));
  assert_true(c.begin <= c.end && c.end <= u->r->now);
  assert_true(!c.reserved[0] && !c.reserved[1]);
  return c;
}

card_record user_do(user *u, card_command c) {
  const uint32_t number = user_put(u, c);
  user_ring(u);
  rig_run(u->r);
  return user_record(u, number);
}

void user_expect(user *u, card_command c, uint32_t status) {
  const card_record got = user_do(u, c);
  if (got.status != status)
    fail_msg("command %u(%llx, %llx, %llx): %s instead of %s; %s", c.opcode,
             (unsigned long long)c.words[0], (unsigned long long)c.words[1],
             (unsigned long long)c.words[2], card_status_name(got.status), card_status_name(status),
             user_text(u));
  if (status < CARD_FIRST_FAILURE) {
    assert_int_equal(user_state(u), CONTEXT_STATE_ON);
  } else {
    assert_int_equal(user_state(u), CONTEXT_STATE_FAILED);
    assert_int_equal(rig_get(u->r, (int)u->k, CONTEXT_R_ERROR), status);
    assert_int_equal(rig_get(u->r, (int)u->k, CONTEXT_R_ERROR_COMMAND), u->tail - 1);
    user_off(u);
    user_on(u);
  }
}

const char *user_text(const user *u) {
  return (const char *)u->r->host + u->message;
}

uint64_t user_alloc(user *u, uint64_t bytes) {
  const card_record c = user_do(u, CMD(ALLOC, 0, bytes));
  assert_int_equal(c.status, CARD_OK);
  assert_true(c.words[CARD_ALLOC_GIVES_ADDRESS] && c.words[CARD_ALLOC_GIVES_ADDRESS] % 256 == 0);
  return c.words[CARD_ALLOC_GIVES_ADDRESS];
}

// Through the last 8 KB of the data.
enum { BOUNCE = RIG_DATA_BYTES - 8192 };

void user_write(user *u, uint64_t to, const void *from, uint32_t bytes) {
  assert_in_range(bytes, 0, 8192);
  memcpy(u->bytes + BOUNCE, from, bytes);
  assert_int_equal(user_do(u, CMD(WRITE, 0, to, u->data + BOUNCE, bytes)).status, CARD_OK);
}

void user_read(user *u, void *to, uint64_t from, uint32_t bytes) {
  assert_in_range(bytes, 0, 8192);
  assert_int_equal(user_do(u, CMD(READ, 0, u->data + BOUNCE, from, bytes)).status, CARD_OK);
  memcpy(to, u->bytes + BOUNCE, bytes);
}

uint32_t user_word(user *u, uint64_t from) {
  uint32_t word;
  user_read(u, &word, from, sizeof word);
  return word;
}

// ---- programs

object object_compile(const config *c, const char *ptx) {
  mpucc_options o = mpucc_options_default();
  object made = {0};
  o.dies = dies_of_config(c);
  if (mpucc_compile(ptx, strlen(ptx), "kernels.ptx", &o, &made.image, &made.bytes))
    fail_msg("kernels.ptx does not compile");
  return made;
}

const object *object_kernels(void) {
  static object kernels;
  if (!kernels.image) {
    const config c = rig_config();
    kernels = object_compile(&c, kernels_ptx);
  }
  return &kernels;
}

uint32_t user_load(user *u, const object *o) {
  assert_in_range(o->bytes, 1, BOUNCE);
  memcpy(u->bytes, o->image, o->bytes);
  const card_record c = user_do(u, CMD(LOAD, 0, u->data, o->bytes));
  if (c.status != CARD_OK)
    fail_msg("LOAD: %s %s", card_status_name(c.status), user_text(u));
  return (uint32_t)c.words[CARD_LOAD_GIVES_PROGRAM];
}

// Names lie behind the place of an object, of kernels and of variables.
enum { NAMES = 0x18000 };

card_command user_named(user *u, uint16_t opcode, uint64_t program, const char *name) {
  const uint32_t at = NAMES + (opcode == CARD_DO_SYMBOL ? 64 : 0);
  memcpy(u->bytes + at, name, strlen(name));
  return (card_command){.opcode = opcode, .words = {program, u->data + at, strlen(name)}};
}

// Launch records lie behind them.
enum { SLOTS = RIG_DATA_BYTES - 16384, SLOT = 256 };

card_command user_launch(user *u, uint32_t slot, const char *name, shape s, const uint64_t *params,
                         uint32_t count) {
  const uint32_t at = SLOTS + slot * SLOT, length = (uint32_t)strlen(name);
  card_launch l = {.grid = {s.blocks, 1, 1},
                   .block = {s.threads, 1, 1},
                   .shared = s.shared,
                   .parameter_bytes = 8 * count};
  assert_in_range(at + SLOT, SLOTS, BOUNCE);
  memcpy(u->bytes + at, name, length);
  const card_record c = user_do(u, CMD(KERNEL, 0, 0, u->data + at, length));
  assert_int_equal(c.status, CARD_OK);
  assert_int_equal(c.words[CARD_KERNEL_GIVES_PARAMETERS], 8 * count);
  l.kernel = (uint32_t)c.words[CARD_KERNEL_GIVES_KERNEL];
  memcpy(u->bytes + at, &l, sizeof l);
  if (count)
    memcpy(u->bytes + at + sizeof l, params, 8 * count);
  return CMD(LAUNCH, 0, u->data + at, sizeof l + 8 * count);
}
