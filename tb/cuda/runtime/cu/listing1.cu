// SPDX-License-Identifier: Apache-2.0
// Listing 1 of the MPU paper to the letter, and the rest of the native API around it.
#include <stdlib.h>
#include <string.h>
#include "check.h"

// CUDA kernel for scalar-vector multiplication
__global__ void ScalarVectorMultiply(float* input,
float* output, float alpha, int len) {
int numThreads = gridDim.x * blockDim.x;
int tid = blockIdx.x * blockDim.x + threadIdx.x;
for (int i = tid; i < len; i += numThreads) {
output[i] = alpha * input[i];
}
}

__device__ int table[3] = {5, 6, 7};

int main() {
  const int len = 1000;
  const float alpha = 2.5f;
  const dim3 GridCfg(4), BlockCfg(128);
  float host_input_vec[len], host_output_vec[len];
  float *mpu_input_vec, *mpu_output_vec;
  for (int i = 0; i < len; i++)
    host_input_vec[i] = (float)i;

// Memory allocation on MPU
mpu_malloc(mpu_input_vec, len * sizeof(float));
mpu_malloc(mpu_output_vec, len * sizeof(float));
// Transfer the input data to MPU
mpu_memcpy(mpu_input_vec, host_input_vec,
len * sizeof(float), Host2Device);
// Launch kernel for the computation on MPU
ScalarVectorMultiply<<<GridCfg, BlockCfg>>>(
mpu_input_vec, mpu_output_vec, alpha, len);
// Transfer MPU computation results
mpu_memcpy(host_output_vec, mpu_output_vec,
len * sizeof(float), Device2Host);

  for (int i = 0; i < len; i++)
    CHECK(host_output_vec[i] == alpha * (float)i);

  // the same launch through handles
  mpu_kernel *kernel;
  CHECK(mpu_find_kernel("_Z20ScalarVectorMultiplyPfS_fi", &kernel) == MPU_SUCCESS);
  float beta = -1.0f;
  void *args[] = {&mpu_input_vec, &mpu_output_vec, (void *)&beta, (void *)&len};
  mpu_dims grid = {2, 1, 1}, block = {64, 1, 1}, none = {0, 1, 1};
  CHECK(mpu_launch(kernel, grid, block, 0, args) == MPU_SUCCESS);
  CHECK(mpu_memcpy(host_output_vec, mpu_output_vec, sizeof host_output_vec, Device2Host) ==
        MPU_SUCCESS);
  CHECK(host_output_vec[999] == -999.0f);

  void *address;
  size_t bytes;
  int values[3];
  CHECK(mpu_find_symbol("table", &address, &bytes) == MPU_SUCCESS && bytes == sizeof values);
  CHECK(mpu_memcpy(values, address, sizeof values, Device2Host) == MPU_SUCCESS);
  CHECK(values[0] == 5 && values[2] == 7);
  CHECK(mpu_memset(address, 1, 4) == MPU_SUCCESS);
  CHECK(mpu_memcpy(values, address, sizeof values, Device2Host) == MPU_SUCCESS);
  CHECK(values[0] == 0x01010101 && values[1] == 6);

  // what is wrong is an error and changes nothing
  CHECK(mpu_malloc((void **)nullptr, 4) == MPU_ERROR_ARGUMENT);
  CHECK(mpu_malloc(&address, 0) == MPU_ERROR_ARGUMENT);
  CHECK(mpu_malloc(&address, (size_t)1 << 40) == MPU_ERROR_MEMORY);
  CHECK(mpu_memcpy(host_input_vec, mpu_input_vec, len * 4 + 1, Device2Host) == MPU_ERROR_POINTER);
  CHECK(mpu_memcpy(mpu_input_vec, host_input_vec, 4, (mpu_direction)7) == MPU_ERROR_ARGUMENT);
  CHECK(mpu_memcpy(nullptr, host_input_vec, 4, Host2Device) == MPU_ERROR_ARGUMENT);
  CHECK(mpu_free((char *)mpu_input_vec + 4) == MPU_ERROR_POINTER);
  CHECK(mpu_find_kernel("nothing", &kernel) == MPU_ERROR_KERNEL);
  CHECK(mpu_find_symbol("nothing", &address, &bytes) == MPU_ERROR_POINTER);
  CHECK(mpu_launch((mpu_kernel *)&bytes, grid, block, 0, args) == MPU_ERROR_KERNEL);
  CHECK(mpu_find_kernel("_Z20ScalarVectorMultiplyPfS_fi", &kernel) == MPU_SUCCESS);
  CHECK(mpu_launch(kernel, none, block, 0, args) == MPU_ERROR_LAUNCH);
  CHECK(mpu_launch(kernel, grid, block, 1 << 20, args) == MPU_ERROR_LAUNCH);
  CHECK(mpu_launch(kernel, grid, block, 0, nullptr) == MPU_ERROR_ARGUMENT);
  CHECK(mpu_load("/nowhere/x.elf") == MPU_ERROR_FILE && strstr(mpu_message(), "/nowhere/x.elf"));
  CHECK(mpu_load_image("nonsense", 8) == MPU_ERROR_FILE);
  float *wild = nullptr;
  void *wrong[] = {&mpu_input_vec, &wild, (void *)&beta, (void *)&len};
  CHECK(mpu_launch(kernel, grid, block, 0, wrong) == MPU_ERROR_FAULT);
  CHECK(strstr(mpu_message(), "ScalarVectorMultiply") != nullptr);
  CHECK(strcmp(mpu_error_string(MPU_ERROR_FAULT), "the kernel ended with a fault") == 0);
  CHECK(mpu_free(mpu_input_vec) == MPU_SUCCESS && mpu_free(nullptr) == MPU_SUCCESS);
  CHECK(mpu_free(mpu_input_vec) == MPU_ERROR_POINTER);
  END;
}
