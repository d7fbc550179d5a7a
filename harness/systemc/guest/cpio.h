// SPDX-License-Identifier: Apache-2.0
// Writes an archive in the format "newc" of cpio, from which Linux makes its first file system.
#ifndef NEARBANK_CPIO_H
#define NEARBANK_CPIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct cpio {
  FILE *to;
  uint32_t entries;
  uint64_t bytes;
} cpio;

// Paths begin without a slash. The folders that a file is in come first.
void cpio_folder(cpio *c, const char *path);
void cpio_file(cpio *c, const char *path, uint32_t permissions, const void *data, size_t bytes);
bool cpio_end(cpio *c);  // false: the archive is not whole, errno says why

#endif
