// SPDX-License-Identifier: Apache-2.0
#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/mpucc/mpucc.h"

static const char ptx[] =
    ".version 6.4\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .global .align 4 .u32 offset = 5;\n"
    ".visible .const .align 4 .u32 factors[3] = {3, 4, 7};\n"
    // out[i] = in[i] * k + offset + factors[1]; parameters with a hole between them
    ".visible .entry scale(.param .u32 k, .param .u64 out, .param .u64 in)\n"
    "{\n"
    "  .reg .b32 %r<16>;\n"
    "  .reg .b64 %rd<16>;\n"
    "  ld.param.u32 %r1, [k];\n"
    "  ld.param.u64 %rd1, [out];\n"
    "  ld.param.u64 %rd2, [in];\n"
    "  cvta.to.global.u64 %rd1, %rd1;\n"
    "  cvta.to.global.u64 %rd2, %rd2;\n"
    "  mov.u32 %r2, %tid.x;\n"
    "  mov.u32 %r3, %ctaid.x;\n"
    "  mov.u32 %r4, %ntid.x;\n"
    "  mad.lo.s32 %r5, %r3, %r4, %r2;\n"
    "  mul.wide.u32 %rd3, %r5, 4;\n"
    "  add.s64 %rd1, %rd1, %rd3;\n"
    "  add.s64 %rd2, %rd2, %rd3;\n"
    "  ld.global.u32 %r6, [%rd2];\n"
    "  ld.global.u32 %r7, [offset];\n"
    "  ld.const.u32 %r8, [factors+4];\n"
    "  mad.lo.s32 %r6, %r6, %r1, %r7;\n"
    "  add.s32 %r6, %r6, %r8;\n"
    "  st.global.u32 [%rd1], %r6;\n"
    "  ret;\n"
    "}\n"
    // *out = turns, after as many turns
    ".visible .entry turn(.param .u64 out, .param .u32 turns)\n"
    "{\n"
    "  .reg .b32 %r<8>;\n"
    "  .reg .b64 %rd<8>;\n"
    "  .reg .pred %p<4>;\n"
    "  ld.param.u64 %rd1, [out];\n"
    "  ld.param.u32 %r1, [turns];\n"
    "  cvta.to.global.u64 %rd1, %rd1;\n"
    "  mov.u32 %r2, 0;\n"
    "again:\n"
    "  add.s32 %r2, %r2, 1;\n"
    "  st.global.u32 [%rd1], %r2;\n"
    "  setp.lt.u32 %p1, %r2, %r1;\n"
    "  @%p1 bra again;\n"
    "  ret;\n"
    "}\n";

// ---- what the card asks for

static uint8_t *host_memory(rig *r, uint64_t offset, uint64_t bytes) {
  const bool inside =
      offset >= HOST_AT && offset - HOST_AT <= HOST && bytes <= HOST - (offset - HOST_AT);
  return inside ? r->host + (offset - HOST_AT) : NULL;
}

static bool host_read(void *ctx, uint64_t offset, void *to, uint64_t bytes) {
  const uint8_t *from = host_memory(ctx, offset, bytes);
  if (from)
    memcpy(to, from, bytes);
  return from;
}

static bool host_write(void *ctx, uint64_t offset, const void *from, uint64_t bytes) {
  uint8_t *to = host_memory(ctx, offset, bytes);
  if (to)
    memcpy(to, from, bytes);
  return to;
}

static void interrupt(void *ctx) {
  ((rig *)ctx)->interrupts++;
}

// ---- what the driver asks for

uint64_t reg_read(void *ctx, uint32_t offset, uint32_t bytes) {
  rig *r = ctx;
  uint64_t value = UINT64_MAX;
  if (!r->dead)
    assert_true(card_read(r->card, offset, bytes, &value));
  return bytes == 4 ? (uint32_t)value : value;
}

void reg_write(void *ctx, uint32_t offset, uint32_t bytes, uint64_t value) {
  rig *r = ctx;
  if (r->dead)
    return;
  assert_true(card_write(r->card, offset, bytes, value, r->now));
  r->next = r->now;
}

bool wait_a_while(void *ctx) {
  rig *r = ctx;
  assert_true(++r->waits < 10000000);
  if (r->no_patience || r->next == CARD_NEVER)
    return false;
  r->now = r->next > r->now ? r->next : r->now;
  r->next = card_run(r->card, r->now, 1000000);
  return true;
}

driver_transport transport_of(rig *r, uint64_t at, uint64_t bytes) {
  return (driver_transport){r,    reg_read, reg_write, wait_a_while, r->host + at, HOST_AT + at,
                            bytes};
}

