// SPDX-License-Identifier: Apache-2.0
// Several host threads use the runtime: each has a last error, a launch configuration, a default
// stream and a capture mode of its own; calls of the host in streams, made by a thread of the
// runtime; threads that end the work of others.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>
#include "check.h"

enum { THREADS = 6, N = 300 };
static int rounds = 2000;

__global__ void add(int *v, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    v[i] += by;
}

static std::atomic<int> wrong, waiting;

// The argument of a launch is evaluated between its configuration and the launch.
static int more(int depth, int *p) {
  if (depth)
    add<<<1, 32>>>(p, 1, 0);
  return 1;
}

static void work(int number) {
  cudaStream_t s;
  int *d, v[N];
  for (waiting--; waiting;)  // all begin together
    std::this_thread::yield();
  wrong += cudaGetLastError() != cudaSuccess;
  wrong += cudaStreamCreate(&s) || cudaMalloc(&d, sizeof v);
  for (int round = 0; round < rounds; round++) {
    for (int k = 0; k < N; k++)
      v[k] = number * 1000 + k;
    wrong += cudaMemcpyAsync(d, v, sizeof v, cudaMemcpyHostToDevice, s) != cudaSuccess;
    add<<<(N + 63) / 64, 64, 0, s>>>(d, N, more(number % 2, d) + round);
    wrong += cudaGetLastError() != cudaSuccess;
    memset(v, 0, sizeof v);
    wrong += cudaMemcpyAsync(v, d, sizeof v, cudaMemcpyDeviceToHost, s) != cudaSuccess;
    wrong += cudaStreamSynchronize(s) != cudaSuccess;
    for (int k = 0; k < N; k++)
      wrong += v[k] != number * 1000 + k + 1 + round;
    // every thread fails in its own way, and hears of that alone
    const cudaError_t mine =
        number % 2 ? cudaMemcpy(d, v, sizeof v + 4, cudaMemcpyHostToDevice) : cudaSetDevice(99);
    std::this_thread::yield();
    wrong += mine != (number % 2 ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    wrong += cudaGetLastError() != mine || cudaGetLastError() != cudaSuccess;
  }
  wrong += cudaFree(d) || cudaStreamDestroy(s);
}

static void check_threads() {
  std::vector<std::thread> threads;
  waiting = THREADS;
  cudaMemcpy(nullptr, nullptr, 4, cudaMemcpyHostToDevice);  // an error of this thread
  for (int k = 0; k < THREADS; k++)
    threads.emplace_back(work, k);
  for (auto &t : threads)
    t.join();
  CHECK(wrong == 0);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

// ---- calls of the host

struct request {
  std::mutex *held;
  std::thread::id by;
  int *d, value, after;
};
static void note(void *data) {
  request *r = (request *)data;
  std::lock_guard<std::mutex> guard(*r->held);
  r->by = std::this_thread::get_id();
  r->value = 7;
}
static void told(cudaStream_t, cudaError_t e, void *data) {
  request *r = (request *)data;
  // another thread may do what this one waits for
  std::thread helper([r] { r->after = cudaFree(r->d) == cudaSuccess ? 8 : -1; });
  helper.join();
  r->value += e == cudaSuccess;
}
static void itself(void *data) {
  *(cudaError_t *)data = cudaDeviceSynchronize();
}

static void check_calls() {
  std::mutex held;
  request r = {&held, {}, nullptr, 0, 0};
  cudaStream_t s, other;
  cudaEvent_t event;
  cudaError_t own = cudaSuccess;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  OK(cudaEventCreate(&event));
  OK(cudaMalloc(&r.d, 4));
  {
    std::lock_guard<std::mutex> guard(held);  // the call waits, this thread does not
    OK(cudaLaunchHostFunc(s, note, &r));
    OK(cudaEventRecord(event, s));
    CHECK(r.value == 0 && cudaStreamQuery(s) == cudaErrorNotReady);
    CHECK(cudaEventQuery(event) == cudaErrorNotReady);
    OK(cudaStreamSynchronize(other));
  }
  OK(cudaEventSynchronize(event));
  OK(cudaStreamQuery(s));
  CHECK(r.value == 7 && r.by != std::this_thread::get_id());
  OK(cudaStreamAddCallback(s, told, &r, 0));
  OK(cudaDeviceSynchronize());
  CHECK(r.value == 8 && r.after == 8);
  GIVES(cudaErrorInvalidValue, cudaFree(r.d));
  OK(cudaLaunchHostFunc(s, itself, &own));
  OK(cudaStreamSynchronize(s));
  CHECK(own == cudaErrorNotPermitted);
  OK(cudaStreamDestroy(s));
  OK(cudaStreamDestroy(other));
}

// What comes behind a call in its stream, or behind an event or the default stream, sees what it
// did.
static int value;
static void slow(void *data) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  value = *(int *)data;
}
static void check_order() {
  int *d, five = 5, six = 6, seven = 7, got = 0;
  cudaStream_t a, b;
  cudaEvent_t e;
  OK(cudaMalloc(&d, 4));
  OK(cudaStreamCreate(&a));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  OK(cudaEventCreate(&e));
  OK(cudaLaunchHostFunc(a, slow, &five));
  OK(cudaMemcpyAsync(d, &value, 4, cudaMemcpyHostToDevice, a));
  OK(cudaMemcpy(&got, d, 4, cudaMemcpyDeviceToHost));
  CHECK(got == 5);
  OK(cudaLaunchHostFunc(a, slow, &six));
  OK(cudaMemcpy(d, &value, 4, cudaMemcpyHostToDevice));  // the default stream waits for a
  OK(cudaMemcpy(&got, d, 4, cudaMemcpyDeviceToHost));
  CHECK(got == 6);
  OK(cudaLaunchHostFunc(b, slow, &seven));
  OK(cudaEventRecord(e, b));
  OK(cudaStreamWaitEvent(a, e, 0));
  OK(cudaMemcpyAsync(d, &value, 4, cudaMemcpyHostToDevice, a));
  OK(cudaMemcpyAsync(&got, d, 4, cudaMemcpyDeviceToHost, a));
  OK(cudaStreamSynchronize(a));
  CHECK(got == 7);
}

// ---- capture modes, and a device for each thread

static void check_own() {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed, theirs = mode;
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == cudaStreamCaptureModeGlobal);
  std::thread([&] { cudaThreadExchangeStreamCaptureMode(&theirs); }).join();
  CHECK(theirs == cudaStreamCaptureModeGlobal);
  int *d, devices = 0, device = -1;
  OK(cudaGetDeviceCount(&devices));
  OK(cudaSetDevice(devices - 1));
  std::thread([&] { cudaGetDevice(&device); }).join();
  CHECK(device == 0);
  OK(cudaSetDevice(0));
  OK(cudaMalloc(&d, 4));
  OK(cudaMemsetAsync(d, 0, 4, cudaStreamPerThread));
  add<<<1, 1, 0, cudaStreamPerThread>>>(d, 1, 3);
  OK(cudaStreamSynchronize(cudaStreamPerThread));
  OK(cudaFree(d));
}

int main(int argc, char **argv) {
  rounds = argc > 1 ? atoi(argv[1]) : rounds;
  check_threads();
  check_calls();
  check_order();
  check_own();
  END;
}
