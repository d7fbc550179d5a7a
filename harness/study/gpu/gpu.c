// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "harness/base/user_error.h"
#include "harness/cuda/driver/compile.h"

#define FROZEN "harness/study/gpu/v100.csv"
#define FROZEN_COLUMNS "set,program,arguments,read_bytes,write_bytes,warp_instructions,ns,bound"
#define MEASURED_COLUMNS "program,arguments,ns,card"
// A byte and a warp instruction take ns / these.
static const double BYTES_A_NS = 800;
static const double INSTRUCTIONS_A_NS = 441;
enum { FIELDS = 8, PATH = 4096 };

const char *const gpu_bound_names[] = {"memory", "issue", "measured"};

typedef struct entry {
  gpu_row row;
  size_t measured;  // line of the measured file, 0: of the frozen table
} entry;

struct gpu_table {
  entry *entries;
  size_t count, capacity;
};

double gpu_at_best(uint64_t compulsory_bytes, uint64_t warp_instructions, gpu_bound *bound) {
  const double memory = (double)compulsory_bytes / BYTES_A_NS;
  const double issue = (double)warp_instructions / INSTRUCTIONS_A_NS;
  *bound = memory >= issue ? GPU_MEMORY : GPU_ISSUE;
  return memory >= issue ? memory : issue;
}

const char *const *gpu_assumptions(void) {
  static const char *const lines[] = {
      GPU_AT_BEST ": the longer of compulsory bytes / 0.8 TB/s and warp instructions / 441 G/s",
      "  0.8 TB/s is what streams reach on that card; 441 G/s is 80 SMs x 4 schedulers x 1.38 GHz",
      "  perfect caches: each sector of 32 bytes comes from DRAM once and goes there once",
      "  no launch overhead, no latency: each scheduler issues in each cycle",
      "  bytes and instructions are counted once, with this project's compiler, and frozen",
      "  a measured card takes longer, so a factor against this is conservative; the papers' 3.46",
      "  is against a measured V100",
      NULL};
  return lines;
}

// ---- names

// As the table has it: from the root of the checkout on, a folder for its source of the same name.
static void program_name(const char *given, char *to, size_t bytes) {
  const char *root = compile_root();
  const size_t length = strlen(root);
  if (length && !strncmp(given, root, length) && given[length] == '/')
    given += length + 1;
  while (!strncmp(given, "./", 2))
    given += 2 + strspn(given + 2, "/");
  snprintf(to, bytes, "%s", given);
  size_t n = strlen(to);
  while (n > 1 && to[n - 1] == '/')
    to[--n] = 0;
  char *file = strrchr(to, '/');
  if (!file)
    return;
  *file = 0;
  const char *folder = strrchr(to, '/') ? strrchr(to, '/') + 1 : to;
  const size_t letters = strlen(folder);
  const bool same = !strncmp(file + 1, folder, letters) && !strcmp(file + 1 + letters, ".cu");
  *file = same ? 0 : '/';
}

// Words with a blank between. --slice names what programs of kernels/tiled do without arguments.
static void argument_words(const char *program, const char *given, char *to, size_t bytes) {
  static const char blanks[] = " \t", tiled[] = "kernels/tiled/";
  size_t n = 0;
  to[0] = 0;
  for (given += strspn(given, blanks); *given && n < bytes; given += strspn(given, blanks)) {
    const int length = (int)strcspn(given, blanks);
    n += (size_t)snprintf(to + n, bytes - n, "%s%.*s", n ? " " : "", length, given);
    given += length;
  }
  if (!strcmp(to, "--slice") && !strncmp(program, tiled, strlen(tiled)))
    to[0] = 0;
}

static entry *entry_named(const gpu_table *t, const char *program, const char *arguments) {
  for (size_t n = 0; n < t->count; n++)
    if (!strcmp(t->entries[n].row.program, program) &&
        !strcmp(t->entries[n].row.arguments, arguments))
      return &t->entries[n];
  return NULL;
}

