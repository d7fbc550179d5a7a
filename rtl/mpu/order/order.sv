// SPDX-License-Identifier: Apache-2.0
// order: holds the packets of a near-bank unit until each may begin, so that all execute as if one
// after the other.
//
//   in -> [ look ] -> [ entries: registers, memory, waits ] -> [ oldest that may go ]
//    '--------------> [ packets: heads and first flits    ] --------'--> out
//                     [ SYNC: the lowest that waits for nothing ] -----> sync
//
// docs/blocks/order.md has the rules. A packet goes at the edge after it came at the earliest; one
// goes a cycle. Relies on: packets that docs/tsv.md has; others speak of entries that are gone and
// not complete; EXEC is complete when it is awake, not before. Promises: a packet goes once, after
// what it must come behind; the oldest that waits for no room goes.
`default_nettype none
`include "check.svh"

module order #(
  parameter int HELD = 16  /// packets that wait or are under way, 2 to 32
) (
  input  wire logic         clk_i,  /// clock
  input  wire logic         rst_ni,  /// synchronous reset, low
  input  wire logic         in_valid_i,  /// a packet has come; taken when in_ready was high
  input  wire logic [63:0]  in_head_i,  /// its head, see docs/tsv.md
  input  wire logic [63:0]  in_body_i,  /// the first flit of its body
  output logic              in_ready_o,  /// an entry is free
  output logic              out_valid_o,  /// a packet may begin; held until out_ready
  /// its head, with the number of its entry in the place of the tag
  output logic [63:0]       out_head_o,
  output logic [63:0]       out_body_o,  /// the first flit of its body
  output logic              out_long_o,  /// its body is in tsv
  input  wire logic         out_ready_i,  /// taken at this edge
  input  wire logic         opc_room_i,  /// the operand collectors can take a packet
  input  wire logic         lsux_room_i,  /// the LSU-Extension can take one
  input  wire logic         regm_room_i,  /// regmove can take a REGWR
  /// the last operands of a packet go to a unit at this edge
  input  wire logic         read_valid_i,
  input  wire logic [4:0]   read_n_i,  /// its entry
  input  wire logic         read_exec_i,  /// the unit is valu
  input  wire logic         valu_done_i,  /// valu has completed a packet
  input  wire logic [4:0]   valu_n_i,  /// its entry
  input  wire logic         lsux_done_i,  /// the LSU-Extension has completed a packet
  input  wire logic [4:0]   lsux_n_i,  /// its entry
  input  wire logic         regm_done_i,  /// regmove has completed a packet
  input  wire logic [4:0]   regm_n_i,  /// its entry
  input  wire logic         up_done_i,  /// the answer to a packet has gone up
  input  wire logic [4:0]   up_n_i,  /// its entry
  output logic              sync_valid_o,  /// all before a SYNC is done; held until sync_ready
  output logic [4:0]        sync_n_o,  /// its entry
  input  wire logic         sync_ready_i,  /// taken at this edge
  output logic [255:0]      tags_o,  /// tags of the entries, 8 bits each
  output logic [31:0]       answers_o,  /// entries of WR and of ATM without RET
  output logic              busy_o  /// an entry is in use
);
  localparam int N = HELD;
  localparam int NW = $clog2(N);  // bits of an entry's number
  localparam int WORD = 1 + 64 + 64 - 8;  // long, body, head without its tag

  `RANGE(HELD_is_not_from_2_to_32, HELD >= 2 && HELD <= 32)

  function automatic [N-1:0] entry(input valid, input [4:0] n);  // as one bit
    for (int i = 0; i < N; i++) entry[i] = valid && n == 5'(i);
  endfunction
  function automatic [4:0] number(input [N-1:0] one);  // of the bit that is set
    number = '0;
    for (int i = 0; i < N; i++) if (one[i]) number = number | 5'(i);
  endfunction

  // ---- what comes: the free entry with the lowest number takes it
  logic [N-1:0] used_q, free, take;
  logic [26:0] reads;
  logic [8:0] write;
  logic [20:0] memory;
  logic [2:0] needs;
  logic is_win, is_regrd, is_sync, is_all, is_answer, is_long;
  order_look i_look (
    .head_i(in_head_i), .body_i(in_body_i[40:0]), .reads_o(reads), .write_o(write),
    .memory_o(memory), .needs_o(needs), .win_o(is_win), .regrd_o(is_regrd), .sync_o(is_sync),
    .all_o(is_all), .answers_o(is_answer), .long_o(is_long)
  );
  assign free = ~used_q;
  assign in_ready_o = free != '0;
  assign take = free & (~free + 1'b1) & {N{in_valid_i}};

  // ---- what happens to the entries: a free one is gone, read and awake
  logic [N-1:0] gone_q, read_q, awake_q;
  logic [N-1:0] gone, read, awake, done;  // after this edge, without the packet that comes
  logic [N-1:0] win_q, regrd_q, sync_q, answer_q;
  logic [N-1:0] waits, go, leave, left, told, was_read;

  // EXEC is awake three edges after it was read: the beat is three stages before valu's output
  logic [2:0] wake_q;
  logic [4:0] wake0_q, wake1_q, wake2_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) wake_q <= '0;
    else wake_q <= {wake_q[1:0], read_valid_i && read_exec_i};
  always_ff @(posedge clk_i) begin
    if (read_valid_i) wake0_q <= read_n_i;
    if (wake_q[0]) wake1_q <= wake0_q;
    if (wake_q[1]) wake2_q <= wake1_q;
  end

  assign was_read = entry(read_valid_i, read_n_i);
  assign left = entry(sync_valid_o && sync_ready_i, sync_n_o);
  assign told = entry(valu_done_i, valu_n_i) | entry(lsux_done_i, lsux_n_i) |
                entry(regm_done_i, regm_n_i) | entry(up_done_i, up_n_i);
  assign done = told | left | go & win_q;
  assign gone = gone_q | go | leave | done;
  assign read = read_q | was_read | done;
  assign awake = awake_q | was_read & regrd_q | entry(wake_q[2], wake2_q) | done;

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      used_q <= '0;
      gone_q <= '1;
      read_q <= '1;
      awake_q <= '1;
    end else begin
      used_q <= used_q & ~done | take;
      gone_q <= gone & ~take;
      read_q <= read & ~take | take & {N{{reads[21:18], reads[12:9], reads[3:0]} == '0}};
      awake_q <= awake & ~take;
    end

  // ---- the entries
  logic [N-1:0] hit_awake, hit_read, hit_gone, room, answers;
  logic [8*N-1:0] tags_q;
  logic [N*N-1:0] older;  // bits N*i to N*i+N-1: the entries before entry i
`ifdef FORMAL
  logic [60*N-1:0] f_look;
  logic [3*N*N-1:0] f_waits;
  logic [WORD*N-1:0] f_words;
