// SPDX-License-Identifier: Apache-2.0
// smem: shared memory of a core, 64 KB in 32 banks, for four near-bank units.
//
//   q0..q3 -> [ slots ] -> rr_arb -> [ request under way ] -> smem_pick -> [ banks ] -> [ rdata ]
//                                        '-- pending lanes <-- served --'      '-[ fpu ]
//
// docs/blocks/smem.md has the rules. One request at a time, in passes: a load or store of degree n
// takes n edges, integer atomics two a pass, binary32 additions eight a lane. Relies on: nothing.
// Promises: every request is answered once, every lane of it served once, lanes of a word in their
// order; a port waits for three requests of others at most.
`default_nettype none
`include "check.svh"

module smem #(
  parameter int LANES = 32,  /// lanes of a request, a power of two, 2 to 32
  parameter int BANKS = 32,  /// a power of two, 2 to 32
  parameter int ROWS = 512,  /// words of a bank, a power of two, 2 to 512
  /// bits of a lane's word address at the ports, at least those of BANKS * ROWS words, at most 14
  parameter int PORT_AW = $clog2(BANKS * ROWS)
) (
  input  wire logic                clk_i,  /// clock
  input  wire logic                rst_ni,  /// synchronous reset, low
  input  wire logic                q0_valid_i,  /// NBU 0 asks; taken when q0_ready was high
  /// SMEM_LD, SMEM_ST, or 4 + an atomic operation (isa_pkg ATOM_*), see the page
  input  wire logic [3:0]          q0_op_i,
  input  wire logic                q0_sgn_i,  /// min and max are signed
  input  wire logic                q0_f32_i,  /// add is binary32
  input  wire logic [LANES-1:0]    q0_mask_i,  /// lanes that take part
  input  wire logic [PORT_AW*LANES-1:0] q0_addr_i,  /// word address, 14 bits a lane
  /// bytes of the word that a store writes, 4 bits a lane
  input  wire logic [4*LANES-1:0]  q0_be_i,
  input  wire logic [32*LANES-1:0] q0_b_i,  /// store data or atomic operand
  input  wire logic [32*LANES-1:0] q0_c_i,  /// new value of cas
  output logic                     q0_ready_o,  /// can take a request
  output logic                     q0_rvalid_o,  /// the request of NBU 0 is done; one cycle
  /// what the words held before; lanes outside the mask are zero
  output logic [32*LANES-1:0]      q0_rdata_o,
  input  wire logic                q1_valid_i,  /// NBU 1 asks; taken when q1_ready was high
  /// SMEM_LD, SMEM_ST, or 4 + an atomic operation (isa_pkg ATOM_*), see the page
  input  wire logic [3:0]          q1_op_i,
  input  wire logic                q1_sgn_i,  /// min and max are signed
  input  wire logic                q1_f32_i,  /// add is binary32
  input  wire logic [LANES-1:0]    q1_mask_i,  /// lanes that take part
  input  wire logic [PORT_AW*LANES-1:0] q1_addr_i,  /// word address, 14 bits a lane
  /// bytes of the word that a store writes, 4 bits a lane
  input  wire logic [4*LANES-1:0]  q1_be_i,
  input  wire logic [32*LANES-1:0] q1_b_i,  /// store data or atomic operand
  input  wire logic [32*LANES-1:0] q1_c_i,  /// new value of cas
  output logic                     q1_ready_o,  /// can take a request
  output logic                     q1_rvalid_o,  /// the request of NBU 1 is done; one cycle
  /// what the words held before; lanes outside the mask are zero
  output logic [32*LANES-1:0]      q1_rdata_o,
  input  wire logic                q2_valid_i,  /// NBU 2 asks; taken when q2_ready was high
  /// SMEM_LD, SMEM_ST, or 4 + an atomic operation (isa_pkg ATOM_*), see the page
  input  wire logic [3:0]          q2_op_i,
  input  wire logic                q2_sgn_i,  /// min and max are signed
  input  wire logic                q2_f32_i,  /// add is binary32
  input  wire logic [LANES-1:0]    q2_mask_i,  /// lanes that take part
  input  wire logic [PORT_AW*LANES-1:0] q2_addr_i,  /// word address, 14 bits a lane
  /// bytes of the word that a store writes, 4 bits a lane
  input  wire logic [4*LANES-1:0]  q2_be_i,
  input  wire logic [32*LANES-1:0] q2_b_i,  /// store data or atomic operand
  input  wire logic [32*LANES-1:0] q2_c_i,  /// new value of cas
  output logic                     q2_ready_o,  /// can take a request
  output logic                     q2_rvalid_o,  /// the request of NBU 2 is done; one cycle
  /// what the words held before; lanes outside the mask are zero
  output logic [32*LANES-1:0]      q2_rdata_o,
  input  wire logic                q3_valid_i,  /// NBU 3 asks; taken when q3_ready was high
  /// SMEM_LD, SMEM_ST, or 4 + an atomic operation (isa_pkg ATOM_*), see the page
  input  wire logic [3:0]          q3_op_i,
  input  wire logic                q3_sgn_i,  /// min and max are signed
  input  wire logic                q3_f32_i,  /// add is binary32
  input  wire logic [LANES-1:0]    q3_mask_i,  /// lanes that take part
  input  wire logic [PORT_AW*LANES-1:0] q3_addr_i,  /// word address, 14 bits a lane
  /// bytes of the word that a store writes, 4 bits a lane
  input  wire logic [4*LANES-1:0]  q3_be_i,
  input  wire logic [32*LANES-1:0] q3_b_i,  /// store data or atomic operand
  input  wire logic [32*LANES-1:0] q3_c_i,  /// new value of cas
  output logic                     q3_ready_o,  /// can take a request
  output logic                     q3_rvalid_o,  /// the request of NBU 3 is done; one cycle
  /// what the words held before; lanes outside the mask are zero
  output logic [32*LANES-1:0]      q3_rdata_o
);
  localparam int BW = $clog2(BANKS);
  localparam int RW = $clog2(ROWS);
  localparam int AW = BW + RW;
  localparam int LW = $clog2(LANES);
  localparam logic [2:0] Idle = 3'd0, Pass = 3'd1, Modify = 3'd2, Operands = 3'd3, Enter = 3'd4,
    Sum = 3'd5;

  `RANGE(LANES_is_not_a_power_of_two_from_2_to_32,
         LANES >= 2 && LANES <= 32 && (LANES & (LANES - 1)) == 0)
  `RANGE(BANKS_is_not_a_power_of_two_from_2_to_32,
         BANKS >= 2 && BANKS <= 32 && (BANKS & (BANKS - 1)) == 0)
  `RANGE(ROWS_is_not_a_power_of_two_from_2_to_512,
         ROWS >= 2 && ROWS <= 512 && (ROWS & (ROWS - 1)) == 0)
  `RANGE(PORT_AW_does_not_hold_an_address, PORT_AW >= AW && PORT_AW <= 14)

  // ---- the ports, lowest first, as vectors; addresses without the bits that no word has
  logic [3:0] valid, ready, sgn_in, f32_in, bad;  // bad: has such a bit in a lane of its mask
  logic [4*4-1:0] op_in, ops;
  logic [4*LANES-1:0] mask_in;
  logic [4*PORT_AW*LANES-1:0] port_addr;
  logic [4*AW*LANES-1:0] addr_in;
  logic [4*4*LANES-1:0] be_in;
  logic [4*32*LANES-1:0] b_in, c_in;
  assign valid = {q3_valid_i, q2_valid_i, q1_valid_i, q0_valid_i};
  assign {q3_ready_o, q2_ready_o, q1_ready_o, q0_ready_o} = ready;
  assign op_in = {q3_op_i, q2_op_i, q1_op_i, q0_op_i};
  assign sgn_in = {q3_sgn_i, q2_sgn_i, q1_sgn_i, q0_sgn_i};
  assign f32_in = {q3_f32_i, q2_f32_i, q1_f32_i, q0_f32_i};
  assign mask_in = {q3_mask_i, q2_mask_i, q1_mask_i, q0_mask_i};
  assign port_addr = {q3_addr_i, q2_addr_i, q1_addr_i, q0_addr_i};
  assign be_in = {q3_be_i, q2_be_i, q1_be_i, q0_be_i};
  assign b_in = {q3_b_i, q2_b_i, q1_b_i, q0_b_i};
  assign c_in = {q3_c_i, q2_c_i, q1_c_i, q0_c_i};
  for (genvar l = 0; l < 4 * LANES; l++) begin : g_addr
    assign addr_in[AW*l +: AW] = port_addr[PORT_AW*l +: AW];
  end
  always_comb begin
    bad = '0;
    for (int l = 0; l < 4 * LANES; l++)
      if (mask_in[l] && port_addr[PORT_AW*l +: PORT_AW] >> AW != '0) bad[l / LANES] = 1'b1;
  end

  // ---- slots, and whose turn it is
  logic start;
  logic [3:0] full, gnt, sgn, f32;
  logic [4*LANES-1:0] masks;
  logic [4*AW*LANES-1:0] addrs;
  logic [4*4*LANES-1:0] bes;
  logic [4*32*LANES-1:0] bs, cs;
  for (genvar p = 0; p < 4; p++) begin : g_port
    smem_slot #(.LANES(LANES), .AW(AW)) i_slot (
      .clk_i, .rst_ni, .valid_i(valid[p]), .op_i(op_in[4*p +: 4]), .sgn_i(sgn_in[p]),
      .f32_i(f32_in[p]), .mask_i(mask_in[LANES*p +: LANES]),
      .addr_i(addr_in[AW*LANES*p +: AW*LANES]), .be_i(be_in[4*LANES*p +: 4*LANES]),
      .b_i(b_in[32*LANES*p +: 32*LANES]), .c_i(c_in[32*LANES*p +: 32*LANES]),
      .ready_o(ready[p]), .start_i(start && gnt[p]), .full_o(full[p]), .op_o(ops[4*p +: 4]),
      .sgn_o(sgn[p]), .f32_o(f32[p]), .mask_o(masks[LANES*p +: LANES]),
      .addr_o(addrs[AW*LANES*p +: AW*LANES]), .be_o(bes[4*LANES*p +: 4*LANES]),
      .b_o(bs[32*LANES*p +: 32*LANES]), .c_o(cs[32*LANES*p +: 32*LANES])
    );
  end
  rr_arb #(.N(4)) i_arb (.clk_i, .rst_ni, .req_i(full), .next_i(start), .gnt_o(gnt));

  // ---- the request under way
  logic [2:0] state_q;
  logic [3:0] port_q, atom_q, alu_q, fin_q, rvalid_q;
  logic store_q, atomic_q, fadd_q, sgn_q, first_q;
  logic [LANES-1:0] pend_q, one_q, mask;  // lanes to be served, the lowest of them
  logic [AW*LANES-1:0] addr_q, addr;
  logic [4*LANES-1:0] be_q;
  logic [32*LANES-1:0] b_q, c_q;
  logic [LANES-1:0] cand, lead, words, served, rest;
  logic go, reads, step, ends, sum;

  logic [3:0] op;  // this and mask, addr: of the port whose turn it is
  always_comb begin
    {op, mask, addr} = '0;
    for (int p = 3; p >= 0; p--) if (p == 3 || gnt[p])
      {op, mask, addr} = {ops[4*p +: 4], masks[LANES*p +: LANES], addrs[AW*LANES*p +: AW*LANES]};
  end

  assign go = state_q != Idle;
  assign reads = state_q == Pass && !store_q;
  assign step = state_q == Pass && (!atomic_q || pend_q == '0) || state_q == Modify || sum;
  assign served = atomic_q || store_q ? lead : words;
  assign rest = pend_q & ~served;
  assign ends = step && rest == '0;
  assign start = (state_q == Idle || ends) && full != '0;

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q <= Idle;
      fin_q <= '0;
      rvalid_q <= '0;
    end else begin
      if (start) state_q <= Pass;
      else if (ends) state_q <= Idle;
      else
        case (state_q)
          Pass: if (atomic_q) state_q <= fadd_q ? Operands : Modify;
          Modify: state_q <= Pass;
          Operands: state_q <= Enter;
          Enter: state_q <= Sum;
          Sum: if (sum) state_q <= Pass;
          default: ;
        endcase
      fin_q <= ends ? port_q : '0;
      rvalid_q <= fin_q;
    end
  assign {q3_rvalid_o, q2_rvalid_o, q1_rvalid_o, q0_rvalid_o} = rvalid_q;

  // the lowest of some lanes
  function automatic logic [LANES-1:0] lowest(input logic [LANES-1:0] lanes);
    logic [LANES-1:0] from;  // that lane and all above it
    from = lanes;
    for (int s = 1; s < LANES; s = 2 * s) from = from | (from << s);
    lowest = from & ~(from << 1);
  endfunction

  always_ff @(posedge clk_i)
    if (start) begin
      port_q <= gnt;
      store_q <= op == tsv_pkg::MOP_ST;
      atomic_q <= op >= tsv_pkg::MOP_ATOM;
      atom_q <= op - tsv_pkg::MOP_ATOM;
      pend_q <= mask;
      one_q <= lowest(mask);
      first_q <= 1'b1;
      addr_q <= addr;
      for (int p = 3; p >= 0; p--)
        if (p == 3 || gnt[p]) begin
          fadd_q <= op == tsv_pkg::MOP_ATOM + isa_pkg::ATOM_ADD[3:0] && f32[p];
          sgn_q <= sgn[p];
          if (op == tsv_pkg::MOP_ST) be_q <= bes[4*LANES*p +: 4*LANES];
          if (op >= tsv_pkg::MOP_ST) b_q <= bs[32*LANES*p +: 32*LANES];
          if (op == tsv_pkg::MOP_ATOM + isa_pkg::ATOM_CAS[3:0]) c_q <= cs[32*LANES*p +: 32*LANES];
        end
    end else if (state_q == Pass || step) begin
      first_q <= 1'b0;
      if (step) begin
        pend_q <= rest;
        one_q <= lowest(pend_q & ~one_q);
      end
    end

  // what the ALUs compute: something only in the cycle that ends with MODIFY
  always_ff @(posedge clk_i)
    if (go) alu_q <= reads && atomic_q ? atom_q : isa_pkg::ATOM_EXCH[3:0];

  // ---- the lanes of a pass, and the banks they go to
  logic [BANKS-1:0] hit;
  logic [BANKS*LW-1:0] lane;
  logic [32*BANKS-1:0] data;
  logic [31:0] sum_d;
  assign cand = fadd_q ? one_q : pend_q;
  smem_pick #(.LANES(LANES), .BANKS(BANKS), .AW(AW)) i_pick (
    .clk_i, .start_i(start), .addr_i(addr), .go_i(go), .cand_i(cand),
    .lead_o(lead), .words_o(words), .hit_o(hit), .lane_o(lane)
  );

