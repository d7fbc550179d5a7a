// SPDX-License-Identifier: Apache-2.0
// lsux_pkg: what the parts of lsux share.
`default_nettype none

package lsux_pkg;
  /* verilator lint_off UNUSEDPARAM */
  // what becomes of an access when it is complete: its words go to registers, nothing is told but
  // that, a sector or a word of it goes up; or it is a fault
  localparam [2:0] TO_REG = 3'd0;
  localparam [2:0] TO_NONE = 3'd1;
  localparam [2:0] TO_DATA = 3'd2;
  localparam [2:0] TO_WORD = 3'd3;
  localparam [2:0] TO_FAULT = 3'd4;
  // how a beat goes to the banks: loads; stores whose data are the sectors; stores that are merged
  // into a sector lane by lane; atomic operations
  localparam [1:0] LOAD = 2'd0;
  localparam [1:0] WORDS = 2'd1;
  localparam [1:0] MERGED = 2'd2;
  localparam [1:0] ATOMIC = 2'd3;
  /* verilator lint_on UNUSEDPARAM */

  // bytes of a word from byte `pos` on, extended to 32 bits by memory type
  function automatic [31:0] extend(input [31:0] word, input [1:0] pos, input [3:0] mtype);
    logic [15:0] low;
    low = 16'(word >> {pos, 3'd0});
    case (mtype)
      tsv_pkg::MTYPE_U8: extend = {24'd0, low[7:0]};
      tsv_pkg::MTYPE_S8: extend = {{24{low[7]}}, low[7:0]};
      tsv_pkg::MTYPE_U16: extend = {16'd0, low};
      tsv_pkg::MTYPE_S16: extend = {{16{low[15]}}, low};
      default: extend = word;
    endcase
  endfunction
endpackage
