// SPDX-License-Identifier: Apache-2.0
// Signals that a module shows of its inside, for sc_trace and for waves.
#ifndef NEARBANK_SYSTEMC_SHOWN_H
#define NEARBANK_SYSTEMC_SHOWN_H

#include <systemc>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nearbank {

struct shown {
  // A module may write it from several of its processes.
  using signal = sc_core::sc_signal<std::uint64_t, sc_core::SC_UNCHECKED_WRITERS>;
  std::string name;
  unsigned bits;
  std::unique_ptr<signal> value;

  shown(const std::string &called, unsigned width)
      : name(called), bits(width), value(new signal(sc_core::sc_gen_unique_name("shown"))) {}
};

inline void trace(sc_core::sc_trace_file *f, const std::string &scope,
                  const std::vector<shown> &signals) {
  for (const shown &s : signals)
    sc_core::sc_trace(f, *s.value, scope + "." + s.name);
}

}  // namespace nearbank

#endif
