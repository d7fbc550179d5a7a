// SPDX-License-Identifier: Apache-2.0
// What the commands of a card of type SPACEA do. A machine multiplies at once, to its end, when the
// command begins; its cycles are the time until y is written.
#include "card_spacea.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "card_priv.h"
#include "csim/isa/model.h"
#include "harness/machines/spacea/library/spmv.h"

enum { MATRICES = 64 };  // of a context

typedef struct matrix {
  spmv_matrix *a;  // NULL: none
  uint32_t rows, columns;
} matrix;

typedef struct spacea {
  card_spacea card;
  spmv_device *device;
  matrix matrices[CONTEXTS][MATRICES];
  spmv_vector *y;  // of the multiplication that was last, to be written when it ends
} spacea;

static spacea *spacea_of(const card *c) {
  return (spacea *)c->spacea;
}

static void *refuse(slot *s, uint32_t status, const char *text) {
  s->r.status = status;
  card_say(s, text);
  return NULL;
}

// ---- what arguments mean

// An array of `n` elements in memory of the context. NULL: there is none, and the status is set.
static void *array(card *c, slot *s, const char *name, uint64_t address, uint64_t n,
                   uint32_t bytes) {
  char text[200];
  if (n && (n > c->memory_bytes / bytes || machine_reach(c->m, address, n * bytes))) {
    snprintf(text, sizeof text,
             "%s: %" PRIu64 " elements of %" PRIu32 " bytes at 0x%" PRIx64
             " are not inside one allocation",
             name, n, bytes, address);
    return refuse(s, CARD_BAD_ADDRESS, text);
  }
  if (n && address % bytes) {
    snprintf(text, sizeof text, "%s: 0x%" PRIx64 " is not a multiple of %" PRIu32, name, address,
             bytes);
    return refuse(s, CARD_BAD_ADDRESS, text);
  }
  return machine_memory(c->m) + (n ? address : 0);
}

// The one of MATRIX_FREE and MULTIPLY.
static matrix *matrix_of(card *c, const context *x, slot *s) {
  const uint64_t number = s->c.words[CARD_MULTIPLY_MATRIX];
  matrix *all = spacea_of(c)->matrices[context_number(c, x)];
  if (number < MATRICES && all[number].a)
    return &all[number];
  return refuse(s, CARD_BAD_MATRIX, "no matrix has this number");
}

// ---- commands

static uint64_t make_matrix(card *c, const context *x, slot *s) {
  spacea *d = spacea_of(c);
  const uint64_t *w = s->c.words;
  const uint32_t rows = (uint32_t)w[CARD_MATRIX_ROWS], columns = (uint32_t)w[CARD_MATRIX_COLUMNS];
  matrix *all = d->matrices[context_number(c, x)], *to = all;
  while (to != all + MATRICES && to->a)
    to++;
  if (to == all + MATRICES)
    return refuse(s, CARD_NO_MEMORY, "too many matrices"), 0;
  const uint64_t *row_ptr = array(c, s, "row_ptr", w[CARD_MATRIX_ROW_PTR], rows + 1ull, 8);
  const uint64_t n = row_ptr ? row_ptr[rows] : 0;
  const uint32_t *col = row_ptr ? array(c, s, "col", w[CARD_MATRIX_COL], n, 4) : NULL;
  const double *val = col ? array(c, s, "val", w[CARD_MATRIX_VAL], n, 8) : NULL;
  if (!val)
    return 0;
  to->a = spmv_matrix_new(
      d->device, rows, columns, row_ptr, col, val,
      w[CARD_MATRIX_MAPPING] == CARD_MAPPING_NAIVE ? SPMV_MAP_NAIVE : SPMV_MAP_SPACEA);
  if (!to->a)
    return refuse(s, CARD_BAD_MATRIX, spmv_error(d->device)), 0;
  to->rows = rows, to->columns = columns;
  s->r.words[CARD_MATRIX_GIVES_MATRIX] = (uint64_t)(to - all);
  return card_machine_time(c, (rows + 1ull) * sizeof *row_ptr + n * (sizeof *col + sizeof *val),
                           CARD_COPIED);
}

