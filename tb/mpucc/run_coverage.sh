#!/usr/bin/env bash
# Every opcode of tb/mpucc/ptx/coverage.ptx compiles, with any policy and few registers; what is
# not covered is an error that names opcode, line and column.
set -u
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for options in "" --locate=near --locate=far --locate=none --locate=cost --maxregs=8 "--maxregs=16 --locate=cost" "--maxregs=16 --locate=none"; do
  "$MPU" mpucc $options tb/mpucc/ptx/coverage.ptx -o "$work/out" ||
    { echo "FAILED: mpucc $options"; failed=1; }
done

refuse() { # STATEMENT OPCODE
  {
    printf '.version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n'
    printf '\t.reg .b16 %%h<9>;\n\t.reg .b32 %%r<9>;\n\t.reg .f32 %%f<9>;\n\t.reg .b64 %%d<9>;\n'
    printf '\t%s\n\tret;\n}\n' "$1"
  } >"$work/bad.ptx"
  "$MPU" mpucc "$work/bad.ptx" -o "$work/out" 2>"$work/err"
  if [[ $? != 1 ]] || ! grep -q "bad.ptx:10:2: error: .*$2" "$work/err" || ! grep -qF "  ${1%%;*}" "$work/err"; then
    echo "FAILED: '$1' should be refused with its place"
    cat "$work/err"
    failed=1
  fi
}
refuse 'div.f16 %h1, %h2, %h3;' '`div.f16`'
refuse 'max.xorsign.abs.f16 %h1, %h2, %h3;' '.xorsign'
refuse 'min.NaN.f32 %f1, %f2, %f3;' '`min.NaN.f32`'
refuse 'atom.global.add.b16 %h1, [%d1], %h2;' 'only atom.cas'
refuse 'atom.volatile.global.cas.b32 %r1, [%d1], %r2, %r3;' 'never .volatile'
refuse 'add.cc.u16 %h1, %h2, %h3;' '`add.cc.u16`'
refuse 'mul.lo.cc.u32 %r1, %r2, %r3;' '`mul.lo.cc.u32`'
refuse 'tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2}];' '`tex'
refuse 'dp4a.s16.s16 %r1, %r2, %r3, %r4;' '`dp4a'
refuse 'call.uni vprintf, ();' '`call`'
refuse 'brkpt;' '`brkpt`'
refuse 'frobnicate.u32 %r1, %r2;' '`frobnicate'
exit $failed
