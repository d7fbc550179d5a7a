// SPDX-License-Identifier: Apache-2.0
// Study files: figures, with their variants, columns and expectations.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "study_priv.h"

// ---- variants, and sweeps: each variant with each combination of values

static bool take_variants(reader *r, const tree *t, study_figure *f) {
  static const char *const keys[] = {"config", "near", "arguments", "options", "blocks",
                                     "place",  "set",  "x",         NULL};
  if (!t) {
    f->variants = study_more(r, sizeof *f->variants);
    f->variants[f->n_variants++] = (study_variant){.name = "", .x = NAN};
    return true;
  }
  if (t->kind != TREE_MAP || !t->n)
    return study_wrong(r, study_place(t), "'variants' must have keys: NAME: {section.key: value}");
  f->variants = study_more(r, t->n * sizeof *f->variants);
  for (const tree *c = t->first; c; c = c->next) {
    study_variant *v = &f->variants[f->n_variants++];
    v->name = c->key, v->x = NAN;
    if (strpbrk(c->key, "[]") || !*c->key || !strcmp(c->key, "base"))
      return study_wrong(r, study_place(c), "a variant cannot be called '%s'", c->key);
    if (c->kind != TREE_NULL &&
        (!study_keys(r, c, "a variant", keys) || !study_take_number(r, c, "x", -HUGE_VAL, &v->x) ||
         !study_take_what(r, c, &v->what)))
      return false;
  }
  return true;
}

static bool is_key(const char *key) {
  static const char *const words[] = {"config", "near",  "arguments", "options",
                                      "blocks", "place", NULL};
  for (const char *const *w = words; *w; w++)
    if (strcmp(key, *w) == 0)
      return true;
  return strchr(key, '.') != NULL;
}

// The map {key: value}, as a variant could have it.
static const tree *one_key(reader *r, const tree *list, const tree *value) {
  tree *pair = study_more(r, 2 * sizeof *pair);
  pair[1] = *value;
  pair[1].key = list->key, pair[1].next = NULL;
  pair[0] = (tree){.kind = TREE_MAP,
                   .first = &pair[1],
                   .n = 1,
                   .file = value->file,
                   .line = value->line,
                   .column = value->column};
  return pair;
}

static bool sweep_key(reader *r, const tree *list, bool first, study_figure *f) {
  if (list->kind != TREE_LIST || !list->n)
    return study_wrong(r, study_place(list), "'%s' must be a list of values", list->key);
  if (!is_key(list->key))
    return study_wrong(r, study_place(list),
                       "'%s' cannot be swept: section.key of the machine, "
                       "config, near, arguments, options, blocks or place",
                       list->key);
  if (list->n > STUDY_RUNS / f->n_variants)
    return study_wrong(r, study_place(list),
                       "with '%s' figure '%s' has %zu x %zu variants; at "
                       "most %d: sweep fewer values",
                       list->key, f->name, f->n_variants, list->n, STUDY_RUNS);
  const char *dot = strrchr(list->key, '.'), *shown = dot ? dot + 1 : list->key;
  study_variant *all = study_more(r, f->n_variants * list->n * sizeof *all);
  size_t n = 0;
  for (size_t k = 0; k < f->n_variants; k++)
    for (const tree *c = list->first; c; c = c->next) {
      const study_variant *v = &f->variants[k];
      study_what own = {0};
      if (!study_take_what(r, one_key(r, list, c), &own))
        return false;
      all[n].name = study_text(r, "%s%s%s=%s", v->name, *v->name ? "," : "", shown, c->text);
      all[n].x = !first ? v->x : c->kind == TREE_NUMBER ? c->number : NAN;
      all[n++].what = study_join(r->to, &v->what, &own);
    }
  f->variants = all;
  f->n_variants = n;
  return true;
}

static bool take_sweep(reader *r, const tree *t, study_figure *f) {
  if (!t)
    return true;
  if (t->kind != TREE_MAP)
    return study_wrong(r, study_place(t), "'sweep' must have keys: section.key: [values]");
  for (const tree *c = t->first; c; c = c->next)
    if (!sweep_key(r, c, c == t->first, f))
      return false;
  for (size_t k = 0; k < f->n_variants; k++)
    for (size_t m = 0; m < k; m++)
      if (strcmp(f->variants[k].name, f->variants[m].name) == 0)
        return study_wrong(r, study_place(t), "a second variant '%s'", f->variants[k].name);
  return true;
}

