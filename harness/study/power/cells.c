// SPDX-License-Identifier: Apache-2.0
#include "cells.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEPTH = 16, WORD = 256 };

typedef struct reader {
  cells *c;
  FILE *f;
  char group[DEPTH][WORD];  // kinds of those that are open
  int depth;
  double femto;  // a unit of capacitance in fF
  cell *cell;
  cell_pin *pin;
  bool no_memory;
} reader;

// ---- functions: or of ands of exclusive ors of atoms; a blank is an and
typedef struct text {
  const cell *cell;
  cell_pin *pin;
  const char *at;
  bool bad;
} text;

static void put(text *t, int code) {
  if (t->pin->n_code < CELL_CODE)
    t->pin->code[t->pin->n_code++] = (int16_t)code;
  else
    t->bad = true;
}

static char next(text *t) {
  while (isspace((unsigned char)*t->at))
    t->at++;
  return *t->at;
}

static void either(text *t);

static void atom(text *t) {
  const char c = next(t);
  if (c == '!') {
    t->at++;
    atom(t);
    put(t, '!');
    return;
  }
  if (c == '(') {
    t->at++;
    either(t);
    t->bad |= next(t) != ')';
    t->at += !t->bad;
  } else {
    const size_t bytes =
        strspn(t->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    size_t k = 0;
    while (k < t->cell->n_pins && (strlen(t->cell->pins[k].name) != bytes ||
                                   strncmp(t->cell->pins[k].name, t->at, bytes) != 0))
      k++;
    t->bad |= !bytes || k == t->cell->n_pins;
    put(t, (int)k);
    t->at += bytes;
  }
  while (!t->bad && next(t) == '\'') {
    t->at++;
    put(t, '!');
  }
}

static void exclusive(text *t) {
  atom(t);
  while (!t->bad && next(t) == '^') {
    t->at++;
    atom(t);
    put(t, '^');
  }
}

static void both(text *t) {
  exclusive(t);
  while (!t->bad && next(t) && !strchr(")|+", next(t))) {
    t->at += strchr("&*", next(t)) != NULL;
    exclusive(t);
    put(t, '&');
  }
}

static void either(text *t) {
  both(t);
  while (!t->bad && next(t) && strchr("|+", next(t))) {
    t->at++;
    both(t);
    put(t, '|');
  }
}

// Codes of pins are below '!' as numbers: CELL_PINS is.
_Static_assert(CELL_PINS < '!', "a pin would be an operator");

uint64_t cell_value(const cell_pin *output, const uint64_t *pins) {
  uint64_t stack[CELL_CODE + 1], *top = stack;
  for (size_t k = 0; k < output->n_code; k++) {
    const int code = output->code[k];
    if (code < CELL_PINS) {
      *++top = pins[code];
    } else if (code == '!') {
      *top = ~*top;
    } else {
      const uint64_t b = *top--;
      *top = code == '&' ? *top & b : code == '|' ? *top | b : *top ^ b;
    }
  }
  return *top;
}

// ---- the file
static void skip_comment(FILE *f) {
  int c, before = 0;
  while ((c = fgetc(f)) != EOF && !(before == '*' && c == '/'))
    before = c;
}

// A word, a string without its quotes, or one of {}():; and ','. False at the end.
static bool word(FILE *f, char *to, bool *quoted) {
  int c;
  size_t n = 0;
  *quoted = false;
  while ((c = fgetc(f)) != EOF) {
    if (isspace(c) || c == '\\')
      continue;
    const int after = c == '/' ? fgetc(f) : 0;
    if (after == '*') {
      skip_comment(f);
      continue;
    }
    if (after)
      ungetc(after, f);
    break;
  }
  if (c == EOF)
    return false;
  if (c == '"') {
    *quoted = true;
    while ((c = fgetc(f)) != EOF && c != '"')
      if (n + 1 < WORD)
        to[n++] = (char)c;
  } else if (strchr("{}():;,", c)) {
    to[n++] = (char)c;
  } else {
    do
      if (n + 1 < WORD)
        to[n++] = (char)c;
    while ((c = fgetc(f)) != EOF && !isspace(c) && !strchr("{}():;,\"", c));
    if (c != EOF)
      ungetc(c, f);
  }
  to[n] = 0;
  return true;
}

static void open_group(reader *r, const char *kind, const char *name, const char *second) {
  if (++r->depth >= DEPTH)
    r->depth = DEPTH - 1;
  snprintf(r->group[r->depth], WORD, "%s", kind);
  cells *c = r->c;
  if (strcmp(kind, "cell") == 0) {
    if (c->n == c->room) {
      cell *more = realloc(c->all, (2 * c->room + 64) * sizeof *more);
      if (!more) {
        r->no_memory = true;
        return;
      }
      c->all = more;
      c->room = 2 * c->room + 64;
    }
    r->cell = &c->all[c->n++];
    *r->cell = (cell){.name = strdup(name)};
    r->no_memory |= !r->cell->name;
  } else if (strcmp(kind, "pin") == 0 && r->cell && strcmp(r->group[r->depth - 1], "cell") == 0) {
    r->pin = r->cell->n_pins < CELL_PINS ? &r->cell->pins[r->cell->n_pins++] : NULL;
    if (r->pin && !(r->pin->name = strdup(name)))
      r->no_memory = true;
  } else if (r->cell && (strncmp(kind, "ff", 2) == 0 || strncmp(kind, "latch", 5) == 0)) {
    r->cell->stores = true;
    r->cell->latch = kind[0] == 'l';
    if (!r->cell->states[0]) {
      r->no_memory |=
          !(r->cell->states[0] = strdup(name)) || !(r->cell->states[1] = strdup(second));
    }
  }
}

static void close_group(reader *r) {
  if (strcmp(r->group[r->depth], "cell") == 0)
    r->cell = NULL;
  else if (strcmp(r->group[r->depth], "pin") == 0)
    r->pin = NULL;
  r->depth -= r->depth > 0;
}

static void attribute(reader *r, const char *name, const char *value) {
  if (r->cell && r->cell->stores && !r->pin) {
    const bool data = strcmp(name, "data_in") == 0 || strcmp(name, "next_state") == 0;
    const bool clock = strcmp(name, "enable") == 0 || strcmp(name, "clocked_on") == 0;
    char **to = data ? &r->cell->data : clock ? &r->cell->enable : NULL;
    if (to && !*to)
      r->no_memory |= !(*to = strdup(value));
  }
  if (!r->pin || strcmp(r->group[r->depth], "pin") != 0)
    return;
  if (strcmp(name, "direction") == 0)
    r->pin->output = strcmp(value, "output") == 0;
  else if (strcmp(name, "clock") == 0)
    r->pin->clock = strcmp(value, "true") == 0;
  else if (strcmp(name, "capacitance") == 0)
    r->pin->femtofarads = strtod(value, NULL) * r->femto;
  else if (strcmp(name, "function") == 0 && !r->pin->function)
    r->no_memory |= !(r->pin->function = strdup(value));
}

static void read_file(reader *r) {
  char name[WORD] = "", w[WORD], first[WORD] = "", second[WORD] = "";
  bool quoted;
  while (!r->no_memory && word(r->f, w, &quoted)) {
    if (quoted || !strchr("{}():;,", w[0])) {
      snprintf(name, sizeof name, "%s", w);
    } else if (w[0] == '(') {
      first[0] = second[0] = 0;
      for (int n = 0; word(r->f, w, &quoted) && (quoted || w[0] != ')');)
        if (quoted || w[0] != ',')
          snprintf(n++ ? second : first, WORD, "%s", w);
      if (strcmp(name, "capacitive_load_unit") == 0)
        r->femto = strtod(first, NULL) * (strcasecmp(second, "ff") == 0 ? 1 : 1000);
    } else if (w[0] == '{') {
      open_group(r, name, first, second);
    } else if (w[0] == '}') {
      close_group(r);
    } else if (w[0] == ':' && word(r->f, w, &quoted)) {
      attribute(r, name, w);
    }
  }
}

// What an output is, from its function; of a latch from what it lets through.
static void understand(const cell *c, cell_pin *pin) {
  const char *function = pin->function;
  bool inverted = false;
  if (c->stores) {
    if (!c->latch || !c->data || !c->enable)
      return;
    inverted = strcmp(function, c->states[1]) == 0;
    if (!inverted && strcmp(function, c->states[0]) != 0)
      return;
    function = c->data;
  }
  text t = {c, pin, function, false};
  either(&t);
  if (inverted)
    put(&t, '!');
  if (t.bad || next(&t))
    pin->n_code = 0;  // an error only for a netlist that uses the cell
}

bool cells_read(cells *c, const char *file, char *why, size_t why_bytes) {
  reader r = {.c = c, .f = fopen(file, "r"), .femto = 1000};
  *c = (cells){0};
  if (!r.f) {
    snprintf(why, why_bytes, "cannot read '%s': %s", file, strerror(errno));
    return false;
  }
  read_file(&r);
  fclose(r.f);
  for (size_t n = 0; n < c->n && !r.no_memory; n++) {
    c->all[n].low = c->all[n].enable && strpbrk(c->all[n].enable, "!'");
    for (size_t k = 0; k < c->all[n].n_pins; k++) {
      cell_pin *pin = &c->all[n].pins[k];
      pin->data = c->all[n].data && strcmp(pin->name, c->all[n].data) == 0;
      if (pin->output && pin->function)
        understand(&c->all[n], pin);
    }
  }
  if (!r.no_memory && c->n)
    return true;
  snprintf(why, why_bytes, r.no_memory ? "out of host memory" : "'%s' has no cells", file);
  cells_free(c);
  return false;
}

void cells_free(cells *c) {
  for (size_t n = 0; n < c->n; n++) {
    free(c->all[n].name);
    free(c->all[n].states[0]);
    free(c->all[n].states[1]);
    free(c->all[n].data);
    free(c->all[n].enable);
    for (size_t k = 0; k < c->all[n].n_pins; k++) {
      free(c->all[n].pins[k].name);
      free(c->all[n].pins[k].function);
    }
  }
  free(c->all);
  *c = (cells){0};
}

const cell *cells_named(const cells *c, const char *name) {
  for (size_t n = 0; n < c->n; n++)
    if (strcmp(c->all[n].name, name) == 0)
      return &c->all[n];
  return NULL;
}
