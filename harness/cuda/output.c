// SPDX-License-Identifier: Apache-2.0
// printf and assert of kernels: records that include/device_output.h and device_assert.h left in
// device memory, printed in their order when the launch has ended.
#include <stdlib.h>
#include <string.h>
#include "rt.h"
#include "target.h"

// In words of 8 bytes: [0] words used; then records of format address, number of arguments,
// arguments. As in include/device_output.h.
enum { CAPACITY = 1 << 17 };

// A string of the device; what is not in global or constant memory reads as "(?)".
static char *device_string(rt_context *c, uint64_t at) {
  size_t count = 0, capacity = 64;
  char *s = malloc(capacity);
  for (; s; count++) {
    if (count + 4 > capacity) {
      char *more = realloc(s, capacity *= 2);
      if (!more)
        free(s);
      s = more;
      if (!s)
        break;
    }
    if (count > 65535 || target_read(c, s + count, at + count, 1)) {
      strcpy(s, "(?)");
      break;
    }
    if (!s[count])
      break;
  }
  return s;
}

typedef struct record {
  const uint64_t *args;
  size_t count, next;
} record;

static uint64_t take(record *r) {
  return r->next < r->count ? r->args[r->next++] : 0;
}

// One conversion, from '%' on; returns what follows it.
static const char *conversion(rt_context *c, const char *f, record *r, FILE *to) {
  char spec[64] = "%";
  size_t n = 1;
  const char *start = f++;
  for (; *f && strchr("-+ #0123456789.*", *f); f++) {
    if (n + 24 > sizeof spec)
      break;
    if (*f == '*')
      n += (size_t)snprintf(spec + n, sizeof spec - n, "%d", (int)take(r));
    else
      spec[n++] = *f;
  }
  unsigned halves = 0, longs = 0;
  for (; *f && strchr("hlzjtLq", *f); f++)
    *f == 'h' ? halves++ : longs++;
  spec[n] = 0;
  switch (*f) {
    case '%':
      fputc('%', to);
      break;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
      uint64_t v = take(r);
      bool is_signed = *f == 'd' || *f == 'i';
      if (!longs) {
        unsigned bits = halves > 1 ? 8 : halves ? 16 : 32;
        v = v << (64 - bits) >> (64 - bits);
        if (is_signed && v >> (bits - 1))
          v |= ~0ull << bits;
      }
      snprintf(spec + n, sizeof spec - n, "ll%c", *f);
      fprintf(to, spec, (long long)v);
      break;
    }
    case 'c':
      strcpy(spec + n, "c");
      fprintf(to, spec, (int)take(r));
      break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
      uint64_t bits = take(r);
      double v;
      memcpy(&v, &bits, sizeof v);
      snprintf(spec + n, sizeof spec - n, "%c", *f);
      fprintf(to, spec, v);
      break;
    }
    case 'p':
      strcpy(spec + n, "p");
      fprintf(to, spec, (void *)(uintptr_t)take(r));
      break;
    case 's': {
      char *s = device_string(c, take(r));
      strcpy(spec + n, "s");
      fprintf(to, spec, s ? s : "");
      free(s);
      break;
    }
    default:  // not a conversion: as it stands
      fwrite(start, 1, (size_t)(f - start), to);
      return f;
  }
  return f + 1;
}

static void print(rt_context *c, const char *f, record *r, FILE *to) {
  while (*f)
    if (*f == '%')
      f = conversion(c, f, r, to);
    else
      fputc(*f++, to);
}

void rt_output_print(rt_context *c, rt_program *p) {
  uint64_t used, at, *words;
  if (!p->output)
    return;
  at = target_symbol(c, p, p->output);
  if (target_read(c, &used, at, sizeof used) || !used)
    return;
  uint64_t kept = used < CAPACITY - 1 ? used : CAPACITY - 1;
  words = malloc(kept * sizeof *words);
  if (words && !target_read(c, words, at + 8, kept * sizeof *words))
    for (uint64_t n = 0; n + 2 <= kept && words[n] && words[n + 1] <= kept - n - 2;) {
      record r = {words + n + 2, words[n + 1], 0};
      char *format = device_string(c, words[n]);
      if (format)
        print(c, format, &r, stdout);
      free(format);
      n += 2 + r.count;
    }
  if (used > kept)
    fprintf(stderr, "mpu: a launch printed more than %d bytes; the rest is lost\n", CAPACITY * 8);
  free(words);
  target_fill(c, at, 0, (kept + 1) * 8);
}

// As in include/device_assert.h.
enum { ASSERTS = 64, ASSERT_WORDS = 10 };

bool rt_asserts_print(rt_context *c, rt_program *p) {
  uint64_t words[1 + ASSERTS * ASSERT_WORDS];
  if (!p->asserts || target_read(c, words, target_symbol(c, p, p->asserts), sizeof words))
    return false;
  const uint64_t count = words[0] < ASSERTS ? words[0] : ASSERTS;
  for (uint64_t n = 0; n < count; n++) {
    const uint64_t *w = words + 1 + n * ASSERT_WORDS;
    char *text = device_string(c, w[0]), *file = device_string(c, w[1]);
    char *of = device_string(c, w[2]);
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
            file ? file : "?", (unsigned)w[3], of ? of : "?", (unsigned)w[4], (unsigned)w[5],
            (unsigned)w[6], (unsigned)w[7], (unsigned)w[8], (unsigned)w[9], text ? text : "?");
    free(text);
    free(file);
    free(of);
  }
  if (words[0] > count)
    fprintf(stderr, "mpu: %llu more threads failed an assertion\n",
            (unsigned long long)(words[0] - count));
  if (count)
    target_fill(c, target_symbol(c, p, p->asserts), 0, sizeof words);
  return count > 0;
}
