// SPDX-License-Identifier: Apache-2.0
// Two runs of mpu run --races: the first launch where they differ, and in what.
#include <stdlib.h>
#include <string.h>
#include "races.h"

// The launch at *at, behind which *at then is. NULL: there is none, or not all of it.
static const races_launch *next_launch(const races_run *r, size_t *at) {
  const races_launch *l = (const races_launch *)(const void *)(r->record + *at);
  if (*at + sizeof *l > r->record_bytes)
    return NULL;
  *at += sizeof *l;
  const uint64_t room = (r->record_bytes - *at) / sizeof(races_page);
  if (l->pages > room)
    return NULL;
  *at += l->pages * sizeof(races_page);
  return l;
}

static const races_page *pages_of(const races_launch *l) {
  return (const races_page *)(const void *)(l + 1);
}

static bool same_launch(const races_launch *a, const races_launch *b) {
  return a->pages == b->pages && memcmp(a, b, sizeof *a + a->pages * sizeof(races_page)) == 0;
}

static void add_page(races_difference *d, uint64_t address) {
  if (d->pages++ < RACES_LOOKS)
    d->look[d->looked++] = address;
}

// Pages are in the order of their addresses.
static void compare_pages(const races_launch *a, const races_launch *b, races_difference *d) {
  const races_page *p = pages_of(a), *q = pages_of(b);
  const races_page *const p_end = p + a->pages, *const q_end = q + b->pages;
  while (p < p_end || q < q_end) {
    if (q == q_end || (p < p_end && p->address < q->address))
      add_page(d, (p++)->address);
    else if (p == p_end || q->address < p->address)
      add_page(d, (q++)->address);
    else {
      if (p->sum != q->sum)
        add_page(d, p->address);
      p++, q++;
    }
  }
}

static void compare_launches(const races_run *a, const races_run *b, races_difference *d) {
  size_t at_a = 0, at_b = 0;
  const races_launch *x, *y;
  do {
    x = next_launch(a, &at_a), y = next_launch(b, &at_b);
    if (!x && !y)
      return;
  } while (x && y && same_launch(x, y));
  d->launches[0] = x, d->launches[1] = y;
  if (!x || !y || strcmp(x->kernel, y->kernel) != 0) {
    d->kind = RACES_LAUNCHES;
    return;
  }
  d->kind = x->error != y->error ? RACES_ERROR : RACES_MEMORY;
  compare_pages(x, y, d);
}

bool races_repeat(const races_run *a, const races_run *again, uint64_t launch) {
  size_t at = 0, at_again = 0;
  const races_launch *x = NULL, *y = NULL;
  do {
    x = next_launch(a, &at), y = next_launch(again, &at_again);
  } while (x && y && same_launch(x, y) && x->number < launch);
  return x && y && same_launch(x, y);
}

// ---- output

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// The lines of a text, which becomes them. To be freed.
static char **lines_of(char *text, size_t *count) {
  size_t n = 0, room = 16;
  char **lines = malloc(room * sizeof *lines);
  for (char *line = strtok(text, "\n"); line && lines; line = strtok(NULL, "\n")) {
    if (n == room) {
      char **more = realloc(lines, 2 * room * sizeof *lines);
      if (!more)
        abort();
      lines = more, room *= 2;
    }
    lines[n++] = line;
  }
  *count = n;
  return lines;
}

static char **sorted_lines(const char *text, char **copy, size_t *count) {
  *copy = strdup(text);
  char **lines = *copy ? lines_of(*copy, count) : NULL;
  if (!lines)
    abort();
  qsort(lines, *count, sizeof *lines, by_text);
  return lines;
}

static bool same_lines(const char *a, const char *b) {
  char *copy_a, *copy_b;
  size_t n_a, n_b;
  char **x = sorted_lines(a, &copy_a, &n_a), **y = sorted_lines(b, &copy_b, &n_b);
  bool same = n_a == n_b;
  for (size_t n = 0; same && n < n_a; n++)
    same = strcmp(x[n], y[n]) == 0;
  free(x), free(y);
  free(copy_a), free(copy_b);
  return same;
}

