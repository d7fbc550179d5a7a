// SPDX-License-Identifier: Apache-2.0
// Wires between blocks are copied from the outputs of one to the inputs of another, before any of
// them takes its step. Data that their reader does not look at in a cycle are not copied, where
// that saves more than the branch costs, and a block with nothing to do is not stepped.
#include "nbu.h"

#include <stdlib.h>
#include <string.h>

#include "csim/base/round_robin.h"
#include "csim/dram/bankctl.h"
#include "csim/isa/isa.h"
#include "forms.h"
#include "lsux.h"
#include "opc.h"
#include "order.h"
#include "regfile.h"
#include "regmove.h"
#include "tsv.h"
#include "tsv_packet.h"
#include "valu.h"

enum { TAGS = 8, TAGS_BATCH = 7 };
enum { UNIT_VALU, UNIT_LSUX, UNIT_REGMOVE };

struct nbu {
  struct {
    tsv block;
    tsv_in in;
  } tsv;
  struct {
    order block;
    order_in in;
  } order;
  struct {
    opc block;
    opc_in in;
  } opc;
  struct {
    regfile block;
    regfile_in in;
  } rf;
  struct {
    valu block;
    valu_in in;
  } valu;
  struct {
    lsux block;
    lsux_in in;
  } lsux;
  struct {
    regmove block;
    regmove_in in;
  } regmove;
  struct {
    bankctl block;
    bankctl_in in;
  } bank;
  struct {
    forms block;
    forms_in in;
  } forms;          // when the structure has some
  uint32_t inside;  // beats in valu, a bit an edge
  uint8_t tags[TAGS];
  unsigned n_tags, out_turn;  // the requester that comes first
  uint32_t ret_valid, ret_tag, begin_valid, begin_tag;
  uint32_t reading;  // banks of the register file whose data are new
  // busy: something but the bank controller; settled: an edge with quiet inputs changes only that;
  // rests: there was such an edge, so the inputs of the blocks are what they will be
  bool has_forms, idle, shown, busy, settled, rests;
};

// ---- decode -------------------------------------------------------------------------------------

static bool wide_type(unsigned type) {
  return isa_types[type].bits == 64;
}

// Rules 2 and 3: what EXEC asks of the operand collectors.
static void decode_exec(uint64_t h, const uint32_t *body, opc_in *o) {
  isa_inst i =
      isa_inst_new((unsigned)tsv_get(h, TSV_DN_EXEC_OP), (unsigned)tsv_get(h, TSV_DN_EXEC_TYPE));
  uint32_t c = (uint32_t)tsv_get(h, TSV_DN_EXEC_C);
  if (isa_ops[i.op].types2)
    i.type2 = (uint8_t)(c & 31);
  o->unit = UNIT_VALU;
  o->op = i.op, o->typ = i.type, o->typ2 = i.type2;
  o->fn = (uint32_t)tsv_get(h, TSV_DN_EXEC_FN);
  o->ftz = (uint32_t)tsv_get(h, TSV_DN_EXEC_FTZ);
  o->sat = (uint32_t)tsv_get(h, TSV_DN_EXEC_SAT);
  o->d = (uint32_t)tsv_get(h, TSV_DN_EXEC_D);
  o->a = (uint32_t)tsv_get(h, TSV_DN_EXEC_A);
  o->b = (uint32_t)tsv_get(h, TSV_DN_EXEC_B);
  o->c = c;
  o->imm_at = (uint32_t)tsv_get(h, TSV_DN_EXEC_IMM_AT);
  o->use = (isa_words(&i, 1) > 0) | (uint32_t)(isa_words(&i, 2) > 0) << 1 |
           (uint32_t)(isa_words(&i, 3) > 0) << 2;
  o->use &= ~(uint32_t)tsv_get(h, TSV_DN_EXEC_ZERO);
  if (o->imm_at)
    o->use &= ~(1u << (o->imm_at - 1));
  unsigned n = 0;
  o->mask = tsv_get(h, TSV_DN_EXEC_HAS_MASK) ? body[n++] : ~0u;
  o->imm = o->imm_at || i.op == ISA_OP_LOP3 ? body[n++] : 0;
  o->pred = i.op == ISA_OP_SELP ? body[n++] : 0;

  o->beats = o->hi_first = o->a_mode = o->b_mode = o->c_mode = 0;
  bool other = false;  // c is the other word of a
  switch (i.op) {
    case ISA_OP_MULW:
      o->beats = 1;
      break;
    case ISA_OP_MADW:
      o->beats = 1, o->c_mode = 1;
      break;
    case ISA_OP_I2I:
      o->beats = wide_type(i.type);
      other = wide_type(i.type2);
      break;
    case ISA_OP_ABS:
    case ISA_OP_SHL:
    case ISA_OP_SHR:
      other = wide_type(i.type);
      o->beats = other;
      break;
    default:
      if (wide_type(i.type)) {
        o->beats = o->a_mode = o->b_mode = 1;
        o->hi_first = i.op == ISA_OP_MIN || i.op == ISA_OP_MAX;
      }
  }
  if (other) {
    o->a_mode = 1, o->c_mode = 2;
    o->c = o->a;
    o->use = (o->use & 3) | (o->use & 1) << 2;
  }
}

