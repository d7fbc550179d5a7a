// SPDX-License-Identifier: Apache-2.0
// Order and overlap of streams in simulated time. With an argument the machine is cycle by cycle,
// with the link of the default configuration, and times are what the rules of docs/cuda.md give for
// the pieces; without one only contents are checked.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include "check.h"

enum { N = 40000, BYTES = N * 4, STREAMS = 4 };
static const double COPY = BYTES / 16.0, LATENCY = 1000;  // ns

__global__ void work(int *v, int turns) {
  int x = v[threadIdx.x];
  for (int k = 0; k < turns; k++)
    x = x * 3 + 1;
  v[threadIdx.x] = x;
}

static bool timed;
static int *host[STREAMS], *device[STREAMS], *pageable;
static cudaStream_t s[STREAMS], apart;
static cudaEvent_t start, ends[STREAMS];
static double kernel;  // ns

static double since(cudaEvent_t from, cudaEvent_t to) {
  float ms = -1;
  OK(cudaEventElapsedTime(&ms, from, to));
  return 1e6 * ms;
}
static void is(const char *what, double got, double want) {
  if (timed && fabs(got - want) > 2 && failures++ < 40)
    printf("%s: %.3f ns, not %.3f\n", what, got, want);
}
static void begin() {
  OK(cudaDeviceSynchronize());
  OK(cudaEventRecord(start, apart));
}
static double end_of(int k) {
  OK(cudaEventRecord(ends[k], s[k]));
  OK(cudaEventSynchronize(ends[k]));
  return since(start, ends[k]);
}
static void down(int k, cudaStream_t in) {
  OK(cudaMemcpyAsync(device[k], host[k], BYTES, cudaMemcpyHostToDevice, in));
}
static void up(int k, cudaStream_t in) {
  OK(cudaMemcpyAsync(host[k], device[k], BYTES, cudaMemcpyDeviceToHost, in));
}
static void launch(int k, cudaStream_t in) {
  work<<<1, 64, 0, in>>>(device[k], 2000);
}
static double whole(double ns) {  // a kernel begins at a full cycle
  return ceil(ns - 1e-4);
}

// What a copy, a kernel, a fill and a copy within the device take.
static void check_pieces() {
  const double cores = timed ? 1 : 128;
  begin();
  launch(0, s[0]);
  kernel = end_of(0);
  CHECK(kernel > 0);
  begin();
  launch(1, s[0]);
  is("a kernel again", end_of(0), kernel);
  begin();
  down(0, s[0]);
  is("copy down", end_of(0), COPY + LATENCY);
  begin();
  up(0, s[0]);
  is("copy up", end_of(0), COPY + LATENCY);
  begin();
  OK(cudaMemsetAsync(device[1], 0, BYTES, s[0]));
  is("fill", end_of(0), BYTES / 64 / cores);
  begin();
  OK(cudaMemcpyAsync(device[1], device[0], BYTES, cudaMemcpyDeviceToDevice, s[0]));
  is("copy within", end_of(0), BYTES / 32 / cores);
  begin();
  OK(cudaMemcpy2DAsync(device[0], 400, host[0], 400, 400, BYTES / 400, cudaMemcpyHostToDevice,
                       s[0]));
  is("copy of rows", end_of(0), COPY + LATENCY);
}

// Copy, kernel, copy in each of `n` streams: engines take them in the order of the calls.
static void check_pipeline(int n, bool by_stream) {
  double down_free = 0, machine_free = 0, up_free = 0, want[STREAMS];
  for (int k = 0; k < n; k++) {
    down_free += COPY;
    machine_free = whole(fmax(down_free + LATENCY, machine_free)) + kernel;
    up_free = fmax(machine_free, up_free) + COPY;
    want[k] = up_free + LATENCY;
  }
  for (int k = 0; k < n; k++)
    memset(host[k], k + 1, BYTES);
  begin();
  for (int k = 0; k < n && by_stream; k++)
    down(k, s[k]), launch(k, s[k]), up(k, s[k]);
  const std::function<void(int, cudaStream_t)> parts[] = {down, launch, up};
  for (int part = 0; part < 3 && !by_stream; part++)
    for (int k = 0; k < n; k++)
      parts[part](k, s[k]);
  for (int k = 0; k < n; k++)
    OK(cudaEventRecord(ends[k], s[k]));
  OK(cudaDeviceSynchronize());
  for (int k = 0; k < n; k++) {
    is(by_stream ? "by stream" : "by part", since(start, ends[k]), want[k]);
    int x = 0x01010101 * (k + 1);
    CHECK(host[k][64] == x);
    for (int turn = 0; turn < 2000; turn++)
      x = (int)((unsigned)x * 3 + 1);
    CHECK(host[k][0] == x && host[k][63] == x);
  }
}

