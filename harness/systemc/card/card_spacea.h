// SPDX-License-Identifier: Apache-2.0
// A SpaceA for a card: the machine of spmv.h, with the matrices that contexts have made. The card
// calls it through a table in it, so that a program whose cards are MPUs is not linked with SpaceA.
#ifndef NEARBANK_CARD_SPACEA_H
#define NEARBANK_CARD_SPACEA_H

#include <stddef.h>
#include "card_ops.h"

typedef struct card_spacea card_spacea;

// near: c, rtl or lockstep; threads: of the host. NULL: `why`.
card_spacea *card_spacea_new(const struct config *c, const char *near, uint32_t threads, char *why,
                             size_t why_bytes);
// After its card. NULL is fine.
void card_spacea_free(card_spacea *a);

#endif
