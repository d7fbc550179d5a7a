// SPDX-License-Identifier: Apache-2.0
// cuFFT beside FFTW: lengths of all radices, primes, both ways of working (in shared memory and in
// device memory), one to three dimensions, batches, strides, in place and not, all six types.
#include <cufftXt.h>
#include <fftw3.h>

#include "both.h"

static void *library_of_float, *library_of_double;

// FFTW in either precision, by the same names.
struct of_float {
  typedef cufftReal real;
  typedef cufftComplex complex;
  typedef fftwf_complex host;
  static constexpr cufftType c2c = CUFFT_C2C, r2c = CUFFT_R2C, c2r = CUFFT_C2R;
};
struct of_double {
  typedef cufftDoubleReal real;
  typedef cufftDoubleComplex complex;
  typedef fftw_complex host;
  static constexpr cufftType c2c = CUFFT_Z2Z, r2c = CUFFT_D2Z, c2r = CUFFT_Z2D;
};

#define RUN(P, many, ...)                           \
  {                                                 \
    auto plan = HOST(P##_plan_##many)(__VA_ARGS__); \
    HOST(P##_execute)(plan);                        \
    HOST(P##_destroy_plan)(plan);                   \
  }
#define FUNCTIONS(K, P, C2C, R2C, C2R, lib)                                                      \
  static void host_c2c(K, int rank, const int *n, int batch, K::complex *in, const int *inembed, \
                       int istride, int idist, K::complex *out, const int *onembed, int ostride, \
                       int odist, int sign) {                                                    \
    library = lib;                                                                               \
    RUN(P, many_dft, rank, n, batch, (K::host *)in, inembed, istride, idist, (K::host *)out,     \
        onembed, ostride, odist, sign, FFTW_ESTIMATE)                                            \
  }                                                                                              \
  static void host_r2c(K, int rank, const int *n, int batch, K::real *in, const int *inembed,    \
                       int idist, K::complex *out, int odist) {                                  \
    library = lib;                                                                               \
    RUN(P, many_dft_r2c, rank, n, batch, in, inembed, 1, idist, (K::host *)out, NULL, 1, odist,  \
        FFTW_ESTIMATE)                                                                           \
  }                                                                                              \
  static void host_c2r(K, int rank, const int *n, int batch, K::complex *in, int idist,          \
                       K::real *out, const int *onembed, int odist) {                            \
    library = lib;                                                                               \
    RUN(P, many_dft_c2r, rank, n, batch, (K::host *)in, NULL, 1, idist, out, onembed, 1, odist,  \
        FFTW_ESTIMATE)                                                                           \
  }                                                                                              \
  static int run(K, cufftHandle p, K::complex *in, K::complex *out, int sign) {                  \
    return cufftExec##C2C(p, in, out, sign);                                                     \
  }                                                                                              \
  static int run(K, cufftHandle p, K::real *in, K::complex *out) {                               \
    return cufftExec##R2C(p, in, out);                                                           \
  }                                                                                              \
  static int run(K, cufftHandle p, K::complex *in, K::real *out) {                               \
    return cufftExec##C2R(p, in, out);                                                           \
  }
FUNCTIONS(of_float, fftwf, C2C, R2C, C2R, library_of_float)
FUNCTIONS(of_double, fftw, Z2Z, D2Z, Z2D, library_of_double)

static size_t product(int rank, const int *n) {
  size_t all = 1;
  for (int k = 0; k < rank; k++)
    all *= (size_t)n[k];
  return all;
}

// Rounding grows with the logarithm of the length; the convolution of odd lengths has two more.
static const double terms = 12;

template <class K>
static void complex_case(const char *what, int rank, int *n, int batch) {
  typedef typename K::complex complex;
  const size_t each = product(rank, n), all = each * (size_t)batch;
  both<complex> a(all), b(all);
  cufftHandle p;
  int status = cufftPlanMany(&p, rank, n, NULL, 1, 0, NULL, 1, 0, K::c2c, batch);
  for (int sign : {CUFFT_FORWARD, CUFFT_INVERSE}) {
    host_c2c(K(), rank, n, batch, a.host.data(), NULL, 1, (int)each, b.host.data(), NULL, 1,
             (int)each, sign);
    status += run(K(), p, a.device, b.device, sign);
    b.same(what, status, terms);
    a.same(what, status, 0);  // the input is as it was
  }
  a.host = b.host;
  status += run(K(), p, a.device, a.device, CUFFT_INVERSE);
  a.same(what, status, terms);
  cufftDestroy(p);
}

template <class K>
static void real_case(const char *what, int rank, int *n, int batch) {
  typedef typename K::complex complex;
  typedef typename K::real real;
  const int last = n[rank - 1], half = last / 2 + 1;
  const size_t rows = product(rank - 1, n), each = rows * (size_t)last, freqs = rows * (size_t)half;
  both<real> a(each * (size_t)batch);
  both<complex> b(freqs * (size_t)batch);
  cufftHandle there, back;
  int status = cufftPlanMany(&there, rank, n, NULL, 1, 0, NULL, 1, 0, K::r2c, batch);
  status += cufftPlanMany(&back, rank, n, NULL, 1, 0, NULL, 1, 0, K::c2r, batch);
  host_r2c(K(), rank, n, batch, a.host.data(), NULL, (int)each, b.host.data(), (int)freqs);
  status += run(K(), there, a.device, b.device);
  b.same(what, status, terms);
  if (rank == 1) {  // what a real array cannot have does not count
    b.host[0].y = 0.5f;
    b.send();
  }
  // FFTW may overwrite the input of c2r
  std::vector<complex> kept = b.host;
  host_c2r(K(), rank, n, batch, b.host.data(), (int)freqs, a.host.data(), NULL, (int)each);
  b.host = kept;
  status += run(K(), back, b.device, a.device);
  a.same(what, status, terms);
  b.same(what, status, terms);
  // in place: rows have room for their frequencies
  both<real> c(2 * freqs * (size_t)batch);
  std::vector<int> padded(n, n + rank);
  padded[(size_t)rank - 1] = 2 * half;
  host_r2c(K(), rank, n, batch, c.host.data(), padded.data(), (int)(2 * freqs),
           (complex *)c.host.data(), (int)freqs);
  status += run(K(), there, c.device, (complex *)c.device);
  c.same(what, status, terms);
  cufftDestroy(there);
  cufftDestroy(back);
}

// Columns of a matrix with gaps, and every second of the output.
template <class K>
static void strided_case(int n, int batch) {
  typedef typename K::complex complex;
  int length[1] = {n}, embed[1] = {n};
  const int pitch = batch + 2;
  both<complex> a((size_t)(n * pitch)), b((size_t)(2 * n * batch));
  cufftHandle p;
  int status = cufftPlanMany(&p, 1, length, embed, pitch, 1, embed, 2, 2 * n, K::c2c, batch);
  host_c2c(K(), 1, length, batch, a.host.data(), embed, pitch, 1, b.host.data(), embed, 2, 2 * n,
           CUFFT_FORWARD);
  status += run(K(), p, a.device, b.device, CUFFT_FORWARD);
  b.same("strides", status, terms);
  cufftDestroy(p);
}

template <class K>
static void all(void) {
  const bool more = getenv("MPU_LONG") != NULL;
  for (int n :
       {1, 2, 3, 4, 5, 7, 8, 30, 49, 64, 97, 210, 1000, 1024, 2048, 2187, 2310, 4096, 5003}) {
    char what[32];
    snprintf(what, sizeof what, "length %d", n);
    if (n > 2100 && !more && n != 2187 && n != 5003)
      continue;
    complex_case<K>(what, 1, &n, n < 100 ? 9 : 2);
    real_case<K>(what, 1, &n, n < 100 ? 9 : 2);
  }
  int shapes[][3] = {{12, 10, 1}, {7, 33, 1}, {4, 6, 8}, {5, 11, 3}};
  for (int k = 0; k < 4; k++) {
    complex_case<K>("dimensions", k < 2 ? 2 : 3, shapes[k], 3);
    real_case<K>("dimensions", k < 2 ? 2 : 3, shapes[k], 3);
  }
  strided_case<K>(24, 5);
  strided_case<K>(3000, 3);
}

// Plans by kinds of numbers do what those by types do, bit by bit.
template <class T>
static void same_plan(cudaDataType in, cudaDataType out, cudaDataType execution, cufftType type) {
  int n[] = {6, 10}, status = 0;
  long long wide[] = {6, 10};
  size_t bytes = 0;
  both<T> a(60), b(70), c(70);
  c.host = b.host;
  c.send();
  cufftHandle p, q;
  status += cufftPlanMany(&p, 2, n, NULL, 1, 0, NULL, 1, 0, type, 1) + cufftCreate(&q);
  status += cufftXtMakePlanMany(q, 2, wide, NULL, 1, 0, in, NULL, 1, 0, out, 1, &bytes, execution);
  status += cufftXtExec(p, a.device, b.device, CUFFT_INVERSE) + cufftXtExec(q, a.device, c.device, CUFFT_INVERSE);
  std::vector<T> got(70);
  cudaMemcpy(got.data(), b.device, 70 * sizeof(T), cudaMemcpyDeviceToHost);
  const bool written = memcmp(got.data(), b.host.data(), 70 * sizeof(T)) != 0;
  c.host = got;
  c.same("a plan by kinds", status + !written, -4);
  cufftDestroy(p);
  cufftDestroy(q);
}
static void plans_by_kinds(void) {
  same_plan<float2>(CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C);
  same_plan<float2>(CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C);
  same_plan<float2>(CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R);
  same_plan<double2>(CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z);
  same_plan<double2>(CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z);
  same_plan<double2>(CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D);
  cufftHandle p;
  long long n = 8;
  size_t bytes;
  if (cufftCreate(&p) || cufftXtMakePlanMany(p, 1, &n, NULL, 1, 0, CUDA_C_16F, NULL, 1, 0, CUDA_C_16F, 1, &bytes,
                                             CUDA_C_16F) != CUFFT_NOT_SUPPORTED) {
    printf("FAILED: half precision is not refused\n");
    failed = 1;
  }
}

int main(void) {
  library_of_float = dlopen("libfftw3f.so.3", RTLD_NOW);
  library_of_double = dlopen("libfftw3.so.3", RTLD_NOW);
  if (!library_of_float || !library_of_double) {
    printf("SKIPPED: no FFTW (Debian: libfftw3-dev)\n");
    return 0;
  }
  all<of_float>();
  all<of_double>();
  plans_by_kinds();
  printf("%d results compared\n", checked);
  return failed;
}
