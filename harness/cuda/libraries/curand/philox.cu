// SPDX-License-Identifier: Apache-2.0
// Philox: sequence 0 of the seed, in order. Threads take groups of four draws in turn.
#include "generator.h"

typedef curandStatePhilox4_32_10 state;

template <class Kind>
struct philox_work {
  typename Kind::type *to;
  size_t n;
  unsigned long long seed, offset;
  Kind kind;
  HD void operator()(unsigned int thread, unsigned int threads) const {
    constexpr int each = group_of<Kind, state>();
    for (size_t group = thread; group * each < n; group += threads) {
      state s;
      curand_init(seed, 0, offset + 4 * group, &s);
      write_group(kind, &s, to, group * each, n);
    }
  }
};

template <class Kind>
curandStatus_t fill_philox(curandGenerator_t g, typename Kind::type *to, size_t n, Kind kind) {
  constexpr int each = group_of<Kind, state>();
  const size_t groups = (n + each - 1) / each;
  const philox_work<Kind> work = {to, n, g->seed, g->offset, kind};
  g->offset += n * (4 / each);
  return run(g, work, (unsigned int)(groups < 8 * SEQUENCES ? groups : 8 * SEQUENCES));
}
OF_KINDS(fill_philox)
