// SPDX-License-Identifier: Apache-2.0
// lsux_pkg: what the parts of lsux share.
`default_nettype none

package lsux_pkg;
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
