// SPDX-License-Identifier: Apache-2.0
// The driver API: modules from PTX, in memory and from a file, with variables of each kind, launches
// with both forms of arguments, what is asked of functions, memory, events, contexts; wrong use.
#include <cuda.h>
#include <string.h>
#include "check.h"

#define CU(code, ...)                                                                          \
  do {                                                                                         \
    const CUresult got = (__VA_ARGS__);                                                        \
    if (got != (code) && failures++ < 40)                                                      \
      printf("%s:%d: %s gives %d, not %s\n", __FILE__, __LINE__, #__VA_ARGS__, got, #code);    \
  } while (0)
#define DONE(...) CU(CUDA_SUCCESS, __VA_ARGS__)

static const char ptx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .const .align 4 .u32 factor;
.visible .global .align 4 .u32 count = 5;
.visible .entry scale(.param .u64 to, .param .u32 n, .param .u8 step)
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [n];
  ld.param.u8 %r7, [step];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r6, [%rd4];
  ld.const.u32 %r8, [factor];
  mad.lo.u32 %r6, %r6, %r8, %r7;
  st.global.u32 [%rd4], %r6;
  atom.global.add.u32 %r6, [count], 1;
DONE:
  ret;
}
)";

static CUmodule module_of_ptx() {
  CUmodule m = nullptr;
  DONE(cuModuleLoadData(&m, ptx));
  return m;
}

static void check_launches(CUmodule m) {
  enum { N = 1000 };
  static unsigned v[N];
  CUfunction f, again;
  CUdeviceptr d, factor, count;
  size_t bytes;
  DONE(cuModuleGetFunction(&f, m, "scale"));
  DONE(cuModuleGetFunction(&again, m, "scale"));
  CHECK(f == again);
  DONE(cuModuleGetGlobal(&factor, &bytes, m, "factor"));
  CHECK(bytes == 4);
  DONE(cuModuleGetGlobal(&count, nullptr, m, "count"));
  const unsigned three = 3;
  DONE(cuMemcpyHtoD(factor, &three, sizeof three));
  DONE(cuMemAlloc(&d, sizeof v));
  for (unsigned k = 0; k < N; k++)
    v[k] = k;
  DONE(cuMemcpyHtoD(d, v, sizeof v));
  unsigned n = N;
  unsigned char step = 7;
  void *args[] = {&d, &n, &step};
  DONE(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, nullptr, args, nullptr));
  struct {
    CUdeviceptr to;
    unsigned n;
    unsigned char step;
  } buffer = {d, N / 2, 1};
  size_t size = sizeof buffer;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  DONE(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
  DONE(cuCtxSynchronize());
  DONE(cuMemcpyDtoH(v, d, sizeof v));
  for (unsigned k = 0; k < N; k++)
    CHECK(v[k] == (k < N / 2 ? 3 * (3 * k + 7) + 1 : 3 * k + 7));
  unsigned counted;
  DONE(cuMemcpyDtoH(&counted, count, sizeof counted));
  CHECK(counted == 5 + N + N / 2);
  size = 12;  // the last argument is beyond it
  CU(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  CU(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, args, extra));
  CU(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  CU(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel((CUfunction)&n, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
  CU(CUDA_ERROR_INVALID_CONFIGURATION, cuLaunchKernel(f, 1, 1, 1, 4096, 1, 1, 0, nullptr, args, nullptr));
  int value;
  DONE(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  CHECK(value == 1024);
  DONE(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, f));
  CHECK(value == 4);
  DONE(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 128, 0));
  int grid, block;
  DONE(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, nullptr, 0, 0));
  DONE(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, block, 0));
  CHECK(block >= 32 && grid % value == 0 && grid > 0);
  DONE(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, nullptr, 0, 100));
  CHECK(block > 0 && block <= 96);
  CHECK(cuOccupancyMaxPotentialBlockSize(nullptr, &block, f, nullptr, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(value > 0);
  CU(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&f, m, "scales"));
  CU(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&d, nullptr, m, "scale"));
  CU(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&f, (CUmodule)&n, "scale"));
}

