#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu study, used wrongly or on files that are wrong: one line with the place, exit status 2, and no run is made.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../cli/expect.sh"
root=${MPU_ROOT:-$PWD}

# study TEXT: a file of this, with a set and a figure that are right unless TEXT has others
study() {
  printf 'study: test\nsets:\n  a: [%s/kernels/first]\nfigures:\n  f: {columns: {c: cycles}}\n%s\n' "$root" "$1"
}
# of TEXT MESSAGE: the whole file is TEXT
of() {
  printf '%b\n' "$1" >"$work/x.yaml"
  expect "$2" "$MPU" study --store "$work/x.db" "$work/x.yaml"
}

expect "which study? mpu study --list names those that there are" "$MPU" study
expect "unknown study 'nothing'; a file has a slash in its name, or ends with .yaml; studies:" "$MPU" study nothing
expect "cannot read './nothing.yaml': No such file or directory" "$MPU" study ./nothing.yaml
expect "one study at a time; 'b' is a second" "$MPU" study a b
expect "--jobs takes a number from 1, not '0'" "$MPU" study quick --jobs 0
expect "--threads takes a number from 1, not '0'" "$MPU" study quick --threads 0
expect "--threads takes a number from 1 to " "$MPU" study quick --threads 1000000
expect "--near takes c, rtl, lockstep or none, not 'd'" "$MPU" study quick --near d
expect "study 'quick' has no figure and no set 'nothing'; figures: speedup, " "$MPU" study quick --only nothing
expect "is missing: run the study first" "$MPU" study quick --store "$work/none.db" --why rows/axpy
expect "cannot write" "$MPU" study quick --csv "$work/no/x.csv"

head="study: test\nsets: {a: [$root/kernels/first]}\n"
of "$head\nfigures: {f: {columns: {c: cycles}}}\nfigurs: 1" "x.yaml:5:1: unknown key 'figurs' of a study; nearest: figures"
of "sets: {a: [x]}\nfigures: {f: {columns: {c: cycles}}}" "x.yaml:1:1: 'study', the name, is missing"
of "study: a b\nsets: {a: [x]}" "x.yaml:1:1: a name has small letters, digits, - and _; not 'a b'"
of "study: t\nfigures: {f: {columns: {c: cycles}}}" "'sets' of programs are missing"
of "study: t\nsets: {a: []}" "set 'a' must be a list of programs"
of "study: t\nsets: {a: [{program: x, known: 5}]}\nfigures: {f: {columns: {c: cycles}}}" "'known' must have keys: NAME: NUMBER"
of "study: t\nsets: {a: [{program: x, known: {before: much}}]}\nfigures: {f: {columns: {c: cycles}}}" "'before' must be a number"
of "$head" "'figures' are missing"
of "$head\nfigures: {f: {}}" "figure 'f' must have 'columns'"
of "$head\nfigures: {f: {columns: {c: 1 +}}}" "x.yaml:4:25: '1 +', at '': it ends too early"
of "$head\nfigures: {f: {columns: {c: 'cycles[far]'}}}" "figure 'f' has no variant 'far'"
of "$head\nfigures: {f: {columns: {c: 'cycles[base]'}}}" "figure 'f' has no 'baseline'"
of "$head\nfigures: {f: {sets: [b], columns: {c: cycles}}}" "figure 'f': 'b' is not one of the 'sets'"
of "$head\nfigures: {f: {columns: {c: {value: cycles, mean: median}}}}" "'mean' must be one of none, geometric, arithmetic, sum, largest"
of "$head\nfigures: {f: {columns: {c: cycles}, expect: {c: {value: 1}}}}" "column 'c' has no mean; name a 'row', or give it one"
of "$head\nfigures: {f: {columns: {c: cycles}, expect: {c: {row: second, value: 1}}}}" "figure 'f' has no program 'second'"
of "$head\nfigures: {f: {columns: {c: cycles}, expect: {d: {row: first, value: 1}}}}" "figure 'f' has no column 'd'"
of "$head\nfigures: {f: {columns: {c: cycles}, expect: {c: {row: first}}}}" "the 'value' that is expected is missing"
of "$head\nfigures: {f: {sweep: {tRCD: [1]}, columns: {c: cycles}}}" "'tRCD' cannot be swept: section.key of the machine"
of "$head\nfigures: {f: {variants: {base: {}}, columns: {c: cycles}}}" "a variant cannot be called 'base'"
of "study: t\nlike: ./nothing.yaml\n" "cannot read './nothing.yaml'"
of "study: t\nlike: $work/x.yaml\n" "a chain of 'like' that is too long"

# what only planning sees: programs, machines
of "study: t\nsets: {a: [kernels/nothing]}\nfigures: {f: {columns: {c: cycles}}}" "x.yaml:2:12: cannot find the program 'kernels/nothing': No such file or directory"
of "$head\nfigures: {f: {dram.rows_buffers: 2, columns: {c: cycles}}}" "x.yaml:4:15: dram.rows_buffers=2: unknown key 'dram.rows_buffers'; nearest: dram.row_buffers"
of "$head\nfigures: {f: {dram.row_buffers: 3, columns: {c: cycles}}}" "x.yaml:4:15: dram.row_buffers=3:"
of "$head\nfigures: {f: {config: nothing, columns: {c: cycles}}}" "nothing"
of "$head\nfigures: {f: {near: verilog, columns: {c: cycles}}}" "'near' is c, rtl, lockstep or none; not 'verilog'"
list=$(seq -s , 1 1000)
of "$head\nfigures: {f: {sweep: {dram.tRCD: [$list], dram.tRP: [$list]}, columns: {c: cycles}}}" "figure 'f' has 1000 x 1000 variants; at most 100000: sweep fewer values"
[[ ! -e $work/x.db && ! -e $work/x.db.jobs ]] || fail "a store was made for a study that is wrong"

# every shipped study can be planned
for name in $("$MPU" study --list | cut -d ' ' -f 1); do
  "$MPU" study "$name" --dry-run --store "$work/none.db" >"$work/out" 2>"$work/err" || fail "study $name: $(cat "$work/err")"
done

# stores
study "" >"$work/good.yaml"
echo "not a store at all, whatever its name is" >"$work/text.db"
expect "text.db" "$MPU" study "$work/good.yaml" --store "$work/text.db"
expect "no/x.db" "$MPU" study "$work/good.yaml" --store "$work/no/x.db"
exit $failed
