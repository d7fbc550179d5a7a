// SPDX-License-Identifier: Apache-2.0
// mpu dram.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../dram/drive.h"
#include "../near/models.h"
#include "bankctl.h"
#include "plot.h"
#include "points.h"
#include "tool.h"

static const char help[] =
    "usage: mpu dram [options]\n"
    "       mpu dram [options] --trace FILE\n\n"
    "Accesses of 32 bytes to one bank controller, and what it makes of them: its twin in C, its\n"
    "Verilog, or both, with the DRAM arrays behind it, which check every command.\n\n"
    "accesses\n"
    "  --pattern P       random      any row and column (default)\n"
    "                    sequential  K streams in each bank, in turn, G accesses each; a stream\n"
    "                                makes N accesses to a row, then goes on to its next one\n"
    "                    rows        the same, but each stream stays in its first row\n"
    "  --streams K       1 to 1024 (1)\n"
    "  --turn G          1 to 65536 (1)\n"
    "  --visit N         1 to 65536 (32, the columns of a row)\n"
    "  --banks N         1 or 4 (1)\n"
    "  --reads P         percent of the accesses that read (100)\n"
    "  --rate R          arrivals a cycle, above 0 to 1: each cycle has one with this\n"
    "                    probability; max: each comes when the one before is taken (max)\n"
    "  --accesses N      100 to 10000000 (20000); all figures leave out the first tenth\n"
    "  --seed N          (1)\n"
    "  --trace FILE      instead of these: lines of CYCLE BANK ROW COLUMN R|W; # begins a "
    "comment;\n"
    "                    - for CYCLE: when the one before is taken\n"
    "  --write-trace FILE   the accesses as a trace\n"
    "controller\n"
    "  --model M         c (default), rtl or both, compared in every cycle\n"
    "  --rows LIST       row buffers: 1, 2 or 4 (4); several, as 1,2,4, are run in turn\n"
    "  --page P          open (default) or closed\n"
    "  --refresh R       on (default) or off\n"
    "  --queue N         requests that it is given at a time, 1 to 16 (16)\n"
    "output\n"
    "  --sweep NAME=LIST a run for each value of rate, reads, streams, turn, visit or queue;\n"
    "                    LIST: values as 0.01,0.02, or FROM:TO:STEP\n"
    "  --json            a JSON object a line for each run\n"
    "  --plot FILE       the sweep as SVG: latency over the rate, else bytes a cycle\n"
    "  --points FILE     marks in the plot: lines of X Y NAME\n"
    "  -h, --help        this text\n\n"
    "Latency is from the arrival to the last data. docs/calibration.md shows the command at work.\n"
    "Exit status: 0, 2 for wrong use, 3 when a command breaks a rule or models differ.\n";

enum { WHY = 4096, MAX_VALUES = 512, MAX_ROWS = 3, DIFFERS = 3 };

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
    [READS] = {"reads", 0, 100, 100, false, true, true, 0, "0 to 100"},
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
  double value[NUMBERS];
  bool given[NUMBERS];
  int pattern, model, page, refresh;
  const char *trace, *write_trace, *plot, *points;
  bool json;
  double rows[MAX_ROWS], swept[MAX_VALUES];
  size_t n_rows, n_swept;
  number_id sweep;
} options;

typedef struct runs {
  options o;
  models library;
  const stream_access *trace;
  size_t traced;
  double *y;  // of the plot, by row buffers and then by value
} runs;

// ---- options

static bool number(number_id id, const char *text, const char *end, double *value) {
  if (id == RATE && end - text == 3 && !strncmp(text, "max", 3)) {
    *value = 0;
    return true;
  }
  char *stop;
  errno = 0;
  *value = strtod(text, &stop);
  const bool good = stop == end && stop != text && !errno && *value >= numbers[id].least &&
                    *value <= numbers[id].most && (!numbers[id].whole || *value == floor(*value)) &&
                    (!numbers[id].only || numbers[id].only >> (int)*value & 1);
  if (!good)
    tool_error("--%s: '%.*s' is not %s", numbers[id].name, (int)(end - text), text,
               numbers[id].allowed);
  return good;
}

