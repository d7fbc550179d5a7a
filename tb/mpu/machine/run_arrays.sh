#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu run --arrays: what is counted by array adds up to the counters of the banks, on one core and many, whatever the dies, pages,
# threads and device, and after any end; small programs whose numbers are known; names; the functional machine.
set -uo pipefail
. tb/cli/expect.sh
. tb/inspect/profile/flat.sh
cu=tb/mpu/machine/arrays.cu
four=(--near=c --set machine.processors=2 --set machine.cores=2)

# arrays STATUS OPTIONS...: a run with its statistics in $work/stats
arrays() {
  local status=$1 got
  shift
  rm -f "$work/stats"
  "$MPU" run -q --arrays --stats "$work/stats" "$@" >"$work/said" 2>&1 </dev/null
  got=$?
  [[ $got == "$status" ]] || { fail "$*: exit status $got, not $status"; tail -n 3 "$work/said"; }
}
# sums STATUS OPTIONS...: all arrays together have the accesses of the banks
sums() {
  local said
  arrays "$@"
  said=$(flat "$work/stats" | awk '
    function same(what, a, b) { n++; if (a + 0 != b + 0) print what ": " a + 0 " of arrays, " b + 0 " of the banks" }
    { key = $1; sub(/.*\./, "", key) }
    $1 ~ /^(devices\.[0-9]+\.)?arrays\./ { of[key] += $2 }
    $1 ~ /^(devices\.[0-9]+\.)?core\.nbus\.[0-9]+\.banks\./ { bank[key] += $2 }
    $1 ~ /core\.served$/ { served += $2 }
    END {
      same("read", of["read"] + of["remote_read"], bank["rd"])
      same("written", of["written"] + of["remote_written"], bank["wr"])
      same("hits", of["row_hits"], bank["row_hits_1"] + bank["row_hits_2"] + bank["row_hits_3"] + bank["row_hits_4"])
      same("misses", of["row_misses"], bank["row_misses"])
      same("conflicts", of["row_conflicts"], bank["row_conflicts"])
      if (served && !(of["remote_read"] + of["remote_written"])) print "nothing of other cores"
      if (!served && of["remote_read"] + of["remote_written"]) print "something of other cores"
      if (bank["rd"] + bank["wr"] == 0 || n != 5) print "no accesses"
    }')
  [[ ! $said ]] || fail "${*:2}: $said"
}
# of NAME KEY: of the last run
of() {
  flat "$work/stats" | awk -v name="$1" -v key="$2" '
    $1 ~ /^arrays\.named\.[0-9]+\.name$/ { at = substr($0, length($1) + 2) == name ? $1 : "" }
    { k = $1; sub(/.*\./, "", k) }
    k == key && (at != "" && index($1, substr(at, 1, length(at) - 4)) == 1 || index($1, "arrays." name ".") == 1) { n += $2 }
    END { print n + 0 }'
}
# counted NAME KEY=VALUE...
counted() {
  local name=$1 x
  for x in "${@:2}"; do
    [[ $(of "$name" "${x%=*}") == "${x#*=}" ]] || fail "$what: $name: ${x%=*} is $(of "$name" "${x%=*}"), not ${x#*=}"
  done
}

sums 0 --near=c kernels/nw -- --n 2 --length 32
printf 'array %s: core 2, line 3, nbu 4, core 2\n' dev_in dev_out >"$work/place"
sums 0 "${four[@]}" --place "$work/place" kernels/blur -- --width 256 --height 64
sums 0 --near=c --config closed-page kernels/ttrans -- --rows 64 --cols 64
sums 0 --near=c --config rows-1 --maxregs=8 kernels/blur -- --width 64 --height 32
sums 0 --near=c --config base-die kernels/hist -- --n 2000
sums 0 --near=c --config far-shared kernels/pr -- --n 4000
sums 0 "${four[@]}" tb/mpu/machine/local.cu -- 2
sums 0 --near=c --config paper "$cu"
# the same in Verilog, with two threads, on a card; without --arrays nothing else is counted otherwise
only() { grep -oP '"arrays": \{.*?\}\}' "$1"; }
steady() { sed -E 's/"(host_seconds|cpu_seconds|host_memory|core_cycles_per_second)": [^,]*, //g; s/"arrays": \{.*"others": \{[^}]*\}\}, //' "$1"; }
for near in rtl lockstep; do
  sums 0 --near=c "$cu" -- known
  cp "$work/stats" "$work/c"
  sums 0 --near=$near "$cu" -- known
  [[ $(only "$work/stats") == "$(only "$work/c")" && $(only "$work/c") ]] || fail "--near=$near counts otherwise"
done
sums 0 "${four[@]}" "$cu"
cp "$work/stats" "$work/one"
sums 0 "${four[@]}" --threads 2 "$cu"
[[ $(only "$work/stats") == "$(only "$work/one")" && $(only "$work/one") ]] || fail "two threads count otherwise"
if [[ -e $(dirname "$MPU")/libnearcard.so ]]; then
  sums 0 "${four[@]}" --device card "$cu"
  [[ $(only "$work/stats") == "$(only "$work/one")" ]] || fail "a card counts otherwise"
  sums 0 "${four[@]}" --cards 2 "$cu"
  [[ $(grep -o '"arrays": {' "$work/stats" | wc -l) == 2 ]] || fail "not the arrays of two cards"
fi
"$MPU" run -q "${four[@]}" --stats "$work/off" "$cu" >"$work/said" 2>&1 || fail "without --arrays"
grep -q '"arrays": {' "$work/off" && fail "arrays that nobody asked for"
cmp <(steady "$work/off") <(steady "$work/one") || fail "--arrays changes other counters"
# what other cores asked for, as the profile has it, which follows each packet
for program in "kernels/hist -- --n 3000" "kernels/ttrans -- --rows 64 --cols 64" "$cu"; do
  arrays 0 "${four[@]}" $program
  elsewhere=$("$MPU" profile -q "${four[@]}" --json "$work/profile" $program >"$work/said" 2>&1
    flat "$work/profile" | awk '$1 ~ /traffic_elsewhere\.(rd|wr)$/ { k = $1; sub(/.*\./, "", k); n[k] += $2 } END { print n["rd"] + 0, n["wr"] + 0 }')
  is=$(flat "$work/stats" | awk '$1 ~ /^arrays\..*\.remote_/ { k = $1; sub(/.*\./, "", k); n[k] += $2 } END { print n["remote_read"] + 0, n["remote_written"] + 0 }')
  [[ $is == "$elsewhere" && $is != "0 0" ]] || fail "$program: read and written for other cores: $is; by the profile: $elsewhere"
done
# early ends, in the middle of accesses
sums 3 "${four[@]}" "$cu" -- fault
sums 3 "${four[@]}" "$cu" -- again
[[ $(of first written) != 0 ]] || fail "nothing is counted after a fault"
sums 3 --near=c --max-cycles 500 kernels/axpy -- --n 20000
sums 3 "${four[@]}" --max-cycles 2777 kernels/ttrans

# numbers that are known: a row of 1 KB is 32 lines of an NBU, 16 KB from row to row; 4 sectors a line, one in each bank
quiet=(--near=c --set dram.refresh=off "$cu" -- known)
what='a stride over two rows'
arrays 0 "${quiet[@]}"
counted rows read=256 written=0 row_hits=248 row_misses=8 row_conflicts=0 remote_read=0 atomics=0 bytes=32768 allocations=1
what='a store of a line, and adding to a word twice'
counted line read=2 written=6 row_hits=4 row_misses=4 row_conflicts=0 atomics=2
what='two arrays, one row buffer, by turns'
arrays 0 --set dram.row_buffers=1 "${quiet[@]}" turns
counted first read=5 row_hits=0 row_misses=1 row_conflicts=4
counted second read=5 row_hits=0 row_misses=0 row_conflicts=5
what='one word of another core'
arrays 0 --set machine.cores=2 "${quiet[@]}" remote
counted rows remote_read=1 remote_written=0 read=0 row_misses=1 row_hits=0
counted line remote_read=3 remote_written=3 atomics=2 read=0 written=0
what='local memory: four lines are cleared and stored, two loaded'
arrays 0 "${quiet[@]}" local
counted local written=32 read=8
what='memory in the place of some that was freed'
counted grid written=4
counted 's.at[k]' written=0
counted others read=0 written=0
for name in "rows" "line" "first" "second" "s.at[k]" "table" "hidden" "space::inner" "grid" "managed" "mapped" "typed"; do
  grep -qF "\"name\": \"$name\"" "$work/stats" || fail "no array $name"
done
grep -qF '"name": "allocation ' "$work/stats" || fail "no allocation without a place"
what='a loop of three'
counted 's.at[k]' allocations=3 bytes=6144
grep -qE '"name": "line", "place": "arrays.cu:[0-9]+"' "$work/stats" || fail "the place of line is missing"
what='more allocations without a place than are told apart'
arrays 0 "${quiet[@]}" many
counted 'later allocations' allocations=3 bytes=96
"$MPU" run --arrays "${quiet[@]}" >"$work/out" 2>&1
grep -qE '^arrays  .*sectors read +written +remote +row hits +conflicts$' "$work/out" || fail "no table of arrays"
grep -qE '^  rows +arrays.cu:[0-9]+ +32768 +256 +0 +0\.0 % +96\.9 % +0\.0 %$' "$work/out" || fail "the table has other figures"
# without the source only the place is known
cp "$cu" "$work/gone.cu"
"$MPU" cc "$work/gone.cu" -o "$work/gone" && rm "$work/gone.cu"
MPU_NEAR=c MPU_ARRAYS=1 MPU_STATS=$work/stats "$work/gone" >"$work/said" 2>&1 || fail "without its source: $(tail -n 1 "$work/said")"
grep -qE '"name": "gone.cu:[0-9]+", "place": "gone.cu:[0-9]+"' "$work/stats" || fail "without its source: no place"

# the functional machine: the same sectors, but for what is counted by lane or word there; the rest is null
touched() { flat "$work/stats" | awk '$1 ~ /^arrays\.named\./ { k = $1; sub(/.*\./, "", k); sub(/^remote_/, "", k); split($1, x, "."); if (k == "name") name[x[3]] = $2; if (k ~ /^(read|written|atomics)$/) n[x[3] " " k] += $2 }
  END { for (k in n) { split(k, x, " "); print name[x[1]], k, n[k] } }' | sort; }
for program in "kernels/plain/hist -- --n 3000" "kernels/plain/ttrans -- --rows 64 --cols 64" "kernels/plain/nw -- --n 2 --length 32" "kernels/plain/pr -- --n 4000" \
  "kernels/plain/kmeans -- --n 2000" "kernels/plain/axpy -- --n 4001" "$cu -- known"; do
  arrays 0 "${four[@]}" $program
  touched >"$work/timed"
  arrays 0 --near=none $program
  diff "$work/timed" <(touched) >"$work/said" && [[ -s $work/timed ]] || { fail "$program: --near=none has other sectors"; head -n 4 "$work/said"; }
done
what='--near=none: a store of a line, and adding to a word twice'
counted line read=2 written=6 atomics=2
counted rows read=256 written=0
grep -qF '"remote_read": null, "remote_written": null, "atomics": 2, "row_hits": null, "row_misses": null, "row_conflicts": null' "$work/stats" || fail "--near=none knows too much"
grep -qF '"local": null' "$work/stats" || fail "--near=none: local memory"
what='--near=none: words of 8 bytes, and atomics of many lanes: each sector once an instruction'
arrays 0 --near=none "$cu"
counted rows read=2304 written=256 atomics=256
counted others read=0 written=0
arrays 0 --near=none "$cu" -- again
[[ $(of first written) != 0 ]] || fail "--near=none: nothing is counted after a fault"
"$MPU" run --near=none --arrays "$cu" -- known >"$work/out" 2>&1
grep -qE '^  rows +arrays.cu:[0-9]+ +32768 +256 +0 +- +- +-$' "$work/out" || fail "--near=none: the table has other figures"
MPU_NEAR=none MPU_ARRAYS=1 MPU_STATS=$work/stats "$work/gone" >"$work/said" 2>&1 || fail "--near=none: $(tail -n 1 "$work/said")"
[[ $(only "$work/stats") ]] || fail "MPU_ARRAYS=1, --near=none: no arrays"
# the machine of another process is not counted
expect "the machine is not in this process, and cannot be observed" env MPU_NEAR=c MPU_ARRAYS=1 MPU_DEVICE=vfio "$work/gone"
exit $failed
