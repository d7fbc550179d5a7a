// SPDX-License-Identifier: Apache-2.0
// die_slice: what one core has on its DRAM die: four near-bank units and their shared memory behind
// one TSV port, each with a clock gate.
//
//   dn bus -> by dn_sel -> [ nbu 0..3 ] -> up_take -> [ register ] -> up bus
//                             |    ^
//                           [ smem ]          pins m0..m3
//
// docs/blocks/die_slice.md has the rules. A unit's clock runs while it is busy or something arrives
// for it (nbu has its own gate); the inputs are looked at before the edge, so nothing that arrives
// is lost.
`default_nettype none
`include "check.svh"

module die_slice #(
  parameter int QUEUE = 16,       /// requests of a bank controller, a power of two, 1 to 16
  parameter int ENTRIES = 8,      /// accesses under way in lsux, a power of two, 2 to 32
  parameter int HELD = 16,        /// packets of a unit that wait or are under way, 2 to 32
  parameter int FORMS = 0,        /// packets that a unit keeps, 0 or a power of two, 2 to 64
  parameter int PATTERNS = 0,     /// 1: register moves know values with a pattern, 0 to 1
  parameter int SKEW = 0,         /// 1: windows of shared memory can have a skew, 0 to 1
  parameter int COLLECTORS = 4,   /// operand collectors of a unit, 1 to 16
  parameter int RF_ROWS = 32,     /// registers of a bank of the register file, 2 to 32
  parameter int FLITS = 2,        /// flits a cycle on the TSVs, 1 to 2
  parameter int RX_DEPTH = 16,    /// flits of a unit's receive queue, a power of two, 4 to 64
  parameter int UP_CREDITS = 32,  /// flits of a unit that the base die has room for, 2 to 64
  parameter int ROWS = 16384,     /// rows of a bank of the arrays, a power of two, 64 to 16384
  parameter int SUBARRAYS = 32,   /// subarrays of a bank, a power of two, 2 to 32
  parameter int COLS = 32,        /// columns of a row of the arrays, a power of two, 8 to 32
  parameter int SMEM_ROWS = 512   /// words of a bank of shared memory, a power of two, 2 to 512
) (
  input  wire logic         clk_i,  /// clock
  input  wire logic         rst_ni,  /// synchronous reset, low
  input  wire logic [FLITS-1:0] dn_valid_i,  /// a flit in place 0, 1 of the bus
  input  wire logic [2*FLITS-1:0] dn_sel_i,  /// NBU it is for, two bits a place
  input  wire logic [64*FLITS-1:0] dn_data_i,  /// the flits
  output logic [7:0]        dn_credit_o,  /// room for as many more flits, two bits an NBU
  output logic [7:0]        up_count_o,  /// flits on offer, two bits an NBU
  /// flits that go on the bus at this edge, two bits an NBU, two in all
  input  wire logic [7:0]   up_take_i,
  /// a flit in place 0, 1 of the bus: what was taken at the last edge, NBU 0 first
  output logic [FLITS-1:0]  up_valid_o,
  output logic [2*FLITS-1:0] up_sel_o,  /// NBU it comes from, two bits a place
  output logic [64*FLITS-1:0] up_data_o,  /// the flits
  /// room for as many more flits at the base die, two bits an NBU
  input  wire logic [7:0]   up_credit_i,
  input  wire logic [2:0]   cfg_rows_i,  /// strap: row buffers a bank may have open: 1, 2 or 4
  input  wire logic         cfg_closed_i,  /// strap: closed page policy
  /// strap: the arrays may be in any state when the reset ends
  input  wire logic         cfg_warm_i,
  /// straps: times of the arrays, 12 bits each: csim/dram/bankctl_times.def
  input  wire logic [203:0] cfg_times_i,
  input  wire logic         test_en_i,  /// test: gated clocks run always
  input  wire logic [15:0]  ref_tick_i,  /// a bank's refresh has become due, four bits an NBU
  output logic [2:0]        m0_cmd_o,  /// DRAM pins of NBU 0: command
  output logic [1:0]        m0_bank_o,  /// bank
  output logic [13:0]       m0_row_o,  /// row
  output logic [4:0]        m0_col_o,  /// column
  output logic [255:0]      m0_wdata_o,  /// write data
  output logic [31:0]       m0_wmask_o,  /// bytes of it
  input  wire logic [255:0] m0_rdata_i,  /// read data
  output logic [2:0]        m1_cmd_o,  /// DRAM pins of NBU 1: command
  output logic [1:0]        m1_bank_o,  /// bank
  output logic [13:0]       m1_row_o,  /// row
  output logic [4:0]        m1_col_o,  /// column
  output logic [255:0]      m1_wdata_o,  /// write data
  output logic [31:0]       m1_wmask_o,  /// bytes of it
  input  wire logic [255:0] m1_rdata_i,  /// read data
  output logic [2:0]        m2_cmd_o,  /// DRAM pins of NBU 2: command
  output logic [1:0]        m2_bank_o,  /// bank
  output logic [13:0]       m2_row_o,  /// row
  output logic [4:0]        m2_col_o,  /// column
  output logic [255:0]      m2_wdata_o,  /// write data
  output logic [31:0]       m2_wmask_o,  /// bytes of it
  input  wire logic [255:0] m2_rdata_i,  /// read data
  output logic [2:0]        m3_cmd_o,  /// DRAM pins of NBU 3: command
  output logic [1:0]        m3_bank_o,  /// bank
  output logic [13:0]       m3_row_o,  /// row
  output logic [4:0]        m3_col_o,  /// column
  output logic [255:0]      m3_wdata_o,  /// write data
  output logic [31:0]       m3_wmask_o,  /// bytes of it
  input  wire logic [255:0] m3_rdata_i,  /// read data
  /// record: packets that were completed at the last edge: by valu, lsux, regmove; three bits
  /// an NBU
  output logic [11:0]       ret_valid_o,
  output logic [95:0]       ret_tag_o,  /// record: their tags, 24 bits an NBU
  output logic [3:0]        begin_valid_o,  /// record: a packet of NBU i began at the last edge
  output logic [31:0]       begin_tag_o,  /// record: its tag, eight bits an NBU
  output logic [4:0]        busy_o  /// clocks that run: NBU 0 to 3, shared memory
);
  localparam int N = 4;         // units
  localparam int ADDR = 14;     // bits of a word address of shared memory
  localparam int UP = 64 * FLITS;

  // ---- the bus with two places, as the units count them
  logic [1:0] dn_valid;
  logic [3:0] dn_sel;
  logic [127:0] dn_data;
  assign dn_valid = 2'(dn_valid_i);
  assign dn_sel = 4'(dn_sel_i);
  assign dn_data = 128'(dn_data_i);

  // ---- the units
  logic [N-1:0] nbu_busy;
  logic [128*N-1:0] up_flits;
  logic [N-1:0] q_valid, q_sgn, q_f32, q_ready, q_rvalid;
  logic [4*N-1:0] q_op;
  logic [32*N-1:0] q_mask;
  logic [448*N-1:0] q_addr;
  logic [128*N-1:0] q_be;
  logic [1024*N-1:0] q_b, q_c, q_rdata;
  logic [3*N-1:0] cmd;
  logic [2*N-1:0] bank;
  logic [14*N-1:0] row;
  logic [5*N-1:0] col;
  logic [256*N-1:0] wdata, rdata;
  logic [32*N-1:0] wmask;

  for (genvar n = 0; n < N; n++) begin : g_nbu
    logic [1:0] mine;  // places of the bus with a flit for this unit
    assign mine = dn_valid & {dn_sel[3:2] == 2'(n), dn_sel[1:0] == 2'(n)};
    logic [UP-1:0] offer;
    assign up_flits[128*n +: 128] = 128'(offer);
    nbu #(
      .QUEUE(QUEUE), .ENTRIES(ENTRIES), .HELD(HELD), .FORMS(FORMS), .PATTERNS(PATTERNS),
      .SKEW(SKEW), .COLLECTORS(COLLECTORS), .RF_ROWS(RF_ROWS), .FLITS(FLITS),
      .RX_DEPTH(RX_DEPTH), .UP_CREDITS(UP_CREDITS), .ROWS(ROWS), .SUBARRAYS(SUBARRAYS), .COLS(COLS)
    ) i_nbu (
      .clk_i, .rst_ni, .dn_count_i({1'b0, mine[0]} + {1'b0, mine[1]}),
      .dn_data_i(UP'(mine[0] ? dn_data : {64'd0, dn_data[127:64]})),
      .dn_credit_o(dn_credit_o[2*n +: 2]), .up_count_o(up_count_o[2*n +: 2]),
      .up_data_o(offer), .up_take_i(up_take_i[2*n +: 2]),
      .up_credit_i(up_credit_i[2*n +: 2]), .cfg_rows_i, .cfg_closed_i,
      .cfg_warm_i, .cfg_times_i, .test_en_i,
      .ref_tick_i(ref_tick_i[4*n +: 4]), .cmd_o(cmd[3*n +: 3]), .cmd_bank_o(bank[2*n +: 2]),
      .cmd_row_o(row[14*n +: 14]), .cmd_col_o(col[5*n +: 5]), .wdata_o(wdata[256*n +: 256]),
      .wmask_o(wmask[32*n +: 32]), .rdata_i(rdata[256*n +: 256]), .sm_valid_o(q_valid[n]),
      .sm_op_o(q_op[4*n +: 4]), .sm_sgn_o(q_sgn[n]), .sm_f32_o(q_f32[n]),
      .sm_mask_o(q_mask[32*n +: 32]), .sm_addr_o(q_addr[448*n +: 448]),
      .sm_be_o(q_be[128*n +: 128]), .sm_b_o(q_b[1024*n +: 1024]), .sm_c_o(q_c[1024*n +: 1024]),
      .sm_ready_i(q_ready[n]), .sm_rvalid_i(q_rvalid[n]), .sm_rdata_i(q_rdata[1024*n +: 1024]),
      .ret_valid_o(ret_valid_o[3*n +: 3]), .ret_tag_o(ret_tag_o[24*n +: 24]),
      .begin_valid_o(begin_valid_o[n]), .begin_tag_o(begin_tag_o[8*n +: 8]), .busy_o(nbu_busy[n])
    );
  end
  assign {m3_cmd_o, m2_cmd_o, m1_cmd_o, m0_cmd_o} = cmd;
  assign {m3_bank_o, m2_bank_o, m1_bank_o, m0_bank_o} = bank;
  assign {m3_row_o, m2_row_o, m1_row_o, m0_row_o} = row;
  assign {m3_col_o, m2_col_o, m1_col_o, m0_col_o} = col;
  assign {m3_wdata_o, m2_wdata_o, m1_wdata_o, m0_wdata_o} = wdata;
  assign {m3_wmask_o, m2_wmask_o, m1_wmask_o, m0_wmask_o} = wmask;
  assign rdata = {m3_rdata_i, m2_rdata_i, m1_rdata_i, m0_rdata_i};

  // ---- shared memory: its clock runs while a request is offered or under way, and one edge longer
  logic [3:0] open_q;  // requests that were taken and not answered: three a unit at most
  logic [N-1:0] taken;
  logic smem_en, smem_clk;
  assign taken = q_valid & q_ready;
  always_ff @(posedge clk_i)
    if (!rst_ni) open_q <= '0;
    else open_q <= open_q + 4'(taken[0]) + 4'(taken[1]) + 4'(taken[2]) + 4'(taken[3]) -
                   4'(q_rvalid != '0);
  assign smem_en = q_valid != '0 || open_q != '0 || q_rvalid != '0;
  clkgate i_smem_gate (
    .clk_i, .en_i(smem_en || !rst_ni), .test_en_i, .clk_o(smem_clk)
  );
  smem #(.ROWS(SMEM_ROWS), .PORT_AW(ADDR)) i_smem (
    .clk_i(smem_clk), .rst_ni,
    .q0_valid_i(q_valid[0]), .q0_op_i(q_op[3:0]), .q0_sgn_i(q_sgn[0]),
    .q0_f32_i(q_f32[0]), .q0_mask_i(q_mask[31:0]),
    .q0_addr_i(q_addr[447:0]), .q0_be_i(q_be[127:0]),
    .q0_b_i(q_b[1023:0]), .q0_c_i(q_c[1023:0]),
    .q0_ready_o(q_ready[0]), .q0_rvalid_o(q_rvalid[0]),
    .q0_rdata_o(q_rdata[1023:0]),
    .q1_valid_i(q_valid[1]), .q1_op_i(q_op[7:4]), .q1_sgn_i(q_sgn[1]),
    .q1_f32_i(q_f32[1]), .q1_mask_i(q_mask[63:32]),
    .q1_addr_i(q_addr[895:448]), .q1_be_i(q_be[255:128]),
    .q1_b_i(q_b[2047:1024]), .q1_c_i(q_c[2047:1024]),
    .q1_ready_o(q_ready[1]), .q1_rvalid_o(q_rvalid[1]),
    .q1_rdata_o(q_rdata[2047:1024]),
    .q2_valid_i(q_valid[2]), .q2_op_i(q_op[11:8]), .q2_sgn_i(q_sgn[2]),
    .q2_f32_i(q_f32[2]), .q2_mask_i(q_mask[95:64]),
    .q2_addr_i(q_addr[1343:896]), .q2_be_i(q_be[383:256]),
    .q2_b_i(q_b[3071:2048]), .q2_c_i(q_c[3071:2048]),
    .q2_ready_o(q_ready[2]), .q2_rvalid_o(q_rvalid[2]),
    .q2_rdata_o(q_rdata[3071:2048]),
    .q3_valid_i(q_valid[3]), .q3_op_i(q_op[15:12]), .q3_sgn_i(q_sgn[3]),
    .q3_f32_i(q_f32[3]), .q3_mask_i(q_mask[127:96]),
    .q3_addr_i(q_addr[1791:1344]), .q3_be_i(q_be[511:384]),
    .q3_b_i(q_b[4095:3072]), .q3_c_i(q_c[4095:3072]),
    .q3_ready_o(q_ready[3]), .q3_rvalid_o(q_rvalid[3]),
    .q3_rdata_o(q_rdata[4095:3072])
  );
  assign busy_o = {smem_en, nbu_busy};

  // ---- the bus up: what is taken at an edge is on it in the next cycle, NBU 0 first
  logic [1:0] place0, place1;  // NBU whose flit goes to place 0 and 1
  logic second;                // place 1 is that unit's second flit
  logic [2:0] total;
  always_comb begin
    total = '0;
    place0 = '0;
    place1 = '0;
    second = 1'b0;
    for (int n = 0; n < N; n++) begin
      if (up_take_i[2*n +: 2] != 2'd0) begin
        if (total == '0) begin
          place0 = 2'(n);
          place1 = 2'(n);
          second = up_take_i[2*n + 1];
        end else place1 = 2'(n);
      end
      total = total + {1'b0, up_take_i[2*n +: 2]};
    end
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) up_valid_o <= '0;
    else up_valid_o <= FLITS'({total == 3'd2, total != '0});
  always_ff @(posedge clk_i)
    if (total != '0) begin
      up_sel_o <= (2*FLITS)'({place1, place0});
      up_data_o <= UP'({up_flits[{place1, second, 6'd0} +: 64], up_flits[{place0, 7'd0} +: 64]});
    end

  always @(posedge clk_i) if (rst_ni) begin
    `ASM(as_many_flits_as_the_bus_has, total <= 3'(FLITS))
  end
endmodule
