// SPDX-License-Identifier: Apache-2.0
// mpu noc: synthetic traffic on the network.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../noc/noc_of.h"
#include "../noc/traffic.h"
#include "plot.h"
#include "points.h"
#include "tool.h"

static const char help[] =
    "usage: mpu noc [options]\n\n"
    "Synthetic traffic on the network of the machine, cycle by cycle, and the latency of its\n"
    "packets over the load.\n\n"
    "traffic\n"
    "  --pattern P        uniform    any terminal, also the sender itself (default)\n"
    "                     transpose  column and row changed; as many columns as rows\n"
    "                     hotspot    uniform, but a share of the packets goes to one terminal\n"
    "                     neighbour  the next terminal of the row\n"
    "                     vaults     six processors ask sixteen vaults, on a network of its own:\n"
    "                                give a crossbar or a concentrated topology\n"
    "  --load LIST        flits a terminal and cycle, 0.0001 to 1; with answers requests a "
    "client;\n"
    "                     LIST: values as 0.1,0.2, or FROM:TO:STEP (tenths of the saturation)\n"
    "  --packet BYTES     1 to 4096 (a flit)\n"
    "  --hotspot N, --share S   its terminal (0), its share of the packets, 0 to 1 (0.1)\n"
    "  --answers          each packet is a request, and answered\n"
    "  --reads S          share of requests that are short with a long answer, 0 to 1 (0.67)\n"
    "  --short BYTES, --long BYTES   1 to 4096 (32 and 160)\n"
    "  --seed N           (1)\n"
    "  --warm N, --cycles N, --drain N   cycles before the ones measured (5000), measured "
    "(20000),\n"
    "                     and at most after them, with traffic going on, until all packets made "
    "in\n"
    "                     the measured ones are there (50000)\n"
    "network\n"
    "  --config NAME      a preset or file (paper); the options below change it\n"
    "  --topology T       mesh, diagonal_mesh, concentrated, concentrated_diagonal or crossbar\n"
    "  --size XxY, --group XxY, --chips XxY   terminals of a chip, of a group, chips\n"
    "  --depth N, --off-depth N   flits of an input buffer, on a chip and between chips\n"
    "  --loop N           cycles of the credit loop\n"
    "  --vcs N            virtual channels of a class; --unordered: a packet takes any of them\n"
    "  --oldest           the packet that was sent first passes first, as in the machine\n"
    "  --flit BYTES, --off-flit BYTES, --link CYCLES, --off-link CYCLES\n"
    "  --send N, --take N   places of a terminal for packets, of a class\n"
    "output\n"
    "  --sweep NAME=LIST  a curve for each value of an option above, as depth=4,8,16\n"
    "  --json             a JSON object a line for each curve\n"
    "  --plot FILE        the curves as SVG\n"
    "  --points FILE      marks in the plot: lines of LOAD LATENCY NAME\n"
    "  -h, --help         this text\n\n"
    "What the network cannot take waits at its source; latency is from there to the arrival of "
    "the\n"
    "last flit. Saturation is the largest load with a mean latency of at most ten times that of "
    "an\n"
    "empty network. docs/network.md says how the network works, docs/calibration.md what it is\n"
    "compared with. Exit status: 0, 2 for wrong use.\n";

enum { WHY = 1024, CURVES = 8, LOADS = 64, TEXT = 64 };

typedef struct options {
  traffic_config t;
  double loads[LOADS];
  size_t n_loads;
  bool sized, packet;  // --size, --packet was given
  const char *plot, *points;
  bool json;
  char sweep[TEXT];  // option with its dashes
  char values[CURVES][TEXT];
  size_t n_values;
} options;

