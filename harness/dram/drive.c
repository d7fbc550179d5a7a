// SPDX-License-Identifier: Apache-2.0
#include "drive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bankctl.h"
#include "differ.h"

enum {
  IDS = 256,
  ALL_BANKS = (1 << DRAM_BANKS) - 1,
  PATIENCE = 100000,  // cycles in which something must come of what is under way
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
  dram *arrays;
  uint8_t bytes[DRAM_BYTES];
  void *models[2];
  bankctl_in in;
  bankctl_out out[2];
  uint64_t cycle, tick_at, last_done;
  size_t done, reads_of[IDS];  // reads_of: 1 + the access with that id
  uint32_t last_id;
  // requests that the controller holds, oldest first
  size_t held[DRIVE_QUEUE];
  uint32_t n_held;
  count begin;
  char *why;
  size_t why_bytes;
} run;

static bool wrong(run *r, const char *what) {
  if (!*r->why)
    snprintf(r->why, r->why_bytes, "cycle %" PRIu64 ": %s", r->cycle, what);
  return false;
}

static void on_violation(void *ctx, const dram_violation *v) {
  run *r = ctx;
  if (!*r->why)
    snprintf(r->why, r->why_bytes, "%s", v->text);
}

static count count_now(const run *r) {
  count c = {.cycle = r->cycle};
  for (uint32_t cmd = 0; cmd < DRAM_CMDS; cmd++)
    c.commands[cmd] = dram_commands(r->arrays, cmd);
  for (uint32_t b = 0; b < DRAM_BANKS; b++)
    for (uint32_t k = 0; k < 4; k++)
      c.hits += dram_bank_rows(r->arrays, b)->hits[k];
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
  for (uint32_t k = 0; k < r->n_held; k++) {
    const size_t access = r->held[k];
    const stream_access *a = &r->accesses[access];
    if (a->bank != out->cmd_bank || a->row != out->cmd_row || a->col != out->cmd_col || a->we != we)
      continue;
    r->n_held--;
    memmove(&r->held[k], &r->held[k + 1], (r->n_held - k) * sizeof *r->held);
    if (we)
      finish_access(r, access,
                    r->cycle + (uint64_t)(dram_timing_default.CWL + dram_timing_default.burst));
    return true;
  }
  return wrong(r, "RD or WR for which there is no request");
}

static bool respond(run *r, const bankctl_out *out) {
  size_t *of = &r->reads_of[out->rsp_id % IDS];
  if (!*of)
    return wrong(r, "data with an id that no read has");
  finish_access(r, *of - 1, r->cycle);
  *of = 0;
  return true;
}

static uint64_t arrival(const run *r) {
  const stream_access *a = &r->accesses[r->next];
  return a->follows && a->arrival < r->follows_at ? r->follows_at : a->arrival;
}

static void offer(run *r) {
  const stream_access *a = &r->accesses[r->next];
  bankctl_in *in = &r->in;
  in->req_valid = r->next < r->n && r->n_held < r->config->queue && arrival(r) <= r->cycle;
  if (!in->req_valid)
    return;
  uint32_t id = r->last_id;
  if (!a->we)
    do
      id = (id + 1) % IDS;
    while (r->reads_of[id]);
  in->req_bank = a->bank;
  in->req_row = a->row;
  in->req_col = a->col;
  in->req_we = a->we;
  in->req_id = id;
  in->req_wmask = UINT32_MAX;
  in->req_wdata[0] = (uint32_t)r->next;
  if (!r->out->req_ready)
    return;
  r->last_id = id;
  r->arrival_of[r->next] = arrival(r);
  if (!a->we)
    r->reads_of[id] = r->next + 1;
  r->held[r->n_held++] = r->next++;
  r->follows_at = r->cycle + 1;
}

static bool step(run *r) {
  const drive_config *c = r->config;
  c->model->step(r->models[0], &r->in, &r->out[0]);
  if (c->second)
    c->second->step(r->models[1], &r->in, &r->out[1]);
  if (c->failed && c->failed(r->models[c->second != NULL]))
    return wrong(r, "a check of the Verilog is false");
  if (!c->second || !memcmp(&r->out[0], &r->out[1], sizeof r->out[0]))
    return true;
  char text[2048];
  snprintf(text, sizeof text, "%s and %s differ after this cycle\n", c->model->name,
           c->second->name);
  const size_t n = strlen(text);
  differ_ports(text + n, sizeof text - n, c->model, &r->out[0], &r->out[1]);
  return wrong(r, text);
}

