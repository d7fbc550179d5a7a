// SPDX-License-Identifier: Apache-2.0
// The older place of the header.
#include "nvtx3/nvToolsExt.h"
