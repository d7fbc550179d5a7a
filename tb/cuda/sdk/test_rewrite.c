// SPDX-License-Identifier: Apache-2.0
// What the step that rewrites old syntax makes of texts, and what it leaves alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "harness/cuda/driver/rewrite.h"

static const struct {
  const char *from, *to;
} cases[] = {
    {"k<< <1, 2>> >(x);", "k<<< 1, 2>>> (x);"},
    {"k< <<1, 2> >>(x);", "k<<< 1, 2>>> (x);"},
    {"k<< <g, dim3(a < b, c >> 1)>>>(x);", "k<<< g, dim3(a < b, c >> 1)>>>(x);"},
    {"k<<<g, b>> >(x);", "k<<<g, b>>> (x);"},
    {"k<<\n <g, b>>\n>(x);\n", "k<<<\n g, b>>>\n(x);\n"},
    {"k<A<B<int>> ><< <1, 1>> >();", "k<A<B<int>> ><<< 1, 1>>> ();"},
    {"__global__ void __device__ f();", "__global__ void            f();"},
    {"static __device__ inline __global__ void f();",
     "static            inline __global__ void f();"},
    {"__device__ __shared__ int s[4];", "           __shared__ int s[4];"},
    {"__shared__ __device__ int s[4];", "__shared__            int s[4];"},
    {"__shared__ alignas(float4) float a[4];", "__shared__ mpu_aln(float4) float a[4];"},
    {"static __device__ alignas(8) int a;", "static __device__ mpu_aln(8) int a;"},
    {"__constant__ alignas(8) int a;", "__constant__ mpu_aln(8) int a;"},
    {"asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t));",
     "asm volatile(\"mov.u64 %0,%%globaltimer;\" : \"=l\"(t));"},
    // ---- these stay
    {"asm(\"add %0, %1, %%laneid;\"); printf(\"%d, %d\", a, b);", NULL},
    {"printf(\"%s, %s\", a, b);", NULL},
    {"alignas(16) __shared__ int a; alignas(8) int b;", NULL},
    {"__device__ void f(alignas(8) int a); struct alignas(8) s {};", NULL},
    {"v<v<v<int> > > a; b >> c; d << e;", NULL},
    {"A<B<C<int>> > x;", NULL},
    {"f<<<1, 1>>>(A<B<C<int>> >());", NULL},
    {"// k<< <1, 1>> >()\n/* << < */ const char *s = \"<< <\\\" << <\", c = '\"';", NULL},
    {"R\"x(k<< <1>> > \" )x\" ;", NULL},
    {"uR\"(<< <)\" u8R\"(<< <)\"", NULL},
    {"uR\"(\" << < \")\" u8R\"(\" << < \")\";", NULL},
    {"// continued \\\nk<< <1, 1>> >()", NULL},
    {"__device__ int a; __global__ void f(); __shared__ int b;", NULL},
    {"__device__ void f(int a) { __shared__ int b; }", NULL},
    {"int n = 1'000'000; f(a << b < c);", NULL},
    {"x << < ", "x <<<  "},
    {"\"", NULL},
    {"R\"(", NULL},
    {"/*", NULL},
    {"<<", NULL},
    {"'\\", NULL},
};

static void texts(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    char text[200];
    snprintf(text, sizeof text, "%s", cases[n].from);
    assert_int_equal(rewrite_text(text, strlen(text)), cases[n].to != NULL);
    assert_string_equal(text, cases[n].to ? cases[n].to : cases[n].from);
    assert_false(rewrite_text(text, strlen(text)));  // once is enough
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(texts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
