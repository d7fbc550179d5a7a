// SPDX-License-Identifier: Apache-2.0
// Functions that hardly ever run: resets, errors. Their code, and the calls of them, are kept away
// from what runs in every cycle, so that this fits the host's caches.
#ifndef NEARBANK_RARE_H
#define NEARBANK_RARE_H

#define RARE __attribute__((cold, noinline))

#endif
