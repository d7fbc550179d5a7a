// SPDX-License-Identifier: Apache-2.0
#include "rig.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "csim/dram/channel.h"

static const size_t MEMORY = (size_t)DRAM_BANKS * DRAM_ROWS * DRAM_COLS * DRAM_BYTES;

uint64_t rig_random(rig *r) {
  uint64_t x = r->random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  r->random = x;
  return x * 0x2545f4914f6cdd1du >> 16;
}

static void wrong(rig *r, const char *format, ...) {
  if (*r->error)
    return;
  va_list args;
  va_start(args, format);
  const int n = snprintf(r->error, sizeof r->error, "cycle %" PRIu64 ": ", r->cycle);
  vsnprintf(r->error + n, sizeof r->error - (size_t)n, format, args);
  va_end(args);
}

static void on_violation(void *ctx, const dram_violation *v) {
  wrong(ctx, "%s", v->text);
}

bool rig_init(rig *r, uint64_t seed, uint32_t rows, bool closed, const dram_timing *timing) {
  *r = (rig){.random = seed * 0x9e3779b97f4a7c15u | 1};
  for (uint32_t i = 0; i < 8; i++)
    rig_random(r);
  channel_config config = channel_config_default();
  config.row_buffers = rows, config.closed = closed;
  config.refresh = CHANNEL_GIVEN;
  config.noise = true;
  if (timing)
    config.timing = *timing;
  channel_straps straps;
  char why[128];
  if (!channel_straps_of(&config, &straps, why, sizeof why))
    return false;
  r->in.rst_n = 1;
  r->in.cfg_rows = straps.rows;
  r->in.cfg_closed = straps.closed;
  memcpy(r->in.cfg_times, straps.times, sizeof straps.times);
  void *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  r->memory = memory;
  r->arrays = channel_arrays(&config, on_violation, r);
  return r->arrays;
}

void rig_free(rig *r) {
  dram_destroy(r->arrays);
  if (r->memory)
    munmap(r->memory, MEMORY);
}

static size_t offset_of(uint32_t bank, uint32_t row, uint32_t col) {
  return (((size_t)bank * DRAM_ROWS + row) * DRAM_COLS + col) * DRAM_BYTES;
}

const char *const rig_timing_names[RIG_TIMINGS] = {"default", "slow DDR4", "ten times"};

dram_timing rig_timing(uint32_t n) {
  dram_timing t = dram_timing_default;
  if (n == 1) {
    t.tRCD = 16000, t.tRP = 16000, t.tRAS = 39000, t.tRC = t.tRAS + t.tRP;
    t.tRFC = 420000, t.tREFI = 9360000;
  }
  if (n == 2) {
#define TEN_TIMES(name, value) t.name *= 10;
    DRAM_TIMING(TEN_TIMES, TEN_TIMES)
#undef TEN_TIMES
    t.tCK = dram_timing_default.tCK, t.pins = dram_timing_default.pins;
  }
  return t;
}

dram_timing rig_timing_random(uint64_t *random) {
  dram_timing t = dram_timing_default;
  bankctl_times times;
  char why[128];
  do {
    // up to twice, six or 24 times the default, or nothing
    static const int64_t most[] = {2, 6, 24, 1};
    const int64_t up_to = most[*random >> 20 & 3];
#define ANY_TIME(name, value)                                      \
  *random = *random * 6364136223846793005u + 1442695040888963407u; \
  t.name = 1 + (int64_t)(*random >> 33) % (up_to * dram_timing_default.name);
#define ANY_PS(name, value) ANY_TIME(name, value) t.name = (t.name + 999) / 1000 * 1000;
    DRAM_TIMING(ANY_PS, ANY_TIME)
#undef ANY_PS
#undef ANY_TIME
    t.tCK = dram_timing_default.tCK, t.pins = dram_timing_default.pins;
    t.tRC = t.tRAS + t.tRP;
  } while (!bankctl_times_of(&t, &times, why, sizeof why));
  return t;
}

