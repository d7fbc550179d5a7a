// SPDX-License-Identifier: Apache-2.0
// smem, what the words hold: a proof of its own, part of smem.sv, to which what smem.sv and
// smem_pick.sv assert is given. Any one word has the value that stores and atomics of the lanes
// left in it, in the order in which the lanes are served. Any lane of any port gets that value, as
// it was when the lane was served. Integer atomics are computed beside it by another atom_alu; the
// sum of binary32 is whatever the unit answers to the word and the operand.

  (* anyconst *) logic [AW-1:0] f_word;
  localparam logic [3:0] FSt = tsv_pkg::MOP_ST, FAtom = tsv_pkg::MOP_ATOM,
      FCas = tsv_pkg::MOP_ATOM + isa_pkg::ATOM_CAS[3:0],
      FAdd = tsv_pkg::MOP_ATOM + isa_pkg::ATOM_ADD[3:0];

  // ---- the word, as the lanes that are served leave it
  logic [31:0] f_value, f_held, f_fresh, f_stored, f_read, f_operand, f_c;
  logic [BW-1:0] f_bank;
  logic [LW-1:0] f_by;  // the lane
  logic f_serves;
  assign f_bank = f_word[BW-1:0];
  assign f_held = f_words[32 * (ROWS * 32'(f_bank) + 32'(f_word[AW-1:BW])) +: 32];
  assign f_read = data[{f_bank, 5'd0} +: 32];
  assign f_operand = b_q[32*f_by +: 32];
  assign f_c = c_q[32*f_by +: 32];
  always_comb begin
    f_by = '0;
    f_serves = 1'b0;
    for (int l = 0; l < LANES; l++)
      if (go && served[l] && addr_q[AW*l +: AW] == f_word) begin
        f_by = LW'(l);
        f_serves = 1'b1;
      end
    f_stored = f_value;
    for (int k = 0; k < 4; k++)
      if (be_q[4*f_by + k]) f_stored[8*k +: 8] = f_operand[8*k +: 8];
  end
  atom_alu f_alu (
    .op_i(atom_q), .sgn_i(sgn_q), .old_i(f_value), .b_i(f_operand), .c_i(f_c), .new_o(f_fresh)
  );
  always @(posedge clk_i)
    if (!rst_ni) f_value <= f_held;
    else begin
      if (f_serves && step && (store_q || atomic_q))
        f_value <= store_q ? f_stored : sum ? sum_d : f_fresh;
      `CHK(holds_what_was_left, f_held == f_value)
      `CHK(states_of_a_kind, state_q <= Sum && !(store_q && atomic_q && go) &&
           (state_q != Modify || atomic_q && !fadd_q) &&
           (state_q <= Modify || atomic_q && fadd_q) &&
           (state_q != Sum && state_q != Enter && state_q != Operands || one_q != '0))
      if (f_serves && state_q == Modify)
        `CHK(modifies_the_word, f_read == f_value && f_bs[32*f_bank +: 32] == f_operand &&
                                alu_q == atom_q)
      if (f_serves && state_q == Operands) `CHK(adds_the_word, f_read == f_value)
      if (f_serves && (state_q == Enter || state_q == Sum))
        `CHK(adds_the_operand, fa_q == f_value && fb_q == f_operand)
    end

  // ---- what any port asks for any lane is what is under way for it
  localparam int FAsk = 7 + AW + 4 + 64;
  logic [FAsk-1:0] f_ask, f_slot, f_asked, f_goes;
  logic [3:0] f_op, f_op_goes, f_be, f_be_goes;
  logic f_sgn, f_f32, f_mask, f_sgn_goes, f_f32_goes, f_mask_goes;
  logic [AW-1:0] f_addr, f_addr_goes;
  logic [31:0] f_b, f_b_goes, f_x, f_x_goes;
  int f_at;  // the lane among those of all ports
  assign f_at = LANES * 32'(f_port) + 32'(f_lane);
  assign f_ask = {op_in[4*f_port +: 4], sgn_in[f_port], f32_in[f_port], mask_in[f_at],
                  addr_in[AW*f_at +: AW], be_in[4*f_at +: 4], b_in[32*f_at +: 32],
                  c_in[32*f_at +: 32]};
  assign f_slot = {ops[4*f_port +: 4], sgn[f_port], f32[f_port], masks[f_at],
                   addrs[AW*f_at +: AW], bes[4*f_at +: 4], bs[32*f_at +: 32], cs[32*f_at +: 32]};
  assign {f_op, f_sgn, f_f32, f_mask, f_addr, f_be, f_b, f_x} = f_asked;
  assign {f_op_goes, f_sgn_goes, f_f32_goes, f_mask_goes, f_addr_goes, f_be_goes, f_b_goes,
          f_x_goes} = f_goes;
  logic f_mine;  // its request is under way
  assign f_mine = go && port_q[f_port];
  always @(posedge clk_i) if (rst_ni) begin
    if (f_taken) f_asked <= f_ask;
    if (start && gnt[f_port]) f_goes <= f_asked;
    if (full[f_port]) begin
      `CHK(waits_as_it_came, f_slot[FAsk-1:68] == f_asked[FAsk-1:68])
      `CHK(data_wait_as_they_came, (f_op != FSt || f_slot[67:64] == f_be) &&
           (f_op < FSt || f_slot[63:32] == f_b) && (f_op != FCas || f_slot[31:0] == f_x))
    end
    if (f_mine) begin
      `CHK(goes_as_it_came, store_q == (f_op_goes == FSt) && atomic_q == (f_op_goes >= FAtom) &&
           atom_q == f_op_goes - FAtom && fadd_q == (f_op_goes == FAdd && f_f32_goes) &&
           sgn_q == f_sgn_goes && f_owed == f_mask_goes &&
           addr_q[AW*f_lane +: AW] == f_addr_goes)
      `CHK(data_go_as_they_came, (!store_q || be_q[4*f_lane +: 4] == f_be_goes) &&
           (f_op_goes < FSt || b_q[32*f_lane +: 32] == f_b_goes) &&
           (f_op_goes != FCas || c_q[32*f_lane +: 32] == f_x_goes))
    end
  end

  // ---- what it is answered, if it asks for that word: f_now is read, f_new was read in the cycle
  // before, f_have before that; f_ended, f_told: the request has ended, is being answered
  logic f_now, f_new, f_have, f_ended, f_told, f_wants, f_wanted;
  logic [31:0] f_got, f_end_got, f_tell, f_lane_has;
  assign f_now = f_mine && reads && served[f_lane] && f_addr_goes == f_word;
  assign f_wants = f_mine && !store_q && f_owed && f_addr_goes == f_word;
  assign f_lane_has = rdata_q[32*f_lane +: 32];
  always @(posedge clk_i)
    if (!rst_ni) {f_new, f_have, f_ended, f_told, f_wanted} <= '0;
    else begin
      f_new <= f_now;
      f_have <= !start && !ends && (f_have || f_now);
      if (f_now) f_got <= f_value;
      f_ended <= ends && (f_have || f_now);
      f_wanted <= ends && f_wants;
      f_end_got <= f_now ? f_value : f_got;
      f_told <= f_ended;
      f_tell <= f_end_got;
      if (f_new) `CHK(was_read, data_q && served_q[f_lane] && f_read == f_got &&
                      from_q[BW*f_lane +: BW] == f_bank && (f_have != f_ended))
      if (f_have) `CHK(have_while_under_way, f_mine && f_addr_goes == f_word && !first_q && f_owed)
      if (f_have && !f_new) `CHK(was_stored, f_lane_has == f_got)
      if (f_have && !f_new || f_ended && !f_new)
        `CHK(is_not_stored_again, !data_q || !served_q[f_lane] && !clear_q)
      if (f_have) `CHK(is_read_once, !pend_q[f_lane] || state_q != Pass && served[f_lane])
      if (f_ended && !f_new) `CHK(was_stored_at_the_end, f_lane_has == f_end_got)
      if (f_ended && f_new) `CHK(was_read_last, f_got == f_end_got)
      if (f_ended) `CHK(ended_now, fin_q[f_port])
      if (f_mine && state_q != Pass && f_wants && served[f_lane])
        `CHK(read_before_it_is_modified, f_have)
      if (f_wants && f_served) `CHK(read_when_served, f_have)
      if (f_wanted) `CHK(gets_an_answer, f_ended)
      if (f_told) `CHK(gets_what_was_left, rvalid_q[f_port] && f_lane_has == f_tell)
      `COV(an_atomic_after_a_store, f_told && f_value != f_tell)
    end
