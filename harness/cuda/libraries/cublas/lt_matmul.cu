// SPDX-License-Identifier: Apache-2.0
// cuBLASLt: the product. It goes to D at once where nothing follows it, else to memory of the
// handle, of which nearbank_finish makes D.
#include "lt.h"
#include "mixed.h"

struct lt_call {
  const lt_matmul *desc;
  const lt_layout *la, *lb, *lc, *ld;
  const void *alpha, *a, *b, *beta, *c;
  void *d;
  lt_sizes size;
};

static size_t bytes_of(uint32_t type) {
  return type == CUDA_R_64F ? 8 : nearbank_mixed_size((cudaDataType)type);
}
static void *shifted(const void *at, int64_t elements, uint32_t type) {
  return (char *)at + elements * (int64_t)bytes_of(type);
}
// Matrix z of a batch. One that is stored by rows is its transpose, by columns.
static operand operand_of(const void *at, const lt_layout *l, int z) {
  const bool by_rows = l->order == CUBLASLT_ORDER_ROW;
  return {shifted(at, z * l->next, l->type), (cudaDataType)l->type,
          (int)(by_rows ? l->columns : l->rows), (int)(by_rows ? l->rows : l->columns), (int)l->ld};
}
static place place_of(const void *at, const lt_layout *l, int z) {
  const bool by_rows = l->order == CUBLASLT_ORDER_ROW;
  return {shifted(at, z * l->next, l->type), (cudaDataType)l->type, by_rows ? l->ld : 1,
          by_rows ? 1 : l->ld};
}

static matrix<float> numbers(cublasHandle_t h, const operand &a, float *room) {
  return nearbank_floats(h, a, room);
}
static matrix<double> numbers(cublasHandle_t, const operand &a, double *) {
  return matrix_of((double *)a.at, a.ld);
}
template <class T>
static matrix<const T> read_by(cublasHandle_t h, const operand &a, const lt_layout *l, int op,
                               T *room) {
  const matrix<const T> m = constant(numbers(h, a, room));
  return with(l->order == CUBLASLT_ORDER_ROW ? transposed(m) : m, (cublasOperation_t)op);
}

static cublasStatus_t factor_at(cublasHandle_t h, const lt_call &p, const void *at,
                                factor<float> *f) {
  return nearbank_factor(h, at, p.desc->scale == CUDA_R_16F, f);
}
static cublasStatus_t factor_at(cublasHandle_t h, const lt_call &, const void *at,
                                factor<double> *f) {
  *f = factor_of(h, (const double *)at);
  return CUBLAS_STATUS_SUCCESS;
}

// Which factors are vectors; the others' values, or places.
template <class T>
struct factors {
  factor<T> alpha, beta;
  const T *alphas, *betas;
};
template <class T>
static cublasStatus_t read_factors(cublasHandle_t h, const lt_call &p, int z, factors<T> *f) {
  const int mode = p.desc->pointers;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  *f = {factor_is((T)1), factor_is((T)0), NULL, NULL};
  h->pointers =
      mode == CUBLASLT_POINTER_MODE_DEVICE ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST;
  if (mode <= CUBLASLT_POINTER_MODE_DEVICE)
    status = factor_at(h, p, p.alpha, &f->alpha);
  else
    f->alphas = (const T *)p.alpha + z * p.desc->next_alpha;
  if (mode == CUBLASLT_POINTER_MODE_DEVICE_VECTOR)
    f->betas = (const T *)p.beta;
  else if (mode != CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO && !status)
    status = factor_at(h, p, p.beta, &f->beta);
  return status;
}

template <class T>
static bool is_direct(const lt_call &p, const factors<T> &f) {
  const bool same = p.c == p.d || (!f.beta.at && f.beta.value == 0);
  return same && !f.alphas && p.desc->epilogue == CUBLASLT_EPILOGUE_DEFAULT &&
         bytes_of(p.ld->type) == sizeof(T);
}

static place bias_of(const lt_call &p, int z) {
  const int type = p.desc->bias_type < 0 ? (int)p.ld->type : p.desc->bias_type;
  return {shifted(p.desc->bias, z * p.desc->next_bias, (uint32_t)type), (cudaDataType)type, 1, 0};
}
// Numbers, or bits: then the distance to the next of a batch is one of bits, too.
static place aux_of(const lt_call &p, int z) {
  const bool bits = (p.desc->epilogue & (RELU | DRELU)) != 0;
  const int type = p.desc->aux_type < 0 ? (int)p.ld->type : p.desc->aux_type;
  void *at = bits ? (char *)p.desc->aux + z * p.desc->next_aux / 8
                  : shifted(p.desc->aux, z * p.desc->next_aux, (uint32_t)type);
  return {at, (cudaDataType)type, 1, p.desc->aux_ld};
}

