// SPDX-License-Identifier: Apache-2.0
// Relocatable device code. An object contains its PTX; its host side, clang's, calls a function
// that no file has, __cudaRegisterLinkedBinary__nv_ID, before main. The device link (nvlink) joins
// the PTX of all objects, which is compiled as that of one file; and it makes an object with these
// functions, which register the kernels of each file as parts of the whole.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/out_file.h"
#include "harness/base/user_error.h"
#include "nvcc_priv.h"
#include "objects.h"

// ---- the id of an object

static uint64_t hash(uint64_t h, const char *text) {
  for (;; text++) {
    h = (h ^ (unsigned char)*text) * 1099511628211ull;
    if (!*text)
      return h;
  }
}

void rdc_id(const nvcc *n, const char *source, char id[NVCC_ID]) {
  char full[PATH], here[PATH];
  uint64_t h = hash(14695981039346656037ull, realpath(source, full) ? full : source);
  h = hash(h, getcwd(here, sizeof here) ? here : "");
  for (size_t k = 0; k < n->words.count; k++)
    h = hash(h, n->words.words[k]);
  snprintf(id, NVCC_ID, "%016llx", (unsigned long long)h);
}

// Names end where their digits do, in objects and in texts.
int rdc_set_id(const nvcc *n, const char *object, const char *id) {
  static const char function[] = "__cudaRegisterLinkedBinary__nv_", prefix[] = "__nv_";
  size_t bytes;
  if (n->dryrun)
    return 0;
  char *file = read_file(object, &bytes);
  const char *found = file ? memmem(file, bytes, function, sizeof function - 1) : NULL;
  char old[sizeof prefix + NVCC_ID];
  if (found) {
    const size_t digits = strspn(found + sizeof function - 1, "0123456789abcdef");
    const int n_digits = digits < NVCC_ID ? (int)digits : NVCC_ID - 1;
    const int length =
        snprintf(old, sizeof old, "%s%.*s", prefix, n_digits, found + sizeof function - 1);
    for (char *at = file; (at = memmem(at, (size_t)(file + bytes - at), old, (size_t)length));)
      at = mempcpy(at + sizeof prefix - 1, id, (size_t)n_digits);
  }
  const bool ok = file && (!found || write_file(object, file, bytes));
  free(file);
  return ok ? 0 : EXIT_FAILED;
}

// ---- the object of a device link

// A name of a file within a string of the assembler, within one of C.
static void put_quoted(FILE *f, const char *name) {
  for (; *name; name++)
    if (*name == '"' || *name == '\\')
      fprintf(f, "\\\\\\%c", *name);
    else
      fputc(*name, f);
}

static void put_image(FILE *f, const char *image) {
  fputs(
      "__asm__(\".pushsection .nv_fatbin, \\\"a\\\"\\n.balign 8\\nmpu_linked_image:\\n"
      ".incbin \\\"",
      f);
  put_quoted(f, image);
  fputs(
      "\\\"\\n.popsection\\n\");\n"
      "extern \"C\" {\n"
      "extern const char mpu_linked_image[] __attribute__((visibility(\"hidden\")));\n"
      "void **__cudaRegisterFatBinary(const void *);\n"
      "void __cudaRegisterFatBinaryEnd(void **);\n"
      "}\n"
      "namespace {\n"
      "struct { int magic, version; const void *data; void *unused; } wrapper =\n"
      "    {0x466243b1, 1, mpu_linked_image, 0};\n"
      "void **handle;\n"
      "void enter(void (*globals)(void **)) {\n"
      "  if (!handle) {\n"
      "    handle = __cudaRegisterFatBinary(&wrapper);\n"
      "    __cudaRegisterFatBinaryEnd(handle);\n"
      "  }\n"
      "  globals(handle);\n"
      "}\n"
      "}\n",
      f);
}

