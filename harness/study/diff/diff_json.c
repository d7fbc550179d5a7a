// SPDX-License-Identifier: Apache-2.0
// A comparison as JSON. Keys: docs/diff.md.
#include <inttypes.h>
#include <math.h>
#include "diff_priv.h"

static void put_whole(json_writer *j, const char *key, int64_t n) {
  char text[32];
  snprintf(text, sizeof text, "%" PRId64, n);
  jw_word(j, key, text);
}

static void put_pair(json_writer *j, const int64_t n[2]) {
  put_whole(j, "a", n[0]);
  put_whole(j, "b", n[1]);
  put_whole(j, "difference", n[1] - n[0]);
}

static void put_run(json_writer *j, const char *key, const diff_run *r) {
  char machine[DIFF_MACHINE];
  jw_break(j, 1);
  jw_object(j, key);
  jw_text(j, "file", r->name);
  jw_text(j, "program", r->program);
  jw_text(j, "arguments", r->arguments);
  jw_text(j, "machine", r->machine_name ? r->machine_name : "mpu");
  jw_text(j, "config", diff_machine(r, machine));
  jw_text(j, "configuration_hash", r->hash);
  jw_text(j, "near", r->near);
  jw_text(j, "result", r->result);
  jw_text(j, "end", r->end);
  jw_text(j, "memory_digest", r->digest);
  jw_text(j, "commit", tree_text(tree_at(r->top, "build.commit"), NULL));
  if (r->timed)
    jw_number(j, "cycles", "%.17g", (double)r->cycles / (double)r->parts);
  else
    jw_null(j, "cycles");
  jw_count(j, "cores", r->cores);
  jw_number(j, "warp_instructions", "%.0f", r->instructions);
  jw_end(j);
}

static void put_keys(json_writer *j, const diff_keys *k) {
  jw_break(j, 1);
  if (!k->known) {
    jw_null(j, "configuration");
    return;
  }
  jw_list(j, "configuration");
  for (size_t n = 0; n < k->n; n++) {
    jw_break(j, 2);
    jw_object(j, NULL);
    jw_text(j, "key", k->all[n].name);
    jw_text(j, "a", k->all[n].value[0]);
    jw_text(j, "b", k->all[n].value[1]);
    jw_text(j, "unit", k->all[n].unit);
    jw_end(j);
  }
  jw_end(j);
}

static void put_parts(json_writer *j, const diff_parts *p) {
  jw_break(j, 1);
  if (!p->known) {
    jw_null(j, "causes");
    return;
  }
  jw_object(j, "causes");
  put_whole(j, "per_cycle", p->per_cycle);
  jw_list(j, "parts");
  for (size_t k = 0; k < p->n; k++) {
    jw_break(j, 2);
    jw_object(j, NULL);
    jw_text(j, "cause", p->all[k].name);
    put_pair(j, p->all[k].cycles);
    jw_end(j);
  }
  jw_end(j);
  jw_break(j, 2);
  jw_object(j, "all");
  put_pair(j, p->cycles);
  jw_end(j);
  jw_end(j);
}

static void put_counters(json_writer *j, const diff_counters *c) {
  jw_break(j, 1);
  jw_list(j, "counters");
  for (size_t k = 0; k < c->n; k++) {
    const diff_counter *x = &c->all[k];
    jw_break(j, 2);
    jw_object(j, NULL);
    jw_text(j, "counter", x->name);
    jw_text(j, "unit", x->unit);
    jw_text(j, "what", x->doc);
    jw_number(j, "a", "%.17g", x->value[0]);
    jw_number(j, "b", "%.17g", x->value[1]);
    jw_number(j, "effect", "%.6g", x->costs ? x->effect : NAN);
    jw_text(j, "each", x->costs ? x->how : NULL);
    jw_end(j);
  }
  jw_end(j);
  jw_break(j, 1);
  jw_count(j, "counters_same", c->same);
  jw_count(j, "counters_only_a", c->only[0]);
  jw_count(j, "counters_only_b", c->only[1]);
}

static void put_array(json_writer *j, const char *key, const diff_array *a) {
  if (!a) {
    jw_null(j, key);
    return;
  }
  jw_object(j, key);
  jw_text(j, "place", a->place);
  jw_number(j, "allocations", "%.0f", a->allocations);
  jw_number(j, "bytes", "%.0f", a->bytes);
  for (int k = 0; k < DIFF_COUNTS; k++)
    jw_number(j, diff_count_names[k], "%.0f", a->count[k]);
  jw_end(j);
}

