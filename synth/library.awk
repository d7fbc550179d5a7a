# SPDX-License-Identifier: Apache-2.0
# Reads a Liberty file and says which of its cells are what, by what they do and not by their names:
#   library NAME
#   cell NAME AREA flop|latch|gate OUTPUTS CLOCK    pins, with commas; - for none
#   nand2|inverter|buffer|flop|latch|and NAME AREA  the smallest of its kind. More of some:
#     inverter, buffer: INPUT OUTPUT; latch: high|low (level at which it is open) INPUT ENABLE OUTPUT
#     and (of two inputs, the strongest of the smallest): INPUT INPUT OUTPUT, and of how many flops it drives the clocks
#   load FEMTOFARADS                                four inputs of that inverter
# A latch or an AND may be missing. A latch whose area is 0, as in the OSU libraries, has that of a LEF file in the
# folder of the library.
# A flop here is one with a clock edge that rises, without set or reset. Cells that may not be used are left out.
# Exit status 2 after a message when a flop, inverter, buffer or NAND is missing.

# ---- what a Boolean expression of Liberty is for given inputs: ' ! ^ & * | + and juxtaposition
function blank() { while (substr(expr, at, 1) ~ /[ \t]/) at++ }
function atom(  v, name) {
  blank()
  if (substr(expr, at, 1) == "!") { at++; return !atom() }
  if (substr(expr, at, 1) == "(") { at++; v = either(); blank(); if (substr(expr, at, 1) != ")") wrong = 1; at++ }
  else if (match(substr(expr, at), /^[A-Za-z_0-9\[\]]+/)) {
    name = substr(expr, at, RLENGTH)
    at += RLENGTH
    if (name == "0" || name == "1") v = name + 0
    else if (name in value) v = value[name]
    else wrong = 1
  } else { wrong = 1; at++ }
  blank()
  while (substr(expr, at, 1) == "'") { v = !v; at++; blank() }
  return v
}
function exclusive(  v, w) {
  v = atom()
  while (substr(expr, at, 1) == "^") { at++; w = atom(); v = v != w }
  return v
}
function both(  v, w, c) {
  v = exclusive()
  while (at <= length(expr) && (c = substr(expr, at, 1)) != "|" && c != "+" && c != ")") {
    if (c == "&" || c == "*") at++
    w = exclusive()
    v = v && w
    if (wrong) break
  }
  return v
}
function either(  v, w) {
  v = both()
  while (substr(expr, at, 1) ~ /[|+]/ && at <= length(expr)) { at++; w = both(); v = v || w }
  return v
}
# The values of a function for all inputs, as 0 and 1, the first input changing fastest; "" if it is none.
function truth_table(text,  n, k, t) {
  t = ""
  for (n = 0; n < 2 ^ inputs; n++) {
    for (k = 0; k < inputs; k++) value[input[k]] = int(n / 2 ^ k) % 2
    expr = text
    at = 1
    wrong = 0
    t = t (either() ? 1 : 0)
    if (wrong || at <= length(expr)) return ""
  }
  return t
}

