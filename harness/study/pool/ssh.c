// SPDX-License-Identifier: Apache-2.0
// Jobs on other hosts, by GNU parallel over ssh: one process for all jobs of a flush. A job goes
// there as a word of the command line and comes back as lines, so that hosts do not have to see
// its folder. parallel says how many jobs a host has, and tries a job that failed on another.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ask.h"
#include "guard.h"
#include "place.h"
#include "table.h"

enum { PATH = 4200, ANSWER_S = 30, SAID = 400, WORDS = 32 };

typedef enum progress { NEW, STARTED, CAME, FAILED } progress;

typedef struct one {
  char *folder;
  progress state;
  size_t number;    // among those of its parallel, from 1
  char said[SAID];  // its last line of standard error
} one;

// What comes through a pipe.
typedef struct stream {
  int fd;  // -1: ended
  char *text;
  size_t n, room;
} stream;

typedef struct ssh {
  place is;
  table jobs;
  char *hosts;
  size_t per_host;  // jobs at a time; 0: what its processors have room for
  unsigned threads;
  child parallel;
  stream out, err;
  int log;  // parallel's list of jobs that are over
  off_t log_read;
  one **started;  // by number - 1; NULL: forgotten
  size_t n_started;
  char said[SAID];  // last line of parallel itself
} ssh;

static ssh *of(place *p) {
  return (ssh *)(void *)p;
}

static one *job_of(place *p, const char *folder) {
  return table_find(&of(p)->jobs, folder);
}

static bool can_open(place *p, char *why) {
  asked a;
  (void)p;
  bool ok = ask((const char *const[]){"parallel", "--version", NULL}, NULL, ANSWER_S, &a);
  ok = ok && !strncmp(a.out, "GNU parallel", 12);  // moreutils have another of this name
  free(a.out);
  if (!ok) {
    snprintf(why, PLACE_WHY,
             "GNU parallel is missing: install it (Debian: parallel), or use --on here");
    return false;
  }
  ok = ask((const char *const[]){"ssh", "-V", NULL}, NULL, ANSWER_S, &a);
  free(a.out);
  if (!ok)
    snprintf(why, PLACE_WHY,
             "ssh is missing: install it (Debian: openssh-client), or use --on here");
  return ok;
}

// None outlives the process that has started it.
static bool find(place *p, const char *folder, bool *found, char *why) {
  (void)p, (void)folder, (void)why;
  *found = false;
  return true;
}

static bool add(place *p, const char *folder, const job_what *what, char *why) {
  (void)what, (void)why;
  table_add(&of(p)->jobs, folder, sizeof(one));
  return true;
}

// ---- starting parallel

static bool is_file(const char *name) {
  struct stat s;
  return stat(name, &s) == 0 && S_ISREG(s.st_mode);
}

static bool run_parallel(ssh *s, int in, char *why) {
  char jobs[32], log[64], *command = NULL;
  size_t bytes, k = 4;
  FILE *f = open_memstream(&command, &bytes);
  int out[2], err[2];
  const char *words[WORDS] = {"parallel", "--plain", "--will-cite", "--filter-hosts"};
  if (!f)
    abort();
  place_put_tool(f);
  fputs(" job --text {}", f);  // what a host executes
  fclose(f);
  words[k++] = is_file(s->hosts) ? "--sshloginfile" : "--sshlogin";
  words[k++] = s->hosts;
  if (s->per_host) {
    snprintf(jobs, sizeof jobs, "--jobs=%zu", s->per_host);
    words[k++] = jobs;
  } else if (s->threads > 1) {  // a share of the host's processors; parallel makes one of less
    snprintf(jobs, sizeof jobs, "--jobs=%u%%", 100 / s->threads);
    words[k++] = jobs;
  }
  snprintf(log, sizeof log, "/proc/%d/fd/%d", (int)getpid(), s->log);
  const char *const rest[] = {"--retries", "3", "--tagstring", "{#}", "--joblog", log, command};
  memcpy(words + k, rest, sizeof rest);
  // a host that asks for a password, or that is silent, is one that cannot be used
  setenv("PARALLEL_SSH", "ssh -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=15", 0);
  if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
    abort();
  const bool ok = guard_start(&s->parallel, (char *const *)words, in, out[1], err[1]);
  if (!ok)
    snprintf(why, PLACE_WHY, "cannot start parallel: %s", strerror(errno));
  close(out[1]);
  close(err[1]);
  s->out.fd = out[0], s->err.fd = err[0];
  free(command);
  return ok;
}

