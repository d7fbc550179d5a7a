// SPDX-License-Identifier: Apache-2.0
// Random traffic for order, and two judges that know nothing of each other nor of the twin.
//
// The first is the unit behind it: operand collectors that read registers a while after a packet
// began, valu, LSU-Extension and regmove that write them later. Each place of the register file
// holds the number of the packet that wrote it last. What a packet reads must be what it would read
// if all packets were executed one after the other; accesses of a line or window must begin in the
// order in which they came.
//
// The second is the page: for each packet the edges at which it came, went, was read, awake and
// complete. At each edge the packet that goes, and all other outputs, follow from these.
#include <inttypes.h>
#include <stdio.h>

#include "packets.h"
#define BLOCK order
#include "csim/base/block_declare.h"

enum { ANY, FLOOD, HAZARDS, MEMORY, SYNCS, STARVED, LATE, SPARSE, MODES };
static const char *const names[MODES] = {
    [ANY] = "any",     [FLOOD] = "flood",     [HAZARDS] = "hazards", [MEMORY] = "memory",
    [SYNCS] = "syncs", [STARVED] = "starved", [LATE] = "late",       [SPARSE] = "sparse",
};
static const packet_mix mixes[MODES] = {
    [ANY] = {8, 6, 6, 6, 6, 6, 6, 2, 2, 16, 6},      [FLOOD] = {8, 6, 6, 6, 6, 6, 6, 2, 0, 128, 24},
    [HAZARDS] = {16, 4, 4, 4, 0, 6, 6, 0, 1, 8, 12}, [MEMORY] = {2, 8, 8, 8, 12, 1, 1, 6, 1, 64, 3},
    [SYNCS] = {4, 6, 2, 2, 3, 3, 3, 2, 12, 32, 4},   [STARVED] = {8, 6, 6, 6, 6, 6, 6, 2, 2, 32, 8},
    [LATE] = {16, 4, 4, 4, 4, 4, 6, 1, 1, 12, 8},    [SPARSE] = {8, 6, 6, 6, 6, 6, 6, 2, 2, 16, 6},
};
static const uint64_t NEVER = UINT64_MAX;
enum {
  ENTRIES = 32,
  PLACES = 128,
  WAKE = 3,     // edges from read to awake of EXEC
  TO_FILE = 6,  // edges from read to the register file of EXEC
  QUEUE = 64
};

typedef struct entry {
  bool used;
  packet p;
  packet_use use;
  uint64_t number;  // in the order of arrival
  // edges; NEVER: not yet
  uint64_t came, gone, read, awake, complete;
  // the unit behind
  uint64_t begun, sample, reads_at, writes_at, ends_at;  // the last three: planned
  bool sampled, written, fails, retired;
  uint64_t expected[PLACES];  // of the places that it reads
} entry;

typedef struct driver {
  unsigned mode;
  uint32_t held;
  uint64_t now;  // edges since start
  bool fresh;
  // chances in 256, for a while
  unsigned in, ready, room, sync, delay;
  uint32_t left;
  bool waits;  // in_valid is held
  packet next;
  order_out before;
  entry at[ENTRIES];
  uint64_t numbers;  // packets that came
  uint64_t file[PLACES], program[PLACES];
  uint32_t lsux[QUEUE], lsux_head, lsux_n;  // entries in the order in which they began
  bool lsux_is_win[QUEUE];
  uint32_t done_slot, up_slot, regm_slot;  // entry + 1 that waits to be told
  uint64_t begun[64];                      // last packet of each line and window that began
  uint32_t memory[64], memories;
  char why[200];
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  (void)rng;
  driver *d = state;
  *d = (driver){.mode = mode, .held = STRUCTURE_HELD, .fresh = true};
}

static void sizes(void *state, const void *table) {
  const structure *s = table;
  ((driver *)state)->held = s->held;
}

static unsigned any_chance(cosim_rng *rng) {
  static const uint16_t often[] = {16, 64, 128, 192, 240, 256, 256};
  return RNG_PICK(rng, often);
}

