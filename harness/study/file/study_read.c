// SPDX-License-Identifier: Apache-2.0
// Study files: from their tree to the structs. What the keys of each map are is in tables here; an
// unknown one is an error that names the nearest.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "harness/base/config/letters.h"
#include "study_priv.h"

// ---- messages

bool study_why(char *why, size_t bytes, study_at at, const char *format, va_list args) {
  const int n = snprintf(why, bytes, "%s:%u:%u: ", at.file, at.line, at.column);
  if (n >= 0 && (size_t)n < bytes)
    vsnprintf(why + n, bytes - (size_t)n, format, args);
  return false;
}

bool study_wrong(reader *r, study_at at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  study_why(r->why, r->why_bytes, at, format, args);
  va_end(args);
  return false;
}

study_at study_place(const tree *t) {
  return (study_at){t->file, t->line, t->column};
}

// ---- keys

bool study_keys(reader *r, const tree *t, const char *what, const char *const *keys) {
  if (t->kind != TREE_MAP)
    return study_wrong(r, study_place(t), "%s must have keys", what);
  for (const tree *c = t->first; c; c = c->next) {
    const char *nearest = NULL;
    size_t least = SIZE_MAX;
    bool known = false;
    for (const char *const *k = keys; *k && !known; k++) {
      const size_t d = letters_apart(c->key, *k);
      known = d == 0;
      if (d < least)
        least = d, nearest = *k;
    }
    if (known || (r->config_keys && strchr(c->key, '.')))
      continue;
    return study_wrong(r, study_place(c), "unknown key '%s' of %s; nearest: %s", c->key, what,
                       nearest);
  }
  return true;
}

bool study_take_text(reader *r, const tree *in, const char *key, const char **to) {
  const tree *t = tree_in(in, key);
  if (!t || t->kind == TREE_NULL)
    return true;
  if (t->kind == TREE_LIST || t->kind == TREE_MAP)
    return study_wrong(r, study_place(t), "'%s' must be a text", key);
  *to = t->text;
  return true;
}

bool study_take_number(reader *r, const tree *in, const char *key, double least, double *to) {
  const tree *t = tree_in(in, key);
  if (!t)
    return true;
  if (t->kind != TREE_NUMBER || t->number < least)
    return study_wrong(r, study_place(t), "'%s' must be a number, at least %g", key, least);
  *to = t->number;
  return true;
}

bool study_take_word(reader *r, const tree *in, const char *key, const char *const *words,
                     unsigned *to) {
  const tree *t = tree_in(in, key);
  if (!t)
    return true;
  char all[256] = "";
  for (unsigned k = 0; words[k]; k++) {
    if (t->text && strcmp(t->text, words[k]) == 0)
      return *to = k, true;
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", words[k]);
  }
  return study_wrong(r, study_place(t), "'%s' must be one of %s", key, all);
}

bool study_take_expr(reader *r, const tree *t, expr **to) {
  char what[256];
  size_t at;
  if (!t->text)
    return study_wrong(r, study_place(t), "'%s' must be an expression", t->key);
  if ((*to = expr_parse(t->text, &at, what, sizeof what))) {
    kept_expr *k = study_more(r, sizeof *k);
    *k = (kept_expr){*to, r->memory->exprs};
    r->memory->exprs = k;
    return true;
  }
  return study_wrong(r, study_place(t), "'%s', at '%.20s': %s", t->text, t->text + at, what);
}

// ---- what a run is made of

static bool add_set(reader *r, study_what *w, const char *key, const tree *value) {
  if (!value->text)
    return study_wrong(r, study_place(value), "'%s' must have one value", key);
  const size_t bytes = sizeof *w->set;
  void *more = study_more(r, (w->n + 1) * bytes);
  if (w->n)
    memcpy(more, w->set, w->n * bytes);
  w->set = more;
  w->set[w->n].text = study_text(r, "%s=%s", key, value->text);
  w->set[w->n++].at = study_place(value);
  return true;
}

// A text, or a list of words, as one text with blanks between the words.
static bool take_words(reader *r, const tree *in, const char *key, const char **to) {
  const tree *t = tree_in(in, key);
  if (!t || t->kind != TREE_LIST)
    return study_take_text(r, in, key, to);
  const char *all = "";
  for (const tree *c = t->first; c; c = c->next) {
    if (!c->text)
      return study_wrong(r, study_place(c), "'%s' must be a list of words", key);
    all = study_text(r, "%s%s%s", all, *all ? " " : "", c->text);
  }
  *to = all;
  return true;
}

