// SPDX-License-Identifier: Apache-2.0
// nearbank::card in SystemC: what it does at which time, direct access, debug transport, responses,
// interrupts, several cards in one simulation.
#include "tb/systemc/tlm/board.h"

#include <random>

#include "harness/systemc/tlm/bus.h"

using namespace boards;
using namespace sc_core;
using masters::payload;

namespace {

card_machine *machines[3];

using program = std::function<void(board &, user &)>;

// One board, and a program on context 0, to the end of all activity.
void simulate(const board_options &o, const program &p) {
  board b("board", machines[0], o);
  user u(b, 0);
  bool done = false;
  sc_spawn([&] {
    p(b, u);
    done = true;
  });
  sc_start();
  CHECK(done);
  CHECK(!sc_pending_activity());
  EQUAL(b.broken(), 0u);
}

board_options options(memory_of host, double quantum_us, masters_of m = masters_of::loose) {
  board_options o;
  o.masters = m, o.host = host, o.quantum = sc_time(quantum_us, SC_US);
  return o;
}

// So that all processes have done what is due now.
void settle() {
  for (unsigned n = 0; n < 5; n++)
    wait(SC_ZERO_TIME);
}

enum { ints = 256, bytes = 4 * ints, input = 0x8000, output = 0x9000, where = 0xa000 };

std::uint32_t in(unsigned n) {
  return n * 2654435761u >> 7;
}

// A context with two allocations and the kernels; the input is in host memory.
struct setup {
  std::uint64_t from, to;
  std::uint32_t scale, spin;
  explicit setup(user &u) {
    u.turn_on();
    from = u.alloc(bytes), to = u.alloc(bytes);
    u.load();
    scale = u.kernel("scale"), spin = u.kernel("spin");
    for (unsigned n = 0; n < ints; n++) {
      const std::uint32_t x = in(n);
      std::memcpy(u.bytes(input + 4 * n), &x, 4);
    }
  }
  card_command launch(user &u) const { return u.launch(where, scale, ints / 64, 64, {to, from}); }
};

bool scaled(const unsigned char *p) {
  for (unsigned n = 0; n < ints; n++) {
    std::uint32_t x;
    std::memcpy(&x, p + 4 * n, 4);
    if (x != 3 * in(n) + n)
      return false;
  }
  return true;
}

// ---- time

// WRITE, LAUNCH and READ at 1 ms.
struct stamps {
  card_record write, launch, read;
};

void three(user &u, const setup &s, stamps *t) {
  const std::uint32_t n = u.put(command(CARD_DO_WRITE, s.from, u.place(input), bytes));
  u.put(s.launch(u));
  u.put(command(CARD_DO_READ, u.place(output), s.to, bytes, 0, CARD_FLAG_INTERRUPT));
  u.ring(1000 * us);
  u.finish(n + 2);
  t->write = u.record(n), t->launch = u.record(n + 1), t->read = u.record(n + 2);
}

// Nothing is there a picosecond before its time, and all is there in time, also of a launch that is
// simulated far ahead.
void look(board &b, user &u, const setup &s, const stamps &t) {
  std::vector<unsigned char> device(bytes), zero(bytes);
  const std::uint32_t n = 6;  // commands before: 2 ALLOC, LOAD, 2 KERNEL; so WRITE is 5
  std::memset(u.bytes(output), 0, bytes);
  const auto device_at = [&](std::uint64_t address) {
    EQUAL(b.debug_memory(tlm::TLM_READ_COMMAND, address, device.data(), bytes), unsigned{bytes});
    return device.data();
  };
  wait_until(t.write.end - 1);
  std::memcpy(zero.data(), device_at(s.from), bytes);
  CHECK(std::memcmp(zero.data(), u.bytes(input), bytes));
  wait_until(t.write.end);
  settle();
  CHECK(!std::memcmp(device_at(s.from), u.bytes(input), bytes));
  wait_until(t.write.end + shown - 1);
  CHECK(!u.has(n - 1));
  wait_until(t.write.end + shown);
  settle();
  CHECK(u.has(n - 1));
  EQUAL(u.done(), n);

  wait_until(t.launch.end + shown - 1);
  CHECK(!u.has(n));
  EQUAL(u.done(), n);
  wait_until(t.launch.end + shown);
  settle();
  CHECK(u.has(n));
  EQUAL(u.done(), n + 1);
  CHECK(scaled(device_at(s.to)));

  const std::size_t edges = b.edges.size();
  wait_until(t.read.end - 1);
  CHECK(!scaled(u.bytes(output)));
  wait_until(t.read.end);
  settle();
  CHECK(scaled(u.bytes(output)));
  wait_until(t.read.end + shown - 1);
  settle();
  CHECK(!u.has(n + 1));
  EQUAL(u.done(), n + 1);
  EQUAL(b.edges.size(), edges);
  wait_until(t.read.end + shown);
  settle();
  CHECK(u.has(n + 1));
  EQUAL(u.done(), n + 2);
  EQUAL(b.edges.size(), edges + 1);
  EQUAL(b.edges.back(), t.read.end + shown);
}

void visible(memory_of host, double quantum) {
  static stamps *t;
  t = cases::shared<stamps>();
  const auto first = [&] {
    simulate(options(host, quantum), [](board &, user &u) { three(u, setup(u), t); });
  };
  const auto second = [&] {
    simulate(options(host, quantum), [](board &b, user &u) {
      const setup s(u);
      stamps again;
      sc_spawn([&] { look(b, u, s, *t); });
      three(u, s, &again);
      EQUAL(again.launch.begin, t->launch.begin);
      EQUAL(again.launch.end, t->launch.end);
      wait(100, SC_US);
    });
  };
  CHECK(cases::apart(first, "without looking"));
  CHECK(t->launch.end - t->launch.begin == t->launch.words[CARD_LAUNCH_GIVES_CYCLES] * CARD_PERIOD);
  CHECK(t->launch.words[CARD_LAUNCH_GIVES_CYCLES] > 200);
  second();
}

// A launch that ends just before or behind the end of a quantum: what follows it begins at its end.
void boundaries(double quantum_ns) {
  simulate(options(memory_of::direct, quantum_ns / 1000), [](board &, user &u) {
    const setup s(u);
    std::uint64_t cycles = 0;
    for (unsigned times = 1; times < 12; times++) {
      const std::uint32_t n = u.put(u.launch(where, s.spin, 1, 32, {times}));
      u.put(command(CARD_DO_EVENT, 0, 0, 0, 0, CARD_FLAG_INTERRUPT));
      u.ring();
      u.finish(n + 1);
      const card_record l = u.record(n), e = u.record(n + 1);
      EQUAL(l.status, std::uint32_t{CARD_OK});
      EQUAL(l.end - l.begin, l.words[CARD_LAUNCH_GIVES_CYCLES] * CARD_PERIOD);
      EQUAL(e.begin, l.end);
      CHECK(l.words[CARD_LAUNCH_GIVES_CYCLES] > cycles);
      cycles = l.words[CARD_LAUNCH_GIVES_CYCLES];
      wait(at_ps(317 * times));
    }
  });
}

// An initiator that is ahead of SystemC's time rings at its own time.
void ahead() {
  simulate(options(memory_of::plain, 10), [](board &b, user &u) {
    u.turn_on();
    std::uint32_t one = 1;
    const std::uint32_t n = u.put(command(CARD_DO_EVENT));
    std::uint32_t tail = n + 1;
    u.set(u.reg(CONTEXT_R_TAIL), tail);
    b.registers->sync();
    const std::uint64_t start = now();
    payload t;
    sc_time delay(3, SC_US);
    masters::fill(t, tlm::TLM_WRITE_COMMAND, u.reg(CONTEXT_R_DOORBELL), &one, 4);
    b.on_registers.initiator->b_transport(t, delay);
    EQUAL(now() + ps(delay), start + 3 * us);
    masters::fill(t, tlm::TLM_READ_COMMAND, u.reg(CONTEXT_R_DONE), &one, 4);
    delay = sc_time(7, SC_US);
    b.on_registers.initiator->b_transport(
        t, delay);  // the value of that time, and the time of the link
    EQUAL(one, tail);
    EQUAL(now() + ps(delay), start + 10 * us + 2 * latency + 4 * us / LINK_UP);
    wait(delay);
    CHECK(u.has(n));
    EQUAL(u.record(n).begin, start + 3 * us + latency + 64 * us / LINK_DOWN);
  });
}

// The same of device memory: what it writes is there at its own time.
void memory_ahead() {
  simulate(options(memory_of::plain, 10), [](board &b, user &) {
    unsigned char x = 0x5a, y = 0;
    bool done = false;
    const std::uint64_t start = now();
    sc_spawn([&] {
      payload t;
      sc_time delay(3, SC_US);
      masters::fill(t, tlm::TLM_WRITE_COMMAND, 0x1234, &x, 1);
      b.on_memory.initiator->b_transport(t, delay);
      done = true;
    });
    wait_until(start + 3 * us - 1);
    b.debug_memory(tlm::TLM_READ_COMMAND, 0x1234, &y, 1);
    EQUAL(int{y}, 0);
    wait_until(start + 3 * us + 1);
    b.debug_memory(tlm::TLM_READ_COMMAND, 0x1234, &y, 1);
    EQUAL(int{y}, int{x});
    CHECK(done);
  });
}

// What another context does while a launch is simulated far ahead, it does in time.
void beside(double quantum) {
  simulate(options(memory_of::direct, quantum), [](board &b, user &u) {
    const setup s(u);
    user other(b, 1);
    other.turn_on();
    const std::uint32_t n = u.put(u.launch(where, s.spin, 1, 32, {2000}));
    u.ring();
    for (unsigned k = 0; k < 10; k++) {
      const std::uint64_t at = now() + 700 * k + 1;
      const card_record r = other.run(command(CARD_DO_EVENT), at);
      EQUAL(r.begin, at + latency + 64 * us / LINK_DOWN);
      EQUAL(now(), r.end + shown);
      CHECK(!u.has(n));
    }
    u.put(command(CARD_DO_EVENT, 0, 0, 0, 0, CARD_FLAG_INTERRUPT));
    u.ring();
    u.finish(n + 1);
    CHECK(u.record(n).end - u.record(n).begin > 20 * us);
    EQUAL(u.record(n + 1).begin, u.record(n).end);
  });
}

// Time of host memory passes too, whether the card asks for it or accesses it directly.
void host_time(memory_of kind, double quantum) {
  simulate(options(kind, quantum), [](board &b, user &u) {
    u.turn_on();
    u.run(command(CARD_DO_EVENT));
    const card_record r = u.run(command(CARD_DO_EVENT));
    EQUAL(b.edges.back(), r.end + shown + 20000);  // of the record
  });
}

// Host memory that is not there, in each way to it.
void bad_host(memory_of kind, double quantum) {
  simulate(options(kind, quantum), [](board &b, user &u) {
    for (const std::uint64_t at :
         {std::uint64_t{host_bytes} - 64, std::uint64_t{host_bytes}, ~std::uint64_t{0} - 63})
      for (const card_opcode o : {CARD_DO_WRITE, CARD_DO_READ}) {
        u.turn_on();
        const std::uint64_t to = u.alloc(bytes);
        const bool write = o == CARD_DO_WRITE;
        const std::uint32_t n = u.put(command(o, write ? to : at, write ? at : to, 128));
        u.ring();
        wait(10, SC_US);
        EQUAL(u.record(n).status, std::uint32_t{CARD_BAD_HOST});
        EQUAL(u.state(), std::uint64_t{CONTEXT_STATE_FAILED});
        CHECK(!b.edges.empty());
        u.turn_off();
      }
  });
}

// Host memory takes longer than anything else: the card waits for it, and hears doorbells
// meanwhile.
void slow_host(double quantum) {
  board_options o = options(memory_of::slow, quantum);
  o.slow = sc_time(3, SC_US);
  simulate(o, [](board &b, user &u) {
    std::minstd_rand random(1);
    u.turn_on();
    u.run(command(CARD_DO_EVENT), 100 * us);
    EQUAL(now(),
          std::uint64_t{106 * us + latency + 64 * us / LINK_DOWN});  // its command, then its record
    std::uint32_t n = 0;
    std::uint64_t rung[41];
    for (unsigned k = 0; k < 40; k++) {
      n = u.put(command(CARD_DO_EVENT, 0, 0, 0, 0, CARD_FLAG_INTERRUPT));
      u.ring();
      rung[n] = now();
      wait(at_ps(random() % (2 * us)));
      if (k % 8 == 7)
        u.finish(n);
      for (std::uint32_t old = n - k % 8; old <= n; old++)
        if (u.has(old))
          CHECK(u.record(old).begin >= rung[old] + latency && u.record(old).end <= now());
    }
    u.finish(n);
    EQUAL(b.edges.size(), b.peek(u.reg(CONTEXT_R_INTERRUPTS)));
  });
}

// A finer resolution of SystemC's time changes nothing; a coarser one is refused.
void resolution() {
  static stamps *t;
  t = cases::shared<stamps>(2);
  for (unsigned k = 0; k < 2; k++)
    CHECK(cases::apart(
        [k] {
          if (k)
            sc_set_time_resolution(1, SC_FS);
          simulate(options(memory_of::plain, 10),
                   [k](board &, user &u) { three(u, setup(u), t + k); });
        },
        "resolution"));
  CHECK(!std::memcmp(&t[0].launch, &t[1].launch, sizeof t[0].launch));
  CHECK(!std::memcmp(&t[0].read, &t[1].read, sizeof t[0].read));
  CHECK(t[0].read.end > 0);
  bool refused = false;
  sc_set_time_resolution(10, SC_PS);
  sc_report_handler::set_actions("nearbank", SC_FATAL, SC_THROW);
  try {
    nearbank::card c("card", machines[0]);
  } catch (const sc_report &) {
    refused = true;
  }
  CHECK(refused);
}

// Process time is used only while something is under way.
void idle() {
  board b("board", machines[0], options(memory_of::plain, 1000));
  user u(b, 0);
  sc_spawn([&] {
    const setup s(u);
    u.run(s.launch(u));
  });
  sc_start();
  CHECK(!sc_pending_activity());
  const std::uint64_t before = sc_delta_count(), at = now();
  sc_start(1, SC_SEC);
  EQUAL(now(), at + 1000000ull * us);
  EQUAL(sc_delta_count(), before);
  CHECK(before < 300);
  EQUAL(u.done(), 6u);
}

// ---- several cards

void cards() {
  static card_record *alone;
  alone = cases::shared<card_record>();
  CHECK(cases::apart(
      [] {
        simulate(options(memory_of::direct, 10), [](board &, user &u) {
          stamps t;
          three(u, setup(u), &t);
          *alone = t.launch;
        });
      },
      "alone"));
  std::vector<std::unique_ptr<board>> b;
  std::vector<user> u;
  const double quanta[] = {1, 0, 1000};
  unsigned done = 0;
  for (unsigned k = 0; k < 3; k++) {
    b.emplace_back(
        new board(sc_gen_unique_name("board"), machines[k], options(memory_of::direct, quanta[k])));
    u.emplace_back(*b.back(), k);
  }
  for (unsigned k = 0; k < 3; k++)
    sc_spawn([&, k] {
      const setup s(u[k]);
      stamps t;
      three(u[k], s, &t);
      CHECK(scaled(u[k].bytes(output)));
      EQUAL(t.launch.begin, alone->begin);
      EQUAL(t.launch.end, alone->end);
      EQUAL(t.launch.words[0], alone->words[0]);
      EQUAL(b[k]->edges.back(), t.read.end + shown);
      done++;
    });
  sc_start();
  EQUAL(done, 3u);
  CHECK(alone->end > alone->begin);
  for (auto &x : b)
    EQUAL(x->broken(), 0u);
}

// ---- ends in the middle

void reset(double quantum, masters_of kind) {
  simulate(options(memory_of::direct, quantum, kind), [&](board &b, user &u) {
    const setup s(u);
    const bool direct = kind == masters_of::direct;
    user other(b, 1);
    const auto control = [&](std::uint32_t x) {
      u.set(CARD_R_CONTROL, x);
      u.set(CARD_R_DOORBELL, 1);
      b.registers->sync();
    };
    other.turn_on();
    CHECK(b.memory->write(s.to, "0123", 4) && b.memory->direct() == direct);
    u.put(u.launch(where, s.spin, 1, 32, {0}));  // for ever
    u.ring();
    wait(20, SC_US);
    CHECK(!b.memory->direct());
    const std::size_t edges = b.edges.size();
    control(CARD_CONTROL_RESET);
    EQUAL(b.peek(CARD_R_STATUS), 0u);
    EQUAL(b.peek(CARD_R_RESETS), 1u);
    CHECK(u.state() != CONTEXT_STATE_ON);
    CHECK(other.state() != CONTEXT_STATE_ON);
    other.set(other.reg(CONTEXT_R_DOORBELL), 1);
    b.registers->sync();
    const std::uint64_t before = sc_delta_count();
    wait(5, SC_MS);
    CHECK(sc_delta_count() - before <= 3);  // a quantum that was under way, and this
    CHECK(other.state() != CONTEXT_STATE_ON);
    EQUAL(b.edges.size(), edges);
    control(0);
    EQUAL(b.peek(CARD_R_STATUS), std::uint64_t{CARD_STATUS_READY});
    u.set(u.reg(CONTEXT_R_DOORBELL), 1);  // its CONTROL still has ENABLE
    b.registers->sync();
    CHECK(u.state() != CONTEXT_STATE_ON);
    CHECK(b.memory->write(s.to, "4567", 4) && b.memory->direct() == direct);
    u.turn_off();
    const setup again(u);
    u.run(command(CARD_DO_WRITE, again.from, u.place(input), bytes));
    u.run(again.launch(u));
    u.run(command(CARD_DO_READ, u.place(output), again.to, bytes));
    CHECK(scaled(u.bytes(output)));
    // a context that is turned off does the same to its launch
    u.put(u.launch(where, again.spin, 1, 32, {0}));
    u.ring();
    wait(20, SC_US);
    u.turn_off();
    CHECK(b.memory->write(s.to, "89ab", 4) && b.memory->direct() == direct);
  });
}

// ---- direct access

void direct(double quantum) {
  simulate(options(memory_of::plain, quantum, masters_of::direct), [](board &b, user &u) {
    const setup s(u);
    std::vector<unsigned char> window(bytes), expected(bytes), all(bytes);
    const std::uint64_t invalidations = b.on_memory.invalidations;
    const auto ask = [&](std::uint64_t address, tlm::tlm_dmi &d) {
      payload t;
      d.init();
      masters::fill(t, tlm::TLM_READ_COMMAND, address, all.data(), 4);
      return b.on_memory.initiator->get_direct_mem_ptr(t, d);
    };
    tlm::tlm_dmi d;
    const std::uint64_t size = b.peek(CARD_R_MEMORY, 8);
    CHECK(ask(s.from, d));
    CHECK(d.is_read_write_allowed() && d.get_start_address() == 0 &&
          d.get_end_address() == size - 1);
    EQUAL(ps(d.get_read_latency()), std::uint64_t{2 * latency});
    CHECK(!ask(size, d));
    CHECK(d.get_start_address() == size && d.get_end_address() == ~0ull);
    CHECK(!ask(~0ull, d));

    // the input through the pointer, in small pieces
    for (unsigned n = 0; n < bytes; n += 64)
      CHECK(b.memory->write(s.from + n, u.bytes(input + n), 64));
    CHECK(b.memory->direct());
    EQUAL(b.on_memory.transactions, 1u);
    b.memory->sync();

    const std::uint32_t n = u.put(s.launch(u));
    u.put(command(CARD_DO_READ, u.place(output), s.to, bytes, 0, CARD_FLAG_INTERRUPT));
    u.ring();
    CHECK(b.memory->direct());  // the command is not there yet
    wait(at_ps(latency + 64 * us / LINK_DOWN + 2 * 64 * us / LINK_DOWN));
    settle();
    EQUAL(b.on_memory.invalidations, invalidations + 1);
    CHECK(!b.memory->direct());
    CHECK(!ask(s.from, d));
    CHECK(d.get_start_address() == 0 && d.get_end_address() == size - 1);
    CHECK(b.memory->read(s.from, window.data(), bytes));
    CHECK(!std::memcmp(window.data(), u.bytes(input), bytes));
    CHECK(!b.memory->direct());
    b.memory->sync();
    u.finish(n + 1);
    CHECK(scaled(u.bytes(output)));
    EQUAL(b.on_memory.invalidations, invalidations + 1);

    // again, and it shows what READ shows: by transport, by the pointer, by transport_dbg
    std::memcpy(expected.data(), u.bytes(output), bytes);
    CHECK(b.memory->read(s.to, window.data(), bytes) && b.memory->direct());
    CHECK(window == expected);
    const std::uint64_t transactions = b.on_memory.transactions;
    CHECK(b.memory->read(s.to, window.data(), bytes));
    EQUAL(b.on_memory.transactions, transactions);
    CHECK(window == expected);
    EQUAL(b.debug_memory(tlm::TLM_READ_COMMAND, s.to, all.data(), bytes), unsigned{bytes});
    CHECK(all == expected);
    // and what is written there, READ, COPY and WRITE see
    std::memset(window.data(), 0x5a, bytes);
    CHECK(b.memory->write(s.from, window.data(), bytes));
    b.memory->sync();
    u.run(command(CARD_DO_COPY, s.to, s.from, bytes));
    u.run(command(CARD_DO_READ, u.place(output), s.to, bytes));
    CHECK(!std::memcmp(u.bytes(output), window.data(), bytes));
    u.run(command(CARD_DO_WRITE, s.to, u.place(input), bytes));
    CHECK(b.memory->read(s.to, window.data(), bytes));
    CHECK(!std::memcmp(window.data(), u.bytes(input), bytes));
  });
}

// ---- debug transport

void debug() {
  simulate(options(memory_of::plain, 10), [](board &b, user &u) {
    std::vector<unsigned char> shows(CARD_REGISTERS), reads(CARD_REGISTERS);
    const auto call = [&](tlm::tlm_command c, std::uint64_t at, void *data, unsigned n) {
      payload t;
      masters::fill(t, c, at, data, n);
      return b.on_registers.initiator->transport_dbg(t);
    };
    const setup s(u);
    u.run(s.launch(u));
    const std::uint64_t ran = u.done();
    const std::uint64_t start = now(), edges = b.edges.size();
    std::uint32_t one = 1;

    // all of the window at once, and in pieces of all kinds
    EQUAL(call(tlm::TLM_READ_COMMAND, 0, shows.data(), CARD_REGISTERS), unsigned{CARD_REGISTERS});
    for (unsigned at = 0; at < 2 * CARD_PAGE; at += 7)
      for (unsigned n = 1; n < 10; n += 4) {
        unsigned char piece[16];
        EQUAL(call(tlm::TLM_READ_COMMAND, at, piece, n), n);
        CHECK(!std::memcmp(piece, &shows[at], n));
      }
    EQUAL(call(tlm::TLM_READ_COMMAND, CARD_REGISTERS - 3, reads.data(), 100), 3u);
    EQUAL(call(tlm::TLM_READ_COMMAND, CARD_REGISTERS, reads.data(), 4), 0u);
    EQUAL(call(tlm::TLM_READ_COMMAND, ~3ull, reads.data(), 4), 0u);
    EQUAL(call(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0), 0u);
    payload ignore;
    ignore.set_data_length(4);
    ignore.set_data_ptr(reads.data());
    EQUAL(b.on_registers.initiator->transport_dbg(ignore), 0u);
    EQUAL(b.on_memory.initiator->transport_dbg(ignore), 0u);

    // writes: host's registers take them, others and doorbells do not
    const std::uint64_t tail = u.reg(CONTEXT_R_TAIL), control = u.reg(CONTEXT_R_CONTROL);
    u.put(command(CARD_DO_EVENT));
    std::uint32_t value = static_cast<std::uint32_t>(u.done()) + 1, zero = 0;
    EQUAL(call(tlm::TLM_WRITE_COMMAND, tail, &value, 4), 4u);
    EQUAL(b.peek(tail), std::uint64_t{value});
    EQUAL(call(tlm::TLM_WRITE_COMMAND, control, &zero, 4), 4u);
    EQUAL(call(tlm::TLM_WRITE_COMMAND, u.reg(CONTEXT_R_DOORBELL), &one, 4), 4u);
    EQUAL(call(tlm::TLM_WRITE_COMMAND, CARD_R_CONTROL, &one, 4), 4u);
    EQUAL(call(tlm::TLM_WRITE_COMMAND, CARD_R_DOORBELL, &one, 4), 4u);
    EQUAL(call(tlm::TLM_WRITE_COMMAND, CARD_R_MAGIC, &zero, 4), 4u);
    EQUAL(call(tlm::TLM_WRITE_COMMAND, CARD_R_WATCHDOG + 3, &value, 2), 2u);
    EQUAL(b.peek(CARD_R_WATCHDOG, 8), std::uint64_t{value & 0xffff} << 24);
    EQUAL(call(tlm::TLM_WRITE_COMMAND, CARD_REGISTERS, &zero, 4), 0u);
    EQUAL(now(), start);
    wait(100, SC_US);
    EQUAL(b.peek(CARD_R_MAGIC), std::uint64_t{CARD_MAGIC_VALUE});
    EQUAL(b.peek(CARD_R_STATUS), std::uint64_t{CARD_STATUS_READY});
    EQUAL(u.state(), std::uint64_t{CONTEXT_STATE_ON});
    EQUAL(u.done(), ran);
    EQUAL(b.edges.size(), edges);
    // a doorbell that is written looks at what was written there
    EQUAL(call(tlm::TLM_WRITE_COMMAND, CARD_R_CONTROL, &zero, 4), 4u);
    EQUAL(call(tlm::TLM_WRITE_COMMAND, CARD_R_WATCHDOG, &zero, 4), 4u);
    EQUAL(call(tlm::TLM_WRITE_COMMAND, CARD_R_WATCHDOG + 4, &zero, 4), 4u);
    value = CONTEXT_CONTROL_ENABLE;
    EQUAL(call(tlm::TLM_WRITE_COMMAND, control, &value, 4), 4u);
    u.set(u.reg(CONTEXT_R_DOORBELL), 1);
    b.registers->sync();
    wait(100, SC_US);
    EQUAL(u.done(), ran + 1);

    // registers show what reads do
    EQUAL(call(tlm::TLM_READ_COMMAND, 0, shows.data(), CARD_REGISTERS), unsigned{CARD_REGISTERS});
    for (unsigned at = 0; at < CARD_REGISTERS; at += at < 3 * CARD_PAGE ? 4 : 68) {
      CHECK(b.registers->read(at, &reads[at], 4));
      CHECK(!std::memcmp(&reads[at], &shows[at], 4));
    }

    // device memory, to its end
    const std::uint64_t size = b.peek(CARD_R_MEMORY, 8);
    unsigned char x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {};
    EQUAL(b.debug_memory(tlm::TLM_WRITE_COMMAND, size - 5, x, 8), 5u);
    EQUAL(b.debug_memory(tlm::TLM_READ_COMMAND, size - 5, y, 8), 5u);
    CHECK(!std::memcmp(x, y, 5) && !y[5]);
    EQUAL(b.debug_memory(tlm::TLM_READ_COMMAND, size, y, 1), 0u);
    EQUAL(b.debug_memory(tlm::TLM_READ_COMMAND, ~0ull, y, 1), 0u);
  });
}

// ---- responses

void responses() {
  simulate(options(memory_of::plain, 10), [](board &b, user &) {
    const std::uint64_t size = b.peek(CARD_R_MEMORY, 8);
    unsigned char enables[8], data[512] = {};
    std::memset(enables, 0xff, sizeof enables);
    const auto status = [&](bool memory, tlm::tlm_command c, std::uint64_t at, unsigned n,
                            unsigned width, bool enabled) {
      payload t;
      sc_time delay;
      masters::fill(t, c, at, c == tlm::TLM_IGNORE_COMMAND ? nullptr : data, n);
      t.set_streaming_width(width);
      t.set_byte_enable_ptr(enabled ? enables : nullptr);
      t.set_byte_enable_length(enabled ? 8 : 0);
      (memory ? b.on_memory.initiator : b.on_registers.initiator)->b_transport(t, delay);
      CHECK(t.is_response_ok() || delay == SC_ZERO_TIME || t.is_read());
      return t.get_response_status();
    };
    const tlm::tlm_response_status ok = tlm::TLM_OK_RESPONSE,
                                   where_ = tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                   burst = tlm::TLM_BURST_ERROR_RESPONSE,
                                   enable = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    const tlm::tlm_command both[] = {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND};
    for (const tlm::tlm_command c : both) {
      const bool write = c == tlm::TLM_WRITE_COMMAND;
      EQUAL(status(false, c, CARD_R_WATCHDOG, 4, 4, false), ok);
      EQUAL(status(false, c, CARD_R_WATCHDOG, 8, 8, false), ok);
      EQUAL(status(false, c, CARD_R_WATCHDOG, 8, 100, false), ok);
      EQUAL(status(false, c, CARD_REGISTERS - 8, 8, 8, false), ok);
      EQUAL(status(false, c, CARD_R_WATCHDOG, 4, 4, true), enable);
      EQUAL(status(false, c, CARD_R_WATCHDOG, 8, 4, false), burst);
      for (const unsigned n : {1u, 2u, 3u, 5u, 12u, 16u, 64u})
        EQUAL(status(false, c, CARD_R_WATCHDOG, n, n, false), burst);
      EQUAL(status(false, c, CARD_R_WATCHDOG + 2, 4, 4, false), where_);
      EQUAL(status(false, c, CARD_R_WATCHDOG + 4, 8, 8, false), where_);
      EQUAL(status(false, c, CARD_REGISTERS, 4, 4, false), where_);
      EQUAL(status(false, c, CARD_REGISTERS - 4, 8, 8, false), where_);
      EQUAL(status(false, c, ~7ull, 8, 8, false), where_);
      for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{3}, size - 512}) {
        EQUAL(status(true, c, at, write ? 1 : 512, 512, false), ok);
        EQUAL(status(true, c, at, 500, 500, true), enable);
        EQUAL(status(true, c, at, 500, 4, false), burst);
      }
      EQUAL(status(true, c, size - 511, 512, 512, false), where_);
      EQUAL(status(true, c, size, 1, 1, false), where_);
      EQUAL(status(true, c, ~0ull, 1, 1, false), where_);
      EQUAL(status(true, c, ~0ull, 2, 2, false), where_);
      EQUAL(status(true, c, 0, 0, 1, false), burst);
      EQUAL(status(false, c, 0, 0, 1, false), burst);
    }
    EQUAL(status(false, tlm::TLM_IGNORE_COMMAND, 0, 0, 1, false), ok);
    EQUAL(status(true, tlm::TLM_IGNORE_COMMAND, ~0ull, 0, 1, false), ok);
    EQUAL(b.peek(CARD_R_WATCHDOG, 8), 0u);

    // what is refused changes nothing, and takes no time
    std::memset(data, 0xff, sizeof data);
    const std::uint64_t start = now();
    EQUAL(status(false, tlm::TLM_WRITE_COMMAND, CARD_R_WATCHDOG, 4, 4, true), enable);
    EQUAL(status(false, tlm::TLM_WRITE_COMMAND, CARD_R_WATCHDOG, 8, 4, false), burst);
    EQUAL(status(false, tlm::TLM_WRITE_COMMAND, CARD_R_WATCHDOG, 2, 2, false), burst);
    EQUAL(status(false, tlm::TLM_WRITE_COMMAND, CARD_R_WATCHDOG + 2, 4, 4, false), where_);
    EQUAL(status(true, tlm::TLM_WRITE_COMMAND, size - 4, 8, 8, false), where_);
    EQUAL(status(true, tlm::TLM_WRITE_COMMAND, size - 4, 4, 2, false), burst);
    EQUAL(now(), start);
    EQUAL(b.peek(CARD_R_WATCHDOG, 8), 0u);
    EQUAL(b.debug_memory(tlm::TLM_READ_COMMAND, size - 4, data, 4), 4u);
    CHECK(!data[0] && !data[1] && !data[2] && !data[3]);
    EQUAL(status(false, tlm::TLM_WRITE_COMMAND, CARD_R_CONTROL, 8, 8, false), ok);
  });
}

