// SPDX-License-Identifier: Apache-2.0
#include "regmove.h"

#include <stdlib.h>
#include <string.h>

#include "tsv_packet.h"

#define BLOCK regmove
#include "csim/base/block_table.h"

enum { LANES = 32, FLITS = LANES / 2 };

void regmove_init(regmove *r, const structure *sizes) {
  *r = (regmove){.patterns = structure_or_default(sizes)->patterns != 0};
  r->out.wr_ready = r->out.rd_ready = 1;
}

// ---- writing

static void wr_accept(regmove *r, const regmove_in *in) {
  const uint64_t head = tsv_flit(in->wr_head);
  const uint32_t mask = (uint32_t)tsv_get(head, TSV_DN_REGWR_MASK);
  const bool linear = tsv_get(head, TSV_DN_REGWR_LINEAR);
  const bool bits = r->patterns && tsv_get(head, TSV_DN_REGWR_BITS);
  r->out.done_tag = (uint32_t)tsv_get(head, TSV_DN_ANY_TAG);
  r->out.w_reg = (uint32_t)tsv_get(head, TSV_DN_REGWR_REG);
  r->out.w_mask = r->wr_left = mask;
  r->wr_step = r->patterns && linear ? in->wr_body[1] : 0;
  r->wr_known = 1;
  if (linear || bits)
    for (uint32_t l = 0; l < LANES; l++)
      r->out.w_data[l] = linear ? in->wr_body[0] : -(in->wr_body[0] >> l & 1);
  else
    memcpy(r->out.w_data, in->wr_body, sizeof r->out.w_data);
  r->wr = r->wr_step                      ? REGMOVE_STEP
          : linear || bits || mask == ~0u ? REGMOVE_WRITE
                                          : REGMOVE_EXPAND;
}

// Places are at or above the words that go there, so from the top no word is lost.
static void wr_expand(regmove *r) {
  for (uint32_t i = 0; i < 2 && r->wr_left; i++) {
    const uint32_t top = 31 - (uint32_t)__builtin_clz(r->wr_left);
    r->out.w_data[top] = r->out.w_data[__builtin_popcount(r->wr_left) - 1];
    r->wr_left &= ~(1u << top);
  }
  if (!r->wr_left)
    r->wr = REGMOVE_WRITE;
}

// Twice as many lanes have their word.
static void wr_grow(regmove *r) {
  for (uint32_t l = 0; l < r->wr_known; l++)
    r->out.w_data[l + r->wr_known] = r->out.w_data[l] + r->wr_known * r->wr_step;
  r->wr_known *= 2;
  if (r->wr_known == LANES)
    r->wr = REGMOVE_WRITE;
}

static void wr_clock(regmove *r, const regmove_in *in) {
  switch (r->wr) {
    case REGMOVE_WR_IDLE:
      if (in->wr_valid)
        wr_accept(r, in);
      break;
    case REGMOVE_EXPAND:
      wr_expand(r);
      break;
    case REGMOVE_STEP:
      wr_grow(r);
      break;
    case REGMOVE_WRITE:
      if (in->w_done)
        r->wr = REGMOVE_DONE;
      break;
    case REGMOVE_DONE:
      if (in->done_ready)
        r->wr = REGMOVE_WR_IDLE;
      break;
  }
}

// ---- sending

typedef enum shape { WORDS, LINEAR, BITS } shape;

static void rd_up(regmove *r, shape shape, uint32_t flits) {
  const uint64_t head = tsv_put(TSV_UP_ANY_KIND, TSV_UP_REGD) | tsv_put(TSV_UP_ANY_TAG, r->rd_tag) |
                        tsv_put(TSV_UP_ANY_LEN, flits) |
                        tsv_put(TSV_UP_REGD_LINEAR, shape == LINEAR) |
                        tsv_put(TSV_UP_REGD_BITS, shape == BITS);
  r->out.up_head[0] = (uint32_t)head;
  r->out.up_head[1] = (uint32_t)(head >> 32);
  r->out.up_len = flits;
  r->rd = REGMOVE_UP;
}

