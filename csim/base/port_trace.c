// SPDX-License-Identifier: Apache-2.0
#include "port_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/vcd.h"

struct port_trace {
  const block_ops *ops;
  rtl_trace to;
  unsigned char *in, *out;  // as they were written
  char line[];              // as long as the widest port needs
};

static void say(const port_trace *t, const char *text, size_t bytes) {
  t->to.write(t->to.ctx, text, bytes);
}

static void say_time(const port_trace *t, uint64_t cycle, unsigned time) {
  char text[32];
  const int n = snprintf(text, sizeof text, "#%" PRIu64 "\n", RTL_TRACE_TIMES * cycle + time);
  say(t, text, (size_t)n);
}

static void say_value(port_trace *t, size_t port, const uint32_t *words) {
  say(t, t->line, vcd_put_value(t->line, (uint32_t)port, t->ops->ports[port].bits, words));
}

// Those of one direction that are not as they were, or all.
static void say_values(port_trace *t, block_dir dir, const void *now, bool all) {
  unsigned char *before = dir == BLOCK_IN ? t->in : t->out;
  for (size_t k = 0; k < t->ops->n_ports; k++) {
    const block_port *p = &t->ops->ports[k];
    const unsigned char *x = (const unsigned char *)now + p->offset;
    if (p->dir == dir && (all || memcmp(x, before + p->offset, 4 * BLOCK_WORDS(p->bits)) != 0))
      say_value(t, k, (const uint32_t *)(const void *)x);
  }
  memcpy(before, now, dir == BLOCK_IN ? t->ops->in_bytes : t->ops->out_bytes);
}

static void say_header(port_trace *t, const char *name) {
  static const char end[] = "$upscope $end\n$enddefinitions $end\n";
  char text[160];
  say(t, text, (size_t)snprintf(text, sizeof text, "$scope module %s $end\n", name));
  for (size_t k = 0; k < t->ops->n_ports; k++) {
    const block_port *p = &t->ops->ports[k];
    const char *suffix = !strcmp(p->name, "rst_n") ? "i" : p->dir == BLOCK_IN ? "_i" : "_o";
    say(t, text, vcd_put_var(text, sizeof text, (uint32_t)k, p->name, suffix, p->bits));
  }
  say(t, end, sizeof end - 1);
}

port_trace *port_trace_new(const char *name, const block_ops *ops, const rtl_trace *to,
                           const void *in, const void *out) {
  uint32_t widest = 0;
  for (size_t k = 0; k < ops->n_ports; k++)
    widest = ops->ports[k].bits > widest ? ops->ports[k].bits : widest;
  port_trace *t = calloc(1, sizeof *t + widest + VCD_CODE + 4);
  if (!t)
    return NULL;
  *t = (port_trace){
      .ops = ops, .to = *to, .in = malloc(ops->in_bytes), .out = malloc(ops->out_bytes)};
  if (!t->in || !t->out) {
    port_trace_free(t);
    return NULL;
  }
  say_header(t, name);
  say_time(t, *to->cycle, RTL_TRACE_EDGE);
  say_values(t, BLOCK_IN, in, true);
  say_values(t, BLOCK_OUT, out, true);
  return t;
}

void port_trace_free(port_trace *t) {
  if (!t)
    return;
  free(t->in);
  free(t->out);
  free(t);
}

void port_trace_inputs(port_trace *t, const void *in) {
  if (!memcmp(t->in, in, t->ops->in_bytes))
    return;
  say_time(t, *t->to.cycle, RTL_TRACE_HIGH);
  say_values(t, BLOCK_IN, in, false);
}

void port_trace_outputs(port_trace *t, const void *out) {
  say_time(t, *t->to.cycle + 1, RTL_TRACE_EDGE);
  say_values(t, BLOCK_OUT, out, false);
}
