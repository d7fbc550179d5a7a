// SPDX-License-Identifier: Apache-2.0
// Jobs as array jobs of Slurm: sbatch starts them, squeue says which are over, one call for all.
// They outlive this process. Each has a file `slurm` in its folder with the name of its array job,
// written before sbatch is called: a process that was killed before it knew the number of the job
// has left a name that squeue finds. A job whose folder has another name in it does nothing.
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include "harness/base/children.h"
#include "harness/base/user_error.h"
#include "ask.h"
#include "place.h"
#include "table.h"

enum {
  PATH = 4200,
  WORDS = 64,
  ANSWER_S = 120,  // for programs of Slurm, which try again by themselves for a minute
  LOOK_MIN_S = 1,  // between two looks at the queue
  LOOK_MAX_S = 10,
  LATE_S = 60,          // a shared file system shows new files that late
  SCRIPT = 1024 * 1024  // bytes of an array job: Slurm takes 4 MB
};

typedef struct one {
  char *folder;
  char id[48];  // "17_3"; empty: not submitted
  double seconds, megabytes;
  char state[32];  // in capitals, as squeue has it; empty: not seen
  double over;     // when it was first seen to be over, 0: it is not
} one;

typedef struct slurm {
  place is;
  table jobs;
  char *options, *words[WORDS];  // of sbatch
  size_t n_words, running;       // running: at a time, of an array; 0: any
  unsigned threads;              // of a job
  size_t largest;                // jobs of an array
  double looked, interval;
  bool ill;       // the last look failed, and the user knows
  char name[64];  // array job whose queue is in `found`
  char *found;
} slurm;

static slurm *of(place *p) {
  return (slurm *)(void *)p;
}

static one *job_of(place *p, const char *folder) {
  return table_find(&of(p)->jobs, folder);
}

static one *at(const slurm *s, size_t k) {
  return s->jobs.list[k];
}

// ---- opening

static bool can_open(place *p, char *why) {
  asked a;
  unsigned long size = 0;
  const bool ok =
      ask((const char *const[]){"scontrol", "show", "config", NULL}, NULL, ANSWER_S, &a);
  const char *line = ok ? strstr(a.out, "MaxArraySize") : NULL;
  if (line)
    size = strtoul(line + strcspn(line, "=0123456789\n") + 1, NULL, 10);
  if (a.missing)
    snprintf(why, PLACE_WHY,
             "the programs of Slurm are missing: install them (Debian: slurm-client) on a host of "
             "the cluster, or use --on here");
  else if (!ok)
    snprintf(why, PLACE_WHY,
             "the controller of Slurm does not answer: %s; `sinfo` asks it too; --on here does "
             "without it",
             a.said);
  else if (size < 2)
    snprintf(why, PLACE_WHY,
             "this Slurm takes no array jobs (MaxArraySize is %lu in slurm.conf); use --on here",
             size);
  free(a.out);
  of(p)->largest = size - 1;  // the first index is 1
  return ok && size >= 2;
}

// ---- submitting

static void put_script(FILE *f, const char *name, one *const *jobs, size_t n) {
  char full[PATH];
  fputs("#!/bin/sh\n# Runs of mpu study: folders, by index.\n", f);
  for (size_t k = 0; k < n; k++)
    fprintf(f, "#%zu %s\n", k + 1, realpath(jobs[k]->folder, full) ? full : jobs[k]->folder);
  fprintf(f,
          "folder=$(sed -n \"s/^#$SLURM_ARRAY_TASK_ID //p\" \"$0\")\n"
          "cd \"$folder\" || exit 1\n"
          "[ \"$(cat slurm)\" = \"%s $SLURM_ARRAY_TASK_ID\" ] || exit 0\n"
          "cd \"$SLURM_SUBMIT_DIR\"\n"
          "exec ",
          name);
  place_put_tool(f);
  fputs(" job \"$folder\" >\"$folder/said\" 2>&1\n", f);
}

