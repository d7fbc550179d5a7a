// SPDX-License-Identifier: Apache-2.0
// cuRAND: published numbers of Philox (Random123's known answers) and MRG32k3a (RngStreams), skips
// beside draws, the host's interface beside the device's, and statistics of all generators. Seeds
// are fixed, so the outcome is always the same.
#include <curand.h>
#include <curand_kernel.h>

#include <cstdio>
#include <random>
#include <vector>

static int failed;
static void check(bool ok, const char *what, double value) {
  if (!ok) {
    printf("FAILED: %s (%g)\n", what, value);
    failed = 1;
  }
}

template <class T>
struct array {
  std::vector<T> host;
  T *device;
  explicit array(size_t n) : host(n) { cudaMalloc((void **)&device, n * sizeof(T)); }
  ~array() { cudaFree(device); }
  const std::vector<T> &fetch(void) {
    cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }
};

// ---- published numbers

__global__ void published(uint4 *philox, double *mrg, unsigned int *stream) {
  const unsigned int all = 0xffffffff;
  philox[0] = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
  philox[1] = curand_Philox4x32_10(make_uint4(all, all, all, all), make_uint2(all, all));
  philox[2] = curand_Philox4x32_10(make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344),
                                   make_uint2(0xa4093822, 0x299f31d0));
  curandStatePhilox4_32_10_t p;
  curand_init(0, 0, 0, &p);
  philox[3] = curand4(&p);
  curandStateMRG32k3a s;
  curand_init(0, 0, 0, &s);
  for (int k = 0; k < 3; k++)
    mrg[k] = curand_uniform_double(&s);
  curand_init(0, 0, 0, &s);
  skipahead_sequence(1, &s);
  for (int k = 0; k < 3; k++) {
    stream[k] = s.s1[k];
    stream[3 + k] = s.s2[k];
  }
}

