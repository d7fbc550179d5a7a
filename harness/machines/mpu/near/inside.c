// SPDX-License-Identifier: Apache-2.0
#include "inside.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "csim/mpu/forms.h"
#include "csim/mpu/lsux.h"
#include "csim/mpu/opc.h"
#include "csim/mpu/order.h"
#include "csim/mpu/regmove.h"
#include "csim/mpu/tsv.h"
#include "csim/mpu/tsv_packet.h"
#include "csim/mpu/valu.h"

void inside_before(inside *x, const models *m, const nbu *twin, const void *verilog) {
  const opc_out *o = nbu_part_out(twin, NBU_PART_opc);
  const lsux_out *l = nbu_part_out(twin, NBU_PART_lsux);
  const regmove_out *r = nbu_part_out(twin, NBU_PART_regmove);
  const uint64_t edge = x->edges++;
  x->rx_valid = ((const tsv_out *)nbu_part_out(twin, NBU_PART_tsv))->rx_valid;
  const order_out *q = nbu_part_out(twin, NBU_PART_order);
  x->begins = q->out_valid, x->sync = q->sync_valid;
  x->lsux_done = l->done_valid, x->lsux_up = l->up_valid;
  x->regmove_done = r->done_valid, x->regmove_up = r->up_valid;
  if (m->glue)
    m->glue(verilog, &x->glue);
  if (!m->fpu)
    return;
  m->fpu(verilog, true, &x->in_valu[edge % INSIDE_EDGES], NULL);
  m->fpu(verilog, false, &x->in_lsux[edge % INSIDE_EDGES], &(fpu_out){0});
  if (!(o->x_valid & 1))
    return;
  uint32_t(*next)[INSIDE_LANES] = x->operands[(edge + 1) % INSIDE_EDGES];
  memcpy(next[0], o->x_a, sizeof next[0]);
  memcpy(next[1], o->x_b, sizeof next[1]);
  memcpy(next[2], o->x_c, sizeof next[2]);
}

// What fpu took so that its result is there now.
static uint64_t taken(const inside *x) {
  return (x->edges - 1 - FPU_EDGES) % INSIDE_EDGES;
}

// valu brings a result in all ports but its data right: a lane whose fpu has made something else of
// what it got is at fault, -1: none is.
static int wrong_lane(const inside *x, const valu_out *twin, const valu_out *verilog) {
  const uint64_t at = taken(x);
  if (x->edges <= FPU_EDGES || !x->in_valu[at].valid || !twin->valid)
    return -1;
  valu_out same = *verilog;
  memcpy(same.d, twin->d, sizeof same.d);
  if (memcmp(&same, twin, sizeof same) != 0)
    return -1;
  for (int l = 0; l < INSIDE_LANES; l++) {
    fpu_in in = x->in_valu[at];
    in.a = x->operands[at][0][l], in.b = x->operands[at][1][l], in.c = x->operands[at][2][l];
    if ((twin->mask >> l & 1) && verilog->d[l] != fpu_result(&in))
      return l;
  }
  return -1;
}

static bool wrong_in_lsux(const inside *x, const models *m, const void *verilog,
                          inside_difference *d) {
  const fpu_in *in = &x->in_lsux[taken(x)];
  fpu_out *out = (fpu_out *)(void *)d->verilog.out;
  if (!m->fpu || x->edges <= FPU_EDGES || !in->valid)
    return false;
  m->fpu(verilog, false, &(fpu_in){0}, out);
  d->expected = (fpu_out){1, fpu_result(in)};
  d->ops = &fpu_twin, d->twin = &d->expected;
  d->name = "fpu", d->tag = -1;
  snprintf(d->where, sizeof d->where, "lsux");
  return out->valid && out->d != d->expected.d;
}

// Inside of the unit packets have the numbers of their entries in order.
static int known_as(const nbu *twin, uint32_t number) {
  const order_out *o = nbu_part_out(twin, NBU_PART_order);
  return (int)(o->tags[number / 4 % (STRUCTURE_MAX_HELD / 4)] >> 8 * (number % 4) & 255);
}