// One parallel at a time: what comes meanwhile waits.
static bool flush(place *p, char *why) {
  ssh *s = of(p);
  if (s->parallel.pid > 0)
    return true;
  s->started = realloc(s->started, (s->jobs.n + 1) * sizeof *s->started);
  const int in = memfd_create("jobs", MFD_CLOEXEC);
  FILE *f = in >= 0 ? fdopen(dup(in), "w") : NULL;
  if (!s->started || !f || ftruncate(s->log, 0))
    abort();
  bool ok = true;
  s->n_started = 0, s->log_read = 0;
  for (size_t k = 0; k < s->jobs.n && ok; k++) {
    one *j = s->jobs.list[k];
    if (j->state != NEW)
      continue;
    char *text = job_text(j->folder, why);
    if ((ok = text))
      fprintf(f, "%s\n", text);
    free(text);
    s->started[s->n_started++] = j;
    j->number = s->n_started, j->state = STARTED;
  }
  if (fclose(f))
    abort();
  lseek(in, 0, SEEK_SET);
  ok = ok && (!s->n_started || run_parallel(s, in, why));
  close(in);
  return ok;
}

// ---- what it says

static one *numbered(const ssh *s, const char *line, const char **rest) {
  char *end;
  const unsigned long n = strtoul(line, &end, 10);
  *rest = *end == '\t' ? end + 1 : line;
  return *end == '\t' && n && n <= s->n_started ? s->started[n - 1] : NULL;
}

// "3\tresult ...": a file of the third job.
static void take_output(ssh *s, const char *line) {
  char why[JOB_WHY];
  const char *rest;
  bool result;
  one *j = numbered(s, line, &rest);
  if (!j || j->state != STARTED)
    return;
  if (!job_take(j->folder, rest, &result, why))
    snprintf(j->said, sizeof j->said, "%.390s", why);
  else if (result)
    j->state = CAME;
}

// What parallel itself says, in words of this program where it is known. A name ends before `end`.
static void take_warning(ssh *s, const char *text) {
  static const struct {
    const char *head, *end, *said;
  } known[] = {
      {"Warning: Removed ", ".", "%.*s gets no runs: ssh to this host fails"},
      {"Warning: Could not figure out number of cpus on ", " (",
       "%.*s gets one run at a time: parallel is missing there and cannot count its processors; "
       "write how many, as 8/HOST"},
      {"Error: Cannot run any jobs", ".", "no host can be used"}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    const size_t n = strlen(known[k].head);
    const char *end = strstr(text, known[k].end);
    for (const char *e = end; e && *known[k].end == '.'; e = strstr(e + 1, "."))
      end = e;  // the last one: names have dots, too
    if (strncmp(text, known[k].head, n) || !end)
      continue;
    snprintf(s->said, SAID, known[k].said, (int)(end - text - (ptrdiff_t)n), text + n);
    if (strstr(known[k].said, "%"))
      place_say(&s->is, "%s", s->said);
    return;
  }
  snprintf(s->said, SAID, "%s", text);
  place_say(&s->is, "parallel: %s", text);
}

static void take_error(ssh *s, const char *line) {
  static const char head[] = "parallel: ";
  const char *rest;
  one *j = numbered(s, line, &rest);
  if (!rest[strspn(rest, " \t")])
    return;
  if (strncmp(rest, head, strlen(head)) == 0)
    take_warning(s, rest + strlen(head));
  else
    // ssh ends lines with a return, behind which parallel puts the number again
    snprintf(j ? j->said : s->said, SAID, "%.*s", (int)strcspn(rest, "\r"), rest);
}

static void take_lines(ssh *s, stream *t, void (*take)(ssh *s, const char *line)) {
  char *end, *line = t->text;
  while ((end = memchr(line, '\n', t->n - (size_t)(line - t->text)))) {
    *end = 0;
    take(s, line);
    line = end + 1;
  }
  t->n -= (size_t)(line - t->text);
  memmove(t->text, line, t->n);
}

static void read_stream(ssh *s, stream *t, void (*take)(ssh *s, const char *line)) {
  if (t->room - t->n < 65536) {
    t->room = 2 * t->room + 65536;
    t->text = realloc(t->text, t->room);
    if (!t->text)
      abort();
  }
  const ssize_t got = read(t->fd, t->text + t->n, t->room - t->n);
  if (got > 0) {
    t->n += (size_t)got;
    take_lines(s, t, take);
  } else if (!got || (errno != EINTR && errno != EAGAIN)) {
    close(t->fd);
    t->fd = -1;
  }
}

