// SPDX-License-Identifier: Apache-2.0
// The card as a peer of ivshmem: the protocol, registers in shared memory, doorbell and interrupt,
// launches, every way in which one side goes away, and hosts that write anything.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "csim/isa/model.h"
#include "tb/systemc/ivshmem/rig.h"

enum { BLOCKS = 4, THREADS = 64, N = BLOCKS * THREADS, FOREVER = 1 << 30 };

static uint32_t reg_of(const driver_transport *t, uint32_t offset) {
  return (uint32_t)t->read(t->ctx, offset, 4);
}

static void set_reg(const driver_transport *t, uint32_t offset, uint32_t value) {
  t->write(t->ctx, offset, 4, value);
}

static uint32_t page_of(uint32_t context) {
  return (1 + context) * CARD_PAGE;
}

// The card changes a register without an interrupt, soon.
static void becomes(const driver_transport *t, uint32_t offset, uint32_t value) {
  for (int n = 0; n < 100 && reg_of(t, offset) != value; n++)
    t->wait(t->ctx);
  assert_int_equal(reg_of(t, offset), value);
}

// The machine's cycles.
static uint64_t launch_scale(rig *r, driver *d, uint32_t k) {
  uint32_t in[N], out[N];
  for (uint32_t n = 0; n < N; n++)
    in[n] = n * n;
  const card_launch l = launch_of(d, load_of(r, d), "scale", BLOCKS, THREADS);
  const scale_parameters p = {k, alloc_of(d, sizeof out), alloc_of(d, sizeof in)};
  card_record record;
  OK(driver_write(d, p.in, in, sizeof in));
  OK(driver_launch(d, &l, &p, &record));
  OK(driver_read(d, out, p.out, sizeof out));
  for (uint32_t n = 0; n < N; n++)
    assert_int_equal(out[n], in[n] * k + 5 + 4);
  assert_true(record.words[CARD_LAUNCH_GIVES_CYCLES]);
  return record.words[CARD_LAUNCH_GIVES_CYCLES];
}

// A launch that does not end by itself is in the middle of its work: what it stores can be read.
static uint32_t launch_forever(rig *r, driver *d) {
  enum { AT = 4096 };  // in the arena, behind the launch
  const card_launch l = launch_of(d, load_of(r, d), "turn", 1, 1);
  const uint64_t out = alloc_of(d, 4);
  uint64_t offset, bytes;
  uint32_t turn = 0;
  uint8_t *arena = driver_arena(d, &offset, &bytes);
  OK(driver_write(d, out, &turn, sizeof turn));
  const uint32_t command = submit_turn(d, 0, &l, (turn_parameters){out, FOREVER});
  while (!turn) {
    OK(driver_finish(d, submit_of(d, CARD_DO_READ, 1, offset + AT, out, sizeof turn), NULL));
    memcpy(&turn, arena + AT, sizeof turn);
  }
  return command;
}

// ---- the protocol, with nothing of ours on the client's side

static int64_t next_number(int socket, int *fd) {
  uint8_t raw[8];
  char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(sizeof(size_t))));
  struct iovec data = {raw, sizeof raw};
  struct msghdr m = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  assert_int_equal(recvmsg(socket, &m, MSG_WAITALL), sizeof raw);
  const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
  *fd = -1;
  if (c)
    memcpy(fd, CMSG_DATA(c), sizeof *fd);
  uint64_t n = 0;
  for (int k = 0; k < 8; k++)
    n |= (uint64_t)raw[k] << 8 * k;
  return (int64_t)n;
}

