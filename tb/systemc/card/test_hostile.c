// SPDX-License-Identifier: Apache-2.0
// Hosts that do anything: random and mutated commands, absurd rings and tails, registers and
// doorbells at any time (while the card reads host memory too), resets, objects of random bytes,
// kernels with random parameters. Beside them a victim, which keeps its bytes and its part of the
// host's memory. After each episode the card is reset, and a known sequence gives what it gave
// first.
//
//   test_card_hostile [--seed N] [--count COMMANDS]      MPU_LONG: a million of them
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "rig.h"
#include "tb/cosim/cosim.h"

enum { HOSTS = 4, VICTIM = 5, FRIEND = 6, EPISODES = 12, ACTIONS = 80, POOL = 64, KEPT = 32768 };
enum { WATCHDOG_MOST = 3000, OWN_MOST = RIG_DATA_BYTES - 32768 };

static const uint32_t places[HOSTS] = {0, 1, 9, 15};  // contexts

typedef struct hostile {
  user u;
  uint32_t wild;  // of 256: how often a value is one that should not be
  uint32_t programs;
  uint32_t at;    // in its host memory, of the next argument
  uint32_t seen;  // commands whose records were looked at
  card_command sent[1024];
  uint64_t addresses[POOL];
  uint32_t n_addresses;
} hostile;

typedef struct stage {
  rig r;
  cosim_rng g;
  hostile h[HOSTS];
  user victim;
  bool works;                               // the victim is there
  bool busy;                                // and has commands: it may be where others must not be
  uint64_t kept;                            // its memory, KEPT bytes
  uint64_t addresses[POOL], handles[POOL];  // of anybody
  uint32_t n_addresses, n_handles;
  uint64_t handles_for[POOL];  // context
  uint64_t resets, cycles, inside;
  bool meddles;  // the next access or interrupt of the card brings doorbells
} stage;
static stage s;

enum { OPCODES = 16, STATUSES = 39 };
static module *good;                                // that of object_kernels
static uint64_t tally[OPCODES][STATUSES], records;  // that the hosts got
static uint64_t seed = 1, group, count = 10000;
static bool finished;
static const char *program;

static void say_command(void) {
  char text[300];
  const int n = snprintf(text, sizeof text, "repeat with: %s --seed %llu --count 1\n", program,
                         (unsigned long long)group);
  if (write(STDOUT_FILENO, text, (size_t)n) < 0)
    _exit(1);
}

static void died(int number) {
  say_command();
  signal(number, SIG_DFL);
  raise(number);
}

static uint32_t below(uint32_t n) {
  return rng_below(&s.g, n);
}
static bool chance(uint32_t of_256) {
  return rng_chance(&s.g, of_256);
}

static bool wild(const hostile *h) {
  return chance(h->wild);
}

// ---- values

// A number that a program may have got wrong.
static uint64_t odd_number(void) {
  static const uint64_t numbers[] = {
      0,          1,          2,          15,         16,
      17,         63,         64,         0x7fffffff, 0x80000000,
      UINT32_MAX, 1ull << 32, 1ull << 63, UINT64_MAX, UINT64_MAX - 63};
  switch (below(5)) {
    case 0:
      return rng_next(&s.g);
    case 1:
      return 1ull << below(64);
    case 2:
      return below(5000);
    case 3:
      return UINT64_MAX - below(5000);
    default:
      return numbers[below(sizeof numbers / sizeof *numbers)];
  }
}

// An offset in the host window: in its own area, in the hole, at the end, beyond; not where the
// victim is.
static uint64_t host_address(const hostile *h) {
  switch (wild(h) ? below(6) : 6) {
    case 0:
      return RIG_HOLE - below(300);
    case 1:
      return RIG_HOLE + below(RIG_HOLE_END - RIG_HOLE - 20000);
    case 2:
      return RIG_END + below(1 << 20);
    case 3:
      return UINT64_MAX - below(70000);
    case 4:
      return h->u.k * (uint64_t)RIG_AREA + below(RIG_AREA);
    case 5:
      return 1ull << (32 + below(32));
    default:
      return h->u.data + below(OWN_MOST);
  }
}

static uint64_t device_address(const hostile *h) {
  const bool own = !wild(h);
  if (own && !h->n_addresses)
    return 0;
  const uint64_t a = own             ? h->addresses[below(h->n_addresses)]
                     : s.n_addresses ? s.addresses[below(s.n_addresses)]  // anybody's
                                     : 0;
  if (own)
    return a + (chance(60) ? 4 * below(64) : 0);
  return chance(40) ? odd_number() : chance(40) ? below(256 << 20) : a + below(5000) - 500;
}

