// SPDX-License-Identifier: Apache-2.0
// The writer of FST files does not look whether writing succeeds, so there must be room before.
#include "wave_room.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static bool on_disk(const char *file, size_t bytes) {
  struct statvfs v;
  return statvfs(file, &v) != 0 || (unsigned long long)v.f_bavail * v.f_frsize >= bytes;
}

bool wave_room(const char *file, size_t bytes, char *why, size_t why_bytes) {
  struct stat s;
  struct rlimit limit;
  const bool there = stat(file, &s) == 0;
  const char *slash = strrchr(file, '/');
  char folder[4096];
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      (there ? (rlim_t)s.st_size : 0) + bytes > limit.rlim_cur) {
    snprintf(why, why_bytes, "files may have %llu bytes at most (ulimit -f)",
             (unsigned long long)limit.rlim_cur);
    return false;
  }
  // the writer has files in P_tmpdir until it is closed
  const bool disk = on_disk(folder, bytes), tmp = on_disk(P_tmpdir, bytes);
  if (!disk || !tmp)
    snprintf(why, why_bytes, "the disk is full%s", disk ? " (" P_tmpdir ")" : "");
  return disk && tmp;
}
