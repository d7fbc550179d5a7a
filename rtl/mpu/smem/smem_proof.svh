// SPDX-License-Identifier: Apache-2.0
// smem: every request is answered, every lane served once. Part of smem.sv.

  // Any port: what it asked and was not told yet is in its slot, under way, or about to be told.
  (* anyconst *) logic [1:0] f_port;
  logic [2:0] f_open;
  logic f_taken;
  assign f_taken = valid[f_port] && !full[f_port];
  // Any lane of the request under way.
  (* anyconst *) logic [LW-1:0] f_lane;
  logic f_owed, f_served;
  always @(posedge clk_i)
    if (!rst_ni) f_open <= '0;
    else begin
      f_open <= f_open + 3'(f_taken) - 3'(rvalid_q[f_port]);
      `CHK(each_request_is_answered, f_open == 3'(full[f_port]) + 3'(go && port_q[f_port]) +
                                     3'(fin_q[f_port]) + 3'(rvalid_q[f_port]))
      if (start) begin
        f_owed <= mask[f_lane];
        f_served <= 1'b0;
      end else if (step && served[f_lane]) f_served <= 1'b1;
      if (go) begin
        `CHK(pending_until_served, pend_q[f_lane] == (f_owed && !f_served))
        `CHK(served_once, !(step && served[f_lane] && (f_served || !f_owed)))
        `CHK(served_before_the_end, !ends || !f_owed || f_served || served[f_lane])
        `CHK(lowest_is_pending, (one_q & ~pend_q) == '0 && one_q == (pend_q & (~pend_q + 1'b1)))
      end
    end
