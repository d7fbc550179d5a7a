// SPDX-License-Identifier: Apache-2.0
// What the rules of the arrays allow one bank, under the policy of docs/blocks/bankctl.md (column,
// SASEL, ACT, PRE; of equals the oldest; the row used least recently is closed, if no request hits
// it), to a controller without a pipeline, patience or refresh: each cycle it may send any command.
// It shares nothing with the controller or the arrays.
#pragma once

#include "harness/study/dram/stream.h"

// Accesses a cycle of `n` saturating ones to bank 0.
double oracle_rate(const stream_access *accesses, size_t n, uint32_t rows, uint32_t queue);