static void compare_output(const races_run *a, const races_run *b, races_difference *d) {
  if (a->output_bytes == b->output_bytes && !memcmp(a->output, b->output, a->output_bytes))
    return;
  d->line = 1;
  for (size_t n = 0; a->output[n] && a->output[n] == b->output[n]; n++)
    d->line += a->output[n] == '\n';
  d->reordered = same_lines(a->output, b->output);
  d->output = !d->reordered;
}

void races_compare(const races_run *a, const races_run *b, races_difference *d) {
  *d = (races_difference){.kind = RACES_SAME, .status = a->status != b->status};
  compare_launches(a, b, d);
  compare_output(a, b, d);
}

bool races_differ(const races_difference *d, bool with_output) {
  return d->kind != RACES_SAME || d->status || (with_output && d->output);
}

// ---- arrays

typedef struct look {
  races_look_head head;
  const races_bytes *pages;
  const races_name *names;
  const races_writer *writers;
} look;

static bool look_of(const char *from, size_t bytes, look *l) {
  if (bytes < sizeof l->head)
    return false;
  memcpy(&l->head, from, sizeof l->head);
  const races_look_head *h = &l->head;
  l->pages = (const races_bytes *)(const void *)(from + sizeof *h);
  l->names = (const races_name *)(l->pages + h->pages);
  l->writers = (const races_writer *)(l->names + h->names);
  return bytes == sizeof *h + h->pages * sizeof *l->pages + h->names * sizeof *l->names +
                      h->writers * sizeof *l->writers;
}

static races_array *array_of(const look *l, uint64_t address, races_difference *d) {
  races_name name = {0};
  for (uint64_t n = 0; n < l->head.names; n++)
    if (address - l->names[n].address < l->names[n].bytes)
      name = l->names[n];
  for (uint32_t n = 0; n < d->n_arrays; n++)
    if (d->arrays[n].of.address == name.address)
      return &d->arrays[n];
  races_array *more = realloc(d->arrays, (d->n_arrays + 1) * sizeof *more);
  if (!more)
    abort();
  d->arrays = more;
  d->arrays[d->n_arrays] = (races_array){.of = name, .first = address, .floats = true};
  return &d->arrays[d->n_arrays++];
}

static races_side side_of(const look *l, const races_bytes *p, uint32_t at) {
  races_side s = {.written = p->writer[at] != 0};
  memcpy(&s.word, p->bytes + at / 4 * 4, 4);
  if (s.written)
    s.writer = l->writers[p->writer[at] - 1];
  return s;
}

static void differing_byte(const look l[2], const races_bytes *p, const races_bytes *q, uint32_t at,
                           races_difference *d) {
  races_array *x = array_of(&l[0], p->address + at, d);
  const races_side sides[2] = {side_of(&l[0], p, at), side_of(&l[1], q, at)};
  if (!x->bytes++)
    memcpy(x->sides, sides, sizeof sides);
  for (unsigned k = 0; k < 2; k++)
    x->floats &= sides[k].written && sides[k].writer.floats;
}

bool races_arrays(const char *looks[2], const size_t bytes[2], races_difference *d) {
  look l[2];
  if (!look_of(looks[0], bytes[0], &l[0]) || !look_of(looks[1], bytes[1], &l[1]) ||
      l[0].head.pages != l[1].head.pages)
    return false;
  for (uint64_t n = 0; n < l[0].head.pages; n++)
    for (uint32_t at = 0; at < RACES_PAGE; at++)
      if (l[0].pages[n].bytes[at] != l[1].pages[n].bytes[at])
        differing_byte(l, &l[0].pages[n], &l[1].pages[n], at, d);
  return true;
}
