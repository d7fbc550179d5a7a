// SPDX-License-Identifier: Apache-2.0
// A verilated block with faults, behind the interface of csim/base/block.h, and the input that chooses one.
#include "csim/base/rtl_shim.cpp"

extern "C" void CAT(RTL_BLOCK, _rtl_mutant)(void *p, unsigned number) {
  static_cast<model *>(p)->v->mutant_i = static_cast<CData>(number);
}
