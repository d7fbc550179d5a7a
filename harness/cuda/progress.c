// SPDX-License-Identifier: Apache-2.0
// One line on a terminal that says how far a launch is, drawn over and over, gone at its end.
#include "progress.h"

#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double every = 0.2;  // seconds

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_begin(progress *p, FILE *to, const char *name) {
  *p = (progress){.to = to && isatty(fileno(to)) ? to : NULL, .name = name};
  if (p->to)
    p->start = p->drawn = now();
}

// "12.3 M" of 12345678.
static void number(char to[16], double n) {
  static const char *const units[] = {"", "k ", "M ", "G ", "T "};
  unsigned u = 0;
  for (; n >= 999.5 && u < 4; u++)
    n /= 1000;
  snprintf(to, 16, "%.*f %s", !u || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2, n, units[u]);
}

static size_t describe(char *to, size_t bytes, const char *name, double seconds, uint64_t cycles,
                       uint32_t done, uint32_t blocks) {
  char all[16], rate[16];
  number(all, (double)cycles);
  number(rate, seconds > 0 ? (double)cycles / seconds : 0);
  size_t n = (size_t)snprintf(to, bytes, "%s: %scycles, %scycles/s, %u of %u blocks", name, all,
                              rate, done, blocks);
  const double left = done ? seconds * (blocks - done) / done : 0;
  if (done && left < 360000 && n < bytes)
    n += (size_t)snprintf(to + n, bytes - n, ", %u:%02u:%02u left", (unsigned)left / 3600,
                          (unsigned)left / 60 % 60, (unsigned)left % 60);
  return n < bytes ? n : bytes - 1;
}

void progress_step(progress *p, uint64_t cycles, uint32_t done, uint32_t blocks) {
  const double t = p->to ? now() : 0;
  if (!p->to || t - p->drawn < every)
    return;
  char text[256];
  struct winsize w = {0};
  size_t columns = ioctl(fileno(p->to), TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
  size_t n = describe(text, sizeof text, p->name, t - p->start, cycles, done, blocks);
  if (n >= columns)
    text[columns - 1] = 0;
  fprintf(p->to, "\r\033[K%s", text);
  fflush(p->to);
  p->drawn = t;
  p->shown = true;
}

void progress_end(progress *p) {
  if (!p->shown)
    return;
  fputs("\r\033[K", p->to);
  fflush(p->to);
  p->shown = false;
}