static const char *variant_names(reader *r, const study_figure *f) {
  const char *all = "";
  for (size_t k = 0; k < f->n_variants && k < 12; k++)
    all = study_text(r, "%s%s%s", all, k ? ", " : "", f->variants[k].name);
  return f->n_variants > 12 ? study_text(r, "%s ...", all) : all;
}

static const study_variant *variant(reader *r, const study_figure *f, const char *name,
                                    study_at at) {
  const study_variant *v = study_variant_named(f, name);
  if (!v && strcmp(name, "base") == 0)
    study_wrong(r, at, "figure '%s' has no 'baseline'", f->name);
  else if (!v)
    study_wrong(r, at, "figure '%s' has no variant '%s'; variants: %s", f->name, name,
                variant_names(r, f));
  return v;
}

// ---- columns

typedef struct names_check {
  reader *r;
  const study_figure *f;
  const study_column *c;
  bool ok, own;
} names_check;

static void check_name(void *ctx, const char *name, const char *run) {
  names_check *n = ctx;
  (void)name;
  if (!run)
    n->own = true;
  else if (n->ok && !variant(n->r, n->f, run, n->c->at))
    n->ok = false;
}

static bool add_of(reader *r, study_figure *f, const tree *t, study_column *c) {
  const study_variant *v = t->text ? variant(r, f, t->text, study_place(t)) : NULL;
  if (!t->text)
    return study_wrong(r, study_place(t), "'of' must name variants");
  c->of[c->n++] = v;
  return v;
}

static bool take_of(reader *r, const tree *t, study_figure *f, study_column *c) {
  names_check n = {r, f, c, true, false};
  expr_each(c->value, check_name, &n);
  if (!n.ok)
    return false;
  c->of = study_more(r, (f->n_variants + (t ? t->n : 0) + 1) * sizeof *c->of);
  if (t && t->kind == TREE_LIST) {
    for (const tree *v = t->first; v; v = v->next)
      if (!add_of(r, f, v, c))
        return false;
  } else if (t) {
    c->single = true;
    return add_of(r, f, t, c);
  }
  for (size_t k = 0; k < f->n_variants && !t; k++)
    if (k == 0 || n.own)
      if (&f->variants[k] != f->baseline || !expr_names(c->value, "base"))
        c->of[c->n++] = &f->variants[k];
  if (!n.own && !c->n)
    c->of[c->n++] = &f->variants[0];
  c->single = !n.own || f->n_variants == 1;
  return c->n || study_wrong(r, c->at, "column '%s' is of no variant", c->name);
}

static bool take_column(reader *r, const tree *t, study_figure *f, study_column *c) {
  static const char *const keys[] = {"value", "unit", "mean", "of", "digits", NULL};
  static const char *const means[] = {"none", "geometric", "arithmetic", "sum", "largest", NULL};
  unsigned mean = MEAN_NONE;
  double digits = 2;
  const tree *value = t->kind == TREE_MAP ? tree_in(t, "value") : t;
  c->name = t->key, c->unit = "";
  c->at = study_place(value ? value : t);
  if (t->kind == TREE_MAP &&
      (!study_keys(r, t, "a column", keys) || !study_take_text(r, t, "unit", &c->unit) ||
       !study_take_word(r, t, "mean", means, &mean) ||
       !study_take_number(r, t, "digits", 0, &digits)))
    return false;
  if (!value)
    return study_wrong(r, c->at, "the 'value' of column '%s' is missing", c->name);
  c->mean = (study_mean)mean;
  c->digits = digits > 9 ? 9 : (int)digits;
  c->text = tree_text(value, "");
  return study_take_expr(r, value, &c->value) && take_of(r, tree_in(t, "of"), f, c);
}

static bool take_columns(reader *r, const tree *t, study_figure *f) {
  if (!t || t->kind != TREE_MAP || !t->n)
    return study_wrong(r, t ? study_place(t) : study_place(r->top),
                       "figure '%s' must have 'columns': NAME: {value: EXPRESSION}", f->name);
  f->columns = study_more(r, t->n * sizeof *f->columns);
  for (const tree *c = t->first; c; c = c->next)
    if (!take_column(r, c, f, &f->columns[f->n_columns++]))
      return false;
  return true;
}

