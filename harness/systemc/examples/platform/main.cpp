// SPDX-License-Identifier: Apache-2.0
// A platform of your own with a card of nearbank: a host that runs the driver, its memory, and the
// card. It is built against an installation (docs/install.md).
//
//   platform OBJECT [NEAR]     OBJECT: triple.ptx, compiled by `mpu cc`; NEAR: c, rtl or lockstep
//
//   host --- bus --- registers, device memory of the card --- memory of the host
//    ^------------- interrupt ---------'
#include "harness/systemc/card/card_machine.h"
#include "harness/systemc/driver/driver.h"
#include "harness/systemc/tlm/bus.h"
#include "harness/systemc/tlm/card.h"
#include "harness/systemc/tlm/memory.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

using namespace sc_core;

namespace {

struct alignas(64) line {  // of the host's memory
  unsigned char bytes[64];
};

// The driver's way to the card: accesses of registers over a socket, and a wire.
class host : public sc_module {
 public:
  tlm_utils::simple_initiator_socket<host> socket{"socket"};
  sc_in<bool> interrupt{"interrupt"};
  bool passed = false;

  host(sc_module_name name, std::vector<line> &memory, const std::vector<char> &object)
      : sc_module(name), memory_(memory), object_(object) {
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

  // Every element three times itself.
  bool triple(driver *d) {
    enum { count = 1000, bytes = 4 * count };
    std::vector<std::uint32_t> x(count), y(count);
    std::uint32_t program, kernel, parameter_bytes;
    std::uint64_t from, to;
    for (std::uint32_t k = 0; k < count; k++)
      x[k] = 7 * k + 1;
    if (driver_load(d, object_.data(), object_.size(), &program) ||
        driver_kernel(d, program, "triple", &kernel, &parameter_bytes) ||
        driver_alloc(d, bytes, &from) || driver_alloc(d, bytes, &to) ||
        driver_write(d, from, x.data(), bytes))
      return false;
    const struct {
      std::uint64_t to, from;
      std::uint32_t count;
    } parameters = {to, from, count};
    const card_launch what = {program, kernel, {(count + 127) / 128, 1, 1}, {128, 1, 1}, 0, 20};
    card_record r;
    if (driver_launch(d, &what, &parameters, &r) || driver_read(d, y.data(), to, bytes))
      return false;
    for (std::uint32_t k = 0; k < count; k++)
      if (y[k] != 3 * x[k])
        return std::printf("element %u is %u, not %u\n", k, y[k], 3 * x[k]), false;
    std::printf("%d elements in %llu cycles, at %s\n", count,
                static_cast<unsigned long long>(r.words[CARD_LAUNCH_GIVES_CYCLES]),
                sc_time_stamp().to_string().c_str());
    return true;
  }

  void run() {
    char why[256];
    const driver_transport t = transport();
    driver *d = driver_open(&t, 0, why, sizeof why);
    if (!d) {
      std::fprintf(stderr, "%s\n", why);
    } else {
      passed = triple(d);
      if (!passed)
        std::fprintf(stderr, "%s\n", driver_message(d));
      driver_close(d);
    }
    sc_stop();
  }

  std::vector<line> &memory_;
  const std::vector<char> &object_;
  std::uint64_t came_ = 0, seen_ = 0;
  sc_event came_now_;
};

}  // namespace

int sc_main(int argc, char **argv) {
  char why[1000];
  std::ifstream file(argc > 1 ? argv[1] : "triple.o", std::ios::binary);
  const std::vector<char> object{std::istreambuf_iterator<char>(file), {}};
  if (object.empty())
    return std::fprintf(stderr, "usage: platform OBJECT [NEAR]\n"), 2;
  card_machine *machine =
      card_machine_new("small", nullptr, 0, argc > 2 ? argv[2] : "c", 1, why, sizeof why);
  if (!machine)
    return std::fprintf(stderr, "%s\n", why), 1;
  bool passed;
  {
    std::vector<line> lines((1 << 20) / sizeof(line));
    nearbank::card card("card", machine);
    nearbank::memory memory("memory", lines[0].bytes, sizeof(line) * lines.size());
    host h("host", lines, object);
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
