// SPDX-License-Identifier: Apache-2.0
// forms: keeps packets without what differs from warp to warp, and makes whole packets of them.
//
//   in -> KEEP -> [ forms: immediate, relative, head ] -.
//         SLOT -> [ slots: window, first register    ] -+-> [ add ] -> out
//         RUN  -> [ entries behind the first: 3      ] -'
//
// docs/blocks/forms.md has the rules. A form and a slot are read at the edge at which their entry
// becomes the first one, at the earliest that at which its RUN is taken. KEEP and SLOT change
// nothing of what waits: they are taken only while no entry is still to be read. An entry goes a
// cycle, and a RUN follows another without a gap. Relies on: nothing but KEEP, RUN and SLOT comes.
// Promises: entries go in the order in which they came, each once, as what was kept before their
// RUN.
`default_nettype none
`include "check.svh"

module forms #(
  parameter int FORMS = 64  /// forms, a power of two, 2 to 64
) (
  input  wire logic        clk_i,  /// clock
  input  wire logic        rst_ni,  /// synchronous reset, low
  /// a KEEP, RUN or SLOT has come; taken when in_ready was high
  input  wire logic        in_valid_i,
  input  wire logic [63:0] in_head_i,  /// its head, see docs/tsv.md
  input  wire logic [63:0] in_body_i,  /// the first flit of its body
  output logic             in_ready_o,  /// can take one
  output logic             out_valid_o,  /// a packet of a RUN; held until out_ready
  output logic [63:0]      out_head_o,  /// its head
  output logic [63:0]      out_body_o,  /// the first flit of its body
  input  wire logic        out_ready_i,  /// taken at this edge
  output logic             busy_o  /// a packet of a RUN waits
);
  localparam int FW = $clog2(FORMS);  // bits of a form's number
  localparam int FORM = 32 + 4 + 56;  // bits of a form: immediate, relative, head without its tag
  localparam int SLOT = 4 + 7;        // of a slot: window, first register
  localparam int ENTRY = 4 + 6 + 8;   // of an entry: slot, form, tag
  localparam int NONE = 255;          // tag of an entry that is not there

  `RANGE(FORMS_is_not_a_power_of_two_from_2_to_64,
         FORMS >= 2 && FORMS <= 64 && (FORMS & (FORMS - 1)) == 0)

  // ---- what comes
  logic take, keep, run, set;
  logic [3:0] kind;
  logic [ENTRY-1:0] e0, e1, e2;  // entries of the RUN
  logic [ENTRY-1:0] first;       // entry that is read
  logic [1:0] more;              // those behind its first one
  assign kind = in_head_i[tsv_pkg::DN_ANY_KIND_LSB +: 4];
  assign take = in_valid_i && in_ready_o;
  assign keep = take && kind == tsv_pkg::DN_KEEP;
  assign run = take && kind == tsv_pkg::DN_RUN;
  assign set = take && kind == tsv_pkg::DN_SLOT;
  assign e0 = {in_head_i[tsv_pkg::DN_RUN_SLOT0_LSB +: 4],
               in_head_i[tsv_pkg::DN_RUN_FORM0_LSB +: 6],
               in_head_i[tsv_pkg::DN_ANY_TAG_LSB +: 8]};
  assign e1 = {in_head_i[tsv_pkg::DN_RUN_SLOT1_LSB +: 4],
               in_head_i[tsv_pkg::DN_RUN_FORM1_LSB +: 6],
               in_head_i[tsv_pkg::DN_RUN_TAG1_LSB +: 8]};
  assign e2 = {in_head_i[tsv_pkg::DN_RUN_SLOT2_LSB +: 4],
               in_head_i[tsv_pkg::DN_RUN_FORM2_LSB +: 6],
               in_head_i[tsv_pkg::DN_RUN_TAG2_LSB +: 8]};
  logic unused;  // lengths, the tag of a form, numbers that are taken modulo FORMS
  assign unused = ^{in_head_i[16:12], in_body_i[11:4], first[13:8]};
  assign more = e1[7:0] == 8'(NONE) ? 2'd0 : e2[7:0] == 8'(NONE) ? 2'd1 : 2'd2;

  // ---- entries: the first one is read, those behind it are stored
  logic [1:0] rest_q;  // how many are behind it
  logic [ENTRY-1:0] r0_q, r1_q, r2_q;
  logic [7:0] tag_q;
  logic free, read;
  assign in_ready_o = rest_q == '0;
  assign free = !out_valid_o || out_ready_i;  // after this edge, without one that comes
  assign read = free && (rest_q != '0 || run);
  assign first = rest_q != '0 ? r0_q : e0;

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      out_valid_o <= 1'b0;
      rest_q <= '0;
    end else begin
      if (free) out_valid_o <= read;
      if (run) rest_q <= more + {1'b0, !free};
      else if (free && rest_q != '0) rest_q <= rest_q - 1'b1;
    end

  always_ff @(posedge clk_i) begin
    if (read) tag_q <= first[7:0];
    if (run) begin
      r0_q <= free ? e1 : e0;
      r1_q <= free ? e2 : e1;
      r2_q <= e2;
    end else if (free) begin
      r0_q <= r1_q;
      r1_q <= r2_q;
    end
  end

  // ---- forms and slots
  logic [FORM-1:0] form;
  logic [SLOT-1:0] slot;
`ifdef FORMAL
  logic [FORM*FORMS-1:0] f_forms;
  logic [SLOT*16-1:0] f_slots;
