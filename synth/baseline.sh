# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# mpu area --check and --update-baseline, sourced by area.sh. The baseline has each small block and each unit of the die,
# and the sums of the die; of the small blocks also fmax, as mpu timing finds it. What is there now is written in the same form, and compared (baseline.jq).
command -v jq >/dev/null || die "jq is missing; Debian: jq"
command -v sta >/dev/null || die "sta is missing; Debian: opensta"
[[ $mode == --update-baseline || -r $baseline ]] || die "cannot read the baseline '$baseline'; mpu area --update-baseline writes one"

units_as() { # SIZE: a line for each unit in the facts
  report -v small=1 -v json="$work/json" >/dev/null
  jq -c --arg size "$1" '.units[] | {size: $size, "module": .module, parameters, gate_equivalents, flop_bits, memory_bits}' "$work/json"
}
# Of each unit, by module and parameters: a hash of all that goes into its area and its fmax.
keys() {
  local u stamp
  stamp=$({ sta -version; cat "$work/config" synth/timing.sh synth/timing.tcl; } | sha256sum)
  for u in "${units[@]}"; do
    printf '%s\t%s\n' "${call[$u]}" "$(echo "$stamp ${place[$u]##*.}" | sha256sum | cut -c1-16)"
  done | jq -Rnc '[inputs | split("\t") | {key: .[0], value: .[1]}] | from_entries'
}
# Units whose key is that of the baseline need not be mapped again.
leave_changed() {
  local u left=() gone
  jq -c '[.blocks[] | select(.size == "small" and .key) | {key: "\(.module) \(.parameters)" | sub(" $"; ""), value: .key}] | from_entries' \
    "$baseline" >"$work/was" 2>/dev/null || die "'$baseline' is not a valid baseline; mpu area --update-baseline writes it again"
  for u in "${units[@]}"; do
    [[ $(jq -r --arg u "${call[$u]}" --slurpfile is "$work/keys" '.[$u] == $is[0][$u]' "$work/was") == true ]] || left+=("$u")
  done
  gone=$(jq -r --slurpfile is "$work/keys" --arg only "$blocks" 'keys[] | select($only == "" and ($is[0][.] | not)) | "area: small \(.) of the baseline is not there"' "$work/was")
  [[ ! $gone ]] || { echo "$gone"; exit 1; }
  if ((! ${#left[@]})); then
    echo "area: ${#units[@]} areas need not be compared: nothing has changed since the baseline"
    exit
  fi
  units=("${left[@]}")
  blocks=$(for u in "${units[@]}"; do echo "${call[$u]%% *}"; done | xargs)
}
small=1
add_small
keys >"$work/keys"
[[ ! $changed ]] || leave_changed
map_all
facts >"$work/facts"
bash synth/timing.sh --liberty "$liberty" --small --csv "$work/timing" ${blocks:+$blocks} >/dev/null 2>"$work/err" || (($? == 1)) || die "$(<"$work/err")"
jq -Rnc '[inputs | split(",") | {key: (.[0] + " " + .[1]), value: (.[4] | tonumber?)}] | from_entries' "$work/timing" >"$work/fmax"
units_as small | jq -c --slurpfile fmax "$work/fmax" '. + {fmax_mhz: $fmax[0][.module + " " + .parameters], key: $keys[0]["\(.module) \(.parameters)" | sub(" $"; "")]}' --slurpfile keys "$work/keys" >"$work/lines"
echo null >"$work/die"
if [[ $full || $mode == --update-baseline ]]; then
  units=() place=() blocks='' small=''
  add_full
  map_all
  facts >"$work/facts"
  units_as full >>"$work/lines"
  report -v json="$work/json" >/dev/null
  jq -c '{table3_mm2, all_mm2}' "$work/json" >"$work/die"
fi
{
  jq -n --arg yosys "$(yosys -V)" --arg library "$(awk '$1 == "library" { print $2 }' "$work/library") $(sha256sum <"$liberty" | cut -c1-16)" \
    --arg abc "$(echo version | yosys-abc 2>/dev/null | sed -nE 's/.*(ABC [0-9.]+ \(compiled [^)]*\)).*/\1/p' | sort -u)" \
    --arg config "$(sha256sum <"$work/config" | cut -c1-16)" '{$yosys, $abc, $library, $config, tolerance_percent: 2, fmax_tolerance_percent: 5}' | head -n -1 | sed '$s/$/,/'
  printf '  "die": %s,\n  "blocks": [\n' "$(<"$work/die")"
  sed 's/^/    /; $!s/$/,/' "$work/lines"
  printf '  ]\n}\n'
} >"$work/now"

if [[ $mode == --update-baseline ]]; then
  deliver "$work/now" "$baseline"
  echo "area: $(wc -l <"$work/lines") areas written to $baseline"
  exit
fi
jq -n --slurpfile was "$baseline" --slurpfile is "$work/now" --arg full "$full" --arg only "$blocks" '
  $was[0] as $was | $is[0] as $is |
  def name: "\(.size) \(.module)\(if .parameters == "" then "" else " " + .parameters end)";
  # fields of two objects that differ by too much
  def compare($id; $before; $now; $fields):
    $fields[] | . as $f | (if $f == "fmax_mhz" then $was.fmax_tolerance_percent else $was.tolerance_percent end) as $most | {was: $before[$f], is: $now[$f]} |
    (if .was == .is then 0 elif (.was // 0) == 0 or .is == null then 100 else 100 * (.is / .was - 1) end) as $d |
    select(($d | fabs) > $most) |
    "\($id): \($f) \(.is), in the baseline \(.was) (\($d * 10 | round / 10) %, allowed are \($most))";
  [("yosys", "abc", "library") | select($was[.] != $is[.]) | "the baseline is of \($was[.]), here is \($is[.]): gate equivalents and fmax are not compared"] as $tools |
  (if $tools == [] then ["gate_equivalents", "flop_bits", "memory_bits", "fmax_mhz"] else ["flop_bits", "memory_bits"] end) as $fields |
  (reduce $was.blocks[] as $b ({}; .[$b | name] = $b)) as $before |
  (reduce $is.blocks[] as $b ({}; .[$b | name] = $b)) as $now |
  [ (select($was.config != $is.config) | "the configuration is not that of the baseline"),
    ($is.blocks[] | name as $id | if $before[$id] then compare($id; $before[$id]; .; $fields) else "\($id) is not in the baseline" end),
    ($was.blocks[] | select($only == "" and ($full != "" or .size == "small")) | name | select($now[.] | not) | "\(.) of the baseline is not there"),
    (select($is.die and $tools == []) | compare("die"; $was.die; $is.die; ["table3_mm2", "all_mm2"]))
  ] as $differences |
  {$tools, $differences, within: "\($is.blocks | length) areas within \($was.tolerance_percent) % of the baseline"}' >"$work/compared" 2>/dev/null ||
  die "'$baseline' is not a valid baseline; mpu area --update-baseline writes it again"
jq -r '"area: " + (.tools[], .differences[], if .differences == [] then .within else "such changes need mpu area --update-baseline in the same commit" end)' "$work/compared"
[[ $(jq '.differences | length' "$work/compared") == 0 ]]
exit
