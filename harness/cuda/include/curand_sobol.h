// SPDX-License-Identifier: Apache-2.0
// Sobol's sequence in one dimension, by Gray codes (Antonov, Saleev). Its direction vectors come
// from curandGetDirectionVectors32. Included by curand_kernel.h.
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
#endif
