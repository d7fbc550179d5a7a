// SPDX-License-Identifier: Apache-2.0
#include "cpio.h"

#include <string.h>
#include <sys/stat.h>

static void put(cpio *c, const void *data, size_t bytes) {
  static const char zeros[4];
  fwrite(data, 1, bytes, c->to);
  fwrite(zeros, 1, -bytes % 4, c->to);
  c->bytes += (bytes + 3) / 4 * 4;
}

static void entry(cpio *c, const char *path, uint32_t mode, const void *data, size_t bytes) {
  const uint32_t fields[] = {
      ++c->entries,  // inode
      mode,
      0,
      0,
      1,
      0,  // user, group, links, time
      (uint32_t)bytes,
      0,
      0,
      0,
      0,  // devices
      (uint32_t)strlen(path) + 1,
      0,
  };
  char text[4096 + 128];
  int n = snprintf(text, sizeof text, "070701");
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
    n += snprintf(text + n, sizeof text - (size_t)n, "%08x", fields[k]);
  n += snprintf(text + n, sizeof text - (size_t)n, "%s", path);
  put(c, text, (size_t)n + 1);
  put(c, data, bytes);
}

void cpio_folder(cpio *c, const char *path) {
  entry(c, path, S_IFDIR | 0755, "", 0);
}

void cpio_file(cpio *c, const char *path, uint32_t permissions, const void *data, size_t bytes) {
  entry(c, path, S_IFREG | permissions, data, bytes);
}

bool cpio_end(cpio *c) {
  entry(c, "TRAILER!!!", 0, "", 0);
  return !fflush(c->to) && !ferror(c->to);
}
