// SPDX-License-Identifier: Apache-2.0
// A card on a machine of one core, and the host that uses it: memory with a hole and an end, a time
// that jumps to what card_run asks for, a log of what the card does to the host.
#ifndef NEARBANK_TB_CARD_RIG_H
#define NEARBANK_TB_CARD_RIG_H

#include "harness/machines/mpu/machine/build.h"
#include "harness/systemc/card/card.h"

const char *card_status_name(uint32_t status);  // "BAD_TAIL"; NULL: not a status

// The host window: an area for each context, then room with a hole in it.
enum {
  RIG_AREA = 0x40000,         // ring, completions, message, data of a context
  RIG_COMPLETIONS = 0x10000,  // offsets in an area
  RIG_MESSAGE = 0x20000,
  RIG_DATA = 0x21000,
  RIG_DATA_BYTES = RIG_AREA - RIG_DATA,
  RIG_MESSAGE_BYTES = 0x1000,
  RIG_HOLE = CARD_N_CONTEXTS * RIG_AREA + 0x10000,
  RIG_HOLE_END = RIG_HOLE + 0x8000,
  RIG_END = RIG_HOLE_END + 0x10000,
};

typedef enum rig_kind { RIG_READ, RIG_WRITE, RIG_INTERRUPT } rig_kind;
typedef struct rig_event {
  rig_kind kind;
  uint64_t at, offset, bytes;
  uint32_t done, state, error, interrupts;  // registers of the context that the rig watches
} rig_event;
enum { RIG_EVENTS = 4096 };

typedef struct rig {
  config config;
  machine *m;
  sim *s;
  card *card;
  uint64_t now, ahead;
  uint64_t steps;  // calls of card_run that a test may take; a rig that spins fails
  uint8_t *host;
  uint32_t watched;  // context
  rig_event log[RIG_EVENTS];
  uint32_t events, interrupts;
  uint64_t tags;
  bool stop;                    // the machine's watcher ends launches
  void (*looks)(struct rig *);  // called when the card reads, writes or interrupts, or NULL
} rig;

// The link of rig_open: directions that differ, and times that are whole ps for multiples of 16
// bytes.
enum { RIG_DOWN = 16000, RIG_UP = 4000, RIG_LATENCY = 700 };
uint64_t rig_down(uint64_t bytes);  // ps
uint64_t rig_up(uint64_t bytes);
enum { RIG_L = RIG_LATENCY * 1000 };

void rig_open(rig *r);  // near side in C, or as MPU_NEAR says (tb/cosim/timed.h)
// Of any configuration; `mode` NEAR_C or NEAR_LOCKSTEP. False: `why`, there is no such machine
// here.
bool rig_open_as(rig *r, const config *c, near_mode mode, uint32_t features, char *why,
                 size_t why_bytes);
void rig_close(rig *r);
config rig_config(void);

// Time goes on until the card waits for the host; or until `time`, where the card has done what is
// due.
void rig_run(rig *r);
void rig_until(rig *r, uint64_t time);
// Offsets of registers: a page's CARD_R_... or CONTEXT_R_...; context -1 is the card.
uint64_t rig_get(const rig *r, int context, uint32_t reg);
void rig_set(rig *r, int context, uint32_t reg, uint64_t value);
void rig_reset(rig *r);  // the card, on and off

// ---- a context
typedef struct user {
  rig *r;
  uint32_t k, entries, tail;
  uint64_t ring, completions, message, data;  // offsets in the host window; data: of its own, free
  uint8_t *bytes;                             // its data in the host's memory
} user;
user user_of(rig *r, uint32_t k);   // not yet on, 16 entries
void user_on(user *u);              // writes registers, rings; with INTERRUPT
void user_off(user *u);             // and waits for OFF
user user_new(rig *r, uint32_t k);  // both
uint32_t user_state(const user *u);
uint32_t user_done(const user *u);

// A command: user_do(&u, CMD(WRITE, stream, to, from, bytes))
#define CMD(name, on, ...) \
  ((card_command){.opcode = CARD_DO_##name, .stream = (on), .words = {__VA_ARGS__}})
uint32_t user_put(user *u, card_command c);     // into the ring with a tag, not rung; its number
void user_ring(user *u);                        // TAIL, DOORBELL
bool user_has(const user *u, uint32_t number);  // its record is there
card_record user_record(const user *u, uint32_t number);     // checked: it must be there, and right
card_record user_do(user *u, card_command c);                // put, ring, run to the end, record
void user_expect(user *u, card_command c, uint32_t status);  // after a failure on again
const char *user_text(const user *u);

// What it needs often; fail when the card does not do it.
uint64_t user_alloc(user *u, uint64_t bytes);
void user_write(user *u, uint64_t to, const void *from, uint32_t bytes);
void user_read(user *u, void *to, uint64_t from, uint32_t bytes);
uint32_t user_word(user *u, uint64_t from);

// ---- programs
typedef struct object {
  uint8_t *image;
  size_t bytes;
} object;
object object_compile(const config *c, const char *ptx);
const object *object_kernels(void);  // that of kernels.c, for rig_config
extern const char kernels_ptx[];     // scale, spin, ...

uint32_t user_load(user *u, const object *o);
// KERNEL or SYMBOL, with the name in host memory.
card_command user_named(user *u, uint16_t opcode, uint64_t program, const char *name);
// A launch of the kernel `name` of program 0 with these parameters (64 bits each), in host memory
// at `slot` of the context's data.
typedef struct shape {
  uint32_t blocks, threads, shared;
} shape;
card_command user_launch(user *u, uint32_t slot, const char *name, shape s, const uint64_t *params,
                         uint32_t count);
#define PARAMS(...) ((const uint64_t[]){__VA_ARGS__}), sizeof((const uint64_t[]){__VA_ARGS__}) / 8

#endif
