// SPDX-License-Identifier: Apache-2.0
// Texts and numbers as HTML has them.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "page.h"

// Bytes of the character at `s`, 0: it is not one.
static size_t character(const unsigned char *s) {
  const size_t n = *s < 0x80                 ? 1
                   : *s >= 0xf0 && *s < 0xf5 ? 4
                   : *s >= 0xe0              ? 3
                   : *s >= 0xc2              ? 2
                                             : 0;
  if (*s >= 0xf5)
    return 0;
  for (size_t k = 1; k < n; k++)
    if ((s[k] & 0xc0) != 0x80)
      return 0;
  // too long, surrogates, beyond Unicode
  if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] >= 0xa0) || (*s == 0xf0 && s[1] < 0x90) ||
      (*s == 0xf4 && s[1] >= 0x90))
    return 0;
  return n;
}

void page_escape(FILE *f, const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  while (*s) {
    const size_t n = character(s);
    if (!n || *s == 0x7f || (*s < ' ' && *s != '\t' && *s != '\n'))
      fputs("\xef\xbf\xbd", f);
    else if (*s == '<')
      fputs("&lt;", f);
    else if (*s == '>')
      fputs("&gt;", f);
    else if (*s == '&')
      fputs("&amp;", f);
    else if (*s == '"')
      fputs("&quot;", f);
    else
      fwrite(s, 1, n, f);
    s += n ? n : 1;
  }
}

const char *page_number(char to[PAGE_NUMBER], double value) {
  if (isnan(value)) {
    snprintf(to, PAGE_NUMBER, "missing");
  } else if (isinf(value)) {
    snprintf(to, PAGE_NUMBER, value > 0 ? "infinite" : "-infinite");
  } else if (value == rint(value) && fabs(value) < 1e15) {
    char digits[24];
    const int n = snprintf(digits, sizeof digits, "%.0f", fabs(value));
    char *at = to;
    if (value < 0)
      *at++ = '-';
    for (int k = 0; k < n; k++) {
      if (k && (n - k) % 3 == 0)
        *at++ = ',';
      *at++ = digits[k];
    }
    *at = 0;
  } else if (fabs(value) >= 1000 && fabs(value) < 1e15) {
    return page_number(to, rint(value));
  } else {
    snprintf(to, PAGE_NUMBER, "%.4g", value);
  }
  return to;
}