// Values with commas between them, or FROM:TO:STEP; `most` of them.
static bool list(number_id id, const char *text, double *values, size_t most, size_t *n) {
  const char *colon = strchr(text, ':'), *second = colon ? strchr(colon + 1, ':') : NULL;
  *n = 0;
  if (second) {
    char *end;
    double from, to;
    const double step = strtod(second + 1, &end);
    if (*end || end == second + 1 || !(step > 0))
      return tool_error("--%s: '%s' is no step above 0", numbers[id].name, second + 1), false;
    if (!number(id, text, colon, &from) || !number(id, colon + 1, second, &to))
      return false;
    for (double k = 0; from + k * step <= to + step * 1e-6; k++) {
      char one[32];
      snprintf(one, sizeof one, "%.9g", from + k * step);
      if (*n == most)
        return tool_error("--%s: more than %zu values", numbers[id].name, most), false;
      if (!number(id, one, one + strlen(one), &values[(*n)++]))
        return false;
    }
    return *n || (tool_error("--%s: there is nothing in '%s'", numbers[id].name, text), false);
  }
  for (;; text++) {
    const char *end = text + strcspn(text, ",");
    if (*n == most)
      return tool_error("--%s: more than %zu values", numbers[id].name, most), false;
    if (!number(id, text, end, &values[(*n)++]))
      return false;
    text = end;
    if (!*text)
      return true;
  }
}

static bool sweep(options *o, const char *text) {
  const size_t length = strcspn(text, "=");
  for (number_id id = 0; id < NUMBERS; id++)
    if (numbers[id].sweeps && strlen(numbers[id].name) == length &&
        !strncmp(text, numbers[id].name, length) && text[length]) {
      o->sweep = id;
      if (id == RATE && strstr(text, "max"))
        return tool_error("--sweep rate takes numbers; max is no point on a line"), false;
      return list(id, text + length + 1, o->swept, MAX_VALUES, &o->n_swept);
    }
  tool_error(
      "--sweep takes NAME=LIST, NAME one of rate, reads, streams, turn, visit and queue; not '%s'",
      text);
  return false;
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
  tool_error("--%s: '%s' is none of: %s", name, text, all);
  return false;
}

// 0: argv[*n] is none of these, 1: taken, 2: wrong.
static int option(options *o, int argc, char **argv, int *n) {
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
  const char *text;
  char name[32];
  for (number_id id = 0; id < NUMBERS; id++) {
    snprintf(name, sizeof name, "--%s", numbers[id].name);
    if (!(text = option_value(name, argc, argv, n)))
      continue;
    o->given[id] = true;
    if (id == ROWS)
      return list(id, text, o->rows, MAX_ROWS, &o->n_rows) ? 1 : 2;
    return number(id, text, text + strlen(text), &o->value[id]) ? 1 : 2;
  }
  for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
    snprintf(name, sizeof name, "--%s", choices[k].name);
    if ((text = option_value(name, argc, argv, n)))
      return word(choices[k].name, text, choices[k].words, choices[k].which) ? 1 : 2;
  }
  for (size_t k = 0; k < sizeof files / sizeof *files; k++)
    if ((text = option_value(files[k].name, argc, argv, n))) {
      *files[k].text = text;
      return *text ? 1 : tool_error("%s needs a file", files[k].name);
    }
  if ((text = option_value("--sweep", argc, argv, n)))
    return sweep(o, text) ? 1 : 2;
  if (strcmp(argv[*n], "--json"))
    return 0;
  o->json = true;
  return 1;
}

