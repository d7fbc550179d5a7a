// SPDX-License-Identifier: Apache-2.0
#include "netlist.h"

#include <ctype.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 512, WIDEST = 1 << 16 };

typedef struct wire {
  char *name;
  uint32_t net, bits, lowest;
  bool is_input;
} wire;

typedef struct reader {
  netlist *n;
  const cells *c;
  FILE *f;
  char word[NAME], instance[NAME];
  void *wires;  // a tree, by name
  wire **inputs;
  size_t n_inputs, inputs_room;
  uint32_t *same;  // of a net: the one that it is assigned from
  uint32_t same_room;
  uint32_t list[WIDEST];  // of an expression, the highest bit first
  size_t n_list;
  const char *bad;
} reader;

static int by_name(const void *a, const void *b) {
  return strcmp(((const wire *)a)->name, ((const wire *)b)->name);
}

static bool grow(void **array, size_t n, size_t *room, size_t bytes) {
  if (n < *room)
    return true;
  void *more = realloc(*array, (2 * *room + 256) * bytes);
  if (more)
    *array = more, *room = 2 * *room + 256;
  return more;
}

// ---- words: names (those with a backslash without it), numbers with their widths, single
// characters
static bool take(reader *r) {
  int c;
  size_t n = 0;
  for (;;) {
    while ((c = fgetc(r->f)) != EOF && isspace(c))
      ;
    if (c != '/')
      break;
    c = fgetc(r->f);
    if (c == '/') {
      while ((c = fgetc(r->f)) != EOF && c != '\n')
        ;
    } else {
      int before = 0;
      while ((c = fgetc(r->f)) != EOF && !(before == '*' && c == '/'))
        before = c;
    }
  }
  if (c == EOF) {
    r->word[0] = 0;
    return false;
  }
  if (c == '\\') {
    while ((c = fgetc(r->f)) != EOF && !isspace(c))
      if (n + 1 < NAME)
        r->word[n++] = (char)c;
  } else if (isalnum(c) || c == '_' || c == '\'' || c == '$') {
    do
      if (n + 1 < NAME)
        r->word[n++] = (char)c;
    while ((c = fgetc(r->f)) != EOF && (isalnum(c) || c == '_' || c == '\'' || c == '$'));
    if (c != EOF)
      ungetc(c, r->f);
  } else {
    r->word[n++] = (char)c;
  }
  r->word[n] = 0;
  return true;
}

static bool is(const reader *r, const char *word) {
  return strcmp(r->word, word) == 0;
}

static uint32_t number(reader *r) {
  return (uint32_t)strtoul(r->word, NULL, 10);
}

// ---- wires and expressions
static wire *add_wire(reader *r, const char *name, uint32_t high, uint32_t low, bool is_input) {
  const wire key = {.name = (char *)name};
  wire **there = tfind(&key, &r->wires, by_name);
  if (there) {  // told of twice: as a port too
    (*there)->is_input |= is_input;
    return *there;
  }
  wire *w = malloc(sizeof *w);
  if (!w || high < low || high - low >= WIDEST) {
    free(w);
    r->bad = "a wire is too wide";
    return NULL;
  }
  *w = (wire){strdup(name), r->n->n_nets, high - low + 1, low, is_input};
  r->n->n_nets += w->bits;
  if (r->n->n_nets > r->same_room) {
    const uint32_t room = 2 * r->n->n_nets + 1024;
    uint32_t *more = realloc(r->same, room * sizeof *more);
    if (more) {
      for (uint32_t k = r->same_room; k < room; k++)
        more[k] = k;
      r->same = more, r->same_room = room;
    }
  }
  if (!w->name || r->same_room < r->n->n_nets || !tsearch(w, &r->wires, by_name))
    r->bad = "out of host memory";
  return w;
}

static void put_net(reader *r, uint32_t net) {
  if (r->n_list < WIDEST)
    r->list[r->n_list++] = net;
  else
    r->bad = "an expression is too wide";
}

// A constant: 5'h1f, 32'sd4.
static void put_constant(reader *r) {
  const char *digits = strchr(r->word, '\'');
  const uint32_t bits = (uint32_t)strtoul(r->word, NULL, 10);
  digits += 1 + (digits[1] == 's');
  const char base = *digits++;
  const uint32_t each = base == 'h' ? 4 : base == 'o' ? 3 : base == 'b' ? 1 : 0;
  const size_t n = strlen(digits);
  for (uint32_t k = bits; k-- > 0;) {
    uint32_t digit = 0;
    if (!each) {
      digit = k < 32 ? (uint32_t)strtoul(digits, NULL, 10) >> k & 1 : 0;
    } else if (k / each < n) {
      const char c = digits[n - 1 - k / each];
      digit = isxdigit((unsigned char)c) && c != 'x'
                  ? (uint32_t)(isdigit((unsigned char)c) ? c - '0' : tolower(c) - 'a' + 10) >>
                            k % each &
                        1
                  : 0;
    }
    put_net(r, digit ? NET_HIGH : NET_LOW);
  }
}

