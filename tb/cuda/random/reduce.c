// SPDX-License-Identifier: Apache-2.0
#include "reduce.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool try(program *p, still_differs *test, void *ctx, char why[WHY]) {
  char name[64], now[WHY];
  snprintf(name, sizeof name, "reduce_%u", p->number);
  if (!test(ctx, p, name, now))
    return false;
  memcpy(why, now, WHY);
  return true;
}

// Groups of statements at once, from the end on: uses before declarations.
static bool drop(program *p, still_differs *test, void *ctx, unsigned group, char why[WHY]) {
  bool any = false;
  for (unsigned end = p->count; end > 0; end -= end < group ? end : group) {
    bool was[PROGRAM_NODES], changes = false;
    const unsigned at = end < group ? 0 : end - group;
    for (unsigned k = at; k < end; k++) {
      was[k] = p->all[k]->off;
      changes |= !was[k];
      p->all[k]->off = true;
    }
    if (!changes)
      continue;
    if (try(p, test, ctx, why)) {
      any = true;
      continue;
    }
    for (unsigned k = at; k < end; k++)
      p->all[k]->off = was[k];
  }
  return any;
}

// What is inside of a branch or loop, without it; not where threads meet.
static bool unwrap(program *p, still_differs *test, void *ctx, char why[WHY]) {
  bool any = false;
  for (unsigned k = 0; k < p->count; k++) {
    stmt *n = p->all[k];
    if (n->off || n->open || !n->first || !n->text || strncmp(n->text, "if (c", 5) == 0 ||
        strstr(n->text, "sync") || (n->end && strstr(n->end, "sync")) ||
        (n->end && strstr(n->end, "return")) ||
        (strncmp(n->text, "if", 2) != 0 && strncmp(n->text, "{ ", 2) != 0))
      continue;
    n->open = true;
    if (try(p, test, ctx, why))
      any = true;
    else
      n->open = false;
  }
  return any;
}

static void all_groups(program *p, still_differs *test, void *ctx, char why[WHY]) {
  for (unsigned group = p->count / 2; group > 1; group /= 2)
    drop(p, test, ctx, group, why);
  while (drop(p, test, ctx, 1, why) || unwrap(p, test, ctx, why)) {
  }
}

bool reduce(program *p, still_differs *test, void *ctx, char why[WHY]) {
  if (!try(p, test, ctx, why))
    return false;
  // clang says a lot about what is left out and needed
  fflush(stderr);
  const int was = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (was >= 0 && nowhere >= 0)
    dup2(nowhere, STDERR_FILENO);
  all_groups(p, test, ctx, why);
  if (was >= 0)
    dup2(was, STDERR_FILENO);
  close(was);
  close(nowhere);
  return true;
}
