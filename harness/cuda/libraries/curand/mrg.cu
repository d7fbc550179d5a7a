// SPDX-License-Identifier: Apache-2.0
// MRG32k3a: substream 0 of the seed, in order. Each thread skips to a part of it.
#include "generator.h"

typedef curandStateMRG32k3a state;

enum { PART = 16 };  // groups of a thread at least: skipping takes as long as many numbers

template <class Kind>
struct mrg_work {
  typename Kind::type *to;
  size_t n;
  unsigned long long seed, offset;
  Kind kind;
  HD void operator()(unsigned int thread, unsigned int threads) const {
    constexpr int each = group_of<Kind, state>();
    const size_t groups = (n + each - 1) / each, part = (groups + threads - 1) / threads;
    const size_t first = thread * part;
    if (first >= groups)
      return;
    state s;
    curand_init(seed, 0, offset + 4 * first, &s);
    for (size_t group = first; group < first + part && group < groups; group++)
      write_group(kind, &s, to, group * each, n);
  }
};

template <class Kind>
curandStatus_t fill_mrg(curandGenerator_t g, typename Kind::type *to, size_t n, Kind kind) {
  constexpr int each = group_of<Kind, state>();
  const size_t parts = (n + each * PART - 1) / (each * PART);
  const mrg_work<Kind> work = {to, n, g->seed, g->offset, kind};
  g->offset += n * (4 / each);
  return run(g, work, (unsigned int)(parts < SEQUENCES ? parts : SEQUENCES));
}
OF_KINDS(fill_mrg)
