// SPDX-License-Identifier: Apache-2.0
// Links while a program runs: PTX of the runtime compiler, PTX as text from a file; what is said of
// names that are missing; wrong use.
#include <cuda.h>
#include <nvrtc.h>
#include <string.h>
#include <string>
#include "check.h"

#define CU(code, ...) CHECK((__VA_ARGS__) == (code))
#define DONE(...) CU(CUDA_SUCCESS, __VA_ARGS__)
#define RTC(...) CHECK((__VA_ARGS__) == NVRTC_SUCCESS)

static const char kernel[] = R"(
extern __device__ int plus(int x);
extern __device__ int count;
__device__ int by = 3;
extern "C" __global__ void k(int *v) {
  v[threadIdx.x] = plus(threadIdx.x);
  atomicAdd(&count, 1);
}
)";
static const char plus[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".extern .global .align 4 .u32 by;\n"
                           ".visible .global .align 4 .u32 count = 100;\n"
                           ".visible .func (.param .b32 r) _Z4plusi(.param .b32 x) {\n"
                           ".reg .b32 %r<4>;\n"
                           "ld.param.u32 %r1, [x];\nld.global.u32 %r2, [by];\n"
                           "add.s32 %r3, %r1, %r2;\nst.param.b32 [r], %r3;\nret;\n}\n";

static std::string compiled() {
  nvrtcProgram p;
  const char *options[] = {"--relocatable-device-code=true"};
  size_t bytes = 0;
  RTC(nvrtcCreateProgram(&p, kernel, "kernel.cu", 0, nullptr, nullptr));
  RTC(nvrtcCompileProgram(p, 1, options));
  RTC(nvrtcGetPTXSize(p, &bytes));
  std::string ptx(bytes, 0);
  RTC(nvrtcGetPTX(p, &ptx[0]));
  RTC(nvrtcDestroyProgram(&p));
  return ptx;
}

static void run(const void *object) {
  CUmodule m;
  CUfunction f;
  CUdeviceptr d, count;
  int v[32], n = 0;
  DONE(cuModuleLoadData(&m, object));
  DONE(cuModuleGetFunction(&f, m, "k"));
  DONE(cuModuleGetGlobal(&count, nullptr, m, "count"));
  DONE(cuMemAlloc(&d, sizeof v));
  void *args[] = {&d};
  DONE(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr));
  DONE(cuMemcpyDtoH(v, d, sizeof v));
  DONE(cuMemcpyDtoH(&n, count, sizeof n));
  for (int i = 0; i < 32; i++)
    CHECK(v[i] == i + 3);
  CHECK(n == 132);
}

static void check_missing(std::string ptx) {
  CUlinkState s;
  char log[200] = "";
  void *object;
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  DONE(cuLinkCreate(2, names, values, &s));
  CU(CUDA_ERROR_INVALID_PTX, cuLinkComplete(s, &object, nullptr));
  CHECK(strstr(log, "nothing to link"));
  DONE(cuLinkAddData(s, CU_JIT_INPUT_PTX, &ptx[0], ptx.size(), "kernel", 0, nullptr, nullptr));
  CU(CUDA_ERROR_INVALID_PTX, cuLinkComplete(s, &object, nullptr));
  CHECK(strstr(log, "undefined reference to '_Z4plusi' in 'kernel'"));
  CU(CUDA_ERROR_INVALID_IMAGE, cuLinkAddData(s, CU_JIT_INPUT_OBJECT, &ptx[0], ptx.size(), "x", 0, nullptr, nullptr));
  CU(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile(s, CU_JIT_INPUT_PTX, "/nothing", 0, nullptr, nullptr));
  CU(CUDA_ERROR_INVALID_VALUE, cuLinkAddData(s, CU_JIT_INPUT_PTX, nullptr, 1, "x", 0, nullptr, nullptr));
  DONE(cuLinkDestroy(s));
}

int main() {
  CUdevice device;
  CUcontext context;
  CUlinkState s;
  CU(CUDA_ERROR_NOT_INITIALIZED, cuLinkCreate(0, nullptr, nullptr, &s));
  DONE(cuInit(0));
  DONE(cuDeviceGet(&device, 0));
  DONE(cuCtxCreate(&context, 0, device));
  std::string ptx = compiled();
  char file[40] = "";
  FILE *f = tmpfile();
  CHECK(f && fputs(plus, f) >= 0 && !fflush(f));
  snprintf(file, sizeof file, "/proc/self/fd/%d", fileno(f));
  void *object = nullptr;
  size_t bytes = 0;
  DONE(cuLinkCreate(0, nullptr, nullptr, &s));
  DONE(cuLinkAddData(s, CU_JIT_INPUT_PTX, &ptx[0], ptx.size(), "kernel", 0, nullptr, nullptr));
  DONE(cuLinkAddFile(s, CU_JIT_INPUT_PTX, file, 0, nullptr, nullptr));
  DONE(cuLinkComplete(s, &object, &bytes));
  CHECK(object && bytes > 100);
  std::string copy((char *)object, bytes);
  DONE(cuLinkDestroy(s));
  run(copy.data());
  check_missing(ptx);
  END;
}
