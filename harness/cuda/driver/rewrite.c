// SPDX-License-Identifier: Apache-2.0
#include "rewrite.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile_priv.h"
#include "harness/base/out_file.h"
#include "harness/base/user_error.h"

// ---- a text

typedef struct lexer {
  char *text;
  size_t bytes, at;
  bool changed;
  int launches;  // brackets of launches that are open
  // the declaration's specifiers so far: where __device__ stands (or bytes: nowhere), and whether
  // there was one that does not go with it
  size_t device;
  bool alone;
  bool memory;  // there was a specifier that says which memory
  bool in_asm;  // in a statement with assembly
} lexer;

static bool starts(const lexer *l, const char *with) {
  const size_t n = strlen(with);
  return l->bytes - l->at >= n && memcmp(l->text + l->at, with, n) == 0;
}

static void to_end_of(lexer *l, const char *end) {
  while (l->at < l->bytes && !starts(l, end))
    l->at++;
  l->at += l->at < l->bytes ? strlen(end) : 0;
}

// In assembly, `, %name` without the second percent sign of a register's name.
static void double_percent(lexer *l) {
  char *s = l->text + l->at;
  if (l->bytes - l->at < 4 || s[0] != ',' || s[1] != ' ' || s[2] != '%' ||
      !islower((unsigned char)s[3]))
    return;
  s[1] = '%';
  l->changed = true;
}

// A string or a character, from its quote on; it ends with its line at the latest.
static void skip_quoted(lexer *l) {
  const char quote = l->text[l->at++];
  while (l->at < l->bytes && l->text[l->at] != quote && l->text[l->at] != '\n') {
    if (l->in_asm)
      double_percent(l);
    l->at += l->text[l->at] == '\\' && l->at + 1 < l->bytes ? 2 : 1;
  }
  l->at += l->at < l->bytes;
}

// R"mark(...)mark", from its quote on.
static void skip_raw(lexer *l) {
  char end[20] = ")";
  size_t n = 1;
  for (l->at++; l->at < l->bytes && l->text[l->at] != '(' && n < sizeof end - 2; l->at++)
    end[n++] = l->text[l->at];
  end[n++] = '"';
  end[n] = 0;
  to_end_of(l, end);
}

// Comments, strings, characters; false: none is here.
static bool skip(lexer *l) {
  if (starts(l, "//")) {
    while (l->at < l->bytes && l->text[l->at] != '\n')
      l->at += l->text[l->at] == '\\' && l->at + 1 < l->bytes ? 2 : 1;
  } else if (starts(l, "/*")) {
    l->at += 2;
    to_end_of(l, "*/");
  } else if (l->text[l->at] == '"' || l->text[l->at] == '\'') {
    skip_quoted(l);
  } else {
    return false;
  }
  return true;
}

static bool is(const char *word, size_t n, const char *what) {
  return strlen(what) == n && memcmp(word, what, n) == 0;
}

static void drop_device(lexer *l) {
  if (!l->alone || l->device == l->bytes)
    return;
  memset(l->text + l->device, ' ', strlen("__device__"));
  l->device = l->bytes;
  l->changed = true;
}

static void end_specifiers(lexer *l) {
  l->device = l->bytes;
  l->alone = l->memory = false;
}

static void end_statement(lexer *l) {
  end_specifiers(l);
  l->in_asm = false;
  l->launches = 0;
}

static void take_word(lexer *l) {
  const size_t from = l->at;
  while (l->at < l->bytes && (isalnum((unsigned char)l->text[l->at]) || l->text[l->at] == '_'))
    l->at++;
  const char *word = l->text + from;
  const size_t n = l->at - from;
  if (l->at < l->bytes && l->text[l->at] == '"' && n <= 3 && word[n - 1] == 'R') {
    skip_raw(l);
  } else if (is(word, n, "__device__")) {
    l->device = from;
    drop_device(l);
  } else if (is(word, n, "__global__") || is(word, n, "__shared__")) {
    l->alone = true;
    drop_device(l);
    l->memory |= word[2] == 's';
  } else if (is(word, n, "alignas") && (l->memory || l->device != l->bytes)) {
    memcpy(l->text + from, "mpu_aln", n);
    l->changed = true;
  } else if (is(word, n, "__constant__")) {
    l->memory = true;
  } else if (is(word, n, "asm") || is(word, n, "__asm__") || is(word, n, "__asm")) {
    l->in_asm = true;
  }
}

