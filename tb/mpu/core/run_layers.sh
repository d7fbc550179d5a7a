#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The layers inside the core (layers.txt, docs/core.md) hold, other folders include only its public headers, and an include
# that breaks either is seen.
set -uo pipefail
. tb/cli/expect.sh
folder=harness/machines/mpu/core table=tb/mpu/core/layers.txt

# check FOLDER: says which includes of its own files go up
check() {
  (cd "$1" && grep -HnoE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"[^"]+"' -- *.c *.h *.def) | sort | awk -v table="$table" '
    function layer(file,   k) {
      for (k = 1; k <= n; k++)
        if (file ~ pattern[k])
          return at[k]
      return 0
    }
    BEGIN {
      FS = ":"
      while ((getline line <table) > 0) {
        if (line ~ /^#/)
          continue
        rows++
        m = split(line, word, " ")
        for (i = 1; i <= m; i++) {
          gsub(/\./, "\\.", word[i])
          gsub(/\*/, ".*", word[i])
          pattern[++n] = "^" word[i] "$"
          at[n] = rows
        }
      }
      if (!n) { print "layers: " table " has no lines"; exit 1 }
    }
    {
      split($3, quoted, "\"")
      to = quoted[2]
      if ($1 ~ /\.def$|_gen\.c$/ || to ~ /\.def$/) next
      sub(/^harness\/machines\/mpu\/core\//, "", to)
      if (to ~ /\//) next  # another folder: tb/layers
      seen++
      from = layer($1)
      if (!from || !layer(to)) { print $1 ":" $2 ": " (from ? to : $1) " is not in " table; bad = 1 }
      else if (layer(to) > from) { print $1 ":" $2 ": \"" to "\" is of a higher layer"; bad = 1 }
    }
    END { if (!bad && seen < 40) { print "layers: only " seen + 0 " includes found"; bad = 1 } exit bad }'
}

# abroad ROOT: says which headers of the core that are its own others include
abroad() {
  local public='core|core_view|event|stats|remote_packet|report'
  ! (cd "$1" && grep -rnE '#[[:space:]]*include[[:space:]]+"'$folder'/[^"]*\.h"' harness csim tb --include='*.[ch]' --include='*.cpp') |
    grep -v "^$folder/" | grep -vE "\"$folder/($public)\\.h\""
}

check $folder || fail "includes that $table does not allow"
cp -r $folder "$work/core"
broken() { # FILE INCLUDE TEXT
  printf '#include "%s"\n' "$2" >>"$work/core/$1"
  check "$work/core" >"$work/said" && fail "$1 may include $2"
  grep -qF "$1:" "$work/said" && grep -qF "$3" "$work/said" || fail "$1, $2: $(cat "$work/said")"
  cp $folder/"$1" "$work/core/$1"
}
broken bus.c front.h '"front.h" is of a higher layer'
broken lsu_send.c engine.h 'higher layer'
broken far.h core_state.h 'higher layer'
broken front.c core_view.h 'higher layer'
broken board.c reference.h 'higher layer'
broken remote.h lsu.h 'higher layer'
broken bus.c harness/machines/mpu/core/core_state.h 'higher layer'
touch "$work/core/new.h" && broken front.c new.h 'new.h is not in'
check "$work/core" || fail "the copy is not what it was"
abroad . || fail "other folders include what is the core's own"
mkdir -p "$work/tree"/{csim,tb,harness/tool}
printf '#include "%s/lsu.h"\n' $folder >"$work/tree/harness/tool/a.c"
printf '#include "%s/core_view.h"\n' $folder >"$work/tree/harness/tool/b.c"
abroad "$work/tree" >"$work/said" && fail "others may include lsu.h"
grep -qF 'harness/tool/a.c:1:' "$work/said" || fail "lsu.h abroad: $(cat "$work/said")"
grep -qF b.c "$work/said" && fail "core_view.h is public"
exit $failed
