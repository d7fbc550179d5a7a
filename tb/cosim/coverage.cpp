// SPDX-License-Identifier: Apache-2.0
// Runs bench.v to its end and writes what was covered.
#include <verilated.h>
#include <verilated_cov.h>

#include "Vbench.h"

int main(int argc, char **argv) {
  VerilatedContext context;
  context.commandArgs(argc, argv);
  Vbench top{&context};
  while (!context.gotFinish()) {
    top.eval();
    if (!top.eventsPending())
      break;
    context.time(top.nextTimeSlot());
  }
  top.final();
  context.coveragep()->write(argc > 1 ? argv[1] : "coverage.dat");
  return 0;
}
