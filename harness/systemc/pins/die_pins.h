// SPDX-License-Identifier: Apache-2.0
// nearbank::die_pins: the Verilog of a die slice as a SystemC module, for a base die of your own.
// docs/pins.md says how a cycle is driven, docs/blocks/die_slice.md what the pins mean.
//
// The ports are those of csim/mpu/ports/die_slice.def, with _i or _o behind the name, and clk_i and
// rst_ni. Inside is Verilator's SystemC module; this header needs SystemC only.
#ifndef NEARBANK_SYSTEMC_DIE_PINS_H
#define NEARBANK_SYSTEMC_DIE_PINS_H

#include <systemc>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace nearbank {

// The value of a pin: bool, std::uint32_t or std::uint64_t up to 1, 32 and 64 bits, else sc_bv.
template <int bits>
using pin = std::conditional_t<
    bits == 1, bool,
    std::conditional_t<
        bits <= 32, std::uint32_t,
        std::conditional_t<bits <= 64, std::uint64_t, sc_dt::sc_bv<(bits > 64 ? bits : 65)>>>>;

class __attribute__((visibility("default"))) die_pins : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"}, rst_ni{"rst_ni"};
#define IN(name, bits, doc) sc_core::sc_in<pin<bits>> name##_i{#name "_i"};
#define OUT(name, bits, doc) sc_core::sc_out<pin<bits>> name##_o{#name "_o"};
#define IN_W IN
#define OUT_W OUT
#include "csim/mpu/ports/die_slice.def"
#undef IN
#undef OUT
#undef IN_W
#undef OUT_W

  explicit die_pins(sc_core::sc_module_name name);
  ~die_pins() override;

  // cfg_times_i for arrays with the default times, those of `mpu config`.
  static pin<204> default_times();

 private:
  struct model;
  std::unique_ptr<model> model_;
};

// A signal for each pin but clk_i and rst_ni, bound to it: the other side of a test bench. Inputs
// of the die are zero at first.
struct die_signals {
#define IN(name, bits, doc) sc_core::sc_signal<pin<bits>> name{#name, pin<bits>()};
#define OUT(name, bits, doc) sc_core::sc_signal<pin<bits>> name{#name};
#define IN_W IN
#define OUT_W OUT
#include "csim/mpu/ports/die_slice.def"
#undef IN
#undef OUT

  explicit die_signals(die_pins &die) {
#define IN(name, bits, doc) die.name##_i(name);
#define OUT(name, bits, doc) die.name##_o(name);
#include "csim/mpu/ports/die_slice.def"
#undef IN
#undef OUT
  }

  // All of them into a wave file.
  void trace(sc_core::sc_trace_file *file) const {
#define IN(name, bits, doc) sc_core::sc_trace(file, name, #name);
#define OUT IN
#include "csim/mpu/ports/die_slice.def"
#undef IN
#undef OUT
#undef IN_W
#undef OUT_W
  }
};

}  // namespace nearbank

#endif