static void check_rules() {
  // an event of another stream
  begin();
  down(0, s[0]);
  OK(cudaEventRecord(ends[3], s[0]));
  OK(cudaStreamWaitEvent(s[1], ends[3], 0));
  launch(1, s[1]);
  is("behind an event", end_of(1), whole(COPY + LATENCY) + kernel);
  // without it they overlap
  begin();
  down(0, s[0]);
  launch(1, s[1]);
  is("beside a copy", end_of(1), kernel);
  // the default stream waits for blocking streams, and these for it
  begin();
  down(0, s[0]);
  launch(1, 0);
  up(2, s[2]);
  is("behind the default stream", end_of(2), whole(COPY + LATENCY) + kernel + COPY + LATENCY);
  begin();
  down(0, apart);
  launch(1, 0);
  up(2, s[2]);
  is("beside a stream that does not block", end_of(2), kernel + COPY + LATENCY);
  begin();
  down(0, s[0]);
  launch(1, cudaStreamPerThread);
  OK(cudaEventRecord(ends[1], cudaStreamPerThread));
  OK(cudaDeviceSynchronize());
  is("stream of the thread", since(start, ends[1]), kernel);
  // kernels of two streams one after the other
  begin();
  launch(0, s[0]);
  launch(1, s[1]);
  is("two kernels", end_of(1), 2 * kernel);
  // both directions at the same time, one direction one after the other
  begin();
  down(0, s[0]);
  up(1, s[1]);
  down(2, s[2]);
  is("up beside down", end_of(1), COPY + LATENCY);
  is("down behind down", end_of(2), 2 * COPY + LATENCY);
}

// Where the host waits, what it asks for next begins later.
static void check_host() {
  begin();
  OK(cudaMemcpyAsync(device[0], pageable, BYTES, cudaMemcpyHostToDevice, s[0]));
  launch(1, s[1]);
  is("behind pageable memory", end_of(1), whole(COPY + LATENCY) + kernel);
  begin();
  down(0, s[0]);
  OK(cudaStreamSynchronize(s[0]));
  launch(1, s[1]);
  is("behind a wait", end_of(1), whole(COPY + LATENCY) + kernel);
  begin();
  OK(cudaMemcpy(device[0], host[0], BYTES, cudaMemcpyHostToDevice));
  launch(1, apart);
  OK(cudaEventRecord(ends[0], apart));
  OK(cudaDeviceSynchronize());
  is("behind a synchronous copy", since(start, ends[0]), whole(COPY + LATENCY) + kernel);
  begin();
  OK(cudaHostRegister(pageable, BYTES, 0));
  OK(cudaMemcpyAsync(device[0], pageable, BYTES, cudaMemcpyHostToDevice, s[0]));
  launch(1, s[1]);
  is("beside registered memory", end_of(1), kernel);
  OK(cudaHostUnregister(pageable));
}

// s[0] forks to s[1] and joins it; the graph has the same time as the streams.
static void fork() {
  cudaEvent_t out, in;
  OK(cudaEventCreateWithFlags(&out, cudaEventDisableTiming));
  OK(cudaEventCreateWithFlags(&in, cudaEventDisableTiming));
  down(0, s[0]);
  OK(cudaEventRecord(out, s[0]));
  OK(cudaStreamWaitEvent(s[1], out, 0));
  launch(0, s[0]);
  up(1, s[1]);
  down(1, s[1]);
  OK(cudaEventRecord(in, s[1]));
  OK(cudaStreamWaitEvent(s[0], in, 0));
  up(0, s[0]);
  OK(cudaEventDestroy(out));
  OK(cudaEventDestroy(in));
}
static void check_graph() {
  cudaGraph_t g;
  cudaGraphExec_t x;
  const double first = COPY + LATENCY;
  const double want = fmax(whole(first) + kernel, first + 2 * (COPY + LATENCY)) + COPY + LATENCY;
  begin();
  fork();
  is("fork and join", end_of(0), want);
  OK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
  fork();
  OK(cudaStreamEndCapture(s[0], &g));
  OK(cudaGraphInstantiate(&x, g, nullptr, nullptr, 0));
  for (int round = 0; round < 2; round++) {
    begin();
    OK(cudaGraphLaunch(x, s[2]));
    is("graph", end_of(2), want);
  }
  begin();
  launch(2, s[2]);  // a graph begins behind what its stream has
  OK(cudaGraphLaunch(x, s[2]));
  launch(3, s[3]);
  const double behind = fmax(whole(kernel + first) + kernel, kernel + first + 2 * (COPY + LATENCY));
  is("graph behind a kernel", end_of(2), behind + COPY + LATENCY);
  OK(cudaGraphExecDestroy(x));
  OK(cudaGraphDestroy(g));
}

int main(int argc, char **argv) {
  timed = argc > 1;
  const bool one = timed && !strcmp(argv[1], "pipeline");
  pageable = (int *)calloc(N, 4);
  OK(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
  OK(cudaEventCreate(&start));
  for (int k = 0; k < STREAMS; k++) {
    OK(cudaMallocHost(&host[k], BYTES));
    OK(cudaMalloc(&device[k], BYTES));
    OK(cudaStreamCreate(&s[k]));
    OK(cudaEventCreate(&ends[k]));
  }
  if (timed && !strcmp(argv[1], "own")) {  // stream 0 is that of the thread
    begin();
    launch(0, s[0]);
    kernel = end_of(0);
    begin();
    down(0, s[0]);
    launch(1, 0);
    OK(cudaEventRecord(ends[1], 0));
    launch(2, cudaStreamLegacy);
    OK(cudaEventRecord(ends[2], cudaStreamLegacy));
    OK(cudaDeviceSynchronize());
    is("own default stream", since(start, ends[1]), kernel);
    is("legacy default stream", since(start, ends[2]), whole(COPY + LATENCY) + kernel);
    END;
  }
  if (one) {  // for the statistics
    launch(0, s[0]);
    down(0, s[0]);
    launch(1, s[1]);
    OK(cudaDeviceSynchronize());
    END;
  }
  check_pieces();
  for (int n = 1; n <= STREAMS; n++) {
    check_pipeline(n, true);
    check_pipeline(n, false);
  }
  check_rules();
  check_host();
  check_graph();
  END;
}
