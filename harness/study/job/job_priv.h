// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share.
#ifndef NEARBANK_JOB_PRIV_H
#define NEARBANK_JOB_PRIV_H

#include "job.h"

enum { JOB_PATH = 4200 };

void job_path(const char *folder, const char *file, char *to);  // JOB_PATH bytes

#endif
