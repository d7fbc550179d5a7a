// SPDX-License-Identifier: Apache-2.0
// Inside of a core. Rules: docs/core.md.
//
// core.c    the cycle, the launch from first to last
// plan.c    instructions as cores see them
// front.c   blocks, fetch, issue, what control instructions do
// engine.c  offload engine, register moves
// far.c     operand collectors and units of the base die
// lsu.c     accesses: addresses, locks, packets, what comes back
// lsu_far.c shared memory on the base die
// remote.c  accesses of other cores' memory, and theirs of this one's
// bus.c     queues of packets, the TSV bus, tags
// gold.c    comparison with the functional machine
// look.c    events, for those who look on
// report.c  where the warps are, and what they wait for
// profile.c, profile_traffic.c  where cycles go, by instruction (profile_priv.h)
// show.c, show_die.c  all of it as text, for the debugger
#ifndef NEARBANK_CORE_PRIV_H
#define NEARBANK_CORE_PRIV_H

#include "../../csim/isa/exec.h"
#include "core.h"
#include "nbu_work.h"
#include "tsv_packet.h"

enum {
  SUBCORES = NEAR_NBUS,
  SLOTS = EVENT_SLOTS,  // warps of a subcore at most
  BLOCK_SLOTS = 16,
  OPS = EVENT_PLACES,  // instructions of a subcore under way
  TAGS = 256,
  COLLECTORS = 16,
  BUFFERED = 4,  // instructions that wait in a warp
  LOOKS = 16,    // registers that an instruction asks the track table for
  FAR_BANKS = 4,
  QUEUE = 256,  // flits of a queue at most
  LSU_QUEUE = 32,
  WHEEL = 64,
  EVENTS = 512,  // of a cycle, at most: a few a warp and packet
};

// ---- instructions

typedef enum plan_kind {
  PLAN_NONE,     // nothing to do
  PLAN_BRANCH,   // at issue
  PLAN_EXIT,     // at issue
  PLAN_TRAP,     // at issue
  PLAN_FENCE,    // membar
  PLAN_COMPUTE,  // far, or near where it can
  PLAN_BARRIER,  // far
  PLAN_CONST,    // const and param loads: far, with their own latency
  PLAN_ACCESS,
} plan_kind;

typedef enum far_unit {
  UNIT_ALU,
  UNIT_FP64,
  UNIT_SFU,
  UNIT_DIV,
  UNIT_CONST,
  UNIT_LSU,
  UNITS
} far_unit;

typedef struct look {
  uint8_t reg, operand;
  uint8_t bank;  // of the far file, where registers of a warp begin at bank 0
} look;

typedef struct plan {
  const decoded *d;
  plan_kind kind;
  bool stops_fetch;
  uint64_t reads[4], writes[4];  // registers
  uint64_t address[4];           // of `reads`: those that only the address of an access needs
  uint16_t preds_read, preds_written;
  uint8_t n_sources, n_looks;  // of looks: sources first, then the destination
  look looks[LOOKS];
  // when it executes far [0], near [1]
  bool data_near[2];
  uint16_t near_looks[2];  // looks that must be near
  bool in_place;           // an access of shared memory: near it takes its addresses there
  far_unit unit;
  uint8_t interval;
  uint16_t latency;
  uint64_t head;    // of EXEC: all but tag, registers and lanes
  nbu_work work;    // of EXEC
  stats_kind does;  // where it computes
} plan;

// ---- state

typedef struct cwarp cwarp;
typedef struct op op;
typedef struct remote remote;

struct cwarp {
  bool live;
  uint8_t slot;  // of the subcore
  uint8_t block_slot;
  uint32_t index;  // in the block
  block *b;
  warp *w;           // SIMT stack, predicates, far registers: of the launch
  const plan *next;  // what issues next
  uint32_t near_base, near_count, far_base, far_count;
  uint32_t lines_to_clear;  // of local memory
  // instructions
  uint32_t fetch_pc;
  uint8_t buffered;     // that can issue
  uint8_t arriving;     // being decoded
  bool fetch_stopped;   // behind one that may change the pc
  uint64_t fetch_from;  // first cycle in which it may fetch again
  // scoreboard
  uint16_t preds_writing, preds_reading;
  uint16_t ops;  // under way
  uint16_t accesses, accesses_shared;
  uint16_t barrier;  // a barrier is under way
  uint64_t writing[4], reading[4];
  uint64_t to_near[4], to_far[4];  // registers that are being moved
  uint8_t pred_readers[16], readers[256];
};

