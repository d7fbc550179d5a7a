// SPDX-License-Identifier: Apache-2.0
// A name that programs include; all of it is in cooperative_groups.h.
#include "../cooperative_groups.h"
