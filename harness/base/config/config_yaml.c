// SPDX-License-Identifier: Apache-2.0
// Configurations from YAML files, in three steps over the text: libyaml's events give the outline
// (which keys are there, in which lines, none twice, none unknown), libcyaml loads by a schema, and
// config_set() takes the values. The schema has texts, not numbers: for libcyaml 1.3 `12x` is 12,
// `010` is 8 and any word but "false" is true; and a value has one meaning here and in the flat
// form.
#include <cyaml/cyaml.h>
#include <yaml.h>
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "config.h"

enum { MAX_FILE = 1 << 20 };

// ---- the schema: what a file says, NULL where it says nothing

// clang-format off
#define CONFIG_SECTION(section, doc) typedef struct text_##section {
#define CONFIG_END(section) } text_##section;
#define CONFIG_ANY(section, key) char *key;
#include "config.def"

typedef struct texts {
  char *base;
#define CONFIG_SECTION(section, doc) text_##section *section;
#include "config.def"
} texts;

#define OPTIONAL (CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL)
#define CONFIG_SECTION(section, doc) static const cyaml_schema_field_t schema_##section[] = {
#define CONFIG_ANY(section, key) \
  CYAML_FIELD_STRING_PTR(#key, OPTIONAL, text_##section, key, 0, CYAML_UNLIMITED),
#define CONFIG_END(section) CYAML_FIELD_END };
#include "config.def"

static const cyaml_schema_field_t schema_fields[] = {
  CYAML_FIELD_STRING_PTR("base", OPTIONAL, texts, base, 0, CYAML_UNLIMITED),
#define CONFIG_SECTION(section, doc) \
  CYAML_FIELD_MAPPING_PTR(#section, OPTIONAL, texts, section, schema_##section),
#include "config.def"
  CYAML_FIELD_END
};

static const struct {
  size_t section, key;  // where the text of a field is: in texts, and in what that points to
} places[CONFIG_FIELDS] = {
#define CONFIG_ANY(s, k) {offsetof(texts, s), offsetof(text_##s, k)},
#include "config.def"
};

static const char *const sections[] = {
#define CONFIG_SECTION(section, doc) #section,
#include "config.def"
};
// clang-format on

enum { SECTIONS = sizeof sections / sizeof *sections };

static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, texts, schema_fields)};
static const cyaml_config_t cyaml = {.mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR};

static const char *text_of(const texts *t, size_t field) {
  const void *section;
  const char *text;
  memcpy(&section, (const char *)t + places[field].section, sizeof section);
  if (!section)
    return NULL;
  memcpy(&text, (const char *)section + places[field].key, sizeof text);
  return text;
}

// ---- the outline

typedef struct outline {
  yaml_parser_t parser;
  yaml_event_t event;
  const char *text, *name;
  size_t length;
  char *why;
  size_t bytes;
  size_t base_line, section_line[SECTIONS], line[CONFIG_FIELDS];  // 0: not there
} outline;

