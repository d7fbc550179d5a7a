#include <cstdio>

extern "C" int one(int *), two(int *);
int run_whole(int *);

int main() {
  int *d;
  cudaMalloc(&d, sizeof *d);
  puts(one(d) == 51 && two(d) == 52 && run_whole(d) == 1 ? "PASS" : "FAIL");
}
