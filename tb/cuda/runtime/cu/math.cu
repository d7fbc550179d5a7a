// SPDX-License-Identifier: Apache-2.0
// Device mathematics against the C library in the next wider type: the error in units of the last
// place stays under the bound that docs/cuda.md states. `math -v` prints what was measured.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <vector>

enum { SAMPLES = 4096 };

static double ulp_of(float v) {
  float a = fabsf(v);
  return a < 1.17549435e-38f ? 1.4e-45 : (double)nextafterf(a, INFINITY) - (double)a;
}
static double ulp_of(double v) {
  double a = fabs(v);
  return a < 2.2250738585072014e-308 ? 4.9406564584124654e-324 : nextafter(a, INFINITY) - a;
}

template <class T, class W> static double error_in_ulps(T got, W want) {
  if (isnan((T)want) || isnan(got))
    return isnan((T)want) && isnan(got) ? 0 : INFINITY;
  if (isinf((T)want) || isinf(got))
    return (T)want == got ? 0 : INFINITY;
  return fabs((double)((W)got - want)) / ulp_of((T)want);
}

static uint64_t state = 88172645463325252ull;
static double uniform(double lo, double hi) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return lo + (hi - lo) * ((double)(state >> 11) / 9007199254740992.0);
}

static bool verbose;
static int failures;
static void report(const char *name, const char *type, double worst, double at, double bound) {
  bool bad = !(worst <= bound);
  failures += bad;
  if (verbose || bad)
    printf("%-12s %-6s %10.2f ulp at %.17g, bound %g%s\n", name, type, worst, at, bound,
           bad ? "  FAILED" : "");
}

static void *upload(const void *from, size_t bytes) {
  void *p;
  if (cudaMalloc(&p, bytes) != cudaSuccess ||
      cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice) != cudaSuccess)
    exit(2);
  return p;
}

template <class T> static std::vector<T> inputs(double lo, double hi) {
  std::vector<T> x;
  const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1e-3, 3e9, -7.5e22, 1e30, INFINITY, -INFINITY, NAN};
  for (double v : special)
    x.push_back((T)v);
  while (x.size() < SAMPLES)
    x.push_back((T)uniform(lo, hi));
  return x;
}

