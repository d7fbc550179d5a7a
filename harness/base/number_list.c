// SPDX-License-Identifier: Apache-2.0
#include "number_list.h"

#include <stdlib.h>

bool number_list(const char *text, uint32_t n, bool *in) {
  do {
    char *end;
    const unsigned long from = strtoul(text, &end, 10);
    unsigned long to = from;
    if (end == text)
      return false;
    if (*end == '-') {
      text = end + 1;
      to = strtoul(text, &end, 10);
      if (end == text)
        return false;
    }
    if (from > to || to >= n)
      return false;
    for (unsigned long k = from; k <= to; k++)
      in[k] = true;
    text = end + 1;
    if (*end && *end != ',')
      return false;
    if (!*end)
      return true;
  } while (true);
}
