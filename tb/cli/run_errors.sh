#!/usr/bin/env bash
# Wrong use of the tool: one clear line, exit status 2. A failing check exits 1.
set -u
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect STATUS TEXT COMMAND...: the status, TEXT in the one line on stderr
expect() {
  local status=$1 text=$2 got
  shift 2
  "$@" >"$work/out" 2>"$work/err" </dev/null
  got=$?
  if [[ $got != "$status" ]] || { [[ $text ]] && ! grep -qF -- "$text" "$work/err"; } ||
    { [[ $status == 2 ]] && [[ $(wc -l <"$work/err") != 1 ]]; }; then
    printf 'FAILED: %s\n  expected status %s and one line with "%s"; got %s and:\n' "$*" "$status" "$text" "$got"
    head -n 5 "$work/err"
    failed=1
  fi
}

expect 2 "unknown command 'frob'" "$MPU" frob
expect 2 "unknown option '--frob'" "$MPU" --frob
expect 2 "which program?" "$MPU" run
expect 2 "unknown option '--frob'" "$MPU" run --frob kernels/axpy
expect 2 "cannot read 'kernels/none'" "$MPU" run kernels/none
expect 2 "is neither a CUDA program (.cu) nor a directory of one" "$MPU" run README.md
expect 2 "has no common.cu" "$MPU" run kernels/common
expect 2 "--locate takes paper, cost, near, far or none, not 'here'" "$MPU" run --locate=here kernels/axpy
expect 2 "--maxregs takes a number from 8 to 254, not '7'" "$MPU" run --maxregs=7 kernels/axpy
expect 2 "--maxregs takes a number from 8 to 254, not '12x'" "$MPU" run --maxregs 12x kernels/axpy
expect 2 "there are -O0, -O1, -O2 and -O3" "$MPU" run -O4 kernels/axpy
expect 2 "--stats needs a file" "$MPU" run kernels/axpy --stats
expect 2 "cannot write '/nowhere/s.json'" "$MPU" run --stats /nowhere/s.json kernels/axpy
expect 2 "--max-instructions takes a number" "$MPU" run --max-instructions -5 kernels/axpy
expect 2 "one program at a time" "$MPU" run kernels/axpy kernels/pr
expect 2 "-o FILE is missing" "$MPU" cc kernels/plain/axpy/axpy.cu
expect 2 "which file?" "$MPU" cc
expect 2 "cannot read 'none.ptx'" "$MPU" cc none.ptx -o "$work/x"
expect 2 "unknown option '-z'" "$MPU" mpucc -z
expect 2 "an input file is missing" "$MPU" mpucc -o "$work/x"
expect 2 "no pass is called 'frob'" "$MPU" mpucc --dump-after=frob x.ptx -o "$work/x"
expect 2 "cannot read 'none.elf'" "$MPU" dis none.elf
expect 2 "not an ELF file" "$MPU" dis README.md
expect 2 "unknown option '--frob'" "$MPU" asm --frob
expect 2 "unknown benchmark 'frob'" "$MPU" bench frob
expect 2 "--frob" "$MPU" run -q kernels/axpy -- --frob
expect 2 "--n" "$MPU" run -q kernels/axpy -- --n many

# a program whose own check fails exits 1; one that faults says where
cat >"$work/wrong.cu" <<'CU'
int main() {
  mpu_report_result(0);
  return 1;
}
CU
expect 1 "" "$MPU" run -q --stats "$work/stats" "$work/wrong.cu"
grep -q '"result": "fail"' "$work/stats" || { echo "FAILED: the report of a failing program"; failed=1; }
cat >"$work/fault.cu" <<'CU'
__global__ void kernel(int *p) {
  p[threadIdx.x] = 1;
}
int main() {
  int *p;
  cudaMalloc(&p, 4 * 40);
  kernel<<<1, 64>>>(p);
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 1 : 0;
}
CU
expect 1 "block (0,0,0) thread (40,0,0) writes 4 bytes at global address" "$MPU" run -q "$work/fault.cu"
grep -q 'fault.cu:2' "$work/err" || { echo "FAILED: a fault names its source line"; failed=1; }
cat >"$work/f16.ptx" <<'PTX'
.version 6.3
.target sm_70
.address_size 64
.visible .entry k()
{
  .reg .b16 %h<4>;
  div.f16 %h1, %h2, %h3;
  ret;
}
PTX
expect 1 "f16.ptx:7:3: error: the opcode \`div.f16\` is not supported" "$MPU" cc "$work/f16.ptx" -o "$work/x"
expect 1 "more than 100 warp instructions" "$MPU" run -q --max-instructions 100 kernels/axpy
expect 2 "--trace, --max-instructions, --count-bytes and --place-out are for the functional machine" "$MPU" run --near=c --count-bytes kernels/axpy
"$MPU" cc "$work/fault.cu" -o "$work/fault"
expect 2 "MPU_COUNT_BYTES is for the functional machine" env MPU_NEAR=c MPU_COUNT_BYTES=1 "$work/fault"
grep -q compulsory "$work/stats" && { echo "FAILED: bytes are counted that nobody asked for"; failed=1; }

# help is help
for command in "" run profile retire cc mpucc asm dis config bench; do
  "$MPU" $command --help >"$work/out" 2>&1 && grep -q '^usage: ' "$work/out" ||
    { echo "FAILED: mpu $command --help"; failed=1; }
done
# the launcher answers by itself what needs no tool, in the same words
diff <("$MPU" --help) <(PATH=/usr/bin:/bin ./mpu) || { echo "FAILED: ./mpu and the tool differ"; failed=1; }
expect 2 "unknown command 'frob'; mpu --help lists what there is" ./mpu frob
expect 2 "unknown option '--frob'; mpu --help lists what there is" ./mpu --frob

# wrong assembly: the place and what it is
bad_asm() {
  printf '.kernel k\n.regs 4 0 0 1\n%b\n' "$2" >"$work/bad.s"
  expect 1 "$1" "$MPU" asm "$work/bad.s" -o "$work/x"
}
bad_asm "bad.s:5:1: error: the label 'L' is defined twice" 'L:\n  exit\nL:\n  exit'
bad_asm "bad.s:3:3: error: branch targets are labels" '  bra 0x40000000, none\n  exit'
bad_asm "bad.s:3:7: error: unknown label" '  bra M, none\n  exit'
bad_asm "unexpected text at the end of the line" '.local 16 dynamic\n  exit'
exit $failed