`endif
  ram_1r1w #(.LANES(1), .BITS(FORM), .DEPTH(FORMS)) i_forms (
    .clk_i, .r_en_i(read), .r_row_i(first[8 +: FW]), .r_data_o(form), .w_en_i(keep),
    .w_row_i(in_head_i[tsv_pkg::DN_KEEP_FORM_LSB +: FW]), .w_mask_i(1'b1),
    .w_data_i({in_head_i[tsv_pkg::DN_KEEP_IMM_LSB +: 32],
               in_head_i[tsv_pkg::DN_KEEP_RELATIVE_LSB +: 4], in_body_i[63:12], in_body_i[3:0]})
`ifdef FORMAL
    , .f_words_o(f_forms)
`endif
  );
  ram_1r1w #(.LANES(1), .BITS(SLOT), .DEPTH(16)) i_slots (
    .clk_i, .r_en_i(read), .r_row_i(first[14 +: 4]), .r_data_o(slot), .w_en_i(set),
    .w_row_i(in_head_i[tsv_pkg::DN_SLOT_SLOT_LSB +: 4]), .w_mask_i(1'b1),
    .w_data_i({in_head_i[tsv_pkg::DN_SLOT_WIN_LSB +: 4],
               in_head_i[tsv_pkg::DN_SLOT_BASE_LSB +: 7]})
`ifdef FORMAL
    , .f_words_o(f_slots)
`endif
  );

  // ---- the packet: registers d, a, b, c lie side by side, from the lowest
  localparam int EXEC_D = tsv_pkg::DN_EXEC_D_LSB;
  localparam int SHM_D = tsv_pkg::DN_SHM_D_LSB;
  logic [31:0] imm;
  logic [3:0] relative, win;  // relative: of c, b, a, d
  logic [6:0] base;
  logic [63:0] head, exec, other;
  logic is_exec, is_shm;
  logic [27:0] regs, sums;
  assign {win, base} = slot;
  assign {imm, relative, head[63:12], head[3:0]} = form;
  assign head[11:4] = tag_q;
  assign is_exec = head[tsv_pkg::DN_ANY_KIND_LSB +: 4] == tsv_pkg::DN_EXEC;
  assign is_shm = head[tsv_pkg::DN_ANY_KIND_LSB +: 4] == tsv_pkg::DN_SHM;
  assign regs = is_exec ? head[EXEC_D +: 28] : head[SHM_D +: 28];
  for (genvar i = 0; i < 4; i++) begin : g_add
    assign sums[7*i +: 7] = regs[7*i +: 7] + (relative[i] ? base : 7'd0);
  end
  assign exec = {head[63:EXEC_D+28], sums, head[EXEC_D-1:0]};
  assign other = {head[63:SHM_D+32], is_shm ? win : head[SHM_D+28 +: 4], sums, head[SHM_D-1:0]};
  assign out_head_o = {64{out_valid_o}} & (is_exec ? exec : other);
  assign out_body_o = {32'd0, {32{out_valid_o}} & imm};
  assign busy_o = out_valid_o;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(keep_run_or_slot, !in_valid_i || kind == tsv_pkg::DN_KEEP || kind == tsv_pkg::DN_RUN ||
                           kind == tsv_pkg::DN_SLOT)
    `CHK(what_waits_is_behind_a_first_one, out_valid_o || rest_q == '0)
    `CHK(a_run_finds_no_rest, !run || rest_q == '0)
  end

`ifdef FORMAL
  `include "forms_proof.svh"
`endif
endmodule