// kernels/axpy means kernels/plain/axpy, as for mpu run.
static entry *entry_of(const gpu_table *t, const char *program, const char *arguments) {
  static const char kernels[] = "kernels/";
  const size_t length = strlen(kernels);
  char plain[PATH + sizeof "plain/"];
  entry *e = entry_named(t, program, arguments);
  if (e || strncmp(program, kernels, length) != 0)
    return e;
  snprintf(plain, sizeof plain, "%splain/%s", kernels, program + length);
  return entry_named(t, plain, arguments);
}

const gpu_row *gpu_find(const gpu_table *t, const char *program, const char *arguments) {
  char name[PATH], words[PATH];
  program_name(program, name, sizeof name);
  argument_words(name, arguments, words, sizeof words);
  const entry *e = entry_of(t, name, words);
  return e ? &e->row : NULL;
}

const gpu_row *gpu_at(const gpu_table *t, size_t n) {
  return n < t->count ? &t->entries[n].row : NULL;
}

// ---- lines

typedef struct reader {
  const char *file;
  size_t line;
  gpu_table *to;
} reader;

static int wrong(const reader *r, const char *what, const char *value) {
  return user_error("%s:%zu: %s%s%s%s", r->file, r->line, value ? "'" : "", value ? value : "",
                    value ? "' " : "", what);
}

// The fields of a line, in its own memory: "a,b" is one, with "" for a quotation mark in it. How
// many there are, also beyond `most`; 0: a quotation does not end.
static size_t split(char *line, char *fields[], size_t most) {
  size_t n = 0;
  for (char *from = line;; n++) {
    char *to = from;
    const bool quoted = *from == '"';
    if (n < most)
      fields[n] = to;
    if (quoted)
      for (from++; *from != '"' || from[1] == '"'; from++) {
        from += *from == '"';
        if (!*from)
          return 0;
        *to++ = *from;
      }
    from += quoted;
    while (*from && *from != ',')
      *to++ = *from++;
    const bool last = !*from;
    from++;
    *to = 0;
    if (last)
      return n + 1;
  }
}