// Keys of the machine are those with a dot, and what is below `set`.
bool study_take_what(reader *r, const tree *t, study_what *w) {
  const tree *set = tree_in(t, "set");
  if (set && set->kind != TREE_MAP)
    return study_wrong(r, study_place(set), "'set' must have keys, as dram.page: closed");
  for (const tree *c = set ? set->first : NULL; c; c = c->next)
    if (!add_set(r, w, c->key, c))
      return false;
  for (const tree *c = t->kind == TREE_MAP ? t->first : NULL; c; c = c->next)
    if (strchr(c->key, '.') && !add_set(r, w, c->key, c))
      return false;
  return study_take_text(r, t, "config", &w->config) && study_take_text(r, t, "near", &w->near) &&
         take_words(r, t, "arguments", &w->arguments) && take_words(r, t, "options", &w->options) &&
         study_take_text(r, t, "blocks", &w->blocks) && study_take_text(r, t, "place", &w->place);
}

static study_what join(reader *r, const study_what *under, const study_what *over) {
  study_what w = *under;
  w.config = over->config ? over->config : w.config;
  w.near = over->near ? over->near : w.near;
  w.arguments = over->arguments ? over->arguments : w.arguments;
  if (over->options)
    w.options = w.options ? study_text(r, "%s %s", w.options, over->options) : over->options;
  w.blocks = over->blocks ? over->blocks : w.blocks;
  w.place = over->place ? over->place : w.place;
  w.n = under->n + over->n;
  if (!over->n || !under->n) {
    w.set = over->n ? over->set : under->set;
    return w;
  }
  w.set = study_more(r, w.n * sizeof *w.set);
  memcpy(w.set, under->set, under->n * sizeof *w.set);
  memcpy(w.set + under->n, over->set, over->n * sizeof *w.set);
  return w;
}

study_what study_join(study *s, const study_what *under, const study_what *over) {
  reader r = {.memory = s->memory};
  return join(&r, under, over);
}

// ---- sets of programs

static const char *last_part(reader *r, const char *path) {
  size_t length = strlen(path);
  while (length && path[length - 1] == '/')
    length--;
  size_t from = length;
  while (from && path[from - 1] != '/')
    from--;
  const char *name = study_text(r, "%.*s", (int)(length - from), path + from);
  char *dot = strrchr(name, '.');
  if (dot && (strcmp(dot, ".cu") == 0 || strcmp(dot, ".mtx") == 0))
    *dot = 0;
  return name;
}

static bool take_known(reader *r, const tree *t, study_entry *e) {
  if (!t)
    return true;
  if (t->kind != TREE_MAP)
    return study_wrong(r, study_place(t), "'known' must have keys: NAME: NUMBER");
  e->known = study_more(r, t->n * sizeof *e->known);
  for (const tree *c = t->first; c; c = c->next) {
    if (c->kind != TREE_NUMBER)
      return study_wrong(r, study_place(c), "'%s' must be a number", c->key);
    e->known[e->n_known++] = (study_known){c->key, c->number};
  }
  return true;
}

static bool take_entry(reader *r, const tree *t, const study_what *of_set, study_entry *e) {
  static const char *const keys[] = {"name", "program",   "tool",    "file",   "config",
                                     "near", "arguments", "options", "blocks", "place",
                                     "set",  "known",     NULL};
  static const char *const tools[] = {"run", "cc", "dram", "noc", "machine", "spacea", NULL};
  unsigned tool = 0;
  const char *file = NULL;
  study_what own = {0};
  e->at = study_place(t);
  if (t->kind == TREE_TEXT) {
    e->program = t->text;
  } else if (!study_keys(r, t, "a program", keys) ||
             !study_take_text(r, t, "program", &e->program) ||
             !study_take_text(r, t, "name", &e->name) || !study_take_text(r, t, "file", &file) ||
             !study_take_word(r, t, "tool", tools, &tool) || !study_take_what(r, t, &own) ||
             !take_known(r, tree_in(t, "known"), e)) {
    return false;
  }
  e->tool = file ? "file" : tools[tool];
  if (file)
    e->program = file;
  if (!strcmp(e->tool, "spacea") && !e->program)
    return study_wrong(r, e->at, "spacea takes a matrix: program: FILE.mtx or NAME");
  if ((!strcmp(e->tool, "run") || !strcmp(e->tool, "cc")) && !e->program)
    return study_wrong(r, e->at, "which program? 'program', 'tool' or 'file' is missing");
  if ((!strcmp(e->tool, "dram") || !strcmp(e->tool, "noc")) && (e->program || !e->name))
    return study_wrong(r, e->at, "%s takes a 'name' and 'arguments', and no program", e->tool);
  if (!e->name)
    e->name = e->program ? last_part(r, e->program) : e->tool;
  e->what = join(r, of_set, &own);
  return true;
}

