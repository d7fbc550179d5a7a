// SPDX-License-Identifier: Apache-2.0
// What a machine of nodes counted: mpu machine --stats.
#include <math.h>
#include <string.h>

#include "report_priv.h"

enum { COUNTERS = 64 };

// Counters of a node, below its groups too: a row each.
static void put_counters(const report *r, const char *before, const tree *t) {
  for (const tree *c = t->first; c; c = c->next) {
    char name[128];
    snprintf(name, sizeof name, "%.60s%s%.60s", before, *before ? "." : "", c->key ? c->key : "");
    if (c->kind == TREE_NUMBER) {
      page_cell(r->p, "%s", name);
      page_cell_number(r->p, c->number);
    } else if (c->kind == TREE_MAP || c->kind == TREE_LIST) {
      put_counters(r, c->key ? name : before, c);
    }
  }
}

static void put_sums(const report *r) {
  static const page_column columns[] = {{.name = "counter"}, {.name = "sum", .number = true}};
  const tree *sums = tree_in(r->run, "sums");
  for (const tree *kind = sums ? sums->first : NULL; kind; kind = kind->next) {
    if (!kind->first)
      continue;
    page_table_begin(r->p, kind->key, columns, 2);
    put_counters(r, "", kind);
    page_table_end(r->p);
  }
}

// A table of the nodes of a kind, of counters that are not in groups.
static void put_nodes(const report *r, const tree *kind) {
  page_column columns[COUNTERS + 1] = {{.name = "node", .number = true}};
  const char *keys[COUNTERS];
  const tree *nodes = tree_in(r->run, "nodes");
  size_t n = 0, number = 0, rows = 0;
  for (const tree *c = kind->first; c && n < COUNTERS; c = c->next)
    if (c->kind == TREE_NUMBER) {
      keys[n] = c->key;
      columns[++n] = (page_column){.name = c->key, .number = true};
    }
  for (const tree *node = nodes ? nodes->first : NULL; node; node = node->next)
    rows += strcmp(tree_text(tree_in(node, "kind"), ""), kind->key) == 0;
  if (!n || rows < 2)
    return;
  page_fold_begin(r->p, "Each node: %s", kind->key);
  page_table_begin(r->p, NULL, columns, n + 1);
  for (const tree *node = nodes->first; node; node = node->next, number++) {
    if (strcmp(tree_text(tree_in(node, "kind"), ""), kind->key) != 0)
      continue;
    page_cell(r->p, "%zu", number);
    for (size_t k = 0; k < n; k++)
      page_cell_number(r->p, tree_number(tree_in(node, keys[k]), NAN));
  }
  page_table_end(r->p);
  page_fold_end(r->p);
}

void report_nodes(const report *r) {
  page_section(r->p, "counters", "Counters");
  page_pair_begin(r->p);
  put_sums(r);
  if (tree_in(r->run, "network")) {
    static const page_column columns[] = {{.name = "network"}, {.name = "number", .number = true}};
    page_table_begin(r->p, "network", columns, 2);
    put_counters(r, "", tree_in(r->run, "network"));
    page_table_end(r->p);
  }
  page_pair_end(r->p);
  const tree *sums = tree_in(r->run, "sums");
  for (const tree *kind = sums ? sums->first : NULL; kind; kind = kind->next)
    put_nodes(r, kind);
}
