#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A library is a folder of layers.txt: each source is compiled once, for the library that is named like its folder. A source that
# is compiled twice, or for another library, is seen.
set -uo pipefail
. tb/cli/expect.sh
commands=$(dirname "$MPU")/compile_commands.json

# check COMMANDS: says which sources are compiled more often, not at all, or for another library
check() {
  find csim harness kernels/mpucc -name '*.c' | sort >"$work/sources"
  awk -v table=tb/layers/layers.txt -v root="$PWD/" '
    function target_of(file,   k, n, i, part, folder) {
      if (file ~ /^harness\/tool\//) return "mpu-tool"
      if (file ~ /^harness\/cuda\/sdk\/nvcc\//) return "nvcc"
      if (file ~ /_(gen|guest)\.c$/) { sub(/.*\//, "", file); sub(/\.c$/, "", file); return file }
      if (file ~ /\/bench\/record\.c$/) return "nearrecord"
      if (file ~ /\/wave\/fst(_reader)?\.c$/) return "nearwave"
      for (k = 1; k <= rows; k++)
        if (match(file, pattern[k])) {
          folder = substr(file, 1, RLENGTH - 1)
          gsub(/\//, "_", folder)
          return folder
        }
      return "?"
    }
    BEGIN {
      while ((getline line <table) > 0)
        if (line !~ /^#/ && split(line, word, " ")) {
          gsub(/\*/, "[^/]+", word[1])
          pattern[++rows] = "^" word[1]
        }
    }
    FILENAME ~ /sources$/ { source[$0] = 1; next }
    /^ *"command":/ { target = $0; sub(/.* -o /, "", target); sub(/\.dir\/.*/, "", target) }
    /^ *"file":/ { split($0, quoted, "\""); file = substr(quoted[4], length(root) + 1) }
    /^ *"file":/ && file in source {
      sub(/.*CMakeFiles\//, "", target)
      times[file]++
      if (file ~ /\/isa\/lanes\.c$/) { lanes = lanes " " target; next }
      if (times[file] > 1) { print "libraries: " file " is compiled " times[file] " times"; bad = 1 }
      if (target != target_of(file)) { print "libraries: " file " is in " target ", not in " target_of(file); bad = 1 }
    }
    END {
      for (file in source) {
        seen++
        if (!(file in times) && file !~ /\/wave\/fst(_reader)?\.c$/) { print "libraries: " file " is in no library"; bad = 1 }
      }
      if (lanes !~ /^ lanes_any( lanes_avx2)?$/) { print "libraries: lanes.c is in" lanes; bad = 1 }
      if (seen < 150) { print "libraries: only " seen + 0 " sources found"; bad = 1 }
      exit bad
    }' "$work/sources" "$1"
}
check "$commands" || fail "the libraries are not the folders"
broken() { # TEXT SED
  sed "$2" "$commands" >"$work/commands.json"
  cmp -s "$commands" "$work/commands.json" && fail "nothing changed: $2"
  check "$work/commands.json" >"$work/said" && fail "not seen: $1"
  grep -qF "$1" "$work/said" || fail "$1: $(cat "$work/said")"
}
broken 'csim/base/fifo.c is compiled 2 times' 's|csim/isa/simt\.c"$|csim/base/fifo.c"|'
broken 'csim/isa/simt.c is in no library' 's|csim/isa/simt\.c"$|csim/base/fifo.c"|'
broken 'csim/dram/dram.c is in csim_mpu, not in csim_dram' 's|csim_dram\.dir/csim/dram/dram\.c\.o|csim_mpu.dir/csim/dram/dram.c.o|'
exit $failed
