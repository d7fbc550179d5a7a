// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "harness/systemc/tlm/bus.h"
#include "harness/systemc/tlm/card.h"
#include "harness/systemc/tlm/memory.h"

extern "C" {
#include "csim/base/rtl_trace.h"
#include "csim/base/vcd.h"
#include "harness/systemc/platform/platform.h"
}

using namespace sc_core;

namespace {

// Where things are on the bus.
constexpr std::uint64_t spacing = 1ull << 44;
constexpr std::uint64_t registers_of(std::uint64_t k) {
  return (2 * k + 1) * spacing;
}
constexpr std::uint64_t memory_of(std::uint64_t k) {
  return (2 * k + 2) * spacing;
}

// The host: accesses come from outside of the simulation, which goes on until they are done.
class native_host : public sc_module {
 public:
  tlm_utils::simple_initiator_socket<native_host> socket;
  std::vector<std::unique_ptr<sc_in<bool>>> interrupts;
  std::vector<std::uint64_t> came;
  std::vector<nearbank::shown> wires;

  native_host(sc_module_name name, unsigned cards)
      : sc_module(name), socket("socket"), came(cards) {
    SC_HAS_PROCESS(native_host);
    for (unsigned k = 0; k < cards; k++) {
      interrupts.emplace_back(new sc_in<bool>(sc_gen_unique_name("interrupt")));
      wires.emplace_back("interrupt" + std::to_string(k), 1);
    }
    SC_THREAD(run);
    SC_METHOD(interrupted);
    for (auto &i : interrupts)
      sensitive << *i;
    dont_initialize();
  }

  // A read of what is not there gives ones.
  std::uint64_t access(bool write, std::uint64_t address, unsigned bytes, std::uint64_t value) {
    tlm::tlm_generic_payload t;
    t.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    t.set_address(address);
    t.set_data_ptr(reinterpret_cast<unsigned char *>(&value));
    t.set_data_length(bytes);
    t.set_streaming_width(bytes);
    asked_ = &t;
    ask_.notify(SC_ZERO_TIME);
    while (asked_ && go_on()) {
    }
    asked_ = nullptr;
    return t.is_response_ok() ? value : ~0ull >> (64 - 8 * bytes);
  }

  // Until an interrupt of card k; false when nothing will happen any more.
  bool wait_for(unsigned k, std::uint64_t *seen) {
    while (came[k] == *seen)
      if (!go_on())
        return false;
    *seen = came[k];
    return true;
  }

 private:
  // Until somebody here is interested, or nothing is left to happen: then false.
  static bool go_on() {
    if (!sc_pending_activity())
      return false;
    sc_start(sc_max_time() - sc_time_stamp(), SC_EXIT_ON_STARVATION);
    return true;
  }
  void run() {
    for (;;) {
      sc_time delay;
      wait(ask_);
      socket->b_transport(*asked_, delay);
      if (delay != SC_ZERO_TIME)
        wait(delay);
      asked_ = nullptr;
      sc_pause();
    }
  }
  void interrupted() {
    bool any = false;
    for (unsigned k = 0; k < came.size(); k++) {
      const bool up = interrupts[k]->event() && interrupts[k]->read();
      came[k] += up;
      any |= up;
      wires[k].value->write(interrupts[k]->read());
    }
    if (any)
      sc_pause();
  }
  sc_event ask_;
  tlm::tlm_generic_payload *asked_ = nullptr;  // an access that is not done
};

// Writes what modules show as the text of VCD files.
class monitor : public sc_module {
 public:
  monitor(sc_module_name name, const platform_trace *trace) : sc_module(name), trace_(trace) {}

  void add(const std::string &name, const std::vector<nearbank::shown> &signals) {
    const std::string last = name.substr(name.rfind('.') + 1);
    groups_.push_back({trace_->source(trace_->ctx, name.c_str()), &signals, {}});
    void *const source = groups_.back().source;
    put(source, "$scope module " + last + " $end\n");
    for (unsigned n = 0; n < signals.size(); n++) {
      char line[200];
      const std::size_t bytes =
          vcd_put_var(line, sizeof line, n, signals[n].name.c_str(), "", signals[n].bits);
      put(source, std::string(line, bytes));
    }
    put(source, "$upscope $end\n$enddefinitions $end\n");
  }

  // Looks when something that is shown changes, and while cards only compute.
  void start(const std::vector<const sc_event *> &cards) {
    sc_spawn_options o;
    o.spawn_method();
    for (const sc_event *e : cards)
      o.set_sensitivity(e);
    for (const group &g : groups_)
      for (const nearbank::shown &s : *g.signals)
        o.set_sensitivity(&s.value->value_changed_event());
    sc_spawn([this] { look(); }, "look", &o);
  }

 private:
  struct group {
    void *source;
    const std::vector<nearbank::shown> *signals;
    std::vector<std::uint64_t> before;  // empty: nothing was written yet
  };

  void put(void *source, const std::string &text) {
    trace_->write(source, text.data(), text.size());
  }

  void look() {
    constexpr std::uint64_t often = 1000;
    const std::uint64_t ns = static_cast<std::uint64_t>(sc_time_stamp() / sc_time(1, SC_NS));
    for (group &g : groups_)
      look_at(g, ns);
    if (ns >= stepped_ + often)
      trace_->step(trace_->ctx, stepped_ = ns);
  }

