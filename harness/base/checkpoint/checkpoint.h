// SPDX-License-Identifier: Apache-2.0
// The file of a checkpoint (docs/checkpoint.md): a head, which says what was started, and records,
// which are only ever appended. Of what is in a record this knows nothing.
//
// Where a function returns false, `why` of the checkpoint (or the one given) is a sentence for the
// user, with the name of the file.
#ifndef NEARBANK_CHECKPOINT_H
#define NEARBANK_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHECKPOINT_VERSION = 4, CHECKPOINT_WHY = 5000 };

typedef struct checkpoint {
  int fd;
  const char *name;
  uint64_t at, end;      // of the next frame; of the last whole one
  uint64_t bytes, left;  // of the record that is being read
  uint64_t records;      // whole ones
  bool torn;             // one was dropped, which was not written to its end
  char why[CHECKPOINT_WHY];
} checkpoint;

// A new file, or one that is empty, gets its head; `head` is bytes long.
bool checkpoint_create(const char *name, const void *head, size_t bytes, char *why,
                       size_t why_bytes);

// The head of a file; to be freed. NULL: `why`.
char *checkpoint_head(const char *name, size_t *bytes, char *why, size_t why_bytes);

// To read the records and to append some; no other process can then. A torn last one is cut off.
// The name stays the caller's.
bool checkpoint_open(checkpoint *c, const char *name);
void checkpoint_close(checkpoint *c);

// The next record, while at < end; it is what was written. Then its bytes, as often as it takes
// until none are left.
bool checkpoint_next(checkpoint *c);
bool checkpoint_read(checkpoint *c, void *to, size_t bytes);

// A record of these parts, multiples of 8 bytes each, behind the last one. It is on the disk
// afterwards, or false: the file is as it was.
typedef struct checkpoint_part {
  const void *from;
  size_t bytes;
} checkpoint_part;
bool checkpoint_append(checkpoint *c, const checkpoint_part *parts, size_t count);

#endif