typedef enum op_state {
  OP_FREE,
  OP_ENGINE,   // offload engine
  OP_MOVING,   // waits for registers
  OP_READY,    // for its unit
  OP_COLLECT,  // operands of the base die
  OP_UNIT,     // executes there
  OP_OUT,      // sent to its NBU
  OP_QUEUED,   // in the LSU
} op_state;

// Lanes of an access that are handled alike: of one space, and one word where a lane's words lie
// apart.
typedef struct piece {
  uint8_t space;
  uint8_t word;   // of the data registers
  uint8_t bytes;  // a lane
  bool in_place;  // shared: the addresses are near
  bool remote;    // in memory of other cores
  uint32_t lanes;
} piece;

typedef enum lsu_phase {
  LSU_ADDRESS,  // waits for it
  LSU_DATA,     // fetches data of the near registers
  LSU_START,    // waits for its NBUs
  LSU_SEND,
  LSU_ANSWERS,  // all is sent
  LSU_WRITE,    // what was gathered goes to the near registers
} lsu_phase;

struct op {
  _Alignas(64) op *next;
  const plan *p;
  cwarp *w;
  uint32_t pc, lanes, alive;
  uint32_t number;  // of events
  uint64_t begun;   // cycle
  op_state state;
  bool near;
  bool sources_read, address_read;
  uint8_t zero;                    // operands (bit 0: a) that are valid nowhere
  uint64_t waits[4];               // registers that are on their way for it
  uint16_t far_valid, near_valid;  // bits of p->looks
  uint64_t done_at;                // of far execution
  bool gold;                       // the functional machine knows of it
  // accesses
  lsu_phase phase;
  bool address_here, placed, data_far, shared;
  bool has_shared;  // lanes that access shared memory
  bool line;        // goes as LINE; of its addresses only the first is filled
  uint8_t n_pieces, at_piece;
  uint8_t fetched;  // registers of data that were asked for, or are written
  uint8_t
      written;   // operand whose register gets what was gathered: the result, or one to be restored
  uint8_t step;  // of an atomic of 64 bits: 0 to be read, 1 being read, 2 read
  uint16_t answers;   // packets without one
  uint32_t remote;    // lanes that access memory of other cores
  uint32_t local;     // lanes that access local memory: their addresses count from its beginning
  uint32_t left;      // lanes of the piece that have no packet yet
  uint32_t gathered;  // lanes whose data came to the base die
  uint32_t touches;   // NBUs
  uint64_t wide;      // the word of an atomic of 64 bits
  // of its place in the pool, elsewhere, so that the pool is small
  piece *pieces;
  uint64_t *address;              // a lane
  uint32_t (*data)[ISA_LANES];    // loaded; or operand b
  uint32_t (*data_c)[ISA_LANES];  // operand c
};

typedef struct payload {
  piece pieces[8];
  uint64_t address[ISA_LANES];
  uint32_t data[4][ISA_LANES], data_c[2][ISA_LANES];
} payload;

typedef enum tag_kind {
  TAG_FREE,
  TAG_EXEC,
  TAG_CLEAR,  // of local memory: `reg` is the slot
  TAG_MOVE_NEAR,
  TAG_MOVE_FAR,
  TAG_PACKET,   // of an access: nothing comes back but that it is done
  TAG_READ,     // RD
  TAG_ATOMIC,   // ATM with RET
  TAG_OPERAND,  // REGRD for the LSU
  TAG_WIDE,     // the same, of an atomic of 64 bits on shared memory: word `reg`
  TAG_REMOTE,   // of LSU-Remote
} tag_kind;

typedef struct tag {
  uint8_t kind;
  uint8_t reg;     // of moves: the register; of accesses: the word of the data; 4 and 5: of c
  uint8_t word;    // of a single word: which one, else 8
  uint8_t chunks;  // of RD
  uint8_t bytes;   // of a lane
  union {
    op *o;
    remote *r;
  };
  uint32_t lanes;
  uint32_t sent;  // as the how manieth to this NBU
} tag;

