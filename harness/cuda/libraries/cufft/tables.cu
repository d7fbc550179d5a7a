// SPDX-License-Identifier: Apache-2.0
// Tables of an axis: its factors, roots of unity, and what Bluestein's convolution needs. All are
// computed in double.
#include <complex>
#include <vector>

#include "plan.h"

typedef std::complex<double> number;

static number root(long long k, long long n) {
  const double angle = -2 * M_PI * (double)k / (double)n;
  return number(cos(angle), sin(angle));
}

// Radices of m; false: it has other factors.
template <class R>
static bool factorise(axis<R> *a, int m) {
  static const int radices[] = {7, 5, 3, 4, 2};
  a->factors = 0;
  a->m = m;
  for (int radix : radices)
    for (; m % radix == 0; m /= radix)
      a->radix[a->factors++] = radix;
  return m == 1;
}

// A transform of a power of two, in place.
static void transform(std::vector<number> &v) {
  const size_t n = v.size();
  for (size_t k = 1, mirror = 0; k < n; k++) {
    size_t bit = n / 2;
    for (; mirror & bit; bit /= 2)
      mirror ^= bit;
    mirror |= bit;
    if (k < mirror)
      std::swap(v[k], v[mirror]);
  }
  for (size_t half = 1; half < n; half *= 2)
    for (size_t k = 0; k < half; k++) {
      const number w = root((long long)k, (long long)(2 * half));
      for (size_t at = k; at < n; at += 2 * half) {
        const number t = v[at + half] * w;
        v[at + half] = v[at] - t;
        v[at] += t;
      }
    }
}

// exp(-pi i j^2 / n), and the transform of its conjugate around 0.
static void make_chirp(int n, int m, std::vector<number> *all) {
  std::vector<number> filter((size_t)m);
  for (long long j = 0; j < n; j++) {
    const number w = root(j * j % (2 * n), 2 * n);
    all->push_back(w);
    filter[(size_t)j] = filter[(size_t)((m - j) % m)] = std::conj(w);
  }
  transform(filter);
  all->insert(all->end(), filter.begin(), filter.end());
}

