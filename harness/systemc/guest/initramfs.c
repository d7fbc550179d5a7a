// SPDX-License-Identifier: Apache-2.0
#include "initramfs.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "cpio.h"
#include "harness/base/shell.h"
#include "harness/base/user_error.h"

enum { PATH = 4096, SEEN = 512, NAME = 128, MODULES = 32 };

typedef struct writer {
  const initramfs *i;
  cpio c;
  char *why;
  size_t why_bytes;
  char *seen[SEEN];  // folders and files that are in the archive
  size_t n_seen;
  char *libraries;             // folders of shared libraries, with colons between
  char modules[MODULES][NAME]  // file names, in the order of loading
      ;
  size_t n_modules;
} writer;

__attribute__((format(printf, 2, 3))) static bool no(writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(w->why, w->why_bytes, format, args);
  va_end(args);
  return false;
}

// ---- files with their folders, each once

static bool is_new(writer *w, const char *path) {
  for (size_t n = 0; n < w->n_seen; n++)
    if (strcmp(w->seen[n], path) == 0)
      return false;
  if (w->n_seen == SEEN || !(w->seen[w->n_seen] = strdup(path)))
    abort();
  w->n_seen++;
  return true;
}

static void folders_of(writer *w, const char *path) {
  char part[PATH];
  for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
    snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
    if (is_new(w, part))
      cpio_folder(&w->c, part);
  }
}

static void add(writer *w, const char *path, uint32_t permissions, const void *data, size_t bytes) {
  path += *path == '/';
  folders_of(w, path);
  if (is_new(w, path))
    cpio_file(&w->c, path, permissions, data, bytes);
}

static bool add_copy(writer *w, const char *path, const char *from) {
  size_t bytes;
  char *data = file_contents(from, &bytes);
  if (!data)
    return no(w, "cannot read '%s': %s", from, strerror(errno));
  add(w, path, 0755, data, bytes);
  free(data);
  return true;
}

// ---- modules

static struct {
  char name[NAME], path[PATH];  // what is looked for, and where it is
} wanted;

static void plain(char *to, const char *from) {
  snprintf(to, NAME, "%.*s", (int)strcspn(from, "."), from);
  for (; *to; to++)
    *to = *to == '-' ? '_' : *to;
}

static int is_module(const char *path, const struct stat *s, int type, struct FTW *at) {
  char name[NAME];
  (void)s;
  plain(name, path + at->base);
  if (type != FTW_F || !strstr(path, ".ko") || strcmp(name, wanted.name) != 0)
    return 0;
  snprintf(wanted.path, sizeof wanted.path, "%s", path);
  return 1;
}

// What it needs, with commas between: a text in its section .modinfo.
static const char *needs_of(const char *data, size_t bytes) {
  static const char key[] = "depends=";
  const char *at = data;
  while ((at = memmem(at, bytes - (size_t)(at - data), key, sizeof key - 1))) {
    if (at > data && !at[-1] && memchr(at, 0, bytes - (size_t)(at - data)))
      return at + sizeof key - 1;
    at++;
  }
  return "";
}

// After the modules that it needs. One that is nowhere is part of the kernel, if the kernel says
// so.
static bool add_module(writer *w, const char *given) {
  char name[NAME], folder[PATH], file[PATH + NAME];
  plain(name, given);
  for (size_t n = 0; n < w->n_modules; n++)
    if (strcmp(w->modules[n], name) == 0)
      return true;
  memcpy(wanted.name, name, NAME);
  snprintf(folder, sizeof folder, "%.4000s/lib/modules", w->i->kernel);
  if (nftw(folder, is_module, 8, FTW_PHYS) != 1)
    return no(w, "the kernel's package has no module %s", name);
  size_t bytes;
  char *data = file_contents(wanted.path, &bytes), *end;
  if (!data)
    return no(w, "cannot read '%s': %s", wanted.path, strerror(errno));
  if (bytes < 4 || memcmp(data, "\177ELF", 4) != 0)
    return free(data), no(w, "'%s' is compressed", wanted.path);
  char *needs = strdup(needs_of(data, bytes));
  bool ok = needs;
  for (char *one = strtok_r(needs, ",", &end); one && ok; one = strtok_r(NULL, ",", &end))
    ok = add_module(w, one);
  if (ok && w->n_modules == MODULES)
    ok = no(w, "more than %d modules", MODULES);
  if (ok) {
    memcpy(w->modules[w->n_modules++], name, NAME);
    snprintf(file, sizeof file, "modules/%s.ko", name);
    add(w, file, 0644, data, bytes);
  }
  free(needs);
  free(data);
  return ok;
}