static bool take_set(reader *r, const tree *t, study_set *s) {
  static const char *const keys[] = {"title",   "programs", "config", "near", "arguments",
                                     "options", "blocks",   "place",  "set",  NULL};
  study_what of_set = {0};
  const tree *list = t;
  s->name = s->title = t->key;
  if (t->kind == TREE_MAP) {
    if (!study_keys(r, t, "a set", keys) || !study_take_text(r, t, "title", &s->title) ||
        !study_take_what(r, t, &of_set))
      return false;
    list = tree_in(t, "programs");
  }
  if (!list || list->kind != TREE_LIST || !list->n)
    return study_wrong(r, study_place(t), "set '%s' must be a list of programs", s->name);
  s->entries = study_more(r, list->n * sizeof *s->entries);
  for (const tree *c = list->first; c; c = c->next) {
    study_entry *e = &s->entries[s->n++];
    if (!take_entry(r, c, &of_set, e))
      return false;
    for (size_t k = 0; k + 1 < s->n; k++)
      if (strcmp(s->entries[k].name, e->name) == 0)
        return study_wrong(r, e->at, "a second '%s' in set '%s'; give one of them a 'name'",
                           e->name, s->name);
  }
  return true;
}

static bool take_sets(reader *r, const tree *t) {
  study *s = r->to;
  if (!t || t->kind != TREE_MAP || !t->n)
    return study_wrong(r, t ? study_place(t) : study_place(r->top),
                       "'sets' of programs are missing: sets: {NAME: [PROGRAM, ...]}");
  s->sets = study_more(r, t->n * sizeof *s->sets);
  for (const tree *c = t->first; c; c = c->next)
    if (!take_set(r, c, &s->sets[s->n_sets++]))
      return false;
  return true;
}

static bool take_values(reader *r, const tree *t) {
  study *s = r->to;
  if (!t)
    return true;
  if (t->kind != TREE_MAP)
    return study_wrong(r, study_place(t), "'values' must have keys: NAME: EXPRESSION");
  s->values = study_more(r, t->n * sizeof *s->values);
  for (const tree *c = t->first; c; c = c->next) {
    study_value *v = &s->values[s->n_values++];
    v->name = c->key, v->at = study_place(c);
    if (!study_take_expr(r, c, &v->value))
      return false;
    if (expr_names(v->value, NULL))
      return study_wrong(r, v->at, "'%s' is of one run; [] is for columns", v->name);
  }
  return true;
}

// ---- the whole

static bool take_study(reader *r) {
  static const char *const keys[] = {"study",    "like",      "title",   "about",
                                     "defaults", "sets",      "figures", "values",
                                     "seconds",  "megabytes", NULL};
  static const char *const of_defaults[] = {"config", "near",  "arguments", "options",
                                            "blocks", "place", "set",       NULL};
  study *s = r->to;
  const tree *defaults = tree_in(r->top, "defaults");
  if (!study_keys(r, r->top, "a study", keys) || !study_take_text(r, r->top, "study", &s->name) ||
      !study_take_text(r, r->top, "title", &s->title) ||
      !study_take_text(r, r->top, "about", &s->about) ||
      !study_take_number(r, r->top, "seconds", 1, &s->seconds) ||
      !study_take_number(r, r->top, "megabytes", 1, &s->megabytes))
    return false;
  if (!s->name)
    return study_wrong(r, study_place(r->top), "'study', the name, is missing");
  if (!*s->name || strspn(s->name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != strlen(s->name))
    return study_wrong(r, study_place(tree_in(r->top, "study")),
                       "a name has small letters, digits, - and _; not '%s'", s->name);
  s->title = s->title ? s->title : s->name;
  r->config_keys = true;
  if (defaults && (!study_keys(r, defaults, "defaults", of_defaults) ||
                   !study_take_what(r, defaults, &s->defaults)))
    return false;
  const bool ok =
      take_sets(r, tree_in(r->top, "sets")) && take_values(r, tree_in(r->top, "values"));
  return ok && study_take_figures(r, tree_in(r->top, "figures"));
}

// ---- files

static bool is_file(const char *name) {
  const size_t n = strlen(name);
  return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".yaml")) ||
         (n > 4 && !strcmp(name + n - 4, ".yml"));
}

