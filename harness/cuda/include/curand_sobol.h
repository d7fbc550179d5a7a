// SPDX-License-Identifier: Apache-2.0
// Sobol's sequence in one dimension, by Gray codes (Antonov, Saleev). Its direction vectors come
// from curandGetDirectionVectors32 and 64. Included by curand_kernel.h.
#ifndef NEARBANK_CURAND_SOBOL_H
#define NEARBANK_CURAND_SOBOL_H

template <class T>
struct mpu_sobol {
  T i, x, direction_vectors[8 * sizeof(T)];
};
struct curandStateSobol32 : mpu_sobol<unsigned int> {};
struct curandStateSobol64 : mpu_sobol<unsigned long long> {};
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;

// Element i of the sequence.
template <class T>
MPU_RANDOM T mpu_sobol_at(const T *directions, T i) {
  T x = 0;
  for (T gray = i ^ (i >> 1); gray; gray >>= 1, directions++)
    x ^= gray & 1 ? *directions : 0;
  return x;
}

template <class T>
MPU_RANDOM T curand(mpu_sobol<T> *s) {
  const T x = s->x;
  unsigned int k = 0;
  while (k < 8 * sizeof(T) - 1 && (s->i >> k & 1))
    k++;
  s->x ^= s->direction_vectors[k];
  s->i++;
  return x;
}

template <class T>
MPU_RANDOM void skipahead(decltype(mpu_sobol<T>::i) n, mpu_sobol<T> *s) {
  s->i += n;
  s->x = mpu_sobol_at(s->direction_vectors, s->i);
}

template <class T>
MPU_RANDOM void curand_init(const T *directions, decltype(mpu_sobol<T>::i) offset,
                            mpu_sobol<T> *s) {
  for (unsigned int k = 0; k < 8 * sizeof(T); k++)
    s->direction_vectors[k] = directions[k];
  s->i = 0;
  skipahead(offset, s);
}
#endif
