#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu area with blocks that map in seconds: what it adds up, what it maps again and what not, other libraries, and what it
# says when something is missing or wrong. With --long the whole die too: the rows of the table, the baseline, sweeps.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tb/cli/expect.sh

# A copy, so that sources can be changed.
mkdir "$work/copy"
cp -r rtl synth tb/cosim --parents "$work/copy" 2>/dev/null || cp -r --parents rtl synth tb/cosim "$work/copy"
area() { MPU_AREA_CACHE=$work/cache bash "$work/copy/synth/area.sh" "$@" >"$work/out" 2>"$work/err"; }
good() { area "$@" || { fail "area $*"; cat "$work/err"; }; }
# fails STATUS TEXT ARGUMENTS...: a message with the text, one line, and that status
fails() {
  local status=$1 text=$2
  shift 2
  area "$@"
  [[ $? == "$status" ]] || fail "area $*: not exit status $status"
  [[ $(<"$work/err") == *"$text"* ]] || { fail "area $*: '$text' is not in:"; cat "$work/err"; }
}
mapped() { sed -nE 's/^area: ([a-z_0-9A-Z]+) mapped in .*/\1/p' "$work/err" | sort | tr '\n' ' '; }
of() { jq -r --arg u "$1" ".units[] | select(.name == \$u) | $2" "$work/json"; }
near() { # IS WANTED WHAT: equal to the digits that are printed
  awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; m = 0.02 + 1e-5 * b; exit !(a != "" && d < m && -d < m) }' || fail "$3: $1, not $2"
}

# ---- wrong use
fails 2 "unknown option '--bloks'" --bloks tsv
fails 2 "--csv needs a value" --csv
fails 2 "unexpected argument 'tsv'" tsv
fails 2 "unknown module 'tvs' of rtl" --blocks tvs
fails 2 "unknown small build 'valu_lane'; known: " --blocks valu_lane --small
fails 2 "unknown small build 'tvs'; known: " --blocks fifo,tvs --small
fails 2 "'-' is not a file" --blocks clkgate --csv -
fails 2 "--full goes with --check" --full
for mode in --arrays --memory --netlists --verify --check --update-baseline; do
  fails 2 "--csv and --json do not go together with $mode" $mode --csv "$work/no.csv"
  fails 2 "--csv and --json do not go together with $mode" $mode --json "$work/no.csv"
done
fails 2 "--json does not go with --sweep" --sweep lanes=4 --json "$work/no.csv"
: >"$work/file"
for tool in area timing power; do
  (MPU_AREA_CACHE=$work/file/cache MPU=/bin/true bash synth/$tool.sh $([[ $tool != power ]] || echo "$work/file")) >"$work/out" 2>"$work/err"
  [[ $? == 2 && $(<"$work/err") == "$tool: cannot write to '$work/file/cache', where mapped netlists are kept; MPU_AREA_CACHE=FOLDER names another folder" ]] ||
    fail "$tool where it cannot write: $(<"$work/err")"
done
fails 2 "-j takes a number from 1" -j 0
fails 2 "--sweep takes PARAMETER=V1,V2" --sweep lanes
fails 2 "unknown parameter 'lines'" --sweep lines=8
fails 2 "powers of two from 4 to 32" --sweep lanes=8,12
fails 2 "--plot goes with --sweep" --plot "$work/x.svg"
fails 2 "do not go together" --check --verify
fails 2 "cannot read the technology" --tech "$work/none"
fails 2 "cannot write" --blocks clkgate --csv /nowhere/x.csv
fails 2 "cannot read the library '/nowhere/x.lib'" --liberty /nowhere/x.lib
fails 2 'unknown key "drma_factor"' --tech-set drma_factor=1
fails 2 'dram_factor takes a number, not "two"' --tech-set dram_factor=two
echo "dram_factor 2" >"$work/conf"
fails 2 "conf:1: KEY = VALUE is expected" --tech "$work/conf"
area --help || fail "--help fails"
[[ $(<"$work/out") == *--liberty* && ! -s $work/err ]] || fail "--help says too little"
mkdir "$work/bin"
for tool in bash awk sed cat mktemp rm cut sha256sum dirname nproc mkdir realpath; do ln -s "$(command -v $tool)" "$work/bin"; done
PATH=$work/bin bash synth/area.sh --blocks clkgate >"$work/out" 2>"$work/err"
[[ $? == 2 && $(<"$work/err") == *"yosys is missing; Debian: yosys"* ]] || fail "without yosys: $(<"$work/err")"

