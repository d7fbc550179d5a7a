// SPDX-License-Identifier: Apache-2.0
// Defines `<BLOCK>_twin` of a twin that is a struct <BLOCK> with functions <BLOCK>_step and
// <BLOCK>_idle. Include it with BLOCK defined, after block_declare.h, block_table.h and the
// functions; it undefines BLOCK, and these, which say what a twin is after power-up:
//   none                    all of it is zero, and it has one size
//   BLOCK_INIT(block, sizes)  this is called then
//   BLOCK_CREATED           <BLOCK>_create(sizes) and <BLOCK>_destroy make and free it
// clang-format off
#include <stdlib.h>

static void *BLOCK_CAT(BLOCK, _new)(const void *sizes) {
#ifdef BLOCK_CREATED
  return BLOCK_CAT(BLOCK, _create)(sizes);
#else
  BLOCK *block = calloc(1, sizeof *block);
  (void)sizes;
#ifdef BLOCK_INIT
  if (block)
    BLOCK_INIT(block, sizes);
#endif
  return block;
#endif
}
static void BLOCK_CAT(BLOCK, _delete)(void *block) {
#ifdef BLOCK_CREATED
  BLOCK_CAT(BLOCK, _destroy)(block);
#else
  free(block);
#endif
}
static void BLOCK_CAT(BLOCK, _edge_of)(void *block, const void *in, void *out) {
  BLOCK_CAT(BLOCK, _step)(block, in, out);
}
static bool BLOCK_CAT(BLOCK, _stands)(const void *block) {
  return BLOCK_CAT(BLOCK, _idle)(block);
}
const block_ops BLOCK_CAT(BLOCK, _twin) = {
    .name = BLOCK_STR(BLOCK), .ports = BLOCK_CAT(BLOCK, _ports), .n_ports = sizeof BLOCK_CAT(BLOCK, _ports) / sizeof(block_port),
    .in_bytes = sizeof(BLOCK_CAT(BLOCK, _in)), .out_bytes = sizeof(BLOCK_CAT(BLOCK, _out)),
    .create = BLOCK_CAT(BLOCK, _new), .destroy = BLOCK_CAT(BLOCK, _delete),
    .step = BLOCK_CAT(BLOCK, _edge_of), .idle = BLOCK_CAT(BLOCK, _stands),
};
#undef BLOCK
#undef BLOCK_INIT
#undef BLOCK_CREATED