// ---- expectations

static const study_column *column_named(const study_figure *f, const char *name) {
  for (size_t k = 0; k < f->n_columns; k++)
    if (strcmp(f->columns[k].name, name) == 0)
      return &f->columns[k];
  return NULL;
}

static bool has_row(const study_figure *f, const study_expect *e) {
  for (size_t s = 0; s < f->n_sets; s++)
    for (size_t k = 0; k < f->sets[s]->n; k++)
      if ((!e->set || !strcmp(e->set, f->sets[s]->name)) &&
          !strcmp(e->row, f->sets[s]->entries[k].name))
        return true;
  return false;
}

static bool check_expect(reader *r, const study_figure *f, study_expect *e) {
  const study_column *c = column_named(f, e->column);
  bool set = !e->set;
  if (!c)
    return study_wrong(r, e->at, "figure '%s' has no column '%s'", f->name, e->column);
  for (size_t s = 0; s < f->n_sets; s++)
    set = set || strcmp(f->sets[s]->name, e->set) == 0;
  if (!set)
    return study_wrong(r, e->at, "figure '%s' has no set '%s'", f->name, e->set);
  e->arithmetic = e->row && strcmp(e->row, "arithmetic") == 0;
  if (e->row && (e->arithmetic || strcmp(e->row, "mean") == 0))
    e->row = NULL;
  if (e->row && !has_row(f, e))
    return study_wrong(r, e->at, "figure '%s' has no program '%s'", f->name, e->row);
  if (!e->row && c->mean == MEAN_NONE)
    return study_wrong(r, e->at, "column '%s' has no mean; name a 'row', or give it one", c->name);
  if (!e->of && c->n > 1)
    return study_wrong(r, e->at, "column '%s' is of %zu variants; 'of' says which", c->name, c->n);
  bool found = !e->of;
  for (size_t k = 0; k < c->n && !found; k++)
    found = c->of[k] == study_variant_named(f, e->of);
  return found || study_wrong(r, e->at, "column '%s' is not of a variant '%s'", c->name, e->of);
}

static bool take_expects(reader *r, const tree *t, study_figure *f) {
  static const char *const keys[] = {"column", "of",     "set",       "row", "value",
                                     "source", "reason", "tolerance", NULL};
  if (!t || t->kind == TREE_NULL)
    return true;
  if (t->kind != TREE_MAP)
    return study_wrong(r, study_place(t),
                       "'expect' must have keys: NAME: {column: ..., value: ...}");
  f->expects = study_more(r, t->n * sizeof *f->expects);
  for (const tree *c = t->first; c; c = c->next) {
    if (c->kind == TREE_NULL)  // what a study is like has it, this one does not
      continue;
    study_expect *e = &f->expects[f->n_expects++];
    e->at = study_place(c);
    e->column = c->key, e->tolerance = 15, e->value = NAN, e->source = f->source;
    if (!study_keys(r, c, "an expectation", keys) || !study_take_text(r, c, "column", &e->column) ||
        !study_take_text(r, c, "of", &e->of) || !study_take_text(r, c, "set", &e->set) ||
        !study_take_text(r, c, "row", &e->row) || !study_take_text(r, c, "source", &e->source) ||
        !study_take_text(r, c, "reason", &e->reason) ||
        !study_take_number(r, c, "value", -HUGE_VAL, &e->value) ||
        !study_take_number(r, c, "tolerance", 0, &e->tolerance))
      return false;
    if (isnan(e->value))
      return study_wrong(r, e->at, "the 'value' that is expected is missing");
    if (!check_expect(r, f, e))
      return false;
  }
  return true;
}

// ---- figures

static bool add_set(reader *r, const tree *t, study_figure *f) {
  const study_set *set = t->text ? study_set_named(r->to, t->text) : NULL;
  if (set)
    return f->sets[f->n_sets++] = set, true;
  return study_wrong(r, study_place(t), "figure '%s': '%s' is not one of the 'sets'", f->name,
                     tree_text(t, "this"));
}

