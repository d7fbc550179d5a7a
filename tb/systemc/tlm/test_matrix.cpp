// SPDX-License-Identifier: Apache-2.0
// A matrix of masters, host memories and timings of the card, as Accellera's unit tests for TLM
// have one: in every combination the same program of the host has the same data and the same
// cycles, and the same time stamps where host memory takes no time.
#include "tb/systemc/tlm/board.h"

using namespace boards;
using namespace sc_core;

namespace {

enum {
  ints = 256,
  records = 16,
  input = 0x8000,
  output = 0x9000,
  record_1 = 0xa000,
  record_2 = 0xa800
};

// What a combination leaves.
struct outcome {
  bool done;
  std::uint64_t cycles[2], instructions[2];
  std::uint64_t begin[records], end[records];
  std::uint64_t edges;
  std::uint32_t data[2][ints];
};

std::uint32_t in(unsigned n) {
  return n * 2654435761u >> 7;
}
std::uint32_t out(std::uint32_t x, unsigned n) {  // of the kernel `scale`
  return 3 * x + n;
}

void note(outcome *o, const user &, unsigned n, const card_record &r) {
  o->begin[n] = r.begin;
  o->end[n] = r.end;
  CHECK(r.begin <= r.end && r.end + shown <= now());
}

// The program. It rings at times that do not depend on how long its own accesses take.
void program(user &u, outcome *o) {
  board &b = u.on();
  const std::uint64_t t = 1000 * us;
  std::uint32_t ints_in[ints], words[ints];
  for (unsigned n = 0; n < ints; n++)
    ints_in[n] = in(n);
  u.turn_on();
  EQUAL(u.get(CARD_R_MAGIC), std::uint64_t{CARD_MAGIC_VALUE});
  const std::uint64_t from = u.alloc(sizeof ints_in), to = u.alloc(sizeof ints_in);
  u.load();
  const std::uint32_t scale = u.kernel("scale");
  CHECK(now() < t);

  // copy, launch, copy back; an event in another stream that ends before
  std::memcpy(u.bytes(input), ints_in, sizeof ints_in);
  const std::uint32_t first = u.put(command(CARD_DO_WRITE, from, u.place(input), sizeof ints_in));
  u.put(u.launch(record_1, scale, ints / 64, 64, {to, from}));
  u.put(command(CARD_DO_READ, u.place(output), to, sizeof ints_in, 0, CARD_FLAG_INTERRUPT));
  u.put(command(CARD_DO_EVENT, 0, 0, 0, 1, CARD_FLAG_INTERRUPT));
  u.ring(t);
  u.finish(first + 3);
  CHECK(!u.has(first + 1));
  u.finish(first + 2);
  for (unsigned n = 0; n < 4; n++)
    note(o, u, n, u.record(first + n));
  o->cycles[0] = u.record(first + 1).words[CARD_LAUNCH_GIVES_CYCLES];
  o->instructions[0] = u.record(first + 1).words[CARD_LAUNCH_GIVES_INSTRUCTIONS];
  std::memcpy(o->data[0], u.bytes(output), sizeof words);

  // the window of device memory shows the same, in either way, in one piece and in several
  CHECK(b.memory->read(to, words, sizeof words));
  CHECK(!std::memcmp(words, o->data[0], sizeof words));
  CHECK(b.memory->read(from, words, sizeof words));
  CHECK(!std::memcmp(words, ints_in, sizeof words));
  for (unsigned n = 0; n < ints; n += 64)
    CHECK(b.memory->write(from + 4 * n, o->data[0] + n, 256));
  b.memory->sync();
  EQUAL(b.debug_memory(tlm::TLM_READ_COMMAND, from, words, sizeof words), unsigned{sizeof words});
  CHECK(!std::memcmp(words, o->data[0], sizeof words));
  if (b.moving)
    b.moving->move();

  // once more, on what the window wrote
  const std::uint32_t again = u.put(u.launch(record_2, scale, ints / 64, 64, {to, from}));
  u.put(command(CARD_DO_READ, u.place(output), to, sizeof ints_in, 0, CARD_FLAG_INTERRUPT));
  u.ring(3 * t);
  u.finish(again + 1);
  for (unsigned n = 0; n < 2; n++)
    note(o, u, 4 + n, u.record(again + n));
  o->cycles[1] = u.record(again).words[CARD_LAUNCH_GIVES_CYCLES];
  o->instructions[1] = u.record(again).words[CARD_LAUNCH_GIVES_INSTRUCTIONS];
  std::memcpy(o->data[1], u.bytes(output), sizeof words);
  for (unsigned n = 0; n < ints; n++) {
    EQUAL(o->data[0][n], out(in(n), n));
    EQUAL(o->data[1][n], out(out(in(n), n), n));
  }
  for (unsigned k = 0; k < 2; k++) {
    const unsigned n = k ? 4 : 1;
    EQUAL(o->end[n] - o->begin[n], o->cycles[k] * CARD_PERIOD);
    EQUAL(o->begin[n] % CARD_PERIOD, 0u);
  }
  u.turn_off();
  EQUAL(u.get(u.reg(CONTEXT_R_INTERRUPTS)), std::uint64_t{b.edges.size()});
  o->edges = b.edges.size();
  o->done = true;
}

struct combination {
  const char *masters, *host, *timing;
  board_options options;
  bool in_time, grants;  // host memory takes no time, and grants direct access
};

card_machine *the_machine;

void run(const combination &c, outcome *o) {
  tlm::tlm_global_quantum::instance().set(sc_time(5, SC_US));
  board b("board", the_machine, c.options);
  user u(b, 1);
  sc_spawn([&] { program(u, o); });
  sc_start();
  CHECK(o->done);
  CHECK(!sc_pending_activity());
  EQUAL(b.broken(), 0u);
  CHECK(b.on_registers.transactions > 20 && b.on_memory.transactions && b.on_host.transactions);
  EQUAL(b.on_registers.phases,
        c.options.masters == masters_of::timed   ? 3 * b.on_registers.transactions
        : c.options.masters == masters_of::early ? 2 * b.on_registers.transactions
                                                 : 0);
  EQUAL(b.on_memory.grants > 0, c.options.masters == masters_of::direct);
  EQUAL(b.on_memory.invalidations > 0, c.options.masters == masters_of::direct);
  const bool loose = c.options.quantum != SC_ZERO_TIME;
  EQUAL(b.on_host.grants > 0, loose && c.grants);
  if (loose && c.grants && !b.paged)
    EQUAL(b.on_host.grants, b.moving ? 2u : 1u);
  if (b.paged) {
    CHECK(loose ? b.paged->largest > 4096 : b.paged->largest == 256);
    EQUAL(b.paged->writes, u.commands() + 2 * (loose ? 1 : 4));  // records, and data of READ
  }
  EQUAL(b.on_host.invalidations, c.options.host == memory_of::moving ? 1u : 0u);
  if (b.on_timed())
    CHECK(b.on_timed()->phases >= 2 * b.on_timed()->transactions &&
          b.on_timed()->transactions > 20);
}

}  // namespace

