// SPDX-License-Identifier: Apache-2.0
// rtt: the register track table of a subcore: which registers of its warps are valid far and near.
//
//   clear -> update 0 -> update 1 -> look-up of four registers; at one edge, each sees the former
//
// docs/blocks/rtt.md has the rules. One clear, two updates and four look-ups of a warp a cycle; a
// look-up answers in the next cycle. Promises: a register that was written since the last clear of
// its warp is valid somewhere.
`default_nettype none
`include "check.svh"

module rtt #(
  parameter int WARPS = 16,  /// warps, a power of two, 2 to 256
  parameter int REGS = 256   /// registers of a warp, a power of two, 2 to 256; the last one is rz
) (
  input  wire logic                     clk_i,  /// clock
  input  wire logic                     rst_ni,  /// synchronous reset, low
  input  wire logic                     lk_valid_i,  /// look up four registers of a warp
  input  wire logic [$clog2(WARPS)-1:0] lk_warp_i,  /// warp slot
  input  wire logic [$clog2(REGS)-1:0]  lk_reg0_i,  /// register; 255 (rz) is valid on both sides
  input  wire logic [$clog2(REGS)-1:0]  lk_reg1_i,  /// register
  input  wire logic [$clog2(REGS)-1:0]  lk_reg2_i,  /// register
  input  wire logic [$clog2(REGS)-1:0]  lk_reg3_i,  /// register
  output logic                          lk_valid_o,  /// answer to the look-up of the last edge
  output logic [3:0]                    lk_far_o,  /// bit i: register i has a valid far copy
  output logic [3:0]                    lk_near_o,  /// bit i: register i has a valid near copy
  input  wire logic                     up0_valid_i,  /// update a register
  input  wire logic [$clog2(WARPS)-1:0] up0_warp_i,  /// warp slot
  input  wire logic [$clog2(REGS)-1:0]  up0_reg_i,  /// register; 255 is ignored
  /// 0 written far, 1 written near, 2 copied far, 3 copied near
  input  wire logic [1:0]               up0_op_i,
  input  wire logic                     up1_valid_i,  /// update another register, as if after up0
  input  wire logic [$clog2(WARPS)-1:0] up1_warp_i,  /// warp slot
  input  wire logic [$clog2(REGS)-1:0]  up1_reg_i,  /// register
  input  wire logic [1:0]               up1_op_i,  /// as up0_op
  /// forget all registers of a warp, as if before the updates
  input  wire logic                     clr_valid_i,
  input  wire logic [$clog2(WARPS)-1:0] clr_warp_i  /// warp slot
);
  localparam int RW = $clog2(REGS);

  `RANGE(WARPS_is_not_a_power_of_two_from_2_to_256,
         WARPS >= 2 && WARPS <= 256 && (WARPS & (WARPS - 1)) == 0)
  `RANGE(REGS_is_not_a_power_of_two_from_2_to_256,
         REGS >= 2 && REGS <= 256 && (REGS & (REGS - 1)) == 0)
  localparam logic [RW-1:0] RZ = {RW{1'b1}};  // Yosys 0.23 takes '1 as 1 here

  logic [REGS-1:0] far_q[0:WARPS-1], near_q[0:WARPS-1];

  // which bits an update sets and clears: bit 0 far, bit 1 near
  logic [1:0] set0, clr0, set1, clr1;
  logic on0, on1;
  assign on0 = up0_valid_i && up0_reg_i != RZ;
  assign on1 = up1_valid_i && up1_reg_i != RZ;
  assign set0 = {up0_op_i[0], !up0_op_i[0]};
  assign clr0 = up0_op_i[1] ? 2'd0 : ~set0;
  assign set1 = {up1_op_i[0], !up1_op_i[0]};
  assign clr1 = up1_op_i[1] ? 2'd0 : ~set1;

  always_ff @(posedge clk_i)
    if (!rst_ni)
      for (int w = 0; w < WARPS; w++) begin
        far_q[w] <= '0;
        near_q[w] <= '0;
      end
    else begin
      if (clr_valid_i) begin
        far_q[clr_warp_i] <= '0;
        near_q[clr_warp_i] <= '0;
      end
      if (on0) begin
        if (set0[0]) far_q[up0_warp_i][up0_reg_i] <= 1'b1;
        if (clr0[0]) far_q[up0_warp_i][up0_reg_i] <= 1'b0;
        if (set0[1]) near_q[up0_warp_i][up0_reg_i] <= 1'b1;
        if (clr0[1]) near_q[up0_warp_i][up0_reg_i] <= 1'b0;
      end
      if (on1) begin
        if (set1[0]) far_q[up1_warp_i][up1_reg_i] <= 1'b1;
        if (clr1[0]) far_q[up1_warp_i][up1_reg_i] <= 1'b0;
        if (set1[1]) near_q[up1_warp_i][up1_reg_i] <= 1'b1;
        if (clr1[1]) near_q[up1_warp_i][up1_reg_i] <= 1'b0;
      end
    end

  // ---- look-up: the bits as they are, then what this edge does to them
  logic [4*RW-1:0] regs;
  logic [3:0] far, near, same0, same1;
  logic cleared;
  assign regs = {lk_reg3_i, lk_reg2_i, lk_reg1_i, lk_reg0_i};
  assign cleared = clr_valid_i && clr_warp_i == lk_warp_i;
  for (genvar i = 0; i < 4; i++) begin : g_look
    logic [RW-1:0] r;
    logic [1:0] bits0, bits1, bits2;  // far in bit 0: after the clear, update 0, update 1
    assign r = regs[RW*i +: RW];
    assign same0[i] = on0 && up0_warp_i == lk_warp_i && up0_reg_i == r;
    assign same1[i] = on1 && up1_warp_i == lk_warp_i && up1_reg_i == r;
    assign bits0 = cleared ? 2'd0 : {near_q[lk_warp_i][r], far_q[lk_warp_i][r]};
    assign bits1 = same0[i] ? (bits0 | set0) & ~clr0 : bits0;
    assign bits2 = same1[i] ? (bits1 | set1) & ~clr1 : bits1;
    assign far[i] = bits2[0] || r == RZ;
    assign near[i] = bits2[1] || r == RZ;
  end

  always_ff @(posedge clk_i) lk_valid_o <= lk_valid_i && rst_ni;
  always_ff @(posedge clk_i)
    if (lk_valid_i && rst_ni) begin
      lk_far_o <= far;
      lk_near_o <= near;
    end

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(rz_is_never_stored, !(on0 && up0_reg_i == RZ) && !(on1 && up1_reg_i == RZ))
  end

`ifdef FORMAL
  // Any one register, told again rule by rule; and what a look-up of it says.
  (* anyconst *) logic [$clog2(WARPS)-1:0] f_warp;
  (* anyconst *) logic [RW-1:0] f_reg;
  (* anyconst *) logic [1:0] f_place;
  logic f_live, f_looked, f_rz, f_up0, f_up1;
  logic [1:0] f_valid, f_clr, f_after0, f_after1;  // near, far

  function automatic logic [1:0] updated(input logic [1:0] valid, input logic [1:0] op);
    case (op)
      2'd0: updated = 2'b01;
      2'd1: updated = 2'b10;
      2'd2: updated = {valid[1], 1'b1};
      default: updated = {1'b1, valid[0]};
    endcase
  endfunction

  assign f_up0 = up0_valid_i && up0_warp_i == f_warp && up0_reg_i == f_reg;
  assign f_up1 = up1_valid_i && up1_warp_i == f_warp && up1_reg_i == f_reg;
  assign f_clr = clr_valid_i && clr_warp_i == f_warp ? 2'b00 : f_valid;
  assign f_after0 = f_up0 ? updated(f_clr, up0_op_i) : f_clr;
  assign f_after1 = f_up1 ? updated(f_after0, up1_op_i) : f_after0;
  always @(posedge clk_i) begin
    assume (f_reg != RZ);
    f_looked <= rst_ni && lk_valid_i && lk_warp_i == f_warp && regs[RW*f_place +: RW] == f_reg;
    f_rz <= rst_ni && lk_valid_i && regs[RW*f_place +: RW] == RZ;
    f_valid <= rst_ni ? f_after1 : 2'b00;
    if (!rst_ni) f_live <= 1'b0;
    else begin
      if (f_up0 && !up0_op_i[1] || f_up1 && !up1_op_i[1]) f_live <= 1'b1;
      else if (clr_valid_i && clr_warp_i == f_warp) f_live <= 1'b0;
      `CHK(bits_are_as_told, {near_q[f_warp][f_reg], far_q[f_warp][f_reg]} == f_valid)
      if (f_live) `CHK(a_live_register_is_valid_somewhere, f_valid != '0)
      if (f_looked) `CHK(look_up_sees_the_state,
                         {lk_near_o[f_place], lk_far_o[f_place]} == f_valid && lk_valid_o)
      if (f_rz) `CHK(rz_is_valid_on_both_sides, lk_near_o[f_place] && lk_far_o[f_place])
      `COV(both_sides, f_live && f_valid == 2'b11 && f_looked)
    end
  end
`endif
endmodule
