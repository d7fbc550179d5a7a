// SPDX-License-Identifier: Apache-2.0
// Names that the printer and the reader of MIR text share.
#ifndef NEARBANK_MIR_TEXT_H
#define NEARBANK_MIR_TEXT_H

#include "mir.h"

enum { MIR_TEXT_VERSION = 1, MIR_STAGES = 7 };

extern const char *const mir_stage_names[MIR_STAGES];
extern const char mir_loc_letters[5];  // U N F B, by mir_loc

// One instruction with the labels of its kernel; the caller frees it.
char *mir_inst_text(mir_kernel *k, const isa_inst *i);

#endif
