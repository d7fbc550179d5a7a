# SPDX-License-Identifier: Apache-2.0
# um2 of a memory of words words of width bits, kind 1rw or 1r1w, at memory_nm. config[] has the model.
function macro_um2(words, width, kind,  n, w) {
  n = int((width + config["memory_width"] - 1) / config["memory_width"])
  w = width / n
  return n * (w * words * config[kind "_bit"] + w * config[kind "_column"] + words * config[kind "_row"] + w * w * config[kind "_wire"])
}
# The same at node_nm.
function macro_scaled(words, width, kind) {
  return macro_um2(words, width, kind) * (config["node_nm"] / config["memory_nm"]) ^ 2
}
$1 == "config" { config[$2] = $3 }
