// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

// clang-format off
enum {
#define CONFIG_NAME(CHOICE, number, NAME, text, doc) CONFIG_COUNT_##CHOICE##_##NAME,
#include "config.def"
  MAX_NAMES  // of all choices together: enough for each
};

enum choice { SCHEDULE, LOCATION, COMPUTE, PLACE, PAGE, BLOCKS, FIRST, FETCH, ARBITER, TOPOLOGY, CHOICES };
static const config_name choices[CHOICES][MAX_NAMES + 1] = {
#define CONFIG_NAME(CHOICE, number, NAME, text, doc) [CHOICE][number] = {text, doc},
#include "config.def"
};

#define MILLIONTHS(x) ((int64_t)((double)(x) * (double)CONFIG_DECIMALS + 0.5))
const config_field config_fields[CONFIG_FIELDS] = {
#define CONFIG_NUMBER(s, k, standard, min, max, step, unit, doc) \
  {#s, #k, unit, doc, CONFIG_TYPE_NUMBER, standard, min, max, step, NULL, NULL, NULL, offsetof(config, s.k)},
#define CONFIG_POWER(s, k, standard, min, max, unit, doc) \
  {#s, #k, unit, doc, CONFIG_TYPE_POWER, standard, min, max, 1, NULL, NULL, NULL, offsetof(config, s.k)},
#define CONFIG_DECIMAL(s, k, standard, min, max, unit, doc) \
  {#s, #k, unit, doc, CONFIG_TYPE_DECIMAL, MILLIONTHS(standard), MILLIONTHS(min), MILLIONTHS(max), 1, NULL, NULL, NULL, offsetof(config, s.k)},
#define CONFIG_CHOICE(s, k, CHOICE, standard, doc) \
  {#s, #k, "", doc, CONFIG_TYPE_CHOICE, CONFIG_##CHOICE##_##standard, 0, INT32_MAX, 1, NULL, NULL, choices[CHOICE], offsetof(config, s.k)},
#define CONFIG_FLAG(s, k, standard, doc) \
  {#s, #k, "", doc, CONFIG_TYPE_FLAG, standard, 0, 1, 1, NULL, NULL, NULL, offsetof(config, s.k)},
#define CONFIG_FIXED(s, k, value, unit, by, which, doc) \
  {#s, #k, unit, doc, CONFIG_TYPE_NUMBER, value, value, value, 1, by, which, NULL, offsetof(config, s.k)},
#include "config.def"
};

const config_preset config_presets[] = {
#define CONFIG_PRESET(name, base, changes, doc) {name, base, changes, doc},
#include "config.def"
  {NULL, NULL, NULL, NULL}
};
// clang-format on

static bool fail(char *why, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(char *why, size_t bytes, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(why, bytes, format, args);
  va_end(args);
  return false;
}

// Appends as snprintf does, and stops at the end.
static void add(char *to, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(char *to, size_t bytes, const char *format, ...) {
  size_t used = strlen(to);
  va_list args;
  va_start(args, format);
  vsnprintf(to + used, bytes - used, format, args);
  va_end(args);
}

// ---- values

int64_t config_get(const config *c, const config_field *f) {
  const char *at = (const char *)c + f->offset;
  uint32_t number;
  double decimal;
  bool flag;
  switch (f->type) {
    case CONFIG_TYPE_DECIMAL:
      memcpy(&decimal, at, sizeof decimal);
      return MILLIONTHS(decimal);
    case CONFIG_TYPE_FLAG:
      memcpy(&flag, at, sizeof flag);
      return flag;
    default:
      memcpy(&number, at, sizeof number);
      return number;
  }
}

static void put(config *c, const config_field *f, int64_t value) {
  char *at = (char *)c + f->offset;
  uint32_t number = (uint32_t)value;
  double decimal = (double)value / (double)CONFIG_DECIMALS;
  bool flag = value != 0;
  switch (f->type) {
    case CONFIG_TYPE_DECIMAL:
      memcpy(at, &decimal, sizeof decimal);
      break;
    case CONFIG_TYPE_FLAG:
      memcpy(at, &flag, sizeof flag);
      break;
    default:
      memcpy(at, &number, sizeof number);
      break;
  }
}

// Of a value as config_get has it; not by printf's %g, which minds the program's locale.
static void value_text(const config_field *f, int64_t value, char *to, size_t bytes) {
  if (f->type == CONFIG_TYPE_CHOICE) {
    snprintf(to, bytes, "%s", f->names[value].text);
  } else if (f->type == CONFIG_TYPE_FLAG) {
    snprintf(to, bytes, "%s", value ? "on" : "off");
  } else if (f->type == CONFIG_TYPE_DECIMAL && value % CONFIG_DECIMALS) {
    snprintf(to, bytes, "%" PRId64 ".%06" PRId64, value / CONFIG_DECIMALS, value % CONFIG_DECIMALS);
    for (size_t n = strlen(to); to[n - 1] == '0'; n--)
      to[n - 1] = 0;
  } else {
    snprintf(to, bytes, "%" PRId64,
             f->type == CONFIG_TYPE_DECIMAL ? value / CONFIG_DECIMALS : value);
  }
}

const char *config_text(const config *c, const config_field *f, char *to, size_t bytes) {
  value_text(f, config_get(c, f), to, bytes);
  return to;
}

const char *config_allowed(const config_field *f, char *to, size_t bytes) {
  char min[32], max[32];
  *to = 0;
  if (f->type == CONFIG_TYPE_FLAG)
    add(to, bytes, "on or off");
  if (f->type == CONFIG_TYPE_CHOICE)
    for (const config_name *n = f->names; n->text; n++)
      add(to, bytes, "%s%s", n == f->names ? "" : n[1].text ? ", " : " or ", n->text);
  if (*to)
    return to;
  value_text(f, f->min, min, sizeof min);
  value_text(f, f->max, max, sizeof max);
  if (f->min == f->max)
    add(to, bytes, "%s", min);
  else if (f->type == CONFIG_TYPE_POWER)
    add(to, bytes, "%sa power of two from %s to %s", f->min ? "" : "0 or ", f->min ? min : "2",
        max);
  else if (f->step > 1)
    add(to, bytes, "a multiple of %" PRId64 " from %s to %s", f->step, min, max);
  else
    add(to, bytes, "%s to %s", min, max);
  return to;
}

// A decimal number: digits, for decimals also a point and up to six more. What is too large for
// any field is a large value. False: it is no number.
static bool parse_number(const char *text, bool decimal, int64_t *value) {
  bool negative = *text == '-';
  const char *at = text + (negative || *text == '+');
  const int64_t large = INT64_MAX / 100;
  int64_t unit = decimal ? CONFIG_DECIMALS : 1;
  size_t digits = 0;
  *value = 0;
  for (; *at >= '0' && *at <= '9'; at++, digits++)
    *value = *value > large / 10 ? large : *value * 10 + (*at - '0') * unit;
  if (decimal && digits && *at == '.' && at[1]) {
    for (at++; *at >= '0' && *at <= '9'; at++) {
      unit /= 10;
      *value += (*at - '0') * unit;
      if (!unit && *at != '0')
        return false;
    }
  }
  if (negative)
    *value = -*value;
  return digits && !*at;
}

static bool parse_flag(const char *text, int64_t *value) {
  static const char *const words[2][3] = {{"off", "false", "no"}, {"on", "true", "yes"}};
  for (*value = 0; *value < 2; ++*value)
    for (int n = 0; n < 3; n++)
      if (strcmp(text, words[*value][n]) == 0)
        return true;
  return false;
}

static bool parse_choice(const config_field *f, const char *text, int64_t *value) {
  for (*value = 0; f->names[*value].text; ++*value)
    if (strcmp(text, f->names[*value].text) == 0)
      return true;
  return false;
}

bool config_set(config *c, const config_field *f, const char *text, char *why, size_t bytes) {
  char allowed[128], standard[32];
  int64_t v;
  bool known, number = false;
  config_allowed(f, allowed, sizeof allowed);
  if (f->type == CONFIG_TYPE_CHOICE)
    known = parse_choice(f, text, &v);
  else if (f->type == CONFIG_TYPE_FLAG)
    known = parse_flag(text, &v);
  else
    known = number = parse_number(text, f->type == CONFIG_TYPE_DECIMAL, &v);
  if (!known && (f->type == CONFIG_TYPE_CHOICE || f->type == CONFIG_TYPE_FLAG))
    return fail(why, bytes, "%s.%s: '%.40s' is not one of its values; allowed: %s", f->section,
                f->key, text, allowed);
  if (f->fixed_by && (!known || v != f->standard)) {
    value_text(f, f->standard, standard, sizeof standard);
    return fail(why, bytes, "%s.%s: must be %s, not '%.40s': it is a parameter of the %s (%s)",
                f->section, f->key, standard, text, f->fixed_by, f->which);
  }
  if (!known)
    return fail(why, bytes, "%s.%s: '%.40s' is not a %s; allowed: %s", f->section, f->key, text,
                f->type == CONFIG_TYPE_DECIMAL ? "number with at most six decimals"
                                               : "whole decimal number",
                allowed);
  if (number && (v < f->min || v > f->max))
    return fail(why, bytes, "%s.%s: %.40s is out of range; allowed: %s", f->section, f->key, text,
                allowed);
  if (number &&
      (v % f->step || (f->type == CONFIG_TYPE_POWER && ((v & (v - 1)) || (!f->min && v == 1)))))
    return fail(why, bytes, "%s.%s: %.40s is not %s", f->section, f->key, text, allowed);
  put(c, f, v);
  return true;
}

const config_field *config_find(const char *section, const char *key) {
  for (size_t n = 0; n < CONFIG_FIELDS; n++)
    if (strcmp(config_fields[n].section, section) == 0 && strcmp(config_fields[n].key, key) == 0)
      return &config_fields[n];
  return NULL;
}

config config_default(void) {
  config c = {0};
  for (size_t n = 0; n < CONFIG_FIELDS; n++)
    put(&c, &config_fields[n], config_fields[n].standard);
  return c;
}

// ---- values that make no sense together

#define FIELD(section, key) (&config_fields[CONFIG_FIELD_##section##_##key])

uint32_t config_columns(uint32_t count, uint32_t wanted) {
  uint32_t n = wanted ? wanted : 1;
  while (!wanted && (n * n < count || count % n))
    n++;
  return n;
}

// Rows and columns of the network, and its clocks.
static bool check_network(const config *c, const config_field *blamed[2], char *why, size_t bytes) {
  const struct {
    const char *what, *of;
    uint32_t count, columns;
    const config_field *field, *field_of;
  } grid[] = {{"columns", "machine.cores", c->machine.cores, c->network.columns,
               FIELD(network, columns), FIELD(machine, cores)},
              {"processor_columns", "machine.processors", c->machine.processors,
               c->network.processor_columns, FIELD(network, processor_columns),
               FIELD(machine, processors)}};
  for (size_t n = 0; n < 2; n++)
    if (grid[n].columns && grid[n].count % grid[n].columns) {
      blamed[0] = grid[n].field, blamed[1] = grid[n].field_of;
      return fail(why, bytes,
                  "network.%s: %" PRIu32 " does not divide %s (%" PRIu32
                  "); allowed: 0 or one of its divisors",
                  grid[n].what, grid[n].columns, grid[n].of, grid[n].count);
    }
  const uint32_t columns = config_columns(c->machine.cores, c->network.columns);
  const uint32_t rows = c->machine.cores / columns;
  const bool grouped = c->network.topology == CONFIG_TOPOLOGY_CONCENTRATED ||
                       c->network.topology == CONFIG_TOPOLOGY_CONCENTRATED_DIAGONAL;
  if (grouped && (columns % c->network.group_columns || rows % c->network.group_rows)) {
    const bool wide = columns % c->network.group_columns;
    blamed[0] = wide ? FIELD(network, group_columns) : FIELD(network, group_rows);
    blamed[1] = FIELD(network, topology);
    return fail(why, bytes,
                "%s: groups of %" PRIu32 " x %" PRIu32 " do not divide a processor of %" PRIu32
                " x %" PRIu32 " cores",
                wide ? "network.group_columns" : "network.group_rows", c->network.group_columns,
                c->network.group_rows, columns, rows);
  }
  const uint32_t on = c->network.on_chip_bits, off = c->network.off_chip_bits;
  if (on > off ? on % off : off % on) {
    blamed[0] = FIELD(network, on_chip_bits), blamed[1] = FIELD(network, off_chip_bits);
    return fail(why, bytes,
                "network.on_chip_bits: of %" PRIu32 " and network.off_chip_bits (%" PRIu32
                ") one must be a multiple of the other: gateways cut and join whole flits",
                on, off);
  }
  for (int k = 0; k < 2; k++) {
    const uint32_t mhz = k ? c->network.off_chip_mhz : c->network.on_chip_mhz;
    if (c->network.router_mhz % mhz) {
      blamed[0] = k ? FIELD(network, off_chip_mhz) : FIELD(network, on_chip_mhz);
      blamed[1] = FIELD(network, router_mhz);
      return fail(why, bytes,
                  "network.%s_chip_mhz: %" PRIu32 " does not divide network.router_mhz (%" PRIu32
                  "): a link takes a flit every so many cycles of the routers",
                  k ? "off" : "on", mhz, c->network.router_mhz);
    }
  }
  return true;
}

// Times of the banks.
static bool check_dram(const config *c, const config_field *blamed[2], char *why, size_t bytes) {
  if (c->dram.tRAS < c->dram.tRCD) {
    blamed[0] = FIELD(dram, tRAS), blamed[1] = FIELD(dram, tRCD);
    return fail(why, bytes,
                "dram.tRAS: a row closes after %" PRIu32
                " cycles, before it can be accessed; allowed: at least dram.tRCD (%" PRIu32 ")",
                c->dram.tRAS, c->dram.tRCD);
  }
  if (c->dram.tRAS < c->dram.tRP) {
    blamed[0] = FIELD(dram, tRAS), blamed[1] = FIELD(dram, tRP);
    return fail(why, bytes,
                "dram.tRAS: a row that is open for %" PRIu32
                " cycles is not supported; allowed: at least dram.tRP (%" PRIu32 ")",
                c->dram.tRAS, c->dram.tRP);
  }
  // what the controller holds of reads under way
  enum { CL_AND_BURST = 41 };
  if (c->dram.CL + c->dram.burst > CL_AND_BURST) {
    blamed[0] = FIELD(dram, CL), blamed[1] = FIELD(dram, burst);
    return fail(why, bytes,
                "dram.CL: with dram.burst (%" PRIu32 ") it is %" PRIu32
                " cycles; allowed: up to %d together",
                c->dram.burst, c->dram.CL + c->dram.burst, CL_AND_BURST);
  }
  // with less, banks hardly do anything but refresh, and a launch does not come to its end
  const uint32_t apart = c->dram.tRFC + c->dram.tRFC / 4 + c->dram.tRAS + c->dram.tRP;
  if (c->dram.refresh && c->dram.tREFI < apart) {
    blamed[0] = FIELD(dram, tREFI), blamed[1] = FIELD(dram, tRFC);
    return fail(why, bytes,
                "dram.tREFI: refreshes every %" PRIu32
                " cycles leave a bank no time; allowed: at least %" PRIu32
                " (1.25 dram.tRFC + dram.tRAS + dram.tRP)",
                c->dram.tREFI, apart);
  }
  // refreshes that were put off, in a row
  enum { PUT_OFF = 8 };
  if (c->dram.refresh && c->core.stall_limit < PUT_OFF * c->dram.tRFC) {
    blamed[0] = FIELD(core, stall_limit), blamed[1] = FIELD(dram, tRFC);
    return fail(why, bytes,
                "core.stall_limit: %" PRIu32
                " cycles may pass while a bank is refreshed; allowed: at least %d times dram.tRFC "
                "(%" PRIu32 ")",
                c->core.stall_limit, PUT_OFF, c->dram.tRFC);
  }
  return true;
}

bool config_check(const config *c, const config_field *blamed[2], char *why, size_t bytes) {
  const bool base_die = c->core.compute == CONFIG_COMPUTE_BASE_DIE;
  if (base_die && c->core.location != CONFIG_LOCATION_FAR) {
    blamed[0] = FIELD(core, location), blamed[1] = FIELD(core, compute);
    return fail(why, bytes,
                "core.location: with core.compute base_die nothing can execute near; allowed: far");
  }
  if (base_die && c->shared.place != CONFIG_PLACE_FAR) {
    blamed[0] = FIELD(shared, place), blamed[1] = FIELD(core, compute);
    return fail(why, bytes,
                "shared.place: with core.compute base_die shared memory is on the base die; "
                "allowed: far");
  }
  const uint32_t columns = c->dram.row_bytes / 32;
  if (1u << c->map.column_below > columns) {
    blamed[0] = FIELD(map, column_below), blamed[1] = FIELD(dram, row_bytes);
    return fail(why, bytes,
                "map.column_below: with dram.row_bytes %" PRIu32
                " a column has %d bits; allowed: 0 to %d",
                c->dram.row_bytes, __builtin_ctz(columns), __builtin_ctz(columns));
  }
  if (2u << c->map.row_below > c->dram.rows) {
    blamed[0] = FIELD(map, row_below), blamed[1] = FIELD(dram, rows);
    return fail(why, bytes,
                "map.row_below: with dram.rows %" PRIu32 " a row has %d bits; allowed: 0 to %d",
                c->dram.rows, __builtin_ctz(c->dram.rows), __builtin_ctz(c->dram.rows) - 1);
  }
  // a line, and what the instruction in it then waits for
  if (c->core.stall_limit < 2 * c->core.icache_miss) {
    blamed[0] = FIELD(core, stall_limit), blamed[1] = FIELD(core, icache_miss);
    return fail(
        why, bytes,
        "core.stall_limit: %" PRIu32
        " cycles are fewer than an instruction may wait for its fetch; allowed: at least twice "
        "core.icache_miss (%" PRIu32 ")",
        c->core.stall_limit, c->core.icache_miss);
  }
  return check_dram(c, blamed, why, bytes) && check_network(c, blamed, why, bytes);
}

// ---- the flat form

void config_write_flat(const config *c, char *to, size_t bytes) {
  char text[32];
  assert(bytes > 0);
  *to = 0;
  for (size_t n = 0; n < CONFIG_FIELDS; n++)
    add(to, bytes, "%s.%s=%s\n", config_fields[n].section, config_fields[n].key,
        config_text(c, &config_fields[n], text, sizeof text));
}

// One line, without its end, into fields of c.
static bool read_line(config *c, const char *line, size_t length, char *why, size_t bytes) {
  char text[128];
  if (length >= sizeof text)
    return fail(why, bytes, "'%.40s...' is too long for a value", line);
  memcpy(text, line, length);
  text[length] = 0;
  char *dot = strchr(text, '.'), *equals = strchr(text, '=');
  if (!dot || !equals || dot > equals)
    return fail(why, bytes, "'%s' is not section.key=value", text);
  *dot = *equals = 0;
  const config_field *f = config_find(text, dot + 1);
  if (!f)
    return fail(why, bytes, "%s.%s: no such key", text, dot + 1);
  return config_set(c, f, equals + 1, why, bytes);
}

static bool apply_flat(config *c, const char *text, char *why, size_t bytes) {
  while (*text) {
    size_t length = strcspn(text, "\n");
    if (length && !read_line(c, text, length, why, bytes))
      return false;
    text += length + (text[length] == '\n');
  }
  return true;
}

bool config_read_flat(config *c, const char *text, char *why, size_t bytes) {
  const config_field *blamed[2];
  *c = config_default();
  return apply_flat(c, text, why, bytes) && config_check(c, blamed, why, bytes);
}

// ---- presets

bool config_from_preset(config *c, const char *name, char *why, size_t bytes) {
  const config_preset *p = config_presets;
  while (p->name && strcmp(p->name, name) != 0)
    p++;
  if (!p->name) {
    fail(why, bytes, "unknown preset '%.60s'; presets:", name);
    for (p = config_presets; p->name; p++)
      add(why, bytes, "%s %s", p == config_presets ? "" : ",", p->name);
    return false;
  }
  if (!p->base)
    *c = config_default();
  else if (!config_from_preset(c, p->base, why, bytes))
    return false;
  return apply_flat(c, p->changes, why, bytes);
}
