#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a run that went wrong leaves: Verilog with a fault in any block (tb/mpu/near/plant.sh) is found in that block; the
# message has the instruction and what the NBU did last, the wave file has the wrong value in that cycle, and the
# command that is told does it again. Then DRAM rules, faults, deadlocks, and files that cannot be written.
set -uo pipefail
unset MPU_POSTMORTEM
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$PWD
cd "$work" || exit 1
failed=0
say() {
  echo "FAILED: $*"
  head -n 12 err | cut -c1-150
  failed=1
}
cp "$root/tb/mpu/core/odd.cu" . || exit 1
cat >wrong.cu <<'CU'
#include <cstring>
__global__ void beyond(int *p) {
  if (threadIdx.x == 7)
    p[1 << 28] = 1;
}
__global__ void stuck(int *p) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;");
  else
    asm volatile("bar.sync 2, 64;");
  p[threadIdx.x] = 1;
}
int main(int, char **argv) {
  int *p;
  cudaMalloc(&p, 4096);
  if (!strcmp(argv[1], "beyond"))
    beyond<<<1, 32>>>(p);
  else
    stuck<<<1, 64>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU

# ---- values of a wave file

# value FILE SIGNAL CYCLE: its bits when the cycle has begun
value() {
  fst2vcd -f "$1" | awk -v path="$2" -v until="$(($3 * 1000))" '
    /^\$scope/ { scope = scope sep $3; sep = "."; next }
    /^\$upscope/ { sub(/\.?[^.]*$/, "", scope); if (scope == "") sep = ""; next }
    /^\$var/ { if (scope "." $5 == path) code = $4; next }
    /^#/ { if (substr($0, 2) + 0 > until) exit; next }
    /^b/ { if ($2 == code) bits = substr($1, 2); next }
    /^[01]/ { if (substr($0, 2) == code) bits = substr($0, 1, 1) }
    END { print bits }'
}

# Digits of 4 bits.
hex() {
  awk '{ while (length($0) % 4) $0 = "0" $0
         for (n = 1; n <= length($0); n += 4)
           printf "%x", substr($0, n, 1) * 8 + substr($0, n + 1, 1) * 4 + substr($0, n + 2, 1) * 2 + substr($0, n + 3, 1)
         print "" }'
}

# The wave file has the value that the message says the Verilog has: of its first port, the first line.
contains() { # FILE
  local head block nbu cycle where port scope dir=o line have
  head=$(head -n 1 err)
  cycle=$(sed -E 's/.*, cycle ([0-9]+):.*/\1/' <<<"$head")
  where=$(sed -n '2s/^  in //p' err)
  port=$(grep -m 1 '^  port ' err | awk '{ print $2 }')
  case $head in
  *"NBU "*)
    nbu=$(sed -E 's/.*NBU ([0-3]):.*/\1/' <<<"$head")
    block=$(sed -E 's/.*NBU [0-3]: ([a-z]+),.*/\1/' <<<"$head")
    scope=core0.nbu$nbu.$block
    [[ $block != nbu ]] || scope=core0.nbu$nbu.$(grep -m 1 '^  port ' err | awk '{ print $4 }') dir=i
    [[ $where != lane* ]] || scope=core0.nbu$nbu.valu
    [[ $where != lsux ]] || scope=core0.nbu$nbu.lsux.bank.fpu
    ;;
  *smem*) scope=core0.smem ;;
  *) scope=core0.rtt$(sed -E 's/.*subcore ([0-3]),.*/\1/' <<<"$head") ;;
  esac
  have=$(value "$1" "${scope}.${port}_$dir" "$cycle" | hex)
  line=$(grep -m 1 '^    verilog ' err | awk '{ print $2 }' | tr -d _)
  # of wide ports the message has eight words a line
  [[ -n $line && $have == *"$line"* ]] ||
    say "$1 has ${have:-nothing} for ${scope}.${port}_$dir in cycle $cycle, the message $line"
}

