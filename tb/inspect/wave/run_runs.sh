#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu run --wave: the same bytes from rtl, lockstep and any number of threads, the same values from the twins; what is in the
# file, against the counters of the run; windows, scopes, events; signals, runs that end early, full disks; wrong use. With
# MPU_LONG more windows and scopes.
set -uo pipefail
. tb/cli/expect.sh
export MPU_CACHE=$work/cache MPU_POSTMORTEM=none
unset MPU_NEAR
check=$(dirname "$MPU")/tb/wave_check cu=$PWD/tb/inspect/wave/wave.cu kernels=$PWD/kernels
cd "$work" || exit 1
ln -s "$kernels" kernels
is() { [[ $1 == "$2" ]] || fail "$3: $1, not $2"; } # GOT WANTED WHAT
# run FILE OPTIONS...: with waves
run() { "$MPU" run -q --wave "$@" >run.out 2>run.err || fail "mpu run --wave $*: status $?: $(tail -n 1 run.err)"; }
span() { "$check" span "$1" | tr '\n' ' '; }
same() { "$check" same "${@:2}" >differ || { fail "$1"; head -n 4 differ; }; } # WHAT [--both] FILE FILE
# cycles FILE VALUE SIGNAL...: in how many cycles they have this value, together; FILE.values has those that are asked for often
cycles() {
  { [[ -e $1.values ]] && cat "$1.values" || "$check" values "$1" "${@:3}"; } |
    awk -v value="$2" -v of=" ${*:3} " 'index(of, " " $1 " ") && $2 == value { n += $3 } END { print n + 0 }'
}
sum() { awk -v of="$2" '$1 == of { n += $2 * $3 } END { print n + 0 }' "$1.values"; } # FILE SIGNAL: of its values, over all cycles
# key NAME FILE [N [M]]: values of a key from the N-th on, M of them, added up
key() { grep -oE "\"$1\": [0-9]+" "$2" | awk -v from="${3:-1}" -v n="${4:-1}" 'NR >= from && NR < from + n { s += $2 } END { print s + 0 }'; }
counters() { sed -E 's/"(host_seconds|host_memory|cpu_seconds|core_cycles_per_second|near|agree)": [^,]*, //g' "$1"; }

# ---- one core: modes
one=(kernels/hist -- --n 1500)
run rtl.fst --near=rtl --stats rtl.json "${one[@]}"
run lockstep.fst --near=lockstep "${one[@]}"
run c.fst --near=c --stats c.json "${one[@]}"
cmp rtl.fst lockstep.fst || fail "lockstep: another file"
same "twins: other values" c.fst rtl.fst
same "Verilog: other values of what twins have" --both rtl.fst c.fst
(($("$check" signals c.fst | wc -l) > 1300 && $("$check" signals rtl.fst | wc -l) > 50000)) || fail "signals are missing"
"$MPU" run -q --near=c --stats plain.json "${one[@]}" >/dev/null
for file in rtl c; do
  cmp <(counters plain.json) <(counters $file.json) || fail "$file: waves change the counters"
done
cmp rtl.fst.names c.fst.names || fail "other names"
[[ $(head -n 1 rtl.fst.names) == "FFFFFFFF -" && $(grep -c 'hist.cu:[0-9]*$' rtl.fst.names) -gt 40 && -s rtl.gtkw ]] || fail "files beside it"

# ---- what is in it, against the counters
last=$(($(key cycles rtl.json) + $(key cycles_drain rtl.json) - 1))
is "$(span rtl.fst)" "0 $last " "cycles"
grep -q "^mpu: waves: rtl.fst, [0-9.]* MB, 35[0-9]* signals, cycles 0 to $last; look at them with: mpu waves rtl.fst$" run.err ||
  run rtl.fst --near=rtl "${one[@]}"
"$check" values rtl.fst core0.nbu{0,1,2,3}.{cmd_o,clk_i,dn_count_i,up_take_i} core0.smem.q{0,1,2,3}_rvalid_o >rtl.fst.values
"$check" values c.fst core0.base.nbu{0,1,2,3}.bank{0,1,2,3}.command core0.base.sub{0,1,2,3}.{issue,ends} core0.base.block_starts \
  core0.base.bus_{dn,up}{0,1}_valid >c.fst.values