# ---- libraries that lack something
for lacks in NAND2:NAND INVX:inverter DFFPOS:flip-flop BUF:buffer; do
  awk -v cell="${lacks%:*}" '/^cell \(/ { skip = $0 ~ "\\((CLK)?" cell } !skip { print } skip && /^}/ { skip = 0 }' \
    "${OSU018:-/usr/share/qflow/tech/osu018}/osu018_stdcells.lib" >"$work/lacks.lib"
  fails 2 "it has no" --blocks clkgate --liberty "$work/lacks.lib"
  [[ $(<"$work/err") == *"${lacks#*:}"* ]] || fail "without ${lacks%:*}: $(<"$work/err")"
done
echo "not a library" >"$work/lacks.lib"
fails 2 "lacks.lib" --blocks clkgate --liberty "$work/lacks.lib"

# ---- sums: regfile has four banks that are mapped once, with 4 x 32 rows x 32 lanes x 32 bits of memory
good --blocks regfile,clkgate --json "$work/json" --csv "$work/csv"
[[ $(mapped) == "clkgate regfile regfile_bank__LANES32_ROWS32 " ]] || fail "mapped: $(mapped)"
jq -e . "$work/json" >/dev/null || fail "the JSON is none"
bank=regfile_bank__LANES32_ROWS32
[[ $(of regfile .memory_bits) == 131072 ]] || fail "regfile: $(of regfile .memory_bits) bits of memory"
near "$(of regfile .gate_equivalents)" "$(jq -n "$(of regfile .own.gate_equivalents) + 4 * $(of $bank .gate_equivalents)")" "gates of regfile"
# the model of docs/area.md, for one bank of 32 words of 1024 bits, read and written in one cycle
near "$(of $bank .macro_um2)" "$(awk 'BEGIN { print (1024 * 32 * 0.1701 + 1024 * 2.302 + 32 * 0.648 + 1024 ^ 2 * 0.0624) * (20 / 22) ^ 2 }')" "a bank's macro"
near "$(of regfile .um2)" "$(jq -n "$(of regfile .gate_equivalents) * 0.157 + $(of regfile .macro_um2)")" "um2 of regfile"
# clkgate: a flip-flop at the falling edge, which the library has, and an AND
[[ $(of clkgate .flop_bits) == 1 && $(of clkgate .cells) -le 3 ]] || fail "clkgate: $(of clkgate .flop_bits) flip-flops, $(of clkgate .cells) cells"
line=$(grep '^block,"regfile"' "$work/csv")
near "$(cut -d, -f8 <<<"$line")" "$(jq -n "2 * $(of regfile .um2) / 1e6")" "mm2 of regfile in the CSV"

# ---- nets: widths from declarations, the highest bit first; constants and names that are escaped
cat >"$work/nets" <<'AWK'
BEGIN {
  declare("  wire [7:4] a;"); declare("  output [2:0] \\b.c ;"); declare("  wire e;")
  split_bits("{ a, 2'h3, \\b.c , d[5:4], e }")
  for (k = 1; k <= bits; k++) printf "<%s>", bit[k]
  split_bits("a")
  print " " bits
}
AWK
got=$(awk -f "$work/copy/synth/nets.awk" -f "$work/nets")
[[ $got == "<a[7]><a[6]><a[5]><a[4]><2'h3><\\b.c [2]><\\b.c [1]><\\b.c [0]><d[5]><d[4]><e> 4" ]] || fail "nets: $got"

# ---- what is there is not mapped again; each step of scaling by itself
was=$(of regfile .gate_equivalents) macro=$(of regfile .macro_um2)
good --blocks regfile,clkgate --json "$work/json" --tech-set gate_um2=0.314 --tech-set node_nm=22
[[ ! $(mapped) ]] || fail "mapped again: $(mapped)"
[[ $(of regfile .gate_equivalents) == "$was" ]] || fail "gate equivalents change with their size"
near "$(of regfile .macro_um2)" "$(jq -n "$macro * 1.21")" "macros at 22 nm"
near "$(of regfile .um2)" "$(jq -n "$was * 0.314 + 1.21 * $macro")" "um2 with larger gates"
good --blocks clkgate --csv "$work/csv1" --tech-set dram_factor=1
good --blocks clkgate --csv "$work/csv2" --tech-set dram_factor=3
near "$(awk -F, '/^block/ { print 1e6 * $8 }' "$work/csv2")" "$(awk -F, '/^block/ { print 3e6 * $8 }' "$work/csv1")" "the DRAM factor"