// A packet that only reads registers; the data of registers that are on their way stay.
static void decode_reads(opc_in *o, uint32_t unit) {
  o->unit = unit;
  o->op = o->typ = o->typ2 = o->fn = o->ftz = o->sat = o->d = 0;
  o->imm = o->imm_at = o->pred = o->beats = o->hi_first = 0;
  o->a = o->b = o->c = o->a_mode = o->b_mode = o->c_mode = 0;
}

// Rule 4: operands of a memory packet. False when it needs none.
static bool decode_memory(uint64_t h, const uint32_t *body, opc_in *o) {
  unsigned kind = h & 15, mop = (unsigned)tsv_get(h, TSV_DN_SHM_MOP);
  unsigned mtype = (unsigned)tsv_get(h, TSV_DN_SHM_MTYPE);
  bool addr = false, data = mop != TSV_MOP_LD, zero_b = false, zero_c = false;
  uint32_t a = (uint32_t)tsv_get(h, TSV_DN_SHM_A), b = (uint32_t)tsv_get(h, TSV_DN_SHM_B);
  uint32_t c = (uint32_t)tsv_get(h, TSV_DN_SHM_C);
  switch (kind) {
    case TSV_DN_SHM:
      addr = !tsv_get(h, TSV_DN_SHM_INLINE) && !(tsv_get(h, TSV_DN_SHM_ZERO) & 1);
      zero_b = tsv_get(h, TSV_DN_SHM_ZERO) >> 1 & 1;
      zero_c = tsv_get(h, TSV_DN_SHM_ZERO) >> 2 & 1;
      break;
    case TSV_DN_SECT:
      b = (uint32_t)tsv_get(h, TSV_DN_SECT_B);
      c = body[1] & 127;
      zero_b = body[1] >> 7 & 1;
      zero_c = body[1] >> 8 & 1;
      break;
    case TSV_DN_LINE:
      b = (uint32_t)tsv_get(h, TSV_DN_LINE_REG);
      data = tsv_get(h, TSV_DN_LINE_STORE);
      zero_b = tsv_get(h, TSV_DN_LINE_ZERO);
      break;
    default:
      return false;
  }
  if (!addr && !data)
    return false;
  bool store = kind != TSV_DN_LINE && mop == TSV_MOP_ST;
  bool cas = kind != TSV_DN_LINE && mop == TSV_MOP_ATOM + ISA_ATOM_CAS;
  unsigned words = (tsv_mtype_bytes(mtype) + 3) / 4;
  decode_reads(o, UNIT_LSUX);
  o->a = a, o->b = b, o->c = c, o->mask = ~0u;
  o->use = addr | (uint32_t)(data && !zero_b) << 1 | (uint32_t)(cas && !zero_c) << 2;
  o->beats = store ? words - 1 : 0;
  o->b_mode = store;
  return true;
}

// ---- turns --------------------------------------------------------------------------------------

static void copy(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
}

// The host should have the registers of a packet in its caches when they are read and written, some
// edges from now.
static void touch(const nbu *u, uint32_t reg) {
  prefetch_now(regfile_register(&u->rf.block, reg), sizeof u->rf.block.words[0][0]);
}

