// SPDX-License-Identifier: Apache-2.0
// Sobol's sequence in one dimension, by Gray codes (Antonov, Saleev). Its direction vectors come
// from curandGetDirectionVectors32 and 64. Included by curand_kernel.h.
#ifndef NEARBANK_CURAND_SOBOL_H
#define NEARBANK_CURAND_SOBOL_H

struct curandStateSobol32 {
  unsigned int i, x;
  unsigned int direction_vectors[32];
};
typedef struct curandStateSobol32 curandStateSobol32_t;

// Element i of the sequence.
MPU_RANDOM unsigned int mpu_sobol_at(const unsigned int *directions, unsigned int i) {
  unsigned int x = 0;
  for (unsigned int gray = i ^ (i >> 1), k = 0; gray; gray >>= 1, k++)
    x ^= gray & 1 ? directions[k] : 0;
  return x;
}

MPU_RANDOM unsigned int curand(curandStateSobol32 *s) {
  const unsigned int x = s->x;
  unsigned int k = 0;
  while (k < 31 && (s->i >> k & 1))
    k++;
  s->x ^= s->direction_vectors[k];
  s->i++;
  return x;
}

MPU_RANDOM void skipahead(unsigned int n, curandStateSobol32 *s) {
  s->i += n;
  s->x = mpu_sobol_at(s->direction_vectors, s->i);
}

MPU_RANDOM void curand_init(const unsigned int *directions, unsigned int offset,
                            curandStateSobol32 *s) {
  for (int k = 0; k < 32; k++)
    s->direction_vectors[k] = directions[k];
  s->i = 0;
  skipahead(offset, s);
}

// ---- of 64 bits

struct curandStateSobol64 {
  unsigned long long i, x;
  unsigned long long direction_vectors[64];
};
typedef struct curandStateSobol64 curandStateSobol64_t;

MPU_RANDOM unsigned long long curand(curandStateSobol64 *s) {
  const unsigned long long x = s->x;
  unsigned int k = 0;
  while (k < 63 && (s->i >> k & 1))
    k++;
  s->x ^= s->direction_vectors[k];
  s->i++;
  return x;
}

MPU_RANDOM void skipahead(unsigned long long n, curandStateSobol64 *s) {
  s->i += n;
  s->x = 0;
  for (unsigned long long gray = s->i ^ (s->i >> 1), k = 0; gray; gray >>= 1, k++)
    s->x ^= gray & 1 ? s->direction_vectors[k] : 0;
}

MPU_RANDOM void curand_init(const unsigned long long *directions, unsigned long long offset,
                            curandStateSobol64 *s) {
  for (int k = 0; k < 64; k++)
    s->direction_vectors[k] = directions[k];
  s->i = 0;
  skipahead(offset, s);
}
#endif
