// SPDX-License-Identifier: Apache-2.0
// A little of each library, with all ways of tiles and lines that are short, checked by itself: for
// machines that are simulated cycle by cycle.
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <curand_kernel.h>

#include <cstdio>
#include <vector>

static int failed;
static void check(bool ok, const char *what) {
  if (!ok) {
    printf("FAILED: %s\n", what);
    failed = 1;
  }
}

static void multiply(void) {
  enum { N = 40 };
  std::vector<double> a(N * N), b(N * N), c(N * N);
  double *da, *db, *dc, one = 1, none = 0, sum;
  cublasHandle_t h;
  for (int k = 0; k < N * N; k++) {
    a[(size_t)k] = k % 7;
    b[(size_t)k] = k % 5;
  }
  cudaMalloc(&da, sizeof one * N * N);
  cudaMalloc(&db, sizeof one * N * N);
  cudaMalloc(&dc, sizeof one * N * N);
  int bad = cublasCreate(&h);
  bad += cublasSetMatrix(N, N, sizeof one, a.data(), N, da, N);
  bad += cublasSetMatrix(N, N, sizeof one, b.data(), N, db, N);
  bad += cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, N, N, N, &one, da, N, db, N, &none, dc, N);
  bad += cublasGetMatrix(N, N, sizeof one, dc, N, c.data(), N);
  bad += cublasDasum(h, N * N, dc, 1, &sum);
  double expected = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double v = 0;
      for (int k = 0; k < N; k++)
        v += a[(size_t)(i + k * N)] * b[(size_t)(j + k * N)];
      expected += v;
      check(c[(size_t)(i + j * N)] == v, "a product");
    }
  check(!bad && sum == expected, "calls of cuBLAS");
  cublasDestroy(h);
}

// A wave has one frequency.
static void transform(void) {
  enum { N = 60, WAVES = 7 };
  std::vector<cufftComplex> v(N);
  cufftComplex *d;
  cufftHandle p;
  for (int k = 0; k < N; k++)
    v[(size_t)k] =
        make_cuComplex((float)cos(2 * M_PI * WAVES * k / N), (float)sin(2 * M_PI * WAVES * k / N));
  cudaMalloc(&d, sizeof *d * N);
  cudaMemcpy(d, v.data(), sizeof *d * N, cudaMemcpyHostToDevice);
  const int bad = cufftPlan1d(&p, N, CUFFT_C2C, 1) + cufftExecC2C(p, d, d, CUFFT_FORWARD);
  cudaMemcpy(v.data(), d, sizeof *d * N, cudaMemcpyDeviceToHost);
  for (int k = 0; k < N; k++)
    check(cuCabsf(cuCsubf(v[(size_t)k], make_cuComplex(k == WAVES ? N : 0, 0))) < 1e-4, "a wave");
  check(!bad, "calls of cuFFT");
  cufftDestroy(p);
}

// Kernels make the host's numbers.
__global__ void draw(unsigned int *to, unsigned int n) {
  curandStatePhilox4_32_10_t s;
  curand_init(5, 0, threadIdx.x, &s);
  if (threadIdx.x < n)
    to[threadIdx.x] = curand(&s);
}
static void draw_numbers(void) {
  enum { N = 64 };
  std::vector<unsigned int> a(N), b(N);
  unsigned int *d;
  curandGenerator_t g;
  cudaMalloc(&d, sizeof *d * N);
  draw<<<1, N>>>(d, N);
  cudaMemcpy(a.data(), d, sizeof *d * N, cudaMemcpyDeviceToHost);
  int bad = curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  bad += curandSetPseudoRandomGeneratorSeed(g, 5) + curandGenerate(g, d, N);
  cudaMemcpy(b.data(), d, sizeof *d * N, cudaMemcpyDeviceToHost);
  check(!bad && a == b, "numbers of cuRAND");
  curandDestroyGenerator(g);
}

int main(void) {
  multiply();
  transform();
  draw_numbers();
  if (!failed)
    printf("PASS\n");
  return failed;
}
