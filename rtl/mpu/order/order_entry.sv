// SPDX-License-Identifier: Apache-2.0
// order_entry: what one entry of order knows of its packet, and the entries that it waits for.
//
//   look_i -> [ registers, memory, who executes it ] -> hit_*_o: what look_i would have to wait for
//   wait_*_i -> [ waits ] -> waits_o
//
// A wait ends at the edge at which the other entry gets awake, is read, or goes.
`default_nettype none
`include "check.svh"

module order_entry #(
  parameter int N = 16  /// entries
) (
  input  wire logic         clk_i,  /// clock
  input  wire logic         take_i,  /// a packet enters
  /// what matters of it, as order_look has it: needs 59:57, memory 56:36, result 35:27, a, b, c
  input  wire logic [59:0]  look_i,
  input  wire logic [N-1:0] wait_awake_i,  /// entries that it waits for until they are awake
  input  wire logic [N-1:0] wait_read_i,  /// until they are read
  input  wire logic [N-1:0] wait_gone_i,  /// until they are gone
  input  wire logic [N-1:0] awake_i,  /// entries that are awake after this edge
  input  wire logic [N-1:0] read_i,  /// entries that are read
  input  wire logic [N-1:0] gone_i,  /// entries that are gone
  output logic              hit_awake_o,  /// look_i waits for it until it is awake
  output logic              hit_read_o,  /// until it is read
  output logic              hit_gone_o,  /// until it is gone
  output logic [2:0]        needs_o,  /// room that it needs: bit 0 opc, 1 lsux, 2 regmove
  output logic              waits_o  /// it waits for an entry
`ifdef FORMAL
  , output logic [59:0]     f_look_o,  /// proof: what it knows of its packet
  output logic [3*N-1:0]    f_waits_o  /// proof: its waits, those until gone lowest, awake highest
`endif
);
  logic [59:0] look_q;
  logic [N-1:0] wait_awake_q, wait_read_q, wait_gone_q;

  function automatic overlap(input [8:0] x, input [8:0] y);
    overlap = x[8:4] == y[8:4] && (x[3:0] & y[3:0]) != '0;
  endfunction

  logic [8:0] new_write, old_write;
  assign new_write = look_i[27 +: 9];
  assign old_write = look_q[27 +: 9];
  logic same_memory;  // accessed by this packet, and named by look_i
  assign same_memory = look_q[56] && look_q[55:36] == look_i[55:36];
  logic shared_sync;  // look_i is a SYNC with SHARED
  assign shared_sync = look_i[56:55] == 2'b01;
  logic both_write, same_unit;  // accesses write in order
  assign both_write = overlap(old_write, new_write);
  assign same_unit = look_q[56] && look_i[56];
  assign hit_awake_o = both_write && !same_unit || overlap(old_write, look_i[0 +: 9]) ||
                       overlap(old_write, look_i[9 +: 9]) || overlap(old_write, look_i[18 +: 9]) ||
                       same_memory && shared_sync;
  assign hit_read_o = overlap(new_write, look_q[0 +: 9]) || overlap(new_write, look_q[9 +: 9]) ||
                      overlap(new_write, look_q[18 +: 9]);
  assign hit_gone_o = same_memory && look_i[56] || both_write && same_unit;
  assign needs_o = look_q[59:57];
  assign waits_o = (wait_awake_q | wait_read_q | wait_gone_q) != '0;

  always_ff @(posedge clk_i)
    if (take_i) begin
      look_q <= look_i;
      wait_awake_q <= wait_awake_i;
      wait_read_q <= wait_read_i;
      wait_gone_q <= wait_gone_i;
    end else if (waits_o) begin
      wait_awake_q <= wait_awake_q & ~awake_i;
      wait_read_q <= wait_read_q & ~read_i;
      wait_gone_q <= wait_gone_q & ~gone_i;
    end

`ifdef FORMAL
  assign f_look_o = look_q;
  assign f_waits_o = {wait_awake_q, wait_read_q, wait_gone_q};
`endif
endmodule
