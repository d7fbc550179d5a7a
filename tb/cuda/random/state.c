// SPDX-License-Identifier: Apache-2.0
// Statements: assignments, control flow, atomics, calls. Those that all threads of a block or of a
// warp meet at are in meet.c.
#include "generate.h"

#include <string.h>

static scope inner(const scope *s) {
  scope to = *s;
  to.depth++;
  return to;
}

// What is inside may not count on others being there.
static scope diverged(const scope *s) {
  scope to = inner(s);
  to.mask = NULL;
  to.uniform = false;
  return to;
}

static void line(generator *g, stmt *in, const char *text) {
  stmt_add(in, stmt_new(g, text, NULL));
}

// Part of what the thread gives back, also when the value is replaced later.
void see(generator *g, stmt *in, const char *value) {
  line(g, in, say(g, "mix(seen, %s);", value));
}

// ---- simple ones

static void assign(generator *g, scope *s, stmt *in) {
  static const char *const wraps[] = {"+=", "-=", "*=", "^=", "|=", "&="};
  for (int tries = 0; tries < 20; tries++) {
    const char type = any_type(g);
    const char *to = assignable(g, s, type);
    if (!to)
      continue;
    const char *e = expression(g, s, type, chance(g, 20) ? 3 : 1 + below(g, 2));
    if (strchr("uL", type) && chance(g, 25))
      line(g, in, say(g, "%s %s %s;", to, wraps[below(g, 6)], e));
    else if (strchr("uL", type) && chance(g, 5))
      line(g, in, say(g, "%s%s;", to, chance(g, 50) ? "++" : "--"));
    else
      line(g, in, say(g, "%s = %s;", to, e));
    return;
  }
}

// Where an array of the thread is given, or an element of it.
static void call(generator *g, scope *s, stmt *in) {
  if (!g->function_count || s->loops > 1)
    return;
  const function *f = &g->functions[below(g, g->function_count)];
  const char *args = "", *to = assignable(g, s, f->result);
  for (unsigned n = 0; n < f->arg_count; n++)
    args = say(g, "%s%s(%s)%s", args, n ? ", " : "", type_name(f->args[n]),
               expression(g, s, f->args[n], 2));
  if (f->pointer) {
    const char *found = NULL;
    for (unsigned n = 0; n < s->array_count; n++)
      if (s->arrays[n].type == f->pointer && !s->arrays[n].fixed && s->arrays[n].count >= 8 &&
          (!found || chance(g, 50)))
        found = s->arrays[n].text;
    if (!found)
      return;
    args = say(g, "%s, %s", args, found);
  }
  if (f->by_reference >= 0) {
    if (!g->k)
      return;
    args = say(g, "%s, %s_0", args, g->records[f->by_reference].name);
  }
  const char *name = f->name;
  if (f->templated)
    name = say(g, "%s<%s, %u>", name, type_name(f->result), below(g, 40));
  if (f->of_records)
    to = say(g, "%s_1", g->records[f->by_reference].name);
  line(g, in, to ? say(g, "%s = %s(%s);", to, name, args) : say(g, "%s(%s);", name, args));
}

static void wide_store(generator *g, scope *s, stmt *in) {
  if (g->k && chance(g, 50))
    line(g, in,
         say(g, "*(uint4 *)own_u = make_uint4(%s, %s, 7, %s);", expression(g, s, 'u', 1),
             literal(g, 'u'), literal(g, 'u')));
  else if (g->k)
    line(g, in,
         say(g, "*(uint2 *)(own_u + 2) = make_uint2(%s, %s);", literal(g, 'u'),
             expression(g, s, 'u', 1)));
}

static void copy_record(generator *g, scope *s, stmt *in) {
  if (!g->k || !g->record_count)
    return;
  const record *r = &g->records[below(g, g->record_count)];
  const bool swap = chance(g, 50);
  if (s->depth)
    line(g, in,
         say(g, "if (%s) %s_%d = %s_%d;", expression(g, s, 'b', 1), r->name, swap, r->name, !swap));
  else
    line(g, in, say(g, "%s_%d = %s_%d;", r->name, swap, r->name, !swap));
}

