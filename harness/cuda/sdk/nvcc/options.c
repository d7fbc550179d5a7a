// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <stdlib.h>
#include <string.h>

static const nvcc_option options[] = {
#define OPTION(name, longer, value, done, text) {name, longer, value, done, text},
#include "nvcc_options.def"
#undef OPTION
};
enum { OPTIONS = sizeof options / sizeof *options };

static bool named(const char *word, size_t n, const char *name) {
  return strlen(name) == n && memcmp(word, name, n) == 0;
}

const nvcc_option *option_of(const char *word, const char **value) {
  const char *name = word + 1 + (word[1] == '-');
  const char *equals = strchr(name, '=');
  const size_t n = equals ? (size_t)(equals - name) : strlen(name);
  *value = equals ? equals + 1 : NULL;
  for (size_t k = 0; k < OPTIONS; k++)
    if ((named(name, n, options[k].name) || named(name, n, options[k].longer)) &&
        !(equals && options[k].value == NONE))
      return options + k;
  for (size_t k = 0; k < OPTIONS; k++)
    if (options[k].value == JOINED && strlen(options[k].name) == 1 && *name == *options[k].name &&
        name == word + 1) {
      *value = name + 1;
      return options + k;
    }
  return NULL;
}

void options_help(FILE *to) {
  static const char *const values[] = {"", " VALUE", " VALUE"};
  fputs(
      "usage: nvcc [options] FILE...\n\n"
      "Compiles CUDA programs for nearbank: .cu by clang 19 and mpucc, .c, .cc, .cpp and .cxx by\n"
      "the host compiler, and links them with .o, .a and .so. Options take one dash or two, and\n"
      "their values behind a blank or =. NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS have more.\n\n",
      to);
  for (size_t k = 0; k < OPTIONS; k++) {
    fprintf(to, "  -%s", options[k].name);
    if (strcmp(options[k].name, options[k].longer) != 0)
      fprintf(to, ", --%s", options[k].longer);
    fprintf(to, "%s\n      %s%s\n", values[options[k].value],
            options[k].done == ACCEPT   ? "no effect: "
            : options[k].done == REFUSE ? "refused: "
                                        : "",
            options[k].text);
  }
}

static void split(const char *text, const char *between, command *to) {
  char *word = malloc(strlen(text) + 1);
  if (!word)
    abort();
  while (*text) {
    text += strspn(text, between);
    if (!*text)
      break;
    size_t n = 0;
    for (char quote = 0; *text && (quote || !strchr(between, *text)); text++)
      if (*text == quote)
        quote = 0;
      else if (!quote && (*text == '"' || *text == '\''))
        quote = *text;
      else if (*text == '\\' && text[1] && quote != '\'')
        word[n++] = *++text;
      else
        word[n++] = *text;
    word[n] = 0;
    command_add(to, word);
  }
  free(word);
}

void words_of(const char *text, command *to) {
  split(text, " \t\r\n", to);
}

void parts_of(const char *text, command *to) {
  split(text, ",", to);
}
