// SPDX-License-Identifier: Apache-2.0
// mpu noc: synthetic traffic on the network.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/noc/noc_of.h"
#include "harness/base/noc/traffic.h"
#include "harness/study/plot/plot.h"
#include "harness/study/plot/points.h"
#include "harness/study/sweep/sweep.h"
#include "tool.h"

enum { WHY = 1024, CURVES = 8, LOADS = 64 };

typedef struct options {
  traffic_config t;
  double loads[LOADS];
  size_t n_loads;
  bool sized, packet;  // --size, --packet was given
  const char *plot, *points;
  bool json;
  sweep sweep;
} options;

typedef struct curve {
  traffic_config t;
  char name[2 * SWEEP_TEXT];
  double empty, saturation;
  double loads[LOADS], latency[LOADS];
  traffic_result results[LOADS];
  size_t count;
} curve;

// ---- options

typedef enum kind { NUMBER, SHARE, PAIR, NAME } kind;

typedef struct option {
  const char *name;
  kind kind;
  double least, most;
  size_t at, second;  // in traffic_config
} option;

#define AT(field) offsetof(traffic_config, field)
static const option known[] = {
    {"--packet", NUMBER, 1, 4096, AT(packet_bytes), 0},
    {"--hotspot", NUMBER, 0, 262143, AT(hotspot), 0},
    {"--share", SHARE, 0, 1, AT(hotspot_share), 0},
    {"--reads", SHARE, 0, 1, AT(read_share), 0},
    {"--short", NUMBER, 1, 4096, AT(short_bytes), 0},
    {"--long", NUMBER, 1, 4096, AT(long_bytes), 0},
    {"--size", PAIR, 1, 1024, AT(net.x), AT(net.y)},
    {"--group", PAIR, 1, 64, AT(net.group_x), AT(net.group_y)},
    {"--chips", PAIR, 1, 256, AT(net.chips_x), AT(net.chips_y)},
    {"--gateways", NUMBER, 1, 16, AT(net.gateways), 0},
    {"--depth", NUMBER, 1, 1024, AT(net.depth), 0},
    {"--off-depth", NUMBER, 1, 1024, AT(net.off_depth), 0},
    {"--loop", NUMBER, 5, 1024, AT(net.loop), 0},
    {"--vcs", NUMBER, 1, 8, AT(net.vcs), 0},
    {"--flit", NUMBER, 1, 1024, AT(net.flit_bytes), 0},
    {"--off-flit", NUMBER, 1, 1024, AT(net.off_flit_bytes), 0},
    {"--link", NUMBER, 1, 1024, AT(net.link), 0},
    {"--off-link", NUMBER, 1, 1024, AT(net.off_link), 0},
    {"--send", NUMBER, 1, 1024, AT(net.send_packets), 0},
    {"--take", NUMBER, 1, 1024, AT(net.take_packets), 0},
};
enum { KNOWN = sizeof known / sizeof *known };

// A whole number, or with `point` any; up to the end of the text, or of this piece of it.
static bool number(const char **text, const char *stops, bool point, double *value) {
  char *end;
  if (**text < '0' || **text > '9')
    return false;
  *value = point ? strtod(*text, &end) : (double)strtoull(*text, &end, 10);
  *text = end;
  return !*end || strchr(stops, *end);
}

static bool cycles(const char *text, uint64_t least, uint64_t *to) {
  double v;
  if (!number(&text, "", false, &v) || v > 1e12 || v < (double)least)
    return false;
  *to = (uint64_t)v;
  return true;
}

