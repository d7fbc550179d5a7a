#include <omp.h>

int main() {
  int count = 0;
#pragma omp parallel
  count++;
  return count != 1 || omp_get_num_threads() != 1 || omp_get_wtime() <= 0;
}
