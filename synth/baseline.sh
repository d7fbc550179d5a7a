# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# mpu area --check and --update-baseline, sourced by area.sh. The baseline has the gate equivalents, flip-flop bits
# and memory bits of each small block and of each unit of the die. Bits follow from the Verilog and are always
# compared; gate equivalents only where Yosys, ABC and the library are those of the baseline.
abc_version=$(echo version | yosys-abc 2>/dev/null | sed -nE 's/.*(ABC [0-9.]+ \(compiled [^)]*\)).*/\1/p')

entries() { # SIZE: lines of the baseline for what is in the facts
  report -v small=1 -v json="$work/json" >/dev/null
  awk -v size="$1" '/"name": .*"module"/ {
    name = $0; sub(/.*"module": /, "", name); sub(/, "in_die_slice".*/, "", name)
    n = split($0, f, /, /)
    for (k = 1; k <= n; k++) if (f[k] ~ /^"(gate_equivalents|flop_bits|memory_bits)"/) { v = f[k]; sub(/^"/, "", v); sub(/".*/, "", v); x[v] = f[k] }
    printf "    {\"size\": \"%s\", \"module\": %s, %s, %s, %s}\n", size, name, x["gate_equivalents"], x["flop_bits"], x["memory_bits"]
  }' "$work/json"
}
: >"$work/entries"
small=1
add_small
map_all
facts >"$work/facts"
entries small >>"$work/entries"
if [[ $full || $mode == --update-baseline ]]; then
  units=() place=() blocks=''
  add_full
  map_all
  facts >"$work/facts"
  entries full >>"$work/entries"
fi

tools=$(printf '  "yosys": "%s",\n  "abc": "%s",\n  "library": "%s",\n' "$(yosys -V)" "$abc_version" \
  "$(awk '$1 == "library" { print $2 }' "$work/library") $(sha256sum <"$liberty" | cut -c1-16)")
if [[ $mode == --update-baseline ]]; then
  {
    printf '{\n%s\n  "config": "%s",\n  "tolerance_percent": 2,\n  "areas": [\n' "$tools" "$(sha256sum <"$work/config" | cut -c1-16)"
    sed '$!s/$/,/' "$work/entries"
    printf '  ]\n}\n'
  } >"$work/baseline"
  cat "$work/baseline" 2>/dev/null >"$baseline" || die "cannot write '$baseline'"
  echo "area: $(wc -l <"$work/entries") areas written to $baseline"
  exit
fi

[[ -r $baseline ]] || die "cannot read the baseline '$baseline'; mpu area --update-baseline writes one"
printf '%s\n' "$tools" >"$work/tools"
awk -v full="$full" -v only="$blocks" '
  function field(name,  v) {
    v = $0
    if (!sub(".*\"" name "\": ", "", v)) return ""
    sub(/[,}]*$/, "", v); sub(/, ".*/, "", v); gsub(/"/, "", v)
    return v
  }
  function off(was, is) { return was == is ? 0 : was ? 100 * (is / was - 1) : 100 }
  function compare(what, was, is,  d) {
    d = off(was, is)
    if (d > tolerance || -d > tolerance) {
      printf "area: %s: %s %s, in the baseline %s (%+.1f %%, allowed are %s)\n", id, what, is, was, d, tolerance
      bad++
    }
  }
  FILENAME ~ /tools$/ { if (match($0, /"[a-z]+": /)) { t = $0; gsub(/^ *"|": .*/, "", t); tool[t] = field(t) } next }
  !/"module"/ {
    for (t in tool) if (index($0, "\"" t "\":") == 3 && field(t) != tool[t]) { skip = 1; printf "area: the baseline is of %s, here is %s: gate equivalents are not compared\n", field(t), tool[t] }
    if (/"tolerance_percent"/) tolerance = field("tolerance_percent")
    next
  }
  { id = field("size") " " field("module") (field("parameters") == "" ? "" : " " field("parameters")) }
  FILENAME ~ /entries$/ {
    if (!(id in gates)) { print "area: " id " is not in the baseline; mpu area --update-baseline puts it there"; bad++; next }
    seen[id] = 1
    n++
    if (!skip) compare("gate equivalents", gates[id], field("gate_equivalents"))
    compare("flip-flop bits", flops[id], field("flop_bits"))
    compare("memory bits", bits[id], field("memory_bits"))
    next
  }
  { order[++m] = id; gates[id] = field("gate_equivalents"); flops[id] = field("flop_bits"); bits[id] = field("memory_bits") }
  END {
    for (k = 1; k <= m; k++) if (!(order[k] in seen) && (full || order[k] ~ /^small/) && only == "") { print "area: " order[k] " of the baseline is not there"; bad++ }
    if (!bad) printf "area: %d areas within %s %% of the baseline\n", n, tolerance
    exit bad > 0
  }' "$work/tools" "$baseline" "$work/entries"
