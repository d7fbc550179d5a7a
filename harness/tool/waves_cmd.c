// SPDX-License-Identifier: Apache-2.0
// mpu waves: opens a wave file in GTKWave.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/window.h"
#include "harness/machines/mpu/machine/sim.h"
#include "harness/inspect/wave/wave_view.h"
#include "tool.h"
#include "waves_picture.h"

enum { PATH = 4096, VIEWS = 500 };

typedef struct options {
  const char *file, *view, *write, *picture;
  long core, nbu, cycle;  // -1: not given
  const char *range;      // the same: NULL
} options;

static bool number(const char *option, const char *text, long most, long *to) {
  char *end;
  errno = 0;
  *to = strtol(text, &end, 10);
  if (*text && !*end && !errno && *to >= 0 && *to <= most)
    return true;
  user_error("%s takes a number from 0 to %ld, not '%s'", option, most, text);
  return false;
}

static int take_option(options *o, const args *a) {
  const char *v = a->value;
  if (args_is(a, "--view") && !wave_view_is(o->view = v)) {
    char views[VIEWS];
    wave_views(views, sizeof views);
    return user_error("unknown view '%s'; known: %s", v, views);
  }
  if (args_is(a, "--core"))
    return number("--core", v, SIM_CORES - 1, &o->core) ? EXIT_OK : EXIT_USAGE;
  if (args_is(a, "--nbu"))
    return number("--nbu", v, NEAR_NBUS - 1, &o->nbu) ? EXIT_OK : EXIT_USAGE;
  if (args_is(a, "--cycle"))
    return number("--cycle", v, 1l << 50, &o->cycle) ? EXIT_OK : EXIT_USAGE;
  uint64_t from, to;
  if (args_is(a, "--range") && !window_parse(o->range = v, &from, &to))
    return user_error("--range takes %s, not '%s'", window_forms, v);
  if (args_is(a, "--write"))
    o->write = v;
  else if (args_is(a, "--picture"))
    o->picture = v;
  return EXIT_OK;
}

static int parse(args *a, options *o) {
  for (args_item item; (item = args_next(a)) != ARGS_END;) {
    if (item == ARGS_WRONG || (item == ARGS_OPTION && take_option(o, a)))
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && o->file)
      return user_error("one file at a time; '%s' is a second", a->value);
    if (item == ARGS_OPERAND)
      o->file = a->value;
  }
  if (o->range && o->cycle >= 0)
    return user_error("--range and --cycle do not go together");
  return o->file ? EXIT_OK : user_error("which file? see mpu waves --help");
}

// FST files begin with a header block.
static int check_file(const char *file) {
  FILE *f = fopen(file, "rb");
  const int first = f ? fgetc(f) : 0;
  if (!f)
    return user_error("cannot read '%s': %s", file, strerror(errno));
  fclose(f);
  return first == 0 ? EXIT_OK : user_error("'%s' is not a wave file (FST)", file);
}

// The view shows the cycles of --range that the file has.
static int set_range(const options *o, wave_view *v) {
  uint64_t from, to, first, end;
  if (!o->range)
    return EXIT_OK;
  window_parse(o->range, &from, &to);
  if (!wave_view_cycles(o->file, &first, &end))
    return user_error("'%s' has no cycles for --range %s", o->file, o->range);
  if (from >= end || to <= first)
    return user_error("'%s' has cycles %" PRIu64 " to %" PRIu64 "; --range %s is outside of them",
                      o->file, first, end - 1, o->range);
  v->cycle = from > first ? from : first;
  v->cycles = (to < end ? to : end) - v->cycle;
  v->range = true;
  v->seek = v->near = false;
  return EXIT_OK;
}

static int show(const char *file, const char *view) {
  if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
    return user_error("GTKWave needs a display; the view is in '%s'", view);
  execlp("gtkwave", "gtkwave", "-S", NEARBANK_ROOT "/waves/open.tcl", file, view, (char *)NULL);
  return user_error("cannot start gtkwave: %s (Debian: gtkwave); the view is in '%s'",
                    strerror(errno), view);
}

static bool write_view(const wave_view *v, const char *wave_file, const char *to) {
  char why[PATH];
  const bool ok = wave_view_write(v, wave_file, to, why, sizeof why);
  if (!ok)
    user_error("%s", why);
  return ok;
}

static int draw(wave_view v, const char *file, const char *picture) {
  char view[PATH];
  v.whole = true;
  snprintf(view, sizeof view, "%s.gtkw", picture);
  if (!write_view(&v, file, view))
    return EXIT_USAGE;
  const int status = waves_picture(file, view, picture);
  unlink(view);
  return status;
}

int command_waves(int argc, char **argv) {
  options o = {.core = -1, .nbu = -1, .cycle = -1};
  char left[PATH], file[PATH];
  wave_view v;
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  int status = parse(&a, &o);
  if (!status)
    status = check_file(o.file);
  if (status)
    return status;
  wave_view_file(o.file, NULL, left, sizeof left);
  const bool there = wave_view_read(left, &v);
  if (!there)
    v = wave_view_of_scopes(NULL);
  if (o.view)
    snprintf(v.view, sizeof v.view, "%s", o.view);
  v.core = o.core >= 0 ? (uint32_t)o.core : v.core;
  v.nbu = o.nbu >= 0 ? (uint32_t)o.nbu : v.nbu;
  if (o.cycle >= 0)
    v.cycle = (uint64_t)o.cycle, v.seek = false;
  if (set_range(&o, &v))
    return EXIT_USAGE;
  if (o.picture)
    return draw(v, o.file, o.picture);
  if (o.write)
    return write_view(&v, o.file, o.write) ? EXIT_OK : EXIT_USAGE;
  if (there && !o.view && o.core < 0 && o.nbu < 0 && o.cycle < 0 && !o.range)
    return show(o.file, left);
  wave_view_file(o.file, v.view, file, sizeof file);
  return write_view(&v, o.file, file) ? show(o.file, file) : EXIT_USAGE;
}
