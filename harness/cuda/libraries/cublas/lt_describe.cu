// SPDX-License-Identifier: Apache-2.0
// cuBLASLt: handles, and descriptors with their attributes.
#include "lt.h"

struct attribute {
  int name;
  size_t at, bytes;
};
#define ATTRIBUTE(name, type, field) \
  { name, offsetof(type, field), sizeof(((type *)0)->field) }

#define LAYOUT(name, field) ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_##name, lt_layout, field)
static const attribute of_layout[] = {LAYOUT(TYPE, type),
                                      LAYOUT(ORDER, order),
                                      LAYOUT(ROWS, rows),
                                      LAYOUT(COLS, columns),
                                      LAYOUT(LD, ld),
                                      LAYOUT(BATCH_COUNT, count),
                                      LAYOUT(STRIDED_BATCH_OFFSET, next),
                                      LAYOUT(PLANE_OFFSET, plane),
                                      {-1, 0, 0}};
#define MATMUL(name, field) ATTRIBUTE(CUBLASLT_MATMUL_DESC_##name, lt_matmul, field)
static const attribute of_matmul[] = {MATMUL(COMPUTE_TYPE, compute),
                                      MATMUL(SCALE_TYPE, scale),
                                      MATMUL(POINTER_MODE, pointers),
                                      MATMUL(TRANSA, opa),
                                      MATMUL(TRANSB, opb),
                                      MATMUL(TRANSC, opc),
                                      MATMUL(FILL_MODE, fill),
                                      MATMUL(EPILOGUE, epilogue),
                                      MATMUL(BIAS_POINTER, bias),
                                      MATMUL(BIAS_BATCH_STRIDE, next_bias),
                                      MATMUL(EPILOGUE_AUX_POINTER, aux),
                                      MATMUL(EPILOGUE_AUX_LD, aux_ld),
                                      MATMUL(EPILOGUE_AUX_BATCH_STRIDE, next_aux),
                                      MATMUL(ALPHA_VECTOR_BATCH_STRIDE, next_alpha),
                                      MATMUL(SM_COUNT_TARGET, cores),
                                      MATMUL(A_SCALE_POINTER, of_8_bits[0]),
                                      MATMUL(B_SCALE_POINTER, of_8_bits[1]),
                                      MATMUL(C_SCALE_POINTER, of_8_bits[2]),
                                      MATMUL(D_SCALE_POINTER, of_8_bits[3]),
                                      MATMUL(AMAX_D_POINTER, of_8_bits[4]),
                                      MATMUL(EPILOGUE_AUX_SCALE_POINTER, of_8_bits[5]),
                                      MATMUL(EPILOGUE_AUX_AMAX_POINTER, of_8_bits[6]),
                                      MATMUL(EPILOGUE_AUX_DATA_TYPE, aux_type),
                                      MATMUL(FAST_ACCUM, fast),
                                      MATMUL(BIAS_DATA_TYPE, bias_type),
                                      {-1, 0, 0}};
#define PREFERENCE(name, field) ATTRIBUTE(CUBLASLT_MATMUL_PREF_##name, lt_preference, field)
static const attribute of_preference[] = {PREFERENCE(SEARCH_MODE, search),
                                          PREFERENCE(MAX_WORKSPACE_BYTES, bytes),
                                          PREFERENCE(REDUCTION_SCHEME_MASK, reductions),
                                          PREFERENCE(MIN_ALIGNMENT_A_BYTES, alignment[0]),
                                          PREFERENCE(MIN_ALIGNMENT_B_BYTES, alignment[1]),
                                          PREFERENCE(MIN_ALIGNMENT_C_BYTES, alignment[2]),
                                          PREFERENCE(MIN_ALIGNMENT_D_BYTES, alignment[3]),
                                          PREFERENCE(MAX_WAVES_COUNT, waves),
                                          PREFERENCE(IMPL_MASK, kinds),
                                          {-1, 0, 0}};

static const attribute *find(const attribute *all, int name) {
  while (all->name >= 0 && all->name != name)
    all++;
  return all->name < 0 ? NULL : all;
}

