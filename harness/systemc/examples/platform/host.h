// SPDX-License-Identifier: Apache-2.0
// The host of these platforms: a program that uses the driver, over a socket and a wire; and the
// platform around it.
//
//   host --- bus --- registers, device memory of the card --- memory of the host
//    ^------------- interrupt ---------'
#ifndef HOST_H
#define HOST_H

#include "harness/systemc/card/card_machine.h"
#include "harness/systemc/driver/driver.h"
#include "harness/systemc/tlm/bus.h"
#include "harness/systemc/tlm/card.h"
#include "harness/systemc/tlm/memory.h"

#include <cstdio>
#include <functional>
#include <vector>

using namespace sc_core;

struct alignas(64) line {  // of the host's memory
  unsigned char bytes[64];
};

// The driver's way to the card: accesses of registers over a socket, and a wire.
class host : public sc_module {
 public:
  tlm_utils::simple_initiator_socket<host> socket{"socket"};
  sc_in<bool> interrupt{"interrupt"};
  bool passed = false;

  host(sc_module_name name, std::vector<line> &memory, std::function<bool(driver *)> program)
      : sc_module(name), memory_(memory), program_(program) {
    SC_HAS_PROCESS(host);
    SC_THREAD(run);
    set_stack_size(1 << 20);
    SC_METHOD(interrupted);
    sensitive << interrupt.pos();
    dont_initialize();
  }

 private:
  std::uint64_t access(bool write, std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) {
    tlm::tlm_generic_payload t;
    sc_time delay = SC_ZERO_TIME;
    t.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    t.set_address(offset);
    t.set_data_ptr(reinterpret_cast<unsigned char *>(&value));
    t.set_data_length(bytes);
    t.set_streaming_width(bytes);
    socket->b_transport(t, delay);
    wait(delay);
    return value;
  }

  void interrupted() {
    came_++;
    came_now_.notify();
  }

  driver_transport transport() {
    driver_transport t = {};
    t.ctx = this;
    t.read = [](void *me, std::uint32_t offset, std::uint32_t bytes) {
      return static_cast<host *>(me)->access(false, offset, bytes, 0);
    };
    t.write = [](void *me, std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) {
      static_cast<host *>(me)->access(true, offset, bytes, value);
    };
    t.wait = [](void *me) {
      host *h = static_cast<host *>(me);
      if (h->seen_ == h->came_)
        h->wait(sc_time(1, SC_MS), h->came_now_);
      h->seen_ = h->came_;
      return true;
    };
    t.host = memory_[0].bytes;
    t.bytes = sizeof(line) * memory_.size();
    return t;
  }

  void run() {
    char why[256];
    const driver_transport t = transport();
    driver *d = driver_open(&t, 0, why, sizeof why);
    if (!d) {
      std::fprintf(stderr, "%s\n", why);
    } else {
      passed = program_(d);
      if (!passed)
        std::fprintf(stderr, "%s\n", driver_message(d));
      driver_close(d);
    }
    sc_stop();
  }

  std::vector<line> &memory_;
  const std::function<bool(driver *)> program_;
  std::uint64_t came_ = 0, seen_ = 0;
  sc_event came_now_;
};

// The program on a platform with this machine, which is gone then; what main returns.
inline int simulate(card_machine *machine, const std::function<bool(driver *)> &program) {
  bool passed;
  {
    std::vector<line> lines((1 << 20) / sizeof(line));
    nearbank::card card("card", machine);
    nearbank::memory memory("memory", lines[0].bytes, sizeof(line) * lines.size());
    host h("host", lines, program);
    sc_signal<bool> wire("wire");
    nearbank::bus bus("bus", 1, 2);
    h.socket.bind(bus.from[0]);
    bus.to(0, 0, CARD_REGISTERS, card.registers);
    bus.to(1, 1ull << 40, 1ull << 40, card.memory);
    card.host.bind(memory.socket);
    card.interrupt(wire);
    h.interrupt(wire);
    sc_start();
    passed = h.passed;
  }
  card_machine_free(machine);
  std::puts(passed ? "PASS" : "FAIL");
  return !passed;
}

#endif
