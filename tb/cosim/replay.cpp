// SPDX-License-Identifier: Apache-2.0
// replay RECORDING MUTANT...: plays a recording (lines of hexadecimal, inputs of a cycle each) into
// a netlist that has mutants in it, and says for each number that is given in which cycle an output
// first differs from those of the netlist itself (mutant 0), or "survives". One line a mutant.
#include <verilated.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "Vmutants.h"

namespace {

using words = std::vector<uint32_t>;

template <class T>
uint32_t *data(T &port) {
  static_assert(sizeof(T) >= 4, "ports of the shell are made at least 33 bits wide");
  return reinterpret_cast<uint32_t *>(&port);
}
template <std::size_t N>
uint32_t *data(VlWide<N> &port) {
  return port.data();
}

std::vector<words> read(const char *name, std::size_t n_words) {
  std::vector<words> all;
  FILE *f = std::fopen(name, "r");
  if (!f) {
    std::fprintf(stderr, "replay: can't read %s\n", name);
    std::exit(2);
  }
  std::string digits;
  for (int c; (c = std::fgetc(f)) != EOF;) {
    if (c != '\n') {
      digits.push_back(static_cast<char>(c));
      continue;
    }
    words w(n_words);
    for (std::size_t k = 0; k < digits.size(); k++) {
      char d = digits[digits.size() - 1 - k];
      uint32_t v = static_cast<uint32_t>(d <= '9' ? d - '0' : d - 'a' + 10);
      if (k / 8 < n_words)
        w[k / 8] |= v << k % 8 * 4;
    }
    all.push_back(w);
    digits.clear();
  }
  std::fclose(f);
  return all;
}

// Plays all; `good` is filled by mutant 0. The first cycle that differs, or the number of cycles.
std::size_t play(uint32_t mutant, const std::vector<words> &inputs, std::vector<words> &good) {
  VerilatedContext context;
  context.randReset(0);
  Vmutants v{&context, "top"};
  const std::size_t n_out = sizeof v.out / 4;
  v.mutsel = static_cast<decltype(+v.mutsel)>(mutant);
  std::size_t t = 0;
  for (; t < inputs.size(); t++) {
    std::memcpy(data(v.in), inputs[t].data(), sizeof v.in);
    v.clk = 0;
    v.eval();
    v.clk = 1;
    v.eval();
    if (!mutant)
      good.emplace_back(data(v.out), data(v.out) + n_out);
    else if (std::memcmp(good[t].data(), data(v.out), 4 * n_out))
      break;
  }
  v.final();
  return t;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: replay RECORDING MUTANT...\n");
    return 2;
  }
  std::vector<words> good;
  VerilatedContext context;
  Vmutants shape{&context, "shape"};
  const std::vector<words> inputs = read(argv[1], sizeof shape.in / 4);
  play(0, inputs, good);
  for (int n = 2; n < argc; n++) {
    const uint32_t m = static_cast<uint32_t>(std::strtoul(argv[n], nullptr, 10));
    std::size_t t = play(m, inputs, good);
    if (t < inputs.size())
      std::printf("%u killed %zu\n", m, t);
    else
      std::printf("%u survives\n", m);
    std::fflush(stdout);
  }
  return 0;
}