`endif
  for (genvar i = 0; i < N; i++) begin : g_entry
    logic [2:0] entry_needs;
    order_entry #(.N(N)) i_entry (
      .clk_i, .take_i(take[i]), .look_i({needs, memory, write, reads}),
      .wait_awake_i((hit_awake | {N{is_all}}) & used_q & ~awake),
      .wait_read_i(hit_read & used_q & ~read), .wait_gone_i(hit_gone & used_q & ~gone),
      .awake_i(awake), .read_i(read), .gone_i(gone), .hit_awake_o(hit_awake[i]),
      .hit_read_o(hit_read[i]), .hit_gone_o(hit_gone[i]), .needs_o(entry_needs), .waits_o(waits[i])
`ifdef FORMAL
      , .f_look_o(f_look[60*i +: 60]), .f_waits_o(f_waits[3*N*i +: 3*N])
`endif
    );
    assign room[i] = (entry_needs & ~{regm_room_i, lsux_room_i, opc_room_i}) == '0;
    always_ff @(posedge clk_i)
      if (take[i]) begin
        win_q[i] <= is_win;
        regrd_q[i] <= is_regrd;
        sync_q[i] <= is_sync;
        answer_q[i] <= is_answer;
        tags_q[8*i +: 8] <= in_head_i[tsv_pkg::DN_ANY_TAG_LSB +: 8];
      end

    // who came first: a register for each two entries
    assign older[N*i + i] = 1'b0;
    for (genvar j = 0; j < i; j++) begin : g_older
      logic before_q;  // j came before i
      always_ff @(posedge clk_i)
        if (take[i] || take[j]) before_q <= take[i];
      assign older[N*i + j] = before_q;
      assign older[N*j + i] = !before_q;
    end
  end
  assign tags_o = 256'(tags_q);
  assign answers = used_q & answer_q;
  assign answers_o = 32'(answers);

  // ---- the oldest that may go
  logic out_free;
  logic [N-1:0] may;
  logic [4:0] n, n_q;
  logic [WORD-1:0] out;
  assign out_free = !out_valid_o || out_ready_i;
  assign may = used_q & ~gone_q & ~sync_q & ~waits & room;
  always_comb
    for (int i = 0; i < N; i++)
      go[i] = out_free && may[i] && (older[N*i +: N] & may) == '0;
  assign n = number(go);

  always_ff @(posedge clk_i)
    if (!rst_ni) out_valid_o <= 1'b0;
    else if (out_free) out_valid_o <= go != '0;
  always_ff @(posedge clk_i) if (go != '0) n_q <= n;

  ram_1r1w #(.LANES(1), .BITS(WORD), .DEPTH(N)) i_packets (
    .clk_i, .r_en_i(go != '0), .r_row_i(n[NW-1:0]), .r_data_o(out), .w_en_i(take != '0),
    .w_row_i(NW'(number(take))), .w_mask_i(1'b1),
    .w_data_i({is_long, in_body_i, in_head_i[63:12], in_head_i[3:0]})
`ifdef FORMAL
    , .f_words_o(f_words)
