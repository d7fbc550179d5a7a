#!/usr/bin/env bash
# mpu noc: tables, JSON, plots, sweeps, configurations; wrong use.
set -u
. tb/cli/expect.sh
short="--warm 500 --cycles 2000"

expect "unknown option '--frob'" "$MPU" noc --frob
expect "unknown option '--frob'" "$MPU" noc --frob 3
expect "unknown argument 'frob'" "$MPU" noc frob
expect "--depth: '0' is not 1 to 1024" "$MPU" noc --depth 0
expect "--depth: '' is not 1 to 1024" "$MPU" noc --depth
expect "--vcs: '2x' is not 1 to 8" "$MPU" noc --vcs=2x
expect "--gateways: '0' is not 1 to 16" "$MPU" noc --gateways 0
expect "3 gateways of a chip; allowed: a power of two to 16" "$MPU" noc --gateways 3
expect "--loop: '4' is not 5 to 1024" "$MPU" noc --loop 4
expect "--size: '4' is not COLUMNSxROWS, each 1 to 1024" "$MPU" noc --size 4
expect "--share: '2' is not 0 to 1" "$MPU" noc --share 2
expect "--topology: 'ring' is not one of mesh, diagonal_mesh, concentrated, concentrated_diagonal, crossbar" "$MPU" noc --topology ring
expect "--pattern: 'tornado' is not one of uniform, transpose, hotspot, neighbour, vaults" "$MPU" noc --pattern tornado
expect "--seed: '-1' is not a whole number" "$MPU" noc --seed -1
expect "--cycles: '0' is not a number of cycles, 1 to 10^12" "$MPU" noc --cycles 0
while read -r list text; do
  expect "--load: $text" "$MPU" noc --load "${list/-/}"
done <<'X'
- '' is not 0.0001 to 1
0 '0' is not 0.0001 to 1
0,1 '0' is not 0.0001 to 1
2 '2' is not 0.0001 to 1
0.1, '' is not 0.0001 to 1
0.1,,0.2 '' is not 0.0001 to 1
x 'x' is not 0.0001 to 1
0.00001 '0.00001' is not 0.0001 to 1
0.1:0.5 '0.1:0.5' is not 0.0001 to 1
x:0.5:0.1 'x:0.5:0.1' is not FROM:TO:STEP, three numbers
0.1::0.1 '0.1::0.1' is not FROM:TO:STEP, three numbers
0.1:0.5: '' is not a step above 0
0.1:0.5:0 '0' is not a step above 0
0.1:0.5:0.1x '0.1x' is not a step above 0
0.1:0.2:0.05,0.3 '0.05,0.3' is not a step above 0
0.5:0.1:0.1 '0.5:0.1:0.1' is an empty list
0.001:1:0.001 more than 64 values
X
for sweep in frob=1 depth json=1 load=0.1; do
  expect "--sweep takes NAME=LIST, NAME an option of the traffic or the network that has one value; not '$sweep'" \
    "$MPU" noc --sweep "$sweep"
done
expect "--depth: more than 8 values" "$MPU" noc --sweep depth=1,2,3,4,5,6,7,8,9
expect "--depth: more than 8 values" "$MPU" noc --sweep depth=1:9:1
expect "--depth: 'x' is not 1 to 1024" "$MPU" noc --sweep depth=1,x
expect "--points is for --plot" "$MPU" noc --points "$work/none"
expect "cannot read '$work/none'" "$MPU" noc --points "$work/none" --plot "$work/p.svg"
expect "cannot read './none.yaml'" "$MPU" noc --config ./none.yaml
expect "transpose needs as many columns as rows, not 16 and 8" "$MPU" noc --pattern transpose
expect "groups of 3 x 2 terminals do not divide a chip of 4 x 4 terminals" "$MPU" noc --topology concentrated --group 3x2
expect "vaults needs answers and one chip of 14 x 2 terminals" "$MPU" noc --pattern vaults --size 4x4
expect "24 bytes of a flit, 16 between chips; one must be a multiple of the other" "$MPU" noc --flit 24
grep -q '^usage: mpu noc' <("$MPU" noc --help) || fail "--help"

# twice the same, another seed not; the load that was asked for
"$MPU" noc $short --chips 1x1 --load 0.1,0.3 >"$work/a" || fail "a run"
"$MPU" noc $short --chips 1x1 --load 0.1:0.3:0.2 >"$work/b" || fail "a run"
"$MPU" noc $short --chips 1x1 --load 0.1,0.3 --seed 2 >"$work/c" || fail "a run"
cmp "$work/a" "$work/b" || fail "the same seed and loads"
cmp -s "$work/a" "$work/c" && fail "another seed changes nothing"
grep -q '^mesh of 4x4 terminals, 1x1 chips; 1 virtual channel a class, buffers of 4 flits, credit loop 7, round robin$' "$work/a" || fail "what network it was"
grep -Eq '^empty network  1[56]\.' "$work/a" || fail "latency of the empty network"
[[ $(grep -Ec '^ +0\.[13]0000 ' "$work/a") == 2 ]] || fail "a line a load"

