# SPDX-License-Identifier: Apache-2.0
# JSON as lines "PATH KEY VALUE", for freeze.sh: one token a line comes in. PATH is "run" at the top level; of several objects it begins with
# `several` and the number of the object. What is in the list `except` at the top level of an object is left out.
function put(value) {
  if (!(at[1] in skip)) {
    path = several ? several "." objects : ""
    for (n = 1; n < depth; n++) path = path (path == "" ? "" : ".") at[n]
    print (path == "" ? "run" : path), at[depth], value
  }
}
BEGIN {
  k = split(except, list, " ")
  for (n = 1; n <= k; n++) skip[list[n]] = 1
  objects = -1
}
$0 == "{" || $0 == "[" {
  if (!depth) objects++
  else if (array[depth]) at[depth]++
  array[++depth] = $0 == "["
  at[depth] = array[depth] ? -1 : ""
  value = 0
  next
}
$0 == "}" || $0 == "]" { depth--; next }
$0 == ":" { value = 1; next }
$0 == "," { value = 0; next }
{
  gsub(/["\\]/, "")
  gsub(/ /, "_")
  if (array[depth]) { at[depth]++; put($0) }
  else if (value) { put($0); value = 0 }
  else at[depth] = $0
}
