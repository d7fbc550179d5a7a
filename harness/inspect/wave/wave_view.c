// SPDX-License-Identifier: Apache-2.0
#include "wave_view.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/out_file.h"

#define VIEWS NEARBANK_ROOT "/waves"
enum { LINE = 8192, PS = 1000, HIGHEST = 2000 };
#define ZOOM (-13.0)  // about FIFTY cycles in a window; one less is twice as many
#define ZOOM_NEAR (-11.0)
#define FIFTY 50.0
#define BEGINS "[*] begins with "

wave_view wave_view_of_scopes(const char *scopes) {
  wave_view v = {.view = "story", .marker = UINT64_MAX, .seek = true};
  char block[32] = "";
  if (!scopes)
    return v;
  if (sscanf(scopes, "core%u.nbu%u.%31[a-z]", &v.core, &v.nbu, block) < 2 &&
      sscanf(scopes, "core%u.rtt%u", &v.core, &v.nbu) == 2)
    snprintf(block, sizeof block, "rtt");
  else if (strstr(scopes, ".smem") && !strchr(scopes, ','))
    snprintf(block, sizeof block, "smem");
  if (wave_view_is(block))
    snprintf(v.view, sizeof v.view, "%s", block);
  return v;
}

static FILE *open_view(const char *name) {
  char file[PATH_MAX];
  if (!*name || strspn(name, "abcdefghijklmnopqrstuvwxyz_") != strlen(name))
    return NULL;
  snprintf(file, sizeof file, "%s/%s.gtkw", VIEWS, name);
  return fopen(file, "r");
}

bool wave_view_is(const char *name) {
  FILE *f = open_view(name);
  if (f)
    fclose(f);
  return f;
}

static int compare(const void *a, const void *b) {
  return strcmp(a, b);
}

void wave_views(char *to, size_t bytes) {
  char names[64][32];
  size_t n = 0, at = 0;
  DIR *d = opendir(VIEWS);
  for (const struct dirent *e; d && n < 64 && (e = readdir(d));)
    if (sscanf(e->d_name, "%31[a-z_].gtkw", names[n]) == 1 && strstr(e->d_name, ".gtkw"))
      n++;
  if (d)
    closedir(d);
  qsort(names, n, sizeof *names, compare);
  to[0] = 0;
  for (size_t k = 0; k < n && at < bytes; k++)
    at += (size_t)snprintf(to + at, bytes - at, "%s ", names[k]);
}

void wave_view_file(const char *wave_file, const char *view, char *to, size_t bytes) {
  const size_t n = strlen(wave_file);
  const bool fst = n > 4 && !strcmp(wave_file + n - 4, ".fst");
  snprintf(to, bytes, "%.*s%s%s.gtkw", (int)(fst ? n - 4 : n), wave_file, view ? "." : "",
           view ? view : "");
}

// A line of signals and what they are called, all of core 0 and NBU 0 in the view.
static void put_signals(const wave_view *v, const char *line, FILE *f) {
  static const char *const names[] = {"core0", "nbu0", "sub0", "rtt0"};
  while (*line) {
    size_t k = 0, n = 0;
    for (; k < 4; k++) {
      n = strlen(names[k]);
      if (strncmp(line, names[k], n) == 0 && strchr("./ ", line[n]))
        break;
    }
    if (k == 4) {
      fputc(*line++, f);
      continue;
    }
    fprintf(f, "%.*s%u", (int)n - 1, line, k ? v->nbu : v->core);
    line += n;
  }
}

// "-base die, subcore 0": what is called so
static void put_label(const wave_view *v, const char *line, FILE *f) {
  const char *at = strstr(line, "subcore 0");
  if (at)
    fprintf(f, "%.*ssubcore %u%s", (int)(at - line), line, v->nbu, at + 9);
  else
    fputs(line, f);
}

static double zoom_of(const wave_view *v) {
  return v->near ? ZOOM_NEAR : v->cycles ? ZOOM - log2((double)v->cycles / FIFTY) : ZOOM;
}

// In pixels, in the letters of waves/picture.rc.
static int height_of(FILE *from) {
  char line[LINE];
  int rows = 0;
  while (fgets(line, sizeof line, from))
    rows += *line == '+' || *line == '#' || *line == '-';
  rewind(from);
  const int height = 17 * rows + 110;
  return height < HIGHEST ? height : HIGHEST;
}

