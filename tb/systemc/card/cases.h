// SPDX-License-Identifier: Apache-2.0
// The cases of test_card.c: a file of this folder for each group. They are written from
// docs/card.md.
#ifndef NEARBANK_TB_CARD_CASES_H
#define NEARBANK_TB_CARD_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rig.h"

#define CASE(name) void name(void **state);
#include "cases.def"

extern uint64_t cases_seed;  // of what is random

#endif