int sc_main(int, char **) {
  return 0;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    masters_of kind;
  } all_masters[] = {{"loose", masters_of::loose},
                     {"direct", masters_of::direct},
                     {"timed", masters_of::timed},
                     {"early", masters_of::early}};
  static const struct {
    const char *name;
    memory_of kind;
    bool in_time, grants;
  } all_hosts[] = {{"plain", memory_of::plain, true, false},
                   {"slow", memory_of::slow, false, false},
                   {"direct", memory_of::direct, true, true},
                   {"slow_direct", memory_of::slow_direct, false, true},
                   {"moving", memory_of::moving, true, true},
                   {"paged", memory_of::paged, true, true},
                   {"four", memory_of::four, true, false},
                   {"early", memory_of::early, false, false},
                   {"converted", memory_of::converted, false, false}};
  static const struct {
    const char *name;
    double quantum;  // us
  } all_timings[] = {{"1us", 1}, {"10us", 10}, {"1ms", 1000}, {"timed", 0}};
  static outcome *const outcomes = cases::shared<outcome>(
      std::size(all_masters) * std::size(all_hosts) * std::size(all_timings));
  static std::vector<combination> combinations;
  std::vector<cases::one> all;
  std::size_t bytes;
  the_machine = objects_machine();
  objects_kernels(&bytes);
  for (const auto &m : all_masters)
    for (const auto &h : all_hosts)
      for (const auto &t : all_timings) {
        board_options o;
        o.masters = m.kind, o.host = h.kind, o.quantum = sc_time(t.quantum, SC_US);
        combinations.push_back({m.name, h.name, t.name, o, h.in_time, h.grants});
      }
  for (std::size_t n = 0; n < combinations.size(); n++) {
    const combination &c = combinations[n];
    all.push_back({std::string(c.masters) + "," + c.host + "," + c.timing,
                   [n] { run(combinations[n], outcomes + n); }});
  }
  all.push_back({"compare", [] {
                   const outcome &a = outcomes[0];
                   CHECK(a.cycles[0] > 100 && a.cycles[1] > 100);
                   for (std::size_t n = 1; n < combinations.size(); n++) {
                     const combination &c = combinations[n];
                     const outcome &b = outcomes[n];
                     cases::context = std::string(c.masters) + "," + c.host + "," + c.timing;
                     CHECK(b.done);
                     CHECK(!std::memcmp(a.cycles, b.cycles, sizeof a.cycles));
                     CHECK(!std::memcmp(a.instructions, b.instructions, sizeof a.instructions));
                     CHECK(!std::memcmp(a.data, b.data, sizeof a.data));
                     EQUAL(a.edges, b.edges);
                     for (unsigned k = 0; k < 6 && c.in_time; k++) {
                       EQUAL(a.begin[k], b.begin[k]);
                       EQUAL(a.end[k], b.end[k]);
                     }
                   }
                 }});
  return cases::run(argc, argv, all);
}