static void next_phase(driver *d, cosim_rng *rng) {
  static const uint8_t delays[] = {0, 0, 1, 3, 8, 30};
  d->left = 1 + rng_below(rng, 200);
  d->in = any_chance(rng);
  d->ready = any_chance(rng);
  d->room = any_chance(rng);
  d->sync = any_chance(rng);
  d->delay = RNG_PICK(rng, delays);
  if (d->mode == FLOOD)
    d->in = d->ready = d->room = d->sync = 256, d->delay = rng_chance(rng, 128) ? 0 : 2;
  if (d->mode == STARVED) {
    d->in = 256;
    d->ready = rng_range(rng, 16, 128);
    d->room = rng_range(rng, 32, 200);
    d->sync = rng_range(rng, 8, 64);
  }
  if (d->mode == SPARSE) {
    d->left = 20 + rng_below(rng, 80);
    d->in = rng_chance(rng, 128) ? 0 : 30;
    d->ready = d->room = d->sync = 256;
  }
}

static bool complain(driver *d, const char *what, const entry *e) {
  if (!d->why[0])
    snprintf(d->why, sizeof d->why, "%s: packet %" PRIu64 " in entry %td, head %016" PRIx64, what,
             e->number, e - d->at, e->p.head);
  return false;
}

static bool has(const uint64_t set[2], unsigned place) {
  return set[place / 64] >> place % 64 & 1;
}

static uint64_t later(const driver *d, cosim_rng *rng, uint64_t least) {
  return least + (d->delay ? rng_below(rng, d->delay + 1) : 0);
}

// ---- the unit behind ----------------------------------------------------------------------------

// Decode has handed entry e on at this edge: the register file is read from the second one on.
static void begin(driver *d, cosim_rng *rng, entry *e) {
  const bool reads = e->use.reads[0] | e->use.reads[1];
  e->begun = d->now;
  e->reads_at = e->use.collects ? later(d, rng, d->now + (reads ? 4 : 2)) : NEVER;
  e->sample = !reads ? NEVER : d->now + 2 + rng_below(rng, (uint32_t)(e->reads_at - d->now - 3));
  if (e->use.regm)
    e->ends_at = later(d, rng, d->now + 3);
  else
    e->ends_at = NEVER;
}

static void begin_any(driver *d, cosim_rng *rng, uint32_t n, bool win) {
  if (win || d->at[n].use.lsux) {
    d->lsux[(d->lsux_head + d->lsux_n) % QUEUE] = n;
    d->lsux_is_win[(d->lsux_head + d->lsux_n++) % QUEUE] = win;
  }
  if (!win)
    begin(d, rng, &d->at[n]);
}

static void sample(driver *d, entry *e) {
  if (e->sampled || d->now < e->sample || e->begun == NEVER || e->sample == NEVER)
    return;
  e->sampled = true;
  for (unsigned r = 0; r < PLACES; r++)
    if (has(e->use.reads, r) && d->file[r] != e->expected[r] && !d->why[0])
      snprintf(d->why, sizeof d->why,
               "packet %" PRIu64 " reads register %u of packet %" PRIu64 ", not of %" PRIu64,
               e->number, r, d->file[r], e->expected[r]);
}

static void write(driver *d, entry *e) {
  e->written = true;
  for (unsigned r = 0; r < PLACES && !e->fails; r++)
    if (has(e->use.writes, r))
      d->file[r] = e->number;
}

