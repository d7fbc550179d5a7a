#!/usr/bin/env bash
# Objects: readelf reads them, the disassembler's text assembles to the same instructions, every
# dump compiles on to the same object, and a bare program runs without the tool.
set -eu
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

"$MPU" cc kernels/plain/blur/blur.cu --ptx "$work/blur.ptx" -S "$work/blur.lst" -o "$work/blur"
"$work/blur" --width 64 --height 32 >"$work/out" || fail "the program by itself"
grep -q PASS "$work/out" || fail "the program by itself says PASS"
MPU_STATS=$work/stats.json "$work/blur" --width 64 --height 32 >/dev/null
for key in program result launches warp_instructions near_instructions far_instructions \
  global_bytes shared_accesses host_seconds; do
  grep -q "\"$key\": " "$work/stats.json" || fail "$key in the report"
done
grep -Eq '\bN\b' "$work/blur.lst" || fail "locations in the listing"

"$MPU" cc "$work/blur.ptx" -o "$work/blur.elf"
readelf -aW "$work/blur.elf" >"$work/readelf" 2>&1 || fail "readelf"
! grep -qi 'warning\|error' "$work/readelf" || fail "readelf complains: $(grep -i 'warning\|error' "$work/readelf")"
grep -q 'FUNC.*blur' "$work/readelf" || fail "kernel symbols"

"$MPU" dis "$work/blur.elf" -o "$work/blur.s"
"$MPU" asm "$work/blur.s" -o "$work/again.elf"
"$MPU" dis "$work/again.elf" -o "$work/again.s"
strip() { sed 's,//.*,,; s/ *$//' "$1"; }
diff <(strip "$work/blur.s") <(strip "$work/again.s") || fail "assembling what was disassembled"

for pass in parse inline; do
  "$MPU" mpucc --dump-after=$pass "$work/blur.ptx" -o "$work/$pass.ptx"
  "$MPU" mpucc "$work/$pass.ptx" -o "$work/$pass.elf"
  "$MPU" dis "$work/$pass.elf" | sed 's,//.*,,' >"$work/$pass.s"
  diff <(sed 's,//.*,,' "$work/blur.s") "$work/$pass.s" >/dev/null || fail "compiling on from $pass"
done
for pass in lower simplify reconverge locate allocate; do
  "$MPU" mpucc --dump-after=$pass "$work/blur.ptx" -o "$work/$pass.mir"
  "$MPU" mpucc "$work/$pass.mir" -o "$work/$pass.elf"
  cmp "$work/blur.elf" "$work/$pass.elf" || fail "compiling on from $pass"
done

head -c 4096 /dev/urandom >"$work/noise"
"$MPU" dis --raw "$work/noise" -o "$work/noise.s"
"$MPU" asm --raw "$work/noise.s" -o "$work/noise2"
cmp "$work/noise" "$work/noise2" || fail "raw bytes through dis and asm"
! "$MPU" dis "$work/noise" 2>/dev/null || fail "noise is no object"

# the trace has a line for each retired instruction
"$MPU" run -q --trace "$work/trace" --stats "$work/stats.json" kernels/blur -- --width 32 --height 8
retired=$(sed 's/.*"warp_instructions": \([0-9]*\).*/\1/' "$work/stats.json")
[[ $(wc -l <"$work/trace") == "$retired" ]] || fail "a trace line an instruction"
