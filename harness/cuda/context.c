// SPDX-License-Identifier: Apache-2.0
// The process and its contexts: start, programs, launches, the report at the end.
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "harness/base/made.h"
#include "harness/base/out_file.h"
#include "harness/base/placing.h"
#include "harness/base/plain_name.h"
#include "harness/inspect/place/place_find.h"
#include "harness/machines/mpu/machine/sim.h"
#include "array_name.h"
#include "arrays.h"
#include "entry.h"
#include "execute.h"
#include "fit.h"
#include "host_binary.h"
#include "named.h"
#include "order.h"
#include "placement.h"
#include "placer.h"
#include "graph.h"
#include "pool.h"
#include "races.h"
#include "rt.h"
#include "target.h"

rt_process process = {.result = -1};
_Thread_local rt_thread thread;

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- the report

const char *rt_result_name(void) {
  return process.result < 0 ? "none" : process.result ? "pass" : "fail";
}

static bool any_differs(void) {
  bool any = false;
  for (unsigned k = 0; k < rt_devices(); k++)
    any |= process.contexts[k].differ;
  return any;
}

const char *rt_end_name(void) {
  return rt_timed_interrupted() ? "interrupted"
         : any_differs()        ? "differ"
         : process.fault        ? "fault"
                                : "done";
}

static const char *program_name(void) {
  return process.settings.program ? process.settings.program : program_invocation_short_name;
}

// Bytes that the process had at most.
static uint64_t host_memory(void) {
  struct rusage u;
  return getrusage(RUSAGE_SELF, &u) ? 0 : (uint64_t)u.ru_maxrss << 10;
}

static const char *machine_name(const rt_context *c, char *to, size_t bytes) {
  if (target_is_elsewhere())
    return "behind a card";
  if (!c->timed)
    return "functional (untimed)";
  const uint32_t cores = sim_cores(c->timed);
  snprintf(to, bytes, cores == 1 ? "one core, cycle by cycle" : "%u cores, cycle by cycle", cores);
  return to;
}

// What all devices did: a context with sums.
static rt_context all_devices(void) {
  rt_context all = {0};
  for (unsigned k = 0; k < rt_devices(); k++) {
    const rt_context *c = &process.contexts[k];
    launch_stats_add(&all.stats, c->stats);
    all.launches += c->launches;
    all.seconds += c->seconds;
    all.cpu_seconds += c->cpu_seconds;
  }
  return all;
}

// The functional machine is one device.
static machine_bytes compulsory(void) {
  const machine *m = process.contexts->m;
  return m ? machine_compulsory(m) : (machine_bytes){0, 0};
}

static void write_device(const rt_context *c, json_writer *j) {
  if (c->timed)
    rt_timed_json(c, j);
  arrays_json(c->arrays, j);
  target_json(c, j);
  engines_json(c, order_until(c), j);
}

static void write_json(FILE *f) {
  char digest[24];
  const rt_context all = all_devices(), *c = &all;
  json_writer j = jw_to(f);
  snprintf(digest, sizeof digest, "%016llx", (unsigned long long)process.digest);
  jw_object(&j, NULL);
  jw_count(&j, "schema", STATS_SCHEMA);
  jw_text(&j, "program", program_name());
  jw_text(&j, "result", rt_result_name());
  jw_text(&j, "end", rt_end_name());
  jw_count(&j, "launches", c->launches);
  jw_count(&j, "warp_instructions", c->stats.warp_instructions);
  if (!target_is_elsewhere()) {
    jw_count(&j, "near_instructions", c->stats.near_instructions);
    jw_count(&j, "far_instructions", c->stats.far_instructions);
    jw_count(&j, "global_bytes", c->stats.global_bytes);
    if (process.settings.count_bytes) {
      jw_count(&j, "compulsory_read_bytes", compulsory().read);
      jw_count(&j, "compulsory_write_bytes", compulsory().written);
    }
    jw_count(&j, "shared_accesses", c->stats.shared_accesses);
  }
  jw_number(&j, "host_seconds", "%.6f", c->seconds);
  jw_number(&j, "cpu_seconds", "%.6f", c->cpu_seconds);
  jw_count(&j, "host_memory", host_memory());
  jw_text(&j, "memory_digest", digest);
  if (rt_devices() == 1) {
    write_device(process.contexts, &j);
  } else {
    jw_list(&j, "devices");
    for (unsigned k = 0; k < rt_devices(); k++) {
      jw_object(&j, NULL);
      jw_count(&j, "launches", process.contexts[k].launches);
      write_device(&process.contexts[k], &j);
      jw_end(&j);
    }
    jw_end(&j);
  }
  made_json(process.settings.timed ? &process.settings.machine : NULL, &build_info_all, &j);
  jw_end(&j);
  fputc('\n', f);
}

