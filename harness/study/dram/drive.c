// SPDX-License-Identifier: Apache-2.0
#include "drive.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/differ.h"

enum {
  IDS = 256,
  BANKS = 4,
  HELD = 8 * DRIVE_QUEUE,  // more than any controller takes
  PATIENCE = 100000,       // cycles in which something must come of what is under way
};

// What has happened until some cycle.
typedef struct count {
  uint64_t cycle, commands[DRAM_CMDS], hits;
} count;

typedef struct run {
  const drive_config *config;
  const stream_access *accesses;
  size_t n, next;        // next: of those that the controller has not taken
  uint64_t follows_at;   // when the one before that was taken
  uint64_t *latencies;   // of accesses that are done
  uint64_t *arrival_of;  // of accesses that are under way or done
  channel *channel;
  uint8_t bytes[DRAM_BYTES];
  uint32_t wdata[DRAM_WORDS];
  uint64_t last_done;
  size_t done, reads_of[IDS];  // reads_of: 1 + the access with that id
  uint32_t last_id;
  // requests that the controller holds, oldest first
  size_t held[HELD];
  bool served[HELD];  // the place is free: some command was decided for it
  uint32_t n_held, n_served;
  uint64_t waiting;  // not taken when the last access arrived
  count begin;
  char *why;
  size_t why_bytes;
} run;

static bool wrong(run *r, const char *what) {
  if (!*r->why)
    snprintf(r->why, r->why_bytes, "cycle %" PRIu64 ": %s", channel_cycle(r->channel), what);
  return false;
}

static count count_now(const run *r) {
  const dram *arrays = channel_dram(r->channel);
  count c = {.cycle = channel_cycle(r->channel)};
  for (uint32_t cmd = 0; cmd < DRAM_CMDS; cmd++)
    c.commands[cmd] = dram_commands(arrays, cmd);
  for (uint32_t b = 0; b < r->config->channel.geometry.banks; b++)
    for (uint32_t k = 0; k < 4; k++)
      c.hits += dram_bank_rows(arrays, b)->hits[k];
  return c;
}

static size_t warm_up(const run *r) {
  return r->n / 10;
}

static void finish_access(run *r, size_t access, uint64_t at) {
  r->latencies[access] = at - r->arrival_of[access];
  r->last_done = at > r->last_done ? at : r->last_done;
  if (++r->done == warm_up(r))
    r->begin = count_now(r);
}

// A RD or WR is on the pins. Of requests for one place the oldest goes first, and of reads of one
// place it does not matter.
static bool serve(run *r, const bankctl_out *out) {
  const bool we = out->cmd == DRAM_WR;
  const dram_timing *t = &r->config->channel.timing;
  for (uint32_t k = 0; k < r->n_held; k++) {
    const size_t access = r->held[k];
    const stream_access *a = &r->accesses[access];
    if (a->bank != out->cmd_bank || a->row != out->cmd_row || a->col != out->cmd_col || a->we != we)
      continue;
    r->n_held--;
    r->n_served -= r->served[k];
    memmove(&r->held[k], &r->held[k + 1], (r->n_held - k) * sizeof *r->held);
    memmove(&r->served[k], &r->served[k + 1], (r->n_held - k) * sizeof *r->served);
    if (we)
      finish_access(r, access, channel_cycle(r->channel) + (uint64_t)(t->CWL + t->burst));
    return true;
  }
  return wrong(r, "RD or WR without a request");
}

// An ACT is on the pins: it is the command of the oldest request for that row.
static void open_row(run *r, const bankctl_out *out) {
  for (uint32_t k = 0; k < r->n_held; k++) {
    const stream_access *a = &r->accesses[r->held[k]];
    if (a->bank != out->cmd_bank || a->row != out->cmd_row)
      continue;
    r->n_served += !r->served[k];
    r->served[k] = true;
    return;
  }
}

static bool respond(run *r, const bankctl_out *out) {
  size_t *of = &r->reads_of[out->rsp_id % IDS];
  if (!*of)
    return wrong(r, "data with an id that no read has");
  finish_access(r, *of - 1, channel_cycle(r->channel));
  *of = 0;
  return true;
}

static uint64_t arrival(const run *r) {
  const stream_access *a = &r->accesses[r->next];
  return a->follows && a->arrival < r->follows_at ? r->follows_at : a->arrival;
}

// The banks of a line have ids of one group, so that they share a place of the queue. IDS: those of
// the bank are all under way.
static uint32_t id_of(const run *r, const stream_access *a) {
  const stream_access *last = r->next ? a - 1 : NULL;
  uint32_t id = r->last_id / BANKS * BANKS + a->bank;
  if (!last || last->row != a->row || last->col != a->col || last->we != a->we ||
      last->bank == a->bank)
    id = (id + BANKS) % IDS;
  for (uint32_t k = 0; k < IDS / BANKS; k++, id = (id + BANKS) % IDS)
    if (!r->reads_of[id])
      return id;
  return IDS;
}

