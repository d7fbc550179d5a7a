// SPDX-License-Identifier: Apache-2.0
// lsux_bank: makes the bank requests of one beat at a time, a sector an edge, and runs atomic
// operations.
//
//   loads, WR, LINE stores of words:  Issue
//   other stores:                     Merge x4, Issue     (for each sector)
//   atomics:                          Read, Answer, (Pick, Apply, [Float x5]) for each lane, Write
//
// Merge puts eight lanes a cycle into the sector, in lane order, so that the highest lane wins.
`default_nettype none
`include "check.svh"

module lsux_bank #(
  parameter int LANES = 32,  /// lanes
  parameter int EW = 3  /// bits of an entry's number
) (
  input  wire logic                clk_i,  /// clock
  input  wire logic                rst_ni,  /// synchronous reset, low
  input  wire logic                load_i,  /// a beat enters; only when free_o
  input  wire logic [EW-1:0]       entry_i,  /// number of its entry
  input  wire logic [1:0]          how_i,  /// lsux_pkg LOAD and so on
  input  wire logic                ret_i,  /// an atomic keeps the old values
  input  wire logic [3:0]          sectors_i,  /// sectors of the line that it touches, at least one
  input  wire logic [13:0]         row_i,  /// row
  input  wire logic [4:0]          col_i,  /// column
  input  wire logic [LANES-1:0]    mask_i,  /// lanes that take part
  input  wire logic [7*LANES-1:0]  pos_i,  /// sector and byte of each lane
  input  wire logic [3:0]          mop_i,  /// tsv_pkg MOP_*
  input  wire logic [3:0]          mtype_i,  /// tsv_pkg MTYPE_*
  input  wire logic [31:0]         wmask_i,  /// WORDS: bytes to write
  input  wire logic [1023:0]       b_i,  /// data; WORDS: sector i in bits 256i+255:256i
  input  wire logic [LANES*32-1:0] c_i,  /// new value of cas
  output logic                     free_o,  /// a beat may enter at this edge
  output logic                     busy_o,  /// a beat or a request is under way
  /// a request to the bank controller; held until req_ready
  output logic                     req_valid_o,
  output logic [1:0]               req_bank_o,  /// bank
  output logic [13:0]              req_row_o,  /// row
  output logic [4:0]               req_col_o,  /// column
  output logic                     req_we_o,  /// write
  output logic [7:0]               req_id_o,  /// number of the read; its top bit: of an atomic
  output logic [255:0]             req_wdata_o,  /// data of a write
  output logic [31:0]              req_wmask_o,  /// bytes that are written
  input  wire logic                req_ready_i,  /// taken at this edge
  input  wire logic                rsp_valid_i,  /// the sector of an atomic
  input  wire logic [255:0]        rsp_data_i,  /// its data
  /// a beat that is not a load has issued its last request
  output logic                     give_valid_o,
  output logic [EW-1:0]            give_entry_o,  /// its entry
  /// an atomic has done a lane whose old value is kept
  output logic                     old_valid_o,
  output logic [$clog2(LANES)-1:0] old_lane_o,  /// the lane
  output logic [31:0]              old_data_o  /// what its word held
);
  localparam int LW = $clog2(LANES);
  localparam int GROUP = LANES / 4;  // lanes that are merged at an edge
  localparam logic [3:0] Idle = 4'd0, Issue = 4'd1, Merge = 4'd2, Read = 4'd3, Answer = 4'd4,
    Pick = 4'd5, Apply = 4'd6, Float = 4'd7, Write = 4'd8;

  logic [3:0] state_q, start;
  logic [EW-1:0] entry_q;
  logic [1:0] how_q;
  logic ret_q, spread_q;  // spread: WORDS has data of all four sectors, not of one
  logic [3:0] todo_q, todo_next;  // sectors
  logic [13:0] row_q;
  logic [4:0] col_q;
  logic [LANES-1:0] lanes_q;
  logic [7*LANES-1:0] pos_q;
  logic [3:0] op_q, mtype_q;  // op: of an atomic
  logic [31:0] wmask_q;
  logic [1023:0] b_q;
  logic [LANES*32-1:0] c_q;
  logic [1:0] group_q, bank;
  logic [255:0] sector_q;  // being merged or operated on
  logic [31:0] bytes_q;    // of it that are written

  // ---- flow
  logic req_free, issue, final_issue;
  logic f32_add, fpu_valid;
  logic [31:0] fpu_d, new_word;
  logic lane_done, last_lane;

  assign req_free = !req_valid_o || req_ready_i;
  assign todo_next = todo_q & (todo_q - 4'd1);
  assign bank = {todo_q[1:0] == 2'd0, todo_q[0] ? 1'b0 : todo_q[1] || !todo_q[2]};
  assign issue = req_free && (state_q == Issue || state_q == Read || state_q == Write);
  assign final_issue = issue && (state_q == Issue && todo_next == '0 || state_q == Write);
  assign free_o = state_q == Idle || final_issue;
  assign busy_o = state_q != Idle || req_valid_o;
  assign give_valid_o = final_issue && how_q != lsux_pkg::LOAD;
  assign give_entry_o = entry_q;
  assign start = how_i == lsux_pkg::MERGED ? Merge : how_i == lsux_pkg::ATOMIC ? Read : Issue;

  always_ff @(posedge clk_i)
    if (!rst_ni) state_q <= Idle;
    else if (load_i) state_q <= start;
    else
      case (state_q)
        Issue: if (issue) state_q <= todo_next == '0 ? Idle :
                                     how_q == lsux_pkg::MERGED ? Merge : Issue;
        Merge: if (group_q == 2'd3) state_q <= Issue;
        Read: if (issue) state_q <= Answer;
        Answer: if (rsp_valid_i) state_q <= last_lane ? Write : Pick;
        Pick: state_q <= Apply;
        Apply: state_q <= f32_add ? Float : last_lane ? Write : Pick;
        Float: if (fpu_valid) state_q <= last_lane ? Write : Pick;
        Write: if (issue) state_q <= Idle;
        default: ;
      endcase

  always_ff @(posedge clk_i)
    if (load_i) begin
      entry_q <= entry_i;
      how_q <= how_i;
      ret_q <= ret_i;
      todo_q <= sectors_i;
      row_q <= row_i;
      col_q <= col_i;
      op_q <= mop_i - tsv_pkg::MOP_ATOM;
      mtype_q <= mtype_i;
      wmask_q <= wmask_i;
      spread_q <= sectors_i == 4'd15;
      group_q <= '0;
      if (how_i != lsux_pkg::LOAD && how_i != lsux_pkg::WORDS) pos_q <= pos_i;
      if (how_i != lsux_pkg::LOAD) b_q <= b_i;
      if (how_i == lsux_pkg::ATOMIC) c_q <= c_i;
    end else begin
      if (issue && state_q == Issue) todo_q <= todo_next;
      if (state_q == Merge) begin  // the next lanes come to the front
        group_q <= group_q + 2'd1;
        pos_q <= {pos_q[7*GROUP-1:0], pos_q[7*LANES-1:7*GROUP]};
        b_q[32*LANES-1:0] <= {b_q[32*GROUP-1:0], b_q[32*LANES-1:32*GROUP]};
      end
    end

  // ---- the request register
  always_ff @(posedge clk_i)
    if (!rst_ni) req_valid_o <= 1'b0;
    else if (issue) req_valid_o <= 1'b1;
    else if (req_ready_i) req_valid_o <= 1'b0;

  always_ff @(posedge clk_i)
    if (issue) begin
      req_bank_o <= bank;
      req_row_o <= row_q;
      req_col_o <= col_q;
      req_we_o <= state_q == Write || state_q == Issue && how_q != lsux_pkg::LOAD;
      req_id_o <= state_q == Read ? 8'h80 : {{(6-EW){1'b0}}, entry_q, bank};
      if (state_q == Issue && how_q == lsux_pkg::WORDS) begin
        req_wdata_o <= b_q[{bank & {2{spread_q}}, 8'd0} +: 256];
        req_wmask_o <= wmask_q;
      end else if (state_q == Write || state_q == Issue && how_q == lsux_pkg::MERGED) begin
        req_wdata_o <= sector_q;
        req_wmask_o <= bytes_q;
      end
    end

  // ---- merging, and the operations of atomics
  logic [LANES-1:0] low;
  logic [LW-1:0] lane, lane_q;
  logic [31:0] b1_q, c1_q, old_q;
  logic [2:0] word, word_q;
  logic [1:0] size;  // log2 of the bytes that a lane stores

  assign low = lanes_q & (~lanes_q + 1'b1);
  assign last_lane = lanes_q == '0;
  always_comb begin
    lane = '0;
    for (int l = 0; l < LANES; l++) if (low[l]) lane = lane | LW'(l);
  end
  always_comb begin
    word = '0;
    for (int l = 0; l < LANES; l++) if (low[l]) word = word | pos_q[7*l + 2 +: 3];
  end
  always_comb
    case (mtype_q)
      tsv_pkg::MTYPE_U8, tsv_pkg::MTYPE_S8: size = 2'd0;
      tsv_pkg::MTYPE_U16, tsv_pkg::MTYPE_S16: size = 2'd1;
      default: size = 2'd2;
    endcase

  assign f32_add = mtype_q == tsv_pkg::MTYPE_F32 &&
                   op_q == isa_pkg::ATOM_ADD[3:0];
  assign lane_done = state_q == Apply && !f32_add || state_q == Float && fpu_valid;
  assign old_valid_o = lane_done && ret_q;
  assign old_lane_o = lane_q;
  assign old_data_o = old_q;

  atom_alu i_alu (
    .op_i(op_q), .sgn_i(mtype_q == tsv_pkg::MTYPE_S32), .old_i(old_q),
    .b_i(b1_q), .c_i(c1_q), .new_o(new_word)
  );
  fpu i_fpu (
    .clk_i, .rst_ni, .valid_i(state_q == Apply && f32_add), .op_i(fpu_pkg::ADD),
    .fn_i(isa_pkg::RND_RN), .ftz_i(1'b0), .sat_i(1'b0), .a_i(old_q), .b_i(b1_q), .c_i(32'd0),
    .valid_o(fpu_valid), .d_o(fpu_d)
  );

  always_ff @(posedge clk_i)
    if (load_i) lanes_q <= mask_i;
    else if (state_q == Pick) lanes_q <= lanes_q & ~low;
    else if (state_q == Merge) lanes_q <= {lanes_q[GROUP-1:0], lanes_q[LANES-1:GROUP]};

  always_ff @(posedge clk_i)
    if (state_q == Pick) begin
      lane_q <= lane;
      b1_q <= b_q[{5'(lane), 5'd0} +: 32];
      c1_q <= c_q[{lane, 5'd0} +: 32];
      word_q <= word;
      old_q <= sector_q[{word, 5'd0} +: 32];
    end

  always_ff @(posedge clk_i)
    if (load_i || state_q == Issue && issue) begin
      if (load_i ? how_i == lsux_pkg::MERGED || how_i == lsux_pkg::ATOMIC :
                   how_q == lsux_pkg::MERGED) begin
        sector_q <= '0;
        bytes_q <= '0;
      end
    end else if (state_q == Answer) begin
      if (rsp_valid_i) sector_q <= rsp_data_i;
    end else if (lane_done) begin
      for (int i = 0; i < 8; i++)
        if (word_q == 3'(i)) begin
          sector_q[32*i +: 32] <= f32_add ? fpu_d : new_word;
          bytes_q[4*i +: 4] <= 4'd15;
        end
    end else if (state_q == Merge)
      for (int i = 0; i < GROUP; i++)
        for (int j = 0; j < 32; j++)
          if (lanes_q[i] && pos_q[7*i + 5 +: 2] == bank && pos_q[7*i + 2 +: 3] == 3'(j / 4) &&
              (size == 2'd2 || pos_q[7*i + 1] == 1'(j / 2)) &&
              (size != 2'd0 || pos_q[7*i] == 1'(j))) begin
            bytes_q[j] <= 1'b1;
            sector_q[8*j +: 8] <= size == 2'd0 ? b_q[32*i +: 8] :
                                  size == 2'd1 ? b_q[32*i + 8 * (j % 2) +: 8]
                                               : b_q[32*i + 8 * (j % 4) +: 8];
          end

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(loads_when_free, !load_i || free_o)
    `ASM(some_sector, !load_i || sectors_i != '0)
    `ASM(answer_is_awaited, !rsp_valid_i || state_q == Answer)
  end
endmodule
