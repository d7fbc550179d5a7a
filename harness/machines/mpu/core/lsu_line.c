// SPDX-License-Identifier: Apache-2.0
// Weak loads of memory of other cores, by the line: from the cache, from an answer that is on its
// way, or with a request. What may be kept and joined: docs/memory-model.md.
#include <stdlib.h>
#include <string.h>
#include "lsu_priv.h"

static uint64_t line_of(uint64_t address) {
  return address / CACHE_LINE;
}

// Of the bytes at an address, which lie in one sector.
static uint16_t pieces_at(uint64_t address, unsigned bytes) {
  const uint32_t last = (uint32_t)(address + bytes - 1) % CACHE_LINE / CACHE_PIECE;
  const uint32_t first = (uint32_t)address % CACHE_LINE / CACHE_PIECE;
  return (uint16_t)((2u << last) - (1u << first));
}

static uint16_t sectors_of(uint16_t pieces) {
  uint16_t all = 0;
  for (uint32_t s = 0; s < 4; s++)
    if (pieces >> 4 * s & CACHE_SECTOR)
      all |= (uint16_t)(CACHE_SECTOR << 4 * s);
  return all;
}

static uint64_t count_sectors(uint16_t pieces) {
  return (uint64_t)__builtin_popcount(sectors_of(pieces)) / 4;
}

static uint32_t lanes_of_line(const access *x, uint32_t left, uint64_t number) {
  uint32_t lanes = 0;
  for (uint32_t m = left; m; m &= m - 1)
    if (line_of(x->address[__builtin_ctz(m)]) == number)
      lanes |= m & -m;
  return lanes;
}

static uint16_t pieces_of(const access *x, const piece *p, uint32_t lanes) {
  uint16_t pieces = 0;
  for (uint32_t m = lanes; m; m &= m - 1)
    pieces |= pieces_at(x->address[__builtin_ctz(m)], p->bytes);
  return pieces;
}

// Lanes all of whose pieces are among these.
static uint32_t lanes_in(const access *x, const piece *p, uint32_t lanes, uint16_t pieces) {
  uint32_t in = 0;
  for (uint32_t m = lanes; m && pieces; m &= m - 1)
    if (!(pieces_at(x->address[__builtin_ctz(m)], p->bytes) & ~pieces))
      in |= m & -m;
  return in;
}

static void load(access *x, uint32_t lanes, unsigned word, unsigned bytes,
                 const uint8_t data[CACHE_LINE]) {
  for (uint32_t m = lanes; m; m &= m - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(m);
    lsu_loaded(x, lane, word, data + x->address[lane] % CACHE_LINE, bytes);
  }
}

// Whoever waits for room may find now what it wants.
static void look_again(lsu *u) {
  for (uint32_t k = 0; k < SUBCORES; k++)
    u->sub[k].missed = false;
}

// ---- the cache

static uint32_t take_kept(lsu *u, access *x, const piece *p, uint64_t number, uint32_t lanes) {
  const uint8_t *data;
  const uint16_t kept = cache_find(&u->cache, number, &data);
  const uint32_t hit = lanes_in(x, p, lanes, kept);
  if (!hit)
    return 0;
  load(x, hit, p->word, p->bytes, data);
  EMIT(u->base, emit_line(u->base, EVENT_HIT, x->o, hit, 0, number * CACHE_LINE));
  cache_use(&u->cache, number);
  u->base->stats.cache_reads++;
  u->base->stats.cache_hits += count_sectors(pieces_of(x, p, hit));
  u->hits[(u->hit_head + u->hit_count++) % HITS] = (lsu_hit){x, u->base->cycle + CACHE_CYCLES};
  x->answers++;
  return hit;
}

void lsu_line_hits(lsu *u) {
  while (u->hit_count && u->hits[u->hit_head % HITS].ready <= u->base->cycle) {
    access *x = u->hits[u->hit_head++ % HITS].of;
    u->hit_count--;
    lsu_answered(u, x);
  }
}

// ---- answers on their way

static uint32_t join(lsu *u, access *x, const piece *p, uint32_t index, uint32_t lanes) {
  lsu_request *r = &u->requests[index];
  const uint32_t in = lanes_in(x, p, lanes, r->live);
  lsu_waiter *w = u->free_waiters;
  if (!in || !w)
    return 0;
  u->free_waiters = w->next;
  *w = (lsu_waiter){.of = x, .lanes = in, .word = p->word};
  *r->end = w;
  r->end = &w->next;
  x->answers++;
  u->base->stats.line_merged++;
  EMIT(u->base, emit_line(u->base, EVENT_MERGE, x->o, in, index, r->number * CACHE_LINE));
  return in;
}

// Pieces of a line that have been asked for and will be kept.
static uint16_t coming(const lsu *u, uint64_t number) {
  uint16_t pieces = 0;
  for (uint32_t k = 0; k < u->n_lines; k++)
    if (u->requests[u->lines[k]].number == number)
      pieces |= u->requests[u->lines[k]].live;
  return pieces;
}

// ---- requests

// What a request for these pieces brings with them.
static uint16_t widened(const lsu *u, uint64_t number, uint16_t pieces) {
  const uint8_t *data;
  if (u->base->config.fetch == CORE_FETCH_WANTED)
    return pieces;
  const uint16_t all = u->base->config.fetch == CORE_FETCH_LINE ? CACHE_ALL : sectors_of(pieces);
  return pieces | (uint16_t)(all & ~(cache_find(&u->cache, number, &data) | coming(u, number)));
}

