// SPDX-License-Identifier: Apache-2.0
// Inside of the runtime library. One process-wide context: the device, the programs registered by
// the host binary, the last error, the counters of the report. Calls are serialised by the caller
// (one host thread at a time), as mpu.h says.
#ifndef NEARBANK_RT_H
#define NEARBANK_RT_H

#include <stdbool.h>
#include <stdint.h>
#include "../../csim/isa/machine.h"
#include "include/cuda_runtime_api.h"
#include "include/mpu.h"

typedef struct rt_program {  // one registered or loaded object
  module *mod;
  struct rt_program *next;
} rt_program;

typedef struct rt_function {  // a kernel by the address of its host stub
  const void *stub;
  rt_program *program;
  const module_kernel *kernel;
  const char *name;
  struct rt_function *next;
} rt_function;

typedef struct rt_symbol {  // a device variable by the address of its host shadow
  const void *shadow;
  rt_program *program;
  const module_symbol *symbol;
  const char *name;
  struct rt_symbol *next;
} rt_symbol;

typedef struct rt_context {
  machine *m;
  rt_program *programs;
  rt_function *functions;
  rt_symbol *symbols;
  cudaError_t load_error;  // of a registered object: every launch reports it
  cudaError_t last, sticky;
  launch_stats stats;
  uint64_t launches;
  double seconds;  // spent executing kernels
  int result;      // of mpu_report_result: -1 none, 0 fail, 1 pass
  FILE *trace;
  unsigned flags;
} rt_context;

// The context, made on first use. NULL when the host has no memory for a device.
rt_context *rt_get(void);

cudaError_t rt_done(cudaError_t e);  // remembers an error for cudaGetLastError, returns it
// True when the context can be used; else *e is the error to return.
bool rt_ready(rt_context **c, cudaError_t *e);
cudaError_t rt_error(machine_error e);  // the CUDA code of a machine's error

// Adds an object to the device. NULL: *why says what is wrong.
rt_program *rt_load(const void *image, size_t bytes, const char **why);
rt_function *rt_find_function(const void *stub);
rt_symbol *rt_find_symbol(const void *symbol);  // by shadow, or by name

// Launches and waits; counts; reports a fault on stderr.
machine_error rt_launch(rt_context *c, rt_program *p, const module_kernel *k,
                        const launch_shape *shape, void **args);

bool rt_is_device(const rt_context *c, const void *p);

#endif
