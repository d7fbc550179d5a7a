// SPDX-License-Identifier: Apache-2.0
// A platform of your own with a card of nearbank: a host that runs the driver, its memory, and the
// card. It is built against an installation (docs/install.md).
//
//   platform OBJECT [NEAR]     OBJECT: triple.ptx, compiled by `mpu cc`; NEAR: c, rtl or lockstep
#include "host.h"

#include <fstream>
#include <iterator>

namespace {

// Every element three times itself.
bool triple(driver *d, const std::vector<char> &object) {
  enum { count = 1000, bytes = 4 * count };
  std::vector<std::uint32_t> x(count), y(count);
  std::uint32_t program, kernel, parameter_bytes;
  std::uint64_t from, to;
  for (std::uint32_t k = 0; k < count; k++)
    x[k] = 7 * k + 1;
  if (driver_load(d, object.data(), object.size(), &program) ||
      driver_kernel(d, program, "triple", &kernel, &parameter_bytes) ||
      driver_alloc(d, bytes, &from) || driver_alloc(d, bytes, &to) ||
      driver_write(d, from, x.data(), bytes))
    return false;
  const struct {
    std::uint64_t to, from;
    std::uint32_t count;
  } parameters = {to, from, count};
  const card_launch what = {program, kernel, {(count + 127) / 128, 1, 1}, {128, 1, 1}, 0, 20};
  card_record r;
  if (driver_launch(d, &what, &parameters, &r) || driver_read(d, y.data(), to, bytes))
    return false;
  for (std::uint32_t k = 0; k < count; k++)
    if (y[k] != 3 * x[k])
      return std::printf("element %u is %u, not %u\n", k, y[k], 3 * x[k]), false;
  std::printf("%d elements in %llu cycles, at %s\n", count,
              static_cast<unsigned long long>(r.words[CARD_LAUNCH_GIVES_CYCLES]),
              sc_time_stamp().to_string().c_str());
  return true;
}

}  // namespace

int sc_main(int argc, char **argv) {
  char why[1000];
  std::ifstream file(argc > 1 ? argv[1] : "triple.o", std::ios::binary);
  const std::vector<char> object{std::istreambuf_iterator<char>(file), {}};
  if (object.empty())
    return std::fprintf(stderr, "usage: platform OBJECT [NEAR]\n"), 2;
  card_machine *machine =
      card_machine_new("small", nullptr, 0, argc > 2 ? argv[2] : "c", 1, why, sizeof why);
  if (!machine)
    return std::fprintf(stderr, "%s\n", why), 1;
  return simulate(machine, [&](driver *d) { return triple(d, object); });
}
