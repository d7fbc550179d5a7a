// SPDX-License-Identifier: Apache-2.0
// Inside of the runtime library: the process, and a context for each device, which has its
// programs, memory and counters. One host thread at a time is in here: entry.h.
#ifndef NEARBANK_RT_H
#define NEARBANK_RT_H

#include <stdbool.h>
#include <stdint.h>
#include "csim/isa/machine.h"
#include "harness/machines/mpu/machine/sim.h"
#include "include/cuda_attributes.h"
#include "include/cuda_runtime_api.h"
#include "include/mpu.h"
#include "progress.h"
#include "settings.h"

typedef struct rt_program {  // one registered or loaded object
  module *mod;
  const module_symbol *output;   // buffer of kernels that print, else NULL
  const module_symbol *asserts;  // what failed there, of kernels with assertions, else NULL
  const module_symbol *heap;     // words of kernels that allocate, else NULL
  bool has_heap;                 // they have been told where their memory is
  uint8_t *constants;            // as loaded, for a reset
  // on a card
  uint8_t *image;  // the object, to load it again
  size_t image_bytes;
  uint32_t number;
  uint64_t *addresses;  // of its symbols
  struct rt_context *context;
  struct rt_program *next, *twin;  // twin: the same object on the next device
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

typedef struct rt_mirror {  // memory that host and device share
  void *host;
  uint64_t device;      // the same address, but of a variable
  size_t bytes, pages;  // asked for, mapped; 0: the host had it before
  uint64_t base;        // of the machine's allocation around it
  bool managed;         // else mapped host memory
  bool variable;        // its memory is that of the program, on both sides
  bool shared;          // pinned: host and device have the same pages, nothing is copied
  struct rt_mirror *next;
} rt_mirror;

typedef struct rt_place {   // in the source of the program, where it allocates memory
  const char *call, *file;  // file NULL: it is not known
  int line, column;
} rt_place;

typedef struct rt_stream_attributes {  // without an effect
  struct cudaAccessPolicyWindow window;
  enum cudaSynchronizationPolicy policy;  // 0: none was set
} rt_stream_attributes;

typedef struct rt_point {  // in the order of streams: what has happened then
  uint64_t ps;             // of simulated time
  uint64_t call;           // number of the last call of the host (callbacks.h)
} rt_point;

typedef struct rt_queue {  // a stream
  struct rt_context *of;
  rt_point at;      // what it was asked for so far
  bool legacy;      // the default stream that waits for others
  bool apart;       // that one and this one do not wait for each other
  uint32_t number;  // in the order of their making; 0: a default stream
} rt_queue;

typedef struct rt_running {  // a launch that the program has not waited for
  rt_program *program;       // NULL: there is none
  const module_kernel *kernel;
  launch_shape shape;
  uint8_t *params;
  uint64_t before;  // launches
  bool executed;    // else a checkpoint had what it leaves behind
} rt_running;

typedef struct rt_copies {  // between host and a machine that is called directly
  uint64_t bytes_down, bytes_up, ps_down, ps_up;
} rt_copies;

// A device.
typedef struct rt_context {
  bool ready;
  machine *m;             // NULL: it is elsewhere, behind its card
  struct target *target;  // a card; NULL: the machine is called directly
  sim *timed;             // the cycle-by-cycle machine, NULL: the functional one
  bool differ;            // models did
  progress progress;
  rt_program *programs;
  rt_function *functions;
  rt_symbol *symbols;
  rt_mirror *mirrors;
  uint64_t *allocations;  // addresses of rt_malloc that live
  size_t allocation_count, allocation_capacity;
  uint64_t heap_limit;   // of malloc in kernels; 0: the default
  uint32_t stack_limit;  // of functions that call themselves; 0: the default
  cudaError_t sticky;
  rt_queue legacy;         // the default stream
  rt_point blocking, all;  // what streams that wait for it were asked for, and all streams
  rt_running running;
  launch_stats stats;
  uint64_t launches;
  rt_copies copies;
  double seconds, cpu_seconds;       // spent executing kernels
  struct debug *debug;               // NULL: nobody does
  struct rt_checkpoint *checkpoint;  // NULL: none, or none any more
  struct retire_observer *retire;    // NULL: none
  struct profile_observer *profile;  // NULL: none
  struct timeline *timeline;         // NULL: none
  struct interval *interval;         // NULL: none
  struct rt_arrays *arrays;          // NULL: nobody asks for them
  struct named_block *blocks;        // what the program has allocated (named.h)
  uint32_t n_blocks;
} rt_context;

enum { RT_DEVICES = 8 };
typedef struct rt_process {
  rt_context contexts[RT_DEVICES];
  bool in_use;  // the runtime API has been asked for what needs a context
  run_settings settings;
  char wrong[CONFIG_WHY];  // what is wrong with them: no device is made then
  bool fault;              // a launch ended with one
  bool lost;               // a file that was asked for could not be written
  cudaStream_t streams;    // live handles
  uint32_t streams_made;   // so far
  bool per_thread;         // the default stream is that of the thread
  cudaEvent_t events;
  cudaError_t load_error;  // of a registered object: every launch reports it
  bool digests;            // of memory are wanted
  uint64_t digest;         // of memory so far
  int result;              // of mpu_report_result: -1 none, 0 fail, 1 pass
  struct out_file *trace;
  unsigned flags;
  struct placement *placement;  // NULL: as the machine places
  struct placer *placer;        // of what is launched; NULL: nobody places
  struct place_find *finder;    // of a placement; NULL: none is wanted
} rt_process;
extern rt_process process;

typedef struct rt_thread {  // of the host
  unsigned current;         // device of the next call
  cudaError_t last;
  rt_place place;    // of the call under way (mpu_allocates)
  bool cooperative;  // the blocks of this launch wait for each other
} rt_thread;
extern _Thread_local rt_thread thread;

// The context of the current device; all are made on first use. NULL when the host has no memory
// for them.
rt_context *rt_get(void);
unsigned rt_devices(void);
bool rt_device_exists(int device);
// The context in whose memory `p` is: that of the current device, if it is in none. With several
// devices each has addresses of its own.
rt_context *rt_context_of(const void *p);

// The machine that launches are executed on, also before contexts are made: what programs are
// told about their devices is from it.
const config *rt_machine(void);
uint32_t rt_max_threads(void);  // of a block on it

// Of the program's own check, and of the run, as reports spell them.
const char *rt_result_name(void);
const char *rt_end_name(void);

cudaError_t rt_done(cudaError_t e);  // remembers an error for cudaGetLastError, returns it
// Waits for what the device was asked for; returns the error that its context is lost to.
cudaError_t rt_settle(rt_context *c);
cudaError_t rt_settle_current(void);
// The same for the current device. False: *e is the error to return.
bool rt_ready(rt_context **c, cudaError_t *e);
cudaError_t rt_error(machine_error e);  // the CUDA code of a machine's error

// The object of an image for the machine of this process (fit_object).
struct mpucc_image;
const void *rt_fit(const struct mpucc_image *i, FILE *messages, size_t *bytes, const char **why);
// Adds an object to all devices; returns the program of device 0, and `twin` leads to the others.
// NULL: *why says what is wrong.
rt_program *rt_load(const void *image, size_t bytes, const char **why);
rt_function *rt_find_function(const void *stub);
rt_symbol *rt_find_symbol(const void *symbol);  // by shadow, or by name

// Launches, and waits for the end where the device is not a card; MACHINE_OK: it has begun.
machine_error rt_launch(rt_context *c, rt_program *p, const module_kernel *k,
                        const launch_shape *shape, void **args);
// Waits for the launch that has begun last; counts; reports a fault on stderr.
machine_error rt_wait(rt_context *c);

void rt_count(rt_context *c, launch_stats s);  // adds a launch that was executed

// The cycle-by-cycle machine (timed.c). What is wrong with its settings ends the program with
// status 2.
void rt_timed_config(machine_config *m);
sim *rt_timed_start(rt_context *c);  // on its machine
// SIGINT, SIGTERM or an observer has asked for the end of the program, with this exit status; 0:
// none has.
enum { RT_INTERRUPTED = 130, RT_WRONG = 2 };
// Ends the program because of wrong use: one line, status RT_WRONG.
__attribute__((format(printf, 1, 2), noreturn)) void rt_wrong(const char *format, ...);
int rt_timed_interrupted(void);
void rt_timed_interrupt(int status);
void rt_timed_count(rt_context *c, machine_error e);
uint64_t rt_timed_cycles(const rt_context *c);
void rt_timed_json(const rt_context *c, json_writer *j);  // what is the cycle-by-cycle machine's
void rt_timed_report(const rt_context *c, FILE *f);

// Those who look on (observe.c): wave files, traces and the like, as the settings say. What is
// wrong with these ends the program with status 2.
void rt_observe(rt_context *c, sim *s);
void rt_observe_functional(rt_context *c);  // on its machine, when there is no sim
// The program ends: files are closed. False: one is not whole, which was said.
bool rt_observed(rt_context *c);

// Waves (waves.c).
void rt_waves(sim *s);
// The trace for platform_options. NULL: no waves of a platform were asked for.
const struct platform_trace *rt_waves_trace(void);
// Waves from the next cycle on, or no more: between windows of a launch. False: `what` says why
// not.
bool rt_waves_switch(void *sim, bool on, const char *file, char *what, size_t what_bytes);
void rt_waves_tell(void);  // more about a launch that went wrong, after its message
bool rt_waves_end(void);   // false: waves that were asked for are missing, which was said

// Checkpoints (checkpoint.c), where the settings name a file. What is wrong with it ends the
// program, with status 2 or RT_OTHERWISE.
enum { RT_OTHERWISE = 4 };  // the program does not do what it did
void rt_checkpoint_open(rt_context *c);
// Before a launch is executed: true, when it need not be, because the file has what it leaves
// behind, which is then in place; *e is how it ended. Else rt_checkpoint_add is due afterwards.
bool rt_checkpoint_has(rt_context *c, const module_kernel *k, const launch_shape *shape,
                       const uint8_t *params, machine_error *e);
void rt_checkpoint_add(rt_context *c, const module_kernel *k, const launch_shape *shape,
                       const uint8_t *params, machine_error e);
// At the end of the program.
void rt_checkpoint_close(rt_context *c);

// Device memory, remembered for a reset.
// Lines of a placement that the program gives (mpu_place.h).
void rt_place_hint(const char *lines);
machine_error rt_malloc(rt_context *c, size_t bytes, uint64_t *address);
machine_error rt_release(rt_context *c, uint64_t address);
// Frees all device memory, gives variables their first values, forgets errors.
void rt_reset(rt_context *c);

// The digest of device memory (digest.c), when statistics are asked for. _add: of bytes that are
// about to be freed; _variables: of a program's variables, which are about to be reset; _rest: of
// all that is left, once, when the program ends.
void rt_digest_add(rt_context *c, uint64_t address, uint64_t bytes);
void rt_digest_variables(rt_context *c, const rt_program *p);
void rt_digest_rest(rt_context *c);

// Shared memory of host and device (mirror.c). _free: false when p is not the start of any that was
// allocated.
cudaError_t rt_mirror_new(rt_context *c, size_t bytes, bool managed, void **p);
rt_mirror *rt_mirror_find(const rt_context *c, const void *p);
bool rt_mirror_free(rt_context *c, void *p);
bool rt_has_mapped(const rt_context *c);  // host memory that is copied and not managed
void rt_mirrors_out(rt_context *c);       // before a launch
void rt_mirrors_back(rt_context *c);      // after it
// Host memory that the program registers, with device memory of its own where it is mapped, or when
// a kernel has its address. False: it is not registered.
cudaError_t rt_mirror_register(rt_context *c, void *p, size_t bytes, bool mapped);
bool rt_mirror_unregister(rt_context *c, void *p);
// All but pinned memory, and variables, which get their first values.
void rt_mirrors_free(rt_context *c);
// Pinned memory (pinned.c). _free: false when p is not the start of any.
cudaError_t rt_pinned_new(rt_context *c, size_t bytes, void **p);
bool rt_pinned_free(rt_context *c, void *p);
bool rt_is_pinned(const rt_context *c, const void *p);  // also mapped and registered memory
bool rt_pinned_argument(const rt_context *c, const uint8_t *params, uint32_t bytes);
// What the program registers may be a managed variable.
void rt_mirror_symbol(rt_context *c, const rt_symbol *s);
// An address of the host as the device has it: another one in managed variables and in memory that
// is registered, which is mapped now.
uint64_t rt_mirror_address(rt_context *c, uint64_t address);

// Arrays, textures and surfaces (texture.c). Copies where a side is an array; forgets those of a
// context whose memory is gone; why a kernel that ended with a trap could not use one.
cudaError_t rt_copy_arrays(const struct cudaMemcpy3DParms *p);
void rt_textures_forget(const rt_context *c);
void rt_textures_tell(rt_context *c, const rt_program *p);

bool rt_stream_ok(cudaStream_t s);          // a live handle, or one of CUDA's own
bool rt_stream_here(cudaStream_t s);        // and of the current device
uint32_t rt_stream_number(cudaStream_t s);  // 0: a default stream
rt_queue *rt_queue_of(cudaStream_t s);      // a live one. NULL: there is no device
rt_stream_attributes *rt_stream_attributes_of(cudaStream_t s);  // NULL: it does not live
void rt_events_happen(const rt_context *c);  // those that were recorded behind its running launch

// So many elements of `bytes` bytes, each of which is *value; to device memory.
cudaError_t rt_fill(void *to, const void *value, size_t bytes, size_t count);
void rt_output_print(rt_context *c, rt_program *p);   // what the last launch printed
bool rt_asserts_print(rt_context *c, rt_program *p);  // false: no assertion of it failed
// Memory for malloc in kernels, before a launch (heap.c).
void rt_heap_give(rt_context *c, rt_program *p);
// An error once a program has it.
cudaError_t rt_heap_set_limit(rt_context *c, size_t bytes);
size_t rt_heap_limit(const rt_context *c);
// The stack of a thread (call_stack.c).
cudaError_t rt_stack_set_limit(rt_context *c, size_t bytes);
uint32_t rt_stack_limit(const rt_context *c);
void rt_stack_apply(rt_context *c);  // when programs have been loaded

// True for memory of the device alone: allocations and constant variables.
bool rt_is_device(const rt_context *c, const void *p);

#endif
