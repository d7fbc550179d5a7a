// SPDX-License-Identifier: Apache-2.0
#include "args.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "harness/base/config/letters.h"
#include "tool.h"

enum { WORDS = 256 };

const command_info *command_named(const char *name) {
  for (const command_info *c = commands; c->name; c++)
    if (strcmp(c->name, name) == 0)
      return c;
  return NULL;
}

args args_of(int argc, char **argv) {
  return (args){.command = command_named(argv[0]), .argc = argc, .n = 1, .argv = argv};
}

static void wrong(const args *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void wrong(const args *a, const char *format, ...) {
  char text[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (!a->quiet)
    user_error("%s", text);
}

// ---- names

// The next spelling in "-q, --quiet"; its length, 0: there are no more.
static size_t spelling(const char **at) {
  *at += strspn(*at, ", ");
  return strcspn(*at, ",");
}

// The last spelling, which is how commands know it.
static const char *name_of(const option_info *o) {
  const char *last = strrchr(o->name, ' ');
  return last ? last + 1 : o->name;
}

// Whether a word is this option: 0 it is not, else the length of the name in it.
static size_t matches(const option_info *o, const char *word) {
  const char *at = o->name;
  for (size_t n; (n = spelling(&at)); at += n) {
    if (strncmp(word, at, n) != 0)
      continue;
    if (o->kind == OPTION_JOINED || !word[n] || word[n] == '=')
      return n;
  }
  return 0;
}

// Exact names come before joined ones: --ptx is not -p with a value.
static const option_info *find(const command_info *c, const char *word, size_t *length) {
  for (int joined = 0; joined < 2; joined++)
    for (size_t g = 0; g < ARGS_GROUPS && c->groups[g]; g++)
      for (const option_info *o = c->groups[g]; o->name || o->doc; o++)
        if (o->name && (o->kind == OPTION_JOINED) == joined && (*length = matches(o, word)))
          return o;
  return NULL;
}

static void unknown(const args *a, const char *word) {
  char name_only[64];
  const char *best = NULL;
  snprintf(name_only, sizeof name_only, "%.*s", (int)strcspn(word, "="), word);
  size_t least = strlen(name_only) / 4 + 1;
  for (size_t g = 0; g < ARGS_GROUPS && a->command->groups[g]; g++)
    for (const option_info *o = a->command->groups[g]; o->name || o->doc; o++) {
      const char *name = o->name ? name_of(o) : "";
      const size_t d = letters_apart(name_only, name);
      if (strlen(name) > 3 && d < least)
        least = d, best = name;
    }
  wrong(a, "unknown option '%.100s'%s%s; see mpu %s --help%s", word, best ? "; nearest: " : "",
        best ? best : "", a->command->name,
        a->command->program ? " (arguments of the program go after --)" : "");
}

// ---- values

// "c rtl none": "c, rtl or none".
static const char *one_of(const char *words, char *to, size_t bytes) {
  *to = 0;
  for (size_t used = 0; *words; words += *words == ' ') {
    const size_t n = strcspn(words, " ");
    const char *between = !used ? "" : words[n] ? ", " : " or ";
    used += (size_t)snprintf(to + used, bytes - used, "%s%.*s", between, (int)n, words);
    words += n;
  }
  return to;
}

static bool is_word(const char *words, const char *v) {
  const size_t length = strlen(v);
  for (; *words; words += *words == ' ') {
    const size_t n = strcspn(words, " ");
    if (n == length && strncmp(words, v, n) == 0)
      return true;
    words += n;
  }
  return false;
}

bool whole_number(const args *a, uint64_t *to) {
  char *stop;
  errno = 0;
  *to = strtoull(a->value, &stop, 10);
  return (*a->value >= '0' && *a->value <= '9' && !*stop && !errno) ||
         (user_error("%s: '%s' is not a whole number from 0 on", a->name, a->value), false);
}
bool is_count(const char *v) {
  char *end;
  errno = 0;
  const unsigned long long n = strtoull(v, &end, 10);
  return *v >= '0' && *v <= '9' && !*end && !errno && n;
}

static bool check(const args *a, const option_info *o) {
  char words[WORDS];
  const char *name = name_of(o);
  switch (o->kind) {
    case OPTION_TEXT:
      if (!*a->value)
        wrong(a, "%s needs a value", name);
      return *a->value;
    case OPTION_FILE:
      if (!*a->value)
        wrong(a, "%s needs a file", name);
      return *a->value;
    case OPTION_COUNT:
      if (!is_count(a->value))
        wrong(a, "%s takes a number from 1, not '%s'", name, a->value);
      return is_count(a->value);
    case OPTION_WORD:
      if (!is_word(o->words, a->value))
        wrong(a, "%s takes %s, not '%s'", name, one_of(o->words, words, sizeof words), a->value);
      return is_word(o->words, a->value);
    default:
      return true;
  }
}

static args_item option(args *a, const char *word) {
  size_t length;
  const option_info *o = find(a->command, word, &length);
  if (!o) {
    unknown(a, word);
    return ARGS_WRONG;
  }
  a->name = name_of(o);
  a->value = "";
  if (o->kind == OPTION_JOINED) {
    a->value = word + length;
    if (!*a->value)
      wrong(a, "%s needs its value in the same word", word);
    return *a->value ? ARGS_OPTION : ARGS_WRONG;
  }
  if (o->kind == OPTION_FLAG) {
    if (word[length])
      wrong(a, "%.*s takes no value, not '%s'", (int)length, word, word + length + 1);
    return word[length] ? ARGS_WRONG : ARGS_OPTION;
  }
  if (word[length])
    a->value = word + length + 1;
  else if (a->n < a->argc)
    a->value = a->argv[a->n++];
  return check(a, o) ? ARGS_OPTION : ARGS_WRONG;
}

args_item args_next(args *a) {
  a->name = a->value = NULL;
  if (a->n >= a->argc)
    return ARGS_END;
  const char *word = a->word = a->argv[a->n++];
  if (strcmp(word, "--") == 0 && a->command->program) {
    a->rest = a->argv + a->n;
    a->rest_count = a->argc - a->n;
    a->n = a->argc;
    return ARGS_END;
  }
  if (word[0] == '-' && word[1])
    return option(a, word);
  a->value = word;
  return ARGS_OPERAND;
}

bool args_is(const args *a, const char *name) {
  return strcmp(a->name, name) == 0;
}

bool args_help(const args *a) {
  args all = *a;
  args_item item;
  all.quiet = true;
  while ((item = args_next(&all)) != ARGS_END)
    if (item == ARGS_OPTION && args_is(&all, "--help")) {
      help_print(a->command, stdout);
      return true;
    }
  return false;
}

// ---- the machine

int machine_take(machine_args *m, const args *a) {
  if (args_is(a, "--config")) {
    m->config = a->value;
    return 1;
  }
  if (!args_is(a, "--set"))
    return 0;
  if (m->n == MACHINE_SETS)
    return user_error("more than %d times --set: write a file, and --config", MACHINE_SETS);
  m->sets[m->n++] = a->value;
  return 1;
}

int machine_config_of(const machine_args *m, const char *standard, config *c) {
  char why[8192];
  if (config_load(c, m->config ? m->config : standard, why, sizeof why) &&
      config_override(c, m->sets, m->n, why, sizeof why))
    return EXIT_OK;
  return user_error("%s", why);
}

void machine_name(const machine_args *m, const char *standard, char *to, size_t bytes) {
  size_t used = (size_t)snprintf(to, bytes, "%s", m->config ? m->config : standard);
  for (size_t n = 0; n < m->n && used < bytes; n++)
    used += (size_t)snprintf(to + used, bytes - used, " --set %s", m->sets[n]);
}
