// SPDX-License-Identifier: Apache-2.0
// Hashes that decide whether a run has to be done again: of the build, and of a program's source.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "csim/base/sum.h"
#include "harness/base/user_error.h"
#include "plan.h"

enum { PATH = 4096, INCLUDES = 256 };

static uint64_t sum_text(uint64_t sum, const char *text) {
  return sum_bytes(sum, text, strlen(text) + 1);
}

// ---- objects: their sections that are in memory when they execute

// Texts, but for places of this checkout: the same code in another folder is the same.
static uint64_t sum_strings(uint64_t sum, const Elf_Data *d) {
  const char *at = d->d_buf, *end = at + d->d_size;
  for (; at < end; at += strnlen(at, (size_t)(end - at)) + 1)
    if (!strstr(at, NEARBANK_ROOT))
      sum = sum_bytes(sum, at, strnlen(at, (size_t)(end - at)));
  return sum;
}

static bool section_of(Elf *e, size_t n, GElf_Shdr *h) {
  Elf_Scn *s = elf_getscn(e, n);
  return s && gelf_getshdr(s, h);
}

// What a relocation names: a symbol, or a place in a section. Texts move when others change length.
static uint64_t sum_target(uint64_t sum, Elf *e, const GElf_Shdr *symbols, const GElf_Sym *s,
                           int64_t addend) {
  GElf_Shdr h = {0};
  const bool inside = s->st_shndx && s->st_shndx < SHN_LORESERVE && section_of(e, s->st_shndx, &h);
  const char *name = elf_strptr(e, symbols->sh_link, s->st_name);
  if (inside && (h.sh_flags & SHF_STRINGS))
    return sum_text(sum, "text");
  if (inside && !(h.sh_flags & SHF_ALLOC))
    return sum;
  const int64_t at = addend + (inside ? (int64_t)s->st_value : 0);
  sum = sum_text(sum, name ? name : "");
  return sum_bytes(sum_bytes(sum, &s->st_shndx, inside ? sizeof s->st_shndx : 0), &at, sizeof at);
}

static uint64_t sum_relocations(uint64_t sum, Elf *e, Elf_Scn *s, const GElf_Shdr *h) {
  GElf_Shdr of, symbols;
  Elf_Data *d = elf_getdata(s, NULL), *names;
  if (!d || !section_of(e, h->sh_info, &of) || !(of.sh_flags & SHF_ALLOC) ||
      !section_of(e, h->sh_link, &symbols) ||
      !(names = elf_getdata(elf_getscn(e, h->sh_link), NULL)))
    return sum;
  for (size_t k = 0; k < h->sh_size / h->sh_entsize; k++) {
    GElf_Rela r;
    GElf_Sym symbol;
    if (!gelf_getrela(d, (int)k, &r) || !gelf_getsym(names, (int)GELF_R_SYM(r.r_info), &symbol))
      continue;
    const uint64_t what[] = {r.r_offset, GELF_R_TYPE(r.r_info)};
    sum = sum_target(sum_bytes(sum, what, sizeof what), e, &symbols, &symbol, r.r_addend);
  }
  return sum;
}

static uint64_t sum_object(uint64_t sum, Elf *e) {
  size_t names = 0;
  elf_getshdrstrndx(e, &names);
  for (Elf_Scn *s = NULL; (s = elf_nextscn(e, s));) {
    GElf_Shdr h;
    if (!gelf_getshdr(s, &h))
      continue;
    const char *name = elf_strptr(e, names, h.sh_name);
    if (h.sh_type == SHT_RELA)
      sum = sum_relocations(sum, e, s, &h);
    if (!(h.sh_flags & SHF_ALLOC) || h.sh_type == SHT_NOTE || (name && !strcmp(name, ".eh_frame")))
      continue;
    if (h.sh_type == SHT_NOBITS)
      sum = sum_bytes(sum, &h.sh_size, sizeof h.sh_size);
    for (Elf_Data *d = NULL; h.sh_type == SHT_PROGBITS && (d = elf_getdata(s, d)) && d->d_buf;)
      sum = h.sh_flags & SHF_STRINGS ? sum_strings(sum, d) : sum_bytes(sum, d->d_buf, d->d_size);
  }
  return sum;
}

// An archive or a library. What says when and of what it was built does not count.
static bool sum_file(const char *name, uint64_t *sum, char *why, size_t bytes) {
  const int fd = open(name, O_RDONLY | O_CLOEXEC);
  Elf *whole = fd >= 0 && elf_version(EV_CURRENT) ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
  if (!whole) {
    snprintf(why, bytes, "cannot read '%s': %s; build it again", name,
             fd < 0 ? strerror(errno) : elf_errmsg(-1));
    if (fd >= 0)
      close(fd);
    return false;
  }
  if (elf_kind(whole) == ELF_K_ELF)
    *sum = sum_object(*sum, whole);
  for (Elf_Cmd c = ELF_C_READ_MMAP; elf_kind(whole) == ELF_K_AR && c != ELF_C_NULL;) {
    Elf *member = elf_begin(fd, c, whole);
    const Elf_Arhdr *h = member ? elf_getarhdr(member) : NULL;
    if (!h)
      break;
    if (h->ar_name[0] != '/' && strncmp(h->ar_name, "build_info", 10) != 0)
      *sum = sum_object(sum_text(*sum, h->ar_name), member);
    c = elf_next(member);
    elf_end(member);
  }
  elf_end(whole);
  close(fd);
  return true;
}

