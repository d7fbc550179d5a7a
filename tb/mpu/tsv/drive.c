// SPDX-License-Identifier: Apache-2.0
// Random traffic for the endpoint of the TSVs. The scoreboard reads the flits on its own: packets
// that leave are those that came, in order, whole, with no bit that nobody sent.
#include <inttypes.h>
#include <stdio.h>

#include "tb/cosim/cosim.h"
#include "csim/isa/isa.h"
#include "csim/mpu/tsv_packet.h"
#define BLOCK tsv
#include "csim/base/block_declare.h"

enum { ANY, FLOOD, STARVED, NO_CREDIT, LONG, SHORT, SPARSE, MODES };
enum { BODY = 16, PACKETS = 128 };

static const char *const names[MODES] = {
    [ANY] = "any",   [FLOOD] = "flood", [STARVED] = "starved", [NO_CREDIT] = "no credit",
    [LONG] = "long", [SHORT] = "short", [SPARSE] = "sparse",
};

typedef struct packet {
  uint64_t head, body[BODY];
  uint32_t len, got;
} packet;

typedef struct driver {
  unsigned mode;
  uint32_t flits;  // a cycle
  bool fresh;      // out of reset
  // chances in 256, for a while
  unsigned dn, two, rx, tx, take, credit, release;
  uint32_t left;
  // what is being sent down, and up
  packet down;
  uint32_t down_at, room, outstanding;
  bool tx_waits;
  // scoreboard
  tsv_out before;  // the edge
  packet in[PACKETS];
  uint32_t in_head, in_n;  // the last one may be incomplete
  uint32_t owed;           // flits that came and were not credited
  uint64_t up[2 * (1 + BODY)];
  uint32_t up_n, credits;
  uint32_t body[2 * BODY];  // of the last packet with one
  bool holds;               // it is needed until rx_release
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  (void)rng;
  driver *d = state;
  *d = (driver){.mode = mode, .fresh = true};
}

static void sizes(void *state, const void *table) {
  const structure *s = table;
  driver *d = state;
  d->room = s->rx_depth, d->credits = s->up_credits, d->flits = s->flits;
}

static unsigned any_chance(cosim_rng *rng) {
  static const uint16_t often[] = {0, 16, 64, 128, 192, 240, 256, 256};
  return RNG_PICK(rng, often);
}

static void next_phase(driver *d, cosim_rng *rng) {
  d->left = 1 + rng_below(rng, 150);
  d->dn = any_chance(rng);
  d->two = any_chance(rng);
  d->rx = any_chance(rng);
  d->tx = any_chance(rng);
  d->take = any_chance(rng);
  d->credit = any_chance(rng);
  d->release = any_chance(rng);
  if (d->mode == FLOOD)
    d->dn = d->two = d->rx = d->tx = d->take = d->credit = d->release =
        rng_chance(rng, 200) ? 256 : 240;
  if (d->mode == STARVED) {
    d->dn = d->two = 256;
    d->rx = rng_below(rng, 80);
    d->release = rng_range(rng, 8, 256);
  }
  if (d->mode == NO_CREDIT) {
    d->tx = d->take = 256;
    d->credit = rng_below(rng, 80);
  }
  if (d->mode == SPARSE) {
    d->left = 20 + rng_below(rng, 60);
    d->rx = d->take = d->credit = 256, d->release = rng_range(rng, 8, 256);
    d->dn = d->tx = rng_chance(rng, 128) ? 0 : 40;
  }
}

static uint32_t any_length(const driver *d, cosim_rng *rng) {
  if (d->mode == LONG)
    return BODY - rng_below(rng, 4);
  if (d->mode == SHORT)
    return rng_below(rng, 3);
  return rng_chance(rng, 128) ? rng_below(rng, BODY + 1) : rng_below(rng, 4);
}

static uint64_t any_flit(cosim_rng *rng) {
  const uint64_t low = rng_value(rng);
  return low | (uint64_t)rng_value(rng) << 32;
}

