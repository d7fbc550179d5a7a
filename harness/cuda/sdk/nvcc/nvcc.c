// SPDX-License-Identifier: Apache-2.0
// nvcc of the folder that mpu sdk writes; under another name, another of its programs. CUDA files
// take the way of mpu cc: clang for the device side, ptxas (mpucc), clang for the host side.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/out_file.h"
#include "harness/base/user_error.h"
#include "harness/cuda/driver/rewrite.h"
#include "harness/cuda/driver/temporary.h"
#include "nvcc_priv.h"

// ---- names

static const char *base_of(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash ? slash + 1 : name;
}

void nvcc_name_of(const char *folder, const char *name, const char *ending, char *to) {
  const char *base = base_of(name), *dot = strrchr(base, '.');
  const int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
  snprintf(to, PATH, "%s%s%.*s%s", folder ? folder : "", folder ? "/" : "", length, base, ending);
}

// An intermediate file: kept, or in a folder that goes.
static void between(const nvcc *n, size_t input, const char *ending, char *to) {
  char folder[PATH + 32];
  if (n->keep)
    snprintf(folder, sizeof folder, "%s", n->keep_folder ? n->keep_folder : ".");
  else
    snprintf(folder, sizeof folder, "%s/%zu", n->temporary, input);
  if (!n->dryrun)
    mkdir(folder, 0777);
  nvcc_name_of(folder, n->inputs[input].name, ending, to);
}

static void product(const nvcc *n, const char *source, const char *ending, char *to) {
  if (n->out)
    snprintf(to, PATH, "%s", n->out);
  else
    nvcc_name_of(n->folder, source, ending, to);
}

// ---- commands of one source

static void add_words(command *to, const command *from) {
  for (size_t k = 0; k < from->count; k++)
    command_add(to, from->words[k]);
}

// clang has no runtime for OpenMP; without the option its pragmas have no effect.
static void add_outer(const nvcc *n, command *c, bool clang) {
  for (size_t k = 0; k < n->outer.count; k++)
    if (!clang || strcmp(n->outer.words[k], "-fopenmp") != 0)
      command_add(c, n->outer.words[k]);
  if (n->debug)
    command_add(c, "-g");
}

static void add_macros(const nvcc *n, command *c) {
  char build[64];
  snprintf(build, sizeof build, "-D__CUDACC_VER_BUILD__=%d", NVCC_BUILD);
  command_add_all(c, "-D__NVCC__", build, n->rdc ? "-D__CUDACC_RDC__" : NULL, NULL);
}

// Both sides of a file with relocatable device code name what is static alike, by an id.
static void add_relocatable(const nvcc *n, command *c, const char *source) {
  char id[NVCC_ID], word[NVCC_ID + 8];
  if (!n->rdc)
    return;
  rdc_id(n, source, id);
  snprintf(word, sizeof word, "-cuid=%s", id);
  command_add_all(c, "-fgpu-rdc", "-fuse-cuid=none", "-Xclang", word, NULL);
}

static void begin_cuda(const nvcc *n, command *c, const char *source, const char *overlay) {
  clang_common(c, n->include);
  add_relocatable(n, c, source);
  add_macros(n, c);
  if (*overlay)
    command_add_all(c, "-ivfsoverlay", overlay, NULL);
  if (n->std)
    command_add(c, n->std);
  add_words(c, &n->both);
  char headers[PATH + 32];
  snprintf(headers, sizeof headers, "%s/clang", n->include);
  command_add_all(c, "-idirafter", headers, NULL);
}

static void begin_host(const nvcc *n, command *c, nvcc_language language) {
  command_add_all(c, n->host, "-x", language == C ? "c" : "c++", "-isystem", n->include,
                  "-D__NVCC__", NULL);
  if (n->std && language == CXX)
    command_add(c, n->std);
  add_words(c, &n->both);
}

// The rule beside an object: in the file of -MF, or named like the object.
static void add_rules(const nvcc *n, command *c, const char *source, const char *object) {
  char file[PATH], target[PATH];
  if (!n->rules)
    return;
  command_add(c, n->rules);
  add_words(c, &n->targets);
  const bool named = n->phase == OBJECTS;
  if (!n->rules_target) {
    nvcc_name_of(NULL, source, ".o", target);
    command_add_all(c, "-MT", named ? object : target, NULL);
  }
  nvcc_name_of(NULL, source, ".d", file);
  const char *dot = strrchr(object, '.');
  if (named && dot && !strchr(dot, '/'))
    snprintf(file, sizeof file, "%.*s.d", (int)(dot - object), object);
  command_add_all(c, "-MF", n->rules_file ? n->rules_file : file, NULL);
}