static void test_protocol(void **state) {
  static const struct {
    int64_t number;
    bool descriptor;
  } expected[] = {{0, false}, {1, false}, {-1, true}, {0, true}, {1, true}};
  int fds[5];
  struct stat memory;
  serving s;
  (void)state;
  serving_open(&s);
  serving_begin(&s);
  for (int k = 0; k < 5; k++) {
    assert_int_equal(next_number(s.client, &fds[k]), expected[k].number);
    assert_int_equal(fds[k] >= 0, expected[k].descriptor);
  }
  assert_int_equal(fstat(fds[2], &memory), 0);
  assert_int_equal(memory.st_size, SHARED);
  assert_int_equal(memory.st_nlink, 0);  // no name to be left behind
  assert_int_equal(ftruncate(fds[2], 4096), -1);
  uint32_t magic;
  assert_int_equal(pread(fds[2], &magic, 4, CARD_R_MAGIC), 4);
  assert_int_equal(magic, CARD_MAGIC_VALUE);
  for (int k = 2; k < 5; k++)
    close(fds[k]);
  close(s.client);
  const peer_end end = serving_end(&s);
  assert_true(end.greeted);
  assert_int_equal(end.contexts, 0);
  serving_close(&s);
}

static void test_sizes(void **state) {
  static const uint64_t sizes[] = {0, 4096, 3 << 20, (1 << 20) - 1};
  char why[200];
  rig *r = rig_open();
  (void)state;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    assert_null(peer_new(r->m, sizes[k], why, sizeof why));
    assert_non_null(strstr(why, "power of two"));
  }
  rig_close(r);
}

// ---- registers

static void test_registers(void **state) {
  serving s;
  (void)state;
  serving_open(&s);
  serving_begin(&s);
  driver_transport t = client_of(&s);
  assert_int_equal(t.bytes, SHARED - CARD_REGISTERS);
  assert_int_equal(t.offset, 0);
  assert_int_equal(reg_of(&t, CARD_R_MAGIC), CARD_MAGIC_VALUE);
  assert_int_equal(reg_of(&t, CARD_R_VERSION), CARD_VERSION_VALUE);
  assert_int_equal(reg_of(&t, CARD_R_FEATURES),
                   CARD_FEATURES_INTERRUPTS | CARD_FEATURES_ONE_DOORBELL);
  assert_int_equal(reg_of(&t, CARD_R_STATUS), CARD_STATUS_READY);
  assert_int_equal(t.read(t.ctx, CARD_R_MEMORY, 8),
                   machine_memory_bytes(card_machine_device(s.r->m)->m));
  assert_int_equal(reg_of(&t, CARD_REGISTERS), UINT32_MAX);
  // what the host writes over registers of the card is gone with the card's next step
  set_reg(&t, CARD_R_MAGIC, 1);
  set_reg(&t, page_of(3) + CONTEXT_R_DONE, 77);
  set_reg(&t, page_of(0) + CONTEXT_R_CONTROL, CONTEXT_CONTROL_ENABLE);  // no ring: BAD_SETUP
  set_reg(&t, page_of(0) + CONTEXT_R_DOORBELL, 1);
  becomes(&t, page_of(0) + CONTEXT_R_STATE, CONTEXT_STATE_FAILED);
  assert_int_equal(reg_of(&t, page_of(0) + CONTEXT_R_ERROR), CARD_BAD_SETUP);
  assert_int_equal(reg_of(&t, CARD_R_MAGIC), CARD_MAGIC_VALUE);
  assert_int_equal(reg_of(&t, page_of(3) + CONTEXT_R_DONE), 0);
  assert_int_equal(reg_of(&t, page_of(0) + CONTEXT_R_CONTROL), CONTEXT_CONTROL_ENABLE);
  assert_int_equal(reg_of(&t, page_of(0) + CONTEXT_R_DOORBELL), 0);
  shm_transport_close(&t);
  assert_int_equal(serving_end(&s).contexts, 1);
  serving_close(&s);
}

// ---- work

// Two contexts under one doorbell. Every interrupt that the card raised reaches the client.
static void test_launch(void **state) {
  serving s;
  (void)state;
  serving_open(&s);
  serving_begin(&s);
  driver_transport t = client_of(&s), half = t;
  half.bytes = t.bytes / 2 / 64 * 64;
  driver *a = driver_of(&s, &half, 0);
  half.host += half.bytes, half.offset += half.bytes;
  driver *b = driver_of(&s, &half, 9);
  launch_scale(s.r, a, 3);
  launch_scale(s.r, b, 1000);
  launch_scale(s.r, a, 7);
  driver_close(a);
  driver_close(b);
  becomes(&t, page_of(9) + CONTEXT_R_STATE, CONTEXT_STATE_OFF);
  t.wait(t.ctx);
  const uint64_t came = shm_interrupts(&t);
  shm_transport_close(&t);
  assert_int_equal(serving_end(&s).contexts, 0);
  const card_counts n = card_counted(peer_card(s.p));
  assert_true(came >= 3 && n.commands >= 18);
  assert_int_equal(came, n.interrupts);
  serving_close(&s);
}

