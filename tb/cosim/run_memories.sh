#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Memories are in wrappers of rtl/common alone, where other flows find them: any other array of registers is in
# arrays.txt with the reason. Clocked blocks assign without blocking. One fault of each kind, in a copy, is seen.
set -uo pipefail
. tb/cli/expect.sh

check() { # ROOT
  (cd "$1" && find rtl -name '*.sv' -o -name '*.svh' | LC_ALL=C sort | xargs awk '
    function complain(text) { print text; bad = 1 }
    FILENAME ~ /arrays.txt$/ {
      if (/^#/ || !NF) next
      n = split($0, field, / *\| */)
      if (n != 3 || field[3] == "") { complain("arrays.txt:" FNR ": not MODULE | ARRAYS | WHY"); next }
      n = split(field[2], name, " ")
      for (k = 1; k <= n; k++) allowed[field[1] "." name[k]] = 1
      next
    }
    FNR == 1 { module = FILENAME; gsub(/.*\/|_rules|\.svh?$/, "", module); proof = FILENAME ~ /_proof\.svh$/ }
    /^`ifdef FORMAL/ { proof = 1 }
    /^`(else|endif)/ { proof = 0 }
    /`include ".*_proof\.svh"/ && !proof { complain(FILENAME ":" FNR ": a proof outside of FORMAL") }
    /BLKSEQ/ { complain(FILENAME ":" FNR ": a clocked block with blocking assignments") }
    proof || !/^ *logic( signed)? / { next }
    {
      sub(/ *\/\/.*/, "")
      sub(/^ *logic( signed)? +/, "")
      while (sub(/^\[[^]]*\] */, "")) ;
      n = split($0, part, ",")
      for (k = 1; k <= n; k++)
        if (match(part[k], /^ *[a-z_0-9]+ *\[/)) {
          array = substr(part[k], RSTART, RLENGTH)
          gsub(/[ []/, "", array)
          found++
          if (FILENAME ~ /^rtl\/common\//) {
            if (module !~ /^(ram_|cam_|fifo$)/) complain(FILENAME ":" FNR ": " array " is in no wrapper")
          } else if (!((module "." array) in allowed))
            complain(FILENAME ":" FNR ": " array " is an array outside of rtl/common and not in arrays.txt")
          else seen[module "." array] = 1
        }
    }
    END {
      for (a in allowed) if (!(a in seen)) complain("arrays.txt: there is no " a)
      if (found < 20) complain("only " found + 0 " arrays")
      exit bad
    }' tb/cosim/arrays.txt)
}

check . || { fail "memories outside of rtl/common"; exit 1; }
mkdir "$work/copy"
cp -r --parents rtl tb/cosim/arrays.txt "$work/copy"
planted() { # FILE SED TEXT: sed changes the file, check says the text and no more
  sed -i -E "$2" "$work/copy/$1"
  cmp -s "$1" "$work/copy/$1" && fail "$1: '$2' changes nothing"
  check "$work/copy" >"$work/said" && fail "$1: '$2' is not seen"
  grep -qF "$3" "$work/said" || fail "$1, '$2': $(cat "$work/said")"
  (($(wc -l <"$work/said") == 1)) || fail "$1, '$2': more than one fault: $(cat "$work/said")"
  cp "$1" "$work/copy/$1"
}
planted rtl/mpu/lsux/lsux_words.sv 's,^  logic \[LANES-1:0\] sector_mask.*,&\n  logic [LANES*32-1:0] mem[0:N-1];,' 'mem is an array outside of rtl/common'
planted rtl/mpu/rtt/rtt.sv 's/^  logic .*far_q\[0:WARPS-1\],/& more_q[0:3],/' 'more_q is an array outside of rtl/common'
planted rtl/common/rr_arb.sv '$a \  logic words[0:3];' 'words is in no wrapper'
planted rtl/common/ram_1r1w.sv 's,^  always_ff,  // verilator lint_off BLKSEQ\n&,' 'blocking assignments'
planted tb/cosim/arrays.txt 's/ ids / idents /; $d' ': ids is an array outside of rtl/common'
planted rtl/spacea/fma64/fma64.sv 's/^`ifdef FORMAL$/`ifdef OTHER/' 'a proof outside of FORMAL'
planted tb/cosim/arrays.txt 's/ far_q near_q / far_q near_q old_q /' 'there is no rtt.old_q'
planted tb/cosim/arrays.txt '$a rtt | far_q' 'not MODULE | ARRAYS | WHY'
check "$work/copy" || fail "the copy is not what it was"
exit $failed