// ---- interrupts

// Contexts' commands end at times that are picoseconds apart. Each interrupt has an edge at its
// time or later, and one that the host sleeps for wakes it.
void interrupts(unsigned seed) {
  simulate(options(memory_of::plain, 10), [&](board &b, user &) {
    std::minstd_rand random(seed);
    std::vector<user> u;
    std::vector<std::uint64_t> due;
    for (unsigned k = 0; k < contexts; k++) {
      u.emplace_back(b, k);
      u[k].turn_on();
    }
    for (unsigned round = 0; round < 50; round++) {
      const std::size_t before = b.edges.size();
      const std::uint64_t start = now() + 10 * us;
      std::uint32_t n[contexts];
      due.clear();
      for (unsigned k = 0; k < contexts; k++) {
        const std::uint64_t at =
            start + (round < 2 ? round * k * 500 : random() % 3 * (random() % 1000));
        n[k] = u[k].put(command(CARD_DO_EVENT, 0, 0, 0, 0, CARD_FLAG_INTERRUPT));
        u[k].set(u[k].reg(CONTEXT_R_TAIL), n[k] + 1);
        sc_spawn([&u, k, at] {
          wait_until(at);
          u[k].set(u[k].reg(CONTEXT_R_DOORBELL), 1);
        });
        due.push_back(at + latency + 64 * us / LINK_DOWN + shown);
      }
      // a host that sleeps until all is done
      for (bool all = false; !all;) {
        all = true;
        for (unsigned k = 0; k < contexts; k++)
          all &= u[k].has(n[k]);
        if (!all)
          wait(b.wire.posedge_event());
      }
      wait(10, SC_NS);
      std::sort(due.begin(), due.end());
      const std::size_t edges = b.edges.size() - before;
      CHECK(edges >= 1 && edges <= contexts);
      EQUAL(b.edges[before], due[0]);
      CHECK(b.edges.back() >= due.back());
      CHECK(b.edges.back() <= due.back() + 2000 * contexts);
      std::size_t later = 0;  // causes that came at another time than the first have other edges
      for (std::uint64_t d : due)
        later += d != due[0];
      CHECK(later == 0 ? edges == 1 : edges >= 2);
      for (std::size_t e = before + 1; e < b.edges.size(); e++)
        CHECK(b.edges[e] >= b.edges[e - 1] + 1000);
    }
    for (unsigned k = 0; k < contexts; k++)
      EQUAL(b.peek(u[k].reg(CONTEXT_R_INTERRUPTS)), 50u);
  });
}