// One packet's last operands, of those that are due; those of lsux in their order.
static void read_event(driver *d, cosim_rng *rng, order_in *in) {
  const uint32_t first = rng_below(rng, ENTRIES);
  in->read_valid = 0;
  for (uint32_t k = 0; k < ENTRIES; k++) {
    const uint32_t n = (first + k) % ENTRIES;
    entry *e = &d->at[n];
    if (!e->used || e->begun == NEVER || e->reads_at == NEVER || d->now < e->reads_at)
      continue;
    bool older = false;
    for (uint32_t i = 0; e->use.lsux && i < ENTRIES; i++)
      older |= d->at[i].used && d->at[i].use.lsux && d->at[i].begun < e->begun &&
               d->at[i].reads_at != NEVER;
    if (older || (e->sample != NEVER && !e->sampled))
      continue;
    in->read_valid = 1, in->read_n = n;
    in->read_exec = (e->p.head & 15) == TSV_DN_EXEC;
    e->reads_at = NEVER;
    if (in->read_exec) {
      // with LATE and EARLY delays the time in valu is not that of the machine
      e->ends_at = d->now + TO_FILE + (d->mode == LATE ? rng_below(rng, 6) : 0);
      e->writes_at = d->now + TO_FILE;
    } else if ((e->p.head & 15) == TSV_DN_REGRD) {
      e->ends_at = later(d, rng, d->now + 3);
    } else {
      e->ends_at = NEVER;
    }
    return;
  }
  if (rng_chance(rng, 20)) {  // has no say
    in->read_n = rng_bits(rng, 5), in->read_exec = rng_bits(rng, 1);
  }
}

static bool operands_are_there(const entry *e) {
  return !e->use.collects || (e->begun != NEVER && e->reads_at == NEVER);
}

// lsux retires in order: into the register file, and to where a completion or an answer waits.
static void retire(driver *d, cosim_rng *rng) {
  if (!d->lsux_n)
    return;
  const uint32_t n = d->lsux[d->lsux_head];
  entry *e = &d->at[n];
  if (!d->lsux_is_win[d->lsux_head]) {
    if (!operands_are_there(e) || d->now < e->begun + 2 || rng_below(rng, d->delay + 1))
      return;
    const bool up = e->use.has_up || e->fails;
    if (up ? d->up_slot : d->done_slot)
      return;
    if (!up)
      write(d, e);
    *(up ? &d->up_slot : &d->done_slot) = n + 1;
    e->retired = true;
  }
  d->lsux_head = (d->lsux_head + 1) % QUEUE, d->lsux_n--;
}

static void events(driver *d, cosim_rng *rng, order_in *in) {
  in->valu_done = in->lsux_done = in->regm_done = in->up_done = 0;
  if (rng_chance(rng, 40)) {  // what has no say
    in->valu_n = rng_bits(rng, 5), in->lsux_n = rng_bits(rng, 5);
    in->regm_n = rng_bits(rng, 5), in->up_n = rng_bits(rng, 5);
  }
  for (uint32_t n = 0; n < ENTRIES; n++) {
    entry *e = &d->at[n];
    if (!e->used || e->begun == NEVER)
      continue;
    const unsigned kind = e->p.head & 15;
    if (kind == TSV_DN_EXEC && e->writes_at == d->now)
      write(d, e);
    if (kind == TSV_DN_EXEC && !in->valu_done && d->now >= e->ends_at)
      in->valu_done = 1, in->valu_n = n, e->ends_at = NEVER;
    if (kind == TSV_DN_REGWR && !e->written && d->now + 1 >= e->ends_at)
      write(d, e);
    if (kind == TSV_DN_REGWR && !in->regm_done && d->now >= e->ends_at && e->written)
      in->regm_done = 1, in->regm_n = n, e->ends_at = NEVER;
    if (kind == TSV_DN_REGRD && !d->regm_slot && d->now >= e->ends_at)
      d->regm_slot = n + 1, e->ends_at = NEVER;
  }
  if (d->done_slot && rng_below(rng, d->delay + 1) == 0)
    in->lsux_done = 1, in->lsux_n = d->done_slot - 1, d->done_slot = 0;
  const bool regm = d->regm_slot && (!d->up_slot || rng_bits(rng, 1));
  uint32_t *up = regm ? &d->regm_slot : &d->up_slot;
  if (*up && rng_below(rng, d->delay + 1) == 0)
    in->up_done = 1, in->up_n = *up - 1, *up = 0;
  retire(d, rng);
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  driver *d = state;
  order_in *in = inputs;
  d->before = *(const order_out *)outputs;
  d->fresh = false;
  if (!d->left--)
    next_phase(d, rng);
  for (uint32_t n = 0; n < ENTRIES; n++)
    if (d->at[n].used)
      sample(d, &d->at[n]);
  // events of packets that had begun before this edge
  read_event(d, rng, in);
  events(d, rng, in);
  if (!d->waits) {
    in->in_valid = rng_chance(rng, d->in);
    if (in->in_valid)
      d->next = packet_any(rng, &mixes[d->mode]);
    if (in->in_valid || rng_chance(rng, 64)) {
      in->in_head[0] = (uint32_t)d->next.head, in->in_head[1] = (uint32_t)(d->next.head >> 32);
      in->in_body[0] = (uint32_t)d->next.body, in->in_body[1] = (uint32_t)(d->next.body >> 32);
    }
  }
  d->waits = in->in_valid && !d->before.in_ready;
  in->out_ready = rng_chance(rng, d->ready);
  in->opc_room = rng_chance(rng, d->room);
  in->lsux_room = rng_chance(rng, d->room);
  in->regm_room = rng_chance(rng, d->room);
  in->sync_ready = rng_chance(rng, d->sync);
  if (d->before.out_valid && in->out_ready) {
    const uint64_t head = tsv_flit(d->before.out_head);
    begin_any(d, rng, (uint32_t)tsv_get(head, TSV_DN_ANY_TAG) % ENTRIES, (head & 15) == TSV_DN_WIN);
  }
}

