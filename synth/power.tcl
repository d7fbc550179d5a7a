# SPDX-License-Identifier: Apache-2.0
# For OpenSTA, sourced by what power.sh writes: set liberty, netlist, top, file. Writes to the file, for each cell,
#   INSTANCE LEAKAGE CLOCK PULSES INTERNAL SWITCHING
# leakage in W; in J: what it takes inside in each cycle of its clock also when nothing changes, and to charge what it
# drives with that clock (cells of clock gates); what it takes inside, and to charge its output, when all of its pins
# change once.
proc measure {} {
  global liberty netlist top file
  read_liberty $liberty
  read_verilog $netlist
  link_design $top
  set_cmd_units -time ns
  # a gate takes what its pins do for each cycle of the clock that it is known to be behind
  if {[llength [get_ports -quiet clk_i]]} { create_clock -name clk -period 1 clk_i } else { create_clock -name clk -period 1 }
  foreach p [get_ports *] {
    if {[get_property $p direction] eq "input" && [get_full_name $p] ne "clk_i"} { set_input_delay 0 -clock clk $p }
  }
  set corner [sta::cmd_corner]
  set cells [get_cells *]
  # duty: an AND of a clock gate takes what it does with its enable high
  foreach {activity duty} {0 1 0 0.5 1 0.5} {
    set_power_activity -global -activity $activity -duty $duty
    foreach c $cells { lappend power($activity,$duty) [sta::instance_power $c $corner] }
  }
  set f [open $file w]
  foreach c $cells open $power(0,1) still $power(0,0.5) moves $power(1,0.5) {
    lassign $open i s leakage
    lassign $still i0 s0
    lassign $moves i1 s1
    if {$s == 0} { set i $i0 }
    puts $f "[get_full_name $c] $leakage [expr {$i * 1e-9}] [expr {$s * 1e-9}] [expr {($i1 - $i0) * 1e-9}] [expr {($s1 - $s0) * 1e-9}]"
  }
  close $f
  puts "measured [llength $cells]"
}

# A flip-flop whose clock takes 1 pJ at each edge, 2 mW at 1 GHz: what this OpenSTA makes of them. (2.0.17 charges
# both edges for each: 4 mW.)
proc known_cell {work} {
  set f [open $work/known.lib w]
  puts $f {library(known) {
    delay_model : table_lookup; time_unit : "1ns"; voltage_unit : "1V"; current_unit : "1mA"; leakage_power_unit : "1nW";
    capacitive_load_unit (1,pf); nom_voltage : 1; nom_process : 1; nom_temperature : 25;
    operating_conditions (typical) { process : 1; temperature : 25; voltage : 1; }
    default_operating_conditions : typical;
    cell (FLOP) { area : 1; ff (IQ, IQN) { next_state : "D"; clocked_on : "CLK"; }
      pin (CLK) { direction : input; clock : true; capacitance : 0.01;
        internal_power () { rise_power (scalar) { values ("1.0"); } fall_power (scalar) { values ("1.0"); } } }
      pin (D) { direction : input; capacitance : 0.01; }
      pin (Q) { direction : output; function : "IQ"; timing () { related_pin : "CLK"; timing_type : rising_edge;
        cell_rise (scalar) { values ("0.1"); } cell_fall (scalar) { values ("0.1"); }
        rise_transition (scalar) { values ("0.1"); } fall_transition (scalar) { values ("0.1"); } } } } }}
  close $f
  set f [open $work/known.v w]
  puts $f "module known (clk_i, d, q); input clk_i, d; output q; FLOP f (.CLK(clk_i), .D(d), .Q(q)); endmodule"
  close $f
  read_liberty $work/known.lib
  read_verilog $work/known.v
  link_design known
  create_clock -name clk -period 1 clk_i
  puts "known [lindex [sta::design_power [sta::cmd_corner]] 0]"
}
