// SPDX-License-Identifier: Apache-2.0
// Prints docs/card.md, which it reads from standard input, with the tables of card.def between
// "<!-- table: WHAT -->" and "<!-- end -->".
#include <stdio.h>
#include <string.h>

enum { LINE = 4096 };

static void registers(const char *which) {
  puts(
      "| offset | bits | name | access | reset | meaning |\n| --- | --- | --- | --- | --- | --- |");
#define CARD_REG(page, offset, bits, name, access, reset, doc)                 \
  if (strcmp(which, #page) == 0)                                               \
    printf("| %s | %d | %s | %s | %s | %s |\n", #offset, bits, #name, #access, \
           strcmp(#reset, "VARIES") == 0 ? "" : #reset, doc);
#include "card.def"
}

static void bits(void) {
  puts("| register | bit | name | meaning |\n| --- | --- | --- | --- |");
#define CARD_BIT(reg, bit, name, doc) printf("| %s | %d | %s | %s |\n", #reg, bit, #name, doc);
#include "card.def"
}

static void values(void) {
  puts("| register or argument | value | name | meaning |\n| --- | --- | --- | --- |");
#define CARD_VALUE(reg, number, name, doc) \
  printf("| %s | %d | %s | %s |\n", #reg, number, #name, doc);
#include "card.def"
}

static const struct {
  const char *command, *name, *doc;
  int word;
} args[] =
    {
#define CARD_ARG(command, word, name, doc) {#command, #name, doc, word},
#include "card.def"
},
  results[] = {
#define CARD_RESULT(command, word, name, doc) {#command, #name, doc, word},
#include "card.def"
};

static void words_of(const char *command) {
  for (size_t n = 0; n < sizeof args / sizeof *args; n++)
    if (strcmp(args[n].command, command) == 0)
      printf("| | | | | argument %d: %s | %s |\n", args[n].word, args[n].name, args[n].doc);
  for (size_t n = 0; n < sizeof results / sizeof *results; n++)
    if (strcmp(results[n].command, command) == 0)
      printf("| | | | | result %d: %s | %s |\n", results[n].word, results[n].name, results[n].doc);
}

static void command(int number, const char *name, const char *type, const char *engine,
                    const char *doc) {
  printf("| %d | %s | %s | %s | | %s |\n", number, name, strcmp(type, "ANY") ? type : "",
         strcmp(engine, "NONE") ? engine : "", doc);
  words_of(name);
}

static void commands(void) {
  puts(
      "| opcode | command | type | engine | word | meaning |\n"
      "| --- | --- | --- | --- | --- | --- |");
#define CARD_COMMAND(number, name, type, engine, doc) command(number, #name, #type, #engine, doc);
#include "card.def"
}

static void statuses(void) {
  puts("| number | status | the context | meaning |\n| --- | --- | --- | --- |");
#define CARD_STATUS(number, name, ends, doc)       \
  printf("| %d | %s | %s | %s |\n", number, #name, \
         strcmp(#ends, "FAILS") == 0 ? "fails" : "goes on", doc);
#include "card.def"
}

static void counts(void) {
  puts("| key | meaning |\n| --- | --- |");
#define CARD_COUNT(name, doc) printf("| `%s` | %s |\n", #name, doc);
#include "card_counts.def"
}

int main(void) {
  char line[LINE], what[40];
  int skip = 0;
  while (fgets(line, sizeof line, stdin)) {
    if (strcmp(line, "<!-- end -->\n") == 0)
      skip = 0;
    if (skip)
      continue;
    fputs(line, stdout);
    if (sscanf(line, "<!-- table: %39[^-]", what) != 1)
      continue;
    skip = 1;
    what[strlen(what) - 1] = 0;
    if (strncmp(what, "registers ", 10) == 0)
      registers(what + 10);
    else if (strcmp(what, "bits") == 0)
      bits();
    else if (strcmp(what, "values") == 0)
      values();
    else if (strcmp(what, "commands") == 0)
      commands();
    else if (strcmp(what, "statuses") == 0)
      statuses();
    else if (strcmp(what, "counts") == 0)
      counts();
    else
      return fprintf(stderr, "card_gen: unknown table '%s'\n", what), 1;
  }
  return skip ? fprintf(stderr, "card_gen: a table without an end\n"), 1 : 0;
}