// The length of an EXEC packet, from the words that follow.
static uint32_t exec_length(uint64_t head) {
  uint32_t words = 0;
  const uint64_t op = head >> 12 & 127;
  words += (uint32_t)(head >> 63 & 1);
  words += (head >> 58 & 3) != 0 || op == ISA_OP_LOP3;
  words += op == ISA_OP_SELP;
  return words / 2 + words % 2;
}

static packet any_packet(const driver *d, cosim_rng *rng) {
  packet p = {.head = rng_next(rng), .len = any_length(d, rng)};
  if (rng_chance(rng, 80)) {
    static const uint8_t ops[] = {ISA_OP_LOP3, ISA_OP_SELP, 0, 127};
    p.head &= ~15ull;
    if (rng_chance(rng, 160))
      p.head = (p.head & ~(127ull << 12)) | (uint64_t)RNG_PICK(rng, ops) << 12;
    if (rng_chance(rng, 100))
      p.head &= ~(3ull << 58);
    p.len = exec_length(p.head);
  } else {
    p.head = (p.head & ~(15ull | 31ull << 12)) | rng_range(rng, 1, 15) | (uint64_t)p.len << 12;
  }
  for (uint32_t i = 0; i < p.len; i++)
    p.body[i] = any_flit(rng);
  return p;
}

static void put_flit(uint32_t *to, uint64_t flit) {
  to[0] = (uint32_t)flit;
  to[1] = (uint32_t)(flit >> 32);
}

static void drive_down(driver *d, cosim_rng *rng, tsv_in *in) {
  d->room += d->before.dn_credit;
  in->dn_count = rng_chance(rng, d->dn) ? 1 + rng_chance(rng, d->two) : 0;
  const uint32_t most = d->room < d->flits ? d->room : d->flits;
  if (in->dn_count > most)
    in->dn_count = most;
  d->room -= in->dn_count;
  for (uint32_t i = 0; i < in->dn_count; i++) {
    if (d->down_at == 0)
      d->down = any_packet(d, rng);
    put_flit(&in->dn_data[2 * i], d->down_at ? d->down.body[d->down_at - 1] : d->down.head);
    d->down_at = d->down_at == d->down.len ? 0 : d->down_at + 1;
  }
  for (uint32_t i = in->dn_count; i < d->flits && rng_chance(rng, 64); i++)
    put_flit(&in->dn_data[2 * i], rng_next(rng));
}

static void drive_up(driver *d, cosim_rng *rng, tsv_in *in) {
  if (!d->tx_waits) {
    in->tx_valid = rng_chance(rng, d->tx);
    if (in->tx_valid) {
      put_flit(in->tx_head, rng_next(rng));
      in->tx_len = any_length(d, rng);
      rng_words(rng, in->tx_body, 2 * BODY);
    }
  }
  d->tx_waits = in->tx_valid && !d->before.tx_ready;
  in->up_take = 0;
  if (d->before.up_count && rng_chance(rng, d->take))
    in->up_take =
        rng_chance(rng, 200) ? d->before.up_count : rng_below(rng, d->before.up_count + 1);
  in->up_credit = 0;
  if (d->outstanding && rng_chance(rng, d->credit))
    in->up_credit = rng_range(rng, 1, d->outstanding < 3 ? d->outstanding : 3);
  d->outstanding += in->up_take - in->up_credit;
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  driver *d = state;
  tsv_in *in = inputs;
  d->before = *(const tsv_out *)outputs;
  if (d->fresh)  // reset leaves the body as it is
    memcpy(d->body, d->before.rx_body, sizeof d->body);
  d->fresh = false;
  if (!d->left--)
    next_phase(d, rng);
  drive_down(d, rng, in);
  in->rx_ready = rng_chance(rng, d->rx);
  in->rx_release = d->holds && rng_chance(rng, d->release);
  drive_up(d, rng, in);
}

// ---- scoreboard

static void flit_came(driver *d, uint64_t flit) {
  packet *last = &d->in[(d->in_head + d->in_n - 1) % PACKETS];
  if (d->in_n && last->got < last->len) {
    last->body[last->got++] = flit;
    return;
  }
  packet *p = &d->in[(d->in_head + d->in_n++) % PACKETS];
  *p = (packet){.head = flit, .len = flit & 15 ? flit >> 12 & 31 : exec_length(flit)};
}