static void touch_registers(const nbu *u, unsigned kind, uint64_t head) {
  switch (kind) {
    case TSV_DN_EXEC:
      touch(u, (uint32_t)tsv_get(head, TSV_DN_EXEC_D));
      touch(u, (uint32_t)tsv_get(head, TSV_DN_EXEC_A));
      touch(u, (uint32_t)tsv_get(head, TSV_DN_EXEC_B));
      touch(u, (uint32_t)tsv_get(head, TSV_DN_EXEC_C));
      break;
    case TSV_DN_REGWR:
      touch(u, (uint32_t)tsv_get(head, TSV_DN_REGWR_REG));
      break;
    case TSV_DN_LINE:
      touch(u, (uint32_t)tsv_get(head, TSV_DN_LINE_REG));
      break;
    case TSV_DN_SECT:
      touch(u, (uint32_t)tsv_get(head, TSV_DN_SECT_D));
      touch(u, (uint32_t)tsv_get(head, TSV_DN_SECT_B));
  }
}

// Without forms (docs/blocks/forms.md): the packet for order is that of tsv.
static void bring_whole(nbu *u) {
  order_in *o = &u->order.in;
  u->tsv.in.rx_ready = u->order.block.out.in_ready;
  o->in_valid = u->tsv.block.out.rx_valid;
  if (o->in_valid & u->tsv.in.rx_ready) {
    copy(o->in_head, u->tsv.block.out.rx_head, sizeof o->in_head);
    copy(o->in_body, u->tsv.block.out.rx_body, sizeof o->in_body);
  }
}

static bool takes_forms(const uint32_t *head) {
  const uint64_t kind = tsv_get(tsv_flit(head), TSV_DN_ANY_KIND);
  return kind == TSV_DN_KEEP || kind == TSV_DN_RUN || kind == TSV_DN_SLOT;
}

// With them, rule 7 there: that of a RUN comes first, and what is for forms goes there.
static void bring(nbu *u) {
  const tsv_out *from = &u->tsv.block.out;
  const forms_out *f = &u->forms.block.out;
  forms_in *in = &u->forms.in;
  order_in *o = &u->order.in;
  const uint32_t ready = u->order.block.out.in_ready;
  const bool ours = takes_forms(from->rx_head);
  in->in_valid = from->rx_valid & ours, in->out_ready = ready;
  if (in->in_valid) {
    copy(in->in_head, from->rx_head, sizeof in->in_head);
    copy(in->in_body, from->rx_body, sizeof in->in_body);
  }
  if (!f->out_valid && !ours) {
    bring_whole(u);
    return;
  }
  u->tsv.in.rx_ready = ours & f->in_ready;
  o->in_valid = f->out_valid;
  if (o->in_valid & ready) {
    copy(o->in_head, f->out_head, sizeof o->in_head);
    copy(o->in_body, f->out_body, sizeof o->in_body);
  }
}

// What the base die knows the packet of an entry by.
static uint32_t tag_of(const nbu *u, uint32_t n) {
  return u->order.block.out.tags[n / 4 & 7] >> 8 * (n % 4) & 255;
}

// The packet that may begin, if all who need it are ready.
static void route(nbu *u) {
  const order_out *from = &u->order.block.out;
  const uint32_t brief[TSV_BODY * 2] = {from->out_body[0], from->out_body[1]};
  const uint32_t *body = from->out_long ? u->tsv.block.out.rx_body : brief;
  const uint64_t head = tsv_flit(from->out_head);
  const unsigned kind = head & 15;
  const bool ready = u->opc.block.out.ready;
  opc_in unused, *o = ready ? &u->opc.in : &unused;
  bool to_opc = true;
  switch (kind) {
    case TSV_DN_EXEC:
      if (!ready)
        return;
      decode_exec(head, body, o);
      break;
    case TSV_DN_REGRD:
      if (!ready)
        return;
      decode_reads(o, UNIT_REGMOVE);
      o->a = (uint32_t)tsv_get(head, TSV_DN_REGRD_REG), o->use = 1;
      o->mask = (uint32_t)tsv_get(head, TSV_DN_REGRD_MASK);
      break;
    case TSV_DN_REGWR:
      if (!u->regmove.block.out.wr_ready)
        return;
      to_opc = false;
      u->regmove.in.wr_valid = 1;
      copy(u->regmove.in.wr_head, from->out_head, sizeof u->regmove.in.wr_head);
      copy(u->regmove.in.wr_body, body, sizeof u->regmove.in.wr_body);
      break;
    default:
      if (!u->lsux.block.out.cmd_ready || ((to_opc = decode_memory(head, body, o)) && !ready))
        return;
      u->lsux.in.cmd_valid = 1;
      copy(u->lsux.in.cmd_head, from->out_head, sizeof u->lsux.in.cmd_head);
      copy(u->lsux.in.cmd_body, body, sizeof u->lsux.in.cmd_body);
  }
  touch_registers(u, kind, head);
  o->tag = (uint32_t)tsv_get(head, TSV_DN_ANY_TAG);
  u->opc.in.valid = to_opc;
  u->order.in.out_ready = 1;
  u->tsv.in.rx_release = from->out_long;
}

