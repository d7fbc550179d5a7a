// SPDX-License-Identifier: Apache-2.0
// Starting programs, and starting them again from a checkpoint.
#include "start.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>
#include "csim/base/sum.h"
#include "harness/base/checkpoint/checkpoint.h"
#include "harness/base/placing.h"
#include "harness/base/user_error.h"

enum { PATH = 4096, MAX_THREADS = 64, VALUE = 20 };

void start_set(start *s, const char *name, const char *value) {
  size_t n = 0;
  while (n < s->settings && strcmp(s->setting[n].name, name) != 0)
    n++;
  assert(n < START_SETTINGS);
  s->setting[n].name = name, s->setting[n].value = value;
  s->settings += n == s->settings;
}

start start_of(const char *program, char **arguments, size_t count) {
  static const char *const settings[] = {
// clang-format off
#define SETTING_TEXT(field, variable) variable,
#define SETTING_GIVEN(field, variable) variable,
#define SETTING_FLAG(field, variable) variable,
#define SETTING_COUNT(field, variable) variable,
#include "settings.def"
      // clang-format on
  };
  static const char *const for_all[] = {"MPU_RTL_LIBRARY", "MPU_MUTANT", "MPU_QUIET",
                                        "MPU_POSTMORTEM", "MPU_CHECKPOINT"};
  start s = {.program = program, .arguments = arguments, .count = count};
  for (size_t n = 0; n < sizeof settings / sizeof *settings; n++) {
    bool all = false;
    for (size_t k = 0; k < sizeof for_all / sizeof *for_all; k++)
      all |= strcmp(settings[n], for_all[k]) == 0;
    if (!all)
      start_set(&s, settings[n], NULL);
  }
  return s;
}

void start_large_pages(void) {
  setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
}

bool start_threads_ok(const char *value) {
  char *end;
  const unsigned long n = strtoul(value, &end, 10);
  if (*value >= '0' && *value <= '9' && !*end && n && n <= MAX_THREADS)
    return true;
  user_error("--threads takes a number from 1 to %d, not '%s'", MAX_THREADS, value);
  return false;
}

int start_checkpoint_free(const char *file) {
  struct stat s;
  if (stat(file, &s) == 0 && s.st_size)
    return user_error("'%s' exists: continue it with mpu resume, or remove it", file);
  return EXIT_OK;
}

// ---- the head of a checkpoint: strings "name=value"

static void put(FILE *f, const char *name, const char *value) {
  fprintf(f, "%s=%s%c", name, value, 0);
}

static bool file_sum(const char *name, char value[VALUE]) {
  size_t bytes;
  char *text = read_file(name, &bytes);
  if (!text)
    return false;
  snprintf(value, VALUE, "%016" PRIx64, sum_bytes(bytes, text, bytes));
  free(text);
  return true;
}

static const char *setting(const start *s, const char *name) {
  for (size_t n = 0; n < s->settings; n++)
    if (strcmp(s->setting[n].name, name) == 0)
      return s->setting[n].value;
  return NULL;
}

// Files that settings name, of which a checkpoint has the sums.
static const struct {
  const char *setting, *name, *what;
} files[] = {{"MPU_BLOCKS", "blocks", "list of cores"}, {"MPU_PLACE", "place", "placement"}};
enum { FILES = sizeof files / sizeof *files };

// NULL: none.
static const char *file_of(const start *s, size_t n) {
  const char *file = setting(s, files[n].setting);
  return strcmp(files[n].name, "place") == 0 && placing_of(file) != PLACING_FILE ? NULL : file;
}

static int create_checkpoint(const start *s, const char *file) {
  char sum[VALUE], of_file[VALUE], here[PATH], why[CHECKPOINT_WHY], *head = NULL;
  size_t bytes;
  if (!file_sum(s->program, sum))
    return EXIT_USAGE;
  if (!getcwd(here, sizeof here))
    return user_error("cannot determine the working directory: %s", strerror(errno));
  FILE *f = open_memstream(&head, &bytes);
  if (!f)
    abort();
  put(f, "program", s->program);
  put(f, "sum", sum);
  put(f, "directory", here);
  bool ok = true;
  for (size_t n = 0; n < FILES && ok; n++)
    if (file_of(s, n) && (ok = file_sum(file_of(s, n), of_file)))
      put(f, files[n].name, of_file);
  for (size_t n = 0; n < s->count; n++)
    put(f, "argument", s->arguments[n]);
  for (size_t n = 0; n < s->settings; n++)
    if (s->setting[n].value)
      put(f, s->setting[n].name, s->setting[n].value);
    else
      put(f, "unset", s->setting[n].name);
  fclose(f);
  const bool made = ok && checkpoint_create(file, head, bytes, why, sizeof why);
  free(head);
  return made ? EXIT_OK : ok ? user_error("%s", why) : EXIT_USAGE;
}