static void take_number(lexer *l) {
  while (l->at < l->bytes && (isalnum((unsigned char)l->text[l->at]) || l->text[l->at] == '.' ||
                              (l->text[l->at] == '\'' && l->at + 1 < l->bytes &&
                               isalnum((unsigned char)l->text[l->at + 1]))))
    l->at++;
}

// Three brackets with blanks between the first two and the last one, or behind the first one: the
// place behind them, or 0.
static size_t three(const lexer *l, char bracket, bool *apart) {
  size_t at = l->at, seen = 0, blanks = 0;
  for (; at < l->bytes && seen < 3; at++)
    if (l->text[at] == bracket)
      seen++;
    else if (isspace((unsigned char)l->text[at]) && seen)
      blanks++;
    else
      return 0;
  const bool two =
      l->bytes - l->at > 2 && (l->text[l->at + 1] == bracket || l->text[at - 2] == bracket);
  *apart = blanks > 0;
  return seen == 3 && two ? at : 0;
}

// Brackets first, what stood between them behind.
static void close_up(lexer *l, size_t end) {
  char bracket = l->text[l->at];
  size_t to = end;
  for (size_t n = end; n-- > l->at;)
    if (l->text[n] != bracket)
      l->text[--to] = l->text[n];
  memset(l->text + l->at, bracket, 3);
  l->changed = true;
}

static void take_bracket(lexer *l) {
  bool apart;
  const char bracket = l->text[l->at];
  const size_t end = bracket == '<' || l->launches ? three(l, bracket, &apart) : 0;
  if (!end) {
    l->at++;
    return;
  }
  if (apart)
    close_up(l, end);
  l->launches += bracket == '<' ? 1 : -1;
  l->at = end;
}

bool rewrite_text(char *text, size_t bytes) {
  lexer l = {.text = text, .bytes = bytes, .device = bytes};
  while (l.at < l.bytes) {
    const unsigned char c = (unsigned char)text[l.at];
    if (skip(&l))
      continue;
    if (isalpha(c) || c == '_') {
      take_word(&l);
    } else if (isdigit(c)) {
      take_number(&l);
    } else if (c == '<' || c == '>') {
      end_specifiers(&l);
      take_bracket(&l);
    } else {
      if (c == ';' || c == '{' || c == '}')
        end_statement(&l);
      else if (c == '=' || c == '(')
        end_specifiers(&l);
      l.at++;
    }
  }
  return l.changed;
}

// ---- files

enum { FILES = 1000 };

typedef struct files {
  const char *const *folders, *dir;
  char *seen[FILES];
  size_t count, written;
  FILE *overlay;
} files;

