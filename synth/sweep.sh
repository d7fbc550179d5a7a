# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# mpu area --sweep PARAMETER=V1,V2,..., sourced by area.sh. lanes, regfile and smem are parameters of the blocks: these
# are mapped with each value, and put in place of those of the die. collectors and rows are modelled.
[[ $sweep =~ ^[a-z]+=[0-9]+(,[0-9]+)*$ ]] || die "--sweep takes PARAMETER=V1,V2,..., not '$sweep'"
parameter=${sweep%%=*}
IFS=, read -ra values <<<"${sweep#*=}"
power_of_two() { local v=$1; ((v > 0 && (v & (v - 1)) == 0)); }
within() { # LEAST MOST WHAT
  local v
  for v in "${values[@]}"; do
    power_of_two "$v" && ((v >= $1 && v <= $2)) || die "$parameter takes powers of two from $1 to $2 ($3), not $v"
  done
}
case $parameter in
lanes) within 4 32 "lanes of a warp"; label="lanes" ;;
regfile) within 4 256 "KB of a near register file"; label="KB of a register file" ;;
smem) within 4 1024 "KB of a core's shared memory"; label="KB of shared memory" ;;
collectors) within 2 16 "operand collectors of an NBU"; label="collectors of an NBU" ;;
rows) within 1 4 "row buffers of a bank"; label="row buffers of a bank" ;;
*) die "unknown parameter '$parameter'; known: lanes, regfile, smem, collectors, rows" ;;
esac

# What takes the place of a block at a value: lines MODULE PARAMETER=VALUE...
instead() { # VALUE
  local v=$1 b
  case $parameter in
  lanes)
    ((v != 32)) || return 0
    for b in valu regfile opc lsux regmove nbu_completions nbu_decode; do echo "$b LANES=$v"; done
    echo "smem LANES=$v BANKS=$v ROWS=$((16384 / v))"
    ;;
  regfile) ((v == 16)) || echo "regfile ROWS=$((2 * v))" ;;
  smem) ((v == 64)) || echo "smem ROWS=$((8 * v))" ;;
  esac
}

add_full
for v in "${values[@]}"; do
  while read -r b p; do
    # shellcheck disable=SC2086
    add_unit "$(map_cut "$b")" "$b" $p
  done < <(instead "$v")
done
if [[ $parameter == collectors ]]; then
  for n in 4 8; do add_unit "" opc_store N=$n; done
  add_unit "" opc_collector
fi
map_all
facts >"$work/all"

: >"$work/sums"
for v in "${values[@]}"; do
  # a child that has something in its place is named by that; opc as it is modelled; the row buffers of the machine
  instead "$v" | awk -v parameter="$parameter" -v v="$v" '
    function name(  k, n) { n = $1; for (k = 2; k <= NF; k++) { p[k] = $k; sub(/=/, "", p[k]) } return n }
    pass == "instead" { call[$1] = $0; next }
    pass == "names" { if ($1 == "unit") { c = $0; sub(/^unit [^ ]+ /, "", c); named[c] = $2 } 
      if ($1 == "of" && $3 == "area" && $2 ~ /^opc_(store__N|collector)/) model[$2] = $4
      next }
    $1 == "of" && $3 == "child" && $6 in call { print $1, $2, $3, named[call[$6]], $5, call[$6]; next }
    parameter == "collectors" && $1 == "of" && $2 ~ /^opc(__COLLECTORS4)?$/ && $3 == "area" {
      each = (model["opc_store__N8"] - model["opc_store__N4"]) / 4 + model["opc_collector"]
      $4 += (v - 4) * each
    }
    parameter == "rows" && $1 == "tool" { print "machine", v }
    { print }' pass=instead - pass=names "$work/all" pass=print "$work/all" >"$work/facts"
  report -v csv="$work/csv" >/dev/null
  awk -v v="$v" '/^(table3|other|sum),/ {
    split($0, quoted, "\"")
    split(quoted[3], f, ",")
    printf "%s|%s|%s\n", v, quoted[2], f[7]
  }' "$work/csv" >>"$work/sums"
done

# a line a value: the rows that change, the sum
awk -F'|' -v label="$label" -v table="$work/table.csv" -v csv="$csv" '
  { if (!($1 in known)) { known[$1] = 1; value[++n] = $1 } if (!($2 in first)) { name[++m] = $2; first[$2] = $3 } else if ($3 != first[$2]) changes[$2] = 1; mm2[$1, $2] = $3 }
  END {
    head = label
    for (k = 1; k <= m; k++) if (name[k] in changes || name[k] == "all") shown[++s] = name[k]
    printf "%-24s", label
    for (k = 1; k <= s; k++) { printf " %24s", shown[k]; head = head "," shown[k] }
    print "  mm2 a die"
    print head > table
    for (j = 1; j <= n; j++) {
      printf "%-24s", value[j]
      row = value[j]
      for (k = 1; k <= s; k++) { printf " %24.2f", mm2[value[j], shown[k]]; row = row "," sprintf("%.4f", mm2[value[j], shown[k]]) }
      print ""
      print row > table
    }
  }' "$work/sums"
case $parameter in
lanes) echo "TSV, memory controller and glue as with 32 lanes; as many banks of shared memory as lanes" ;;
collectors) echo "modelled: opc, and for each collector more or less its control (opc_collector) and its share of synth/model/opc_store.sv" ;;
rows) echo "rowbuf, beside the arrays, with 2 and 4, none with 1; the controller always has four slots a bank" ;;
esac
deliver "$work/table.csv" "$csv"
if [[ $plot ]]; then
  [[ -x ${MPU:-} ]] || die "--plot needs the mpu tool (MPU=...); start as ./mpu area"
  "$MPU" plot --title "Area of the near side on a die" --y "mm2 a die" "$work/table.csv" "$plot"
fi
