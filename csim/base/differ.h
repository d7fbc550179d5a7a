// SPDX-License-Identifier: Apache-2.0
// Says where two outputs of a block differ.
#pragma once

#include "csim/base/block.h"

// Into `text`, lines for each output port that differs (those that find room): its name and bits,
// and both values with the digits marked that differ. Returns the bytes written, without the 0; the
// last line has no end.
size_t differ_ports(char *text, size_t bytes, const block_ops *block, const void *twin,
                    const void *verilog);
