// SPDX-License-Identifier: Apache-2.0
// The control-flow graph of a kernel: edges, orders, dominators and post-dominators, loops.
// A snapshot: it does not follow later changes of the kernel.
#ifndef NEARBANK_CFG_H
#define NEARBANK_CFG_H

#include <stdbool.h>
#include <stdint.h>
#include "mir.h"

enum { CFG_NONE = UINT32_MAX };
// Bits of `end`: has a guarded exit; its last is a trap; is an exit and nothing else.
enum { CFG_GUARDED = 1, CFG_TRAP = 2, CFG_LONE = 4 };

// Node numbers are block indices; `count` itself is the virtual exit of post-dominance.
typedef struct cfg {
  uint32_t count;
  uint32_t (*succ)[2];
  uint8_t *succ_count;
  uint32_t *over;        // before reconverge: where a block's call comes back, `count` of a return
  uint8_t *end;          // how lanes end in a block: bits above
  uint32_t *pred_first;  // preds[pred_first[b] .. pred_first[b + 1]) are the predecessors of b
  uint32_t *preds;
  uint32_t *rpo;  // reachable blocks in reverse post-order
  uint32_t rpo_count;
  uint32_t *rpo_of;  // place of a block in `rpo`, CFG_NONE when unreachable
  uint32_t *idom;    // immediate dominator; CFG_NONE for the entry and unreachable blocks
  uint32_t *depth;   // how many natural loops a block is in
} cfg;

void cfg_build(cfg *c, const mir_kernel *k);
void cfg_free(cfg *c);  // what cfg_build put into *c

// True when every path from the entry to b passes a (also when a == b). Reachable blocks only.
bool cfg_dominates(const cfg *c, uint32_t a, uint32_t b);

// Immediate post-dominators: out[b] for each block, `count` for the virtual exit, CFG_NONE for
// unreachable blocks. Blocks without successors lead to the exit. Calls lead to where they come
// back and returns to the exit: what a function does is not its caller's way. Four rules:
// - A guarded exit inside a block is no edge: the lanes that it ends need not meet again.
// - An edge into blocks that have no other entry and lead nowhere but to an exit is left out for
//   the same reason, when the blocks that reached an exit, or a guarded one, still do. Where both
//   edges of a block are such, both stay.
// - Edges to blocks that can only end in a trap are left out, as nothing follows a trap. Where the
//   entry reaches no other end, they stay.
// - A loop that reaches no exit then (an endless one, or with guarded exits only) is taken to be
//   left in front of its head: out[b] is the head where lanes meet only in the next turn.
// `out` has room for `count` + 1.
void cfg_post_dominators(const cfg *c, uint32_t *out);

#endif
