// SPDX-License-Identifier: Apache-2.0
// Distributions of numbers of any generator. Included by curand_kernel.h.
#ifndef NEARBANK_CURAND_DISTRIBUTIONS_H
#define NEARBANK_CURAND_DISTRIBUTIONS_H

// ---- uniform: 0 is left out, 1 is not

MPU_RANDOM float mpu_random_float(unsigned int x) {
  return (float)x * 2.3283064365386963e-10f + 1.1641532182693481e-10f;
}
MPU_RANDOM double mpu_random_double(unsigned int x, unsigned int y) {
  const unsigned long long all = ((unsigned long long)x << 32 | y) >> 11;
  return (double)all * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}

template <class S>
MPU_RANDOM float curand_uniform(S *s) {
  return mpu_random_float(curand(s));
}
template <class S>
MPU_RANDOM double curand_uniform_double(S *s) {
  const unsigned int x = curand(s);
  return mpu_random_double(x, curand(s));
}
MPU_RANDOM float curand_uniform(curandStateMRG32k3a *s) {
  return (float)(curand(s) * MPU_MRG_NORM);
}
MPU_RANDOM double curand_uniform_double(curandStateMRG32k3a *s) {
  return curand(s) * MPU_MRG_NORM;
}
MPU_RANDOM double curand_uniform_double(curandStateSobol32 *s) {
  return mpu_random_double(curand(s), 0x80000000u);
}
MPU_RANDOM float curand_uniform(curandStateSobol64 *s) {
  return mpu_random_float((unsigned int)(curand(s) >> 32));
}
MPU_RANDOM double curand_uniform_double(curandStateSobol64 *s) {
  const unsigned long long x = curand(s);
  return mpu_random_double((unsigned int)(x >> 32), (unsigned int)x);
}

// ---- normal: Box and Muller, two at a time

MPU_RANDOM float2 mpu_random_normals(float u, float v) {
  const float r = sqrtf(-2.0f * logf(u));
  float sine, cosine;
#ifdef __CUDA_ARCH__
  sincospif(2 * v, &sine, &cosine);
#else
  sine = sinf(6.2831853071795865f * v);
  cosine = cosf(6.2831853071795865f * v);
#endif
  return make_float2(r * sine, r * cosine);
}
MPU_RANDOM double2 mpu_random_normals(double u, double v) {
  const double r = sqrt(-2.0 * log(u));
  double sine, cosine;
#ifdef __CUDA_ARCH__
  sincospi(2 * v, &sine, &cosine);
#else
  sine = sin(6.283185307179586477 * v);
  cosine = cos(6.283185307179586477 * v);
#endif
  return make_double2(r * sine, r * cosine);
}

template <class S>
MPU_RANDOM float2 curand_normal2(S *s) {
  const float u = curand_uniform(s);
  return mpu_random_normals(u, curand_uniform(s));
}
template <class S>
MPU_RANDOM double2 curand_normal2_double(S *s) {
  const double u = curand_uniform_double(s);
  return mpu_random_normals(u, curand_uniform_double(s));
}
// The second of a pair waits in the state.
template <class S>
MPU_RANDOM float curand_normal(S *s) {
  if (s->flags & 1) {
    s->flags &= ~1u;
    return s->extra;
  }
  const float2 pair = curand_normal2(s);
  s->flags |= 1;
  s->extra = pair.y;
  return pair.x;
}
template <class S>
MPU_RANDOM double curand_normal_double(S *s) {
  if (s->flags & 2) {
    s->flags &= ~2u;
    return s->extra_double;
  }
  const double2 pair = curand_normal2_double(s);
  s->flags |= 2;
  s->extra_double = pair.y;
  return pair.x;
}

// By the inverse of the distribution: of a Sobol sequence, one number makes one.
MPU_RANDOM double mpu_random_polynomial(const double *factors, double x) {
  double sum = 0;
  for (int k = 7; k >= 0; k--)
    sum = sum * x + factors[k];
  return sum;
}
// Wichura's PPND16 (algorithm AS 241).
MPU_RANDOM double mpu_random_normal_of(double p) {
  const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                       1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                       3.3430575583588128105e+4, 2.5090809287301226727e+3};
  const double b[8] = {1.0,
                       4.2313330701600911252e+1,
                       6.8718700749205790830e+2,
                       5.3941960214247511077e+3,
                       2.1213794301586595867e+4,
                       3.9307895800092710610e+4,
                       2.8729085735721942674e+4,
                       5.2264952788528545610e+3};
  const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                       5.76949722146069140550e0,  3.64784832476320460504e0,
                       1.27045825245236838258e0,  2.41780725177450611770e-1,
                       2.27238449892691845833e-2, 7.74545014278341407640e-4};
  const double d[8] = {1.0,
                       2.05319162663775882187e0,
                       1.67638483018380384940e0,
                       6.89767334985100004550e-1,
                       1.48103976427480074590e-1,
                       1.51986665636164571966e-2,
                       5.47593808499534494600e-4,
                       1.05075007164441684324e-9};
  const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                       1.78482653991729133580e0,  2.96560571828504891230e-1,
                       2.65321895265761230930e-2, 1.24266094738807843860e-3,
                       2.71155556874348757815e-5, 2.01033439929228813265e-7};
  const double f[8] = {1.0,
                       5.99832206555887937690e-1,
                       1.36929880922735805310e-1,
                       1.48753612908506148525e-2,
                       7.86869131145613259100e-4,
                       1.84631831751005468180e-5,
                       1.42151175831644588870e-7,
                       2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * mpu_random_polynomial(a, r) / mpu_random_polynomial(b, r);
  }
  const double r = sqrt(-log(q < 0 ? p : 1 - p));
  const double v = r <= 5 ? mpu_random_polynomial(c, r - 1.6) / mpu_random_polynomial(d, r - 1.6)
                          : mpu_random_polynomial(e, r - 5) / mpu_random_polynomial(f, r - 5);
  return q < 0 ? -v : v;
}
MPU_RANDOM double curand_normal_double(curandStateSobol32 *s) {
  return mpu_random_normal_of(curand_uniform_double(s));
}
MPU_RANDOM float curand_normal(curandStateSobol32 *s) {
  return (float)curand_normal_double(s);
}
MPU_RANDOM double curand_normal_double(curandStateSobol64 *s) {
  return mpu_random_normal_of(curand_uniform_double(s));
}
MPU_RANDOM float curand_normal(curandStateSobol64 *s) {
  return (float)curand_normal_double(s);
}

