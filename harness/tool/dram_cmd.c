// SPDX-License-Identifier: Apache-2.0
// mpu dram.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/study/dram/drive.h"
#include "harness/base/json.h"
#include "harness/machines/common/channel_of.h"
#include "harness/base/verilated.h"
#include "harness/study/plot/plot.h"
#include "harness/study/plot/points.h"
#include "harness/study/sweep/sweep.h"
#include "tool.h"

enum { WHY = 4096, MAX_ROWS = 3, DIFFERS = 3 };

typedef enum number_id {
  STREAMS,
  TURN,
  VISIT,
  BANKS,
  READS,
  RATE,
  ACCESSES,
  SEED,
  ROWS,
  QUEUE,
  NUMBERS
} number_id;

static const struct {
  const char *name;
  double least, most, usual;
  bool whole, sweeps, of_stream;
  uint32_t only;  // where not 0: a bit for each value that is allowed
  const char *allowed;
} numbers[NUMBERS] = {
    [STREAMS] = {"streams", 1, STREAM_MAX_STREAMS, 1, true, true, true, 0, "1 to 1024"},
    [TURN] = {"turn", 1, STREAM_MAX_TURN, 1, true, true, true, 0, "1 to 65536"},
    [VISIT] = {"visit", 1, STREAM_MAX_TURN, 32, true, true, true, 0, "1 to 65536"},
    [BANKS] = {"banks", 1, 4, 1, true, false, true, 1 << 1 | 1 << 4, "1 or 4"},
    [READS] = {"reads", 0, 1, 1, false, true, true, 0, "0 to 1"},
    [RATE] = {"rate", 1e-6, 1, 0, false, true, true, 0, "0.000001 to 1, or max"},
    [ACCESSES] = {"accesses", 100, STREAM_MAX_COUNT, 20000, true, false, true, 0,
                  "100 to 10000000"},
    [SEED] = {"seed", 0, 9007199254740991, 1, true, false, true, 0, "0 to 2^53 - 1"},
    [ROWS] = {"rows", 1, 4, 4, true, false, false, 1 << 1 | 1 << 2 | 1 << 4, "1, 2 or 4"},
    [QUEUE] = {"queue", 1, DRIVE_QUEUE, DRIVE_QUEUE, true, true, false, 0, "1 to 16"},
};

static const char *const patterns[] = {"random", "sequential", "rows", NULL};
static const char *const model_names[] = {"c", "rtl", "both", NULL};
static const char *const pages[] = {"open", "closed", NULL};
static const char *const refreshes[] = {"on", "off", NULL};
enum { C, RTL, BOTH };

typedef struct options {
  channel_config channel;  // of the machine; geometry and times remain as they are there
  double value[NUMBERS];
  bool given[NUMBERS];
  int pattern, model, page, refresh;
  const char *trace, *write_trace, *plot, *points;
  bool json;
  double rows[MAX_ROWS], swept[SWEEP_VALUES];
  size_t n_rows, n_swept;
  number_id sweep;
} options;

typedef struct runs {
  options o;
  model verilog;
  const stream_access *trace;
  size_t traced;
  double *y;  // of the plot, by row buffers and then by value
} runs;

// ---- options

static bool number(number_id id, const char *text, double *value) {
  if (id == RATE && !strcmp(text, "max")) {
    *value = 0;
    return true;
  }
  char *stop;
  errno = 0;
  *value = strtod(text, &stop);
  const bool good = !*stop && stop != text && !errno && *value >= numbers[id].least &&
                    *value <= numbers[id].most && (!numbers[id].whole || *value == floor(*value)) &&
                    (!numbers[id].only || numbers[id].only >> (int)*value & 1);
  if (!good && id == READS && !*stop && *value > 1 && *value <= 100)
    user_error("--reads: '%s' is not 0 to 1: it is a share, no longer percent; --reads %g?", text,
               *value / 100);
  else if (!good)
    user_error("--%s: '%s' is not %s", numbers[id].name, text, numbers[id].allowed);
  return good;
}

