// SPDX-License-Identifier: Apache-2.0
// A machine for a card, from its configuration: all that a platform needs besides the module. C++
// can include this header.
#ifndef NEARBANK_CARD_MACHINE_H
#define NEARBANK_CARD_MACHINE_H

#include <stddef.h>
#include <stdint.h>
#include "card_ops.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct card_machine card_machine;

// configuration: a preset or a YAML file, as for --config; sets: texts "section.key=value", as for
// --set; near: c, rtl or lockstep; threads: of the host. NULL: `why` is one line.
card_machine *card_machine_new(const char *configuration, const char *const *sets, size_t n_sets,
                               const char *near, uint32_t threads, char *why, size_t why_bytes);
// The same for a card of type SPACEA; the configuration is one with SpaceA's section, as "spacea"
// or "spacea-small". One card can have it.
card_machine *card_machine_new_spacea(const char *configuration, const char *const *sets,
                                      size_t n_sets, const char *near, uint32_t threads, char *why,
                                      size_t why_bytes);
void card_machine_free(card_machine *m);

const card_device *card_machine_device(const card_machine *m);

// The functions of the card (card.h).
const card_ops *card_machine_ops(void);

#ifdef __cplusplus
}
#endif
#endif
