// SPDX-License-Identifier: Apache-2.0
// order_look: what matters of a packet: registers that it reads and writes, memory that it
// accesses, who executes it. Combinational.
//
// A value lies in one, two or four places that begin at a multiple of their number: a group of four
// places (the number without its two low bits), and a bit for each place in it. Two values overlap
// when their groups are the same and they have a place in common. No place: no value.
`default_nettype none

module order_look (
  input  wire logic [63:0] head_i,  /// head of the packet
  input  wire logic [40:0] body_i,  /// the first flit of its body, without what no packet has there
  output logic [26:0]      reads_o,  /// a, b, c, nine bits each: group 8:4, places 3:0
  output logic [8:0]       write_o,  /// the result
  /// memory: accessed 20, shared memory 19, window or line 18:0; of SYNC with SHARED bit 20 is low
  /// and the others are the window whose accesses it waits for
  output logic [20:0]      memory_o,
  output logic [2:0]       needs_o,  /// room that it needs: bit 0 opc, 1 lsux, 2 regmove
  output logic             win_o,  /// complete when it goes
  output logic             regrd_o,  /// awake when it is read
  output logic             sync_o,  /// SYNC
  output logic             all_o,  /// waits for all before it
  output logic             answers_o,  /// the base die is told when it is complete
  output logic             long_o  /// its body has two flits or more
);
  // group and places of a value; wide: 0 one place, 1 two, 2 four
  function automatic [8:0] value(input there, input [6:0] place, input [1:0] wide);
    value[8:4] = place[6:2];
    value[3:0] = !there ? 4'd0 : wide[1] ? 4'd15 : wide[0] ? 4'd3 << {place[1], 1'b0} :
                 4'd1 << place[1:0];
  endfunction
  function automatic is_wide(input [4:0] typ);
    is_wide = typ == isa_pkg::TYPE_U64 || typ == isa_pkg::TYPE_S64 || typ == isa_pkg::TYPE_B64;
  endfunction

  logic [3:0] kind;
  assign kind = head_i[tsv_pkg::DN_ANY_KIND_LSB +: 4];

  // ---- EXEC: operands that the opcode has, their widths
  logic [6:0] op;
  logic [1:0] imm_at;
  logic wide, wide2;  // type, source type
  logic [3:0] wides;  // d, c, b, a
  logic [2:0] operands, exec_reads;
  assign op = head_i[tsv_pkg::DN_EXEC_OP_LSB +: 7];
  assign imm_at = head_i[tsv_pkg::DN_EXEC_IMM_AT_LSB +: 2];
  assign wide = is_wide(head_i[tsv_pkg::DN_EXEC_TYPE_LSB +: 5]);
  assign wide2 = is_wide(head_i[tsv_pkg::DN_EXEC_C_LSB +: 5]);
  always_comb begin
    operands = 3'b011;
    wides = {4{wide}};
    case (op)
      isa_pkg::OP_MOV[6:0], isa_pkg::OP_ABS[6:0], isa_pkg::OP_NEG[6:0], isa_pkg::OP_NOT[6:0]:
        operands = 3'b001;
      isa_pkg::OP_I2I[6:0], isa_pkg::OP_I2F[6:0], isa_pkg::OP_F2I[6:0], isa_pkg::OP_F2F[6:0]: begin
        operands = 3'b001;
        wides[0] = wide2;
      end
      isa_pkg::OP_SET[6:0]: wides[1:0] = {2{wide2}};
      isa_pkg::OP_SHL[6:0], isa_pkg::OP_SHR[6:0]: wides[1] = 1'b0;
      isa_pkg::OP_MULW[6:0]: wides[3] = 1'b1;
      isa_pkg::OP_MADW[6:0]: begin
        operands = 3'b111;
        wides[3:2] = 2'b11;
      end
      isa_pkg::OP_MAD[6:0], isa_pkg::OP_FMA[6:0], isa_pkg::OP_LOP3[6:0], isa_pkg::OP_SAD[6:0]:
        operands = 3'b111;
      default: ;
    endcase
  end
  assign exec_reads = operands & ~head_i[tsv_pkg::DN_EXEC_ZERO_LSB +: 3] &
                      ~{imm_at == 2'd3, imm_at == 2'd2, imm_at == 2'd1};

  // ---- SHM and SECT: their type and operation are in the same places
  logic [3:0] mop, mtype;
  logic [1:0] mem_wide;
  logic mem_data, mem_cas, mem_result;
  assign mtype = head_i[tsv_pkg::DN_SHM_MTYPE_LSB +: 4];
  assign mop = head_i[tsv_pkg::DN_SHM_MOP_LSB +: 4];
  assign mem_wide = {mtype == tsv_pkg::MTYPE_B128, mtype == tsv_pkg::MTYPE_B64};
  assign mem_data = mop != tsv_pkg::MOP_LD;
  assign mem_cas = mop == tsv_pkg::MOP_ATOM + isa_pkg::ATOM_CAS[3:0];
  assign mem_result = !mem_data ||
                      mop >= tsv_pkg::MOP_ATOM && head_i[tsv_pkg::DN_SHM_RET_LSB];

  localparam int SHM_ZERO = tsv_pkg::DN_SHM_ZERO_LSB;
  localparam int SECT_C = 32;  // in the first flit of its body
  localparam int SECT_ZERO_B = 39;
  localparam int SECT_ZERO_C = 40;
  logic store;  // of LINE
  assign store = head_i[tsv_pkg::DN_LINE_STORE_LSB];

  // ---- the values: is there one, its place, its width
  logic [3:0] there;  // d, c, b, a
  logic [6:0] a, b, c, d;
  logic [1:0] a_wide, b_wide, c_wide, d_wide;
  always_comb begin
    there = '0;
    a = head_i[tsv_pkg::DN_SHM_A_LSB +: 7];
    b = head_i[tsv_pkg::DN_SHM_B_LSB +: 7];
    c = head_i[tsv_pkg::DN_SHM_C_LSB +: 7];
    d = head_i[tsv_pkg::DN_SHM_D_LSB +: 7];
    a_wide = 2'd0;
    b_wide = mem_wide;
    c_wide = mem_wide;
    d_wide = mem_wide;
    case (kind)
      tsv_pkg::DN_EXEC: begin
        there = {1'b1, exec_reads};
        a = head_i[tsv_pkg::DN_EXEC_A_LSB +: 7];
        b = head_i[tsv_pkg::DN_EXEC_B_LSB +: 7];
        c = head_i[tsv_pkg::DN_EXEC_C_LSB +: 7];
        d = head_i[tsv_pkg::DN_EXEC_D_LSB +: 7];
        a_wide = {1'b0, wides[0]};
        b_wide = {1'b0, wides[1]};
        c_wide = {1'b0, wides[2]};
        d_wide = {1'b0, wides[3]};
      end
      tsv_pkg::DN_SHM:
        there = {mem_result, mem_cas && !head_i[SHM_ZERO + 2], mem_data && !head_i[SHM_ZERO + 1],
                 !head_i[tsv_pkg::DN_SHM_INLINE_LSB] && !head_i[SHM_ZERO]};
      tsv_pkg::DN_SECT: begin
        there = {mem_result, mem_cas && !body_i[SECT_ZERO_C], mem_data && !body_i[SECT_ZERO_B],
                 1'b0};
        b = head_i[tsv_pkg::DN_SECT_B_LSB +: 7];
        c = body_i[SECT_C +: 7];
        d = head_i[tsv_pkg::DN_SECT_D_LSB +: 7];
      end
      tsv_pkg::DN_LINE: begin
        there = {!store, 1'b0, store && !head_i[tsv_pkg::DN_LINE_ZERO_LSB], 1'b0};
        b = head_i[tsv_pkg::DN_LINE_REG_LSB +: 7];
        d = b;
        b_wide = 2'd0;
        d_wide = 2'd0;
      end
      tsv_pkg::DN_REGRD: begin
        there = 4'b0001;
        a = head_i[tsv_pkg::DN_REGRD_REG_LSB +: 7];
      end
      tsv_pkg::DN_REGWR: begin
        there = 4'b1000;
        d = head_i[tsv_pkg::DN_REGWR_REG_LSB +: 7];
        d_wide = 2'd0;
      end
      default: ;
    endcase
  end
  assign reads_o = {value(there[2], c, c_wide), value(there[1], b, b_wide),
                    value(there[0], a, a_wide)};
  assign write_o = value(there[3], d, d_wide);

  // ---- memory: a line is row and column; bank and byte are below them in a place
  logic shared;  // of SYNC
  assign shared = head_i[tsv_pkg::DN_SYNC_SHARED_LSB];
  always_comb
    case (kind)
      tsv_pkg::DN_LINE: memory_o = {2'b10, head_i[tsv_pkg::DN_LINE_ADDR_LSB + 7 +: 19]};
      tsv_pkg::DN_SECT, tsv_pkg::DN_RD, tsv_pkg::DN_WR, tsv_pkg::DN_ATM:
        memory_o = {2'b10, head_i[tsv_pkg::DN_SECT_SECTOR_LSB + 2 +: 19]};
      tsv_pkg::DN_SHM: memory_o = {17'b11 << 15, head_i[tsv_pkg::DN_SHM_WIN_LSB +: 4]};
      tsv_pkg::DN_WIN: memory_o = {17'b11 << 15, head_i[tsv_pkg::DN_WIN_WIN_LSB +: 4]};
      tsv_pkg::DN_SYNC: memory_o = {1'b0, shared, 15'd0, head_i[tsv_pkg::DN_SYNC_WIN_LSB +: 4]};
      default: memory_o = '0;
    endcase

  always_comb
    case (kind)
      tsv_pkg::DN_EXEC, tsv_pkg::DN_REGRD: needs_o = 3'b001;
      tsv_pkg::DN_REGWR: needs_o = 3'b100;
      tsv_pkg::DN_WIN, tsv_pkg::DN_RD, tsv_pkg::DN_WR, tsv_pkg::DN_ATM: needs_o = 3'b010;
      tsv_pkg::DN_LINE, tsv_pkg::DN_SECT, tsv_pkg::DN_SHM: needs_o = 3'b011;
      default: needs_o = 3'b000;
    endcase
  assign win_o = kind == tsv_pkg::DN_WIN;
  assign regrd_o = kind == tsv_pkg::DN_REGRD;
  assign sync_o = kind == tsv_pkg::DN_SYNC;
  assign all_o = sync_o && !shared;
  assign answers_o = kind == tsv_pkg::DN_WR ||
                     kind == tsv_pkg::DN_ATM && !head_i[tsv_pkg::DN_ATM_RET_LSB];
  // EXEC with mask, immediate and predicate, three words; others say it
  assign long_o = kind == tsv_pkg::DN_EXEC ?
                  head_i[tsv_pkg::DN_EXEC_HAS_MASK_LSB] && imm_at != 2'd0 &&
                  op == isa_pkg::OP_SELP[6:0] :
                  head_i[tsv_pkg::DN_ANY_LEN_LSB + 1 +: 4] != '0;
endmodule
