// SPDX-License-Identifier: Apache-2.0
// The writer of FST files does not look whether writing succeeds, so there must be room before.
#include "wave_room.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

bool wave_room(const char *file, size_t bytes, char *why, size_t why_bytes) {
  struct stat s;
  struct statvfs v;
  struct rlimit limit;
  const bool there = stat(file, &s) == 0;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      (there ? (rlim_t)s.st_size : 0) + bytes > limit.rlim_cur) {
    snprintf(why, why_bytes, "files may have %llu bytes at most (ulimit -f)",
             (unsigned long long)limit.rlim_cur);
    return false;
  }
  if (there && statvfs(file, &v) == 0 && (unsigned long long)v.f_bavail * v.f_frsize < bytes) {
    snprintf(why, why_bytes, "the disk is full");
    return false;
  }
  return true;
}
