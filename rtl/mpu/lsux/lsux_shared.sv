// SPDX-License-Identifier: Apache-2.0
// lsux_shared: requests of shared memory: one is prepared while up to four others are answered.
//
//   load -> [ Addr -> Check ] -> sm_*, and [ list of those that were made ] -> answer -> fill
//                       '--> [ Fault ] ------------------------------------------------> fill
`default_nettype none
`include "check.svh"

module lsux_shared #(
  parameter int LANES = 32,  /// lanes
  parameter int EW = 3,  /// bits of an entry's number
  parameter int SKEW = 0  /// 1: the window's rows are turned, 0 to 1
) (
  input  wire logic                clk_i,  /// clock
  input  wire logic                rst_ni,  /// synchronous reset, low
  input  wire logic                load_i,  /// a beat enters; only when idle
  input  wire logic [EW-1:0]       entry_i,  /// number of its entry
  input  wire logic [LANES-1:0]    mask_i,  /// lanes that take part
  input  wire logic [LANES*32-1:0] addr_i,  /// without offset
  input  wire logic [31:0]         offset_i,  /// what is added to each address
  input  wire logic [1:0]          word_i,  /// beat
  input  wire logic [3:0]          mop_i,  /// tsv_pkg MOP_*
  input  wire logic [3:0]          mtype_i,  /// tsv_pkg MTYPE_*
  input  wire logic [11:0]         base_i,  /// of the window, in 16 bytes
  input  wire logic [16:0]         size_i,  /// of the window
  input  wire logic [1:0]          skew_i,  /// of the window: banks from row to row
  input  wire logic [LANES*32-1:0] b_i,  /// data
  input  wire logic [LANES*32-1:0] c_i,  /// new value of cas
  output logic                     idle_o,  /// a beat may enter
  output logic                     sm_valid_o,  /// a request to shared memory; held until sm_ready
  output logic [3:0]               sm_op_o,  /// as q0_op of smem
  output logic                     sm_sgn_o,  /// min and max are signed
  output logic                     sm_f32_o,  /// add is binary32
  output logic [LANES-1:0]         sm_mask_o,  /// lanes
  output logic [14*LANES-1:0]      sm_addr_o,  /// word address, 14 bits a lane
  output logic [4*LANES-1:0]       sm_be_o,  /// bytes of the word, 4 bits a lane
  output logic [LANES*32-1:0]      sm_b_o,  /// data
  output logic [LANES*32-1:0]      sm_c_o,  /// new value of cas
  input  wire logic                sm_ready_i,  /// taken at this edge
  input  wire logic                sm_rvalid_i,  /// the request is done
  input  wire logic [LANES*32-1:0] sm_rdata_i,  /// what the words held
  output logic                     fill_valid_o,  /// the access is done
  output logic [EW-1:0]            fill_entry_o,  /// its entry
  output logic                     fill_fault_o,  /// it is a fault, described by words 0 and 1
  output logic [LANES*32-1:0]      fill_data_o  /// the data, extended to 32 bits
);
  localparam int LW = $clog2(LANES);
  localparam logic [1:0] Idle = 2'd0, Addr = 2'd1, Check = 2'd2, Fault = 2'd3;

  logic [1:0] state_q;
  logic [EW-1:0] entry_q;
  logic [LANES-1:0] mask_q, fault_q, faults, odd;
  logic [LANES*32-1:0] addr_q, b_q, c_q;
  logic [31:0] offset_q;
  logic [1:0] word_q;
  logic [3:0] mop_q, mtype_q, low;
  logic [11:0] base_q;
  logic [16:0] size_q;
  logic [17:0] limit_q;  // highest address that fits, negative when none
  logic [4:0] bytes;

  // bytes of an access and the address bits that must be zero
  always_comb begin
    bytes = 5'd4;
    case (mtype_q)
      tsv_pkg::MTYPE_U8, tsv_pkg::MTYPE_S8: bytes = 5'd1;
      tsv_pkg::MTYPE_U16, tsv_pkg::MTYPE_S16: bytes = 5'd2;
      tsv_pkg::MTYPE_B64: bytes = 5'd8;
      tsv_pkg::MTYPE_B128: bytes = 5'd16;
      default: ;
    endcase
  end
  assign low = 4'(bytes - 5'd1);

  always_comb begin
    odd = '0;
    faults = '0;
    if (state_q == Check || state_q == Fault)
      for (int l = 0; l < LANES; l++) begin
        odd[l] = (addr_q[32*l +: 4] & low) != '0;
        faults[l] = mask_q[l] &&
          (odd[l] || limit_q[17] || addr_q[32*l + 17 +: 15] != '0 ||
           addr_q[32*l +: 17] > limit_q[16:0]);
      end
  end

  // ---- skew: the rows of 32 words are turned, each further than the one before
  logic [1:0] skew_q, skew;
  assign skew = SKEW != 0 ? skew_q : '0;

  function automatic logic [13:0] place(input [13:0] word, input [1:0] banks);
    logic [4:0] once, twice;  // by as many banks
    once = banks[0] ? word[9:5] : '0;
    twice = banks[1] ? {word[8:5], 1'b0} : '0;
    place = {word[13:5], word[4:0] + once + twice};
  endfunction

  // ---- the beat
  logic ask, room;
  assign ask = state_q == Check && faults == '0 && (!sm_valid_o || sm_ready_i) && room;

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q <= Idle;
      sm_valid_o <= 1'b0;
    end else begin
      case (state_q)
        Idle: if (load_i) state_q <= Addr;
        Addr: state_q <= Check;
        Check: if (faults != '0) state_q <= Fault;
               else if (ask) state_q <= Idle;
        default: if (!sm_rvalid_i) state_q <= Idle;
      endcase
      if (ask) sm_valid_o <= 1'b1;
      else if (sm_ready_i) sm_valid_o <= 1'b0;
    end

  always_ff @(posedge clk_i)
    case (state_q)
      Idle: if (load_i) begin
        entry_q <= entry_i;
        mask_q <= mask_i;
        addr_q <= addr_i;
        offset_q <= offset_i;
        word_q <= word_i;
        mop_q <= mop_i;
        mtype_q <= mtype_i;
        base_q <= base_i;
        size_q <= size_i;
        skew_q <= skew_i;
        if (mop_i != tsv_pkg::MOP_LD) begin
          b_q <= b_i;
          c_q <= c_i;
        end
      end
      Addr: begin
        for (int l = 0; l < LANES; l++) addr_q[32*l +: 32] <= addr_q[32*l +: 32] + offset_q;
        limit_q <= {1'b0, size_q} - {13'd0, bytes};
      end
      Check: begin
        fault_q <= faults;
        if (ask) begin
          sm_op_o <= mop_q;
          sm_sgn_o <= mtype_q == tsv_pkg::MTYPE_S32;
          sm_f32_o <= mtype_q == tsv_pkg::MTYPE_F32;
          sm_mask_o <= mask_q;
          for (int l = 0; l < LANES; l++)
            if (mask_q[l])
              sm_addr_o[14*l +: 14] <=
                place({base_q, 2'd0} + (addr_q[32*l + 2 +: 14] | {12'd0, word_q}), skew);
          if (mop_q == tsv_pkg::MOP_ST)
            for (int l = 0; l < LANES; l++) begin
              if (mask_q[l])
                sm_be_o[4*l +: 4] <= bytes == 5'd1 ? 4'd1 << addr_q[32*l +: 2] :
                                     bytes == 5'd2 ? 4'd3 << addr_q[32*l +: 2] : 4'd15;
              sm_b_o[32*l +: 32] <= bytes == 5'd1 ? {4{b_q[32*l +: 8]}} :
                                    bytes == 5'd2 ? {2{b_q[32*l +: 16]}} : b_q[32*l +: 32];
            end
          else if (mop_q != tsv_pkg::MOP_LD) begin
            sm_b_o <= b_q;
            if (mop_q == tsv_pkg::MOP_ATOM + isa_pkg::ATOM_CAS[3:0]) sm_c_o <= c_q;
          end
        end
      end
      default: ;
    endcase

  // ---- requests that were made, oldest at first_q: entry, memory type, low bits of the addresses
  logic [EW-1:0] l_entry_q[0:3];
  logic [3:0] l_mtype_q[0:3];
  logic [LANES*2-1:0] l_low_q[0:3];
  logic [1:0] first_q, free_q;
  logic [2:0] count_q;
  logic [3:0] mtype;
  logic [LANES*2-1:0] pos;
  assign room = count_q != 3'd4;
  assign mtype = l_mtype_q[first_q];
  assign pos = l_low_q[first_q];

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      first_q <= '0;
      free_q <= '0;
      count_q <= '0;
    end else begin
      if (ask) free_q <= free_q + 1'b1;
      if (sm_rvalid_i) first_q <= first_q + 1'b1;
      count_q <= count_q + 3'(ask) - 3'(sm_rvalid_i);
    end
  always_ff @(posedge clk_i)
    if (ask) begin
      l_entry_q[free_q] <= entry_q;
      l_mtype_q[free_q] <= mtype_q;
      for (int l = 0; l < LANES; l++) l_low_q[free_q][2*l +: 2] <= addr_q[32*l +: 2];
    end

  // ---- the answer: lanes with their bytes, or the fault in words 0 and 1
  logic [LANES-1:0] first;
  logic [LW-1:0] lane;
  assign first = fault_q & (~fault_q + 1'b1);
  always_comb begin
    lane = '0;
    for (int l = 0; l < LANES; l++) if (first[l]) lane = lane | LW'(l);
  end

  assign fill_valid_o = sm_rvalid_i || state_q == Fault;
  assign fill_fault_o = !sm_rvalid_i && state_q == Fault;
  assign fill_entry_o = sm_rvalid_i ? l_entry_q[first_q] : entry_q;
  // (not one block: Icarus would run in a circle, the function wakes it)
  logic [63:0] fault;
  assign fault = fill_fault_o ? {26'd0, odd[lane], 5'(lane), addr_q[{lane, 5'd0} +: 32]} : '0;
  for (genvar l = 0; l < LANES; l++) begin : g_fill
    logic [31:0] said;
    if (l < 2) assign said = fault[32*l +: 32];
    else assign said = '0;
    assign fill_data_o[32*l +: 32] = fill_fault_o ? said :
      fill_valid_o ? lsux_pkg::extend(sm_rdata_i[32*l +: 32], pos[2*l +: 2], mtype) : '0;
  end
  assign idle_o = state_q == Idle;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(loads_when_idle, !load_i || idle_o)
    `ASM(answers_what_was_asked, !sm_rvalid_i || count_q > 3'(sm_valid_o))
    `COV(four_are_under_way, count_q == 3'd4 && state_q == Check && faults == '0)
    `COV(one_behind_the_other, ask && sm_valid_o)
    `COV(fault_waits_for_an_answer, state_q == Fault && sm_rvalid_i)
  end
endmodule
