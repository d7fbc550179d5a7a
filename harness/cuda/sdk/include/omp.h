// SPDX-License-Identifier: Apache-2.0
// OpenMP's functions for files that clang compiles, which has no runtime of its own for them: those
// of the host compiler's libgomp. Pragmas have no effect in such files.
#ifndef NEARBANK_OMP_H
#define NEARBANK_OMP_H

#ifdef __cplusplus
extern "C" {
#endif

int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_get_thread_limit(void);
int omp_in_parallel(void);
int omp_get_dynamic(void);
void omp_set_num_threads(int threads);
void omp_set_dynamic(int on);
void omp_set_nested(int on);
double omp_get_wtime(void);
double omp_get_wtick(void);

#ifdef __cplusplus
}
#endif

#endif