// How the run ended, where that is not the usual thing; else what the program said of itself.
static void write_end(int own, FILE *f) {
  static const char *const texts[] = {"interrupted: what follows is what was done until then",
                                      "the models differ", "a launch failed"};
  const int how = rt_timed_interrupted() ? 0 : any_differs() ? 1 : process.fault ? 2 : -1;
  if (how >= 0)
    fprintf(f, "end                %s\n", texts[how]);
  if (process.result >= 0)
    fprintf(f, "result             %s\n", rt_result_name());
  else if (how < 0)
    fprintf(f, "result             exit status %d\n", own);
}

static void write_kinds(const launch_stats *s, FILE *f) {
  const uint64_t all = s->warp_instructions;
  const double near = all ? 100.0 * (double)s->near_instructions / (double)all : 0;
  fprintf(f,
          " (%.1f %% near, %.1f %% far)\n"
          "global memory      %llu bytes\nshared memory      %llu accesses",
          near, all ? 100 - near : 0, (unsigned long long)s->global_bytes,
          (unsigned long long)s->shared_accesses);
  if (process.settings.count_bytes)
    fprintf(f, "\ncompulsory         %llu bytes read, %llu written",
            (unsigned long long)compulsory().read, (unsigned long long)compulsory().written);
}

static void write_report(int own, FILE *f) {
  const rt_context sums = all_devices(), *c = &sums, *first = process.contexts;
  const uint64_t all = c->stats.warp_instructions;
  char machine[40];
  uint64_t speed_of = first->timed ? 0 : all;
  for (unsigned k = 0; first->timed && k < rt_devices(); k++)
    speed_of += rt_timed_cycles(&process.contexts[k]);
  fprintf(f, "program            %s\n", program_name());
  write_end(own, f);
  fprintf(f, "machine            %s\nlaunches           %llu\nwarp instructions  %llu",
          machine_name(first, machine, sizeof machine), (unsigned long long)c->launches,
          (unsigned long long)all);
  if (!target_is_elsewhere())
    write_kinds(&c->stats, f);
  fprintf(f,
          "\nhost time          %.3f s in kernels (%.3f M %s/s)\n"
          "host memory        %.0f MB at most\n",
          c->seconds, c->seconds > 0 ? 1e-6 * (double)speed_of / c->seconds : 0,
          first->timed ? "core cycles" : "warp instructions", 1e-6 * (double)host_memory());
  for (unsigned k = 0; k < rt_devices(); k++) {
    if (rt_devices() > 1)
      fprintf(f, "device %-11u %llu launches\n", k,
              (unsigned long long)process.contexts[k].launches);
    if (first->timed)
      rt_timed_report(&process.contexts[k], f);
    if (process.placer)
      placer_report(process.placer, f);
    arrays_report(process.contexts[k].arrays, f);
    target_report(&process.contexts[k], f);
    if (process.streams_made)
      engines_report(&process.contexts[k], order_until(&process.contexts[k]), f);
  }
}

static void cannot_write(const char *what) {
  const int e = errno;
  fflush(stdout);
  fprintf(stderr, "mpu: cannot write %s: %s\n", what, strerror(e));
  process.lost = true;
}

static void close_file(out_file *o, const char *name) {
  char what[600];
  snprintf(what, sizeof what, "'%.500s'", name);
  if (!o || !out_close(o))
    cannot_write(what);
}

static void close_finder(void) {
  const char *file = process.settings.place_out;
  if (!process.finder)
    return;
  out_file *o = out_open(file);
  if (o && !place_find_write(process.finder, out_stream(o)))
    rt_wrong("out of host memory");
  close_file(o, file);
  place_find_free(process.finder);
  process.finder = NULL;
}

static void close_placer(void) {
  const char *file = process.placer ? process.settings.place_report : NULL;
  out_file *o = file ? out_open(file) : NULL;
  if (o)
    placer_write(process.placer, out_stream(o));
  if (file)
    close_file(o, file);
  placer_free(process.placer);
  process.placer = NULL;
}

static bool begun, ending;  // the program

