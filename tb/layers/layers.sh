#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# layers.sh [ROOT]: every include of C and C++ keeps to tb/layers/layers.txt. An include of another folder begins at the root, so
# that its text names the folder; a private header (*_priv.h) is its folder's own.
set -uo pipefail
table=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/layers.txt
cd "${1:-$(dirname "$table")/../..}" || exit 2
find csim harness kernels/mpucc tb -name '*.[ch]' -o -name '*.cpp' -o -name '*.def' | sort |
  xargs grep -HnoE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"[^"]+"' |
  awk -v table="$table" '
    function complain(text) { print "layers: " $1 ":" $2 ": " text; bad = 1 }
    function pattern(s) { gsub(/\*/, "[^/]+", s); return "^" s }
    BEGIN {
      FS = ":"
      while ((getline line <table) > 0)
        if (line !~ /^#/ && split(line, word, " ")) {
          from[++n] = word[1]
          may[n] = line
          sub(/^[^ ]+ +/, "", may[n])
        }
      if (!n) { print "layers: " table " has no lines"; exit 1 }
    }
    {
      split($3, quoted, "\"")
      to = quoted[2]
      folder = $1
      sub(/[^\/]*$/, "", folder)
      seen++
      if (folder ~ /^harness\/cuda\/include\//) next  # what CUDA programs include
      if (to ~ /\.\.\//) { complain("\"" to "\" climbs; name the file from the root on"); next }
      if (to !~ /^(csim|harness|kernels|tb)\//) next  # its own folder, or the system
      other = to
      sub(/[^\/]*$/, "", other)
      if (to ~ /_priv\.h$/ && other != folder) { complain("\"" to "\" is private to " other); next }
      for (k = 1; k <= n && $1 !~ pattern(from[k]); k++) ;
      if (k > n) { complain(folder " is not in " table); next }
      if (match($1, pattern(from[k])) && index(to, substr($1, 1, RLENGTH)) == 1) next
      m = split(may[k], allowed, " ")
      for (i = 1; i <= m; i++)
        if (to ~ pattern(allowed[i])) next
      complain("\"" to "\": " from[k] " may include " may[k] (may[k] == "-" ? " (nothing)" : ""))
    }
    END { if (!bad && seen < 300) { print "layers: only " seen " includes found"; bad = 1 } exit bad }'
