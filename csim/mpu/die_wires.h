// SPDX-License-Identifier: Apache-2.0
// The wires of rtl/mpu/die_slice/die_slice.sv, for the twin and for near sides whose blocks may be
// Verilog: inputs of an edge from the outputs before it. What a reader does not look at is not
// copied.
#pragma once

#include <string.h>

#include "nbu.h"
#include "smem.h"

enum { DIE_NBUS = 4 };

#define DIE_EACH_NBU(do_it) do_it(0) do_it(1) do_it(2) do_it(3)

// ---- shared memory: requests that it takes at the next edge, and those that it has answered, a
// bit an NBU

static inline uint32_t die_shared_ready(const smem_out *s) {
  return s->q0_ready | s->q1_ready << 1 | s->q2_ready << 2 | s->q3_ready << 3;
}

static inline uint32_t die_shared_answers(const smem_out *s) {
  return s->q0_rvalid | s->q1_rvalid << 1 | s->q2_rvalid << 2 | s->q3_rvalid << 3;
}

// Its inputs from the outputs of the NBUs, and back.
static inline void die_ask_shared(smem_in *s, const smem_out *so, nbu_in in[DIE_NBUS],
                                  const nbu_out out[DIE_NBUS]) {
#define ASK(n)                                                     \
  s->q##n##_valid = out[n].sm_valid;                               \
  if (s->q##n##_valid && so->q##n##_ready) {                       \
    s->q##n##_op = out[n].sm_op;                                   \
    s->q##n##_sgn = out[n].sm_sgn, s->q##n##_f32 = out[n].sm_f32;  \
    s->q##n##_mask = out[n].sm_mask;                               \
    memcpy(s->q##n##_addr, out[n].sm_addr, sizeof s->q##n##_addr); \
    memcpy(s->q##n##_be, out[n].sm_be, sizeof s->q##n##_be);       \
    memcpy(s->q##n##_b, out[n].sm_b, sizeof s->q##n##_b);          \
    memcpy(s->q##n##_c, out[n].sm_c, sizeof s->q##n##_c);          \
  }                                                                \
  in[n].sm_ready = so->q##n##_ready;                               \
  in[n].sm_rvalid = so->q##n##_rvalid;                             \
  if (so->q##n##_rvalid)                                           \
    memcpy(in[n].sm_rdata, so->q##n##_rdata, sizeof in[n].sm_rdata);
  DIE_EACH_NBU(ASK)
#undef ASK
}

// ---- the bus

typedef struct die_bus {  // up
  uint32_t valid, sel, data[4];
} die_bus;

// Rule 2: flits that are taken at this edge are on the bus after it.
static inline void die_bus_up(die_bus *b, const nbu_out out[DIE_NBUS], uint32_t take) {
  uint32_t flits = 0;
  for (uint32_t left = take; left && flits < 2; flits++) {
    const uint32_t n = (uint32_t)__builtin_ctz(left) / 2;
    const uint32_t *flit = out[n].up_data + 2 * ((take >> 2 * n & 3) - (left >> 2 * n & 3));
    for (uint32_t place = flits; place < 2; place++) {
      b->data[2 * place] = flit[0], b->data[2 * place + 1] = flit[1];
      b->sel = (b->sel & ~(3u << 2 * place)) | n << 2 * place;
    }
    left -= 1u << 2 * n;
  }
  b->valid = (1u << flits) - 1;
}

// What else the NBUs get from the base die. Those that it wakes, a bit each.
static inline uint32_t die_bus_down(nbu_in in[DIE_NBUS], uint32_t dn_valid, uint32_t dn_sel,
                                    const uint32_t *dn_data, uint32_t up_take, uint32_t up_credit,
                                    uint32_t ref_tick) {
  uint32_t units = 0;
  for (uint32_t n = 0; n < DIE_NBUS; n++) {
    nbu_in *u = &in[n];
    u->dn_count = 0;
    u->up_take = up_take >> 2 * n & 3;
    u->up_credit = up_credit >> 2 * n & 3;
    u->ref_tick = ref_tick >> 4 * n & 15;
    units |= (uint32_t)((u->up_credit | u->ref_tick) != 0) << n;
  }
  for (uint32_t place = 0; place < 2; place++)
    if (dn_valid >> place & 1) {
      const uint32_t n = dn_sel >> 2 * place & 3;
      nbu_in *u = &in[n];
      memcpy(u->dn_data + 2 * u->dn_count++, dn_data + 2 * place, 8);
      units |= 1u << n;
    }
  return units;
}