static bool set_known(options *o, const option *k, const char *text) {
  char *to = (char *)&o->t;
  const char *at = text;
  double v[2] = {0};
  bool good = number(&at, k->kind == PAIR ? "x" : "", k->kind == SHARE, &v[0]);
  if (good && k->kind == PAIR)
    good = *at++ == 'x' && number(&at, "", false, &v[1]) && v[1] >= k->least && v[1] <= k->most;
  if (!good || v[0] < k->least || v[0] > k->most) {
    user_error("%s: '%s' is not %s%g to %g", k->name, text,
               k->kind == PAIR ? "COLUMNSxROWS, each " : "", k->least, k->most);
    return false;
  }
  if (k->kind == SHARE) {
    memcpy(to + k->at, v, sizeof *v);
  } else {
    const uint32_t n[2] = {(uint32_t)v[0], (uint32_t)v[1]};
    memcpy(to + k->at, &n[0], sizeof *n);
    if (k->kind == PAIR)
      memcpy(to + k->second, &n[1], sizeof *n);
  }
  o->sized |= k->at == AT(net.x);
  o->packet |= k->at == AT(packet_bytes);
  return true;
}

// The place of a text among names; -1 after a message.
static int choose(const char *option, const char *text, const char *const *names, int count) {
  char all[256] = "";
  for (int n = 0; n < count; n++) {
    if (strcmp(text, names[n]) == 0)
      return n;
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", n ? ", " : "", names[n]);
  }
  user_error("%s: '%s' is not one of %s", option, text, all);
  return -1;
}

// An option that has one value and may be swept; 0: there is none of that name.
static int set(options *o, const char *name, const char *text) {
  int n;
  for (size_t k = 0; k < KNOWN; k++)
    if (strcmp(name, known[k].name) == 0)
      return set_known(o, &known[k], text) ? 1 : 2;
  if (strcmp(name, "--pattern") == 0) {
    if ((n = choose(name, text, traffic_names, TRAFFIC_PATTERNS)) < 0)
      return 2;
    o->t.pattern = (traffic_pattern)n;
    return 1;
  }
  if (strcmp(name, "--topology") == 0) {
    if ((n = choose(name, text, noc_topology_names, NOC_TOPOLOGIES)) < 0)
      return 2;
    o->t.net.topology = (noc_topology)n;
    return 1;
  }
  if (strcmp(name, "--seed") == 0)
    return cycles(text, 0, &o->t.seed)
               ? 1
               : user_error("--seed: '%s' is not a whole number to 10^12", text);
  return 0;
}

static int set_loads(options *o, const char *text) {
  sweep s;
  if (!sweep_list(&s, "--load", text, LOADS))
    return 2;
  for (o->n_loads = 0; o->n_loads < s.n; o->n_loads++) {
    const char *at = s.values[o->n_loads];
    double *v = &o->loads[o->n_loads];
    if (!number(&at, "", true, v) || *v < 0.0001 || *v > 1)
      return user_error("--load: '%s' is not 0.0001 to 1", s.values[o->n_loads]);
  }
  return 1;
}

static int set_sweep(options *o, const char *text) {
  static const char names[] = "an option of the traffic or the network that has one value";
  options scratch = *o;
  if (!sweep_read(&o->sweep, text, names, CURVES))
    return 2;
  for (size_t n = 0; n < o->sweep.n; n++) {
    const int done = set(&scratch, o->sweep.option, o->sweep.values[n]);
    if (done != 1)
      return done ? done : sweep_wrong(text, names);
  }
  return 1;
}

// A flag; false: it is not one.
static bool take_flag(options *o, const char *name) {
  if (strcmp(name, "--json") == 0)
    o->json = true;
  else if (strcmp(name, "--answers") == 0)
    o->t.answers = true;
  else if (strcmp(name, "--unordered") == 0)
    o->t.net.ordered = false;
  else if (strcmp(name, "--oldest") == 0)
    o->t.net.oldest_first = true;
  else
    return false;
  return true;
}