// What does not go together.
static int check(const options *o) {
  const bool sweeps_stream = o->n_swept && numbers[o->sweep].of_stream;
  for (number_id id = 0; id < NUMBERS; id++)
    if (o->trace && numbers[id].of_stream && (o->given[id] || (sweeps_stream && o->sweep == id)))
      return tool_error("--trace says all about the accesses; --%s has no meaning with it",
                        numbers[id].name);
  for (number_id id = STREAMS; id <= VISIT; id++)
    if (!o->trace && (o->given[id] || (o->n_swept && o->sweep == id)) &&
        o->pattern <= STREAM_RANDOM)
      return tool_error("--%s is for --pattern sequential and rows", numbers[id].name);
  if (o->trace && o->pattern >= 0)
    return tool_error("--trace says all about the accesses; --pattern has no meaning with it");
  if (o->n_swept && o->given[o->sweep])
    return tool_error("--%s and --sweep %s: one of them", numbers[o->sweep].name,
                      numbers[o->sweep].name);
  if (o->plot && o->n_swept < 2)
    return tool_error("--plot draws a --sweep of two values and more");
  if (o->points && !o->plot)
    return tool_error("--points are marks in a --plot");
  if (o->write_trace && (o->trace || sweeps_stream))
    return tool_error("--write-trace writes the generated accesses of one run");
  return TOOL_OK;
}

// ---- output

static void print_json(const options *o, const double *value, const drive_result *r) {
  printf("{");
  for (number_id id = 0; id < NUMBERS; id++)
    if (id == RATE && value[id] <= 0 && !o->trace)
      printf("\"rate\": \"max\", ");
    else if (!o->trace || !numbers[id].of_stream)
      printf("\"%s\": %.9g, ", numbers[id].name, value[id]);
  if (!o->trace)
    printf("\"pattern\": \"%s\", ", patterns[o->pattern < 0 ? 0 : o->pattern]);
  printf("\"page\": \"%s\", \"refresh\": \"%s\", \"model\": \"%s\", ", pages[o->page],
         refreshes[o->refresh], model_names[o->model]);
  printf("\"measured\": %" PRIu64 ", \"cycles\": %" PRIu64 ", ", r->accesses, r->cycles);
  if (r->offered > 0)
    printf("\"offered\": %.6f, ", r->offered);
  else
    printf("\"offered\": null, ");
  printf("\"accepted\": %.6f, \"bytes_per_cycle\": %.5f, \"hit_rate\": %.5f, ", r->accepted,
         r->bytes, r->hit_rate);
  printf("\"latency\": {\"mean\": %.3f, \"min\": %" PRIu64 ", \"p50\": %" PRIu64
         ", \"p90\": %" PRIu64 ", \"p99\": %" PRIu64 ", \"max\": %" PRIu64 "}, ",
         r->mean, r->least, r->p50, r->p90, r->p99, r->most);
  printf("\"commands\": {\"ACT\": %" PRIu64 ", \"PRE\": %" PRIu64 ", \"SASEL\": %" PRIu64
         ", \"RD\": %" PRIu64 ", \"WR\": %" PRIu64 ", \"REF\": %" PRIu64 "}, ",
         r->commands[DRAM_ACT], r->commands[DRAM_PRE], r->commands[DRAM_SASEL],
         r->commands[DRAM_RD], r->commands[DRAM_WR], r->commands[DRAM_REF]);
  printf("\"selects_per_access\": %.5f}\n", r->selects);
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
  printf("%8s %8.5f %7.3f %6.2f  %8.1f %5" PRIu64 " %5" PRIu64 " %5" PRIu64 " %6" PRIu64,
         r->offered > 0 ? text : "-", r->accepted, r->bytes, 100 * r->hit_rate, r->mean, r->p50,
         r->p90, r->p99, r->most);
  printf("  %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %6" PRIu64 " %7.3f\n",
         r->commands[DRAM_ACT], r->commands[DRAM_PRE], r->commands[DRAM_SASEL],
         r->commands[DRAM_RD], r->commands[DRAM_WR], r->commands[DRAM_REF], r->selects);
}

// ---- the plot

