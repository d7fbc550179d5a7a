// SPDX-License-Identifier: Apache-2.0
// 3 lanes in the second warp; b goes to the base die while the next instruction asks where it is
__global__ void kernel(float *p) {
  int t = threadIdx.x;
  float x = p[t + 128], a, b, q, d;
  x = x + x;
  asm volatile("ld.global.f32 %0, [%5];\n\tld.global.f32 %1, [%5+256];\n\tdiv.rn.f32 %2, %0, %1;\n\tfma.rn.f32 %3, %4, %0, %1;"
               : "=&f"(a), "=&f"(b), "=&f"(q), "=&f"(d) : "f"(x), "l"(p + t));
  p[t] = q;
  p[t + 64] = d;
}
int main() {
  float *p, h[256];
  for (int n = 0; n < 256; n++)
    h[n] = n + 1;
  cudaMalloc(&p, sizeof h);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  kernel<<<1, 35>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