// A pointer to one of two places, to global, shared or local memory as it happens.
static void through_pointer(generator *g, scope *s, stmt *in) {
  for (unsigned tries = 0; tries < 10 && s->array_count; tries++) {
    const array *a = &s->arrays[below(g, s->array_count)];
    const char *other = assignable(g, s, a->type);
    if (a->fixed || !other || strstr(other, ".m"))  // fields may be bit fields
      continue;
    const char *type = type_name(a->type), *p = fresh(g, "p");
    const char *at = expression(g, s, 'u', 1), *c = expression(g, s, 'b', 1);
    const char *e = expression(g, s, a->type, 2);
    line(
        g, in,
        say(g, "{ %s *%s = %s ? &%s[(%s) & %u] : &%s; *%s = %s<%s>(*%s, %s); }", type, p, c,
            a->text, at, a->count - 1, other, p, is_float(a->type) ? "larger" : "sub", type, p, e));
    return;
  }
}

// On words that all threads share, whose order does not matter; and on the thread's own.
static void atomic(generator *g, scope *s, stmt *in) {
  static const char *const names[] = {"Add", "Min", "Max", "And", "Or", "Xor", "Inc", "Dec"};
  if (!g->k)
    return;
  const unsigned what = below(g, 11), word = below(g, 8);
  if (what == 10) {
    line(g, in,
         say(g,
             "{ u32 *at = &sums[(%s) & 7], old = *at, was; do { was = old; old = atomicCAS(at, "
             "was, was + "
             "%s); } while (old != was); }",
             expression(g, s, 'u', 1), literal(g, 'u')));
    return;
  }
  if (what < 4)
    line(g, in,
         say(g, "atomic%s(&sums[%u + ((%s) & 7)], (u32)(%s));", names[word], 8 * word,
             expression(g, s, 'u', 1),
             word >= 6 ? word == 6 ? "100u" : "77u" : expression(g, s, 'u', 2)));
  else if (what < 6)
    line(g, in,
         say(g, "atomic%s((u64 *)(sums + 64) + %u + ((%s) & 7), (u64)(%s));", names[word % 6],
             8 * (word % 6), expression(g, s, 'u', 1), expression(g, s, 'L', 2)));
  else if (what < 7)
    line(g, in,
         say(g, "atomicAdd((f32 *)(sums + 192) + ((%s) & 15), (f32)(i32)(%s));",
             expression(g, s, 'u', 1), expression(g, s, 'c', 2)));
  else if (s->depth < 4) {
    const char *to = assignable(g, s, 'u');
    if (to && what == 7)
      line(g, in,
           say(g, "%s = atomicCAS(&own_u[%u], (u32)(%s), (u32)(%s));", to, below(g, 4),
               expression(g, s, 'u', 1), expression(g, s, 'u', 2)));
    else if (to)
      line(g, in,
           say(g, "%s = atomic%s(&own_u[%u], (u32)(%s));", to, names[word], below(g, 4),
               expression(g, s, 'u', 2)));
  }
}

// ---- control flow

static stmt *enter(generator *g, stmt *in, const char *text, const char *end) {
  stmt *n = stmt_new(g, text, end);
  stmt_add(in, n);
  return n;
}

static void branch(generator *g, scope *s, stmt *in) {
  stmt *n = enter(g, in, say(g, "if (%s) {", expression(g, s, 'b', 2)), "}");
  scope then = diverged(s), other = diverged(s);
  statements(g, &then, n, 1 + below(g, 4));
  if (chance(g, 50)) {
    n->otherwise = stmt_new(g, "} else {", NULL);
    statements(g, &other, n->otherwise, 1 + below(g, 3));
  }
}

static void leave(generator *g, scope *s, stmt *in) {
  line(g, in,
       say(g, "if (%s) %s;", expression(g, s, 'b', 2), chance(g, 60) ? "break" : "continue"));
}