// The report and the files. The status of the program is its own, unless a launch failed, or
// something that was asked for could not be written.
static void end_of_program(int own) {
  const char *stats = process.settings.stats;
  ending = true;
  if (!begun)  // it was refused
    return;
  for (unsigned k = 0; k < rt_devices(); k++)
    rt_wait(&process.contexts[k]);
  fflush(stdout);
  rt_checkpoint_close(process.contexts);
  if (stats) {
    out_file *o = out_open(stats);
    if (o) {
      for (unsigned k = 0; k < rt_devices(); k++)
        rt_digest_rest(&process.contexts[k]);
      write_json(out_stream(o));
    }
    close_file(o, stats);
  }
  if (process.settings.report)
    write_report(own, stdout);
  if (process.trace)
    close_file(process.trace, process.settings.trace);
  close_finder();
  close_placer();
  races_close();
  if (!rt_observed(process.contexts))
    process.lost = true;
  if (!out_printed())
    cannot_write("to standard output");
  const int ended = rt_timed_interrupted();
  const int status = ended ? ended
                     : process.fault && process.settings.fault_status
                         ? (int)process.settings.fault_status
                     : process.lost && !own ? RT_WRONG
                                            : own;
  target_close();
  if (process.placement && !process.settings.quiet)
    placement_unused(process.placement, stderr);
  placement_free(process.placement);
  for (unsigned k = 0; k < rt_devices(); k++) {
    rt_context *c = &process.contexts[k];
    arrays_forget(c->arrays);
    named_forget(c);
    sim_free(c->timed);
    machine_free(c->m);
    c->timed = NULL;
    c->arrays = NULL;
    c->m = NULL;
    c->sticky = cudaErrorCudartUnloading;  // of calls that destructors still make
  }
  if (status != own) {
    fflush(NULL);
    _exit(status);
  }
}

static void at_end(int own, void *unused) {
  (void)unused;
  entry_begin();
  end_of_program(own);
  entry_end();
}

void mpu_report_result(int pass) {
  if (process.result != 0)  // one failure is a failure
    process.result = pass != 0;
}

// ---- start