// The same launch takes the cycles that it takes without a peer, however the client is scheduled.
static void test_cycles(void **state) {
  uint64_t cycles[2];
  (void)state;
  for (int k = 0; k < 2; k++) {
    serving s;
    serving_open(&s);
    serving_begin(&s);
    driver_transport t = client_of(&s);
    driver *d = driver_of(&s, &t, 0);
    cycles[k] = launch_scale(s.r, d, 3);
    driver_close(d);
    shm_transport_close(&t);
    serving_end(&s);
    serving_close(&s);
  }
  assert_int_equal(cycles[0], cycles[1]);
}

static void test_reset(void **state) {
  serving s;
  (void)state;
  serving_open(&s);
  serving_begin(&s);
  driver_transport t = client_of(&s);
  driver *d = driver_of(&s, &t, 2);
  const uint32_t command = launch_forever(s.r, d);
  set_reg(&t, CARD_R_CONTROL, CARD_CONTROL_RESET);
  set_reg(&t, CARD_R_DOORBELL, 1);
  FAILS(driver_finish(d, command, NULL), DRIVER_GONE, "the card was reset");
  assert_int_equal(reg_of(&t, CARD_R_STATUS), 0);
  assert_int_equal(reg_of(&t, CARD_R_RESETS), 1);
  set_reg(&t, CARD_R_CONTROL, 0);
  set_reg(&t, CARD_R_DOORBELL, 1);
  becomes(&t, CARD_R_STATUS, CARD_STATUS_READY);
  assert_true(driver_reset(d));
  launch_scale(s.r, d, 11);
  driver_close(d);
  shm_transport_close(&t);
  assert_int_equal(serving_end(&s).contexts, 0);
  serving_close(&s);
}

// The card reads it when a launch begins, and nothing rings for it: the second launch has a limit,
// the first has none. Should the host be too late with it, the second ends, and it tries again.
static void test_watchdog(void **state) {
  enum { TURNS = 20000, LIMIT = 50000, TRIES = 10 };
  serving s;
  (void)state;
  serving_open(&s);
  serving_begin(&s);
  driver_transport t = client_of(&s);
  driver *d = driver_of(&s, &t, 0);
  const card_launch l = launch_of(d, load_of(s.r, d), "turn", 1, 1);
  const turn_parameters p = {alloc_of(d, 4), TURNS};
  uint32_t status = CARD_OK;
  for (int n = 0; n < TRIES && status == CARD_OK; n++) {
    t.write(t.ctx, CARD_R_WATCHDOG, 8, 0);
    const uint32_t first = submit_turn(d, 0, &l, p), second = submit_turn(d, 0, &l, p);
    OK(driver_finish(d, submit_of(d, CARD_DO_EVENT, 1, 0, 0, 0), NULL));  // the doorbell was seen
    t.write(t.ctx, CARD_R_WATCHDOG, 8, LIMIT);
    OK(driver_finish(d, first, NULL));
    status = driver_finish(d, second, NULL);
  }
  assert_int_equal(status, CARD_WATCHDOG);
  driver_close(d);
  shm_transport_close(&t);
  serving_end(&s);
  serving_close(&s);
}