// What the operand collectors get from the register file, and give to the units.
static void take_operands(nbu *u) {
  const opc_out *x = &u->opc.block.out;
  u->opc.in.x_ready = 1 | u->lsux.block.out.opd_ready << 1 | u->regmove.block.out.rd_ready << 2;
  if (u->reading & 1)
    copy(u->opc.in.r0_data, u->rf.block.out.r0_data, sizeof u->opc.in.r0_data);
  if (u->reading & 2)
    copy(u->opc.in.r1_data, u->rf.block.out.r1_data, sizeof u->opc.in.r1_data);
  if (u->reading & 4)
    copy(u->opc.in.r2_data, u->rf.block.out.r2_data, sizeof u->opc.in.r2_data);
  if (u->reading & 8)
    copy(u->opc.in.r3_data, u->rf.block.out.r3_data, sizeof u->opc.in.r3_data);
  u->reading = x->r0_en | x->r1_en << 1 | x->r2_en << 2 | x->r3_en << 3;
  u->rf.in.r0_en = x->r0_en, u->rf.in.r0_row = x->r0_row;
  u->rf.in.r1_en = x->r1_en, u->rf.in.r1_row = x->r1_row;
  u->rf.in.r2_en = x->r2_en, u->rf.in.r2_row = x->r2_row;
  u->rf.in.r3_en = x->r3_en, u->rf.in.r3_row = x->r3_row;

  valu_in *v = &u->valu.in;
  v->valid = x->x_valid & 1;
  if (v->valid) {
    v->op = x->x_op, v->typ = x->x_typ, v->typ2 = x->x_typ2, v->fn = x->x_fn;
    v->ftz = x->x_ftz, v->sat = x->x_sat, v->lut = x->x_lut;
    v->beat = x->x_beat & 1, v->last = x->x_last;
    v->dst = x->x_dst, v->tag = x->x_tag, v->mask = x->x_mask, v->pred = x->x_pred;
    copy(v->a, x->x_a, sizeof v->a);
    copy(v->b, x->x_b, sizeof v->b);
    copy(v->c, x->x_c, sizeof v->c);
  }
  lsux_in *l = &u->lsux.in;
  l->opd_valid = x->x_valid >> 1 & 1;
  if (l->opd_valid && u->lsux.block.out.opd_ready) {
    copy(l->opd_a, x->x_a, sizeof l->opd_a);
    copy(l->opd_b, x->x_b, sizeof l->opd_b);
    copy(l->opd_c, x->x_c, sizeof l->opd_c);
  }
  regmove_in *m = &u->regmove.in;
  m->rd_valid = x->x_valid >> 2 & 1;
  if (m->rd_valid && u->regmove.block.out.rd_ready) {
    m->rd_tag = x->x_tag, m->rd_mask = x->x_mask;
    copy(m->rd_data, x->x_a, sizeof m->rd_data);
  }
  u->order.in.read_valid = (x->x_valid & u->opc.in.x_ready) && x->x_last;
  u->order.in.read_n = x->x_tag;
  u->order.in.read_exec = v->valid;
}

// An answer goes up, with the tag in the place of the entry.
static void answer_head(nbu *u, const uint32_t *head) {
  const uint32_t n = (uint32_t)tsv_get(tsv_flit(head), TSV_UP_ANY_TAG) & 31;
  const uint32_t field = (uint32_t)tsv_put(TSV_UP_ANY_TAG, 255);
  u->tsv.in.tx_head[0] = (head[0] & ~field) | (uint32_t)tsv_put(TSV_UP_ANY_TAG, tag_of(u, n));
  u->tsv.in.tx_head[1] = head[1];
  u->order.in.up_n = n;
}

