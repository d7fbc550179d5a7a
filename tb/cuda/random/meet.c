// SPDX-License-Identifier: Apache-2.0
// Statements at which the threads of a block or the lanes of a warp meet. No two threads touch the
// same bytes between two barriers, unless both read, or both do the same commutative atomic.
#include "generate.h"

static stmt *enter(generator *g, stmt *in, const char *text, const char *end) {
  stmt *n = stmt_new(g, text, end);
  stmt_add(in, n);
  return n;
}

static void line(generator *g, stmt *in, const char *text) {
  stmt_add(in, stmt_new(g, text, NULL));
}

// That a statement behind it needs: the reducer keeps it as long as those.
static void kept(generator *g, stmt *in, const char *text) {
  line(g, in, text);
  stmt_keep(g, in->last);
}

// A type that has something to assign; what it is, in `to`.
static char target(generator *g, const scope *s, const char *types, const char **to) {
  for (int tries = 0; tries < 20; tries++) {
    const char type = types ? types[below(g, 4)] : any_type(g);
    *to = assignable(g, s, type);
    if (*to)
      return type;
  }
  return 0;
}

// ---- warps

static void shuffle(generator *g, scope *s, stmt *in) {
  const char *to, type = target(g, s, chance(g, 70) ? "iufl" : "Luid", &to);
  if (!type)
    return;
  const char *e = expression(g, s, type, 2), *n = expression(g, s, 'u', 1), *t = type_name(type);
  const unsigned width = chance(g, 60) ? 32 : 4u << below(g, 3);
  switch (below(g, 5)) {
    case 0:
      line(g, in, say(g, "%s = pick<%s>(%s, %s, %s);", to, t, s->mask, e, n));
      break;
    case 1:
      line(g, in, say(g, "%s = pick_up<%s>(%s, %s, %s, %u);", to, t, s->mask, e, n, width));
      break;
    case 2:
      line(
          g, in,
          say(g, "%s = pick_down<%s>(%s, %s, %u, %u);", to, t, s->mask, e, 1 + below(g, 8), width));
      break;
    case 3:
      line(g, in, say(g, "%s = pick_xor<%s>(%s, %s, %u);", to, t, s->mask, e, 1 + below(g, 31)));
      break;
    default:
      line(g, in, say(g, "%s = pick_within<%s>(%s, %s, %s, %u);", to, t, s->mask, e, n, width));
      break;
  }
  see(g, in, to);
}

static void vote(generator *g, scope *s, stmt *in) {
  static const char *const reductions[] = {"add", "min", "max", "and", "or", "xor"};
  const char *u = assignable(g, s, 'u'), *i = assignable(g, s, 'i');
  if (!u || !i)
    return;
  const char *c = expression(g, s, 'b', 2);
  switch (below(g, 7)) {
    case 0:
      line(g, in, say(g, "%s = __ballot_sync(%s, %s);", u, s->mask, c));
      break;
    case 1:
      line(g, in, say(g, "%s = __any_sync(%s, %s) != 0;", i, s->mask, c));
      break;
    case 2:
      line(g, in, say(g, "%s = __all_sync(%s, %s) != 0;", i, s->mask, c));
      break;
    case 3:
      line(g, in, say(g, "%s = alike<i32>(%s, %s);", u, s->mask, expression(g, s, 'C', 1)));
      break;
    case 4:
      line(g, in, say(g, "%s = all_alike<u64>(%s, %s);", u, s->mask, expression(g, s, 'L', 1)));
      break;
    case 5:
      line(g, in,
           say(g, "%s = __reduce_%s_sync(%s, (i32)(%s));", i, reductions[below(g, 3)], s->mask,
               expression(g, s, 'i', 2)));
      break;
    default:
      line(g, in,
           say(g, "%s = __reduce_%s_sync(%s, (u32)(%s));", u, reductions[below(g, 6)], s->mask,
               expression(g, s, 'u', 2)));
      break;
  }
  see(g, in, u);
  see(g, in, i);
}

// Some of the lanes exchange, and the others, perhaps, too.
static void part(generator *g, scope *s, stmt *in) {
  const char *c = fresh(g, "c"), *m = fresh(g, "m");
  stmt *all = enter(g, in,
                    say(g, "{ const bool %s = %s; const u32 %s = __ballot_sync(%s, %s);", c,
                        expression(g, s, 'b', 2), m, s->mask, c),
                    "}");
  stmt *n = enter(g, all, say(g, "if (%s) {", c), "}");
  scope then = *s, other = *s;
  then.depth++;
  other.depth++;
  then.uniform = other.uniform = false;
  then.mask = m;
  other.mask = say(g, "(%s & ~%s)", s->mask, m);
  statements(g, &then, n, 1 + below(g, 3));
  warp_exchange(g, &then, n);
  if (chance(g, 50)) {
    n->otherwise = stmt_new(g, "} else {", NULL);
    statements(g, &other, n->otherwise, 1 + below(g, 2));
  }
}

