// SPDX-License-Identifier: Apache-2.0
// An edge: data that come back, then a packet that came down, then a request to the banks. Reads of
// X go before rows of Y.
#include "vectors.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { Y_ROWS = BANK_ROWS / 2, ID_OF_Y = VECTORS_READS };

bool vectors_init(vectors *v, const config *c, const spacea_structure *sizes,
                  vault_counters *counters, char *why, size_t why_bytes) {
  if (!banks_init(&v->banks, c, NULL, true, counters, why, why_bytes) ||
      !(v->lines = xcam_create(sizes)))
    return false;
  rowctl_init(&v->control);
  memcpy(v->in.cfg_times, v->banks.times, sizeof v->in.cfg_times);
  rowctl_edge(&v->control, &v->in);  // in reset
  xcam_step(v->lines, &v->line_in, &v->line_out);
  v->in.rst_n = v->line_in.rst_n = 1;
  v->free_reads = (1u << VECTORS_READS) - 1;
  v->rows = (uint32_t)c->spacea.y_rows;
  for (uint32_t k = 0; k < BANKS; k++) {
    vectors_bank *b = &v->bank[k];
    if (!(b->row = calloc(v->rows, sizeof *b->row)) || !(b->y = calloc(v->rows, sizeof *b->y)))
      return false;
  }
  return true;
}

void vectors_free(vectors *v) {
  for (uint32_t k = 0; k < BANKS; k++)
    free(v->bank[k].row), free(v->bank[k].y);
  if (v->lines)
    xcam_destroy(v->lines);
  banks_free(&v->banks);
}

void vectors_fetch(prefetch *a, const vectors *v) {
  prefetch_add(a, v, offsetof(vectors, line_in));
  prefetch_add(a, &v->down, 1), prefetch_add(a, &v->up, 1);
  for (uint32_t k = 0; k < BANKS; k++) {
    prefetch_add(a, &v->bank[k].reads, 1), prefetch_add(a, &v->bank[k].sums, 1);
    prefetch_add(a, &v->bank[k].first, 1);
  }
  prefetch_add(a, &v->free_reads, 1);
}

static bool bank_idle(const vectors *v, const vectors_bank *b) {
  return !b->reads.n && !b->sums.n && b->phase == VECTORS_READY && !(v->drains && b->n);
}

bool vectors_idle(const vectors *v) {
  return rowctl_idle(&v->control) && !v->down.n && !v->up.n && bank_idle(v, &v->bank[0]) &&
         bank_idle(v, &v->bank[1]) && v->free_reads == (1u << VECTORS_READS) - 1;
}

bool vectors_move(const vectors *v) {
  return v->in.req_valid || v->control.out.rsp_valid;
}

void vectors_restart(vectors *v, uint32_t first_x, uint32_t first_y, semiring s) {
  v->first_x = first_x, v->first_y = first_y, v->semiring = s, v->drains = false;
  v->line_in = (xcam_in){.rst_n = 1, .clear = 1};
  xcam_step(v->lines, &v->line_in, &v->line_out);
  v->line_in.clear = 0;
}

static uint32_t bank_of(uint32_t element) {
  return element / VECTORS_ROW % BANKS;
}

static uint32_t row_of(uint32_t element) {
  return element / VECTORS_ROW / BANKS;
}

double *vectors_x(vectors *v, uint32_t element) {
  return banks_element(&v->banks, bank_of(element), row_of(element), element % VECTORS_ROW);
}

double *vectors_y(vectors *v, uint32_t element) {
  return banks_element(&v->banks, bank_of(element), Y_ROWS + row_of(element),
                       element % VECTORS_ROW);
}

// ---- lines of X

static void answer(vectors *v, packet p, const uint32_t *line, uint64_t at) {
  p.kind = PACKET_LINE;
  memcpy(p.body, line, sizeof p.body);
  packets_put(&v->up, p, at);
}

// True: the line is there, in v->line_out.
static bool look(vectors *v, uint32_t key) {
  v->line_in.look_valid = 1, v->line_in.look_key = key;
  xcam_step(v->lines, &v->line_in, &v->line_out);
  v->line_in.look_valid = v->line_in.fill_valid = 0;
  v->banks.counters->served++, v->banks.counters->served_hits += v->line_out.ans_hit;
  return v->line_out.ans_hit;
}

static void fill(vectors *v) {
  xcam_step(v->lines, &v->line_in, &v->line_out);
  v->line_in.fill_valid = 0;
}

// ---- sums

// Its place in the buffer; v->rows: it is not there.
static uint32_t find(const vectors *v, const vectors_bank *b, uint32_t row) {
  for (uint32_t k = 0; k < b->n; k++)
    if (b->row[(b->first + k) % v->rows] == row)
      return (b->first + k) % v->rows;
  return v->rows;
}

static void add(vectors *v, double row[VECTORS_ROW], const packet *p) {
  double *y = &row[(p->what - v->first_y) % VECTORS_ROW];
  *y = semiring_sum(v->semiring, *y, p->body[0]);
  v->banks.counters->sums++;
}

// The first sum of a bank, or, when Y is to go back, its oldest row.
static void begin(vectors *v, vectors_bank *b, uint64_t cycle) {
  const packet *p = packets_first(&b->sums, cycle);
  if (b->phase != VECTORS_READY || (!p && !(v->drains && b->n)))
    return;
  const uint32_t place = p ? find(v, b, row_of(p->what - v->first_y)) : v->rows;
  if (place < v->rows) {
    add(v, b->y[place], p);
    packets_drop(&b->sums);
    return;
  }
  b->beat = 0;
  b->phase = !p || b->n == v->rows ? VECTORS_WRITES : VECTORS_LOADS;
}

