// SPDX-License-Identifier: Apache-2.0
#include "plain_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *plain_name(const char *symbol) {
  char *to = calloc(1, strlen(symbol) + 1);
  if (!to)
    abort();
  const char *at = strncmp(symbol, "_Z", 2) == 0 ? symbol + 2 : "";
  const bool nested = *at == 'N';
  for (at += nested; isdigit((unsigned char)at[*at == 'L']);) {
    char *id;
    const unsigned long n = strtoul(at + (*at == 'L'), &id, 10);
    if (n > strlen(id))
      break;
    sprintf(to + strlen(to), "%s%.*s", *to ? "::" : "", (int)n, id);
    at = id + n;
    if (!nested)
      break;
  }
  return *to ? to : strcpy(to, symbol);
}
