// SPDX-License-Identifier: Apache-2.0
// The values of a kernel: where each is made and used, how often, and whether lanes share it.
// A snapshot: it does not follow later changes of the kernel. Requires the meeting blocks of
// branches.
#ifndef NEARBANK_CHAINS_H
#define NEARBANK_CHAINS_H

#include <stdbool.h>
#include <stdint.h>
#include "cfg.h"
#include "mir.h"

typedef struct chain_site {  // an instruction
  mir_inst *mi;
  bool partial;                   // not by all lanes
  bool apart;                     // where lanes have parted and not met again
  int64_t count;                  // how often it executes
  uint32_t first_def, first_use;  // its own, up to those of the next site
} chain_site;

typedef struct chain_def {  // a word of a register that a site writes
  uint32_t site;
  uint32_t first_reader;  // in `readers`, the most frequent one first
} chain_def;

// Of a word that a site reads. Operand 0 is the old value of what not all lanes write.
typedef struct chain_use {
  uint32_t site, def;
  uint8_t operand;
  int64_t count;  // as often as the value moves for it at most
} chain_use;

// A value is x tid.x + y tid.y + block ctaid.x, and a rest that is a multiple of 2 to the power of
// `zeros` and that all threads of the block share.
typedef struct chain_stride {
  int64_t x, y, block;
  uint8_t zeros;
} chain_stride;

typedef struct chains {
  mir_kernel *k;
  cfg cfg;
  uint32_t site_count, def_count, use_count;
  chain_site *sites;  // one more than there are, for its firsts; so are defs
  chain_def *defs;
  chain_use *uses;       // by site
  chain_use **readers;   // by definition
  bool *varies;          // of a register: its lanes hold different values
  chain_stride *stride;  // of what each site writes
  int64_t *live;         // of a register: words, times the instructions during which it is live
} chains;

// stride.c. Of the growths UNKNOWN: it does not grow so. NONE: nothing is known of what it depends
// on; so it is while strides are being found.
#define STRIDE_UNKNOWN INT64_MAX
#define STRIDE_NONE INT64_MIN
void stride_find(chains *v);  // requires the uses
chain_stride stride_operand(const chains *v, uint32_t site, unsigned operand);

// `ran`: how often blocks were executed; NULL: ten times as often in each loop.
void chains_build(chains *v, mir_kernel *k, const mir_profile_kernel *ran);
void chains_free(chains *v);  // what chains_build put into *v

#endif
