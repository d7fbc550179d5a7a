# What GTKWave does with a view that `mpu waves` opens: shows a range of times, or where something
# happens, if the view says which or what; with NEARBANK_PICTURE, leaves a picture of its window
# and ends.

# What follows some words in the view, if they are there.
proc said {words} {
  set f [open [gtkwave::getSaveFileName]]
  set text ""
  while {[gets $f line] >= 0} {
    regexp "^\\\[\\*\\\] $words (.+)" $line -> text
  }
  close $f
  return $text
}

# The marker goes to its first edge, with a few cycles before it.
proc show_first {name} {
  set before [gtkwave::getMarker]
  gtkwave::setMarker [gtkwave::getWindowStartTime]
  gtkwave::/Edit/UnHighlight_All
  gtkwave::highlightSignalsFromList [list $name]
  set at [gtkwave::findNextEdge]
  gtkwave::/Edit/UnHighlight_All
  if {$at > [gtkwave::getWindowStartTime] && $at < [gtkwave::getMaxTime]} {
    gtkwave::setMarker $at
    gtkwave::setWindowStartTime [expr {max([gtkwave::getMinTime], $at - 15000)}]
  } else {
    gtkwave::setMarker $before
  }
}

proc contents {file} {
  if {[catch {open $file rb} f]} {
    return ""
  }
  set bytes [read $f]
  close $f
  return $bytes
}

# The window is drawn when pictures of it stay the same for a while.
proc leave_picture {file} {
  set same 0
  set last ""
  for {set n 0} {$n < 1000 && $same < 5} {incr n} {
    after 50
    for {set k 0} {$k < 20} {incr k} {
      gtkwave::nop
    }
    gtkwave::/File/Grab_To_File $file
    set now [contents $file]
    set same [expr {$now ne "" && $now eq $last ? $same + 1 : 0}]
    set last $now
  }
  if {$same < 5} {
    file delete $file
  }
}

set picture [info exists ::env(NEARBANK_PICTURE)]
if {[catch {
  set name [said "begins with"]
  if {$name ne ""} {
    show_first $name
  }
  set range [said shows]
  if {$range ne ""} {
    gtkwave::setZoomRangeTimes [lindex $range 0] [lindex $range 1]
  }
  if {$picture} {
    leave_picture $::env(NEARBANK_PICTURE)
  }
} why]} {
  puts stderr $why
}
if {$picture} {
  gtkwave::/File/Quit
}
