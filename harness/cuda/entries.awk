# SPDX-License-Identifier: Apache-2.0
# awk -v CODE=FILE -v NAMES=FILE -f entries.awk HEADER...: for each function that the headers declare, CODE gets one that
# holds the lock of the runtime (entry.h) while it calls the function of the same name in this folder. That one is named
# within_NAME: NAMES gets the macros that rename it.
function fail(why) {
  print "entries.awk: " FILENAME ": " why > "/dev/stderr"
  failed = 1
  exit 1
}

# The name of a parameter is its last word.
function arguments(list,   n, k, part, all) {
  n = list == "void" ? 0 : split(list, part, ",")
  for (k = 1; k <= n; k++) {
    if (!match(part[k], /[A-Za-z_0-9]+$/) || RSTART < 3)
      fail("a parameter without a name: " part[k])
    all = all (k > 1 ? ", " : "") substr(part[k], RSTART)
  }
  return all
}

function entry(type, name, parameters,   entry_result) {
  entry_result = type == "void " ? "" : type "entry_result = "
  names = names "#define " name " within_" name "\n"
  code = code "\n#undef " name "\n" type name "(" parameters ");\n" type name "(" parameters ") {\n  entry_begin();\n" \
         "  " entry_result "within_" name "(" arguments(parameters) ");\n  entry_end();\n" \
         (entry_result ? "  return entry_result;\n" : "") "}\n"
}

function declaration(text,   open, head) {
  gsub(/MPU_DEFAULT\([^()]*\)|__attribute__\(\(weak\)\)|extern "C"|[{}]/, "", text)
  gsub(/[ \t]+/, " ", text)
  gsub(/ ,/, ",", text)
  gsub(/ \)/, ")", text)
  sub(/^ /, "", text)
  sub(/ $/, "", text)
  if (text !~ /^[A-Za-z_][^()=]*[ *](__cuda[A-Z]|cuda[A-Z]|cu[A-Z]|nvrtc[A-Z]|mpu_[a-z])[A-Za-z0-9_]*\([^()]*\)$/ ||
      text ~ /^(typedef|static|template) /)
    return
  open = index(text, "(")
  head = substr(text, 1, open - 1)
  match(head, /[A-Za-z0-9_]+$/)
  if (!seen[substr(head, RSTART)]++)
    entry(substr(head, 1, RSTART - 1), substr(head, RSTART), substr(text, open + 1, length(text) - open - 1))
}

FNR == 1 { includes = includes "#include \"" FILENAME "\"\n" }
/^#/ || continued { continued = /\\$/; next }
{
  sub(/\/\/.*/, "")
  text = text " " $0
}
/[;{}][ \t]*$/ {
  sub(/;[ \t]*$/, "", text)
  declaration(text)
  text = ""
}
END {
  if (failed)
    exit 1
  printf "// Written by entries.awk.\n#include \"harness/cuda/entry.h\"\n%s%s", includes, code > CODE
  printf "// Written by entries.awk.\n%s", names > NAMES
}
