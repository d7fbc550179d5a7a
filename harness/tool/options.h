// SPDX-License-Identifier: Apache-2.0
// Tables of options (options_run.c, options_more.c), of which commands.c makes commands.
#ifndef NEARBANK_OPTIONS_H
#define NEARBANK_OPTIONS_H

#include "args.h"

#define OPTIONS_END \
  { NULL, NULL, OPTION_FLAG, NULL, NULL }

extern const option_info options_help[], options_compile[], options_host[], options_run[],
    options_debug[], options_profile[], options_resume[], options_retire[], options_cc[],
    options_mpucc[], options_asm[], options_dis[];
extern const option_info options_config[], options_traffic[], options_network[], options_accesses[],
    options_controller[], options_energy[], options_report[], options_diff[], options_activity[],
    options_waves[], options_plot[], options_bench[], options_machine[], options_platform[],
    options_study[], options_map[], options_matrix[], options_spacea[], options_seeing[],
    options_nodes[];
extern const option_info options_test[], options_formal[], options_mutate[], options_coverage[],
    options_timing[], options_area[], options_power[], options_technology[], options_export[];

#endif