template <class S>
MPU_RANDOM float curand_log_normal(S *s, float mean, float stddev) {
  return expf(mean + stddev * curand_normal(s));
}
template <class S>
MPU_RANDOM double curand_log_normal_double(S *s, double mean, double stddev) {
  return exp(mean + stddev * curand_normal_double(s));
}
template <class S>
MPU_RANDOM float2 curand_log_normal2(S *s, float mean, float stddev) {
  const float2 n = curand_normal2(s);
  return make_float2(expf(mean + stddev * n.x), expf(mean + stddev * n.y));
}
template <class S>
MPU_RANDOM double2 curand_log_normal2_double(S *s, double mean, double stddev) {
  const double2 n = curand_normal2_double(s);
  return make_double2(exp(mean + stddev * n.x), exp(mean + stddev * n.y));
}

// ---- Poisson: by the inverse where few steps lead to it; else Hoermann's PTRS (1993)

template <class S>
MPU_RANDOM unsigned int mpu_random_poisson_small(S *s, double lambda) {
  double u = curand_uniform_double(s), p = exp(-lambda);
  unsigned int k = 0;
  for (; u > p && k < 1000; k++) {
    u -= p;
    p *= lambda / (k + 1);
  }
  return k;
}
template <class S>
MPU_RANDOM unsigned int mpu_random_poisson_large(S *s, double lambda) {
  const double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
  const double inverse = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = curand_uniform_double(s) - 0.5, v = curand_uniform_double(s);
    const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + lambda + 0.43);
    if (us >= 0.07 && v <= v_r)
      return (unsigned int)k;
    if (k < 0 || us <= 0 || (us < 0.013 && v > us))
      continue;
    if (log(v * inverse / (a / (us * us) + b)) <= k * log(lambda) - lambda - lgamma(k + 1))
      return (unsigned int)k;
  }
}
template <class S>
MPU_RANDOM unsigned int curand_poisson(S *s, double lambda) {
  return lambda < 32 ? mpu_random_poisson_small(s, lambda) : mpu_random_poisson_large(s, lambda);
}

// ---- four at a time, of Philox

MPU_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10 *s) {
  const uint4 v = curand4(s);
  return make_float4(mpu_random_float(v.x), mpu_random_float(v.y), mpu_random_float(v.z),
                     mpu_random_float(v.w));
}
MPU_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10 *s) {
  const uint4 v = curand4(s);
  return make_double2(mpu_random_double(v.x, v.y), mpu_random_double(v.z, v.w));
}
MPU_RANDOM double4 curand_uniform4_double(curandStatePhilox4_32_10 *s) {
  const double2 a = curand_uniform2_double(s), b = curand_uniform2_double(s);
  return make_double4(a.x, a.y, b.x, b.y);
}
MPU_RANDOM float4 curand_normal4(curandStatePhilox4_32_10 *s) {
  const float4 u = curand_uniform4(s);
  const float2 a = mpu_random_normals(u.x, u.y), b = mpu_random_normals(u.z, u.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
MPU_RANDOM double4 curand_normal4_double(curandStatePhilox4_32_10 *s) {
  const double4 u = curand_uniform4_double(s);
  const double2 a = mpu_random_normals(u.x, u.y), b = mpu_random_normals(u.z, u.w);
  return make_double4(a.x, a.y, b.x, b.y);
}
MPU_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10 *s, float mean, float stddev) {
  const float4 n = curand_normal4(s);
  return make_float4(expf(mean + stddev * n.x), expf(mean + stddev * n.y),
                     expf(mean + stddev * n.z), expf(mean + stddev * n.w));
}
MPU_RANDOM double4 curand_log_normal4_double(curandStatePhilox4_32_10 *s, double mean,
                                             double stddev) {
  const double4 n = curand_normal4_double(s);
  return make_double4(exp(mean + stddev * n.x), exp(mean + stddev * n.y), exp(mean + stddev * n.z),
                      exp(mean + stddev * n.w));
}
MPU_RANDOM uint4 curand_poisson4(curandStatePhilox4_32_10 *s, double lambda) {
  uint4 v;
  v.x = curand_poisson(s, lambda);
  v.y = curand_poisson(s, lambda);
  v.z = curand_poisson(s, lambda);
  v.w = curand_poisson(s, lambda);
  return v;
}
#endif