// 1: taken, 2: wrong.
static int take(options *o, const char *name, const char *v) {
  if (take_flag(o, name))
    return 1;
  if (strcmp(name, "--load") == 0)
    return set_loads(o, v);
  if (strcmp(name, "--sweep") == 0)
    return set_sweep(o, v);
  if (strcmp(name, "--plot") == 0 || strcmp(name, "--points") == 0) {
    *(strcmp(name, "--plot") == 0 ? &o->plot : &o->points) = v;
    return 1;
  }
  const struct {
    const char *name;
    uint64_t *to;
    uint64_t least;
  } lengths[] = {
      {"--warm", &o->t.warm, 0}, {"--cycles", &o->t.measure, 1}, {"--drain", &o->t.drain, 0}};
  for (size_t k = 0; k < 3; k++)
    if (strcmp(name, lengths[k].name) == 0)
      return cycles(v, lengths[k].least, lengths[k].to)
                 ? 1
                 : user_error("%s: '%s' is not a number of cycles, %" PRIu64 " to 10^12", name, v,
                              lengths[k].least);
  return set(o, name, v);
}

// What follows from other options.
static traffic_config settled(const options *o) {
  traffic_config t = o->t;
  if (t.pattern == TRAFFIC_VAULTS) {
    const noc_config own = traffic_vaults(t.net.topology);
    t.answers = true;
    if (!o->sized) {
      t.net.x = own.x, t.net.y = own.y;
      t.net.group_x = own.group_x, t.net.group_y = own.group_y;
      t.net.chips_x = t.net.chips_y = 1;
    }
  }
  if (!o->packet)
    t.packet_bytes = t.net.flit_bytes;
  return t;
}

// ---- output

static void print_head(const curve *c) {
  const traffic_config *t = &c->t;
  const noc_config *n = &t->net;
  printf("%s of %" PRIu32 "x%" PRIu32 " terminals", noc_topology_names[n->topology], n->x, n->y);
  if (n->topology == NOC_CONCENTRATED || n->topology == NOC_CONCENTRATED_DIAGONAL)
    printf(" in groups of %" PRIu32 "x%" PRIu32, n->group_x, n->group_y);
  printf(", %" PRIu32 "x%" PRIu32 " chips", n->chips_x, n->chips_y);
  if (n->gateways > 1)
    printf(" with %" PRIu32 " gateways each", n->gateways);
  printf("; %" PRIu32 " virtual channel%s a class%s, buffers of %" PRIu32, n->vcs,
         n->vcs > 1 ? "s" : "",
         n->vcs == 1  ? ""
         : n->ordered ? ", ordered"
                      : ", any",
         n->depth);
  if (n->chips_x * n->chips_y > 1)
    printf(" and %" PRIu32, n->off_depth);
  printf(" flits, credit loop %" PRIu32 ", %s\n", n->loop,
         n->oldest_first ? "the oldest packet first" : "round robin");
  printf("%s, ", traffic_names[t->pattern]);
  if (t->answers)
    printf("%g reads, %" PRIu32 " and %" PRIu32 " bytes", t->read_share, t->short_bytes,
           t->long_bytes);
  else
    printf("packets of %" PRIu32 " bytes", t->packet_bytes);
  printf(" in flits of %" PRIu32 "; seed %" PRIu64 ", %" PRIu64 " cycles of warm-up, %" PRIu64
         " measured, at most %" PRIu64 " to drain\n",
         n->flit_bytes, t->seed, t->warm, t->measure, t->drain);
  printf("empty network  %.2f cycles\nsaturation     %.4f %s and cycle\n", c->empty, c->saturation,
         t->answers ? "requests a client" : "flits a terminal");
  printf("%8s %9s %9s", "load", "accepted", "latency");
  if (t->answers)
    printf(" %9s %9s", "requests", "answers");
  printf(" %8s\n", "most");
}

static void print_table(const curve *c) {
  print_head(c);
  for (size_t k = 0; k < c->count; k++) {
    const traffic_result *r = &c->results[k];
    const double latencies[] = {r->latency, r->of_class[NOC_REQUEST], r->of_class[NOC_RESPONSE]};
    char text[32];
    printf("%8.5f %9.5f", r->offered, r->accepted);
    for (int n = 0; n < (c->t.answers ? 3 : 1); n++) {
      snprintf(text, sizeof text, "%s%.2f", r->drained ? "" : ">", latencies[n]);
      printf(" %9s", r->saturated ? "-" : text);
    }
    snprintf(text, sizeof text, "%s%" PRIu64, r->drained ? "" : ">", r->most);
    printf(" %8s%s%s\n", r->saturated ? "-" : text, r->saturated ? "  saturated" : "",
           r->drained ? "" : "  not drained");
  }
}