static int draw(const runs *r, const points *m) {
  const options *o = &r->o;
  static const char *const labels[NUMBERS] = {
      [STREAMS] = "streams",      [TURN] = "accesses a turn",  [VISIT] = "accesses a row visit",
      [READS] = "reads, percent", [RATE] = "arrivals a cycle", [QUEUE] = "requests in the queue"};
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
             ? TOOL_OK
             : TOOL_USAGE;
}

// ---- runs

static int run_one(runs *r, const double *value, drive_result *result) {
  const options *o = &r->o;
  const model *verilog = &r->library.bankctl;
  const drive_config config = {
      .model = o->model == RTL ? verilog->ops : &bankctl_twin,
      .second = o->model == BOTH ? verilog->ops : NULL,
      .failed = verilog->failed,
      .rows = (uint32_t)value[ROWS],
      .closed = o->page == 1,
      .refresh = o->refresh == 0,
      .queue = (uint32_t)value[QUEUE],
  };
  const stream_config stream = {
      .pattern = o->pattern < 0 ? STREAM_RANDOM : (stream_pattern)o->pattern,
      .streams = (uint32_t)value[STREAMS],
      .turn = (uint32_t)value[TURN],
      .visit = (uint32_t)value[VISIT],
      .banks = (uint32_t)value[BANKS],
      .reads = value[READS] / 100,
      .rate = value[RATE],
      .seed = (uint64_t)value[SEED],
      .count = (uint64_t)value[ACCESSES],
  };
  char why[WHY];
  int status = TOOL_OK;
  stream_access *made = o->trace ? NULL : stream_generate(&stream);
  if (!o->trace && !made)
    return tool_error("out of memory"), TOOL_FAILED;
  const stream_access *accesses = made ? made : r->trace;
  const size_t n = made ? stream.count : r->traced;
  if (o->write_trace && !stream_write(o->write_trace, accesses, n))
    status = tool_error("can't write '%s': %s", o->write_trace, strerror(errno));
  else if (!drive(&config, accesses, n, result, why, sizeof why))
    status = (tool_error("%s", why), DIFFERS);
  free(made);
  return status;
}

static int run_all(runs *r) {
  options *o = &r->o;
  const size_t n = o->n_swept ? o->n_swept : 1;
  int status = TOOL_OK;
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

static int run_with(runs *r) {
  options *o = &r->o;
  char why[WHY];
  points m = {0};
  stream_access *trace = NULL;
  int status = TOOL_OK;
  if (o->trace) {
    r->trace = trace = stream_read(o->trace, &r->traced, why, sizeof why);
    if (!trace)
      return tool_error("%s", why);
  }
  if (o->model != C && !models_open_bankctl(&r->library, why, sizeof why))
    status = tool_error("%s", why);
  if (!status && o->points)
    status = points_read(o->points, &m);
  if (!status && o->plot && !(r->y = calloc(o->n_rows * o->n_swept, sizeof *r->y)))
    status = (tool_error("out of memory"), TOOL_FAILED);
  if (!status)
    status = run_all(r);
  if (!status && o->plot)
    status = draw(r, &m);
  free(r->y);
  points_free(&m);
  free(trace);
  models_close(&r->library);
  return status;
}

int command_dram(int argc, char **argv) {
  runs r = {.o = {.pattern = -1, .rows = {4}, .n_rows = 1}};
  for (number_id id = 0; id < NUMBERS; id++)
    r.o.value[id] = numbers[id].usual;
  for (int n = 1; n < argc; n++) {
    if (!strcmp(argv[n], "-h") || !strcmp(argv[n], "--help")) {
      fputs(help, stdout);
      return TOOL_OK;
    }
    const int taken = option(&r.o, argc, argv, &n);
    if (taken > 1)
      return TOOL_USAGE;
    if (!taken)
      return tool_error("unknown %s '%s'; see mpu dram --help",
                        argv[n][0] == '-' ? "option" : "argument", argv[n]);
  }
  const int status = check(&r.o);
  return status ? status : run_with(&r);
}
