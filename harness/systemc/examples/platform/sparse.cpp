// SPDX-License-Identifier: Apache-2.0
// A platform with a SpaceA behind the card: y = y + A x in its device memory (docs/spacea.md).
//
//   sparse [CONFIGURATION [NEAR]]     spacea-small; NEAR: c, rtl or lockstep
#include "host.h"

namespace {

// An array in device memory; 0: the driver has said why not.
template <class T>
std::uint64_t put(driver *d, const std::vector<T> &from) {
  std::uint64_t to;
  const std::uint64_t bytes = from.size() * sizeof(T);
  return driver_alloc(d, bytes, &to) || driver_write(d, to, from.data(), bytes) ? 0 : to;
}

// Second differences of a parabola along a line of points: 2 everywhere but at the ends.
bool multiply(driver *d) {
  enum { points = 1000 };
  std::vector<std::uint64_t> row_ptr = {0};
  std::vector<std::uint32_t> col;
  std::vector<double> val, x, y(points, 0);
  for (std::uint32_t r = 0; r < points; r++) {
    for (std::uint32_t c = r ? r - 1 : 0; c <= r + 1 && c < points; c++)
      col.push_back(c), val.push_back(c == r ? -2 : 1);
    row_ptr.push_back(col.size());
    x.push_back(static_cast<double>(r) * r);
  }
  const driver_csr a = {put(d, row_ptr), put(d, col), put(d, val), points, points};
  const std::uint64_t at_x = put(d, x), at_y = put(d, y);
  std::uint32_t matrix;
  card_record r;
  if (!a.row_ptr || !a.col || !a.val || !at_x || !at_y ||
      driver_matrix(d, &a, CARD_MAPPING_SPACEA, &matrix) ||
      driver_multiply(d, matrix, at_x, at_y, CARD_SEMIRING_PLUS_TIMES, &r) ||
      driver_read(d, y.data(), at_y, points * sizeof y[0]))
    return false;
  for (unsigned k = 1; k + 1 < points; k++)
    if (y[k] != 2)
      return std::printf("element %u is %g, not 2\n", k, y[k]), false;
  std::printf("%zu entries in %llu cycles, at %s\n", col.size(),
              static_cast<unsigned long long>(r.words[CARD_MULTIPLY_GIVES_CYCLES]),
              sc_time_stamp().to_string().c_str());
  return true;
}

}  // namespace

int sc_main(int argc, char **argv) {
  char why[2000];
  card_machine *machine = card_machine_new_spacea(argc > 1 ? argv[1] : "spacea-small", nullptr, 0,
                                                  argc > 2 ? argv[2] : "c", 1, why, sizeof why);
  return machine ? simulate(machine, multiply) : (std::fprintf(stderr, "%s\n", why), 1);
}