static uint64_t size(const hostile *h) {
  return !wild(h) ? below(600) : chance(200) ? below(200000) : odd_number();
}

// ---- what the host puts into its memory

// Returns the bytes of the record.
static uint64_t put_launch(hostile *h, uint64_t at) {
  uint32_t kernel = below(good->kernel_count);
  for (int n = 0; n < 1 && strstr("traps waits spin", good->kernels[kernel].name); n++)
    kernel = below(good->kernel_count);  // not that often
  const module_kernel *k = &good->kernels[kernel];
  card_launch l = {.program = wild(h)       ? below(5)
                              : h->programs ? below(h->programs)
                                            : 0,
                   .kernel = wild(h) ? below(1000) : kernel,
                   .shared = chance(220) ? 0 : below(70000),
                   .parameter_bytes = k->param_bytes};
  // not the largest grids that there can be, which are much work for the host
  const uint32_t grids[] = {0, 65535, 65536, 0x80000000, UINT32_MAX, below(1 << 20)};
  for (int n = 0; n < 3; n++) {
    l.grid[n] = wild(h) ? grids[below(6)] : n && chance(240) ? 1 : 1 + below(9);
    l.block[n] = wild(h) ? (uint32_t)odd_number() : n ? 1 + below(2) : 1 + below(250);
    if (k->reqntid[0] && !wild(h))
      l.block[n] = k->reqntid[n];
  }
  if (wild(h))
    l.parameter_bytes = (uint32_t)odd_number();
  uint8_t *to = s.r.host + at;
  memcpy(to, &l, sizeof l);
  for (int n = 0; n < 3; n++) {
    const bool number = n || strcmp(k->name, "spin") == 0;
    const uint64_t value = wild(h)                 ? odd_number()
                           : number && chance(200) ? 1 + below(90)
                                                   : device_address(h);
    memcpy(to + sizeof l + 8 * n, &value, sizeof value);
  }
  return sizeof l + l.parameter_bytes;
}

static uint64_t put_object(hostile *h, uint64_t at) {
  const object *o = object_kernels();
  uint8_t *to = s.r.host + at;
  memcpy(to, o->image, o->bytes);
  switch (below(8)) {
    case 0:  // garbage
      for (uint32_t n = 0; n < 512; n++)
        to[n] = (uint8_t)rng_u32(&s.g);
      break;
    case 1:
      return below((uint32_t)o->bytes);
    case 2:
    case 3:
    case 4:
      for (uint32_t n = 1 + below(8); n; n--)
        to[below((uint32_t)o->bytes)] ^= (uint8_t)(1u << below(8));
      break;
    default:
      break;
  }
  return wild(h) ? size(h) : o->bytes;
}

static uint64_t put_name(hostile *h, uint64_t at) {
  static const char *const names[] = {"scale", "counter", "factor", "spin", "wait", "table"};
  const char *name = names[below(6)];
  memcpy(s.r.host + at, name, strlen(name) + 1);
  return wild(h) ? below(5000) : strlen(name);
}

// The last one that somebody shared with it, 0: there is none.
static uint64_t handle_for(const hostile *h) {
  for (uint32_t n = s.n_handles; n--;)
    if (s.handles_for[n] == h->u.k)
      return s.handles[n];
  return 0;
}

