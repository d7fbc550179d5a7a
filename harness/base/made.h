// SPDX-License-Identifier: Apache-2.0
// What made the figures of a run, for statistics of any machine: its whole configuration with a
// hash, and the program.
#ifndef NEARBANK_MADE_H
#define NEARBANK_MADE_H

#include "build_info.h"
#include "config/config.h"
#include "json.h"

// Members `configuration`, `configuration_hash` (c NULL: neither) and `build` of an open object.
void made_json(const config *c, const build_info *b, json_writer *j);

#endif
