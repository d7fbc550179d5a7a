// SPDX-License-Identifier: Apache-2.0
// Sobol: all numbers of the first dimension, then all of the second, and so on.
#include "generator.h"

typedef curandStateSobol32 state;

template <class Kind>
struct sobol_work {
  typename Kind::type *to;
  size_t n, each;  // each: of a dimension
  const unsigned int *directions;
  unsigned long long offset;
  Kind kind;
  HD void operator()(unsigned int thread, unsigned int threads) const {
    for (size_t at = thread; at < n; at += threads) {
      state s;  // whose vectors are not needed for one number
      s.i = (unsigned int)(offset + at % each);
      s.x = mpu_sobol_at(directions + 32 * (at / each), s.i);
      to[at] = kind.of(&s);
    }
  }
};

template <class Kind>
curandStatus_t fill_sobol(curandGenerator_t g, typename Kind::type *to, size_t n, Kind kind) {
  const size_t bytes = sizeof(curandDirectionVectors32_t);
  if (n % g->dimensions)
    return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (!g->ready) {
    char *memory = (char *)nearbank_curand_memory(g, bytes * g->dimensions);
    if (!memory)
      return CURAND_STATUS_ALLOCATION_FAILED;
    for (unsigned int d = 0; d < g->dimensions; d++) {
      const unsigned int *from = nearbank_curand_directions(d);
      if (g->on_host)
        memcpy(memory + d * bytes, from, bytes);
      else if (cudaMemcpy(memory + d * bytes, from, bytes, cudaMemcpyHostToDevice) != cudaSuccess)
        return CURAND_STATUS_INTERNAL_ERROR;
    }
    g->ready = true;
  }
  const sobol_work<Kind> work = {to,        n,   n / g->dimensions, (const unsigned int *)g->memory,
                                 g->offset, kind};
  g->offset += work.each;
  return run(g, work, (unsigned int)(n < 8 * SEQUENCES ? n : 8 * SEQUENCES));
}
OF_KINDS(fill_sobol)
