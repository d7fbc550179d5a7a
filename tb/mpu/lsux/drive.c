// SPDX-License-Identifier: Apache-2.0
// Random traffic for lsux: packets, their operands, banks that answer reads in any order, shared
// memory, a register file. A model that knows no time says what must come out, and in what order.
#include <inttypes.h>
#include <stdio.h>

#include "tb/cosim/cosim.h"
#include "traffic.h"
#include "csim/mpu/tsv_packet.h"
#define BLOCK lsux
#include "csim/base/block_declare.h"

enum {
  ANY,
  LINES,
  STREAM,
  SECTORS,
  ATOMICS,
  SHARED,
  FAULTS,
  WIDE,
  BASE_DIE,
  STARVED,
  SPARSE,
  MODES,
};
enum { LANES = MODEL_LANES, RING = 64, READS = 4 * 32 + 1, SHARED_MOST = 4, STUCK = 3000 };

static const char *const names[MODES] = {
    [ANY] = "any",           [LINES] = "lines",     [STREAM] = "stream", [SECTORS] = "sectors",
    [ATOMICS] = "atomics",   [SHARED] = "shared",   [FAULTS] = "faults", [WIDE] = "wide",
    [BASE_DIE] = "base die", [STARVED] = "starved", [SPARSE] = "sparse",
};

static const traffic traffics[MODES] = {
    [ANY] = {{4, 4, 2, 2, 2, 4, 1}, 80, 80, 60, 60, 4, 80},
    [LINES] = {{9, 0, 0, 0, 0, 0, 0}, 100, 0, 0, 100, 0, 80},
    [STREAM] = {{9, 0, 0, 0, 0, 0, 0}, 85, 0, 0, 0, 0, 0},
    [SECTORS] = {{0, 9, 0, 0, 0, 0, 0}, 100, 20, 60, 80, 0, 200},
    [ATOMICS] = {{0, 3, 0, 0, 4, 2, 1}, 20, 220, 0, 0, 0, 200},
    [SHARED] = {{0, 0, 0, 0, 0, 15, 1}, 80, 80, 50, 60, 0, 100},
    [FAULTS] = {{1, 0, 0, 0, 0, 9, 1}, 80, 80, 50, 80, 20, 100},
    [WIDE] = {{0, 6, 0, 0, 0, 9, 1}, 128, 0, 240, 0, 2, 100},
    [BASE_DIE] = {{0, 0, 6, 6, 4, 0, 0}, 0, 0, 0, 0, 0, 120},
    [STARVED] = {{4, 4, 2, 2, 1, 4, 1}, 80, 30, 60, 60, 4, 80},
    [SPARSE] = {{4, 4, 2, 2, 2, 4, 1}, 80, 60, 60, 60, 2, 80},
};

typedef struct driver {
  unsigned mode;
  bool fresh;
  // chances in 256, for a while
  unsigned cmd, opd, req, rsp, sm, answer, written, done, up, noise;
  uint32_t left;
  bool cmd_waits, opd_waits;
  model gold, mem;  // of mem the banks only
  model_packet next;
  // operand sets of packets that were taken
  model_operands operands[RING];
  uint32_t operands_head, operands_n;
  // reads that were not answered
  struct {
    uint32_t id;
    uint8_t data[MODEL_SECTOR];
  } reads[READS];
  uint32_t n_reads;
  // requests that shared memory took and did not answer, oldest first
  model_shared asked[SHARED_MOST];
  uint32_t asked_n;
  bool gather, gathered;  // it answers in runs, of as many as it can get
  // what must come out, oldest first
  model_write writes[RING];
  uint32_t writes_head, writes_n, writes_done;
  struct {
    uint32_t tag, writes, answers;  // after so many writes, and answers of shared memory
  } dones[RING];
  uint32_t dones_head, dones_n, writes_all;
  model_up ups[RING];
  uint32_t ups_head, ups_n;
  model_shared shared[RING];
  uint32_t shared_head, shared_n, shared_all, answers;
  uint32_t still;  // edges since an output changed, while busy

  lsux_out before;  // the edge
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  driver *d = state;
  *d = (driver){.mode = mode, .fresh = true};
  for (uint32_t r = 0; r < MODEL_ROWS; r++)
    d->gold.rows[r] = (r << 12 | rng_bits(rng, 12)) ^ (r & 1 ? 0x3fff : 0);
  rng_words(rng, (uint32_t *)(void *)d->gold.shared, sizeof d->gold.shared / 4);
  rng_words(rng, (uint32_t *)(void *)d->gold.banks, sizeof d->gold.banks / 4);
  memcpy(d->mem.rows, d->gold.rows, sizeof d->mem.rows);
  memcpy(d->mem.banks, d->gold.banks, sizeof d->mem.banks);
}

