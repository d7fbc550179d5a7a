# SPDX-License-Identifier: Apache-2.0
# For OpenSTA, sourced by what timing.sh writes: set liberty, netlists, top; for fo4 also inverter, in, out, work.
# Prints lines "fo4 NS", or "period NS", OpenSTA's report of the path that ends it, and the instance where that ends.

proc begin {} {
  global liberty netlists top
  read_liberty $liberty
  foreach f $netlists { read_verilog $f }
  link_design $top
  set_cmd_units -time ns
}

# Paths to the enables of clock gates only, which are taken at the falling edge: set gates 1.
set gates 0
proc ends {} {
  global gates
  if {$gates} { return [list -fall_to [get_clocks clk]] }
}

proc slack {period} {
  create_clock -name clk -period $period clk_i
  set paths [find_timing_paths -path_delay max {*}[ends]]
  if {![llength $paths]} { return "" }
  return [get_property [lindex $paths 0] slack]
}

# The shortest period: slack grows with it by 1, or by 1/2 where a path has half a cycle.
proc longest_path {} {
  if {![llength [get_ports -quiet clk_i]]} { puts "no clk_i"; return }
  set period 1000.0
  set s [slack $period]
  if {$s eq ""} { puts "no path"; return }
  set grows [expr {([slack [expr {2 * $period}]] - $s) / $period}]
  for {set n 0} {$n < 4} {incr n} {
    set period [expr {$period - $s / $grows}]
    set s [slack $period]
    if {abs($s) < 5e-5} break
    set grows 1
  }
  puts "period [format %.4f $period]"
  report_checks -path_delay max {*}[ends] -format full -fields {net} -digits 4
  set end [get_property [lindex [find_timing_paths -path_delay max {*}[ends]] 0] endpoint]
  set cell [file dirname [get_full_name $end]]
  if {$cell ne "."} { report_instance -connections $cell }
}

# Of a chain of inverters, each of which drives four, stages 2 to 5: the mean of both edges.
proc fo4 {} {
  global liberty netlists top inverter in out work
  set netlists $work/fo4.v
  set top fo4
  set f [open $netlists w]
  puts $f "module fo4 (clk_i, y); input clk_i; output y;"
  for {set k 0} {$k <= 5} {incr k} {
    puts $f "wire n$k; $inverter i$k (.${in}([expr {$k ? "n[expr {$k - 1}]" : "clk_i"}]), .${out}(n$k));"
    for {set j 0} {$k && $j < 3} {incr j} { puts $f "wire z$k$j; $inverter d$k$j (.${in}(n[expr {$k - 1}]), .${out}(z$k$j));" }
  }
  puts $f "assign y = n5; endmodule"
  close $f
  begin
  create_clock -name v -period 1000
  set_input_delay 0 -clock v clk_i
  set_output_delay 0 -clock v y
  report_checks -path_delay max -format full -digits 5
}
