// SPDX-License-Identifier: Apache-2.0
// cuBLAS without handles.
#include <cublas.h>

#include <cstdio>

int main(void) {
  enum { N = 20 };
  float a[N * N], x[N], y[N], *da, *dx, *dy;
  float expected = 0;
  for (int k = 0; k < N * N; k++)
    a[k] = (float)(k % 9);
  for (int k = 0; k < N; k++)
    x[k] = (float)k;
  int bad = cublasInit() + cublasAlloc(N * N, sizeof *a, (void **)&da);
  bad += cublasAlloc(N, sizeof *x, (void **)&dx) + cublasAlloc(N, sizeof *y, (void **)&dy);
  bad += cublasSetMatrix(N, N, sizeof *a, a, N, da, N) + cublasSetVector(N, sizeof *x, x, 1, dx, 1);
  cublasSgemm('n', 'N', N, 1, N, 2.0f, da, N, dx, N, 0.0f, dy, N);
  bad += cublasGetError() + cublasGetVector(N, sizeof *y, dy, 1, y, 1);
  for (int i = 0; i < N; i++) {
    float v = 0;
    for (int k = 0; k < N; k++)
      v += 2 * a[i + k * N] * x[k];
    bad += y[i] != v;
    expected += v;
  }
  bad += cublasSasum(N, dy, 1) != expected;
  bad += cublasIsamax(N, dx, 1) != N;
  cublasSgemm('x', 'n', N, 1, N, 2.0f, da, N, dx, N, 0.0f, dy, N);
  bad += cublasGetError() != CUBLAS_STATUS_INVALID_VALUE;
  bad += cublasGetError() + cublasFree(da) + cublasFree(dx) + cublasFree(dy) + cublasShutdown();
  printf(bad ? "FAILED\n" : "PASS\n");
  return bad;
}