static void sizes(void *state, const void *table) {
  const structure *s = table;
  driver *d = state;
  d->gold.skews = s->skew;
}

static unsigned any_chance(cosim_rng *rng) {
  static const uint16_t often[] = {32, 64, 128, 192, 240, 256, 256};
  return RNG_PICK(rng, often);
}

static void next_phase(driver *d, cosim_rng *rng) {
  unsigned *chances[] = {&d->cmd,    &d->opd,     &d->req,  &d->rsp, &d->sm,
                         &d->answer, &d->written, &d->done, &d->up};
  enum { N = sizeof chances / sizeof *chances };
  d->left = 1 + rng_below(rng, 400);
  for (unsigned i = 0; i < N; i++)
    *chances[i] = d->mode == STREAM    ? 256
                  : d->mode == STARVED ? rng_range(rng, 10, 60)
                                       : any_chance(rng);
  if (d->mode == STARVED)
    *chances[rng_below(rng, N)] = 4;
  if (d->mode == SPARSE)
    d->cmd = 3;
  else if (d->mode == STARVED)
    d->cmd = 256;
  d->noise = rng_chance(rng, 128) ? 0 : 40;
  d->gather = rng_chance(rng, 80);
}

// ---- packets

static void expect(driver *d, const model_result *r, uint32_t tag) {
  for (uint32_t i = 0; i < r->n_writes; i++)
    d->writes[(d->writes_head + d->writes_n++) % RING] = r->writes[i];
  d->writes_all += r->n_writes;
  for (uint32_t i = 0; i < r->n_shared; i++)
    d->shared[(d->shared_head + d->shared_n++) % RING] = r->shared[i];
  d->shared_all += r->n_shared;
  if (r->done) {
    const uint32_t at = (d->dones_head + d->dones_n++) % RING;
    d->dones[at].tag = tag;
    d->dones[at].writes = d->writes_all;
    d->dones[at].answers = d->shared_all;
  }
  if (r->up)
    d->ups[(d->ups_head + d->ups_n++) % RING] = r->packet;
}

static void drive_packets(driver *d, cosim_rng *rng, lsux_in *in) {
  // operands come after the packet was taken
  if (!d->opd_waits) {
    in->opd_valid = d->operands_n && rng_chance(rng, d->opd);
    if (in->opd_valid) {
      const model_operands *o = &d->operands[d->operands_head];
      memcpy(in->opd_a, o->a, sizeof in->opd_a);
      memcpy(in->opd_b, o->b, sizeof in->opd_b);
      memcpy(in->opd_c, o->c, sizeof in->opd_c);
      d->operands_head = (d->operands_head + 1) % RING;
      d->operands_n--;
    }
  }
  d->opd_waits = in->opd_valid && !d->before.opd_ready;
  if (!d->cmd_waits) {
    in->cmd_valid = d->operands_n < RING / 2 && rng_chance(rng, d->cmd);
    if (in->cmd_valid) {
      model_result r;
      d->next = traffic_packet(&traffics[d->mode], rng, &d->gold);
      if (d->fresh && traffics[d->mode].weights[TRAFFIC_WIN] && rng_chance(rng, 200))
        d->next = traffic_packet(&(traffic){.weights = {[TRAFFIC_WIN] = 1}}, rng, &d->gold);
      else
        d->fresh = false;
      model_run(&d->gold, &d->next, &r);
      expect(d, &r, (uint32_t)tsv_get(d->next.head, TSV_DN_ANY_TAG));
      in->cmd_head[0] = (uint32_t)d->next.head;
      in->cmd_head[1] = (uint32_t)(d->next.head >> 32);
      memcpy(in->cmd_body, d->next.body, sizeof in->cmd_body);
    }
  }
  d->cmd_waits = in->cmd_valid && !d->before.cmd_ready;
  if (in->cmd_valid && !d->cmd_waits)
    for (uint32_t i = 0; i < d->next.n_operands; i++)
      d->operands[(d->operands_head + d->operands_n++) % RING] = d->next.operands[i];
}

// ---- what is around the block

static void take_request(driver *d) {
  const lsux_out *out = &d->before;
  uint8_t *sector = model_sector(&d->mem, out->req_row, out->req_col, out->req_bank);
  if (!sector)
    return;
  if (out->req_we) {
    for (uint32_t i = 0; i < MODEL_SECTOR; i++)
      if (out->req_wmask >> i & 1)
        sector[i] = (uint8_t)(out->req_wdata[i / 4] >> 8 * (i % 4));
  } else if (d->n_reads < READS) {
    d->reads[d->n_reads].id = out->req_id;
    memcpy(d->reads[d->n_reads++].data, sector, MODEL_SECTOR);
  }
}

