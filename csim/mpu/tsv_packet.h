// SPDX-License-Identifier: Apache-2.0
// Packets of the TSVs: numbers and fields of csim/mpu/tsv.def, and access to the fields of a head
// flit.
#pragma once

#include <stdint.h>

enum tsv_kind {
#define TSV_PACKET(dir, num, name, reply, body, doc) TSV_##dir##_##name = num,
#include "tsv.def"
};

enum tsv_mtype {
#define TSV_MTYPE(num, name, bytes, doc) TSV_MTYPE_##name = num,
#include "tsv.def"
};

enum { TSV_MOP_LD = 0, TSV_MOP_ST = 1, TSV_MOP_ATOM = 4 };

// A field is named TSV_DN_EXEC_OP, TSV_UP_ANY_TAG: lowest bit, and bits in the byte above.
enum tsv_field {
#define TSV_FIELD(dir, pkt, name, lsb, bits, doc) TSV_##dir##_##pkt##_##name = (lsb) | (bits) << 8,
#include "tsv.def"
};

static inline uint64_t tsv_get(uint64_t head, enum tsv_field f) {
  return head >> (f & 0xff) & ((1ull << (f >> 8)) - 1);
}

// The field's bits, to be added to a head that has zeros there. The value must fit.
static inline uint64_t tsv_put(enum tsv_field f, uint64_t value) {
  return value << (f & 0xff);
}

static inline uint64_t tsv_flit(const uint32_t *words) {
  return words[0] | (uint64_t)words[1] << 32;
}

unsigned tsv_mtype_bytes(unsigned mtype);
// Flits of the body of a packet that goes down, from its head.
unsigned tsv_dn_len(uint64_t head);
