// SPDX-License-Identifier: Apache-2.0
#include "die_pins.h"

extern "C" {
#include "csim/dram/bankctl_times.h"
}

#include "Vdie_pins.h"

// $finish of the Verilog: one of its checks is false, and has said which.
void vl_finish(const char *, int, const char *) {
  Verilated::threadContextp()->gotFinish(true);
  SC_REPORT_ERROR("nearbank", "a check of the Verilog failed: the line above says which");
}

namespace nearbank {

struct die_pins::model {
  VerilatedContext *context = Verilated::threadContextp();
  Vdie_pins verilog{"verilog"};
};

die_pins::die_pins(sc_core::sc_module_name name) : sc_module(name), model_(new model) {
  model_->verilog.clk_i(clk_i);
  model_->verilog.rst_ni(rst_ni);
#define IN(name, bits, doc) model_->verilog.name##_i(name##_i);
#define OUT(name, bits, doc) model_->verilog.name##_o(name##_o);
#define IN_W IN
#define OUT_W OUT
#include "csim/mpu/ports/die_slice.def"
}

// Other models of this thread may have left another context, which is gone.
die_pins::~die_pins() {
  Verilated::threadContextp(model_->context);
  model_->verilog.final();
}

pin<204> die_pins::default_times() {
  std::uint32_t words[BANKCTL_TIME_WORDS];
  const bankctl_times times = bankctl_times_default();
  bankctl_times_put(&times, words);
  pin<204> bits;
  for (int k = 0; k < 204; k++)
    bits[k] = bool(words[k / 32] >> k % 32 & 1);
  return bits;
}

}  // namespace nearbank
