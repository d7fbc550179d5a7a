#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The clock gate: in each cycle the clock runs when an enable was high before the edge, whole or not at all, and with
# the test enable always. Every gate of the die has the test enable of the die.
set -uo pipefail
. tb/cli/expect.sh
command -v iverilog >/dev/null || { echo "iverilog is missing (Debian: iverilog)" >&2; exit 2; }

cat >"$work/bench.v" <<'V'
`timescale 1ns / 1ns
module bench;
  reg clk = 1, en = 0, test_en = 0;
  wire gated;
  integer cycle, wrong = 0, edges = 0, ran = 0, rose = 0;
  reg [31:0] bits = 32'h2f6e2b1;
  clkgate dut (.clk_i(clk), .en_i(en), .test_en_i(test_en), .clk_o(gated));
  always @(posedge gated) begin
    edges = edges + 1;
    rose = $time;
    if (!clk) wrong = wrong + 1; // a spike
  end
  always @(negedge gated) if ($time && $time - rose != 5) wrong = wrong + 1;
  initial begin
    for (cycle = 0; cycle < 400; cycle = cycle + 1) begin
      #1; // after the rising edge, while the clock is high: the enables change
      bits = {bits[30:0], bits[31] ^ bits[21] ^ bits[1] ^ bits[0]};
      en = bits[0];
      test_en = cycle >= 200 ? bits[7] : 1'b0;
      #4 clk = 0;
      #5;
      edges = 0;
      clk = 1;
      #0;
      #0 if (edges != (en || test_en)) wrong = wrong + 1;
      ran = ran + edges;
    end
    $display("wrong %0d, ran %0d", wrong, ran);
    $finish;
  end
endmodule
V
bench() { # FILE: what the bench says of it
  iverilog -g2012 -o "$work/bench.vvp" -s bench -Irtl/common "$1" "$work/bench.v" && vvp "$work/bench.vvp"
}
for f in rtl/common/clkgate.sv synth/cells/clkgate.v; do
  got=$(bench "$f")
  [[ $got =~ ^'wrong 0, ran '([0-9]+) && ${BASH_REMATCH[1]} -gt 200 && ${BASH_REMATCH[1]} -lt 300 ]] || fail "$f: $got"
done
# the bench sees a gate without the test enable, and one that is open at once
sed 's/en_i || test_en_i/en_i/' rtl/common/clkgate.sv >"$work/deaf.sv"
[[ $(bench "$work/deaf.sv") == "wrong 0,"* ]] && fail "a gate without the test enable is not seen"
sed 's/clk_i & en_q/clk_i \& (en_i || test_en_i)/' rtl/common/clkgate.sv >"$work/spikes.sv"
[[ $(bench "$work/spikes.sv") == "wrong 0,"* ]] && fail "a gate with spikes is not seen"

# ---- each gate, and each block with gates, takes the test enable from outside
gates() { grep -rlE '^ *(clkgate|nbu) (#|i_)' --include=*.sv "$1"; }
n=0
for f in $(gates rtl); do
  n=$((n + 1))
  grep -qE '^ *input +wire logic +test_en_i,' "$f" || fail "$f has no input test_en_i"
  tr '\n' ' ' <"$f" | grep -oE '\b(clkgate|nbu) (#\([^;]*\) )?i_[a-z_]+ \([^;]*;' | while read -r instance; do
    [[ $instance =~ \.test_en_i[,\ \)] ]] || echo "${instance%%(*} in $f"
  done >"$work/lacks"
  [[ ! -s $work/lacks ]] || fail "without the test enable: $(cat "$work/lacks")"
done
((n >= 2)) || fail "only $n files with gates"
exit $failed
