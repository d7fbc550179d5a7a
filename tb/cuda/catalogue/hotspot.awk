# SPDX-License-Identifier: Apache-2.0
# hotspot.awk -v n=SIZE -v steps=STEPS TEMPERATURES POWERS: what hotspot of Rodinia computes, one temperature a line. (Its OpenMP
# version makes steps that are a thousand times smaller.)
FNR == NR { t[FNR - 1] = $1; next }
{ p[FNR - 1] = $1 }
END {
  cell = 0.016 / n; thick = 0.0005; heat = 1.75e6; conducts = 100
  capacity = 0.5 * heat * thick * cell * cell
  r = 1 / (2 * conducts * thick); rz = thick / (conducts * cell * cell)
  dt = 0.001 / (3.0e6 / (0.5 * thick * heat)) / capacity
  while (steps-- > 0) {
    for (y = 0; y < n; y++) for (x = 0; x < n; x++) {
      k = y * n + x
      up = t[y ? k - n : k]; down = t[y < n - 1 ? k + n : k]; left = t[x ? k - 1 : k]; right = t[x < n - 1 ? k + 1 : k]
      next_t[k] = t[k] + dt * (p[k] + (up + down - 2 * t[k]) / r + (left + right - 2 * t[k]) / r + (80 - t[k]) / rz)
    }
    for (k in next_t) t[k] = next_t[k]
  }
  for (k = 0; k < n * n; k++) print k, t[k]
}