static cublasStatus_t set(void *descriptor, const attribute *all, int name, const void *value,
                          size_t bytes) {
  const attribute *a = find(all, name);
  NEED(descriptor && a && value && bytes == a->bytes);
  memcpy((char *)descriptor + a->at, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

// Without room, only how much is needed.
static cublasStatus_t get(const void *descriptor, const attribute *all, int name, void *value,
                          size_t bytes, size_t *written) {
  const attribute *a = find(all, name);
  NEED(descriptor && a && (bytes ? value && bytes == a->bytes : written != NULL));
  if (bytes)
    memcpy(value, (const char *)descriptor + a->at, bytes);
  if (written)
    *written = a->bytes;
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
static cublasStatus_t create(T **descriptor) {
  NEED(descriptor);
  *descriptor = (T *)malloc(sizeof **descriptor);
  return *descriptor ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

// Memory of the program, as one of our structures.
template <class T, class OPAQUE>
static T *clear(OPAQUE *descriptor) {
  static_assert(sizeof(T) <= sizeof(OPAQUE), "a descriptor has room for what it holds");
  memset(descriptor, 0, sizeof *descriptor);
  return (T *)descriptor;
}

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t *h) {
  return cublasCreate_v2((cublasHandle_t *)h);
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t h) {
  return cublasDestroy_v2((cublasHandle_t)h);
}
size_t cublasLtGetVersion(void) {
  return CUBLAS_VERSION;
}
size_t cublasLtGetCudartVersion(void) {
  return CUDART_VERSION;
}
cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value) {
  return cublasGetProperty(type, value);
}
const char *cublasLtGetStatusName(cublasStatus_t status) {
  return cublasGetStatusName(status);
}
const char *cublasLtGetStatusString(cublasStatus_t status) {
  return cublasGetStatusString(status);
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t bytes,
                                                 cudaDataType type, uint64_t rows, uint64_t columns,
                                                 int64_t ld) {
  NEED(layout && bytes >= sizeof *layout);
  lt_layout *l = clear<lt_layout>(layout);
  l->type = (uint32_t)type;
  l->rows = rows;
  l->columns = columns;
  l->ld = ld;
  l->count = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t ld) {
  const cublasStatus_t status = create(layout);
  return status ? status : cublasLtMatrixLayoutInit(*layout, type, rows, columns, ld);
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t bytes,
                                               cublasComputeType_t compute, cudaDataType scale) {
  NEED(desc && bytes >= sizeof *desc);
  lt_matmul *d = clear<lt_matmul>(desc);
  d->compute = compute;
  d->scale = scale;
  d->fill = CUBLAS_FILL_MODE_FULL;
  d->epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  d->bias_type = d->aux_type = -1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute,
                                        cudaDataType scale) {
  const cublasStatus_t status = create(desc);
  return status ? status : cublasLtMatmulDescInit(*desc, compute, scale);
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t pref,
                                                     size_t bytes) {
  NEED(pref && bytes >= sizeof *pref);
  lt_preference *p = clear<lt_preference>(pref);
  p->reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  for (int n = 0; n < 4; n++)
    p->alignment[n] = 256;
  p->kinds = ~0ull;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *pref) {
  const cublasStatus_t status = create(pref);
  return status ? status : cublasLtMatmulPreferenceInit(*pref);
}

#define OF_DESCRIPTOR(Name, name_type, attributes)                                           \
  cublasStatus_t cublasLt##Name##Destroy(cublasLt##Name##_t descriptor) {                    \
    free(descriptor);                                                                        \
    return CUBLAS_STATUS_SUCCESS;                                                            \
  }                                                                                          \
  cublasStatus_t cublasLt##Name##SetAttribute(cublasLt##Name##_t descriptor, name_type name, \
                                              const void *value, size_t bytes) {             \
    return set(descriptor, attributes, name, value, bytes);                                  \
  }                                                                                          \
  cublasStatus_t cublasLt##Name##GetAttribute(cublasLt##Name##_t descriptor, name_type name, \
                                              void *value, size_t bytes, size_t *written) {  \
    return get(descriptor, attributes, name, value, bytes, written);                         \
  }
OF_DESCRIPTOR(MatrixLayout, cublasLtMatrixLayoutAttribute_t, of_layout)
OF_DESCRIPTOR(MatmulDesc, cublasLtMatmulDescAttributes_t, of_matmul)
OF_DESCRIPTOR(MatmulPreference, cublasLtMatmulPreferenceAttributes_t, of_preference)
}
