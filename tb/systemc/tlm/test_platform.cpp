// SPDX-License-Identifier: Apache-2.0
// The platform around a program of this process: its transport, alone and under a driver, with one
// card and with three.
#include <dlfcn.h>

#include <algorithm>
#include <memory>

#include "tb/systemc/tlm/cases.h"
#include "tb/systemc/tlm/objects.h"

extern "C" {
#include "harness/systemc/platform/platform.h"
}

namespace {

enum { us = 1000000, latency = LINK_LATENCY * 1000, read_4 = 2 * latency + 4 * us / LINK_UP };
constexpr std::uint64_t host_bytes = 1 << 20;

const platform_ops *ops;
card_machine *machines[3];

platform *make(unsigned n, std::uint64_t quantum_ns) {
  platform_card cards[3];
  const platform_options o = {host_bytes, quantum_ns, nullptr};
  for (unsigned k = 0; k < n; k++)
    cards[k] = {card_machine_ops(), *card_machine_device(machines[k])};
  platform *p = ops->make(cards, n, &o);
  if (!CHECK(p))
    std::exit(1);
  return p;
}

// A transport that sees to it that time never goes back, and stands still between calls.
struct watched {
  platform *p = nullptr;
  driver_transport t = {};
  unsigned reads = 0, writes = 0, waits = 0, ends = 0;
  static inline std::uint64_t time = 0;

  watched(platform *on, unsigned k) : p(on), t(on_transport(on, k)) {}
  static driver_transport on_transport(platform *p, unsigned k) { return ops->transport(p, k); }

  std::uint64_t read(std::uint32_t offset, std::uint32_t bytes) {
    before();
    reads++;
    const std::uint64_t value = t.read(t.ctx, offset, bytes);
    after(2 * latency + bytes * std::uint64_t{us} / LINK_UP, true);
    return value;
  }
  void write(std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) {
    before();
    writes++;
    t.write(t.ctx, offset, bytes, value);
    after(0, true);
  }
  bool wait() {
    before();
    waits++;
    const bool more = t.wait(t.ctx);
    ends += !more;
    after(0, false);
    return more;
  }
  driver_transport transport() {
    driver_transport w = t;
    w.ctx = this;
    w.read = [](void *me, std::uint32_t o, std::uint32_t n) {
      return static_cast<watched *>(me)->read(o, n);
    };
    w.write = [](void *me, std::uint32_t o, std::uint32_t n, std::uint64_t v) {
      static_cast<watched *>(me)->write(o, n, v);
    };
    w.wait = [](void *me) { return static_cast<watched *>(me)->wait(); };
    return w;
  }

 private:
  void before() { EQUAL(ops->time(p), time); }
  void after(std::uint64_t took, bool exactly) {
    const std::uint64_t at = ops->time(p);
    CHECK(exactly ? at == time + took : at >= time);
    time = at;
  }
};

driver *open(watched &w, unsigned context = 0) {
  char why[1000];
  const driver_transport t = w.transport();
  driver *d = driver_open(&t, context, why, sizeof why);
  if (!d)
    cases::check(false, why, __FILE__, __LINE__);
  return d;
}

#define OK(call) EQUAL((call), std::uint32_t{CARD_OK})

enum { ints = 256, bytes = 4 * ints };

struct job {
  driver *d;
  std::uint32_t program = 0, kernel = 0, spin = 0;
  std::uint64_t from = 0, to = 0;
  std::uint32_t data[ints];