static void check_modules() {
  CUmodule m, other;
  char log[400] = "";
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  CU(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&m, ".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { frob.u32 %r1; }\n", 2, names, values));
  CHECK(strstr(log, "frob"));
  char file[40] = "";
  FILE *f = tmpfile();
  CHECK(f && fputs(ptx, f) >= 0 && !fflush(f));
  snprintf(file, sizeof file, "/proc/self/fd/%d", fileno(f));
  DONE(cuModuleLoad(&m, file));
  fclose(f);
  CU(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&other, file));
  // each module has variables of its own
  other = module_of_ptx();
  CUdeviceptr a, b;
  unsigned one = 1, read;
  DONE(cuModuleGetGlobal(&a, nullptr, m, "count"));
  DONE(cuModuleGetGlobal(&b, nullptr, other, "count"));
  CHECK(a != b);
  DONE(cuMemcpyHtoD(a, &one, sizeof one));
  DONE(cuMemcpyDtoH(&read, b, sizeof read));
  CHECK(read == 5);
  DONE(cuModuleUnload(m));
}

static void check_memory() {
  CUdeviceptr d, base;
  size_t bytes, pitch;
  unsigned v[8];
  DONE(cuMemAlloc(&d, 256));
  DONE(cuMemsetD32(d, 0x01020304, 4));
  DONE(cuMemsetD16(d + 16, 0x0506, 4));
  DONE(cuMemsetD8(d + 24, 7, 8));
  DONE(cuMemcpyDtoD(d + 128, d, 32));
  DONE(cuMemcpyDtoH(v, d + 128, 32));
  CHECK(v[0] == 0x01020304 && v[3] == 0x01020304 && v[4] == 0x05060506 && v[6] == 0x07070707);
  DONE(cuMemGetAddressRange(&base, &bytes, d + 100));
  CHECK(base == d && bytes == 256);
  CU(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(d + 2, 0, 1));
  CU(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(d + 250, v, 32));
  CU(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&base, 0));
  DONE(cuMemFree(d));
  DONE(cuMemAllocPitch(&d, &pitch, 100, 3, 4));
  CHECK(pitch >= 100);
  void *h;
  DONE(cuMemAllocHost(&h, 64));
  DONE(cuMemFreeHost(h));
}

int main() {
  CUdevice device;
  CUcontext context, current;
  int n, major, minor;
  char name[64] = "";
  const char *text;
  CU(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&n));
  CU(CUDA_ERROR_NOT_INITIALIZED, cuCtxSynchronize());
  CU(CUDA_ERROR_INVALID_VALUE, cuInit(1));
  DONE(cuInit(0));
  DONE(cuDeviceGetCount(&n));
  CHECK(n == 1);
  DONE(cuDeviceGet(&device, 0));
  CU(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 9));
  DONE(cuDeviceGetName(name, sizeof name, device));
  CHECK(name[0]);
  DONE(cuDeviceComputeCapability(&major, &minor, device));
  CHECK(major == 7 && minor == 0);
  DONE(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
  CHECK(n == 32);
  CUdeviceptr d;
  CU(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&d, 16));
  DONE(cuCtxCreate(&context, 0, device));
  DONE(cuCtxGetCurrent(&current));
  CHECK(current == context);
  check_launches(module_of_ptx());
  check_modules();
  check_memory();
  CUevent from, to;
  float ms = -1;
  DONE(cuEventCreate(&from, 0));
  DONE(cuEventCreate(&to, 0));
  DONE(cuEventRecord(from, nullptr));
  DONE(cuEventRecord(to, nullptr));
  DONE(cuEventElapsedTime(&ms, from, to));
  CHECK(ms >= 0);
  DONE(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &text));
  CHECK(strcmp(text, "CUDA_ERROR_INVALID_PTX") == 0);
  CU(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &text));
  DONE(cuCtxPopCurrent(&current));
  CU(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
  DONE(cuCtxPushCurrent(context));
  DONE(cuCtxDestroy(context));
  CU(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&d, 16));
  CU(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent(context));
  END;
}
