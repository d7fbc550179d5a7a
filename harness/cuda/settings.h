// SPDX-License-Identifier: Apache-2.0
// The settings of a run. `mpu run` hands them to the program in its environment; this is the one
// place that reads them there. What is below gets values.
#ifndef NEARBANK_SETTINGS_H
#define NEARBANK_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "harness/base/config/config.h"
#include "harness/machines/mpu/near/near.h"

typedef struct run_settings {
// clang-format off
#define SETTING_TEXT(field, variable) const char *field;
#define SETTING_GIVEN(field, variable) const char *field;
#define SETTING_FLAG(field, variable) bool field;
#define SETTING_COUNT(field, variable) uint64_t field;
#include "driver/settings.def"
  // clang-format on
  // What texts of the machine mean:
  bool timed;      // cycle by cycle; else the functional machine
  near_mode near;  // of the near side
  config machine;  // not timed: the preset paper, which is what the functional machine is like
  bool terminal;   // TERM is one that can erase a line
} run_settings;

// Looks a variable up, as getenv does.
typedef const char *settings_lookup(void *ctx, const char *variable);

// Texts stay the environment's. False: `why` says which setting is wrong; texts, flags and counts
// that are right are there all the same, the machine is the default.
bool settings_read(run_settings *s, settings_lookup *get, void *ctx, char *why, size_t bytes);
// Those of this process.
bool settings_of_process(run_settings *s, char *why, size_t bytes);

#endif
