// SPDX-License-Identifier: Apache-2.0
// Reads the command line of nvcc.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/user_error.h"
#include "nvcc_priv.h"

int nvcc_error(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fputs("nvcc: error: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  return EXIT_FAILED;
}

static void add_input(nvcc *n, const char *name, nvcc_language language) {
  nvcc_input *inputs = realloc(n->inputs, (n->count + 1) * sizeof *inputs);
  char *copy = strdup(name);
  if (!inputs || !copy)
    abort();
  n->inputs = inputs;
  inputs[n->count++] = (nvcc_input){copy, language};
}

static nvcc_language by_name(const char *name) {
  static const struct {
    const char *end;
    nvcc_language language;
  } known[] = {{".cu", CUDA}, {".c", C},          {".cc", CXX},   {".cpp", CXX}, {".cxx", CXX},
               {".C", CXX},   {".ptx", PTX_TEXT}, {".cup", CUDA}, {".ii", CXX},  {".i", C}};
  const char *slash = strrchr(name, '/'), *end = strrchr(slash ? slash : name, '.');
  for (size_t k = 0; end && k < sizeof known / sizeof *known; k++)
    if (strcmp(end, known[k].end) == 0)
      return known[k].language;
  return LINKER_WORD;
}

// ---- values

static int wrong(const nvcc_option *o, const char *value, const char *may) {
  return nvcc_error("-%s takes %s, not '%s'", o->name, may, value);
}

static int take_boolean(const nvcc_option *o, const char *value, bool *to) {
  *to = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
  return *to || strcmp(value, "false") == 0 || strcmp(value, "0") == 0
             ? 0
             : wrong(o, value, "true or false");
}

static void ftz(nvcc *n) {
  command_add(&n->device, "-fgpu-flush-denormals-to-zero");
}

static void imprecise(nvcc *n, const char *option) {
  command_add_all(&n->device, "-mllvm", option, NULL);
}

static int take_float(nvcc *n, const nvcc_option *o, const char *value) {
  bool on;
  if (take_boolean(o, value, &on))
    return EXIT_FAILED;
  if (o->done == DO_FTZ && on)
    ftz(n);
  if (o->done == DO_DIV && !on)
    imprecise(n, "--nvptx-prec-divf32=1");
  if (o->done == DO_SQRT && !on)
    imprecise(n, "--nvptx-prec-sqrtf32=0");
  if (o->done == DO_FMAD && !on)
    command_add(&n->device, "-ffp-contract=off");
  return 0;
}

// sm_52, compute_52a, lists of them, all, native.
static bool is_arch(const char *value) {
  while (*value) {
    const size_t n = strncmp(value, "sm_", 3) == 0        ? 3
                     : strncmp(value, "compute_", 8) == 0 ? 8
                     : strncmp(value, "lto_", 4) == 0     ? 4
                                                          : 0;
    const size_t digits = strspn(value + n, "0123456789");
    if (!n || !digits)
      return false;
    value += n + digits;
    value += *value == 'a';
    if (*value && *value != ',')
      return false;
    value += *value == ',';
  }
  return true;
}

static int take_arch(const nvcc_option *o, const char *value) {
  if (strcmp(value, "all") == 0 || strcmp(value, "all-major") == 0 || strcmp(value, "native") == 0)
    return 0;
  if (*value && is_arch(value))
    return 0;
  return wrong(o, value, "sm_N or compute_N");
}

// arch=compute_52,code=[sm_52,compute_52]
static int take_gencode(const nvcc_option *o, const char *value) {
  char text[256], *to = text;
  const char *code = strstr(value, "code=");
  if (strncmp(value, "arch=", 5) != 0 || strlen(value) >= sizeof text)
    return wrong(o, value, "arch=compute_N,code=sm_N");
  for (const char *s = value + 5; *s; s++)
    if (s == code)
      s += 4;
    else if (!strchr("[]\"", *s))
      *to++ = *s;
  *to = 0;
  return is_arch(text) ? 0 : wrong(o, value, "arch=compute_N,code=sm_N");
}

static int take_language(nvcc *n, const nvcc_option *o, const char *v, nvcc_language *to) {
  (void)n;
  *to = strcmp(v, "cu") == 0 || strcmp(v, "cuda") == 0 ? CUDA
        : strcmp(v, "c++") == 0                        ? CXX
        : strcmp(v, "c") == 0                          ? C
                                                       : BY_NAME;
  return *to || strcmp(v, "none") == 0 ? 0 : wrong(o, v, "cu, c++, c or none");
}

static int take_std(nvcc *n, const nvcc_option *o, const char *v) {
  static const char *const known[] = {"c++03", "c++11", "c++14", "c++17", "c++20", NULL};
  static char text[32];
  for (size_t k = 0; known[k]; k++)
    if (strcmp(v, known[k]) == 0 ||
        (strncmp(v, "gnu", 3) == 0 && strcmp(v + 3, known[k] + 1) == 0)) {
      snprintf(text, sizeof text, "-std=%s", v);
      n->std = text;
      return 0;
    }
  return wrong(o, v, "c++03, c++11, c++14, c++17 or c++20");
}

// To the compiler of the host side; what changes how a text is read, to both sides.
static void take_xcompiler(nvcc *n, const char *value) {
  static const char *const texts[] = {
      "-D", "-U", "-I", "-include", "-isystem", "-fsigned-ch", "-funsigned-ch", NULL};
  command parts = {0};
  parts_of(value, &parts);
  for (size_t k = 0; k < parts.count; k++) {
    bool both = false;
    for (size_t t = 0; texts[t]; t++)
      both |= strncmp(parts.words[k], texts[t], strlen(texts[t])) == 0;
    command_add(both ? &n->both : &n->outer, parts.words[k]);
  }
  command_clear(&parts);
}

static void take_xlinker(nvcc *n, const char *value) {
  command parts = {0};
  parts_of(value, &parts);
  for (size_t k = 0; k < parts.count; k++) {
    add_input(n, "-Xlinker", LINKER_WORD);
    add_input(n, parts.words[k], LINKER_WORD);
  }
  command_clear(&parts);
}

static void add_joined(const nvcc_option *o, const char *value, char *to, size_t bytes) {
  snprintf(to, bytes, "-%s%s", o->name, value);
}

// A list with commas is several values: -I a,b; but a macro's value may have commas.
static void take_joined(nvcc *n, const nvcc_option *o, const char *value) {
  char text[PATH];
  command parts = {0};
  if (o->name[0] == 'D')
    command_add(&parts, value);
  else
    parts_of(value, &parts);
  for (size_t k = 0; k < parts.count; k++) {
    add_joined(o, parts.words[k], text, sizeof text);
    if (o->done == DO_BOTH)
      command_add(&n->both, text);
    else if (o->done == DO_HOST_JOINED)
      command_add(&n->outer, text);
    else
      add_input(n, text, LINKER_WORD);
  }
  command_clear(&parts);
}

static void take_apart(nvcc *n, const nvcc_option *o, const char *value) {
  char name[32];
  command parts = {0};
  snprintf(name, sizeof name, "-%s", o->name);
  parts_of(value, &parts);
  for (size_t k = 0; k < parts.count; k++)
    command_add_all(&n->both, name, parts.words[k], NULL);
  command_clear(&parts);
}

static int take_words(nvcc *n, const command *words, nvcc_language *language, int depth);

static int take_file(nvcc *n, const char *name, nvcc_language *language, int depth) {
  char *text = depth < 10 ? file_contents(name, NULL) : NULL;
  if (!text)
    return nvcc_error("cannot read the file of options '%s'", name);
  command words = {0};
  words_of(text, &words);
  const int status = take_words(n, &words, language, depth + 1);
  free(text);  // words live on: options point to them
  return status;
}

static int take_phase(nvcc *n, nvcc_phase phase) {
  if (n->phase != LINK && n->phase != phase)
    return nvcc_error("one of -c, -dc, -E, -M, -ptx, -cubin and -lib at a time");
  n->phase = phase;
  return 0;
}

static int take_cudart(nvcc *n, const nvcc_option *o, const char *v) {
  if (strcmp(v, "static") && strcmp(v, "shared") && strcmp(v, "none"))
    return wrong(o, v, "static, shared or none");
  n->runtime = strcmp(v, "static") == 0 ? STATIC : strcmp(v, "shared") == 0 ? SHARED : NONE_AT_ALL;
  return 0;
}

static int take_registers(nvcc *n, const nvcc_option *o, const char *v) {
  char *end;
  const unsigned long count = strtoul(v, &end, 10);
  if (!*v || *end || (count && count < 8) || count > 1024)
    return wrong(o, v, "a number from 8 on (0: no bound)");
  n->registers = count && count < 255 ? v : NULL;
  return 0;
}

static int take_stream(nvcc *n, const nvcc_option *o, const char *v) {
  const bool own = !strcmp(v, "per-thread");
  if (!own && strcmp(v, "legacy") != 0 && strcmp(v, "null") != 0)
    return wrong(o, v, "legacy, null or per-thread");
  if (own)
    command_add(&n->both, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM");
  return 0;
}

// -rdc, -dc, -dw, -dlink, -nodlink
static int take_linking(nvcc *n, const nvcc_option *o, const char *v) {
  switch (o->done) {
    case DO_RDC:
      return take_boolean(o, v, &n->rdc);
    case DO_DLINK:
      n->dlink = true;
      return 0;
    case DO_NODLINK:
      n->nodlink = true;
      return 0;
    default:
      n->rdc = o->done == DO_DC;
      return take_phase(n, OBJECTS);
  }
}

// Words that do not say what is compiled and with which macros.
static int take_how(nvcc *n, const nvcc_option *o, const char *v) {
  char text[64];
  snprintf(text, sizeof text, "-%s", o->name);
  switch (o->done) {
    case DO_HOST_DEBUG:
      n->debug = true;
      break;
    case DO_HOST:
      command_add(&n->outer, text);
      break;
    case DO_BOTH_WORD:
      command_add(&n->both, text);
      break;
    case DO_ARCH:
      return take_arch(o, v);
    case DO_GENCODE:
      return take_gencode(o, v);
    case DO_REGISTERS:
      return take_registers(n, o, v);
    case DO_FAST:
      ftz(n);
      imprecise(n, "--nvptx-prec-divf32=1");
      imprecise(n, "--nvptx-prec-sqrtf32=0");
      command_add(&n->device, "-fgpu-approx-transcendentals");
      break;
    case DO_STREAM:
      return take_stream(n, o, v);
    case DO_MACHINE:
      return strcmp(v, "64") ? wrong(o, v, "64") : 0;
    case DO_WERROR:
      if (strstr(v, "all-warnings"))
        command_add(&n->both, "-Werror");
      break;
    case DO_CUDART:
      return take_cudart(n, o, v);
    case DO_RDC:
    case DO_DC:
    case DO_DW:
    case DO_DLINK:
    case DO_NODLINK:
      return take_linking(n, o, v);
    default:
      return take_float(n, o, v);
  }
  return 0;
}

static int take_option(nvcc *n, const nvcc_option *o, const char *v, nvcc_language *language,
                       int depth) {
  switch (o->done) {
    case ACCEPT:
      break;
    case REFUSE:
      return nvcc_error("-%s: %s", o->name, o->text);
    case DO_COMPILE:
      return take_phase(n, OBJECTS);
    case DO_PREPROCESS:
      return take_phase(n, PREPROCESS);
    case DO_M:
      n->rules = strcmp(o->name, "M") == 0 ? "-M" : "-MM";
      return take_phase(n, RULES);
    case DO_MD:
      n->rules = strcmp(o->name, "MD") == 0 ? "-MD" : "-MMD";
      break;
    case DO_MF:
      n->rules_file = v;
      break;
    case DO_MT:
      n->rules_target |= v != NULL;
      command_add_all(&n->targets, v ? "-MT" : "-MP", v, NULL);
      break;
    case DO_HOST_TEXT:
      return take_phase(n, HOST_TEXT);
    case DO_PTX:
      return take_phase(n, PTX);
    case DO_CUBIN:
      return take_phase(n, IMAGE);
    case DO_LIB:
      return take_phase(n, ARCHIVE);
    case DO_LINK:
      break;
    case DO_RUN:
      n->run = true;
      break;
    case DO_SHARED:
      n->shared = true;
      break;
    case DO_OUT:
      n->out = v;
      break;
    case DO_ODIR:
      n->folder = v;
      break;
    case DO_X:
      return take_language(n, o, v, language);
    case DO_CCBIN:
      free(n->host);
      n->host = strdup(v);
      break;
    case DO_STD:
      return take_std(n, o, v);
    case DO_BOTH:
    case DO_LINKER_JOINED:
    case DO_HOST_JOINED:
      take_joined(n, o, v);
      break;
    case DO_BOTH_APART:
      take_apart(n, o, v);
      break;
    case DO_XCOMPILER:
      take_xcompiler(n, v);
      break;
    case DO_XLINKER:
      take_xlinker(n, v);
      break;
    case DO_FORWARD:
      n->forward = true;
      break;
    case DO_FORWARD_LINK:
      n->forward_link = true;
      break;
    case DO_KEEP:
      n->keep = true;
      break;
    case DO_KEEP_DIR:
      n->keep_folder = v;
      break;
    case DO_DRYRUN:
      n->dryrun = true;
      break;
    case DO_VERBOSE:
      n->verbose = true;
      break;
    case DO_VERSION:
      n->version = true;
      break;
    case DO_HELP:
      n->help = true;
      break;
    case DO_FILE:
      return take_file(n, v, language, depth);
    default:
      return take_how(n, o, v);
  }
  return 0;
}

static int take_unknown(nvcc *n, const char *word) {
  if (strncmp(word, "-Wno-", 5) == 0 || n->forward)
    command_add(&n->outer, word);
  else if (n->forward_link)
    add_input(n, word, LINKER_WORD);
  else
    return nvcc_error("unknown option '%s'; nvcc --help lists what there is", word);
  return 0;
}

static int take_words(nvcc *n, const command *words, nvcc_language *language, int depth) {
  const char *value;
  int status = 0;
  for (size_t k = 0; k < words->count && !status; k++) {
    const char *word = words->words[k];
    if (*word == '@') {
      status = take_file(n, word + 1, language, depth);
      continue;
    }
    if (*word != '-' || !word[1]) {
      const nvcc_language own = by_name(word);
      add_input(n, word, *language != BY_NAME ? *language : own);
      continue;
    }
    const nvcc_option *o = option_of(word, &value);
    if (!o) {
      status = take_unknown(n, word);
      continue;
    }
    if (o->value != NONE && !value && k + 1 == words->count)
      return nvcc_error("%s needs a value", word);
    if (o->value != NONE && !value)
      value = words->words[++k];
    status = take_option(n, o, value, language, depth);
  }
  return status;
}

int nvcc_read(nvcc *n, int argc, char **argv) {
  const char *before = getenv("NVCC_PREPEND_FLAGS"), *behind = getenv("NVCC_APPEND_FLAGS");
  const char *host = getenv("NVCC_CCBIN");
  nvcc_language language = BY_NAME;
  command words = {0};
  n->host = strdup(host && *host ? host : "g++");
  if (before)
    words_of(before, &words);
  for (int k = 1; k < argc; k++)
    command_add(&words, argv[k]);
  if (behind)
    words_of(behind, &words);
  for (size_t k = 0; k < words.count; k++)
    command_add(&n->words, words.words[k]);
  return take_words(n, &words, &language, 0);
}
