// SPDX-License-Identifier: Apache-2.0
// bankctl_queue: the lines that wait, entry 0 the oldest, and what each of their sectors knows of
// the slots of its bank. A request joins the newest entry or becomes a new one (rule 1 of
// docs/blocks/bankctl.md).
//
//   req -> [ N-1 | ... | 1 | 0 ]    an entry whose last sector is served leaves; younger ones move
//                                   up by one
//
// Sets of sectors have bit N*k + i for entry i and bank k; those per slot, bit N*(4*k+s) + i. All
// outputs are as before the edge at which what is carried out and a request change the queue.
// Relies on: take_i only with room for an entry.
`default_nettype none
`include "check.svh"

module bankctl_queue #(
  parameter int N = 16,  /// entries
  parameter int RB = 14,  /// bits of a row
  parameter int SB = 5,  /// its low ones, the subarray
  parameter int CB = 5,  /// bits of a column
  parameter int IW = 4  /// bits of a place of data
) (
  input  wire logic             clk_i,  /// clock
  input  wire logic             rst_ni,  /// synchronous reset, low
  input  wire logic             active_i,  /// something may change
  // a request
  input  wire logic             take_i,  /// it is taken
  input  wire logic [3:0]       bank_i,  /// its bank, one hot
  input  wire logic [RB-1:0]    row_i,  /// row
  input  wire logic [CB-1:0]    col_i,  /// column
  input  wire logic             we_i,  /// write
  input  wire logic [7:0]       id_i,  /// id
  input  wire logic [IW-1:0]    place_i,  /// where its data lie
  // the slots, four a bank, and what is carried out
  input  wire logic [15:0]      open_i,  /// slots with a row
  input  wire logic [16*RB-1:0] rows_i,  /// their rows
  input  wire logic [16*SB-1:0] closed_i,  /// subarrays that they closed last
  input  wire logic [15:0]      act_at_i,  /// ACT: its slot, one hot, or none
  input  wire logic [N-1:0]     act_entry_i,  /// and entry, one hot; also without ACT
  input  wire logic [15:0]      close_at_i,  /// PRE: its slot, one hot, or none
  input  wire logic [3:0]       serve_i,  /// RD or WR: its bank, one hot, or none
  input  wire logic [N-1:0]     col_entry_i,  /// and entry, one hot; also without RD and WR
  input  wire logic [3:0]       col_bank_i,  /// bank that goes with it
  output logic [4*N-1:0]        waits_o,  /// sectors
  output logic [4*N-1:0]        hit_o,  /// the row is open,
  output logic [16*N-1:0]       at_o,  /// in this slot; without hit: another row of its subarray is
  output logic [16*N-1:0]       shut_o,  /// the slot closed the sector's subarray last
  output logic [4*N-1:0]        held_o,  /// an older sector must be served first
  output logic [N-1:0]          we_o,  /// entries that write
  output logic [N-1:0]          valid_o,  /// entries
  output logic [N-1:0]          valid_next_o,  /// entries after this edge
  output logic [N-1:0]          shift_o,  /// entries that are another one's after this edge
  output logic [RB-1:0]         act_row_o,  /// row of act_entry_i
  output logic [CB-1:0]         col_col_o,  /// column of col_entry_i
  output logic [7:0]            col_id_o,  /// its id, for col_bank_i
  output logic [IW-1:0]         col_place_o  /// place of its data, for col_bank_i
`ifdef FORMAL
  // state, for the proof: of each sector the place of its data; of each entry row, column, and id
  , output logic [N-1:0]        f_where_o  /// entry of the request after this edge, one hot
  , output logic [4*IW*N-1:0]   f_place_o  /// places, in the order of waits_o
  , output logic [CB*N-1:0]     f_col_o  /// columns
  , output logic [6*N-1:0]      f_id_o  /// upper bits of the ids
  , output logic [2*N-1:0]      f_skew_o  /// lower ones, without the bank
`endif
);
  localparam int Pairs = N > 1 ? N * (N - 1) / 2 : 1;

  logic [RB*N-1:0] row_q;
  logic [CB*N-1:0] col_q;
  logic [6*N-1:0] id_q;    // upper bits of the id
  logic [2*N-1:0] skew_q;  // bits that differ in the lower ones and the bank
  logic [4*IW*N-1:0] place_q;
  logic [Pairs-1:0] dep_q;  // bit pair(i, j): entry i is of the line of the older j, one writes
  function automatic int pair(input int i, input int j);
    pair = j < i ? i * (i - 1) / 2 + j : 0;
  endfunction

  // ---- who leaves
  logic [4*N-1:0] stays;  // sectors without the one that is served
  logic [N-1:0] several;  // entries with more than one: known before it is whether one is served
  logic [N-1:0] newest, left, last_left;
  logic leaves;
  always_comb begin
    several = '0;
    for (int k = 0; k < 4; k++) begin
      stays[N*k +: N] = waits_o[N*k +: N] & ~(col_entry_i & {N{serve_i[k]}});
      for (int j = 0; j < 4; j++)
        if (j < k)
          several = several | waits_o[N*k +: N] & waits_o[N*j +: N];
    end
  end
  assign leaves = serve_i != '0 && (col_entry_i & several) == '0;
  // from the one that leaves on; each bit by itself, as a carry of N bits would be the longest path
  always_comb begin
    shift_o = '0;
    if (leaves)
      for (int i = 0; i < N; i++) shift_o[i] = (col_entry_i & ((N'(2) << i) - 1'b1)) != '0;
  end
  function automatic [N-1:0] moved(input [N-1:0] set, input [N-1:0] shift);
    moved = set & ~shift | (set >> 1) & shift;
  endfunction

  // ---- who comes: a sector of the newest entry, or of a new one
  logic joins_q, belongs;  // it becomes a sector of the newest entry
  logic [RB-1:0] last_row_q;  // of the newest entry
  logic [CB-1:0] last_col_q;
  logic [5:0] last_id_q;
  logic last_we_q, stays_newest;
  logic [3:0] banks_q;
  logic [N-1:0] where;  // its entry after this edge, one hot, or none
  assign newest = valid_o & ~(valid_o >> 1);
  assign stays_newest = valid_o != '0 && !(leaves && (newest & col_entry_i) != '0);
  assign belongs = joins_q && stays_newest && row_i == last_row_q && col_i == last_col_q &&
                we_i == last_we_q && id_i[7:2] == last_id_q && (bank_i & banks_q) == '0 &&
                4'd1 << id_i[1:0] == bank_i;
  assign left = leaves ? valid_o >> 1 : valid_o;
  assign last_left = left & ~(left >> 1);
  assign where = !take_i ? '0 : belongs ? last_left : ~left & (left << 1 | N'(1));
  assign valid_next_o = left | where;

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      valid_o <= '0;
      waits_o <= '0;
      joins_q <= 1'b0;
    end else if (active_i) begin
      valid_o <= valid_next_o;
      for (int k = 0; k < 4; k++)
        waits_o[N*k +: N] <= moved(stays[N*k +: N], shift_o) | where & {N{bank_i[k]}};
      if (take_i) joins_q <= belongs || 4'd1 << id_i[1:0] == bank_i;
      else if (!stays_newest) joins_q <= 1'b0;
    end
  always_ff @(posedge clk_i)
    if (take_i) begin
      last_row_q <= row_i;
      last_col_q <= col_i;
      last_we_q <= we_i;
      last_id_q <= id_i[7:2];
      banks_q <= belongs ? banks_q | bank_i : bank_i;
    end

  // ---- entries
  logic [1:0] bank_index;
  assign bank_index = {bank_i[3] | bank_i[2], bank_i[3] | bank_i[1]};
  always_ff @(posedge clk_i)
    if (take_i || leaves) begin
      we_o <= moved(we_o, shift_o) & ~where | where & {N{we_i}};
      for (int i = 0; i < N; i++)
        if (where[i]) begin
          row_q[RB*i +: RB] <= row_i;
          col_q[CB*i +: CB] <= col_i;
          id_q[6*i +: 6] <= id_i[7:2];
          skew_q[2*i +: 2] <= id_i[1:0] ^ bank_index;
        end else if (shift_o[i] && i + 1 < N) begin
          row_q[RB*i +: RB] <= row_q[RB*((i+1) % N) +: RB];
          col_q[CB*i +: CB] <= col_q[CB*((i+1) % N) +: CB];
          id_q[6*i +: 6] <= id_q[6*((i+1) % N) +: 6];
          skew_q[2*i +: 2] <= skew_q[2*((i+1) % N) +: 2];
        end
      for (int k = 0; k < 4; k++)
        for (int i = 0; i < N; i++)
          if (where[i] && bank_i[k]) place_q[IW*(N*k+i) +: IW] <= place_i;
          else if (shift_o[i] && i + 1 < N)
            place_q[IW*(N*k+i) +: IW] <= place_q[IW*(N*k + (i+1) % N) +: IW];
    end

  // ---- order of sectors of one line
  logic [N-1:0] same, same_moved;  // entries of the line that comes, one of both writes
  always_comb begin
    same = '0;
    if (take_i)
      for (int i = 0; i < N; i++)
        same[i] = valid_o[i] && row_q[RB*i +: RB] == row_i && col_q[CB*i +: CB] == col_i &&
                  (we_i || we_o[i]);
  end
  assign same_moved = moved(same, shift_o);
  always_ff @(posedge clk_i)
    if (take_i || leaves)
      for (int i = 1; i < N; i++)
        for (int j = 0; j < N - 1; j++)
          if (j < i) begin
            if (where[i] && !belongs) dep_q[pair(i, j)] <= same_moved[j];
            else if (shift_o[i] && i + 1 < N)
              dep_q[pair(i, j)] <= shift_o[j] ? dep_q[pair((i+1) % N, (j+1) % N)] :
                                                dep_q[pair((i+1) % N, j)];
          end
  always_comb begin
    held_o = '0;
    if (dep_q != '0)
      for (int i = 1; i < N; i++)
        for (int j = 0; j < N - 1; j++)
          if (j < i && dep_q[pair(i, j)])
            for (int k = 0; k < 4; k++) if (waits_o[N*k + j]) held_o[N*k + i] = 1'b1;
  end

  // ---- slots of the sectors: ACT opens, PRE closes; of the sector that comes
  logic [N-1:0] near, alike;  // entries of the subarray, of the row, that ACT opens
  logic [3:0] come_open, come_act, come_pre, come_at, come_shut;  // of its bank's slots
  logic come_near, come_alike, come_hit;
  logic [4*RB-1:0] come_rows;
  logic [4*SB-1:0] come_closed;
  always_comb begin
    near = '0;
    alike = '0;
    if (act_at_i != '0)
      for (int i = 0; i < N; i++) begin
        near[i] = row_q[RB*i +: SB] == act_row_o[SB-1:0];
        alike[i] = row_q[RB*i +: RB] == act_row_o;
      end
  end
  always_comb begin
    {come_open, come_act, come_pre, come_rows, come_closed} = '0;
    {come_at, come_shut, come_near, come_alike, come_hit} = '0;
    if (take_i) begin
      for (int k = 0; k < 4; k++)
        if (bank_i[k]) begin
          come_open = come_open | open_i[4*k +: 4];
          come_act = come_act | act_at_i[4*k +: 4];
          come_pre = come_pre | close_at_i[4*k +: 4];
          come_rows = come_rows | rows_i[4*RB*k +: 4*RB];
          come_closed = come_closed | closed_i[4*SB*k +: 4*SB];
        end
      come_near = row_i[SB-1:0] == act_row_o[SB-1:0];
      come_alike = row_i == act_row_o;
      come_hit = come_act != '0 && come_alike;
      for (int s = 0; s < 4; s++) begin
        come_at[s] = come_act[s] ? come_near :
                     come_open[s] && !come_pre[s] && come_rows[RB*s +: SB] == row_i[SB-1:0];
        come_shut[s] = (come_pre[s] ? come_rows[RB*s +: SB] : come_closed[SB*s +: SB]) ==
                       row_i[SB-1:0];
        if (come_open[s] && !come_pre[s] && come_rows[RB*s +: RB] == row_i) come_hit = 1'b1;
      end
    end
  end

  logic [N-1:0] comes, hit, lost;  // of a bank
  logic [4*N-1:0] at, shut;
  logic [4*N-1:0] hit_next;
  logic [16*N-1:0] at_next, shut_next;
  logic changes;
  assign changes = take_i || leaves || act_at_i != '0 || close_at_i != '0;
  always_comb begin
    {hit_next, at_next, shut_next} = {hit_o, at_o, shut_o};
    {comes, hit, lost, at, shut} = '0;
    if (changes)
      for (int k = 0; k < 4; k++) begin
        comes = where & {N{bank_i[k]}};
        lost = '0;
        for (int s = 0; s < 4; s++) begin
          at[N*s +: N] = at_o[N*(4*k+s) +: N];
          lost = lost | at[N*s +: N] & {N{close_at_i[4*k+s]}};
          shut[N*s +: N] = close_at_i[4*k+s] ? at[N*s +: N] : shut_o[N*(4*k+s) +: N];
          at[N*s +: N] = act_at_i[4*k+s] ? near : at[N*s +: N] & ~{N{close_at_i[4*k+s]}};
          at_next[N*(4*k+s) +: N] = moved(at[N*s +: N], shift_o) & ~comes |
                                    comes & {N{come_at[s]}};
          shut_next[N*(4*k+s) +: N] = moved(shut[N*s +: N], shift_o) & ~comes |
                                      comes & {N{come_shut[s]}};
        end
        hit = hit_o[N*k +: N] & ~lost | alike & {N{act_at_i[4*k +: 4] != '0}};
        hit_next[N*k +: N] = moved(hit, shift_o) & ~comes | comes & {N{come_hit}};
      end
  end
  always_ff @(posedge clk_i)
    if (active_i && changes) {hit_o, at_o, shut_o} <= {hit_next, at_next, shut_next};

  // ---- what is carried out
  logic [1:0] col_index;
  logic [1:0] col_skew;
  assign col_index = {col_bank_i[3] | col_bank_i[2], col_bank_i[3] | col_bank_i[1]};
  always_comb begin
    act_row_o = '0;
    if (act_entry_i != '0)
      for (int i = 0; i < N; i++) if (act_entry_i[i]) act_row_o = act_row_o | row_q[RB*i +: RB];
  end
  always_comb begin
    {col_col_o, col_skew, col_id_o, col_place_o} = '0;
    if (col_entry_i != '0)
      for (int i = 0; i < N; i++)
        if (col_entry_i[i]) begin
          col_col_o = col_col_o | col_q[CB*i +: CB];
          col_id_o[7:2] = col_id_o[7:2] | id_q[6*i +: 6];
          col_skew = col_skew | skew_q[2*i +: 2];
          for (int k = 0; k < 4; k++)
            if (col_bank_i[k]) col_place_o = col_place_o | place_q[IW*(N*k+i) +: IW];
        end
    col_id_o[1:0] = col_skew ^ col_index;
  end

  logic [3:0] banks_of_newest;
  always_comb
    for (int k = 0; k < 4; k++) banks_of_newest[k] = (waits_o[N*k +: N] & newest) != '0;
  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(entries_from_the_oldest_on, (valid_o & (valid_o + 1'b1)) == '0)
    `CHK(an_entry_has_a_sector, valid_o == (waits_o[0 +: N] | waits_o[N +: N] |
                                            waits_o[2*N +: N] | waits_o[3*N +: N]))
    `CHK(takes_with_room, !take_i || !valid_o[N-1])
    `CHK(the_newest_had_its_banks, !joins_q || (banks_of_newest & ~banks_q) == '0)
    `CHK(joins_what_is_there, !joins_q || valid_o != '0)
  end

`ifdef FORMAL
  assign f_where_o = where;
  assign {f_place_o, f_col_o, f_id_o, f_skew_o} = {place_q, col_q, id_q, skew_q};
  `include "bankctl_queue_score.svh"
  // What the entries know of each other.
  for (genvar i = 0; i < N; i++) begin : f_entry
    for (genvar j = 0; j < i; j++) begin : g_older
      always @(posedge clk_i) if (rst_ni && valid_o[i])
        `CHK(knows_whom_not_to_pass, dep_q[pair(i, j)] ==
             (row_q[RB*i +: RB] == row_q[RB*j +: RB] && col_q[CB*i +: CB] == col_q[CB*j +: CB] &&
              (we_o[i] || we_o[j])))
    end
  end
`endif
endmodule