void rt_wrong(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("mpu: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(RT_WRONG);
}

static machine_config configuration(unsigned device) {
  machine_config config = machine_config_default();
  const char *trace = process.settings.trace;
  config.max_instructions = process.settings.max_instructions;
  config.count_bytes = process.settings.count_bytes;
  if (trace) {
    process.trace = out_open(trace);
    if (!process.trace)
      rt_wrong("cannot write '%s': %s", trace, strerror(errno));
    config.trace = out_stream(process.trace);
  }
  if (process.settings.timed)
    rt_timed_config(&config);
  config.page_reads = execute_page_reads();
  const uint64_t share = config.memory_bytes / rt_devices();
  config.first = device * share, config.limit = config.first + share;
  return config;
}

// At the start of the process; a program's own constructors may come before.
static void read_settings(void) {
  static bool done;
  if (!done && settings_of_process(&process.settings, process.wrong, sizeof process.wrong))
    process.wrong[0] = 0;
  done = true;
}

const config *rt_machine(void) {
  read_settings();
  return &process.settings.machine;
}

unsigned rt_devices(void) {
  read_settings();
  const uint64_t n = process.settings.cards;
  return n == 0 ? 1 : n < RT_DEVICES ? (unsigned)n : RT_DEVICES;
}

static bool names_postmortem(const run_settings *s) {
  return s->postmortem && strcmp(s->postmortem, "none") != 0 && strcmp(s->postmortem, "auto") != 0;
}

// Refuses settings that observe one device when there are several.
static void check_several(void) {
  const run_settings *s = &process.settings;
  const struct {
    const char *text, *option;
  } one[] = {{s->checkpoint, "--checkpoint"},
             {s->trace, "--trace"},
             {s->retire, "--retire"},
             {s->profile, "mpu profile"},
             {s->timeline, "--timeline"},
             {s->interval, "--interval"},
             {s->debug, "mpu debug"},
             {s->wave_at, "--wave-at"},
             {s->wave_window, "--wave-window"},
             {names_postmortem(s) ? s->postmortem : NULL, "--postmortem"}};
  if (s->cards > RT_DEVICES)
    rt_wrong("--cards takes 1 to %d", RT_DEVICES);
  if (!target_is_card())
    rt_wrong("--cards needs --device card");
  for (size_t n = 0; n < sizeof one / sizeof *one; n++)
    if (s->cards > 1 && one[n].text)
      rt_wrong("%s observes one device; it does not go with --cards %u", one[n].option,
               (unsigned)s->cards);
}

// Refuses settings that need the machine in this process.
static void check_elsewhere(void) {
  const run_settings *s = &process.settings;
  const char *const given[] = {s->checkpoint, s->trace,    s->retire,
                               s->profile,    s->timeline, s->interval,
                               s->debug,      s->wave,     s->arrays ? "arrays" : NULL,
                               s->races};
  if (s->schedule || execute_page_reads())
    rt_wrong("MPU_DEVICE=%s: MPU_SCHEDULE and MPU_BOUNDS are for a machine in this process",
             s->device);
  for (size_t n = 0; n < sizeof given / sizeof *given; n++)
    if (given[n])
      rt_wrong(
          "MPU_DEVICE=%s: the machine is not in this process, and cannot be observed from "
          "here",
          s->device);
}

static bool make_machine(unsigned device) {
  rt_context *c = &process.contexts[device];
  const machine_config config = configuration(device);
  c->m = machine_new(&config);
  if (!c->m && device)
    rt_wrong("the host has no memory for %u devices", rt_devices());
  if (c->m && process.settings.timed)
    c->timed = rt_timed_start(c);
  execute_in_order(c->m);
  named_tell(c);
  if (c->m && process.settings.arrays)
    c->arrays = arrays_of_program(c->timed, c->m);
  return c->m;
}

static void open_placement(void) {
  char why[CONFIG_WHY];
  const run_settings *s = &process.settings;
  const placing how = placing_of(s->place);
  if (s->place_report && how != PLACING_AUTO)
    rt_wrong("--place-report is for --place auto");
  if (how == PLACING_PAPER)
    return;
  execute_check_placed();
  if (target_is_elsewhere() || target_is_card() || !s->timed)
    rt_wrong("--place is for the cycle-by-cycle machine of this process: not with --device");
  if (how == PLACING_AUTO && !(process.placer = placer_new(s->place_report)))
    rt_wrong("out of host memory");
  if (how == PLACING_FILE &&
      !(process.placement = placement_read(s->place, process.contexts->timed, why, sizeof why)))
    rt_wrong("%s", why);
}

void rt_place_hint(const char *lines) {
  const run_settings *s = &process.settings;
  const rt_context *c = rt_get();
  if (!c || !c->timed || target_is_elsewhere() || target_is_card() ||
      (s->place && placing_of(s->place) == PLACING_PAPER))
    return;
  execute_check_placed();
  if (!process.placement && !(process.placement = placement_new(c->timed)))
    rt_wrong("out of host memory");
  placement_hint(process.placement, lines, stderr);
}

static void accessed(void *finder, const machine_access *x) {
  place_find_access(finder, x->address, x->block, x->warp, x->writes);
}

static void open_finder(void) {
  const run_settings *s = &process.settings;
  if (!s->place_out)
    return;
  if (s->timed || s->arrays || target_is_elsewhere())
    rt_wrong("--place-out is for the functional machine: --near=none, without --arrays");
  if (!(process.finder = place_find_new(s->machine.machine.processors * s->machine.machine.cores)))
    rt_wrong("out of host memory");
  machine_set_accessed(process.contexts->m, accessed, process.finder);
}

static void make(void) {
  if (process.wrong[0])
    rt_wrong("%s", process.wrong);
  if (process.settings.cards)
    check_several();
  if (target_is_elsewhere())
    check_elsewhere();
  if (process.settings.count_bytes && (process.settings.timed || target_is_elsewhere()))
    rt_wrong("MPU_COUNT_BYTES is for the functional machine: MPU_NEAR=none, without MPU_DEVICE");
  process.digests = process.settings.stats != NULL;
  for (unsigned k = 0; !target_is_elsewhere() && k < rt_devices(); k++)
    if (!make_machine(k))
      return;
  open_placement();
  open_finder();
  races_open(process.contexts);
  target_open();
  for (unsigned k = 0; k < rt_devices(); k++)
    process.contexts[k].ready = true;
  if (process.contexts->timed)
    rt_checkpoint_open(process.contexts);
  else if (process.contexts->m)
    rt_observe_functional(process.contexts);
}

rt_context *rt_get(void) {
  read_settings();
  rt_context *c = &process.contexts[thread.current];
  if (!c->ready)
    make();
  return c->ready ? c : NULL;
}

// The report is due whatever the program does, also when it never touches the device. Before the
// program's own constructors: what exit() calls is then behind its destructors, which may free.
__attribute__((constructor(101))) static void at_start(void) {
  out_standard();  // before any file is opened
  read_settings();
  on_exit(at_end, NULL);
}

// Behind the constructors that load its device code.
__attribute__((constructor)) static void at_main(void) {
  begun = true;
}

// Once: what exit() calls may come here again.
static void end_if_interrupted(void) {
  if (ending || !rt_timed_interrupted())
    return;
  ending = true;
  exit(rt_timed_interrupted());
}

cudaError_t rt_settle(rt_context *c) {
  end_if_interrupted();
  rt_wait(c);
  return c->sticky;
}

bool rt_ready(rt_context **c, cudaError_t *e) {
  process.in_use = true;
  *c = rt_get();
  *e = *c ? rt_settle(*c) : cudaErrorInitializationError;
  return *e == cudaSuccess;
}

bool rt_device_exists(int device) {
  return device >= 0 && (unsigned)device < rt_devices();
}

cudaError_t rt_settle_current(void) {
  rt_context *c;
  cudaError_t e;
  rt_ready(&c, &e);
  return e;
}

cudaError_t rt_done(cudaError_t e) {
  if (e != cudaSuccess)
    thread.last = e;
  return e;
}

cudaError_t rt_error(machine_error e) {
  switch (e) {
    case MACHINE_OK:
      return cudaSuccess;
    case MACHINE_OUT_OF_MEMORY:
      return cudaErrorMemoryAllocation;
    case MACHINE_BAD_POINTER:
      return cudaErrorInvalidValue;
    case MACHINE_BAD_LAUNCH:
      return cudaErrorInvalidConfiguration;
    case MACHINE_OUT_OF_SHARED:
      return cudaErrorInvalidValue;
    case MACHINE_OUT_OF_REGISTERS:
      return cudaErrorLaunchOutOfResources;
    case MACHINE_FAULT_ADDRESS:
      return cudaErrorIllegalAddress;
    case MACHINE_FAULT_ALIGN:
      return cudaErrorMisalignedAddress;
    case MACHINE_FAULT_LIMIT:
      return cudaErrorLaunchTimeout;
    default:
      return cudaErrorLaunchFailure;
  }
}

rt_context *rt_context_of(const void *p) {
  uint64_t base, bytes;
  for (unsigned k = 0; k < rt_devices(); k++) {
    rt_context *c = &process.contexts[k];
    if (rt_mirror_find(c, p) || target_find(c, (uint64_t)(uintptr_t)p, &base, &bytes))
      return c;
  }
  return rt_get();
}

bool rt_is_device(const rt_context *c, const void *p) {
  uint64_t base, bytes;
  if (rt_mirror_find(c, p))
    return false;
  return target_find(c, (uint64_t)(uintptr_t)p, &base, &bytes) ||
         ((uint64_t)(uintptr_t)p >= ISA_WINDOW_CONST && (uint64_t)(uintptr_t)p < ISA_WINDOW_PARAM);
}

// ---- memory

// Of the variable that the call under way allocates for.
static bool name_of_call(char name[ARRAY_NAME]) {
  const rt_place *at = &thread.place;
  return at->file && array_name(at->file, at->line, at->column, at->call, name, ARRAY_NAME);
}

// Where the placement wants what is being allocated.
static placement_array placement_of_call(void) {
  char name[ARRAY_NAME];
  return process.placement && name_of_call(name) ? placement_of(process.placement, name)
                                                 : (placement_array){0};
}

// Copies lie behind the array, in room that it takes for them.
static uint64_t copies_behind(const rt_context *c, size_t bytes) {
  const uint64_t align = sim_copies_align(c->timed);
  return (bytes + align - 1) / align * align;
}

// Where there is no room for copies, there is one array.
static machine_error malloc_copied(rt_context *c, size_t bytes, bool *copied, uint64_t *address) {
  const uint64_t room = copies_behind(c, bytes) + sim_copies_room(c->timed, bytes);
  *copied = !machine_malloc_room(c->m, bytes, room, address);
  const machine_error e = *copied ? MACHINE_OK : target_malloc(c, bytes, address);
  if (!e && !*copied)
    fprintf(stderr,
            "mpu: no device memory for copies of an array: it lies as the machine places it\n");
  return e;
}

// With room for the digits that a launch may find.
static machine_error malloc_to_place(rt_context *c, size_t bytes, uint64_t *address) {
  const uint64_t room = placer_room(bytes, sim_cores(c->timed));
  char name[ARRAY_NAME];
  if (machine_malloc_room(c->m, bytes, room, address))
    return target_malloc(c, bytes, address);
  placer_allocated(process.placer, name_of_call(name) ? name : "", *address, bytes, room);
  return MACHINE_OK;
}

static machine_error allocate(rt_context *c, size_t bytes, uint64_t *address) {
  placement_array to = placement_of_call();
  const uint64_t room = to.lines ? sim_room(c->timed, to.lines, bytes) : bytes;
  machine_error e = to.copy          ? malloc_copied(c, bytes, &to.copy, address)
                    : to.lines       ? machine_malloc_room(c->m, bytes, room, address)
                    : process.placer ? malloc_to_place(c, bytes, address)
                                     : target_malloc(c, bytes, address);
  bool ok = true;
  if (!e && to.lines)
    ok = sim_place(c->timed, *address, room, to.lines);
  if (!e && to.copy)
    ok = sim_copy(c->timed, *address, bytes, *address + copies_behind(c, bytes));
  if (!ok)
    fprintf(stderr, "mpu: the table of regions is full: an array lies as the machine places it\n");
  return e;
}

machine_error rt_malloc(rt_context *c, size_t bytes, uint64_t *address) {
  if (c->allocation_count == c->allocation_capacity) {
    size_t capacity = c->allocation_capacity ? 2 * c->allocation_capacity : 64;
    uint64_t *more = realloc(c->allocations, capacity * sizeof *more);
    if (!more)
      return MACHINE_OUT_OF_MEMORY;
    c->allocations = more;
    c->allocation_capacity = capacity;
  }
  const machine_error e = allocate(c, bytes, address);
  if (!e) {
    c->allocations[c->allocation_count++] = *address;
    arrays_allocated(c->arrays, *address, bytes);
    named_allocated(c, *address, bytes);
    char name[ARRAY_NAME];
    if (process.finder && name_of_call(name))
      place_find_array(process.finder, name, *address, bytes);
  }
  return e;
}

machine_error rt_release(rt_context *c, uint64_t address) {
  for (size_t n = 0; n < c->allocation_count; n++)
    if (c->allocations[n] == address) {
      uint64_t base, bytes;
      if (target_find(c, address, &base, &bytes))
        rt_digest_add(c, base, bytes);
      c->allocations[n] = c->allocations[--c->allocation_count];
      arrays_released(c->arrays, address);
      named_released(c, address);
      if (c->timed)
        sim_unplace(c->timed, address);
      if (process.finder)
        place_find_gone(process.finder, address);
      if (process.placer)
        placer_released(process.placer, c->m, address);
      return target_release(c, address);
    }
  return MACHINE_BAD_POINTER;
}

static void program_reset(rt_context *c, rt_program *p) {
  const module *mod = p->mod;
  p->has_heap = false;
  for (uint32_t n = 0; n < mod->symbol_count; n++) {
    const module_symbol *s = &mod->symbols[n];
    uint64_t at = target_symbol(c, p, s);
    if (s->is_const)
      target_write(c, at, p->constants + s->offset, s->bytes);
    else if (s->offset + s->bytes <= mod->data_bytes)
      target_write(c, at, mod->data + s->offset, s->bytes);
    else
      target_fill(c, at, 0, s->bytes);
  }
}

void rt_reset(rt_context *c) {
  rt_wait(c);  // it may end with a fault
  while (c->allocation_count)
    rt_release(c, c->allocations[c->allocation_count - 1]);
  rt_mirrors_free(c);
  pool_forget((unsigned)(c - process.contexts));
  graph_memory_forget((unsigned)(c - process.contexts));
  rt_textures_forget(c);
  for (rt_program *p = c->programs; p; p = p->next)
    rt_digest_variables(c, p);
  target_reset(c);
  if (!target_is_elsewhere())
    rt_stack_apply(c);
  for (rt_program *p = c->programs; p; p = p->next)
    program_reset(c, p);
  c->sticky = thread.last = cudaSuccess;
}

// ---- programs

static rt_program *load_on(rt_context *c, const void *image, size_t bytes, const char **why) {
  static char text[300];
  *why = text;
  rt_program *p = calloc(1, sizeof *p);
  if (!c || !p) {
    snprintf(text, sizeof text, "out of host memory");
    free(p);
    return NULL;
  }
  p->mod = module_load(image, bytes, text, sizeof text);
  if (!p->mod) {
    free(p);
    return NULL;
  }
  p->constants = malloc(p->mod->constant_bytes + 1);
  if (p->constants && p->mod->constant_bytes)
    memcpy(p->constants, p->mod->constants, p->mod->constant_bytes);
  if (!p->constants || target_add(c, p, image, bytes)) {
    snprintf(text, sizeof text, "%s", p->constants ? target_message(c) : "out of host memory");
    free(p->constants);
    free(p);
    return NULL;
  }
  p->output = module_find_symbol(p->mod, "_ZN10mpu_outputILi0EE5wordsE");
  p->asserts = module_find_symbol(p->mod, "_ZN11mpu_assertsILi0EE5wordsE");
  p->heap = module_find_symbol(p->mod, "_ZN8mpu_heapILi0EE5stateE");
  p->context = c;
  p->next = c->programs;
  c->programs = p;
  if (!target_is_elsewhere())
    rt_stack_apply(c);
  return p;
}

rt_program *rt_load(const void *image, size_t bytes, const char **why) {
  rt_program *first = NULL, **twin = &first;
  *why = "out of host memory";
  if (!rt_get())
    return NULL;
  for (unsigned k = 0; k < rt_devices(); k++, twin = &(*twin)->twin) {
    rt_wait(&process.contexts[k]);
    if (!(*twin = load_on(&process.contexts[k], image, bytes, why)))
      return NULL;
  }
  return first;
}

rt_function *rt_find_function(const void *stub) {
  for (rt_function *f = process.contexts[thread.current].functions; f; f = f->next)
    if (f->stub == stub)
      return f;
  return NULL;
}

// Whether `p`, which may point anywhere, is the string `name`. Pages are looked at before they are
// touched.
static bool is_string(const char *p, const char *name) {
  unsigned char resident;
  for (size_t n = 0;; n++) {
    uintptr_t at = (uintptr_t)p + n;
    if ((n == 0 || at % 4096 == 0) && mincore((void *)(at & ~(uintptr_t)4095), 1, &resident))
      return false;
    if (p[n] != name[n])
      return false;
    if (!p[n])
      return true;
  }
}

rt_symbol *rt_find_symbol(const void *symbol) {
  rt_symbol *const all = process.contexts[thread.current].symbols;
  for (rt_symbol *s = all; s; s = s->next)
    if (s->shadow == symbol)
      return s;
  // old programs name symbols by strings
  for (rt_symbol *s = all; s && symbol; s = s->next)
    if (is_string(symbol, s->name))
      return s;
  return NULL;
}

// ---- launches

void rt_count(rt_context *c, launch_stats s) {
  launch_stats_add(&c->stats, s);
  c->launches++;
}

typedef struct clocks {
  double wall, processor;
} clocks;

static clocks clocks_now(void) {
  return (clocks){now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID)};
}

