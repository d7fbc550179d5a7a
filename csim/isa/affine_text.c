// SPDX-License-Identifier: Apache-2.0
// Sums as text: the argument first that is a pointer, then what it is added to:
//   dev_in + 4*ctaid.x*ntid.x + 4*tid.x
#include "affine.h"
#include "isa.h"

static void print_symbol(affine_symbol s, const affine_names *names, FILE *f) {
  static const char *const kinds[AFFINE_KINDS] = {"",       "tid",      "ctaid", "ntid",
                                                  "nctaid", "argument", "loop",  "variable"};
  if (s.kind <= AFFINE_NCTAID) {
    fprintf(f, "%s.%c", kinds[s.kind], "xyz"[s.index]);
    if (s.shift)
      fprintf(f, "/%u", 1u << s.shift);
    return;
  }
  const char *name = names->name && s.kind != AFFINE_LOOP ? names->name(names->context, s) : NULL;
  if (name)
    fputs(name, f);
  else
    fprintf(f, "%s%u", kinds[s.kind], s.index + (s.kind == AFFINE_LOOP));
}

static void print_term(const affine_term *t, bool first, const affine_names *names, FILE *f) {
  const bool minus = t->factor < 0;
  const uint64_t size = minus ? -(uint64_t)t->factor : (uint64_t)t->factor;
  fputs(first ? (minus ? "-" : "") : minus ? " - " : " + ", f);
  const bool alone = t->of[0].kind == AFFINE_NONE;
  if (size != 1 || alone)
    fprintf(f, "%llu%s", (unsigned long long)size, alone ? "" : "*");
  for (unsigned n = 0; n < AFFINE_FACTORS && t->of[n].kind; n++) {
    fputs(n ? "*" : "", f);
    print_symbol(t->of[n], names, f);
  }
}

// Where an array begins: a pointer by itself.
static bool is_base(const affine_term *t) {
  const affine_symbol s = t->of[0];
  return t->factor == 1 && t->of[1].kind == AFFINE_NONE &&
         (s.kind == AFFINE_VARIABLE ||
          (s.kind == AFFINE_ARGUMENT && isa_types[s.shift].bits == 64));
}

void affine_print(const affine_term *terms, uint32_t n, const affine_names *names, FILE *f) {
  bool first = true;
  for (int base = 1; base >= 0; base--)
    for (uint32_t k = 0; k < n; k++)
      if (is_base(&terms[k]) == base) {
        print_term(&terms[k], first, names, f);
        first = false;
      }
  if (first)
    putc('0', f);
}