typedef struct curve {
  traffic_config t;
  char name[2 * TEXT];
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
    tool_error("%s: '%s' is not %s%g to %g", k->name, text,
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
  tool_error("%s: '%s' is none of %s", option, text, all);
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
               : tool_error("--seed: '%s' is not a whole number to 10^12", text);
  return 0;
}

static bool parse_loads(options *o, const char *at) {
  double v[3];
  o->n_loads = 0;
  if (!number(&at, ",:", true, &v[0]))
    return false;
  if (*at == ':') {
    for (int k = 1; k < 3; k++)
      if (*at++ != ':' || !number(&at, ":", true, &v[k]))
        return false;
    if (*at || v[2] <= 0 || v[1] < v[0] || (v[1] - v[0]) / v[2] > LOADS - 1)
      return false;
    const size_t last = (size_t)floor((v[1] - v[0]) / v[2] + 1e-9);
    while (o->n_loads <= last)
      o->loads[o->n_loads] = v[0] + (double)o->n_loads * v[2], o->n_loads++;
    return true;
  }
  for (o->loads[o->n_loads++] = v[0]; *at; o->loads[o->n_loads++] = v[0])
    if (at++, o->n_loads == LOADS || !number(&at, ",", true, &v[0]))
      return false;
  return true;
}

static int set_loads(options *o, const char *text) {
  bool good = parse_loads(o, text);
  for (size_t n = 0; n < o->n_loads; n++)
    good &= o->loads[n] >= 0.0001 && o->loads[n] <= 1;
  return good ? 1
              : tool_error(
                    "--load: '%s' is not a list of 1 to %d values from 0.0001 to 1, or "
                    "FROM:TO:STEP",
                    text, LOADS);
}

static int set_sweep(options *o, const char *text) {
  const size_t length = strcspn(text, "=");
  options scratch = *o;
  snprintf(o->sweep, sizeof o->sweep, "--%.*s", (int)length, text);
  o->n_values = 0;
  for (const char *at = text + length; *at; at += strcspn(at, ",")) {
    at++;
    if (o->n_values == CURVES || strcspn(at, ",") >= TEXT)
      return tool_error("--sweep: '%s' has more than %d values", text, CURVES);
    snprintf(o->values[o->n_values], TEXT, "%.*s", (int)strcspn(at, ","), at);
    const int done = set(&scratch, o->sweep, o->values[o->n_values++]);
    if (!done)
      return tool_error("--sweep: there is no option '%s' to sweep", o->sweep);
    if (done > 1)
      return done;
  }
  return o->n_values ? 1 : tool_error("--sweep: '%s' is not NAME=VALUE,VALUE...", text);
}

// Options in the order in which they are; --config is taken before all others.
static int take(options *o, int argc, char **argv, int *n, bool configs) {
  const char *v;
  char why[CONFIG_WHY + 4096];
  const char *arg = argv[*n];
  const bool flags[] = {strcmp(arg, "--json") == 0, strcmp(arg, "--answers") == 0,
                        strcmp(arg, "--unordered") == 0, strcmp(arg, "--oldest") == 0};
  if (flags[0] || flags[1] || flags[2] || flags[3]) {
    o->json |= flags[0];
    o->t.answers |= flags[1];
    o->t.net.ordered &= !flags[2];
    o->t.net.oldest_first |= flags[3];
    return 1;
  }
  char name[TEXT];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(arg, "="), arg);
  if (strncmp(name, "--", 2) != 0 || !(v = option_value(name, argc, argv, n)))
    return 0;
  if (strcmp(name, "--config") == 0) {
    config c;
    if (!configs)
      return 1;
    if (!config_load(&c, v, why, sizeof why))
      return tool_error("%s", why);
    o->t.net = noc_of_config(&c);
    return 1;
  }
  if (configs)
    return 1;
  if (strcmp(name, "--load") == 0)
    return set_loads(o, v);
  if (strcmp(name, "--sweep") == 0)
    return set_sweep(o, v);
  if (strcmp(name, "--plot") == 0 || strcmp(name, "--points") == 0) {
    *(strcmp(name, "--plot") == 0 ? &o->plot : &o->points) = v;
    return *v ? 1 : tool_error("%s takes the name of a file", name);
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
                 : tool_error("%s: '%s' is not a number of cycles, %" PRIu64 " to 10^12", name, v,
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
  printf(", %" PRIu32 "x%" PRIu32 " chips; %" PRIu32
         " virtual channel%s a class%s, buffers of %" PRIu32,
         n->chips_x, n->chips_y, n->vcs, n->vcs > 1 ? "s" : "",
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
    printf("%8.5f %9.5f %9.2f", r->offered, r->accepted, r->latency);
    if (c->t.answers)
      printf(" %9.2f %9.2f", r->of_class[NOC_REQUEST], r->of_class[NOC_RESPONSE]);
    printf(" %8" PRIu64 "%s\n", r->most, r->drained ? "" : "  not drained");
  }
}

static void print_json(const curve *c) {
  const traffic_config *t = &c->t;
  const noc_config *n = &t->net;
  printf("{\"topology\": \"%s\", \"x\": %" PRIu32 ", \"y\": %" PRIu32 ", \"group_x\": %" PRIu32
         ", \"group_y\": %" PRIu32 ", \"chips_x\": %" PRIu32 ", \"chips_y\": %" PRIu32
         ", \"vcs\": %" PRIu32 ", \"ordered\": %s, \"oldest_first\": %s, \"depth\": %" PRIu32
         ", \"off_depth\": %" PRIu32 ", \"loop\": %" PRIu32 ", \"flit_bytes\": %" PRIu32
         ", \"off_flit_bytes\": %" PRIu32,
         noc_topology_names[n->topology], n->x, n->y, n->group_x, n->group_y, n->chips_x,
         n->chips_y, n->vcs, n->ordered ? "true" : "false", n->oldest_first ? "true" : "false",
         n->depth, n->off_depth, n->loop, n->flit_bytes, n->off_flit_bytes);
  printf(", \"link\": %" PRIu32 ", \"off_link\": %" PRIu32 ", \"send_packets\": %" PRIu32
         ", \"take_packets\": %" PRIu32
         ", \"pattern\": \"%s\", \"answers\": %s"
         ", \"packet_bytes\": %" PRIu32 ", \"read_share\": %g, \"short_bytes\": %" PRIu32
         ", \"long_bytes\": %" PRIu32 ", \"seed\": %" PRIu64 ", \"warm\": %" PRIu64
         ", \"measured\": %" PRIu64 ", \"drain\": %" PRIu64,
         n->link, n->off_link, n->send_packets, n->take_packets, traffic_names[t->pattern],
         t->answers ? "true" : "false", t->packet_bytes, t->read_share, t->short_bytes,
         t->long_bytes, t->seed, t->warm, t->measure, t->drain);
  printf(", \"empty\": %.4f, \"saturation\": %.5f, \"points\": [", c->empty, c->saturation);
  for (size_t k = 0; k < c->count; k++) {
    const traffic_result *r = &c->results[k];
    printf(
        "%s{\"load\": %.5f, \"accepted\": %.5f, \"latency\": %.3f, \"requests\": %.3f, "
        "\"answers\": %.3f, \"most\": %" PRIu64 ", \"packets\": %" PRIu64 ", \"drained\": %s}",
        k ? ", " : "", r->offered, r->accepted, r->latency, r->of_class[NOC_REQUEST],
        r->of_class[NOC_RESPONSE], r->most, r->packets, r->drained ? "true" : "false");
  }
  puts("]}");
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
  const bool topology = strcmp(o->sweep, "--topology") == 0, size = strcmp(o->sweep, "--size") == 0;
  if (topology || size)
    snprintf(title, sizeof title, "%s", topology ? "network" : noc_topology_names[n->topology]);
  else
    snprintf(title, sizeof title, "%s of %" PRIu32 "x%" PRIu32, noc_topology_names[n->topology],
             n->x * n->chips_x, n->y * n->chips_y);
  if (strcmp(o->sweep, "--pattern") != 0)
    snprintf(title + strlen(title), sizeof title - strlen(title), ", %s",
             traffic_names[curves[0].t.pattern]);
  return plot_write(o->plot, &(plot){title,
                                     curves[0].t.answers ? "requests a client and cycle"
                                                         : "flits a terminal and cycle",
                                     "mean latency, cycles", ceil(empty / 5) * 20, series,
                                     count + marks->count})
             ? TOOL_OK
             : TOOL_USAGE;
}

// ---- runs

static int measure(const options *o, curve *c) {
  char why[WHY];
  if (!traffic_saturation(&c->t, &c->empty, &c->saturation, why, sizeof why))
    return tool_error("%s", why);
  c->count = o->n_loads ? o->n_loads : 10;
  for (size_t k = 0; k < c->count; k++) {
    c->loads[k] = o->n_loads ? o->loads[k] : c->saturation * (double)(k + 1) / 10;
    c->t.load = c->loads[k];
    if (!traffic_run(&c->t, &c->results[k], why, sizeof why))
      return tool_error("%s", why);
    c->latency[k] = c->results[k].latency;
  }
  return TOOL_OK;
}

static int run_all(options *o, curve *curves) {
  const size_t count = o->n_values ? o->n_values : 1;
  points marks = {0};
  int status = o->points ? points_read(o->points, &marks) : TOOL_OK;
  for (size_t k = 0; k < count && !status; k++) {
    if (o->n_values)
      set(o, o->sweep, o->values[k]);
    curves[k].t = settled(o);
    snprintf(curves[k].name, sizeof curves[k].name, "%s %s",
             o->n_values ? o->sweep + 2 : "measured", o->n_values ? o->values[k] : "");
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
  for (int pass = 0; pass < 2; pass++)
    for (int n = 1; n < argc; n++) {
      const char *arg = argv[n];
      if (strcmp(arg, "-h") == 0 || strcmp(arg, "--help") == 0) {
        fputs(help, stdout);
        return TOOL_OK;
      }
      const int taken = take(&o, argc, argv, &n, pass == 0);
      if (taken > 1)
        return TOOL_USAGE;
      if (!taken)
        return tool_error("unknown %s '%s'; see mpu noc --help",
                          arg[0] == '-' ? "option" : "argument", arg);
    }
  if (o.points && !o.plot)
    return tool_error("--points is for --plot");
  curve *curves = calloc(CURVES, sizeof *curves);
  if (!curves)
    return tool_error("out of memory"), TOOL_FAILED;
  const int status = run_all(&o, curves);
  free(curves);
  return status;
}