// The libraries of this build. Left out: what looks on (inspect), what no run of a study has (the
// card), the archive that has all of them again; and studies, but for the tools that are in there.
static bool counts(const char *name, const char *tool) {
  static const char *const left_out[] = {"libmpurt.a", "libharness_inspect.a",
                                         "libharness_systemc_"};
  const size_t n = strlen(name);
  if (n < 3 || strcmp(name + n - 2, ".a") != 0)
    return false;
  for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
    if (strncmp(name, left_out[k], strlen(left_out[k])) == 0)
      return false;
  return strcmp(name, "libharness_study.a") != 0 || !strcmp(tool, "dram") || !strcmp(tool, "noc");
}

static int a_library(const struct dirent *e) {
  return strncmp(e->d_name, "lib", 3) == 0;
}

bool hash_build(const char *tool, const char *near, char to[PLAN_HASH], char *why, size_t bytes) {
  const bool verilog = !strcmp(near, "rtl") || !strcmp(near, "lockstep");
  struct dirent **all = NULL;
  const int n = scandir(NEARBANK_BUILD, &all, a_library, alphasort);
  bool ok = n >= 0;
  if (!ok)
    snprintf(why, bytes, "cannot read '%s': %s", NEARBANK_BUILD, strerror(errno));
  uint64_t sum = 0;
  for (int k = 0; k < n; k++) {
    char name[PATH];
    snprintf(name, sizeof name, "%s/%.255s", NEARBANK_BUILD, all[k]->d_name);
    if (ok &&
        (counts(all[k]->d_name, tool) || (verilog && !strcmp(all[k]->d_name, "libnearrtl.so"))))
      ok = sum_file(name, &sum, why, bytes);
    free(all[k]);
  }
  free(all);
  snprintf(to, PLAN_HASH, "%016" PRIx64, sum);
  return ok;
}

// ---- sources

typedef struct sources {
  char *done[INCLUDES];
  size_t n;
  const char *options;
  uint64_t sum;
} sources;

static void sum_include(sources *s, const char *from, const char *name, size_t length);

static bool sum_source(sources *s, const char *file) {
  char full[PATH];
  if (!realpath(file, full))
    return false;
  for (size_t k = 0; k < s->n; k++)
    if (strcmp(s->done[k], full) == 0)
      return true;
  char *text = s->n < INCLUDES ? file_contents(full, NULL) : NULL;
  if (!text)
    return false;
  s->done[s->n++] = strdup(full);
  s->sum = sum_text(s->sum, text);
  for (const char *p = text; (p = strstr(p, "#")); p++) {
    const char *q = p + 1 + strspn(p + 1, " \t");
    if (strncmp(q, "include", 7) != 0)
      continue;
    q += 7 + strspn(q + 7, " \t");
    if (*q == '"' && strcspn(q + 1, "\"\n") < PATH / 2)
      sum_include(s, full, q + 1, strcspn(q + 1, "\"\n"));
  }
  free(text);
  return true;
}

// Beside the file, then where the options -I say.
static void sum_include(sources *s, const char *from, const char *name, size_t length) {
  char file[2 * PATH];
  const char *slash = strrchr(from, '/');
  snprintf(file, sizeof file, "%.*s/%.*s", (int)(slash - from), from, (int)length, name);
  if (sum_source(s, file))
    return;
  for (const char *p = s->options; p && (p = strstr(p, "-I")); p++) {
    snprintf(file, sizeof file, "%.*s/%.*s", (int)strcspn(p + 2, " "), p + 2, (int)length, name);
    if (sum_source(s, file))
      return;
  }
}

bool hash_source(const char *source, const char *options, char to[PLAN_HASH], char *why,
                 size_t bytes) {
  sources s = {.options = options};
  const bool ok = sum_source(&s, source);
  if (!ok)
    snprintf(why, bytes, "cannot read '%s': %s", source, strerror(errno));
  for (size_t k = 0; k < s.n; k++)
    free(s.done[k]);
  snprintf(to, PLAN_HASH, "%016" PRIx64, s.sum);
  return ok;
}

bool hash_data(const char *file, char to[PLAN_HASH], char *why, size_t bytes) {
  size_t n = 0;
  char *data = file_contents(file, &n);
  if (!data)
    return snprintf(why, bytes, "cannot read '%s': %s", file, strerror(errno)), false;
  snprintf(to, PLAN_HASH, "%016" PRIx64, sum_bytes(0, data, n));
  free(data);
  return true;
}