static void count_time(rt_context *c, clocks since) {
  const clocks until = clocks_now();
  c->seconds += until.wall - since.wall;
  c->cpu_seconds += until.processor - since.processor;
}

// One launch at a time has the line of the terminal.
static bool shows_progress(const rt_context *c) {
  for (unsigned k = 0; k < rt_devices(); k++)
    if (&process.contexts[k] != c && process.contexts[k].running.program)
      return false;
  return process.settings.progress && process.settings.terminal;
}

// Of arrays that a parameter points to.
static void renew_copies(rt_context *c, const rt_running *r) {
  for (uint32_t at = 0; at + sizeof(uint64_t) <= r->kernel->param_bytes; at += sizeof(uint64_t)) {
    uint64_t address;
    memcpy(&address, r->params + at, sizeof address);
    sim_copies_renew(c->timed, address, 1);
  }
}

static uint32_t elements(const uint32_t size[3]) {
  return size[0] * size[1] * size[2];
}

// Which blocks go where, and what to look at from now on.
static void place_launch(rt_context *c, const rt_running *r) {
  char *name =
      process.placement || process.placer || process.finder ? plain_name(r->kernel->name) : NULL;
  if (process.placer)
    placer_launch(process.placer, c, name ? name : r->kernel->name);
  const digits *blocks = process.placement ? placement_blocks(process.placement, name) : NULL;
  if (blocks || (process.placement && !process.placer))
    sim_place_blocks(c->timed, blocks);
  if (c->timed && thread.cooperative)  // each core has as many blocks as it holds
    sim_place_blocks(c->timed, NULL);
  if (c->timed)
    renew_copies(c, r);
  if (process.finder)
    place_find_launch(process.finder, name, elements(r->shape.grid),
                      (elements(r->shape.block) + ISA_LANES - 1) / ISA_LANES);
  free(name);
}