static bool check_rx(driver *d, const tsv_in *in, const tsv_out *out, char *why, size_t n) {
  if (in->rx_release)
    d->holds = false;
  if (d->before.rx_valid && in->rx_ready) {
    d->holds = d->in[d->in_head].len > 1;
    d->in_head = (d->in_head + 1) % PACKETS, d->in_n--;
  }
  if (d->holds && (out->dn_credit || out->rx_valid))
    return snprintf(why, n, "flits are taken before rx_release"), false;
  if (d->holds && memcmp(out->rx_body, d->body, sizeof d->body))
    return snprintf(why, n, "a body has changed before rx_release"), false;
  const bool held = d->before.rx_valid && !in->rx_ready;
  if (held && !out->rx_valid)
    return snprintf(why, n, "a packet that was not taken is gone"), false;
  if (out->rx_valid) {
    const packet *p = &d->in[d->in_head];
    if (!d->in_n || p->got < p->len)
      return snprintf(why, n, "a packet before its last flit came"), false;
    if (p->len) {
      memset(d->body, 0, sizeof d->body);
      for (uint32_t i = 0; i < p->len; i++)
        put_flit(&d->body[2 * i], p->body[i]);
    }
    if (tsv_flit(out->rx_head) != p->head)
      return snprintf(why, n, "head %016" PRIx64 ", not %016" PRIx64, tsv_flit(out->rx_head),
                      p->head),
             false;
    if (memcmp(out->rx_body, d->body, sizeof d->body))
      return snprintf(why, n, "body of a packet with %" PRIu32 " flits", p->len), false;
  }
  for (uint32_t i = 0; i < in->dn_count; i++)
    flit_came(d, tsv_flit(&in->dn_data[2 * i]));
  if (out->dn_credit > d->owed)
    return snprintf(why, n, "%" PRIu32 " credits for %" PRIu32 " flits", out->dn_credit, d->owed),
           false;
  d->owed = d->owed - out->dn_credit + in->dn_count;
  return true;
}

static bool check_tx(driver *d, const tsv_in *in, const tsv_out *out, char *why, size_t n) {
  d->up_n -= in->up_take;
  memmove(d->up, d->up + in->up_take, d->up_n * sizeof *d->up);
  if (in->tx_valid && d->before.tx_ready) {
    d->up[d->up_n++] = tsv_flit(in->tx_head);
    for (uint32_t i = 0; i < in->tx_len; i++)
      d->up[d->up_n++] = tsv_flit(&in->tx_body[2 * i]);
  }
  d->credits += in->up_credit - in->up_take;
  uint32_t count = d->up_n < d->credits ? d->up_n : d->credits;
  count = count < d->flits ? count : d->flits;
  if (out->up_count != count)
    return snprintf(why, n,
                    "%" PRIu32 " flits on offer of %" PRIu32 " left, with %" PRIu32 " credits",
                    out->up_count, d->up_n, d->credits),
           false;
  for (uint32_t i = 0; i < 2; i++)
    if (tsv_flit(&out->up_data[2 * i]) != (i < count ? d->up[i] : 0))
      return snprintf(why, n, "flit %" PRIu32 " on offer", i), false;
  if (out->tx_ready != !d->up_n)
    return snprintf(why, n, "tx_ready with %" PRIu32 " flits left", d->up_n), false;
  return true;
}

static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const tsv_in *in = inputs;
  const tsv_out *out = outputs;
  if (!check_rx(d, in, out, why, n) || !check_tx(d, in, out, why, n))
    return false;
  if (!out->busy && (d->in_n || d->up_n || d->owed || out->dn_credit))
    return snprintf(why, n, "not busy with a flit inside"), false;
  return true;
}

static bool quiet(const void *inputs) {
  const tsv_in *in = inputs;
  return !in->dn_count && !in->tx_valid && !in->up_credit && !in->rx_release;
}

const cosim_driver tsv_driver = {
    .block = "tsv",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .sizes = sizes,
    .drive = drive,
    .check = check,
    .quiet = quiet,
};