# ---- the file
function unquoted(s) { gsub(/^[ \t"]+|[ \t"]+$/, "", s); return s }
function in_parentheses(s) { sub(/^[^(]*\(/, "", s); sub(/\).*$/, "", s); return unquoted(s) }

function open_group(s,  kind) {
  depth++
  kind = s
  sub(/[ \t]*\(.*/, "", kind)
  sub(/^.*[ \t]/, "", kind)
  group[depth] = kind
  if (kind == "library") print "library", in_parentheses(s)
  else if (kind == "cell") {
    cell = in_parentheses(s)
    area = ""
    stores = "gate"
    inputs = outputs = unusable = plain = 0
    clock = driven_pins = latched = ""
  } else if (kind == "pin" && group[depth - 1] == "cell") {
    pin = in_parentheses(s)
    direction = does = capacitance = strength = ""
    three = 0
  } else if (kind == "ff" || kind == "ff_bank") { stores = "flop"; plain = 1 }
  else if (kind == "latch" || kind == "latch_bank") stores = "latch"
}

function attribute(s,  name, v) {
  if (s ~ /capacitive_load_unit/) {
    split(in_parentheses(s), unit, /[ ,"]+/)
    femto = unit[1] * (tolower(unit[2]) == "ff" ? 1 : tolower(unit[2]) == "pf" ? 1000 : 1e6)
  }
  if (!match(s, /:/)) return
  name = unquoted(substr(s, 1, RSTART - 1))
  v = unquoted(substr(s, RSTART + 1))
  if (group[depth] == "cell") {
    if (name == "area") area = v + 0
    else if (name ~ /^dont_use$/ && v == "true") unusable = 1
  } else if (group[depth] == "pin" && group[depth - 1] == "cell") {
    if (name == "direction") direction = v
    else if (name == "function") does = v
    else if (name == "capacitance") capacitance = v + 0
    else if (name == "max_capacitance") strength = v + 0
    else if (name == "three_state") three = 1
  } else if (group[depth] ~ /^(ff|latch)(_bank)?$/) {
    if (name == "clocked_on" || name == "enable") { clock = v; gsub(/[() \t]/, "", clock) }
    else if (name == "data_in") latched = v
    else if (name == "clear" || name == "preset") plain = 0
  }
}

function smallest(what) {
  if (!(area > 0 && (!(what in least) || area < least[what] || what == "and" && area == least[what] && drives > most))) return
  least[what] = area
  named[what] = cell
  if (what == "buffer" || what == "inverter") pins[what] = " " input[0] " " driven_pins
  if (what == "inverter") load = 4 * input_load[input[0]]
  if (what == "flop") clock_load = input_load[pin]
  if (what == "latch") pins[what] = " " (clock ~ /[!']/ ? "low" : "high") " " latched " " pin " " driven_pins
  if (what == "and") { pins[what] = " " input[0] " " input[1] " " driven_pins; most = drives }
}
function area_of_lef(cell,  folder, list, file, line, w, in_cell, here) {
  folder = FILENAME
  if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
  gsub(/'/, "'\\''", folder)
  list = "ls '" folder "'/*.lef 2>/dev/null"
  while (!here && (list | getline file) > 0) {
    in_cell = 0
    while (!here && (getline line < file) > 0) {
      split(line, w)
      if (w[1] == "MACRO") in_cell = w[2] == cell
      else if (w[1] == "SIZE" && in_cell) here = w[2] * w[4]
    }
    close(file)
  }
  close(list)
  return here
}

function close_group(  t) {
  if (group[depth] == "pin" && group[depth - 1] == "cell") {
    if (direction == "input") { input_load[pin] = capacitance; input[inputs++] = pin }
    else if (direction == "output") {
      outputs++
      driven_pins = driven_pins (driven_pins == "" ? "" : ",") pin
      function_of = does
      driven = three
      drives = strength
    }
  } else if (group[depth] == "cell" && area != "" && !unusable) {
    pin = clock
    gsub(/[!']/, "", pin)
    if (area == 0 && stores == "latch") area = area_of_lef(cell)
    print "cell", cell, area, stores, driven_pins == "" ? "-" : driven_pins, pin == "" ? "-" : pin
    if (stores == "flop") { if (plain && clock !~ /[!']/) smallest("flop") }
    else if (stores == "latch") { if (latched ~ /^[A-Za-z_0-9]+$/ && driven_pins ~ /^[A-Za-z_0-9]+$/) smallest("latch") }
    else if (outputs == 1 && !driven && function_of != "" && inputs >= 1 && inputs <= 2) {
      t = truth_table(function_of)
      if (t == "10") smallest("inverter")
      else if (t == "01") smallest("buffer")
      else if (t == "1110") smallest("nand2")
      else if (t == "0001") smallest("and")
    }
  }
  depth--
}

{
  line = $0
  if (comment) {
    if (!match(line, /\*\//)) next
    line = substr(line, RSTART + 2)
    comment = 0
  }
  while (match(line, /\/\*/)) {
    rest = substr(line, RSTART + 2)
    line = substr(line, 1, RSTART - 1)
    if (match(rest, /\*\//)) line = line substr(rest, RSTART + 2)
    else comment = 1
  }
  sub(/\r$/, "", line)
  more = sub(/\\[ \t]*$/, "", line)
  text = line
  while (match(text, /[{};"]/)) {
    c = substr(text, RSTART, 1)
    if (c == "\"") {
      quote = index(substr(text, RSTART + 1), "\"")
      if (!quote) break  # goes on in the next line
      statement = statement substr(text, 1, RSTART + quote)
      text = substr(text, RSTART + quote + 1)
      continue
    }
    statement = statement substr(text, 1, RSTART - 1)
    text = substr(text, RSTART + 1)
    if (c == "{") open_group(statement)
    else {
      attribute(statement)
      if (c == "}") close_group()
    }
    statement = ""
  }
  statement = statement text
  if (!more && statement ~ /:/ && statement !~ /\(/) {  # the semicolon may be missing
    attribute(statement)
    statement = ""
  }
}

END {
  if (!("flop" in least)) lacks = "flip-flop without set and reset"
  else if (!("inverter" in least)) lacks = "inverter"
  else if (!("buffer" in least)) lacks = "buffer"
  else if (!("nand2" in least)) lacks = "2-input NAND"
  if (lacks) {
    print "area: " FILENAME ": it has no " lacks " with an area" > "/dev/stderr"
    exit 2
  }
  if (clock_load > 0) pins["and"] = pins["and"] " " int(most / clock_load)
  n = split("nand2 inverter buffer flop latch and", kinds, " ")
  for (k = 1; k <= n; k++) if (kinds[k] in least) print kinds[k], named[kinds[k]], least[kinds[k]] pins[kinds[k]]
  print "load", load * (femto ? femto : 1000)
}
