// SPDX-License-Identifier: Apache-2.0
#include "wave.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/out_file.h"
#include "fst.h"
#include "csim/base/rtl_trace.h"
#include "csim/base/vcd.h"
#include "wave_room.h"

enum { PATH = 512, PS = 1000, LEAST = 1 << 20, PENDING = 8 << 20, NAME = 128 };

typedef struct signal {
  uint32_t var, bits;  // var 0: not kept
  bool dirty;
  char *digits, *before;  // before: in the file, when it is dirty
} signal;

struct wave_source {
  wave *w;
  char group[NAME], name[NAME];
  char *text;
  size_t bytes, room, at;
  signal *signals;  // by their codes
  size_t n_signals;
  uint64_t time;   // of the values that come next, UINT64_MAX: there are none
  uint64_t shift;  // that is added to the times of the text
};

struct wave {
  void *library;
  const fst_ops *ops;
  void *file;
  char *final, *name, *scopes;  // it is `name`, FILE.part, until it is whole
  wave_source **sources;
  size_t n_sources;
  signal **dirty;
  size_t n_dirty, dirty_room;
  bool headed, open, told;  // told: there are values in the file
  bool all;                 // values are written even when they are what they were
  uint64_t from, ps;        // ps: the time that is being written
  size_t pending;           // bytes of values since the last flush, about
  size_t reserve;           // that closing the file needs, about
  bool no_memory;
  uint64_t found;  // patterns of scopes that something fits, a bit each
  wave_summary summary;
};

// No more is written when there is no room for so many bytes.
static void need_room(wave *w, size_t bytes) {
  char *lost = w->summary.lost;
  if (w->no_memory)
    snprintf(lost, sizeof w->summary.lost, "out of host memory");
  w->summary.full |= w->no_memory || !wave_room(w->name, bytes, lost, sizeof w->summary.lost);
}

static const fst_ops *load(wave *w, char *why, size_t why_bytes) {
  static const char file[] = NEARBANK_BUILD "/libnearwave.so";
  w->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  const fst_ops *ops = w->library ? dlsym(w->library, "wave_fst") : NULL;
  if (!ops)
    snprintf(why, why_bytes,
             "waves need %s (of the Debian package verilator); build it with: cmake --build "
             "%s --target nearwave",
             file, NEARBANK_BUILD);
  return ops;
}

wave *wave_new(const char *file, const char *scopes, char *why, size_t why_bytes) {
  struct stat s;
  wave *w = calloc(1, sizeof *w);
  if (!w || !(w->final = strdup(file)) || asprintf(&w->name, "%s.part", file) < 0 ||
      (scopes && !(w->scopes = strdup(scopes)))) {
    snprintf(why, why_bytes, "out of host memory");
    return NULL;
  }
  w->ops = load(w, why, why_bytes);
  const bool other = stat(file, &s) == 0 && !S_ISREG(s.st_mode);
  if (w->ops && !other)
    need_room(w, LEAST);
  if (w->ops && other)
    snprintf(why, why_bytes, "cannot write waves to '%s': it is not a regular file", file);
  else if (w->ops && !w->summary.full && (!out_can(file) || !(w->file = w->ops->create(w->name))))
    snprintf(why, why_bytes, "cannot write '%s': %s", file, strerror(errno));
  if (w->file || w->summary.full)
    return w;
  wave_close(w);
  return NULL;
}

// ---- scopes

// Scopes as file names: * stays in one.
static void as_path(char *to, const char *from, size_t length) {
  const size_t n = length < PATH - 1 ? length : PATH - 1;
  for (size_t k = 0; k < n; k++)
    to[k] = from[k] == '.' ? '/' : from[k];
  to[n] = 0;
}

// Does the pattern fit the path, or a scope around it; or, with `part`, something in it?
static bool fits(const char *pattern, size_t length, const char *path, bool part) {
  char p[PATH], s[PATH], *end;
  as_path(p, pattern, length);
  as_path(s, path, strlen(path));
  bool fit = fnmatch(p, s, FNM_PATHNAME) == 0;
  while (!fit && (end = strrchr(s, '/')))
    *end = 0, fit = fnmatch(p, s, FNM_PATHNAME) == 0;
  as_path(s, path, strlen(path));
  while (!fit && part && (end = strrchr(p, '/')))
    *end = 0, fit = fnmatch(p, s, FNM_PATHNAME) == 0;
  return fit;
}

// The patterns that fit, a bit each.
static uint64_t fitting(const wave *w, const char *path, bool part) {
  uint64_t fit = 0, bit = 1;
  for (const char *at = w->scopes; at && *at; bit <<= bit < 1ull << 63) {
    const size_t n = strcspn(at, ",");
    if (fits(at, n, path, part))
      fit |= bit;
    at += n + (at[n] == ',');
  }
  return fit;
}

