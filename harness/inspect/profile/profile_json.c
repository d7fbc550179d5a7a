// SPDX-License-Identifier: Apache-2.0
// A profile as JSON: all that was counted. Keys: docs/profile.md.
#include <inttypes.h>

#include "harness/base/json.h"
#include "profile_view.h"

enum { SCHEMA = 1 };

static void put_key(FILE *f, const char *before, const char *key, const char *value) {
  fprintf(f, "%s\"%s\": ", before, key);
  jw_put_text(f, value);
}

static void put_number(FILE *f, const char *key, uint64_t n) {
  fprintf(f, ", \"%s\": %" PRIu64, key, n);
}

static void put_traffic(FILE *f, const char *key, const profile_traffic *t) {
  const char *comma = "";
  fprintf(f, ", \"%s\": {", key);
#define PROFILE_TRAFFIC(name, unit, doc) \
  fprintf(f, "%s\"" #name "\": %" PRIu64, comma, t->name), comma = ", ";
#include "profile.def"
  fputs(", \"packets\": {", f);
  for (uint32_t n = 0; n < PROFILE_PACKETS; n++)
    fprintf(f, "%s\"%s\": %" PRIu64, n ? ", " : "", profile_packet_names[n], t->packets[n]);
  fputs("}}", f);
}

// ", key: value" of its own.
static void put_counts(FILE *f, const profile_counts *c) {
  const char *comma = "";
  fputs(", \"cycles\": {", f);
  for (uint32_t n = 0; n < PROFILE_CAUSES; n++)
    fprintf(f, "%s\"%s\": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", n ? ", " : "",
            profile_cause_names[n], c->cycles[n][0], c->cycles[n][1], c->cycles[n][2],
            c->cycles[n][3]);
  fputs("}", f);
#define PROFILE_COUNT(name, unit, doc) put_number(f, #name, c->name);
#include "profile.def"
  put_traffic(f, "traffic", &c->own);
  put_traffic(f, "traffic_elsewhere", &c->served);
  fputs(", \"latencies\": [", f);
  for (uint32_t n = 0; n < PROFILE_BUCKETS; n++)
    if (c->latencies[n]) {
      fprintf(f, "%s{\"from\": %" PRIu64 ", \"count\": %" PRIu64 "}", comma, bucket_from(n),
              c->latencies[n]);
      comma = ", ";
    }
  fputs("]", f);
}

static void put_instruction(FILE *f, const profile_kernel *k, uint32_t n) {
  const profile_instruction *i = &k->instructions[n];
  fprintf(f, "%s{\"pc\": %u", n ? ",\n   " : "\n   ", 16 * n);
  put_key(f, ", ", "text", i->text);
  put_key(f, ", ", "cuda_file", i->file);
  put_number(f, "cuda_line", i->cuda_line);
  put_number(f, "ptx_line", i->ptx_line);
  put_counts(f, &k->counts[n]);
  fputs("}", f);
}

// Can JSON have it? Sources may be in another encoding than UTF-8.
static bool is_utf8(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  while (*s) {
    const unsigned more = *s < 0x80 ? 0 : *s < 0xe0 ? 1 : *s < 0xf0 ? 2 : 3;
    const unsigned first = more ? s[1] : 0xff;
    if ((*s >= 0x80 && *s < 0xc2) || *s > 0xf4 || (*s == 0xc2 && first < 0xa0) ||
        (*s == 0xe0 && first < 0xa0) || (*s == 0xed && first > 0x9f) ||
        (*s == 0xf0 && first < 0x90) || (*s == 0xf4 && first > 0x8f))
      return false;
    for (unsigned k = 1; k <= more; k++)
      if ((s[k] & 0xc0) != 0x80)
        return false;
    s += 1 + more;
  }
  return true;
}

// The text of each line as it is now: whoever compares two profiles can tell lines that moved.
static void put_lines(FILE *f, const profile_run *r, const profile_kernel *k) {
  const char *comma = "";
  profile_view *v = profile_view_new(r, k, PROFILE_BY_LINE);
  fputs("],\n  \"lines\": [", f);
  for (uint32_t n = 0; n < v->n; n++) {
    const profile_row *row = &v->rows[n];
    uint32_t first = 0;
    while (v->row_of[first] != n)
      first++;
    const char *text = profile_view_text(v, row->file, row->line);
    if (!row->line || row->line > v->files[row->file].n || !is_utf8(text))
      continue;
    fprintf(f, "%s\n   ", comma);
    put_key(f, "{", "cuda_file", k->instructions[first].file);
    put_number(f, "cuda_line", row->line);
    put_key(f, ", ", "text", text);
    fputs("}", f);
    comma = ",";
  }
  profile_view_free(v);
}

static void put_kernel(FILE *f, const profile_run *r, const profile_kernel *k) {
  put_key(f, "{", "kernel", k->name);
  put_key(f, ", ", "name", k->called);
  put_number(f, "launches", k->launches);
  put_number(f, "run_cycles", k->cycles);
  put_number(f, "drain_cycles", k->drain);
  fputs(", \"instructions\": [", f);
  for (uint32_t n = 0; n < k->n; n++)
    put_instruction(f, k, n);
  put_lines(f, r, k);
  fputs("],\n  \"others\": {", f);
  for (uint32_t n = 0; n < PROFILE_OTHERS; n++) {
    fprintf(f, "%s\"%s\": ", n ? ",\n   " : "\n   ", profile_other_names[n]);
    put_key(f, "{", "what", profile_other_texts[n]);
    put_counts(f, profile_rest(k, (profile_other)n));
    fputs("}", f);
  }
  fputs("}}", f);
}

void profile_json(FILE *f, const profile_run *r) {
  const profile *p = r->data;
  fprintf(f, "{\"schema\": %d", SCHEMA);
  put_key(f, ", ", "program", r->program);
  fputs(", \"arguments\": [", f);
  for (size_t n = 0; n < r->n_arguments; n++) {
    fputs(n ? ", " : "", f);
    jw_put_text(f, r->arguments[n]);
  }
  put_key(f, "], ", "config", r->config);
  put_key(f, ", ", "near", r->near);
  put_key(f, ", ", "result", p->result);
  put_key(f, ", ", "end", p->end);
  put_number(f, "cores", p->cores);
  fputs(",\n \"kernels\": [", f);
  for (uint32_t n = 0; n < p->n; n++) {
    fputs(n ? ",\n " : "\n ", f);
    put_kernel(f, r, &p->kernels[n]);
  }
  fputs("]}\n", f);
}
