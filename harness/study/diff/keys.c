// SPDX-License-Identifier: Apache-2.0
// Keys of two configurations that differ. They are compared as the files have them: an older or
// later mpu may have others than this one.
#include <stdlib.h>
#include <string.h>
#include "diff_priv.h"

static const char *value_of(const tree *sections, const char *section, const char *key) {
  const tree *t = tree_in(tree_in(sections, section), key);
  return t ? tree_text(t, "null") : NULL;
}

static bool equal(const tree *a, const tree *b) {
  if (a->kind == TREE_NUMBER && b->kind == TREE_NUMBER)
    return a->number == b->number;
  return strcmp(tree_text(a, "null"), tree_text(b, "null")) == 0;
}

static void add(diff_keys *k, const char *section, const char *key, const char *a, const char *b) {
  k->all = diff_must(realloc(k->all, (k->n + 1) * sizeof *k->all));
  diff_key *to = &k->all[k->n++];
  const config_field *f = config_find(section, key);
  *to = (diff_key){.value = {a, b}, .unit = f ? f->unit : "", .doc = f ? f->doc : ""};
  snprintf(to->name, sizeof to->name, "%.40s.%.40s", section, key);
}

void diff_keys_of(diff *d) {
  diff_keys *k = &d->keys;
  const tree *of[2] = {tree_in(d->run[0]->top, "configuration"),
                       tree_in(d->run[1]->top, "configuration")};
  k->known = of[0] && of[1] && of[0]->kind == TREE_MAP && of[1]->kind == TREE_MAP;
  if (!k->known)
    return;
  for (const tree *s = of[0]->first; s; s = s->next)
    for (const tree *a = s->kind == TREE_MAP ? s->first : NULL; a; a = a->next) {
      const tree *b = tree_in(tree_in(of[1], s->key), a->key);
      if (!b || !equal(a, b))
        add(k, s->key, a->key, tree_text(a, "null"), b ? tree_text(b, "null") : NULL);
    }
  for (const tree *s = of[1]->first; s; s = s->next)
    for (const tree *b = s->kind == TREE_MAP ? s->first : NULL; b; b = b->next)
      if (!value_of(of[0], s->key, b->key))
        add(k, s->key, b->key, NULL, tree_text(b, "null"));
}
