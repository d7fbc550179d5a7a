// SPDX-License-Identifier: Apache-2.0
// mpu run --races: the runs, and what is said of them.
#include "races.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness/base/json.h"
#include "harness/base/out_file.h"
#include "harness/base/user_error.h"

enum { PATH = 4300 };

typedef struct files {
  char folder[4096];
  char record[PATH], look[PATH], output[PATH], pages[PATH];
} files;

// ---- a run

static bool make_files(files *f) {
  const char *base = getenv("TMPDIR");
  snprintf(f->folder, sizeof f->folder, "%.4000s/mpu-races-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(f->folder))
    return false;
  snprintf(f->record, PATH, "%s/record", f->folder);
  snprintf(f->look, PATH, "%s/record.look", f->folder);
  snprintf(f->output, PATH, "%s/output", f->folder);
  snprintf(f->pages, PATH, "%s/pages", f->folder);
  return true;
}

static void remove_files(const files *f) {
  unlink(f->record), unlink(f->look), unlink(f->output), unlink(f->pages);
  rmdir(f->folder);
}

// In the process of the run. Addresses of the host may be in parameters and in memory: they are the
// same in all runs.
static void child(const start *s, const files *f, const char *schedule, bool look) {
  start own = *s;
  const int nothing = open("/dev/null", O_RDONLY);
  const int out = open(f->output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (nothing < 0 || out < 0)
    _exit(cannot_write(f->output));
  dup2(nothing, STDIN_FILENO), dup2(out, STDOUT_FILENO), dup2(out, STDERR_FILENO);
  signal(SIGINT, SIG_DFL);
  start_set(&own, "MPU_SCHEDULE", strcmp(schedule, "default") ? schedule : NULL);
  start_set(&own, "MPU_RACES", f->record);
  start_set(&own, "MPU_RACES_LOOK", look ? f->pages : NULL);
  personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
  _exit(start_program(&own, NULL, false));
}

static void forget(races_run *r) {
  free(r->record);
  free(r->output);
  *r = (races_run){.status = 0};
}

// False after a message, or when it was interrupted.
static bool execute(const start *s, const files *f, const char *schedule, bool look, races_run *r) {
  *r = (races_run){.status = 0};
  snprintf(r->schedule, sizeof r->schedule, "%s", schedule);
  unlink(f->record), unlink(f->look);
  fflush(NULL);
  void (*const before)(int) = signal(SIGINT, SIG_IGN);
  const pid_t pid = fork();
  if (pid == 0)
    child(s, f, schedule, look);
  const bool ended = pid > 0 && waitpid(pid, &r->status, 0) == pid;
  signal(SIGINT, before);
  if (!ended)
    return user_error("cannot run the program: %s", strerror(errno)) == EXIT_OK;
  if (WIFSIGNALED(r->status) && WTERMSIG(r->status) == SIGINT)
    return false;
  r->output = read_file(f->output, &r->output_bytes);
  r->record = file_contents(f->record, &r->record_bytes);
  if (!r->record)  // it never touched the device
    r->record = calloc(1, 1);
  return r->output && r->record;
}

// Both runs again, with a look at the pages that differ.
static bool look_again(const start *s, const files *f, const races_run *a, const races_run *b,
                       races_difference *d) {
  const races_run *const runs[2] = {a, b};
  const races_look head = {d->launches[0]->number, d->looked};
  char *looks[2] = {NULL, NULL};
  size_t bytes[2];
  FILE *pages = fopen(f->pages, "w");
  bool ok = pages && fwrite(&head, sizeof head, 1, pages) == 1 &&
            fwrite(d->look, sizeof *d->look, d->looked, pages) == d->looked;
  if ((pages && fclose(pages)) || !ok)
    return cannot_write(f->pages) == EXIT_OK;
  for (unsigned k = 0; k < 2 && ok; k++) {
    races_run again;
    ok = execute(s, f, runs[k]->schedule, true, &again);
    if (ok && !races_repeat(runs[k], &again, head.launch))
      ok = user_error("the run in the order %s did something else the second time",
                      runs[k]->schedule) == EXIT_OK;
    forget(&again);
    ok = ok && (looks[k] = read_file(f->look, &bytes[k]));
  }
  const char *const both[2] = {looks[0], looks[1]};
  if (ok && !races_arrays((const char **)both, bytes, d))
    ok = user_error("the runs did something else the second time") == EXIT_OK;
  free(looks[0]), free(looks[1]);
  return ok;
}

// ---- what is said

static void put_status(int status, FILE *f) {
  if (WIFSIGNALED(status))
    fprintf(f, "ended by signal %d", WTERMSIG(status));
  else
    fprintf(f, "exit status %d", WEXITSTATUS(status));
}

static void put_side(const char *schedule, const races_side *s, FILE *f) {
  float real;
  memcpy(&real, &s->word, sizeof real);
  fprintf(f, "    %-14s 0x%08x", schedule, s->word);
  if (s->written && s->writer.floats == 32)
    fprintf(f, " (%.9g)", (double)real);
  if (!s->written) {
    fputs(", not written by a kernel since the host last wrote it\n", f);
    return;
  }
  fprintf(f, ", written by %s at ", s->writer.kernel);
  if (s->writer.line[0])
    fputs(s->writer.line, f);
  else
    fprintf(f, "pc 0x%x", s->writer.pc);
  if (s->writer.near[0])
    fprintf(f, " (near %s)", s->writer.near);
  fprintf(f, " in launch %llu\n", (unsigned long long)s->writer.launch);
}

static void put_array(const races_run *a, const races_run *b, const races_array *x, FILE *f) {
  const races_name *n = &x->of;
  if (!n->bytes)
    fprintf(f, "  in no array: %llu bytes, the first one at 0x%llx\n", (unsigned long long)x->bytes,
            (unsigned long long)x->first);
  else
    fprintf(f, "  %s%s%s: %llu of %llu bytes, the first one is byte %llu, at 0x%llx\n", n->name,
            n->place[0] ? ", allocated at " : "", n->place, (unsigned long long)x->bytes,
            (unsigned long long)n->bytes, (unsigned long long)(x->first - n->address),
            (unsigned long long)x->first);
  put_side(a->schedule, &x->sides[0], f);
  put_side(b->schedule, &x->sides[1], f);
  if (x->floats)
    fputs(
        "    written by atomics on floats, whose order changes the rounding: compare with a "
        "tolerance\n",
        f);
}

static void put_launch(const races_difference *d, FILE *f) {
  const races_launch *x = d->launches[0], *y = d->launches[1];
  const races_launch *any = x ? x : y;
  switch (d->kind) {
    case RACES_MEMORY:
      fprintf(f, "device memory differs after launch %llu, %s\n", (unsigned long long)any->number,
              any->kernel);
      break;
    case RACES_ERROR:
      fprintf(f, "launch %llu, %s, %s\n", (unsigned long long)any->number, any->kernel,
              !x->error   ? "fails, not so in the default order"
              : !y->error ? "succeeds, not so in the default order"
                          : "fails in another way");
      break;
    case RACES_LAUNCHES:
      fprintf(f, "launch %llu is %s, in the default order %s\n", (unsigned long long)any->number,
              y ? y->kernel : "missing", x ? x->kernel : "missing");
      break;
    default:
      fputs("device memory does not differ\n", f);
  }
}

static void put_line(const char *schedule, const char *text, uint32_t line, FILE *f) {
  for (; line > 1 && text; line--)
    text = (text = strchr(text, '\n')) ? text + 1 : NULL;
  const int n = text ? (int)strcspn(text, "\n") : 0;
  fprintf(f, "    %-14s %.*s\n", schedule, n < 200 ? n : 200, text ? text : "");
}

static void put_difference(const races_run *a, const races_run *b, const races_difference *d,
                           bool with_output, FILE *f) {
  fprintf(f, "%-18s ", b->schedule);
  put_launch(d, f);
  for (uint32_t n = 0; n < d->n_arrays; n++)
    put_array(a, b, &d->arrays[n], f);
  if (d->pages > d->looked)
    fprintf(f, "  of %llu pages of 4 KB that differ, these are the first %llu\n",
            (unsigned long long)d->pages, (unsigned long long)d->looked);
  if (d->status) {
    fputs("  ", f);
    put_status(b->status, f);
    fputs(", in the default order ", f);
    put_status(a->status, f);
    fputc('\n', f);
  }
  if (with_output && d->output) {
    fprintf(f, "  output differs from line %u on\n", d->line);
    put_line(a->schedule, a->output, d->line, f);
    put_line(b->schedule, b->output, d->line, f);
  }
}

// ---- as JSON

static void json_side(const races_side *s, const char *key, json_writer *j) {
  jw_object(j, key);
  jw_count(j, "word", s->word);
  jw_text(j, "kernel", s->written ? s->writer.kernel : NULL);
  jw_text(j, "line", s->written && s->writer.line[0] ? s->writer.line : NULL);
  jw_text(j, "near", s->written && s->writer.near[0] ? s->writer.near : NULL);
  if (s->written) {
    jw_count(j, "launch", s->writer.launch);
    jw_count(j, "pc", s->writer.pc);
  }
  jw_end(j);
}

static void json_array(const races_array *x, json_writer *j) {
  jw_object(j, NULL);
  jw_text(j, "name", x->of.bytes ? x->of.name : NULL);
  jw_text(j, "place", x->of.place[0] ? x->of.place : NULL);
  jw_count(j, "array_bytes", x->of.bytes);
  jw_count(j, "bytes", x->bytes);
  jw_count(j, "address", x->first);
  jw_truth(j, "float_atomics", x->floats);
  json_side(&x->sides[0], "default", j);
  json_side(&x->sides[1], "run", j);
  jw_end(j);
}

static void json_run(const races_run *r, const races_difference *d, bool with_output,
                     json_writer *j) {
  static const char *const kinds[] = {NULL, "memory", "error", "launches"};
  const races_launch *l = d->launches[1] ? d->launches[1] : d->launches[0];
  jw_object(j, NULL);
  jw_text(j, "schedule", r->schedule);
  jw_truth(j, "differs", races_differ(d, with_output));
  jw_text(j, "what", kinds[d->kind]);
  jw_truth(j, "status", d->status);
  jw_truth(j, "output", with_output && d->output);
  if (l) {
    jw_count(j, "launch", l->number);
    jw_text(j, "kernel", l->kernel);
  }
  jw_list(j, "arrays");
  for (uint32_t n = 0; n < d->n_arrays; n++)
    json_array(&d->arrays[n], j);
  jw_end(j);
  jw_end(j);
}

// ---- all runs

typedef struct comparison {
  const start *s;
  files f;
  races_run first;
  bool with_output;
  unsigned differ, reordered;
  json_writer *j;  // NULL: none
} comparison;

static int not_repeatable(const races_difference *d) {
  const races_launch *l = d->launches[0] ? d->launches[0] : d->launches[1];
  if (l)
    return user_error(
        "two runs in the same order differ, first after launch %llu, %s: the program depends on "
        "time or the host, so a race cannot be told from that",
        (unsigned long long)l->number, l->kernel);
  return user_error(
      "two runs in the same order have different exit statuses: the program depends "
      "on time or the host, so a race cannot be told from that");
}

// The default order, twice: what differs there says nothing.
static int first_runs(comparison *c) {
  static races_difference d;
  races_run again = {.status = 0};
  if (!execute(c->s, &c->f, "default", false, &c->first) ||
      !execute(c->s, &c->f, "default", false, &again))
    return EXIT_USAGE;
  races_compare(&c->first, &again, &d);
  c->with_output = !d.output;
  forget(&again);
  if (races_differ(&d, false))
    return not_repeatable(&d);
  if (!c->first.record_bytes)
    return user_error(
        "the program launches no kernel (%s %d)",
        WIFSIGNALED(c->first.status) ? "signal" : "exit status",
        WIFSIGNALED(c->first.status) ? WTERMSIG(c->first.status) : WEXITSTATUS(c->first.status));
  return EXIT_OK;
}

static int random_run(comparison *c, unsigned seed) {
  static races_difference d;
  char schedule[40];
  races_run r;
  snprintf(schedule, sizeof schedule, "random:%u", seed);
  bool ok = execute(c->s, &c->f, schedule, false, &r);
  if (ok) {
    races_compare(&c->first, &r, &d);
    if (d.looked)
      ok = look_again(c->s, &c->f, &c->first, &r, &d);
  }
  if (ok) {
    c->differ += races_differ(&d, c->with_output);
    c->reordered += d.reordered;
    if (races_differ(&d, c->with_output))
      put_difference(&c->first, &r, &d, c->with_output, stdout);
    if (c->j)
      json_run(&r, &d, c->with_output, c->j);
    free(d.arrays);
  }
  forget(&r);
  return ok ? EXIT_OK : EXIT_USAGE;
}

static void put_end(const comparison *c, unsigned runs) {
  if (!c->with_output)
    puts("The output was not compared: it also differs between two runs in the same order.");
  else if (c->reordered)
    printf("In %u runs the output has the same lines in another order, which does not count.\n",
           c->reordered);
  if (c->differ)
    printf("%u of %u random orders differ from the default order\n", c->differ, runs);
  else
    printf("None of %u random orders differs from the default order; others may.\n", runs);
}

static int compare_all(comparison *c, unsigned runs) {
  int status = first_runs(c);
  for (unsigned n = 1; n <= runs && !status; n++)
    status = random_run(c, n);
  if (!status)
    put_end(c, runs);
  return status ? status : c->differ ? EXIT_FAILED : EXIT_OK;
}

int races_command(const start *s, const char *shown, unsigned runs, const char *json) {
  comparison c = {.s = s};
  out_file *o = json ? out_open(json) : NULL;
  json_writer j;
  if (json && !o)
    return cannot_write(json);
  if (!make_files(&c.f))
    return user_error("cannot create '%s': %s", c.f.folder, strerror(errno));
  if (o) {
    j = jw_to(out_stream(o));
    c.j = &j;
    jw_object(&j, NULL);
    jw_text(&j, "program", shown);
    jw_count(&j, "runs", runs);
    jw_list(&j, "orders");
  }
  const int status = compare_all(&c, runs);
  if (o) {
    jw_end(&j);
    jw_count(&j, "differ", c.differ);
    jw_truth(&j, "output_compared", c.with_output);
    jw_end(&j);
    fputc('\n', out_stream(o));
  }
  forget(&c.first);
  remove_files(&c.f);
  if (o && !out_close(o))
    return cannot_write(json);
  return status;
}
