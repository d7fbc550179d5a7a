// Programs with a race and without one. racy KIND
#include <cstdio>
#include <cstring>

enum { N = 4096, BINS = 16 };
__device__ int total;
__device__ float sum;

__global__ void reduce(const int *in, int *out, bool synchronised) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  if (synchronised)
    __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half)
      part[t] += part[t + half];
    if (synchronised)
      __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = part[0];  // sums
}

__global__ void count_plain(const int *in) {
  volatile int *to = &total;
  *to = *to + in[blockIdx.x * blockDim.x + threadIdx.x];  // plain
}

__global__ void count_atomic(const int *in) {
  atomicAdd(&total, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

__global__ void count_float(const int *in) {
  atomicAdd(&sum, 1.0f / (1 + in[blockIdx.x * blockDim.x + threadIdx.x]));  // float
}

__global__ void histogram(const int *in, int *bins) {
  const int k = in[blockIdx.x * blockDim.x + threadIdx.x] % BINS;
  volatile int *bin = bins + k;
  const int old = *bin;
  *bin = old + 1;  // bin
}

__global__ void histogram_atomic(const int *in, int *bins) {
  atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x] % BINS], 1);
}

__global__ void say() {
  if (threadIdx.x == 0)
    printf("block %d\n", blockIdx.x);
}

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "";
  static int in[N], out[N];
  int *d_in, *d_out;
  for (int n = 0; n < N; n++)
    in[n] = n * 37 % 101;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, BINS * sizeof(int));  // d_out
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0, BINS * sizeof(int));
  if (!strcmp(kind, "reduce"))
    reduce<<<BINS, 256>>>(d_in, d_out, true);
  else if (!strcmp(kind, "unsynchronised"))
    reduce<<<BINS, 256>>>(d_in, d_out, false);
  else if (!strcmp(kind, "plain"))
    count_plain<<<N / 128, 128>>>(d_in);
  else if (!strcmp(kind, "atomic"))
    count_atomic<<<N / 128, 128>>>(d_in);
  else if (!strcmp(kind, "float"))
    count_float<<<N / 128, 128>>>(d_in);
  else if (!strcmp(kind, "histogram"))
    histogram<<<N / 128, 128>>>(d_in, d_out);
  else if (!strcmp(kind, "histogram-atomic"))
    histogram_atomic<<<N / 128, 128>>>(d_in, d_out);
  else if (!strcmp(kind, "say"))
    say<<<8, 64>>>();
  else
    return 2;
  cudaMemcpy(out, d_out, BINS * sizeof(int), cudaMemcpyDeviceToHost);
  if (cudaGetLastError() != cudaSuccess)
    return 1;
  if (strcmp(kind, "say"))
    printf("%d\n", out[0]);
  return 0;
}