static bool kept(const wave *w, const char *path, bool part) {
  return !w->scopes || strstr(path, ".base") || fitting(w, path, part);
}

bool wave_wants(const wave *w, const char *group, const char *name) {
  char path[PATH];
  snprintf(path, sizeof path, "%s%s%s", group, name ? "." : "", name ? name : "");
  return kept(w, path, true);
}

// The first pattern that nothing fits.
static void look_for_missed(wave *w) {
  uint64_t left = w->found;
  for (const char *at = w->scopes; at && *at; left >>= 1) {
    const size_t n = strcspn(at, ",");
    if (!(left & 1) && !w->summary.missed[0])
      snprintf(w->summary.missed, sizeof w->summary.missed, "%.*s", (int)n, at);
    at += n + (at[n] == ',');
  }
}

// ---- sources

wave_source *wave_source_new(wave *w, const char *group, const char *name) {
  assert(!w->headed);
  wave_source *s = calloc(1, sizeof *s);
  wave_source **all = realloc(w->sources, (w->n_sources + 1) * sizeof *all);
  if (all)
    w->sources = all;
  if (!s || !all) {
    free(s);
    return NULL;
  }
  s->w = w;
  snprintf(s->group, sizeof s->group, "%s", group);
  snprintf(s->name, sizeof s->name, "%s", name);
  s->time = UINT64_MAX;
  return w->sources[w->n_sources++] = s;
}

void wave_write(void *source, const char *text, size_t bytes) {
  wave_source *s = source;
  if (s->bytes + bytes > s->room) {
    const size_t room = 2 * (s->bytes + bytes);
    char *more = realloc(s->text, room);
    if (!more) {
      s->w->no_memory = true;
      return;
    }
    s->text = more, s->room = room;
  }
  memcpy(s->text + s->bytes, text, bytes);
  s->bytes += bytes;
}

void wave_shift(wave_source *s, uint64_t cycles) {
  s->shift = RTL_TRACE_TIMES * cycles;
}

// The next line; its end is a 0. NULL: no more.
static char *next_line(wave_source *s) {
  if (s->at == s->bytes)
    return NULL;
  char *line = s->text + s->at, *end = memchr(line, '\n', s->bytes - s->at);
  assert(end);  // sources write whole lines
  *end = 0;
  s->at = (size_t)(end - s->text) + 1;
  return line;
}

// ---- headers

// Makes room for the signal of a code. NULL: no memory.
static signal *signal_of(wave_source *s, uint32_t code) {
  if (code >= s->n_signals) {
    const size_t n = 2 * (size_t)code + 64;
    signal *more = realloc(s->signals, n * sizeof *more);
    if (!more)
      return NULL;
    memset(more + s->n_signals, 0, (n - s->n_signals) * sizeof *more);
    s->signals = more, s->n_signals = n;
  }
  return &s->signals[code];
}

// "$var wire 8 !! name [7:0] $end"
static void declare(wave *w, wave_source *s, const char *line, const char *scope) {
  unsigned bits;
  char code[16], name[PATH], path[2 * PATH + 2];
  if (sscanf(line, " $var %*s %u %15s %511[^\n]", &bits, code, name) != 3)
    return;
  char *end = strstr(name, " $end");
  if (end)
    *end = 0;
  snprintf(path, sizeof path, "%s.%.*s", scope, (int)strcspn(name, " "), name);
  signal *x = signal_of(s, vcd_get_code(code, code + strlen(code)));
  if (!x) {
    w->no_memory = true;
    return;
  }
  x->bits = bits;
  w->found |= fitting(w, path, false);
  if (!kept(w, path, false))
    return;
  w->reserve += strlen(name) + 16;
  const uint32_t var = w->ops->var(w->file, name, bits, x->var);
  if (!x->var) {
    x->var = var;
    x->digits = calloc(2, bits + 1);
    x->before = x->digits ? x->digits + bits + 1 : NULL;
    w->no_memory |= !x->digits;
    w->reserve += bits / 8 + 8;
    w->summary.signals++;
  }
}

static void enter(wave *w, const char *name, char *scope) {
  strncat(scope, ".", PATH - strlen(scope) - 1);
  strncat(scope, name, PATH - strlen(scope) - 1);
  w->ops->scope(w->file, name);
}

static void leave(wave *w, char *scope) {
  char *dot = strrchr(scope, '.');
  *(dot ? dot : scope) = 0;
  w->ops->upscope(w->file);
}

// Scopes of loops, which have no names of their own, and what nobody wants.
static bool dropped(const wave *w, const char *scope, const char *name) {
  char path[2 * PATH + 2];
  snprintf(path, sizeof path, "%s.%s", scope, name);
  return !strncmp(name, "unnamedblk", 10) || !kept(w, path, true);
}