// Takes an expression into r->list, and the word behind it.
static void expression(reader *r) {
  if (is(r, "{")) {
    do {
      take(r);
      expression(r);
    } while (is(r, ",") && !r->bad);
    if (!is(r, "}"))
      r->bad = "a list does not end";
    take(r);
    return;
  }
  if (isdigit((unsigned char)r->word[0]) && strchr(r->word, '\'')) {
    put_constant(r);
    take(r);
    return;
  }
  const wire key = {.name = r->word};
  wire **found = tfind(&key, &r->wires, by_name);
  const wire *w = found ? *found : add_wire(r, r->word, 0, 0, false);
  take(r);
  if (!w)
    return;
  uint32_t high = w->lowest + w->bits - 1, low = w->lowest;
  if (is(r, "[")) {
    take(r);
    high = low = number(r);
    take(r);
    if (is(r, ":")) {
      take(r);
      low = number(r);
      take(r);
    }
    if (!is(r, "]") || high < low || low < w->lowest || high - w->lowest >= w->bits) {
      r->bad = "a range does not fit";
      return;
    }
    take(r);
  }
  for (uint32_t k = high + 1; k-- > low;)
    put_net(r, w->net + k - w->lowest);
}

// ---- sources
static void name_of_wave(char *to, const char *name) {
  const char *begin = name;
  for (; *name; name++) {
    if ((name == begin || name[-1] == '.') && name[0] == 'i' && name[1] == '_')
      name += 2;
    *to++ = *name;
  }
  *to = 0;
}

static void add_source(reader *r, const char *name, uint32_t net, size_t gate, bool is_register) {
  netlist *n = r->n;
  char plain[NAME + 16];
  if (!grow((void **)&n->sources, n->n_sources, &n->sources_room, sizeof *n->sources)) {
    r->bad = "out of host memory";
    return;
  }
  name_of_wave(plain, name);
  net_source *s = &n->sources[n->n_sources++];
  *s = (net_source){.name = strdup(plain), .net = net, .is_register = is_register, .gate = gate};
  if (!s->name)
    r->bad = "out of host memory";
}

typedef struct naming {
  reader *r;
  char **names;  // of nets
} naming;

static void name_nets(const void *node, VISIT visit, void *ctx) {
  const wire *w = *(wire *const *)node;
  naming *n = ctx;
  if (visit != postorder && visit != leaf)
    return;
  for (uint32_t k = 0; k < w->bits; k++) {
    char name[NAME + 16], **to = &n->names[w->net + k];
    snprintf(name, sizeof name, w->bits > 1 || w->lowest ? "%s[%u]" : "%s", w->name, w->lowest + k);
    if (!*to && !(*to = strdup(name)))
      n->r->bad = "out of host memory";
  }
}

static bool anonymous(const char *name) {
  const size_t n = strlen(name);
  return n > 2 && name[0] == '_' && name[n - 1] == '_' && strspn(name + 1, "0123456789") == n - 2;
}

// ---- statements
static void declaration(reader *r, bool is_input) {
  uint32_t high = 0, low = 0;
  take(r);
  if (is(r, "wire"))
    take(r);
  if (is(r, "[")) {
    take(r);
    high = number(r);
    take(r);
    take(r);
    low = number(r);
    take(r);
    take(r);
  }
  for (; !r->bad; take(r)) {
    wire *w = add_wire(r, r->word, high, low, is_input);
    if (w && is_input && grow((void **)&r->inputs, r->n_inputs, &r->inputs_room, sizeof *r->inputs))
      r->inputs[r->n_inputs++] = w;
    if (!take(r) || !is(r, ","))
      return;
  }
}

static void assignment(reader *r) {
  uint32_t left[64];
  r->n_list = 0;
  take(r);
  expression(r);
  const size_t n = r->n_list;
  uint32_t *to = n <= 64 ? left : malloc(n * sizeof *to);
  if (to)
    memcpy(to, r->list, n * sizeof *to);
  r->n_list = 0;
  take(r);  // what is behind =
  expression(r);
  if (!to || r->n_list != n)
    r->bad = "sides of an assignment differ in width";
  for (size_t k = 0; to && k < n && !r->bad; k++)
    r->same[to[k]] = r->list[k];
  if (to != left)
    free(to);
}

