#!/usr/bin/env bash
# A random CUDA program of functions that call each other directly, through pointers and as virtual
# functions. Its kernel's results are compared with the host's: random.sh SEED >FILE.cu
# Direct calls make one ring of two functions: clang, which is to inline all, would not end with many.
set -eu
exec awk -v seed="$1" '
function below(n) { return int(rand() * n) }
function callee(  k) {
  k = below(3)
  if (k == 0) return "f" (own == F - 1 && below(2) ? 0 : below(2) ? own : own + below(F - own))
  if (k == 1) return "pick(r >> " below(8) ")"
  return "as_base(r & " 2 ^ below(6) " ? (const base &)o0 : o1)->go"
}
function call(  to, less, p) {
  to = callee()
  less = below(4) ? "1" : "1 - (int)(r & 1)"
  p = below(2) ? "p" : "&own[r % " size "]"
  return to "(d - " less ", r ^ " below(1000) "u, " p ")"
}
function statement(indent, depth,  k, m) {
  k = below(depth > 1 ? 6 : 9)
  if (calls > 3 && k < 4) k = 4
  if (k < 4) calls++
  if (k < 2) printf "%sr = r * %du + %s;\n", indent, 1 + 2 * below(50), call()
  else if (k == 2) {
    printf "%sfor (unsigned n = 0; n < (r & 1) + 1; n++) {\n", indent
    printf "%s  r += %s + n;\n%s}\n", indent, call(), indent
  } else if (k == 3) printf "%s*p += %s;\n", indent, call()
  else if (k == 4) printf "%sown[(r + %d) %% %d] += r ^ *p;\n", indent, below(9), size
  else if (k == 5) printf "%sy += r %% %du; if (b) r += (unsigned)y;\n", indent, 2 + below(9)
  else if (k == 6) printf "%sif (r %% 16 == %d) return r + own[%d];\n", indent, below(16), below(size)
  else {
    m = below(3)
    printf "%sif (%s) {\n", indent, m == 0 ? "b" : m == 1 ? "r & " 2 ^ below(6) : "y > r % 64"
    statement(indent "  ", depth + 1)
    printf "%s} else {\n", indent
    statement(indent "  ", depth + 1)
    printf "%s}\n", indent
  }
}
function body(  n) {
  size = 2 + below(5)
  calls = 0
  printf " {\n  if (d <= 0)\n    return x * %du + *p;\n", 1 + 2 * below(100)
  printf "  unsigned r = x, own[%d];\n  double y = x %% 32 * 0.5;\n", size
  printf "  const bool b = x & %d;\n", 2 ^ below(5)
  n = below(C)
  printf "  c%d o0(x);\n  c%d o1(x + 1);\n", n, (n + 1 + below(C - 1)) % C
  printf "  for (int n = 0; n < %d; n++)\n    own[n] = x * n;\n", size
  for (n = 3 + below(3); n > 0; n--)
    statement("  ", 0)
  print "  (void)o0, (void)o1;"
  printf "  return r + own[x %% %d] + (b ? 7u : 0u) + (unsigned)y;\n}\n", size
}
BEGIN {
  srand(seed)
  F = 2 + below(4); C = 2 + below(3)
  printf "// seed %d\n", seed
  print "#include <cstdio>\n#define BOTH __host__ __device__"
  print "typedef unsigned (*function)(int, unsigned, unsigned *);"
  for (n = 0; n < F; n++)
    printf "BOTH unsigned f%d(int d, unsigned x, unsigned *p);\n", n
  print "struct base {\n  unsigned v;\n  BOTH base(unsigned v) : v(v) {}"
  print "  BOTH virtual unsigned go(int d, unsigned x, unsigned *p) const = 0;\n};"
  for (n = 0; n < C; n++) {
    printf "struct c%d : base {\n  BOTH c%d(unsigned v) : base(v * %d) {}\n", n, n, 1 + below(9)
    print "  BOTH unsigned go(int d, unsigned x, unsigned *p) const override;\n};"
  }
  list = ""
  for (n = 0; n < F; n++)
    list = list (n ? ", " : "") "f" n
  printf "__device__ function table[] = {%s};\nstatic const function host_table[] = {%s};\n", list, list
  print "BOTH function pick(unsigned k) {\n#ifdef __CUDA_ARCH__"
  printf "  return table[k %% %d];\n#else\n  return host_table[k %% %d];\n#endif\n}\n", F, F
  print "BOTH const base *as_base(const base &b) { return &b; }"
  for (n = 0; n < F; n++) {
    printf "BOTH unsigned f%d(int d, unsigned x, unsigned *p)", n
    own = n
    body()
  }
  for (n = 0; n < C; n++) {
    printf "BOTH unsigned c%d::go(int d, unsigned x, unsigned *p) const", n
    own = F - 1
    body()
  }
  print "BOTH unsigned run(int t) {\n  unsigned r = 0, here = t;"
  printf "  c0 o(t);\n  if (t & %d)\n    r = f0(t %% 4, t, &here);\n", 2 ^ below(5)
  print "  else\n    r = pick(t)(t % 3, t * 5, &here);\n  for (int n = 0; n < t % 3; n++)"
  printf "    r += as_base(o)->go((t + n) %% 4, r, &here) + f%d(1, n, &here);\n", below(F)
  print "  return r + here;\n}"
  print "__global__ void kernel(unsigned *out, unsigned *masks) {\n  const int t = threadIdx.x;"
  print "  const unsigned r = run(t);\n  masks[t] = __activemask();"
  print "  out[t] = r + __shfl_xor_sync(0xffffffff, r, 5);\n}"
  print "int main() {\n  enum { N = 64 };\n  unsigned *d, got[2 * N];\n  int wrong = 0;"
  print "  cudaDeviceSetLimit(cudaLimitStackSize, 16384);\n  cudaMalloc(&d, sizeof got);"
  print "  kernel<<<1, N>>>(d, d + N);"
  print "  if (cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost))\n    return 2;"
  print "  for (int t = 0; t < N; t++) {\n    const unsigned want = run(t) + run(t ^ 5);"
  print "    if (got[t] != want || got[N + t] != 0xffffffff) {"
  print "      printf(\"thread %d: %u, not %u; lanes %08x\\n\", t, got[t], want, got[N + t]);"
  print "      wrong = 1;\n    }\n  }\n  return wrong;\n}"
}'