// A request to another core: of the one that sent it, which keeps it until the answer; the other
// one fills that in.
enum { REMOTE_ATOMICS = 16, REMOTES = 256, SERVES = 64, SENDS = 64 };
typedef enum remote_kind { REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC } remote_kind;
typedef struct gold_access gold_access;
struct remote {
  remote *next;  // of the free ones, of those to be answered
  op *o;
  remote_kind kind;
  uint32_t from, to;  // cores
  uint32_t nbu;       // there
  uint64_t address, sector;
  uint64_t sent, came, left;  // cycles: it left, it came there, its answer left
  uint8_t index;              // of the requests of its core
  bool open;                  // not answered yet
  uint32_t lanes;             // of o
  uint32_t mask;              // bytes of the sector
  uint8_t word;               // of the data of o
  uint8_t bytes;              // of a lane
  uint8_t data[32];
  // atomics, in the order of their lanes
  const isa_inst *inst;
  bool returns;
  uint32_t n;
  uint8_t at[REMOTE_ATOMICS];  // byte of the sector
  uint64_t b[REMOTE_ATOMICS], c[REMOTE_ATOMICS], old[REMOTE_ATOMICS];
  // at the other core
  uint32_t answers;  // packets to the NBU without one
  uint8_t step;      // of atomics: 0 to be read, 1 being read, 2 to be written, 3 all is sent
  gold_access *gold;
};

typedef struct move {
  op *o;
  uint8_t reg;
  bool to_near, zero;
} move;

typedef struct nbu_port {  // what the base die has of an NBU's channel
  uint64_t flits[QUEUE];
  uint32_t head, count;
  uint32_t credits;
  uint8_t pushed;     // a packet was put into the queue in this cycle
  uint8_t down_left;  // flits still to go of the packet that goes down
  // what comes up
  uint64_t up_head, body[16];
  uint32_t up_got, up_len;
  bool up_open;
  uint32_t returned;  // credits to give in this cycle
  tag tags[TAGS];
  uint8_t free_tags[TAGS];
  uint32_t n_free, n_sent;
  const op *holder;  // access that holds the NBU
  bool claimed;      // LSU-Remote has waited for it or for room: it is next
  bool wanted;       // the core itself has waited for room: it is next
  bool served;       // the last packet was LSU-Remote's
  // shared accesses in the order in which they were sent: a place in the pool for each request
  uint8_t shared[2 * TAGS];
  uint32_t shared_lanes[2 * TAGS];
  uint32_t shared_head, shared_count;
} nbu_port;

typedef struct collector {
  op *o;
  uint64_t enters;             // with all operands there: when it may enter its unit
  uint8_t left;                // registers that were not granted yet
  uint8_t of_bank[FAR_BANKS];  // of them
} collector;

typedef struct subcore {
  uint32_t index;
  cwarp warps[SLOTS];
  uint32_t live, ready, check;  // masks of warps; check: `ready` may be out of date
  uint32_t fetchable, fetch_check;
  uint64_t *stall;                // the counter of what the warps wait for, NULL: to be found out
  uint64_t age[SLOTS];            // when the warp started
  uint8_t order[SLOTS], n_order;  // of the live warps, the oldest first
  uint32_t last;                  // warp that issued last
  uint32_t fetch_next;
  struct {
    int8_t warp;
    uint8_t count;
  } decode;
  uint64_t miss_until;  // an I-cache line comes
  uint32_t miss_line;
  uint32_t miss_warp;  // which asked for it, and has not fetched since; SLOTS: none
  uint32_t served;     // warps whose line has come, and which have not fetched from it yet
  // offload engine
  op *entering;
  op *asking;
  uint8_t asked, answered, ask_now;
  op *deciding;
  uint8_t updates_n, updates_at;
  struct {
    uint8_t reg, op;
  } updates[2 * LOOKS];
  op *ready_head, *ready_tail;  // moved, or never to be moved, that wait for their unit
  move moves[OPS];
  uint32_t moves_head, moves_count;
  // far execution
  collector collectors[COLLECTORS];
  uint32_t free_collectors, full;  // masks; full: with all operands granted
  uint32_t bank_wants[FAR_BANKS];  // collectors that want a register of the bank
  uint8_t bank_next[FAR_BANKS];
  uint32_t enter_next;
  uint64_t unit_free[UNITS];
  op *wheel[WHEEL];    // what executes, by the cycle in which it ends
  uint32_t executing;  // of it
  op *at_barrier;      // barriers that have been executed and wait, in this order
  // LSU
  op *lsu[LSU_QUEUE];
  uint32_t lsu_head, lsu_count;
  op *write_head, *write_tail;  // accesses in LSU_WRITE
  op pool[OPS];
  uint64_t waiting;    // places of the pool that wait for registers
  uint64_t under_way;  // and those that are not free
  op *free_ops;
  uint32_t near_used[4],
      far_used[8];  // register files in pieces of 4: 128 / 4 = 32, 256 / 4 = 64 bits
  // clearing of track table rows
  uint16_t clears;
} subcore;