// ---- the page -----------------------------------------------------------------------------------

static bool is_access(const entry *e) {
  const uint64_t kind = e->p.head & 15;
  return kind == TSV_DN_LINE || kind == TSV_DN_SECT || kind == TSV_DN_SHM;
}

// Before this edge, what rule 5 waits for has happened.
static const char *waits_for(const driver *d, const entry *e) {
  for (uint32_t n = 0; n < d->held; n++) {
    const entry *o = &d->at[n];
    if (!o->used || o->number >= e->number)
      continue;
    if ((e->p.head & 15) == TSV_DN_SYNC) {
      if ((!e->use.asks || o->use.memory == e->use.asks) && o->awake >= d->now)
        return e->use.asks ? "a SYNC before the accesses of its window are awake"
                           : "a SYNC before all others are awake";
      continue;
    }
    if (places_meet(o->use.writes, e->use.reads) && o->awake >= d->now)
      return "went before the writer of its operand was awake";
    const bool accesses = is_access(o) && is_access(e),
               both = places_meet(o->use.writes, e->use.writes);
    if (both && (accesses ? o->gone : o->awake) >= d->now)
      return accesses ? "went before an older access that writes its result's place"
                      : "went before an older writer of its result was awake";
    if (places_meet(o->use.reads, e->use.writes) && o->read >= d->now)
      return "went before a reader of its result's place had read";
    if (e->use.memory && o->use.memory == e->use.memory && o->gone >= d->now)
      return "went before an older access of the same memory";
  }
  return NULL;
}

static bool has_room(const entry *e, const order_in *in) {
  return (!e->use.opc || in->opc_room) && (!e->use.lsux || in->lsux_room) &&
         (!e->use.regm || in->regm_room);
}

static bool same_packet_out(const order_out *a, const order_out *b) {
  return !memcmp(a->out_head, b->out_head, sizeof a->out_head) &&
         !memcmp(a->out_body, b->out_body, sizeof a->out_body) && a->out_long == b->out_long;
}

