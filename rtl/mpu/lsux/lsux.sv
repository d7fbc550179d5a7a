// SPDX-License-Identifier: Apache-2.0
// lsux: the LSU-Extension of a near-bank unit.
//
//   cmd -> [ queue ] -> [ A: one beat an edge ] -> lsux_bank   -> req -> bank controller -> rsp -.
//   opd -> [ operands ] --'                    \-> lsux_shared -> sm -> shared memory ----------.|
//                                                                    w, done, up <- lsux_table <-'
//
// docs/blocks/lsux.md has the rules. A streaming load keeps one sector request a cycle going.
// Relies on: operands come in the order of the packets that need them. Promises: accesses reach
// each memory, and complete, in the order of the packets.
`default_nettype none
`include "check.svh"

module lsux #(
  parameter int LANES = 32,   /// lanes, a power of two, 4 to 32
  parameter int CMDS = 4,     /// packets of queue, 1 to 16
  parameter int ENTRIES = 8,  /// accesses under way, a power of two, 2 to 32
  parameter int SKEW = 0,     /// 1: windows of shared memory can have a skew, 0 to 1
  parameter int COLS = 32     /// columns of a row, a power of two, 2 to 32
) (
  input  wire logic                clk_i,  /// clock
  input  wire logic                rst_ni,  /// synchronous reset, low
  input  wire logic                cmd_valid_i,  /// a memory packet; taken when cmd_ready was high
  input  wire logic [63:0]         cmd_head_i,  /// its head, see docs/tsv.md
  input  wire logic [383:0]        cmd_body_i,  /// up to six flits that follow
  output logic                     cmd_ready_o,  /// can take a packet
  /// register operands of the oldest packet that waits for some; taken when opd_ready was high
  input  wire logic                opd_valid_i,
  input  wire logic [LANES*32-1:0] opd_a_i,  /// operand a: shared addresses
  input  wire logic [LANES*32-1:0] opd_b_i,  /// operand b: data
  input  wire logic [LANES*32-1:0] opd_c_i,  /// operand c: new value of cas
  output logic                     opd_ready_o,  /// can take operands
  /// a request to the bank controller; held until req_ready
  output logic                     req_valid_o,
  output logic [1:0]               req_bank_o,  /// bank
  output logic [13:0]              req_row_o,  /// row
  output logic [4:0]               req_col_o,  /// column
  output logic                     req_we_o,  /// write
  output logic [7:0]               req_id_o,  /// number of the read
  output logic [255:0]             req_wdata_o,  /// data of a write
  output logic [31:0]              req_wmask_o,  /// bytes that are written
  input  wire logic                req_ready_i,  /// taken at this edge
  input  wire logic                rsp_valid_i,  /// data of a read; always taken
  input  wire logic [7:0]          rsp_id_i,  /// its number
  input  wire logic [255:0]        rsp_data_i,  /// the data
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
  output logic                     w_valid_o,  /// write to the register file; held until w_done
  output logic [6:0]               w_reg_o,  /// register
  output logic [LANES-1:0]         w_mask_o,  /// lanes
  output logic [LANES*32-1:0]      w_data_o,  /// value
  input  wire logic                w_done_i,  /// it was written
  output logic                     done_valid_o,  /// a packet is complete; held until done_ready
  output logic [7:0]               done_tag_o,  /// its tag
  input  wire logic                done_ready_i,  /// taken at this edge
  output logic                     up_valid_o,  /// a packet for the base die; held until up_ready
  output logic [63:0]              up_head_o,  /// its head
  output logic [255:0]             up_body_o,  /// its data flits
  output logic [2:0]               up_len_o,  /// how many: 0 to 4
  input  wire logic                up_ready_i,  /// taken at this edge
  output logic                     busy_o  /// something is under way
);
  localparam int EW = $clog2(ENTRIES);
  localparam int LW = $clog2(LANES);
  localparam int CW = $clog2(COLS);

  `RANGE(LANES_is_not_a_power_of_two_from_4_to_32,
         LANES >= 4 && LANES <= 32 && (LANES & (LANES - 1)) == 0)
  `RANGE(CMDS_is_not_from_1_to_16, CMDS >= 1 && CMDS <= 16)
  `RANGE(ENTRIES_is_not_a_power_of_two_from_2_to_32,
         ENTRIES >= 2 && ENTRIES <= 32 && (ENTRIES & (ENTRIES - 1)) == 0)
  `RANGE(SKEW_is_not_0_or_1, SKEW == 0 || SKEW == 1)
  `RANGE(COLS_is_not_a_power_of_two_from_2_to_32,
         COLS >= 2 && COLS <= 32 && (COLS & (COLS - 1)) == 0)

  // ---- the queue
  logic q_valid, a_takes;
  logic [63:0] q_head;
  logic [383:0] q_body;
  fifo #(.WIDTH(448), .DEPTH(CMDS)) i_queue (
    .clk_i, .rst_ni, .valid_i(cmd_valid_i), .data_i({cmd_body_i, cmd_head_i}),
    .ready_o(cmd_ready_o), .valid_o(q_valid), .data_o({q_body, q_head}), .ready_i(a_takes)
  );

  // ---- operands
  logic opd_q, opd_used;
  logic [LANES*32-1:0] opd_a_q, opd_b_q, opd_c_q;
  assign opd_ready_o = !opd_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) opd_q <= 1'b0;
    else if (opd_valid_i && !opd_q) opd_q <= 1'b1;
    else if (opd_used) opd_q <= 1'b0;
  always_ff @(posedge clk_i)
    if (opd_valid_i && !opd_q) begin
      opd_a_q <= opd_a_i;
      opd_b_q <= opd_b_i;
      opd_c_q <= opd_c_i;
    end

  // ---- stage A
  logic a_valid_q, leaves, last;
  logic [63:0] h;  // its head
  logic [383:0] body_q;
  logic [1:0] beat_q;
  logic [LANES-1:0] mask_q, q_mask;
  logic [LW*LANES-1:0] rank_q;  // lanes of the mask below each lane
  logic [LW-1:0] lowest_q;
  logic [3:0] kind, mtype, mop;
  logic ret_field;
  logic [6:0] d;
  logic [20:0] sector;

  // fields of its head, by the kind of packet; those that a kind does not have are not looked at
  assign kind = h[tsv_pkg::DN_ANY_KIND_LSB +: 4];
  always_comb begin
    mtype = h[tsv_pkg::DN_SECT_MTYPE_LSB +: 4];
    mop = h[tsv_pkg::DN_SECT_MOP_LSB +: 4];
    ret_field = h[tsv_pkg::DN_SECT_RET_LSB];
    d = h[tsv_pkg::DN_SECT_D_LSB +: 7];
    sector = h[tsv_pkg::DN_SECT_SECTOR_LSB +: 21];
    case (kind)
      tsv_pkg::DN_SHM: begin
        mtype = h[tsv_pkg::DN_SHM_MTYPE_LSB +: 4];
        mop = h[tsv_pkg::DN_SHM_MOP_LSB +: 4];
        ret_field = h[tsv_pkg::DN_SHM_RET_LSB];
        d = h[tsv_pkg::DN_SHM_D_LSB +: 7];
      end
      tsv_pkg::DN_LINE: begin
        mtype = h[tsv_pkg::DN_LINE_MTYPE_LSB +: 4];
        d = h[tsv_pkg::DN_LINE_REG_LSB +: 7];
      end
      tsv_pkg::DN_RD: sector = h[tsv_pkg::DN_RD_SECTOR_LSB +: 21];
      tsv_pkg::DN_WR: sector = h[tsv_pkg::DN_WR_SECTOR_LSB +: 21];
      tsv_pkg::DN_ATM: begin
        mtype = h[tsv_pkg::DN_ATM_MTYPE_LSB +: 4];
        mop = h[tsv_pkg::DN_ATM_MOP_LSB +: 4];
        ret_field = h[tsv_pkg::DN_ATM_RET_LSB];
        sector = h[tsv_pkg::DN_ATM_SECTOR_LSB +: 21];
      end
      default: ;
    endcase
  end

  logic is_shm, is_line, is_sect, is_rd, is_wr, is_atm, is_win;
  assign is_shm = kind == tsv_pkg::DN_SHM;
  assign is_line = kind == tsv_pkg::DN_LINE;
  assign is_sect = kind == tsv_pkg::DN_SECT;
  assign is_rd = kind == tsv_pkg::DN_RD;
  assign is_wr = kind == tsv_pkg::DN_WR;
  assign is_atm = kind == tsv_pkg::DN_ATM;
  assign is_win = kind == tsv_pkg::DN_WIN;

  logic store, atomic, needs, to_s, room, b_free, s_idle;
  logic [1:0] beats;
  assign store = is_line && h[tsv_pkg::DN_LINE_STORE_LSB] ||
                 (is_shm || is_sect) && mop == tsv_pkg::MOP_ST;
  assign atomic = (is_shm || is_sect) && mop >= tsv_pkg::MOP_ATOM || is_atm;
  assign needs = store || atomic && !is_atm ||
                 is_shm && !h[tsv_pkg::DN_SHM_INLINE_LSB] && !h[tsv_pkg::DN_SHM_ZERO_LSB];
  assign to_s = is_shm;
  assign beats = !is_shm && !is_sect ? 2'd0 :
                 mtype == tsv_pkg::MTYPE_B64 ? 2'd1 : mtype == tsv_pkg::MTYPE_B128 ? 2'd3 : 2'd0;
  assign last = beat_q == beats;
  assign leaves = a_valid_q &&
                  (is_win || (!needs || opd_q) && room && (to_s ? s_idle : b_free));
  assign opd_used = leaves && needs && (store || last);
  assign a_takes = !a_valid_q || leaves && last;

  always_ff @(posedge clk_i)
    if (!rst_ni) a_valid_q <= 1'b0;
    else if (a_takes) a_valid_q <= q_valid;

  always_comb
    case (q_head[3:0])
      tsv_pkg::DN_SECT: q_mask = q_body[LANES-1:0];
      tsv_pkg::DN_SHM: q_mask = q_head[tsv_pkg::DN_SHM_HAS_MASK_LSB] ? q_body[LANES-1:0] : '1;
      tsv_pkg::DN_ATM: q_mask = LANES'(1);
      default: q_mask = '1;
    endcase

  always_ff @(posedge clk_i)
    if (a_takes) begin
      if (q_valid) begin
        h <= q_head;
        body_q <= q_body;
        mask_q <= q_mask;
        rank_q <= ranks(q_body[LANES-1:0]);
        lowest_q <= lowest(q_body[LANES-1:0]);
        beat_q <= '0;
      end
    end else if (leaves) beat_q <= beat_q + 2'd1;

  function automatic [LW*LANES-1:0] ranks(input [LANES-1:0] mask);
    logic [LW-1:0] n;
    n = '0;
    for (int l = 0; l < LANES; l++) begin
      ranks[LW*l +: LW] = n;
      n = n + {{(LW-1){1'b0}}, mask[l]};
    end
  endfunction

  function automatic [LW-1:0] lowest(input [LANES-1:0] mask);
    logic [LANES-1:0] low;
    low = mask & (~mask + 1'b1);
    lowest = '0;
    for (int l = 0; l < LANES; l++) if (low[l]) lowest = lowest | LW'(l);
  endfunction

  // ---- where the lanes are: sector and byte
  logic [7*LANES-1:0] pos;
  logic [2:0] shift;  // log2 of the bytes of an access
  logic [18:0] row_col;  // row, and below it column
  logic [3:0] sectors;
  logic [6:0] first_pos;
  logic [1:0] last_sector;  // of a LINE
  logic [1:0] how;

  assign row_col = is_line ? h[tsv_pkg::DN_LINE_ADDR_LSB + 7 +: 19] : sector[20:2];
  always_comb
    case (mtype)
      tsv_pkg::MTYPE_U8, tsv_pkg::MTYPE_S8: shift = 3'd0;
      tsv_pkg::MTYPE_U16, tsv_pkg::MTYPE_S16: shift = 3'd1;
      tsv_pkg::MTYPE_B64: shift = 3'd3;
      tsv_pkg::MTYPE_B128: shift = 3'd4;
      default: shift = 3'd2;
    endcase
  assign first_pos = h[tsv_pkg::DN_LINE_ADDR_LSB +: 7];
  assign last_sector = 2'((first_pos + (7'(LANES) << shift) - 7'd1) >> 5);

  function automatic [7*LANES-1:0] places(
    input line, input atm, input list, input [6:0] first, input [1:0] bank, input [2:0] word,
    input [4:0] offset, input [2:0] sh, input [1:0] beat, input [LW-1:0] low,
    input [LW*LANES-1:0] rank, input [191:0] offsets);
    logic [4:0] off;
    logic [255:0] table8;  // the list, 8 bits an offset
    table8 = '0;
    for (int i = 0; i < 32; i++) table8[8*i +: 5] = offsets[64 * (i / 12) + 5 * (i % 12) +: 5];
    for (int l = 0; l < LANES; l++) begin
      off = list ? table8[{5'(rank[LW*l +: LW]), 3'd0} +: 5] : offset + ((5'(l) - 5'(low)) << sh);
      places[7*l +: 7] = line ? first + (7'(l) << sh) :
                         atm ? {bank, word, 2'd0} : {bank, off + {1'b0, beat, 2'd0}};
    end
  endfunction

  always_comb begin
    pos = '0;
    if (leaves && !to_s)
      pos = places(is_line, is_atm, body_q[41], first_pos, sector[1:0],
                   h[tsv_pkg::DN_ATM_WORD_LSB +: 3], body_q[46:42], shift, beat_q, lowest_q, rank_q,
                   body_q[255:64]);
  end

  always_comb begin
    for (int s = 0; s < 4; s++)
      sectors[s] = is_line ? 2'(s) >= first_pos[6:5] && 2'(s) <= last_sector
                           : sector[1:0] == 2'(s);
    how = lsux_pkg::LOAD;
    if (atomic) how = lsux_pkg::ATOMIC;
    else if (is_wr || is_line && store && shift == 3'd2 && LANES == 32) how = lsux_pkg::WORDS;
    else if (store) how = lsux_pkg::MERGED;
  end

  // data of WR: its pieces in place
  logic [255:0] wr_data;
  logic [31:0] wr_mask;
  logic single, full;
  logic [3:0] chunks;
  logic [2:0] word;
  assign single = h[tsv_pkg::DN_WR_SINGLE_LSB];
  assign full = h[tsv_pkg::DN_WR_FULL_LSB];
  assign chunks = h[tsv_pkg::DN_WR_CHUNKS_LSB +: 4];
  assign word = h[tsv_pkg::DN_WR_WORD_LSB +: 3];

  function automatic [255:0] unpack(input [319:0] body, input [3:0] which, input skip);
    logic [2:0] at;
    at = {2'd0, skip};
    unpack = '0;
    for (int i = 0; i < 4; i++)
      if (which[i]) begin
        unpack[64*i +: 64] = body[{6'd0, at} * 9'd64 +: 64];
        at = at + 3'd1;
      end
  endfunction

  always_comb begin
    wr_data = '0;
    wr_mask = '1;  // LINE stores
    if (is_wr && leaves) begin
      wr_mask = '0;
      if (single) begin
        wr_data[{word, 5'd0} +: 32] = body_q[31:0];
        wr_mask[{word, 2'd0} +: 4] = h[tsv_pkg::DN_WR_BE_LSB +: 4];
      end else begin
        wr_data = unpack(body_q[319:0], chunks, !full);
        wr_mask = (full ? 32'hffffffff : body_q[31:0]) &
                  {{8{chunks[3]}}, {8{chunks[2]}}, {8{chunks[1]}}, {8{chunks[0]}}};
      end
    end
  end

  // ---- the entry
  logic [2:0] kind_entry, pend;
  logic ret;
  logic [6:0] dst;
  logic [EW-1:0] entry;
  assign ret = ret_field && atomic;
  assign dst = is_line ? d : d | {5'd0, beat_q};
  always_comb begin
    kind_entry = lsux_pkg::TO_REG;
    if (is_rd) kind_entry = h[tsv_pkg::DN_RD_SINGLE_LSB] ? lsux_pkg::TO_WORD : lsux_pkg::TO_DATA;
    else if (is_atm) kind_entry = ret ? lsux_pkg::TO_WORD : lsux_pkg::TO_NONE;
    else if (is_wr || store || atomic && !ret) kind_entry = lsux_pkg::TO_NONE;
    pend = 3'd1;
    if (is_line && !store)
      pend = {2'd0, sectors[0]} + {2'd0, sectors[1]} + {2'd0, sectors[2]} + {2'd0, sectors[3]};
  end

  // ---- windows of shared memory
  logic [191:0] base_q;  // 12 bits a window, in 16 bytes
  logic [271:0] size_q;  // 17 bits a window
  logic [3:0] win;
  assign win = h[tsv_pkg::DN_SHM_WIN_LSB +: 4];
  for (genvar w = 0; w < 16; w++) begin : g_window
    always_ff @(posedge clk_i)
      if (!rst_ni) size_q[17*w +: 17] <= '0;
      else if (a_valid_q && is_win && h[tsv_pkg::DN_WIN_WIN_LSB +: 4] == 4'(w)) begin
        base_q[12*w +: 12] <= h[tsv_pkg::DN_WIN_BASE_LSB + 4 +: 12];
        size_q[17*w +: 17] <= h[tsv_pkg::DN_WIN_SIZE_LSB +: 17];
      end
  end

  logic [1:0] skew;
  if (SKEW != 0) begin : g_skew
    logic [31:0] skew_q;  // 2 bits a window
    always_ff @(posedge clk_i)
      if (a_valid_q && is_win)
        skew_q[{h[tsv_pkg::DN_WIN_WIN_LSB +: 4], 1'b0} +: 2] <= h[tsv_pkg::DN_WIN_SKEW_LSB +: 2];
    assign skew = skew_q[{win, 1'b0} +: 2];
  end else begin : g_no_skew
    assign skew = '0;
  end

  // addresses of a shared access, without the offset: registers, inline, or zero
  function automatic [LANES*32-1:0] inline_addrs(input [351:0] addrs, input [LW*LANES-1:0] rank);
    logic [511:0] list;
    list = {160'd0, addrs};
    for (int l = 0; l < LANES; l++)
      inline_addrs[32*l +: 32] = {16'd0, list[{5'(rank[LW*l +: LW]), 4'd0} +: 16]};
  endfunction
  logic [LANES*32-1:0] s_addr;
  logic [31:0] offset;
  always_comb begin
    s_addr = '0;
    offset = '0;
    if (leaves && to_s) begin
      if (h[tsv_pkg::DN_SHM_INLINE_LSB]) s_addr = inline_addrs(body_q[383:32], rank_q);
      else if (!h[tsv_pkg::DN_SHM_ZERO_LSB]) s_addr = opd_a_q;
    end
    if (h[tsv_pkg::DN_SHM_HAS_IMM_LSB])
      offset = h[tsv_pkg::DN_SHM_HAS_MASK_LSB] ? body_q[63:32] : body_q[31:0];
  end

  // ---- the parts
  logic give_valid, old_valid, fill_valid, fill_fault, b_busy, t_busy, rsp_atomic;
  logic [EW-1:0] give_entry, fill_entry;
  logic [LW-1:0] old_lane;
  logic [31:0] old_data;
  logic [LANES*32-1:0] fill_data;
  logic [1023:0] b_data;  // operands of the beat; looked at only when it leaves
  logic [LANES*32-1:0] c_data;

  assign rsp_atomic = rsp_id_i[7];
  always_comb begin
    b_data = '0;
    c_data = '0;
    if (leaves) begin
      if (is_wr) b_data[255:0] = wr_data;
      else if (is_atm) begin
        b_data[31:0] = body_q[31:0];
        c_data[31:0] = body_q[63:32];
      end else if (needs) begin
        b_data = 1024'(opd_b_q);
        c_data = opd_c_q;
      end
    end
  end

  lsux_bank #(.LANES(LANES), .EW(EW)) i_bank (
    .clk_i, .rst_ni, .load_i(leaves && !to_s && !is_win), .entry_i(entry), .how_i(how), .ret_i(ret),
    .sectors_i(sectors), .row_i(14'(row_col >> CW)),
    .col_i(5'(row_col[CW-1:0])), .mask_i(mask_q),
    .pos_i(pos), .mop_i(mop), .mtype_i(mtype), .wmask_i(wr_mask), .b_i(b_data),
    .c_i(c_data), .free_o(b_free), .busy_o(b_busy),
    .req_valid_o, .req_bank_o, .req_row_o, .req_col_o, .req_we_o, .req_id_o, .req_wdata_o,
    .req_wmask_o, .req_ready_i, .rsp_valid_i(rsp_valid_i && rsp_atomic), .rsp_data_i,
    .give_valid_o(give_valid), .give_entry_o(give_entry), .old_valid_o(old_valid),
    .old_lane_o(old_lane), .old_data_o(old_data)
  );

  lsux_shared #(.LANES(LANES), .EW(EW), .SKEW(SKEW)) i_shared (
    .clk_i, .rst_ni, .load_i(leaves && to_s), .entry_i(entry), .mask_i(mask_q), .addr_i(s_addr),
    .offset_i(offset), .word_i(beat_q), .mop_i(mop), .mtype_i(mtype),
    .base_i(base_q[32'(win) * 12 +: 12]), .size_i(size_q[32'(win) * 17 +: 17]),
    .skew_i(skew), .b_i(opd_b_q), .c_i(opd_c_q), .idle_o(s_idle), .sm_valid_o, .sm_op_o,
    .sm_sgn_o, .sm_f32_o, .sm_mask_o, .sm_addr_o, .sm_be_o, .sm_b_o, .sm_c_o, .sm_ready_i,
    .sm_rvalid_i, .sm_rdata_i, .fill_valid_o(fill_valid), .fill_entry_o(fill_entry),
    .fill_fault_o(fill_fault), .fill_data_o(fill_data)
  );

  lsux_table #(.LANES(LANES), .N(ENTRIES)) i_table (
    .clk_i, .rst_ni, .alloc_i(leaves && !is_win), .alloc_type_i(kind_entry), .alloc_last_i(last),
    .alloc_tag_i(h[tsv_pkg::DN_ANY_TAG_LSB +: 8]), .alloc_reg_i(dst), .alloc_mask_i(mask_q),
    .alloc_pend_i(pend), .alloc_mtype_i(mtype), .alloc_chunks_i(chunks),
    .alloc_word_i(is_rd ? h[tsv_pkg::DN_RD_WORD_LSB +: 3] : 3'd0), .alloc_pos_i(pos),
    .alloc_entry_o(entry), .alloc_ready_o(room),
    .rsp_valid_i(rsp_valid_i && !rsp_atomic), .rsp_entry_i(rsp_id_i[2 +: EW]),
    .rsp_sector_i(rsp_id_i[1:0]), .rsp_data_i,
    .fill_valid_i(fill_valid), .fill_entry_i(fill_entry), .fill_fault_i(fill_fault),
    .fill_data_i(fill_data), .give_valid_i(give_valid),
    .give_entry_i(give_entry), .old_valid_i(old_valid), .old_entry_i(give_entry),
    .old_lane_i(old_lane), .old_data_i(old_data),
    .w_valid_o, .w_reg_o, .w_mask_o, .w_data_o, .w_done_i, .done_valid_o, .done_tag_o,
    .done_ready_i, .up_valid_o, .up_head_o, .up_body_o, .up_len_o, .up_ready_i, .busy_o(t_busy)
  );

  assign busy_o = q_valid || a_valid_q || b_busy || !s_idle || t_busy;

  always @(posedge clk_i) if (rst_ni) begin
    `ASM(answers_are_ours, !rsp_valid_i || {25'd0, rsp_id_i[6:0]} < 4 * ENTRIES)
    `ASM(rows_that_there_are, !leaves || is_shm || is_win || row_col >> CW < 19'd16384)
    `ASM(kinds, !cmd_valid_i || cmd_head_i[3:0] >= tsv_pkg::DN_SHM &&
                cmd_head_i[3:0] <= tsv_pkg::DN_ATM ||
                cmd_head_i[3:0] == tsv_pkg::DN_WIN)
  end
endmodule