  void look_at(group &g, std::uint64_t ns) {
    const bool first = g.before.empty();
    std::string text;
    g.before.resize(g.signals->size());
    for (unsigned n = 0; n < g.before.size(); n++) {
      const nearbank::shown &s = (*g.signals)[n];
      const std::uint64_t now = s.value->read();
      if (!first && now == g.before[n])
        continue;
      const std::uint32_t words[] = {static_cast<std::uint32_t>(now),
                                     static_cast<std::uint32_t>(now >> 32)};
      char line[64 + VCD_CODE + 3];
      text.append(line, vcd_put_value(line, n, s.bits, words));
      g.before[n] = now;
    }
    if (!text.empty())
      put(g.source, "#" + std::to_string(RTL_TRACE_TIMES * ns + RTL_TRACE_HIGH) + "\n" + text);
  }

  const platform_trace *trace_;
  std::vector<group> groups_;
  std::uint64_t stepped_ = 0;
};

struct attached {
  platform *p;
  unsigned k;
  std::uint64_t seen;
  unsigned char *host;
  std::unique_ptr<sc_signal<bool>> wire;
  std::unique_ptr<nearbank::card> card;
};

}  // namespace

struct platform {
  std::uint64_t host_bytes;
  unsigned char *host_memory;
  std::unique_ptr<nearbank::bus> bus;
  std::unique_ptr<nearbank::memory> memory;
  std::vector<attached> cards;
  std::unique_ptr<native_host> host;
  std::unique_ptr<monitor> waves;  // null: nobody writes them
};

namespace {

void show(platform *p, const platform_trace *trace) {
  p->waves.reset(new monitor("waves", trace));
  p->waves->add("host.interrupts", p->host->wires);
  p->waves->add("bus.host", p->bus->show(0));
  for (unsigned k = 0; k < p->cards.size(); k++) {
    const std::string card = "card" + std::to_string(k);
    p->waves->add("bus." + card, p->bus->show(1 + k));
  }
  for (unsigned k = 0; k < p->cards.size(); k++)
    p->waves->add("card" + std::to_string(k) + ".registers", p->cards[k].card->show());
  trace->begin(trace->ctx);
  std::vector<const sc_event *> cards;
  for (const attached &a : p->cards)
    cards.push_back(&a.card->went_on());
  p->waves->start(cards);
}

platform *make(const platform_card *cards, std::uint32_t n, const platform_options *o) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  if (!n || n > PLATFORM_CARDS || sc_get_status() != SC_ELABORATION)
    return nullptr;
  void *memory = mmap(nullptr, n * o->host_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  platform *p = new platform();
  p->host_bytes = o->host_bytes;
  p->host_memory = static_cast<unsigned char *>(memory);
  p->bus.reset(new nearbank::bus("bus", 1 + n, 1 + 2 * n));
  p->memory.reset(
      new nearbank::memory("memory", p->host_memory, n * o->host_bytes, SC_ZERO_TIME, !o->trace));
  p->bus->to(0, 0, n * o->host_bytes, p->memory->socket);
  p->host.reset(new native_host("host", n));
  p->host->socket.bind(p->bus->from[0]);
  nearbank::card_timing timing;
  timing.quantum = sc_time(static_cast<double>(o->quantum_ns), SC_NS);
  p->cards.resize(n);
  for (unsigned k = 0; k < n; k++) {
    attached &a = p->cards[k];
    const platform_card &c = cards[k];
    a.p = p, a.k = k, a.seen = 0, a.host = p->host_memory + k * o->host_bytes;
    a.card.reset(new nearbank::card(("card" + std::to_string(k)).c_str(), c.ops, c.device, timing));
    a.wire.reset(new sc_signal<bool>(("interrupt" + std::to_string(k)).c_str()));
    std::uint64_t bytes = 0;
    c.ops->window(a.card->model(), &bytes);
    p->bus->to(1 + 2 * k, registers_of(k), CARD_REGISTERS, a.card->registers);
    p->bus->to(2 + 2 * k, memory_of(k), bytes, a.card->memory);
    a.card->host.bind(p->bus->from[1 + k]);
    a.card->interrupt.bind(*a.wire);
    p->host->interrupts[k]->bind(*a.wire);
  }
  if (o->trace)
    show(p, o->trace);
  sc_start(SC_ZERO_TIME);
  return p;
}

void free_platform(platform *p) {
  if (!p)
    return;
  munmap(p->host_memory, p->cards.size() * p->host_bytes);
  delete p;
}

driver_transport transport(platform *p, std::uint32_t k) {
  driver_transport t = {};
  t.ctx = &p->cards[k];
  t.read = [](void *ctx, std::uint32_t offset, std::uint32_t bytes) {
    attached *a = static_cast<attached *>(ctx);
    return a->p->host->access(false, registers_of(a->k) + offset, bytes, 0);
  };
  t.write = [](void *ctx, std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) {
    attached *a = static_cast<attached *>(ctx);
    a->p->host->access(true, registers_of(a->k) + offset, bytes, value);
  };
  t.wait = [](void *ctx) {
    attached *a = static_cast<attached *>(ctx);
    return a->p->host->wait_for(a->k, &a->seen);
  };
  t.host = p->cards[k].host;
  t.offset = k * p->host_bytes;
  t.bytes = p->host_bytes;
  return t;
}

std::uint64_t time_of(const platform *) {
  return static_cast<std::uint64_t>(sc_time_stamp() / sc_time(1, SC_PS) + 0.5);
}

::card *model(platform *p, std::uint32_t k) {
  return p->cards[k].card->model();
}

const platform_ops ops = {make, free_platform, transport, time_of, model};

}  // namespace

extern "C" __attribute__((visibility("default"))) const platform_ops *nearbank_platform(void) {
  return &ops;
}

// libsystemc wants it; nobody calls it.
__attribute__((visibility("default"))) int sc_main(int, char **) {
  return 0;
}
