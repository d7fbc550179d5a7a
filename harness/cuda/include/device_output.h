// SPDX-License-Identifier: Apache-2.0
// printf in kernels. Records go to a buffer in device memory; the runtime prints them when the
// launch has ended. The buffer is only there in programs that print.
#ifndef NEARBANK_DEVICE_OUTPUT_H
#define NEARBANK_DEVICE_OUTPUT_H

// [0] words used; then records of format address, number of arguments, arguments.
template <int>
struct mpu_output {
  static __device__ unsigned long long words[1 << 17];
};
template <int n>
__device__ unsigned long long mpu_output<n>::words[1 << 17];

MPU_D unsigned long long mpu_word(double v) {
  return (unsigned long long)__double_as_longlong(v);
}
MPU_D unsigned long long mpu_word(float v) {
  return mpu_word((double)v);
}
template <class T>
MPU_D unsigned long long mpu_word(T *p) {
  return (unsigned long long)p;
}
template <class T>
MPU_D unsigned long long mpu_word(T v) {
  return (unsigned long long)(long long)v;
}

template <class... A>
static __device__ int printf(const char *format, A... args) {
  enum { count = sizeof...(A), size = 2 + count };
  const unsigned long long values[count + 1] = {mpu_word(args)..., 0};
  unsigned long long *words = mpu_output<0>::words, at = atomicAdd(words, (unsigned long long)size);
  if (at + size >= 1 << 17)
    return -1;
  words[at + 1] = mpu_word(format);
  words[at + 2] = count;
  for (int n = 0; n < count; n++)
    words[at + 3 + (unsigned)n] = values[n];
  return count;
}
namespace std {
using ::printf;
}
#endif
