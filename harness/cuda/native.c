// SPDX-License-Identifier: Apache-2.0
// The native API: mpu.h.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "harness/cuda/include/mpu_place.h"
#include "order.h"
#include "rt.h"
#include "target.h"

struct mpu_kernel {
  rt_program *program;
  const module_kernel *kernel;
  mpu_kernel *next;
};

static _Thread_local char message[4096];
static mpu_kernel *kernels;  // handles given out; they live as long as the process

static mpu_status fail(mpu_status s, const char *what) {
  snprintf(message, sizeof message, "%s", what);
  return s;
}

static mpu_status from_machine(rt_context *c, machine_error e) {
  switch (e) {
    case MACHINE_OK:
      return MPU_SUCCESS;
    case MACHINE_OUT_OF_MEMORY:
      return fail(MPU_ERROR_MEMORY, target_message(c));
    case MACHINE_BAD_POINTER:
      return fail(MPU_ERROR_POINTER, target_message(c));
    case MACHINE_BAD_LAUNCH:
    case MACHINE_OUT_OF_REGISTERS:
    case MACHINE_OUT_OF_SHARED:
      return fail(MPU_ERROR_LAUNCH, target_message(c));
    default:
      return fail(MPU_ERROR_FAULT, target_message(c));
  }
}

static rt_context *device(mpu_status *s) {
  rt_context *c = rt_get();
  if (c)
    rt_wait(c);
  else
    *s = fail(MPU_ERROR_MEMORY, "the host has no memory for a device");
  return c;
}

const char *mpu_message(void) {
  return message;
}

const char *mpu_error_string(mpu_status s) {
  static const char *const texts[] = {"success",
                                      "invalid argument",
                                      "out of device memory",
                                      "not inside one allocation of device memory",
                                      "the object cannot be read or is damaged",
                                      "no such kernel",
                                      "the launch does not fit the machine",
                                      "the kernel ended with a fault"};
  return (unsigned)s < sizeof texts / sizeof *texts ? texts[s] : "unknown status";
}

void mpu_allocates(const char *call, const char *file, int line, int column) {
  thread.place = (rt_place){call, file, line, column};
}

void mpu_place(const char *lines) {
  if (lines)
    rt_place_hint(lines);
}

mpu_status mpu_malloc(void **p, size_t bytes) {
  mpu_status s = MPU_SUCCESS;
  uint64_t at;
  rt_context *c = device(&s);
  if (!c)
    return s;
  if (!p || bytes == 0)
    return fail(MPU_ERROR_ARGUMENT, "mpu_malloc needs a place for the pointer and a size");
  s = from_machine(c, rt_malloc(c, bytes, &at));
  if (s == MPU_SUCCESS)
    *p = (void *)(uintptr_t)at;
  return s;
}

mpu_status mpu_free(void *p) {
  mpu_status s = MPU_SUCCESS;
  rt_context *c = device(&s);
  return !c || !p ? s : from_machine(c, rt_release(c, (uint64_t)(uintptr_t)p));
}

mpu_status mpu_memcpy(void *to, const void *from, size_t bytes, mpu_direction direction) {
  mpu_status s = MPU_SUCCESS;
  uint64_t d = (uint64_t)(uintptr_t)to, f = (uint64_t)(uintptr_t)from;
  rt_context *c = device(&s);
  if (!c || bytes == 0)
    return s;
  if (!to || !from)
    return fail(MPU_ERROR_ARGUMENT, "mpu_memcpy got a null pointer");
  order_begin();
  engines_work *w = order_work();
  machine_error e = MACHINE_OK;
  switch (direction) {
    case Host2Device:
      w->bytes_down += bytes;
      e = target_write(c, d, from, bytes);
      break;
    case Device2Host:
      w->bytes_up += bytes;
      e = target_read(c, to, f, bytes);
      break;
    case Device2Device:
      w->bytes_copied += bytes;
      e = target_copy(c, d, f, bytes);
      break;
    default:
      order_end(cudaErrorInvalidMemcpyDirection);
      return fail(MPU_ERROR_ARGUMENT, "mpu_memcpy got an unknown direction");
  }
  order_end(rt_error(e));
  return from_machine(c, e);
}

