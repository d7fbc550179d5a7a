// SPDX-License-Identifier: Apache-2.0
// The functions that programs call: plans by their handles.
#include <mutex>

#include "plan.h"

enum { PLANS = 4096 };

static plan *plans[PLANS];
static std::mutex plans_lock;

static plan *find(cufftHandle handle) {
  return handle > 0 && handle < PLANS ? plans[handle] : NULL;
}

int nearbank_cufft_type(cufftHandle handle) {
  const plan *p = find(handle);
  return p && p->made ? p->type : 0;
}

static bool is_type(cufftType t) {
  return t == CUFFT_C2C || t == CUFFT_R2C || t == CUFFT_C2R || t == CUFFT_Z2Z || t == CUFFT_D2Z ||
         t == CUFFT_Z2D;
}

// `embed` NULL: without gaps.
static layout layout_of(int rank, const int *embed, int stride, int distance) {
  layout l = {embed != NULL, stride, distance, {}};
  for (int k = 0; k < rank && embed; k++)
    l.embed[k] = embed[k];
  return l;
}

static cufftResult make(cufftHandle handle, int rank, const int *n, layout in, layout out,
                        cufftType type, int batch, size_t *bytes) {
  plan *p = find(handle);
  if (!p || p->made)
    return CUFFT_INVALID_PLAN;
  if (!is_type(type))
    return CUFFT_INVALID_TYPE;
  if (rank < 1 || rank > RANK || batch < 1 || !n)
    return CUFFT_INVALID_SIZE;
  for (int k = 0; k < RANK; k++) {
    p->n[k] = k < rank ? n[k] : 1;
    if (p->n[k] < 1 || p->n[k] > 1 << 28)
      return CUFFT_INVALID_SIZE;
  }
  p->rank = rank;
  p->batch = batch;
  p->type = type;
  p->is_double = type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
  p->in = in;
  p->out = out;
  const cufftResult result = nearbank_cufft_prepare(p);
  p->made = !result;
  if (bytes)
    *bytes = p->bytes;
  return result;
}

// In one step: there is no plan when it fails.
static cufftResult create_and_make(cufftHandle *handle, int rank, const int *n, layout in,
                                   layout out, cufftType type, int batch) {
  cufftResult result = cufftCreate(handle);
  if (result)
    return result;
  result = make(*handle, rank, n, in, out, type, batch, NULL);
  if (result)
    cufftDestroy(*handle);
  return result;
}

extern "C" {

cufftResult cufftCreate(cufftHandle *handle) {
  if (!handle)
    return CUFFT_INVALID_VALUE;
  const std::lock_guard<std::mutex> guard(plans_lock);
  for (int k = 1; k < PLANS; k++)
    if (!plans[k]) {
      plans[k] = (plan *)calloc(1, sizeof *plans[k]);
      if (!plans[k])
        return CUFFT_ALLOC_FAILED;
      plans[k]->own_work = true;
      *handle = k;
      return CUFFT_SUCCESS;
    }
  return CUFFT_ALLOC_FAILED;
}

cufftResult cufftDestroy(cufftHandle handle) {
  const std::lock_guard<std::mutex> guard(plans_lock);
  plan *p = find(handle);
  if (!p)
    return CUFFT_INVALID_PLAN;
  nearbank_cufft_release(p);
  free(p);
  plans[handle] = NULL;
  return CUFFT_SUCCESS;
}

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch) {
  return create_and_make(plan, 1, &nx, layout(), layout(), type, batch);
}
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type) {
  const int n[] = {nx, ny};
  return create_and_make(plan, 2, n, layout(), layout(), type, 1);
}
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type) {
  const int n[] = {nx, ny, nz};
  return create_and_make(plan, 3, n, layout(), layout(), type, 1);
}
cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist,
                          int *onembed, int ostride, int odist, cufftType type, int batch) {
  if (rank < 1 || rank > RANK)
    return CUFFT_INVALID_SIZE;
  return create_and_make(plan, rank, n, layout_of(rank, inembed, istride, idist),
                         layout_of(rank, onembed, ostride, odist), type, batch);
}

cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *bytes) {
  return make(plan, 1, &nx, layout(), layout(), type, batch, bytes);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *bytes) {
  const int n[] = {nx, ny};
  return make(plan, 2, n, layout(), layout(), type, 1, bytes);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type,
                            size_t *bytes) {
  const int n[] = {nx, ny, nz};
  return make(plan, 3, n, layout(), layout(), type, 1, bytes);
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride,
                              int idist, int *onembed, int ostride, int odist, cufftType type,
                              int batch, size_t *bytes) {
  if (rank < 1 || rank > RANK)
    return CUFFT_INVALID_SIZE;
  return make(plan, rank, n, layout_of(rank, inembed, istride, idist),
              layout_of(rank, onembed, ostride, odist), type, batch, bytes);
}

cufftResult cufftGetSize(cufftHandle handle, size_t *bytes) {
  const plan *p = find(handle);
  if (!p)
    return CUFFT_INVALID_PLAN;
  if (!bytes)
    return CUFFT_INVALID_VALUE;
  *bytes = p->bytes;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int own) {
  plan *p = find(handle);
  if (!p || p->made)
    return CUFFT_INVALID_PLAN;
  p->own_work = own != 0;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void *work) {
  plan *p = find(handle);
  if (!p)
    return CUFFT_INVALID_PLAN;
  if (p->own_work)
    cudaFree(p->work);
  p->own_work = false;
  p->work = work;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  plan *p = find(handle);
  if (!p)
    return CUFFT_INVALID_PLAN;
  p->stream = stream;
  return CUFFT_SUCCESS;
}

static cufftResult execute(cufftHandle handle, cufftType type, void *in, void *out, int direction) {
  const plan *p = find(handle);
  if (!p || !p->made)
    return CUFFT_INVALID_PLAN;
  if (p->type != type)
    return CUFFT_INVALID_TYPE;
  if (!in || !out || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
    return CUFFT_INVALID_VALUE;
  return nearbank_cufft_execute(p, in, out, direction == CUFFT_INVERSE);
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction) {
  return execute(plan, CUFFT_C2C, in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out) {
  return execute(plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out) {
  return execute(plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out,
                         int direction) {
  return execute(plan, CUFFT_Z2Z, in, out, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out) {
  return execute(plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out) {
  return execute(plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}

cufftResult cufftGetVersion(int *version) {
  if (!version)
    return CUFFT_INVALID_VALUE;
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value) {
  if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
    return CUFFT_INVALID_VALUE;
  *value = type == MAJOR_VERSION   ? CUFFT_VER_MAJOR
           : type == MINOR_VERSION ? CUFFT_VER_MINOR
                                   : CUFFT_VER_PATCH;
  return CUFFT_SUCCESS;
}
}
