// SPDX-License-Identifier: Apache-2.0
// nearbank::die_pins against the model behind the interface of csim/base/block.h: the traffic of
// cosim_die_slice at both, all pins equal in every cycle.
//
//   test_die_pins [CYCLES]     of each kind of traffic
#include "harness/systemc/pins/die_pins.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" {
#include "tb/cosim/cosim.h"
}
#define BLOCK die_slice
#include "csim/base/block_declare.h"

extern "C" {
extern const block_ops die_slice_rtl;
extern bool die_slice_rtl_failed(const void *block);
extern const cosim_driver die_slice_driver;
}

using namespace sc_core;

namespace {

template <int bits, class value>
void put(sc_signal<value> &s, const std::uint32_t *words) {
  if constexpr (bits > 32) {
    value v;
    for (int k = 0; k < int(BLOCK_WORDS(bits)); k++)
      v.set_word(k, words[k]);
    s.write(v);
  } else {
    s.write(value(words[0] & ~0u >> (32 - bits)));
  }
}

template <int bits, class value>
void get(const sc_signal<value> &s, std::uint32_t *words) {
  if constexpr (bits > 32) {
    for (int k = 0; k < int(BLOCK_WORDS(bits)); k++)
      words[k] = s.read().get_word(k);
  } else {
    words[0] = s.read();
  }
}

class bench : public sc_module {
 public:
  explicit bench(sc_module_name name, unsigned cycles)
      : sc_module(name), die_("die"), pins_(die_), cycles_(cycles) {
    die_.clk_i(clk_);
    die_.rst_ni(rst_n_);
    SC_HAS_PROCESS(bench);
    SC_THREAD(run);
  }
  ~bench() override {
    if (model_)
      die_slice_rtl.destroy(model_);
  }
  bool ok() const { return ok_; }
  bool flooded() const { return flooded_; }

 private:
  // An edge of both with the inputs in in_. False: an output differs.
  bool step() {
#define IN(name, bits, doc) put<bits>(pins_.name, &in_.name);
#define IN_W(name, bits, doc) put<bits>(pins_.name, in_.name);
#define OUT(name, bits, doc)
#define OUT_W(name, bits, doc)
#include "csim/mpu/ports/die_slice.def"
#undef IN
#undef IN_W
#undef OUT
#undef OUT_W
    rst_n_.write(in_.rst_n);
    wait(1, SC_NS);
    clk_.write(false);
    wait(1, SC_NS);
    clk_.write(true);
    wait(1, SC_NS);
    die_slice_out there;
    std::memset(&there, 0, sizeof there);
#define IN(name, bits, doc)
#define IN_W(name, bits, doc)
#define OUT(name, bits, doc) get<bits>(pins_.name, &there.name);
#define OUT_W(name, bits, doc) get<bits>(pins_.name, there.name);
#include "csim/mpu/ports/die_slice.def"
#undef IN
#undef IN_W
#undef OUT
#undef OUT_W
    if (cycle_ == spoilt_)
      in_.ref_tick ^= 1;  // for one of the two only
    die_slice_rtl.step(model_, &in_, &out_);
    return !std::memcmp(&out_, &there, sizeof out_) || (differ_ = there, false);
  }

  void report(const char *mode) const {
    std::printf("mode %s: pins differ in cycle %llu\n", mode,
                static_cast<unsigned long long>(cycle_));
    for (std::size_t k = 0; k < die_slice_rtl.n_ports; k++) {
      const block_port &p = die_slice_rtl.ports[k];
      const auto *a = reinterpret_cast<const std::uint8_t *>(&out_) + p.offset;
      const auto *b = reinterpret_cast<const std::uint8_t *>(&differ_) + p.offset;
      if (p.dir == BLOCK_OUT && std::memcmp(a, b, 4 * BLOCK_WORDS(p.bits)))
        std::printf("  %s_o (%s)\n", p.name, p.doc);
    }
  }

  // Resets come at the beginning, in the middle and now and then. False: see report.
  bool traffic(unsigned mode, cosim_rng rng) {
    unsigned reset = 3;
    for (unsigned n = 0; n < cycles_; n++, cycle_++) {
      if (!reset && (n == cycles_ / 2 || rng_below(&rng, 2000) == 0))
        reset = 1 + rng_below(&rng, 3), resets_++;
      if (reset) {
        std::memset(&in_, 0, sizeof in_);
        if (--reset == 0)
          die_slice_driver.start(nullptr, &rng, mode);
      } else {
        die_slice_driver.drive(nullptr, &rng, &out_, &in_);
        in_.rst_n = 1;
        flits_ += in_.dn_valid != 0;
      }
      if (!step())
        return false;
      char why[256];
      if (die_slice_rtl_failed(model_) ||
          (in_.rst_n && !die_slice_driver.check(nullptr, &in_, &out_, why, sizeof why))) {
        std::printf("the traffic is not legal, or the die is wrong\n");
        return false;
      }
    }
    return true;
  }

  void run() {
    wait(SC_ZERO_TIME);  // the Verilog of the module has begun
    model_ = die_slice_rtl.create(nullptr);
    step(), step();  // the module is not reset yet, as the block is
    for (unsigned m = 0; ok_ && m < die_slice_driver.modes; m++)
      if (!traffic(m, {m + 1ull})) {
        report(die_slice_driver.mode_names[m]);
        ok_ = false;
      }
    if (ok_) {
      std::printf("all pins are equal in %llu cycles with %llu resets; %llu cycles with flits\n",
                  static_cast<unsigned long long>(cycle_), static_cast<unsigned long long>(resets_),
                  static_cast<unsigned long long>(flits_));
      ok_ = notices();
    }
    if (ok_)
      flood();
    sc_stop();
  }

  // An input bit of one cycle that only one of the two sees.
  bool notices() {
    spoilt_ = cycle_ + 100;
    const bool same = traffic(0, {99});
    std::printf(same ? "a changed bit does not show\n" : "a changed bit shows after %llu cycles\n",
                static_cast<unsigned long long>(cycle_ - spoilt_));
    return !same;
  }

  // More flits than a unit has room for: a check of the Verilog ends the simulation.
  void flood() {
    flooded_ = true;
    pins_.dn_valid = 3, pins_.dn_sel = 0;
    for (unsigned n = 0; n < 100; n++) {
      clk_.write(n % 2);
      wait(1, SC_NS);
    }
    std::printf("a flood of flits is not reported\n");
    ok_ = false;
  }

  nearbank::die_pins die_;
  nearbank::die_signals pins_;
  sc_signal<bool> clk_, rst_n_;
  void *model_ = nullptr;
  die_slice_in in_ = {};
  die_slice_out out_ = {}, differ_ = {};
  std::uint64_t cycle_ = 0, spoilt_ = ~0ull, resets_ = 0, flits_ = 0;
  unsigned cycles_;
  bool ok_ = true, flooded_ = false;
};

}  // namespace

int sc_main(int argc, char **argv) {
  bench b("bench", argc > 1 ? unsigned(std::atoi(argv[1])) : 10000);
  try {
    sc_start();
  } catch (const sc_report &r) {
    std::printf("%s\n", r.get_msg());
    return !(b.ok() && b.flooded() && !std::strcmp(r.get_msg_type(), "nearbank"));
  }
  return 1;
}
