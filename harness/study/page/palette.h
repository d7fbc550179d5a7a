// SPDX-License-Identifier: Apache-2.0
// Colours of figures, on white and on a dark page. Those of series differ for readers who see red
// and green alike too, and stand out from the page at 3:1 or more. One more, faint, is for what is
// left over: empty, idle. Those of heat maps are steps
// from little to much, and from below to above a middle; text on a step has 4.5:1 in one of the
// inks.
#ifndef NEARBANK_PALETTE_H
#define NEARBANK_PALETTE_H

enum { PALETTE_LIGHT, PALETTE_DARK, PALETTE_SCHEMES };
enum { PALETTE_SERIES = 10, PALETTE_FAINT = PALETTE_SERIES, PALETTE_COLOURS, PALETTE_STEPS = 11 };

extern const char *const palette_series[PALETTE_SCHEMES][PALETTE_COLOURS];
extern const char *const palette_heat[PALETTE_SCHEMES][PALETTE_STEPS];
extern const char *const palette_sides[PALETTE_SCHEMES][PALETTE_STEPS];
// Text on a step: dark or light, by index.
extern const char *const palette_inks[2];
int palette_heat_ink(int scheme, int step);
int palette_sides_ink(int scheme, int step);

#endif