for place in 0 1; do "$check" table c.fst core0.base.bus_dn${place}_{kind,nbu,valid}; done >c.fst.packets
for nbu in 0 1 2 3; do
  n=1
  for command in act pre sasel rd wr ref; do
    is "$(cycles rtl.fst $n core0.nbu$nbu.cmd_o)" "$(key $command rtl.json $((1 + 4 * nbu)) 4)" "NBU $nbu, $command"
    for bank in 0 1 2 3; do
      is "$(cycles c.fst $n core0.base.nbu$nbu.bank$bank.command)" "$(key $command rtl.json $((1 + 4 * nbu + bank)))" "NBU $nbu, bank $bank, $command"
    done
    n=$((n + 1))
  done
  is "$(cycles c.fst 1 core0.base.sub$nbu.issue)" "$(key issued rtl.json $((nbu + 1)))" "subcore $nbu, issued"
  is "$(sum c.fst core0.base.sub$nbu.ends)" "$(key issued rtl.json $((nbu + 1)))" "subcore $nbu, ends"
  is "$(sum rtl.fst core0.nbu$nbu.dn_count_i)" "$(key flits_down rtl.json $((nbu + 1)))" "NBU $nbu, flits down"
  is "$(sum rtl.fst core0.nbu$nbu.up_take_i)" "$(key flits_up rtl.json $((nbu + 1)))" "NBU $nbu, flits up"
  is "$(cycles rtl.fst 1 core0.smem.q${nbu}_rvalid_o)" "$(key smem_requests rtl.json $((nbu + 1)))" "NBU $nbu, shared memory"
  # its clock rises, or stands
  is "$(grep "nbu$nbu.clk_i " rtl.fst.values)" "core0.nbu$nbu.clk_i 1 $((last + 1))" "NBU $nbu, clock"
  # packets by kind, where they begin
  n=0
  for kind in EXEC SHM LINE SECT RD WR ATM REGWR REGRD WIN SYNC KEEP RUN SLOT; do
    at=$(awk -v kind=$(printf %x $n) -v nbu=$nbu 'd { c += $1 - d; d = 0 } $2 == kind && $3 == nbu && $4 == 1 { d = $1 } END { print c + 0 }' c.fst.packets)
    is "$at" "$(grep -oE '"packets_down": \{[^}]*' rtl.json | sed -n "$((nbu + 1))p" | grep -oE "\"$kind\": [0-9]+" | grep -oE '[0-9]+$')" "NBU $nbu, $kind"
    n=$((n + 1))
  done
done
is "$(cycles c.fst 1 core0.base.bus_dn0_valid core0.base.bus_dn1_valid)" "$(key bus_down rtl.json)" "flits down"
is "$(cycles c.fst 1 core0.base.bus_up0_valid core0.base.bus_up1_valid)" "$(key bus_up rtl.json)" "flits up"
is "$(cycles c.fst 1 core0.base.block_starts)" "$(key blocks rtl.json)" "blocks that start, one a cycle"
is "$("$check" table c.fst core0.base.cycle | awk '$2 != "-"' | awk '{ printf "%d %x\n", $1, $1 }')" "$("$check" table c.fst core0.base.cycle | awk '$2 != "-"')" "number of the cycle"