static bool check_going(driver *d, const order_in *in, const order_out *out, entry **goes) {
  const bool free = !d->before.out_valid || in->out_ready;
  entry *oldest = NULL;
  *goes = NULL;
  for (uint32_t n = 0; free && n < d->held; n++) {
    entry *e = &d->at[n];
    if (e->used && e->gone == NEVER && (e->p.head & 15) != TSV_DN_SYNC && has_room(e, in) &&
        !waits_for(d, e) && (!oldest || e->number < oldest->number))
      oldest = e;
  }
  if (!free || !oldest) {
    if (!same_packet_out(out, &d->before)) {
      const uint32_t n = out->out_head[0] >> 4 & 255;
      const entry *e = &d->at[n % ENTRIES];
      return complain(d, free && e->used && waits_for(d, e) ? waits_for(d, e) : "out must hold", e);
    }
    if (out->out_valid != !free)
      return snprintf(d->why, sizeof d->why, "out_valid %" PRIu32 ", nothing can go",
                      out->out_valid),
             false;
    return true;
  }
  const uint32_t n = (uint32_t)tsv_get(tsv_flit(out->out_head), TSV_DN_ANY_TAG);
  if (!out->out_valid)
    return complain(d, "may go, and nothing does", oldest);
  if (n >= d->held || !d->at[n].used)
    return snprintf(d->why, sizeof d->why, "entry %" PRIu32 " goes, which is free", n), false;
  entry *e = &d->at[n];
  const char *early = waits_for(d, e);
  if (early)
    return complain(d, early, e);
  if (e->gone != NEVER)
    return complain(d, "went twice", e);
  if (!has_room(e, in))
    return complain(d, "went to a unit without room", e);
  if (e != oldest)
    return complain(d, "went before an older one that may go", e);
  const uint64_t head = (e->p.head & ~0xff0ull) | tsv_put(TSV_DN_ANY_TAG, n);
  if (tsv_flit(out->out_head) != head)
    return complain(d, "goes with another head", e);
  if (tsv_flit(out->out_body) != e->p.body)
    return complain(d, "goes with another body", e);
  if (out->out_long != e->use.is_long)
    return complain(d, "goes with the wrong out_long", e);
  *goes = e;
  return true;
}

static bool check_sync(driver *d, const order_in *in, const order_out *out) {
  const bool free = !d->before.sync_valid || in->sync_ready;
  const entry *leaves = NULL;
  for (uint32_t n = d->held; free && n-- > 0;) {
    const entry *e = &d->at[n];
    if (e->used && (e->p.head & 15) == TSV_DN_SYNC && e->gone == NEVER && !waits_for(d, e))
      leaves = e;
  }
  if (!free) {
    if (!out->sync_valid || out->sync_n != d->before.sync_n)
      return snprintf(d->why, sizeof d->why, "a SYNC must hold"), false;
    return true;
  }
  if (!leaves) {
    if (out->sync_valid)
      return complain(d, "a SYNC leaves that waits", &d->at[out->sync_n % ENTRIES]);
    return true;
  }
  if (!out->sync_valid || out->sync_n != leaves - d->at)
    return complain(d, "a SYNC must leave", leaves);
  d->at[out->sync_n].gone = d->now;  // is not chosen again
  return true;
}

static bool expect_entry(driver *d, uint32_t n, const char *what, unsigned kinds) {
  const entry *e = &d->at[n % ENTRIES];
  if (n < d->held && e->used && kinds >> (e->p.head & 15) & 1)
    return true;
  return complain(d, what, e);
}

// Memory in the order in which packets came, where decode takes them.
static bool check_memory(driver *d, const entry *e) {
  uint32_t k = 0;
  while (k < d->memories && d->memory[k] != e->use.memory)
    k++;
  if (k == sizeof d->memory / sizeof *d->memory)
    return true;
  if (k == d->memories)
    d->memory[d->memories++] = e->use.memory;
  if (d->begun[k] > e->number)
    return complain(d, "a later access of the same memory began before", e);
  d->begun[k] = e->number;
  return true;
}

static void arrive(driver *d, uint32_t n, const packet *p) {
  entry *e = &d->at[n];
  *e = (entry){.used = true, .p = *p, .use = packet_use_of(p), .number = ++d->numbers};
  e->came = d->now;
  e->gone = e->read = e->awake = e->complete = NEVER;
  e->begun = e->sample = e->reads_at = e->writes_at = e->ends_at = NEVER;
  if (!(e->use.reads[0] | e->use.reads[1]))
    e->read = d->now;
  // some accesses of shared memory end with a fault and write nothing
  e->fails = (p->head & 15) == TSV_DN_SHM && e->number % 5 == 0;
  for (unsigned r = 0; r < PLACES; r++) {
    if (has(e->use.reads, r))
      e->expected[r] = d->program[r];
    if (has(e->use.writes, r) && !e->fails)
      d->program[r] = e->number;
  }
}