// A line of the head: is it `name`? Then its value.
static const char *value_of(const char *line, const char *name) {
  const size_t n = strlen(name);
  return strncmp(line, name, n) == 0 && line[n] == '=' ? line + n + 1 : NULL;
}

typedef struct head {
  start s;
  const char *sum, *directory;
  const char *sums[FILES];  // of files, or NULL
} head;

static bool take_sum(const char *line, head *h) {
  const char *v = NULL;
  for (size_t n = 0; n < FILES && !v; n++)
    if ((v = value_of(line, files[n].name)))
      h->sums[n] = v;
  return v;
}

// Takes over the text. False: it is none.
static bool parse_head(char *text, size_t bytes, head *h) {
  size_t strings = 0;
  start *s = &h->s;
  *h = (head){.sum = NULL};
  for (size_t n = 0; n < bytes; n++)
    strings += !text[n];
  s->arguments = calloc(strings + 1, sizeof *s->arguments);
  for (char *line = text; s->arguments && line < text + bytes; line += strlen(line) + 1) {
    const char *v;
    if ((v = value_of(line, "program")))
      s->program = v;
    else if ((v = value_of(line, "sum")))
      h->sum = v;
    else if ((v = value_of(line, "directory")))
      h->directory = v;
    else if (take_sum(line, h))
      ;
    else if (value_of(line, "argument"))
      s->arguments[s->count++] = strchr(line, '=') + 1;
    else if (s->settings + 2 > START_SETTINGS)
      return false;
    else if ((v = value_of(line, "unset")))
      start_set(s, v, NULL);
    else if (strncmp(line, "MPU_", 4) == 0 && strchr(line, '=')) {
      char *equals = strchr(line, '=');
      *equals = 0;
      start_set(s, line, equals + 1);
      line = equals + 1;
    }
  }
  return s->arguments && s->program && h->sum && h->directory;
}

// ---- the start

int start_program(const start *s, const char *file, bool create) {
  start_large_pages();
  char full[PATH];
  const int status = create ? create_checkpoint(s, file) : EXIT_OK;
  if (status)
    return status;
  if (file && !realpath(file, full))
    return user_error("cannot read '%s': %s", file, strerror(errno));
  for (size_t n = 0; n < s->settings; n++)
    if (s->setting[n].value)
      setenv(s->setting[n].name, s->setting[n].value, 1);
    else
      unsetenv(s->setting[n].name);
  if (file) {
    setenv("MPU_CHECKPOINT", full, 1);
    // the same addresses next time, for they may be in parameters; some containers forbid it
    personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
  } else {
    unsetenv("MPU_CHECKPOINT");
  }
  const char **call = calloc(s->count + 2, sizeof *call);
  if (!call)
    abort();
  call[0] = s->program;
  for (size_t n = 0; n < s->count; n++)
    call[n + 1] = s->arguments[n];
  fflush(NULL);
  execv(s->program, (char *const *)call);
  return user_error("cannot start '%s': %s", s->program, strerror(errno));
}

// Is all there that the run was started with? In its directory.
static int check_head(const head *h, const char *file) {
  char now[VALUE];
  if (!file_sum(h->s.program, now))
    return user_error("'%s' cannot be resumed: its program is missing", file);
  if (strcmp(now, h->sum) != 0)
    return user_error(
        "'%s' belongs to another program: '%s' was compiled again since, because its source or "
        "nearbank has changed",
        file, h->s.program);
  for (size_t n = 0; n < FILES; n++) {
    const char *named = setting(&h->s, files[n].setting);
    if (!named || !h->sums[n])
      continue;
    if (!file_sum(named, now))
      return EXIT_USAGE;
    if (strcmp(now, h->sums[n]) != 0)
      return user_error("'%s' was begun with another %s in '%s'", file, files[n].what, named);
  }
  return EXIT_OK;
}

int start_resume(const char *file, const char *threads, bool unchecked) {
  char why[CHECKPOINT_WHY], full[PATH];
  size_t bytes = 0;
  head h;
  char *text = checkpoint_head(file, &bytes, why, sizeof why);
  if (!text)
    return user_error("%s", why);
  if (!parse_head(text, bytes, &h))
    return user_error("'%s' does not name its program", file);
  if (!realpath(file, full))
    return user_error("cannot read '%s': %s", file, strerror(errno));
  if (chdir(h.directory))
    return user_error("cannot go to '%s', where the run was started: %s", h.directory,
                      strerror(errno));
  if (threads)
    start_set(&h.s, "MPU_THREADS", threads);
  if (unchecked)
    start_set(&h.s, "MPU_UNCHECKED", "1");
  const int status = check_head(&h, file);
  return status ? status : start_program(&h.s, full, false);
}
