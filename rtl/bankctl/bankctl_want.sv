// SPDX-License-Identifier: Apache-2.0
// bankctl_want: what the requests for one bank want to do in this cycle, and may: the sets of entries
// for a column access, SASEL, ACT and PRE. Combinational; rules 4 to 8 of docs/blocks/bankctl.md.
`default_nettype none

module bankctl_want #(
  parameter int N = 16  /// entries of the queue
) (
  input  wire logic [N-1:0]    mine_i,  /// entries for this bank
  input  wire logic [N-1:0]    head_i,  /// the oldest of them, one hot
  input  wire logic [N-1:0]    we_i,
  input  wire logic [N-1:0]    held_i,  /// must not pass an older request
  input  wire logic [N-1:0]    hit_i,  /// the row is open
  input  wire logic [4*N-1:0]  slot_i,  /// where: bit N*s + i for slot s and entry i
  input  wire logic [4*N-1:0]  same_i,  /// as slot_i: the slot has the entry's subarray,
  input  wire logic [4*N-1:0]  shut_i,  /// or closed it last
  input  wire logic [2:0]      cfg_rows_i,
  input  wire logic            act_ok_i,  /// the controller's times for ACT have passed
  // the bank
  input  wire logic [3:0]      open_i,
  input  wire logic            room_i,  /// fewer rows than allowed are open
  input  wire logic [3:0]      sel_i,  /// the selected slot, one hot, or none
  input  wire logic [3:0]      col_i,
  input  wire logic [3:0]      col1_i,
  input  wire logic [3:0]      pre_i,
  input  wire logic [3:0]      wait_i,
  input  wire logic [3:0]      lru_i,  /// one hot, or none
  input  wire logic            rd_i,
  input  wire logic            wr_i,
  input  wire logic            rd1_i,
  input  wire logic            wr1_i,
  input  wire logic            sib_i,
  input  wire logic            rp_i,
  input  wire logic            ref_i,
  input  wire logic            impatient_i,
  input  wire logic            refreshing_i,
  input  wire logic            hold_i,  /// another bank is urgent: columns only,
  input  wire logic            skip_i,  /// or nothing
  input  wire logic [3:0]      hits_i,  /// slots that entries hit
  output logic [N-1:0]         column_o,
  output logic [N-1:0]         sasel_o,
  output logic [N-1:0]         act_o,
  output logic [N-1:0]         next_o,  /// ACT, were another row closed: without regard to room
  output logic [N-1:0]         pre_o,
  output logic [4*N-1:0]       close_o  /// the slot that PRE closes, as slot_i
);
  logic busy;  // a hit of the selected slot can be served, or another bank is urgent: nobody changes the selection

  assign busy = hold_i || !impatient_i && (hits_i & sel_i & col1_i) != '0;

  logic [N-1:0] may;
  assign may = refreshing_i || skip_i ? '0 : impatient_i ? head_i : mine_i;

  logic [3:0] slot;  // slot of the entry's row, one hot
  logic [3:0] same;  // open slots in the entry's subarray
  logic waits;       // its subarray was closed too recently
  always_comb begin
    slot = '0;
    same = '0;
    waits = 1'b0;
    column_o = '0;
    sasel_o = '0;
    act_o = '0;
    next_o = '0;
    pre_o = '0;
    close_o = '0;
    if (may != '0)
      for (int i = 0; i < N; i++) begin
        for (int k = 0; k < 4; k++) slot[k] = slot_i[N*k + i];
        waits = 1'b0;
        for (int k = 0; k < 4; k++) begin
          same[k] = open_i[k] && same_i[N*k + i];
          waits = waits || wait_i[k] && shut_i[N*k + i];
        end
        if (may[i] && hit_i[i]) begin
          if ((slot & sel_i) != '0)
            column_o[i] = !held_i[i] && (col_i & slot) != '0 && (we_i[i] ? wr_i : rd_i);
          else
            sasel_o[i] = !held_i[i] && sib_i && (col1_i & slot) != '0 && (we_i[i] ? wr1_i : rd1_i) && !busy;
        end else if (may[i]) begin
          next_o[i] = act_ok_i && sib_i && ref_i && !waits && (cfg_rows_i != 3'd1 || rp_i) && !busy && same == '0;
          if (same != '0) begin
            for (int k = 0; k < 4; k++) close_o[N*k + i] = same[k];
            pre_o[i] = !hold_i && (pre_i & same) != '0 && ((hits_i & same) == '0 || impatient_i);
          end else if (room_i)
            act_o[i] = next_o[i];
          else begin
            for (int k = 0; k < 4; k++) close_o[N*k + i] = lru_i[k];
            pre_o[i] = !hold_i && (pre_i & lru_i) != '0;
          end
        end
      end
  end
endmodule