# ---- every block
cp -r "$root/kernels" . # the command that is told names files as they were given
first=1
while read -r mutant block program arguments; do
  read -ra arguments <<<"$arguments"
  rm -f mismatch.* again.*
  MPU_MUTANT=$mutant "$MPU" run -q --near=lockstep "$program" -- "${arguments[@]}" >out 2>err
  [[ $? == 3 ]] || say "$mutant: exit status"
  grep -qE "^mpu: core 0, (NBU [0-3]: )?$block( of subcore [0-3])?, cycle [0-9]+: twin and Verilog differ\$" err || say "$mutant: block"
  [[ -s mismatch.fst && -s mismatch.fst.names && -s mismatch.gtkw ]] || { say "$mutant: no files"; continue; }
  contains mismatch.fst
  grep -q "^\[\*\] nearbank view $block, core 0, NBU [0-3]\$" mismatch.gtkw || say "$mutant: the view"
  grep -qE '^mpu: waves of core 0, cycles [0-9]+ to [0-9]+: mismatch.fst, [0-9.]+ MB; look at them with: mpu waves mismatch.fst$' err ||
    say "$mutant: what waves there are"
  # at most 64 records an NBU, in the order of their cycles
  awk '/what NBU . did last/ { n = 0; last = -1; next }
       /^ +[0-9]+  (bank|block) / { if (++n > 64 || $1 + 0 < last) bad = 1; last = $1 + 0; all++ }
       END { exit bad || !all }' err || say "$mutant: records"
  [[ $first ]] || continue
  first=
  # an instruction with its line
  grep -qE '^    packet [0-9]+ .* for block [0-9]+ warp [0-9]+: kernel .*, pc 0x[0-9a-f]+: .*, PTX line [0-9]+, .*\.cu:[0-9]+$' err || say "$mutant: instruction"
  again=$(sed -n 's/^mpu: to repeat it with waves: mpu run //p' err)
  [[ -n $again ]] || say "$mutant: no command"
  MPU_MUTANT=$mutant bash -c "'$MPU' run --postmortem none $again" >out 2>err2
  [[ $? == 3 && $(head -n 3 err) == $(head -n 3 err2) ]] || say "$mutant: the same again"
  cmp -s mismatch.fst again.fst || say "$mutant: other waves the second time"
done <<'TABLE'
opc      opc      kernels/axpy    --n 2000
tsv      tsv      kernels/blur    --width 64 --height 48
regfile  regfile  kernels/axpy    --n 2000
valu     valu     kernels/axpy    --n 2000
fpu      fpu      kernels/axpy    --n 2000
lsux     lsux     kernels/axpy    --n 2000
regmove  regmove  odd.cu
bankctl  bankctl  kernels/axpy    --n 2000
smem     smem     kernels/hist    --n 2048
rtt      rtt      odd.cu
nbu      nbu      kernels/axpy    --n 2000
TABLE

# ---- the same message and file on any number of threads, of the core where it was
for threads in 1 2; do
  MPU_MUTANT=fpu "$MPU" run -q --near=lockstep --rtl-core 37-38 --config paper --threads $threads --postmortem t$threads.fst kernels/axpy -- --n 60000 >out 2>err
  [[ $? == 3 ]] || say "$threads threads: exit status"
  sed "s/t$threads\.fst/FILE/g; s/--threads $threads/--threads N/" err >told$threads
done
cmp -s told1 told2 || say "another message with two threads"
cmp -s t1.fst t2.fst || say "another file with two threads"
grep -q '^mpu: core 3[78], NBU' told1 && grep -q 'waves of core 3[78],' told1 || say "another core"

# ---- not only differences
went() { # KIND STATUS
  [[ $status == "$2" ]] || say "$1: exit status $status"
  [[ -s $1.fst && -s $1.gtkw ]] && fst2vcd -f "$1.fst" -o vcd && grep -q '^#' vcd || say "$1: no waves"
  grep -q "what NBU . did last" err || say "$1: records"
}
MPU_MUTANT=bankctl "$MPU" run -q --near=rtl kernels/axpy -- --n 2000 >out 2>err
status=$?
grep -q 'breaks tRCD' err || say "violation: message"
went violation 3
"$MPU" run -q --near=lockstep wrong.cu -- beyond >out 2>err
status=$?
grep -q 'writes 4 bytes at global address' err || say "fault: message"
went fault 3
"$MPU" run -q --near=lockstep wrong.cu -- stuck >out 2>err
status=$?
grep -q 'barrier 1' err && grep -q 'barrier 2' err || say "deadlock: message"
went deadlock 3

# ---- none, and none possible
rm -f ./*.fst
"$MPU" run -q --near=lockstep --postmortem none wrong.cu -- beyond >out 2>err
[[ $? == 3 && -z $(ls ./*.fst 2>/dev/null) ]] || say "waves although there should be none"
"$MPU" run -q --near=c wrong.cu -- beyond >out 2>err
[[ $? == 3 && -z $(ls ./*.fst 2>/dev/null) ]] || say "waves with twins alone"
"$MPU" run -q --near=c --postmortem c.fst wrong.cu -- beyond >out 2>err
[[ $? == 3 && -s c.fst ]] || say "no waves with twins alone, though asked for"
"$MPU" run -q --near=lockstep --postmortem no/where.fst wrong.cu -- beyond >out 2>err
[[ $? == 3 ]] && grep -qE "^mpu: no waves: cannot write 'no/where\.fst'" err || say "a path that cannot be written"
exit $failed
