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

# Of clkgate only the paths to the enables, which its flip-flops take at the falling edge: set gates 1.
set gates 0
proc ends {} {
  global gates
  if {!$gates} return
  return [list -to [all_registers -data_pins -edge_triggered -fall_clock [get_clocks clk]]]
}

# The path with the least slack. OpenSTA finds one of each group: the paths to the ANDs of clock gates are one.
proc worst {period} {
  create_clock -name clk -period $period clk_i
  set worst ""
  foreach path [find_timing_paths -path_delay max {*}[ends]] {
    if {$worst eq "" || [get_property $path slack] < [get_property $worst slack]} { set worst $path }
  }
  return $worst
}
proc slack {period} {
  set path [worst $period]
  return [expr {$path eq "" ? "" : [get_property $path slack]}]
}
proc report {point} {
  report_checks -path_delay max -to $point -format full -fields {net} -digits 4
}

# The shortest period that no path violates. Slack grows with it by 1, or by 1/2 where a path has half a cycle. From
# below each step ends where the path that was worst is met, so it never goes too far. (From above it would end too
# early: the latch of a clock gate that is open takes what comes late, and has no slack.)
proc longest_path {} {
  if {![llength [get_ports -quiet clk_i]]} { puts "no clk_i"; return }
  set period 0.1
  set s [slack $period]
  if {$s eq ""} { puts "no path"; return }
  for {set n 0} {$n < 8 && $s < -5e-5} {incr n} {
    set grows [expr {([slack [expr {$period + 0.01}]] - $s) / 0.01}]
    if {$grows < 0.25} break
    set period [expr {$period - $s / $grows}]
    set s [slack $period]
  }
  puts "period [format %.4f $period]"
  # with a period that is a little too short, the worst path is the one that is too long
  set path [worst [expr {$period - 1e-3}]]
  set end [get_property $path endpoint]
  set start [file dirname [get_full_name [get_property $path startpoint]]]
  foreach latch [all_registers -cells -level_sensitive] {
    if {[get_full_name $latch] ne $start} continue
    # the latch of a clock gate: first the path to it
    foreach d [all_registers -data_pins -level_sensitive] {
      if {[file dirname [get_full_name $d]] eq $start} { report $d }
    }
    puts "through"
  }
  report $end
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