// The request of this cycle, if there is one.
static bool offer(run *r, channel_request *q) {
  const stream_access *a = &r->accesses[r->next], *last = &r->accesses[r->n - 1];
  const uint64_t now = channel_cycle(r->channel);
  if (!last->follows && last->arrival >= now)
    r->waiting = r->n - r->next;
  if (r->next >= r->n || r->n_held == HELD || arrival(r) > now ||
      (r->config->queue < DRIVE_QUEUE && r->n_held - r->n_served >= r->config->queue))
    return false;
  const uint32_t id = id_of(r, a);
  if (id == IDS)
    return false;
  r->wdata[0] = (uint32_t)r->next;
  *q = (channel_request){.bank = a->bank,
                         .row = a->row,
                         .col = a->col,
                         .id = id,
                         .we = a->we,
                         .wdata = r->wdata,
                         .wmask = UINT32_MAX};
  if (!channel_out(r->channel)->req_ready)
    return true;
  r->last_id = id;
  r->arrival_of[r->next] = arrival(r);
  if (!a->we)
    r->reads_of[id] = r->next + 1;
  r->served[r->n_held] = false;
  r->held[r->n_held++] = r->next++;
  r->follows_at = now + 1;
  return true;
}

// A cycle, or those in which nothing happens.
static bool cycle(run *r) {
  const bankctl_out *out = channel_out(r->channel);
  if (out->rsp_valid && !respond(r, out))
    return false;
  channel_pins(r->channel);
  if ((out->cmd == DRAM_RD || out->cmd == DRAM_WR) && !serve(r, out))
    return false;
  if (out->cmd == DRAM_ACT)
    open_row(r, out);
  channel_request q;
  const bool asks = offer(r, &q);
  if (!channel_clock(r->channel, asks ? &q : NULL)) {
    if (!*r->why)
      snprintf(r->why, r->why_bytes, "%s", channel_error(r->channel));
    return false;
  }
  if (r->next < r->n && channel_idle(r->channel))
    channel_skip(r->channel, arrival(r));
  return true;
}

static int by_value(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void summarize(run *r, drive_result *result) {
  const size_t first = warm_up(r), n = r->n - first;
  const count end = count_now(r);
  uint64_t *of = r->latencies + first, sum = 0;
  const uint64_t cycles = r->last_done - r->begin.cycle;
  *result = (drive_result){.accesses = n, .cycles = cycles};
  for (size_t k = 0; k < n; k++)
    sum += of[k];
  for (uint32_t cmd = 0; cmd < DRAM_CMDS; cmd++)
    result->commands[cmd] = end.commands[cmd] - r->begin.commands[cmd];
  const uint64_t last = r->accesses[r->n - 1].arrival, since = r->accesses[first].arrival;
  if (!r->accesses[r->n - 1].follows && last > since)
    result->offered = (double)(n - 1) / (double)(last - since);
  result->accepted = cycles ? (double)n / (double)cycles : 0;
  result->bytes = (double)DRAM_BYTES * result->accepted;
  result->hit_rate = (double)(end.hits - r->begin.hits) / (double)n;
  result->selects = (double)result->commands[DRAM_SASEL] / (double)n;
  result->mean = (double)sum / (double)n;
  qsort(of, n, sizeof *of, by_value);
  result->least = of[0];
  result->p50 = of[(n - 1) / 2];
  result->p90 = of[(n - 1) * 9 / 10];
  result->p99 = of[(n - 1) * 99 / 100];
  result->most = of[n - 1];
  result->waiting = r->waiting;
  result->saturated = (double)r->waiting > sqrt((double)r->n);
}

static bool create(run *r) {
  channel_config k = r->config->channel;
  k.base = r->bytes;  // all bytes are the same ones
  k.differ = differ_ports;
  r->latencies = calloc(r->n, sizeof *r->latencies);
  r->arrival_of = calloc(r->n, sizeof *r->arrival_of);
  if (!r->latencies || !r->arrival_of) {
    snprintf(r->why, r->why_bytes, "out of memory");
    return false;
  }
  r->channel = channel_new(&k, r->why, r->why_bytes);
  return r->channel != NULL;
}

bool drive(const drive_config *config, const stream_access *accesses, size_t n,
           drive_result *result, char *why, size_t why_bytes) {
  run r = {.config = config, .accesses = accesses, .n = n, .why = why, .why_bytes = why_bytes};
  *why = 0;
  bool good = create(&r);
  uint64_t begun = 0;  // the cycle in which the last access was done or given
  for (size_t seen = 0; good && r.done < n;) {
    good = cycle(&r) && !*why;
    if (seen != r.done + r.next)
      seen = r.done + r.next, begun = channel_cycle(r.channel);
    else if (good && channel_cycle(r.channel) - begun > PATIENCE && r.n_held)
      good = wrong(&r, "the controller has stalled");
  }
  if (good) {
    dram_check(channel_dram(r.channel), channel_cycle(r.channel));
    good = !*why;
  }
  if (good)
    summarize(&r, result);
  channel_free(r.channel);
  free(r.latencies);
  free(r.arrival_of);
  return good;
}