// ---- memory of a host

void host_memory(bool grants) {
  std::vector<unsigned char> at(1000, 7);
  const sc_time time(20, SC_NS);
  masters::loose m("m", std::make_shared<tlm_utils::tlm_quantumkeeper>(), false);
  nearbank::memory memory("memory", at.data(), at.size(), time, grants);
  m.bind(memory.socket);
  sc_start(SC_ZERO_TIME);
  unsigned char data[64] = {}, enable = 0xff;
  const auto status = [&](tlm::tlm_command c, std::uint64_t address, unsigned n, unsigned width,
                          bool enabled) {
    payload t;
    sc_time delay(1, SC_NS);
    masters::fill(t, c, address, data, n);
    t.set_streaming_width(width);
    t.set_byte_enable_ptr(enabled ? &enable : nullptr);
    t.set_byte_enable_length(enabled);
    m.socket->b_transport(t, delay);
    const bool moved = t.is_response_ok() && c != tlm::TLM_IGNORE_COMMAND;
    EQUAL(delay, sc_time(1, SC_NS) + (moved ? time : SC_ZERO_TIME));
    EQUAL(t.is_dmi_allowed(), moved && grants);
    return t.get_response_status();
  };
  const auto debug = [&](tlm::tlm_command c, std::uint64_t address, unsigned n) {
    payload t;
    masters::fill(t, c, address, data, n);
    return m.socket->transport_dbg(t);
  };
  for (const tlm::tlm_command c : {tlm::TLM_WRITE_COMMAND, tlm::TLM_READ_COMMAND}) {
    EQUAL(status(c, 1000 - 64, 64, 64, false), tlm::TLM_OK_RESPONSE);
    EQUAL(status(c, 3, 5, 100, false), tlm::TLM_OK_RESPONSE);
    EQUAL(status(c, 1000 - 63, 64, 64, false), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EQUAL(status(c, 1000, 1, 1, false), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EQUAL(status(c, ~0ull, 2, 2, false), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EQUAL(status(c, 0, 8, 4, false), tlm::TLM_BURST_ERROR_RESPONSE);
    EQUAL(status(c, 0, 0, 4, false), tlm::TLM_BURST_ERROR_RESPONSE);
    EQUAL(status(c, 0, 8, 8, true), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EQUAL(debug(c, 990, 64), 10u);
    EQUAL(debug(c, 1000, 4), 0u);
    EQUAL(debug(c, ~0ull, 4), 0u);
    if (c == tlm::TLM_WRITE_COMMAND)
      for (unsigned n = 0; n < 1000; n++)
        EQUAL(int{at[n]}, n >= 1000 - 64 || (n >= 3 && n < 8) ? 0 : 7);
  }
  EQUAL(status(tlm::TLM_IGNORE_COMMAND, 5000, 8, 8, false), tlm::TLM_OK_RESPONSE);
  EQUAL(debug(tlm::TLM_IGNORE_COMMAND, 0, 8), 0u);
  EQUAL(int{at[0]}, 7);
  EQUAL(debug(tlm::TLM_READ_COMMAND, 0, 64), 64u);
  EQUAL(int{data[0]}, 7);
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{999}, std::uint64_t{1000}}) {
    tlm::tlm_dmi d;
    payload t;
    const bool inside = address < 1000;
    t.set_read();
    t.set_address(address);
    EQUAL(m.socket->get_direct_mem_ptr(t, d), inside && grants);
    EQUAL(d.get_start_address(), inside ? 0u : 1000u);
    EQUAL(d.get_end_address(), inside ? 999u : ~std::uint64_t{0});
    CHECK(d.is_read_write_allowed());
    if (inside && grants)
      CHECK(d.get_dmi_ptr() == at.data() && d.get_read_latency() == time &&
            d.get_write_latency() == time);
  }
}

// ---- interconnect

// Two memories and a card on a bus, for a master of either style.
void interconnect(bool timed) {
  std::vector<unsigned char> low(4096), high(4096);
  nearbank::bus bus("bus", 2, 5);
  nearbank::memory a("a", low.data(), low.size()), c("c", high.data(), high.size());
  targets::moving v("v", 4096);
  nearbank::card card("card", machines[0]);
  nearbank::checker check("check"), from_card("from_card");
  sc_signal<bool> wire("wire");
  check.fatal = from_card.fatal = false;
  std::unique_ptr<masters::master> m;
  if (timed)
    m.reset(new masters::timed("master", masters::answer::end_resp));
  else
    m.reset(new masters::loose("master", std::make_shared<tlm_utils::tlm_quantumkeeper>(), true));
  constexpr std::uint64_t base = 0x10000, regs = 1ull << 40, device = 1ull << 44, size = 3000;
  constexpr std::uint64_t mine = base + size, behind = mine + size;  // of three neighbours
  m->bind(check.target);
  check.initiator.bind(bus.from[0]);
  card.host.bind(from_card.target);
  from_card.initiator.bind(bus.from[1]);
  card.interrupt.bind(wire);
  bus.to(0, base, size, a.socket);  // not all of it
  bus.to(1, behind, 4096, c.socket);
  bus.to(2, regs, CARD_REGISTERS, card.registers);
  bus.to(3, device, 1 << 20, card.memory);
  bus.to(4, mine, size, v.socket);  // not all of it either
  bool done = false;
  sc_spawn([&] {
    unsigned char x[64], y[64];
    std::uint64_t value = 0;
    const auto ask = [&](std::uint64_t address, tlm::tlm_dmi &d) {
      payload t;
      masters::fill(t, tlm::TLM_READ_COMMAND, address, x, 4);
      t.set_data_length(0);  // direct access is about an address
      d.init();
      const bool ok = check.initiator->get_direct_mem_ptr(t, d);
      EQUAL(t.get_address(), address);
      return ok;
    };
    for (unsigned n = 0; n < sizeof x; n++)
      x[n] = static_cast<unsigned char>(n + 1);
    CHECK(m->write(base, x, 64) && m->read(base, y, 64));
    CHECK(!std::memcmp(x, y, 64) && !std::memcmp(low.data(), x, 64));
    CHECK(m->write(behind, x, 64) && !std::memcmp(high.data(), x, 64));
    CHECK(m->write(mine - 4, x, 4) && !std::memcmp(&low[size - 4], x, 4));
    for (const std::uint64_t bad :
         {base - 1, behind + 4096, std::uint64_t{0}, ~std::uint64_t{0}, regs - 4})
      EQUAL(m->access(tlm::TLM_READ_COMMAND, bad, y, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(m->read(regs, &value, 4));
    EQUAL(value, std::uint64_t{CARD_MAGIC_VALUE});
    EQUAL(m->access(tlm::TLM_READ_COMMAND, regs + CARD_REGISTERS, y, 4),
          tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EQUAL(m->direct(), !timed);

    payload t;
    masters::fill(t, tlm::TLM_READ_COMMAND, mine - 4, y, 64);
    sc_time delay;
    check.initiator->b_transport(t, delay);
    EQUAL(t.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);  // not across
    EQUAL(t.get_address(), mine - 4);
    masters::fill(t, tlm::TLM_READ_COMMAND, base + 8, y, 64);
    check.initiator->b_transport(t, delay);
    EQUAL(t.get_response_status(), tlm::TLM_OK_RESPONSE);
    EQUAL(t.get_address(), base + 8);
    for (const std::uint64_t end : {mine, behind, behind + 4096}) {
      masters::fill(t, tlm::TLM_READ_COMMAND, end - 10, y, 64);
      EQUAL(check.initiator->transport_dbg(t), 10u);
      EQUAL(t.get_address(), end - 10);
    }
    masters::fill(t, tlm::TLM_READ_COMMAND, 5, y, 4);
    EQUAL(check.initiator->transport_dbg(t), 0u);

    tlm::tlm_dmi d;
    CHECK(ask(base + 8, d));
    CHECK(d.get_start_address() == base && d.get_end_address() == mine - 1);
    CHECK(d.get_dmi_ptr() == low.data());
    CHECK(ask(behind, d));
    CHECK(d.get_start_address() == behind && d.get_end_address() == behind + 4095);
    CHECK(!ask(7, d));
    CHECK(d.get_start_address() == 7 && d.get_end_address() == 7);
    CHECK(ask(device + 5, d));
    CHECK(d.get_start_address() == device && d.get_end_address() == device + (1 << 20) - 1);

    // what the second of three neighbours takes back is its own
    for (const std::uint64_t at : {base, mine - 1, mine, behind - 1, behind, behind + 4095}) {
      CHECK(m->read(at, y, 1));
      EQUAL(m->direct(), !timed);
      const std::uint64_t before = check.invalidations;
      v.invalidate(size, 4095);
      EQUAL(check.invalidations, before);
      EQUAL(m->direct(), !timed);
      v.move();
      EQUAL(check.invalidations, before + 1);
      EQUAL(m->direct(), !timed && (at < mine || at >= behind));
    }
    CHECK(m->read(mine - 1, y, 1));
    v.invalidate(0, 0);
    EQUAL(m->direct(), !timed);
    done = true;
  });
  sc_start();
  CHECK(done);
  EQUAL(check.broken + from_card.broken, 0u);
}

}  // namespace

int sc_main(int, char **) {
  return 0;
}

int main(int argc, char **argv) {
  std::size_t n;
  std::vector<cases::one> all;
  for (card_machine *&m : machines)
    m = objects_machine();
  objects_kernels(&n);
  const auto add = [&](std::string name, std::function<void()> f) { all.push_back({name, f}); };
  for (const double q : {0., 1., 10., 1000.}) {
    const std::string us_ = "," + std::to_string(static_cast<int>(q));
    add("visible" + us_, [q] { visible(memory_of::plain, q); });
    add("visible,direct" + us_, [q] { visible(memory_of::direct, q); });
    add("reset" + us_, [q] { reset(q, masters_of::direct); });
    add("reset,timed" + us_, [q] { reset(q, masters_of::timed); });
    add("direct" + us_, [q] { direct(q); });
    add("slow_host" + us_, [q] { slow_host(q); });
  }
  for (const double q : {0., 0.001, 0.5, 1., 7., 33., 100., 127., 128., 129., 1000.})
    add("boundaries," + std::to_string(q), [q] { boundaries(q); });
  for (const double q : {0., 1., 1000.}) {
    const std::string us_ = "," + std::to_string(static_cast<int>(q));
    add("beside" + us_, [q] { beside(q); });
    add("host_time" + us_, [q] { host_time(memory_of::slow, q); });
    if (q != 0)
      add("host_time,direct" + us_, [q] { host_time(memory_of::slow_direct, q); });
    add("bad_host" + us_, [q] { bad_host(memory_of::plain, q); });
    add("bad_host,direct" + us_, [q] { bad_host(memory_of::direct, q); });
    add("bad_host,paged" + us_, [q] { bad_host(memory_of::paged, q); });
    add("bad_host,four" + us_, [q] { bad_host(memory_of::four, q); });
  }
  add("ahead", ahead);
  add("memory_ahead", memory_ahead);
  add("resolution", resolution);
  add("idle", idle);
  add("cards", cards);
  add("debug", debug);
  add("responses", responses);
  for (unsigned seed = 1; seed < 6; seed++)
    add("interrupts," + std::to_string(seed), [seed] { interrupts(seed); });
  add("host_memory", [] { host_memory(false); });
  add("host_memory,direct", [] { host_memory(true); });
  add("interconnect", [] { interconnect(false); });
  add("interconnect,timed", [] { interconnect(true); });
  return cases::run(argc, argv, all);
}