mpu_status mpu_memset(void *to, int value, size_t bytes) {
  mpu_status s = MPU_SUCCESS;
  rt_context *c = device(&s);
  if (!c)
    return s;
  order_begin();
  order_work()->bytes_filled += bytes;
  const machine_error e = target_fill(c, (uint64_t)(uintptr_t)to, (uint8_t)value, bytes);
  order_end(rt_error(e));
  return from_machine(c, e);
}

mpu_status mpu_load_image(const void *image, size_t bytes) {
  const char *why;
  if (!image)
    return fail(MPU_ERROR_ARGUMENT, "mpu_load_image got a null pointer");
  return rt_load(image, bytes, &why) ? MPU_SUCCESS : fail(MPU_ERROR_FILE, why);
}

mpu_status mpu_load(const char *file) {
  FILE *f = file ? fopen(file, "rb") : NULL;
  char *image = NULL;
  size_t bytes = 0, capacity = 0, got = 1;
  if (!f) {
    snprintf(message, sizeof message, "cannot read '%s': %s", file ? file : "", strerror(errno));
    return file ? MPU_ERROR_FILE : MPU_ERROR_ARGUMENT;
  }
  while (got) {
    if (bytes == capacity) {
      char *more = realloc(image, capacity = 2 * capacity + 65536);
      if (!more)
        break;
      image = more;
    }
    got = fread(image + bytes, 1, capacity - bytes, f);
    bytes += got;
  }
  fclose(f);
  mpu_status s = mpu_load_image(image, bytes);
  free(image);
  return s;
}

mpu_status mpu_find_kernel(const char *name, mpu_kernel **kernel) {
  rt_context *c = rt_get();
  if (!name || !kernel)
    return fail(MPU_ERROR_ARGUMENT, "mpu_find_kernel got a null pointer");
  for (rt_program *p = c ? c->programs : NULL; p; p = p->next) {
    const module_kernel *k = module_find_kernel(p->mod, name);
    mpu_kernel *made = k ? malloc(sizeof *made) : NULL;
    if (!made)
      continue;
    *made = (mpu_kernel){p, k, kernels};
    *kernel = kernels = made;
    return MPU_SUCCESS;
  }
  snprintf(message, sizeof message, "no loaded object has a kernel '%s'", name);
  return MPU_ERROR_KERNEL;
}

mpu_status mpu_find_symbol(const char *name, void **address, size_t *bytes) {
  rt_context *c = rt_get();
  if (!name || !address)
    return fail(MPU_ERROR_ARGUMENT, "mpu_find_symbol got a null pointer");
  for (rt_program *p = c ? c->programs : NULL; p; p = p->next) {
    const module_symbol *s = module_find_symbol(p->mod, name);
    if (!s)
      continue;
    *address = (void *)(uintptr_t)target_symbol(c, p, s);
    if (bytes)
      *bytes = s->bytes;
    return MPU_SUCCESS;
  }
  snprintf(message, sizeof message, "no loaded object has a variable '%s'", name);
  return MPU_ERROR_POINTER;
}

mpu_status mpu_launch(const mpu_kernel *kernel, mpu_dims grid, mpu_dims block, size_t shared,
                      void **args) {
  mpu_status s = MPU_SUCCESS;
  rt_context *c = device(&s);
  const mpu_kernel *k = kernels;
  if (!c)
    return s;
  while (k && k != kernel)
    k = k->next;
  if (!k)
    return fail(MPU_ERROR_KERNEL, "mpu_launch got a handle that mpu_find_kernel did not give");
  if ((k->kernel->param_count && !args) || shared > UINT32_MAX)
    return fail(MPU_ERROR_ARGUMENT, "mpu_launch needs arguments, and a sensible size");
  launch_shape shape = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, (uint32_t)shared};
  order_begin();
  machine_error e = rt_launch(c, k->program, k->kernel, &shape, args);
  order_end(e < MACHINE_FAULT_ADDRESS ? rt_error(e) : cudaSuccess);
  e = e ? e : rt_wait(c);
  order_wait_device(c);
  return from_machine(c, e);
}
