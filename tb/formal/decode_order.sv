// SPDX-License-Identifier: Apache-2.0
// decode_order: nbu_decode and order_look beside each other, for a proof. Both read the head of a
// packet, each for itself: what the operand collectors are told to read must be what order has
// looked for. What the pages say of a packet (docs/tsv.md, docs/isa.md, docs/blocks/nbu.md,
// order.md, opc.md and lsux.md) stands here a third time.
`default_nettype none
`include "check.svh"

module decode_order (
  input  wire logic        clk_i,  /// clock
  input  wire logic        rst_ni,  /// reset; nothing depends on it
  input  wire logic [63:0] head_i,  /// head of any packet that goes to decode
  input  wire logic [95:0] body_i,  /// the first three words of its body
  input  wire logic [6:0]  reg_i  /// any register
);
  logic [3:0] kind;
  assign kind = head_i[3:0];

  // ---- the two: order sees the first flit, decode what is left of it or, of a long one, all
  logic [26:0] reads;
  logic [8:0] write;
  logic [20:0] memory;
  logic [2:0] needs;
  logic is_win, is_regrd, is_sync, is_all, answers, is_long;
  order_look i_look (
    .head_i, .body_i(body_i[40:0]), .reads_o(reads), .write_o(write), .memory_o(memory),
    .needs_o(needs), .win_o(is_win), .regrd_o(is_regrd), .sync_o(is_sync), .all_o(is_all),
    .answers_o(answers), .long_o(is_long)
  );
  logic to_opc, to_lsux, to_regmove;
  logic [1:0] unit, imm_at, beats, a_mode, b_mode, c_mode;
  logic [6:0] op, d, a, b, c;
  logic [4:0] typ, typ2, fn;
  logic ftz, sat, hi_first;
  logic [2:0] uses;
  logic [31:0] imm, mask, pred;
  nbu_decode i_decode (
    .head_i, .body_i(is_long ? body_i : {32'd0, body_i[63:0]}), .to_opc_o(to_opc),
    .to_lsux_o(to_lsux), .to_regmove_o(to_regmove), .unit_o(unit), .op_o(op), .typ_o(typ),
    .typ2_o(typ2), .fn_o(fn), .ftz_o(ftz), .sat_o(sat), .d_o(d), .a_o(a), .b_o(b), .c_o(c),
    .use_o(uses), .imm_at_o(imm_at), .imm_o(imm), .beats_o(beats), .hi_first_o(hi_first),
    .a_mode_o(a_mode), .b_mode_o(b_mode), .c_mode_o(c_mode), .mask_o(mask), .pred_o(pred)
  );

  // ---- registers of decode (opc.md, rule 2), and those that order counts
  logic decode_reads, decode_writes, order_reads, order_writes;
  function automatic [6:0] of_beat(input [6:0] register, input [1:0] mode, input [1:0] w);
    of_beat = mode == 2'd0 ? register : mode == 2'd1 ? register | {5'd0, w}
                                                     : register | {5'd0, w ^ 2'd1};
  endfunction
  logic [1:0] w;  // word of a beat
  always_comb begin
    decode_reads = 1'b0;
    decode_writes = 1'b0;
    w = '0;
    for (int k = 0; k < 4; k++)
      if (to_opc && 2'(k) <= beats) begin
        w = hi_first ? 2'd1 - 2'(k) : 2'(k);
        if (uses[0] && of_beat(a, a_mode, w) == reg_i ||
            uses[1] && of_beat(b, b_mode, w) == reg_i ||
            uses[2] && of_beat(c, c_mode, w) == reg_i) decode_reads = 1'b1;
        if (unit == 2'd0 && (beats == 2'd0 ? d : d | {5'd0, w}) == reg_i) decode_writes = 1'b1;
      end
  end
  function automatic counts(input [8:0] value, input [6:0] register);
    counts = value[8:4] == register[6:2] && value[{2'd0, register[1:0]}];
  endfunction
  assign order_reads = counts(reads[8:0], reg_i) || counts(reads[17:9], reg_i) ||
                       counts(reads[26:18], reg_i);
  assign order_writes = counts(write, reg_i);

  // ---- EXEC, by the table of docs/isa.md: types that are near, operands and their sizes
  logic [6:0] e_op;
  logic [4:0] e_type, e_type2;
  logic [1:0] e_imm_at;
  logic e_mask, e_wide, e_wide2, e_legal;
  logic [31:0] near, near2;
  assign e_op = head_i[tsv_pkg::DN_EXEC_OP_LSB +: 7];
  assign e_type = head_i[tsv_pkg::DN_EXEC_TYPE_LSB +: 5];
  assign e_type2 = head_i[tsv_pkg::DN_EXEC_C_LSB +: 5];
  assign e_imm_at = head_i[tsv_pkg::DN_EXEC_IMM_AT_LSB +: 2];
  assign e_mask = head_i[tsv_pkg::DN_EXEC_HAS_MASK_LSB];
  assign e_wide = e_type == isa_pkg::TYPE_U64 || e_type == isa_pkg::TYPE_S64 ||
                  e_type == isa_pkg::TYPE_B64;
  assign e_wide2 = e_type2 == isa_pkg::TYPE_U64 || e_type2 == isa_pkg::TYPE_S64;
  // sizes: 0 no operand, 1 one register, 2 a pair
  logic [1:0] e_a, e_b, e_c, e_d, e_own, e_source;
  assign e_own = e_wide ? 2'd2 : 2'd1;
  assign e_source = e_wide2 ? 2'd2 : 2'd1;
  always_comb begin
    near = '0;
    near2 = '1;
    e_a = e_own;
    e_b = e_own;
    e_c = 2'd0;
    e_d = e_own;
    case ({1'b0, e_op})
      isa_pkg::OP_MOV: begin near = isa_pkg::NEAR_MOV; e_b = 2'd0; end
      isa_pkg::OP_ADD: near = isa_pkg::NEAR_ADD;
      isa_pkg::OP_SUB: near = isa_pkg::NEAR_SUB;
      isa_pkg::OP_MUL: near = isa_pkg::NEAR_MUL;
      isa_pkg::OP_MULW: begin near = isa_pkg::NEAR_MULW; e_d = 2'd2; end
      isa_pkg::OP_MAD: begin near = isa_pkg::NEAR_MAD; e_c = e_own; end
      isa_pkg::OP_MADW: begin near = isa_pkg::NEAR_MADW; e_c = 2'd2; e_d = 2'd2; end
      isa_pkg::OP_FMA: begin near = isa_pkg::NEAR_FMA; e_c = e_own; end
      isa_pkg::OP_MIN: near = isa_pkg::NEAR_MIN;
      isa_pkg::OP_MAX: near = isa_pkg::NEAR_MAX;
      isa_pkg::OP_ABS: begin near = isa_pkg::NEAR_ABS; e_b = 2'd0; end
      isa_pkg::OP_NEG: begin near = isa_pkg::NEAR_NEG; e_b = 2'd0; end
      isa_pkg::OP_COPYSIGN: near = isa_pkg::NEAR_COPYSIGN;
      isa_pkg::OP_AND: near = isa_pkg::NEAR_AND;
      isa_pkg::OP_OR: near = isa_pkg::NEAR_OR;
      isa_pkg::OP_XOR: near = isa_pkg::NEAR_XOR;
      isa_pkg::OP_NOT: begin near = isa_pkg::NEAR_NOT; e_b = 2'd0; end
      isa_pkg::OP_LOP3: begin near = isa_pkg::NEAR_LOP3; e_c = 2'd1; end
      isa_pkg::OP_SHL: begin near = isa_pkg::NEAR_SHL; e_b = 2'd1; end
      isa_pkg::OP_SHR: begin near = isa_pkg::NEAR_SHR; e_b = 2'd1; end
      isa_pkg::OP_SAD: begin near = isa_pkg::NEAR_SAD; e_c = 2'd1; end
      isa_pkg::OP_SET: begin near = isa_pkg::NEAR_SET; near2 = isa_pkg::NEAR2_SET; end
      isa_pkg::OP_SELP: near = isa_pkg::NEAR_SELP;
      isa_pkg::OP_I2I: begin near = isa_pkg::NEAR_I2I; near2 = isa_pkg::NEAR2_I2I; end
      isa_pkg::OP_I2F: begin near = isa_pkg::NEAR_I2F; near2 = isa_pkg::NEAR2_I2F; end
      isa_pkg::OP_F2I: begin near = isa_pkg::NEAR_F2I; near2 = isa_pkg::NEAR2_F2I; end
      isa_pkg::OP_F2F: begin near = isa_pkg::NEAR_F2F; near2 = isa_pkg::NEAR2_F2F; end
      default: ;
    endcase
    case ({1'b0, e_op})  // operands of another type than the result
      isa_pkg::OP_SET: begin e_a = e_source; e_b = e_source; e_d = 2'd1; end
      isa_pkg::OP_I2I, isa_pkg::OP_I2F, isa_pkg::OP_F2I, isa_pkg::OP_F2F: begin
        e_a = e_source;
        e_b = 2'd0;
      end
      default: ;
    endcase
    e_legal = near[e_type] && near2[e_type2] &&
              (e_imm_at != 2'd2 || e_b != 2'd0) && (e_imm_at != 2'd3 || e_c != 2'd0);
  end

  // its words, one behind the other
  logic e_has_imm, e_selp;
  logic [1:0] e_words;
  logic [31:0] e_imm, e_pred;
  assign e_has_imm = e_imm_at != 2'd0 || e_op == isa_pkg::OP_LOP3[6:0];
  assign e_selp = e_op == isa_pkg::OP_SELP[6:0];
  assign e_words = {1'b0, e_mask} + {1'b0, e_has_imm} + {1'b0, e_selp};
  assign e_imm = body_i[{e_mask, 5'd0} +: 32];
  assign e_pred = body_i[{{1'b0, e_mask} + {1'b0, e_has_imm}, 5'd0} +: 32];

  // ---- what a packet reads and writes, and who gets it, by the pages
  logic [3:0] mop, mtype;
  logic shm, sect, store, atomic, data, addr, swap, result, load;
  logic [1:0] mem_beats;  // of an access in lsux, less one (lsux.md, rule 4)
  assign shm = kind == tsv_pkg::DN_SHM;
  assign sect = kind == tsv_pkg::DN_SECT;
  assign mop = head_i[tsv_pkg::DN_SHM_MOP_LSB +: 4];
  assign mtype = head_i[tsv_pkg::DN_SHM_MTYPE_LSB +: 4];
  assign load = (shm || sect) && mop == tsv_pkg::MOP_LD;
  assign store = (shm || sect) && mop == tsv_pkg::MOP_ST;
  assign atomic = (shm || sect) && mop >= tsv_pkg::MOP_ATOM;
  assign mem_beats = mtype == tsv_pkg::MTYPE_B64 ? 2'd1 :
                     mtype == tsv_pkg::MTYPE_B128 ? 2'd3 : 2'd0;
  assign addr = shm && !head_i[tsv_pkg::DN_SHM_INLINE_LSB] && !head_i[tsv_pkg::DN_SHM_ZERO_LSB];
  assign data = (store || atomic) && !(shm ? head_i[tsv_pkg::DN_SHM_ZERO_LSB + 1] : body_i[39]);
  assign swap = atomic && mop == tsv_pkg::MOP_ATOM + isa_pkg::ATOM_CAS[3:0] &&
                !(shm ? head_i[tsv_pkg::DN_SHM_ZERO_LSB + 2] : body_i[40]);
  assign result = load || atomic && head_i[tsv_pkg::DN_SHM_RET_LSB];

  logic line_store, line_zero;
  assign line_store = head_i[tsv_pkg::DN_LINE_STORE_LSB];
  assign line_zero = head_i[tsv_pkg::DN_LINE_ZERO_LSB];

  // a value of registers: how many (0 to 4), the first one
  function automatic in_value(input [2:0] size, input [6:0] first, input [6:0] register);
    in_value = register >= first && {1'b0, register} < {1'b0, first} + {5'd0, size};
  endfunction
  function automatic aligned(input [2:0] size, input [6:0] first);
    aligned = (size < 3'd2 || !first[0]) && (size < 3'd4 || !first[1]);
  endfunction
  logic [2:0] a_size, b_size, c_size, d_size, mem_size;
  logic [6:0] a_reg, b_reg, c_reg, d_reg;
  logic legal;
  assign mem_size = 3'(mem_beats) + 3'd1;
  always_comb begin
    a_size = '0;
    b_size = '0;
    c_size = '0;
    d_size = '0;
    a_reg = head_i[tsv_pkg::DN_SHM_A_LSB +: 7];
    b_reg = head_i[tsv_pkg::DN_SHM_B_LSB +: 7];
    c_reg = head_i[tsv_pkg::DN_SHM_C_LSB +: 7];
    d_reg = head_i[tsv_pkg::DN_SHM_D_LSB +: 7];
    legal = 1'b1;
    case (kind)
      tsv_pkg::DN_EXEC: begin
        legal = e_legal;
        a_reg = head_i[tsv_pkg::DN_EXEC_A_LSB +: 7];
        b_reg = head_i[tsv_pkg::DN_EXEC_B_LSB +: 7];
        c_reg = head_i[tsv_pkg::DN_EXEC_C_LSB +: 7];
        d_reg = head_i[tsv_pkg::DN_EXEC_D_LSB +: 7];
        if (e_imm_at != 2'd1 && !head_i[tsv_pkg::DN_EXEC_ZERO_LSB]) a_size = {1'b0, e_a};
        if (e_imm_at != 2'd2 && !head_i[tsv_pkg::DN_EXEC_ZERO_LSB + 1]) b_size = {1'b0, e_b};
        if (e_imm_at != 2'd3 && !head_i[tsv_pkg::DN_EXEC_ZERO_LSB + 2]) c_size = {1'b0, e_c};
        d_size = {1'b0, e_d};
      end
      tsv_pkg::DN_SHM, tsv_pkg::DN_SECT: begin
        legal = mtype <= tsv_pkg::MTYPE_B128 && (load || store || atomic) &&
                !(atomic && mem_beats != 2'd0);
        if (sect) begin
          b_reg = head_i[tsv_pkg::DN_SECT_B_LSB +: 7];
          c_reg = body_i[38:32];
          d_reg = head_i[tsv_pkg::DN_SECT_D_LSB +: 7];
        end
        a_size = {2'd0, addr};
        b_size = data ? mem_size : 3'd0;
        c_size = swap ? mem_size : 3'd0;
        d_size = result ? mem_size : 3'd0;
      end
      tsv_pkg::DN_LINE: begin
        b_reg = head_i[tsv_pkg::DN_LINE_REG_LSB +: 7];
        d_reg = b_reg;
        b_size = {2'd0, line_store && !line_zero};
        d_size = {2'd0, !line_store};
      end
      tsv_pkg::DN_REGRD: begin
        a_reg = head_i[tsv_pkg::DN_REGRD_REG_LSB +: 7];
        a_size = 3'd1;
      end
      tsv_pkg::DN_REGWR: begin
        d_reg = head_i[tsv_pkg::DN_REGWR_REG_LSB +: 7];
        d_size = 3'd1;
      end
      default: ;
    endcase
  end

  logic all_aligned, page_reads, page_writes;
  assign all_aligned = aligned(a_size, a_reg) && aligned(b_size, b_reg) &&
                       aligned(c_size, c_reg) && aligned(d_size, d_reg);
  assign page_reads = in_value(a_size, a_reg, reg_i) || in_value(b_size, b_reg, reg_i) ||
                      in_value(c_size, c_reg, reg_i);
  assign page_writes = in_value(d_size, d_reg, reg_i);

  // lsux writes D | k in its beat k, whatever its low bits are (lsux.md, rule 4); LINE one register
  logic lsux_writes;
  always_comb begin
    lsux_writes = kind == tsv_pkg::DN_LINE && !line_store && d_reg == reg_i;
    for (int k = 0; k < 4; k++)
      if (result && 2'(k) <= mem_beats && (d_reg | 7'(k)) == reg_i) lsux_writes = 1'b1;
  end

  // ---- beats and words, by the table of nbu.md: {high first, beats less one, a, b, c}
  logic [6:0] row;
  logic other;  // c is the other word of a
  always_comb begin
    row = '0;
    other = 1'b0;
    case ({1'b0, e_op})
      isa_pkg::OP_MOV, isa_pkg::OP_NOT, isa_pkg::OP_NEG, isa_pkg::OP_AND, isa_pkg::OP_OR,
      isa_pkg::OP_XOR, isa_pkg::OP_ADD, isa_pkg::OP_SUB, isa_pkg::OP_SELP:
        if (e_wide) row = {1'b0, 1'b1, 2'd1, 2'd1, 1'b0};
      isa_pkg::OP_MIN, isa_pkg::OP_MAX: if (e_wide) row = {1'b1, 1'b1, 2'd1, 2'd1, 1'b0};
      isa_pkg::OP_ABS, isa_pkg::OP_SHL, isa_pkg::OP_SHR: begin
        other = e_wide;
        if (e_wide) row = {1'b0, 1'b1, 2'd1, 2'd0, 1'b0};
      end
      isa_pkg::OP_MULW: row = {1'b0, 1'b1, 2'd0, 2'd0, 1'b0};
      isa_pkg::OP_MADW: row = {1'b0, 1'b1, 2'd0, 2'd0, 1'b1};
      isa_pkg::OP_I2I: begin
        other = e_wide2;
        row = {1'b0, e_wide, 1'b0, e_wide2, 3'd0};
      end
      default: ;
    endcase
  end

  // ---- the proof
  logic exec, regrd, regwr, line, has_opc;
  assign exec = kind == tsv_pkg::DN_EXEC;
  assign regrd = kind == tsv_pkg::DN_REGRD;
  assign regwr = kind == tsv_pkg::DN_REGWR;
  assign line = kind == tsv_pkg::DN_LINE;
  assign has_opc = exec || regrd || line && line_store || sect && (store || atomic) ||
                   shm && (store || atomic || addr);
  logic [20:0] place;  // memory, as order names it
  always_comb
    case (kind)
      tsv_pkg::DN_LINE: place = {2'b10, head_i[55:37]};
      tsv_pkg::DN_SECT, tsv_pkg::DN_RD, tsv_pkg::DN_WR, tsv_pkg::DN_ATM:
        place = {2'b10, head_i[60:42]};
      tsv_pkg::DN_SHM: place = {17'h18000, head_i[57:54]};
      tsv_pkg::DN_WIN: place = {17'h18000, head_i[20:17]};
      default: place = '0;
    endcase
  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(kinds_that_decode_gets, kind <= tsv_pkg::DN_WIN)
    // whatever the fields are: order counts each register that is used, and each part has room
    `CHK(reads_are_counted, !decode_reads || order_reads)
    `CHK(results_are_counted, !decode_writes || order_writes)
    `CHK(parts_have_room, {to_regmove, to_lsux} == needs[2:1] && (!to_opc || needs[0]))
    `CHK(who_reads_goes_to_opc, (reads[21:18] | reads[12:9] | reads[3:0]) == '0 || to_opc ||
                                !legal)
    `CHK(valu_has_exec, (to_opc && unit == 2'd0) == exec && is_regrd == regrd &&
                        is_win == (kind == tsv_pkg::DN_WIN) && !is_sync && !is_all)
    // legal ones
    if (legal) begin
      `CHK(parts_of_the_page, to_opc == has_opc && to_regmove == regwr &&
                              to_lsux == !(exec || regrd || regwr))
      `CHK(units_of_the_page, !to_opc || unit == (exec ? 2'd0 : regrd ? 2'd2 : 2'd1))
      `CHK(results_of_lsux_are_counted, !lsux_writes || order_writes)
      `CHK(result_of_regmove_is_counted, !regwr || d_reg != reg_i || order_writes)
      if (all_aligned) begin
        `CHK(reads_are_those_of_the_page, decode_reads == page_reads)
        `CHK(counts_the_reads_of_the_page, order_reads == page_reads)
        `CHK(counts_the_results_of_the_page, order_writes == page_writes)
        `CHK(writes_those_of_the_page,
             (decode_writes || lsux_writes || regwr && d_reg == reg_i) == page_writes)
      end
      if (exec) begin
        `CHK(beats_of_the_table, {hi_first, beats, a_mode, b_mode, c_mode} ==
             {row[6], 1'b0, row[5:1], other ? 2'd2 : {1'b0, row[0]}})
        `CHK(other_word_of_a, !other || c == a && uses[2] == uses[0])
        `CHK(operation_is_passed_on, op == e_op && typ == e_type && d == d_reg &&
             typ2 == (near2 != '1 ? e_type2 : 5'd0) && fn == {1'b0, head_i[27:24]} &&
             ftz == head_i[28] && sat == head_i[29] && imm_at == e_imm_at)
        `CHK(mask_is_the_first_word, mask == (e_mask ? body_i[31:0] : '1))
        `CHK(immediate_is_behind_it, imm == (e_has_imm ? e_imm : '0))
        `CHK(predicate_is_the_last_word, pred == (e_selp ? e_pred : '0))
        `CHK(long_with_three_words, is_long == (e_words == 2'd3))
      end else begin
        `CHK(others_have_no_operation, {op, typ, typ2, fn, ftz, sat, imm_at, imm, pred, d} == '0)
        `CHK(mask_of_others, mask == (regrd ? head_i[63:32] : '1))
        `CHK(beats_of_others, {hi_first, a_mode, c_mode} == '0 &&
             beats == (store ? mem_beats : 2'd0) && b_mode == (store ? 2'd1 : 2'd0))
        `CHK(long_by_its_length, is_long == (head_i[16:12] > 5'd1))
      end
      `CHK(memory_that_lsux_accesses, memory == place)
      `CHK(answers_to_writes, answers == (kind == tsv_pkg::DN_WR ||
                                          kind == tsv_pkg::DN_ATM && !head_i[25]))
    end
    `COV(four_beats_of_a_store, legal && decode_reads && beats == 2'd3 && reg_i[1:0] == 2'd3)
    `COV(the_other_word, legal && decode_reads && other && e_wide && a != reg_i && beats == 2'd1)
    `COV(three_operands, legal && exec && uses == 3'd7 && decode_reads && c == reg_i)
    `COV(high_first, legal && hi_first && decode_writes)
    `COV(three_words, legal && exec && is_long && pred != '0)
    `COV(swaps, legal && sect && swap && result && decode_reads && c == reg_i && c != b)
    `COV(loads_four, legal && all_aligned && order_writes && d_size == 3'd4 && reg_i[1:0] == 2'd3)
  end
endmodule
