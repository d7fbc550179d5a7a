// SPDX-License-Identifier: Apache-2.0
// The benchmarks of `mpu bench`, and what they share.
#ifndef NEARBANK_BENCH_H
#define NEARBANK_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include "harness/base/config/config.h"
#include "harness/study/energy/stats_read.h"

// kernels/plain/NAME as a program, through the cache. 0, or an exit status after a message.
int bench_compile(const char *name, char *program, size_t bytes);
// Runs it, quietly; `args` end with NULL. `to` is its report.
int bench_run(const char *program, const char *const *args, stats_file *to);
// A figure of a report, and the median of those of three runs.
typedef double bench_figure(const stats_file *report);
int bench_median(const char *program, const char *const *args, bench_figure *of, double *median);
// A figure as JSON, with its floor or its ceiling; 0: it has none.
void bench_json(const char *name, const char *unit, const char *format, double value, double floor,
                double ceiling, bool ok);

// A new empty file where temporary files go; its name into `to`. 0, or an exit status after a
// message.
int bench_temporary(char *to, size_t bytes);

// The benchmarks: of the functional machine; of one core; of a machine of many; of the card; of mpu
// study; of SpaceA. They print. 0, EXIT_FAILED where a figure is out of its bounds, or another exit
// status after a message.
int bench_isa(bool json);
int bench_core(bool json, const config *c);
int bench_machine(bool json, bool paper_size, const config *c);
int bench_card(bool json);
int bench_study(bool json);
int bench_spacea(bool json, const config *c);

#endif
