// SPDX-License-Identifier: Apache-2.0
// The first file system of a guest (docs/guest.md): busybox, the modules of its kernel, a program
// with its shared libraries, and the script that runs it.
#ifndef NEARBANK_INITRAMFS_H
#define NEARBANK_INITRAMFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct initramfs {
  const char *kernel;  // the folder that the kernel's package was unpacked in
  const char *busybox;
  const char *init;                // the script
  const char *const *modules;      // loaded in this order, what they need before them; up to a NULL
  const char *program;             // a program of the host
  const char *const *arguments;    // up to a NULL
  const char *const *environment;  // NAME=VALUE, up to a NULL
  const void *data;                // NULL, or what is in the file /data
  size_t data_bytes;
} initramfs;

// Writes the archive. False: `why` is one line.
bool initramfs_write(const initramfs *i, FILE *to, char *why, size_t why_bytes);

#endif
