// SPDX-License-Identifier: Apache-2.0
// Values on a command line over those of a preset or file; and names that are nobody's.
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include "config.h"
#include "letters.h"

enum { TEXT = 256 };

static const char *const sections[] = {
// clang-format off
#define CONFIG_SECTION(section, doc) #section,
#include "config.def"
    // clang-format on
};
enum { SECTIONS = sizeof sections / sizeof *sections };

// ---- unknown names

// The field that was meant: in this section if there is one near enough, else by its full key.
static const config_field *nearest(const char *section, const char *key) {
  const config_field *best = NULL;
  size_t least = strlen(key) / 3 + 2;
  for (size_t n = 0; n < CONFIG_FIELDS; n++) {
    const config_field *f = &config_fields[n];
    bool here = section && strcmp(f->section, section) == 0;
    size_t d = here ? letters_apart(key, f->key) : strcasecmp(key, f->key) == 0 ? 0 : SIZE_MAX;
    if (d < least || (d == least && d == 0 && here)) {
      least = d;
      best = f;
    }
  }
  return best;
}

static const char *nearest_section(const char *section) {
  size_t least = strlen(section) / 3 + 2;
  const char *best = NULL;
  for (size_t n = 0; n < SECTIONS; n++) {
    const size_t d = letters_apart(section, sections[n]);
    if (d < least)
      least = d, best = sections[n];
  }
  return best;
}

static bool is_section(const char *name) {
  for (size_t n = 0; n < SECTIONS; n++)
    if (strcmp(name, sections[n]) == 0)
      return true;
  return false;
}

static const char *unknown_section(const char *section, char *to, size_t bytes) {
  const config_field *f = nearest(NULL, section);
  const char *best = nearest_section(section);
  if (f)
    snprintf(to, bytes, "%s: is a key of section %s: write it below `%s:`", f->key, f->section,
             f->section);
  else if (best)
    snprintf(to, bytes, "unknown section '%.60s'; nearest: %s", section, best);
  else {
    size_t used = (size_t)snprintf(to, bytes, "unknown section '%.60s'; allowed: base", section);
    for (size_t n = 0; n < SECTIONS && used < bytes; n++)
      used += (size_t)snprintf(to + used, bytes - used, ", %s", sections[n]);
  }
  return to;
}

const char *config_unknown(const char *section, const char *key, char *to, size_t bytes) {
  if (!key)
    return unknown_section(section, to, bytes);
  const bool known = is_section(section);
  const char *meant = known ? section : nearest_section(section);
  const config_field *f = nearest(meant, key);
  if (f) {
    snprintf(to, bytes, "unknown key '%.60s.%.60s'; nearest: %s.%s", section, key, f->section,
             f->key);
    return to;
  }
  size_t used = (size_t)snprintf(to, bytes, "unknown key '%.60s.%.60s'; ", section, key);
  if (!known && !meant)
    used += (size_t)snprintf(to + used, bytes - used, "sections:");
  else
    used += (size_t)snprintf(to + used, bytes - used, "keys of %s:", meant);
  bool first = true;
  for (size_t n = 0; n < (known || meant ? (size_t)CONFIG_FIELDS : (size_t)SECTIONS); n++) {
    const bool listed = !known && !meant ? true : strcmp(config_fields[n].section, meant) == 0;
    if (listed && used < bytes)
      used += (size_t)snprintf(to + used, bytes - used, "%s %s", first ? "" : ",",
                               !known && !meant ? sections[n] : config_fields[n].key);
    first = first && !listed;
  }
  return to;
}

// ---- values over those that there are

static bool fail(char *why, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(char *why, size_t bytes, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(why, bytes, format, args);
  va_end(args);
  for (char *c = why; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      *c = '?';
  return false;
}

// Takes "section.key=value" apart. NULL: `why`.
static const config_field *field_of(const char *set, char *value, char *why, size_t bytes) {
  char text[TEXT], unknown[CONFIG_WHY];
  if (strlen(set) >= sizeof text) {
    fail(why, bytes, "--set %.60s...: the value is too long", set);
    return NULL;
  }
  strcpy(text, set);
  char *equals = strchr(text, '='), *dot = strchr(text, '.');
  if (!equals || !dot || dot > equals || dot == text || dot + 1 == equals) {
    fail(why, bytes, "--set takes section.key=value, as dram.page=closed; not '%s'", set);
    return NULL;
  }
  *dot = *equals = 0;
  strcpy(value, equals + 1);
  const config_field *f = config_find(text, dot + 1);
  if (!f)
    fail(why, bytes, "--set %s: %s", set, config_unknown(text, dot + 1, unknown, sizeof unknown));
  return f;
}

bool config_override(config *c, const char *const *sets, size_t count, char *why, size_t bytes) {
  const char *by[CONFIG_FIELDS] = {NULL};  // what set a field last
  char value[TEXT], text[CONFIG_WHY];
  const config_field *blamed[2] = {NULL, NULL};
  for (size_t n = 0; n < count; n++) {
    const config_field *f = field_of(sets[n], value, why, bytes);
    if (!f)
      return false;
    if (!config_set(c, f, value, text, sizeof text))
      return fail(why, bytes, "--set %s: %s", sets[n], text);
    by[f - config_fields] = sets[n];
  }
  if (!count || config_check(c, blamed, text, sizeof text))
    return true;
  const char *first = blamed[0] ? by[blamed[0] - config_fields] : NULL;
  const char *second = blamed[1] ? by[blamed[1] - config_fields] : NULL;
  if (first && second)
    return fail(why, bytes, "--set %s and --set %s: %s", first, second, text);
  if (first || second)
    return fail(why, bytes, "--set %s: %s", first ? first : second, text);
  // another key has a part in it, and what was there before was right
  return count == 1 ? fail(why, bytes, "--set %s: %s", sets[0], text)
                    : fail(why, bytes, "--set, the %zu together: %s", count, text);
}