static bool all_numbers(number_id id, const sweep *s, double *values, size_t *n) {
  for (*n = 0; *n < s->n; ++*n)
    if (!number(id, s->values[*n], &values[*n]))
      return false;
  return true;
}

static bool take_rows(options *o, const char *text) {
  sweep s;
  return sweep_list(&s, "--rows", text, MAX_ROWS) && all_numbers(ROWS, &s, o->rows, &o->n_rows);
}

static bool take_sweep(options *o, const char *text) {
  static const char names[] = "one of rate, reads, streams, turn, visit and queue";
  sweep s;
  if (!sweep_read(&s, text, names, SWEEP_VALUES))
    return false;
  for (number_id id = 0; id < NUMBERS; id++) {
    if (!numbers[id].sweeps || strcmp(numbers[id].name, s.option + 2) != 0)
      continue;
    o->sweep = id;
    if (id == RATE && strstr(text, "max"))
      return user_error("--sweep rate takes numbers, not max"), false;
    return all_numbers(id, &s, o->swept, &o->n_swept);
  }
  return sweep_wrong(text, names), false;
}

static bool word(const char *name, const char *text, const char *const *words, int *which) {
  char all[64] = "";
  for (int k = 0; words[k]; k++) {
    if (!strcmp(text, words[k])) {
      *which = k;
      return true;
    }
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? " " : "", words[k]);
  }
  user_error("--%s: '%s' is not one of: %s", name, text, all);
  return false;
}

// 1: taken, 2: wrong.
static int option(options *o, const args *a) {
  const struct {
    const char *name, **text;
  } files[] = {{"--trace", &o->trace},
               {"--write-trace", &o->write_trace},
               {"--plot", &o->plot},
               {"--points", &o->points}};
  const struct {
    const char *name;
    const char *const *words;
    int *which;
  } choices[] = {{"pattern", patterns, &o->pattern},
                 {"model", model_names, &o->model},
                 {"page", pages, &o->page},
                 {"refresh", refreshes, &o->refresh}};
  const char *text = a->value;
  char name[32];
  for (number_id id = 0; id < NUMBERS; id++) {
    snprintf(name, sizeof name, "--%s", numbers[id].name);
    if (!args_is(a, name))
      continue;
    o->given[id] = true;
    if (id == ROWS)
      return take_rows(o, text) ? 1 : 2;
    return number(id, text, &o->value[id]) ? 1 : 2;
  }
  for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
    snprintf(name, sizeof name, "--%s", choices[k].name);
    if (args_is(a, name))
      return word(choices[k].name, text, choices[k].words, choices[k].which) ? 1 : 2;
  }
  for (size_t k = 0; k < sizeof files / sizeof *files; k++)
    if (args_is(a, files[k].name)) {
      *files[k].text = text;
      return 1;
    }
  if (args_is(a, "--sweep"))
    return take_sweep(o, text) ? 1 : 2;
  o->json |= args_is(a, "--json");
  return 1;
}

// What the controller has of a machine. Its queue has the most places, and is given no more
// requests at a time than that of the machine has: so --queue needs no other Verilog.
static void take_machine(options *o, const config *c) {
  o->channel = channel_of_config(c);
  o->channel.queue = DRIVE_QUEUE;
  o->value[QUEUE] = c->dram.queue;
  o->value[VISIT] = o->channel.geometry.cols;
  o->value[ROWS] = o->rows[0] = c->dram.row_buffers;
  o->page = c->dram.page == CONFIG_PAGE_CLOSED;
  o->refresh = !c->dram.refresh;
}

