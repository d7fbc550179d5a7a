// SPDX-License-Identifier: Apache-2.0
// Managed variables: host and device name the same numbers, before and after launches, by name, by
// address and as symbols; a reset gives them their first values.
#include "check.h"

struct point {
  int x;
  double y;
};

__managed__ int counter = 5;
__device__ __managed__ float table[1000];
static __managed__ point corner = {3, 0.25};
__managed__ int *where;
__device__ int plain = 7;

__global__ void work(float scale) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < 1000)
    table[t] *= scale;
  if (t == 0)
    counter += plain, corner.x++, corner.y *= 2;
}
__global__ void through(float *p, point *q, int n) {
  p[threadIdx.x] = (float)(n + (int)threadIdx.x);
  if (threadIdx.x == 0)
    q->x = *where + 1;
}

int main() {
  CHECK(counter == 5 && corner.x == 3 && corner.y == 0.25 && table[0] == 0);
  for (int k = 0; k < 1000; k++)
    table[k] = (float)k;
  counter = 10;
  work<<<4, 256>>>(3);
  OK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int k = 0; k < 1000; k++)
    wrong += table[k] != (float)(3 * k);
  CHECK(wrong == 0 && counter == 17 && corner.x == 4 && corner.y == 0.5);

  // addresses: as arguments, also into the middle
  OK(cudaMallocManaged(&where, 4));
  *where = 40;
  through<<<1, 8>>>(table + 100, &corner, 70);
  OK(cudaDeviceSynchronize());
  CHECK(table[99] == 297 && table[100] == 70 && table[107] == 77 && table[108] == 324 && corner.x == 41);

  // symbols
  void *at = nullptr;
  size_t bytes = 0;
  int value = 100;
  OK(cudaGetSymbolAddress(&at, counter));
  CHECK(at == &counter);
  OK(cudaGetSymbolSize(&bytes, table));
  CHECK(bytes == 4000);
  OK(cudaMemcpyToSymbol(counter, &value, 4));
  CHECK(counter == 100);
  work<<<1, 32>>>(1);
  value = 0;
  OK(cudaMemcpyFromSymbol(&value, counter, 4));
  CHECK(value == 107 && counter == 107);

  // memory calls
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, table + 5));
  CHECK(a.type == cudaMemoryTypeManaged);
  OK(cudaMemset(table, 0, sizeof table));
  CHECK(table[500] == 0);
  OK(cudaMemPrefetchAsync(table, sizeof table, 0, 0));
  OK(cudaMemAdvise(table, sizeof table, cudaMemAdviseSetReadMostly, 0));
  GIVES(cudaErrorInvalidValue, cudaMemset(table, 0, sizeof table + 1));
  GIVES(cudaErrorInvalidValue, cudaFree(table));
  float *device;
  OK(cudaMalloc(&device, 16));
  table[1] = 6;
  OK(cudaMemcpy(device, table, 16, cudaMemcpyDefault));
  table[1] = 0;
  OK(cudaMemcpy(table, device, 16, cudaMemcpyDeviceToDevice));
  CHECK(table[1] == 6);

  OK(cudaDeviceReset());
  CHECK(counter == 5 && corner.x == 3 && table[1] == 0);
  work<<<1, 32>>>(1);
  OK(cudaDeviceSynchronize());
  CHECK(counter == 12 && corner.x == 4);
  END;
}