static card_command command(hostile *h) {
  card_command c = {.opcode = (uint16_t)(chance(50) ? CARD_DO_LAUNCH : 1 + below(15)),
                    .stream = below(chance(128) ? CARD_N_STREAMS : 2)};
  const uint64_t own = h->u.data + h->at;  // of its host memory
  uint64_t *w = c.words;
  c.flags = chance(60);
  if (handle_for(h) && chance(40))
    c.opcode = CARD_DO_ATTACH;
  switch (c.opcode) {
    case CARD_DO_WAIT:
      w[0] = wild(h)     ? odd_number()
             : h->u.tail ? h->u.tail - 1 - below(h->u.tail < 20 ? h->u.tail : 20)
                         : 0;
      break;
    case CARD_DO_ALLOC:
      w[0] = !wild(h) ? below(20000) : chance(128) ? 1ull << below(28) : odd_number();
      break;
    case CARD_DO_FREE:
      w[0] = device_address(h);
      break;
    case CARD_DO_SHARE:
      w[0] = device_address(h), w[1] = wild(h) ? odd_number() : places[below(HOSTS)];
      break;
    case CARD_DO_ATTACH:
      w[0] = wild(h) ? odd_number() : !chance(60) ? handle_for(h) : s.handles[below(POOL)];
      break;
    case CARD_DO_WRITE:
    case CARD_DO_READ:
    case CARD_DO_COPY:
    case CARD_DO_FILL:
      w[0] = c.opcode == CARD_DO_READ ? host_address(h) : device_address(h);
      w[1] = c.opcode == CARD_DO_WRITE  ? host_address(h)
             : c.opcode == CARD_DO_FILL ? below(256)
                                        : device_address(h);
      w[2] = size(h);
      break;
    case CARD_DO_LOAD:
      w[0] = wild(h) ? host_address(h) : own, w[1] = put_object(h, own);
      break;
    case CARD_DO_KERNEL:
    case CARD_DO_SYMBOL:
      w[0] = wild(h) ? below(3) : 0, w[1] = wild(h) ? host_address(h) : own,
      w[2] = put_name(h, own);
      break;
    case CARD_DO_LAUNCH:
      w[1] = put_launch(h, own), w[0] = wild(h) ? host_address(h) : own;
      if (wild(h))
        w[1] = size(h);
      break;
    default:
      break;
  }
  h->at = (h->at + (c.opcode == CARD_DO_LOAD ? 16384 : 4608)) % OWN_MOST;
  if (wild(h))  // a field that is anything
    *(uint64_t *[]){&w[below(6)], &w[below(3)], &c.tag}[below(3)] = odd_number();
  if (wild(h) && wild(h)) {  // bits of the fields before the tag
    uint8_t bytes[8];
    memcpy(bytes, &c, sizeof bytes);
    bytes[below(8)] ^= (uint8_t)(1u << below(8));
    memcpy(&c, bytes, sizeof bytes);
  }
  return c;
}

// ---- the transport looks on

static void registers_of_anything(void);

// The victim's part of the host window is touched for it only. (A range that begins before it goes
// through the hole, and is refused.) And the hosts do something in the middle of what the card
// does.
static void looks(rig *r) {
  const rig_event *e = &r->log[r->events - 1];
  if (!s.busy && e->kind != RIG_INTERRUPT && e->offset >= RIG_HOLE_END && e->offset < RIG_END)
    fail_msg("the card is at 0x%llx of the host window", (unsigned long long)e->offset);
  r->events = 0;
  if (!s.meddles)
    return;
  s.meddles = false;
  for (uint32_t n = 1 + below(4); n; n--)
    registers_of_anything();
  s.inside++;
  s.meddles = chance(100);
}

// ---- actions

static void write_register(int page, uint32_t offset, uint32_t bytes, uint64_t value) {
  card_write(s.r.card, (uint64_t)(page + 1) * CARD_PAGE + offset, bytes, value, s.r.now);
}

static int page_of_anybody(void) {
  const int page = (int)below(CARD_N_CONTEXTS);
  return page == VICTIM || page == FRIEND ? 0 : page;
}

static void registers_of_anything(void) {
  static const uint32_t offsets[] = {
#define CARD_REG(page, offset, bits, name, access, reset, doc) offset,
#include "harness/systemc/card/card.def"
  };
  const int page = page_of_anybody();
  switch (below(8)) {
    case 0:  // the card's
      if (chance(20)) {
        write_register(-1, CARD_R_CONTROL, 4, below(4));
        write_register(-1, CARD_R_DOORBELL, 4, 1);
      } else if (chance(100)) {
        write_register(-1, CARD_R_WATCHDOG, 8, 1 + below(WATCHDOG_MOST));
      } else {
        card_ring_all(s.r.card, s.r.now);
      }
      break;
    case 1:
      write_register(page, CONTEXT_R_TAIL, 4, odd_number());
      write_register(page, CONTEXT_R_DOORBELL, 4, odd_number());
      break;
    case 2:
      write_register(page, CONTEXT_R_CONTROL, 4, below(4));
      write_register(page, CONTEXT_R_DOORBELL, 4, 1);
      break;
    case 3:
      write_register(page, CONTEXT_R_DOORBELL, 4, 1);
      break;
    case 4:
      write_register(page, below(CARD_PAGE), below(10), odd_number());
      break;
    default: {
      const uint32_t offset = offsets[below(sizeof offsets / sizeof *offsets)];
      uint64_t value = odd_number();
      if (offset == CONTEXT_R_RING || offset == CONTEXT_R_COMPLETIONS ||
          offset == CONTEXT_R_MESSAGE)
        value = host_address(&s.h[below(HOSTS)]) / 64 * 64;
      write_register(page, offset, chance(200) ? 4 : 8, value);
    }
  }
}