static bool to_count(const char *text, uint64_t *v) {
  char *end;
  errno = 0;
  *v = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool to_ns(const char *text, double *v) {
  char *end;
  *v = strtod(text, &end);
  return *text && !text[strspn(text, "0123456789.eE+-")] && !*end && isfinite(*v) && *v > 0;
}

static int out_of_memory(void) {
  user_error("out of memory");
  return EXIT_FAILED;
}

// A new entry at the end, with names of its own. NULL: no memory.
static entry *add(gpu_table *t, const char *program, const char *arguments) {
  if (t->count == t->capacity) {
    const size_t capacity = t->capacity ? 2 * t->capacity : 64;
    entry *more = realloc(t->entries, capacity * sizeof *more);
    if (!more)
      return NULL;
    t->entries = more, t->capacity = capacity;
  }
  entry *e = &t->entries[t->count];
  *e = (entry){.row = {.program = strdup(program), .arguments = strdup(arguments)}};
  t->count++;
  return e->row.program && e->row.arguments ? e : NULL;
}

// set,program,arguments,read_bytes,write_bytes,warp_instructions,ns,bound
static int take_frozen(const reader *r, char *f[]) {
  uint64_t counts[3];
  double ns;
  for (size_t n = 0; n < 3; n++)
    if (!to_count(f[3 + n], &counts[n]))
      return wrong(r, "is not a count", f[3 + n]);
  if (!to_ns(f[6], &ns))
    return wrong(r, "is not a time in ns above 0", f[6]);
  const bool issue = !strcmp(f[7], gpu_bound_names[GPU_ISSUE]);
  if (!issue && strcmp(f[7], gpu_bound_names[GPU_MEMORY]) != 0)
    return wrong(r, "is not a bound: memory or issue", f[7]);
  if (entry_named(r->to, f[1], f[2]))
    return wrong(r, "has two lines with these arguments", f[1]);
  entry *e = add(r->to, f[1], f[2]);
  if (!e || !(e->row.source = strdup(GPU_AT_BEST)))
    return out_of_memory();
  e->row.ns = ns, e->row.bound = issue ? GPU_ISSUE : GPU_MEMORY;
  e->row.read_bytes = counts[0], e->row.write_bytes = counts[1];
  e->row.warp_instructions = counts[2];
  return EXIT_OK;
}

// program,arguments,ns,card
static int take_measured(const reader *r, char *f[]) {
  char name[PATH], words[PATH], *source;
  double ns;
  if (!*f[0] || !*f[3])
    return wrong(r, *f[0] ? "the card is missing" : "the program is missing", NULL);
  if (!to_ns(f[2], &ns))
    return wrong(r, "is not a time in ns above 0", f[2]);
  program_name(f[0], name, sizeof name);
  argument_words(name, f[1], words, sizeof words);
  entry *e = entry_of(r->to, name, words);
  if (e && e->measured)
    return user_error("%s:%zu: '%s' with arguments '%s' is in line %zu already", r->file, r->line,
                      name, words, e->measured);
  if (!e && !(e = add(r->to, name, words)))
    return out_of_memory();
  if (asprintf(&source, "%s (%s)", f[3], r->file) < 0)
    return out_of_memory();
  free(e->row.source);
  e->row.source = source;
  e->row.ns = ns, e->row.bound = GPU_MEASURED;
  e->measured = r->line;
  return EXIT_OK;
}

// Lines of a file; # at the beginning of one makes it a comment. The first other one has the names
// of the columns.
static int take_lines(reader *r, char *text, const char *columns,
                      int take(const reader *r, char *fields[])) {
  char *fields[FIELDS], *rest = text;
  size_t n = 1;
  bool named = false;
  for (const char *c = columns; *c; c++)
    n += *c == ',';
  for (char *line; (line = strsep(&rest, "\n"));) {
    r->line++;
    line[strcspn(line, "\r")] = 0;
    if (!*line || *line == '#')
      continue;
    if (!named && strcmp(line, columns) != 0)
      return user_error("%s:%zu: the columns are '%.80s'; they have to be %s", r->file, r->line,
                        line, columns);
    if (named) {
      const size_t found = split(line, fields, FIELDS);
      if (found != n)
        return found ? user_error("%s:%zu: %zu columns; a line has %zu: %s", r->file, r->line,
                                  found, n, columns)
                     : user_error("%s:%zu: a quotation mark is missing", r->file, r->line);
      const int status = take(r, fields);
      if (status)
        return status;
    }
    named = true;
  }
  return named ? EXIT_OK : user_error("%s: the line of columns is missing: %s", r->file, columns);
}

static int take_file(gpu_table *t, const char *file, const char *columns,
                     int take(const reader *r, char *fields[])) {
  size_t bytes;
  char *contents = read_file(file, &bytes);
  if (!contents)
    return EXIT_USAGE;
  char *text = realloc(contents, bytes + 1);
  if (!text) {
    free(contents);
    return out_of_memory();
  }
  text[bytes] = 0;
  reader r = {.file = file, .to = t};
  const int status = strlen(text) == bytes ? take_lines(&r, text, columns, take)
                                           : user_error("%s: not a text: it has bytes of 0", file);
  free(text);
  return status;
}

int gpu_open(const char *measured, gpu_table **to) {
  char frozen[PATH];
  gpu_table *t = calloc(1, sizeof *t);
  *to = NULL;
  if (!t)
    return out_of_memory();
  snprintf(frozen, sizeof frozen, "%s/%s", compile_root(), FROZEN);
  int status = take_file(t, frozen, FROZEN_COLUMNS, take_frozen);
  if (!status && measured)
    status = take_file(t, measured, MEASURED_COLUMNS, take_measured);
  if (status)
    gpu_close(t);
  else
    *to = t;
  return status;
}

void gpu_close(gpu_table *t) {
  if (!t)
    return;
  for (size_t n = 0; n < t->count; n++) {
    free(t->entries[n].row.program);
    free(t->entries[n].row.arguments);
    free(t->entries[n].row.source);
  }
  free(t->entries);
  free(t);
}