static void test_published(void) {
  static const unsigned int answers[4][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                             {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                             {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
                                             {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}};
  static const double first[3] = {0.1270111220465771, 0.3185275653967945, 0.3091860155832701};
  static const unsigned int second[6] = {3692455944u, 1366884236u, 2968912127u,
                                         335948734u,  4161675175u, 475798818u};
  array<uint4> philox(4);
  array<double> mrg(3);
  array<unsigned int> stream(6);
  published<<<1, 1>>>(philox.device, mrg.device, stream.device);
  check(memcmp(philox.fetch().data(), answers, sizeof answers) == 0, "Philox's known answers", 0);
  check(memcmp(stream.fetch().data(), second, sizeof second) == 0, "MRG32k3a's second stream", 0);
  for (int k = 0; k < 3; k++)
    check(fabs(mrg.fetch()[(size_t)k] - first[k]) < 1e-15, "MRG32k3a's first numbers", k);
}

// ---- skips

template <class S>
__device__ bool skips_right(S *) {
  bool ok = true;
  S a, b;
  const unsigned int count = 100 + threadIdx.x * 37;
  curand_init(77, threadIdx.x, 3, &a);
  curand_init(77, threadIdx.x, 0, &b);
  for (unsigned int k = 0; k < count; k++)
    curand(&b);
  skipahead(count - 3, &a);
  ok = ok && curand(&a) == curand(&b);
  skipahead(1ull << 40, &a);  // in one step and in two
  skipahead(1ull << 39, &b);
  skipahead(1ull << 39, &b);
  ok = ok && curand(&a) == curand(&b);
  return ok;
}
// A sequence on, at the same place.
template <class S>
__device__ bool sequences_right(S *, bool substreams) {
  S a, b;
  curand_init(77, threadIdx.x, 5, &a);
  curand(&a);
  curand_init(77, threadIdx.x + 3, 6, &b);
  if (substreams)
    skipahead_subsequence(3, (curandStateMRG32k3a *)&a);
  else
    skipahead_sequence(3, &a);
  return curand(&a) == curand(&b);
}
__global__ void skip_kernel(int *right) {
  curandStateXORWOW x;
  curandStatePhilox4_32_10 p;
  curandStateMRG32k3a m;
  atomicAdd(right + 0, skips_right(&x));
  atomicAdd(right + 1, skips_right(&p));
  atomicAdd(right + 2, skips_right(&m));
  atomicAdd(right + 3, sequences_right(&x, false));
  atomicAdd(right + 4, sequences_right(&p, false));
  atomicAdd(right + 5, sequences_right(&m, true));
}
static void test_skips(void) {
  array<int> right(6);
  cudaMemset(right.device, 0, 6 * sizeof(int));
  skip_kernel<<<1, 32>>>(right.device);
  for (int k = 0; k < 6; k++)
    check(right.fetch()[(size_t)k] == 32, "skips equal draws, generator and kind", k);
  curandDirectionVectors32_t *v;
  curandStateSobol32 a, b;
  check(curandGetDirectionVectors32(&v, CURAND_DIRECTION_VECTORS_32_JOEKUO6) == 0, "vectors", 0);
  curand_init(v[17], 0, &a);
  curand_init(v[17], 500, &b);
  for (int k = 0; k < 700; k++)
    curand(&a);
  skipahead(200, &b);
  check(curand(&a) == curand(&b), "skips of Sobol", 0);
}

// ---- statistics: chi square in units of its deviation

static double chi_square(const std::vector<double> &seen, const std::vector<double> &expected) {
  double sum = 0, kinds = -1, rest_seen = 0, rest_expected = 0;
  for (size_t k = 0; k < seen.size(); k++) {
    rest_seen += seen[k];
    rest_expected += expected[k];
    if (rest_expected < 10)
      continue;  // buckets with few are joined
    sum += (rest_seen - rest_expected) * (rest_seen - rest_expected) / rest_expected;
    kinds++;
    rest_seen = rest_expected = 0;
  }
  return (sum - kinds) / sqrt(2 * kinds);
}
static void even(const std::vector<double> &seen, const char *what) {
  double all = 0;
  for (double s : seen)
    all += s;
  const double z = chi_square(seen, std::vector<double>(seen.size(), all / (double)seen.size()));
  check(fabs(z) < 5, what, z);
}
static void bits_even(const std::vector<unsigned int> &v, const char *what) {
  std::vector<double> high(256), low(256), pairs(256);
  for (size_t k = 0; k < v.size(); k++) {
    high[v[k] >> 24]++;
    low[v[k] & 255]++;
    if (k % 2)
      pairs[v[k] >> 28 << 4 | v[k - 1] >> 28]++;
  }
  even(high, what);
  even(low, what);
  even(pairs, what);
}
// Mean, variance and the fourth moment of standard normal numbers; how many are beyond 2.
template <class T>
static void is_normal(const std::vector<T> &v, double mean, double stddev, const char *what) {
  double m1 = 0, m2 = 0, m4 = 0, beyond = 0;
  const double n = (double)v.size();
  for (T value : v) {
    const double x = ((double)value - mean) / stddev;
    m1 += x;
    m2 += x * x;
    m4 += x * x * x * x;
    beyond += fabs(x) > 2;
  }
  check(fabs(m1 / n) < 5 / sqrt(n), what, m1 / n);
  check(fabs(m2 / n - 1) < 5 * sqrt(2 / n), what, m2 / n);
  check(fabs(m4 / n - 3) < 5 * sqrt(96 / n), what, m4 / n);
  check(fabs(beyond / n - 0.0455) < 5 * sqrt(0.0455 / n), what, beyond / n);
}
static void is_poisson(const std::vector<unsigned int> &v, double lambda, const char *what) {
  const size_t kinds = (size_t)(lambda + 12 * sqrt(lambda) + 20);
  std::vector<double> seen(kinds), expected(kinds);
  for (unsigned int x : v)
    seen[x < kinds ? x : kinds - 1]++;
  for (size_t k = 0; k < kinds; k++)
    expected[k] = (double)v.size() * exp((double)k * log(lambda) - lambda - lgamma((double)k + 1));
  const double z = chi_square(seen, expected);
  check(fabs(z) < 5, what, z);
}

// ---- the device's interface: a few numbers of each of many sequences

enum { THREADS = 4096, EACH = 8 };

template <class S>
__global__ void draw(unsigned int *bits, float *normals, double *doubles, unsigned int *few,
                     unsigned int *many) {
  const unsigned int t = blockIdx.x * blockDim.x + threadIdx.x;
  S s;
  curand_init(1, t, 0, &s);
  for (int k = 0; k < EACH; k++) {
    const unsigned int at = (unsigned int)k * THREADS + t;
    bits[at] = curand(&s);
    normals[at] = logf(curand_log_normal(&s, 1.0f, 0.5f));
    doubles[at] = curand_normal_double(&s);
    few[at] = curand_poisson(&s, 3.5);
    many[at] = curand_poisson(&s, 60.0);
  }
}

template <class S>
static void test_device(const char *what) {
  const size_t n = (size_t)THREADS * EACH;
  array<unsigned int> bits(n), few(n), many(n);
  array<float> normals(n);
  array<double> doubles(n);
  draw<S><<<THREADS / 128, 128>>>(bits.device, normals.device, doubles.device, few.device,
                                  many.device);
  bits_even(bits.fetch(), what);
  is_normal(normals.fetch(), 1, 0.5, what);
  is_normal(doubles.fetch(), 0, 1, what);
  is_poisson(few.fetch(), 3.5, what);
  is_poisson(many.fetch(), 60, what);
}

// ---- the host's interface

static void test_host(curandRngType_t type, const char *what) {
  enum { N = 30000, FIRST = 1000 };
  curandGenerator_t g, on_host;
  array<unsigned int> bits(N), parts(N), poisson(N);
  array<float> uniforms(N), normals(N);
  array<double> doubles(N);
  std::vector<unsigned int> same(N);
  std::vector<double> buckets(100);
  int bad = curandCreateGenerator(&g, type) + curandCreateGeneratorHost(&on_host, type);
  bad += curandSetPseudoRandomGeneratorSeed(g, 99);
  bad += curandSetPseudoRandomGeneratorSeed(on_host, 99);
  bad += curandGenerate(g, bits.device, N) + curandGenerate(on_host, same.data(), N);
  check(bits.fetch() == same, "the host's numbers are the device's", type);
  bad += curandSetGeneratorOffset(g, 0);
  bad += curandGenerate(g, parts.device, FIRST);
  bad += curandGenerate(g, parts.device + FIRST, N - FIRST);
  check(parts.fetch() == same, "two calls go on where one does", type);
  bad += curandSetGeneratorOffset(g, FIRST) + curandGenerate(g, parts.device, FIRST);
  check(memcmp(parts.fetch().data(), same.data() + FIRST, FIRST * sizeof same[0]) == 0,
        "an offset skips numbers", type);
  bad += curandGenerateUniform(g, uniforms.device, N);
  bad += curandGenerateNormal(g, normals.device, N, -1, 3);
  bad += curandGenerateNormalDouble(g, doubles.device, N, 2, 0.25);
  bad += curandGeneratePoisson(g, poisson.device, N, 20);
  check(bad == 0, "calls succeed", bad);
  bits_even(same, what);
  for (float u : uniforms.fetch()) {
    check(u > 0 && u <= 1, "uniform numbers are in (0, 1]", u);
    buckets[(size_t)(u * 99.999f)]++;
  }
  even(buckets, what);
  is_normal(normals.fetch(), -1, 3, what);
  is_normal(doubles.fetch(), 2, 0.25, what);
  is_poisson(poisson.fetch(), 20, what);
  check(curandGenerateNormal(g, normals.device, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE,
        "an odd number of normal ones is refused", type);
  curandDestroyGenerator(g);
  curandDestroyGenerator(on_host);
}

// The device's interface makes the host's numbers, in order.
static void test_order(void) {
  curandGenerator_t g;
  std::vector<unsigned int> v(1000);
  curandStatePhilox4_32_10 p;
  curandStateMRG32k3a m;
  curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandSetPseudoRandomGeneratorSeed(g, 4);
  curandGenerate(g, v.data(), v.size());
  curand_init(4, 0, 0, &p);
  for (size_t k = 0; k < v.size(); k++)
    check(v[k] == curand(&p), "order of Philox", (double)k);
  curandDestroyGenerator(g);
  curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MRG32K3A);
  curandGenerate(g, v.data(), v.size());
  curand_init(0, 0, 0, &m);
  for (size_t k = 0; k < v.size(); k++)
    check(v[k] == curand(&m), "order of MRG32k3a", (double)k);
  curandDestroyGenerator(g);
  std::mt19937 expected(4357);
  curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MT19937);
  curandSetPseudoRandomGeneratorSeed(g, 4357);
  curandGenerate(g, v.data(), v.size());
  for (size_t k = 0; k < v.size(); k++)
    check(v[k] == expected(), "order of MT19937", (double)k);
  curandDestroyGenerator(g);
}

// Of 2^10 numbers of a dimension each has an interval of its own; so has each pair of the first two
// dimensions, a square.
static void test_sobol(void) {
  enum { N = 1024, D = 1111 };
  curandGenerator_t g, on_device;
  std::vector<unsigned int> v(N * D);
  array<unsigned int> there(N * D);
  int bad = curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SOBOL32);
  bad += curandCreateGenerator(&on_device, CURAND_RNG_QUASI_SOBOL32);
  bad += curandSetQuasiRandomGeneratorDimensions(g, D);
  bad += curandSetQuasiRandomGeneratorDimensions(on_device, D);
  bad += curandGenerate(g, v.data(), v.size());
  bad += curandGenerate(on_device, there.device, v.size());
  check(bad == 0, "Sobol", bad);
  check(there.fetch() == v, "Sobol on both sides", 0);
  for (size_t d = 0; d < D; d++) {
    std::vector<int> seen(N);
    size_t kinds = 0;
    for (size_t k = 0; k < N; k++)
      kinds += !seen[v[d * N + k] >> 22]++;
    check(kinds == N, "a dimension of Sobol is equidistributed", (double)d);
  }
  std::vector<int> seen(N);
  size_t kinds = 0;
  for (size_t k = 0; k < N; k++)
    kinds += !seen[v[k] >> 27 << 5 | v[N + k] >> 27]++;
  check(kinds == N, "two dimensions of Sobol are equidistributed", (double)kinds);
  check(curandGenerate(g, v.data(), D + 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE, "a multiple", 0);
  check(curandSetQuasiRandomGeneratorDimensions(g, D + 1) == CURAND_STATUS_OUT_OF_RANGE, "most", 0);
  curandDestroyGenerator(g);
  curandDestroyGenerator(on_device);
  for (double p : {1e-30, 1e-9, 0.003, 0.07, 0.2, 0.5, 0.66, 0.93, 0.9999})
    check(fabs(erfc(-mpu_random_normal_of(p) / sqrt(2)) / 2 / p - 1) < 1e-13,
          "the inverse of the normal distribution", p);
}

// The sequence of 64 bits: its upper halves are the sequence of 32 bits; offsets
// and skips in kernels, behind 2^32; equidistributed there.
__global__ void sobol64_kernel(const unsigned long long *directions, unsigned long long offset,
                               unsigned long long *to, double *uniform, double *normal) {
  curandStateSobol64 s;
  curand_init(directions, offset + threadIdx.x, &s);
  to[threadIdx.x] = curand(&s);
  curand_init(directions, offset, &s);
  skipahead(threadIdx.x, &s);
  uniform[threadIdx.x] = curand_uniform_double(&s);
  skipahead(-1ull, &s);
  normal[threadIdx.x] = curand_normal_double(&s);
}
static void test_sobol64(void) {
  enum { N = 512 };
  curandDirectionVectors32_t *shorter;
  curandDirectionVectors64_t *v;
  int bad = curandGetDirectionVectors32(&shorter, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
  bad += curandGetDirectionVectors64(&v, CURAND_DIRECTION_VECTORS_64_JOEKUO6);
  check(bad == 0, "vectors of 64 bits", bad);
  check(curandGetDirectionVectors64(&v, CURAND_DIRECTION_VECTORS_32_JOEKUO6) ==
            CURAND_STATUS_OUT_OF_RANGE,
        "another set", 0);
  for (int d : {0, 1, 2, 9, 100, 1110}) {
    curandStateSobol32 a;
    curandStateSobol64 b;
    curand_init(shorter[d], 77, &a);
    curand_init(v[d], 77, &b);
    bool same = true;
    for (int k = 0; k < 1000; k++)
      same = same && curand(&a) == curand(&b) >> 32;
    check(same, "upper halves of Sobol", d);
    curandStateSobol64 far;
    curand_init(v[d], (5ull << 40) - 1, &b);
    curand_init(v[d], 5ull << 40, &far);
    curand(&b);
    check(curand(&b) == curand(&far), "Sobol goes on behind 40 bits of ones", d);
    const unsigned long long offset = 5ull << 40;
    array<unsigned long long> got(N), there(64);
    array<double> uniform(N), normal(N);
    cudaMemcpy(there.device, v[d], sizeof v[d], cudaMemcpyHostToDevice);
    sobol64_kernel<<<1, N>>>(there.device, offset, got.device, uniform.device, normal.device);
    curand_init(v[d], offset, &b);
    std::vector<int> seen(N);
    size_t kinds = 0;
    bool right = true;
    for (size_t k = 0; k < N; k++) {
      const unsigned long long x = curand(&b);
      const double u = ((double)(x >> 11) + 0.5) / 9007199254740992.0;
      right = right && got.fetch()[k] == x && uniform.fetch()[k] == u &&
              fabs(normal.fetch()[k] - mpu_random_normal_of(u)) < 1e-12;
      kinds += !seen[x >> 55]++;
    }
    check(right, "Sobol of 64 bits in a kernel", d);
    check(kinds == N, "a dimension of Sobol of 64 bits is equidistributed", d);
  }
}

int main(void) {
  test_published();
  test_skips();
  test_device<curandStateXORWOW>("XORWOW in kernels");
  test_device<curandStatePhilox4_32_10>("Philox in kernels");
  test_device<curandStateMRG32k3a>("MRG32k3a in kernels");
  test_host(CURAND_RNG_PSEUDO_XORWOW, "XORWOW");
  test_host(CURAND_RNG_PSEUDO_MRG32K3A, "MRG32k3a");
  test_host(CURAND_RNG_PSEUDO_PHILOX4_32_10, "Philox");
  test_host(CURAND_RNG_PSEUDO_MT19937, "MT19937");
  test_order();
  test_sobol();
  test_sobol64();
  curandGenerator_t g;
  check(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32) == CURAND_STATUS_TYPE_ERROR, "MTGP", 0);
  return failed;
}