static void drive_banks(driver *d, cosim_rng *rng, lsux_in *in) {
  in->rsp_valid = d->n_reads && rng_chance(rng, d->rsp);
  if (in->rsp_valid) {  // any of them, for the most part the oldest
    const uint32_t i = rng_chance(rng, 160) ? 0 : rng_below(rng, d->n_reads);
    in->rsp_id = d->reads[i].id;
    memcpy(in->rsp_data, d->reads[i].data, sizeof in->rsp_data);
    memmove(&d->reads[i], &d->reads[i + 1], (--d->n_reads - i) * sizeof d->reads[0]);
  } else if (rng_chance(rng, d->noise)) {
    in->rsp_id = rng_bits(rng, 8);
    rng_words(rng, in->rsp_data, 8);
  }
  in->req_ready = rng_chance(rng, d->req);
  if (d->before.req_valid && in->req_ready)
    take_request(d);
}

// The oldest request is answered, one edge after it was taken or later.
static void drive_shared(driver *d, cosim_rng *rng, lsux_in *in) {
  d->gathered = d->asked_n && (d->gathered || d->asked_n == SHARED_MOST || rng_chance(rng, 8));
  in->sm_rvalid = d->gather ? d->gathered : d->asked_n && rng_chance(rng, d->answer);
  if (in->sm_rvalid) {
    for (uint32_t l = 0; l < LANES; l++)
      if (d->asked[0].mask >> l & 1 && d->asked[0].op != TSV_MOP_ST)
        in->sm_rdata[l] = d->asked[0].old[l];
    memmove(&d->asked[0], &d->asked[1], --d->asked_n * sizeof d->asked[0]);
    d->answers++;
  } else if (rng_chance(rng, d->noise)) {
    rng_words(rng, in->sm_rdata, LANES);
  }
  in->sm_ready = d->asked_n < SHARED_MOST && rng_chance(rng, d->sm);
  if (d->before.sm_valid && in->sm_ready)
    d->asked[d->asked_n++] = d->shared[d->shared_head];
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  driver *d = state;
  lsux_in *in = inputs;
  d->before = *(const lsux_out *)outputs;
  if (!d->left--)
    next_phase(d, rng);
  drive_packets(d, rng, in);
  drive_banks(d, rng, in);
  drive_shared(d, rng, in);
  in->w_done = d->before.w_valid && rng_chance(rng, d->written);
  in->done_ready = rng_chance(rng, d->done);
  in->up_ready = rng_chance(rng, d->up);
}

// ---- scoreboard

static bool check_write(driver *d, const lsux_in *in, const lsux_out *out, char *why, size_t n) {
  if (d->before.w_valid && in->w_done) {
    d->writes_head = (d->writes_head + 1) % RING;
    d->writes_n--;
    d->writes_done++;
  }
  if (!out->w_valid)
    return d->before.w_valid && !in->w_done ? snprintf(why, n, "a write is gone"), false : true;
  const model_write *w = &d->writes[d->writes_head];
  if (!d->writes_n)
    return snprintf(why, n, "a write too many"), false;
  if (out->w_reg != w->reg || out->w_mask != w->mask)
    return snprintf(why, n,
                    "register %" PRIu32 ", lanes %08" PRIx32 ", not %" PRIu32 ", %08" PRIx32,
                    out->w_reg, out->w_mask, w->reg, w->mask),
           false;
  for (uint32_t l = 0; l < LANES; l++)
    if (w->mask >> l & 1 && out->w_data[l] != w->data[l])
      return snprintf(why, n, "lane %" PRIu32 " is %08" PRIx32 ", not %08" PRIx32, l,
                      out->w_data[l], w->data[l]),
             false;
  return true;
}

static bool check_done(driver *d, const lsux_in *in, const lsux_out *out, char *why, size_t n) {
  if (d->before.done_valid && in->done_ready) {
    d->dones_head = (d->dones_head + 1) % RING;
    d->dones_n--;
  }
  if (!out->done_valid)
    return d->before.done_valid && !in->done_ready ? snprintf(why, n, "a completion is gone"),
           false                                   : true;
  if (!d->dones_n || out->done_tag != d->dones[d->dones_head].tag)
    return snprintf(why, n, "completion of %02" PRIx32, out->done_tag), false;
  if (d->writes_done < d->dones[d->dones_head].writes)
    return snprintf(why, n, "completion of %02" PRIx32 " before its write", out->done_tag), false;
  if (d->answers < d->dones[d->dones_head].answers)
    return snprintf(why, n, "completion of %02" PRIx32 " before its answer", out->done_tag), false;
  return true;
}

