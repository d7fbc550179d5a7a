# SPDX-License-Identifier: Apache-2.0
# A file of lines KEY = NUMBER, with # before comments -> lines "config KEY VALUE". -v tool=NAME of the command in
# messages, -v file=NAME of the file, -v sets=lines KEY=VALUE that count more. Exit status 2 after a message.
function bad(text) { print tool ": " text > "/dev/stderr"; failed = 2; exit 2 }
function number(v) { return v ~ /^[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/ }
{ sub(/#.*/, "") }
/^[ \t]*$/ { next }
{
  if (!match($0, /=/)) bad(file ":" FNR ": KEY = VALUE is expected")
  key = substr($0, 1, RSTART - 1); v = substr($0, RSTART + 1)
  gsub(/[ \t]/, "", key); gsub(/[ \t]/, "", v)
  if (!number(v)) bad(file ":" FNR ": " key " takes a number, not \"" v "\"")
  if (!(key in value)) order[++n] = key
  value[key] = v
}
END {
  if (failed) exit failed
  m = split(sets, s, "\n")
  for (k = 1; k <= m; k++) if (s[k] != "") {
    if (!match(s[k], /=/)) bad("--tech-set takes KEY=VALUE, not \"" s[k] "\"")
    key = substr(s[k], 1, RSTART - 1); v = substr(s[k], RSTART + 1)
    if (!(key in value)) bad("unknown key \"" key "\" of " file)
    if (!number(v)) bad(key " takes a number, not \"" v "\"")
    value[key] = v
  }
  for (k = 1; k <= n; k++) print "config", order[k], value[order[k]]
}
