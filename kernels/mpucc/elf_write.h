// SPDX-License-Identifier: Apache-2.0
// Writes an allocated MIR module as an MPU object (csim/isa/mpu_elf.h).
#ifndef NEARBANK_ELF_WRITE_H
#define NEARBANK_ELF_WRITE_H

#include "mir.h"

// `m` must be of stage MIR_ALLOCATED. The image is malloc'ed and the caller's. Never fails but for
// lack of memory (aborts). The same module gives the same bytes.
void elf_write(const mir_module *m, uint8_t **image, size_t *bytes);

#endif
