// SPDX-License-Identifier: Apache-2.0
// Many launches that depend on each other by all that a launch can leave behind: allocations, a device
// variable, managed and mapped memory, memory that was freed, printf, the clock. What the environment
// variable DO says, it does in round AT: kill itself, or something else than without it.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/time.h>
#include <unistd.h>

enum { N = 1500, ROUNDS = 10, LONG = 6, THREADS = 64 };

__device__ int total;
__constant__ int factor;

__global__ void step(int *a, const int *old, int *managed, int *mapped, int n, int round) {
  __shared__ int sum;
  int many[20];
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (threadIdx.x == 0)
    sum = 0;
  for (int k = 0; k < 20; k++)
    many[(k * 7 + round) % 20] = k * i;
  __syncthreads();
  for (int again = round == LONG ? 40 : 1; again && i < n; again--) {
    a[i] = a[i] / 2 * factor + many[i % 20] + old[i % 100];
    atomicAdd(&sum, a[i] & 0xff);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&total, sum);
    atomicAdd(&managed[round], sum);
    atomicMax(&mapped[round], sum);
  }
  if (i == 0)
    printf("round %d of kernel, clock %lld, %d blocks\n", round, clock64(), (int)gridDim.x);
}

__global__ void finish(const int *a, int *managed) {
  if (blockIdx.x == 0)
    managed[threadIdx.x] += a[threadIdx.x];
}

__global__ void fault(int *a) {
  a[threadIdx.x] = 1;
  a[1ll << 40] = 2;
}

static void die(int) {
  kill(getpid(), SIGKILL);
}

static bool now(const char *what, int round) {
  const char *wanted = getenv("DO"), *at = getenv("AT");
  return wanted && !strcmp(wanted, what) && round == atoi(at ? at : "0");
}

int main(int argc, char **argv) {
  static int h[N];
  int *a, *managed, *mapped, *old, *other;
  for (int k = 0; k < N; k++)
    h[k] = k * k % 1000;
  if (now("tell", 0)) {
    fprintf(stderr, "threads %s\n", getenv("MPU_THREADS"));
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "fault")) {
    cudaMalloc(&a, 4);
    fault<<<1, 32>>>(a);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaDeviceReset();
  }
  cudaMallocManaged(&managed, THREADS * sizeof(int));
  cudaHostAlloc(&mapped, ROUNDS * sizeof(int), cudaHostAllocMapped);
  memset(managed, 0, THREADS * sizeof(int));
  memset(mapped, 0, ROUNDS * sizeof(int));
  cudaMalloc(&a, sizeof h);
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMalloc(&old, 400);
  cudaMemset(old, 1, 400);
  printf("%s, %d rounds\n", argc > 1 ? argv[1] : "nothing", ROUNDS);
  for (int r = 0; r < ROUNDS; r++) {
    const int f = r + (now("constant", r) ? 4 : 3);
    int sum;
    cudaMemcpyToSymbol(factor, &f, sizeof f);
    managed[r] += r + now("managed", r);
    if (now("end", r))
      return 0;
    if (now("kill", r)) {
      fflush(stdout);
      die(0);
    }
    if (now("kill later", r)) {  // in the launch
      const itimerval soon = {{0, 0}, {0, 10000}};
      signal(SIGPROF, die);
      setitimer(ITIMER_PROF, &soon, NULL);
    }
    if (now("data", r))
      cudaMemset(a, 2, 4);
    if (now("allocate", r))
      cudaMalloc(&other, 4);
    const int blocks = (N + THREADS - 1) / THREADS;
    if (now("kernel", r))
      finish<<<blocks, THREADS>>>(a, managed);
    else
      step<<<blocks + now("grid", r), THREADS, now("shared", r) ? 64 : 0>>>(
          a, old, managed, mapped, N - now("parameter", r), r);
    cudaMemcpyFromSymbol(&sum, total, sizeof sum);
    printf("after round %d: total %d, %d managed, %d mapped\n", r, sum, managed[r], mapped[r]);
    cudaFree(old);  // another one of its size gets its place, and finds there what it had
    cudaMalloc(&old, 400);
    sum = sum % 1000 + managed[r] % 10;
    cudaMemcpyToSymbol(total, &sum, sizeof sum);
  }
  finish<<<1, THREADS>>>(a, managed);
  unsigned sum = 0;
  cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
  for (int k = 0; k < N; k++)
    sum = sum * 31 + (unsigned)h[k];
  for (int k = 0; k < THREADS; k++)
    sum = sum * 31 + (unsigned)managed[k];
  printf("sum %u\n", sum);
  return 0;
}