static void put(const wave_view *v, const char *wave_file, FILE *from, FILE *f) {
  char line[LINE], full[PATH_MAX];
  if (!realpath(wave_file, full))
    snprintf(full, sizeof full, "%s", wave_file);
  fprintf(f, "[*] nearbank view %s, core %u, NBU %u\n[dumpfile] \"%s\"\n", v->view, v->core, v->nbu,
          full);
  if (v->range)
    fprintf(f, "[*] shows %" PRIu64 " %" PRIu64 "\n", PS * v->cycle, PS * (v->cycle + v->cycles));
  const int height = v->whole ? height_of(from) : 0;
  while (fgets(line, sizeof line, from)) {
    if (height && strncmp(line, "[size]", 6) == 0)
      fprintf(f, "[size] 1200 %d\n", height);
    else if (height && strncmp(line, "[signals_width]", 15) == 0)
      fputs("[signals_width] 240\n", f);
    else if (strncmp(line, BEGINS, strlen(BEGINS)) == 0 && v->seek)
      put_signals(v, line, f);
    else if (strncmp(line, BEGINS, strlen(BEGINS)) == 0)
      continue;
    else if (strncmp(line, "[timestart]", 11) == 0)
      fprintf(f, "[timestart] %" PRIu64 "\n*%.1f %" PRId64 " -1 -1\n", PS * v->cycle, zoom_of(v),
              v->marker == UINT64_MAX ? (int64_t)-1 : (int64_t)(PS * v->marker));
    else if (strcmp(line, "^1 NAMES\n") == 0)
      fprintf(f, "^1 %s.names\n", full);
    else if (strncmp(line, "^1 ", 3) == 0)
      fprintf(f, "^1 %s/%s", VIEWS, line + 3);
    else if (*line == '+' || *line == '#')
      put_signals(v, line, f);
    else
      put_label(v, line, f);
  }
}

bool wave_view_write(const wave_view *v, const char *wave_file, const char *to, char *why,
                     size_t why_bytes) {
  FILE *from = open_view(v->view);
  if (!from) {
    snprintf(why, why_bytes, "unknown view '%s'; views are in %s", v->view, VIEWS);
    return false;
  }
  out_file *o = out_open(to);
  if (o)
    put(v, wave_file, from, out_stream(o));
  const bool ok = o && out_close(o);
  if (!ok)
    snprintf(why, why_bytes, "cannot write '%s': %s", to, strerror(errno));
  fclose(from);
  return ok;
}

bool wave_view_read(const char *file, wave_view *v) {
  FILE *f = fopen(file, "r");
  char line[LINE];
  int64_t marker;
  uint64_t from, to;
  double zoom;
  *v = (wave_view){.marker = UINT64_MAX};
  const bool ok = f && fscanf(f, "[*] nearbank view %31[a-z_], core %u, NBU %u", v->view, &v->core,
                              &v->nbu) == 3;
  while (ok && fgets(line, sizeof line, f)) {
    if (sscanf(line, "[timestart] %" SCNu64, &v->cycle) == 1)
      v->cycle /= PS;
    else if (sscanf(line, "[*] shows %" SCNu64 " %" SCNu64, &from, &to) == 2)
      v->range = true, v->cycles = to > from ? (to - from) / PS : 0;
    else if (sscanf(line, "*%lf %" SCNd64, &zoom, &marker) == 2) {
      v->marker = marker < 0 ? UINT64_MAX : (uint64_t)marker / PS;
      v->near = zoom == ZOOM_NEAR;
      if (!v->range)
        v->cycles = zoom < ZOOM ? (uint64_t)(FIFTY * exp2(ZOOM - zoom)) : 0;
    }
    v->seek |= strncmp(line, BEGINS, strlen(BEGINS)) == 0;
  }
  if (f)
    fclose(f);
  return ok;
}

// The first block of an FST file: kind and length, then its first and last time, the highest byte
// first.
bool wave_view_cycles(const char *wave_file, uint64_t *first, uint64_t *end) {
  unsigned char head[25];
  FILE *f = fopen(wave_file, "rb");
  const bool read = f && fread(head, sizeof head, 1, f) == 1;
  if (f)
    fclose(f);
  *first = *end = 0;
  for (unsigned n = 0; read && n < 8; n++) {
    *first = *first << 8 | head[9 + n];
    *end = *end << 8 | head[17 + n];
  }
  *first /= PS, *end = (*end + PS - 1) / PS;
  return read && *first < *end;
}