static void connect(reader *r, gate *g, const char *pin) {
  if (!g) {  // not a cell: its outputs are sources
    const size_t bytes = strlen(pin);
    if (bytes > 2 && strcmp(pin + bytes - 2, "_o") == 0)
      for (size_t k = 0; k < r->n_list; k++) {
        char name[2 * NAME + 16];
        snprintf(name, sizeof name, r->n_list > 1 ? "%s.%s[%zu]" : "%s.%s", r->instance, pin,
                 r->n_list - 1 - k);
        name[NAME - 1] = 0;
        if (r->list[k] >= NET_FIRST)
          add_source(r, name, r->list[k], SIZE_MAX, false);
      }
    return;
  }
  for (size_t k = 0; k < g->cell->n_pins; k++)
    if (strcmp(g->cell->pins[k].name, pin) == 0) {
      if (r->n_list == 1)
        g->nets[k] = r->list[0];
      else if (r->n_list)
        r->bad = "a pin has several bits";
      return;
    }
  r->bad = "a cell has another pin than in the library";
}

static void instance(reader *r) {
  const cell *c = cells_named(r->c, r->word);
  netlist *n = r->n;
  take(r);
  if (is(r, "#")) {  // parameters
    int depth = 0;
    do {
      take(r);
      depth += is(r, "(") - is(r, ")");
    } while (depth && r->word[0]);
    take(r);
  }
  snprintf(r->instance, sizeof r->instance, "%s", r->word);
  gate *g = NULL;
  if (c) {
    if (!grow((void **)&n->gates, n->n_gates, &n->gates_room, sizeof *n->gates)) {
      r->bad = "out of host memory";
      return;
    }
    g = &n->gates[n->n_gates++];
    *g = (gate){.cell = c, .stores = c->stores, .name = strdup(r->word)};
    for (size_t k = 0; k < CELL_PINS; k++)
      g->nets[k] = UINT32_MAX;
  }
  take(r);
  if (!is(r, "(")) {
    r->bad = "an instance is expected";
    return;
  }
  for (take(r); is(r, ".") && !r->bad;) {
    char pin[NAME];
    take(r);
    snprintf(pin, sizeof pin, "%s", r->word);
    take(r);
    take(r);
    r->n_list = 0;
    if (!is(r, ")"))
      expression(r);
    if (!is(r, ")"))
      r->bad = "a connection does not end";
    else
      connect(r, g, pin);
    take(r);
    if (is(r, ","))
      take(r);
  }
  if (!r->bad && !is(r, ")"))
    r->bad = "an instance does not end";
  take(r);
}

static void statements(reader *r) {
  int modules = 0;
  while (!r->bad && take(r)) {
    if (is(r, "module")) {
      modules++;
      do
        take(r);
      while (r->word[0] && !is(r, ";"));
    } else if (is(r, "input") || is(r, "output") || is(r, "wire")) {
      declaration(r, is(r, "input"));
    } else if (is(r, "assign")) {
      assignment(r);
    } else if (is(r, "endmodule")) {
      if (modules == 1)
        return;
      break;
    } else if (!is(r, ";")) {
      instance(r);
    }
  }
  if (!r->bad)
    r->bad = modules ? "it ends in the middle" : "it has no module";
}

// ---- the order of the gates: behind all that they depend on
static uint32_t net_of(const reader *r, uint32_t net) {
  while (net >= NET_FIRST && r->same[net] != net)
    net = r->same[net];
  return net;
}

// The clock behind a gate: what its output is, from the one clock among its inputs; 0: none.
static uint8_t clock_behind(const netlist *n, const gate *g, const cell_pin *output) {
  const uint64_t low[CELL_PINS] = {0};
  uint8_t clock = 0;
  size_t inputs = 0;
  for (size_t k = 0; k < g->cell->n_pins; k++)
    if (!g->cell->pins[k].output) {
      inputs++;
      if (g->nets[k] != UINT32_MAX && n->clocks[g->nets[k]])
        clock = n->clocks[g->nets[k]];
    }
  if (!clock || !output->n_code)
    return 0;
  if (inputs > 1)
    return clock | CLOCK_GATED;
  return clock ^ (cell_value(output, low) & 1 ? CLOCK_INVERTED : 0);
}