typedef struct block_slot {
  block *b;
  uint32_t warps_live;
  uint32_t shared_base, shared_bytes;
  uint16_t wins;  // NBUs whose window is still to be sent
} block_slot;

typedef struct gold gold;
typedef struct far_shared far_shared;

// LSU-Remote and the network interface.
typedef struct arrival {
  uint64_t cycle;
  uint32_t class;
  remote *r;  // NULL: a place for a packet is free again
} arrival;

enum { ARRIVALS = 1024, MAILS = 1024 };

typedef struct interface {
  arrival in[ARRIVALS];
  uint32_t in_head, in_count;
  core_mail out[MAILS];
  uint32_t n_out;
  uint32_t credits[NOC_CLASSES];
  bool requested;  // a request left in this cycle
  bool serving;    // packets are LSU-Remote's
  remote *free;    // requests of this core
  uint32_t under_way;
  remote *serves[SERVES];  // of other cores, not all of it sent to the NBUs, the oldest first
  uint32_t n_serves;
  uint32_t served;                // sent to the NBUs, not answered
  remote *answers, *last_answer;  // to be sent
} interface;

struct core {
  core_config config;
  core_place place;
  uint64_t mine, mine_mask;  // these bits of an address say whether it is in this core
  near *near;
  payload *payloads[SUBCORES];
  remote *remotes;         // requests of this core, `place.requests`
  far_shared *far_shared;  // shared memory of the base die, or NULL: it is near
  uint32_t *icache;        // a place each: the line of the kernel that is in it + 1, or 0
  uint32_t icache_mask;    // of the number of a line: its place
  uint32_t line_shift;     // of lines
  core_stats stats;
  nbu_stats from_near[SUBCORES];  // of these, what the near side had counted when asked last
  bool used;                      // since reset
  core_observer observers[CORE_OBSERVERS];
  uint32_t n_observers;
  core_event events[EVENTS];  // of this cycle
  // of a launch, and what a reset clears: from here on
  launch *l;
  gold *gold;
  const plan *plans;
  uint32_t n_plans, reg_words;  // reg_words: 64-bit words of the scoreboard in use
  uint64_t local_lines;         // device address of local memory of all cores, 0: none
  core_share share;
  uint64_t ahead;            // of the near side, which counts cycles of its own
  uint64_t cycle, last_end;  // last_end: in which an instruction ended last, or a cleared line
  uint64_t ended;            // behind the end of the last block
  uint64_t wakes;            // nothing happens before, but what arrives
  uint64_t stuck;            // cycles in which all that is left are answers that do not come
  near_in in;
  near_out out;
  subcore sub[SUBCORES];
  nbu_port port[SUBCORES];
  block_slot blocks[BLOCK_SLOTS];
  uint32_t blocks_live, next_block;  // next_block: of the share
  bool crowded;                      // no room for the next block, and nothing has ended since
  bool slept;                        // a refresh became due while the core was at rest
  uint32_t wins;                     // windows that are still to be sent
  uint32_t to_clear;                 // lines of local memory
  uint32_t turn;                     // of the bus
  uint32_t down_heads, up_heads;  // places of the bus with the first flit of a packet, a bit each
  uint64_t tick_at;               // next refresh
  const op *shared_holder;        // an access that must be alone in shared memory
  op remote_holder;               // who holds an NBU for LSU-Remote
  interface net;
  uint32_t shared_used[32];  // 64 KB in pieces of 64 bytes
  uint32_t issued, n_events;
  core_result result;
  bool stalled;
  int32_t suspect;  // the subcore whose instruction is wrong + 1, or 0
  char message[4096];
};