template <class T>
static cublasStatus_t multiply(cublasHandle_t h, const lt_call &p, int z) {
  const operand oa = operand_of(p.a, p.la, z), ob = operand_of(p.b, p.lb, z);
  const int m = p.size.m, n = p.size.n, k = p.size.k;
  const unsigned epilogue = p.desc->epilogue;
  factors<T> f;
  cublasStatus_t status = read_factors(h, p, z, &f);
  if (status)
    return status;
  NEED(p.c || (!f.betas && !f.beta.at && f.beta.value == 0));
  const bool direct = is_direct(p, f);
  const size_t of_sum = direct ? 0 : (size_t)m * (size_t)n, of_a = nearbank_floats_room(oa);
  const size_t room = of_sum + of_a + nearbank_floats_room(ob);
  T *sum = room ? (T *)nearbank_cublas_work(h, room * sizeof(T)) : NULL;
  if (room && !sum)
    return CUBLAS_STATUS_ALLOC_FAILED;
  const matrix<const T> a = read_by(h, oa, p.la, p.desc->opa, sum + of_sum);
  const matrix<const T> b = read_by(h, ob, p.lb, p.desc->opb, sum + of_sum + of_a);
  const place d = place_of(p.d, p.ld, z);
  const matrix<T> c = direct ? matrix<T>{(T *)d.at, d.row, d.column} : matrix_of(sum, m);
  status = nearbank_product(
      h, product_of(m, n, k, f.alpha, a, b, direct ? f.beta : factor_is((T)0), c), 1);
  if (!direct && !status)
    status = nearbank_finish(h, finish<T>{m, n, epilogue, c, f.beta, f.alphas, f.betas,
                                          place_of(p.c, p.lc, z), d, bias_of(p, z), aux_of(p, z)});
  if (status)
    return status;
  return epilogue & BGRAD    ? nearbank_row_sums(h, constant(c), m, n, bias_of(p, z))
         : epilogue & BGRADA ? nearbank_row_sums(h, a, m, k, bias_of(p, z))
         : epilogue & BGRADB ? nearbank_row_sums(h, transposed(b), n, k, bias_of(p, z))
                             : status;
}

static cublasStatus_t check_addresses(const lt_call &p) {
  const unsigned epilogue = p.desc->epilogue;
  const bool in_place = p.c != p.d || memcmp(p.lc, p.ld, sizeof *p.lc) == 0;
  NEED(p.alpha && p.a && p.b && p.d && in_place);
  NEED(p.beta || p.desc->pointers == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO);
  NEED(!(epilogue & (BIAS | BGRAD | BGRADA | BGRADB)) || p.desc->bias);
  NEED(!(epilogue & AUX) || p.desc->aux);
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasLtMatmul(cublasLtHandle_t lt, cublasLtMatmulDesc_t desc,
                                         const void *alpha, const void *a,
                                         cublasLtMatrixLayout_t a_layout, const void *b,
                                         cublasLtMatrixLayout_t b_layout, const void *beta,
                                         const void *c, cublasLtMatrixLayout_t c_layout, void *d,
                                         cublasLtMatrixLayout_t d_layout,
                                         const cublasLtMatmulAlgo_t *algo, void *, size_t,
                                         cudaStream_t stream) {
  NEED_HANDLE(lt);
  lt_call p = {(const lt_matmul *)desc,
               (const lt_layout *)a_layout,
               (const lt_layout *)b_layout,
               (const lt_layout *)c_layout,
               (const lt_layout *)d_layout,
               alpha,
               a,
               b,
               beta,
               c,
               d,
               {}};
  cublasStatus_t status = nearbank_lt_check(p.desc, p.la, p.lb, p.lc, p.ld, &p.size);
  if (!status)
    status = check_addresses(p);
  if (status)
    return status;
  NEED(!algo || algo->data[0] == ALGORITHM);
  if (p.size.m == 0 || p.size.n == 0)
    return CUBLAS_STATUS_SUCCESS;
  cublasHandle_t h = &lt->blas;
  const cudaStream_t stream_of_handle = h->stream;
  const cublasPointerMode_t pointers_of_handle = h->pointers;
  h->stream = stream;
  for (int z = 0; z < p.size.count && !status; z++)
    status = p.desc->scale == CUDA_R_64F ? multiply<double>(h, p, z) : multiply<float>(h, p, z);
  h->stream = stream_of_handle;
  h->pointers = pointers_of_handle;
  return status;
}