// The newest answer is the one that is kept.
static void supersede(lsu *u, uint64_t number, uint16_t pieces) {
  for (uint32_t k = 0; k < u->n_lines; k++) {
    lsu_request *r = &u->requests[u->lines[k]];
    if (r->number == number)
      r->live &= (uint16_t)~pieces;
  }
}

static bool ask(lsu *u, access *x, const piece *p, uint64_t number, uint32_t lanes) {
  net_request *r = remote_next_request(u->remote);
  if (!r)
    return false;
  const uint32_t index = (uint32_t)(r - u->remote->requests);
  lsu_request *mine = &u->requests[index];
  remote_request *q = &r->sent;
  q->address = number * CACHE_LINE;
  q->pc = x->o->pc;
  q->kind = REMOTE_LINE;
  q->bytes = p->bytes;
  q->mask = widened(u, number, pieces_of(x, p, lanes));
  supersede(u, number, (uint16_t)q->mask);
  *mine = (lsu_request){.of = x,
                        .lanes = lanes,
                        .word = p->word,
                        .number = number,
                        .live = (uint16_t)q->mask,
                        .end = &mine->first};
  u->lines[u->n_lines++] = (uint16_t)index;
  x->answers++;
  u->base->stats.line_requests++;
  u->base->stats.line_sectors += count_sectors((uint16_t)q->mask);
  u->base->stats.sub[lsu_subcore(x)].remote++;
  look_again(u);
  remote_send(u->remote, r, x->o, lanes);
  return true;
}

// One looks a cycle: at the tags, and at what is on its way.
uint32_t lsu_line_load(lsu *u, access *x, const piece *p, uint32_t left) {
  const uint64_t number = line_of(x->address[__builtin_ctz(left)]);
  const uint32_t lanes = lanes_of_line(x, left, number);
  uint32_t rest = lanes;
  if (u->looked > u->base->cycle)
    return 0;
  u->looked = u->base->cycle + 1;
  rest &= ~take_kept(u, x, p, number, rest);
  const uint16_t missed = pieces_of(x, p, rest);
  for (uint32_t k = 0; k < u->n_lines && rest; k++)
    if (u->requests[u->lines[k]].number == number)
      rest &= ~join(u, x, p, u->lines[k], rest);
  if (rest && ask(u, x, p, number, rest))
    rest = 0;
  u->sub[lsu_subcore(x)].missed = rest != 0;
  u->base->stats.cache_misses += count_sectors(missed & (uint16_t)~pieces_of(x, p, rest));
  return lanes & ~rest;
}

static void no_longer_coming(lsu *u, uint32_t index) {
  for (uint32_t k = 0; k < u->n_lines; k++)
    if (u->lines[k] == index) {
      memmove(u->lines + k, u->lines + k + 1, (--u->n_lines - k) * sizeof *u->lines);
      return;
    }
}

void lsu_line_answer(lsu *u, const net_request *r) {
  lsu_request *mine = &u->requests[r->sent.index];
  no_longer_coming(u, r->sent.index);
  cache_fill(&u->cache, mine->number, mine->live, r->answer.data);
  if (u->cache.sets)
    u->base->stats.cache_fills += count_sectors(mine->live);
  load(mine->of, mine->lanes, mine->word, r->sent.bytes, r->answer.data);
  for (lsu_waiter *w = mine->first; w; w = w->next) {
    const unsigned bytes = isa_types[w->of->o->p->d->i.type].bits / 8;
    load(w->of, w->lanes, w->word, bytes, r->answer.data);
    EMIT(u->base, emit_line(u->base, EVENT_MERGED, w->of->o, w->lanes, r->sent.index,
                            mine->number * CACHE_LINE));
  }
  look_again(u);
}

void lsu_line_done(lsu *u, uint32_t index) {
  lsu_waiter *w = u->requests[index].first, *next;
  for (; w; w = next) {
    access *x = w->of;
    next = w->next;
    w->next = u->free_waiters;
    u->free_waiters = w;
    lsu_answered(u, x);
  }
}

// ---- what must not be kept

void lsu_line_drop(lsu *u, uint64_t sector) {
  const uint64_t number = line_of(sector);
  const uint16_t pieces = pieces_at(sector / 32 * 32, 32);
  cache_drop(&u->cache, number, pieces);
  supersede(u, number, pieces);
}

void lsu_forget(lsu *u) {
  if (!u->base->config.remote_lines)
    return;
  cache_empty(&u->cache);
  u->base->stats.cache_emptied++;
  for (uint32_t k = 0; k < u->n_lines; k++)
    u->requests[u->lines[k]].live = 0;
}

// ---- from first to last

bool lsu_line_new(lsu *u) {
  const core_config *c = &u->base->config;
  u->waiters = calloc(WAITERS, sizeof *u->waiters);
  return cache_new(&u->cache, c->remote_lines ? c->cache_bytes : 0, c->cache_ways) && u->waiters;
}

void lsu_line_delete(lsu *u) {
  cache_delete(&u->cache);
  free(u->waiters);
}

void lsu_line_reset(lsu *u) {
  cache_empty(&u->cache);
  u->looked = 0;
  u->n_lines = u->hit_head = u->hit_count = 0;
  u->free_waiters = NULL;
  for (uint32_t k = WAITERS; k-- > 0;) {
    u->waiters[k].next = u->free_waiters;
    u->free_waiters = &u->waiters[k];
  }
}
