// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <fcntl.h>
#include <unistd.h>

enum { LEAST = 1 << 20 };
// Between two looks at the doorbell while a launch runs.
#define SLICE (1000ull * CARD_PERIOD)

struct peer {
  card *card;
  uint64_t bytes;   // of the shared memory
  uint64_t now;     // device time: it stands still while the card is idle
  uint64_t next;    // when card_run is due
  uint8_t *shared;  // NULL: no client
  int doorbell, interrupt;
};

// ---- registers

typedef enum reg_access { ACCESS_RO, ACCESS_RW, ACCESS_RING } reg_access;
typedef enum reg_page { PAGE_CARD, PAGE_CONTEXT } reg_page;
typedef struct reg {
  reg_page page;
  uint32_t offset, bytes;
  reg_access access;
  bool last;  // what it says holds for the others: the card writes it after them
} reg;

static const reg regs[] = {
#define CARD_REG(page, offset, bits, name, access, reset, doc) \
  {PAGE_##page, offset, (bits) / 8, ACCESS_##access,           \
   (PAGE_##page == PAGE_CARD ? (offset) == CARD_R_STATUS : (offset) == CONTEXT_R_STATE)},
#include "harness/systemc/card/card.def"
};
enum { REGS = sizeof regs / sizeof *regs };

typedef void each_reg(peer *p, const reg *r, uint64_t at);

static void for_each_reg(peer *p, reg_access access, bool last, each_reg *f) {
  for (uint64_t page = 0; page < CARD_REGISTERS; page += CARD_PAGE)
    for (size_t k = 0; k < REGS; k++)
      if ((regs[k].page == PAGE_CARD) == (page == 0) && regs[k].access == access &&
          regs[k].last == last)
        f(p, &regs[k], page + regs[k].offset);
}

static void take_one(peer *p, const reg *r, uint64_t at) {
  const void *from = p->shared + at;
  const uint64_t value = r->bytes == 4 ? __atomic_load_n((const uint32_t *)from, __ATOMIC_ACQUIRE)
                                       : __atomic_load_n((const uint64_t *)from, __ATOMIC_ACQUIRE);
  card_write(p->card, at, r->bytes, value, p->now);
}

static void show_one(peer *p, const reg *r, uint64_t at) {
  void *to = p->shared + at;
  uint64_t value = 0;
  card_read(p->card, at, r->bytes, &value);
  if (r->bytes == 4)
    __atomic_store_n((uint32_t *)to, (uint32_t)value, __ATOMIC_RELEASE);
  else
    __atomic_store_n((uint64_t *)to, value, __ATOMIC_RELEASE);
}

// From shared memory to the card; none of these has a side effect.
static void take_registers(peer *p) {
  for_each_reg(p, ACCESS_RW, false, take_one);
}

static void show_registers(peer *p) {
  for_each_reg(p, ACCESS_RING, false, show_one);
  for_each_reg(p, ACCESS_RO, false, show_one);
  for_each_reg(p, ACCESS_RO, true, show_one);
}

// ---- what the card asks for

static uint8_t *host_memory(const peer *p, uint64_t offset, uint64_t bytes) {
  const uint64_t all = p->bytes - CARD_REGISTERS;
  return p->shared && offset <= all && bytes <= all - offset ? p->shared + CARD_REGISTERS + offset
                                                             : NULL;
}

static bool host_read(void *ctx, uint64_t offset, void *to, uint64_t bytes) {
  const uint8_t *from = host_memory(ctx, offset, bytes);
  if (from)
    memcpy(to, from, bytes);
  return from;
}

// The host takes a record once its `number` is there, so that comes last.
static void write_record(uint8_t *to, const uint8_t *from) {
  enum { AT = offsetof(card_record, number), BEHIND = AT + 4 };
  uint32_t number;
  memcpy(&number, from + AT, sizeof number);
  memcpy(to, from, AT);
  memcpy(to + BEHIND, from + BEHIND, sizeof(card_record) - BEHIND);
  __atomic_store_n((uint32_t *)(void *)(to + AT), number, __ATOMIC_RELEASE);
}

static bool host_write(void *ctx, uint64_t offset, const void *from, uint64_t bytes) {
  uint8_t *to = host_memory(ctx, offset, bytes);
  if (!to)
    return false;
  if (bytes == sizeof(card_record) && offset % sizeof(card_record) == 0)
    write_record(to, from);
  else
    memcpy(to, from, bytes);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  return true;
}

// The host that wakes up finds the registers as they are now. A counter that is full is an
// interrupt all the same.
static void interrupt(void *ctx) {
  peer *p = ctx;
  const uint64_t one = 1;
  if (!p->shared)
    return;
  show_registers(p);
  if (write(p->interrupt, &one, sizeof one) != sizeof one && errno != EAGAIN)
    perror("mpu: the interrupt of the card");
}

// ---- the client

static bool send_number(int client, int64_t number, int fd) {
  const uint64_t raw = htole64((uint64_t)number);
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct iovec data = {(void *)&raw, sizeof raw};
  struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};
  if (fd >= 0) {
    m.msg_control = &control;
    m.msg_controllen = sizeof control;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
  }
  ssize_t n;
  do
    n = sendmsg(client, &m, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  return n == sizeof raw;
}

// A client cannot shrink memory below what is mapped here.
static int make_memory(peer *p) {
  const int memory = memfd_create("nearbank-card", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0)
    return -1;
  void *at = MAP_FAILED;
  if (!ftruncate(memory, (off_t)p->bytes) &&
      !fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
    at = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (at == MAP_FAILED) {
    close(memory);
    return -1;
  }
  p->shared = at;
  return memory;
}

static bool greet(peer *p, int client) {
  const int memory = make_memory(p);
  p->doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  p->interrupt = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  bool ok = memory >= 0 && p->doorbell >= 0 && p->interrupt >= 0;
  if (ok)
    show_registers(p);
  else
    perror("mpu: the memory of the card");
  ok = ok && send_number(client, 0, -1) && send_number(client, PEER_CLIENT, -1) &&
       send_number(client, -1, memory) && send_number(client, PEER_CARD, p->doorbell) &&
       send_number(client, PEER_CLIENT, p->interrupt);
  if (memory >= 0)
    close(memory);
  return ok;
}

// A client says nothing: what can be read from it is its end.
static bool gone(int client) {
  char said[256];
  const ssize_t n = recv(client, said, sizeof said, MSG_DONTWAIT);
  return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

static void turn_away(int listener) {
  const int other = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (other >= 0)
    close(other);
}

static void serve(peer *p, int client, int listener) {
  for (;;) {
    struct pollfd fds[] = {{.fd = p->doorbell, .events = POLLIN},
                           {.fd = client, .events = POLLIN},
                           {.fd = listener, .events = POLLIN}};
    const bool idle = p->next == CARD_NEVER;
    uint64_t rings;
    if (poll(fds, 3, idle ? -1 : 0) < 0 && errno != EINTR)
      return;
    if (fds[1].revents && gone(client))
      return;
    if (fds[2].revents)
      turn_away(listener);
    const bool rung = read(p->doorbell, &rings, sizeof rings) == sizeof rings;
    take_registers(p);
    if (rung) {
      card_ring_all(p->card, p->now);
      p->next = p->now;
    } else if (idle) {
      continue;
    }
    p->now = p->next > p->now ? p->next : p->now;
    p->next = card_run(p->card, p->now, SLICE);
    show_registers(p);
  }
}

static uint32_t contexts_on(const peer *p) {
  uint32_t on = 0;
  for (uint32_t k = 0; k < CARD_N_CONTEXTS; k++) {
    uint64_t state = CONTEXT_STATE_OFF;
    card_read(p->card, (1 + k) * (uint64_t)CARD_PAGE + CONTEXT_R_STATE, 4, &state);
    on += state == CONTEXT_STATE_ON || state == CONTEXT_STATE_FAILED;
  }
  return on;
}

static void forget_one(peer *p, const reg *r, uint64_t at) {
  card_write(p->card, at, r->bytes, 0, p->now);
}

// Registers of the host are 0 for the next client, and all contexts off. To whoever still has the
// memory, the registers are those of a card that is gone.
static void end_client(peer *p) {
  uint8_t *shared = p->shared;
  p->shared = NULL;
  for_each_reg(p, ACCESS_RW, false, forget_one);
  card_ring_all(p->card, p->now);
  p->next = card_run(p->card, p->now, SLICE);
  if (shared) {
    memset(shared, 0xff, CARD_REGISTERS);
    munmap(shared, p->bytes);
  }
  if (p->doorbell >= 0)
    close(p->doorbell);
  if (p->interrupt >= 0)
    close(p->interrupt);
  p->doorbell = p->interrupt = -1;
}

peer_end peer_serve(peer *p, int client, int listener) {
  peer_end end = {.greeted = greet(p, client)};
  if (end.greeted)
    serve(p, client, listener);
  end.contexts = contexts_on(p);
  end_client(p);
  return end;
}

// ---- begin and end

peer *peer_new(card_machine *m, uint64_t bytes, char *why, size_t why_bytes) {
  if (bytes < LEAST || (bytes & (bytes - 1))) {
    snprintf(why, why_bytes, "shared memory is a power of two, at least %d bytes", LEAST);
    return NULL;
  }
  peer *p = calloc(1, sizeof *p);
  const card_transport t = {p, host_read, host_write, interrupt,
                            CARD_FEATURES_INTERRUPTS | CARD_FEATURES_ONE_DOORBELL};
  if (p)
    *p = (peer){.bytes = bytes, .next = CARD_NEVER, .doorbell = -1, .interrupt = -1};
  if (!p || !(p->card = card_new(card_machine_device(m), &t))) {
    snprintf(why, why_bytes, "the host has no memory for a card");
    free(p);
    return NULL;
  }
  return p;
}

void peer_free(peer *p) {
  if (!p)
    return;
  card_free(p->card);
  free(p);
}

const card *peer_card(const peer *p) {
  return p->card;
}
