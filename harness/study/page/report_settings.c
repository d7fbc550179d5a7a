// SPDX-License-Identifier: Apache-2.0
// The whole configuration of a run; marked is what differs from the preset `paper`.
#include <string.h>

#include "harness/base/config/config.h"
#include "report_priv.h"

// The text of a value as config_text has it, and of its default; NULL: a key that is not known
// here.
static const char *standard_of(const tree *value, const char *section, char text[32],
                               char standard[32]) {
  const config_field *f = config_find(section, value->key);
  const config paper = config_default();
  config c = paper;
  char why[CONFIG_WHY];
  snprintf(text, 32, "%.31s", tree_text(value, ""));
  if (!f)
    return NULL;
  if (config_set(&c, f, text, why, sizeof why))
    config_text(&c, f, text, 32);
  return config_text(&paper, f, standard, 32);
}

static size_t count_changes(const report *r) {
  size_t n = 0;
  char text[32], standard[32];
  for (const tree *s = r->settings->first; s; s = s->next)
    for (const tree *v = s->kind == TREE_MAP ? s->first : NULL; v; v = v->next)
      n += standard_of(v, s->key, text, standard) && strcmp(text, standard) != 0;
  return n;
}

static void put_table(const report *r, bool changes) {
  const page_column columns[] = {{.name = "key", .code = true},
                                 {.name = "value", .number = true},
                                 {.name = "paper", .number = true},
                                 {.name = "unit"},
                                 {.name = "what it is"}};
  page_table_begin(r->p, NULL, columns, 5);
  for (const tree *s = r->settings->first; s; s = s->next)
    for (const tree *v = s->kind == TREE_MAP ? s->first : NULL; v; v = v->next) {
      char text[32], standard[32];
      const bool known = standard_of(v, s->key, text, standard) != NULL;
      const bool differs = known && strcmp(text, standard) != 0;
      const config_field *f = config_find(s->key, v->key);
      if (changes && !differs)
        continue;
      page_cell(r->p, "%s.%s", s->key, v->key);
      page_cell_as(r->p, differs ? PAGE_ALL : PAGE_PLAIN,
                   differs ? "differs from the preset paper" : NULL, NULL,
                   differs && !changes ? "* %s" : "%s", text);
      page_cell(r->p, "%s", known ? standard : "");
      page_cell(r->p, "%s", f && f->unit ? f->unit : "");
      page_cell(r->p, "%s", f ? f->doc : "not known to this release");
    }
  page_table_end(r->p);
}

void report_settings(const report *r) {
  page_section(r->p, "configuration", "Configuration");
  if (!r->settings) {
    page_missing(r->p,
                 "The configuration is missing: it is in the statistics of runs with cycles.");
    return;
  }
  const size_t changes = count_changes(r);
  if (changes) {
    page_text(r->p, "What differs from the preset paper, the machine of the paper:");
    put_table(r, true);
  } else {
    page_text(r->p, "All values are those of the preset paper, the machine of the paper.");
  }
  page_fold_begin(r->p, "All keys (* differs from the preset paper)");
  put_table(r, false);
  page_fold_end(r->p);
}