// Interrupts that come while nobody sleeps are one wake-up, and counted all the same.
static void test_interrupts(void **state) {
  enum { EVENTS = 8 };
  serving s;
  uint32_t n = 0;
  (void)state;
  serving_open(&s);
  serving_begin(&s);
  driver_transport t = client_of(&s);
  driver *d = driver_of(&s, &t, 5);
  const card_command c = {.opcode = CARD_DO_EVENT, .flags = CARD_FLAG_INTERRUPT};
  for (int k = 0; k < EVENTS; k++)
    OK(driver_submit(d, &c, &n));
  while (reg_of(&t, page_of(5) + CONTEXT_R_INTERRUPTS) < EVENTS)
    usleep(1000);
  for (int k = 0; k < 100 && shm_interrupts(&t) < EVENTS; k++)  // the last one may be under way
    t.wait(t.ctx);
  assert_int_equal(shm_interrupts(&t), EVENTS);
  for (uint32_t k = n - EVENTS + 1; k != n + 1; k++)
    OK(driver_finish(d, k, NULL));
  driver_close(d);
  shm_transport_close(&t);
  serving_end(&s);
  serving_close(&s);
}

// ---- one side goes away

// In the middle of a launch; the next client finds a card that is as new.
static void test_client_vanishes(void **state) {
  serving s;
  (void)state;
  serving_open(&s);
  for (int k = 0; k < 3; k++) {
    serving_begin(&s);
    const int end = dup(s.client);
    driver_transport t = client_of(&s);
    assert_int_equal(reg_of(&t, page_of(1) + CONTEXT_R_STATE), CONTEXT_STATE_OFF);
    assert_int_equal(reg_of(&t, page_of(1) + CONTEXT_R_CONTROL), 0);
    driver *d = driver_of(&s, &t, 1);
    if (k == 1)
      launch_scale(s.r, d, 5);
    const uint32_t command = launch_forever(s.r, d);
    shutdown(end, SHUT_RDWR);
    assert_int_equal(serving_end(&s).contexts, 1);
    // whoever still has the memory sees a card that is gone
    FAILS(driver_finish(d, command, NULL), DRIVER_GONE, "its registers do not answer");
    driver_close(d);
    shm_transport_close(&t);
    close(end);
  }
  serving_close(&s);
}

static void test_client_never_listens(void **state) {
  serving s;
  (void)state;
  serving_open(&s);
  serving_begin(&s);
  close(s.client);
  const peer_end end = serving_end(&s);
  assert_int_equal(end.contexts, 0);
  serving_close(&s);
}

static int files_in(const char *folder) {
  int n = 0;
  DIR *d = opendir(folder);
  while (d && readdir(d))
    n++;
  if (d)
    closedir(d);
  return n;
}

// The card is a process, and is killed in the middle of a launch.
static void test_card_killed(void **state) {
  const int shm = files_in("/dev/shm");
  int pair[2], status;
  serving s;
  (void)state;
  serving_open(&s);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  const pid_t card = fork();
  if (!card) {
    close(pair[1]);
    peer_serve(s.p, pair[0], -1);
    _exit(0);
  }
  close(pair[0]);
  s.client = pair[1];
  driver_transport t = client_of(&s);
  driver *d = driver_of(&s, &t, 0);
  const uint32_t command = launch_forever(s.r, d);
  kill(card, SIGKILL);
  FAILS(driver_finish(d, command, NULL), DRIVER_GONE, "the card does nothing any more");
  assert_int_equal(waitpid(card, &status, 0), card);
  driver_close(d);
  shm_transport_close(&t);
  assert_int_equal(files_in("/dev/shm"), shm);
  serving_close(&s);
}

// ---- sockets with a name

static void test_second_client(void **state) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  char name[64];
  serving s;
  driver_transport t, other;
  (void)state;
  snprintf(name, sizeof name, "@nearbank-test-%d", (int)getpid());
  memcpy(a.sun_path + 1, name + 1, strlen(name) - 1);
  serving_open(&s);
  s.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
  assert_int_equal(bind(s.listener, (void *)&a, length), 0);
  assert_int_equal(listen(s.listener, 4), 0);
  serving_begin(&s);
  t = client_of(&s);
  driver *d = driver_of(&s, &t, 0);
  assert_false(shm_transport(name, &other, s.why, sizeof s.why));
  assert_non_null(strstr(s.why, "serves somebody else"));
  launch_scale(s.r, d, 2);  // the first one goes on
  driver_close(d);
  shm_transport_close(&t);
  serving_end(&s);
  close(s.listener);
  assert_false(shm_transport(name, &other, s.why, sizeof s.why));
  assert_non_null(strstr(s.why, "no card at"));
  assert_false(shm_transport("", &other, s.why, sizeof s.why));
  assert_non_null(strstr(s.why, "the name of a socket"));
  serving_close(&s);
}