// The outermost scope gets the name of the source, but for a "top" around it, which is left out
// with the signals in it. Instances are called i_<block>.
static void read_header(wave *w, wave_source *s) {
  char scope[PATH] = "", name[PATH];
  int depth = 0, top = 0, drop = 0;  // drop: scopes that are left out, with all in them
  snprintf(scope, sizeof scope, "%s", s->group);
  for (char *line; (line = next_line(s));) {
    while (*line == ' ')
      line++;
    if (sscanf(line, "$scope module %511s", name) == 1) {
      const char *called = strncmp(name, "i_", 2) == 0 ? name + 2 : name;
      if (!depth && !strcmp(name, "top"))
        top = 1, depth++;
      else if (drop || (depth > top && dropped(w, scope, called)) || strstr(name, "_pkg"))
        drop++;
      else
        enter(w, depth++ == top ? s->name : called, scope);
    } else if (strncmp(line, "$upscope", 8) == 0) {
      if (drop)
        drop--;
      else if (--depth >= top)
        leave(w, scope);
    } else if (strncmp(line, "$var", 4) == 0 && depth > top && !drop) {
      declare(w, s, line, scope);
    } else if (strncmp(line, "$enddefinitions", 15) == 0) {
      break;
    }
  }
}

// The part of a group behind its first scope.
static const char *inner(const char *group) {
  group += strcspn(group, ".");
  return group + (*group == '.');
}

// From the scopes of one group, "card0.core0", to those of another.
static void change_group(wave *w, const char *from, const char *to) {
  char name[NAME];
  while (*from && strcspn(from, ".") == strcspn(to, ".") &&
         strncmp(from, to, strcspn(from, ".")) == 0)
    from = inner(from), to = inner(to);
  for (; *from; from = inner(from))
    w->ops->upscope(w->file);
  for (; *to; to = inner(to)) {
    snprintf(name, sizeof name, "%.*s", (int)strcspn(to, "."), to);
    w->ops->scope(w->file, name);
  }
}

static void read_headers(wave *w) {
  size_t bytes = PENDING;
  for (size_t n = 0; n < w->n_sources; n++)
    bytes += w->sources[n]->bytes;
  if (!w->summary.full)
    need_room(w, bytes);
  w->headed = true;
  if (w->summary.full)
    return;
  const char *group = "";
  for (size_t n = 0; n < w->n_sources; n++) {
    change_group(w, group, w->sources[n]->group);
    group = w->sources[n]->group;
    read_header(w, w->sources[n]);
  }
  change_group(w, group, "");
  look_for_missed(w);
}

const char *wave_missed(wave *w) {
  if (w->file && !w->headed)
    read_headers(w);
  return w->summary.missed;
}

// ---- values

// Of signals that are what they were after all, nothing.
static void write_values(wave *w) {
  bool any = false;
  for (size_t n = 0; n < w->n_dirty; n++) {
    signal *x = w->dirty[n];
    x->dirty = false;
    if (w->summary.full || (!w->all && !memcmp(x->digits, x->before, x->bits)))
      continue;
    if (!any)
      w->ops->time(w->file, w->ps);
    w->ops->value(w->file, x->var, x->digits);
    w->told = any = true;
    w->pending += x->bits / 8 + 6;
  }
  w->n_dirty = 0;
}

static void mark(wave *w, signal *x) {
  if (x->dirty)
    return;
  if (w->n_dirty == w->dirty_room) {
    const size_t room = 2 * w->dirty_room + 1024;
    signal **more = realloc(w->dirty, room * sizeof *more);
    if (!more) {
      w->no_memory = true;
      return;
    }
    w->dirty = more, w->dirty_room = room;
  }
  x->dirty = true;
  memcpy(x->before, x->digits, x->bits);
  w->dirty[w->n_dirty++] = x;
}

// "1!!" or "b0101 !!"
static void change(wave *w, wave_source *s, const char *line) {
  const char *digits = line + (*line == 'b'), *end = digits;
  while (*end == '0' || *end == '1')
    end++;
  const char *code = *line == 'b' ? end + 1 : digits + 1;
  const size_t n = *line == 'b' ? (size_t)(end - digits) : 1;
  const uint32_t number = vcd_get_code(code, code + strlen(code));
  signal *x = number < s->n_signals ? &s->signals[number] : NULL;
  if (!x || !x->var || !x->digits || n > x->bits)
    return;
  if (!w->all && n == x->bits && memcmp(x->digits, digits, n) == 0)
    return;
  mark(w, x);
  memset(x->digits, '0', x->bits - n);
  memcpy(x->digits + x->bits - n, digits, n);
}

// To the next line that is a time; past a header, when the source begins again.
static void find_time(wave_source *s) {
  s->time = UINT64_MAX;
  for (char *line; (line = next_line(s));)
    if (*line == '#') {
      s->time = s->shift + strtoull(line + 1, NULL, 10);
      break;
    }
}