static void put_json(FILE *f, const char *s) {
  fputc('"', f);
  for (; *s; s++)
    if ((unsigned char)*s < ' ')
      fprintf(f, "\\u%04x", (unsigned)*s);
    else
      fprintf(f, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
  fputc('"', f);
}

// What clang may call the file: by the folder where it works as its shell names it, and really.
static int put_names(files *f, const char *name, const char *text) {
  char names[2][PATH * 2];
  const char *shell = getenv("PWD");
  if (*name == '/' || !shell)
    snprintf(names[0], sizeof names[0], "%s", name);
  else
    snprintf(names[0], sizeof names[0], "%s/%s", shell, name);
  if (!realpath(name, names[1]))
    return user_error("cannot read '%s': %s", name, strerror(errno));
  for (int n = 0; n < 2 && !(n && strcmp(names[0], names[1]) == 0); n++) {
    fputs(f->written || n ? ",\n" : "", f->overlay);
    fputs("{\"type\": \"file\", \"name\": ", f->overlay);
    put_json(f->overlay, names[n]);
    fputs(", \"external-contents\": ", f->overlay);
    put_json(f->overlay, text);
    fputs("}", f->overlay);
  }
  return EXIT_OK;
}

static int put_file(files *f, const char *name, const char *text, size_t bytes) {
  char to[PATH];
  snprintf(to, sizeof to, "%s/rewritten%zu", f->dir, f->written);
  if (!write_file(to, text, bytes))
    return EXIT_USAGE;
  const int status = put_names(f, name, to);
  f->written++;
  return status;
}

static int take_file(files *f, const char *name);

// `from` NULL: not beside the file that includes it.
static int take_include(files *f, const char *from, const char *name, size_t bytes) {
  char path[PATH];
  const char *slash = from ? strrchr(from, '/') : NULL;
  const int folder = slash ? (int)(slash - from + 1) : 0;
  if (from && *name != '/' &&
      snprintf(path, sizeof path, "%.*s%.*s", folder, from, (int)bytes, name) < PATH)
    if (access(path, R_OK) == 0)
      return take_file(f, path);
  for (const char *const *in = f->folders; *in; in++)
    if (snprintf(path, sizeof path, "%s/%.*s", *in, (int)bytes, name) < PATH &&
        access(path, R_OK) == 0)
      return take_file(f, path);
  return EXIT_OK;
}

static bool is_cuda(const char *name, const char *end) {
  return (end - name > 3 && strncmp(end - 3, ".cu", 3) == 0) ||
         (end - name > 4 && strncmp(end - 4, ".cuh", 4) == 0);
}

// Lines `#include "NAME"`, and <NAME> of a CUDA file: also of parts that the preprocessor leaves
// out, which does no harm.
static int take_includes(files *f, const char *from, const char *text) {
  int status = EXIT_OK;
  for (const char *line = text; line && !status; line = strchr(line, '\n')) {
    line += strspn(line, " \t\r\n");
    if (*line != '#')
      continue;
    const char *s = line + 1 + strspn(line + 1, " \t");
    if (strncmp(s, "include", 7) != 0)
      continue;
    s += 7 + strspn(s + 7, " \t");
    const char *end = *s == '"' ? strpbrk(s + 1, "\"\n") : NULL;
    if (end && *end == '"')
      status = take_include(f, from, s + 1, (size_t)(end - s - 1));
    end = *s == '<' ? strpbrk(s + 1, ">\n") : NULL;
    if (end && *end == '>' && is_cuda(s + 1, end))
      status = take_include(f, NULL, s + 1, (size_t)(end - s - 1));
  }
  return status;
}

static int take_file(files *f, const char *name) {
  size_t bytes;
  for (size_t n = 0; n < f->count; n++)
    if (strcmp(f->seen[n], name) == 0)
      return EXIT_OK;
  char *text = f->count < FILES ? file_contents(name, &bytes) : NULL;
  if (!text)  // clang says what is wrong with it
    return EXIT_OK;
  f->seen[f->count++] = strdup(name);
  int status = take_includes(f, name, text);
  if (!status && rewrite_text(text, bytes))
    status = put_file(f, name, text, bytes);
  free(text);
  return status;
}

int rewrite_files(const char *source, const char *const *folders, const char *dir, char *overlay,
                  size_t bytes) {
  files f = {.folders = folders, .dir = dir};
  snprintf(overlay, bytes, "%s/rewritten.json", dir);
  out_file *out = out_open(overlay);
  if (!out)
    return cannot_write(overlay);
  f.overlay = out_stream(out);
  fputs("{\"version\": 0, \"use-external-names\": false, \"roots\": [\n", f.overlay);
  int status = take_file(&f, source);
  fputs("]}\n", f.overlay);
  if (!out_close(out) && !status)
    status = cannot_write(overlay);
  if (!f.written)
    *overlay = 0;
  for (size_t n = 0; n < f.count; n++)
    free(f.seen[n]);
  return status;
}