static void absurd_set_up(hostile *h) {
  const int k = (int)h->u.k;
  write_register(k, CONTEXT_R_CONTROL, 4, 0);
  write_register(k, CONTEXT_R_DOORBELL, 4, 1);
  write_register(k, CONTEXT_R_ENTRIES, 4, chance(128) ? 1u << below(12) : odd_number());
  write_register(k, CONTEXT_R_RING, 8, host_address(h) / 64 * 64);
  write_register(k, CONTEXT_R_COMPLETIONS, 8, host_address(h) / 64 * 64);
  write_register(k, CONTEXT_R_MESSAGE, 8, host_address(h));
  write_register(k, CONTEXT_R_MESSAGE_BYTES, 4, chance(200) ? below(5000) : 5000);
  write_register(k, CONTEXT_R_TAIL, 4, below(20));
  write_register(k, CONTEXT_R_CONTROL, 4, below(4) | CONTEXT_CONTROL_ENABLE);
  write_register(k, CONTEXT_R_DOORBELL, 4, 1);
}

static void begin_again(hostile *h) {
  write_register((int)h->u.k, CONTEXT_R_CONTROL, 4, 0);
  write_register((int)h->u.k, CONTEXT_R_DOORBELL, 4, 1);
  h->u = user_of(&s.r, h->u.k);
  h->u.entries = 2u << below(9);
  h->seen = h->at = h->programs = h->n_addresses = 0;
  h->wild = (const uint32_t[]){0, 1, 4, 60}[below(4)];
  user_on(&h->u);
  if (chance(254)) {                                   // most have a program
    const uint64_t at = h->u.data + OWN_MOST + 16384;  // what comes next does not write over it
    memcpy(s.r.host + at, object_kernels()->image, object_kernels()->bytes);
    user_put(&h->u, CMD(LOAD, 0, at, object_kernels()->bytes));
    h->sent[0].opcode = CARD_DO_LOAD, h->sent[1].opcode = CARD_DO_ALLOC,
    h->sent[2].opcode = CARD_DO_FENCE;
    user_put(&h->u, CMD(ALLOC, 0, 1 + below(20000)));
    if (h->u.entries > 2)
      user_put(&h->u, CMD(FENCE, 0));
    user_ring(&h->u);
  }
}

static void remember(uint64_t address, hostile *h) {
  h->addresses[h->n_addresses < POOL ? h->n_addresses++ : below(POOL)] = address;
  s.addresses[s.n_addresses < POOL ? s.n_addresses++ : below(POOL)] = address;
}

// Addresses that its commands got.
static void look_at_records(hostile *h) {
  for (; h->seen < h->u.tail && user_has(&h->u, h->seen); h->seen++) {
    card_record c;
    memcpy(&c, s.r.host + h->u.completions + (uint64_t)(h->seen % h->u.entries) * 64, sizeof c);
    const card_command *sent = &h->sent[h->seen % 1024];
    const uint16_t opcode = sent->opcode;
    if (opcode < OPCODES && c.status < STATUSES)
      tally[opcode][c.status]++, records++;
    if (!c.status &&
        (opcode == CARD_DO_ALLOC || opcode == CARD_DO_SYMBOL || opcode == CARD_DO_ATTACH))
      remember(c.words[0], h);
    h->programs += !c.status && opcode == CARD_DO_LOAD;
    if (!c.status && opcode == CARD_DO_SHARE) {
      if (s.n_handles == POOL)
        s.n_handles = 0;  // the victim's too
      s.handles[s.n_handles] = c.words[0];
      s.handles_for[s.n_handles++] = sent->words[CARD_SHARE_CONTEXT];
    }
  }
}

static void commands(hostile *h) {
  if (user_state(&h->u) != CONTEXT_STATE_ON && chance(220))
    begin_again(h);
  look_at_records(h);
  const uint32_t done = user_done(&h->u);
  for (uint32_t n = 1 + below(8); n && h->u.tail - done < h->u.entries; n--) {
    const card_command c = command(h);
    h->sent[h->u.tail % 1024] = c;
    user_put(&h->u, c);
  }
  user_ring(&h->u);
}

static uint64_t some_time(void) {
  static const uint64_t most[] = {5000, 1000000, 3000000, 20000000};
  return below((uint32_t)most[below(4)]);
}

