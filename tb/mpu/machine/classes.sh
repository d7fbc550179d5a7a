# SPDX-License-Identifier: Apache-2.0
# For scripts that look at statistics: `classes FILE` prints which subcores have classes of cycles, or parts of them, that do not add up, of all
# cores together and of each; and nothing is to be left out.
classes() {
  grep -oE '"(cores|each|cycles[a-z_]*)": [0-9[]+' "$1" | awk '
    function wrong(what, a, b) { print "subcore " k " of " (each ? "core " core : "all") ": " what ": " a ", not " b; bad = 1 }
    { gsub(/[":]/, "", $1) }
    $1 == "cores" && !cores { cores = many = $2 }
    $1 == "each" { each = 1; many = 1; core = -1 }
    $1 == "cycles" { all = $2; k = -1; core++ }
    $1 == "cycles_drain" { all += $2 }
    $1 == "cycles_cut" { all = all * many - $2 }
    $1 == "cycles_issue" { k++; sum = parts = 0 }
    $1 ~ /^cycles_(issue|scoreboard|memory|barrier|fetch|engine|empty)$/ { sum += $2 }
    $1 == "cycles_memory" { memory = $2 }
    $1 ~ /^cycles_memory_/ { parts += $2 }
    $1 == "cycles_memory_shared" {
      if (sum != all) wrong("classes", sum, all)
      if (parts != memory) wrong("parts of cycles_memory", parts, memory)
      subcores++
    }
    END { if (subcores != 4 * (cores > 1 ? cores + 1 : 1)) print subcores + 0 " subcores of " cores + 0 " cores" }'
}
