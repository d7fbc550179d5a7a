// SPDX-License-Identifier: Apache-2.0
// Defines `<BLOCK>_twin` of a twin that is a struct <BLOCK>, all zero after power-up, with
// functions <BLOCK>_step and <BLOCK>_idle, and of one size. Include it with BLOCK defined, after
// block_declare.h, block_table.h and the functions; it undefines BLOCK.
// clang-format off
#include <stdlib.h>

static void *BLOCK_CAT(BLOCK, _new)(const void *sizes) {
  (void)sizes;
  return calloc(1, sizeof(BLOCK));
}
static void BLOCK_CAT(BLOCK, _edge)(void *block, const void *in, void *out) {
  BLOCK_CAT(BLOCK, _step)(block, in, out);
}
static bool BLOCK_CAT(BLOCK, _stands)(const void *block) {
  return BLOCK_CAT(BLOCK, _idle)(block);
}
const block_ops BLOCK_CAT(BLOCK, _twin) = {
    .name = BLOCK_STR(BLOCK), .ports = BLOCK_CAT(BLOCK, _ports), .n_ports = sizeof BLOCK_CAT(BLOCK, _ports) / sizeof(block_port),
    .in_bytes = sizeof(BLOCK_CAT(BLOCK, _in)), .out_bytes = sizeof(BLOCK_CAT(BLOCK, _out)),
    .create = BLOCK_CAT(BLOCK, _new), .destroy = free,
    .step = BLOCK_CAT(BLOCK, _edge), .idle = BLOCK_CAT(BLOCK, _stands),
};
#undef BLOCK