// What does not go together.
static int check(const options *o) {
  const bool sweeps_stream = o->n_swept && numbers[o->sweep].of_stream;
  for (number_id id = 0; id < NUMBERS; id++)
    if (o->trace && numbers[id].of_stream && (o->given[id] || (sweeps_stream && o->sweep == id)))
      return user_error("--trace defines the accesses; leave --%s out", numbers[id].name);
  for (number_id id = STREAMS; id <= VISIT; id++)
    if (!o->trace && (o->given[id] || (o->n_swept && o->sweep == id)) &&
        o->pattern <= STREAM_RANDOM)
      return user_error("--%s is for --pattern sequential and rows", numbers[id].name);
  double streams = o->value[STREAMS];
  for (size_t k = 0; o->sweep == STREAMS && k < o->n_swept; k++)
    streams = fmax(streams, o->swept[k]);
  if (streams > o->channel.geometry.rows)
    return user_error("--streams: '%g' is not 1 to %u, the rows of a bank (dram.rows)", streams,
                      o->channel.geometry.rows);
  if (o->trace && o->pattern >= 0)
    return user_error("--trace defines the accesses; leave --pattern out");
  if (o->n_swept && o->given[o->sweep])
    return user_error("--%s and --sweep %s, not both", numbers[o->sweep].name,
                      numbers[o->sweep].name);
  if (o->plot && o->n_swept < 2)
    return user_error("--plot needs a --sweep of at least two values");
  if (o->points && !o->plot)
    return user_error("--points needs --plot");
  if (o->write_trace && (o->trace || sweeps_stream))
    return user_error("--write-trace writes the generated accesses of one run");
  return EXIT_OK;
}

// ---- output

static void print_json(const options *o, const double *value, const drive_result *r) {
  static const struct {
    const char *name;
    dram_cmd cmd;
  } commands_of[] = {{"ACT", DRAM_ACT}, {"PRE", DRAM_PRE}, {"SASEL", DRAM_SASEL},
                     {"RD", DRAM_RD},   {"WR", DRAM_WR},   {"REF", DRAM_REF}};
  json_writer j = jw_to(stdout);
  jw_object(&j, NULL);
  for (number_id id = 0; id < NUMBERS; id++)
    if (id == RATE && value[id] <= 0 && !o->trace)
      jw_text(&j, "rate", "max");
    else if (!o->trace || !numbers[id].of_stream)
      jw_number(&j, numbers[id].name, "%.9g", value[id]);
  if (!o->trace)
    jw_text(&j, "pattern", patterns[o->pattern < 0 ? 0 : o->pattern]);
  jw_text(&j, "page", pages[o->page]);
  jw_text(&j, "refresh", refreshes[o->refresh]);
  jw_text(&j, "model", model_names[o->model]);
  jw_count(&j, "measured", r->accesses);
  jw_count(&j, "cycles", r->cycles);
  if (r->offered > 0)
    jw_number(&j, "offered", "%.6f", r->offered);
  else
    jw_null(&j, "offered");
  jw_number(&j, "accepted", "%.6f", r->accepted);
  jw_number(&j, "bytes_per_cycle", "%.5f", r->bytes);
  jw_number(&j, "hit_rate", "%.5f", r->hit_rate);
  jw_truth(&j, "saturated", r->saturated);
  jw_count(&j, "waiting", r->waiting);
  if (r->saturated) {
    jw_null(&j, "latency");
  } else {
    jw_object(&j, "latency");
    jw_number(&j, "mean", "%.3f", r->mean);
    jw_count(&j, "min", r->least);
    jw_count(&j, "p50", r->p50);
    jw_count(&j, "p90", r->p90);
    jw_count(&j, "p99", r->p99);
    jw_count(&j, "max", r->most);
    jw_end(&j);
  }
  jw_object(&j, "commands");
  for (size_t k = 0; k < sizeof commands_of / sizeof *commands_of; k++)
    jw_count(&j, commands_of[k].name, r->commands[commands_of[k].cmd]);
  jw_end(&j);
  jw_number(&j, "selects_per_access", "%.5f", r->selects);
  jw_end(&j);
  putchar('\n');
}

static void print_head(const options *o) {
  printf("%-4s ", "rows");
  if (o->n_swept)
    printf("%8s ", numbers[o->sweep].name);
  printf("%8s %8s %7s %6s  %8s %5s %5s %5s %6s  %7s %7s %7s %7s %7s %6s %7s\n", "offered",
         "accepted", "B/cycle", "hit %", "latency", "50 %", "90 %", "99 %", "most", "ACT", "PRE",
         "SASEL", "RD", "WR", "REF", "selects");
}