// What has ended, and begun, for those who look on.
static void record(nbu *u, uint32_t rst_n) {
  const order_in *o = &u->order.in;
  const uint32_t done[3] = {o->valu_done, o->lsux_done, o->regm_done};
  const uint32_t n[3] = {o->valu_n, o->lsux_n, o->regm_n};
  u->ret_valid = 0;
  for (uint32_t k = 0; (done[0] | done[1] | done[2]) && k < 3; k++)
    if (done[k]) {
      u->ret_valid |= rst_n << k;
      u->ret_tag = (u->ret_tag & ~(255u << 8 * k)) | tag_of(u, n[k]) << 8 * k;
    }
  const uint32_t *head = u->order.block.out.out_head;
  const bool begins = o->out_ready && tsv_get(tsv_flit(head), TSV_DN_ANY_KIND) != TSV_DN_WIN;
  u->begin_valid = begins & rst_n;
  if (begins)
    u->begin_tag = tag_of(u, (uint32_t)tsv_get(tsv_flit(head), TSV_DN_ANY_TAG) & 31);
}

// ---- waiting: only the bank controller goes on

// The packet that may begin has no room where it goes (what else it needs is not looked at).
static bool is_blocked(const nbu *u) {
  switch (u->order.block.out.out_head[0] & 15) {
    case TSV_DN_EXEC:
    case TSV_DN_REGRD:
      return !u->opc.block.out.ready;
    case TSV_DN_REGWR:
      return !u->regmove.block.out.wr_ready;
    default:
      return !u->lsux.block.out.cmd_ready;
  }
}

// An edge with quiet inputs changes nothing but the bank controller.
static bool settles(const nbu *u) {
  const order *o = &u->order.block;
  const tsv *t = &u->tsv.block;
  const uint32_t moves = u->ret_valid | u->begin_valid | u->inside | u->n_tags |
                         u->regmove.block.out.busy | u->forms.block.out.busy;
  if (moves || !order_waits(o) || (o->out.out_valid && !is_blocked(u)) ||
      !opc_waits(&u->opc.block, u->lsux.block.out.opd_ready) || !lsux_waits(&u->lsux.block) ||
      !valu_idle(&u->valu.block) || !regfile_idle(&u->rf.block))
    return false;
  const bool ours = u->has_forms && takes_forms(t->out.rx_head);
  return tsv_waits(t, ours ? u->forms.block.out.in_ready : o->out.in_ready);
}

// What bankctl looks at besides requests and ticks.
static void wire_bank(nbu *u, const nbu_in *in) {
  bankctl_in *bk = &u->bank.in;
  bk->cfg_rows = in->cfg_rows, bk->cfg_closed = in->cfg_closed, bk->cfg_warm = in->cfg_warm;
  copy(bk->cfg_times, in->cfg_times, sizeof bk->cfg_times);
  copy(bk->rdata, in->rdata, sizeof bk->rdata);
}

static void show_bank(const nbu *u, nbu_out *out) {
  const bankctl_out *bo = &u->bank.block.out;
  out->cmd = bo->cmd, out->cmd_bank = bo->cmd_bank;
  out->cmd_row = bo->cmd_row, out->cmd_col = bo->cmd_col;
  copy(out->wdata, bo->wdata, sizeof out->wdata);
  out->wmask = bo->wmask;
}

static void show_busy(nbu *u, nbu_out *out) {
  out->busy = u->busy | u->bank.block.out.busy;
  u->idle = !out->busy;
}

static void step_bank(nbu *u, const nbu_in *in, nbu_out *out) {
  if (!bankctl_works(&u->bank.block, &u->bank.in))
    return;
  wire_bank(u, in);
  bankctl_edge(&u->bank.block, &u->bank.in);
  show_bank(u, out);
  show_busy(u, out);
}

// ---- an edge

