// SPDX-License-Identifier: Apache-2.0
// What cores say to each other is values: packets are copied byte by byte on their way, their
// originals are overwritten, and the run is the same; and no byte of them depends on where things
// lie in the host's memory. core_body() and core_arrives() are this file's (the linker wraps them).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csim/base/sum.h"
#include "harness/machines/mpu/core/remote_packet.h"
#include "rig.h"

enum { DATA = 32768, RESULTS = DATA, CORES = 4 };

static struct {
  bool copies;
  uint64_t sum, packets, kinds;  // of all that were delivered
  uint8_t *last;
} transport;

static void *misaligned(const void *from, uint32_t bytes) {
  free(transport.last);
  transport.last = malloc(bytes + 1u);
  assert_non_null(transport.last);
  return memcpy(transport.last + 1, from, bytes);
}

const void *__real_core_body(const core *c, const node_mail *m);
const void *__wrap_core_body(const core *c, const node_mail *m);
const void *__wrap_core_body(const core *c, const node_mail *m) {
  const void *body = __real_core_body(c, m);
  return transport.copies ? misaligned(body, m->body_bytes) : body;
}

void __real_core_arrives(core *c, uint64_t cycle, uint32_t class, const void *body, uint32_t bytes);
void __wrap_core_arrives(core *c, uint64_t cycle, uint32_t class, const void *body, uint32_t bytes);
void __wrap_core_arrives(core *c, uint64_t cycle, uint32_t class, const void *body,
                         uint32_t bytes) {
  if (body) {
    const uint64_t head[] = {cycle, class, core_index(c), bytes};
    transport.sum = sum_bytes(sum_bytes(transport.sum, head, sizeof head), body, bytes);
    transport.packets++;
    if (class == NOC_REQUEST)
      transport.kinds |= 1u << ((const uint8_t *)body)[offsetof(remote_request, kind)];
  }
  if (!body || !transport.copies) {
    __real_core_arrives(c, cycle, class, body, bytes);
    return;
  }
  uint8_t *copy = misaligned(body, bytes);
  __real_core_arrives(c, cycle, class, copy, bytes);
  memset(copy, 0xa5, bytes);
}

// Loads, stores and atomics of all sizes, each thread in some other core's memory.
static const char program[] = PROG_START
    "ld.param.b64 rd2, [rz]\n"
    "mul.u32 r8, r0, 37\n"
    "and.b32 r8, r8, 1023\n"
    "madw.u32 rd10, r8, 16, rd2\n"
    "mul.u32 r12, r0, 2654435761\n"
    "mul.u32 r13, r12, 747796405\n"
    "mul.u32 r14, r13, 747796405\n"
    "mul.u32 r15, r14, 747796405\n"
    "ld.global.b32 r16, [rd10]\n"
    "st.global.b64 [rd10+8], rd12\n"
    "ld.global.b128 rq20, [rd10]\n"
    "red.xor.global.b32 [rd10], r13\n"
    "atom.add.global.u32 r17, [rd10+4], r14\n"
    "atom.add.global.u64 rd18, [rd10+8], rd14\n"
    "st.global.u8 [rd10+3], r12\n"
    "add.u32 r16, r16, r17\n"
    "add.u32 r16, r16, r18\n"
    "add.u32 r16, r16, r23\n"
    "st.global.b32 [rd4+32768], r16\n"
    "exit\n";

typedef struct outcome {
  core_stats stats;
  uint64_t sum;
  uint32_t words[PROG_WORDS];
} outcome;

static void run(outcome *o, bool copies) {
  const sim_config c = rig_machine(CORES);
  for (uint32_t k = 0; k < PROG_WORDS; k++)
    o->words[k] = k * 2654435761u;
  transport.copies = copies;
  transport.sum = transport.packets = transport.kinds = 0;
  o->stats = rig_run(&c, program, false, shape_1d(CORES * 2, 128), o->words);
  o->sum = transport.sum;
  free(transport.last);
  transport.last = NULL;
  assert_true(transport.packets > 1000);
  assert_int_equal(transport.kinds, 1u << REMOTE_READ | 1u << REMOTE_WRITE | 1u << REMOTE_ATOMIC);
}

static void expect_same(const outcome *a, const outcome *b) {
  assert_memory_equal(&a->stats, &b->stats, sizeof a->stats);
  assert_memory_equal(a->words, b->words, sizeof a->words);
  assert_true(a->sum == b->sum);
}

static outcome first, other;

static void copied(void **state) {
  (void)state;
  run(&first, false);
  run(&other, true);
  expect_same(&first, &other);
}

// Another machine stands between, so that everything lies elsewhere.
static void elsewhere(void **state) {
  (void)state;
  char why[200];
  machine_config mc = machine_config_default();
  const sim_config c = rig_machine(CORES);
  run(&first, false);
  assert_true(sim_machine(&c, &mc, why, sizeof why));
  machine *m = machine_new(&mc);
  sim *s = sim_new(&c, m, why, sizeof why);
  assert_non_null(s);
  run(&other, false);
  expect_same(&first, &other);
  sim_free(s);
  machine_free(m);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(copied), cmocka_unit_test(elsewhere)};
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
