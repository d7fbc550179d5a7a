#include <cuda_runtime.h>
#include <vector>

// also a name of the runtime's own functions: it must not meet them
extern "C" int read_file(int n) {
  return n + 1;
}

int devices() {
  int n = 0;
  std::vector<int> v(3, 1);
  cudaGetDeviceCount(&n);
  return n == 1 ? (int)v.size() : 0;
}
