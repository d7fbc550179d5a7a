// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/plain_name.h"
#include "profile_data.h"

enum { MOST = 1 << 20 };  // instructions of a kernel

typedef struct reader {
  FILE *f;
  char *line;  // without its end
  size_t room;
} reader;

// The next line, which begins with `word` and a blank; what is behind it. NULL: it is another one.
static char *next(reader *r, const char *word) {
  const size_t n = strlen(word);
  const ssize_t bytes = getline(&r->line, &r->room, r->f);
  if (bytes <= 0 || r->line[bytes - 1] != '\n')
    return NULL;
  r->line[bytes - 1] = 0;
  return strncmp(r->line, word, n) == 0 ? r->line + n : NULL;
}

// Numbers at *text, each with a blank or the end behind it.
static bool numbers(char **text, uint64_t *to, size_t count) {
  for (size_t n = 0; n < count; n++) {
    char *end;
    if (!isdigit((unsigned char)**text))
      return false;
    to[n] = strtoull(*text, &end, 10);
    if (*end && *end != ' ')
      return false;
    *text = *end ? end + 1 : end;
  }
  return true;
}

static char *copy(const char *text) {
  char *to = strdup(text);
  if (!to)
    abort();
  return to;
}

static void name_kernels(profile *p) {
  for (uint32_t n = 0; n < p->n; n++)
    p->kernels[n].called = plain_name(p->kernels[n].name);
  for (uint32_t n = 0; n < p->n; n++)
    for (uint32_t k = 0; k < p->n; k++) {
      profile_kernel *a = &p->kernels[n], *b = &p->kernels[k];
      if (n == k || strcmp(a->called, b->called) != 0)
        continue;
      strcpy(a->called, a->name);
      free(b->called);
      b->called = copy(b->name);
    }
}

static bool read_instruction(reader *r, profile_instruction *i) {
  uint64_t lines[3];
  char *text = next(r, "");
  if (!text || !numbers(&text, lines, 3))
    return false;
  i->block = (uint32_t)lines[0];
  i->ptx_line = (uint32_t)lines[1], i->cuda_line = (uint32_t)lines[2];
  i->file = copy(text);
  if (!(text = next(r, "")))
    return false;
  i->text = copy(text);
  return true;
}

static bool read_kernel(reader *r, profile_kernel *k, char *text) {
  uint64_t head[5];
  if (!numbers(&text, head, 5) || head[0] > MOST)
    return false;
  k->n = (uint32_t)head[0] + 1;
  k->launches = head[1], k->cycles = head[2], k->drain = head[3], k->shape = head[4];
  k->name = copy(text);
  k->instructions = calloc(k->n, sizeof *k->instructions);
  k->counts = calloc(k->n + PROFILE_OTHERS, sizeof *k->counts);
  if (!k->instructions || !k->counts)
    abort();
  bool ok = true;
  for (uint32_t n = 0; ok && n + 1 < k->n; n++)
    ok = read_instruction(r, &k->instructions[n]);
  k->instructions[k->n - 1] =
      (profile_instruction){.text = copy("the end of the code"), .file = copy("")};
  for (uint32_t n = 0; ok && n < k->n + PROFILE_OTHERS; n++)
    ok = (text = next(r, "")) && numbers(&text, (uint64_t *)&k->counts[n], PROFILE_WORDS) && !*text;
  return ok;
}

static bool read_all(profile *p, reader *r) {
  uint64_t number;
  char *text = next(r, PROFILE_MAGIC " ");
  if (!text || !numbers(&text, &number, 1) || number != PROFILE_WORDS)
    return false;
  if (!(text = next(r, "result ")))
    return false;
  p->result = copy(text);
  if (!(text = next(r, "end ")))
    return false;
  p->end = copy(text);
  if (!(text = next(r, "cores ")) || !numbers(&text, &number, 1))
    return false;
  p->cores = (uint32_t)number;
  while ((text = next(r, "kernel "))) {
    p->kernels = realloc(p->kernels, (p->n + 1) * sizeof *p->kernels);
    if (!p->kernels)
      abort();
    p->kernels[p->n] = (profile_kernel){.n = 0};
    if (!read_kernel(r, &p->kernels[p->n++], text))
      return false;
  }
  return strcmp(r->line, PROFILE_END) == 0;
}

bool profile_read(profile *p, FILE *f) {
  reader r = {.f = f};
  *p = (profile){.n = 0};
  const bool ok = read_all(p, &r);
  free(r.line);
  if (ok)
    name_kernels(p);
  else
    profile_free(p);
  return ok;
}

void profile_free(profile *p) {
  for (uint32_t k = 0; k < p->n; k++) {
    profile_kernel *x = &p->kernels[k];
    for (uint32_t n = 0; x->instructions && n < x->n; n++) {
      free(x->instructions[n].text);
      free(x->instructions[n].file);
    }
    free(x->instructions);
    free(x->counts);
    free(x->name);
    free(x->called);
  }
  free(p->kernels);
  free(p->result);
  free(p->end);
  *p = (profile){.n = 0};
}
