// SPDX-License-Identifier: Apache-2.0
// cuBLASLt beside OpenBLAS: products of each type, order, transposition and batch, each epilogue,
// all modes of factors; layouts with gaps; what is refused. What follows a product is computed
// here.
#include <cblas.h>
#include <cublasLt.h>
#include <cuda_bf16.h>

#include "both.h"

static cublasLtHandle_t h;

static void fill(__half &v) {
  v = __half((float)random_number());
}
static void fill(__nv_bfloat16 &v) {
  v = __nv_bfloat16((float)random_number());
}
static double magnitude(__half v) {
  return fabsf((float)v);
}
static double magnitude(__nv_bfloat16 v) {
  return fabsf((float)v);
}
static double distance(__half a, __half b) {
  return fabsf((float)a - (float)b);
}
static double distance(__nv_bfloat16 a, __nv_bfloat16 b) {
  return fabsf((float)a - (float)b);
}
static double precision(__half) {
  return 5e-4 / 16;  // results are rounded once
}
static double precision(__nv_bfloat16) {
  return 4e-3 / 16;
}

template <class T>
struct kind;
#define KIND(T, t, s)                       \
  template <>                               \
  struct kind<T> {                          \
    static constexpr cudaDataType type = t; \
    typedef s sum;                          \
  }
KIND(float, CUDA_R_32F, float);
KIND(double, CUDA_R_64F, double);
KIND(__half, CUDA_R_16F, float);
KIND(__nv_bfloat16, CUDA_R_16BF, float);

static void expect(const char *what, cublasStatus_t status, cublasStatus_t expected) {
  checked++;
  if (status == expected)
    return;
  printf("FAILED: %s: %s, not %s\n", what, cublasLtGetStatusName(status),
         cublasLtGetStatusName(expected));
  failed = 1;
}
static void need(const char *what, cublasStatus_t status) {
  if (status)
    expect(what, status, CUBLAS_STATUS_SUCCESS);
}

// ---- a matrix: rows or columns with a gap between them, several of a batch
template <class T>
struct stored {
  int rows, columns, ld, count;
  bool by_rows;
  both<T> numbers;
  cublasLtMatrixLayout_t layout;
  stored(int r, int c, int n, bool rowwise, int gap = 3)
      : rows(r),
        columns(c),
        ld((rowwise ? c : r) + gap),
        count(n),
        by_rows(rowwise),
        numbers((size_t)(ld * (rowwise ? r : c) * n)) {
    const int32_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
    const int64_t next = this->next();
    need("layout",
         cublasLtMatrixLayoutCreate(&layout, kind<T>::type, (uint64_t)r, (uint64_t)c, ld));
    set(CUBLASLT_MATRIX_LAYOUT_ORDER, order);
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, (int32_t)n);
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, next);
  }
  ~stored() { cublasLtMatrixLayoutDestroy(layout); }
  int next(void) const { return ld * (by_rows ? rows : columns); }
  template <class V>
  void set(cublasLtMatrixLayoutAttribute_t name, V value) {
    need("layout", cublasLtMatrixLayoutSetAttribute(layout, name, &value, sizeof value));
  }
  T &at(int i, int j, int z) {
    return numbers.host[(size_t)(z * next() + (by_rows ? i * ld + j : j * ld + i))];
  }
  std::vector<double> packed(int z) {  // column by column
    std::vector<double> all;
    for (int j = 0; j < columns; j++)
      for (int i = 0; i < rows; i++)
        all.push_back((double)(typename kind<T>::sum)at(i, j, z));
    return all;
  }
};

// ---- a product
struct options {
  int m, n, k, count;
  bool at, bt, a_rows, b_rows, d_rows, in_place, zero;
  cublasLtEpilogue_t epilogue;
  cublasLtPointerMode_t pointers;
};

