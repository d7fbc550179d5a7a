// SPDX-License-Identifier: Apache-2.0
// What the parts of cuRAND's host interface share: a generator, and the kinds of numbers it makes.
// Each kind is a function of the next four draws of a state (or of one number of a Sobol sequence).
#ifndef NEARBANK_CURAND_GENERATOR_H
#define NEARBANK_CURAND_GENERATOR_H

#include "curand.h"
#include "curand_kernel.h"

#define HD __host__ __device__ inline

enum { SEQUENCES = 4096, THREADS = 64 };  // of XORWOW, whose draws go around them; of a block

struct curandGenerator_st {
  curandRngType_t type;
  bool on_host, ready;  // ready: memory fits seed, offset and dimensions
  unsigned long long seed, offset;
  unsigned int dimensions;
  cudaStream_t stream;
  long long round;  // of MT19937: which 624 words its state is
  void *memory;     // states of XORWOW, or direction vectors: where the numbers go
};

// A table of P(X <= first + k), k < count, of Poisson's distribution.
struct table {
  const double *at;
  unsigned int first, count;
};

HD unsigned int poisson_of(const table &t, double u) {
  unsigned int low = 0, high = t.count - 1;
  while (low < high) {
    const unsigned int middle = (low + high) / 2;
    if (t.at[middle] < u)
      low = middle + 1;
    else
      high = middle;
  }
  return t.first + low;
}

// Doubles that four draws make.
template <class S>
struct doubles {
  static constexpr int count = 2;
};
template <>
struct doubles<curandStateMRG32k3a> {
  static constexpr int count = 4;
};

struct bits {
  typedef unsigned int type;
  template <class S>
  HD int make(S *s, type *to) const {
    for (int k = 0; k < 4; k++)
      to[k] = curand(s);
    return 4;
  }
  HD type of(curandStateSobol32 *s) const { return curand(s); }
};
struct uniform {
  typedef float type;
  template <class S>
  HD int make(S *s, type *to) const {
    for (int k = 0; k < 4; k++)
      to[k] = curand_uniform(s);
    return 4;
  }
  HD type of(curandStateSobol32 *s) const { return curand_uniform(s); }
};
struct uniform_double {
  typedef double type;
  template <class S>
  HD int make(S *s, type *to) const {
    for (int k = 0; k < doubles<S>::count; k++)
      to[k] = curand_uniform_double(s);
    return doubles<S>::count;
  }
  HD type of(curandStateSobol32 *s) const { return curand_uniform_double(s); }
};
struct normal {
  typedef float type;
  float mean, stddev;
  bool log;
  HD type with(float n) const {
    const float v = mean + stddev * n;
    return log ? expf(v) : v;
  }
  template <class S>
  HD int make(S *s, type *to) const {
    for (int k = 0; k < 4; k += 2) {
      const float2 pair = curand_normal2(s);
      to[k] = with(pair.x);
      to[k + 1] = with(pair.y);
    }
    return 4;
  }
  HD type of(curandStateSobol32 *s) const { return with(curand_normal(s)); }
};
struct normal_double {
  typedef double type;
  double mean, stddev;
  bool log;
  HD type with(double n) const {
    const double v = mean + stddev * n;
    return log ? exp(v) : v;
  }
  template <class S>
  HD int make(S *s, type *to) const {
    for (int k = 0; k < doubles<S>::count; k += 2) {
      const double2 pair = curand_normal2_double(s);
      to[k] = with(pair.x);
      to[k + 1] = with(pair.y);
    }
    return doubles<S>::count;
  }
  HD type of(curandStateSobol32 *s) const { return with(curand_normal_double(s)); }
};
struct poisson {
  typedef unsigned int type;
  table of_lambda;
  template <class S>
  HD int make(S *s, type *to) const {
    for (int k = 0; k < doubles<S>::count; k++)
      to[k] = poisson_of(of_lambda, curand_uniform_double(s));
    return doubles<S>::count;
  }
  HD type of(curandStateSobol32 *s) const {
    return poisson_of(of_lambda, curand_uniform_double(s));
  }
};

// n numbers from the generator's offset on, which they move. One for each engine and kind.
template <class Kind>
curandStatus_t fill_xorwow(curandGenerator_t g, typename Kind::type *to, size_t n, Kind kind);
template <class Kind>
curandStatus_t fill_philox(curandGenerator_t g, typename Kind::type *to, size_t n, Kind kind);
template <class Kind>
curandStatus_t fill_mrg(curandGenerator_t g, typename Kind::type *to, size_t n, Kind kind);
template <class Kind>
curandStatus_t fill_mt(curandGenerator_t g, typename Kind::type *to, size_t n, Kind kind);
template <class Kind>
curandStatus_t fill_sobol(curandGenerator_t g, typename Kind::type *to, size_t n, Kind kind);

#define OF_KINDS(fill)                                                               \
  template curandStatus_t fill(curandGenerator_t, unsigned int *, size_t, bits);     \
  template curandStatus_t fill(curandGenerator_t, float *, size_t, uniform);         \
  template curandStatus_t fill(curandGenerator_t, double *, size_t, uniform_double); \
  template curandStatus_t fill(curandGenerator_t, float *, size_t, normal);          \
  template curandStatus_t fill(curandGenerator_t, double *, size_t, normal_double);  \
  template curandStatus_t fill(curandGenerator_t, unsigned int *, size_t, poisson);

// ---- work for some number of threads, on the device or one after the other on the host

template <class Work>
__global__ void work_kernel(Work work, unsigned int threads) {
  const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread < threads)
    work(thread, threads);
}

template <class Work>
curandStatus_t run(curandGenerator_t g, const Work &work, unsigned int threads) {
  if (g->on_host) {
    for (unsigned int t = 0; t < threads; t++)
      work(t, threads);
    return CURAND_STATUS_SUCCESS;
  }
  work_kernel<<<(threads + THREADS - 1) / THREADS, THREADS, 0, g->stream>>>(work, threads);
  return cudaGetLastError() == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

// Memory of the generator where its numbers are made; as large as the last call said, NULL: none.
void *nearbank_curand_memory(curandGenerator_t g, size_t bytes);
// The vectors of a dimension.
const unsigned int *nearbank_curand_directions(unsigned int dimension);
enum { DIMENSIONS = 1111 };

// Four draws make one to four numbers; writes those that are asked for.
template <class Kind, class S>
HD int write_group(const Kind &kind, S *s, typename Kind::type *to, size_t at, size_t n) {
  typename Kind::type some[4];
  const int count = kind.make(s, some);
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (k < count && at + (size_t)k < n)
      to[at + (size_t)k] = some[k];
  return count;
}

// Numbers of a group of four draws, without making one.
template <class Kind, class S>
constexpr int group_of() {
  return sizeof(typename Kind::type) == 8 ? doubles<S>::count : 4;
}
template <>
constexpr int group_of<poisson, curandStateXORWOW>() {
  return 2;
}
template <>
constexpr int group_of<poisson, curandStatePhilox4_32_10>() {
  return 2;
}
#endif
