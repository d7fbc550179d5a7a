// SPDX-License-Identifier: Apache-2.0
// Plays recorded inputs into a block and folds all of its outputs in every cycle into a number. The same
// for every simulator and for every form of the block. IN, OUT, CYCLES and STIMULUS are macros; with TRACE
// the outputs of each cycle are printed too.
`timescale 1ns / 1ps
module bench;
  localparam WORDS = `OUT / 64 + 1;  // at least one bit of padding
  reg [`IN-1:0] stimulus [0:`CYCLES-1];
  reg [`IN-1:0] in;
  wire [`OUT-1:0] out;
  reg [64*WORDS-1:0] padded;
  reg clk;
  reg [63:0] sum;
  integer cycle, w;

  shell i_shell (.clk(clk), .in(in), .out(out));

  initial begin
    $readmemh(`STIMULUS, stimulus);
    clk = 0;
    cycle = 0;
    sum = 64'hcbf29ce484222325;
    in = stimulus[0];
    forever begin
      #5 clk = 1;
      #5 clk = 0;
    end
  end

  // Inputs change while the clock is high; outputs are looked at when it falls.
  always @(posedge clk) #1 in = stimulus[cycle + 1 < `CYCLES ? cycle + 1 : 0];

  always @(negedge clk) if ($time > 0) begin
    padded = {{(64*WORDS-`OUT){1'b0}}, out};
    for (w = 0; w < WORDS; w = w + 1) begin
      sum = sum ^ padded[64*w +: 64];
      sum = {sum[46:0], sum[63:47]} * 64'h9e3779b97f4a7c15;
    end
`ifdef TRACE
    $display("%0d %h", cycle, out);
`endif
    cycle = cycle + 1;
    if (cycle == `CYCLES) begin
      $display("signature %h", sum);
      $finish;
    end
  end
endmodule