// A study that is `like` another one: its tree over that of the other.
static const tree *load(reader *r, const char *name, unsigned depth) {
  const char *file = is_file(name) ? name : study_text(r, "%s/%s.yaml", study_folder(), name);
  char why[512];
  tree_file *f = tree_read(file, why, sizeof why);
  if (!f) {
    if (is_file(name) || access(file, F_OK) == 0)
      snprintf(r->why, r->why_bytes, "%s", why);
    else
      study_unknown(name, r->why, r->why_bytes);
    return NULL;
  }
  kept_file *k = study_more(r, sizeof *k);
  *k = (kept_file){f, r->memory->files};
  r->memory->files = k;
  r->to->file = r->to->file ? r->to->file : file;
  const tree *top = tree_top(f), *like = tree_in(top, "like");
  if (!like)
    return top;
  if (!like->text || depth == 4) {
    study_wrong(r, study_place(like),
                like->text ? "a chain of 'like' that is too long" : "'like' names a study");
    return NULL;
  }
  const tree *under = load(r, like->text, depth + 1);
  return under ? tree_join(f, under, top) : NULL;
}

study *study_read(const char *name_or_file, char *why, size_t bytes) {
  study *s = calloc(1, sizeof *s);
  memory *m = calloc(1, sizeof *m);
  if (!s || !m)
    abort();
  s->memory = m;
  reader r = {.to = s, .memory = m, .why = why, .why_bytes = bytes};
  if ((r.top = load(&r, name_or_file, 0)) && take_study(&r))
    return s;
  study_free(s);
  return NULL;
}

void study_free(study *s) {
  if (!s)
    return;
  memory *m = s->memory;
  for (kept_expr *e = m->exprs; e; e = e->next)
    expr_free(e->is);
  for (kept_file *f = m->files; f; f = f->next)
    tree_free(f->is);
  pieces_free(&m->pieces);
  free(m);
  free(s);
}

const study_set *study_set_named(const study *s, const char *name) {
  for (size_t k = 0; k < s->n_sets; k++)
    if (strcmp(s->sets[k].name, name) == 0)
      return &s->sets[k];
  return NULL;
}

const study_figure *study_figure_named(const study *s, const char *name) {
  for (size_t k = 0; k < s->n_figures; k++)
    if (strcmp(s->figures[k].name, name) == 0)
      return &s->figures[k];
  return NULL;
}

const study_variant *study_variant_named(const study_figure *f, const char *name) {
  if (strcmp(name, "base") == 0 && f->baseline)
    return f->baseline;
  for (size_t k = 0; k < f->n_variants; k++)
    if (strcmp(f->variants[k].name, name) == 0)
      return &f->variants[k];
  return NULL;
}

const study_value *study_value_named(const study *s, const char *name) {
  for (size_t k = 0; k < s->n_values; k++)
    if (strcmp(s->values[k].name, name) == 0)
      return &s->values[k];
  return NULL;
}

static bool verilog(const study_what *w) {
  return w->near && (strcmp(w->near, "rtl") == 0 || strcmp(w->near, "lockstep") == 0);
}

bool study_has_verilog(const study *s) {
  bool has = verilog(&s->defaults);
  for (size_t k = 0; k < s->n_sets; k++)
    for (size_t m = 0; m < s->sets[k].n; m++)
      has = has || verilog(&s->sets[k].entries[m].what);
  for (size_t k = 0; k < s->n_figures; k++) {
    const study_figure *f = &s->figures[k];
    has = has || verilog(&f->what);
    for (size_t m = 0; m < f->n_variants; m++)
      has = has || verilog(&f->variants[m].what);
  }
  return has;
}
