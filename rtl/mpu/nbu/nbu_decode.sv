// SPDX-License-Identifier: Apache-2.0
// nbu_decode: from a packet to the instruction for the operand collectors. Combinational.
// docs/blocks/nbu.md has the table of beats.
`default_nettype none

module nbu_decode #(
  parameter int LANES = 32  /// lanes
) (
  input  wire logic [63:0]      head_i,  /// head of the packet
  input  wire logic [95:0]      body_i,  /// its first three words
  output logic                  to_opc_o,  /// who needs the packet
  output logic                  to_lsux_o,  /// lsux needs it
  output logic                  to_regmove_o,  /// regmove needs it
  output logic [1:0]            unit_o,  /// who executes it: 0 valu, 1 lsux, 2 regmove
  output logic [6:0]            op_o,  /// opcode
  output logic [4:0]            typ_o,  /// type
  output logic [4:0]            typ2_o,  /// source type
  output logic [4:0]            fn_o,  /// rounding or comparison
  output logic                  ftz_o,  /// subnormals become zeros
  output logic                  sat_o,  /// saturate
  output logic [6:0]            d_o,  /// near register of the result
  output logic [6:0]            a_o,  /// near register of operand a
  output logic [6:0]            b_o,  /// near register of operand b
  output logic [6:0]            c_o,  /// near register of operand c
  output logic [2:0]            use_o,  /// operands that are registers: bit 0 a, 1 b, 2 c
  output logic [1:0]            imm_at_o,  /// operand that is the immediate: 0 none, 1 a, 2 b, 3 c
  output logic [31:0]           imm_o,  /// immediate; its low byte is the table of lop3
  output logic [1:0]            beats_o,  /// number of beats less one: 0, 1 or 3
  output logic                  hi_first_o,  /// the high word's beat comes first
  /// word of a in a beat: 0 the same in all, 1 this one, 2 the other one
  output logic [1:0]            a_mode_o,
  output logic [1:0]            b_mode_o,  /// word of b
  output logic [1:0]            c_mode_o,  /// word of c
  output logic [LANES-1:0]      mask_o,  /// lanes
  output logic [LANES-1:0]      pred_o  /// predicate of selp
);
  logic [3:0] kind;
  assign kind = head_i[tsv_pkg::DN_ANY_KIND_LSB +: 4];

  // ---- EXEC
  logic [6:0] op;
  logic [4:0] typ, typ2;
  logic has_mask, has_imm, wide, wide2, has_typ2;
  logic [2:0] zero, operands;
  logic [1:0] imm_at;
  logic [6:0] exec_b, exec_c;

  assign op = head_i[tsv_pkg::DN_EXEC_OP_LSB +: 7];
  assign typ = head_i[tsv_pkg::DN_EXEC_TYPE_LSB +: 5];
  assign exec_b = head_i[tsv_pkg::DN_EXEC_B_LSB +: 7];
  assign exec_c = head_i[tsv_pkg::DN_EXEC_C_LSB +: 7];
  assign imm_at = head_i[tsv_pkg::DN_EXEC_IMM_AT_LSB +: 2];
  assign zero = head_i[tsv_pkg::DN_EXEC_ZERO_LSB +: 3];
  assign has_mask = head_i[tsv_pkg::DN_EXEC_HAS_MASK_LSB];
  assign has_imm = imm_at != 2'd0 || op == isa_pkg::OP_LOP3[6:0];
  assign wide = typ == isa_pkg::TYPE_U64 || typ == isa_pkg::TYPE_S64 || typ == isa_pkg::TYPE_B64;
  assign wide2 = typ2 == isa_pkg::TYPE_U64 || typ2 == isa_pkg::TYPE_S64;
  assign has_typ2 = op == isa_pkg::OP_SET[6:0] || op == isa_pkg::OP_I2I[6:0] ||
                    op == isa_pkg::OP_I2F[6:0] || op == isa_pkg::OP_F2I[6:0] ||
                    op == isa_pkg::OP_F2F[6:0];
  assign typ2 = has_typ2 ? exec_c[4:0] : 5'd0;

  always_comb
    case (op)
      isa_pkg::OP_MOV[6:0], isa_pkg::OP_ABS[6:0], isa_pkg::OP_NEG[6:0], isa_pkg::OP_NOT[6:0],
      isa_pkg::OP_I2I[6:0], isa_pkg::OP_I2F[6:0], isa_pkg::OP_F2I[6:0], isa_pkg::OP_F2F[6:0]:
        operands = 3'b001;
      isa_pkg::OP_MAD[6:0], isa_pkg::OP_MADW[6:0], isa_pkg::OP_FMA[6:0], isa_pkg::OP_LOP3[6:0],
      isa_pkg::OP_SAD[6:0]:
        operands = 3'b111;
      default: operands = 3'b011;
    endcase

  logic [2:0] exec_use;
  assign exec_use = operands & ~zero & ~{imm_at == 2'd3, imm_at == 2'd2, imm_at == 2'd1};

  // ---- memory
  logic shm, line, sect;
  logic [3:0] mop, mtype;
  logic mem_store, mem_atom, mem_data, mem_addr, mem_cas, line_store;
  assign shm = kind == tsv_pkg::DN_SHM;
  assign line = kind == tsv_pkg::DN_LINE;
  assign sect = kind == tsv_pkg::DN_SECT;
  assign mop = head_i[tsv_pkg::DN_SHM_MOP_LSB +: 4];
  assign mtype = head_i[tsv_pkg::DN_SHM_MTYPE_LSB +: 4];
  assign line_store = line && head_i[tsv_pkg::DN_LINE_STORE_LSB];
  assign mem_store = mop == tsv_pkg::MOP_ST;
  assign mem_atom = mop >= tsv_pkg::MOP_ATOM;
  assign mem_cas = mop == tsv_pkg::MOP_ATOM + isa_pkg::ATOM_CAS[3:0];
  assign mem_addr = shm && !head_i[tsv_pkg::DN_SHM_INLINE_LSB] && !head_i[tsv_pkg::DN_SHM_ZERO_LSB];
  assign mem_data = (shm || sect) && (mem_store || mem_atom);

  always_comb begin
    to_opc_o = 1'b0;
    to_lsux_o = 1'b1;
    to_regmove_o = 1'b0;
    unit_o = 2'd1;
    op_o = '0;
    typ_o = '0;
    typ2_o = '0;
    fn_o = '0;
    ftz_o = 1'b0;
    sat_o = 1'b0;
    d_o = '0;
    a_o = head_i[tsv_pkg::DN_SHM_A_LSB +: 7];
    b_o = head_i[tsv_pkg::DN_SHM_B_LSB +: 7];
    c_o = head_i[tsv_pkg::DN_SHM_C_LSB +: 7];
    use_o = '0;
    imm_at_o = '0;
    imm_o = '0;
    beats_o = '0;
    hi_first_o = 1'b0;
    a_mode_o = '0;
    b_mode_o = '0;
    c_mode_o = '0;
    mask_o = '1;
    pred_o = '0;
    case (kind)
      tsv_pkg::DN_EXEC: begin
        to_opc_o = 1'b1;
        to_lsux_o = 1'b0;
        unit_o = 2'd0;
        op_o = op;
        typ_o = typ;
        typ2_o = typ2;
        fn_o = {1'b0, head_i[tsv_pkg::DN_EXEC_FN_LSB +: 4]};
        ftz_o = head_i[tsv_pkg::DN_EXEC_FTZ_LSB];
        sat_o = head_i[tsv_pkg::DN_EXEC_SAT_LSB];
        d_o = head_i[tsv_pkg::DN_EXEC_D_LSB +: 7];
        a_o = head_i[tsv_pkg::DN_EXEC_A_LSB +: 7];
        b_o = exec_b;
        c_o = exec_c;
        use_o = exec_use;
        imm_at_o = imm_at;
        if (has_mask) mask_o = body_i[LANES-1:0];
        if (has_imm) imm_o = has_mask ? body_i[63:32] : body_i[31:0];
        if (op == isa_pkg::OP_SELP[6:0])
          pred_o = has_mask && has_imm ? body_i[64 +: LANES] :
                   has_mask || has_imm ? body_i[32 +: LANES] : body_i[LANES-1:0];
        case (op)
          isa_pkg::OP_MOV[6:0], isa_pkg::OP_NOT[6:0], isa_pkg::OP_NEG[6:0], isa_pkg::OP_AND[6:0],
          isa_pkg::OP_OR[6:0], isa_pkg::OP_XOR[6:0], isa_pkg::OP_ADD[6:0], isa_pkg::OP_SUB[6:0],
          isa_pkg::OP_SELP[6:0], isa_pkg::OP_MIN[6:0], isa_pkg::OP_MAX[6:0]:
            if (wide) begin
              beats_o = 2'd1;
              a_mode_o = 2'd1;
              b_mode_o = 2'd1;
              hi_first_o = op == isa_pkg::OP_MIN[6:0] || op == isa_pkg::OP_MAX[6:0];
            end
          isa_pkg::OP_ABS[6:0], isa_pkg::OP_SHL[6:0], isa_pkg::OP_SHR[6:0]:
            if (wide) begin
              beats_o = 2'd1;
              a_mode_o = 2'd1;
              c_mode_o = 2'd2;
              c_o = a_o;
              use_o[2] = exec_use[0];
            end
          isa_pkg::OP_MULW[6:0]: beats_o = 2'd1;
          isa_pkg::OP_MADW[6:0]: begin
            beats_o = 2'd1;
            c_mode_o = 2'd1;
          end
          isa_pkg::OP_I2I[6:0]: begin
            beats_o = {1'b0, wide};
            if (wide2) begin
              a_mode_o = 2'd1;
              c_mode_o = 2'd2;
              c_o = a_o;
              use_o[2] = exec_use[0];
            end
          end
          default: ;
        endcase
      end
      tsv_pkg::DN_SHM: begin
        to_opc_o = mem_data || mem_addr;
        use_o = {mem_cas && !head_i[tsv_pkg::DN_SHM_ZERO_LSB + 2],
                 mem_data && !head_i[tsv_pkg::DN_SHM_ZERO_LSB + 1], mem_addr};
      end
      tsv_pkg::DN_SECT: begin
        to_opc_o = mem_data;
        b_o = head_i[tsv_pkg::DN_SECT_B_LSB +: 7];
        c_o = body_i[38:32];
        use_o = {mem_cas && !body_i[40], mem_data && !body_i[39], 1'b0};
      end
      tsv_pkg::DN_LINE: begin
        to_opc_o = line_store;
        b_o = head_i[tsv_pkg::DN_LINE_REG_LSB +: 7];
        use_o = {1'b0, line_store && !head_i[tsv_pkg::DN_LINE_ZERO_LSB], 1'b0};
      end
      tsv_pkg::DN_REGWR: begin
        to_lsux_o = 1'b0;
        to_regmove_o = 1'b1;
      end
      tsv_pkg::DN_REGRD: begin
        to_opc_o = 1'b1;
        to_lsux_o = 1'b0;
        unit_o = 2'd2;
        a_o = head_i[tsv_pkg::DN_REGRD_REG_LSB +: 7];
        use_o = 3'b001;
        mask_o = head_i[tsv_pkg::DN_REGRD_MASK_LSB +: LANES];
      end
      default: ;
    endcase
    if (mem_data && mem_store) begin
      b_mode_o = 2'd1;
      if (mtype == tsv_pkg::MTYPE_B64) beats_o = 2'd1;
      else if (mtype == tsv_pkg::MTYPE_B128) beats_o = 2'd3;
    end
  end
endmodule
