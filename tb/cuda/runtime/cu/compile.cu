// SPDX-License-Identifier: Apache-2.0
// Compiling at run time: kernels, templates and variables by their names, headers, options, what is
// said of errors, objects; wrong use.
#include <cuda.h>
#include <nvrtc.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>
#include "check.h"

#define RTC(code, ...)                                                                          \
  do {                                                                                          \
    const nvrtcResult got = (__VA_ARGS__);                                                      \
    if (got != (code) && failures++ < 40)                                                       \
      printf("%s:%d: %s gives %s\n", __FILE__, __LINE__, #__VA_ARGS__, nvrtcGetErrorString(got)); \
  } while (0)
#define DONE(...) RTC(NVRTC_SUCCESS, __VA_ARGS__)
#define CU(...) CHECK((__VA_ARGS__) == CUDA_SUCCESS)

static const char source[] = R"(
#include "some/folder/plus.h"
__constant__ int offset;
namespace inner {
template <class T, int n> __global__ void fill(T *v) {
  v[threadIdx.x] = plus((T)threadIdx.x * n, (T)offset) + FACTOR;
}
}
extern "C" __global__ void plain(int *v) { v[threadIdx.x] = -1; }
)";
static const char header[] = "template <class T> __device__ T plus(T a, T b) { return a + b; }\n";

static std::string log_of(nvrtcProgram p) {
  size_t bytes = 0;
  DONE(nvrtcGetProgramLogSize(p, &bytes));
  std::vector<char> log(bytes + 1);
  DONE(nvrtcGetProgramLog(p, log.data()));
  return log.data();
}

static void check_errors() {
  nvrtcProgram p;
  size_t bytes;
  const char *name;
  const char *wrong[] = {"--frobnicate"};
  DONE(nvrtcCreateProgram(&p, "__global__ void k(int *v) { *v = nothing; }\n", "some/k.cu", 0, nullptr, nullptr));
  RTC(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, nvrtcGetLoweredName(p, "k", &name));
  RTC(NVRTC_ERROR_INVALID_OPTION, nvrtcCompileProgram(p, 1, wrong));
  RTC(NVRTC_ERROR_COMPILATION, nvrtcCompileProgram(p, 0, nullptr));
  CHECK(log_of(p).find("k.cu:1:") != std::string::npos && log_of(p).find("nothing") != std::string::npos);
  RTC(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetPTXSize(p, &bytes));
  RTC(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, nvrtcAddNameExpression(p, "k"));
  DONE(nvrtcDestroyProgram(&p));
  RTC(NVRTC_ERROR_INVALID_PROGRAM, nvrtcDestroyProgram(&p));
  RTC(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(&p, nullptr, "k", 0, nullptr, nullptr));
  const char *text = "", *outside = "../k.h";
  RTC(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(&p, "", "k", 1, &text, &outside));
}

// Headers beside the source that the caller names.
static void check_folder() {
  char folder[] = P_tmpdir "/nvrtc_test.XXXXXX";
  CHECK(mkdtemp(folder) != nullptr);
  const std::string file = std::string(folder) + "/beside.h";
  FILE *f = fopen(file.c_str(), "w");
  CHECK(f && fputs("enum { BESIDE = 3 };\n", f) >= 0 && fclose(f) == 0);
  nvrtcProgram p;
  const char *text = "#include \"beside.h\"\n__global__ void k(int *v) { *v = BESIDE; }\n";
  DONE(nvrtcCreateProgram(&p, text, (std::string(folder) + "/k.cu").c_str(), 0, nullptr, nullptr));
  DONE(nvrtcCompileProgram(p, 0, nullptr));
  DONE(nvrtcDestroyProgram(&p));
  DONE(nvrtcCreateProgram(&p, text, "k.cu", 0, nullptr, nullptr));
  RTC(NVRTC_ERROR_COMPILATION, nvrtcCompileProgram(p, 0, nullptr));
  DONE(nvrtcDestroyProgram(&p));
  remove(file.c_str()), remove(folder);
}

int main() {
  check_folder();
  nvrtcProgram p;
  const char *headers[] = {header}, *names[] = {"some/folder/plus.h"};
  const char *options[] = {"--gpu-architecture=compute_70", "-D", "FACTOR=1000", "-std=c++14", "-lineinfo"};
  int major, minor;
  DONE(nvrtcVersion(&major, &minor));
  CHECK(major == 11);
  DONE(nvrtcCreateProgram(&p, source, "fill.cu", 1, headers, names));
  DONE(nvrtcAddNameExpression(p, "inner::fill<float, 3>"));
  DONE(nvrtcAddNameExpression(p, "&offset"));
  DONE(nvrtcCompileProgram(p, 5, options));
  if (failures)
    printf("%s\n", log_of(p).c_str());
  const char *fill = "", *offset = "";
  DONE(nvrtcGetLoweredName(p, "inner::fill<float, 3>", &fill));
  DONE(nvrtcGetLoweredName(p, "&offset", &offset));
  size_t bytes = 0, cubin_bytes = 0;
  DONE(nvrtcGetPTXSize(p, &bytes));
  DONE(nvrtcGetCUBINSize(p, &cubin_bytes));
  std::vector<char> ptx(bytes + 1), cubin(cubin_bytes);
  DONE(nvrtcGetPTX(p, ptx.data()));
  DONE(nvrtcGetCUBIN(p, cubin.data()));

  CUdevice device;
  CUcontext context;
  CU(cuInit(0));
  CU(cuDeviceGet(&device, 0));
  CU(cuCtxCreate(&context, 0, device));
  for (const void *image : {(const void *)ptx.data(), (const void *)cubin.data()}) {
    CUmodule m;
    CUfunction f, plain;
    CUdeviceptr d, c;
    float v[32];
    const int five = 5;
    CU(cuModuleLoadData(&m, image));
    CU(cuModuleGetFunction(&f, m, fill));
    CU(cuModuleGetFunction(&plain, m, "plain"));
    CU(cuModuleGetGlobal(&c, nullptr, m, offset));
    CU(cuMemcpyHtoD(c, &five, sizeof five));
    CU(cuMemAlloc(&d, sizeof v));
    void *args[] = {&d};
    CU(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr));
    CU(cuMemcpyDtoH(v, d, sizeof v));
    for (int k = 0; k < 32; k++)
      CHECK(v[k] == 3 * k + 5 + 1000);
  }
  DONE(nvrtcDestroyProgram(&p));
  check_errors();
  END;
}