static bool put_names(const char *name, one *const *jobs, size_t n, char *why) {
  for (size_t k = 0; k < n; k++) {
    char file[PATH + 8];
    snprintf(file, sizeof file, "%s/slurm", jobs[k]->folder);
    FILE *f = fopen(file, "we");
    const bool put = f && fprintf(f, "%s %zu\n", name, k + 1) > 0;
    if (!f || fclose(f) || !put) {
      snprintf(why, PLACE_WHY, "cannot write '%.512s': %s", file, strerror(errno));
      return false;
    }
  }
  return true;
}

// Minutes, as Slurm counts: a run ends itself when it has taken too long, and says so.
static void put_limits(const one *j, char time[64], char memory[64]) {
  snprintf(time, 64, "--time=%.0f", j->seconds / 60 + 2);
  snprintf(memory, 64, "--mem=%.0fM", j->megabytes + 512);  // with those who compile and watch it
}

static bool submit(slurm *s, one *const *jobs, size_t n, char *why) {
  char name[64], job_name[96], array[96], time[64], memory[64], processors[64];
  char *script = NULL, *end;
  const char *words[WORDS + 16] = {"sbatch"};
  uint64_t random = 0;
  size_t bytes, k = 1;
  asked a;
  if (getrandom(&random, sizeof random, 0) < 0)
    abort();
  snprintf(name, sizeof name, "mpu-study-%016" PRIx64, random);
  if (!put_names(name, jobs, n, why))
    return false;
  put_limits(jobs[0], time, memory);
  if (jobs[0]->seconds > 0)
    words[k++] = time;
  if (jobs[0]->megabytes > 0)
    words[k++] = memory;
  if (s->threads > 1) {
    snprintf(processors, sizeof processors, "--cpus-per-task=%u", s->threads);
    words[k++] = processors;
  }
  for (size_t m = 0; m < s->n_words; m++)
    words[k++] = s->words[m];
  snprintf(job_name, sizeof job_name, "--job-name=%s", name);
  snprintf(array, sizeof array, s->running ? "--array=1-%zu%%%zu" : "--array=1-%zu", n, s->running);
  words[k++] = "--parsable";
  words[k++] = job_name;
  words[k++] = array;
  words[k++] = "--output=/dev/null";
  FILE *f = open_memstream(&script, &bytes);
  if (!f)
    abort();
  put_script(f, name, jobs, n);
  fclose(f);
  bool ok = ask(words, script, ANSWER_S, &a);
  const unsigned long id = strtoul(a.out, &end, 10);
  if (!ok)
    snprintf(why, PLACE_WHY, "sbatch: %s; --slurm has options for it, --on here does without it",
             a.said);
  else if (end == a.out || (*end && !strchr(";\n", *end)))
    snprintf(why, PLACE_WHY, "sbatch said '%.*s' where the number of a job was expected",
             (int)strcspn(a.out, "\n"), a.out);
  ok = ok && !*why;
  for (size_t m = 0; m < n && ok; m++)
    snprintf(jobs[m]->id, sizeof jobs[m]->id, "%lu_%zu", id, m + 1);
  free(script);
  free(a.out);
  return ok;
}

// An array job for those with the same limits, as many as fit.
static bool flush(place *p, char *why) {
  slurm *s = of(p);
  bool ok = true;
  one **jobs = calloc(s->jobs.n + 1, sizeof(one *));
  if (!jobs)
    abort();
  for (size_t from = 0; from < s->jobs.n && ok; from++) {
    size_t n = 0, bytes = 0;
    for (size_t k = from; k < s->jobs.n && n < s->largest && bytes < SCRIPT; k++)
      if (!*at(s, k)->id && at(s, k)->seconds == at(s, from)->seconds &&
          at(s, k)->megabytes == at(s, from)->megabytes && !*at(s, from)->id) {
        jobs[n++] = at(s, k);
        bytes += strlen(at(s, k)->folder) + 16;
      }
    *why = 0;
    if (n)
      ok = submit(s, jobs, n, why);
  }
  free(jobs);
  return ok;
}