void nbu_step(nbu *u, const nbu_in *in, nbu_out *out) {
  uint32_t rst_n = in->rst_n;
  if (u->idle && rst_n && !in->dn_count && !in->up_credit && !in->ref_tick)
    return;
  const bool quiet =
      rst_n && !(in->dn_count | in->up_take | in->up_credit | in->ref_tick | in->sm_rvalid |
                 (in->sm_ready & u->lsux.block.out.sm_valid) | u->bank.block.out.rsp_valid);
  if (quiet & u->rests) {
    step_bank(u, in, out);
    return;
  }
  u->rests = quiet & u->settled;
  tsv_in *t = &u->tsv.in;
  valu_in *v = &u->valu.in;
  regfile_in *rf = &u->rf.in;
  lsux_in *l = &u->lsux.in;
  regmove_in *m = &u->regmove.in;
  bankctl_in *bk = &u->bank.in;
  if (t->rst_n != rst_n)
    t->rst_n = u->forms.in.rst_n = u->order.in.rst_n = u->opc.in.rst_n = rf->rst_n = v->rst_n =
        l->rst_n = m->rst_n = bk->rst_n = rst_n;

  // packets go where they are needed, when all who need them are ready
  u->opc.in.valid = u->lsux.in.cmd_valid = u->regmove.in.wr_valid = 0;
  order_in *o = &u->order.in;
  t->rx_release = o->out_ready = 0;
  if (u->has_forms)
    bring(u);
  else
    bring_whole(u);
  o->opc_room = u->opc.block.out.ready, o->lsux_room = u->lsux.block.out.cmd_ready;
  o->regm_room = u->regmove.block.out.wr_ready;
  if (u->order.block.out.out_valid)
    route(u);

  // operands
  const opc_out *x = &u->opc.block.out;
  if (x->busy) {
    take_operands(u);
  } else {  // it offers nothing, and reads no register
    v->valid = l->opd_valid = m->rd_valid = u->reading = o->read_valid = o->read_exec = 0;
    rf->r0_en = rf->r1_en = rf->r2_en = rf->r3_en = 0;
  }

  // arithmetic
  rf->w0_valid = u->valu.block.out.valid;
  if (rf->w0_valid) {
    rf->w0_reg = u->valu.block.out.dst, rf->w0_mask = u->valu.block.out.mask;
    copy(rf->w0_data, u->valu.block.out.d, sizeof rf->w0_data);
  }

  // memory
  const lsux_out *lo = &u->lsux.block.out;
  const bankctl_out *bo = &u->bank.block.out;
  bk->req_valid = lo->req_valid, bk->ref_tick = in->ref_tick;
  const bool bank_works = bankctl_works(&u->bank.block, bk);
  if (bank_works)
    wire_bank(u, in);
  if (lo->req_valid) {
    bk->req_bank = lo->req_bank, bk->req_row = lo->req_row, bk->req_col = lo->req_col;
    bk->req_we = lo->req_we, bk->req_id = lo->req_id, bk->req_wmask = lo->req_wmask;
    copy(bk->req_wdata, lo->req_wdata, sizeof bk->req_wdata);
  }
  l->req_ready = bo->req_ready;
  l->rsp_valid = bo->rsp_valid;
  if (bo->rsp_valid) {
    l->rsp_id = bo->rsp_id;
    copy(l->rsp_data, bo->rsp_data, sizeof l->rsp_data);
  }
  l->sm_ready = in->sm_ready, l->sm_rvalid = in->sm_rvalid;
  if (in->sm_rvalid)
    copy(l->sm_rdata, in->sm_rdata, sizeof l->sm_rdata);
  rf->w1_valid = lo->w_valid;
  if (lo->w_valid) {
    rf->w1_reg = lo->w_reg, rf->w1_mask = lo->w_mask;
    copy(rf->w1_data, lo->w_data, sizeof rf->w1_data);
  }
  l->w_done = u->rf.block.out.w1_done;

  // register moves
  rf->w2_valid = u->regmove.block.out.w_valid;
  if (rf->w2_valid) {
    rf->w2_reg = u->regmove.block.out.w_reg, rf->w2_mask = u->regmove.block.out.w_mask;
    copy(rf->w2_data, u->regmove.block.out.w_data, sizeof rf->w2_data);
  }
  m->w_done = u->rf.block.out.w2_done;

  // completions
  const bool room = u->n_tags < TAGS;
  const bool answers = lo->done_valid && u->order.block.out.answers >> (lo->done_tag & 31) & 1;
  l->done_ready = !answers | room, m->done_ready = 1;
  o->sync_ready = room & !answers;
  o->valu_done = u->valu.block.out.valid & u->valu.block.out.last;
  o->valu_n = u->valu.block.out.tag;
  o->lsux_done = lo->done_valid & l->done_ready;
  o->lsux_n = lo->done_tag;
  o->regm_done = u->regmove.block.out.done_valid;
  o->regm_n = u->regmove.block.out.done_tag;
  const bool sync = u->order.block.out.sync_valid & o->sync_ready;
  const bool push = (answers & room) | sync;
  const uint32_t pushed = answers ? lo->done_tag : u->order.block.out.sync_n;

  // the way up
  int go = -1;
  const uint32_t ups = (u->n_tags > 0) | lo->up_valid << 1 | u->regmove.block.out.up_valid << 2;
  if (ups && u->tsv.block.out.tx_ready)
    go = (int)round_robin(ups, u->out_turn);
  unsigned batch = 0;
  o->up_done = go > 0;
  t->tx_valid = go >= 0;
  l->up_ready = go == 1, m->up_ready = go == 2;
  if (go == 0) {
    batch = u->n_tags < TAGS_BATCH ? u->n_tags : TAGS_BATCH;
    uint64_t done = TSV_UP_DONE | tsv_put(TSV_UP_DONE_COUNT, batch);
    for (unsigned k = 0; k < batch; k++)
      done |= (uint64_t)u->tags[k] << (8 + 8 * k);
    t->tx_head[0] = (uint32_t)done, t->tx_head[1] = (uint32_t)(done >> 32);
    t->tx_len = 0;
  } else if (go == 1) {
    answer_head(u, lo->up_head);
    t->tx_len = lo->up_len;
    if (lo->up_len) {
      memset(t->tx_body, 0, sizeof t->tx_body);
      copy(t->tx_body, lo->up_body, sizeof lo->up_body);
    }
  } else if (go == 2) {
    answer_head(u, u->regmove.block.out.up_head);
    t->tx_len = u->regmove.block.out.up_len;
    copy(t->tx_body, u->regmove.block.out.up_body, sizeof t->tx_body);
  }
  t->dn_count = in->dn_count;
  if (in->dn_count)
    copy(t->dn_data, in->dn_data, sizeof t->dn_data);
  t->up_take = in->up_take, t->up_credit = in->up_credit;

  // the edge
  if (rst_n) {
    if (batch)
      memmove(u->tags, u->tags + batch, u->n_tags -= batch);
    if (push)
      u->tags[u->n_tags++] = (uint8_t)tag_of(u, pushed);
    if (go >= 0)
      u->out_turn = ((unsigned)go + 1) % 3;
    u->inside = (u->inside << 1 | v->valid) & 63;
  } else
    u->n_tags = u->out_turn = u->inside = 0;
  record(u, rst_n);

  tsv_clock(&u->tsv.block, t);
  order_clock(&u->order.block, o);
  if (u->has_forms)
    forms_clock(&u->forms.block, &u->forms.in);
  opc_clock(&u->opc.block, &u->opc.in);
  if (!regfile_idle(&u->rf.block) || rf->w0_valid | rf->w1_valid | rf->w2_valid | u->reading ||
      !rst_n)
    regfile_clock(&u->rf.block, rf);
  if (!valu_idle(&u->valu.block) || v->valid || !rst_n)
    valu_clock(&u->valu.block, v);
  lsux_clock(&u->lsux.block, l);
  regmove_clock(&u->regmove.block, m);
  if (bank_works)
    bankctl_edge(&u->bank.block, bk);

  out->dn_credit = u->tsv.block.out.dn_credit;
  out->up_count = u->tsv.block.out.up_count;
  copy(out->up_data, u->tsv.block.out.up_data, sizeof out->up_data);
  if (bank_works || !u->shown)
    show_bank(u, out);
  out->sm_valid = lo->sm_valid;
  if (lo->sm_valid || !rst_n || !u->shown) {  // lsux changes them with a request only
    u->shown = true;
    out->sm_op = lo->sm_op, out->sm_sgn = lo->sm_sgn, out->sm_f32 = lo->sm_f32;
    out->sm_mask = lo->sm_mask;
    copy(out->sm_addr, lo->sm_addr, sizeof out->sm_addr);
    copy(out->sm_be, lo->sm_be, sizeof out->sm_be);
    copy(out->sm_b, lo->sm_b, sizeof out->sm_b);
    copy(out->sm_c, lo->sm_c, sizeof out->sm_c);
  }
  out->ret_valid = u->ret_valid, out->ret_tag = u->ret_tag;
  out->begin_valid = u->begin_valid, out->begin_tag = u->begin_tag;
  u->busy = (u->tsv.block.out.busy | u->forms.block.out.busy | u->order.block.out.busy |
             u->opc.block.out.busy | lo->busy | u->regmove.block.out.busy | u->inside | u->n_tags |
             u->ret_valid | u->begin_valid) != 0;
  show_busy(u, out);
  u->settled = u->rests || settles(u);
}

