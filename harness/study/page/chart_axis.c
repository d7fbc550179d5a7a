// SPDX-License-Identifier: Apache-2.0
// Axes, linear and logarithmic, with round numbers at their ticks.
#include <math.h>
#include <string.h>

#include "chart_priv.h"

bool there(double value) {
  return isfinite(value);
}

static const double ones[] = {1, 2, 5};

// The next of 1, 2, 5, 10 ... at or below a value, at or above it.
static double round_down(double value) {
  const double power = pow(10, floor(log10(value) + 1e-9));
  double best = power;
  for (size_t k = 0; k < 3; k++)
    if (ones[k] * power <= value * (1 + 1e-9))
      best = ones[k] * power;
  return best;
}

static double round_up(double value) {
  const double power = pow(10, floor(log10(value) + 1e-9));
  for (size_t k = 0; k < 3; k++)
    if (ones[k] * power >= value * (1 - 1e-9))
      return ones[k] * power;
  return 10 * power;
}

static axis log_axis(double low, double high, double about) {
  if (!(low > 0 && high >= low))
    low = 1, high = 10;
  axis a = {.low = round_down(low), .high = round_up(high), .log = true};
  if (a.low >= a.high * (1 - 1e-9))
    a.low = round_down(a.low * 0.99), a.high = round_up(a.high * 1.01);
  const double decades = log10(a.high / a.low);
  a.step = 3 * decades <= about + 1 ? 0 : ceil(decades / about - 1e-9);
  return a;
}

axis axis_of(double low, double high, bool log, bool zero, double about) {
  if (log)
    return log_axis(low, high, about);
  if (!(low <= high))  // no data
    low = 0, high = 1;
  if (zero)
    low = fmin(low, 0), high = fmax(high, 0);
  if (high <= low) {
    const double half = low == 0 ? 1 : fabs(low) / 2;
    low = low == 0 ? 0 : low - half, high += half;
  }
  const double raw = (high - low) / about, power = pow(10, floor(log10(raw)));
  const double factor = raw / power;
  axis a = {.step = power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10)};
  // what is a little beyond a tick ends there: axis_at cuts it
  a.low = floor(low / a.step + 0.02) * a.step;
  a.high = ceil(high / a.step - 0.02) * a.step;
  return a;
}

double axis_at(const axis *a, double value) {
  const double v = fmax(a->low, fmin(a->high, value));
  const double share =
      a->log ? log(v / a->low) / log(a->high / a->low) : (v - a->low) / (a->high - a->low);
  return a->from + share * (a->to - a->from);
}

double axis_tick(const axis *a, double before) {
  double next;
  if (!a->log) {
    next = (isnan(before) ? ceil(a->low / a->step - 1e-9) : rint(before / a->step) + 1) * a->step;
    return next > a->high + a->step * 1e-6 ? NAN : next;
  }
  if (a->step > 0)  // decades
    next = isnan(before) ? pow(10, ceil(log10(a->low) - 1e-9)) : before * pow(10, a->step);
  else
    next = isnan(before) ? a->low : round_up(before * 1.01);
  return next > a->high * (1 + 1e-9) ? NAN : next;
}

// With k, M, G behind it: short enough for axes and cells.
const char *short_text(char to[PAGE_NUMBER], double value, const char *suffix) {
  static const struct {
    double of;
    const char *name;
  } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  const double size = fabs(value);
  double of = 1;
  const char *name = "";
  for (size_t k = 0; k < 4 && size >= 1e4; k++)
    if (size >= units[k].of) {
      of = units[k].of, name = units[k].name;
      break;
    }
  const double v = value / of;
  const int digits = fabs(v) >= 100 ? 0 : fabs(v) >= 10 ? 1 : 2;
  char number[24];
  if (size > 0 && size < 0.01)
    snprintf(number, sizeof number, "%.2g", v);
  else
    snprintf(number, sizeof number, "%.*f", digits, v);
  if (strchr(number, '.') && !strchr(number, 'e')) {
    char *end = number + strlen(number);
    while (end[-1] == '0')
      *--end = 0;
    if (end[-1] == '.')
      *--end = 0;
  }
  snprintf(to, PAGE_NUMBER, "%.16s%s%.12s", strcmp(number, "-0") == 0 ? "0" : number, name, suffix);
  return to;
}

const char *axis_text(char to[PAGE_NUMBER], const axis *a, double value, const char *suffix) {
  if (!a->log && fabs(value) < a->step / 2)
    value = 0;
  if (fabs(value) < 1e4)
    snprintf(to, PAGE_NUMBER, "%.6g%.12s", value, suffix ? suffix : "");
  else
    short_text(to, value, suffix ? suffix : "");
  return to;
}

double axis_widest(const drawing *d, const axis *a, const char *suffix) {
  double widest = 0;
  char text[PAGE_NUMBER];
  for (double v = axis_tick(a, NAN); there(v); v = axis_tick(a, v))
    widest = fmax(widest, text_width(d, axis_text(text, a, v, suffix)));
  return widest;
}

void put_across(const drawing *d, const axis *a, double top, double bottom, const char *suffix) {
  char text[PAGE_NUMBER];
  double free_from = -1e9;
  for (double v = axis_tick(a, NAN); there(v); v = axis_tick(a, v)) {
    const double x = axis_at(a, v), half = text_width(d, axis_text(text, a, v, suffix)) / 2;
    fprintf(d->f, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n", x, top, bottom);
    if (x - half < free_from)
      continue;
    put_text(d, x, bottom + d->letter + 5, MIDDLE, "tick", 1e9, text);
    free_from = x + half + 6;
  }
}

void put_standing(const drawing *d, const axis *a, double left, double right, const char *suffix) {
  char text[PAGE_NUMBER];
  for (double v = axis_tick(a, NAN); there(v); v = axis_tick(a, v)) {
    const double y = axis_at(a, v);
    fprintf(d->f, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", left, y, right);
    put_text(d, left - 7, y + d->letter * 0.35, END, "tick", 1e9, axis_text(text, a, v, suffix));
  }
}