# ---- incrementally: a comment in the bank; its ports, which regfile sees; a parameter
sed -i '$a // nothing' "$work/copy/rtl/mpu/regfile/regfile_bank.sv"
good --blocks regfile,clkgate
[[ $(mapped) == "regfile_bank__LANES32_ROWS32 " ]] || fail "after a change in the bank: mapped $(mapped)"
sed -i '0,/^module regfile_bank/s//\/\/ nothing\n&/; 0,/input  wire logic/s//input wire  logic/' "$work/copy/rtl/mpu/regfile/regfile_bank.sv"
good --blocks regfile,clkgate
[[ $(mapped) == "regfile regfile_bank__LANES32_ROWS32 " ]] || fail "after a change of the bank's ports: mapped $(mapped)"
good --blocks regfile:LANES=4:ROWS=16 --json "$work/json"
[[ $(of regfile__LANES4_ROWS16 .memory_bits) == $((4 * 16 * 4 * 32)) ]] || fail "with parameters: $(of regfile__LANES4_ROWS16 .memory_bits) bits"

# ---- the same from nothing, with another number of jobs, gives the same netlist
mv "$work/cache" "$work/before"
good -j 1 --blocks regfile,clkgate
for f in "$work"/cache/*/netlist.v; do
  cmp "$f" "$work/before/$(basename "$(dirname "$f")")/netlist.v" || fail "not the same netlist: $f"
done
good --blocks regfile,clkgate --netlists
[[ $(wc -l <"$work/out") == 3 ]] || fail "--netlists prints $(wc -l <"$work/out") names"
while read -r f; do [[ -s $f ]] || fail "there is no $f"; done <"$work/out"

# ---- two modules that do not map, one that Yosys can't read; nothing half stays behind
cat >"$work/copy/rtl/mpu/tsv/pulled.sv" <<'SV'
module pulled (input wire logic clk_i, input wire logic a_i, output tri b_o);
  logic q;
  always_ff @(posedge clk_i) q <= a_i;
  assign b_o = a_i ? q : 1'bz;
endmodule
SV
fails 2 "pulled does not map: the library has nothing for" --blocks pulled
sed 's/pulled/broken/; s/posedge/poseidon/' "$work/copy/rtl/mpu/tsv/pulled.sv" >"$work/copy/rtl/mpu/tsv/broken.sv"
fails 2 "broken" --blocks broken,clkgate
fails 2 "does not map" --blocks clkgate:WIDTH=3
ls -a "$work/cache" | grep -E 'pulled|broken|new' && fail "left in the cache"
# stopped while it works: at a block that takes minutes
started() { compgen -G "$1/.new.*" >/dev/null || gone "$2"; }
nobody_in() { ! pgrep -f "$1" >/dev/null; }
MPU_AREA_CACHE=$work/cache bash synth/area.sh --small --blocks lsux >"$work/out" 2>"$work/err" &
pid=$!
wait_for started "$work/cache" $pid
kill -TERM $pid
wait $pid
status=$?
[[ $status == 130 ]] || fail "stopped: exit status $status"
[[ $(<"$work/err") == "area: 1 to map, which takes seconds to minutes each (0 of 1)"$'\n'"area: interrupted; what was mapped so far is kept" ]] ||
  fail "what is said when it is stopped: $(<"$work/err")"
WAIT=10 wait_for nobody_in "$work/cache" || fail "somebody still works in the cache"
ls -a "$work/cache" | grep -E '^lsux|new' && fail "left in the cache when stopped"

# ---- a full disk
fails 2 "cannot write" --blocks clkgate --csv /dev/full
fails 2 "cannot write" --blocks clkgate --json /dev/full
mkdir "$work/none"
echo old >"$work/none/old"
for f in new old; do # with room for no file of more than a KB
  (trap '' XFSZ; ulimit -f 1; exec bash "$work/copy/synth/area.sh" --blocks clkgate --json "$work/none/$f") >"$work/out" 2>&1 && fail "no room for the JSON"
done
[[ $(ls "$work/none") == old && $(<"$work/none/old") == old ]] || fail "what is left where there was no room: $(ls "$work/none")"
# a terminal is told how far it is
if has_terminals; then
  cat >"$work/on_terminal" <<SH
echo \$\$ >"$work/pid"
MPU_AREA_CACHE=$work/cache2 exec bash synth/area.sh --small --blocks lsux
SH
  script -qec "bash $work/on_terminal" "$work/typescript" >/dev/null 2>&1 </dev/null &
  terminal=$!
  told() { gone $terminal || grep -qE 'area: 0 of 1 mapped, under way: lsux[A-Z0-9_]* [1-9][0-9]* s' "$work/typescript"; }
  wait_for told
  ! gone $terminal || fail "on a terminal: $(tail -c 300 "$work/typescript")"
  kill -TERM "$(<"$work/pid")"
  wait $terminal
  WAIT=10 wait_for nobody_in "$work/cache2" || fail "somebody still works in the cache of the terminal"
fi

# ---- clock gates: for flip-flops with one enable, more of them than an AND drives, with a reset, as words of an array; not
# for few, and not when the library lacks what a gate is made of
cat >"$work/copy/rtl/mpu/tsv/held.sv" <<'SV'
module held (input wire logic clk_i, rst_ni, a_i, b_i, c_i, input wire logic [1:0] w_i, r_i, input wire logic [63:0] d_i,
  output logic [63:0] q_o, r_o, output logic [2:0] few_o, output logic [3:0] n_o, output logic [7:0] word_o);
  logic [7:0] words_q[0:3];
  always_ff @(posedge clk_i) if (a_i) q_o <= d_i;  // two ANDs behind a latch
  always_ff @(posedge clk_i) if (!rst_ni) r_o <= '0; else if (b_i) r_o <= d_i;
  always_ff @(posedge clk_i) if (c_i) few_o <= d_i[2:0];
  always_ff @(negedge clk_i) if (b_i) n_o <= d_i[3:0];  // the other edge: no gate
  always_ff @(posedge clk_i) if (b_i) words_q[w_i] <= d_i[7:0];  // a gate for each word
  assign word_o = words_q[r_i];
endmodule
SV
gates() { awk -v what="$1" '/^  [A-Z]/ && $2 ~ "^i_" what "_[0-9]+_$" { n++ } END { print n + 0 }' "$(<"$work/out")"; }
good --blocks held --netlists
[[ $(gates low) == 6 && $(gates enable) == 6 && $(gates gated) == 8 && $(gates buffer) -lt 20 ]] || fail "held: $(gates enable) latches, $(gates gated) ANDs"
grep -q '^  DFFPOSX1' "$(<"$work/out")" || fail "held: no flip-flops"
clocks=$(awk '$1 == "DFFPOSX1" { flop = 1 } flop && /\.CLK\(/ { gsub(/.*\(|\).*/, ""); sub(/[0-9]+/, "N"); print; flop = 0 }' "$(<"$work/out")" | sort | uniq -c | xargs)
[[ $clocks == "160 _gated_N_ 3 clk_i" ]] || fail "held: clocks $clocks"
# they do what the Verilog does, resets in the middle included
yosys -q -p "read_liberty -ignore_miss_func ${OSU018:-/usr/share/qflow/tech/osu018}/osu018_stdcells.lib; write_verilog -noattr $work/cells.v" >"$work/said" 2>&1
sed 's/^module held(/module mapped(/' "$(<"$work/out")" >"$work/mapped.v"
cat >"$work/bench.v" <<'SV'
`timescale 1ns / 1ps
module bench;
  reg clk = 0, rst_n = 0;
  reg [6:0] pick;
  reg [63:0] d;
  wire [142:0] is, wanted;
  integer n, wrong = 0, changes = 0;
  held i_held (clk, rst_n, pick[0], pick[1], pick[2], pick[4:3], pick[6:5], d, wanted[142:79], wanted[78:15], wanted[14:12], wanted[11:8], wanted[7:0]);
  mapped i_mapped (.clk_i(clk), .rst_ni(rst_n), .a_i(pick[0]), .b_i(pick[1]), .c_i(pick[2]), .w_i(pick[4:3]), .r_i(pick[6:5]), .d_i(d),
    .q_o(is[142:79]), .r_o(is[78:15]), .few_o(is[14:12]), .n_o(is[11:8]), .word_o(is[7:0]));
  initial begin
    for (n = 0; n < 3000; n = n + 1) begin
      pick = n < 8 ? {2'b00, n[1:0], 3'b111} : $random;  // at first all are written
      d = {$random, $random};
      rst_n = n > 8 && n % 7 != 0;
      #5 clk = 1;
      #1 pick = pick ^ 7;  // what a gate may not see while the clock is high
      #1 pick = pick ^ 7;
      #3 clk = 0;
      #5 if (n > 10 && is !== wanted) wrong = wrong + 1;
      if (n > 10 && wanted[78:15] == 0) changes = changes + 1;
    end
    $display("%0d wrong, %0d resets seen", wrong, changes);
  end
endmodule
SV
iverilog -g2012 -s bench -o "$work/bench" "$work/bench.v" "$work/copy/rtl/mpu/tsv/held.sv" "$work/mapped.v" "$work/cells.v" >"$work/said" 2>&1 &&
  got=$(vvp "$work/bench")
[[ $got =~ ^'0 wrong, '[1-9][0-9]{2,}' resets seen'$ ]] || fail "held in cells: $got $(head -n 2 "$work/said")"
good --blocks held --json "$work/json"
[[ $(of held .flop_bits) == 167 ]] || fail "held: $(of held .flop_bits) bits, with those of clock gates?"
mkdir "$work/plain"
cp "${OSU018:-/usr/share/qflow/tech/osu018}/osu018_stdcells.lib" "$work/plain/" # without LEF: the latch has no area
good --blocks held --netlists --liberty "$work/plain/osu018_stdcells.lib"
[[ $(gates enable) == 0 && $(gates gated) == 0 ]] || fail "clock gates of latches without an area"

# ---- arrays: what the Verilog has as registers that the rule would put into a macro
good --blocks regfile --arrays
[[ $(<"$work/out") == *"ram_1r1w"*"32768"* ]] || fail "--arrays does not have the memories of regfile"
cat >"$work/copy/rtl/mpu/tsv/hidden.sv" <<'SV'
module hidden (input wire logic clk_i, input wire logic [4:0] r_i, w_i, input wire logic [63:0] d_i, output logic [63:0] q_o);
  logic [63:0] words_q[0:31];
  always_ff @(posedge clk_i) words_q[w_i] <= d_i;
  always_ff @(posedge clk_i) q_o <= words_q[r_i];
endmodule
SV
fails 1 "" --blocks hidden --arrays
[[ $(<"$work/out") == *"BUT THE RULE SAYS MACRO"* ]] || fail "a memory of registers is not pointed at"

# ---- the memory model: within 30 % of all points, and said so
good --memory
worst=$(sed -nE 's/^worst error ([0-9.]+) %$/\1/p' "$work/out")
awk -v w="$worst" 'BEGIN { exit !(w > 0 && w < 30) }' || fail "worst error of the memory model: $worst"

# ---- each row of Table III that the page has 10 % off has its reason, in the table and in the page
wrong=$(awk -F ' \\| ' 'FNR == NR { reason[$1] = $5; next }
  match($0, /^    [A-Z][A-Za-z -]*[a-zA-Z]  +[0-9]/) { split($0, x, /  +/); ratio = $0; sub(/.* /, "", ratio); rows++
    if ((ratio > 1.1 || ratio < 0.9) && reason[x[2]] == "") print x[2] " is off without a reason" }
  END { if (rows != 7) print rows " rows" }' <(grep -v '^#' synth/table3.txt) <(sed -n '/paper  ratio$/,/as Table III/p' docs/area.md))
[[ ! $wrong ]] || fail "$wrong"
while IFS='|' read -r name _ _ _ reason; do
  [[ $reason != *[a-z]* || $(<docs/area.md) == *"- ${name% }:$reason"* ]] || fail "docs/area.md does not have the reason of $name"
done < <(grep -v '^#' synth/table3.txt)

if [[ ${MPU_LONG:-} ]]; then
  area() { bash synth/area.sh "$@" >"$work/out" 2>"$work/err"; }
  good --json "$work/json" --csv "$work/csv"
  [[ $(jq '.rows | length' "$work/json") == 12 ]] || fail "not twelve rows"
  while read -r line; do
    [[ ! $line || $(<docs/area.md) == *"$line"* ]] || fail "docs/area.md does not have: $line"
  done < <(sed 's/ *$//' "$work/out")
  near "$(jq '[.rows[:7][].mm2] | add' "$work/json")" "$(jq .table3_mm2 "$work/json")" "sum of Table III"
  near "$(jq .paper_mm2 "$work/json")" 19.79 "sum of the paper's rows"
  # each row that is off has its reason
  off=$(jq '[.rows[] | select(.ratio) | select(.ratio > 1.1 or .ratio < 0.9)] | length' "$work/json")
  [[ $(grep -c '^- ' "$work/out") == "$off" && $(<"$work/out") != *"no reason is written down"* ]] || fail "a row is off without a reason"
  good --verify
  good --check --full
  good --arrays
  for s in lanes=8,16,32 regfile=8,16,32 smem=32,64,128 collectors=2,4,8 rows=1,2,4; do
    good --sweep "$s" --csv "$work/csv"
    awk -F, 'NR > 1 { if ($NF < last || NR == 2 && $NF <= 0) exit 1; last = $NF }' "$work/csv" || fail "--sweep $s: not more with more"
    [[ $(wc -l <"$work/csv") == 4 ]] || [[ $s == rows* || $s == coll* ]] || fail "--sweep $s: $(wc -l <"$work/csv") lines"
  done
fi
exit $failed
