// SPDX-License-Identifier: Apache-2.0
// Child processes that never outlive this one, however it ends, and what they say, line by line.
#ifndef NEARBANK_CHILDREN_H
#define NEARBANK_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { LINE = 1024 };

// The lines that come from a descriptor.
typedef struct lines {
  int fd;  // -1: ended
  char line[LINE];
  size_t n;
} lines;

// Reads what is there, and hands over each line that is whole, without its end; the last one at the
// end. Lines that are too long are cut.
void lines_read(lines *l, void (*take)(void *ctx, const char *line), void *ctx);

typedef struct child {
  pid_t pid;  // 0: none
  int status;
  bool ended;
} child;

// Forks; in the child it returns true. The child has /dev/null as its input and is killed when this
// process ends, or when child_kill is called, with all that it has started.
bool child_fork(child *c);
// Whether it has ended; then c->status is that of waitpid.
bool child_ended(child *c);
void child_kill(child *c);
// "ended with status 3", "was killed by signal 9".
const char *child_end(const child *c, char *to, size_t bytes);

double seconds_now(void);

#endif