static bool check_up(driver *d, const lsux_in *in, const lsux_out *out, char *why, size_t n) {
  if (d->before.up_valid && in->up_ready) {
    d->ups_head = (d->ups_head + 1) % RING;
    d->ups_n--;
  }
  if (!out->up_valid)
    return d->before.up_valid && !in->up_ready ? snprintf(why, n, "a packet is gone"), false : true;
  const model_up *u = &d->ups[d->ups_head];
  if (!d->ups_n || tsv_flit(out->up_head) != u->head || out->up_len != u->len)
    return snprintf(why, n, "head %016" PRIx64 ", not %016" PRIx64, tsv_flit(out->up_head),
                    u->head),
           false;
  if (u->len && memcmp(out->up_body, u->body, sizeof u->body))
    return snprintf(why, n, "body of %016" PRIx64, u->head), false;
  return true;
}

static uint32_t bits_at(const uint32_t *words, uint32_t at, uint32_t n) {
  uint64_t x = words[at / 32];
  if (at % 32 + n > 32)
    x |= (uint64_t)words[at / 32 + 1] << 32;
  return (uint32_t)(x >> at % 32) & ((1u << n) - 1);
}

static bool check_shared(driver *d, const lsux_in *in, const lsux_out *out, char *why, size_t n) {
  if (d->before.sm_valid && in->sm_ready) {
    d->shared_head = (d->shared_head + 1) % RING;
    d->shared_n--;
  }
  if (!out->sm_valid)
    return d->before.sm_valid && !in->sm_ready
           ? snprintf(why, n, "a request to shared memory is gone"),
           false : true;
  if (d->asked_n == SHARED_MOST)
    return snprintf(why, n, "more than four requests to shared memory under way"), false;
  const model_shared *s = &d->shared[d->shared_head];
  if (!d->shared_n || out->sm_op != s->op || out->sm_mask != s->mask ||
      out->sm_sgn != (s->mtype == TSV_MTYPE_S32) || out->sm_f32 != (s->mtype == TSV_MTYPE_F32))
    return snprintf(why, n, "request to shared memory"), false;
  for (uint32_t l = 0; l < LANES; l++) {
    if (!(s->mask >> l & 1))
      continue;
    const bool good = bits_at(out->sm_addr, 14 * l, 14) == s->addr[l] &&
                      (s->op != TSV_MOP_ST || bits_at(out->sm_be, 4 * l, 4) == s->be[l]) &&
                      (s->op == TSV_MOP_LD || out->sm_b[l] == s->b[l]) &&
                      (s->op != TSV_MOP_ATOM + 9 || out->sm_c[l] == s->c[l]);
    if (!good)
      return snprintf(why, n, "request to shared memory, lane %" PRIu32, l), false;
  }
  return true;
}

static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const lsux_in *in = inputs;
  const lsux_out *out = outputs;
  if (!check_write(d, in, out, why, n) || !check_done(d, in, out, why, n) ||
      !check_up(d, in, out, why, n) || !check_shared(d, in, out, why, n))
    return false;
  if (out->req_valid && !model_sector(&d->mem, out->req_row, out->req_col, out->req_bank))
    return snprintf(why, n, "a request to row %" PRIu32, out->req_row), false;
  d->still = out->busy && !memcmp(out, &d->before, sizeof *out) ? d->still + 1 : 0;
  if (d->still == STUCK)
    return snprintf(why, n, "busy, but no output has changed for %d edges", STUCK), false;
  if (out->busy || !d->before.busy || in->cmd_valid)
    return true;
  if (d->writes_n || d->dones_n || d->ups_n || d->shared_n || d->operands_n || d->n_reads ||
      d->asked_n)
    return snprintf(why, n, "not busy, but something is missing"), false;
  if (memcmp(d->mem.banks, d->gold.banks, sizeof d->mem.banks))
    return snprintf(why, n, "the banks hold something else"), false;
  return true;
}

static bool quiet(const void *inputs) {
  const lsux_in *in = inputs;
  return !in->cmd_valid && !in->opd_valid;
}

const cosim_driver lsux_driver = {
    .block = "lsux",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .sizes = sizes,
    .drive = drive,
    .check = check,
    .quiet = quiet,
};
