// SPDX-License-Identifier: Apache-2.0
// The card in C with a machine of one core, and drivers on it. Host memory is an array; a wait lets
// the card go on to its next event.
#ifndef NEARBANK_TB_DRIVER_RIG_H
#define NEARBANK_TB_DRIVER_RIG_H

#include "harness/machines/mpu/machine/build.h"
#include "harness/systemc/card/card.h"
#include "harness/systemc/card/card_machine.h"
#include "harness/systemc/driver/driver.h"

enum {
  HOST = 16 << 20,   // bytes of memory that the card reaches
  PART = 256 << 10,  // of a driver, the least
  LARGE = 8 << 20,   // of a driver that takes the largest chunks
};
// Offset of that memory in the host window.
#define HOST_AT 0x123456000

typedef struct rig {
  card_machine *m;
  card *card;
  uint64_t now, next;
  uint8_t *host;
  bool dead;         // registers read all ones
  bool no_patience;  // a wait says that there is no use
  uint64_t waits;
  uint32_t interrupts;
  uint8_t *image;  // of `ptx`
  size_t image_bytes;
} rig;

rig *rig_open(void);                            // an MPU, and its program
rig *rig_on(card_machine *m, const char *why);  // `m` becomes the rig's; NULL: fails with `why`
void rig_close(rig *r);

// A driver whose part of host memory begins at byte `at`.
driver_transport transport_of(rig *r, uint64_t at, uint64_t bytes);
driver *open_at(rig *r, uint32_t context, uint64_t at, uint64_t bytes);
driver *open_one(rig *r);  // context 0, the smallest part
// It does not open; `text` is in the one line that says why. given: NULL for such a part.
void open_fails(rig *r, uint32_t context, const driver_transport *given, const char *text);

// What the transport does.
uint64_t reg_read(void *ctx, uint32_t offset, uint32_t bytes);
void reg_write(void *ctx, uint32_t offset, uint32_t bytes, uint64_t value);
bool wait_a_while(void *ctx);
// Registers as others see and write them.
uint32_t context_reg(rig *r, uint32_t context, uint32_t reg);
void context_control(rig *r, uint32_t context, uint32_t value);
void card_control(rig *r, uint32_t value);

// A call of driver d returns this; then `text` is in the message.
#define OK(call) check(d, call, CARD_OK, "")
#define FAILS(call, status, text) check(d, call, status, text)
void check(driver *d, uint32_t got, uint32_t status, const char *text);

uint64_t alloc_of(driver *d, uint64_t bytes);
uint8_t *noise(uint64_t bytes, uint32_t seed);  // to be freed

// ---- the program of the tests

typedef struct scale_parameters {
  uint32_t k;
  uint64_t out, in;
} scale_parameters;

typedef struct turn_parameters {
  uint64_t out;
  uint32_t turns;
} turn_parameters;

// scale: out[i] = in[i] * k + offset + factors[1], a thread each; .u32 offset = 5 is global,
// .u32 factors[3] = {3, 4, 7} constant.
// turn: *out = turns, after as many turns.
uint32_t load_of(rig *r, driver *d);
card_launch launch_of(driver *d, uint32_t program, const char *name, uint32_t blocks,
                      uint32_t threads);
// ---- without waiting
uint32_t submit_of(driver *d, card_opcode opcode, uint32_t stream, uint64_t a, uint64_t b,
                   uint64_t c);
// A launch of `turn`, in the arena.
uint32_t submit_turn(driver *d, uint32_t stream, const card_launch *l, turn_parameters p);

#endif