# what latency does not mean is not shown: beyond saturation, and where packets had not arrived
"$MPU" noc $short --chips 1x1 --load 0.1,0.6 --drain 1 >"$work/a" 2>"$work/err" || fail "--drain"
grep -q 'warning: --drain 1 is too short' "$work/err" || fail "no warning of a short drain"
grep -Eq '^saturation +0\.[34]' "$work/a" || fail "a short drain changes saturation: $(cat "$work/a")"
grep -Eq '^ 0\.10000 +0\.[01][0-9]+ +>1[56]\.[0-9]+ +>[0-9]+  not drained$' "$work/a" || fail "a latency without the last packets: $(cat "$work/a")"
grep -Eq '^ 0\.60000 +0\.[0-9]+ +- +-  saturated  not drained$' "$work/a" || fail "a latency beyond saturation: $(cat "$work/a")"
"$MPU" noc $short --chips 1x1 --load 0.1,0.6 --json >"$work/j" 2>"$work/err" || fail "--json"
[[ ! -s $work/err ]] || fail "a warning without need: $(cat "$work/err")"
grep -q '"load": 0.10000, .*"saturated": false, "latency": 1[56].*"load": 0.60000, .*"saturated": true, "latency": null, "requests": null, "answers": null, "most": null, ' "$work/j" ||
  fail "a latency beyond saturation in JSON: $(cat "$work/j")"

# options win over --config wherever they are; a file of a machine is one
cat >"$work/m.yaml" <<'YAML'
machine: {processors: 1}
network: {topology: crossbar, credit_loop: 9}
YAML
"$MPU" noc $short --depth 6 --load 0.1 --config "$work/m.yaml" >"$work/a" || fail "--config"
grep -q '^crossbar of 4x4 terminals, 1x1 chips; 1 virtual channel a class, buffers of 6 flits, credit loop 9, the oldest packet first$' "$work/a" ||
  fail "--config and --depth: $(head -n 1 "$work/a")"

# JSON: a line a curve
"$MPU" noc $short --chips 1x1 --load 0.1,0.2 --json --sweep depth=1,4 >"$work/j" || fail "--json"
[[ $(wc -l <"$work/j") == 2 ]] || fail "a line a curve"
grep -q '"depth": 1,.*"saturation": 0\.[01]' "$work/j" || fail "buffers of a flit"
[[ $(sed -n 2p "$work/j" | grep -o '"load"' | wc -l) == 2 ]] || fail "points of a curve"
"$MPU" noc $short --chips 1x1 --load 0.1,0.2 --json --sweep depth=1:4:3 | cmp - "$work/j" || fail "a range of depths"

# ways off a chip, from the configuration too
printf 'network: {gateways: 4}\n' >"$work/m.yaml"
"$MPU" noc $short --config "$work/m.yaml" --load 0.01 >"$work/a" || fail "gateways of a file"
"$MPU" noc $short --gateways 4 --oldest --load 0.01 >"$work/b" || fail "--gateways"
grep -q '4x2 chips with 4 gateways each' "$work/a" && cmp "$work/a" "$work/b" || fail "gateways: $(head -n 1 "$work/a" "$work/b")"
"$MPU" noc $short --json --load 0.01 --sweep gateways=1,2 >"$work/j" || fail "--sweep gateways"
[[ $(grep -o '"gateways": [0-9]*' "$work/j" | xargs) == "gateways: 1 gateways: 2" ]] || fail "gateways in JSON"

# requests and answers: six processors, sixteen vaults
"$MPU" noc $short --pattern vaults --topology crossbar --vcs 4 --unordered --depth 8 --load 0.05 --json >"$work/j" || fail "vaults"
grep -q '"answers": true.*"empty": 8\.[3-7]' "$work/j" || fail "vaults: $(cat "$work/j")"

# a plot: curves and marks
printf '# marks\n0.1 16.1 reference\n0.2 16.3 reference' >"$work/points"
"$MPU" noc $short --chips 1x1 --load 0.1,0.2 --sweep loop=7,8 --points "$work/points" --plot "$work/p.svg" >/dev/null || fail "--plot"
for text in 'loop 7' 'loop 8' reference uniform 'mean latency, cycles'; do
  grep -q "$text" "$work/p.svg" || fail "no '$text' in the plot"
done
printf '0.1 x reference\n' >"$work/points"
"$MPU" noc $short --chips 1x1 --load 0.1 --points "$work/points" --plot "$work/q.svg" >/dev/null 2>"$work/err"
[[ $? == 2 && ! -e $work/q.svg ]] && grep -q "points:1: a line has X, Y and a name" "$work/err" || fail "wrong points"
exit $failed