static void rd_flit(regmove *r, shape shape, uint32_t low, uint32_t high) {
  r->out.up_body[0] = low, r->out.up_body[1] = high;
  rd_up(r, shape, 1);
}

static void rd_compare(regmove *r) {
  const uint32_t *body = r->out.up_body, mask = r->rd_mask;
  bool uniform = true, linear = mask == ~0u;
  uint32_t ones = 0, zeros = 0;
  for (uint32_t l = 0; l < LANES; l++) {
    const uint32_t lane = mask & 1u << l;
    uniform &= !lane || body[l] == r->rd_word;
    linear &= l + 1 == LANES || body[l] + r->rd_step == body[l + 1];
    ones |= body[l] == ~0u ? lane : 0;
    zeros |= body[l] == 0 ? lane : 0;
  }
  if (uniform)
    rd_flit(r, LINEAR, r->rd_word, 0);
  else if (r->patterns && linear)
    rd_flit(r, LINEAR, body[0], r->rd_step);
  else if (r->patterns && (ones | zeros) == mask)
    rd_flit(r, BITS, ones, 0);
  else if (mask == ~0u)
    rd_up(r, WORDS, FLITS);
  else {
    r->rd_left = mask;
    r->rd_moved = 0;
    r->rd = REGMOVE_COMPRESS;
  }
}

// Places are at or below the words that go there, so from the bottom no word is lost.
static void rd_compress(regmove *r) {
  uint32_t *body = r->out.up_body;
  for (uint32_t i = 0; i < 2; i++) {
    if (r->rd_left)
      body[r->rd_moved] = body[__builtin_ctz(r->rd_left)];
    else
      body[r->rd_moved] = 0;
    r->rd_left &= r->rd_left - (r->rd_left != 0);
    r->rd_moved++;
  }
  if (!r->rd_left)
    rd_up(r, WORDS, r->rd_moved / 2);
}

static void rd_clock(regmove *r, const regmove_in *in) {
  switch (r->rd) {
    case REGMOVE_RD_IDLE:
      if (in->rd_valid) {
        r->rd_tag = in->rd_tag;
        r->rd_mask = in->rd_mask;
        memcpy(r->out.up_body, in->rd_data, sizeof r->out.up_body);
        r->rd = REGMOVE_PICK;
      }
      break;
    case REGMOVE_PICK:
      r->rd_step = r->out.up_body[1] - r->out.up_body[0];
      r->rd_word = r->rd_mask ? r->out.up_body[__builtin_ctz(r->rd_mask)] : 0;
      r->rd = REGMOVE_COMPARE;
      break;
    case REGMOVE_COMPARE:
      rd_compare(r);
      break;
    case REGMOVE_COMPRESS:
      rd_compress(r);
      break;
    case REGMOVE_UP:
      if (in->up_ready)
        r->rd = REGMOVE_RD_IDLE;
      break;
  }
}

// ---- the block

static void show_states(regmove *r) {
  r->out.wr_ready = r->wr == REGMOVE_WR_IDLE;
  r->out.w_valid = r->wr == REGMOVE_WRITE;
  r->out.done_valid = r->wr == REGMOVE_DONE;
  r->out.rd_ready = r->rd == REGMOVE_RD_IDLE;
  r->out.up_valid = r->rd == REGMOVE_UP;
  r->out.busy = !(r->out.wr_ready && r->out.rd_ready);
}

void regmove_edge(regmove *r, const regmove_in *in) {
  wr_clock(r, in);
  rd_clock(r, in);
  if (!in->rst_n) {
    r->wr = REGMOVE_WR_IDLE;
    r->rd = REGMOVE_RD_IDLE;
  }
  show_states(r);
}

void regmove_step(regmove *r, const regmove_in *in, regmove_out *out) {
  regmove_clock(r, in);
  *out = r->out;
}

#define BLOCK regmove
#define BLOCK_INIT(block, sizes) regmove_init(block, sizes)
#include "csim/base/block_twin.h"
