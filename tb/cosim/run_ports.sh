#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The text of the Verilog: every parameter and port of a module has its `///`, in the lines before it or
# behind it; a port that csim/*/ports/BLOCK.def has is described in the same words there; no line has more
# than 100 columns, no file more than 350 lines. One fault of each kind, put into a copy, is seen.
set -uo pipefail
. tb/cli/expect.sh
export long='bankctl.sv lsux.sv opc.sv nbu.sv' # these may have more than 350 lines
export later=''                                # blocks whose Verilog is still to come

check() { # ROOT
  (cd "$1" && find rtl -name '*.sv' -o -name '*.svh' | LC_ALL=C sort | xargs awk '
    function complain(text) { print FILENAME ":" FNR ": " text; bad = 1 }
    function ends() {
      if (lines > 350 && !(name in longer)) { print file ": " lines " lines, 350 are allowed"; bad = 1 }
      if (inside) { print file ": no end of the ports of " module; bad = 1 }
    }
    function declare(code,   n, k, part, key) {  # NAME = VALUE, and [RANGE] NAME, NAME
      sub(/ = .*/, "", code)
      while (gsub(/\[[^][]*\]/, "", code)) ;
      sub(/^ *, */, "", code)
      n = split(code, part, ",")
      for (k = 1; k <= n; k++) {
        sub(/ +$/, "", part[k])
        sub(/.* /, "", part[k])
        if (part[k] == "") continue
        key = module "." part[k]
        found++
        seen[key] = 1
        if (text == "") complain(key " has no ///")
        else if (key in want && text != want[key])
          complain(key ": \"" text "\", but the .def has \"" want[key] "\"")
      }
    }
    BEGIN {
      n = split(ENVIRON["long"], names, " ")
      for (k = 1; k <= n; k++) longer[names[k]] = 1
      n = split(ENVIRON["later"], names, " ")
      for (k = 1; k <= n; k++) without[names[k]] = 1
    }
    FILENAME ~ /\.def$/ {
      if ($0 !~ /^(IN|OUT)(_W)?\(.*"\)$/) next
      split($0, quoted, "\"")
      block = FILENAME
      gsub(/.*\/|\.def$/, "", block)
      if (block in without) next
      port = $0
      gsub(/^[A-Z_]*\(|,.*/, "", port)
      want[block "." port (/^IN/ ? "_i" : "_o")] = quoted[2]
      next
    }
    FNR == 1 {
      ends()
      file = name = FILENAME
      sub(/.*\//, "", name)
      module = name  # of a list of parameters that a module includes: bankctl_times.svh
      sub(/_.*|\.sv/, "", module)
      inside = 0
      text = ""
    }
    { lines = FNR }
    length > 100 { complain(length " columns, 100 are allowed") }
    /^module / && $2 in without { complain($2 " is there: take it out of `later`") }
    /^module / { module = $2; inside = 1; text = ""; modules++ }
    /^ *\/\/\/ / { sub(/^ *\/\/\/ +/, ""); text = text (text == "" ? "" : " ") $0; next }
    inside && /^ *(, *)?(parameter|input|output|inout) / || /^ *, *parameter / {
      code = $0
      if (match(code, / *\/\/\/ +/)) {
        text = text (text == "" ? "" : " ") substr(code, RSTART + RLENGTH)
        code = substr(code, 1, RSTART - 1)
      }
      sub(/ *\/\/.*/, "", code)
      declare(code)
      text = ""
    }
    /^\);/ { inside = 0 }
    END {
      ends()
      for (key in want) if (!(key in seen)) { print key " of a .def is no port"; bad = 1 }
      if (modules < 40 || found < 900) { print "only " modules + 0 " modules with " found + 0 " ports"; bad = 1 }
      exit bad
    }' csim/*/ports/*.def)
}

check . || { fail "the text of the Verilog is not as it should be"; exit 1; }
mkdir "$work/copy"
cp -r --parents rtl csim/*/ports "$work/copy"
planted() { # FILE SED TEXT: sed changes the file, check says the text
  sed -i -E "$2" "$work/copy/$1"
  cmp -s "$1" "$work/copy/$1" && fail "$1: '$2' changes nothing"
  check "$work/copy" >"$work/said" && fail "$1: '$2' is not seen"
  grep -qF "$3" "$work/said" || fail "$1, '$2': $(cat "$work/said")"
  (($(wc -l <"$work/said") == 1)) || fail "$1, '$2': more than one fault: $(cat "$work/said")"
  cp "$1" "$work/copy/$1"
}
planted rtl/mpu/fpu/fpu_add.sv 's,(hi_i\,) *///.*,\1,' 'fpu_add.hi_i has no ///'
planted rtl/mpu/fpu/fpu_add.sv 's,(hi_i\,) *///,\1  //,' 'fpu_add.hi_i has no ///'
planted rtl/mpu/tsv/tsv_rx.sv 's,(int DEPTH = .*) +///.*,\1,' 'tsv_rx.DEPTH has no ///'
planted rtl/dram/bankctl/bankctl_times.svh 's,(T_RTP = 4) .*,\1,' 'bankctl.T_RTP has no ///'
planted rtl/mpu/tsv/tsv.sv '/the flits that follow, the first one low; above/d' 'tsv.rx_body_o has no ///'
planted rtl/mpu/rtt/rtt.sv 's,/// register; 255 is ignored,/// register,' 'but the .def has "register; 255 is ignored"'
planted csim/mpu/ports/rtt.def 's,"register; 255 is ignored","number",' 'but the .def has "number"'
planted csim/mpu/ports/rtt.def '$a IN(more, 1, "nothing")' 'rtt.more_i of a .def is no port'
planted rtl/mpu/smem/smem.sv "\$a // $(printf '%098d' 0)" '101 columns, 100 are allowed'
planted rtl/mpu/smem/smem.sv "2s,^,$(printf '//\\n%.0s' {1..60})," 'lines, 350 are allowed'
planted rtl/common/fifo.sv 's,^\);,  );,' 'no end of the ports of fifo'
long='' check . >"$work/said" && fail "no file is longer than 350 lines: 'long' has no use"
later=fifo check . >"$work/said" && fail "Verilog of a block that has none is not seen"
grep -qF 'fifo is there: take it out of' "$work/said" || fail "fifo: $(cat "$work/said")"
check "$work/copy" || fail "the copy is not what it was"
exit $failed
