// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "timeline_tracks.h"

static void put_head(timeline_file *f, const text *names) {
  text *head = &f->text;
  TEXT(head, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"1 ns is a core cycle\"");
  TEXT(head, ",\"from\":");
  text_number(head, f->from);
  if (f->to != NEVER)
    TEXT(head, ",\"to\":"), text_number(head, f->to);
  TEXT(head, "},\"traceEvents\":[");
  head->lost |= names->lost;
  if (names->used)
    text_put(head, names->at + 1, names->used - 1);  // without the comma
}

bool timeline_file_open(timeline_file *f, const text *names, char *why, size_t why_bytes) {
  put_head(f, names);
  if (json_open(&f->json, f->name, &f->text))
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
  json_write(&f->json, &f->text);
  if (!f->json.error)
    f->whole = until;
  return !f->json.error;
}

// What is not in the file.
static void tell(const timeline_file *f, uint64_t cycles) {
  const json_file *j = &f->json;
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
  json_close(&f->json);
  tell(f, cycles);
  text_free(&f->text);
  return !f->json.error;
}
