// SPDX-License-Identifier: Apache-2.0
// Thrust on vectors of the device: algorithms, iterators, policies, and futures, each against the
// same on the host. With ALL also what takes clang long.
#include <algorithm>
#include <numeric>
#include <vector>
#include <thrust/async/copy.h>
#include <thrust/async/reduce.h>
#include <thrust/async/sort.h>
#include <thrust/extrema.h>
#include <thrust/async/transform.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>
#include <thrust/universal_vector.h>
#include "../../runtime/cu/check.h"

using ints = thrust::device_vector<int>;

static std::vector<int> host(const ints &v) {
  std::vector<int> h(v.size());
  thrust::copy(v.begin(), v.end(), h.begin());
  return h;
}

static std::vector<int> numbers(size_t n) {
  thrust::minstd_rand engine(5);
  thrust::uniform_int_distribution<int> any(-500, 500);
  std::vector<int> v(n);
  for (int &x : v)
    x = any(engine);
  return v;
}

struct square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};
struct is_odd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};
struct add_pair {
  template <class T>
  __host__ __device__ void operator()(T t) const {
    thrust::get<2>(t) = thrust::get<0>(t) + 2 * thrust::get<1>(t);
  }
};
// A structure without an order of its own.
struct point {
  int x, y;
};
struct by_y {
  __host__ __device__ bool operator()(const point &a, const point &b) const { return a.y < b.y; }
};

static void transforms(const std::vector<int> &v) {
  const size_t n = v.size();
  ints a(v.begin(), v.end()), b(n), c(n);
  std::vector<int> want(n);
  thrust::transform(a.begin(), a.end(), thrust::make_constant_iterator(3), b.begin(),
                    thrust::multiplies<int>());
  auto rows = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin(), c.begin()));
  thrust::for_each(rows, rows + (long)n, add_pair());
  std::transform(v.begin(), v.end(), want.begin(), [](int x) { return 7 * x; });
  CHECK(host(c) == want);
  ints order(n);
  thrust::sequence(order.rbegin(), order.rend());
  thrust::copy_n(thrust::make_permutation_iterator(a.begin(), order.begin()), n, b.begin());
  std::reverse_copy(v.begin(), v.end(), want.begin());
  CHECK(host(b) == want);
  thrust::transform_if(a.begin(), a.end(), c.begin(), square(), is_odd());
  for (size_t k = 0; k < n; k++)
    want[k] = v[k] & 1 ? v[k] * v[k] : 7 * v[k];
  CHECK(host(c) == want);
}

static void reductions(const std::vector<int> &v) {
  const ints a(v.begin(), v.end());
  const int sum = std::accumulate(v.begin(), v.end(), 0);
  int squares = 0;
  for (int x : v)
    squares += x * x;
  CHECK(thrust::reduce(a.begin(), a.end()) == sum);
  CHECK(thrust::transform_reduce(a.begin(), a.end(), square(), 0, thrust::plus<int>()) == squares);
  const auto odd = thrust::make_transform_iterator(a.begin(), is_odd());
  CHECK(thrust::reduce(odd, odd + (long)v.size(), 0) ==
        std::count_if(v.begin(), v.end(), is_odd()));
  CHECK(thrust::count_if(a.begin(), a.end(), is_odd()) ==
        std::count_if(v.begin(), v.end(), is_odd()));
  CHECK(thrust::reduce(thrust::make_counting_iterator(1), thrust::make_counting_iterator(101)) ==
        5050);
}

static void scans(const std::vector<int> &v) {
  ints a(v.begin(), v.end()), b(v.size());
  std::vector<int> want(v.size());
  thrust::inclusive_scan(a.begin(), a.end(), b.begin(), thrust::maximum<int>());
  std::partial_sum(v.begin(), v.end(), want.begin(), [](int x, int y) { return std::max(x, y); });
  CHECK(host(b) == want);
  thrust::exclusive_scan(a.begin(), a.end(), a.begin(), 100);
  int sum = 100;
  for (size_t k = 0; k < v.size(); sum += v[k++])
    want[k] = sum;
  CHECK(host(a) == want);
}

static void orders(const std::vector<int> &v) {
  ints keys(v.begin(), v.end()), values(v.size()), kept(v.size());
  thrust::sequence(values.begin(), values.end());
  thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
  std::vector<int> order(v.size()), want(v);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return v[(size_t)a] < v[(size_t)b]; });
  CHECK(host(values) == order);
  std::sort(want.begin(), want.end());
  CHECK(host(keys) == want);
  keys.erase(thrust::unique(keys.begin(), keys.end()), keys.end());
  want.erase(std::unique(want.begin(), want.end()), want.end());
  CHECK(host(keys) == want);
  kept.erase(thrust::copy_if(keys.begin(), keys.end(), kept.begin(), is_odd()), kept.end());
  want.erase(std::remove_if(want.begin(), want.end(), [](int x) { return !is_odd()(x); }),
             want.end());
  CHECK(host(kept) == want);
}

#ifdef ALL
static void more_orders(const std::vector<int> &v) {
  ints keys(v.begin(), v.end());
  std::vector<int> order(v.size()), want(v);
  thrust::sort(keys.begin(), keys.end(), thrust::greater<int>());
  std::sort(want.begin(), want.end(), [](int a, int b) { return a > b; });
  CHECK(host(keys) == want);
  thrust::async::sort(keys.begin(), keys.end()).wait();
  std::reverse(want.begin(), want.end());
  CHECK(host(keys) == want);
  const auto both = thrust::minmax_element(keys.begin(), keys.end());
  CHECK(*both.first == want.front() && *both.second == want.back());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return v[(size_t)a] < v[(size_t)b]; });

  thrust::host_vector<point> points;
  for (size_t k = 0; k < v.size(); k++)
    points.push_back({(int)k, v[k]});
  thrust::device_vector<point> there(points);
  thrust::stable_sort(there.begin(), there.end(), by_y());
  points = there;
  bool same = true;
  for (size_t k = 0; k < v.size(); k++)
    same &= points[k].x == order[k];
  CHECK(same);
}
#endif

// Streams, memory that both sides reach, references to single elements, what takes no items.
static void policies(const std::vector<int> &v) {
  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  ints a(v.begin(), v.end());
  thrust::universal_vector<int> sums(v.size());
  thrust::inclusive_scan(thrust::cuda::par.on(s), a.begin(), a.end(), sums.begin());
  OK(cudaStreamSynchronize(s));
  CHECK(sums.back() == std::accumulate(v.begin(), v.end(), 0));
  OK(cudaStreamDestroy(s));
  a[3] = 77;
  a[4] = a[3];
  thrust::device_reference<int> x = a[4], y = a[5];
  swap(x, y);
  CHECK(a[5] == 77 && a[4] == v[5]);
  CHECK(thrust::reduce(thrust::device, a.begin(), a.begin(), 9) == 9);
}

static void futures(const std::vector<int> &v) {
  ints a(v.begin(), v.end()), b(v.size());
  thrust::device_event done =
      thrust::async::transform(a.begin(), a.end(), b.begin(), thrust::negate<int>());
  auto sum =
      thrust::async::reduce(thrust::device.after(done), b.begin(), b.end(), 0, thrust::plus<int>());
  CHECK(sum.get() == -std::accumulate(v.begin(), v.end(), 0));
}

int main() {
  for (size_t n : {300, 9000}) {
    const std::vector<int> v = numbers(n);
    transforms(v);
    reductions(v);
    scans(v);
    orders(v);
#ifdef ALL
    more_orders(v);
#endif
    policies(v);
    futures(v);
  }
  END;
}