static bool add(place *p, const char *folder, const job_what *what, char *why) {
  (void)why;
  one *j = table_add(&of(p)->jobs, folder, sizeof(one));
  j->seconds = what->seconds, j->megabytes = what->megabytes;
  return true;
}

static const char *where(place *p, const char *folder) {
  static char name[64];
  const one *j = job_of(p, folder);
  if (!j || !*j->id)
    return NULL;
  snprintf(name, sizeof name, "slurm %s", j->id);
  return name;
}

// ---- jobs of other processes

static void hold(slurm *s, const char *folder, const char *id, size_t n) {
  one *j = table_add(&s->jobs, folder, sizeof *j);
  snprintf(j->id, sizeof j->id, "%.*s", (int)n, id);
}

static bool adopt(place *p, const char *folder, const char *name) {
  static const char head[] = "slurm ";
  const size_t n = strlen(head), digits = strspn(name + n, "0123456789_");
  if (strncmp(name, head, n) || !digits || name[n + digits])
    return false;
  hold(of(p), folder, name + n, digits);
  return true;
}

static bool find(place *p, const char *folder, bool *found, char *why) {
  slurm *s = of(p);
  char file[PATH], name[64], index[16];
  *found = false;
  snprintf(file, sizeof file, "%.4000s/slurm", folder);
  char *text = file_contents(file, NULL);
  const bool known = text && sscanf(text, "%63s %15s", name, index) == 2;
  free(text);
  if (!known)
    return true;
  if (strcmp(name, s->name) != 0) {
    asked a;
    const char *const words[] = {"squeue", "--noheader", "--array",     "--states=all",
                                 "--name", name,         "--format=%i", NULL};
    if (!ask(words, NULL, ANSWER_S, &a)) {
      snprintf(why, PLACE_WHY,
               "a killed mpu study may have left jobs in Slurm, and squeue does not tell: %s",
               a.said);
      free(a.out);
      return false;
    }
    free(s->found);
    s->found = a.out;
    snprintf(s->name, sizeof s->name, "%s", name);
  }
  for (const char *line = s->found; *line && !*found;
       line += strcspn(line, "\n"), line += *line == '\n') {
    const size_t n = strcspn(line, "\n"), base = strcspn(line, "_\n");
    *found =
        base < n && strlen(index) == n - base - 1 && !strncmp(line + base + 1, index, n - base - 1);
    if (*found)
      hold(s, folder, line, n);
  }
  return true;
}

// ---- what is over

static bool is_among(const char *state, const char *const *names) {
  for (; *names; names++)
    if (strcmp(state, *names) == 0)
      return true;
  return false;
}

static bool is_over(const char *state) {
  static const char *const over[] = {"BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE",
                                     "FAILED",    "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
                                     "TIMEOUT",   NULL};
  return is_among(state, over);
}

// The array jobs that are asked for; NULL: none.
static char *arrays_of(const slurm *s) {
  char *text = NULL;
  size_t bytes, count = 0;
  FILE *f = open_memstream(&text, &bytes);
  if (!f)
    abort();
  unsigned long last = 0;
  for (size_t k = 0; k < s->jobs.n; k++) {
    const unsigned long id = strtoul(at(s, k)->id, NULL, 10);
    if (id && at(s, k)->over == 0 && id != last)
      fprintf(f, "%s%lu", count++ ? "," : "", last = id);
  }
  fclose(f);
  if (count)
    return text;
  free(text);
  return NULL;
}

static int by_id(const void *a, const void *b) {
  return strcmp((*(one *const *)a)->id, (*(one *const *)b)->id);
}