static bool idle(const run *r) {
  const drive_config *c = r->config;
  return !r->in.req_valid && !r->in.ref_tick && !r->out->cmd && !r->out->rsp_valid &&
         !dram_busy(r->arrays) && c->model->idle(r->models[0]) &&
         (!c->second || c->second->idle(r->models[1]));
}

// A cycle, or those in which nothing happens.
static bool cycle(run *r) {
  const bankctl_out *out = r->out;
  if (out->rsp_valid && !respond(r, out))
    return false;
  r->in.ref_tick = r->config->refresh && r->cycle == r->tick_at ? ALL_BANKS : 0;
  if (r->in.ref_tick) {
    dram_due(r->arrays, r->cycle, ALL_BANKS);
    r->tick_at += (uint64_t)(dram_timing_default.tREFI / dram_timing_default.tCK);
  }
  const dram_pins pins = {out->cmd,     out->cmd_bank, out->cmd_row,
                          out->cmd_col, out->wdata,    out->wmask};
  dram_step(r->arrays, r->cycle, &pins, r->in.rdata);
  if ((out->cmd == DRAM_RD || out->cmd == DRAM_WR) && !serve(r, out))
    return false;
  offer(r);
  if (!step(r))
    return false;
  r->cycle++;
  if (r->next < r->n && idle(r)) {
    uint64_t to = arrival(r);
    if (r->config->refresh && r->tick_at < to)
      to = r->tick_at;
    if (to > r->cycle)
      r->cycle = to;
  }
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
}

static bool create(run *r) {
  const drive_config *c = r->config;
  dram_config arrays = dram_config_default();
  arrays.rows = c->rows;
  arrays.refresh = c->refresh ? DRAM_REF_DUE : DRAM_REF_OFF;
  // all bytes are the same ones: nobody looks at them here
  arrays.base = r->bytes;
  arrays.report = on_violation;
  arrays.ctx = r;
  r->arrays = dram_create(&arrays);
  r->latencies = calloc(r->n, sizeof *r->latencies);
  r->arrival_of = calloc(r->n, sizeof *r->arrival_of);
  r->models[0] = c->model->create();
  if (c->second)
    r->models[1] = c->second->create();
  r->in = (bankctl_in){.cfg_rows = c->rows, .cfg_closed = c->closed};
  if (!r->arrays || !r->latencies || !r->arrival_of || !r->models[0] ||
      (c->second && !r->models[1]))
    return wrong(r, "out of memory");
  const bool same = step(r);  // an edge in reset gives the first outputs
  r->in.rst_n = 1;
  return same;
}

bool drive(const drive_config *config, const stream_access *accesses, size_t n,
           drive_result *result, char *why, size_t why_bytes) {
  run r = {.config = config,
           .accesses = accesses,
           .n = n,
           .tick_at = (uint64_t)(dram_timing_default.tREFI / dram_timing_default.tCK),
           .why = why,
           .why_bytes = why_bytes};
  *why = 0;
  bool good = create(&r);
  uint64_t begun = 0;  // the cycle in which the last access was done or given
  for (size_t seen = 0; good && r.done < n;) {
    good = cycle(&r) && !*why;
    if (seen != r.done + r.next)
      seen = r.done + r.next, begun = r.cycle;
    else if (good && r.cycle - begun > PATIENCE && r.n_held)
      good = wrong(&r, "the controller does nothing more");
  }
  if (good) {
    dram_check(r.arrays, r.cycle);
    good = !*why;
  }
  if (good)
    summarize(&r, result);
  for (uint32_t k = 0; k < 2; k++)
    if (r.models[k])
      (k ? config->second : config->model)->destroy(r.models[k]);
  dram_destroy(r.arrays);
  free(r.latencies);
  free(r.arrival_of);
  return good;
}