static int host_object(const nvcc *n, const nvcc_input *in, const char *object) {
  command c = {0};
  begin_host(n, &c, in->language);
  add_outer(n, &c, false);
  add_rules(n, &c, in->name, object);
  command_add_all(&c, "-c", in->name, "-o", object, NULL);
  const int status = nvcc_do(n, &c);
  command_clear(&c);
  return status;
}

static int rewrite(const nvcc *n, size_t input, char *overlay) {
  const char **folders = calloc(n->both.count + 1, sizeof *folders);
  char dir[PATH + 32];
  if (!folders)
    abort();
  *overlay = 0;
  for (size_t k = 0, to = 0; k < n->both.count; k++)
    if (strncmp(n->both.words[k], "-I", 2) == 0)
      folders[to++] = n->both.words[k] + 2;
  snprintf(dir, sizeof dir, "%s/%zu", n->temporary, input);
  mkdir(dir, 0777);
  const int status =
      n->dryrun ? 0 : rewrite_files(n->inputs[input].name, folders, dir, overlay, PATH + 64);
  free(folders);
  return status;
}

// Warnings are the host side's: it sees the same text.
static int device_ptx(const nvcc *n, const nvcc_input *in, const char *overlay, const char *ptx) {
  command c = {0};
  begin_cuda(n, &c, in->name, overlay);
  clang_device(&c, 2, n->bitcode);
  add_words(&c, &n->device);
  command_add_all(&c, "-w", in->name, "-o", ptx, NULL);
  const int status = nvcc_do(n, &c);
  command_clear(&c);
  return status;
}

int nvcc_device_object(const nvcc *n, const char *ptx, const char *object) {
  char tool[PATH + 16];
  command c = {0};
  snprintf(tool, sizeof tool, "%s/bin/ptxas", n->top);
  command_add_all(&c, tool, "-arch", "compute_70", n->rdc ? "-c" : NULL, NULL);
  if (n->registers)
    command_add_all(&c, "-maxrregcount", n->registers, NULL);
  command_add_all(&c, ptx, "-o", object, NULL);
  const int status = nvcc_do(n, &c);
  command_clear(&c);
  return status;
}

// What the program contains: the object with its PTX.
int nvcc_device_image(const nvcc *n, const char *ptx, const char *object, const char *image) {
  char tool[PATH + 16], to[PATH + 16], of_object[PATH + 64], of_ptx[PATH + 64], line[64];
  command c = {0};
  snprintf(tool, sizeof tool, "%s/bin/fatbinary", n->top);
  snprintf(to, sizeof to, "--create=%s", image);
  snprintf(of_object, sizeof of_object, "--image=profile=sm_70,file=%s", object);
  snprintf(of_ptx, sizeof of_ptx, "--image=profile=compute_70,file=%s", ptx);
  snprintf(line, sizeof line, "--cmdline=-maxrregcount=%s", n->registers ? n->registers : "0");
  command_add_all(&c, tool, "-64", to, of_object, of_ptx, n->registers ? line : NULL, NULL);
  const int status = nvcc_do(n, &c);
  command_clear(&c);
  return status;
}

static void begin_cuda_host(const nvcc *n, command *c, const char *source, const char *overlay,
                            const char *image) {
  begin_cuda(n, c, source, overlay);
  if (image)
    clang_host(c, image);
  else
    command_add_all(c, "--cuda-host-only", "-Wno-unused-command-line-argument", NULL);
  command_add_all(c, "-O1", "-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument",
                  NULL);
  add_outer(n, c, true);
}

// What the host side contains, and how clang finds the rewritten files.
static int device_side(const nvcc *n, size_t input, char *overlay, char *image) {
  const nvcc_input *in = n->inputs + input;
  char ptx[PATH], cubin[PATH];
  int status = rewrite(n, input, overlay);
  between(n, input, ".ptx", ptx);
  between(n, input, ".cubin", cubin);
  between(n, input, n->rdc ? ".cubin" : ".fatbin", image);
  if (!status)
    status = device_ptx(n, in, overlay, ptx);
  if (!status)
    status = nvcc_device_object(n, ptx, cubin);
  if (!status && !n->rdc)
    status = nvcc_device_image(n, ptx, cubin, image);
  return status;
}

static int cuda_object(const nvcc *n, size_t input, const char *object) {
  const nvcc_input *in = n->inputs + input;
  char overlay[PATH + 64], image[PATH];
  int status = device_side(n, input, overlay, image);
  if (status)
    return status;
  command c = {0};
  begin_cuda_host(n, &c, in->name, overlay, image);
  add_rules(n, &c, in->name, object);
  command_add_all(&c, "-c", in->name, "-o", object, NULL);
  status = nvcc_do(n, &c);
  command_clear(&c);
  char id[NVCC_ID];
  if (!status && n->rdc) {
    rdc_id(n, in->name, id);
    status = rdc_set_id(n, object, id);
  }
  return status;
}