// ---- the victim

static uint8_t pattern(uint32_t n) {
  return (uint8_t)(n * 41 + (n >> 7) * 3 + 1);
}

static void keeps_its_bytes(void) {
  static uint8_t have[KEPT];
  if (!s.works || rig_get(&s.r, -1, CARD_R_RESETS) != s.resets)
    return;
  assert_true(card_window_read(s.r.card, s.kept, have, KEPT));
  for (uint32_t n = 0; n < KEPT; n++)
    if (have[n] != pattern(n))
      fail_msg("byte %u of the victim is 0x%02x, not 0x%02x", n, have[n], pattern(n));
  assert_int_equal(user_state(&s.victim), CONTEXT_STATE_ON);
}

// out = 3 * in + i; its variables are what they were.
static void computes(user *u, uint64_t *cycles) {
  const uint64_t in = user_alloc(u, 1024), out = user_alloc(u, 1024);
  uint32_t words[256];
  for (uint32_t n = 0; n < 256; n++)
    words[n] = n * 77 + 5;
  user_write(u, in, words, sizeof words);
  const card_command c = user_launch(u, 0, "scale", (shape){4, 64, 0}, PARAMS(out, in));
  const card_record got = user_do(u, c);
  assert_int_equal(got.status, CARD_OK);
  user_read(u, words, out, sizeof words);
  for (uint32_t n = 0; n < 256; n++)
    assert_int_equal(words[n], 3 * (n * 77 + 5) + n);
  if (cycles && *cycles)
    assert_int_equal(got.words[CARD_LAUNCH_GIVES_CYCLES], *cycles);
  if (cycles)
    *cycles = got.words[CARD_LAUNCH_GIVES_CYCLES];
  user_expect(u, CMD(FREE, 0, in), CARD_OK);
  user_expect(u, CMD(FREE, 0, out), CARD_OK);
}

static void victim_on(void) {
  user *v = &s.victim;
  s.busy = true;
  *v = user_of(&s.r, VICTIM);
  // its part of the host window: behind the hole
  v->ring = RIG_HOLE_END, v->completions = RIG_HOLE_END + 0x1000,
  v->message = RIG_HOLE_END + 0x2000;
  v->data = RIG_HOLE_END + 0x3000, v->bytes = s.r.host + v->data;
  memset(s.r.host + v->completions, 0, 0x2000);
  user_off(v);
  user_on(v);
  s.resets = rig_get(&s.r, -1, CARD_R_RESETS);
  s.kept = user_alloc(v, KEPT);
  for (uint32_t at = 0; at < KEPT; at += 4096) {
    for (uint32_t n = 0; n < 4096; n++)
      v->bytes[n] = pattern(at + n);
    user_expect(v, CMD(WRITE, 0, s.kept + at, v->data, 4096), CARD_OK);
  }
  s.handles[0] = user_do(v, CMD(SHARE, 0, s.kept, FRIEND)).words[CARD_SHARE_GIVES_HANDLE];
  s.handles_for[0] = FRIEND;
  s.n_handles = 1;
  s.busy = false;
  s.works = true;
  s.addresses[0] = s.kept;
  s.n_addresses = 1;
}

// What it does, it does right, whatever the others have under way.
static void victim_works(void) {
  if (!s.works || rig_get(&s.r, -1, CARD_R_RESETS) != s.resets)
    return;
  static uint8_t have[4096];
  user *v = &s.victim;
  const bool meddles = s.meddles;
  s.meddles = false;
  s.busy = true;
  const uint64_t at = 4096 * below(KEPT / 4096);
  memset(v->bytes, 0, 4096);
  user_expect(v, CMD(READ, 0, v->data, s.kept + at, 4096), CARD_OK);
  memcpy(have, v->bytes, 4096);
  for (uint32_t n = 0; n < 4096; n++)
    assert_int_equal(have[n], pattern((uint32_t)at + n));
  s.busy = false;
  s.meddles = meddles;
}

// ---- an episode

static void action(void) {
  hostile *h = &s.h[below(HOSTS)];
  switch (below(12)) {
    case 0:
      if (chance(128))
        registers_of_anything();
      break;
    case 1:
      if (chance(40))
        absurd_set_up(h);
      break;
    case 2:
      s.meddles = true;
      break;
    case 3:
      if (chance(40))
        victim_works();
      break;
    case 4:
      s.r.ahead = (const uint64_t[]){0, 1000, 77777, 10000000, CARD_NEVER}[below(5)];
      break;
    case 5:
      rig_until(&s.r, s.r.now + some_time());
      break;
    default:
      commands(h);
      rig_until(&s.r, s.r.now + some_time());
      break;
  }
}

