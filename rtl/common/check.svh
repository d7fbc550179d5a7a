// SPDX-License-Identifier: Apache-2.0
// Checks of a module, for every tool. `CHK(name, expr) belongs in a clocked block of its own, at
// the end of the module; expr must hold at each clock edge. In simulation a false one is reported
// and ends the run, in formal runs it is an assertion, in synthesis nothing.
// `ASM(name, expr) is what the module relies on: a check in simulation; in the proof of the module
// itself (FORMAL_TOP) an assumption, in the proof of one that has it inside an assertion.
// With RELY_ONLY there is nothing but that assumption: for a comparison of the module with a
// changed one.
// `RESET_FIRST stands once in a module with proofs: they begin with a reset, and know of no state
// before.
// `COV(name, expr) is something that the module must be able to do; formal runs show that it can
// (they ask for a proof that it can't, and want a counterexample).
// `RANGE(what_is_wrong, expr) stands among the declarations of a module: with parameters for which
// expr is false no tool elaborates it, and each says that there is no module of that name.
`ifndef NEARBANK_CHECK_SVH
`define NEARBANK_CHECK_SVH
`define RANGE(what, expr) if (!(expr)) begin : g_``what what refused (); end
`ifdef RELY_ONLY
`define RESET_FIRST
`define CHK(name, expr) begin end
`define ASM(name, expr) assume (expr);
`define COV(name, expr) begin end
`elsif FORMAL
`ifdef FORMAL_COVER
`define CHK(name, expr) begin end
`define COV(name, expr) assert (!(expr));
`else
`define CHK(name, expr) assert (expr);
`define COV(name, expr) begin end
`endif
`ifdef FORMAL_TOP
`define ASM(name, expr) assume (expr);
`define RESET_FIRST reg f_past = 1'b0; always @(posedge clk_i) begin f_past <= 1'b1; \
  assume (f_past || !rst_ni); end
`else
`define RESET_FIRST
`define ASM(name, expr) `CHK(name, expr)
`endif
`elsif SYNTHESIS
`define RESET_FIRST
`define CHK(name, expr) begin end
`define ASM(name, expr) begin end
`define COV(name, expr) begin end
`else
`define RESET_FIRST
`define CHK(name, expr) if (!(expr)) begin $display("%0t %m: check %s failed", $time, `"name`"); \
  $finish; end
`define ASM(name, expr) `CHK(name, expr)
`define COV(name, expr) begin end
`endif
`endif