  explicit job(driver *on, std::uint32_t seed) : d(on) {
    std::size_t n;
    std::uint32_t parameters;
    const std::uint8_t *image = objects_kernels(&n);
    for (unsigned k = 0; k < ints; k++)
      data[k] = k * seed;
    OK(driver_alloc(d, bytes, &from));
    OK(driver_alloc(d, bytes, &to));
    OK(driver_load(d, image, n, &program));
    OK(driver_kernel(d, program, "scale", &kernel, &parameters));
    OK(driver_kernel(d, program, "spin", &spin, &parameters));
    OK(driver_write(d, from, data, bytes));
  }
  card_record launch() {
    card_record r = {};
    const std::uint64_t parameters[] = {to, from};
    const card_launch l = {program, kernel, {ints / 64, 1, 1}, {64, 1, 1}, 0, sizeof parameters};
    OK(driver_launch(d, &l, parameters, &r));
    EQUAL(r.end - r.begin, r.words[CARD_LAUNCH_GIVES_CYCLES] * CARD_PERIOD);
    return r;
  }
  void check() {
    std::uint32_t got[ints];
    OK(driver_read(d, got, to, bytes));
    for (unsigned k = 0; k < ints; k++)
      EQUAL(got[k], 3 * data[k] + k);
  }
  // A launch of spin that nobody waits for; its record lies in the arena.
  std::uint32_t begin(std::uint64_t times) {
    std::uint64_t offset, room;
    std::uint32_t command;
    std::uint8_t *arena = driver_arena(d, &offset, &room);
    const card_launch l = {program, spin, {1, 1, 1}, {32, 1, 1}, 0, 8};
    std::memcpy(arena, &l, sizeof l);
    std::memcpy(arena + sizeof l, &times, 8);
    const card_command c = {
        CARD_DO_LAUNCH, CARD_FLAG_INTERRUPT, 0, 0, {offset, sizeof l + 8, 0, 0, 0, 0}};
    OK(driver_submit(d, &c, &command));
    return command;
  }
};

// ---- one card

// Without a driver: what accesses give, and how long they take.
void accesses() {
  platform *p = make(1, 10000);
  watched w(p, 0);
  EQUAL(w.read(CARD_R_MAGIC, 4), std::uint64_t{CARD_MAGIC_VALUE});
  EQUAL(w.read(CARD_R_MEMORY, 8), w.read(CARD_R_MEMORY, 4) | w.read(CARD_R_MEMORY + 4, 4) << 32);
  w.write(CARD_R_WATCHDOG, 8, 0x123456789abcull);
  EQUAL(w.read(CARD_R_WATCHDOG, 8), 0x123456789abcull);
  w.write(CARD_R_WATCHDOG + 4, 4, 7);
  EQUAL(w.read(CARD_R_WATCHDOG, 8), 0x756789abcull);
  w.write(CARD_R_WATCHDOG, 8, 0);
  // bus errors
  EQUAL(w.t.read(w.t.ctx, CARD_REGISTERS, 4), 0xffffffffull);
  EQUAL(w.t.read(w.t.ctx, CARD_REGISTERS - 4, 8), ~0ull);
  EQUAL(w.t.read(w.t.ctx, 2, 4), 0xffffffffull);
  w.t.write(w.t.ctx, CARD_REGISTERS, 4, 1);
  watched::time = ops->time(p);
  EQUAL(w.t.offset, 0u);
  EQUAL(w.t.bytes, host_bytes);
  CHECK(reinterpret_cast<std::uintptr_t>(w.t.host) % 4096 == 0);
  CHECK(std::all_of(w.t.host, w.t.host + host_bytes, [](std::uint8_t x) { return x == 0; }));

  // nothing will happen
  const std::uint64_t start = ops->time(p);
  CHECK(!w.wait());
  CHECK(!w.wait());
  EQUAL(ops->time(p), start);
  ops->free(p);
}

// A context by hand: an interrupt that came before the host sleeps ends the sleep at once.
void sleeps(std::uint64_t quantum_ns) {
  platform *p = make(1, quantum_ns);
  watched w(p, 0);
  const auto reg = [](std::uint32_t r) { return CARD_PAGE + r; };
  const auto put = [&](std::uint32_t n) {
    const card_command c = {CARD_DO_EVENT, CARD_FLAG_INTERRUPT, 0, n, {}};
    std::memcpy(w.t.host + n % 4 * sizeof c, &c, sizeof c);
    w.write(reg(CONTEXT_R_TAIL), 4, n + 1);
    w.write(reg(CONTEXT_R_DOORBELL), 4, 1);
  };
  w.write(reg(CONTEXT_R_ENTRIES), 4, 4);
  w.write(reg(CONTEXT_R_COMPLETIONS), 8, 0x1000);
  w.write(reg(CONTEXT_R_CONTROL), 4, CONTEXT_CONTROL_ENABLE | CONTEXT_CONTROL_INTERRUPT);
  w.write(reg(CONTEXT_R_DOORBELL), 4, 1);
  EQUAL(w.read(reg(CONTEXT_R_STATE), 4), std::uint64_t{CONTEXT_STATE_ON});

  // it sleeps until then
  std::uint64_t start = ops->time(p);
  const std::uint64_t takes = latency + 64 * us / LINK_DOWN + latency + 64 * us / LINK_UP;
  put(0);
  CHECK(w.wait());
  EQUAL(ops->time(p), start + takes);
  EQUAL(w.read(reg(CONTEXT_R_DONE), 4), 1u);
  CHECK(!w.wait());

  // it comes while the host reads
  put(1);
  while (w.read(reg(CONTEXT_R_DONE), 4) != 2) {
  }
  start = ops->time(p);
  CHECK(w.wait());
  EQUAL(ops->time(p), start);
  CHECK(!w.wait());
  EQUAL(w.read(reg(CONTEXT_R_INTERRUPTS), 4), 2u);
  card_record r;
  std::memcpy(&r, w.t.host + 0x1000 + sizeof r, sizeof r);
  EQUAL(r.number, 2u);
  ops->free(p);
}

void one(std::uint64_t quantum_ns, card_record *r) {
  platform *p = make(1, quantum_ns);
  watched w(p, 0);
  driver *d = open(w);
  job j(d, 77);
  *r = j.launch();
  j.check();
  CHECK(r->end <= ops->time(p));
  CHECK(w.waits && w.reads && w.writes && !w.ends);
  EQUAL(driver_cores(d), 1u);
  // two contexts of the card
  driver *e = open(w, 1);
  job k(e, 78);
  k.launch();
  k.check();
  j.check();
  driver_close(e);
  driver_close(d);
  CHECK(!w.wait() || !w.wait());
  ops->free(p);
}

// ---- three cards

void three() {
  platform *p = make(3, 10000);
  std::vector<std::unique_ptr<watched>> w;
  std::vector<std::unique_ptr<job>> j;
  for (unsigned k = 0; k < 3; k++) {
    w.emplace_back(new watched(p, k));
    EQUAL(w[k]->t.offset, k * host_bytes);
    CHECK(w[k]->t.host == w[0]->t.host + k * host_bytes);
    CHECK(ops->model(p, k) && (!k || ops->model(p, k) != ops->model(p, k - 1)));
  }
  for (unsigned k = 0; k < 3; k++)
    j.emplace_back(new job(open(*w[k]), 5 + k));
  for (auto &x : j)
    x->launch();
  for (auto &x : j)
    x->check();
  // launches at the same time, waited for in another order
  card_record r[3];
  std::uint32_t n[3];
  for (const unsigned k : {0u, 1u, 2u})
    n[k] = j[k]->begin(300 * (k + 1));
  for (const unsigned k : {1u, 2u, 0u}) {
    OK(driver_finish(j[k]->d, n[k], &r[k]));
    CHECK(r[k].end <= ops->time(p));
  }
  CHECK(r[1].begin < r[0].end && r[2].begin < r[0].end && r[0].end < r[1].end &&
        r[1].end < r[2].end);
  CHECK(r[0].words[CARD_LAUNCH_GIVES_CYCLES] > 1000);
  for (auto &x : j) {
    x->launch();
    x->check();
  }
  // what two of them do is no news for the third
  const bool more = w[2]->wait();
  CHECK(!more || !w[2]->wait());
  n[0] = j[0]->begin(300);
  n[1] = j[1]->begin(100);
  CHECK(!w[2]->wait());
  OK(driver_finish(j[0]->d, n[0], nullptr));
  OK(driver_finish(j[1]->d, n[1], nullptr));
  for (auto &x : j)
    driver_close(x->d);
  ops->free(p);
}

void bounds() {
  const platform_options o = {host_bytes, 0, nullptr};
  platform_card cards[PLATFORM_CARDS + 1] = {};
  CHECK(!ops->make(cards, 0, &o));
  CHECK(!ops->make(cards, PLATFORM_CARDS + 1, &o));
  platform *p = make(2, 0);
  CHECK(!ops->make(cards, 1, &o));
  ops->free(nullptr);
  ops->free(p);
  CHECK(!ops->make(cards, 1, &o));
}

}  // namespace

int sc_main(int, char **) {
  return 0;
}

int main(int argc, char **argv) {
  void *library = dlopen(NEARBANK_BUILD "/libnearcard.so", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void *found = library ? dlsym(library, "nearbank_platform") : nullptr;
  std::size_t n;
  if (!found) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  ops = reinterpret_cast<const platform_ops *(*)()>(found)();
  for (card_machine *&m : machines)
    m = objects_machine();
  objects_kernels(&n);
  static card_record *records;
  records = cases::shared<card_record>(3);
  return cases::run(argc, argv,
                    {{"accesses", accesses},
                     {"sleeps,0", [] { sleeps(0); }},
                     {"sleeps,10us", [] { sleeps(10000); }},
                     {"one,0", [] { one(0, records); }},
                     {"one,1us", [] { one(1000, records + 1); }},
                     {"one,100us", [] { one(100000, records + 2); }},
                     {"compare",
                      [] {
                        for (unsigned k = 1; k < 3; k++)
                          CHECK(!std::memcmp(&records[0], &records[k], sizeof records[0]));
                        CHECK(records[0].end > 0);
                      }},
                     {"three", three},
                     {"bounds", bounds}});
}
