// SPDX-License-Identifier: Apache-2.0
// Programs: types, tables and functions, then kernels, which give their variables back at the end.
#include "generate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void line(generator *g, stmt *in, const char *text) {
  stmt_add(in, stmt_new(g, text, NULL));
}

// That the reducer does not leave out.
static void kept(generator *g, stmt *in, const char *text) {
  line(g, in, text);
  stmt_keep(g, in->last);
}

// ---- what is outside of kernels

static void make_record(generator *g, stmt *in) {
  record *r = &g->records[g->record_count++];
  r->name = fresh(g, "r");
  r->count = 2 + below(g, FIELDS_MAX - 1);
  const char *text = say(g, "struct %s {", r->name);
  for (unsigned n = 0; n < r->count; n++) {
    const char type = any_type(g);
    r->types[n] = type;
    r->fields[n] = say(g, ".m%u", n);
    // a bit field takes any value, and keeps some bits
    if (strchr("iu", type) && chance(g, 25) && (r->bit_fields = true))
      text = say(g, "%s %s m%u : %u;", text, type_name(type), n, 1 + below(g, 31));
    else
      text = say(g, "%s %s m%u;", text, type_name(type), n);
  }
  line(g, in, say(g, "%s };", text));
}

static void make_table(generator *g, stmt *in) {
  const char type = any_type(g), *name = fresh(g, "t");
  const unsigned count = 4u << below(g, 3);
  const char *text = say(g, "%s %s %s[%u] = {", chance(g, 60) ? "__constant__" : "__device__",
                         type_name(type), name, count);
  for (unsigned n = 0; n < count; n++)
    text = say(g, "%s%s%s", text, n ? ", " : "", literal(g, type));
  line(g, in, say(g, "%s};", text));
  g->tables[g->table_count++] = (array){type, name, count, true};
}

static void add_tables(generator *g, scope *s) {
  for (unsigned n = 0; n < g->table_count; n++)
    scope_array(s, g->tables[n].type, g->tables[n].text, g->tables[n].count, true);
}

static void add_record(scope *s, generator *g, const record *r, const char *name) {
  for (unsigned n = 0; n < r->count; n++)
    scope_value(s, r->types[n], say(g, "%s%s", name, r->fields[n]), false);
}

// Its arguments, as text, and as what its body can name.
static const char *make_arguments(generator *g, function *f, scope *s) {
  const char *args = "";
  f->arg_count = 1 + below(g, 4);
  for (unsigned n = 0; n < f->arg_count; n++) {
    f->args[n] = any_type(g);
    const char *name = say(g, "a%u", n);
    args = say(g, "%s%s%s %s", args, n ? ", " : "", type_name(f->args[n]), name);
    scope_value(s, f->args[n], name, false);
  }
  if (chance(g, 40)) {
    f->pointer = "iufL"[below(g, 4)];
    args = say(g, "%s, %s *q", args, type_name(f->pointer));
    scope_array(s, f->pointer, "q", 8, false);
  }
  if (g->record_count && chance(g, 50)) {
    f->by_reference = (int)below(g, g->record_count);
    f->of_records = chance(g, 40);
    const record *r = &g->records[f->by_reference];
    args = say(g, "%s, %s %so", args, r->name, !f->of_records && chance(g, 60) ? "&" : "");
    add_record(s, g, r, "o");
  }
  return args;
}

static void make_function(generator *g, stmt *in) {
  function f = {.name = fresh(g, "f"), .result = any_type(g), .by_reference = -1};
  scope s = {.result = f.result};
  const char *args = make_arguments(g, &f, &s), *type = type_name(f.result), *before = "";
  if (f.of_records) {
    s.result = 0;
    type = g->records[f.by_reference].name;
  } else if (chance(g, 30)) {
    f.templated = true;
    before = "template <class T, int N> ";
    type = "T";
    scope_value(&s, 'i', "N", true);
  }
  add_tables(g, &s);
  if (chance(g, 15))
    before = say(g, "%s__noinline__ ", before);
  stmt *body = stmt_new(g,
                        say(g, "%s__device__ %s%s %s(%s) {", before, f.templated ? "" : "static ",
                            type, f.name, args),
                        "}");
  stmt_add(in, body);
  for (unsigned n = 0; n < 2; n++) {
    const char t = n ? any_type(g) : f.result, *name = say(g, "v%u", n);
    line(g, body,
         say(g, "%s %s = %s;", n || !f.templated ? type_name(t) : "T", name,
             expression(g, &s, t, 1)));
    scope_value(&s, t, name, false);
  }
  g->statements = 8;
  statements(g, &s, body, 2 + below(g, 4));
  kept(g, body, f.of_records ? "return o;" : say(g, "return %s;", expression(g, &s, f.result, 2)));
  g->functions[g->function_count++] = f;
}