// Executes the launch, or begins to.
static machine_error begin(rt_context *c, bool *begun) {
  rt_running *r = &c->running;
  machine_error e = MACHINE_OK;
  rt_heap_give(c, r->program);
  arrays_launch(c->arrays, c);
  place_launch(c, r);
  if (c->checkpoint && !launch_check(c->m, r->kernel, &r->shape) &&
      rt_checkpoint_has(c, r->kernel, &r->shape, r->params, &e)) {
    launch *l;  // launches are numbered, this one too
    if (!launch_new(c->m, r->program->mod, r->kernel, &r->shape, r->params, r->kernel->param_bytes,
                    &l))
      launch_free(l);
    return e;
  }
  r->executed = true;
  if (c->timed)
    progress_begin(&c->progress, shows_progress(c) ? stderr : NULL, r->kernel->name);
  const clocks since = clocks_now();
  e = target_launch(c, r, begun);
  count_time(c, since);
  return e;
}

// What is due when it has ended with e, or was refused.
static machine_error end(rt_context *c, machine_error e) {
  const rt_running r = c->running;
  c->running = (rt_running){0};
  if (r.executed)
    progress_end(&c->progress);
  if (r.executed && c->launches != r.before) {
    if (c->timed)
      rt_timed_count(c, e);
    rt_checkpoint_add(c, r.kernel, &r.shape, r.params, e);
  }
  rt_events_happen(c);
  rt_mirrors_back(c);
  races_launched(c, r.kernel, e);
  rt_output_print(c, r.program);
  free(r.params);
  process.fault |= e >= MACHINE_BAD_LAUNCH;
  if (e >= MACHINE_FAULT_ADDRESS)  // as on a GPU, the context is lost
    c->sticky = thread.last = rt_asserts_print(c, r.program) ? cudaErrorAssert : rt_error(e);
  if (e && !process.settings.quiet && rt_timed_interrupted() != RT_WRONG) {
    fflush(stdout);
    fprintf(stderr, "mpu: %s\n", target_message(c));
    rt_textures_tell(c, r.program);
    rt_waves_tell();
  }
  end_if_interrupted();
  return e;
}

