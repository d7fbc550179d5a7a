// SPDX-License-Identifier: Apache-2.0
// ldq: the keys of lines that were requested and have not come yet, each once.
//
//   leave -> [ cam_2s1w ] -> entry -> free ----------.----> [ who, layers: ram_1r1w ] -> left
//   ask   -> [  keys    ] -> entry, or a free one ---'
//                                  '-> there, entered, full ---------------------------> ans
//
// docs/blocks/ldq.md has the rules. One ask and one leave a cycle, the leave first; answers are
// there after the edge. Relies on: nothing. Promises: a key that was entered leaves once, and is
// never there twice.
`default_nettype none
`include "check.svh"

module ldq #(
  parameter int ENTRIES = 512  /// keys that it holds, a power of two, 2 to 8192
) (
  input  wire logic        clk_i,  /// clock
  input  wire logic        rst_ni,  /// synchronous reset, low
  input  wire logic        ask_valid_i,  /// somebody needs a line
  input  wire logic [29:0] ask_key_i,  /// which line
  input  wire logic [10:0] ask_who_i,  /// who needs it
  input  wire logic [2:0]  ask_layer_i,  /// layer of whoever needs it
  input  wire logic        ask_enter_i,  /// a key that is not there may be entered
  input  wire logic        leave_valid_i,  /// a line has come
  input  wire logic [29:0] leave_key_i,  /// which line
  output logic             ans_valid_o,  /// answer to the ask of the last edge
  /// 0 the key was there, 1 it was entered, 2 neither; holds its value while ans_valid is low
  output logic [1:0]       ans_state_o,
  /// ask_who of that ask; holds its value while ans_valid is low
  output logic [10:0]      ans_who_o,
  output logic             left_valid_o,  /// answer to the leave of the last edge
  /// the key was there; holds its value while left_valid is low
  output logic             left_there_o,
  /// of the last key that left: ask_who of the ask that entered it
  output logic [10:0]      left_who_o,
  /// of the last key that left: layers that asked for it, a bit each
  output logic [7:0]       left_layers_o,
  output logic             busy_o  /// a key is there
`ifdef FORMAL
  , output logic [41:0]    f_watch_o  /// proof: a key 29:0, who asked first 40:30, it is there 41
`endif
);
  localparam int KEY = 30;
  localparam int N = ENTRIES;
  localparam int NW = $clog2(N);
  localparam logic [1:0] THERE = 2'd0, ENTERED = 2'd1, FULL = 2'd2;

  `RANGE(ENTRIES_is_not_a_power_of_two_from_2_to_8192,
         ENTRIES >= 2 && ENTRIES <= 8192 && (ENTRIES & (ENTRIES - 1)) == 0)

  // ---- entries that have the keys
  logic [N-1:0] taken_q, ask_rows, leave_rows, has, gone, there, free, take;
  logic [NW-1:0] row, gone_row;
  logic ask, enter, left;
`ifdef FORMAL
  logic [KEY*N-1:0] f_keys;
  logic [19*N-1:0] f_words;
`endif
  assign ask = rst_ni && ask_valid_i;
  cam_2s1w #(.BITS(KEY), .DEPTH(N)) i_keys (
    .clk_i, .a_en_i(ask), .a_key_i(ask_key_i), .a_rows_o(ask_rows),
    .b_en_i(rst_ni && leave_valid_i), .b_key_i(leave_key_i), .b_rows_o(leave_rows),
    .w_en_i(enter), .w_row_i(row), .w_key_i(ask_key_i)
`ifdef FORMAL
    , .f_words_o(f_keys)
`endif
  );
  assign has = ask_rows & taken_q;
  assign gone = leave_rows & taken_q;
  assign left = gone != '0;

  // ---- an entry for a new key: the lowest free one; of those that are all taken the one that is
  // leaving. Which one it is shows nowhere, and a leave is a long way from here.
  assign there = has & ~gone;
  assign free = ~taken_q;
  assign take = free != '0 ? free & (~free + 1'b1) : gone;
  assign enter = ask && ask_enter_i && there == '0 && take != '0;
  always_ff @(posedge clk_i)
    if (!rst_ni) taken_q <= '0;
    else if (left || enter) taken_q <= taken_q & ~gone | take & {N{enter}};
  assign busy_o = taken_q != '0;

  // ---- numbers of entries
  logic [N-1:0] change;  // entry that is written
  assign change = enter ? take : there;
  for (genvar b = 0; b < NW; b++) begin : g_number
    localparam logic [N-1:0] ODD = {N / 2 / (1 << b){{1 << b{1'b1}}, {1 << b{1'b0}}}};
    assign row[b] = (change & ODD) != '0;
    assign gone_row[b] = (gone & ODD) != '0;
  end

  // ---- who asked first, and layers: an ask for a key that is there sets a bit
  logic [7:0] layer;
  assign layer = 8'd1 << ask_layer_i;
  ram_1r1w #(.LANES(19), .BITS(1), .DEPTH(N)) i_who (
    .clk_i, .r_en_i(left), .r_row_i(gone_row), .r_data_o({left_who_o, left_layers_o}),
    .w_en_i(enter || there != '0), .w_row_i(row), .w_mask_i({{11{enter}}, {8{enter}} | layer}),
    .w_data_i({ask_who_i, layer})
`ifdef FORMAL
    , .f_words_o(f_words)
`endif
  );

  // ---- answers
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      ans_valid_o <= 1'b0;
      left_valid_o <= 1'b0;
    end else begin
      ans_valid_o <= ask_valid_i;
      left_valid_o <= leave_valid_i;
    end
  always_ff @(posedge clk_i) begin
    if (ask) begin
      ans_state_o <= there != '0 ? THERE : enter ? ENTERED : FULL;
      ans_who_o <= ask_who_i;
    end
    if (rst_ni && leave_valid_i) left_there_o <= left;
  end

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(one_entry_has_the_key, (has & (has - 1'b1)) == '0 && (gone & (gone - 1'b1)) == '0)
    `CHK(enters_a_free_one, !enter || (take & taken_q & ~gone) == '0)
  end

`ifdef FORMAL
  `include "ldq_proof.svh"
`endif
endmodule