// ---- kernels

static void shape(generator *g, kernel *k) {
  static const uint32_t threads[][3] = {{32, 1, 1},  {64, 1, 1}, {40, 1, 1}, {8, 8, 1},
                                        {16, 3, 1},  {5, 5, 3},  {33, 1, 1}, {4, 4, 4},
                                        {96, 1, 1},  {1, 32, 1}, {7, 9, 1},  {2, 2, 16},
                                        {128, 1, 1}, {11, 1, 1}, {32, 2, 1}};
  static const uint32_t blocks[][3] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1},
                                       {2, 1, 2}, {3, 1, 1}, {1, 1, 2}};
  memcpy(k->threads, threads[below(g, 15)], sizeof k->threads);
  memcpy(k->blocks, blocks[below(g, 6)], sizeof k->blocks);
  g->threads = k->threads[0] * k->threads[1] * k->threads[2];
}

static void add_param(generator *g, kernel *k, const char *type, unsigned align, const void *bytes,
                      unsigned size, const char *name) {
  k->param_bytes = (k->param_bytes + align - 1) / align * align;
  k->signature = say(g, "%s, %s %s", k->signature, type, name);
  k->call = say(g, "%s, *(const %s *)(q + %u)", k->call, type, k->param_bytes);
  memcpy(k->params + k->param_bytes, bytes, size);
  k->param_bytes += size;
}

// A record by value: its bytes as C++ lays them out.
static void record_param(generator *g, scope *s, kernel *k, const record *r) {
  uint8_t bytes[FIELDS_MAX * 8] = {0};
  unsigned size = 0, align = 1;
  for (unsigned n = 0; n < r->count; n++) {
    const unsigned own = type_bytes(r->types[n]);
    const uint64_t bits = draw(g);
    const float f = (float)(bits % 5000) / 16.0f;
    const double d = (double)(bits % 900000) / 32.0;
    size = (size + own - 1) / own * own;
    memcpy(bytes + size,
           r->types[n] == 'f'   ? (const void *)&f
           : r->types[n] == 'd' ? (const void *)&d
                                : &bits,
           own);
    size += own;
    align = own > align ? own : align;
  }
  add_param(g, k, r->name, align, bytes, (size + align - 1) / align * align, "y");
  add_record(s, g, r, "y");
}

static void make_params(generator *g, scope *s, kernel *k) {
  k->signature =
      "const unsigned char *in, const unsigned char *prev, unsigned char *out, u32 *sums";
  k->call =
      "*(const unsigned char *const *)q, *(const unsigned char *const *)(q + 8), "
      "*(unsigned char *const *)(q + 16), *(u32 *const *)(q + 24)";
  k->param_bytes = 32;
  const unsigned count = below(g, 4);
  for (unsigned n = 0; n < count; n++) {
    const char type = any_type(g), *name = say(g, "x%u", n);
    uint64_t bits = draw(g);
    const float f = (float)(bits % 1000) / 8.0f;
    const double d = (double)(bits % 100000) / 64.0;
    const void *bytes = type == 'f' ? (const void *)&f : type == 'd' ? (const void *)&d : &bits;
    add_param(g, k, type_name(type), type_bytes(type), bytes, type_bytes(type), name);
    scope_value(s, type, name, false);
  }
  if (g->record_count && !g->records[0].bit_fields && chance(g, 50))
    record_param(g, s, k, &g->records[0]);
}

// Two of each record, with values of the input.
static void make_records(generator *g, scope *s, stmt *body) {
  for (unsigned n = 0; n < g->record_count; n++) {
    const record *r = &g->records[n];
    for (unsigned k = 0; k < 2; k++) {
      const char *name = say(g, "%s_%u", r->name, k);
      line(g, body, say(g, "%s %s = {};", r->name, name));
      for (unsigned m = 0; m < r->count; m++)
        line(g, body,
             say(g, "%s%s = load<%s>(in, tid * %u + %u, %u);", name, r->fields[m],
                 type_name(r->types[m]), 1 + below(g, 9), below(g, 900), PROGRAM_IN));
      add_record(s, g, r, name);
    }
  }
}