// Lines of "17_3 RUNNING"; an array that was cancelled as a whole is "17 CANCELLED".
static void take_states(slurm *s, char *text) {
  char *rest = NULL;
  const double now = seconds_now();
  bool changed = false;
  one **sorted = malloc((s->jobs.n + 1) * sizeof(one *));
  if (!sorted)
    abort();
  memcpy(sorted, s->jobs.list, s->jobs.n * sizeof(one *));
  qsort(sorted, s->jobs.n, sizeof(one *), by_id);
  for (size_t k = 0; k < s->jobs.n; k++)
    if (at(s, k)->over == 0)
      *at(s, k)->state = 0;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    one key, *wanted = &key, **found;
    char state[32];
    if (sscanf(line, "%47s %31s", key.id, state) != 2)
      continue;
    if ((found = bsearch(&wanted, sorted, s->jobs.n, sizeof(one *), by_id)) && (*found)->over == 0)
      memcpy((*found)->state, state, sizeof state);
    for (size_t k = 0; k < s->jobs.n && !strchr(key.id, '_'); k++)
      if (!strncmp(at(s, k)->id, key.id, strlen(key.id)) && at(s, k)->id[strlen(key.id)] == '_' &&
          !*at(s, k)->state)
        memcpy(at(s, k)->state, state, sizeof state);
  }
  for (size_t k = 0; k < s->jobs.n; k++)
    if (*at(s, k)->id && at(s, k)->over == 0 && (!*at(s, k)->state || is_over(at(s, k)->state)))
      at(s, k)->over = now, changed = true;
  free(sorted);
  s->interval = changed ? s->interval / 2 : 1.5 * s->interval;
  s->interval = s->interval < LOOK_MIN_S   ? LOOK_MIN_S
                : s->interval > LOOK_MAX_S ? LOOK_MAX_S
                                           : s->interval;
}

static void look(slurm *s) {
  asked a;
  char *arrays = arrays_of(s);
  const char *const words[] = {"squeue", "--noheader", "--array",        "--states=all",
                               "--jobs", arrays,       "--format=%i %T", NULL};
  if (!arrays)
    return;
  const bool ok = ask(words, NULL, ANSWER_S, &a);
  // it says that of jobs that it has forgotten
  if (ok || strstr(a.said, "Invalid job id"))
    take_states(s, a.out);
  else if (!s->ill)
    place_say(&s->is, "squeue: %s; waiting until Slurm answers again", a.said);
  if (ok && s->ill)
    place_say(&s->is, "Slurm answers again");
  s->ill = !ok && !strstr(a.said, "Invalid job id");
  free(a.out);
  free(arrays);
  s->looked = seconds_now();
}

static void wait_for(place *p, int ms) {
  slurm *s = of(p);
  const double left = s->looked + s->interval - seconds_now(), most = ms / 1000.0;
  const double seconds = left < 0 ? 0 : left < most ? left : most;
  const struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  if (nanosleep(&t, NULL) == 0 && left <= most)
    look(s);
}

// Is the result there? Reading the folder makes a client of NFS ask its server.
static bool has_result(const char *folder) {
  bool found = false;
  DIR *d = opendir(folder);
  for (struct dirent *e; d && !found && (e = readdir(d));)
    found = strcmp(e->d_name, "result") == 0;
  if (d)
    closedir(d);
  return found;
}

// The last line of what the job said before it began.
static void put_said(const one *j, char *to, size_t bytes) {
  char file[PATH];
  snprintf(file, sizeof file, "%.4000s/said", j->folder);
  char *text = file_contents(file, NULL);
  *to = 0;
  if (!text)
    return;
  for (char *end = text + strlen(text); end > text && end[-1] == '\n';)
    *--end = 0;
  const char *line = strrchr(text, '\n');
  snprintf(to, bytes, ": %.400s", line ? line + 1 : text);
  free(text);
}

