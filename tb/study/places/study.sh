# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# A small study for tests of places: six runs, each of which adds a line to $work/ran when it executes. Its folder becomes the
# directory.
cd "$work" || exit 1
cat >p.cu <<CU
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
__global__ void add(float *x, int n) {
  for (int k = 0; k < n; k++)
    x[threadIdx.x] += 1;
}
int main(int argc, char **argv) {
  const char *what = argv[1];
  float *x, y;
  FILE *f = fopen("$work/ran", "a");
  fprintf(f, "%s\n", what);
  fclose(f);
  if (*what == 'f') { fprintf(stderr, "FAIL p: as it was told\n"); return 1; }
  cudaMalloc(&x, 128);
  cudaMemset(x, 0, 128);
  add<<<1, 32>>>(x, atoi(what));
  cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost);
  usleep(atoi(argv[2]) * 1000);
  printf("%s p: %g\n", y > 0 ? "PASS" : "FAIL", y);
  return y > 0 ? 0 : 1;
}
CU
# study NAME MILLISECONDS [ARGUMENT...]: runs that take at least so long, of these arguments (10 to 60)
study() {
  local name=$1 ms=$2 n
  shift 2
  (($#)) || set -- 10 20 30 40 50 60
  printf 'study: %s\nsets:\n  own:\n' "$name" >"$name.yaml"
  for n; do printf '    - {program: p.cu, name: r%s, arguments: "%s %s"}\n' "$n" "$n" "$ms" >>"$name.yaml"; done
  printf 'figures: {f: {columns: {cycles: cycles}}}\n' >>"$name.yaml"
}
# of STUDY STORE OPTION...: its table in STORE.csv, what it says in out and err
of() {
  local name=$1 store=$2
  shift 2
  "$MPU" study "$name.yaml" --store "$store" --csv "$store.csv" "$@" >out 2>err
}
same_table() { # STORE STORE: the same but for the numbers of runs
  [[ -s $1.csv ]] && cmp <(cut -d, -f1-8 "$1.csv") <(cut -d, -f1-8 "$2.csv") || fail "${3:-$2} has other numbers than $1"
}
says() { grep -qE -- "$1" err || { fail "this is not said: $1"; cat err; }; }
status() { # GOT WANTED WHAT
  [[ $1 == "$2" ]] || { fail "$3: status $1, not $2"; tail -n 5 err; }
}
ran() { sort "$work/ran" 2>/dev/null | xargs; }
once() { # WHAT [ARGUMENT...]: each ran once
  local what=$1
  shift
  (($#)) || set -- 10 20 30 40 50 60
  [[ $(ran) == "$*" ]] || fail "$what: these ran: $(ran)"
}
lines() { (($(cat "$1" 2>/dev/null | wc -l) >= $2)); } # FILE N: has it so many?
db() { sqlite3 "$1" "$2"; }
