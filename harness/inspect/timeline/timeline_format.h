// SPDX-License-Identifier: Apache-2.0
// How tracks and slices are written: as JSON (timeline_json.c), or as Perfetto's own trace, which
// is packed (timeline_packed.c). A format writes what it is told; which slices there are, and where
// their tracks are, is not known here.
#ifndef NEARBANK_TIMELINE_FORMAT_H
#define NEARBANK_TIMELINE_FORMAT_H

#include "timeline_text.h"

typedef struct process process;

typedef struct timeline_format {
  // ---- the file: head, pieces of it, tail. The tail is written behind each piece, and the next
  // one over it.
  const char *tail;
  void (*head)(text *to, uint64_t from, uint64_t until, const text *names);
  // Bytes of the text, at most so many, that are whole records.
  size_t (*whole)(const text *t, size_t bytes);

  // ---- what there is, into the text of the process; names are not escaped yet
  void (*name_process)(text *to, uint32_t pid, const char *name);
  void (*name_track)(process *p, uint32_t track, const char *name);
  // A slice, its arguments, and its end. Inner slices of it may follow.
  void (*slice)(process *p, uint32_t track, uint64_t begin, uint64_t end, const char *name);
  void (*number)(process *p, const char *name, uint64_t value);
  void (*string)(process *p, const char *name, const char *value);
  void (*hex)(process *p, const char *name, uint64_t value, unsigned digits);
  void (*slice_end)(process *p);
  void (*inner)(process *p, uint32_t track, uint64_t begin, uint64_t end, const char *name);
  void (*flow)(process *p, char phase, uint32_t tid, uint64_t cycle, uint64_t id);
  void (*counters)(process *p, uint64_t cycle, const char *name, const char *const *names,
                   const uint32_t *values, uint32_t n);

  // What it keeps of a process, in p->packed.
  bool (*begin)(process *p);  // false: no memory
  void (*end)(process *p);
} timeline_format;

extern const timeline_format timeline_json, timeline_packed;

// By the ending of the name.
const timeline_format *timeline_format_of(const char *file);

#endif
