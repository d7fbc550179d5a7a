// SPDX-License-Identifier: Apache-2.0
// Compiling at run time: clang, started as the compile driver does, makes PTX of a text.
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fit.h"
#include "harness/base/user_error.h"
#include "harness/cuda/driver/command.h"
#include "harness/cuda/driver/compile.h"
#include "harness/cuda/driver/temporary.h"
#include "include/nvrtc.h"

enum { PATH = 4096 };

// A name expression: behind the source stands a variable with its address, in whose PTX the name
// is.
typedef struct expression {
  char *text, *name;  // name NULL: not known yet
} expression;

struct _nvrtcProgram {
  char *source, *name, *folder;  // that the caller named the source in: of its headers
  char **headers, **header_names;
  size_t n_headers;
  expression *expressions;
  size_t n_expressions;
  bool compiled;
  char *ptx, *log, *cubin;
  size_t cubin_bytes;
};

const char *nvrtcGetErrorString(nvrtcResult r) {
  switch (r) {
#define X(name, number) \
  case name:            \
    return #name;
    NVRTC_RESULTS(X)
#undef X
    default:
      return "NVRTC_ERROR unknown";
  }
}
nvrtcResult nvrtcVersion(int *major, int *minor) {
  if (!major || !minor)
    return NVRTC_ERROR_INVALID_INPUT;
  *major = 11, *minor = 8;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetNumSupportedArchs(int *n) {
  if (!n)
    return NVRTC_ERROR_INVALID_INPUT;
  *n = 1;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int *archs) {
  if (!archs)
    return NVRTC_ERROR_INVALID_INPUT;
  *archs = 70;
  return NVRTC_SUCCESS;
}

// ---- programs

static void free_outputs(nvrtcProgram p) {
  free(p->ptx);
  free(p->log);
  free(p->cubin);
  p->ptx = p->log = p->cubin = NULL;
}

static void free_program(nvrtcProgram p) {
  for (size_t k = 0; k < p->n_headers; k++) {
    free(p->headers[k]);
    free(p->header_names[k]);
  }
  for (size_t k = 0; k < p->n_expressions; k++) {
    free(p->expressions[k].text);
    free(p->expressions[k].name);
  }
  free(p->headers);
  free(p->header_names);
  free(p->expressions);
  free_outputs(p);
  free(p->source);
  free(p->name);
  free(p->folder);
  free(p);
}

// Names of files stay in the folder of the program.
static bool is_inside(const char *name) {
  return *name && *name != '/' && !strstr(name, "..");
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *made, const char *source, const char *name, int n,
                               const char *const *headers, const char *const *names) {
  if (!made || !source || n < 0 || (n && (!headers || !names)))
    return NVRTC_ERROR_INVALID_INPUT;
  const char *base = name && *name ? name : "default_program";
  const char *slash = strrchr(base, '/');
  const char *folder = slash ? base : "./";
  const size_t length = slash ? (size_t)(slash - base) + 1 : 2;
  base = slash ? slash + 1 : base;
  nvrtcProgram p = calloc(1, sizeof *p);
  bool ok = p && (p->source = strdup(source)) && (p->name = strdup(base)) &&
            (p->folder = strndup(folder, length)) &&
            (p->headers = calloc((size_t)n + 1, sizeof *p->headers)) &&
            (p->header_names = calloc((size_t)n + 1, sizeof *p->header_names));
  for (int k = 0; k < n && ok; k++) {
    if (!headers[k] || !names[k] || !is_inside(names[k])) {
      free_program(p);
      return NVRTC_ERROR_INVALID_INPUT;
    }
    p->headers[k] = strdup(headers[k]), p->header_names[k] = strdup(names[k]);
    p->n_headers = (size_t)k + 1;
    ok = p->headers[k] && p->header_names[k];
  }
  if (!ok && p)
    free_program(p);
  else
    *made = p;
  return ok ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *p) {
  if (!p || !*p)
    return NVRTC_ERROR_INVALID_PROGRAM;
  free_program(*p);
  *p = NULL;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *text) {
  if (!p || !text)
    return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
  if (p->compiled)
    return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  expression *more = realloc(p->expressions, (p->n_expressions + 1) * sizeof *more);
  if (!more)
    return NVRTC_ERROR_OUT_OF_MEMORY;
  p->expressions = more;
  more[p->n_expressions++] = (expression){strdup(text), NULL};
  return more[p->n_expressions - 1].text ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

// ---- compilation

// False: its name is too long.
static bool in(const char *dir, const char *name, char to[PATH]) {
  return snprintf(to, PATH, "%s/%s", dir, name) < PATH;
}

// With the folders in its name.
static bool write_header(const char *dir, const char *name, const char *text) {
  char file[PATH];
  if (!in(dir, name, file))
    return false;
  for (char *c = file + strlen(dir) + 1; (c = strchr(c, '/')); *c++ = '/') {
    *c = 0;
    mkdir(file, 0777);
  }
  return write_file(file, text, strlen(text));
}

static bool write_source(const nvrtcProgram p, const char *dir, char file[PATH]) {
  char *text = NULL;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  if (!f)
    return false;
  fputs(p->source, f);
  for (size_t k = 0; k < p->n_expressions; k++)
    fprintf(f,
            "\n#line 1 \"%s: name expression\"\n"
            "extern \"C\" __device__ __attribute__((used)) auto mpu_name_%zu = %s%s;",
            p->name, k, *p->expressions[k].text == '&' ? "" : "&", p->expressions[k].text);
  fputc('\n', f);
  fclose(f);
  const bool ok = in(dir, p->name, file) && write_file(file, text, bytes);
  free(text);
  return ok;
}

// The value of "-X=V" or "-XV" or "--long=V", or the next option. NULL: it is another one.
static const char *value_of(const char *const *options, int n, int *k, const char *name,
                            const char *longer) {
  const char *o = options[*k], *at = NULL;
  if (strncmp(o, longer, strlen(longer)) == 0 && (o[strlen(longer)] == '=' || !o[strlen(longer)]))
    at = o + strlen(longer);
  else if (name && strncmp(o, name, strlen(name)) == 0 && o[1] != '-')
    at = o + strlen(name);
  if (!at)
    return NULL;
  at += *at == '=';
  return *at ? at : *k + 1 < n ? options[++*k] : NULL;
}

static bool is_one_of(const char *word, const char *const *list) {
  while (*list && strcmp(word, *list) != 0)
    list++;
  return *list;
}

static void add_standard(command *c, const char *v) {
  char word[40];
  snprintf(word, sizeof word, "-std=%s", v);
  command_add(c, word);
}

// What clang is told. False: an option that is not known.
static bool take_options(command *c, int n, const char *const *options) {
  static const char *const flags[] = {"-lineinfo",
                                      "--generate-line-info",
                                      "-G",
                                      "--device-debug",
                                      "-w",
                                      "--disable-warnings",
                                      "-rdc=false",
                                      "-fmad=true",
                                      "--fmad=true",
                                      "-prec-div=true",
                                      "-prec-sqrt=true",
                                      "-ftz=false",
                                      "--prec-div=true",
                                      "--prec-sqrt=true",
                                      "--ftz=false",
                                      "-restrict",
                                      "--restrict",
                                      "-dopt=on",
                                      "--dopt=on",
                                      "-extra-device-vectorization",
                                      "--relocatable-device-code=false",
                                      "-rdc=true",
                                      "--relocatable-device-code=true",
                                      "-dc",
                                      "--device-c",
                                      "-dw",
                                      "--device-w",
                                      "-default-device",
                                      "--device-as-default-execution-space",
                                      NULL};
  for (int k = 0; k < n; k++) {
    const char *v;
    if (!options[k])
      return false;
    if (is_one_of(options[k], flags))
      continue;
    if (strcmp(options[k], "-use_fast_math") == 0 || strcmp(options[k], "--use_fast_math") == 0)
      command_add(c, "-ffast-math");
    else if (strcmp(options[k], "-fmad=false") == 0 || strcmp(options[k], "--fmad=false") == 0)
      command_add(c, "-ffp-contract=off");
    else if (value_of(options, n, &k, "-arch", "--gpu-architecture") ||
             value_of(options, n, &k, "-maxrregcount", "--maxrregcount"))
      continue;
    else if ((v = value_of(options, n, &k, "-std", "--std")))
      add_standard(c, v);
    else if ((v = value_of(options, n, &k, "-D", "--define-macro")))
      command_add_all(c, "-D", v, NULL);
    else if ((v = value_of(options, n, &k, "-U", "--undefine-macro")))
      command_add_all(c, "-U", v, NULL);
    else if ((v = value_of(options, n, &k, "-I", "--include-path")))
      command_add_all(c, "-I", v, NULL);
    else if ((v = value_of(options, n, &k, "-include", "--pre-include")))
      command_add_all(c, "-include", v, NULL);
    else
      return false;
  }
  return true;
}

// Starts clang with its messages in a file.
static int start(const command *c, const char *log) {
  const int own = dup(STDERR_FILENO), to = open(log, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  fflush(stderr);
  if (own >= 0 && to >= 0)
    dup2(to, STDERR_FILENO);
  const int status = command_start(c, true);
  if (own >= 0) {
    dup2(own, STDERR_FILENO);
    close(own);
  }
  if (to >= 0)
    close(to);
  return status;
}

// Takes the line of the variable of expression k out of the PTX, and the name out of the line.
static bool take_name(nvrtcProgram p, size_t k) {
  char variable[40];
  snprintf(variable, sizeof variable, " mpu_name_%zu =", k);
  char *at = strstr(p->ptx, variable);
  if (!at)
    return false;
  char *from = at, *end = strchr(at, '\n');
  while (from > p->ptx && from[-1] != '\n')
    from--;
  at += strlen(variable);
  at += strspn(at, " ");
  at += strncmp(at, "generic(", 8) == 0 ? 8 : 0;
  size_t length = 0;
  while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '$')
    length++;
  p->expressions[k].name = strndup(at, length);
  if (end)
    memmove(from, end + 1, strlen(end + 1) + 1);
  else
    *from = 0;
  return length && p->expressions[k].name;
}

static nvrtcResult compile_in_folder(nvrtcProgram p, const char *dir, int n,
                                     const char *const *options) {
  char source[PATH], ptx[PATH], log[PATH], include[PATH];
  command c = {0};
  snprintf(include, sizeof include, "%s/harness/cuda/include", compile_root());
  clang_common(&c, include);
  clang_device(&c, 2, LIBCLC);
  command_add_all(&c, "-I", dir, "-iquote", p->folder, "-fno-caret-diagnostics", NULL);
  bool ok = take_options(&c, n, options);
  if (!ok) {
    command_clear(&c);
    return NVRTC_ERROR_INVALID_OPTION;
  }
  for (size_t k = 0; k < p->n_headers && ok; k++)
    ok = write_header(dir, p->header_names[k], p->headers[k]);
  ok = ok && write_source(p, dir, source);
  ok = ok && in(dir, "nvrtc-out.ptx", ptx) && in(dir, "nvrtc-out.log", log);
  if (ok)
    command_add_all(&c, source, "-o", ptx, NULL);
  const int status = ok ? start(&c, log) : 0;
  command_clear(&c);
  if (!ok)
    return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
  p->log = file_contents(log, NULL);
  if (status)
    return NVRTC_ERROR_COMPILATION;
  if (!(p->ptx = file_contents(ptx, NULL)))
    return NVRTC_ERROR_INTERNAL_ERROR;
  for (size_t k = 0; k < p->n_expressions; k++)
    if (!take_name(p, k))
      return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options) {
  char dir[PATH];
  if (!p || n < 0 || (n && !options))
    return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
  if (!temporary_folder("nvrtc", dir, sizeof dir))
    return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
  free_outputs(p);
  p->compiled = true;
  const nvrtcResult r = compile_in_folder(p, dir, n, options);
  temporary_remove(dir);
  return r;
}

// ---- what came out

// A text, or with `bytes` how long it is, with the zero at its end.
static nvrtcResult give(const char *text, size_t *bytes, char *to) {
  if (!text)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (bytes)
    *bytes = strlen(text) + 1;
  else if (to)
    memcpy(to, text, strlen(text) + 1);
  return bytes || to ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_INPUT;
}
static const char *log_of(nvrtcProgram p) {
  return p && !p->log ? "" : p ? p->log : NULL;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *bytes) {
  return give(p ? p->ptx : NULL, bytes, NULL);
}
nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx) {
  return give(p ? p->ptx : NULL, NULL, ptx);
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *bytes) {
  return give(log_of(p), bytes, NULL);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log) {
  return give(log_of(p), NULL, log);
}

static nvrtcResult make_cubin(nvrtcProgram p) {
  const mpucc_options o = mpucc_options_default();
  uint8_t *image;
  if (!p || !p->ptx)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (!p->cubin && mpucc_compile(p->ptx, strlen(p->ptx), p->name, &o, &image, &p->cubin_bytes))
    return NVRTC_ERROR_COMPILATION;
  p->cubin = p->cubin ? p->cubin : (char *)image;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *bytes) {
  const nvrtcResult r = bytes ? make_cubin(p) : NVRTC_ERROR_INVALID_INPUT;
  if (!r)
    *bytes = p->cubin_bytes;
  return r;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin) {
  const nvrtcResult r = cubin ? make_cubin(p) : NVRTC_ERROR_INVALID_INPUT;
  if (!r)
    memcpy(cubin, p->cubin, p->cubin_bytes);
  return r;
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *text, const char **name) {
  if (!p || !text || !name)
    return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
  if (!p->ptx)
    return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  for (size_t k = 0; k < p->n_expressions; k++)
    if (strcmp(p->expressions[k].text, text) == 0) {
      *name = p->expressions[k].name;
      return NVRTC_SUCCESS;
    }
  return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