// A loop that all these lanes take alike: as long as one of them wants to, or once for each that
// does.
static void warp_loop(generator *g, scope *s, stmt *in) {
  const char *n = fresh(g, "n"), *c = expression(g, s, 'b', 2), *text;
  if (chance(g, 50))
    text = say(g, "for (u32 %s = 0; %s < %u && __any_sync(%s, %s); %s++) {", n, n, 2 + below(g, 4),
               s->mask, c, n);
  else
    text = say(g, "for (u32 %s = __ballot_sync(%s, %s) & 0x%x; %s; %s &= %s - 1) {", n, s->mask, c,
               1u << below(g, 32) | 1u << below(g, 32) | 1u << below(g, 32), n, n, n);
  stmt *loop = enter(g, in, text, "}");
  scope body = *s;
  body.depth++;
  body.loops++;
  body.uniform = false;
  scope_value(&body, 'u', n, true);
  statements(g, &body, loop, 1 + below(g, 3));
  warp_exchange(g, &body, loop);
}

// A loop that lanes leave one after the other, while those that stay exchange.
static void shrinking(generator *g, scope *s, stmt *in) {
  const char *m = fresh(g, "m"), *n = fresh(g, "n"), *go = fresh(g, "g");
  stmt *loop = enter(g, in,
                     say(g, "{ u32 %s = %s; for (u32 %s = 0; %s < %u; %s++) {", m, s->mask, n, n,
                         2 + below(g, 5), n),
                     "} }");
  kept(g, loop,
       say(g, "const bool %s = %s; %s = __ballot_sync(%s, %s); if (!%s) break;", go,
           expression(g, s, 'b', 2), m, m, go, go));
  scope body = *s;
  body.depth++;
  body.loops++;
  body.uniform = false;
  body.mask = m;
  scope_value(&body, 'u', n, true);
  statements(g, &body, loop, 1 + below(g, 2));
  warp_exchange(g, &body, loop);
}

// A loop of which lanes skip the rest in some turns, by two conditions, while the others exchange.
static void skipping(generator *g, scope *s, stmt *in) {
  const char *m = fresh(g, "m"), *n = fresh(g, "n"), *c = fresh(g, "c"), *d = fresh(g, "d");
  stmt *loop =
      enter(g, in, say(g, "for (u32 %s = 0; %s < %u; %s++) {", n, n, 2 + below(g, 4), n), "}");
  kept(g, loop,
       say(g, "const bool %s = %s, %s = %s; const u32 %s = __ballot_sync(%s, !(%s && %s));", c,
           expression(g, s, 'b', 2), d, expression(g, s, 'b', 2), m, s->mask, c, d));
  scope body = *s;
  body.depth++;
  body.loops++;
  body.uniform = false;
  scope_value(&body, 'u', n, true);
  body.mask = say(g, "(%s & ~%s)", s->mask, m);
  stmt *skip = enter(g, loop, say(g, "if (%s && unknown(%s)) {", c, d), "continue; }");
  statements(g, &body, skip, below(g, 3));
  body.mask = m;
  statements(g, &body, loop, 1 + below(g, 2));
  warp_exchange(g, &body, loop);
}

void warp_exchange(generator *g, scope *s, stmt *in) {
  const unsigned which = below(g, 20);
  if (which < 9)
    shuffle(g, s, in);
  else if (which < 14 || s->depth > 3 || s->loops > 1)
    vote(g, s, in);
  else if (which < 17)
    part(g, s, in);
  else if (which < 18)
    warp_loop(g, s, in);
  else if (which < 19)
    shrinking(g, s, in);
  else
    skipping(g, s, in);
}

// ---- blocks

static const char *shared_array(generator *g, char type, unsigned count, stmt *in) {
  if (g->shared + count * type_bytes(type) > 8192)
    return NULL;
  g->shared += (count * type_bytes(type) + 7) & ~7u;
  const char *name = fresh(g, "sh");
  kept(g, in, say(g, "__shared__ %s %s[%u];", type_name(type), name, count));
  return name;
}

