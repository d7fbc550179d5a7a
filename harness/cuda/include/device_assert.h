// SPDX-License-Identifier: Apache-2.0
// assert() in kernels: each thread that fails leaves a record, then the launch ends as by __trap();
// the runtime prints the records. They are only there in programs with an assertion.
#ifndef NEARBANK_DEVICE_ASSERT_H
#define NEARBANK_DEVICE_ASSERT_H

enum { MPU_ASSERTS = 64, MPU_ASSERT_WORDS = 10 };

// [0] how many; then text, file, function, line, block and thread of each, the last one again and
// again.
template <int>
struct mpu_asserts {
  static __device__ unsigned long long words[1 + MPU_ASSERTS * MPU_ASSERT_WORDS];
};
template <int n>
__device__ unsigned long long mpu_asserts<n>::words[1 + MPU_ASSERTS * MPU_ASSERT_WORDS];

// Without a branch, so that no thread of a warp ends the launch before all have their record.
MPU_D void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
  const unsigned long long n = atomicAdd(mpu_asserts<0>::words, 1ull);
  unsigned long long *to = mpu_asserts<0>::words + 1;
  to += (n < MPU_ASSERTS ? n : MPU_ASSERTS - 1) * MPU_ASSERT_WORDS;
  to[0] = (unsigned long long)text;
  to[1] = (unsigned long long)file;
  to[2] = (unsigned long long)function;
  to[3] = line;
  to[4] = blockIdx.x;
  to[5] = blockIdx.y;
  to[6] = blockIdx.z;
  to[7] = threadIdx.x;
  to[8] = threadIdx.y;
  to[9] = threadIdx.z;
  __trap();
}
#endif
