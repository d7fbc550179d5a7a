// SPDX-License-Identifier: Apache-2.0
#include "placement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1000, WHAT = 8, NAME = 128 };

typedef struct entry {
  bool of_blocks, copy, used;
  unsigned line;
  char name[NAME];
  digits by;
} entry;

struct placement {
  const char *file;
  const sim *machine;
  entry *of;
  size_t n;
};

static bool is_copy(const char *text) {
  char word[WHAT] = "", more[2];
  return sscanf(text, "%7s%1s", word, more) == 1 && strcmp(word, "copy") == 0;
}

// What follows the colon.
static bool read_what(const placement *p, entry *e, const char *text, char *why, size_t why_bytes) {
  if (e->copy)
    return sim_may_copy(p->machine, why, why_bytes);
  return digits_read(&e->by, text, e->of_blocks ? "block" : "line", why, why_bytes) &&
         (e->of_blocks ? sim_may_place_blocks : sim_may_place)(p->machine, &e->by, why, why_bytes);
}

// "array dev_in: nbu 4, core 32, line 8, core 4", "array dev_x: copy" or
// "blocks blur: core 32, block 4, core 4".
static bool read_line(placement *p, char *text, unsigned number, char *why, size_t why_bytes) {
  char what[WHAT] = "", wrong[200];
  entry e = {.line = number};
  int at = 0;
  text[strcspn(text, "#\n")] = 0;
  if (!text[strspn(text, " \t\r")])
    return true;
  const int words = sscanf(text, " %7s %127s%n", what, e.name, &at);
  const size_t end = strlen(e.name) - 1;  // the colon; names have others, too
  if (words < 2 || !end || e.name[end] != ':' ||
      (strcmp(what, "array") && strcmp(what, "blocks"))) {
    snprintf(why, why_bytes,
             "%s:%u: a line is 'array NAME: DIGITS', 'array NAME: copy' or 'blocks KERNEL: DIGITS'",
             p->file, number);
    return false;
  }
  e.name[end] = 0;
  e.of_blocks = what[0] == 'b';
  e.copy = !e.of_blocks && is_copy(text + at);
  if (!read_what(p, &e, text + at, wrong, sizeof wrong)) {
    snprintf(why, why_bytes, "%s:%u: %s", p->file, number, wrong);
    return false;
  }
  for (size_t k = 0; k < p->n; k++)
    if (p->of[k].of_blocks == e.of_blocks && strcmp(p->of[k].name, e.name) == 0) {
      snprintf(why, why_bytes, "%s:%u: %s %s has a line already, %u", p->file, number, what, e.name,
               p->of[k].line);
      return false;
    }
  entry *more = realloc(p->of, (p->n + 1) * sizeof *more);
  if (!more) {
    snprintf(why, why_bytes, "out of host memory");
    return false;
  }
  p->of = more;
  p->of[p->n++] = e;
  return true;
}

static bool read_lines(placement *p, FILE *f, char *why, size_t why_bytes) {
  char text[LINE];
  for (unsigned n = 1; fgets(text, sizeof text, f); n++) {
    if (!strchr(text, '\n') && !feof(f)) {
      snprintf(why, why_bytes, "%s:%u: the line is longer than %d characters", p->file, n,
               LINE - 2);
      return false;
    }
    if (!read_line(p, text, n, why, why_bytes))
      return false;
  }
  return true;
}

placement *placement_read(const char *file, const sim *machine, char *why, size_t why_bytes) {
  placement *p = calloc(1, sizeof *p);
  FILE *f = fopen(file, "r");
  if (!p)
    snprintf(why, why_bytes, "out of host memory");
  else if (!f)
    snprintf(why, why_bytes, "cannot read '%.300s': %s", file, strerror(errno));
  else
    p->file = file, p->machine = machine;
  const bool ok = p && f && read_lines(p, f, why, why_bytes);
  if (f)
    fclose(f);
  if (ok)
    return p;
  placement_free(p);
  return NULL;
}

void placement_free(placement *p) {
  if (p)
    free(p->of);
  free(p);
}

static const entry *find(placement *p, bool of_blocks, const char *name) {
  for (size_t k = 0; k < p->n; k++)
    if (p->of[k].of_blocks == of_blocks && strcmp(p->of[k].name, name) == 0) {
      p->of[k].used = true;
      return &p->of[k];
    }
  return NULL;
}

placement_array placement_of(placement *p, const char *array) {
  const entry *e = find(p, false, array);
  return e ? (placement_array){e->copy, e->copy ? NULL : &e->by} : (placement_array){0};
}
const digits *placement_blocks(placement *p, const char *kernel) {
  const entry *e = find(p, true, kernel);
  return e ? &e->by : NULL;
}

void placement_unused(const placement *p, FILE *to) {
  for (size_t k = 0; k < p->n; k++)
    if (!p->of[k].used)
      fprintf(to, "mpu: %s:%u: there was no %s %s\n", p->file, p->of[k].line,
              p->of[k].of_blocks ? "kernel" : "array", p->of[k].name);
}