// `why` becomes FILE:LINE: and the text. Control characters that a file smuggles in are shown as
// '?'.
static bool fail(outline *o, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(outline *o, size_t line, const char *format, ...) {
  va_list args;
  int used = snprintf(o->why, o->bytes, "%s:%zu: ", o->name, line);
  if (used > 0 && (size_t)used < o->bytes) {
    va_start(args, format);
    vsnprintf(o->why + used, o->bytes - (size_t)used, format, args);
    va_end(args);
  }
  for (char *c = o->why; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      *c = '?';
  return false;
}

static bool unknown_key(outline *o, size_t line, const char *section, const char *key) {
  char text[CONFIG_WHY];
  return fail(o, line, "%s", config_unknown(section, key, text, sizeof text));
}

static bool unknown_section(outline *o, size_t line, const char *section) {
  char text[CONFIG_WHY];
  return fail(o, line, "%s", config_unknown(section, NULL, text, sizeof text));
}

static size_t line_of(const outline *o) {
  return o->event.start_mark.line + 1;
}

// The bytes of a line, from 1 on, without its end.
static const char *line_at(const outline *o, size_t line, size_t *length) {
  const char *at = o->text, *end = o->text + o->length, *stop;
  for (; --line && (stop = memchr(at, '\n', (size_t)(end - at))); at = stop + 1)
    ;
  stop = memchr(at, '\n', (size_t)(end - at));
  *length = (size_t)((stop ? stop : end) - at);
  return at;
}

static bool has_tab(const outline *o, size_t line) {
  size_t length;
  const char *at = line_at(o, line, &length);
  return memchr(at, '\t', length);
}

// What an editor puts in front of a text; YAML would take the one of UTF-8, and read UTF-16.
static bool has_mark(const outline *o) {
  static const char *const marks[] = {"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"};
  for (size_t n = 0; n < sizeof marks / sizeof *marks; n++)
    if (o->length >= strlen(marks[n]) && memcmp(o->text, marks[n], strlen(marks[n])) == 0)
      return true;
  return false;
}

static bool next(outline *o) {
  yaml_event_delete(&o->event);
  if (yaml_parser_parse(&o->parser, &o->event))
    return true;
  const yaml_parser_t *p = &o->parser;
  size_t line = p->problem_mark.line + 1;
  if (p->error == YAML_READER_ERROR) {
    line = 1;
    for (size_t n = 0; n < p->problem_offset && n < o->length; n++)
      line += o->text[n] == '\n';
  }
  if (p->error != YAML_READER_ERROR && has_tab(o, line))
    return fail(o, line, "a tab: YAML indents and separates with spaces");
  return fail(o, line, "not YAML: %s%s%s", p->context ? p->context : "", p->context ? ", " : "",
              p->problem ? p->problem : "out of memory");
}

// The event is a scalar; `of`: what is expected, for the message.
static bool scalar(outline *o, const char *section, const char *key, const char *of) {
  const yaml_event_t *e = &o->event;
  const char *dot = section && key ? "." : "";
  const char *a = section ? section : "", *b = key ? key : "", *colon = section || key ? ": " : "";
  if (e->type == YAML_ALIAS_EVENT || (e->type == YAML_SCALAR_EVENT && e->data.scalar.anchor))
    return fail(o, line_of(o), "%s%s%s%sanchors and aliases are not supported; allowed: %s", a, dot,
                b, colon, of);
  if (e->type != YAML_SCALAR_EVENT)
    return fail(o, line_of(o), "%s%s%s%sa list or mapping is not allowed here; allowed: %s", a, dot,
                b, colon, of);
  if (strlen((const char *)e->data.scalar.value) != e->data.scalar.length)
    return fail(o, line_of(o), "%s%s%s%sholds a zero byte; allowed: %s", a, dot, b, colon, of);
  return true;
}

static const char *word(const outline *o) {
  return (const char *)o->event.data.scalar.value;
}

// The mapping that begins here; `section` NULL: the whole file.
static bool mapping_begins(outline *o, const char *section) {
  const yaml_event_t *e = &o->event;
  const char *a = section ? section : "", *colon = section ? ": " : "";
  if (e->type == YAML_ALIAS_EVENT ||
      (e->type == YAML_MAPPING_START_EVENT && e->data.mapping_start.anchor))
    return fail(o, line_of(o), "%s%sanchors and aliases are not supported", a, colon);
  if (e->type != YAML_MAPPING_START_EVENT)
    return fail(o, line_of(o), "%s%sexpected %s", a, colon,
                section ? "keys with values, indented below it"
                        : "sections with keys; mpu config prints all");
  return true;
}

// Behind the name of a section, up to its end.
static bool outline_section(outline *o, size_t section) {
  const char *name = sections[section];
  char allowed[128];
  if (o->section_line[section])
    return fail(o, line_of(o), "%s: the section appears twice, first in line %zu", name,
                o->section_line[section]);
  o->section_line[section] = line_of(o);
  if (!next(o) || !mapping_begins(o, name))
    return false;
  for (;;) {
    if (!next(o))
      return false;
    if (o->event.type == YAML_MAPPING_END_EVENT)
      return true;
    if (!scalar(o, name, NULL, "a key"))
      return false;
    const config_field *f = config_find(name, word(o));
    if (!f)
      return unknown_key(o, line_of(o), name, word(o));
    size_t *line = &o->line[f - config_fields];
    if (*line)
      return fail(o, line_of(o), "%s.%s: appears twice, first in line %zu", name, f->key, *line);
    *line = line_of(o);
    if (!next(o) || !scalar(o, name, f->key, config_allowed(f, allowed, sizeof allowed)))
      return false;
    *line = line_of(o);
  }
}

static bool outline_root(outline *o) {
  bool any = false;
  for (;; any = true) {
    size_t n = 0;
    if (!next(o))
      return false;
    if (o->event.type == YAML_MAPPING_END_EVENT)
      return any || fail(o, 1, "the file is empty; mpu config prints one with all keys");
    if (!scalar(o, NULL, NULL, "a section"))
      return false;
    while (n < SECTIONS && strcmp(word(o), sections[n]) != 0)
      n++;
    if (strcmp(word(o), "base") == 0) {
      if (o->base_line)
        return fail(o, line_of(o), "base: appears twice, first in line %zu", o->base_line);
      if (any)
        return fail(o, line_of(o), "base: must come before all sections");
      o->base_line = line_of(o);
      if (!next(o) || !scalar(o, NULL, "base", "the name of a preset"))
        return false;
    } else if (n == SECTIONS) {
      return unknown_section(o, line_of(o), word(o));
    } else if (!outline_section(o, n)) {
      return false;
    }
  }
}

static bool outline_file(outline *o) {
  do {  // the beginning of the stream and of the document
    if (!next(o))
      return false;
    if (o->event.type == YAML_STREAM_END_EVENT || (o->event.type == YAML_SCALAR_EVENT && !*word(o)))
      return fail(o, 1, "the file is empty; mpu config prints one with all keys");
  } while (o->event.type == YAML_STREAM_START_EVENT || o->event.type == YAML_DOCUMENT_START_EVENT);
  if (!mapping_begins(o, NULL) || !outline_root(o) || !next(o) || !next(o))
    return false;
  return o->event.type == YAML_STREAM_END_EVENT ||
         fail(o, line_of(o), "a second document begins; allowed: one a file");
}

// ---- values

static bool take(outline *o, const texts *t, config *c) {
  char why[CONFIG_WHY];
  const config_field *blamed[2];
  if (!config_from_preset(c, t->base ? t->base : "paper", why, sizeof why))
    return fail(o, o->base_line, "base: %s", why);
  for (size_t n = 0; n < CONFIG_FIELDS; n++) {
    const char *text = text_of(t, n);
    if (text && !config_set(c, &config_fields[n], text, why, sizeof why))
      return fail(o, o->line[n], "%s", why);
  }
  if (config_check(c, blamed, why, sizeof why))
    return true;
  size_t line = o->line[blamed[0] - config_fields];
  return fail(o, line ? line : o->line[blamed[1] - config_fields], "%s", why);
}

bool config_read_yaml(config *c, const char *text, size_t length, const char *name, char *why,
                      size_t bytes) {
  outline o = {.text = text, .length = length, .name = name, .why = why, .bytes = bytes};
  texts *t = NULL;
  if (has_mark(&o))
    return fail(&o, 1, "begins with a byte order mark; save the file as UTF-8 without one");
  if (!yaml_parser_initialize(&o.parser))
    return fail(&o, 1, "out of memory");
  yaml_parser_set_input_string(&o.parser, (const unsigned char *)text, length);
  bool ok = outline_file(&o);
  yaml_event_delete(&o.event);
  yaml_parser_delete(&o.parser);
  if (!ok)
    return false;
  cyaml_err_t e =
      cyaml_load_data((const uint8_t *)text, length, &cyaml, &schema, (cyaml_data_t **)&t, NULL);
  if (e != CYAML_OK || !t)
    return fail(&o, 1, "%s", cyaml_strerror(e));
  ok = take(&o, t, c);
  cyaml_free(&cyaml, &schema, t, 0);
  return ok;
}

// ---- files

static bool is_file(const char *name) {
  size_t n = strlen(name);
  return strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".yaml") == 0) ||
         (n > 4 && strcmp(name + n - 4, ".yml") == 0);
}

bool config_load(config *c, const char *name_or_file, char *why, size_t bytes) {
  if (!is_file(name_or_file)) {
    if (config_from_preset(c, name_or_file, why, bytes))
      return true;
    size_t used = strlen(why);
    snprintf(why + used, bytes - used, " (the name of a file has a slash or ends with .yaml)");
    return false;
  }
  FILE *f = fopen(name_or_file, "rb");
  char *text = malloc(MAX_FILE + 1);
  if (!text)
    abort();
  size_t length = f ? fread(text, 1, MAX_FILE + 1, f) : 0;
  bool ok = f && !ferror(f);
  if (!ok)
    snprintf(why, bytes, "cannot read '%s': %s", name_or_file, strerror(errno));
  if (ok && length > MAX_FILE) {
    snprintf(why, bytes, "'%s' is longer than 1 MB: it is not a configuration", name_or_file);
    ok = false;
  }
  ok = ok && config_read_yaml(c, text, length, name_or_file, why, bytes);
  free(text);
  if (f)
    fclose(f);
  return ok;
}
