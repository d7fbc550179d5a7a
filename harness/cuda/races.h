// SPDX-License-Identifier: Apache-2.0
// What device memory is like at the end of each launch, for mpu run --races, which compares runs
// (races_file.h). The settings `races` and `races_look` ask for it; else these do nothing.
#ifndef NEARBANK_CUDA_RACES_H
#define NEARBANK_CUDA_RACES_H

#include "rt.h"

void races_open(rt_context *c);
void races_launched(rt_context *c, const module_kernel *k, machine_error e);
void races_close(void);

#endif