// Of the packet that the outputs are about.
static int tag_of(const nbu *twin, nbu_part part, const void *out) {
  switch (part) {
    case NBU_PART_tsv: {
      const tsv_out *o = out;
      return o->rx_valid ? (int)tsv_get(tsv_flit(o->rx_head), TSV_DN_ANY_TAG) : -1;
    }
    case NBU_PART_forms: {
      const forms_out *o = out;
      return o->out_valid ? (int)tsv_get(tsv_flit(o->out_head), TSV_DN_ANY_TAG) : -1;
    }
    case NBU_PART_opc: {
      const opc_out *o = out;
      return o->x_valid ? known_as(twin, o->x_tag) : -1;
    }
    case NBU_PART_valu: {
      const valu_out *o = out;
      return o->valid ? known_as(twin, o->tag) : -1;
    }
    case NBU_PART_lsux: {
      const lsux_out *o = out;
      return o->done_valid ? known_as(twin, o->done_tag)
             : o->up_valid ? known_as(twin, (uint32_t)tsv_get(tsv_flit(o->up_head), TSV_UP_ANY_TAG))
                           : -1;
    }
    case NBU_PART_regmove: {
      const regmove_out *o = out;
      return o->done_valid ? known_as(twin, o->done_tag)
             : o->up_valid ? known_as(twin, (uint32_t)tsv_get(tsv_flit(o->up_head), TSV_UP_ANY_TAG))
                           : -1;
    }
    default:
      return -1;
  }
}

// ---- what nbu makes for its blocks

static const block_port glue_ports[] = {
#define GLUE(block, name, bits) \
  {#name " of " #block, "", bits, BLOCK_OUT, offsetof(nbu_glue, block##_##name)},
#define GLUE_W(block, name, bits) GLUE(block, name, bits)
#include "csim/mpu/nbu_glue.def"
#undef GLUE
#undef GLUE_W
};
static const block_ops glue_ops = {.ports = glue_ports,
                                   .n_ports = sizeof glue_ports / sizeof *glue_ports,
                                   .out_bytes = sizeof(nbu_glue)};

// What nobody looks at is zero.
static void clean(const inside *x, nbu_glue *g) {
  g->tsv_rx_ready &= x->rx_valid;
  g->order_out_ready &= x->begins;
  g->order_sync_ready &= x->sync;
  if (!g->order_up_done)
    g->order_up_n = 0;
  g->lsux_done_ready &= x->lsux_done, g->lsux_up_ready &= x->lsux_up;
  g->regmove_done_ready &= x->regmove_done, g->regmove_up_ready &= x->regmove_up;
  const size_t words = g->tsv_tx_valid ? 2 * g->tsv_tx_len : 0;
  if (!g->tsv_tx_valid)
    g->tsv_tx_len = 0, memset(g->tsv_tx_head, 0, sizeof g->tsv_tx_head);
  memset(g->tsv_tx_body + words, 0, sizeof g->tsv_tx_body - 4 * words);
  if (!g->opc_valid)
    memset(&g->opc_valid, 0, offsetof(nbu_glue, lsux_cmd_valid) - offsetof(nbu_glue, opc_valid));
  if (!(g->opc_use & 1))
    g->opc_a = g->opc_a_mode = 0;
  if (!(g->opc_use & 2))
    g->opc_b = g->opc_b_mode = 0;
  if (!(g->opc_use & 4))
    g->opc_c = g->opc_c_mode = 0;
}

static bool glue_differs(const inside *x, const models *m, const nbu *twin, inside_difference *d) {
  nbu_glue *verilog = (nbu_glue *)(void *)d->verilog.out;
  if (!m->glue)
    return false;
  nbu_glue_at(twin, &d->glue);
  *verilog = x->glue;
  clean(x, &d->glue), clean(x, verilog);
  d->name = "nbu", d->ops = &glue_ops, d->twin = &d->glue, d->where[0] = 0;
  d->tag = d->glue.opc_valid      ? known_as(twin, d->glue.opc_tag)
           : d->glue.tsv_tx_valid ? (int)tsv_get(tsv_flit(d->glue.tsv_tx_head), TSV_UP_ANY_TAG)
                                  : -1;
  return memcmp(&d->glue, verilog, sizeof d->glue) != 0;
}

bool inside_differs(inside *x, const models *m, const nbu *twin, const void *verilog,
                    inside_difference *d) {
  if (glue_differs(x, m, twin, d) || wrong_in_lsux(x, m, verilog, d))
    return true;
  for (nbu_part p = 0; m->part && p < NBU_BLOCKS; p++) {
    const block_ops *ops = nbu_part_ops(p);
    const void *t = nbu_part_out(twin, p);
    assert(ops->out_bytes <= sizeof d->verilog);
    m->part(verilog, p, d->verilog.out);
    if (!memcmp(d->verilog.out, t, ops->out_bytes))
      continue;
    d->ops = ops, d->twin = t;
    static const char *const names[NBU_BLOCKS] = {
#define PART(name) #name,
#include "csim/mpu/nbu_parts.def"
#undef PART
    };
    d->name = names[p];
    const int lane =
        p == NBU_PART_valu ? wrong_lane(x, t, (const valu_out *)(void *)d->verilog.out) : -1;
    d->where[0] = 0;
    if (lane >= 0) {
      d->name = "fpu";
      snprintf(d->where, sizeof d->where, "lane %d of valu", lane);
    }
    d->tag = tag_of(twin, p, t);
    return true;
  }
  return false;
}
