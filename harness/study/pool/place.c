// SPDX-License-Identifier: Apache-2.0
// Names of places.
#include "place.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "harness/base/shell.h"
#include "harness/cuda/driver/compile.h"

enum { PATH = 4200 };

size_t place_jobs(unsigned threads) {
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  const size_t each = threads ? threads : 1, jobs = n > 0 ? (size_t)n / each : 1;
  return jobs ? jobs : 1;
}

void place_say(place *p, const char *format, ...) {
  va_list args;
  const size_t n = strlen(p->note);
  const int head = snprintf(p->note + n, PLACE_WHY - n, "%s", n ? "\nmpu: " : "");
  const size_t at = n + (size_t)head < PLACE_WHY ? n + (size_t)head : PLACE_WHY - 1;
  va_start(args, format);
  vsnprintf(p->note + at, PLACE_WHY - at, format, args);
  va_end(args);
}

void place_put_tool(FILE *f) {
  static const char deleted[] = " (deleted)";  // it was built again meanwhile
  char tool[PATH] = "", root[PATH + 16];
  const ssize_t n = readlink("/proc/self/exe", tool, sizeof tool - 1);
  const size_t bytes = n > 0 ? (size_t)n : 0, end = strlen(deleted);
  if (bytes > end && strcmp(tool + bytes - end, deleted) == 0)
    tool[bytes - end] = 0;
  snprintf(root, sizeof root, "MPU_ROOT=%s", compile_root());
  fputs("env", f);
  shell_put_word(f, root);
  shell_put_word(f, tool);
}

place *place_named(const place_options *o, char *why) {
  const char *on = o->on ? o->on : "here";
  if (o->slurm && strcmp(on, "slurm") != 0) {
    snprintf(why, PLACE_WHY, "--slurm has options of sbatch, and needs --on slurm");
    return NULL;
  }
  if (strcmp(on, "here") == 0)
    return place_here(o->jobs ? o->jobs : place_jobs(o->threads));
  if (strcmp(on, "slurm") == 0)
    return place_slurm(o, why);
  if (strncmp(on, "ssh:", 4) == 0 && on[4 + strspn(on + 4, ", ")])
    return place_ssh(on + 4, o);
  if (strncmp(on, "ssh", 3) == 0 && !on[3 + strspn(on + 3, ":, ")])
    snprintf(why, PLACE_WHY, "'%s' has no hosts: --on ssh:HOST1,HOST2, or ssh: and a file of them",
             on);
  else
    snprintf(why, PLACE_WHY, "--on takes here, slurm or ssh:HOSTS, not '%.200s'", on);
  return NULL;
}
