// SPDX-License-Identifier: Apache-2.0
// What programs of the ISPASS 2009 suite use of a helper library that came with toolkits of that
// time: checks of calls, host timers, words of the command line.
#ifndef CATALOGUE_CUTIL_H
#define CATALOGUE_CUTIL_H
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int CUTBoolean;
#define CUTTrue 1
#define CUTFalse 0

static inline void cut_check(cudaError_t e, const char *what, const char *file, int line) {
  if (e != cudaSuccess) {
    fprintf(stderr, "%s:%d: error: %s: %s\n", file, line, what, cudaGetErrorString(e));
    exit(1);
  }
}
#define CUDA_SAFE_CALL_NO_SYNC(call) cut_check(call, #call, __FILE__, __LINE__)
#define CUDA_SAFE_CALL(call) \
  (CUDA_SAFE_CALL_NO_SYNC(call), cut_check(cudaThreadSynchronize(), #call, __FILE__, __LINE__))
#define CUT_CHECK_ERROR(text)                               \
  (cut_check(cudaGetLastError(), text, __FILE__, __LINE__), \
   cut_check(cudaThreadSynchronize(), text, __FILE__, __LINE__))
#define CUT_SAFE_CALL(call) \
  ((call) ? (void)0 : (fprintf(stderr, "%s:%d: error: %s\n", __FILE__, __LINE__, #call), exit(1)))
#define CUT_SAFE_MALLOC(call) CUT_SAFE_CALL(call)
#define CUT_DEVICE_INIT(...) cut_check(cudaSetDevice(0), "cudaSetDevice", __FILE__, __LINE__)
#define CUT_EXIT(...) exit(0)
#define CUT_BANK_CHECKER(array, index) ((array)[index])

enum { CUT_TIMERS = 256 };
static struct {
  double begun, sum;
  int rounds;
} cut_timer[CUT_TIMERS];
static unsigned cut_timers;

static inline double cut_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}
static inline CUTBoolean cutCreateTimer(unsigned *timer) {
  *timer = cut_timers++ % CUT_TIMERS;
  cut_timer[*timer].sum = 0, cut_timer[*timer].rounds = 0;
  return CUTTrue;
}
static inline CUTBoolean cutDeleteTimer(unsigned) {
  return CUTTrue;
}
static inline CUTBoolean cutStartTimer(unsigned t) {
  cut_timer[t].begun = cut_now();
  return CUTTrue;
}
static inline CUTBoolean cutStopTimer(unsigned t) {
  cut_timer[t].sum += cut_now() - cut_timer[t].begun;
  cut_timer[t].rounds++;
  return CUTTrue;
}
static inline CUTBoolean cutResetTimer(unsigned t) {
  cut_timer[t].sum = 0, cut_timer[t].rounds = 0, cut_timer[t].begun = cut_now();
  return CUTTrue;
}
static inline float cutGetTimerValue(unsigned t) {
  return (float)cut_timer[t].sum;
}
static inline float cutGetAverageTimerValue(unsigned t) {
  return cut_timer[t].rounds ? (float)(cut_timer[t].sum / cut_timer[t].rounds) : 0.0f;
}

// --NAME and --NAME=VALUE
static inline const char *cut_word(int argc, const char **argv, const char *name) {
  const size_t n = strlen(name);
  for (int k = 1; k < argc; k++) {
    const char *word = argv[k] + strspn(argv[k], "-");
    if (word != argv[k] && strncmp(word, name, n) == 0 && (!word[n] || word[n] == '='))
      return word + n;
  }
  return NULL;
}
static inline CUTBoolean cutCheckCmdLineFlag(int argc, const char **argv, const char *name) {
  return cut_word(argc, argv, name) != NULL;
}
static inline CUTBoolean cutGetCmdLineArgumenti(int argc, const char **argv, const char *name,
                                                int *value) {
  const char *text = cut_word(argc, argv, name);
  if (!text || *text != '=')
    return CUTFalse;
  *value = atoi(text + 1);
  return CUTTrue;
}
static inline CUTBoolean cutCompareub(const unsigned char *a, const unsigned char *b, unsigned n) {
  return memcmp(a, b, n) == 0;
}
#endif