rig *rig_open(void) {
  char why[CONFIG_WHY];
  rig *r = rig_on(card_machine_new("small", NULL, 0, "c", 1, why, sizeof why), why);
  mpucc_options o = mpucc_options_default();
  o.dies = dies_of_config(card_machine_device(r->m)->config);
  assert_int_equal(mpucc_compile(ptx, sizeof ptx - 1, "test.ptx", &o, &r->image, &r->image_bytes),
                   0);
  return r;
}

rig *rig_on(card_machine *m, const char *why) {
  rig *r = calloc(1, sizeof *r);
  assert_non_null(r);
  r->host = aligned_alloc(64, HOST);
  assert_non_null(r->host);
  memset(r->host, 0xa5, HOST);
  if (!(r->m = m))
    fail_msg("%s", why);
  const card_transport t = {r, host_read, host_write, interrupt, CARD_FEATURES_INTERRUPTS};
  r->card = card_new(card_machine_device(m), &t);
  assert_non_null(r->card);
  r->next = CARD_NEVER;
  return r;
}

void rig_close(rig *r) {
  card_free(r->card);
  card_machine_free(r->m);
  free(r->host);
  free(r->image);
  free(r);
}

driver *open_at(rig *r, uint32_t context, uint64_t at, uint64_t bytes) {
  char why[1000];
  const driver_transport t = transport_of(r, at, bytes);
  driver *d = driver_open(&t, context, why, sizeof why);
  if (!d)
    fail_msg("%s", why);
  assert_string_equal(driver_message(d), "");
  return d;
}

driver *open_one(rig *r) {
  return open_at(r, 0, 0, PART);
}

void open_fails(rig *r, uint32_t context, const driver_transport *given, const char *text) {
  char why[1000] = "";
  const driver_transport t = given ? *given : transport_of(r, 0, PART);
  assert_null(driver_open(&t, context, why, sizeof why));
  if (!strstr(why, text) || strchr(why, '\n'))
    fail_msg("'%s', not '%s'", why, text);
}

static uint64_t page_of(uint32_t context) {
  return (1 + context) * (uint64_t)CARD_PAGE;
}

uint32_t context_reg(rig *r, uint32_t context, uint32_t reg) {
  return (uint32_t)reg_read(r, (uint32_t)page_of(context) + reg, 4);
}

void context_control(rig *r, uint32_t context, uint32_t value) {
  reg_write(r, (uint32_t)page_of(context) + CONTEXT_R_CONTROL, 4, value);
  reg_write(r, (uint32_t)page_of(context) + CONTEXT_R_DOORBELL, 4, 1);
}

void card_control(rig *r, uint32_t value) {
  reg_write(r, CARD_R_CONTROL, 4, value);
  reg_write(r, CARD_R_DOORBELL, 4, 1);
}

// ---- what the driver must return

void check(driver *d, uint32_t got, uint32_t status, const char *text) {
  if (got != status)
    fail_msg("status %u, not %u: %s", got, status, driver_message(d));
  if (status && !strstr(driver_message(d), text))
    fail_msg("'%s', not '%s'", driver_message(d), text);
}

uint64_t alloc_of(driver *d, uint64_t bytes) {
  uint64_t address = 0;
  OK(driver_alloc(d, bytes, &address));
  assert_true(address && address % 256 == 0);
  return address;
}

uint8_t *noise(uint64_t bytes, uint32_t seed) {
  uint8_t *p = malloc(bytes + 1);
  assert_non_null(p);
  for (uint64_t k = 0; k < bytes; k++) {
    seed = seed * 1664525 + 1013904223;
    p[k] = (uint8_t)(seed >> 24);
  }
  return p;
}

uint32_t load_of(rig *r, driver *d) {
  uint32_t program = ~0u;
  OK(driver_load(d, r->image, r->image_bytes, &program));
  return program;
}

card_launch launch_of(driver *d, uint32_t program, const char *name, uint32_t blocks,
                      uint32_t threads) {
  card_launch l = {program, 0, {blocks, 1, 1}, {threads, 1, 1}, 0, 0};
  OK(driver_kernel(d, program, name, &l.kernel, &l.parameter_bytes));
  return l;
}

uint32_t submit_of(driver *d, card_opcode opcode, uint32_t stream, uint64_t a, uint64_t b,
                   uint64_t c) {
  const card_command command = {
      .opcode = (uint16_t)opcode, .stream = stream, .tag = 99, .words = {a, b, c}};
  uint32_t number;
  OK(driver_submit(d, &command, &number));
  return number;
}

uint32_t submit_turn(driver *d, uint32_t stream, const card_launch *l, turn_parameters p) {
  uint64_t offset, bytes;
  uint8_t *arena = driver_arena(d, &offset, &bytes);
  memcpy(arena, l, sizeof *l);
  memcpy(arena + sizeof *l, &p, sizeof p);
  return submit_of(d, CARD_DO_LAUNCH, stream, offset, sizeof *l + l->parameter_bytes, 0);
}
