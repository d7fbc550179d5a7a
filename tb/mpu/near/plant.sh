#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# plant.sh DIRECTORY [BLOCK...]: a copy of the Verilog with a fault in each block of the near side, and
# verilated models of it (nbu, smem, rtt). A fault is there when the input mutant_i of the model is its number. The product's
# Verilog knows nothing of it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
out=${1:?plant.sh DIRECTORY}
die() { echo "plant.sh: error: $*" >&2; exit 1; }

rm -rf "$out/rtl"
mkdir -p "$out"
cp -r rtl "$out/rtl"

# number file: what is there, once, and what stands there instead; @ is true when the fault is on
plant() {
  local n=$1 file=$out/rtl/$2 from=$3 to=$4 text
  text=$(<"$file")
  [[ $text == *"$from"* ]] || die "$2 has no '$from'"
  [[ ${text#*"$from"} != *"$from"* ]] || die "$2 has more than one '$from'"
  to=${to//@/"(mutant_pkg::which == 4'd$n)"}
  printf '%s\n' "${text%%"$from"*}$to${text#*"$from"}" >"$file"
}

# In the order of the names in harness/machines/mpu/near/models.c.
# the second flit of two that leave takes a bit of the next one along
plant 1 mpu/tsv/tsv_tx.sv 'flits_q <= flits_q >> 128;' 'flits_q <= flits_q >> 128 ^ 1088'"'"'(@);'
# operands from bank 2 are those of bank 3
plant 2 mpu/opc/opc.sv '<= r2_data_i;' '<= @ ? r3_data_i : r2_data_i;'
# bit 0 of what port 1 writes is wrong
plant 3 mpu/regfile/regfile_bank.sv 'w1_data_i : w2_data_i)' 'w1_data_i ^ (LANES*32)'"'"'(@) : w2_data_i)'
# lane 0 writes when it should not, and the other way round
plant 4 mpu/valu/valu.sv '<= {mask_4_q, id_4_q};' '<= {mask_4_q ^ LANES'"'"'(@), id_4_q};'
# to nearest is never up
plant 5 mpu/fpu/fpu_round.sv 'up = y[0] && (sticky || y[1]);' 'up = y[0] && (sticky || y[1]) && !@;'
# a merged sector is written with its first byte when it should not be, and the other way round
plant 6 mpu/lsux/lsux_bank.sv 'req_wmask_o <= bytes_q;' 'req_wmask_o <= bytes_q ^ 32'"'"'(@);'
# an odd number of words goes up with something in the last half flit
plant 7 mpu/regmove/regmove_rd.sv '<= two_q ? up_body_o' '<= two_q || @ ? up_body_o'
# a column command may come a cycle too early after ACT
plant 8 dram/bankctl/bankctl_bank.sv 'open_o[s] ? scd_i : rcd_i)' 'open_o[s] ? scd_i : rcd_i - SW'"'"'(@))'
# lanes outside the mask keep what they were
plant 9 mpu/smem/smem.sv 'else if (clear_q)' 'else if (clear_q && !@)'
# the third register of a look-up does not see update 1 of the same edge
plant 10 mpu/rtt/rtt.sv 'bits2 = same1[i] ?' 'bits2 = same1[i] && !(i == 2 && @) ?'
# the second tag of a DONE is missing
plant 11 mpu/nbu/nbu_completions.sv "if (4'(i) < count_q)" "if (4'(i) < count_q && !(i == 1 && @))"
# a result does not wait for the older packet that reads its register as the third operand
plant 12 mpu/order/order_entry.sv 'overlap(new_write, look_q[18 +: 9]);' 'overlap(new_write, look_q[18 +: 9]) && !@;'

cat >"$out/rtl/mutant_pkg.sv" <<'VERILOG'
package mutant_pkg;
  logic [3:0] which;
endpackage
VERILOG
for top in nbu smem rtt; do
  text=$(<"$out/rtl/mpu/$top/$top.sv")
  port='  input  wire logic [3:0] mutant_i,'$'\n''  input  wire logic ' # before the first one
  text=${text/'  input  wire logic '/"$port"}
  body=$'\n);\n' # the end of the ports
  printf '%s\n' "${text%%"$body"*}$body  always_comb mutant_pkg::which = mutant_i;"$'\n'"${text#*"$body"}" >"$out/rtl/mpu/$top/$top.sv"
done

# names without the way to here: Verilator takes a blank for the end of one, and its makefile refuses such folders
cd "$out"
folders=()
for d in rtl/*/ rtl/*/*/; do folders+=(-y "$d"); done
for top in ${2:-nbu smem rtt}; do
  config=()
  [[ $top != nbu ]] || config=(rtl/mpu/parts.vlt)
  verilator --cc --top-module "$top" --prefix "V$top" --Mdir "$top" -O2 --x-assign fast --x-initial unique --assert \
    --trace --no-trace-params --trace-max-array 1024 -CFLAGS "-fPIC -fvisibility=hidden" -Wno-fatal -Wno-lint -Wno-style -Irtl/common \
    "${config[@]}" "${folders[@]}" rtl/mutant_pkg.sv rtl/mpu/*_pkg.sv rtl/mpu/*/*_pkg.sv "rtl/mpu/$top/$top.sv"
  make -s -j "$(nproc)" -C "$top" -f "V$top.mk" CURDIR=. OPT_FAST=-O0 OPT_SLOW=-O0 "V${top}__ALL.a"
done