static bool take_sets(reader *r, const tree *t, study_figure *f) {
  const study *s = r->to;
  f->sets = study_more(r, (s->n_sets + (t ? t->n : 0) + 1) * sizeof *f->sets);
  for (size_t k = 0; k < s->n_sets && !t; k++)
    f->sets[f->n_sets++] = &s->sets[k];
  if (t && t->kind != TREE_LIST)
    return add_set(r, t, f);
  for (const tree *c = t ? t->first : NULL; c; c = c->next)
    if (!add_set(r, c, f))
      return false;
  return true;
}

static bool check_size(reader *r, const tree *t, const study_figure *f) {
  size_t rows = 0;
  for (size_t k = 0; k < f->n_sets; k++)
    rows += f->sets[k]->n;
  if (rows * f->n_variants <= STUDY_RUNS)
    return true;
  return study_wrong(r, study_place(t),
                     "figure '%s' has %zu programs x %zu variants: %zu runs; at "
                     "most %d: sweep fewer values",
                     f->name, rows, f->n_variants, rows * f->n_variants, STUDY_RUNS);
}

static bool take_chart(reader *r, const tree *t, study_figure *f) {
  static const char *const keys[] = {"kind", "of", "log", NULL};
  static const char *const kinds[] = {"none", "bars", "stack", "lines", NULL};
  unsigned kind = f->n_variants > 1 && !isnan(f->variants[0].x) ? CHART_LINES : CHART_BARS;
  if (t && t->kind == TREE_MAP) {
    const tree *log = tree_in(t, "log");
    if (!study_keys(r, t, "a chart", keys) || !study_take_word(r, t, "kind", kinds, &kind) ||
        !study_take_text(r, t, "of", &f->chart_of))
      return false;
    if (log && log->kind != TREE_TRUTH)
      return study_wrong(r, study_place(log), "'log' is true or false");
    f->chart_log = log && log->number != 0;
    if (f->chart_of && !column_named(f, f->chart_of))
      return study_wrong(r, study_place(t), "figure '%s' has no column '%s'", f->name, f->chart_of);
  } else if (t) {
    const tree *whole = one_key(r, t, t);
    if (!study_take_word(r, whole, "chart", kinds, &kind))
      return false;
  }
  f->chart = (study_chart)kind;
  return true;
}

static bool take_figure(reader *r, const tree *t, study_figure *f) {
  static const char *const keys[] = {"title",  "source",   "about",     "sets",    "variants",
                                     "sweep",  "baseline", "columns",   "expect",  "chart",
                                     "config", "near",     "arguments", "options", "blocks",
                                     "place",  "set",      "tool",      NULL};
  static const char *const tools[] = {"run", "cc", "map", NULL};
  unsigned tool = 0;
  const char *baseline = NULL;
  const tree *sweep = tree_in(t, "sweep");
  f->name = f->title = t->key;
  if (!study_keys(r, t, "a figure", keys) || !study_take_text(r, t, "title", &f->title) ||
      !study_take_text(r, t, "source", &f->source) || !study_take_text(r, t, "about", &f->about) ||
      !study_take_what(r, t, &f->what) || !take_sets(r, tree_in(t, "sets"), f) ||
      !take_variants(r, tree_in(t, "variants"), f) || !take_sweep(r, sweep, f) ||
      !check_size(r, sweep ? sweep : t, f) || !study_take_text(r, t, "baseline", &baseline))
    return false;
  if (!study_take_word(r, t, "tool", tools, &tool))
    return false;
  f->tool = tool ? tools[tool] : NULL;
  if (baseline && !(f->baseline = variant(r, f, baseline, study_place(tree_in(t, "baseline")))))
    return false;
  return take_columns(r, tree_in(t, "columns"), f) && take_expects(r, tree_in(t, "expect"), f) &&
         take_chart(r, tree_in(t, "chart"), f);
}

bool study_take_figures(reader *r, const tree *t) {
  study *s = r->to;
  if (!t || t->kind != TREE_MAP || !t->n)
    return study_wrong(r, t ? study_place(t) : study_place(r->top),
                       "'figures' are missing: figures: {NAME: {columns: ...}}");
  s->figures = study_more(r, t->n * sizeof *s->figures);
  for (const tree *c = t->first; c; c = c->next)
    if (c->kind != TREE_NULL && !take_figure(r, c, &s->figures[s->n_figures++]))
      return false;
  return true;
}
