#include <cstdio>
#include <cstring>
#include "old.cuh"

__global__ void five(int *x) { *x = __LINE__ == 5 ? 5 : 0; }

const char *text = "<< <>> >";

int main() {
  int *d, h = 0;
  cudaMalloc(&d, 4);
  five << <1, 1 >> >(d);
  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  const bool ok = h == 5 && go() == 4 && strlen(text) == 8 && strcmp(__FILE__, "old.cu") == 0;
  puts(ok ? "PASS" : "FAIL");
  return !ok;
}
