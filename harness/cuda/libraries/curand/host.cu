// SPDX-License-Identifier: Apache-2.0
// The functions that programs call: generators, and which engine fills their arrays.
#include <vector>

#include "generator.h"

static void release(curandGenerator_t g) {
  if (g->on_host)
    free(g->memory);
  else
    cudaFree(g->memory);
  g->memory = NULL;
}

void *nearbank_curand_memory(curandGenerator_t g, size_t bytes) {
  release(g);
  if (g->on_host)
    g->memory = malloc(bytes);
  else if (cudaMalloc(&g->memory, bytes) != cudaSuccess)
    g->memory = NULL;
  return g->memory;
}

static bool is_quasi(curandGenerator_t g) {
  return g->type == CURAND_RNG_QUASI_SOBOL32;
}

static curandStatus_t create(curandGenerator_t *g, curandRngType_t type, bool on_host) {
  if (!g)
    return CURAND_STATUS_NOT_INITIALIZED;
  type = type == CURAND_RNG_PSEUDO_DEFAULT  ? CURAND_RNG_PSEUDO_XORWOW
         : type == CURAND_RNG_QUASI_DEFAULT ? CURAND_RNG_QUASI_SOBOL32
                                            : type;
  if (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_MRG32K3A &&
      type != CURAND_RNG_PSEUDO_PHILOX4_32_10 && type != CURAND_RNG_PSEUDO_MT19937 &&
      type != CURAND_RNG_QUASI_SOBOL32) {
    fprintf(stderr,
            "curand: generator %d is not supported; take XORWOW, MRG32K3A, PHILOX4_32_10, "
            "MT19937 or SOBOL32 (docs/libraries.md)\n",
            (int)type);
    return CURAND_STATUS_TYPE_ERROR;
  }
  *g = (curandGenerator_t)calloc(1, sizeof **g);
  if (!*g)
    return CURAND_STATUS_ALLOCATION_FAILED;
  (*g)->type = type;
  (*g)->on_host = on_host;
  (*g)->dimensions = 1;
  return CURAND_STATUS_SUCCESS;
}

template <class Kind>
static curandStatus_t fill(curandGenerator_t g, typename Kind::type *to, size_t n,
                           const Kind &kind) {
  if (n == 0)
    return CURAND_STATUS_SUCCESS;
  if (!to)
    return CURAND_STATUS_OUT_OF_RANGE;
  switch (g->type) {
    case CURAND_RNG_PSEUDO_MRG32K3A:
      return fill_mrg(g, to, n, kind);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      return fill_philox(g, to, n, kind);
    case CURAND_RNG_PSEUDO_MT19937:
      return fill_mt(g, to, n, kind);
    case CURAND_RNG_QUASI_SOBOL32:
      return fill_sobol(g, to, n, kind);
    default:
      return fill_xorwow(g, to, n, kind);
  }
}

// All but the last 10^-18 of the distribution, summed from the middle's probability on.
static std::vector<double> poisson_table(double lambda, unsigned int *first) {
  const double around = 10 * sqrt(lambda) + 30;
  const double begin = lambda > around ? floor(lambda - around) : 0;
  std::vector<double> sums;
  double sum = 0;
  for (double k = begin; k <= lambda + around; k++)
    sums.push_back(sum += exp(k * log(lambda) - lambda - lgamma(k + 1)));
  for (double &s : sums)
    s = fmin(s / sum, 1);
  *first = (unsigned int)begin;
  return sums;
}

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t *g, curandRngType_t type) {
  return create(g, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *g, curandRngType_t type) {
  return create(g, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t g) {
  if (!g)
    return CURAND_STATUS_NOT_INITIALIZED;
  release(g);
  free(g);
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int *version) {
  if (!version)
    return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value) {
  if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
    return CURAND_STATUS_OUT_OF_RANGE;
  *value = type == MAJOR_VERSION   ? CURAND_VER_MAJOR
           : type == MINOR_VERSION ? CURAND_VER_MINOR
                                   : CURAND_VER_PATCH;
  return CURAND_STATUS_SUCCESS;
}

#define NEED_GENERATOR(g) \
  if (!(g))               \
  return CURAND_STATUS_NOT_INITIALIZED

curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) {
  NEED_GENERATOR(g);
  g->stream = stream;
  return CURAND_STATUS_SUCCESS;
}

// From the beginning of another sequence; also the offset is 0 again.
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
  NEED_GENERATOR(g);
  if (is_quasi(g))
    return CURAND_STATUS_TYPE_ERROR;
  g->seed = seed;
  g->offset = 0;
  g->ready = false;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
  NEED_GENERATOR(g);
  g->offset = offset;
  g->ready = false;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order) {
  NEED_GENERATOR(g);
  return (order == CURAND_ORDERING_QUASI_DEFAULT) == is_quasi(g) ? CURAND_STATUS_SUCCESS
                                                                 : CURAND_STATUS_OUT_OF_RANGE;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned int count) {
  NEED_GENERATOR(g);
  if (!is_quasi(g))
    return CURAND_STATUS_TYPE_ERROR;
  if (count < 1 || count > DIMENSIONS)
    return CURAND_STATUS_OUT_OF_RANGE;
  g->dimensions = count;
  g->offset = 0;
  g->ready = false;
  return CURAND_STATUS_SUCCESS;
}

// Numbers make their states when the first are asked for.
curandStatus_t curandGenerateSeeds(curandGenerator_t g) {
  NEED_GENERATOR(g);
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerate(curandGenerator_t g, unsigned int *to, size_t n) {
  NEED_GENERATOR(g);
  return fill(g, to, n, bits());
}
curandStatus_t curandGenerateUniform(curandGenerator_t g, float *to, size_t n) {
  NEED_GENERATOR(g);
  return fill(g, to, n, uniform());
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *to, size_t n) {
  NEED_GENERATOR(g);
  return fill(g, to, n, uniform_double());
}

#define NORMAL(Name, T, kind, is_log)                                                           \
  curandStatus_t curandGenerate##Name(curandGenerator_t g, T *to, size_t n, T mean, T stddev) { \
    NEED_GENERATOR(g);                                                                          \
    if (n % 2 && !is_quasi(g))                                                                  \
      return CURAND_STATUS_LENGTH_NOT_MULTIPLE;                                                 \
    return fill(g, to, n, kind{mean, stddev, is_log});                                          \
  }
NORMAL(Normal, float, normal, false)
NORMAL(NormalDouble, double, normal_double, false)
NORMAL(LogNormal, float, normal, true)
NORMAL(LogNormalDouble, double, normal_double, true)

curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned int *to, size_t n,
                                     double lambda) {
  NEED_GENERATOR(g);
  if (!(lambda > 0) || lambda > 1e9)
    return CURAND_STATUS_OUT_OF_RANGE;
  table t;
  const std::vector<double> sums = poisson_table(lambda, &t.first);
  const size_t bytes = sums.size() * sizeof sums[0];
  double *there = NULL;
  if (!g->on_host && (cudaMalloc(&there, bytes) != cudaSuccess ||
                      cudaMemcpy(there, sums.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess))
    return CURAND_STATUS_ALLOCATION_FAILED;
  t.at = g->on_host ? sums.data() : there;
  t.count = (unsigned int)sums.size();
  const curandStatus_t status = fill(g, to, n, poisson{t});
  cudaFree(there);
  return status;
}
}