// Parameters that are addresses of managed variables, or in registered memory.
static void point_to_variables(rt_context *c, uint8_t *params, uint32_t bytes) {
  for (uint32_t at = 0; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
    uint64_t address;
    memcpy(&address, params + at, sizeof address);
    address = rt_mirror_address(c, address);
    memcpy(params + at, &address, sizeof address);
  }
}

// Of launches, and of what the machine does beside them.
static uint64_t whole_cycles(const rt_context *c) {
  return engines_run(c)
             ? sim_cycles(c->timed) + sim_transfers(c->timed).cycles + placer_cycles(process.placer)
             : 0;
}

machine_error rt_launch(rt_context *c, rt_program *p, const module_kernel *k,
                        const launch_shape *shape, void **args) {
  rt_wait(c);
  uint8_t *params = calloc(1, k->param_bytes + 1);
  if (!params)
    return MACHINE_OUT_OF_MEMORY;
  for (uint32_t n = 0; n < k->param_count; n++)
    memcpy(params + k->params[n].offset, args[n], k->params[n].bytes);
  point_to_variables(c, params, k->param_bytes);
  rt_mirrors_out(c);
  bool begun = false;
  c->running = (rt_running){p, k, *shape, params, c->launches, false};
  const uint64_t before = whole_cycles(c);
  const machine_error e = begin(c, &begun);
  order_work()->cycles += whole_cycles(c) - before;
  order_work()->kernel = k->name;
  // the host may access such memory while the kernel runs
  if (begun && (rt_has_mapped(c) || rt_pinned_argument(c, params, k->param_bytes)))
    return rt_wait(c);
  return begun ? MACHINE_OK : end(c, e);
}

