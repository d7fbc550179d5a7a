// Accesses of arrays whose sectors and rows are known, for run_arrays.sh: "known" and what; alone, a bit of everything.
#include <stdio.h>
#include <string.h>

__device__ int table[64];
static __device__ int hidden[4];
namespace space {
__device__ int inner[5];
}
struct set {
  int *at[3];
};

__device__ int word(const int *p) {
  return *(const volatile int *)p;
}

// A warp: each line of its own unit in two rows.
__global__ void known(int *rows, int *line) {
  int sum = 0;
  for (int k = 0; k < 64; k++)
    sum += word(rows + k * 128 + threadIdx.x);
  line[threadIdx.x] = sum;
  __threadfence();
  if (threadIdx.x < 2)
    atomicAdd(&line[threadIdx.x * 8], 1);
}
// A thread: each load waits for the one before.
__global__ void turns(const int *first, const int *second) {
  int zero = 0;
  for (int k = 0; k < 5; k++)
    zero = word(second + word(first + zero));
  if (zero)
    table[0] = zero;
}
// The 512 bytes from byte 512 on are those of core 1.
__global__ void remote(const int *rows, int *line) {
  const int sum = word(rows + 128);
  line[128] = sum;
  atomicAdd(&line[136], 1);
  atomicAdd((unsigned long long *)&line[144], 1ull);
  if (word(line + 128))
    table[0] = 1;
}
__global__ void local(int *line, int *grid) {
  volatile int a[4];
  for (int k = 0; k < 4; k++)
    a[k] = k;
  line[threadIdx.x] = a[1] + a[2];
  grid[threadIdx.x] = 1;
}
__global__ void mixed(int *a, int *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[(i * 131 + 7) % n] + table[i % 64];
  atomicAdd(&space::inner[i % 5], b[i]);
  atomicExch(&hidden[i % 4], i);
  atomicAdd((unsigned long long *)&a[i % 16 * 2], 1ull);
}
__global__ void wrong(int *a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; k++)
    a[(i * 131 + k * 977) % n]++;
  if (i == 4000)
    a[1 << 28] = 1;
}

static int run(const char *what) {
  int *rows, *line, *first, *second, *grid, *managed, *mapped, *typed;
  void *plain;
  size_t pitch;
  set s;
  if (cudaMalloc(&rows, 32768) || cudaMalloc((void **)&line, 16384))
    return 1;
  if (cudaMalloc(reinterpret_cast<void **>(
                     &first),
                 16384))
    return 1;
  cudaMalloc(&second, 16384);
  for (int k = 0; k < 3; k++)
    cudaMalloc(&s.at[k], 2048);
  cudaFree(s.at[1]);
  if (cudaMallocPitch(&grid, &pitch, 100, 3) || cudaMallocManaged(&managed, 4096) ||
      cudaHostAlloc(&mapped, 100, cudaHostAllocMapped) || mpu_malloc(typed, 100))
    return 1;
  cudaError_t (*by_address)(void **, size_t) = cudaMalloc;
  if (by_address(&plain, 100))
    return 1;
  for (int k = 0; k < 1002 && !strcmp(what, "many"); k++)
    by_address(&plain, 32);
  cudaMemset(rows, 0, 32768);
  cudaMemset(line, 0, 16384);
  cudaMemset(first, 0, 16384);
  cudaMemset(second, 0, 16384);
  if (!strcmp(what, "known"))
    known<<<1, 32>>>(rows, line);
  if (!strcmp(what, "turns"))
    turns<<<1, 1>>>(first, second);
  if (!strcmp(what, "remote"))
    remote<<<1, 1>>>(rows, line);
  if (!strcmp(what, "local"))
    local<<<1, 32>>>(line, grid);
  if (!strcmp(what, "mixed")) {
    mixed<<<16, 128>>>(rows, line, 8192);
    mixed<<<8, 128>>>(first, second, 4096);
  }
  if (!strcmp(what, "fault"))
    wrong<<<64, 128>>>(rows, 8192);
  return cudaDeviceSynchronize() != cudaSuccess;
}

int main(int argc, char **argv) {
  const char *what = argc > 2 ? argv[2] : argc > 1 ? argv[1] : "mixed";
  if (strcmp(what, "again"))
    return run(what);
  run("fault");
  cudaDeviceReset();
  return run("mixed");
}
