// SPDX-License-Identifier: Apache-2.0
// Kernels of the tests. Parameters have 64 bits each, but those of `mixed`.
#include "rig.h"

#define LOAD(n) "ld.global.u32 %v" #n ", [%rd1]; add.u64 %rd1, %rd1, 4;\n"
#define SUM(n) "mad.lo.u32 %s, %s, %s, %v" #n ";\n"
// clang-format off
#define TEN(X, t) X(t##0) X(t##1) X(t##2) X(t##3) X(t##4) X(t##5) X(t##6) X(t##7) X(t##8) X(t##9)
#define EACH(X) \
  X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) \
  TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) X(60) X(61) X(62) X(63) X(64)
// clang-format on

const char kernels_ptx[] =
    ".version 6.4\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .const .align 4 .u32 factor = 3;\n"
    ".visible .global .align 4 .u32 counter = 7;\n"
    ".visible .global .align 8 .b8 table[64];\n"

    // out[i] = factor * in[i] + i
    ".visible .entry scale(.param .u64 out, .param .u64 in) {\n"
    ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r1, %r1, %r2, %r3;\n"
    "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;\n"
    "ld.global.u32 %r4, [%rd2]; ld.const.u32 %r5, [factor];\n"
    "mad.lo.u32 %r4, %r4, %r5, %r1;\n"
    "st.global.u32 [%rd1], %r4; ret; }\n"

    ".visible .entry counts(.param .u64 out) {\n"  // *out = ++counter
    ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [counter]; add.u32 %r1, %r1, 1;\n"
    "st.global.u32 [counter], %r1; st.global.u32 [%rd1], %r1; ret; }\n"

    ".visible .entry store(.param .u64 to, .param .u64 value) {\n"
    ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [value]; cvt.u32.u64 %r1, %rd2;\n"
    "st.u32 [%rd1], %r1; ret; }\n"  // to any address: generic

    ".visible .entry fetch(.param .u64 to, .param .u64 from) {\n"
    ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from];\n"
    "ld.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1; ret; }\n"

    ".visible .entry adds(.param .u64 to, .param .u64 value) {\n"  // atomic
    ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [value]; cvt.u32.u64 %r1, %rd2;\n"
    "atom.global.add.u32 %r2, [%rd1], %r1; ret; }\n"

    ".visible .entry spin(.param .u64 times) {\n"  // 0: for ever
    ".reg .b64 %rd<9>; .reg .pred %p<3>;\n"
    "ld.param.u64 %rd1, [times];\n"
    "again: sub.u64 %rd1, %rd1, 1; setp.ne.u64 %p1, %rd1, 0; @%p1 bra again;\n"
    "ret; }\n"

    ".visible .entry traps() { trap; ret; }\n"

    ".visible .entry waits() {\n"  // warps at different barriers
    ".reg .b32 %r<9>; .reg .pred %p<3>;\n"
    "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32;\n"
    "@%p1 bra one; bar.sync 1; bra end; one: bar.sync 0; end: ret; }\n"

    ".visible .entry mixed(.param .u32 a, .param .u64 out, .param .u8 b, .param .u16 c) {\n"
    ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [a]; ld.param.u8 %r2, [b]; ld.param.u16 %r3, "
    "[c];\n"
    "st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; st.global.u32 [%rd1+8], %r3; ret; }\n"

    ".visible .entry exact() .reqntid 64, 1, 1 { ret; }\n"

    ".visible .entry most(.param .align 8 .b8 all[32764]) {\n"  // as much as a kernel can have
    ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [all]; ld.param.u32 %r1, [all+32760]; st.global.u32 [%rd1], %r1; ret; }\n"

    ".visible .entry rooms(.param .u64 out) {\n"  // 48 KB of shared memory
    ".reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .align 4 .b8 room[49152];\n"
    "mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; mov.u32 %r2, room; add.u32 %r2, %r2, %r1;\n"
    "st.shared.u32 [%r2], %r1; ld.shared.u32 %r3, [%r2];\n"
    "ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r3; ret; }\n"

    ".visible .entry wide(.param .u64 out) {\n"  // 64 values at a time
    ".reg .b32 %v<65>; .reg .b32 %s; .reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %s, 1;\n" EACH(LOAD) "bar.sync 0;\n" EACH(
        SUM) "st.global.u32 [%rd1], %s; ret; }\n";
