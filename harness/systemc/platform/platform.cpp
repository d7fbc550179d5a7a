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

  native_host(sc_module_name name, unsigned cards)
      : sc_module(name), socket("socket"), came(cards) {
    SC_HAS_PROCESS(native_host);
    for (unsigned k = 0; k < cards; k++)
      interrupts.emplace_back(new sc_in<bool>(sc_gen_unique_name("interrupt")));
    SC_THREAD(run);
    SC_METHOD(interrupted);
    for (auto &i : interrupts)
      sensitive << i->pos();
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
    for (unsigned k = 0; k < came.size(); k++)
      came[k] += interrupts[k]->event() && interrupts[k]->read();
    sc_pause();
  }
  sc_event ask_;
  tlm::tlm_generic_payload *asked_ = nullptr;  // an access that is not done
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
};

namespace {

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
  p->memory.reset(new nearbank::memory("memory", p->host_memory, n * o->host_bytes));
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
    a.card.reset(new nearbank::card(("card" + std::to_string(k)).c_str(), c.ops, c.config, c.m, c.s,
                                    timing));
    a.wire.reset(new sc_signal<bool>(("interrupt" + std::to_string(k)).c_str()));
    std::uint64_t bytes = 0;
    c.ops->window(a.card->model(), &bytes);
    p->bus->to(1 + 2 * k, registers_of(k), CARD_REGISTERS, a.card->registers);
    p->bus->to(2 + 2 * k, memory_of(k), bytes, a.card->memory);
    a.card->host.bind(p->bus->from[1 + k]);
    a.card->interrupt.bind(*a.wire);
    p->host->interrupts[k]->bind(*a.wire);
  }
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
