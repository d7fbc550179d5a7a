// Two of these, in two folders: NUMBER differs.
static __device__ int value = 1;
static __global__ void get(int *to) { *to = value; }
extern "C" int PART(int *d) {
  int h = NUMBER;
  cudaMemcpyToSymbol(value, &h, sizeof h);
  get<<<1, 1>>>(d);
  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
  return h;
}
