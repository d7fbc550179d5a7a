// SPDX-License-Identifier: Apache-2.0
// Inside of the card.
//
// card.c           registers, doorbells, life of contexts, windows
// card_ring.c      commands from the ring to their records: streams, engines, time
// card_commands.c  what commands do
// card_spacea.c    those of a SpaceA
#ifndef NEARBANK_CARD_PRIV_H
#define NEARBANK_CARD_PRIV_H

#include "card.h"
#include "card_spacea.h"

enum { ENGINE_NONE, ENGINE_DOWN, ENGINE_UP, ENGINE_MACHINE, ENGINES };
enum { CONTEXTS = CARD_N_CONTEXTS, STREAMS = CARD_N_STREAMS, PROGRAMS = 64 };
enum { OWN_SHARES = 64, SHARES = CONTEXTS * OWN_SHARES };  // handles of a context, not attached yet

typedef enum slot_state {
  SLOT_FREE,
  SLOT_WAITS,  // for its stream, or an engine
  SLOT_RUNS,
  SLOT_ENDED,  // its record is in flight
  SLOT_DONE,
} slot_state;

typedef struct slot {
  card_command c;
  card_record r;
  slot_state state;
  uint64_t here;   // when a command that the doorbell was rung for has been fetched
  uint64_t ends;   // SLOT_RUNS: its end; CARD_NEVER: a launch whose end is not known yet
  uint64_t frees;  // SLOT_RUNS: when its engine can take the next command
  uint64_t shown;  // SLOT_ENDED: when its record is written
  char *text;      // for MESSAGE, or NULL
} slot;

typedef struct context {
  // registers that the host writes
  uint32_t control, entries, tail, message_bytes;
  uint64_t ring, completions, message;
  // registers that the card writes
  uint32_t done, state, error, error_command, interrupts;
  // taken when it was enabled
  struct {
    uint32_t entries, message_bytes;
    uint64_t ring, completions, message;
  } set;
  bool may_interrupt;
  bool failing;                // no further command begins
  uint32_t fetched, rung;      // commands fetched; commands that the doorbell was rung for
  uint64_t fetch_at, rung_at;  // when the next, and the last, of these have been fetched
  slot *slots;                 // set.entries
  module *programs[PROGRAMS];
  uint32_t n_programs;
} context;

typedef struct share {
  uint64_t handle, address;  // handle 0: none
  uint32_t from, to;
} share;

// A SpaceA, inside of what card_spacea_new makes. The owner of memory is the context.
struct card_spacea {
  uint32_t vaults;
  // A command of SPACEA begins: sets status and results, and returns how long it takes.
  uint64_t (*begin)(card *c, const context *x, slot *s);
  void (*end)(card *c, const context *x, slot *s);
  void (*release)(card *c, const context *x);
};

struct card {
  config config;
  machine *m;
  sim *s;               // an MPU, or
  card_spacea *spacea;  // a SpaceA
  uint32_t cores;
  card_transport t;
  uint64_t memory_bytes;
  // registers of the card
  uint32_t control, resets;
  uint64_t watchdog, time;
  bool reset;         // the card is in reset
  bool inside;        // the card accesses host memory or raises an interrupt
  uint32_t later;     // pages, a bit each, whose doorbell was rung meanwhile
  uint64_t later_at;  // when the last of them was
  context contexts[CONTEXTS];
  uint64_t free_at[ENGINES];  // when an engine can take a command
  uint32_t turn[ENGINES];     // the context whose turn it is
  share shares[SHARES];
  uint64_t n_handles;
  slot *launches;     // the launch in flight, or NULL
  launch *l;          // NULL: none, or the machine has simulated it to its end
  uint64_t launched;  // when its cycle 0 is
  uint64_t issued;    // sim_issued before it
  uint8_t *buffer;    // BUFFER bytes
  card_counts counts;
  launch_stats stats;
};

enum { BUFFER = 64 << 10 };

static inline uint32_t card_type(const card *c) {
  return c->spacea ? CARD_TYPE_SPACEA : CARD_TYPE_MPU;
}
static inline uint32_t context_number(const card *c, const context *x) {
  return (uint32_t)(x - c->contexts);
}

// ---- card_ring.c
// Does one thing that is due; false: nothing is.
bool card_ring_step(card *c, uint64_t now);
uint64_t card_ring_next(card *c, uint64_t now);  // when the next thing is due
void card_ring_ahead(card *c, uint64_t until);   // simulates the launch in flight up to `until`
// Drops the commands of a context, without records.
void card_ring_drop(card *c, context *x, uint64_t now);
void card_ring_rung(card *c, context *x, uint64_t now);  // fetches the commands up to TAIL
void card_ring_fail(card *c, context *x, uint32_t status, uint32_t command, uint64_t now);

// ---- card_commands.c
uint32_t card_check(const card *c, slot *s);  // CARD_OK, or CARD_BAD_COMMAND
uint32_t card_engine(uint32_t opcode);
// How long a command occupies its engine, and how much later it ends. Not for LAUNCH. A command of
// a SpaceA begins here.
uint64_t card_busy(card *c, const context *x, slot *s);
uint64_t card_after(const card *c, const slot *s);
// Cycles of a machine that moves `each` bytes a cycle and core, in ps.
enum { CARD_COPIED = 32, CARD_FILLED = 64 };
uint64_t card_machine_time(const card *c, uint64_t bytes, uint64_t each);
void card_say(slot *s, const char *text);  // the text of a failure
// Executes a command other than LAUNCH: sets status and results.
void card_do(card *c, context *x, slot *s);
// LAUNCH. False: it was refused, and its status is set.
bool card_begin_launch(card *c, context *x, slot *s);
void card_end_launch(card *c, slot *s, uint64_t *cycles);  // sets status and results
void card_drop_launch(card *c);
void card_release(card *c, context *x);  // frees what a context has

#endif