// Memory that belongs to the thread: in registers or local memory, and behind its variables.
static void make_arrays(generator *g, scope *s, stmt *body) {
  const unsigned count = below(g, 3);
  for (unsigned n = 0; n < count; n++) {
    const char type = any_type(g), *name = say(g, "l%u", n);
    const unsigned size = 4u << below(g, 3);
    line(
        g, body,
        say(g, "%s %s[%u]; for (u32 n = 0; n < %u; n++) %s[n] = load<%s>(in, tid + n * %u, %u);",
            type_name(type), name, size, size, name, type_name(type), 1 + below(g, 7), PROGRAM_IN));
    scope_array(s, type, name, size, false);
  }
  line(g, body, say(g, "u32 *own_u = (u32 *)(region + %u);", 8 * PROGRAM_VARS));
  scope_array(s, 'u', "own_u", 4, false);
  for (unsigned n = 1; n < PROGRAM_OWN / 16; n++) {
    const char type = any_type(g), *name = say(g, "own_%u", n);
    line(g, body,
         say(g, "%s *%s = (%s *)(region + %u);", type_name(type), name, type_name(type),
             8 * PROGRAM_VARS + 16 * n));
    scope_array(s, type, name, 16 / type_bytes(type), false);
  }
}

// The thread's own part of shared memory.
static void make_shared(generator *g, scope *s, kernel *k, stmt *body) {
  const char type = any_type(g), *t = type_name(type);
  const unsigned bytes = g->threads * 4 * type_bytes(type);
  if (chance(g, 50)) {
    k->dynamic_shared = bytes;
    line(g, body, say(g, "DYNAMIC_SHARED(dynamic); %s *sh_own = (%s *)dynamic + tid * 4;", t, t));
  } else {
    line(g, body,
         say(g, "__shared__ %s sh_all[%u]; %s *sh_own = sh_all + tid * 4;", t, 4 * g->threads, t));
  }
  body->last->end = say(g, "for (u32 n = 0; n < 4; n++) sh_own[n] = load<%s>(in, tid * 3 + n, %u);",
                        t, PROGRAM_IN);
  scope_array(s, type, "sh_own", 4, false);
  g->shared += bytes;
}

// Vectors, of which the elements are variables.
static void make_vectors(generator *g, scope *s, stmt *body) {
  static const char names[][10] = {"int2",   "int4",   "uint2",   "uint4",     "short4",
                                   "uchar4", "float4", "double2", "longlong2", "float2"};
  static const char types[] = "iiuusCfdlf";
  const unsigned count = below(g, 3);
  for (unsigned n = 0; n < count; n++) {
    const unsigned which = below(g, 10),
                   width = (unsigned)(names[which][strlen(names[which]) - 1] - '0');
    const char *name = say(g, "w%u", n), *text = say(g, "%s %s = {", names[which], name);
    for (unsigned m = 0; m < width; m++)
      text = say(g, "%s%sload<%s>(in, tid * %u + %u, %u)", text, m ? ", " : "",
                 type_name(types[which]), 1 + below(g, 5), below(g, 999), PROGRAM_IN);
    line(g, body, say(g, "%s};", text));
    for (unsigned m = 0; m < width; m++)
      scope_value(s, types[which], say(g, "%s.%c", name, "xyzw"[m]), false);
  }
}

static void make_variables(generator *g, scope *s, kernel *k, stmt *body) {
  const unsigned count = 5 + below(g, 7);
  for (unsigned n = 0; n < count; n++) {
    const char type = n < 2 ? "iu"[n] : any_type(g), *name = say(g, "v%u", n);
    line(g, body,
         say(g, "%s %s = load<%s>(in, tid * %u + block * %u + %u, %u);", type_name(type), name,
             type_name(type), below(g, 6), below(g, 99), below(g, 999), PROGRAM_IN));
    scope_value(s, type, name, false);
    k->vars[k->var_count++] = name;
  }
}

// NaNs in memory that the host compares have one form.
static void clean_own(generator *g, const scope *s, stmt *in) {
  for (unsigned n = 0; n < s->array_count; n++)
    if (is_float(s->arrays[n].type) && strncmp(s->arrays[n].text, "own_", 4) == 0)
      kept(g, in,
           say(g, "for (u32 n = 0; n < %u; n++) %s[n] = num(%s[n]);", s->arrays[n].count,
               s->arrays[n].text, s->arrays[n].text));
}

// All variables, fields and a sum of local arrays, to where the host reads them.
static void give_back(generator *g, const scope *s, kernel *k, stmt *body) {
  for (unsigned n = 0; n < g->record_count; n++)
    for (unsigned m = 0; m < g->records[n].count && k->var_count < PROGRAM_VARS - 2; m++)
      k->vars[k->var_count++] = say(g, "%s_0%s", g->records[n].name, g->records[n].fields[m]);
  for (unsigned n = 0; n < s->value_count && k->var_count < PROGRAM_VARS - 2; n++)
    if (s->values[n].text[0] == 'w')
      k->vars[k->var_count++] = s->values[n].text;
  for (unsigned n = 0; n < s->array_count && k->var_count < PROGRAM_VARS; n++)
    if (s->arrays[n].text[0] == 'l')
      k->vars[k->var_count++] = say(g, "%s[%u]", s->arrays[n].text, below(g, s->arrays[n].count));
  for (unsigned n = 0; n < k->var_count; n++)
    line(g, body, say(g, "put(region + %u, %s);", 8 * n, k->vars[n]));
  clean_own(g, s, body);
}