static void loaded(vectors *v, vectors_bank *b, const uint32_t *data) {
  const uint32_t place = (b->first + b->n) % v->rows;
  memcpy(&b->y[place][4 * b->beat], data, DRAM_BYTES);
  if (++b->beat < BANK_COLS)
    return;
  b->row[place] = row_of(b->sums.of[b->sums.first].what - v->first_y);
  b->n++, b->phase = VECTORS_READY;
}

// ---- requests

static bool ask_x(vectors *v, uint32_t bank, uint64_t cycle) {
  vectors_bank *b = &v->bank[bank];
  const packet *p = v->free_reads ? packets_first(&b->reads, cycle) : NULL;
  if (!p)
    return false;
  const uint32_t id = (uint32_t)__builtin_ctz(v->free_reads), element = p->what * 4 - v->first_x;
  v->reads[id] = *p, v->free_reads &= v->free_reads - 1;
  v->in.req_row = row_of(element), v->in.req_col = element % VECTORS_ROW / 4, v->in.req_more = 0;
  v->in.req_we = 0, v->in.req_id = id;
  packets_drop(&b->reads);
  v->banks.counters->x_reads++;
  return true;
}

static bool ask_y(vectors *v, uint32_t bank) {
  vectors_bank *b = &v->bank[bank];
  v->in.req_id = ID_OF_Y;
  if (b->phase == VECTORS_LOADS) {
    v->in.req_row = Y_ROWS + row_of(b->sums.of[b->sums.first].what - v->first_y);
    v->in.req_col = 0, v->in.req_more = BANK_COLS - 1, v->in.req_we = 0;
    b->phase = VECTORS_WAITS, v->banks.counters->sums_rows++;
    return true;
  }
  if (b->phase != VECTORS_WRITES)
    return false;
  v->in.req_row = Y_ROWS + b->row[b->first], v->in.req_col = b->beat, v->in.req_more = 0;
  v->in.req_we = 1, v->in.req_wmask = UINT32_MAX;
  memcpy(v->in.req_wdata, &b->y[b->first][4 * b->beat], DRAM_BYTES);
  if (++b->beat == BANK_COLS) {
    b->first = (b->first + 1) % v->rows, b->n--, b->beat = 0;
    b->phase = v->drains ? VECTORS_READY : VECTORS_LOADS;
  }
  return true;
}

static void ask(vectors *v, uint64_t cycle) {
  const uint32_t ready = v->control.out.req_ready;
  v->in.req_valid = 0;
  for (uint32_t k = 0; k < BANKS && !v->in.req_valid; k++) {
    v->in.req_bank = k;
    v->in.req_valid = ready >> k & 1 && ask_x(v, k, cycle);
  }
  for (uint32_t k = 0; k < BANKS && !v->in.req_valid; k++) {
    v->in.req_bank = k;
    v->in.req_valid = ready >> k & 1 && ask_y(v, k);
  }
}

// ---- a cycle

static void come_back(vectors *v, uint64_t cycle) {
  const rowctl_out *o = &v->control.out;
  if (!o->rsp_valid)
    return;
  if (o->rsp_id == ID_OF_Y) {
    loaded(v, &v->bank[o->rsp_bank], o->rsp_data);
    return;
  }
  const packet *p = &v->reads[o->rsp_id];
  v->line_in.fill_valid = 1, v->line_in.fill_key = p->what;
  memcpy(v->line_in.fill_data, o->rsp_data, sizeof v->line_in.fill_data);
  answer(v, *p, o->rsp_data, cycle + 1);
  v->free_reads |= 1u << o->rsp_id;
}

// Answers have room: as many as reads that may be under way, and one.
static bool answers_fit(const vectors *v) {
  const uint32_t reads = VECTORS_READS - (uint32_t)__builtin_popcount(v->free_reads);
  return v->up.n + reads + v->bank[0].reads.n + v->bank[1].reads.n < PACKETS;
}

static void take(vectors *v, uint64_t cycle) {
  const packet *p = packets_first(&v->down, cycle);
  if (!p || (p->kind == PACKET_WANT && !answers_fit(v)))
    return;
  const bool sum = p->kind == PACKET_SUM;
  vectors_bank *b = &v->bank[bank_of(sum ? p->what - v->first_y : p->what * 4 - v->first_x)];
  if (sum && !packets_room(&b->sums))
    return;
  if (sum)
    packets_put(&b->sums, *p, cycle + 1);
  else if (look(v, p->what))
    answer(v, *p, v->line_out.ans_data, cycle + 1);
  else
    packets_put(&b->reads, *p, cycle + 1);
  packets_drop(&v->down);
}

void vectors_clock(vectors *v, uint64_t cycle) {
  const rowctl_out *o = &v->control.out;
  const dram_pins pins = {o->cmd, o->cmd_bank, o->cmd_row, o->cmd_col, o->wdata, o->wmask};
  banks_clock(&v->banks, cycle, &pins, v->in.rdata);
  come_back(v, cycle);
  take(v, cycle);
  if (v->line_in.fill_valid)
    fill(v);
  for (uint32_t k = 0; k < BANKS; k++)
    begin(v, &v->bank[k], cycle);
  ask(v, cycle);
  v->in.ref_tick = banks_tick(&v->banks, cycle);
  rowctl_clock(&v->control, &v->in);
}
