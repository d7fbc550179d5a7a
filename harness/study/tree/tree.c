// SPDX-License-Identifier: Apache-2.0
#include "tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include "harness/base/user_error.h"

// Anchors and aliases could make a small file an endless tree.
enum { DEEP = 64, NODES = 1 << 21, CHUNK = 4096 };

typedef struct chunk {
  struct chunk *next;
  size_t n;
  tree nodes[CHUNK];
} chunk;

struct tree_file {
  char *name;
  yaml_document_t document;  // the texts are in it
  bool has_document;
  chunk *chunks;
  size_t nodes;
  const tree *top;
  char *why;
  size_t why_bytes;
};

static tree *new_node(tree_file *f) {
  if (!f->chunks || f->chunks->n == CHUNK) {
    chunk *c = calloc(1, sizeof *c);
    if (!c)
      abort();
    c->next = f->chunks;
    f->chunks = c;
  }
  f->nodes++;
  return &f->chunks->nodes[f->chunks->n++];
}

static const tree *wrong(tree_file *f, yaml_mark_t at, const char *what, const char *which) {
  snprintf(f->why, f->why_bytes, "%s:%zu:%zu: %s%s", f->name, at.line + 1, at.column + 1, what,
           which);
  return NULL;
}

// ---- scalars

static bool one_of(const char *text, const char *const *words) {
  for (; *words; words++)
    if (strcmp(text, *words) == 0)
      return true;
  return false;
}

// JSON's and YAML's numbers: what strtod takes beside them (inf, nan) is text.
static bool number_of(const char *text, double *to) {
  char *end;
  const char *digits = text + (*text == '-' || *text == '+');
  if ((*digits < '0' || *digits > '9') && !(*digits == '.' && digits[1] >= '0' && digits[1] <= '9'))
    return false;
  *to = strtod(text, &end);
  return !*end;
}

static void take_scalar(tree *to, const yaml_node_t *n) {
  static const char *const yes[] = {"true", "True", "yes", "on", NULL};
  static const char *const no[] = {"false", "False", "no", "off", NULL};
  const char *text = (const char *)n->data.scalar.value;
  to->text = text;
  to->kind = TREE_TEXT;
  if (n->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
    return;
  if (!*text || !strcmp(text, "null") || !strcmp(text, "~")) {
    to->kind = TREE_NULL;
    to->text = NULL;
  } else if (one_of(text, yes) || one_of(text, no)) {
    to->kind = TREE_TRUTH;
    to->number = one_of(text, yes) ? 1 : 0;
  } else if (number_of(text, &to->number)) {
    to->kind = TREE_NUMBER;
  }
}

// ---- lists and maps

static const tree *take_node(tree_file *f, int index, unsigned depth);

static bool append(tree *parent, const tree **last, const tree *child) {
  if (!child)
    return false;
  if (*last)
    ((tree *)*last)->next = child;
  else
    parent->first = child;
  *last = child;
  parent->n++;
  return true;
}

static const tree *take_list(tree_file *f, const yaml_node_t *n, tree *to, unsigned depth) {
  const tree *last = NULL;
  to->kind = TREE_LIST;
  for (const yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top;
       i++)
    if (!append(to, &last, take_node(f, *i, depth + 1)))
      return NULL;
  return to;
}

static const tree *take_map(tree_file *f, const yaml_node_t *n, tree *to, unsigned depth) {
  const tree *last = NULL;
  to->kind = TREE_MAP;
  for (const yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *key = yaml_document_get_node(&f->document, p->key);
    if (key->type != YAML_SCALAR_NODE)
      return wrong(f, key->start_mark, "a key must be one word", "");
    const char *name = (const char *)key->data.scalar.value;
    if (tree_in(to, name))
      return wrong(f, key->start_mark, "a second time the key ", name);
    tree *child = (tree *)take_node(f, p->value, depth + 1);
    if (!append(to, &last, child))
      return NULL;
    child->key = name;
    child->line = (uint32_t)key->start_mark.line + 1;
    child->column = (uint32_t)key->start_mark.column + 1;
  }
  return to;
}

static const tree *take_node(tree_file *f, int index, unsigned depth) {
  const yaml_node_t *n = yaml_document_get_node(&f->document, index);
  if (depth > DEEP || f->nodes >= NODES)
    return wrong(f, n->start_mark, depth > DEEP ? "nested too deeply" : "too large", "");
  tree *to = new_node(f);
  to->file = f->name;
  to->line = (uint32_t)n->start_mark.line + 1;
  to->column = (uint32_t)n->start_mark.column + 1;
  if (n->type == YAML_SEQUENCE_NODE)
    return take_list(f, n, to, depth);
  if (n->type == YAML_MAPPING_NODE)
    return take_map(f, n, to, depth);
  take_scalar(to, n);
  return to;
}

// ---- files

static bool load(tree_file *f, const char *text, size_t length) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser))
    abort();
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  f->has_document = yaml_parser_load(&parser, &f->document) != 0;
  if (!f->has_document)
    wrong(f, parser.problem_mark.line ? parser.problem_mark : parser.mark,
          parser.problem ? parser.problem : "cannot be read", "");
  yaml_parser_delete(&parser);
  if (!f->has_document)
    return false;
  const yaml_node_t *root = yaml_document_get_root_node(&f->document);
  if (!root) {
    snprintf(f->why, f->why_bytes, "%s: nothing in it", f->name);
    return false;
  }
  f->top = take_node(f, 1, 0);
  return f->top;
}

