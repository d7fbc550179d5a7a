// SPDX-License-Identifier: Apache-2.0
// The driver of the card of docs/card.md, over any transport: it needs a way to registers, host
// memory that the card reaches, and a way to wait. It depends on the C library only, so that it
// builds statically for a guest.
//
// One driver is one context. Calls wait until what they ask for is done, but for driver_submit and
// driver_launch_begin. One thread at a time.
#ifndef NEARBANK_DRIVER_H
#define NEARBANK_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "harness/systemc/card/card_regs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct driver driver;

typedef struct driver_transport {
  void *ctx;
  // Registers: an aligned access of 4 or 8 bytes at an offset of the register window.
  uint64_t (*read)(void *ctx, uint32_t offset, uint32_t bytes);
  void (*write)(void *ctx, uint32_t offset, uint32_t bytes, uint64_t value);
  // Returns when an interrupt came since the last call, or now and then; the driver looks again.
  // False: there is no use in waiting any longer (the card is gone, or will never do anything
  // more).
  bool (*wait)(void *ctx);
  // Memory of the host that the card reaches, all of it the driver's: host[k] has offset `offset` +
  // k in the host window. At least 256 KB, aligned to 64 bytes.
  uint8_t *host;
  uint64_t offset, bytes;
} driver_transport;

// A context of the card, turned on. NULL: `why` is one line: no card, another version, an unknown
// type, the context is in use, or it does not start.
driver *driver_open(const driver_transport *t, uint32_t context, char *why, size_t why_bytes);
// Turns it off: its memory and programs are gone. NULL is fine.
void driver_close(driver *d);
// Turns it off and on again, after a failure too. False: it did not come back, see driver_message.
bool driver_reset(driver *d);

uint32_t driver_type(const driver *d);    // of the card: CARD_TYPE_MPU, ...
uint64_t driver_memory(const driver *d);  // bytes of device memory
uint32_t driver_cores(const driver *d);

// What went wrong last: a line or more, for the user. "" when nothing did.
const char *driver_message(const driver *d);
// Of this only what the card itself said: "" when it said nothing.
const char *driver_text(const driver *d);
// The status that a call returns when the card is gone, or the context was turned off behind the
// driver's back: no status of the card.
enum { DRIVER_GONE = 0x100 };

// All return a status of the card (CARD_OK is 0), or DRIVER_GONE. Sizes may be 0: nothing is done
// then.
uint32_t driver_alloc(driver *d, uint64_t bytes, uint64_t *address);
uint32_t driver_free(driver *d, uint64_t address);
uint32_t driver_share(driver *d, uint64_t address, uint32_t context, uint64_t *handle);
uint32_t driver_attach(driver *d, uint64_t handle, uint64_t *address, uint64_t *bytes);
uint32_t driver_write(driver *d, uint64_t to, const void *from, uint64_t bytes);  // any memory
uint32_t driver_read(driver *d, void *to, uint64_t from, uint64_t bytes);
uint32_t driver_copy(driver *d, uint64_t to, uint64_t from, uint64_t bytes);
uint32_t driver_fill(driver *d, uint64_t to, uint8_t value, uint64_t bytes);
uint32_t driver_load(driver *d, const void *image, uint64_t bytes, uint32_t *program);
uint32_t driver_kernel(driver *d, uint32_t program, const char *name, uint32_t *kernel,
                       uint32_t *parameter_bytes);
uint32_t driver_symbol(driver *d, uint32_t program, const char *name, uint64_t *address,
                       uint64_t *bytes);
// `what` without the parameters; *r, if not NULL, is the record: cycles, begin and end.
uint32_t driver_launch(driver *d, const card_launch *what, const void *parameters, card_record *r);

// A matrix of a SpaceA, of arrays in device memory: `mapping` is a value of CARD_MAPPING.
typedef struct driver_csr {
  uint64_t row_ptr, col, val;  // device addresses: rows + 1 words; 32 bits and binary64 an entry
  uint32_t rows, columns;
} driver_csr;
uint32_t driver_matrix(driver *d, const driver_csr *a, uint32_t mapping, uint32_t *matrix);
uint32_t driver_matrix_free(driver *d, uint32_t matrix);
// y = y + A x, in device memory; `semiring` is a value of CARD_SEMIRING.
uint32_t driver_multiply(driver *d, uint32_t matrix, uint64_t x, uint64_t y, uint32_t semiring,
                         card_record *r);

// ---- without waiting
// Puts a command into the ring and rings; waits only while the ring is full. Its tag is the
// driver's. What its addresses in host memory mean is the caller's business (driver_arena).
// *command: its number.
uint32_t driver_submit(driver *d, const card_command *c, uint32_t *command);
// driver_launch, as far as that.
uint32_t driver_launch_begin(driver *d, const card_launch *what, const void *parameters,
                             uint32_t *command);
// Waits for it, and returns its status; *r, if not NULL, is its record. Each command once, in any
// order.
uint32_t driver_finish(driver *d, uint32_t command, card_record *r);
// Host memory that the driver itself does not use: for data of driver_submit. Its offset in the
// host window, and its size.
uint8_t *driver_arena(driver *d, uint64_t *offset, uint64_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
