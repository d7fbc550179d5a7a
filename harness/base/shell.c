// SPDX-License-Identifier: Apache-2.0
#include "shell.h"

#include <string.h>

void shell_put_word(FILE *f, const char *word) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./%@";
  if (*word && strspn(word, plain) == strlen(word)) {
    fprintf(f, " %s", word);
    return;
  }
  fputs(" '", f);
  for (; *word; word++)
    fputs(*word == '\'' ? "'\\''" : (const char[]){*word, 0}, f);
  fputc('\'', f);
}