static double gelu(double x) {
  return x / 2 * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
static double slope(double x) {
  return (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5;
}
static void same_bits(const char *what, const void *device, const void *host, size_t bytes) {
  std::vector<char> got(bytes);
  checked++;
  if (!cudaMemcpy(got.data(), device, bytes, cudaMemcpyDeviceToHost) &&
      !memcmp(got.data(), host, bytes))
    return;
  printf("FAILED: %s: other bits\n", what);
  failed = 1;
}
static bool is_bits(cublasLtEpilogue_t f) {
  return f & 128 && f & (2 | 8);
}

template <class T, class D>
static void product(const char *what, const options &o) {
  typedef typename kind<D>::sum S;
  stored<T> a(o.at ? o.k : o.m, o.at ? o.m : o.k, o.count, o.a_rows);
  stored<T> b(o.bt ? o.n : o.k, o.bt ? o.k : o.n, o.count, o.b_rows);
  stored<D> c(o.m, o.n, o.count, o.d_rows), d(o.m, o.n, o.count, o.d_rows, o.in_place ? 3 : 5);
  const int side = o.epilogue == CUBLASLT_EPILOGUE_BGRADB ? o.n : o.m;
  both<D> bias((size_t)(side * o.count));
  both<S> alphas((size_t)o.m), betas((size_t)o.m);
  const int64_t aux_ld = 128, next_aux = aux_ld * o.n;
  both<D> aux((size_t)(next_aux * o.count));
  unsigned char *bits = (unsigned char *)aux.host.data();
  const bool one = o.pointers <= CUBLASLT_POINTER_MODE_DEVICE;
  const bool none = o.zero || o.pointers == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO;
  if (o.zero)
    betas.host[0] = 0, betas.send();
  const D *before = o.in_place ? d.numbers.device : c.numbers.device;
  for (int z = 0; z < o.count; z++) {
    const std::vector<double> da = a.packed(z), db = b.packed(z);
    std::vector<double> sum((size_t)(o.m * o.n)), grad((size_t)side);
    HOST(cblas_dgemm)
    (CblasColMajor, o.at ? CblasTrans : CblasNoTrans, o.bt ? CblasTrans : CblasNoTrans, o.m, o.n,
     o.k, 1, da.data(), a.rows, db.data(), b.rows, 0, sum.data(), o.m);
    for (int j = 0; j < o.n; j++)
      for (int i = 0; i < o.m; i++) {
        const int vector = one ? 0 : i,
                  same = o.pointers == CUBLASLT_POINTER_MODE_DEVICE_VECTOR ? i : 0;
        const D old = o.in_place ? d.at(i, j, z) : c.at(i, j, z);
        double v = alphas.host[(size_t)vector] * sum[(size_t)(j * o.m + i)];
        if (!none)
          v += (double)betas.host[(size_t)same] * (double)(S)old;
        const size_t w = (size_t)(z * next_aux + j * aux_ld + i);
        if (o.epilogue & 4)
          v += (double)(S)bias.host[(size_t)(z * side + i)];
        if (o.epilogue == CUBLASLT_EPILOGUE_GELU_AUX ||
            o.epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS)
          aux.host[w] = D((S)v);
        if (is_bits(o.epilogue) && o.epilogue & 2)
          bits[w / 8] = (unsigned char)((bits[w / 8] & ~(1 << w % 8)) | (v > 0) << w % 8);
        if (o.epilogue & 2)
          v = fmax(v, 0);
        if (o.epilogue & 8)
          v = bits[w / 8] >> w % 8 & 1 ? v : 0;
        if (o.epilogue & 64)
          v *= slope((double)(S)aux.host[w]);
        if (o.epilogue & 32)
          v = gelu(v);
        d.at(i, j, z) = D((S)v);
        if (o.epilogue & 16)
          grad[(size_t)i] += v;
      }
    for (int x = 0; x < o.k; x++) {
      for (int i = 0; i < o.m && o.epilogue == CUBLASLT_EPILOGUE_BGRADA; i++)
        grad[(size_t)i] += da[(size_t)(o.at ? i * a.rows + x : x * a.rows + i)];
      for (int j = 0; j < o.n && o.epilogue == CUBLASLT_EPILOGUE_BGRADB; j++)
        grad[(size_t)j] += db[(size_t)(o.bt ? x * b.rows + j : j * b.rows + x)];
    }
    for (int i = 0; i < side && o.epilogue & (16 | 256 | 512); i++)
      bias.host[(size_t)(z * side + i)] = D((S)grad[(size_t)i]);
  }
  // rows of a bit mask end with words of 32: what is behind the last row is zero
  for (int z = 0; z < o.count && is_bits(o.epilogue) && o.epilogue & 2; z++)
    for (int j = 0; j < o.n; j++)
      for (int i = o.m; i < (o.m + 31) / 32 * 32; i++) {
        const size_t w = (size_t)(z * next_aux + j * aux_ld + i);
        bits[w / 8] = (unsigned char)(bits[w / 8] & ~(1 << w % 8));
      }

  cublasLtMatmulDesc_t desc;
  const cudaDataType scale = kind<S>::type;
  need("desc", cublasLtMatmulDescCreate(
                   &desc, scale == CUDA_R_64F ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, scale));
#define SET(name, type, value)                                                                    \
  {                                                                                               \
    const type v = value;                                                                         \
    need(#name, cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_##name, &v, sizeof v)); \
  }
  SET(TRANSA, int32_t, o.at ? CUBLAS_OP_T : CUBLAS_OP_N)
  SET(TRANSB, int32_t, o.bt ? CUBLAS_OP_C : CUBLAS_OP_N)
  SET(EPILOGUE, cublasLtEpilogue_t, o.epilogue)
  SET(POINTER_MODE, int32_t, o.pointers)
  SET(BIAS_POINTER, void *, bias.device)
  SET(BIAS_BATCH_STRIDE, int64_t, side)
  SET(EPILOGUE_AUX_POINTER, void *, aux.device)
  SET(EPILOGUE_AUX_LD, int64_t, aux_ld)
  SET(EPILOGUE_AUX_BATCH_STRIDE, int64_t, next_aux)
  const bool host = o.pointers == CUBLASLT_POINTER_MODE_HOST;
  const bool host_beta = host || o.pointers == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST;
  cublasLtMatrixLayout_t before_layout = o.in_place ? d.layout : c.layout;
  cublasLtMatmulPreference_t pref;
  cublasLtMatmulHeuristicResult_t found;
  int count = 0;
  need("preference", cublasLtMatmulPreferenceCreate(&pref));
  need("heuristic", cublasLtMatmulAlgoGetHeuristic(h, desc, a.layout, b.layout, before_layout,
                                                   d.layout, pref, 1, &found, &count));
  const int status =
      cublasLtMatmul(h, desc, host ? alphas.host.data() : alphas.device, a.numbers.device, a.layout,
                     b.numbers.device, b.layout, host_beta ? betas.host.data() : betas.device,
                     o.zero ? NULL : before, before_layout, d.numbers.device, d.layout,
                     count == 1 ? &found.algo : NULL, NULL, 0, 0);
  d.numbers.same(what, status, o.k);
  if (is_bits(o.epilogue))
    same_bits(what, aux.device, aux.host.data(), aux.host.size() * sizeof(D));
  else
    aux.same(what, status, o.k);
  bias.same(what, status, o.k + o.n);
  cublasLtMatmulPreferenceDestroy(pref);
  cublasLtMatmulDescDestroy(desc);
}

static const options plain = {37,
                              21,
                              18,
                              1,
                              false,
                              false,
                              false,
                              false,
                              false,
                              false,
                              false,
                              CUBLASLT_EPILOGUE_DEFAULT,
                              CUBLASLT_POINTER_MODE_HOST};

template <class T, class D>
static void types(const char *what) {
  options o = plain;
  for (int n = 0; n < 4; n++) {
    o.at = n & 1, o.bt = n >> 1 & 1, o.in_place = n == 1, o.zero = n == 2;
    product<T, D>(what, o);
  }
  o.epilogue = CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
  product<T, D>(what, o);
}

static void orders(void) {
  options o = plain;
  o.count = 3;
  for (int n = 0; n < 8; n++) {
    o.a_rows = n & 1, o.b_rows = n >> 1 & 1, o.d_rows = n >> 2 & 1, o.at = n % 3 == 0,
    o.bt = n % 3 == 1;
    product<float, float>("orders", o);
  }
}

static void epilogues(void) {
  static const cublasLtEpilogue_t all[] = {
      CUBLASLT_EPILOGUE_RELU,        CUBLASLT_EPILOGUE_RELU_AUX,     CUBLASLT_EPILOGUE_BIAS,
      CUBLASLT_EPILOGUE_RELU_BIAS,   CUBLASLT_EPILOGUE_DRELU,        CUBLASLT_EPILOGUE_DRELU_BGRAD,
      CUBLASLT_EPILOGUE_GELU,        CUBLASLT_EPILOGUE_GELU_AUX,     CUBLASLT_EPILOGUE_GELU_BIAS,
      CUBLASLT_EPILOGUE_DGELU,       CUBLASLT_EPILOGUE_BGRADA,       CUBLASLT_EPILOGUE_BGRADB,
      CUBLASLT_EPILOGUE_DGELU_BGRAD, CUBLASLT_EPILOGUE_RELU_AUX_BIAS};
  options o = plain;
  o.count = 2;
  for (cublasLtEpilogue_t f : all) {
    char what[64];
    snprintf(what, sizeof what, "epilogue %d", (int)f);
    o.epilogue = f;
    product<float, float>(what, o);
  }
}

static void pointer_modes(void) {
  options o = plain;
  for (int mode = CUBLASLT_POINTER_MODE_DEVICE;
       mode <= CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST; mode++) {
    o.pointers = (cublasLtPointerMode_t)mode;
    product<float, float>("pointer mode", o);
    product<double, double>("pointer mode", o);
  }
}

// ---- what is refused
static void refusals(void) {
  const cublasStatus_t invalid = CUBLAS_STATUS_INVALID_VALUE, no = CUBLAS_STATUS_NOT_SUPPORTED;
  stored<float> a(4, 4, 1, false), b(4, 5, 1, false), c(4, 5, 1, false);
  cublasLtMatmulDescOpaque_t desc;
  const float one = 1;
  size_t written = 0;
  uint64_t rows = 0;
  need("desc", cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
#define PRODUCT(A, B)                                                                          \
  cublasLtMatmul(h, &desc, &one, a.numbers.device, A.layout, b.numbers.device, B.layout, &one, \
                 c.numbers.device, c.layout, c.numbers.device, c.layout, NULL, NULL, 0, 0)
#define REFUSED(name, type, value, expected)                                                       \
  {                                                                                                \
    const cublasLtMatmulDescOpaque_t kept = desc;                                                  \
    type v = value;                                                                                \
    need(#name, cublasLtMatmulDescSetAttribute(&desc, CUBLASLT_MATMUL_DESC_##name, &v, sizeof v)); \
    expect(#name, PRODUCT(a, b), expected);                                                        \
    desc = kept;                                                                                   \
  }
  expect("a product", PRODUCT(a, b), CUBLAS_STATUS_SUCCESS);
  expect("sizes", PRODUCT(b, a), invalid);
  REFUSED(COMPUTE_TYPE, int32_t, CUBLAS_COMPUTE_32I, no)
  REFUSED(SCALE_TYPE, int32_t, CUDA_R_64F, no)
  REFUSED(TRANSC, int32_t, CUBLAS_OP_T, no)
  REFUSED(FILL_MODE, int32_t, CUBLAS_FILL_MODE_LOWER, no)
  REFUSED(EPILOGUE, uint32_t, 3, no)
  REFUSED(EPILOGUE, uint32_t, CUBLASLT_EPILOGUE_BIAS, invalid)
  REFUSED(EPILOGUE, uint32_t, CUBLASLT_EPILOGUE_DGELU, invalid)
  REFUSED(A_SCALE_POINTER, const void *, &one, no)
  a.set(CUBLASLT_MATRIX_LAYOUT_ORDER, (int32_t)CUBLASLT_ORDER_COL32);
  expect("order", PRODUCT(a, b), no);
  a.set(CUBLASLT_MATRIX_LAYOUT_ORDER, (int32_t)CUBLASLT_ORDER_COL);
  a.set(CUBLASLT_MATRIX_LAYOUT_TYPE, (uint32_t)CUDA_R_8F_E4M3);
  expect("type", PRODUCT(a, b), no);
  expect("bytes",
         cublasLtMatrixLayoutGetAttribute(b.layout, CUBLASLT_MATRIX_LAYOUT_COLS, &rows, 4, NULL),
         invalid);
  need("columns",
       cublasLtMatrixLayoutGetAttribute(b.layout, CUBLASLT_MATRIX_LAYOUT_COLS, &rows, 8, &written));
  if (rows != 5 || written != 8) {
    printf("FAILED: %d columns in %zu bytes\n", (int)rows, written);
    failed = 1;
  }
}

int main(void) {
  if (!open_library("libopenblas.so.0")) {
    printf("SKIPPED: no OpenBLAS (Debian: libopenblas-dev)\n");
    return 0;
  }
  need("create", cublasLtCreate(&h));
  types<float, float>("floats");
  types<double, double>("doubles");
  types<__half, __half>("halves");
  types<__nv_bfloat16, __nv_bfloat16>("bfloats");
  types<__half, float>("halves to floats");
  types<__nv_bfloat16, float>("bfloats to floats");
  orders();
  epilogues();
  pointer_modes();
  refusals();
  need("destroy", cublasLtDestroy(h));
  printf("%d results compared\n", checked);
  return failed;
}