machine_error rt_wait(rt_context *c) {
  if (!c->running.program)
    return MACHINE_OK;
  const clocks since = clocks_now();
  const machine_error e = target_wait(c);
  count_time(c, since);
  const machine_error ended = end(c, e);
  if (ended)
    thread.last = ended >= MACHINE_FAULT_ADDRESS ? c->sticky : rt_error(ended);
  return ended;
}

// ---- what the host binary calls before main

typedef struct fat_binary {
  uint32_t magic, version;
  const void *data;
  void *unused;
} fat_binary;

const void *rt_fit(const struct mpucc_image *i, FILE *messages, size_t *bytes, const char **why) {
  const run_settings *s = &process.settings;
  read_settings();
  const bool here = s->timed && !target_is_elsewhere();
  return fit_object(i, s->compile, here ? &s->machine : NULL, messages, bytes, why);
}

// The object in a program. NULL: *why.
static const void *object_of(const void *data, size_t *bytes, const char **why) {
  mpucc_image i;
  if (!mpucc_image_read(data, &i))
    return NULL;
  const void *object = rt_fit(&i, NULL, bytes, why);
  if (!object && !**why)
    exit(RT_WRONG);
  return object;
}

void **__cudaRegisterFatBinary(const void *wrapper) {
  const fat_binary *f = wrapper;
  const char *why = "not a fat binary of this front end";
  rt_program *p = NULL;
  size_t bytes;
  const void *object = f->magic == 0x466243b1 ? object_of(f->data, &bytes, &why) : NULL;
  if (object)
    p = rt_load(object, bytes, &why);
  if (!p) {
    fprintf(stderr, "mpu: the device code in this program cannot be used: %s\n", why);
    process.load_error = cudaErrorInvalidKernelImage;
  }
  return (void **)p;
}

void __cudaRegisterFatBinaryEnd(void **handle) {
  (void)handle;
}
void __cudaUnregisterFatBinary(void **handle) {
  (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device_stub, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp) {
  (void)device_stub, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
  for (rt_program *p = (rt_program *)handle; p; p = p->twin) {
    rt_function *f = malloc(sizeof *f);
    if (!f)
      return;
    *f = (rt_function){stub, p, module_find_kernel(p->mod, name), name, p->context->functions};
    p->context->functions = f;
  }
}

void __cudaRegisterVar(void **handle, char *shadow, char *device_name, const char *name, int ext,
                       size_t bytes, int constant, int global) {
  (void)device_name, (void)ext, (void)bytes, (void)constant, (void)global;
  for (rt_program *p = (rt_program *)handle; p; p = p->twin) {
    rt_symbol *s = malloc(sizeof *s);
    if (!s)
      return;
    *s = (rt_symbol){shadow, p, module_find_symbol(p->mod, name), name, p->context->symbols};
    p->context->symbols = s;
    rt_mirror_symbol(p->context, s);
  }
}

void __cudaRegisterManagedVar(void **handle, void **shadow, char *device_name, const char *name,
                              int ext, size_t bytes, int constant, int global) {
  (void)handle, (void)shadow, (void)device_name, (void)ext, (void)bytes, (void)constant,
      (void)global;
  fprintf(stderr, "mpu: the managed variable %s was compiled by another front end: use mpu cc\n",
          name);
  process.load_error = cudaErrorNotSupported;
}