// Assembly as a C++ file.
static int wrap_assembly(const char *from, const char *to) {
  FILE *in = fopen(from, "r"), *out = in ? fopen(to, "w") : NULL;
  bool ok = in && out;
  int ch = 0, last = '\n';
  if (ok)
    fputs("// The host side of a CUDA file, in assembly.\n__asm__(\n", out);
  for (; ok && (ch = getc(in)) != EOF; last = ch) {
    if (last == '\n')
      putc('"', out);
    if (ch == '"' || ch == '\\')
      putc('\\', out);
    ch == '\n' ? fputs("\\n\"\n", out) : putc(ch, out);
  }
  if (ok)
    fputs("\".text\\n\");\n", out);
  if (in)
    fclose(in);
  ok &= out && fclose(out) == 0;
  return ok ? 0 : nvcc_error("cannot write '%s': %s", to, strerror(errno));
}

// -cuda. clang does not write the host side as C++; its assembly, for the assembler of g++, is as
// good to a C++ compiler.
static int host_text(const nvcc *n, size_t input) {
  const nvcc_input *in = n->inputs + input;
  char overlay[PATH + 64], image[PATH], assembly[PATH], out[PATH];
  if (in->language != CUDA)
    return nvcc_error("-cuda takes CUDA files, not '%s'", in->name);
  product(n, in->name, ".cu.cpp.ii", out);
  between(n, input, ".s", assembly);
  int status = device_side(n, input, overlay, image);
  if (status)
    return status;
  command c = {0};
  begin_cuda_host(n, &c, in->name, overlay, image);
  command_add_all(&c, "-fno-integrated-as", "-S", in->name, "-o", assembly, NULL);
  status = nvcc_do(n, &c);
  command_clear(&c);
  return status || n->dryrun ? status : wrap_assembly(assembly, out);
}

static int object_of(const nvcc *n, size_t input, const char *object) {
  const nvcc_input *in = n->inputs + input;
  return in->language == CUDA       ? cuda_object(n, input, object)
         : in->language == PTX_TEXT ? nvcc_error(
                                          "'%s': PTX alone has no host side; -cubin makes "
                                          "an object of it",
                                          in->name)
                                    : host_object(n, in, object);
}

// ---- phases

// -E, -M, -MM: to standard output, or a file.
static int texts(const nvcc *n) {
  int status = 0;
  for (size_t k = 0; k < n->count && !status; k++) {
    const nvcc_input *in = n->inputs + k;
    command c = {0};
    if (in->language == LINKER_WORD)
      continue;
    if (in->language == CUDA)
      begin_cuda_host(n, &c, in->name, "", NULL);
    else
      begin_host(n, &c, in->language), add_outer(n, &c, false);
    command_add(&c, n->phase == PREPROCESS ? "-E" : n->rules);
    if (n->phase == RULES)
      add_words(&c, &n->targets);
    command_add(&c, in->name);
    const char *to = n->phase == RULES && n->rules_file ? n->rules_file : n->out;
    if (to)
      command_add_all(&c, "-o", to, NULL);
    status = nvcc_do(n, &c);
    command_clear(&c);
  }
  return status;
}

// -ptx, -cubin, -fatbin.
static int device_only(const nvcc *n, size_t input) {
  const nvcc_input *in = n->inputs + input;
  char overlay[PATH + 64], ptx[PATH], out[PATH];
  if (in->language != CUDA && !(in->language == PTX_TEXT && n->phase == IMAGE))
    return nvcc_error("'%s' has no device side", in->name);
  product(n, in->name, n->phase == PTX ? ".ptx" : ".cubin", out);
  if (in->language == PTX_TEXT)
    return nvcc_device_object(n, in->name, out);
  int status = rewrite(n, input, overlay);
  between(n, input, ".ptx", ptx);
  if (!status)
    status = device_ptx(n, in, overlay, n->phase == PTX ? out : ptx);
  if (!status && n->phase == IMAGE)
    status = nvcc_device_object(n, ptx, out);
  return status;
}

static int archive(const nvcc *n, const command *objects) {
  command c = {0};
  const char *out = n->out ? n->out : "a.a";
  struct stat s;
  if (!n->dryrun && stat(out, &s) == 0 && S_ISREG(s.st_mode))
    unlink(out);
  command_add_all(&c, "ar", "qcs", out, NULL);
  for (size_t k = 0; k < objects->count; k++)
    if (objects->words[k][0] != '-')
      command_add(&c, objects->words[k]);
  const int status = nvcc_do(n, &c);
  command_clear(&c);
  return status;
}