nbu *nbu_create(const structure *sizes) {
  nbu *u = calloc(1, sizeof *u);
  if (!u)
    return NULL;
  tsv_init(&u->tsv.block, sizes);
  forms_init(&u->forms.block, sizes);
  order_init(&u->order.block, sizes);
  opc_init(&u->opc.block, sizes);
  regfile_init(&u->rf.block);
  valu_init(&u->valu.block);
  lsux_init(&u->lsux.block, sizes);
  regmove_init(&u->regmove.block, sizes);
  const structure *s = structure_or_default(sizes);
  bankctl_init_sizes(&u->bank.block, s->queue, s->subarrays);
  u->has_forms = s->forms != 0;
  nbu_in in = {.cfg_rows = 4};
  nbu_out out;
  nbu_step(u, &in, &out);
  nbu_step(u, &in, &out);
  u->idle = u->shown = u->settled = u->rests = false;  // the first step writes all of its outputs
  return u;
}

void nbu_destroy(nbu *u) {
  free(u);
}
bool nbu_idle(const nbu *u) {
  return u->idle;
}
const uint32_t *nbu_register(const nbu *u, uint32_t reg) {
  return regfile_register(&u->rf.block, reg);
}
const bankctl *nbu_bankctl(const nbu *u) {
  return &u->bank.block;
}
const lsux *nbu_lsux(const nbu *u) {
  return &u->lsux.block;
}