// ---- what is no card, for the client

static void is_no_card(const int64_t *numbers, size_t n, const int *fds, const char *text) {
  int pair[2];
  char why[300] = "";
  driver_transport t;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  for (size_t k = 0; k < n; k++) {
    char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(sizeof(size_t)))) = {0};
    struct iovec data = {(void *)&numbers[k], 8};
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};
    if (fds[k] >= 0) {
      m.msg_control = control, m.msg_controllen = sizeof control;
      struct cmsghdr *c = CMSG_FIRSTHDR(&m);
      c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof(int));
      memcpy(CMSG_DATA(c), &fds[k], sizeof(int));
    }
    assert_int_equal(sendmsg(pair[0], &m, 0), 8);
  }
  close(pair[0]);
  assert_false(shm_transport_on(pair[1], &t, why, sizeof why));
  if (!strstr(why, text))
    fail_msg("'%s', not '%s'", why, text);
}

static void test_no_card(void **state) {
  const int small = memfd_create("small", MFD_CLOEXEC), large = memfd_create("large", MFD_CLOEXEC);
  (void)state;
  assert_int_equal(ftruncate(small, 4096) | ftruncate(large, SHARED), 0);
  is_no_card(NULL, 0, NULL, "serves somebody else, or is gone");
  is_no_card((int64_t[]){7}, 1, (int[]){-1}, "version 7");
  is_no_card((int64_t[]){0}, 1, (int[]){large}, "a descriptor came with number 0");
  is_no_card((int64_t[]){0, 1}, 2, (int[]){-1, -1}, "went away");
  is_no_card((int64_t[]){0, 1, 5}, 3, (int[]){-1, -1, large}, "number 5 where -1 was due");
  is_no_card((int64_t[]){0, 1, -1}, 3, (int[]){-1, -1, -1}, "number -1 where -1 was due");
  is_no_card((int64_t[]){0, 1, -1}, 3, (int[]){-1, -1, small}, "too small");
  is_no_card((int64_t[]){0, 1, -1, 0}, 4, (int[]){-1, -1, large, large}, "went away");
  close(small);
  close(large);
}

// ---- hosts that write anything

static uint64_t random_of(uint64_t *seed) {
  *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
  return *seed;
}

// Offsets around both ends of the host window.
static void test_bounds(void **state) {
  serving s;
  (void)state;
  serving_open(&s);
  serving_begin(&s);
  driver_transport t = client_of(&s);
  const uint64_t end = t.bytes;
  const struct {
    uint64_t at, bytes;
    uint32_t status;
  } ranges[] = {{end - 64, 64, CARD_OK},
                {end - 64, 65, CARD_BAD_HOST},
                {end, 1, CARD_BAD_HOST},
                {UINT64_MAX - 7, 8, CARD_BAD_HOST},
                {UINT64_MAX - 7, 64, CARD_BAD_HOST},
                {0 - (uint64_t)CARD_REGISTERS, 8, CARD_BAD_HOST},
                {1ull << 63, 8, CARD_BAD_HOST}};
  for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
    for (int up = 0; up < 2; up++) {
      driver *d = driver_of(&s, &t, 0);
      const uint64_t device = alloc_of(d, 4096);
      const uint32_t n =
          submit_of(d, up ? CARD_DO_READ : CARD_DO_WRITE, 0, up ? ranges[k].at : device,
                    up ? device : ranges[k].at, ranges[k].bytes);
      const uint32_t status = driver_finish(d, n, NULL);
      if (status != ranges[k].status)
        fail_msg("range %zu: status %u, not %u", k, status, ranges[k].status);
      driver_close(d);
    }
  shm_transport_close(&t);
  serving_end(&s);
  serving_close(&s);
}

