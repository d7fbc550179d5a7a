// SPDX-License-Identifier: Apache-2.0
// Where commands come from: a file; behind it a terminal, or a pipe. What does not come from a
// terminal is said before it is done, and ends the run when it is wrong.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "debug_priv.h"

static const char prompt[] = "(mpu) ";

// ---- the sources

static bool open_input(debug *d, const char *name, FILE *f, bool tty) {
  d->in = (input){.f = f, .name = name, .tty = tty};
  return f != NULL;
}

// What comes behind the file. False: nothing.
static bool open_then(debug *d) {
  const char *then = d->config.then;
  if (strcmp(then, "none") == 0)
    return false;
  if (strcmp(then, "tty") != 0)
    return open_input(d, "standard input", fdopen(atoi(then), "r"), false);
  FILE *out = fopen("/dev/tty", "w");
  if (!out)
    return false;
  fflush(d->to);
  d->to = out;
  if (!open_input(d, "the terminal", fopen("/dev/tty", "r"), true))
    return false;
  if (d->config.terminal)
    d->in.edit = edit_new(fileno(d->in.f), d->to, commands_complete);
  return true;
}

static void close_input(debug *d) {
  edit_free(d->in.edit);
  d->in.edit = NULL;
  if (d->in.f)
    fclose(d->in.f);
  d->in.f = NULL;
}

bool prompt_open(debug *d, char *why, size_t why_bytes) {
  const char *file = d->config.commands;
  if (file) {
    if (!open_input(d, file, fopen(file, "r"), false))
      snprintf(why, why_bytes, "cannot read '%s': %s", file, strerror(errno));
  } else if (!open_then(d)) {
    snprintf(why, why_bytes, "no commands to read: name a file with -x FILE");
  }
  return d->in.f != NULL;
}

void prompt_close(debug *d) {
  close_input(d);
  if (d->to && d->to != stdout)
    fclose(d->to);
}

// ---- lines

// Comments and empty lines are none.
static bool says_something(const words *w) {
  return w->n && w->word[0][0] != '#';
}

typedef enum got { GOT_LINE, GOT_LONG, GOT_END, GOT_SIGNAL } got;

static got read_line(input *in, words *w) {
  char *line = NULL;
  size_t bytes = 0;
  errno = 0;
  const ssize_t n = getline(&line, &bytes, in->f);
  const bool signal = n < 0 && errno == EINTR;
  got g = n >= 0 ? GOT_LINE : signal ? GOT_SIGNAL : GOT_END;
  in->line += n >= 0;
  if (n >= 0 && line[n - 1] == '\n')
    line[n - 1] = 0;
  if (n > LINE - 1)
    g = GOT_LONG;
  else if (n >= 0)
    snprintf(w->text, LINE, "%s", line), words_split(w);
  if (signal)
    clearerr(in->f);
  free(line);
  return g;
}

static got read_terminal(input *in, words *w) {
  static const got as[] = {GOT_LINE, GOT_LONG, GOT_END, GOT_SIGNAL};
  const got g = as[edit_line(in->edit, prompt, w->text, LINE)];
  in->line += g == GOT_LINE || g == GOT_LONG;
  words_split(w);
  return g;
}

void prompt_left(const debug *d) {
  input in = d->in;
  words w;
  struct stat s;
  if (d->quit || !in.f || fstat(fileno(in.f), &s) || !S_ISREG(s.st_mode))
    return;  // a pipe may have more to come
  for (got g; (g = read_line(&in, &w)) == GOT_LINE || g == GOT_LONG;)
    if (g == GOT_LONG || says_something(&w)) {
      fflush(stdout);
      fprintf(
          stderr,
          "mpu: %s:%u: the program has ended; this command and those after it were not executed\n",
          in.name, in.line);
      return;
    }
}

// ---- commands

static void finish(debug *d, int status) {
  d->quit = true;
  d->config.end(status);
}

// Nothing more to be read: the program goes on, and nothing stops it.
static void go_on(debug *d) {
  close_input(d);
  fputs("the commands have ended: the program runs to its end\n", d->to);
  d->no_more = true;
  for (uint32_t k = 0; k < d->cores; k++)
    sim_unobserve_core(d->s, k, &d->watch[k]);
}

static void at_end_of_input(debug *d) {
  if (d->in.tty) {
    fputc('\n', d->to);
    finish(d, DEBUG_QUIT);
    return;
  }
  const bool file = d->in.name == d->config.commands;
  if (!file) {
    go_on(d);
    return;
  }
  close_input(d);
  if (!open_then(d))
    go_on(d);
}

// What was wrong with a line.
static void refuse(debug *d) {
  fflush(d->to);
  if (d->in.tty) {
    fprintf(d->to, "%s\n", d->why);
    return;
  }
  fprintf(stderr, "mpu: %s:%u: %s\n", d->in.name, d->in.line, d->why);
  finish(d, DEBUG_WRONG);
}

// True: the program goes on.
static bool do_line(debug *d, words *w) {
  if (d->in.tty && !w->n)
    *w = d->last, words_split(w);
  if (!says_something(w))
    return false;
  d->last = *w;
  if (!d->in.tty)
    fprintf(d->to, "%s%s\n", prompt, w->text);
  const command_result r = command_do(d, w);
  if (r == COMMAND_WRONG)
    refuse(d);
  return r == COMMAND_GO;
}

void prompt_commands(debug *d) {
  words w;
  bool go = false;
  fflush(stdout);
  while (!go && !d->quit && !d->no_more) {
    if (d->in.tty && !d->in.edit)
      fputs(prompt, d->to);
    fflush(d->to);
    switch (d->in.edit ? read_terminal(&d->in, &w) : read_line(&d->in, &w)) {
      case GOT_LINE:
        go = do_line(d, &w);
        break;
      case GOT_LONG:
        debug_wrong(d, "a line has at most %d characters", LINE - 1);
        refuse(d);
        break;
      case GOT_SIGNAL:
        if (d->config.ended())
          finish(d, d->config.ended());
        else if (d->in.tty)
          fputc('\n', d->to);
        break;
      default:
        at_end_of_input(d);
    }
  }
  fflush(d->to);
}
