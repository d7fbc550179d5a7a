// SPDX-License-Identifier: Apache-2.0
// Checks of a module, for every tool. `CHK(name, expr) belongs in a clocked block of its own, at the
// end of the module; expr must hold at each clock edge. In simulation a false one is reported and
// ends the run, in formal runs it is an assertion, in synthesis nothing.
// `ASM(name, expr) is what the module relies on: a check in simulation, an assumption in the proof of
// the module itself.
`ifndef NEARBANK_CHECK_SVH
`define NEARBANK_CHECK_SVH
`ifdef FORMAL
`define CHK(name, expr) assert (expr);
`define ASM(name, expr) assume (expr);
`elsif SYNTHESIS
`define CHK(name, expr)
`define ASM(name, expr)
`else
`define CHK(name, expr) if (!(expr)) begin $display("%0t %m: check %s failed", $time, `"name`"); $finish; end
`define ASM(name, expr) `CHK(name, expr)
`endif
`endif