// The C++ file that registers the linked device code. Any standard of C++ takes it.
static bool write_registration(const char *source, const char *image, const device_units *u) {
  out_file *o = out_open(source);
  if (!o) {
    cannot_write(source);
    return false;
  }
  FILE *f = out_stream(o);
  if (u->count)
    put_image(f, image);
  for (size_t k = 0; k < u->registers.count; k++)
    fprintf(f,
            "extern \"C\" __attribute__((visibility(\"hidden\"))) void\n"
            "%s(void (*globals)(void **), void *, void *, void (*)(void *)) {\n"
            "  enter(globals);\n"
            "}\n",
            u->registers.words[k]);
  const bool ok = out_close(o);
  if (!ok)
    cannot_write(source);
  return ok;
}

static int compile_registration(const nvcc *n, const char *source, const char *object) {
  command c = {0};
  command_add_all(&c, n->host, "-x", "c++", "-w", NULL);
  for (size_t k = 0; k < n->outer.count; k++)
    command_add(&c, n->outer.words[k]);
  command_add_all(&c, "-fno-lto", "-c", source, "-o", object, NULL);
  const int status = nvcc_do(n, &c);
  command_clear(&c);
  return status;
}

// ---- the device link

// In the folder of intermediate files.
static void between(const nvcc *n, const char *ending, char *to) {
  const char *kept = n->keep_folder ? n->keep_folder : ".";
  nvcc_name_of(n->keep ? kept : n->temporary, n->out ? n->out : "a", ending, to);
}

static int join(const nvcc *n, const command *words, const char *ptx) {
  char tool[PATH + 16];
  command c = {0};
  snprintf(tool, sizeof tool, "%s/bin/nvlink", n->top);
  command_add_all(&c, tool, "-arch=sm_70", "-m64", "-o", ptx, NULL);
  for (size_t k = 0; k < words->count; k++)
    if (strcmp(words->words[k], "-Xlinker") == 0)
      k++;
    else if (words->words[k][0] != '-' || strchr("lL", words->words[k][1]))
      command_add(&c, words->words[k]);
  const int status = nvcc_do(n, &c);
  command_clear(&c);
  return status;
}

// The object of -dlink -cubin too.
static int compile_units(nvcc *n, const command *words, const char *ptx, const char *cubin) {
  int status = join(n, words, ptx);
  if (!status && n->phase != PTX)
    status = nvcc_device_object(n, ptx, cubin);
  return status;
}

// Without units there is an object too, of nothing: a build system waits for it.
static int link_units(nvcc *n, const command *words, const device_units *u, char *object) {
  char ptx[PATH], cubin[PATH], image[PATH], source[PATH];
  const bool any = u->count || n->dryrun;
  int status = 0;
  between(n, "_dlink.ptx", ptx);
  between(n, "_dlink.cubin", cubin);
  between(n, "_dlink.fatbin", image);
  between(n, "_dlink.registration.cpp", source);
  if (n->dlink && n->phase == PTX)
    snprintf(ptx, sizeof ptx, "%s", n->out ? n->out : "a_dlink.ptx");
  if (n->dlink && n->phase == IMAGE)
    snprintf(cubin, sizeof cubin, "%s", n->out ? n->out : "a_dlink.cubin");
  if (any || n->phase != LINK)
    status = compile_units(n, words, ptx, cubin);
  if (status || n->phase != LINK)
    return status;
  if (any)
    status = nvcc_device_image(n, ptx, cubin, image);
  if (!status && !n->dryrun && !write_registration(source, image, u))
    status = EXIT_FAILED;
  return status ? status : compile_registration(n, source, object);
}

// From here on device code is whole, and has one bound of registers.
static void be_whole(nvcc *n, const device_units *u) {
  static char registers[16];
  const unsigned bound = device_units_registers(u);
  n->rdc = false;
  if (!n->registers && bound) {
    snprintf(registers, sizeof registers, "%u", bound);
    n->registers = registers;
  }
}

int rdc_link(nvcc *n, const command *words, char *object) {
  device_units u;
  int status = device_units_read(words, &u);
  *object = 0;
  if (!status && (u.count || n->dlink || (n->dryrun && n->rdc))) {
    if (n->dlink)
      snprintf(object, PATH, "%s", n->out ? n->out : "a_dlink.o");
    else
      between(n, "_dlink.o", object);
    be_whole(n, &u);
    status = link_units(n, words, &u, object);
  }
  device_units_clear(&u);
  return status;
}
