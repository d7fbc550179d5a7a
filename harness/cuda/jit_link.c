// SPDX-License-Identifier: Apache-2.0
// Links of the driver API: PTX and relocatable device code become one object.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "harness/base/user_error.h"
#include "driver_api.h"
#include "jit.h"
#include "kernels/mpucc/image.h"
#include "kernels/mpucc/ptx_link.h"

struct CUlinkState_st {
  ptx_unit *units;  // with names and texts of their own
  size_t count;
  jit j;
};

static char *copy_of(const char *from, size_t bytes) {
  char *to = malloc(bytes + 1);
  if (!to)
    abort();
  memcpy(to, from, bytes);
  to[bytes] = 0;
  return to;
}

CUresult cuLinkCreate(unsigned int options, CUjit_option *names, void **values,
                      CUlinkState *state) {
  if (driver_needs_context())
    return driver_needs_context();
  if (!state || (options && (!names || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  *state = calloc(1, sizeof **state);
  if (!*state)
    return CUDA_ERROR_OUT_OF_MEMORY;
  (*state)->j = jit_of(options, names, values);
  return CUDA_SUCCESS;
}

static void add_unit(CUlinkState s, const char *name, const char *ptx, size_t bytes) {
  ptx_unit *units = realloc(s->units, (s->count + 1) * sizeof *units);
  if (!units)
    abort();
  s->units = units;
  units[s->count++] = (ptx_unit){copy_of(name, strlen(name)), copy_of(ptx, bytes), bytes};
}

// Of nvcc -rdc=true -cubin, and of objects and archives with such code: all that is in it.
static bool add_relocatable(CUlinkState s, const char *name, const char *data, size_t bytes) {
  const size_t before = s->count;
  mpucc_image i;
  for (size_t from = 0; (from = mpucc_relocatable_find(data, bytes, from, &i));)
    add_unit(s, name, i.ptx, i.ptx_bytes);
  return s->count > before;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                       const char *name, unsigned int options, CUjit_option *names, void **values) {
  (void)names, (void)values;
  if (!state || !data || !bytes || options || type > CU_JIT_INPUT_LIBRARY)
    return CUDA_ERROR_INVALID_VALUE;
  name = name ? name : "unnamed";
  if (type != CU_JIT_INPUT_PTX)
    return add_relocatable(state, name, data, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
  add_unit(state, name, data, strnlen(data, bytes));
  return CUDA_SUCCESS;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                       unsigned int options, CUjit_option *names, void **values) {
  size_t bytes;
  if (!state || !path)
    return CUDA_ERROR_INVALID_VALUE;
  char *data = file_contents(path, &bytes);
  if (!data)
    return CUDA_ERROR_FILE_NOT_FOUND;
  const CUresult e = cuLinkAddData(state, type, data, bytes, path, options, names, values);
  free(data);
  return e;
}

CUresult cuLinkComplete(CUlinkState state, void **object, size_t *bytes) {
  char *ptx = NULL, *said = NULL;
  size_t ptx_bytes, said_bytes, object_bytes;
  if (!state || !object)
    return CUDA_ERROR_INVALID_VALUE;
  FILE *to = open_memstream(&ptx, &ptx_bytes), *messages = open_memstream(&said, &said_bytes);
  if (!to || !messages)
    return CUDA_ERROR_OUT_OF_MEMORY;
  const bool linked = state->count && ptx_link(state->units, state->count, to, messages);
  fclose(to);
  fclose(messages);
  jit_say(&state->j, state->count ? said : "nothing to link\n", linked);
  *object =
      linked ? (void *)(uintptr_t)jit_compile(ptx, ptx_bytes, &state->j, &object_bytes) : NULL;
  if (*object && bytes)
    *bytes = object_bytes;
  free(ptx);
  free(said);
  return *object ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

CUresult cuLinkDestroy(CUlinkState state) {
  if (!state)
    return CUDA_ERROR_INVALID_HANDLE;
  for (size_t n = 0; n < state->count; n++) {
    free((char *)(uintptr_t)state->units[n].name);
    free((char *)(uintptr_t)state->units[n].text);
  }
  free(state->units);
  free(state);
  return CUDA_SUCCESS;
}