static bool complete(driver *d, uint32_t valid, uint32_t n, const char *what, unsigned kinds) {
  if (!valid)
    return true;
  if (!expect_entry(d, n, what, kinds))
    return false;
  d->at[n].complete = d->now;
  return true;
}

#define KIND(name) (1u << TSV_DN_##name)

static bool check_all(driver *d, const order_in *in, const order_out *out) {
  entry *goes;
  if (d->why[0])
    return false;
  if (!check_going(d, in, out, &goes) || !check_sync(d, in, out))
    return false;
  uint32_t lowest = d->held;
  for (uint32_t n = d->held; n-- > 0;)
    if (!d->at[n].used)
      lowest = n;
  // what happens to entries
  if (goes) {
    goes->gone = d->now;
    if (goes->use.memory && !check_memory(d, goes))
      return false;
    if ((goes->p.head & 15) == TSV_DN_WIN)
      goes->complete = d->now;
  }
  if (in->read_valid) {
    entry *e = &d->at[in->read_n];
    if (e->read == NEVER)
      e->read = d->now;
    if (in->read_exec)
      e->awake = d->now + WAKE;
    else if ((e->p.head & 15) == TSV_DN_REGRD)
      e->awake = d->now;
  }
  const unsigned memory = KIND(SHM) | KIND(LINE) | KIND(SECT);
  if (!complete(d, in->valu_done, in->valu_n, "the bench: no EXEC", KIND(EXEC)) ||
      !complete(d, in->lsux_done, in->lsux_n, "the bench: not of lsux",
                memory | KIND(WR) | KIND(ATM)) ||
      !complete(d, in->regm_done, in->regm_n, "the bench: no REGWR", KIND(REGWR)) ||
      !complete(d, in->up_done, in->up_n, "the bench: goes not up",
                KIND(SHM) | KIND(RD) | KIND(ATM) | KIND(REGRD)) ||
      !complete(d, d->before.sync_valid && in->sync_ready, d->before.sync_n, "no SYNC", KIND(SYNC)))
    return false;
  bool room = false, used = false;
  if (in->in_valid && d->before.in_ready) {
    if (lowest == d->held)
      return snprintf(d->why, sizeof d->why, "in_ready with a full table"), false;
    arrive(d, lowest, &d->next);
  }
  for (uint32_t n = 0; n < ENTRIES; n++) {
    entry *e = &d->at[n];
    const uint32_t tag = out->tags[n / 4] >> n % 4 * 8 & 255, answers = out->answers >> n & 1;
    if (e->used && e->complete == d->now)
      e->used = false;
    if (n >= d->held && (tag || answers))
      return snprintf(d->why, sizeof d->why, "a tag or answer of entry %" PRIu32, n), false;
    if (tag != tsv_get(e->p.head, TSV_DN_ANY_TAG) && e->number)
      return complain(d, "shows another tag", e);
    if (e->used && answers != e->use.answers)
      return complain(d, "wrong in answers", e);
    room |= n < d->held && !e->used;
    used |= e->used;
  }
  if (out->in_ready != room)
    return snprintf(d->why, sizeof d->why, "in_ready %" PRIu32, out->in_ready), false;
  if (out->busy != (used || out->out_valid))
    return snprintf(d->why, sizeof d->why, "busy %" PRIu32, out->busy), false;
  if (!used && !d->lsux_n && memcmp(d->file, d->program, sizeof d->file))
    return snprintf(d->why, sizeof d->why, "a register holds another result at the end"), false;
  return !d->why[0];
}

static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const bool ok = check_all(d, inputs, outputs);
  snprintf(why, n, "%s", d->why);
  d->now++;
  return ok;
}

static bool quiet(const void *inputs) {
  const order_in *in = inputs;
  return !in->in_valid;
}

const cosim_driver order_driver = {
    .block = "order",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .sizes = sizes,
    .drive = drive,
    .check = check,
    .quiet = quiet,
    .cycles = 600000,
};