static inline bool core_has(const core *c, uint64_t address) {
  return (address & c->mine_mask) == c->mine;
}

struct core_plans {
  plan *all;
  uint32_t count, reg_words;
};

// ---- look.c: events of the cycle, for observers
void look_end(core *c);  // of the base die's part of a cycle: they are told
void look_op(core *c, event_kind kind, const op *o);
void look_target(core *c, const op *o);
void look_shared(core *c, event_kind kind, const op *o, uint32_t mop, uint32_t lanes);
void look_issue(core *c, const cwarp *w, uint32_t pc, uint32_t lanes, op *o);
void look_move(core *c, event_kind kind, const cwarp *w, const op *o, uint32_t reg, bool near);
void look_packet(core *c, event_kind kind, uint32_t nbu, uint32_t n, uint64_t head, const tag *t);
void look_block(core *c, event_kind kind, const block *b);
void look_request(core *c, event_kind kind, const remote *r, uint32_t bytes);
#define LOOK(c, what) ((c)->n_observers ? (void)(what) : (void)0)

// ---- front.c
void front_blocks(core *c);
bool front_dispatches(const core *c);                    // front_blocks would do something
void front_cleared(core *c, subcore *s, uint32_t slot);  // a line of local memory
void front_fetch(core *c, subcore *s);
void front_issue(core *c, subcore *s);
// The op has ended: scoreboard, comparison; it is free.
void op_end(core *c, subcore *s, op *o);
void op_sources_read(const core *c, subcore *s, op *o);  // later instructions may write its sources
void op_address_read(const core *c, subcore *s, op *o);  // or those of its address

// ---- engine.c
void engine_step(core *c, subcore *s);
void engine_moves(core *c, subcore *s);
void engine_moved(core *c, cwarp *w, uint32_t reg, bool to_near);  // it is there
uint32_t near_place(const cwarp *w, uint32_t reg);

// ---- far.c
void far_step(core *c, subcore *s);
bool far_take(core *c, subcore *s, op *o);  // a collector takes it
bool far_waits(const subcore *s);           // for other warps at most

// ---- lsu.c
bool lsu_take(core *c, subcore *s, op *o);
// A packet of its own was answered.
void lsu_answered(core *c, subcore *s, op *o);
void lsu_step(core *c, subcore *s);
bool lsu_waits(const core *c, const subcore *s);  // for answers, or for room in the network
void lsu_waited(core *c, subcore *s, uint64_t cycles);
void lsu_answer(core *c, const tag *t, uint64_t head, const uint64_t *body);
void lsu_shared_done(core *c, uint32_t nbus);  // shared memory ended a request of these

// ---- lsu_far.c
bool far_shared_new(core *c);
void far_shared_reset(core *c);
void far_shared_clock(core *c);  // the end of a cycle
const uint32_t *far_shared_words(const core *c);
const shared_counts *far_shared_counted(const core *c, uint32_t subcore);

// ---- remote.c
void remote_init(core *c);
void remote_take(core *c);   // what arrives
void remote_serve(core *c);  // a packet to an NBU, an answer
// Sends a request for some of the lanes `left` of an access, if there is room; returns these.
uint32_t remote_send(core *c, op *o, const piece *p, uint32_t left);
bool remote_full(
    const core *c);  // it has no room for a request, in any cycle before something arrives
void remote_answer(core *c, const tag *t, uint64_t head, const uint64_t *body);
static inline uint64_t remote_next(const core *c) {  // arrival, UINT64_MAX: nothing is expected
  const interface *n = &c->net;
  return n->in_count ? n->in[n->in_head % ARRIVALS].cycle : UINT64_MAX;
}
static inline bool remote_works(const core *c) {
  return c->net.n_serves | (c->net.answers != NULL);
}

// ---- bus.c
// Room for a packet of n flits in this cycle, and a tag.
bool bus_room(core *c, uint32_t nbu, uint32_t flits);
uint8_t bus_tag(core *c, uint32_t nbu, tag t);
void bus_push(core *c, uint32_t nbu, const uint64_t *flits, uint32_t n);
// REGWR and REGRD of the register at `place`, in these lanes; false when there is no room.
bool bus_write(core *c, uint32_t nbu, uint32_t place, const uint32_t words[ISA_LANES],
               uint32_t lanes, tag t);
