// SPDX-License-Identifier: Apache-2.0
// XORWOW: groups of four draws of 4096 sequences in turn, whose states are kept between calls. A
// call begins with a new group.
#include "generator.h"

typedef curandStateXORWOW state;

struct begin_work {
  state *states;
  unsigned long long seed, group;
  HD void operator()(unsigned int thread, unsigned int) const {
    const unsigned long long before = group / SEQUENCES + (thread < group % SEQUENCES);
    curand_init(seed, thread, 4 * before, states + thread);
  }
};

template <class Kind>
struct xorwow_work {
  typename Kind::type *to;
  size_t n;
  unsigned int first;  // sequence of the first group
  state *states;
  Kind kind;
  HD void operator()(unsigned int thread, unsigned int) const {
    constexpr int each = group_of<Kind, state>();
    const unsigned int sequence = (first + thread) % SEQUENCES;
    state s = states[sequence];
    for (size_t group = thread; group * each < n; group += SEQUENCES)
      write_group(kind, &s, to, group * each, n);
    states[sequence] = s;
  }
};

template <class Kind>
curandStatus_t fill_xorwow(curandGenerator_t g, typename Kind::type *to, size_t n, Kind kind) {
  constexpr int each = group_of<Kind, state>();
  const unsigned long long first = (g->offset + 3) / 4, groups = (n + each - 1) / each;
  if (!g->ready) {
    const begin_work begin = {(state *)nearbank_curand_memory(g, SEQUENCES * sizeof(state)),
                              g->seed, first};
    if (!begin.states)
      return CURAND_STATUS_ALLOCATION_FAILED;
    const curandStatus_t status = run(g, begin, SEQUENCES);
    if (status)
      return status;
    g->ready = true;
  }
  const xorwow_work<Kind> work = {to, n, (unsigned int)(first % SEQUENCES), (state *)g->memory,
                                  kind};
  g->offset = 4 * (first + groups);
  return run(g, work, (unsigned int)(groups < SEQUENCES ? groups : SEQUENCES));
}
OF_KINDS(fill_xorwow)