`ifdef FORMAL
  logic [32*ROWS*BANKS-1:0] f_words;  // what the banks hold
  logic [32*BANKS-1:0] f_bs;          // operands that they keep
`endif
  for (genvar b = 0; b < BANKS; b++) begin : g_bank
    logic [LW-1:0] l;
    assign l = lane[LW*b +: LW];
    smem_bank #(.ROWS(ROWS)) i_bank (
      .clk_i, .rst_ni, .read_i(hit[b] && reads), .keep_i(hit[b] && reads && atomic_q),
      .store_i(hit[b] && state_q == Pass && store_q), .modify_i(hit[b] && state_q == Modify),
      .sum_i(hit[b] && sum), .row_i(go ? addr_q[AW*l + BW +: RW] : '0),
      .be_i(go ? be_q[4*l +: 4] : '0),
      .x_i(go ? state_q == Modify ? c_q[32*l +: 32] : b_q[32*l +: 32] : '0),
      .sum_d_i(sum_d), .atom_i(alu_q), .sgn_i(sgn_q), .data_o(data[32*b +: 32])
`ifdef FORMAL
      , .f_words_o(f_words[32*ROWS*b +: 32*ROWS]), .f_b_o(f_bs[32*b +: 32])
`endif
    );
  end

  // ---- binary32 addition: the one lane's word and operand
  logic [LW-1:0] one;
  logic [BW-1:0] one_bank;
  logic [31:0] fa_q, fb_q;
  always_comb begin
    one = '0;
    for (int l = 0; l < LANES; l++) if (one_q[l]) one = one | LW'(l);
  end
  assign one_bank = addr_q[AW*one +: BW];
  always_ff @(posedge clk_i)
    if (state_q == Operands) begin
      fa_q <= data[{one_bank, 5'd0} +: 32];
      fb_q <= b_q[{one, 5'd0} +: 32];
    end
`ifdef FORMAL
  // a unit that answers when it likes
  (* anyseq *) logic f_sum;
  (* anyseq *) logic [31:0] f_sum_d;
  assign sum = state_q == Sum && f_sum;
  assign sum_d = f_sum_d;
`else
  logic fpu_valid;
  fpu i_fpu (
    .clk_i, .rst_ni, .valid_i(state_q == Enter), .op_i(fpu_pkg::ADD), .fn_i(isa_pkg::RND_RN),
    .ftz_i(1'b0), .sat_i(1'b0), .a_i(fa_q), .b_i(fb_q), .c_i(32'd0),
    .valid_o(fpu_valid), .d_o(sum_d)
  );
  assign sum = state_q == Sum && fpu_valid;
`endif

  // ---- answers: one register for all ports
  logic data_q, clear_q;
  logic [LANES-1:0] served_q;
  logic [BW*LANES-1:0] from_q;  // bank of each lane
  logic [32*LANES-1:0] rdata_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) data_q <= 1'b0;
    else data_q <= reads;
  always_ff @(posedge clk_i)
    if (reads) begin
      served_q <= served;
      clear_q <= first_q;
      for (int l = 0; l < LANES; l++) from_q[BW*l +: BW] <= addr_q[AW*l +: BW];
    end
  always_ff @(posedge clk_i)
    if (data_q && rst_ni)
      for (int l = 0; l < LANES; l++)
        if (served_q[l]) rdata_q[32*l +: 32] <= data[{from_q[BW*l +: BW], 5'd0} +: 32];
        else if (clear_q) rdata_q[32*l +: 32] <= '0;
  assign q0_rdata_o = rdata_q, q1_rdata_o = rdata_q;
  assign q2_rdata_o = rdata_q, q3_rdata_o = rdata_q;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(addresses_of_words, (valid & bad) == '0)
    `CHK(one_request_goes, (port_q & (port_q - 1'b1)) == '0 || !go)
    `CHK(waits_with_a_lane, state_q == Idle || state_q == Pass || pend_q != '0)
    `CHK(serves_pending_lanes, !step || (served & ~pend_q) == '0)
    `CHK(a_pass_serves, !step || served != '0 || pend_q == '0)
    `COV(load_in_two_passes, ends && !store_q && !atomic_q && !first_q)
    `COV(sum_is_written, sum && ends)
    `COV(all_slots_full, full == '1 && start)
  end

`ifdef FORMAL
  `include "smem_proof.svh"
`endif
`ifdef FORMAL_DATA
  `include "smem_data.svh"
`endif
endmodule
