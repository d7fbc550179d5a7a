// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "timeline_tracks.h"

const timeline_format *timeline_format_of(const char *file) {
  static const char *const packed[] = {".pftrace", ".perfetto-trace"};
  const size_t n = strlen(file);
  for (size_t k = 0; k < sizeof packed / sizeof *packed; k++) {
    const size_t m = strlen(packed[k]);
    if (n > m && strcmp(file + n - m, packed[k]) == 0)
      return &timeline_packed;
  }
  return &timeline_json;
}

bool timeline_file_open(timeline_file *f, const text *names, char *why, size_t why_bytes) {
  f->text.lost |= names->lost;
  f->format->head(&f->text, f->from, f->to, names);
  if (timeline_out_open(&f->out, f->format, f->name, &f->text))
    return true;
  snprintf(why, why_bytes, "cannot write '%s': %s", f->name, strerror(errno));
  return false;
}

void timeline_file_take(timeline_file *f, process *p) {
  text *from = &p->text;
  f->text.lost |= from->lost;
  text_put(&f->text, from->at, from->used);
  from->used = 0;
}

bool timeline_file_write(timeline_file *f, uint64_t until) {
  timeline_out_write(&f->out, &f->text);
  if (!f->out.error)
    f->whole = until;
  return !f->out.error;
}

// What is not in the file.
static void tell(const timeline_file *f, uint64_t cycles) {
  const timeline_out *j = &f->out;
  if (j->error && !j->events)
    fprintf(stderr, "mpu: cannot write '%s': %s; nothing of the timeline is kept\n", f->name,
            j->error);
  else if (j->error)
    fprintf(stderr,
            "mpu: cannot write '%s': %s; '%s%s' has what ended before cycle %" PRIu64
            ", and some of what came later\n",
            f->name, j->error, f->name, j->seeks ? ".part" : "", f->whole);
  else if (f->from >= cycles && f->asked)
    fprintf(stderr,
            "mpu: the run has %" PRIu64 " cycles: none of them is in --timeline-window %" PRIu64
            ":\n",
            cycles, f->from);
  else if (f->to < cycles && !f->asked)
    fprintf(stderr,
            "mpu: '%s' has cycles 0 to %" PRIu64 " of %" PRIu64
            "; --timeline-window A:B selects others\n",
            f->name, f->to - 1, cycles);
}

bool timeline_file_close(timeline_file *f, uint64_t cycles) {
  timeline_out_close(&f->out);
  tell(f, cycles);
  text_free(&f->text);
  return !f->out.error;
}
