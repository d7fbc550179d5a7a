// SPDX-License-Identifier: Apache-2.0
// Inside of the verilated nbu: the outputs of its blocks, and what valu asks fpu for
// (rtl/mpu/parts.vlt makes them readable). Part of rtl_shim.cpp, for nbu.
#include "Vnbu___024root.h"
#include "nbu_glue.h"

#define BLOCK tsv
#include "csim/base/block_declare.h"
#define BLOCK forms
#include "csim/base/block_declare.h"
#define BLOCK order
#include "csim/base/block_declare.h"
#define BLOCK opc
#include "csim/base/block_declare.h"
#define BLOCK regfile
#include "csim/base/block_declare.h"
#define BLOCK valu
#include "csim/base/block_declare.h"
#define BLOCK lsux
#include "csim/base/block_declare.h"
#define BLOCK bankctl
#include "csim/base/block_declare.h"
#define BLOCK regmove
#include "csim/base/block_declare.h"
#define BLOCK fpu
#include "csim/base/block_declare.h"

enum {
#define PART(name) NBU_PART_##name,
#include "nbu_parts.def"
#undef PART
};

// clang-format off
#define IN(name, bits, doc)
#define IN_W(name, bits, doc)
#define OUT(name, bits, doc) out->name = static_cast<uint32_t>(PART_SIGNAL(name##_o));
#define OUT_W(name, bits, doc) get_wide<bits>(out->name, PART_SIGNAL(name##_o));

#define PART_SIGNAL(name) r->nbu__DOT__i_tsv__DOT__##name
static void get_part(const Vnbu___024root *r, tsv_out *out) {
#include "ports/tsv.def"
}
#undef PART_SIGNAL
// Without forms nothing waits in them.
#define PART_SIGNAL(name) r->nbu__DOT__g_forms__DOT__i_forms__DOT__##name
template <class T>
static auto get_forms(const T *r, forms_out *out, int) -> decltype(PART_SIGNAL(busy_o), void()) {
#include "ports/forms.def"
}
template <class T>
static void get_forms(const T *, forms_out *out, long) {
  *out = {};
  out->in_ready = 1;
}
static void get_part(const Vnbu___024root *r, forms_out *out) {
  get_forms(r, out, 0);
}
template <class T>
static auto forms_in_valid(const T *r, int) -> decltype(PART_SIGNAL(in_valid_i), uint32_t()) {
  return PART_SIGNAL(in_valid_i);
}
template <class T>
static uint32_t forms_in_valid(const T *, long) {
  return 0;
}
#undef PART_SIGNAL
#define PART_SIGNAL(name) r->nbu__DOT__i_order__DOT__##name
static void get_part(const Vnbu___024root *r, order_out *out) {
#include "ports/order.def"
}
#undef PART_SIGNAL
#define PART_SIGNAL(name) r->nbu__DOT__i_opc__DOT__##name
static void get_part(const Vnbu___024root *r, opc_out *out) {
#include "ports/opc.def"
}
#undef PART_SIGNAL
#define PART_SIGNAL(name) r->nbu__DOT__i_regfile__DOT__##name
static void get_part(const Vnbu___024root *r, regfile_out *out) {
#include "ports/regfile.def"
}
#undef PART_SIGNAL
#define PART_SIGNAL(name) r->nbu__DOT__i_valu__DOT__##name
static void get_part(const Vnbu___024root *r, valu_out *out) {
#include "ports/valu.def"
}
#undef PART_SIGNAL
#define PART_SIGNAL(name) r->nbu__DOT__i_lsux__DOT__##name
static void get_part(const Vnbu___024root *r, lsux_out *out) {
#include "ports/lsux.def"
}
#undef PART_SIGNAL
#define PART_SIGNAL(name) r->nbu__DOT__i_bankctl__DOT__##name
static void get_part(const Vnbu___024root *r, bankctl_out *out) {
#include "ports/bankctl.def"
}
#undef PART_SIGNAL
#define PART_SIGNAL(name) r->nbu__DOT__i_regmove__DOT__##name
static void get_part(const Vnbu___024root *r, regmove_out *out) {
#include "ports/regmove.def"
}
#undef PART_SIGNAL
#undef IN
#undef IN_W
#undef OUT
#undef OUT_W

// clang-format on

extern "C" {
void nbu_rtl_part(const void *p, unsigned part, void *out) {
  const Vnbu___024root *r = static_cast<const model *>(p)->v->rootp;
  switch (part) {
#define PART(name)                               \
  case NBU_PART_##name:                          \
    get_part(r, static_cast<name##_out *>(out)); \
    break;
#include "nbu_parts.def"
#undef PART
  }
}

// Before an edge: what it brings.
void nbu_rtl_glue(const void *p, nbu_glue *g) {
  const Vnbu___024root *r = static_cast<const model *>(p)->v->rootp;
#define GLUE(block, name, bits) g->block##_##name = r->nbu__DOT__i_##block##__DOT__##name##_i;
#define GLUE_W(block, name, bits) \
  get_wide<bits>(g->block##_##name, r->nbu__DOT__i_##block##__DOT__##name##_i);
#define GLUE_FORMS(name, bits) g->forms_##name = forms_##name(r, 0);
#include "nbu_glue.def"
#undef GLUE
#undef GLUE_W
}

// fpu in valu: what its lanes take at the next edge, but for the operands. Else that in lsux: what
// it takes, and what it gives.
void nbu_rtl_fpu(const void *p, bool valu, fpu_in *in, fpu_out *out) {
  const Vnbu___024root *r = static_cast<const model *>(p)->v->rootp;
  if (valu) {
    in->valid = r->nbu__DOT__i_valu__DOT__fp_0_q;
    in->op = r->nbu__DOT__i_valu__DOT__fp_op_q;
    in->fn = r->nbu__DOT__i_valu__DOT__fn_q;
    in->ftz = r->nbu__DOT__i_valu__DOT__ftz_q;
    in->sat = r->nbu__DOT__i_valu__DOT__clamp_q;
    return;
  }
#define IN(name, bits, doc) in->name = PART_SIGNAL(name##_i);
#define OUT(name, bits, doc) out->name = PART_SIGNAL(name##_o);
#define PART_SIGNAL(name) r->nbu__DOT__i_lsux__DOT__i_bank__DOT__i_fpu__DOT__##name
#include "ports/fpu.def"
}
}