void rig_warm_reset(rig *r, const bankctl_out *out) {
  const dram_pins pins = bankctl_pins(out);
  dram_step(r->arrays, r->cycle++, &pins, r->in.rdata);
  // what had not reached the arrays is lost
  r->offering = false;
  r->outstanding = 0;
  memset(r->by_id, 0, sizeof r->by_id);
  r->reads = dram_commands(r->arrays, DRAM_RD);
  r->writes = dram_commands(r->arrays, DRAM_WR);
  for (uint32_t bank = 0; bank < DRAM_BANKS; bank++)
    for (uint32_t row = 0; row < DRAM_ROWS; row++)
      if (r->written[bank][row / 32] >> row % 32 & 1)
        memcpy(r->memory + offset_of(bank, row, 0), dram_access(r->arrays, bank, row, 0),
               DRAM_COLS * DRAM_BYTES);
}

void rig_source_set(rig *r, rig_source *source, void *ctx) {
  r->source = source;
  r->ctx = ctx;
}

void rig_refresh_set(rig *r, rig_refresh refresh) {
  if (!refresh.bunch)
    refresh.bunch = 1;
  r->refresh = refresh;
  const uint64_t period = (uint64_t)refresh.interval * refresh.bunch;
  for (uint32_t b = 0; b < DRAM_BANKS; b++) {
    r->ticks_left[b] = 0;
    r->tick_at[b] = r->cycle + period - (refresh.stagger ? b * period / DRAM_BANKS : 0);
  }
}

// Ticks of this cycle. A bunch comes a tick a cycle.
static uint32_t ticks(rig *r) {
  uint32_t mask = 0;
  if (!r->refresh.interval)
    return 0;
  for (uint32_t b = 0; b < DRAM_BANKS; b++) {
    if (r->cycle >= r->tick_at[b]) {
      r->ticks_left[b] += r->refresh.bunch;
      r->tick_at[b] += (uint64_t)r->refresh.interval * r->refresh.bunch;
    }
    if (r->ticks_left[b]) {
      r->ticks_left[b]--;
      mask |= 1u << b;
      r->ticks++;
    }
  }
  if (mask)
    dram_due(r->arrays, r->cycle, mask);
  return mask;
}

static void response(rig *r, const bankctl_out *out) {
  rig_outstanding *o = &r->by_id[out->rsp_id % RIG_IDS];
  if (!o->busy) {
    wrong(r, "data with id %u, which no read has", out->rsp_id);
    return;
  }
  if (memcmp(out->rsp_data, o->want, DRAM_BYTES)) {
    uint32_t want;
    memcpy(&want, o->want, sizeof want);
    wrong(r, "bank %u row %u col %u, taken in cycle %" PRIu64 ": wrong data, %08x... not %08x...",
          o->request.bank, o->request.row, o->request.col, o->taken, out->rsp_data[0], want);
  }
  o->busy = false;
  r->outstanding--;
  r->responses++;
  r->last_response = r->cycle;
  r->last_latency = r->cycle - o->taken;
  r->latency_sum += r->last_latency;
  if (r->last_latency > r->latency_max)
    r->latency_max = r->last_latency;
  if (r->on_response)
    r->on_response(r->ctx, o, r->last_latency);
}

// Most ids have the bank in their low bits, and of the banks of a line the same in the others, so
// that the controller may make one entry of them.
static uint32_t next_id(rig *r, const rig_request *q) {
  const rig_request *last = &r->last;
  uint32_t id = (r->last_id & ~3u) | q->bank;
  if (r->last_id % 4 == last->bank && last->row == q->row && last->col == q->col &&
      last->we == q->we && last->bank != q->bank && !r->by_id[id].busy)
    return id;
  id = r->last_id;
  do {
    id = (id + 1 + (uint32_t)rig_random(r) % 5) % RIG_IDS;
    if (r->lines || rig_random(r) % 8)
      id = (id & ~3u) | q->bank;
  } while (r->by_id[id].busy);
  return id;
}

