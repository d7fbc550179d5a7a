// SPDX-License-Identifier: Apache-2.0
// malloc, free, new, delete, memcpy, memset and memmove in kernels; compare and exchange of 16 bits;
// matches and reductions of lanes in tiles.
#include <string.h>
#include <cstdlib>
#include "check.h"

struct list {
  list *next;
  int value;
  __device__ list(list *n, int v) : next(n), value(v) {}
};

// Every thread has a list of its own; all of its memory is its own, and comes back.
__global__ void lists(int *out, int rounds) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0, wrong = 0;
  for (int r = 0; r < rounds; r++) {
    list *l = nullptr;
    for (int k = 0; k < 5; k++)
      l = new list(l, t * 10 + k);
    char *bytes = (char *)malloc(1 + t % 100);
    wrong += !bytes || ((size_t)bytes & 15);
    memset(bytes, t, 1 + t % 100);
    __syncthreads();
    for (int k = 0; k < 1 + t % 100; k++)
      wrong += bytes[k] != (char)t;
    for (int k = 4; l; k--) {
      wrong += l->value != t * 10 + k;
      sum += l->value;
      list *n = l->next;
      delete l;
      l = n;
    }
    free(bytes);
  }
  out[2 * t] = sum, out[2 * t + 1] = wrong;
}

// As much as there is; the last ones get none.
__global__ void fill(int *got, size_t bytes) {
  int n = 0;
  void *last = nullptr;
  while (void *p = malloc(bytes)) {
    *(void **)p = last;
    last = p, n++;
  }
  got[0] = n;
  while (last) {
    void *next = *(void **)last;
    free(last);
    last = next;
  }
  void *again = malloc(bytes);
  got[1] = again != nullptr;
  free(again);
  free(nullptr);
  got[2] = malloc(0) != nullptr || malloc(1ull << 45) != nullptr;
}

__global__ void twice(int *p) {
  void *q = std::malloc(8);
  std::free(q);
  if (*p)
    free(q);
}

__global__ void copies(char *out) {
  char a[40], b[40];
  const int t = threadIdx.x;
  for (int k = 0; k < 40; k++)
    a[k] = (char)(k * 3 + t);
  memcpy(b, a, 40);
  memmove(b + 1, b, t % 30);
  memcpy(out + 40 * t, b, 40);
}

__global__ void shorts(unsigned short *count, unsigned *lanes) {
  const int t = threadIdx.x;
  for (unsigned short old = count[t % 3];;) {  // one more, by turns
    const unsigned short seen = atomicCAS(&count[t % 3], old, (unsigned short)(old + 1));
    if (seen == old)
      break;
    old = seen;
  }
  const unsigned tile = 0xffu << t / 8 * 8;
  int all;
  lanes[7 * t] = __reduce_add_sync(tile, (unsigned)t), lanes[7 * t + 1] = __reduce_max_sync(tile, t);
  lanes[7 * t + 2] = (unsigned)__reduce_min_sync(tile, -t), lanes[7 * t + 3] = __reduce_or_sync(tile, 1u << t);
  lanes[7 * t + 4] = __match_all_sync(tile, t / 16, &all), lanes[7 * t + 5] = all;
  lanes[7 * t + 6] = __match_all_sync(tile, t < 20 ? 1ll << 40 : 0ll, &all);
}

int main() {
  enum { THREADS = 256 };
  int *d, out[2 * THREADS];
  size_t limit;
  OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  CHECK(limit == 8 << 20);
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  OK(cudaMalloc(&d, sizeof out));
  for (int round = 0; round < 2; round++) {  // what was freed serves the next launch
    lists<<<4, THREADS / 4>>>(d, 20);
    OK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    for (int t = 0; t < THREADS; t++)
      CHECK(out[2 * t] == 20 * (50 * t + 10) && out[2 * t + 1] == 0);
  }
  GIVES(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 << 20));
  fill<<<1, 1>>>(d, 4096 - 16);
  OK(cudaMemcpy(out, d, 3 * sizeof *out, cudaMemcpyDeviceToHost));
  CHECK(out[0] > 200 && out[0] <= 256 && out[1] == 1 && out[2] == 0);

  char *dc, c[32 * 40];
  OK(cudaMalloc(&dc, sizeof c));
  copies<<<1, 32>>>(dc);
  OK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 32; t++)
    for (int k = 0; k < 40; k++)
      CHECK(c[40 * t + k] == (char)((k && k <= t % 30 ? k - 1 : k) * 3 + t));

  unsigned short *ds, s[4];
  unsigned *dl, l[32][7];
  OK(cudaMalloc(&ds, sizeof s));
  OK(cudaMemset(ds, 0, sizeof s));
  OK(cudaMalloc(&dl, sizeof l));
  shorts<<<1, 32>>>(ds, dl);
  OK(cudaMemcpy(s, ds, sizeof s, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(l, dl, sizeof l, cudaMemcpyDeviceToHost));
  CHECK(s[0] == 11 && s[1] == 11 && s[2] == 10 && s[3] == 0);
  for (int t = 0; t < 32; t++) {
    const unsigned first = t / 8 * 8, tile = 0xffu << first;
    CHECK(l[t][0] == 8 * first + 28 && l[t][1] == first + 7 && (int)l[t][2] == -(int)(first + 7));
    CHECK(l[t][3] == tile && l[t][4] == tile && l[t][5] == 1);
    CHECK(l[t][6] == (first == 16 ? 0 : tile));
  }

  int one = 1;
  OK(cudaMemcpy(d, &one, sizeof one, cudaMemcpyHostToDevice));
  twice<<<1, 1>>>(d);
  GIVES(cudaErrorLaunchFailure, cudaDeviceSynchronize());
  OK(cudaDeviceReset());
  OK(cudaMalloc(&d, sizeof out));
  lists<<<1, 32>>>(d, 1);  // with memory of its own again
  OK(cudaMemcpy(out, d, 64 * sizeof *out, cudaMemcpyDeviceToHost));
  CHECK(out[62] == 50 * 31 + 10 && out[63] == 0);
  END;
}
