// SPDX-License-Identifier: Apache-2.0
#include "objects.h"

#include <ar.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/user_error.h"
#include "nvcc_priv.h"

#define REGISTER "__cudaRegisterLinkedBinary"  // what such functions are called first
#define THIN "!<thin>\n"

// A file of the command, or of a thin archive: its bytes live as long as the units.
typedef struct device_file {
  char *bytes;
  dev_t device;
  ino_t node;
  struct device_file *next;
} device_file;

// An object with what it says of functions to register.
typedef struct object {
  size_t first, count;  // of units
  command needs;
  struct object *next;
} object;

typedef struct reader {
  device_units *to;
  object *objects, **last;
  command defined;
} reader;

static void *checked(void *p) {
  if (!p)
    abort();
  return p;
}

static bool has(const command *c, const char *word) {
  for (size_t n = 0; n < c->count; n++)
    if (strcmp(c->words[n], word) == 0)
      return true;
  return false;
}

// ---- an object

static void take_symbols(reader *r, object *o, const char *at, size_t bytes,
                         const Elf64_Shdr *table, const Elf64_Shdr *names) {
  const char *text = at + names->sh_offset;
  for (uint64_t n = 0; n + sizeof(Elf64_Sym) <= table->sh_size; n += sizeof(Elf64_Sym)) {
    Elf64_Sym s;
    memcpy(&s, at + table->sh_offset + n, sizeof s);
    if (s.st_name < names->sh_size && names->sh_size <= bytes - names->sh_offset &&
        memchr(text + s.st_name, 0, names->sh_size - s.st_name) &&
        strncmp(text + s.st_name, REGISTER, sizeof REGISTER - 1) == 0)
      command_add(s.st_shndx == SHN_UNDEF ? &o->needs : &r->defined, text + s.st_name);
  }
}

static bool inside(const Elf64_Shdr *s, size_t bytes) {
  return s->sh_offset <= bytes && s->sh_size <= bytes - s->sh_offset;
}

static void take_elf(reader *r, object *o, const char *at, size_t bytes) {
  Elf64_Ehdr h;
  Elf64_Shdr table, names;
  memcpy(&h, at, sizeof h);
  if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_shentsize != sizeof table || h.e_shoff > bytes ||
      h.e_shnum > (bytes - h.e_shoff) / sizeof table)
    return;
  for (unsigned n = 0; n < h.e_shnum; n++) {
    memcpy(&table, at + h.e_shoff + n * sizeof table, sizeof table);
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= h.e_shnum)
      continue;
    memcpy(&names, at + h.e_shoff + table.sh_link * sizeof names, sizeof names);
    if (inside(&table, bytes) && inside(&names, bytes))
      take_symbols(r, o, at, bytes, &table, &names);
  }
}

static bool is_elf(const char *at, size_t bytes) {
  return bytes >= sizeof(Elf64_Ehdr) && memcmp(at, ELFMAG, SELFMAG) == 0;
}

// Of what the linker does not join, only a file that is nothing else: nvcc -dc -cubin.
static bool can_have(const char *at, size_t bytes) {
  mpucc_image i;
  Elf64_Ehdr h;
  if (!is_elf(at, bytes))
    return mpucc_relocatable_find(at, bytes, 0, &i) == bytes;
  memcpy(&h, at, sizeof h);
  return h.e_type == ET_REL;
}

static void take_object(reader *r, const char *name, const char *at, size_t bytes) {
  device_units *u = r->to;
  if (!can_have(at, bytes))
    return;
  object *o = checked(calloc(1, sizeof *o));
  mpucc_image i;
  o->first = u->count;
  for (size_t from = 0; (from = mpucc_relocatable_find(at, bytes, from, &i));) {
    u->units = checked(realloc(u->units, (u->count + 1) * sizeof *u->units));
    u->units[u->count++] = (device_unit){checked(strdup(name)), i};
  }
  o->count = u->count - o->first;
  if (is_elf(at, bytes))
    take_elf(r, o, at, bytes);
  *r->last = o;
  r->last = &o->next;
}

// ---- an archive

static char *read_kept(reader *r, const char *name, size_t *bytes) {
  struct stat s;
  if (stat(name, &s) || !S_ISREG(s.st_mode))
    return NULL;
  for (const device_file *f = r->to->files; f; f = f->next)
    if (f->device == s.st_dev && f->node == s.st_ino)
      return NULL;  // once is enough
  device_file *f = checked(calloc(1, sizeof *f));
  f->bytes = file_contents(name, bytes);
  f->device = s.st_dev;
  f->node = s.st_ino;
  f->next = r->to->files;
  r->to->files = f;
  return f->bytes;
}

// The name of a member: "name/", or "/N": at byte N of the table of long names.
static void member_name(const struct ar_hdr *h, const char *longs, size_t long_bytes, char *to) {
  const char *from = h->ar_name;
  size_t room = sizeof h->ar_name;
  if (*from == '/' && longs) {
    const size_t at = strtoul(from + 1, NULL, 10);
    from = at < long_bytes ? longs + at : "?";
    room = at < long_bytes ? long_bytes - at : 1;
  }
  size_t n = 0;
  while (n < room && n < PATH / 2 && from[n] != '\n' && !(from[n] == '/' && from == h->ar_name))
    n++;
  while (n && (from[n - 1] == '/' || from[n - 1] == ' '))
    n--;
  snprintf(to, PATH, "%.*s", (int)n, from);
}