// Follows the clock through its gates, and finds the latches that clock gates have.
static void find_clocks(reader *r) {
  netlist *n = r->n;
  const wire key = {.name = (char[]){"clk_i"}};
  wire **clock = tfind(&key, &r->wires, by_name);
  for (size_t g = 0; g < n->n_gates; g++)
    for (size_t k = 0; k < n->gates[g].cell->n_pins; k++)
      if (n->gates[g].nets[k] != UINT32_MAX)
        n->gates[g].nets[k] = net_of(r, n->gates[g].nets[k]);
  if (!(n->clocks = calloc(n->n_nets, 1))) {
    r->bad = "out of host memory";
    return;
  }
  if (clock)
    n->clocks[(*clock)->net] = CLOCK;
  for (bool more = clock; more;) {
    more = false;
    for (size_t g = 0; g < n->n_gates; g++) {
      gate *at = &n->gates[g];
      for (size_t k = 0; k < at->cell->n_pins && !at->cell->stores; k++) {
        if (!at->cell->pins[k].output || at->nets[k] == UINT32_MAX || n->clocks[at->nets[k]])
          continue;
        n->clocks[at->nets[k]] = clock_behind(n, at, &at->cell->pins[k]);
        if (n->clocks[at->nets[k]])
          more = at->clock = true;
      }
    }
  }
  for (size_t g = 0; g < n->n_gates; g++) {
    gate *at = &n->gates[g];
    const uint32_t net = at->cell->latch ? gate_clock(at) : UINT32_MAX;
    if (net != UINT32_MAX && n->clocks[net])
      at->stores = at->cell->low != !(n->clocks[net] & CLOCK_INVERTED);
  }
}

static bool in_order(reader *r) {
  netlist *n = r->n;
  gate *sorted = calloc(n->n_gates + 1, sizeof *sorted);
  size_t *first = calloc(n->n_nets + 2, sizeof *first);  // loads of nets, in gates_of
  size_t *gates_of = NULL, *todo = calloc(n->n_gates + 1, sizeof *todo), loads = 0, done = 0,
         end = 0;
  uint32_t *waits = calloc(n->n_gates + 1, sizeof *waits);
  bool *driven = calloc(n->n_nets + 1, sizeof *driven);
  bool ok = sorted && first && todo && waits && driven;
  for (size_t g = 0; ok && g < n->n_gates; g++)
    for (size_t k = 0; k < n->gates[g].cell->n_pins; k++)
      if (n->gates[g].nets[k] != UINT32_MAX) {
        const uint32_t net = n->gates[g].nets[k];
        const bool out = n->gates[g].cell->pins[k].output;
        if (out && !n->gates[g].stores)
          driven[net] = true;
        else if (!out)
          first[net + 1]++, loads++;
      }
  for (uint32_t k = 0; ok && k < n->n_nets; k++)
    first[k + 1] += first[k];
  ok = ok && (gates_of = calloc(loads + 1, sizeof *gates_of));
  for (size_t g = 0; ok && g < n->n_gates; g++)
    for (size_t k = 0; k < n->gates[g].cell->n_pins; k++)
      if (n->gates[g].nets[k] != UINT32_MAX && !n->gates[g].cell->pins[k].output) {
        const uint32_t net = n->gates[g].nets[k];
        gates_of[first[net]++] = g;
        waits[g] += driven[net] && !n->gates[g].stores;
      }
  for (size_t g = 0; ok && g < n->n_gates; g++)
    if (!waits[g])
      todo[end++] = g;
  while (ok && done < end) {
    const gate *g = &n->gates[todo[done]];
    sorted[done++] = *g;
    if (!g->stores)
      for (size_t k = 0; k < g->cell->n_pins; k++)
        if (g->cell->pins[k].output && g->nets[k] != UINT32_MAX)
          // first[] has moved on: loads of a net end where it is now
          for (size_t l = g->nets[k] ? first[g->nets[k] - 1] : 0; l < first[g->nets[k]]; l++)
            if (!n->gates[gates_of[l]].stores && !--waits[gates_of[l]])
              todo[end++] = gates_of[l];
  }
  if (ok && done < n->n_gates)
    r->bad = "there is a loop of gates";
  if (!ok)
    r->bad = "out of host memory";
  if (!r->bad) {
    free(n->gates);
    n->gates = sorted;
    sorted = NULL;
  }
  free(sorted);
  free(first);
  free(gates_of);
  free(todo);
  free(waits);
  free(driven);
  return !r->bad;
}

static int source_order(const void *a, const void *b) {
  return strcmp(((const net_source *)a)->name, ((const net_source *)b)->name);
}

