// Accesses outside of arrays. bounds KIND
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ int kept[8];

__global__ void read_at(const int *from, long at, int *to) {
  to[threadIdx.x] = from[at + threadIdx.x];  // read
}
__global__ void read_wide(const int4 *from, long at, int *to) {
  const int4 v = from[at];  // wide
  to[threadIdx.x] = v.x ^ v.y ^ v.z + v.w;
}
__global__ void write_at(int *to, long at) {
  to[at + threadIdx.x] = 1;  // write
}
__global__ void add_at(int *to, long at) {
  atomicAdd(&to[at + threadIdx.x], 1);  // add
}
__global__ void read_kept(long at, int *to) {
  to[threadIdx.x] = kept[at];  // kept
}

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "";
  const long at = argc > 2 ? atol(argv[2]) : 0;
  int *d_x, *d_y, y[32];
  cudaMalloc(&d_y, sizeof y);
  cudaMalloc(&d_x, 100 * sizeof(int));  // d_x
  cudaMemset(d_y, 0xff, sizeof y);
  cudaMemset(d_x, 0x11, 100 * sizeof(int));
  if (!strcmp(kind, "read"))
    read_at<<<1, 32>>>(d_x, at, d_y);
  else if (!strcmp(kind, "null"))
    read_at<<<1, 32>>>(nullptr, at, d_y);
  else if (!strcmp(kind, "wide"))
    read_wide<<<1, 32>>>((const int4 *)d_x, at, d_y);
  else if (!strcmp(kind, "write"))
    write_at<<<1, 32>>>(d_x, at);
  else if (!strcmp(kind, "add"))
    add_at<<<1, 32>>>(d_x, at);
  else if (!strcmp(kind, "kept"))
    read_kept<<<1, 32>>>(at, d_y);
  else
    return 2;
  const cudaError_t e = cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost);
  if (e != cudaSuccess) {
    printf("%s\n", cudaGetErrorString(e));
    return 1;
  }
  printf("%x %x\n", y[0], y[31]);
  return 0;
}