static void loop(generator *g, scope *s, stmt *in) {
  if (s->loops >= 3 - (g->k == NULL))
    return;
  const char *i = fresh(g, "n"), *text, *end = "}";
  const char *bound = expression(g, s, "icul"[below(g, 4)], 2);
  const unsigned most = s->loops ? 3 : 7;
  switch (below(g, 4)) {
    case 0:
      text = say(g, "for (i32 %s = 0; %s < (i32)(%s & %u); %s++) {", i, i, bound, most, i);
      break;
    case 1:
      text = say(g, "for (u32 %s = (u32)(%s) & %u; %s != 0; %s %s) {", i, bound, most, i, i,
                 chance(g, 50) ? "-= 1" : ">>= 1");
      break;
    case 2:
      text = say(g, "i32 %s = 0; while (%s++ < %u && %s) {", i, i, most, expression(g, s, 'b', 2));
      break;
    default:
      text = say(g, "i32 %s = 0; do {", i);
      end = say(g, "} while (++%s < %u && %s);", i, most, expression(g, s, 'b', 1));
      break;
  }
  stmt *n = enter(g, in, say(g, "{ %s", text), say(g, "%s }", end));
  scope body = diverged(s);
  body.loops++;
  body.breaks = true;
  if (text[0] == 'f')
    scope_value(&body, text[5] == 'u' ? 'u' : 'i', i, true);
  statements(g, &body, n, 1 + below(g, 4));
}

static void choose(generator *g, scope *s, stmt *in) {
  const unsigned arms = 2 + below(g, 5);
  stmt *n = enter(
      g, in, say(g, "switch ((i32)(%s & 7)) {", expression(g, s, "iuclS"[below(g, 5)], 2)), "}");
  for (unsigned k = 0; k < arms; k++) {
    stmt *arm = k + 1 == arms && chance(g, 60) ? enter(g, n, "default: {", "} break;")
                                               : enter(g, n, say(g, "case %u: {", (k * 3 + 1) & 7),
                                                       chance(g, 20) ? "}" : "} break;");
    scope body = diverged(s);
    body.breaks = false;
    statements(g, &body, arm, 1 + below(g, 3));
  }
}

static void give_back(generator *g, scope *s, stmt *in) {
  if (s->result)
    line(g, in,
         say(g, "if (%s) return %s;", expression(g, s, 'b', 2), expression(g, s, s->result, 2)));
}

// Those that only some places have.
static bool special(generator *g, scope *s, stmt *in, unsigned which) {
  if (s->mask)
    exchange(g, s, in);
  else if (which < 6 && s->breaks)
    leave(g, s, in);
  else if (which < 10 && s->result && s->depth)
    give_back(g, s, in);
  else
    return false;
  return true;
}

static void statement(generator *g, scope *s, stmt *in) {
  const unsigned which = below(g, 100);
  if (g->statements == 0)
    return;
  g->statements--;
  if (which < 30 && special(g, s, in, which))
    return;
  if (which < 42 && which >= 22 && s->depth < 4)
    branch(g, s, in);
  else if (which >= 42 && which < 50 && s->depth < 4)
    loop(g, s, in);
  else if (which >= 50 && which < 54 && s->depth < 3)
    choose(g, s, in);
  else if (which >= 54 && which < 60)
    atomic(g, s, in);
  else if (which >= 60 && which < 64)
    call(g, s, in);
  else if (which >= 64 && which < 69)
    through_pointer(g, s, in);
  else if (which >= 69 && which < 71)
    copy_record(g, s, in);
  else if (which == 71)
    wide_store(g, s, in);
  else
    assign(g, s, in);
}

void statements(generator *g, scope *s, stmt *in, unsigned count) {
  for (unsigned n = 0; n < count; n++) {
    statement(g, s, in);
    const char *v = g->k && chance(g, 20) ? assignable(g, s, any_type(g)) : NULL;
    if (v)
      see(g, in, v);
  }
}
