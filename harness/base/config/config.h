// SPDX-License-Identifier: Apache-2.0
// The configuration of the machine: a struct of values, whose table is config.def. config.c needs
// nothing but the C library: the runtime library links it, and reads the flat form that `mpu run`
// hands over in the environment. Reading files (config_yaml.c) and printing (config_print.c) are
// the tool's.
//
// A config that was loaded, read or made from a preset keeps to the ranges of the table and makes
// sense as a whole (config_check). What fails puts one line into `why`: what is wrong and what is
// allowed; the config is then undefined.
#ifndef NEARBANK_CONFIG_H
#define NEARBANK_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// clang-format off
// What the choices of the struct are: CONFIG_SCHEDULE_GTO, ...
enum {
#define CONFIG_NAME(CHOICE, number, NAME, text, doc) CONFIG_##CHOICE##_##NAME = (number),
#include "config.def"
};

typedef struct config {
#define CONFIG_SECTION(section, doc) struct {
#define CONFIG_END(section) } section;
#define CONFIG_ANY(section, key) uint32_t key;  // numbers, and choices as the enum says
#define CONFIG_DECIMAL(section, key, ...) double key;
#define CONFIG_FLAG(section, key, ...) bool key;
#include "config.def"
} config;

enum {
#define CONFIG_ANY(section, key) CONFIG_FIELD_##section##_##key,
#include "config.def"
  CONFIG_FIELDS
};
// clang-format on

enum {
  CONFIG_FLAT = 4096,        // bytes that any flat form fits in
  CONFIG_WHY = 1024,         // bytes that any message fits in, but for a long file name
  CONFIG_DECIMALS = 1000000  // values of decimals are in millionths here
};

typedef enum config_type {
  CONFIG_TYPE_NUMBER,
  CONFIG_TYPE_POWER,
  CONFIG_TYPE_DECIMAL,
  CONFIG_TYPE_CHOICE,
  CONFIG_TYPE_FLAG
} config_type;

typedef struct config_name {
  const char *text, *doc;
} config_name;

typedef struct config_field {
  const char *section, *key, *unit, *doc;
  config_type type;
  int64_t standard, min, max, step;  // standard: the default
  const char *fixed_by, *which;      // NULL: it can be changed
  const config_name *names;          // of a choice, ends with a NULL text
  size_t offset;                     // in config
} config_field;

typedef struct config_preset {
  const char *name, *base, *changes, *doc;
} config_preset;

extern const config_field config_fields[CONFIG_FIELDS];
extern const config_preset config_presets[];  // ends with a NULL name

// The values of the preset `paper`.
config config_default(void);
// False: there is none of that name; `why` lists those that there are.
bool config_from_preset(config *c, const char *name, char *why, size_t bytes);

// The value of a field as a number: of a choice its number, of a decimal millionths.
int64_t config_get(const config *c, const config_field *f);
// Its text as a file has it; `to` needs 32 bytes.
const char *config_text(const config *c, const config_field *f, char *to, size_t bytes);
// What is allowed, as text: "1 to 16", "lrr or gto".
const char *config_allowed(const config_field *f, char *to, size_t bytes);
// Sets a field to a text. `why` begins with "section.key: ".
bool config_set(config *c, const config_field *f, const char *text, char *why, size_t bytes);
// NULL: there is none.
const config_field *config_find(const char *section, const char *key);

// Values that make no sense together. On failure `blamed` are the fields (two at most) that do not.
bool config_check(const config *c, const config_field *blamed[2], char *why, size_t bytes);

// The flat form: lines `section.key=value`, one for each field. What is missing when it is read has
// its default.
void config_write_flat(const config *c, char *to, size_t bytes);
bool config_read_flat(config *c, const char *text, char *why, size_t bytes);

// Columns of `count` cores or processors: as wanted, or for 0 as near to a square as there is, not
// fewer than rows.
uint32_t config_columns(uint32_t count, uint32_t wanted);

// ---- config_set.c

// Sets fields to texts "section.key=value", in this order, over the values that there are; then
// checks the whole. On failure `why` begins with the text that is wrong, or with the two that
// contradict each other, as `--set section.key=value: `.
bool config_override(config *c, const char *const *sets, size_t count, char *why, size_t bytes);
// A sentence about a section, or a key of one, that there is not, with what may have been meant.
const char *config_unknown(const char *section, const char *key, char *to, size_t bytes);

// ---- config_yaml.c

// By name: a preset, or a YAML file (a name with a slash, or that ends with .yaml or .yml).
bool config_load(config *c, const char *name_or_file, char *why, size_t bytes);
// The text of a file; `name` is for messages.
bool config_read_yaml(config *c, const char *text, size_t length, const char *name, char *why,
                      size_t bytes);

// ---- config_print.c

// As a file, with comments. Of all fields, or of those that differ from the preset `paper`.
void config_print(const config *c, const char *title, bool changes, FILE *to);
void config_print_presets(FILE *to);
// docs/configuration.md.
void config_print_manual(FILE *to);

#endif