// After a reset all is as it was when the card was new.
static void good_sequence(void) {
  s.works = s.meddles = false;
  s.busy = true;
  rig_reset(&s.r);
  rig_set(&s.r, -1, CARD_R_WATCHDOG, 1000000);
  user u = user_of(&s.r, below(CARD_N_CONTEXTS));
  user_off(&u);
  user_on(&u);
  user_load(&u, object_kernels());
  computes(&u, &s.cycles);
  user_off(&u);
  rig_set(&s.r, -1, CARD_R_WATCHDOG, WATCHDOG_MOST);
  s.busy = false;
}

static void episode(void) {
  s.r.steps = 3000000;
  victim_on();
  for (uint32_t n = 0; n < HOSTS; n++)
    begin_again(&s.h[n]);
  for (uint32_t n = 0; n < ACTIONS; n++) {
    action();
    keeps_its_bytes();
    if (rig_get(&s.r, -1, CARD_R_RESETS) != s.resets && chance(60)) {
      s.meddles = false;
      rig_reset(&s.r);
      for (int k = 0; k < CARD_N_CONTEXTS; k++) {
        write_register(k, CONTEXT_R_CONTROL, 4, 0);
        write_register(k, CONTEXT_R_DOORBELL, 4, 1);
      }
      victim_on();
    }
  }
  rig_run(&s.r);
  keeps_its_bytes();
  victim_works();
  for (int k = 0; k < CARD_N_CONTEXTS; k++)
    assert_in_range(rig_get(&s.r, k, CONTEXT_R_STATE), CONTEXT_STATE_OFF, CONTEXT_STATE_RESET);
  good_sequence();
}

static void hosts_that_do_anything(void **state) {
  (void)state;
  uint64_t inside = 0;
  char why[500];
  good = module_load(object_kernels()->image, object_kernels()->bytes, why, sizeof why);
  assert_non_null(good);
  for (group = seed; records < count; group++) {
    memset(&s, 0, sizeof s);
    s.g = (cosim_rng){group};
    rig_open(&s.r);
    s.r.looks = looks;
    rig_set(&s.r, -1, CARD_R_WATCHDOG, WATCHDOG_MOST);
    for (uint32_t n = 0; n < HOSTS; n++)
      s.h[n].u = user_of(&s.r, places[n]);
    good_sequence();
    for (uint32_t n = 0; n < EPISODES; n++)
      episode();
    inside += s.inside;
    rig_close(&s.r);
  }
  printf("%llu records, %llu accesses with doorbells in them\n", (unsigned long long)records,
         (unsigned long long)inside);
  for (uint32_t o = 1; o < OPCODES; o++) {
    printf("opcode %u:", o);
    for (uint32_t k = 0; k < STATUSES; k++)
      if (tally[o][k])
        printf(" %s %llu", card_status_name(k), (unsigned long long)tally[o][k]);
    printf("\n");
    if (count >= 10000)  // it has come to what it is for
      assert_true(tally[o][CARD_OK] > 0);
  }
  // in lockstep a kernel and a WRITE that race show: the two models see the bytes at other times
  if (!getenv("MPU_NEAR"))
    assert_int_equal(tally[CARD_DO_LAUNCH][CARD_MODEL], 0);
  module_free(good);
  finished = true;
}

static int say_how(void **state) {
  (void)state;
  if (!finished)
    say_command();
  return 0;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(hosts_that_do_anything, say_how)};
  program = argv[0];
  if (getenv("MPU_LONG"))
    count = 1000000;
  for (int n = 1; n < argc; n += 2) {
    if (n + 1 < argc && strcmp(argv[n], "--seed") == 0) {
      seed = strtoull(argv[n + 1], NULL, 0);
    } else if (n + 1 < argc && strcmp(argv[n], "--count") == 0) {
      count = strtoull(argv[n + 1], NULL, 0);
    } else {
      fprintf(stderr, "usage: %s [--seed N] [--count COMMANDS]\n", argv[0]);
      return 2;
    }
  }
  signal(SIGABRT, died);
  signal(SIGSEGV, died);
  printf("seed %llu\n", (unsigned long long)seed);
  return cmocka_run_group_tests_name("hostile hosts of the card", tests, NULL, NULL);
}