# signals of the base die and their widths: as docs/waves.md has them
"$check" signals c.fst | sed -nE 's/^core0\.base\.((sub0|nbu0)(\.(warp0|bank0))?\.)?([a-z_0-9]+) ([0-9]+)$/\1\5 \6/p' >have
awk -F '[`|]' '/^\| `coreN\.base/ { scope = $3; sub(/^coreN\.base\.?/, "", scope); gsub(/[A-Z]/, "0", scope); if (scope != "") scope = scope "."; on = 1; next }
  /^$/ { on = 0 } on && /^\| `/ { print scope $3 " " $5 + 0 }' "${cu%/tb/*}/docs/waves.md" >told
diff <(sort have) <(sort told) >differ && [[ $(wc -l <told) -gt 60 ]] || { fail "docs/waves.md has other signals"; head -n 5 differ; }

# rows that are open, and the one in use, are those that the commands have opened, closed and selected
banks() { # FILE NBU
  local signals=(core0.nbu$2.cmd_{o,bank_o,row_o}) bank
  for bank in 0 1 2 3; do signals+=(core0.base.nbu$2.bank$bank.{state,row}{0,1,2,3}); done
  "$check" table "$1" "${signals[@]}" | awk '
    function value(hex, n, k) { for (k = 1; k <= length(hex); k++) n = 16 * n + index("0123456789abcdef", substr(hex, k, 1)) - 1; return n }
    $2 == "-" { next }
    { for (b = 0; b < 4; b++) {
        shown = want = 0; chosen = ""
        for (k = 0; k < 4; k++) {
          state = $(5 + 8 * b + k); row = value($(9 + 8 * b + k))
          if (state) { shown++; if (open[b, row % 32] != row + 1) bad = "row " row " of bank " b " is not open" }
          if (state == 2) chosen = row % 32
        }
        for (s = 0; s < 32; s++) want += open[b, s] > 0
        if (shown != want) bad = shown " rows of bank " b ", not " want
        if (want && chosen != used[b]) bad = "subarray of bank " b
      }
      b = $3; row = value($4); s = row % 32
      if ($2 == 1) open[b, s] = row + 1
      if ($2 == 2) open[b, s] = 0
      if ($2 == 1 || $2 == 3) used[b] = s
      if ($2 == 2 && used[b] == s) used[b] = ""
      if (($2 == 4 || $2 == 5) && (!open[b, s] || used[b] != s)) bad = "access of a row that is not selected"
      if ($2) n++
      if (bad) { print "cycle " $1 ": " bad; exit 1 }
    } END { if (!bad && n < 50) { print "few commands: " n; exit 1 } }'
}
for nbu in 0 3; do banks rtl.fst $nbu || fail "row buffers of NBU $nbu"; done

# ---- many cores: threads, scopes, cores in Verilog
printf 'base: paper\nmachine: {processors: 2, cores: 2}\n' >four.yaml
many=(--config four.yaml kernels/pr -- --n 1024)
run all.fst --near=rtl --threads 2 --wave-scope 'core*.nbu1,core*.smem,core?.rtt*' --stats all.json "${many[@]}"
run other.fst --near=rtl --threads 1 --wave-scope 'core*.nbu1,core*.smem,core?.rtt*' "${many[@]}"
cmp all.fst other.fst || fail "one thread: another file"
run c4.fst --near=c --threads 3 --wave-scope 'core*' "${many[@]}"
same "four twins: other values" --both c4.fst all.fst
# also of cores that sleep now and then
run sleepy.fst --near=c --wave-scope 'core*' --stats sleepy.json --config four.yaml kernels/kmeans -- --n 40
for of in c4:all sleepy:sleepy; do
  file=${of%:*}.fst json=${of#*:}.json
  "$check" values $file core{0,1,2,3}.base.sub{0,1,2,3}.{issue,ends} core{0,1,2,3}.base.block_{starts,ends} core{0,1,2,3}.base.bus_{dn,up}{0,1}_valid >$file.values
  for core in 0 1 2 3; do
    issued=$(key issued $json $((5 + 4 * core)) 4)
    is "$(cycles $file 1 core$core.base.sub{0,1,2,3}.issue)" "$issued" "$file, core $core, issued"
    ends=0
    for sub in 0 1 2 3; do ends=$((ends + $(sum $file core$core.base.sub$sub.ends))); done
    is $ends "$issued" "$file, core $core, ends"
    is "$(sum $file core$core.base.block_starts) $(sum $file core$core.base.block_ends)" "$(key blocks $json $((core + 2))) $(key blocks $json $((core + 2)))" "$file, core $core, blocks"
    is "$(cycles $file 1 core$core.base.bus_{dn,up}{0,1}_valid)" "$(($(key bus_down $json $((core + 2))) + $(key bus_up $json $((core + 2)))))" "$file, core $core, flits"
  done
done
blocks() { "$check" signals "$1" | sed -E 's/ .*//; s/^(core[0-9]+\.[a-z]+[0-9]?(\.[a-z]+)?).*/\1/; s/\.[a-z_]+$//' | sort -u | grep -v base | tr '\n' ' '; }
scope() { # SCOPES WANTED: groups that have signals; and they are those of the whole file
  run scope.fst --near=rtl --wave-scope "$1" --wave-window 100:400 "${many[@]}"
  is "$("$check" signals scope.fst | sed -E 's/^([a-z]+[0-9]+\.[a-z]+[0-9]*).*/\1/' | sort -u | tr '\n' ' ')" "$2" "scope $1"
  same "scope $1: other values" --both scope.fst all.fst
}
scope core2 "core2.base core2.nbu0 core2.nbu1 core2.nbu2 core2.nbu3 core2.rtt0 core2.rtt1 core2.rtt2 core2.rtt3 core2.smem "
[[ ! ${MPU_LONG:-} ]] ||
  scope 'core*.nbu0' "core0.base core0.nbu0 core1.base core1.nbu0 core2.base core2.nbu0 core3.base core3.nbu0 "
scope 'core1.nbu1.opc,core3.rtt?' "core1.base core1.nbu1 core3.base core3.rtt0 core3.rtt1 core3.rtt2 core3.rtt3 "
is "$("$check" signals scope.fst | grep nbu1 | grep -vc '^core1\.nbu1\.opc\.\|^core[13]\.base\.')" 0 "a block inside"
scope core0.nbu1.tsv.rx_valid_o "core0.base core0.nbu1 "
for scopes in core9 core0,core0.nbu1.frob 'core*.frob?'; do
  rm -f scope.*
  expect "no scope of this machine matches '${scopes#core0,}' (--wave-scope)" "$MPU" run -q --near=rtl --wave scope.fst --wave-scope "$scopes" "${many[@]}"
  [[ -z $(compgen -G 'scope.*') ]] || fail "a scope that is not there: a file"
done
run scope.fst --near=rtl --rtl-core 3 --wave-scope 'core2.nbu1,core3.nbu1' "${many[@]}"
same "a core in Verilog and one in C" --both scope.fst all.fst
is "$("$check" signals scope.fst | grep -c '^core2.nbu1')" 38 "ports of the core in C"

# ---- windows: exactly their cycles, also across launches
"$MPU" run -q --near=c --stats two.json "$cu" >/dev/null || fail "wave.cu"
run two.fst --near=rtl "$cu"
end=$(($(key cycles two.json) + $(key cycles_drain two.json)))
is "$(span two.fst)" "0 $((end - 1)) " "two launches"
begin=$("$check" table two.fst core0.base.block_starts | awk '$2 == 1 { print $1 }' | sed -n 2p) # of the second launch
((begin > 100)) || fail "where the second launch begins: $begin"
windows=(0:1 :200 $((begin - 1)):$((begin + 1)) $((end - 1)):)
[[ ! ${MPU_LONG:-} ]] || windows+=(0:$end $((begin - 1)):$begin $begin:$((begin + 1)) $((begin - 30)):$((begin + 200)) 123:124)
for window in "${windows[@]}"; do
  run window.fst --near=rtl --wave-window $window "$cu"
  from=${window%:*} until=${window#*:}
  is "$(span window.fst)" "${from:-0} $((${until:-$end} - 1)) " "window $window"
  same "window $window" window.fst two.fst
  grep -q "cycles ${from:-0} to $((${until:-$end} - 1));" run.err || fail "window $window: what is said: $(<run.err)"
done
# with the twins, whose inputs are noted in passing: windows all over the run
[[ ${MPU_LONG:-} ]] && step=37 || step=148
run twins.fst --near=c "$cu"
for ((window = 7; window < end - 40; window += step)); do
  run window.fst --near=c --wave-window $window:$((window + 40)) "$cu"
  same "window $window of the twins" window.fst twins.fst
done
for window in ${MPU_LONG:+1000:1001} 2200:2400 ${MPU_LONG:+3000:}; do
  run window.fst --near=rtl --threads 2 --wave-scope 'core*.nbu1,core*.smem' --wave-window $window "${many[@]}"
  same "window $window of four cores" window.fst all.fst
done
for window in $end: 99999999:; do
  run window.fst --near=rtl --wave-window $window "$cu"
  is "$(<run.err)" "mpu: no waves in 'window.fst': the run ended before its window" "window $window"
  is "$("$check" signals window.fst | wc -l)" "$("$check" signals two.fst | wc -l)" "signals of an empty file"
done

# ---- runs that end early
"$MPU" run -q --near=rtl "$cu" -- 1 >plain.out 2>plain.err
is $? 3 "status of a fault"
"$MPU" run -q --near=rtl --wave fault.fst --stats fault.json "$cu" -- 1 >run.out 2>run.err
is $? 3 "status of a fault, with waves"
cmp plain.out run.out && cmp plain.err <(grep -v '^mpu: waves: ' run.err) || fail "a fault: other messages"
is "$("$check" values fault.fst core0.base.block_starts | sed -n 's/.* 1 //p')" 12 "blocks of three launches"
"$check" values fault.fst core0.nbu1.{dn_count_i,cmd_o} >fault.fst.values
is "$(sum fault.fst core0.nbu1.dn_count_i) $(cycles fault.fst 4 core0.nbu1.cmd_o)" "$(key flits_down fault.json 2) $(key rd fault.json 5 4)" "NBU 1 in three launches"
"$MPU" run -q --near=c --wave other.fst "$cu" -- 1 >run.out 2>run.err
same "a fault, a reset, a launch: other values" --both fault.fst other.fst
said_or_gone() { grep -q now run.out || gone "$1"; }
started() { # starts "$MPU" with the endless kernel; waits until it is in it
  : >run.out
  "$MPU" run "$@" "$cu" -- 2 >run.out 2>run.err &
  pid=$!
  wait_for said_or_gone $pid
  wait_for_work $pid
}
started --near=rtl --stats int.json --wave int.fst
kill -INT $pid
wait $pid
is $? 130 "status with SIGINT"
grep -q '^cycles  *[1-9]' run.out && grep -q 'wave.cu:' run.err || fail "SIGINT: no report"
is "$(span int.fst)" "0 $(($(key cycles int.json) + $(key cycles_drain int.json) - 1)) " "cycles until SIGINT"
is "$(cycles int.fst 1 core0.base.sub{0,1,2,3}.issue)" "$(key issued int.json 1 4)" "instructions until SIGINT"
started --near=c --stats int.json --wave usr.fst --wave-window 900000000:
for n in 1 2 3 4; do
  kill -USR1 $pid
  wait_for_work $pid 15
done
kill -INT $pid
wait $pid
is $? 130 "status with SIGUSR1"
is "$(span usr.fst | wc -w)" 4 "on and off, twice: $(span usr.fst)"
started --near=c --wave usr.fst
kill -USR1 $pid
wait_for_work $pid 20
kill -INT $pid
wait $pid
is "$(span usr.fst | wc -w)" 2 "off: $(span usr.fst)"
(($("$check" span usr.fst | cut -d ' ' -f 2) > 300)) || fail "off at once"

# ---- no room
full() { # BLOCKS: of 1024 bytes
  rm -f full.*
  (ulimit -f "$1" && "$MPU" run -q --near=rtl --wave full.fst kernels/hist -- --n 30000) >run.out 2>run.err
  is "$? $(cut -d : -f 1 run.out)" "2 PASS hist" "status with room for $1 KB"
  [[ ! -e full.fst ]] || fail "room for $1 KB: what is not whole has the name"
}
run plain.fst --near=rtl --wave-window 0:1 kernels/hist -- --n 30000
for blocks in 1 300 5000; do
  full $blocks
  is "$(<run.err)" "mpu: cannot write 'full.fst': files may have $((1024 * blocks)) bytes at most (ulimit -f)" "room for $blocks KB"
done
full 20000
is "$(head -n 1 run.err)" "mpu: cannot write 'full.fst': files may have 20480000 bytes at most (ulimit -f)" "room for 20 MB"
is "$(span full.fst.part)" "0 $(sed -nE 's/^mpu: waves: full.fst.part, .*cycles 0 to ([0-9]+);.*/\1/p' run.err) " "what there was room for"

# ---- events: the first time that they happen, margins around it
run all1.fst --near=c --stats all1.json "$cu"
pc=$("$check" values all1.fst core0.base.sub1.issue_pc | awk 'NR == 9 { print $2 }')
"$check" table all1.fst core0.base.sub{0,1,2,3}.issue_pc >issues
"$check" table all1.fst core0.base.nbu{0,1,2,3}.bank{0,1,2,3}.command >commands
issued() { awk -v pcs=" $* " '{ for (k = 2; k <= 5; k++) if (index(pcs, " " $k " ")) { print $1; exit } }' issues; } # one of these program counters
command() { # VALUE [NBU [BANK]]
  awk -v value="$1" -v nbu="${2:-}" -v bank="${3:-}" '{
    for (k = 0; k < 16; k++)
      if ($(k + 2) == value && (nbu == "" || nbu == int(k / 4)) && (bank == "" || bank == k % 4)) { print $1; exit }
  }' commands
}
at() { # EVENT CYCLE OPTIONS...
  local from=$(($2 > 7 ? $2 - 7 : 0)) until=$(($2 + 5))
  "$MPU" run -q --wave at.fst --wave-at "$1" --wave-margin 7:5 "${@:3}" >run.out 2>run.err || fail "$1: status $?"
  [[ -n $2 ]] || { fail "$1: not in the whole file"; return; }
  is "$(span at.fst)" "$from $((until < last ? until : last)) " "$1"
  same "$1: other values" --both at.fst "$file"
  grep -q "^mpu: waves of core 0, cycles $from to [0-9]*: at.fst, [0-9.]* MB; look at them with: mpu waves at.fst$" run.err || fail "$1: what is said: $(<run.err)"
  grep -q "^\*[-0-9.]* $((1000 * $2)) " at.gtkw || fail "$1: no marker"
}
file=all1.fst last=$((end - 1))
at "pc:0x$pc" "$(issued "$pc")" --near=c "$cu"
lines() { awk -v of="$1\$" '$0 ~ of { k = tolower($1); sub(/^0+/, "", k); print k == "" ? "0" : k }' all1.fst.names | tr '\n' ' '; }
line=$(grep -n 'p\[me\] = sum' "$cu" | cut -d : -f 1)
at "line:$line" "$(issued $(lines "wave.cu:$line"))" --near=c "$cu"
line=$(grep -n '\*= 3' "$cu" | cut -d : -f 1) # of the second kernel
at "line:wave.cu:$line" "$(issued $(lines "wave.cu:$line"))" --near=rtl "$cu"
at "line:wave/wave.cu:$line" "$(issued $(lines "wave.cu:$line"))" --near=c "$cu"
bar=$(grep -F ' bar.' all1.fst.names | head -n 1 | awk '{ print tolower($1) }' | sed 's/^0*//')
at barrier "$(issued "$bar")" --near=c "$cu"
warp() { # BLOCK WARP: when it issues its barrier; blocks have two warps
  local sub=$(((2 * $1 + $2) % 4))
  "$check" table all1.fst core0.base.sub$sub.issue_{pc,slot} $(for s in {0..15}; do echo core0.base.sub$sub.warp$s.block; done) |
    awk -v bar="$bar" -v block="$1" 'function value(hex) { return index("0123456789abcdef", hex) - 1 } $2 == bar && $(4 + value($3)) == block { print $1; exit }'
}
at barrier:2.1 "$(warp 2 1)" --near=c "$cu"
# the view is of the subcore that issues it, and so near that names can be read
grep -q '^\[\*\] nearbank view story, core 0, NBU 1$' at.gtkw || fail "barrier:2.1: $(head -n 1 at.gtkw)"
grep -q 'core0.base.sub1.issue_pc' at.gtkw && ! grep -q 'base\.sub0' at.gtkw || fail "barrier:2.1: signals of another subcore"
grep -q '^\*-11.0 ' at.gtkw || fail "barrier:2.1: $(grep '^\*' at.gtkw)"
at barrier:1 "$({ warp 1 0; warp 1 1; } | sort -n | head -n 1)" --near=c "$cu"
at bank:ACT,1,0 "$(command 1 1 0)" --near=lockstep "$cu"
at bank:act "$(command 1)" --near=c "$cu"
at bank:WR,0,2 "$(command 5 0 2)" --near=c "$cu"
at bank:Rd,3 "$(command 4 3)" --near=c "$cu"
grep -q '^\[\*\] nearbank view bankctl, core 0, NBU 3$' at.gtkw || fail "bank:Rd,3: $(head -n 1 at.gtkw)"
at cycle:0 0 --near=c "$cu"
at cycle:3 3 --near=c "$cu"
at cycle:$((begin + 60)) $((begin + 60)) --near=c "$cu"
at cycle:$last $last --near=c "$cu"
for event in cycle:$end pc:0xfff0 line:99999 line:other.cu:$line bank:REF barrier:4 barrier:0.2; do
  "$MPU" run -q --near=c --wave at.fst --wave-at $event "$cu" >run.out 2>run.err || fail "$event: status $?"
  is "$(<run.err)" "mpu: no waves: $event did not happen" "$event"
done
# margins of 200 cycles; half of one; in the core where it happened, of several
"$MPU" run -q --near=c --wave at.fst --wave-at cycle:220 "$cu" >run.out 2>run.err
is "$(span at.fst)" "20 420 " "margins"
"$MPU" run -q --near=c --wave at.fst --wave-at cycle:220 --wave-margin 10: "$cu" >run.out 2>run.err
is "$(span at.fst)" "210 420 " "half of the margins"
"$MPU" run -q --near=c --wave at.fst --wave-at cycle:$((begin - 10)) --wave-margin 10:30 "$cu" >run.out 2>run.err
is "$(span at.fst)" "$((begin - 20)) $((begin - 1)) " "waves of an event end with its launch"
"$MPU" run -q --near=c --wave at.fst --wave-at bank:RD,2,3 --wave-margin 20:20 --threads 2 "${many[@]}" >run.out 2>run.err || fail "an event of four cores"
core=$(sed -nE 's/^mpu: waves of core ([0-3]), .*/\1/p' run.err)
where=$(for k in 0 1 2 3; do "$check" table c4.fst core$k.base.nbu2.bank3.command | awk -v k=$k '$2 == 4 { print $1, k; exit }'; done | sort -n | head -n 1)
is "$(span at.fst)core $core" "$((${where% *} - 20)) $((${where% *} + 20)) core ${where#* }" "an event of four cores"
same "an event of four cores: other values" at.fst c4.fst
# what goes wrong
"$MPU" run -q --near=c --wave wrong.fst --wave-at difference --wave-margin 50:0 "$cu" -- 1 >run.out 2>run.err
is $? 3 "status of a difference"
grep -q '^mpu: waves of core 0, .*: wrong.fst,' run.err && [[ $(span wrong.fst | wc -w) == 2 ]] || fail "difference: no waves of a fault"

# ---- size and time: 2000 cycles of an NBU at work, with MPU_LONG 10,000
[[ ${MPU_LONG:-} ]] && n=100000 from=5000 of=10000 || n=20000 from=2000 of=2000
run size.fst --stats size.json --near=rtl --wave-scope core0.nbu1 --wave-window $from:$((from + of)) kernels/axpy -- --n $n
bytes=$(stat -c %s size.fst) took=$(sed -nE "s/.*\"cpu_seconds\": ([0-9.]+),.*/\1/p" size.json)
echo "$of cycles of an NBU: $bytes bytes, the run takes $took s of processor time"
((bytes < 10000 * of && ${took%.*} < 60)) || fail "waves are too large or slow"

# ---- wrong use
mkdir folder taken.fst.names
expect "cannot write waves to '/dev/full': it is not a regular file" "$MPU" run -q --near=c --wave /dev/full "$cu"
expect "cannot write 'folder': Is a directory" "$MPU" run -q --near=c --wave folder "$cu"
expect "cannot write 'no/where.fst': No such file" "$MPU" run -q --near=c --wave no/where.fst "$cu"
expect "cannot write 'taken.fst.names': Is a directory" "$MPU" run -q --near=c --wave taken.fst "$cu"
expect "--wave needs a file" "$MPU" run --near=c --wave= "$cu"
expect "--wave is not for the functional machine" "$MPU" run --near=none --wave x.fst "$cu"
expect "--wave-window, --wave-at and --wave-scope need --wave FILE.fst" "$MPU" run --near=c --wave-scope core0 "$cu"
expect "--wave-window, --wave-at and --wave-scope need --wave FILE.fst" "$MPU" run --near=c --wave-at cycle:3 "$cu"
for window in "" 5 5:3 5:5 a:b 1:2x x1:2 -1:5 +1:5 " 1:2" 1:2:3 : 99999999999999999999:; do
  [[ -z $window ]] || expect "--wave-window takes cycles A:B" "$MPU" run --near=c --wave x.fst --wave-window "$window" "$cu"
done
expect "--wave-at and --wave-window do not go together" "$MPU" run --near=c --wave x.fst --wave-window 1:2 --wave-at cycle:3 "$cu"
expect "--wave-margin is for --wave-at" "$MPU" run --near=c --wave x.fst --wave-margin 1:2 "$cu"
for margin in 5 x:y 1:2x -1:2 : 1:99999999999999999999; do
  expect "--wave-margin takes cycles BEFORE:AFTER" "$MPU" run --near=c --wave x.fst --wave-at cycle:3 --wave-margin "$margin" "$cu"
done
expect "--wave-at takes difference, cycle:N, pc:0x150" "$MPU" run -q --near=c --wave x.fst --wave-at bank:NOP "$cu"
exit $failed