template <class R>
static cufftResult make_axis(axis<R> *a, int n, void **table) {
  std::vector<number> all;
  a->n = n;
  const bool plain = factorise(a, n);
  int m = 1;
  while (!plain && m < 2 * n - 1)
    m *= 2;
  if (!plain)
    factorise(a, m);
  for (int k = 0; k < a->m; k++)
    all.push_back(root(k, a->m));
  if (!plain)
    make_chirp(n, m, &all);
  std::vector<cx<R>> rounded;
  for (const number &v : all)
    rounded.push_back({(R)v.real(), (R)v.imag()});
  const size_t bytes = rounded.size() * sizeof rounded[0];
  if (cudaMalloc(table, bytes) != cudaSuccess)
    return CUFFT_ALLOC_FAILED;
  if (cudaMemcpy(*table, rounded.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess)
    return CUFFT_INTERNAL_ERROR;
  a->roots = (const cx<R> *)*table;
  a->chirp = plain ? NULL : a->roots + a->m;
  a->filter = plain ? NULL : a->chirp + n;
  return CUFFT_SUCCESS;
}

static bool is_c2r(const plan *p) {
  return p->type == CUFFT_C2R || p->type == CUFFT_Z2D;
}
static bool is_real(const plan *p) {
  return p->type != CUFFT_C2C && p->type != CUFFT_Z2Z;
}

// The most that one of the axes needs; all have the same number of elements.
static void find_bytes(plan *p) {
  const size_t number = p->is_double ? sizeof(cx<double>) : sizeof(cx<float>);
  long long all = p->batch, most = 0;
  for (int a = 0; a < p->rank; a++)
    all *= is_real(p) && a + 1 == p->rank ? p->n[a] / 2 + 1 : p->n[a];
  for (int a = 0; a < p->rank; a++) {
    const long long lines = all / (is_real(p) && a + 1 == p->rank ? p->n[a] / 2 + 1 : p->n[a]);
    const long long work = p->is_double ? nearbank_cufft_work(p->axes[a].d, lines)
                                        : nearbank_cufft_work(p->axes[a].f, lines);
    most = work > most ? work : most;
  }
  p->array_bytes = is_c2r(p) && p->rank > 1 ? (size_t)all * number : 0;
  p->bytes = p->array_bytes + (size_t)most * number;
}

cufftResult nearbank_cufft_prepare(plan *p) {
  cufftResult result = CUFFT_SUCCESS;
  for (int a = 0; a < p->rank && !result; a++)
    result = p->is_double ? make_axis(&p->axes[a].d, p->n[a], &p->tables[a])
                          : make_axis(&p->axes[a].f, p->n[a], &p->tables[a]);
  if (result)
    return result;
  find_bytes(p);
  if (p->own_work && p->bytes && cudaMalloc(&p->work, p->bytes) != cudaSuccess)
    return CUFFT_ALLOC_FAILED;
  return CUFFT_SUCCESS;
}

void nearbank_cufft_release(plan *p) {
  for (void *table : p->tables)
    cudaFree(table);
  if (p->own_work)
    cudaFree(p->work);
}

// ---- one axis after the other

// An array of the plan's shape; `last`: elements of the last dimension, `room`: those that it has
// room for.
struct array {
  void *at;
  long long strides[RANK], batch;
};

static array array_of(const plan *p, const layout &l, void *at, long long room) {
  array a = {at, {}, 0};
  long long stride = l.given ? l.stride : 1;
  for (int k = p->rank - 1; k >= 0; k--) {
    a.strides[k] = stride;
    stride *= l.given ? l.embed[k] : k == p->rank - 1 ? room : p->n[k];
  }
  a.batch = l.given ? l.distance : stride;
  return a;
}

// Along one axis; the other two are rows and columns.
static lines lines_of(const array &a, int rank, int along, element what) {
  lines l = {what, a.strides[along], a.batch, 0, 0};
  long long *const others[2] = {&l.column, &l.row};
  for (int k = rank - 1, n = 0; k >= 0; k--)
    if (k != along)
      *others[n++] = a.strides[k];
  return l;
}

template <class R>
static cufftResult run_axis(const plan *p, const axis<R> &tables, int along, const int *shape,
                            const array &from, element what_in, const array &to, element what_out,
                            bool inverse) {
  int counts[2] = {1, 1};
  for (int k = p->rank - 1, n = 0; k >= 0; k--)
    if (k != along)
      counts[n++] = shape[k];
  const step<R> s = {tables,
                     inverse,
                     from.at,
                     to.at,
                     lines_of(from, p->rank, along, what_in),
                     lines_of(to, p->rank, along, what_out),
                     p->batch,
                     counts[1],
                     counts[0]};
  return nearbank_cufft_run(s, (char *)p->work + p->array_bytes, p->stream);
}

template <class R>
static cufftResult run(const plan *p, const axis<R> *const *axes, void *in, void *out,
                       bool inverse) {
  const int last = p->rank - 1, n = p->n[last], half = n / 2 + 1;
  const bool real = is_real(p), back = is_c2r(p);
  const int padded = in == out ? 2 * half : n;  // reals of a row
  int shape[RANK] = {p->n[0], p->n[1], p->n[2]};
  shape[last] = real ? half : n;
  const array from = array_of(p, p->in, in, !real ? n : back ? half : padded);
  const array to = array_of(p, p->out, out, !real ? n : back ? padded : half);
  const layout plain = {};
  cufftResult result = CUFFT_SUCCESS;
  if (!back)
    result = run_axis(p, *axes[last], last, shape, from, real ? REAL : COMPLEX, to,
                      real ? HALF : COMPLEX, inverse);
  const array between = back && last ? array_of(p, plain, p->work, half) : to;
  for (int k = last - 1; k >= 0 && !result; k--)
    result = run_axis(p, *axes[k], k, shape, back && k == last - 1 ? from : between, COMPLEX,
                      between, COMPLEX, inverse);
  if (back && !result)
    result = run_axis(p, *axes[last], last, shape, last ? between : from, HALF, to, REAL, inverse);
  return result;
}

cufftResult nearbank_cufft_execute(const plan *p, void *in, void *out, bool inverse) {
  const axis<float> *f[RANK];
  const axis<double> *d[RANK];
  for (int k = 0; k < RANK; k++) {
    f[k] = &p->axes[k].f;
    d[k] = &p->axes[k].d;
  }
  if (p->bytes && !p->work)
    return CUFFT_NO_WORKSPACE;
  return p->is_double ? run(p, d, in, out, inverse) : run(p, f, in, out, inverse);
}
