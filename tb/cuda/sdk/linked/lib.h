template <typename T>
__device__ int times;  // one in all files

template <typename T>
__device__ T twice(T x) {
  atomicAdd(&times<T>, 1);
  return x + x;
}

template <typename T>
__global__ void fill(T *to, T value) {
  __shared__ T turned[32];
  turned[threadIdx.x] = value + threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = turned[31 - threadIdx.x];
}

__device__ float scale(float x, int which);
int lib(int *device);