// Some threads may end before the others; then there are no barriers any more.
static void end_some(generator *g, scope *s, stmt *body) {
  stmt *n = stmt_new(g, say(g, "if (%s) {", expression(g, s, 'b', 2)), "return; }");
  stmt_add(body, n);
  line(g, n, say(g, "put(region, %s);", expression(g, s, 'u', 2)));
  clean_own(g, s, n);
  kept(g, body, "all = __ballot_sync(0xffffffff, 1);");
  s->uniform = false;
}

static void make_kernel(generator *g, unsigned number) {
  program *p = g->p;
  kernel *k = &p->kernels[number];
  snprintf(k->name, sizeof k->name, "p%u_k%u", p->number, number);
  g->k = k;
  g->shared = 0;
  shape(g, k);
  scope s = {.uniform = true, .mask = "all"};
  make_params(g, &s, k);
  k->bounds = chance(g, 20) ? say(g, "__launch_bounds__(%u) ", g->threads) : "";
  stmt *body = k->body = stmt_new(g, NULL, NULL);
  stmt_keep(g, body);
  kept(g, body,
       "const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);");
  kept(g, body,
       "const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);");
  line(
      g, body,
      say(g, "unsigned char *region = out + (block * %u + tid) * %u;", g->threads, PROGRAM_REGION));
  kept(g, body, "u32 all = __ballot_sync(0xffffffff, 1);");
  kept(g, body, "u64 seen = 0;");
  k->vars[k->var_count++] = "seen";
  make_variables(g, &s, k, body);
  make_arrays(g, &s, body);
  make_records(g, &s, body);
  make_vectors(g, &s, body);
  if (chance(g, 40))
    make_shared(g, &s, k, body);
  add_tables(g, &s);
  scope_value(&s, 'u', "tid", true);
  scope_value(&s, 'u', "block", true);
  g->statements = 10;
  statements(g, &s, body, 4 + below(g, 4));
  if (chance(g, 20))
    end_some(g, &s, body);
  g->statements += 4;
  statements(g, &s, body, 2 + below(g, 4));
  give_back(g, &s, k, body);
  g->prev = 4096;
  while (g->prev > k->blocks[0] * k->blocks[1] * k->blocks[2] * g->threads * PROGRAM_REGION)
    g->prev /= 2;
}

program *program_generate(uint64_t seed, unsigned number) {
  program *p = calloc(1, sizeof *p);
  assert(p);
  p->seed = seed;
  p->number = number;
  generator g = {.p = p, .x = seed * 0x632be59bd9b4e019u + number};
  p->global = stmt_new(&g, NULL, NULL);
  stmt_keep(&g, p->global);
  const unsigned records = below(&g, STRUCTS_MAX + 1), tables = below(&g, 3);
  for (unsigned n = 0; n < records; n++)
    make_record(&g, p->global);
  for (unsigned n = 0; n < tables; n++)
    make_table(&g, p->global);
  const unsigned functions = below(&g, FUNCTIONS_MAX);
  for (unsigned n = 0; n < functions; n++)
    make_function(&g, p->global);
  p->kernel_count = chance(&g, 60) ? 1 : 1 + below(&g, PROGRAM_KERNELS);
  for (unsigned n = 0; n < p->kernel_count; n++)
    make_kernel(&g, n);
  return p;
}

// ---- as text

static void write_stmt(const stmt *n, unsigned indent, FILE *f) {
  if (n->off)
    return;
  if (n->text && !n->open)
    fprintf(f, "%*s%s\n", (int)indent, "", n->text);
  for (const stmt *k = n->first; k; k = k->next)
    write_stmt(k, indent + 2, f);
  if (n->otherwise && !n->open)
    write_stmt(n->otherwise, indent, f);
  if (n->end && !n->open)
    fprintf(f, "%*s%s\n", (int)indent, "", n->end);
}

void program_write(const program *p, FILE *f) {
  fprintf(f, "namespace p%u {\n", p->number);
  write_stmt(p->global, 0, f);
  for (unsigned n = 0; n < p->kernel_count; n++) {
    const kernel *k = &p->kernels[n];
    fprintf(f, "extern \"C\" __global__ void %s%s(%s) {\n", k->bounds, k->name, k->signature);
    write_stmt(k->body, 0, f);
    fprintf(f,
            "}\n#ifdef EMULATED\nextern \"C\" void %s_call(const unsigned char *q) {\n  "
            "%s(%s);\n}\n#endif\n",
            k->name, k->name, k->call);
  }
  fprintf(f, "}  // namespace p%u\n\n", p->number);
}