static void print_network(json_writer *j, const noc_config *n) {
  jw_text(j, "topology", noc_topology_names[n->topology]);
  jw_count(j, "x", n->x);
  jw_count(j, "y", n->y);
  jw_count(j, "group_x", n->group_x);
  jw_count(j, "group_y", n->group_y);
  jw_count(j, "chips_x", n->chips_x);
  jw_count(j, "chips_y", n->chips_y);
  jw_count(j, "gateways", n->gateways);
  jw_count(j, "vcs", n->vcs);
  jw_truth(j, "ordered", n->ordered);
  jw_truth(j, "oldest_first", n->oldest_first);
  jw_count(j, "depth", n->depth);
  jw_count(j, "off_depth", n->off_depth);
  jw_count(j, "loop", n->loop);
  jw_count(j, "flit_bytes", n->flit_bytes);
  jw_count(j, "off_flit_bytes", n->off_flit_bytes);
  jw_count(j, "link", n->link);
  jw_count(j, "off_link", n->off_link);
  jw_count(j, "send_packets", n->send_packets);
  jw_count(j, "take_packets", n->take_packets);
}

static void print_point(json_writer *j, const traffic_result *r) {
  jw_object(j, NULL);
  jw_number(j, "load", "%.5f", r->offered);
  jw_number(j, "accepted", "%.5f", r->accepted);
  jw_truth(j, "saturated", r->saturated);
  if (r->saturated) {
    jw_null(j, "latency");
    jw_null(j, "requests");
    jw_null(j, "answers");
    jw_null(j, "most");
  } else {
    jw_number(j, "latency", "%.3f", r->latency);
    jw_number(j, "requests", "%.3f", r->of_class[NOC_REQUEST]);
    jw_number(j, "answers", "%.3f", r->of_class[NOC_RESPONSE]);
    jw_count(j, "most", r->most);
  }
  jw_count(j, "packets", r->packets);
  jw_truth(j, "drained", r->drained);
  jw_end(j);
}

static void print_json(const curve *c) {
  const traffic_config *t = &c->t;
  json_writer j = jw_to(stdout);
  jw_object(&j, NULL);
  print_network(&j, &t->net);
  jw_text(&j, "pattern", traffic_names[t->pattern]);
  jw_truth(&j, "answers", t->answers);
  jw_count(&j, "packet_bytes", t->packet_bytes);
  jw_number(&j, "read_share", "%g", t->read_share);
  jw_count(&j, "short_bytes", t->short_bytes);
  jw_count(&j, "long_bytes", t->long_bytes);
  jw_count(&j, "seed", t->seed);
  jw_count(&j, "warm", t->warm);
  jw_count(&j, "measured", t->measure);
  jw_count(&j, "drain", t->drain);
  jw_number(&j, "empty", "%.4f", c->empty);
  jw_number(&j, "saturation", "%.5f", c->saturation);
  jw_list(&j, "points");
  for (size_t k = 0; k < c->count; k++)
    print_point(&j, &c->results[k]);
  jw_end(&j);
  jw_end(&j);
  putchar('\n');
}

