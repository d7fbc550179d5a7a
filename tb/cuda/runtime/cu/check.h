// SPDX-License-Identifier: Apache-2.0
// CHECK(condition): counts and prints what does not hold. GIVES(code, call): the call returns that
// error; the record of the last error is cleared. END returns from main.
#ifndef NEARBANK_CHECK_H
#define NEARBANK_CHECK_H
#include <stdio.h>
static int failures;

static inline void check(bool ok, const char *file, int line, const char *what) {
  if (!ok && failures++ < 40)
    printf("%s:%d: %s\n", file, line, what);
}
static inline void check_gives(cudaError_t want, cudaError_t got, const char *file, int line,
                               const char *what) {
  cudaGetLastError();
  if (want != got && failures++ < 40)
    printf("%s:%d: %s gives %s, not %s\n", file, line, what, cudaGetErrorName(got),
           cudaGetErrorName(want));
}
#define CHECK(...) check((__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__)
#define GIVES(code, ...) check_gives((code), (__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__)
#define OK(...) GIVES(cudaSuccess, __VA_ARGS__)
#define END return printf("%d failures\n", failures), failures != 0
#endif
