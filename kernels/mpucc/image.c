// SPDX-License-Identifier: Apache-2.0
#include "image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 8 };
static const char linked[MAGIC] = "MPUIMAG1", relocatable[MAGIC] = "MPURELO1";

typedef struct head {
  char magic[MAGIC];
  uint64_t object, ptx, options;  // bytes, in this order behind it
} head;

uint8_t *mpucc_image_make(const mpucc_image *p, size_t *bytes) {
  const head h = {
      .object = p->object_bytes, .ptx = p->ptx_bytes, .options = strlen(p->options) + 1};
  *bytes = sizeof h + h.object + h.ptx + h.options;
  uint8_t *image = malloc(*bytes);
  if (!image)
    return NULL;
  memcpy(image, &h, sizeof h);
  memcpy(image, p->object ? linked : relocatable, MAGIC);
  if (p->object)
    memcpy(image + sizeof h, p->object, h.object);
  memcpy(image + sizeof h + h.object, p->ptx, h.ptx);
  memcpy(image + sizeof h + h.object + h.ptx, p->options, h.options);
  return image;
}

static void read_parts(const void *from, mpucc_image *p) {
  head h;
  memcpy(&h, from, sizeof h);
  const uint8_t *object = (const uint8_t *)from + sizeof h;
  const char *ptx = (const char *)object + h.object;
  *p = (mpucc_image){h.object ? object : NULL, h.object, ptx, h.ptx, ptx + h.ptx};
}

bool mpucc_image_read(const void *from, mpucc_image *p) {
  if (memcmp(from, linked, MAGIC) != 0)
    return false;
  read_parts(from, p);
  return true;
}

// Whether it is whole: its parts are no longer than the file, and end as they should.
static bool is_whole(const char *at, size_t room, bool has_object) {
  head h;
  if (room < sizeof h)
    return false;
  memcpy(&h, at, sizeof h);
  room -= sizeof h;
  if (has_object ? h.object < SELFMAG : h.object != 0)
    return false;
  return h.object <= room && h.ptx <= room - h.object && h.options > 0 &&
         h.options <= room - h.object - h.ptx &&
         (!has_object || memcmp(at + sizeof h, ELFMAG, SELFMAG) == 0) &&
         !at[sizeof h + h.object + h.ptx + h.options - 1];
}

static size_t find(const char *magic, const char *file, size_t bytes, size_t from, mpucc_image *p) {
  const char *at = file + from, *end = file + bytes;
  while (at < end && (at = memmem(at, (size_t)(end - at), magic, MAGIC))) {
    if (is_whole(at, (size_t)(end - at), magic == linked)) {
      read_parts(at, p);
      return (size_t)(p->options + strlen(p->options) + 1 - file);
    }
    at += MAGIC;
  }
  return 0;
}

size_t mpucc_image_find(const char *file, size_t bytes, size_t from, mpucc_image *p) {
  return find(linked, file, bytes, from, p);
}

size_t mpucc_relocatable_find(const char *file, size_t bytes, size_t from, mpucc_image *p) {
  return find(relocatable, file, bytes, from, p);
}

void mpucc_options_text(const mpucc_options *o, char to[MPUCC_OPTIONS_TEXT]) {
  char regs[24] = "", locate[24] = "";
  if (o->max_regs)
    snprintf(regs, sizeof regs, " --maxregs=%u", o->max_regs);
  if (o->located || o->locate != MIR_LOCATE_PAPER)
    snprintf(locate, sizeof locate, " --locate=%s", mir_policy_names[o->locate]);
  snprintf(to, MPUCC_OPTIONS_TEXT, "%s --dies=%s%s%s%s%s%s", locate, isa_dies_names[o->dies],
           o->forms ? " --forms" : "", o->near_predicates ? " --near-predicates" : "",
           o->reorder ? " --reorder" : "", o->skew ? " --skew" : "", regs);
}

static bool is(const char *word, size_t n, const char *name) {
  return strlen(name) == n && memcmp(word, name, n) == 0;
}

// The value of "--name=value". NULL: it is another option.
static const char *value_of(const char *word, size_t n, const char *name) {
  const size_t length = strlen(name);
  return n > length && memcmp(word, name, length) == 0 ? word + length : NULL;
}

static bool take(const char *word, size_t n, mpucc_options *o) {
  const char *value, *end = word + n;
  if (is(word, n, "--forms"))
    return o->forms = true;
  if (is(word, n, "--near-predicates"))
    return o->near_predicates = true;
  if (is(word, n, "--reorder"))
    return o->reorder = true;
  if (is(word, n, "--skew"))
    return o->skew = true;
  if ((value = value_of(word, n, "--maxregs="))) {
    char *after;
    const unsigned long regs = strtoul(value, &after, 10);
    o->max_regs = (uint32_t)regs;
    return after == end && regs >= 8 && regs <= 254;
  }
  if ((value = value_of(word, n, "--locate=")))
    for (int p = 0; p < MIR_POLICIES; p++)
      if (is(value, (size_t)(end - value), mir_policy_names[p])) {
        o->locate = (mir_policy)p;
        return o->located = true;
      }
  if ((value = value_of(word, n, "--dies=")))
    for (int d = 0; d < ISA_DIES; d++)
      if (is(value, (size_t)(end - value), isa_dies_names[d])) {
        o->dies = (isa_dies)d;
        return true;
      }
  return false;
}

bool mpucc_options_parse(const char *text, mpucc_options *o) {
  for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
    const size_t n = strcspn(at, " ");
    if (!take(at, n, o))
      return false;
    at += n;
  }
  return true;
}
