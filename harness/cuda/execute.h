// SPDX-License-Identifier: Apache-2.0
// How kernels execute, by the settings `schedule` and `bounds`. What is wrong with these ends the
// program with status 2.
#ifndef NEARBANK_CUDA_EXECUTE_H
#define NEARBANK_CUDA_EXECUTE_H

#include "rt.h"

// The order of warps and blocks on the functional machine m, NULL: there is no machine here.
void execute_in_order(machine *m);
bool execute_page_reads(void);  // machine_config.page_reads
void execute_check_placed(
    void);  // arrays do not lie as the machine places them: refuses page_reads

#endif