tree_file *tree_parse(const char *name, const char *text, size_t length, char *why, size_t bytes) {
  tree_file *f = calloc(1, sizeof *f);
  if (!f || !(f->name = strdup(name)))
    abort();
  f->why = why, f->why_bytes = bytes;
  if (load(f, text, length))
    return f;
  tree_free(f);
  return NULL;
}

tree_file *tree_read(const char *name, char *why, size_t bytes) {
  size_t length;
  char *text = file_contents(name, &length);
  if (!text) {
    snprintf(why, bytes, "cannot read '%s': %s", name, strerror(errno));
    return NULL;
  }
  tree_file *f = tree_parse(name, text, length, why, bytes);
  free(text);
  return f;
}

void tree_free(tree_file *f) {
  if (!f)
    return;
  while (f->chunks) {
    chunk *c = f->chunks;
    f->chunks = c->next;
    free(c);
  }
  if (f->has_document)
    yaml_document_delete(&f->document);
  free(f->name);
  free(f);
}

const tree *tree_top(const tree_file *f) {
  return f->top;
}
const char *tree_name(const tree_file *f) {
  return f->name;
}

// ---- looking

const tree *tree_in(const tree *t, const char *key) {
  for (const tree *c = t && t->kind == TREE_MAP ? t->first : NULL; c; c = c->next)
    if (strcmp(c->key, key) == 0)
      return c;
  return NULL;
}

static const tree *element(const tree *t, const char *word, size_t length) {
  char key[256];
  if (!t || length >= sizeof key)
    return NULL;
  snprintf(key, sizeof key, "%.*s", (int)length, word);
  if (t->kind != TREE_LIST)
    return tree_in(t, key);
  char *end;
  const tree *c = t->first;
  for (unsigned long n = strtoul(key, &end, 10); c && n; n--)
    c = c->next;
  return *key && !*end ? c : NULL;
}

const tree *tree_at(const tree *t, const char *path) {
  for (;;) {
    const size_t length = strcspn(path, ".");
    t = element(t, path, length);
    if (!t || !path[length])
      return t;
    path += length + 1;
  }
}

double tree_number(const tree *t, double otherwise) {
  return t && t->kind == TREE_NUMBER ? t->number : otherwise;
}
const char *tree_text(const tree *t, const char *otherwise) {
  return t && t->text ? t->text : otherwise;
}

// ---- joining

static const tree *copy_of(tree_file *f, const tree *of, const char *key) {
  tree *to = new_node(f);
  *to = *of;
  to->key = key;
  to->next = NULL;
  return to;
}

const tree *tree_join(tree_file *f, const tree *under, const tree *over) {
  if (!under || under->kind != TREE_MAP || over->kind != TREE_MAP)
    return copy_of(f, over, over->key);
  tree *to = new_node(f);
  const tree *last = NULL;
  *to = *over;
  to->first = NULL, to->next = NULL, to->n = 0;
  for (const tree *c = under->first; c; c = c->next) {
    const tree *o = tree_in(over, c->key);
    append(to, &last, o ? tree_join(f, c, o) : copy_of(f, c, c->key));
  }
  for (const tree *o = over->first; o; o = o->next)
    if (!tree_in(under, o->key))
      append(to, &last, copy_of(f, o, o->key));
  return to;
}