const block_ops *nbu_part_ops(nbu_part part) {
  static const block_ops *const ops[NBU_BLOCKS] = {
#define PART(name) &name##_twin,
#include "nbu_parts.def"
#undef PART
  };
  return ops[part];
}

const void *nbu_part_out(const nbu *u, nbu_part part) {
  const void *const outs[NBU_BLOCKS] = {
      &u->tsv.block.out,  &u->forms.block.out, &u->order.block.out,
      &u->opc.block.out,  &u->rf.block.out,    &u->valu.block.out,
      &u->lsux.block.out, &u->bank.block.out,  &u->regmove.block.out};
  return outs[part];
}

void nbu_glue_at(const nbu *u, nbu_glue *g) {
#define GLUE(block, name, bits) g->block##_##name = u->block.in.name;
#define GLUE_W(block, name, bits) \
  copy(g->block##_##name, u->block.in.name, sizeof g->block##_##name);
#include "nbu_glue.def"
#undef GLUE
#undef GLUE_W
}

#define BLOCK nbu
#include "csim/base/block_table.h"
#define BLOCK nbu
#define BLOCK_CREATED
#include "csim/base/block_twin.h"

// Not all of it is needed everywhere: the registers themselves are not, nor what few instructions
// use.
void nbu_fetch(prefetch *a, const nbu *u, uint32_t part) {
  const opc *o = &u->opc.block;
  const lsux *l = &u->lsux.block;
  const bankctl *b = &u->bank.block;
#define TO(from, to) prefetch_add(a, from, (size_t)((const char *)(to) - (const char *)(from)))
  switch (part) {
    case 0:
      prefetch_add(a, &u->tsv, sizeof u->tsv);
      TO(&u->order, &u->order.block.of[4]);
      TO(&o->n, &u->rf);
      TO(&u->inside, u + 1);
      if (u->has_forms) {
        TO(&u->forms, &u->forms.block.kept);
        prefetch_add(a, &u->forms.in, sizeof u->forms.in);
      }
      TO(&l->oldest, &u->bank);
      break;
    case 1:
      for (uint32_t m = o->held | (o->held + 1); m & o->all; m &= m - 1)
        prefetch_add(a, &o->collectors[__builtin_ctz(m)], sizeof *o->collectors);
      TO(&u->rf.block.second_first, &u->valu.block.carry);
      TO(&u->valu.block.lanes, &u->lsux);
      break;
    case 2:
      TO(l, &l->s);
      TO(&l->windows, &l->table);
      for (uint32_t n = 0; n < l->used + 4 && n < l->entries; n++)
        prefetch_add(a, &l->table[(l->oldest + n) & (l->entries - 1)], sizeof *l->table);
      break;
    default:
      TO(b, &b->coming[b->horizon + 1]);
      prefetch_add(a, &u->bank.in, sizeof u->bank.in);
  }
#undef TO
}