static void offer(rig *r) {
  bankctl_in *in = &r->in;
  rig_request q = {0};
  in->req_valid = 0;
  uint32_t id = r->last_id;
  if (r->outstanding < RIG_IDS && r->source && r->source(r->ctx, r->cycle, &q)) {
    id = next_id(r, &q);
    r->last_id = id;
    r->last = q;
    r->offering = true;
    r->offered = r->cycle;
    in->req_valid = 1;
  } else if (r->cycle % 4) {
    return;
  } else {
    const uint64_t x = rig_random(r);
    q = (rig_request){x & 3, x >> 2 & 0x3fff, x >> 16 & 31, x >> 21 & 1, (uint32_t)(x >> 5)};
    id = x >> 22 & 255;
  }
  in->req_bank = q.bank;
  in->req_row = q.row;
  in->req_col = q.col;
  in->req_we = q.we;
  in->req_id = id;
  in->req_wmask = q.mask;
  for (uint32_t i = 0; i < DRAM_WORDS; i++)
    in->req_wdata[i] = (uint32_t)rig_random(r);
}

static void taken(rig *r) {
  const bankctl_in *in = &r->in;
  uint8_t *memory = r->memory + offset_of(in->req_bank, in->req_row, in->req_col);
  r->offering = false;
  r->waiting += r->cycle - r->offered;
  if (in->req_we) {
    uint8_t from[DRAM_BYTES];
    memcpy(from, in->req_wdata, sizeof from);
    for (uint32_t i = 0; i < DRAM_BYTES; i++)
      if (in->req_wmask >> i & 1)
        memory[i] = from[i];
    r->written[in->req_bank][in->req_row / 32] |= 1u << in->req_row % 32;
    r->writes++;
    return;
  }
  rig_outstanding *o = &r->by_id[in->req_id];
  *o = (rig_outstanding){
      .busy = true,
      .request = {in->req_bank, in->req_row, in->req_col, false, 0},
      .taken = r->cycle,
  };
  memcpy(o->want, memory, DRAM_BYTES);
  r->outstanding++;
  r->reads++;
}

const bankctl_in *rig_cycle(rig *r, const bankctl_out *out) {
  if (out->rsp_valid)
    response(r, out);
  // before the command: a refresh in the cycle of its tick is in time
  r->in.ref_tick = ticks(r);
  const dram_pins pins = bankctl_pins(out);
  dram_step(r->arrays, r->cycle, &pins, r->in.rdata);
  if (!r->offering)
    offer(r);
  if (r->offering && out->req_ready)
    taken(r);
  r->cycle++;
  return &r->in;
}

bool rig_quiet(const rig *r, const bankctl_out *out) {
  return !r->offering && !r->outstanding && !out->busy && !out->cmd && !dram_busy(r->arrays);
}

void rig_finish(rig *r) {
  dram_check(r->arrays, r->cycle);
  if (r->outstanding)
    wrong(r, "%u reads have no data yet", r->outstanding);
  // as many writes as there should be, and what they wrote is there: so it is nowhere else
  if (dram_commands(r->arrays, DRAM_RD) != r->reads ||
      dram_commands(r->arrays, DRAM_WR) != r->writes)
    wrong(r, "other numbers of RD and WR than of reads and writes");
  for (uint32_t bank = 0; bank < DRAM_BANKS; bank++)
    for (uint32_t row = 0; row < DRAM_ROWS; row++) {
      const size_t bytes = DRAM_COLS * DRAM_BYTES;
      if (!(r->written[bank][row / 32] >> row % 32 & 1))
        continue;
      if (memcmp(dram_access(r->arrays, bank, row, 0), r->memory + offset_of(bank, row, 0), bytes))
        wrong(r, "bank %u row %u: other bytes in the arrays than were written", bank, row);
    }
}
