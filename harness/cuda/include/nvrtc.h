// SPDX-License-Identifier: Apache-2.0
// CUDA source to PTX while a program runs (docs/cuda.md, "Compiling at run time").
#ifndef NEARBANK_NVRTC_H
#define NEARBANK_NVRTC_H
#include <stddef.h>

typedef struct _nvrtcProgram *nvrtcProgram;

// X(name, number)
#define NVRTC_RESULTS(X)                                  \
  X(NVRTC_SUCCESS, 0)                                     \
  X(NVRTC_ERROR_OUT_OF_MEMORY, 1)                         \
  X(NVRTC_ERROR_PROGRAM_CREATION_FAILURE, 2)              \
  X(NVRTC_ERROR_INVALID_INPUT, 3)                         \
  X(NVRTC_ERROR_INVALID_PROGRAM, 4)                       \
  X(NVRTC_ERROR_INVALID_OPTION, 5)                        \
  X(NVRTC_ERROR_COMPILATION, 6)                           \
  X(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7)             \
  X(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, 8) \
  X(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, 9)   \
  X(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, 10)            \
  X(NVRTC_ERROR_INTERNAL_ERROR, 11)
typedef enum {
#define X(name, number) name = number,
  NVRTC_RESULTS(X)
#undef X
} nvrtcResult;

#ifdef __cplusplus
extern "C" {
#endif
const char *nvrtcGetErrorString(nvrtcResult r);
nvrtcResult nvrtcVersion(int *major, int *minor);
nvrtcResult nvrtcGetNumSupportedArchs(int *n);
nvrtcResult nvrtcGetSupportedArchs(int *archs);
nvrtcResult nvrtcCreateProgram(nvrtcProgram *p, const char *source, const char *name, int n,
                               const char *const *headers, const char *const *names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *p);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression);
nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **name);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *bytes);  // with the zero at its end
nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *bytes);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log);
#ifdef __cplusplus
}
#endif
#endif