static void find_sources(reader *r) {
  netlist *n = r->n;
  char **names = calloc(n->n_nets, sizeof *names);
  if (!names) {
    r->bad = "out of host memory";
    return;
  }
  twalk_r(r->wires, name_nets, &(naming){r, names});
  // outputs of what is no cell: by the name of the net, if it has one
  for (size_t k = 0; k < n->n_sources && !r->bad; k++) {
    net_source *s = &n->sources[k];
    const char *net = names[s->net];
    if (!anonymous(net)) {
      free(s->name);
      if (!(s->name = malloc(strlen(net) + 1)))
        r->bad = "out of host memory";
      else
        name_of_wave(s->name, net);
    }
    s->net = net_of(r, s->net);
  }
  for (size_t k = 0; k < r->n_inputs && !r->bad; k++)
    for (uint32_t b = 0; b < r->inputs[k]->bits && strcmp(r->inputs[k]->name, "clk_i") != 0; b++)
      add_source(r, names[r->inputs[k]->net + b], r->inputs[k]->net + b, SIZE_MAX, false);
  for (size_t g = 0; g < n->n_gates && !r->bad; g++)
    for (size_t k = 0; k < n->gates[g].cell->n_pins; k++)
      if (n->gates[g].stores && n->gates[g].cell->pins[k].output &&
          n->gates[g].nets[k] != UINT32_MAX)
        add_source(r, names[n->gates[g].nets[k]], n->gates[g].nets[k], g, true);
  const wire key = {.name = (char[]){"clk_i"}};
  wire **clock = tfind(&key, &r->wires, by_name);
  for (size_t g = 0; clock && g < n->n_gates; g++)
    for (size_t k = 0; k < n->gates[g].cell->n_pins; k++)
      if (n->gates[g].nets[k] == (*clock)->net)
        n->clock_load += n->gates[g].cell->pins[k].femtofarads;
  for (uint32_t k = 0; k < n->n_nets; k++)
    free(names[k]);
  free(names);
  double *loads = calloc(n->n_nets, sizeof *loads);
  for (size_t g = 0; loads && g < n->n_gates; g++)
    for (size_t k = 0; k < n->gates[g].cell->n_pins; k++)
      if (n->gates[g].nets[k] != UINT32_MAX && !n->gates[g].cell->pins[k].output)
        loads[n->gates[g].nets[k]] += n->gates[g].cell->pins[k].femtofarads;
  for (size_t k = 0; loads && k < n->n_sources; k++)
    n->sources[k].load = loads[n->sources[k].net];
  if (!loads)
    r->bad = "out of host memory";
  free(loads);
  if (n->n_sources)
    qsort(n->sources, n->n_sources, sizeof *n->sources, source_order);
}

static void free_wire(void *w) {
  free(((wire *)w)->name);
  free(w);
}

uint32_t gate_clock(const gate *g) {
  for (size_t k = 0; k < g->cell->n_pins; k++)
    if (g->cell->pins[k].clock)
      return g->nets[k];
  return UINT32_MAX;
}

bool netlist_read(netlist *n, const char *file, const cells *c, char *why, size_t why_bytes) {
  reader *r = calloc(1, sizeof *r);
  *n = (netlist){.n_nets = NET_FIRST};
  if (!r || !(r->f = fopen(file, "r"))) {
    snprintf(why, why_bytes, "cannot read '%s': %s", file, strerror(errno));
    free(r);
    return false;
  }
  r->n = n;
  r->c = c;
  r->instance[0] = 0;
  add_wire(r, " ", 0, 0, false);  // none has this name: nets of constants have no other
  statements(r);
  fclose(r->f);
  if (!r->bad)
    find_clocks(r);
  if (!r->bad && in_order(r))
    find_sources(r);
  for (size_t g = 0; g < n->n_gates && !r->bad; g++)
    for (size_t k = 0; k < n->gates[g].cell->n_pins; k++) {
      const cell_pin *pin = &n->gates[g].cell->pins[k];
      if (pin->output && n->gates[g].nets[k] != UINT32_MAX && !n->gates[g].stores && !pin->n_code)
        r->bad = "a cell has an output without a function in the library";
    }
  if (r->bad)
    snprintf(why, why_bytes, "'%s' is not a netlist of these cells: %s (at '%.60s')", file, r->bad,
             r->word);
  const bool ok = !r->bad;
  tdestroy(r->wires, free_wire);
  free(r->inputs);
  free(r->same);
  free(r);
  if (!ok)
    netlist_free(n);
  return ok;
}

void netlist_free(netlist *n) {
  for (size_t k = 0; k < n->n_gates; k++)
    free(n->gates[k].name);
  for (size_t k = 0; k < n->n_sources; k++)
    free(n->sources[k].name);
  free(n->gates);
  free(n->sources);
  free(n->clocks);
  *n = (netlist){0};
}