static int objects_and_more(nvcc *n) {
  command objects = {0};
  char object[PATH];
  int status = 0;
  for (size_t k = 0; k < n->count && !status; k++) {
    const nvcc_input *in = n->inputs + k;
    if (in->language == LINKER_WORD) {
      command_add(&objects, in->name);
      continue;
    }
    if (n->phase == OBJECTS)
      product(n, in->name, ".o", object);
    else
      between(n, k, ".o", object);
    status = object_of(n, k, object);
    command_add(&objects, object);
  }
  if (!status && n->dlink)
    status = rdc_link(n, &objects, object);
  else if (!status && n->phase == LINK)
    status = nvcc_link(n, &objects);
  if (!status && n->phase == ARCHIVE)
    status = archive(n, &objects);
  command_clear(&objects);
  return status;
}

static int check(const nvcc *n) {
  size_t sources = 0, words = 0;
  for (size_t k = 0; k < n->count; k++) {
    const nvcc_input *in = n->inputs + k;
    sources += in->language != LINKER_WORD;
    words += in->language == LINKER_WORD && in->name[0] != '-';
    if (in->language != LINKER_WORD && !n->dryrun && access(in->name, R_OK))
      return nvcc_error("cannot read '%s': %s", in->name, strerror(errno));
  }
  const bool links = n->phase == LINK || n->phase == ARCHIVE || n->dlink;
  if (n->dlink && n->phase != LINK && n->phase != PTX && n->phase != IMAGE)
    return nvcc_error("-dlink links objects; compile them before, with -dc");
  if (n->phase == HOST_TEXT && n->rdc)
    return nvcc_error("-cuda is for files whose device code is whole, not with -rdc=true");
  if (!sources && (!words || !links))
    return nvcc_error("no input files; nvcc --help says what it takes");
  if (sources > 1 && n->out && !links)
    return nvcc_error("-o with several files takes one of them, or linking");
  return 0;
}

static int work(nvcc *n) {
  int status = 0;
  nvcc_print(n);
  if (check(n))
    return EXIT_FAILED;
  if (n->keep && n->keep_folder && !n->dryrun && mkdir(n->keep_folder, 0777) && errno != EEXIST)
    return nvcc_error("cannot make the folder '%s': %s", n->keep_folder, strerror(errno));
  if (!temporary_folder("nvcc", n->temporary, sizeof n->temporary))
    return nvcc_error("cannot make a folder like '%s': %s", n->temporary, strerror(errno));
  if (n->phase == PREPROCESS || n->phase == RULES)
    status = texts(n);
  else if (!n->dlink && (n->phase == PTX || n->phase == IMAGE))
    for (size_t k = 0; k < n->count && !status; k++)
      status = n->inputs[k].language == LINKER_WORD ? 0 : device_only(n, k);
  else if (n->phase == HOST_TEXT)
    for (size_t k = 0; k < n->count && !status; k++)
      status = n->inputs[k].language == LINKER_WORD ? 0 : host_text(n, k);
  else
    status = objects_and_more(n);
  temporary_remove(n->temporary);
  return status;
}

// The folder above bin/, and what is in it.
static bool places(nvcc *n) {
  const ssize_t bytes = readlink("/proc/self/exe", n->top, sizeof n->top - 1);
  for (int up = 0; up < 2 && bytes > 0; up++) {
    char *slash = strrchr(n->top, '/');
    if (!slash)
      return false;
    *slash = 0;
  }
  snprintf(n->include, sizeof n->include, "%s/include", n->top);
  snprintf(n->libraries, sizeof n->libraries, "%s/lib64", n->top);
  snprintf(n->bitcode, sizeof n->bitcode, "%s/nvvm/libdevice/libdevice.10.bc", n->top);
  return bytes > 0;
}

static int nvcc_main(int argc, char **argv) {
  static nvcc n;
  struct stat s;
  if (!places(&n))
    return nvcc_error("cannot find its own folder");
  if (nvcc_read(&n, argc, argv))
    return EXIT_FAILED;
  if (n.help || n.version) {
    n.help ? options_help(stdout) : tool_version("nvcc");
    return out_printed() ? EXIT_OK : EXIT_FAILED;
  }
  if (stat(n.host, &s) == 0 && S_ISDIR(s.st_mode)) {
    char name[PATH];
    snprintf(name, sizeof name, "%s/g++", n.host);
    free(n.host);
    n.host = strdup(name);
  }
  const int status = work(&n);
  return status;
}

int main(int argc, char **argv) {
  out_standard();
  const char *name = base_of(argv[0]);
  return strcmp(name, "nvcc") == 0 ? nvcc_main(argc, argv) : tool_main(name, argc, argv);
}