// Each thread writes an element, and reads that of another.
static void pass(generator *g, scope *s, stmt *in) {
  const char *to, type = target(g, s, NULL, &to);
  if (!type)
    return;
  stmt *block = enter(g, in, "{", "}");
  const char *sh = shared_array(g, type, g->threads, block);
  if (!sh)
    return;
  kept(g, block, say(g, "%s[tid] = %s;", sh, expression(g, s, type, 2)));
  stmt *n = enter(g, block, "__syncthreads();", "__syncthreads();");
  switch (below(g, 3)) {
    case 0:
      line(g, n, say(g, "%s = %s[(tid + %u) %% %u];", to, sh, 1 + below(g, 40), g->threads));
      break;
    case 1:
      line(g, n, say(g, "%s = %s[%u - tid];", to, sh, g->threads - 1));
      break;
    default:
      line(g, n, say(g, "%s = %s[(%s) %% %u];", to, sh, expression(g, s, 'u', 2), g->threads));
      break;
  }
  see(g, n, to);
  if (chance(g, 30))
    statements(g, s, n, 1);
}

// A tree over the threads of the block.
static void tree(generator *g, scope *s, stmt *in) {
  const char *to, type = target(g, s, "iuLd", &to);
  if (!type)
    return;
  stmt *block = enter(g, in, "{", "}");
  const char *sh = shared_array(g, type, g->threads, block), *d = fresh(g, "d");
  if (!sh)
    return;
  unsigned first = 1;
  while (2 * first < g->threads)
    first *= 2;
  kept(g, block, say(g, "%s[tid] = %s;", sh, expression(g, s, type, 2)));
  kept(g, block, "__syncthreads();");
  stmt *n = enter(g, block, say(g, "for (u32 %s = %u; %s; %s >>= 1) {", d, first, d, d),
                  "__syncthreads(); }");
  line(g, n,
       say(g, "if (tid < %s && tid + %s < %u) %s[tid] = %s<%s>(%s[tid], %s[tid + %s]);", d, d,
           g->threads, sh,
           type == 'd'   ? "larger"
           : below(g, 2) ? "add"
                         : "greater",
           type_name(type), sh, sh, d));
  line(g, block, say(g, "%s = %s[0];", to, sh));
  kept(g, block, "__syncthreads();");
  see(g, block, to);
}

// Atomics of shared memory, one kind an array.
static void count(generator *g, scope *s, stmt *in) {
  static const char *const names[] = {"Add", "Min", "Max", "And", "Or", "Xor"};
  const char *to, type = target(g, s, "uuLu", &to), *name = names[below(g, 6)];
  if (!type)
    return;
  stmt *block = enter(g, in, "{", "}");
  const char *sh = shared_array(g, type, 8, block);
  if (!sh)
    return;
  kept(g, block,
       say(g, "if (tid < 8) %s[tid] = (%s)%s;", sh, type_name(type), expression(g, s, type, 1)));
  kept(g, block, "__syncthreads();");
  line(g, block,
       say(g, "if (%s) atomic%s(&%s[(%s) & 7], (%s)(%s));", expression(g, s, 'b', 1), name, sh,
           expression(g, s, 'u', 1), type_name(type), expression(g, s, type, 2)));
  kept(g, block, "__syncthreads();");
  line(g, block, say(g, "%s = %s[(%s) & 7];", to, sh, expression(g, s, 'u', 1)));
  kept(g, block, "__syncthreads();");
  see(g, block, to);
}

static void barrier_vote(generator *g, scope *s, stmt *in) {
  const char *to = assignable(g, s, 'i'), *c = expression(g, s, 'b', 2);
  static const char *const kinds[] = {"count", "and", "or"};
  const unsigned kind = below(g, 3);
  if (to)
    line(g, in, say(g, "%s = __syncthreads_%s(%s)%s;", to, kinds[kind], c, kind ? " != 0" : ""));
}

// A loop or branch that all threads take alike, with such statements inside.
static void together(generator *g, scope *s, stmt *in) {
  const char *i = fresh(g, "n"), *text;
  if (s->depth > 2 || s->loops > 1)
    return;
  switch (below(g, 4)) {
    case 0:
      text = say(g, "if (blockIdx.%c & 1) {", "xyz"[below(g, 3)]);
      break;
    case 1:
      text = say(g, "if (__syncthreads_or(%s)) {", expression(g, s, 'b', 2));
      break;
    default:
      text =
          say(g, "for (u32 %s = 0; %s < %u + (blockIdx.x & 1); %s++) {", i, i, 1 + below(g, 3), i);
      break;
  }
  stmt *n = enter(g, in, text, "}");
  scope body = *s;
  body.depth++;
  body.breaks = false;
  if (text[0] == 'f') {
    body.loops++;
    scope_value(&body, 'u', i, true);
  }
  statements(g, &body, n, 2 + below(g, 3));
}

void exchange(generator *g, scope *s, stmt *in) {
  const unsigned which = below(g, 20);
  if (!s->uniform || which < 9)
    warp_exchange(g, s, in);
  else if (which < 12)
    pass(g, s, in);
  else if (which < 14)
    tree(g, s, in);
  else if (which < 16)
    count(g, s, in);
  else if (which < 17)
    barrier_vote(g, s, in);
  else
    together(g, s, in);
}
