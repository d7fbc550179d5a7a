// SPDX-License-Identifier: Apache-2.0
#include "placement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1000, WHAT = 8, NAME = 128 };

typedef struct entry {
  bool of_blocks, copy, used;
  unsigned line;  // of the file; 0: a hint of the program
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

static entry *find(placement *p, bool of_blocks, const char *name) {
  for (size_t k = 0; k < p->n; k++)
    if (p->of[k].of_blocks == of_blocks && strcmp(p->of[k].name, name) == 0)
      return &p->of[k];
  return NULL;
}

// What follows the colon.
static bool read_what(const placement *p, entry *e, const char *text, char *why, size_t why_bytes) {
  if (e->copy)
    return sim_may_copy(p->machine, why, why_bytes);
  return digits_read(&e->by, text, e->of_blocks ? "block" : "line", why, why_bytes) &&
         (e->of_blocks ? sim_may_place_blocks : sim_may_place)(p->machine, &e->by, why, why_bytes);
}

static bool add(placement *p, const entry *e, char *why, size_t why_bytes) {
  entry *more = realloc(p->of, (p->n + 1) * sizeof *more);
  if (!more) {
    snprintf(why, why_bytes, "out of host memory");
    return false;
  }
  p->of = more;
  p->of[p->n++] = *e;
  return true;
}

// "array dev_in: nbu 4, core 32, line 8, core 4", "array dev_x: copy" or
// "blocks blur: core 32, block 4, core 4"; an empty line has no name.
static bool read_line(const placement *p, char *text, entry *e, char *why, size_t why_bytes) {
  char what[WHAT] = "";
  int at = 0;
  text[strcspn(text, "#\n")] = 0;
  if (!text[strspn(text, " \t\r")])
    return true;
  const int words = sscanf(text, " %7s %127s%n", what, e->name, &at);
  const size_t end = strlen(e->name) - 1;  // the colon; names have others, too
  if (words < 2 || !end || e->name[end] != ':' ||
      (strcmp(what, "array") && strcmp(what, "blocks"))) {
    snprintf(why, why_bytes,
             "a line is 'array NAME: DIGITS', 'array NAME: copy' or 'blocks KERNEL: DIGITS'");
    return false;
  }
  e->name[end] = 0;
  e->of_blocks = what[0] == 'b';
  e->copy = !e->of_blocks && is_copy(text + at);
  return read_what(p, e, text + at, why, why_bytes);
}

static bool read_of_file(placement *p, char *text, unsigned line, char *why, size_t why_bytes) {
  char wrong[200];
  entry e = {.line = line};
  const bool ok = read_line(p, text, &e, wrong, sizeof wrong);
  const entry *other = ok ? find(p, e.of_blocks, e.name) : NULL;
  if (!ok)
    snprintf(why, why_bytes, "%s:%u: %s", p->file, line, wrong);
  else if (other)
    snprintf(why, why_bytes, "%s:%u: %s %s has a line already, %u", p->file, line,
             e.of_blocks ? "blocks" : "array", e.name, other->line);
  else
    return !e.name[0] || add(p, &e, why, why_bytes);
  return false;
}

static bool read_lines(placement *p, FILE *f, char *why, size_t why_bytes) {
  char text[LINE];
  for (unsigned n = 1; fgets(text, sizeof text, f); n++) {
    if (!strchr(text, '\n') && !feof(f)) {
      snprintf(why, why_bytes, "%s:%u: the line is longer than %d characters", p->file, n,
               LINE - 2);
      return false;
    }
    if (!read_of_file(p, text, n, why, why_bytes))
      return false;
  }
  return true;
}

placement *placement_new(const sim *machine) {
  placement *p = calloc(1, sizeof *p);
  if (p)
    p->machine = machine;
  return p;
}

placement *placement_read(const char *file, const sim *machine, char *why, size_t why_bytes) {
  placement *p = placement_new(machine);
  FILE *f = fopen(file, "r");
  if (!p)
    snprintf(why, why_bytes, "out of host memory");
  else if (!f)
    snprintf(why, why_bytes, "cannot read '%.300s': %s", file, strerror(errno));
  else
    p->file = file;
  const bool ok = p && f && read_lines(p, f, why, why_bytes);
  if (f)
    fclose(f);
  if (ok)
    return p;
  placement_free(p);
  return NULL;
}

void placement_hint(placement *p, const char *lines, FILE *to) {
  for (const char *at = lines; *at; at += strcspn(at, "\n"), at += *at == '\n') {
    char text[LINE], why[200];
    entry e = {0};
    const size_t bytes = strcspn(at, "\n");
    snprintf(text, sizeof text, "%.*s", (int)(bytes < LINE ? bytes : LINE - 1), at);
    if (!read_line(p, text, &e, why, sizeof why))
      fprintf(to, "mpu: mpuPlace(\"%.*s\") is ignored: %s\n", (int)bytes, at, why);
    else if (e.name[0] && !find(p, e.of_blocks, e.name) && !add(p, &e, why, sizeof why))
      fprintf(to, "mpu: mpuPlace: %s\n", why);
  }
}

void placement_free(placement *p) {
  if (p)
    free(p->of);
  free(p);
}

static const entry *use(placement *p, bool of_blocks, const char *name) {
  entry *e = find(p, of_blocks, name);
  if (e)
    e->used = true;
  return e;
}

placement_array placement_of(placement *p, const char *array) {
  const entry *e = use(p, false, array);
  return e ? (placement_array){e->copy, e->copy ? NULL : &e->by} : (placement_array){0};
}
const digits *placement_blocks(placement *p, const char *kernel) {
  const entry *e = use(p, true, kernel);
  return e ? &e->by : NULL;
}

void placement_unused(const placement *p, FILE *to) {
  for (size_t k = 0; k < p->n; k++)
    if (!p->of[k].used && p->of[k].line)
      fprintf(to, "mpu: %s:%u: there was no %s %s\n", p->file, p->of[k].line,
              p->of[k].of_blocks ? "kernel" : "array", p->of[k].name);
}