bool bus_read(core *c, uint32_t nbu, uint32_t place, uint32_t lanes, tag t);
// The lanes of the tag, from the REGD that answers it.
void bus_lanes(const tag *t, uint64_t head, const uint64_t *body, uint32_t words[ISA_LANES]);
unsigned bus_mtype(const isa_inst *i, unsigned bytes);  // as packets have them
unsigned bus_mop(const isa_inst *i);
// Of the bytes of a sector: 8-byte pieces with any; whether all bytes of these are there.
uint32_t bus_chunks(uint32_t mask);
bool bus_whole(uint32_t mask);
// RD, WR and ATM of a sector of an NBU; false when there is no room. `sector` as packets have it;
// mask: bytes that are wanted or written.
bool bus_sector_read(core *c, uint32_t nbu, uint64_t sector, uint32_t mask, tag t);
bool bus_sector_write(core *c, uint32_t nbu, uint64_t sector, const uint8_t data[32], uint32_t mask,
                      tag t);
bool bus_atomic(core *c, uint32_t nbu, uint64_t sector, const isa_inst *i, uint32_t at,
                bool returns, uint32_t b, uint32_t cas, tag t);
// What the answer to RD holds, into its bytes of `data`.
void bus_sector(const tag *t, uint64_t head, const uint64_t *body, uint8_t data[32]);
void bus_step(core *c);

// ---- gold.c
gold *gold_new(launch *l, uint32_t requests);  // that may be under way
void gold_free(gold *g);
bool gold_start_block(core *c, const block_slot *b);
void gold_end_block(core *c, const block *b);
void gold_issued(core *c, subcore *s, cwarp *w, op *o, uint32_t pc, uint32_t lanes);
void gold_performed(core *c, subcore *s, op *o, uint32_t lanes);
void gold_ended(core *c, subcore *s, op *o);
// Of a request: its lanes leave with it; the other core performs some of them; they are back.
void gold_leaves(core *c, remote *r);
void gold_serves(core *c, remote *r, uint32_t lanes);
void gold_returns(core *c, remote *r);

// ---- report.c
size_t report_warps(const core *c, char *to, size_t bytes);  // a line each, the oldest ones
size_t report_stall(const core *c, char *to, size_t bytes);  // who waits for whom
// What an instruction under way does, or waits for.
size_t report_op(const core *c, const subcore *s, const op *o, char *to, size_t bytes);

void core_wrong(core *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What the parts of a subcore are called for: of most cycles nothing.
static inline bool far_works(const core *c, const subcore *s) {
  const uint32_t wants = s->bank_wants[0] | s->bank_wants[1] | s->bank_wants[2] | s->bank_wants[3];
  return (s->wheel[c->cycle % WHEEL] != NULL) | (s->at_barrier != NULL) | ((s->full | wants) != 0);
}
static inline bool lsu_works(const subcore *s) {
  return (s->write_head != NULL) | (s->lsu_count != 0);
}
static inline bool engine_works(const subcore *s) {
  return (s->ready_head != NULL) | (s->deciding != NULL) | (s->asking != NULL) |
         (s->entering != NULL);
}
static inline bool front_waits(const subcore *s) {
  return !(s->check | s->ready) && s->stall;
}
// Like front_fetches, but for waiting for a line of the I-cache.
static inline bool front_works(const subcore *s) {
  return (s->decode.count | s->fetch_check | s->fetchable) != 0;
}
static inline bool front_fetches(const subcore *s) {
  return (s->decode.count | s->fetch_check | s->fetchable | s->miss_until) != 0;
}

// A packet will access these bytes of memory: the host had better have them in its caches by then.
static inline void core_touch(const core *c, uint64_t address) {
  __builtin_prefetch(c->l->m->memory + address, 1, 2);
}

static inline uint64_t core_lanes(uint32_t lanes) {
  return lanes == ~0u ? ISA_LANES : (uint64_t)__builtin_popcount(lanes);
}

static inline void core_count_work(nbu_stats *s, const nbu_work *w) {
  s->rf_reads += w->reads, s->rf_writes += w->writes;
  s->lsux += w->accesses, s->smem_words += w->words;
}

static inline subcore *subcore_of(core *c, const cwarp *w) {
  return &c->sub[w->index % SUBCORES];
}

#endif