static void print_row(const options *o, const double *value, const drive_result *r) {
  char text[16] = "max";
  printf("%-4.0f ", value[ROWS]);
  if (o->n_swept) {
    if (o->sweep != RATE || value[RATE] > 0)
      snprintf(text, sizeof text, "%.6g", value[o->sweep]);
    printf("%8s ", text);
  }
  snprintf(text, sizeof text, "%.5f", r->offered);
  printf("%8s %8.5f %7.3f %6.2f  ", r->offered > 0 ? text : "-", r->accepted, r->bytes,
         100 * r->hit_rate);
  if (r->saturated)
    printf("%8s %5s %5s %5s %6s", "-", "-", "-", "-", "-");
  else
    printf("%8.1f %5" PRIu64 " %5" PRIu64 " %5" PRIu64 " %6" PRIu64, r->mean, r->p50, r->p90,
           r->p99, r->most);
  printf(
      "  %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %6" PRIu64 " %7.3f%s\n",
      r->commands[DRAM_ACT], r->commands[DRAM_PRE], r->commands[DRAM_SASEL], r->commands[DRAM_RD],
      r->commands[DRAM_WR], r->commands[DRAM_REF], r->selects, r->saturated ? "  saturated" : "");
}

// ---- the plot

static int draw(const runs *r, const points *m) {
  const options *o = &r->o;
  static const char *const labels[NUMBERS] = {
      [STREAMS] = "streams",      [TURN] = "accesses a turn",  [VISIT] = "accesses a row visit",
      [READS] = "share of reads", [RATE] = "arrivals a cycle", [QUEUE] = "requests in the queue"};
  plot_series series[MAX_ROWS + POINTS_SERIES];
  char names[MAX_ROWS][32], title[64];
  double least = 0;
  for (size_t k = 0; k < o->n_rows; k++) {
    const double *y = r->y + k * o->n_swept;
    snprintf(names[k], sizeof names[k], "%.0f row buffer%s", o->rows[k], o->rows[k] > 1 ? "s" : "");
    series[k] = (plot_series){names[k], o->swept, y, o->n_swept, false};
    for (size_t n = 0; n < o->n_swept; n++)
      least = least > 0 && least < y[n] ? least : y[n];
  }
  memcpy(series + o->n_rows, m->series, m->count * sizeof *m->series);
  snprintf(title, sizeof title, "Bank controller, %s%s, %.0f bank%s",
           o->trace ? "trace" : patterns[o->pattern < 0 ? 0 : o->pattern],
           o->trace || o->pattern > STREAM_RANDOM ? "" : " rows", o->value[BANKS],
           o->value[BANKS] > 1 ? "s" : "");
  return plot_write(o->plot, &(plot){title, labels[o->sweep],
                                     o->sweep == RATE ? "mean latency, cycles" : "bytes a cycle",
                                     o->sweep == RATE ? ceil(least / 10) * 120 : 0, series,
                                     o->n_rows + m->count})
             ? EXIT_OK
             : EXIT_USAGE;
}

// ---- runs

static int run_one(runs *r, const double *value, drive_result *result) {
  const options *o = &r->o;
  drive_config config = {.channel = o->channel, .queue = (uint32_t)value[QUEUE]};
  channel_config *channel = &config.channel;
  channel->model = o->model == RTL ? r->verilog.ops : NULL;
  channel->second = o->model == BOTH ? r->verilog.ops : NULL;
  channel->failed = r->verilog.failed;
  channel->row_buffers = (uint32_t)value[ROWS];
  channel->closed = o->page == 1;
  channel->refresh = o->refresh == 0 ? CHANNEL_TICKS : CHANNEL_NO_REFRESH;
  const stream_config stream = {
      .pattern = o->pattern < 0 ? STREAM_RANDOM : (stream_pattern)o->pattern,
      .streams = (uint32_t)value[STREAMS],
      .turn = (uint32_t)value[TURN],
      .visit = (uint32_t)value[VISIT],
      .banks = (uint32_t)value[BANKS],
      .reads = value[READS],
      .rate = value[RATE],
      .seed = (uint64_t)value[SEED],
      .count = (uint64_t)value[ACCESSES],
  };
  char why[WHY];
  int status = EXIT_OK;
  stream_access *made = o->trace ? NULL : stream_generate(&stream, &o->channel.geometry);
  if (!o->trace && !made)
    return user_error("out of memory"), EXIT_FAILED;
  const stream_access *accesses = made ? made : r->trace;
  const size_t n = made ? stream.count : r->traced;
  if (o->write_trace && !stream_write(o->write_trace, accesses, n))
    status = cannot_write(o->write_trace);
  else if (!drive(&config, accesses, n, result, why, sizeof why))
    status = (user_error("%s", why), DIFFERS);
  free(made);
  return status;
}

