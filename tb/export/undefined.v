// SPDX-License-Identifier: Apache-2.0
// Plays recorded inputs into a block of which nothing is known before, and looks for outputs that are undefined once
// its reset is over. As tb/cosim/bench.v otherwise.
`timescale 1ns / 1ps
module undefined;
  reg [`IN-1:0] stimulus [0:`CYCLES-1];
  reg [`IN-1:0] in;
  wire [`OUT-1:0] out;
  reg clk;
  integer cycle;

  shell i_shell (.clk(clk), .in(in), .out(out));

  initial begin
    $readmemh(`STIMULUS, stimulus);
    clk = 0;
    cycle = 0;
    in = stimulus[0];
    while (cycle < `CYCLES) begin
      #5 clk = 1;
      #1 in = stimulus[cycle + 1 < `CYCLES ? cycle + 1 : 0];
      #4 clk = 0;
      if (cycle > 30 && ^out === 1'bx) begin
        $display("cycle %0d: outputs are %b", cycle, out);
        $finish;
      end
      cycle = cycle + 1;
    end
    $display("defined");
    $finish;
  end
endmodule
