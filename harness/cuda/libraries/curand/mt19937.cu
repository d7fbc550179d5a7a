// SPDX-License-Identifier: Apache-2.0
// MT19937 (Matsumoto, Nishimura: Mersenne Twister; 1998), its sequence in order. One block makes
// words, 624 at a time; all cores make numbers of them.
#include "generator.h"

enum { WORDS = 624, MIDDLE = 397, WIDTH = WORDS - MIDDLE, CHUNK = 1 << 22 };

// Words that are made, as a state that draws them.
struct ready_words {
  const unsigned int *next;
};
MPU_RANDOM unsigned int curand(ready_words *s) {
  return *s->next++;
}
template <>
constexpr int group_of<poisson, ready_words>() {
  return 2;
}

HD unsigned int twisted(unsigned int a, unsigned int b, unsigned int middle) {
  const unsigned int mixed = (a & 0x80000000u) | (b & 0x7fffffffu);
  return middle ^ (mixed >> 1) ^ (mixed & 1 ? 0x9908b0dfu : 0);
}
HD unsigned int tempered(unsigned int v) {
  v ^= v >> 11;
  v ^= (v << 7) & 0x9d2c5680u;
  v ^= (v << 15) & 0xefc60000u;
  return v ^ (v >> 18);
}

// Words first to first + n of the sequence. `state` is that of round `*round`, in which words
// 624 `*round` and so on are; and of the last round afterwards.
struct words_work {
  unsigned int *state, *to;
  unsigned long long first, n;
  long long round;
  HD long long last(void) const { return (long long)((first + n - 1) / WORDS); }
  // Those of a round that are asked for.
  HD void write(const unsigned int *words, long long at, unsigned int k) const {
    const unsigned long long place = (unsigned long long)at * WORDS + k;
    if (at >= 0 && place >= first && place < first + n)
      to[place - first] = tempered(words[k]);
  }
};

__global__ void words_kernel(words_work w) {
  __shared__ unsigned int words[WORDS];
  const unsigned int t = threadIdx.x;
  for (unsigned int k = t; k < WORDS; k += WIDTH)
    words[k] = w.state[k];
  for (long long round = w.round;; round++) {
    __syncthreads();
    for (unsigned int k = t; k < WORDS; k += WIDTH)
      w.write(words, round, k);
    if (round == w.last())
      break;
    for (unsigned int begin = 0; begin < WORDS; begin += WIDTH) {
      const unsigned int k = begin + t, own = k < WORDS ? k : 0;
      __syncthreads();
      const unsigned int v =
          twisted(words[own], words[(own + 1) % WORDS], words[(own + MIDDLE) % WORDS]);
      __syncthreads();
      if (k < WORDS)
        words[k] = v;
    }
  }
  for (unsigned int k = t; k < WORDS; k += WIDTH)
    w.state[k] = words[k];
}

static void words_on_host(const words_work &w) {
  unsigned int *s = w.state;
  for (long long round = w.round;; round++) {
    for (unsigned int k = 0; k < WORDS; k++)
      w.write(s, round, k);
    if (round == w.last())
      return;
    for (unsigned int k = 0; k < WORDS; k++)
      s[k] = twisted(s[k], s[(k + 1) % WORDS], s[(k + MIDDLE) % WORDS]);
  }
}

static curandStatus_t begin(curandGenerator_t g) {
  unsigned int words[WORDS] = {(unsigned int)g->seed};
  for (unsigned int k = 1; k < WORDS; k++)
    words[k] = 1812433253u * (words[k - 1] ^ (words[k - 1] >> 30)) + k;
  void *memory = nearbank_curand_memory(g, sizeof words);
  if (!memory)
    return CURAND_STATUS_ALLOCATION_FAILED;
  if (g->on_host)
    memcpy(memory, words, sizeof words);
  else if (cudaMemcpy(memory, words, sizeof words, cudaMemcpyHostToDevice) != cudaSuccess)
    return CURAND_STATUS_INTERNAL_ERROR;
  g->round = -1;
  g->ready = true;
  return CURAND_STATUS_SUCCESS;
}

template <class Kind>
struct numbers_work {
  typename Kind::type *to;
  size_t n;
  const unsigned int *words;
  Kind kind;
  HD void operator()(unsigned int thread, unsigned int threads) const {
    constexpr int each = group_of<Kind, ready_words>();
    for (size_t group = thread; group * each < n; group += threads) {
      ready_words s = {words + 4 * group};
      write_group(kind, &s, to, group * each, n);
    }
  }
};

template <class Kind>
static curandStatus_t fill_some(curandGenerator_t g, typename Kind::type *to, size_t n, Kind kind,
                                unsigned int *words) {
  constexpr int each = group_of<Kind, ready_words>();
  const size_t groups = (n + each - 1) / each;
  const words_work work = {(unsigned int *)g->memory, words, g->offset, 4 * groups, g->round};
  if (g->on_host)
    words_on_host(work);
  else
    words_kernel<<<1, WIDTH, 0, g->stream>>>(work);
  g->round = work.last();
  g->offset += n * (4 / each);
  return run(g, numbers_work<Kind>{to, n, words, kind},
             (unsigned int)(groups < 8 * SEQUENCES ? groups : 8 * SEQUENCES));
}

template <class Kind>
curandStatus_t fill_mt(curandGenerator_t g, typename Kind::type *to, size_t n, Kind kind) {
  constexpr size_t each = group_of<Kind, ready_words>(), most = CHUNK / 4 * each;
  const size_t bytes = sizeof(int) * (4 * ((n < most ? n : most) / each) + 4);
  curandStatus_t status = g->ready ? CURAND_STATUS_SUCCESS : begin(g);
  void *words = NULL;
  if (!status && g->on_host)
    words = malloc(bytes);
  else if (!status && cudaMalloc(&words, bytes) != cudaSuccess)
    words = NULL;
  if (!status && !words)
    status = CURAND_STATUS_ALLOCATION_FAILED;
  for (size_t done = 0; done < n && !status; done += most)
    status =
        fill_some(g, to + done, n - done < most ? n - done : most, kind, (unsigned int *)words);
  if (g->on_host)
    free(words);
  else
    cudaFree(words);
  return status;
}
OF_KINDS(fill_mt)
