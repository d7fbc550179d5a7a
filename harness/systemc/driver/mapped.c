// SPDX-License-Identifier: Apache-2.0
#include "mapped.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

// Some changes of the card come without an interrupt, and at once: the first looks are close
// together.
enum { PATIENCE_LEAST = 1, PATIENCE_MOST = 128 };

static bool is_doorbell(uint32_t offset) {
  return offset < CARD_PAGE ? offset == CARD_R_DOORBELL : offset % CARD_PAGE == CONTEXT_R_DOORBELL;
}

// What is beyond the registers reads as ones, like a card that is gone.
static uint64_t reg_read(void *ctx, uint32_t offset, uint32_t bytes) {
  const mapped *m = ctx;
  if (offset >= CARD_REGISTERS)
    return bytes == 4 ? UINT32_MAX : UINT64_MAX;
  const void *at = m->memory + offset;
  return bytes == 4 ? __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE)
                    : __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
}

static void reg_write(void *ctx, uint32_t offset, uint32_t bytes, uint64_t value) {
  mapped *m = ctx;
  if (offset >= CARD_REGISTERS)
    return;
  void *at = m->memory + offset;
  if (is_doorbell(offset)) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    m->ring(m);
  } else if (bytes == 4) {
    __atomic_store_n((uint32_t *)at, (uint32_t)value, __ATOMIC_RELEASE);
  } else {
    __atomic_store_n((uint64_t *)at, value, __ATOMIC_RELEASE);
  }
}

static bool wait_for(void *ctx) {
  mapped *m = ctx;
  uint64_t n = 0;
  struct pollfd fds[] = {{.fd = m->interrupt, .events = POLLIN}, {.fd = m->hangup}};
  const int ready = poll(fds, 2, m->patience);
  if (ready > 0 && fds[0].revents && read(m->interrupt, &n, sizeof n) == sizeof n)
    m->interrupts += n;
  if (n)
    m->patience = PATIENCE_LEAST;
  else if (m->patience < PATIENCE_MOST)
    m->patience *= 2;
  return !(ready > 0 && fds[1].revents) && (ready >= 0 || errno == EINTR);
}

driver_transport mapped_transport(mapped *m) {
  m->patience = PATIENCE_LEAST;
  return (driver_transport){.ctx = m,
                            .read = reg_read,
                            .write = reg_write,
                            .wait = wait_for,
                            .host = m->memory + CARD_REGISTERS,
                            .offset = 0,
                            .bytes = m->bytes - CARD_REGISTERS};
}
