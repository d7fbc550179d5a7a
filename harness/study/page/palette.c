// SPDX-License-Identifier: Apache-2.0
#include "palette.h"

const char *const palette_series[PALETTE_SCHEMES][PALETTE_COLOURS] = {
    {"#0072b2", "#d55e00", "#009e73", "#6a1a58", "#4499aa", "#5a2600", "#cc2244", "#002288",
     "#6f7780", "#a88700", "#c9d0d7"},
    {"#4aa8e8", "#f08a3c", "#2fc79a", "#b060c0", "#a5efff", "#a0643c", "#ff4d6d", "#2f68e0",
     "#8f98a3", "#ffe27a", "#414b56"}};

const char *const palette_heat[PALETTE_SCHEMES][PALETTE_STEPS] = {
    {"#eaf1f8", "#d0e2f2", "#b6d2eb", "#98bfe1", "#75a6d4", "#5093ca", "#3877b1", "#2764a0",
     "#185089", "#113d6f", "#0a2a56"},
    {"#1e2a36", "#213851", "#21476d", "#225889", "#296ba4", "#3988c9", "#5397d2", "#71b0e5",
     "#95c8f1", "#bdddf8", "#e3f3ff"}};

const char *const palette_sides[PALETTE_SCHEMES][PALETTE_STEPS] = {
    {"#9a3c00", "#b5561a", "#e48945", "#f3b885", "#f7d9bf", "#f3f4f5", "#c7dbed", "#96bde0",
     "#5993ca", "#2d6daa", "#0b4a86"},
    {"#ffc28a", "#ee9a54", "#cb722a", "#8d4e1c", "#5b3a25", "#262c33", "#27415e", "#255b8c",
     "#3d88c6", "#6eace3", "#a8d8ff"}};

const char *const palette_inks[2] = {"#10151a", "#ffffff"};

int palette_heat_ink(int scheme, int step) {
  return scheme == PALETTE_LIGHT ? step >= 6 : step < 5;
}

int palette_sides_ink(int scheme, int step) {
  return scheme == PALETTE_LIGHT ? step <= 1 || step >= 9 : step >= 3 && step <= 7;
}
