// SPDX-License-Identifier: Apache-2.0
// CUB's functions of the whole device, against the same computed by the host.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <vector>
#include <cub/cub.cuh>
#include "../../runtime/cu/check.h"

// An array on the device, with what it has in the end.
template <class T>
struct array {
  T *at = nullptr;
  size_t count;
  explicit array(size_t n) : count(n) { OK(cudaMalloc(&at, n * sizeof(T))); }
  explicit array(const std::vector<T> &v) : array(v.size()) {
    OK(cudaMemcpy(at, v.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  array(const array &) = delete;
  ~array() { cudaFree(at); }
  std::vector<T> first(size_t n) const {
    std::vector<T> v(n);
    OK(cudaMemcpy(v.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }
  std::vector<T> all() const { return first(count); }
};

// A call of CUB: asked for its memory first.
template <class Call>
static void with_memory(Call call) {
  size_t bytes = 0;
  OK(call(nullptr, bytes));
  array<char> memory(bytes + 1);
  OK(call(memory.at, bytes));
  OK(cudaDeviceSynchronize());
}

static std::vector<int> numbers(size_t n, int below) {
  std::vector<int> v(n);
  for (int &x : v)
    x = std::rand() % below;
  return v;
}

struct is_odd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct least {
  template <class T>
  __host__ __device__ T operator()(const T &a, const T &b) const {
    return b < a ? b : a;
  }
};

static void reductions(const std::vector<int> &v) {
  const int n = (int)v.size();
  array<int> in(v), out(1);
  array<cub::KeyValuePair<int, int>> place(1);
  with_memory([&](void *m, size_t &b) { return cub::DeviceReduce::Sum(m, b, in.at, out.at, n); });
  CHECK(out.all()[0] == std::accumulate(v.begin(), v.end(), 0));
  with_memory([&](void *m, size_t &b) {
    return cub::DeviceReduce::Reduce(m, b, in.at, out.at, n, least(), 1 << 30);
  });
  CHECK(out.all()[0] == *std::min_element(v.begin(), v.end()));
  with_memory(
      [&](void *m, size_t &b) { return cub::DeviceReduce::ArgMax(m, b, in.at, place.at, n); });
  CHECK(place.all()[0].key == std::max_element(v.begin(), v.end()) - v.begin());
}

static void scans(const std::vector<int> &v) {
  const int n = (int)v.size();
  array<int> in(v), out(v.size());
  std::vector<int> want(v.size());
  with_memory(
      [&](void *m, size_t &b) { return cub::DeviceScan::InclusiveSum(m, b, in.at, out.at, n); });
  std::partial_sum(v.begin(), v.end(), want.begin());
  CHECK(out.all() == want);
  with_memory([&](void *m, size_t &b) {
    return cub::DeviceScan::ExclusiveScan(m, b, in.at, out.at, least(), 1 << 20, n);
  });
  for (int k = 0, low = 1 << 20; k < n; low = std::min(low, v[(size_t)k++]))
    want[(size_t)k] = low;
  CHECK(out.all() == want);
}

static void sorts(const std::vector<int> &v) {
  const int n = (int)v.size();
  std::vector<int> order(v.size());
  std::iota(order.begin(), order.end(), 0);
  array<int> keys(v), values(order), keys_out(v.size()), values_out(v.size());
  with_memory([&](void *m, size_t &b) {
    return cub::DeviceRadixSort::SortPairs(m, b, keys.at, keys_out.at, values.at, values_out.at, n);
  });
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return v[(size_t)a] < v[(size_t)b]; });
  CHECK(values_out.all() == order);
  std::vector<int> want(v);
  std::sort(want.begin(), want.end());
  CHECK(keys_out.all() == want);
  with_memory([&](void *m, size_t &b) {
    return cub::DeviceMergeSort::SortKeys(m, b, keys.at, n,
                                          [] __device__(int x, int y) { return x > y; });
  });
  std::reverse(want.begin(), want.end());
  CHECK(keys.all() == want);
}

static void selections(const std::vector<int> &v) {
  const int n = (int)v.size();
  array<int> in(v), out(v.size()), many(1);
  std::vector<int> want;
  with_memory([&](void *m, size_t &b) {
    return cub::DeviceSelect::If(m, b, in.at, out.at, many.at, n, is_odd());
  });
  std::copy_if(v.begin(), v.end(), std::back_inserter(want), is_odd());
  CHECK(many.all()[0] == (int)want.size() && out.first(want.size()) == want);
  with_memory([&](void *m, size_t &b) {
    return cub::DevicePartition::If(m, b, in.at, out.at, many.at, n, is_odd());
  });
  std::vector<int> rest;
  std::copy_if(v.rbegin(), v.rend(), std::back_inserter(rest), [](int x) { return !is_odd()(x); });
  CHECK(many.all()[0] == (int)want.size());
  want.insert(want.end(), rest.begin(), rest.end());
  CHECK(out.all() == want);
}

static void runs(const std::vector<int> &v) {
  const int n = (int)v.size();
  array<int> in(v), unique(v.size()), lengths(v.size()), many(1);
  with_memory([&](void *m, size_t &b) {
    return cub::DeviceRunLengthEncode::Encode(m, b, in.at, unique.at, lengths.at, many.at, n);
  });
  std::vector<int> want, count;
  for (size_t k = 0; k < v.size(); k++) {
    if (k == 0 || v[k] != v[k - 1])
      want.push_back(v[k]), count.push_back(0);
    count.back()++;
  }
  CHECK(many.all()[0] == (int)want.size());
  CHECK(unique.first(want.size()) == want && lengths.first(want.size()) == count);
}

static void histograms(const std::vector<int> &v) {
  enum { BINS = 10, BELOW = 100 };
  array<int> in(v), bins(BINS);
  std::vector<int> want(BINS);
  with_memory([&](void *m, size_t &b) {
    return cub::DeviceHistogram::HistogramEven(m, b, in.at, bins.at, BINS + 1, 0, (int)BELOW,
                                               (int)v.size());
  });
  for (int x : v)
    if (x < BELOW)
      want[(size_t)x / (BELOW / BINS)]++;
  CHECK(bins.all() == want);
}

static void segments(const std::vector<int> &v) {
  const std::vector<int> begins{0, 7, 7, 300, 1000, (int)v.size()};
  const int n = (int)begins.size() - 1;
  array<int> in(v), at(begins), out((size_t)n);
  std::vector<int> want;
  with_memory([&](void *m, size_t &b) {
    return cub::DeviceSegmentedReduce::Sum(m, b, in.at, out.at, n, at.at, at.at + 1);
  });
  for (int k = 0; k < n; k++)
    want.push_back(
        std::accumulate(v.begin() + begins[(size_t)k], v.begin() + begins[(size_t)k + 1], 0));
  CHECK(out.all() == want);
}

int main() {
  for (size_t n : {1500, 20011}) {
    const std::vector<int> v = numbers(n, 1 << 16), few = numbers(n, 3), small = numbers(n, 120);
    reductions(v);
    scans(v);
    sorts(v);
    selections(v);
    runs(few);
    histograms(small);
    segments(v);
  }
  END;
}
