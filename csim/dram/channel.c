// SPDX-License-Identifier: Apache-2.0
#include "channel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR = 4096 };

struct channel {
  channel_config config;
  dram *arrays;
  void *models[2];
  bankctl_in in;
  bankctl_out out[2];
  uint64_t cycle, tick_at;
  char error[ERROR];
};

channel_config channel_config_default(void) {
  return (channel_config){.geometry = dram_geometry_default,
                          .timing = dram_timing_default,
                          .row_buffers = 4,
                          .refresh = CHANNEL_TICKS};
}

bool channel_straps_of(const channel_config *c, channel_straps *straps, char *why,
                       size_t why_bytes) {
  bankctl_times times;
  if (!bankctl_times_of(&c->timing, &times, why, why_bytes))
    return false;
  *straps = (channel_straps){.rows = c->row_buffers, .closed = c->closed};
  bankctl_times_put(&times, straps->times);
  return true;
}

dram *channel_arrays(const channel_config *c, void (*report)(void *, const dram_violation *),
                     void *ctx) {
  dram_config d = dram_config_default();
  d.geometry = c->geometry, d.timing = c->timing;
  d.rows = c->row_buffers;
  d.refresh = c->refresh == CHANNEL_NO_REFRESH ? DRAM_REF_OFF : DRAM_REF_DUE;
  d.noise = c->noise;
  if (c->name)
    d.name = c->name;
  d.base = c->base, d.bank_stride = c->bank_stride, d.row = c->row, d.col = c->col;
  d.written = c->written, d.origin = c->origin, d.like = c->like;
  d.moved = c->moved, d.places = c->places;
  d.report = report, d.ctx = ctx;
  return dram_create(&d);
}

static bool wrong(channel *c, const char *what) {
  if (!*c->error)
    snprintf(c->error, sizeof c->error, "cycle %" PRIu64 ": %s", c->cycle, what);
  return false;
}

static void on_violation(void *ctx, const dram_violation *v) {
  channel *c = ctx;
  if (!*c->error)
    snprintf(c->error, sizeof c->error, "%s", v->text);
}

static uint64_t interval(const channel *c) {
  return (uint64_t)(c->config.timing.tREFI / c->config.timing.tCK);
}

static bool step(channel *c) {
  const channel_config *k = &c->config;
  k->model->step(c->models[0], &c->in, &c->out[0]);
  if (k->second)
    k->second->step(c->models[1], &c->in, &c->out[1]);
  if (k->failed && k->failed(c->models[k->second != NULL]))
    return wrong(c, "a check of the Verilog failed");
  if (!k->second || !memcmp(&c->out[0], &c->out[1], sizeof c->out[0]))
    return true;
  char text[2048];
  snprintf(text, sizeof text, "%s and %s differ after this cycle\n", k->model->name,
           k->second->name);
  const size_t n = strlen(text);
  if (k->differ)
    k->differ(text + n, sizeof text - n, k->model, &c->out[0], &c->out[1]);
  return wrong(c, text);
}

static void *make_twin(const channel_config *k) {
  bankctl *b = malloc(sizeof *b);
  if (b)
    bankctl_init_sizes(b, k->queue ? k->queue : BANKCTL_DEPTH, k->geometry.subarrays);
  return b;
}

static bool create(channel *c, bool twin) {
  const channel_config *k = &c->config;
  channel_straps straps;
  if (!channel_straps_of(k, &straps, c->error, sizeof c->error))
    return false;
  c->arrays = channel_arrays(k, on_violation, c);
  c->models[0] = twin ? make_twin(k) : k->model->create(NULL);
  if (k->second)
    c->models[1] = k->second->create(NULL);
  if (!c->arrays || !c->models[0] || (k->second && !c->models[1]))
    return wrong(c, "out of memory");
  c->tick_at = interval(c);
  c->in.cfg_rows = straps.rows, c->in.cfg_closed = straps.closed;
  memcpy(c->in.cfg_times, straps.times, sizeof straps.times);
  const bool good = step(c);  // an edge in reset gives the first outputs
  c->in.rst_n = 1;
  return good;
}

channel *channel_new(const channel_config *config, char *why, size_t why_bytes) {
  channel *c = calloc(1, sizeof *c);
  if (!c) {
    snprintf(why, why_bytes, "out of memory");
    return NULL;
  }
  c->config = *config;
  if (!c->config.model)
    c->config.model = &bankctl_twin;
  if (create(c, !config->model))
    return c;
  snprintf(why, why_bytes, "%s", c->error);
  channel_free(c);
  return NULL;
}

void channel_free(channel *c) {
  if (!c)
    return;
  if (c->models[0])
    c->config.model->destroy(c->models[0]);
  if (c->models[1])
    c->config.second->destroy(c->models[1]);
  dram_destroy(c->arrays);
  free(c);
}

void channel_pins(channel *c) {
  const bankctl_out *out = c->out;
  // before the command: a refresh in the cycle of its tick is in time
  c->in.ref_tick = 0;
  if (c->config.refresh == CHANNEL_TICKS && c->cycle == c->tick_at) {
    c->in.ref_tick = (1u << c->config.geometry.banks) - 1;
    dram_due(c->arrays, c->cycle, c->in.ref_tick);
    c->tick_at += interval(c);
  }
  const dram_pins pins = bankctl_pins(out);
  dram_step(c->arrays, c->cycle, &pins, c->in.rdata);
}

bool channel_clock(channel *c, const channel_request *q) {
  bankctl_in *in = &c->in;
  if (*c->error)
    return false;
  in->req_valid = q != NULL;
  if (q) {
    in->req_bank = q->bank, in->req_row = q->row, in->req_col = q->col;
    in->req_we = q->we, in->req_id = q->id, in->req_wmask = q->wmask;
    if (q->we)
      memcpy(in->req_wdata, q->wdata, sizeof in->req_wdata);
  }
  if (!step(c))
    return false;
  c->cycle++;
  return true;
}

const bankctl_out *channel_out(const channel *c) {
  return c->out;
}

uint64_t channel_cycle(const channel *c) {
  return c->cycle;
}

bool channel_idle(const channel *c) {
  const channel_config *k = &c->config;
  return !c->in.req_valid && !c->in.ref_tick && !c->out->cmd && !c->out->rsp_valid &&
         !dram_busy(c->arrays) && k->model->idle(c->models[0]) &&
         (!k->second || k->second->idle(c->models[1]));
}

void channel_skip(channel *c, uint64_t cycle) {
  if (c->config.refresh == CHANNEL_TICKS && c->tick_at < cycle)
    cycle = c->tick_at;
  if (cycle > c->cycle)
    c->cycle = cycle;
}

dram *channel_dram(channel *c) {
  return c->arrays;
}

void *channel_controller(channel *c) {
  return c->models[c->config.second != NULL];
}

const bankctl_in *channel_in(const channel *c) {
  return &c->in;
}

const char *channel_error(const channel *c) {
  return *c->error ? c->error : NULL;
}