static int run_all(runs *r) {
  options *o = &r->o;
  const size_t n = o->n_swept ? o->n_swept : 1;
  int status = EXIT_OK;
  if (!o->json)
    print_head(o);
  for (size_t k = 0; k < o->n_rows * n && !status; k++) {
    drive_result result;
    o->value[ROWS] = o->rows[k / n];
    if (o->n_swept)
      o->value[o->sweep] = o->swept[k % n];
    status = run_one(r, o->value, &result);
    if (status)
      break;
    if (r->y)
      r->y[k] = o->sweep == RATE ? result.mean : result.bytes;
    if (o->json)
      print_json(o, o->value, &result);
    else
      print_row(o, o->value, &result);
    fflush(stdout);
  }
  return status;
}

static bool open_verilog(runs *r, char *why, size_t why_bytes) {
  char sizes[STRUCTURE_TEXT];
  verilated_library l;
  channel_sizes(&r->o.channel, sizes);
  if (!verilated_open(&l, "bankctlrtl", sizes, NULL, NULL, "bankctl", why, why_bytes) ||
      !verilated_block(&l, &r->verilog, "bankctl", &bankctl_twin, why, why_bytes))
    return false;
  verilated_close(&l);
  return true;
}

static int run_with(runs *r) {
  options *o = &r->o;
  char why[WHY];
  points m = {0};
  stream_access *trace = NULL;
  int status = EXIT_OK;
  if (o->trace) {
    r->trace = trace = stream_read(o->trace, &o->channel.geometry, &r->traced, why, sizeof why);
    if (!trace)
      return user_error("%s", why);
  }
  if (o->model != C && !open_verilog(r, why, sizeof why))
    status = user_error("%s", why);
  if (!status && o->points)
    status = points_read(o->points, &m);
  if (!status && o->plot && !(r->y = calloc(o->n_rows * o->n_swept, sizeof *r->y)))
    status = (user_error("out of memory"), EXIT_FAILED);
  if (!status)
    status = run_all(r);
  if (!status && o->plot)
    status = draw(r, &m);
  free(r->y);
  points_free(&m);
  free(trace);
  return status;
}

int command_dram(int argc, char **argv) {
  runs r = {.o = {.pattern = -1, .rows = {4}, .n_rows = 1}};
  for (number_id id = 0; id < NUMBERS; id++)
    r.o.value[id] = numbers[id].usual;
  args all = args_of(argc, argv), a = all;
  machine_args m = {0};
  config machine;
  if (args_help(&a))
    return EXIT_OK;
  for (args_item item; (item = args_next(&a)) != ARGS_END;)
    if (item == ARGS_WRONG || (item == ARGS_OPTION && machine_take(&m, &a) == 2))
      return EXIT_USAGE;
    else if (item == ARGS_OPERAND)
      return user_error("unknown argument '%s'; see mpu dram --help", a.value);
  if (machine_config_of(&m, "small", &machine))
    return EXIT_USAGE;
  take_machine(&r.o, &machine);
  // the machine first, then what changes it
  for (a = all; args_next(&a) != ARGS_END;)
    if (option(&r.o, &a) > 1)
      return EXIT_USAGE;
  const int status = check(&r.o);
  return status ? status : run_with(&r);
}
