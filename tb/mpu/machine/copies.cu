// SPDX-License-Identifier: Apache-2.0
// What a program can do with an array of which cores have copies: read it, write it in the middle
// of a kernel and tell others by a flag, count in it, write it with all blocks at once, let the
// host write it between launches, free it. It prints sums of all that it computes.
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t e, int line) {
  if (e == cudaSuccess)
    return;
  fprintf(stderr, "copies.cu:%d: %s\n", line, cudaGetErrorString(e));
  exit(1);
}
#define CHECK(call) check(call, __LINE__)
enum { N = 1200, THREADS = 64 };

__global__ void sum(const int *x, int *out) {
  int all = 0;
  for (int k = 0; k < N; k += 13)
    all += x[(k + 37 * threadIdx.x) % N] * (k % 7 + 1);
  out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

// Block `from` writes x and says so; the others read it before, wait, and read it after. All blocks
// are on cores at the same time.
__global__ void tell(int *x, volatile int *flag, int *out, int from, int round) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  int before = x[(at + round) % N], after = 0;
  if (blockIdx.x == from) {
    for (int k = threadIdx.x; k < N; k += blockDim.x)
      x[k] = 5 * k + round;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
      *flag = round;
  } else if (threadIdx.x == 0) {
    while (*flag != round)
      ;
    __threadfence();
  }
  __syncthreads();
  for (int k = 0; k < 20; k++)
    after += x[(at * 3 + 61 * k) % N];
  out[at] = after;
  if (blockIdx.x != from && before < 0)  // never: but it is read
    out[at] = before;
}

// The flag itself is in the array.
__global__ void tell_inside(volatile int *x, int *out, int round) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) {
      x[1] = 1000 + round;
      __threadfence();
      x[0] = -round;
    } else {
      while (x[0] != -round)
        ;
      __threadfence();
    }
    out[blockIdx.x] = x[1];
  }
}

// What a thread writes it reads, and what it has read it may overwrite.
__global__ void own(int *x, int *out) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= N)
    return;
  const int old = x[at];
  x[at] = old * 3 + 1;
  out[at] = x[at] ^ old;
}

__global__ void count(int *x, unsigned long long *wide) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&x[at % 50], x[N - 1] + 1);
  atomicMax(&x[50 + at % 5], at);
  atomicAdd(&wide[at % 3], 10ull + at);
}

struct four { int x, y, z, w; };
__global__ void vectors(const four *x, const short *y, int *out) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  const four v = x[at * 7 % (N / 4)];
  out[at] = v.x + 2 * v.y + 3 * v.z + 4 * v.w + y[at * 5 % (2 * N)];
}

int main(int argc, char **argv) {
  const int blocks = argc > 1 ? atoi(argv[1]) : 8, threads = blocks * THREADS;
  std::vector<int> host(N), back(threads > N ? threads : N);
  int *x, *flag, *out;
  unsigned long long *wide, all = 1469598103934665603ull;
  auto add = [&](const void *from, size_t bytes) {
    CHECK(cudaMemcpy(back.data(), from, bytes, cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < bytes; k++)
      all = (all ^ ((const unsigned char *)back.data())[k]) * 1099511628211ull;
    printf("%016llx\n", all);
  };
  for (int again = 0; again < 2; again++) {
    CHECK(cudaMalloc(&x, N * sizeof *x));
    CHECK(cudaMalloc(&wide, 3 * sizeof *wide));
    CHECK(cudaMalloc(&flag, sizeof *flag));
    CHECK(cudaMalloc(&out, back.size() * sizeof *out));
    CHECK(cudaMemset(flag, 0, sizeof *flag));
    CHECK(cudaMemset(wide, 0, 3 * sizeof *wide));
    CHECK(cudaMemset(out, 0, back.size() * sizeof *out));
    for (int i = 0; i < N; i++)
      host[i] = (i * 7919 + again) % 10007;
    CHECK(cudaMemcpy(x, host.data(), N * sizeof *x, cudaMemcpyHostToDevice));
    sum<<<blocks, THREADS>>>(x, out);
    add(out, threads * sizeof *out);
    CHECK(cudaMemset(x + 100, 1, 400));  // the host writes between launches
    sum<<<blocks, THREADS>>>(x, out);
    add(out, threads * sizeof *out);
    vectors<<<blocks, THREADS>>>((const four *)x, (const short *)x, out);
    add(out, threads * sizeof *out);
    for (int round = 1; round <= 3; round++) {
      tell<<<blocks, THREADS>>>(x, flag, out, round % blocks, round);
      add(out, threads * sizeof *out);
      sum<<<blocks, THREADS>>>(x, out);  // what a kernel has written
      add(out, threads * sizeof *out);
      tell_inside<<<blocks, THREADS>>>(x, out, round);
      add(out, blocks * sizeof *out);
    }
    own<<<(N + THREADS - 1) / THREADS, THREADS>>>(x, out);
    own<<<(N + THREADS - 1) / THREADS, THREADS>>>(x, out);
    add(out, N * sizeof *out);
    CHECK(cudaMemcpy(x + 10, x + 700, 2000, cudaMemcpyDeviceToDevice));
    count<<<blocks, THREADS>>>(x, wide);
    add(x, N * sizeof *x);
    add(wide, 3 * sizeof *wide);
    sum<<<blocks, THREADS>>>(x, out);
    add(out, threads * sizeof *out);
    CHECK(cudaFree(x));
    CHECK(cudaFree(flag));
    CHECK(cudaFree(wide));
    CHECK(cudaFree(out));
  }
  CHECK(cudaDeviceReset());
  printf("PASS\n");
}