#define ONE(name, lo, hi, bound_f, bound_d)                                         \
  __global__ void name##_kernel(int n, const float *x, float *y, const double *xd, \
                                double *yd) {                                      \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                 \
    if (i < n) {                                                                   \
      y[i] = name##f(x[i]);                                                        \
      yd[i] = name(xd[i]);                                                         \
    }                                                                              \
  }                                                                                \
  static void name##_test() {                                                      \
    std::vector<float> x = inputs<float>(lo, hi), y(SAMPLES);                      \
    std::vector<double> xd = inputs<double>(lo, hi), yd(SAMPLES);                  \
    float *dx = (float *)upload(x.data(), SAMPLES * sizeof(float));                \
    float *dy = (float *)upload(y.data(), SAMPLES * sizeof(float));                \
    double *dxd = (double *)upload(xd.data(), SAMPLES * sizeof(double));           \
    double *dyd = (double *)upload(yd.data(), SAMPLES * sizeof(double));           \
    name##_kernel<<<SAMPLES / 128, 128>>>(SAMPLES, dx, dy, dxd, dyd);              \
    cudaMemcpy(y.data(), dy, SAMPLES * sizeof(float), cudaMemcpyDeviceToHost);     \
    cudaMemcpy(yd.data(), dyd, SAMPLES * sizeof(double), cudaMemcpyDeviceToHost);  \
    double worst = 0, at = 0, worst_d = 0, at_d = 0;                               \
    for (int i = 0; i < SAMPLES; i++) {                                            \
      double e = error_in_ulps(y[i], (double)::name((double)x[i]));                \
      if (e > worst)                                                               \
        worst = e, at = x[i];                                                      \
      e = error_in_ulps(yd[i], (long double)::name##l((long double)xd[i]));        \
      if (e > worst_d)                                                             \
        worst_d = e, at_d = xd[i];                                                 \
    }                                                                              \
    report(#name, "float", worst, at, bound_f);                                    \
    report(#name, "double", worst_d, at_d, bound_d);                               \
    cudaFree(dx), cudaFree(dy), cudaFree(dxd), cudaFree(dyd);                      \
  }

#define TWO(name, lo, hi, bound_f, bound_d)                                                \
  __global__ void name##_kernel(int n, const float *x, float *y, const double *xd,        \
                                double *yd) {                                             \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                        \
    if (i < n) {                                                                          \
      y[i] = name##f(x[i], x[(i * 7 + 3) % n]);                                           \
      yd[i] = name(xd[i], xd[(i * 7 + 3) % n]);                                           \
    }                                                                                     \
  }                                                                                       \
  static void name##_test() {                                                             \
    std::vector<float> x = inputs<float>(lo, hi), y(SAMPLES);                             \
    std::vector<double> xd = inputs<double>(lo, hi), yd(SAMPLES);                         \
    float *dx = (float *)upload(x.data(), SAMPLES * sizeof(float));                       \
    float *dy = (float *)upload(y.data(), SAMPLES * sizeof(float));                       \
    double *dxd = (double *)upload(xd.data(), SAMPLES * sizeof(double));                  \
    double *dyd = (double *)upload(yd.data(), SAMPLES * sizeof(double));                  \
    name##_kernel<<<SAMPLES / 128, 128>>>(SAMPLES, dx, dy, dxd, dyd);                     \
    cudaMemcpy(y.data(), dy, SAMPLES * sizeof(float), cudaMemcpyDeviceToHost);            \
    cudaMemcpy(yd.data(), dyd, SAMPLES * sizeof(double), cudaMemcpyDeviceToHost);         \
    double worst = 0, at = 0, worst_d = 0, at_d = 0;                                      \
    for (int i = 0; i < SAMPLES; i++) {                                                   \
      int j = (i * 7 + 3) % SAMPLES;                                                      \
      double e = error_in_ulps(y[i], (double)::name((double)x[i], (double)x[j]));         \
      if (e > worst)                                                                      \
        worst = e, at = x[i];                                                             \
      e = error_in_ulps(yd[i], (long double)::name##l((long double)xd[i], (long double)xd[j])); \
      if (e > worst_d)                                                                    \
        worst_d = e, at_d = xd[i];                                                        \
    }                                                                                     \
    report(#name, "float", worst, at, bound_f);                                           \
    report(#name, "double", worst_d, at_d, bound_d);                                      \
    cudaFree(dx), cudaFree(dy), cudaFree(dxd), cudaFree(dyd);                             \
  }

// name, range of the random arguments, bounds in ulp for float and double
#define FUNCTIONS(ONE, TWO)    \
  ONE(sqrt, 0, 1e6, 0.5, 0.51)  \
  ONE(exp, -80, 80, 3, 3)      \
  ONE(exp2, -120, 120, 3, 3)   \
  ONE(exp10, -36, 36, 3, 3)    \
  ONE(expm1, -10, 10, 3, 3)    \
  ONE(log, 0, 1e4, 3, 3)       \
  ONE(log2, 0, 1e4, 3, 3)      \
  ONE(log10, 0, 1e4, 3, 3)     \
  ONE(log1p, -0.99, 100, 3, 3) \
  ONE(sin, -1e6, 1e6, 4, 4)    \
  ONE(cos, -1e6, 1e6, 4, 4)    \
  ONE(tan, -1e6, 1e6, 5, 5)    \
  ONE(asin, -1, 1, 4, 4)       \
  ONE(acos, -1, 1, 4, 4)       \
  ONE(atan, -50, 50, 5, 5)     \
  ONE(sinh, -20, 20, 4, 4)     \
  ONE(cosh, -20, 20, 4, 4)     \
  ONE(tanh, -5, 5, 5, 5)       \
  ONE(asinh, -100, 100, 4, 4)  \
  ONE(acosh, 1, 100, 4, 4)     \
  ONE(atanh, -1, 1, 5, 5)      \
  ONE(cbrt, -1e3, 1e3, 2, 2)   \
  ONE(erf, -4, 4, 2, 2)      \
  ONE(erfc, -4, 20, 1, 4)     \
  ONE(lgamma, 0.1, 50, 1, 16) \
  ONE(tgamma, -20, 30, 1, 256) \
  ONE(logb, -1e5, 1e5, 0, 0)   \
  ONE(floor, -1e3, 1e3, 0, 0)  \
  ONE(ceil, -1e3, 1e3, 0, 0)   \
  ONE(trunc, -1e3, 1e3, 0, 0)  \
  ONE(rint, -1e3, 1e3, 0, 0)   \
  ONE(round, -1e3, 1e3, 0, 0)  \
  ONE(fabs, -1e3, 1e3, 0, 0)   \
  TWO(pow, -60, 60, 2, 2)   \
  TWO(atan2, -10, 10, 6, 6)    \
  TWO(hypot, -1e4, 1e4, 4, 4)  \
  TWO(fmod, -1e4, 1e4, 0, 0)   \
  TWO(remainder, -1e4, 1e4, 0, 0) \
  TWO(fmin, -1e4, 1e4, 0, 0)   \
  TWO(fmax, -1e4, 1e4, 0, 0)   \
  TWO(fdim, -1e4, 1e4, 0.51, 0.51)
FUNCTIONS(ONE, TWO)

int main(int argc, char **) {
  verbose = argc > 1;
#define CALL(name, ...) name##_test();
  FUNCTIONS(CALL, CALL)
  cudaError_t e = cudaDeviceSynchronize();
  if (e != cudaSuccess)
    printf("%s\n", cudaGetErrorString(e));
  printf("%d failures\n", failures);
  return failures || e != cudaSuccess;
}