static uint64_t multiply(card *c, const context *x, slot *s) {
  spacea *d = spacea_of(c);
  const uint64_t *w = s->c.words;
  const matrix *m = matrix_of(c, x, s);
  const double *from = m ? array(c, s, "x", w[CARD_MULTIPLY_X], m->columns, 8) : NULL;
  const double *to = from ? array(c, s, "y", w[CARD_MULTIPLY_Y], m->rows, 8) : NULL;
  if (!to)
    return 0;
  spmv_vector_free(d->y);
  d->y = spmv_vector_new(d->device, m->rows);
  spmv_vector *v = spmv_vector_new(d->device, m->columns);
  if (!spmv_put(v, from, m->columns) || !spmv_put(d->y, to, m->rows))
    refuse(s, CARD_NO_MEMORY, spmv_error(d->device));
  else if (!spmv_semiring(m->a, w[CARD_MULTIPLY_SEMIRING] == CARD_SEMIRING_PLUS_TIMES
                                    ? SPMV_PLUS_TIMES
                                    : SPMV_MIN_PLUS) ||
           !spmv_run(m->a, v, d->y))
    refuse(s, CARD_MODEL, spmv_error(d->device));
  spmv_vector_free(v);
  uint64_t cycles = s->r.status ? 0 : spmv_cycles(m->a);
  if (c->watchdog && cycles > c->watchdog) {
    refuse(s, CARD_WATCHDOG, "the multiplication takes more cycles than WATCHDOG allows");
    cycles = c->watchdog;
  }
  s->r.words[CARD_MULTIPLY_GIVES_CYCLES] = s->r.status ? 0 : cycles;
  return cycles * CARD_PERIOD;
}

static uint64_t begin(card *c, const context *x, slot *s) {
  machine_set_owner(c->m, 1u << context_number(c, x));
  return s->c.opcode == CARD_DO_MATRIX     ? make_matrix(c, x, s)
         : s->c.opcode == CARD_DO_MULTIPLY ? multiply(c, x, s)
                                           : 0;
}

static void end(card *c, const context *x, slot *s) {
  if (s->c.opcode == CARD_DO_MATRIX_FREE) {
    matrix *m = matrix_of(c, x, s);
    if (m)
      spmv_matrix_free(m->a), m->a = NULL;
  } else if (s->c.opcode == CARD_DO_MULTIPLY && !s->r.status) {
    const matrix *m = matrix_of(c, x, s);
    spmv_get(spacea_of(c)->y, (double *)(machine_memory(c->m) + s->c.words[CARD_MULTIPLY_Y]),
             m->rows);
  }
}

static void release(card *c, const context *x) {
  matrix *all = spacea_of(c)->matrices[context_number(c, x)];
  for (uint32_t n = 0; n < MATRICES; n++)
    spmv_matrix_free(all[n].a), all[n].a = NULL;
}

// ---- begin and end

card_spacea *card_spacea_new(const config *c, const char *near, uint32_t threads, char *why,
                             size_t why_bytes) {
  char *text = NULL;
  size_t bytes;
  spacea *d = calloc(1, sizeof *d);
  FILE *f = open_memstream(&text, &bytes);
  if (f)
    config_print(c, "the configuration of the card", false, f);
  if (!f || fclose(f) || !d)
    snprintf(why, why_bytes, "out of host memory");
  else
    d->device = spmv_open(text, near, threads, why, why_bytes);
  free(text);
  if (!d || !d->device) {
    free(d);
    return NULL;
  }
  d->card = (card_spacea){c->spacea.cubes * c->spacea.vaults, begin, end, release};
  return &d->card;
}

void card_spacea_free(card_spacea *a) {
  spacea *d = (spacea *)a;
  if (!d)
    return;
  spmv_vector_free(d->y);
  spmv_close(d->device);
  free(d);
}
