#pragma once
__global__ void __device__ old(int *x) {
  __device__ __shared__ int s;
  s = 4;
  *x = s;
}

inline int go() {
  int *d, h = 0;
  cudaMalloc(&d, 4);
  old<< <1, 1>> >(d);
  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  return h;
}