static void put_arrays(json_writer *j, const diff_arrays *a) {
  jw_break(j, 1);
  if (!a->known) {
    jw_null(j, "arrays");
    return;
  }
  jw_list(j, "arrays");
  for (size_t k = 0; k < a->n; k++) {
    const diff_pair *x = &a->all[k];
    jw_break(j, 2);
    jw_object(j, NULL);
    jw_text(j, "array", x->of[x->of[0] ? 0 : 1]->name);
    jw_text(j, "kind", x->of[x->of[0] ? 0 : 1]->kind);
    jw_number(j, "effect", "%.6g", x->costs ? x->effect : NAN);
    jw_text(j, "resource", x->costs ? x->how : NULL);
    put_array(j, "a", x->of[0]);
    put_array(j, "b", x->of[1]);
    jw_end(j);
  }
  jw_end(j);
  jw_break(j, 1);
  jw_count(j, "arrays_same", a->same);
}

static void put_two(json_writer *j, const char *key, const double x[2]) {
  jw_object(j, key);
  jw_number(j, "a", "%.9g", x[0]);
  jw_number(j, "b", "%.9g", x[1]);
  jw_end(j);
}

static void put_joules(json_writer *j, const diff_joules *e) {
  jw_break(j, 1);
  if (!e->known) {
    jw_null(j, "energy");
    return;
  }
  jw_object(j, "energy");
  put_two(j, "joules", e->total);
  put_two(j, "idle_joules", e->idle);
  put_two(j, "joule_seconds", e->edp);
  jw_list(j, "components");
  for (size_t k = 0; k < e->n; k++) {
    jw_break(j, 2);
    jw_object(j, NULL);
    jw_text(j, "group", e->all[k].group);
    jw_text(j, "component", e->all[k].name);
    jw_number(j, "a", "%.9g", e->all[k].joules[0]);
    jw_number(j, "b", "%.9g", e->all[k].joules[1]);
    jw_end(j);
  }
  jw_end(j);
  jw_end(j);
}

static void put_line(json_writer *j, const diff_line *l) {
  jw_break(j, 4);
  jw_object(j, NULL);
  jw_text(j, "where", l->where);
  jw_text(j, "how", l->how);
  jw_text(j, "text", l->text);
  for (int s = 0; s < 2; s++) {
    jw_text(j, s ? "file_b" : "file_a", l->file[s]);
    jw_count(j, s ? "line_b" : "line_a", l->line[s]);
  }
  put_pair(j, l->cycles);
  jw_object(j, "by_cause");
  for (int c = 0; c < DIFF_CAUSES; c++)
    if (l->cause[c][0] || l->cause[c][1]) {
      jw_object(j, diff_cause_names[c]);
      put_pair(j, l->cause[c]);
      jw_end(j);
    }
  jw_end(j);
  jw_end(j);
}

static void put_lines(json_writer *j, const diff_lines *l) {
  jw_break(j, 1);
  if (!l->known) {
    jw_null(j, "lines");
    return;
  }
  jw_object(j, "lines");
  put_whole(j, "per_cycle", l->per_cycle);
  jw_list(j, "kernels");
  for (size_t k = 0; k < l->n; k++) {
    const diff_kernel *x = &l->all[k];
    jw_break(j, 2);
    jw_object(j, NULL);
    for (int s = 0; s < 2; s++) {
      jw_text(j, s ? "kernel_b" : "kernel_a", x->name[s]);
      jw_count(j, s ? "launches_b" : "launches_a", x->launches[s]);
    }
    put_pair(j, x->cycles);
    jw_list(j, "rows");
    for (size_t n = 0; n < x->n; n++)
      put_line(j, &x->lines[n]);
    jw_end(j);
    jw_end(j);
  }
  jw_end(j);
  jw_end(j);
}

void diff_json(const diff *d, FILE *to) {
  json_writer j = jw_to(to);
  jw_object(&j, NULL);
  jw_count(&j, "schema", DIFF_SCHEMA);
  jw_truth(&j, "same", d->same);
  jw_text(&j, "verdict", d->verdict);
  jw_list(&j, "notes");
  for (size_t k = 0; k < d->n_notes; k++)
    jw_text(&j, NULL, d->notes[k]);
  jw_end(&j);
  put_run(&j, "a", d->run[0]);
  put_run(&j, "b", d->run[1]);
  put_keys(&j, &d->keys);
  put_parts(&j, &d->parts);
  put_counters(&j, &d->counters);
  put_arrays(&j, &d->arrays);
  put_joules(&j, &d->joules);
  put_lines(&j, &d->lines);
  jw_end(&j);
  fputc('\n', to);
}
