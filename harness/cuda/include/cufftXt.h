// SPDX-License-Identifier: Apache-2.0
// A name that programs include; functions for several devices and callbacks are not supported.
#ifndef NEARBANK_CUFFTXT_H
#define NEARBANK_CUFFTXT_H
#include "cufft.h"
#endif