static int draw(const options *o, const curve *curves, size_t count, const points *marks) {
  plot_series series[CURVES + POINTS_SERIES];
  char title[128];
  const noc_config *n = &curves[0].t.net;
  double empty = 0;
  for (size_t k = 0; k < count; k++) {
    series[k] =
        (plot_series){curves[k].name, curves[k].loads, curves[k].latency, curves[k].count, false};
    empty = fmax(empty, curves[k].empty);
  }
  memcpy(series + count, marks->series, marks->count * sizeof *series);
  // what is swept does not stand in the title
  const bool topology = strcmp(o->sweep.option, "--topology") == 0,
             size = strcmp(o->sweep.option, "--size") == 0;
  if (topology || size)
    snprintf(title, sizeof title, "%s", topology ? "network" : noc_topology_names[n->topology]);
  else
    snprintf(title, sizeof title, "%s of %" PRIu32 "x%" PRIu32, noc_topology_names[n->topology],
             n->x * n->chips_x, n->y * n->chips_y);
  if (strcmp(o->sweep.option, "--pattern") != 0)
    snprintf(title + strlen(title), sizeof title - strlen(title), ", %s",
             traffic_names[curves[0].t.pattern]);
  return plot_write(o->plot, &(plot){title,
                                     curves[0].t.answers ? "requests a client and cycle"
                                                         : "flits a terminal and cycle",
                                     "mean latency, cycles", ceil(empty / 5) * 20, series,
                                     count + marks->count})
             ? EXIT_OK
             : EXIT_USAGE;
}

// ---- runs

static int measure(const options *o, curve *c) {
  char why[WHY];
  if (!traffic_saturation(&c->t, &c->empty, &c->saturation, why, sizeof why))
    return user_error("%s", why);
  bool cut = false;
  c->count = o->n_loads ? o->n_loads : 10;
  for (size_t k = 0; k < c->count; k++) {
    c->loads[k] = o->n_loads ? o->loads[k] : c->saturation * (double)(k + 1) / 10;
    c->t.load = c->loads[k];
    if (!traffic_run(&c->t, &c->results[k], why, sizeof why))
      return user_error("%s", why);
    c->latency[k] = c->results[k].latency;
    cut |= !c->results[k].saturated && !c->results[k].drained;
  }
  if (cut)
    fprintf(stderr,
            "mpu: warning: --drain %" PRIu64
            " is too short: packets of the measured cycles had not arrived; latencies with > leave "
            "them out; take a larger --drain\n",
            c->t.drain);
  return EXIT_OK;
}

static int run_all(options *o, curve *curves) {
  const sweep *s = &o->sweep;
  const size_t count = s->n ? s->n : 1;
  points marks = {0};
  int status = o->points ? points_read(o->points, &marks) : EXIT_OK;
  for (size_t k = 0; k < count && !status; k++) {
    if (s->n)
      set(o, s->option, s->values[k]);
    curves[k].t = settled(o);
    snprintf(curves[k].name, sizeof curves[k].name, "%s %s", s->n ? s->option + 2 : "measured",
             s->n ? s->values[k] : "");
    status = measure(o, &curves[k]);
    if (status)
      break;
    if (k && !o->json)
      putchar('\n');
    (o->json ? print_json : print_table)(&curves[k]);
    fflush(stdout);
  }
  if (!status && o->plot)
    status = draw(o, curves, count, &marks);
  points_free(&marks);
  return status;
}

int command_noc(int argc, char **argv) {
  options o = {.t = traffic_default()};
  machine_args m = {0};
  config c;
  args all = args_of(argc, argv), a = all;
  if (args_help(&a))
    return EXIT_OK;
  for (args_item item; (item = args_next(&a)) != ARGS_END;)
    if (item == ARGS_WRONG || (item == ARGS_OPTION && machine_take(&m, &a) == 2))
      return EXIT_USAGE;
    else if (item == ARGS_OPERAND)
      return user_error("unknown argument '%s'; see mpu noc --help", a.value);
  if ((m.config || m.n) && machine_config_of(&m, "paper", &c))
    return EXIT_USAGE;
  if (m.config || m.n)
    o.t.net = noc_of_config(&c);
  // the machine first, then what changes it, in the order in which it stands there
  for (a = all; args_next(&a) != ARGS_END;)
    if (!args_is(&a, "--config") && !args_is(&a, "--set") && take(&o, a.name, a.value) > 1)
      return EXIT_USAGE;
  if (o.points && !o.plot)
    return user_error("--points is for --plot");
  curve *curves = calloc(CURVES, sizeof *curves);
  if (!curves)
    return user_error("out of memory"), EXIT_FAILED;
  const int status = run_all(&o, curves);
  free(curves);
  return status;
}