static place_end gone(place *p, const char *folder, place_how *how) {
  const one *j = job_of(p, folder);
  char said[512];
  if (!j)
    return snprintf(how->message, sizeof how->message, "Slurm does not have it"), PLACE_LOST;
  if (j->over == 0)
    return PLACE_BUSY;
  if (has_result(folder))
    return PLACE_DIED;
  const bool well = !*j->state || strcmp(j->state, "COMPLETED") == 0;
  if (well && seconds_now() - j->over < LATE_S)
    return PLACE_BUSY;
  put_said(j, said, sizeof said);
  const bool memory = strcmp(j->state, "OUT_OF_MEMORY") == 0;
  const bool time = strcmp(j->state, "TIMEOUT") == 0 || strcmp(j->state, "DEADLINE") == 0;
  snprintf(how->outcome, sizeof how->outcome, memory ? "memory" : time ? "time" : "killed");
  if (well)
    snprintf(how->message, sizeof how->message,
             *j->state ? "Slurm job %s is over, but '%.400s/result' is missing: do its nodes share "
                         "this file system?"
                       : "Slurm has forgotten job %s, and '%.400s/result' is missing",
             j->id, folder);
  else
    snprintf(how->message, sizeof how->message, "Slurm job %s ended as %s%s", j->id, j->state,
             said);
  return memory || time ? PLACE_DIED : PLACE_LOST;
}

// ---- ends

// One that nobody else will look for ends.
static void forget(place *p, const char *folder) {
  slurm *s = of(p);
  one *j = job_of(p, folder);
  asked a;
  if (!j)
    return;
  if (*j->id && j->over == 0) {
    ask((const char *const[]){"scancel", j->id, NULL}, NULL, ANSWER_S, &a);
    free(a.out);
  }
  table_remove(&s->jobs, j);
}

static bool left(place *p, char to[PLACE_WHY]) {
  const slurm *s = of(p);
  char *arrays = arrays_of(s);
  size_t n = 0;
  if (!arrays)
    return false;
  for (size_t k = 0; k < s->jobs.n; k++)
    n += *at(s, k)->id && at(s, k)->over == 0;
  for (char *c = arrays; *c; c++)
    *c = *c == ',' ? ' ' : *c;
  snprintf(to, PLACE_WHY, "%zu run%s with Slurm go%s on; `scancel %.600s` ends %s", n,
           n == 1 ? "" : "s", n == 1 ? "es" : "", arrays, n == 1 ? "it" : "them");
  free(arrays);
  return true;
}

static void stop(place *p) {
  slurm *s = of(p);
  table_free(&s->jobs);
  free(s->options);
  free(s->found);
  free(s);
}

// Words as a shell splits them, with quotes and backslashes, without variables. False: a quote is
// open, or there are too many.
static bool split(slurm *s) {
  char quote = 0, *to = s->options;
  bool inside = false;
  for (const char *c = s->options; *c; c++) {
    if (!quote && (*c == ' ' || *c == '\t')) {
      if (inside)
        *to++ = 0;
      inside = false;
      continue;
    }
    if (!inside) {
      if (s->n_words == WORDS)
        return false;
      s->words[s->n_words++] = to;
    }
    inside = true;
    if (quote ? *c == quote : *c == '"' || *c == '\'')
      quote = quote ? 0 : *c;
    else if (*c == '\\' && quote != '\'' && c[1])
      *to++ = *++c;
    else
      *to++ = *c;
  }
  *to = 0;
  return !quote;
}

place *place_slurm(const place_options *o, char *why) {
  static const place_ops ops = {"slurm", "with Slurm", can_open, find,   add,  flush, where,
                                adopt,   gone,         wait_for, forget, left, stop};
  slurm *s = calloc(1, sizeof *s);
  if (!s || !(s->options = strdup(o->slurm ? o->slurm : "")))
    abort();
  s->is = (place){.ops = &ops, .capacity = PLACE_MANY};
  s->running = o->jobs, s->threads = o->threads, s->interval = LOOK_MIN_S;
  if (split(s))
    return &s->is;
  snprintf(why, PLACE_WHY, "--slurm has %s: '%.200s'",
           s->n_words == WORDS ? "too many words" : "a quote that is not closed", o->slurm);
  stop(&s->is);
  return NULL;
}