`endif
  );
  assign out_head_o = {out[55:4], 3'd0, n_q, out[3:0]};
  assign {out_long_o, out_body_o} = out[WORD-1:56];

  // ---- the SYNC with the lowest number that waits for nothing
  logic [N-1:0] ends;
  assign ends = used_q & ~gone_q & sync_q & ~waits;
  assign leave = ends & (~ends + 1'b1) & {N{!sync_valid_o || sync_ready_i}};
  always_ff @(posedge clk_i)
    if (!rst_ni) sync_valid_o <= 1'b0;
    else if (!sync_valid_o || sync_ready_i) sync_valid_o <= leave != '0;
  always_ff @(posedge clk_i) if (leave != '0) sync_n_o <= number(leave);

  assign busy_o = used_q != '0 || out_valid_o;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    // what is said of entries is of those that are under way
    `ASM(read_is_of_one_that_is_gone, (was_read & ~(used_q & gone_q & ~awake_q & ~sync_q)) == '0)
    `ASM(done_is_of_one_that_is_gone, (told & ~(used_q & gone_q & ~sync_q)) == '0)
    `ASM(valu_is_done_with_one_that_is_awake, (entry(valu_done_i, valu_n_i) & ~awake_q) == '0)
    `CHK(goes_once, (go & (go - 1'b1)) == '0 && (go & ~(used_q & ~gone_q)) == '0)
    `CHK(goes_when_it_waits_for_nothing, ((go | leave) & waits) == '0)
    `CHK(takes_a_free_entry, (take & used_q) == '0 && (take & (take - 1'b1)) == '0)
    `CHK(free_ones_are_gone_read_and_awake, (~used_q & ~(gone_q & read_q & awake_q)) == '0)
    `CHK(a_sync_on_its_way_is_held,
         !sync_valid_o || (entry(1'b1, sync_n_o) & ~(used_q & gone_q & sync_q)) == '0)
  end

`ifdef FORMAL
  `include "order_proof.svh"
`endif
endmodule
