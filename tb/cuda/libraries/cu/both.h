// SPDX-License-Identifier: Apache-2.0
// For programs that compare a library with one of the host: arrays that both have, numbers for
// them, the host's library by its functions' names.
#ifndef BOTH_H
#define BOTH_H

#include <dlfcn.h>

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

static int failed, checked;
static void *library;
static unsigned long long state = 88172645463325252ull;

static double random_number(void) {  // -1 to 1
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / (1ull << 52) - 1;
}

static bool open_library(const char *name) {
  library = dlopen(name, RTLD_NOW);
  return library != NULL;
}
static void *symbol(const char *name) {
  void *f = dlsym(library, name);
  if (!f) {
    printf("FAILED: the host's library has no %s\n", name);
    exit(1);
  }
  return f;
}
// The function that a header declares.
#define HOST(name) ((decltype(&name))symbol(#name))

static void fill(float &v) {
  v = (float)random_number();
}
static void fill(double &v) {
  v = random_number();
}
template <class T>
static void fill(T &v) {
  fill(v.x);
  fill(v.y);
}
static double magnitude(double v) {
  return fabs(v);
}
template <class T, class = decltype(T().y)>
static double magnitude(const T &v) {
  return hypot(v.x, v.y);
}
static double distance(double a, double b) {
  return a == b ? 0 : fabs(a - b);
}
static double distance(float2 a, float2 b) {
  return hypot(a.x - b.x, a.y - b.y);
}
static double distance(double2 a, double2 b) {
  return hypot(a.x - b.x, a.y - b.y);
}
static double precision(float) {
  return 1.2e-7;
}
static double precision(double) {
  return 2.3e-16;
}
static double precision(float2) {
  return 1.2e-7;
}
static double precision(double2) {
  return 2.3e-16;
}

template <class T>
struct both {
  std::vector<T> host;
  T *device;
  explicit both(size_t n) : host(n) {
    for (T &v : host)
      fill(v);
    if (cudaMalloc((void **)&device, n * sizeof(T) + 1) != cudaSuccess)
      abort();
    send();
  }
  both(const both &) = delete;
  ~both() { cudaFree(device); }
  void send(void) {
    cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  // The device's array is the host's, up to roundings of sums of `terms` numbers.
  void same(const char *what, int status, double terms) {
    std::vector<T> got(host.size());
    cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost);
    double worst = 0, largest = 1;
    size_t where = 0;
    for (size_t k = 0; k < got.size(); k++) {
      const double d = distance(got[k], host[k]);
      where = d <= worst ? where : k;
      worst = d <= worst ? worst : d;  // also a NaN
      largest = fmax(largest, magnitude(host[k]));
    }
    checked++;
    if (status || !(worst <= 4 * precision(T()) * (terms + 4) * largest)) {
      printf("FAILED: %s: status %d, element %zu of %zu is off by %g of %g\n", what, status, where,
             got.size(), worst, largest);
      failed = 1;
    }
  }
};
#endif