// A line of it has tabs between number, host, time, seconds, bytes, bytes, status, signal, command.
// What a job printed has come before its line.
static void take_over(ssh *s, const char *line) {
  const size_t number = strtoul(line, NULL, 10);
  for (size_t k = 0; k < 6; k++, line++)
    line += strcspn(line, "\t");
  one *j = number && number <= s->n_started ? s->started[number - 1] : NULL;
  if (j && j->state == STARTED && strncmp(line, "0\t0\t", 4) != 0)
    j->state = FAILED;
}

static void read_log(ssh *s) {
  struct stat now;
  if (fstat(s->log, &now) || now.st_size <= s->log_read)
    return;
  const size_t bytes = (size_t)(now.st_size - s->log_read);
  char *text = calloc(1, bytes + 8);  // also when a line has too few tabs
  if (!text || pread(s->log, text, bytes, s->log_read) != (ssize_t)bytes)
    abort();
  for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
    take_over(s, line);
    s->log_read += end + 1 - line;
  }
  free(text);
}

static void ended(ssh *s) {
  char end[64];
  if (!*s->said)
    snprintf(s->said, sizeof s->said, "parallel %s", child_end(&s->parallel, end, sizeof end));
  for (size_t k = 0; k < s->n_started; k++)
    if (s->started[k] && s->started[k]->state == STARTED)
      s->started[k]->state = FAILED;
  s->parallel = (child){0};
  s->n_started = 0;
  s->out.n = s->err.n = 0;
  char why[PLACE_WHY];
  if (flush(&s->is, why))
    return;
  place_say(&s->is, "%s", why);
  for (size_t k = 0; k < s->jobs.n; k++)
    ((one *)s->jobs.list[k])->state = FAILED;
}

static void wait_for(place *p, int ms) {
  ssh *s = of(p);
  struct pollfd all[] = {{.fd = s->out.fd, .events = POLLIN}, {.fd = s->err.fd, .events = POLLIN}};
  if (poll(all, 2, ms) <= 0)
    return;
  if (all[1].revents)
    read_stream(s, &s->err, take_error);
  if (all[0].revents)
    read_stream(s, &s->out, take_output);
  read_log(s);
  while (s->parallel.pid > 0 && s->out.fd < 0 && s->err.fd < 0 && !child_ended(&s->parallel))
    poll(NULL, 0, 10);
  if (s->parallel.pid > 0 && s->out.fd < 0 && s->err.fd < 0)
    ended(s);
}

static place_end gone(place *p, const char *folder, place_how *how) {
  const ssh *s = of(p);
  const one *j = job_of(p, folder);
  if (j && j->state == CAME)
    return PLACE_DIED;
  if (j && j->state != FAILED)
    return PLACE_BUSY;
  snprintf(how->message, sizeof how->message, "no host has executed it: %s",
           j && *j->said ? j->said : s->said);
  return PLACE_LOST;
}

// ---- ends

static void forget(place *p, const char *folder) {
  ssh *s = of(p);
  one *j = job_of(p, folder);
  if (!j)
    return;
  if (j->number && j->number <= s->n_started && s->started[j->number - 1] == j)
    s->started[j->number - 1] = NULL;
  table_remove(&s->jobs, j);
}

static bool left(place *p, char to[PLACE_WHY]) {
  (void)p, (void)to;
  return false;
}

static void end_stream(stream *t) {
  if (t->fd >= 0)
    close(t->fd);
  free(t->text);
}

static void stop(place *p) {
  ssh *s = of(p);
  if (s->parallel.pid > 0)
    guard_stop(&s->parallel);
  end_stream(&s->out);
  end_stream(&s->err);
  close(s->log);
  table_free(&s->jobs);
  free(s->started);
  free(s->hosts);
  free(s);
}

place *place_ssh(const char *hosts, const place_options *o) {
  static const place_ops ops = {"ssh", "on hosts", can_open, find,   add,  flush, NULL,
                                NULL,  gone,       wait_for, forget, left, stop};
  ssh *s = calloc(1, sizeof *s);
  if (!s || !(s->hosts = strdup(hosts)) || (s->log = memfd_create("log", MFD_CLOEXEC)) < 0)
    abort();
  s->is = (place){.ops = &ops, .capacity = PLACE_MANY};
  s->per_host = o->jobs, s->threads = o->threads;
  s->out.fd = s->err.fd = -1;
  return &s->is;
}