static bool add_modules(writer *w) {
  char list[MODULES * NAME];
  size_t n = 0;
  for (const char *const *m = w->i->modules; *m; m++)
    if (!add_module(w, *m))
      return false;
  for (size_t k = 0; k < w->n_modules; k++)
    n += (size_t)snprintf(list + n, sizeof list - n, "%s.ko\n", w->modules[k]);
  add(w, "modules/order", 0644, list, n);
  return true;
}

// ---- the program

static void add_library_folder(writer *w, const char *file) {
  const int n = (int)(strrchr(file, '/') - file);
  char *all;
  if (asprintf(&all, "%s%s%.*s", w->libraries ? w->libraries : "", w->libraries ? ":" : "", n,
               file) < 0)
    abort();
  free(w->libraries);
  w->libraries = all;
}

// A line of ldd: "NAME => /PATH (ADDRESS)" or "/PATH (ADDRESS)".
static bool add_library(writer *w, char *line) {
  if (strstr(line, "not found"))
    return no(w, "a shared library is missing: %.*s", (int)strcspn(line, "\n"),
              line + strspn(line, "\t "));
  char *path = strchr(line, '/');
  if (!path)
    return true;
  path[strcspn(path, " \n")] = 0;
  add_library_folder(w, path);
  return add_copy(w, path, path);
}

// A program without shared libraries has no such lines.
static bool add_libraries(writer *w) {
  char *command = NULL, line[PATH];
  size_t bytes;
  FILE *f = open_memstream(&command, &bytes);
  if (!f)
    abort();
  fputs("exec ldd --", f);
  shell_put_word(f, w->i->program);
  fputs(" 2>/dev/null", f);
  fclose(f);
  FILE *said = popen(command, "re");
  free(command);
  if (!said)
    return no(w, "cannot start ldd: %s", strerror(errno));
  bool ok = true;
  while (ok && fgets(line, sizeof line, said))
    ok = add_library(w, line);
  pclose(said);
  return ok;
}

// The script that the guest's init executes.
static void add_script(writer *w, const char *name) {
  char *text = NULL;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  if (!f)
    abort();
  fputs("export", f);
  for (const char *const *e = w->i->environment; *e; e++)
    shell_put_word(f, *e);
  if (w->libraries)
    fprintf(f, " LD_LIBRARY_PATH='%s'", w->libraries);
  fputs("\nexec", f);
  shell_put_word(f, name);
  for (const char *const *a = w->i->arguments; *a; a++)
    shell_put_word(f, *a);
  fputc('\n', f);
  fclose(f);
  add(w, "program/start", 0644, text, bytes);
  free(text);
}

static bool add_program(writer *w) {
  const char *last = strrchr(w->i->program, '/');
  char name[PATH];
  snprintf(name, sizeof name, "/program/%s", last ? last + 1 : w->i->program);
  if (!add_copy(w, name, w->i->program) || !add_libraries(w))
    return false;
  add_script(w, name);
  return true;
}

bool initramfs_write(const initramfs *i, FILE *to, char *why, size_t why_bytes) {
  writer w = {.i = i, .c = {.to = to}, .why = why, .why_bytes = why_bytes};
  bool ok = add_copy(&w, "init", i->init) && add_copy(&w, "bin/busybox", i->busybox) &&
            add_modules(&w) && add_program(&w);
  if (ok && i->data)
    add(&w, "data", 0644, i->data, i->data_bytes);
  if (ok && !cpio_end(&w.c))
    ok = no(&w, "the archive cannot be written: %s", strerror(errno));
  for (size_t n = 0; n < w.n_seen; n++)
    free(w.seen[n]);
  free(w.libraries);
  return ok;
}
