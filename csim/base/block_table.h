// SPDX-License-Identifier: Apache-2.0
// Defines `static const block_port <BLOCK>_ports[]` from csim/*/ports/<BLOCK>.def. Include it with
// BLOCK defined, after block_declare.h of the same block; it undefines BLOCK.
// clang-format off
static const block_port BLOCK_CAT(BLOCK, _ports)[] = {
    {"rst_n", "synchronous reset, low", 1, BLOCK_IN, offsetof(BLOCK_CAT(BLOCK, _in), rst_n)},
#define IN(name, bits, doc) {#name, doc, bits, BLOCK_IN, offsetof(BLOCK_CAT(BLOCK, _in), name)},
#define IN_W(name, bits, doc) IN(name, bits, doc)
#define OUT(name, bits, doc) {#name, doc, bits, BLOCK_OUT, offsetof(BLOCK_CAT(BLOCK, _out), name)},
#define OUT_W(name, bits, doc) OUT(name, bits, doc)
#include BLOCK_DEF
#undef IN
#undef IN_W
#undef OUT
#undef OUT_W
};
#undef BLOCK
