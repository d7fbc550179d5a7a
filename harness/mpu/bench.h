// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of `mpu bench` share.
#ifndef NEARBANK_BENCH_H
#define NEARBANK_BENCH_H

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_TEXT = 65536 };

// kernels/NAME as a program, through the cache. 0, or an exit status after a message.
int bench_compile(const char *name, char *program, size_t bytes);
// Runs it, quietly; `args` end with NULL. `text` is its report.
int bench_run(const char *program, const char *const *args, char *text, size_t text_bytes);
// `count` of the report a second of host_seconds: the median of three runs.
int bench_median(const char *program, const char *const *args, const char *count, double *speed);
// The number behind the first "key" in a report, 0: there is none.
double bench_number(const char *text, const char *key);

// A new empty file where temporary files go; its name into `to`. 0, or an exit status after a
// message.
int bench_temporary(char *to, size_t bytes);

int bench_core(bool json);
int bench_machine(bool json, bool paper_size);

#endif
