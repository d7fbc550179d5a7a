// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include "wave.h"

bool wave_tell(const wave_summary *s, const char *file) {
  if (s->missed[0])
    fprintf(stderr, "mpu: waves: no scope matches '%s' (--wave-scope)\n", s->missed);
  const char *part = s->full ? ".part" : "";
  if (s->full)
    fprintf(stderr, "mpu: cannot write '%s': %s\n", file, s->lost);
  else if (!s->windows)
    fprintf(stderr, "mpu: no waves in '%s': the run ended before its window\n", file);
  if (s->windows)
    fprintf(stderr,
            "mpu: waves: %s%s, %.1f MB, %" PRIu64 " signals, cycles %" PRIu64 " to %" PRIu64
            "; look at them with: mpu waves %s%s\n",
            file, part, 1e-6 * (double)s->bytes, s->signals, s->first, s->last, file, part);
  return !s->full && !s->missed[0];
}
