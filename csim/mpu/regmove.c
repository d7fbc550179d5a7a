// SPDX-License-Identifier: Apache-2.0
#include "regmove.h"

#include <stdlib.h>
#include <string.h>

#include "tsv_packet.h"

#define BLOCK regmove
#include "csim/base/block_table.h"

enum { LANES = 32, FLITS = LANES / 2 };

void regmove_init(regmove *r) {
  *r = (regmove){0};
  r->out.wr_ready = r->out.rd_ready = 1;
}

// ---- writing

static void wr_accept(regmove *r, const regmove_in *in) {
  const uint64_t head = tsv_flit(in->wr_head);
  const uint32_t mask = (uint32_t)tsv_get(head, TSV_DN_REGWR_MASK);
  const bool uniform = tsv_get(head, TSV_DN_REGWR_LINEAR);
  r->out.done_tag = (uint32_t)tsv_get(head, TSV_DN_ANY_TAG);
  r->out.w_reg = (uint32_t)tsv_get(head, TSV_DN_REGWR_REG);
  r->out.w_mask = r->wr_left = mask;
  if (uniform)
    for (uint32_t l = 0; l < LANES; l++)
      r->out.w_data[l] = in->wr_body[0];
  else
    memcpy(r->out.w_data, in->wr_body, sizeof r->out.w_data);
  r->wr = uniform || mask == ~0u ? REGMOVE_WRITE : REGMOVE_EXPAND;
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

static void wr_clock(regmove *r, const regmove_in *in) {
  switch (r->wr) {
    case REGMOVE_WR_IDLE:
      if (in->wr_valid)
        wr_accept(r, in);
      break;
    case REGMOVE_EXPAND:
      wr_expand(r);
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

static void rd_up(regmove *r, bool uniform, uint32_t flits) {
  const uint64_t head = tsv_put(TSV_UP_ANY_KIND, TSV_UP_REGD) | tsv_put(TSV_UP_ANY_TAG, r->rd_tag) |
                        tsv_put(TSV_UP_ANY_LEN, flits) | tsv_put(TSV_UP_REGD_LINEAR, uniform);
  r->out.up_head[0] = (uint32_t)head;
  r->out.up_head[1] = (uint32_t)(head >> 32);
  r->out.up_len = flits;
  r->rd = REGMOVE_UP;
}

static void rd_compare(regmove *r) {
  uint32_t *body = r->out.up_body;
  uint32_t other = 0;
  for (uint32_t l = 0; l < LANES; l++)
    other |= (body[l] ^ r->rd_word) & -(r->rd_mask >> l & 1);
  if (!other) {
    body[0] = r->rd_word;
    body[1] = 0;
    rd_up(r, true, 1);
  } else if (r->rd_mask == ~0u) {
    rd_up(r, false, FLITS);
  } else {
    r->rd_left = r->rd_mask;
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
    rd_up(r, false, r->rd_moved / 2);
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
#define BLOCK_INIT(block, sizes) regmove_init(block)
#include "csim/base/block_twin.h"
