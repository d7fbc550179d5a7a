// SPDX-License-Identifier: Apache-2.0
// Declares `<BLOCK>_in`, `<BLOCK>_out` and `extern const block_ops <BLOCK>_twin` from
// csim/*/ports/<BLOCK>.def. Include it with BLOCK defined; it undefines BLOCK.
// clang-format off
#include "block.h"

#define BLOCK_CAT_(a, b) a##b
#define BLOCK_CAT(a, b) BLOCK_CAT_(a, b)
#define BLOCK_STR_(a) #a
#define BLOCK_STR(a) BLOCK_STR_(a)
#define BLOCK_DEF_OF(block) BLOCK_STR(ports/block.def)
#define BLOCK_DEF BLOCK_DEF_OF(BLOCK)

typedef struct BLOCK_CAT(BLOCK, _in) {
  uint32_t rst_n;
#define IN(name, bits, doc) uint32_t name;
#define IN_W(name, bits, doc) uint32_t name[BLOCK_WORDS(bits)];
#define OUT(name, bits, doc)
#define OUT_W(name, bits, doc)
#include BLOCK_DEF
#undef IN
#undef IN_W
#undef OUT
#undef OUT_W
} BLOCK_CAT(BLOCK, _in);

typedef struct BLOCK_CAT(BLOCK, _out) {
#define IN(name, bits, doc)
#define IN_W(name, bits, doc)
#define OUT(name, bits, doc) uint32_t name;
#define OUT_W(name, bits, doc) uint32_t name[BLOCK_WORDS(bits)];
#include BLOCK_DEF
#undef IN
#undef IN_W
#undef OUT
#undef OUT_W
} BLOCK_CAT(BLOCK, _out);

#ifdef __cplusplus
extern "C"
#else
extern
#endif
const block_ops BLOCK_CAT(BLOCK, _twin);
#undef BLOCK
