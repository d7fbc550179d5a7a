// SPDX-License-Identifier: Apache-2.0
// Inside of the card.
//
// card.c           registers, doorbells, life of contexts, windows
// card_ring.c      commands from the ring to their records: streams, engines, time
// card_commands.c  what commands do
#ifndef NEARBANK_CARD_PRIV_H
#define NEARBANK_CARD_PRIV_H

#include "card.h"

enum { ENGINE_NONE, ENGINE_DOWN, ENGINE_UP, ENGINE_MACHINE, ENGINES };
enum { CONTEXTS = CARD_N_CONTEXTS, STREAMS = CARD_N_STREAMS, PROGRAMS = 64, TEXT = 4096 };
enum { OWN_SHARES = 64, SHARES = CONTEXTS * OWN_SHARES };  // handles of a context, not attached yet

typedef enum slot_state {
  SLOT_FREE,
  SLOT_WAITS,  // for its stream, or an engine
  SLOT_RUNS,
  SLOT_ENDED,  // its record is under way
  SLOT_DONE,
} slot_state;

typedef struct slot {
  card_command c;
  card_record r;
  slot_state state;
  uint64_t here;   // when it is, of one that the doorbell was rung for
  uint64_t ends;   // SLOT_RUNS: when; CARD_NEVER: a launch, it is not known yet
  uint64_t frees;  // SLOT_RUNS: when its engine can take the next one
  uint64_t shown;  // SLOT_ENDED: when its record is there
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
  bool failing;                // no command begins
  uint32_t fetched, rung;      // commands that are here; that the doorbell was rung for
  uint64_t fetch_at, rung_at;  // when the next of those are here, and all of them
  slot *slots;                 // set.entries
  module *programs[PROGRAMS];
  uint32_t n_programs;
} context;

typedef struct share {
  uint64_t handle, address;  // handle 0: none
  uint32_t from, to;
} share;

struct card {
  config config;
  machine *m;
  sim *s;
  card_transport t;
  uint64_t memory_bytes;
  // registers of the card
  uint32_t control, resets;
  uint64_t watchdog, time;
  bool reset;         // under way
  bool inside;        // card_run is
  uint32_t later;     // pages, a bit each, whose doorbell was rung meanwhile
  uint64_t later_at;  // when, the last of them
  context contexts[CONTEXTS];
  uint64_t free_at[ENGINES];  // an engine can take a command then
  uint32_t turn[ENGINES];     // the context that an engine looks at first
  share shares[SHARES];
  uint64_t n_handles;
  // the launch under way, NULL: none; when its cycle 0 is
  slot *launches;
  launch *l;  // NULL: the machine has done all its cycles
  uint64_t launched, issued;
  uint8_t *buffer;  // BUFFER bytes
  card_counts counts;
  launch_stats stats;
};

enum { BUFFER = 64 << 10 };

static inline uint32_t context_number(const card *c, const context *x) {
  return (uint32_t)(x - c->contexts);
}

// ---- card_ring.c
bool card_ring_step(card *c, uint64_t now);      // one thing that is due; false: nothing is
uint64_t card_ring_next(card *c, uint64_t now);  // when something will be
void card_ring_ahead(card *c, uint64_t until);   // lets the launch under way go on
void card_ring_drop(card *c, context *x,
                    uint64_t now);  // what a context has under way ends, without records
void card_ring_rung(card *c, context *x, uint64_t now);  // commands up to TAIL are on their way
void card_ring_fail(card *c, context *x, uint32_t status, uint32_t command, uint64_t now);

// ---- card_commands.c
// Whether a command can be one at all.
uint32_t card_check(const slot *s);
uint32_t card_engine(uint32_t opcode);
// How long it keeps its engine, and when it ends after that; LAUNCH is not asked for the former.
uint64_t card_busy(const card *c, const slot *s);
uint64_t card_after(const card *c, const slot *s);
// Does it: sets status and results. For all but LAUNCH.
void card_do(card *c, context *x, slot *s);
// LAUNCH: false, it has ended at once, with a status; and at its end.
bool card_begin_launch(card *c, context *x, slot *s);
void card_end_launch(card *c, slot *s, uint64_t *cycles);  // sets status and results
void card_drop_launch(card *c);
// What a context has goes.
void card_release(card *c, context *x);
uint64_t card_link_time(uint64_t bytes, uint32_t mb_per_second);  // ps

#endif