// Everything changes all the time while the card works on it; afterwards the card serves an orderly
// driver. MPU_SEED: another run.
static void test_hostile(void **state) {
  uint64_t seed = getenv("MPU_SEED") ? strtoull(getenv("MPU_SEED"), NULL, 0) : 1;
  serving s;
  (void)state;
  seed = seed * 2 + 1;
  serving_open(&s);
  for (int client = 0; client < 3; client++) {
    serving_begin(&s);
    driver_transport t = client_of(&s);
    uint8_t *memory = t.host - CARD_REGISTERS;
    for (int n = 0; n < 4000; n++) {
      const uint64_t r = random_of(&seed);
      const uint32_t page = page_of((uint32_t)(r >> 8) % CARD_N_CONTEXTS);
      static const uint32_t few[] = {0, 1, 2, 3, 4, 16, 64, 1024, 0x80000000};
      const uint32_t value = r >> 40 & 1 ? few[(r >> 16) % 9] : (uint32_t)random_of(&seed);
      switch (r % 8) {
        case 0:  // any register
          set_reg(&t, (uint32_t)(random_of(&seed) % (CARD_REGISTERS / 4)) * 4, value);
          break;
        case 1:
          set_reg(&t, page + CONTEXT_R_CONTROL, (uint32_t)(r >> 20) % 4);
          break;
        case 2:
          set_reg(&t, page + CONTEXT_R_ENTRIES, 1u << (r >> 20) % 11);
          t.write(t.ctx, page + CONTEXT_R_RING, 8, (r >> 24) % SHARED / 64 * 64);
          t.write(t.ctx, page + CONTEXT_R_COMPLETIONS, 8, (r >> 12) % SHARED / 64 * 64);
          break;
        case 3:
          set_reg(&t, page + CONTEXT_R_TAIL,
                  reg_of(&t, page + CONTEXT_R_DONE) + (uint32_t)(r >> 20) % 5);
          break;
        case 4: {  // a command with an opcode that there is
          const card_command c = {.opcode = (uint16_t)(r >> 20 & 15),
                                  .flags = (uint16_t)(r >> 30 & 1),
                                  .stream = (uint32_t)(r >> 24) % 17,
                                  .words = {r >> 32, random_of(&seed) % SHARED, r % 4096}};
          memcpy(t.host + random_of(&seed) % (SHARED / 128) * 64, &c, sizeof c);
          break;
        }
        case 5:
          memory[random_of(&seed) % SHARED] = (uint8_t)r;
          break;
        default:
          set_reg(&t, CARD_R_DOORBELL, 1);
      }
    }
    set_reg(&t, CARD_R_CONTROL, 0);
    for (uint32_t k = 0; k < CARD_N_CONTEXTS; k++)
      set_reg(&t, page_of(k) + CONTEXT_R_CONTROL, 0);
    t.write(t.ctx, CARD_R_WATCHDOG, 8, 0);
    set_reg(&t, CARD_R_DOORBELL, 1);
    for (uint32_t k = 0; k < CARD_N_CONTEXTS; k++)
      becomes(&t, page_of(k) + CONTEXT_R_STATE, CONTEXT_STATE_OFF);
    becomes(&t, CARD_R_STATUS, CARD_STATUS_READY);
    driver *d = driver_of(&s, &t, 4);
    launch_scale(s.r, d, 13);
    driver_close(d);
    shm_transport_close(&t);
    assert_int_equal(serving_end(&s).contexts, 0);
  }
  serving_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_protocol),        cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_registers),       cmocka_unit_test(test_launch),
      cmocka_unit_test(test_cycles),          cmocka_unit_test(test_reset),
      cmocka_unit_test(test_watchdog),        cmocka_unit_test(test_interrupts),
      cmocka_unit_test(test_client_vanishes), cmocka_unit_test(test_client_never_listens),
      cmocka_unit_test(test_card_killed),     cmocka_unit_test(test_second_client),
      cmocka_unit_test(test_no_card),         cmocka_unit_test(test_bounds),
      cmocka_unit_test(test_hostile),
  };
  alarm(120);  // a test that hangs is a failure
  return cmocka_run_group_tests(tests, NULL, NULL);
}
