# SPDX-License-Identifier: Apache-2.0
# Energies of the cells of a netlist (power.tcl) and how often they switch (mpu activity --gates) -> lines
#   scopes N, cycles N, runs PART-OF-THE-CYCLES (in which the clock runs)
#   known TOTAL KNOWN, missing SIGNAL (of registers and inputs)
#   clock, register, logic, wires PJ; all of one module, in a cycle: clock pins and clock gates; registers that change;
#     gates; nets that something else drives
#   leakage MW
#   open PART-OF-THE-CYCLES in which the clock of one runs; misfits N: docs/power.md
# -v volts= of the library, doubled= by what OpenSTA's internal energies are too large
FNR == NR { leakage += $2; clock[$1] = $3 / doubled + $4; energy[$1] = $5 / doubled + $6; next }
$1 == "window" { cycles = $3 - $2; scopes = $5; next }
$1 == "clock" { edges = $2; wire = edges * $3 * 1e-15 * volts * volts; next }
$1 == "misfits" { misfits = $2; next }
$1 == "clocks" { own += $3 * clock[$2]; next }
$1 == "input" || $1 == "register" {
  n++
  if ($2 == "known") known++
  else print "missing", $3
  if ($1 == "input") wires += $4 * $5 * 1e-15 * volts * volts / 2
  next
}
{
  if (!($2 in energy)) { print "power: OpenSTA has no cell " $2 > "/dev/stderr"; exit 2 }
  outputs[$2]++
  toggles[$2] += $3
  if ($1 == "flop" && !($2 in flop)) { flops++; opens += $4 }
  if ($1 == "flop" || $1 == "latch") flop[$2] = $4
  else is_gate[$2] = 1
}
END {
  for (c in flop) { own += flop[c] * clock[c]; changes += energy[c] * toggles[c] / outputs[c] }
  for (c in is_gate) logic += energy[c] * toggles[c] / outputs[c]
  each = 1e12 / (cycles * scopes)
  printf "misfits %d\nopen %.6f\n", misfits, flops ? opens / (flops * cycles * scopes) : 0
  printf "scopes %d\ncycles %d\nruns %.6f\nknown %d %d\n", scopes, cycles, edges / (cycles * scopes), n, known
  printf "clock %.6g\nregister %.6g\nlogic %.6g\nwires %.6g\nleakage %.6g\n", (own + wire) * each, changes * each, logic * each, wires * each, leakage * 1000
}