// Of a thin archive the member is another file, named from the archive's folder.
static void take_thin(reader *r, const char *archive, const char *name, const char *shown) {
  char file[2 * PATH];
  size_t bytes;
  const char *slash = *name == '/' ? NULL : strrchr(archive, '/');
  snprintf(file, sizeof file, "%.*s%s", slash ? (int)(slash + 1 - archive) : 0, archive, name);
  const char *at = read_kept(r, file, &bytes);
  if (at)
    take_object(r, shown, at, bytes);
}

static int take_archive(reader *r, const char *archive, const char *at, size_t bytes) {
  const bool thin = memcmp(at, THIN, SARMAG) == 0;
  const char *longs = NULL;
  size_t long_bytes = 0;
  for (size_t n = SARMAG; n + sizeof(struct ar_hdr) <= bytes;) {
    struct ar_hdr h;
    char name[PATH], shown[2 * PATH + 8], digits[sizeof h.ar_size + 1] = "";
    memcpy(&h, at + n, sizeof h);
    memcpy(digits, h.ar_size, sizeof h.ar_size);
    const size_t size = strtoul(digits, NULL, 10);
    const bool of_names = memcmp(h.ar_name, "// ", 3) == 0;
    const bool table =
        of_names || memcmp(h.ar_name, "/ ", 2) == 0 || memcmp(h.ar_name, "/SYM64/", 7) == 0;
    n += sizeof h;
    if (memcmp(h.ar_fmag, ARFMAG, 2) != 0 || ((!thin || table) && size > bytes - n))
      return nvcc_error("'%s' is a damaged archive", archive);
    if (of_names) {
      longs = at + n;
      long_bytes = size;
    }
    member_name(&h, longs, long_bytes, name);
    snprintf(shown, sizeof shown, "%.*s(%s)", PATH, archive, name);
    if (!table && thin)
      take_thin(r, archive, name, shown);
    else if (!table)
      take_object(r, shown, at + n, size);
    n += !thin || table ? size + size % 2 : 0;
  }
  return 0;
}

// ---- the command

static int take_file(reader *r, const char *name) {
  size_t bytes;
  const char *at = read_kept(r, name, &bytes);
  if (!at)
    return 0;  // the linker says what is wrong with it
  if (bytes >= SARMAG && (memcmp(at, ARMAG, SARMAG) == 0 || memcmp(at, THIN, SARMAG) == 0))
    return take_archive(r, name, at, bytes);
  take_object(r, name, at, bytes);
  return 0;
}

// -lNAME, -l:FILE: in the first folder of -L that has it.
static int take_library(reader *r, const command *words, const char *name) {
  char file[PATH];
  struct stat s;
  for (size_t k = 0; k < words->count; k++) {
    if (strncmp(words->words[k], "-L", 2) != 0)
      continue;
    const char *folder = words->words[k] + 2;
    for (int f = *name == ':'; f < 2; f++) {
      if (*name == ':')
        snprintf(file, sizeof file, "%s/%s", folder, name + 1);
      else
        snprintf(file, sizeof file, f ? "%s/lib%s.a" : "%s/lib%s.so", folder, name);
      if (stat(file, &s) == 0)
        return f ? take_file(r, file) : 0;
    }
  }
  return 0;
}

static bool is_complete(const reader *r, const object *o) {
  for (size_t n = 0; n < o->needs.count; n++)
    if (!has(&r->defined, o->needs.words[n]))
      return false;
  return o->needs.count;
}

// Drops what another device link has, and says what this one has to register.
static void choose(reader *r) {
  device_units *u = r->to;
  size_t kept = 0;
  for (object *o = r->objects, *next; o; o = next) {
    const bool complete = is_complete(r, o);
    for (size_t n = o->first; n < o->first + o->count; n++)
      if (complete)
        free(u->units[n].file);
      else
        u->units[kept++] = u->units[n];
    for (size_t n = 0; n < o->needs.count && !complete && o->count; n++)
      if (!has(&u->registers, o->needs.words[n]))
        command_add(&u->registers, o->needs.words[n]);
    command_clear(&o->needs);
    next = o->next;
    free(o);
  }
  u->count = kept;
}

int device_units_read(const command *words, device_units *to) {
  reader r = {.to = to};
  int status = 0;
  *to = (device_units){0};
  r.last = &r.objects;
  for (size_t k = 0; k < words->count && !status; k++) {
    const char *word = words->words[k];
    if (strcmp(word, "-Xlinker") == 0)
      k++;
    else if (strncmp(word, "-l", 2) == 0)
      status = take_library(&r, words, word + 2);
    else if (*word != '-')
      status = take_file(&r, word);
  }
  choose(&r);
  command_clear(&r.defined);
  return status;
}

void device_units_clear(device_units *u) {
  for (size_t n = 0; n < u->count; n++)
    free(u->units[n].file);
  for (device_file *f = u->files, *next; f; f = next) {
    next = f->next;
    free(f->bytes);
    free(f);
  }
  free(u->units);
  command_clear(&u->registers);
  *u = (device_units){0};
}

unsigned device_units_registers(const device_units *u) {
  unsigned least = 0;
  for (size_t n = 0; n < u->count; n++) {
    mpucc_options o = mpucc_options_default();
    if (mpucc_options_parse(u->units[n].image.options, &o) && o.max_regs &&
        (!least || o.max_regs < least))
      least = o.max_regs;
  }
  return least;
}