// All of one time.
static void take(wave *w, wave_source *s) {
  s->time = UINT64_MAX;
  for (char *line; (line = next_line(s));) {
    if (*line == '#') {
      s->time = s->shift + strtoull(line + 1, NULL, 10);
      return;
    }
    if (*line == '0' || *line == '1' || *line == 'b')
      change(w, s, line);
  }
}

static uint64_t ps_of(const wave *w, uint64_t time) {
  const uint64_t cycle = time / RTL_TRACE_TIMES;
  return cycle < w->from ? PS * w->from
                         : PS * cycle + (time % RTL_TRACE_TIMES == RTL_TRACE_LOW ? PS / 2 : 0);
}

static void drop_read(wave_source *s) {
  memmove(s->text, s->text + s->at, s->bytes - s->at);
  s->bytes -= s->at;
  s->at = 0;
}

// The window has been written up to here. A file without values has no times either: else it could
// not be read.
static void end_window(wave *w, uint64_t until) {
  if (until > w->from && !w->summary.windows++)
    w->summary.first = w->from;
  if (until > w->from)
    w->summary.last = until - 1;
  if (!w->told)
    return;
  w->ops->time(w->file, PS * until);
  w->ops->active(w->file, false);
}

static void look_for_room(wave *w) {
  if (w->summary.full || (w->pending < PENDING && !w->no_memory))
    return;
  need_room(w, 2 * PENDING + w->reserve);
  w->ops->flush(w->file);
  w->pending = 0;
  if (w->summary.full)
    end_window(w, w->ps / PS);
}

void wave_step(wave *w, uint64_t until) {
  assert(w->open);
  for (size_t n = 0; n < w->n_sources; n++) {
    wave_source *s = w->sources[n];
    if (s->time == UINT64_MAX)
      find_time(s);
  }
  while (true) {
    uint64_t least = UINT64_MAX;
    for (size_t n = 0; n < w->n_sources; n++)
      least = w->sources[n]->time < least ? w->sources[n]->time : least;
    if (least == UINT64_MAX || least / RTL_TRACE_TIMES >= until)
      break;
    const uint64_t ps = ps_of(w, least);
    if (ps != w->ps) {
      write_values(w);
      w->ps = ps, w->all = w->all && ps == PS * w->from;
      look_for_room(w);
    }
    for (size_t n = 0; n < w->n_sources; n++)
      if (w->sources[n]->time == least)
        take(w, w->sources[n]);
  }
  for (size_t n = 0; n < w->n_sources; n++)
    drop_read(w->sources[n]);
}

void wave_begin(wave *w, uint64_t from) {
  assert(!w->open);
  if (!w->headed)
    read_headers(w);
  for (size_t n = 0; n < w->n_sources; n++) {
    wave_source *s = w->sources[n];
    s->bytes = s->at = 0;
    s->time = UINT64_MAX;
  }
  if (w->told && !w->summary.full)
    w->ops->time(w->file, PS * from), w->ops->active(w->file, true);
  w->open = w->all = true;
  w->from = from, w->ps = PS * from;
}

// What the last edge left is of the cycle behind it: it stays with the sources.
void wave_end(wave *w, uint64_t until) {
  assert(until >= w->from);
  wave_step(w, until);
  write_values(w);
  w->open = false;
  if (!w->summary.full)
    end_window(w, until);
}

bool wave_is_full(const wave *w) {
  return w->summary.full;
}

// The file gets its name when nothing is missing in it. One without anything is not left behind.
static void publish(wave *w) {
  wave_summary *sum = &w->summary;
  if (sum->full && !sum->windows) {
    unlink(w->name);
    return;
  }
  if (!sum->full && !out_publish(w->name, w->final)) {
    snprintf(sum->lost, sizeof sum->lost, "%s", strerror(errno));
    sum->full = true;
  }
}

void wave_drop(wave *w) {
  w->summary.full = true, w->summary.windows = 0;
  wave_close(w);
}

wave_summary wave_close(wave *w) {
  struct stat s;
  assert(!w->open);
  if (w->file && !w->headed && w->n_sources)
    read_headers(w);
  if (w->file)
    w->ops->close(w->file);
  if (w->file && stat(w->name, &s) == 0)
    w->summary.bytes = (uint64_t)s.st_size;
  if (w->file)
    publish(w);
  for (size_t n = 0; n < w->n_sources; n++) {
    wave_source *x = w->sources[n];
    for (size_t k = 0; k < x->n_signals; k++)
      free(x->signals[k].digits);
    free(x->signals);
    free(x->text);
    free(x);
  }
  const wave_summary summary = w->summary;
  free(w->sources);
  free(w->dirty);
  free(w->final);
  free(w->name);
  free(w->scopes);
  free(w);
  return summary;
}
