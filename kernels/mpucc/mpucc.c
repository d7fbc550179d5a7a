// SPDX-License-Identifier: Apache-2.0
#include "mpucc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "harness/base/out_file.h"
#include "harness/base/user_error.h"
#include "addresses.h"
#include "elf_write.h"
#include "ptx.h"
#include "ptx_ops.h"

// The passes in order, by the names that --dump-after takes.
static const char *const pass_names[] = {"parse",    "inline",     "lower",
                                         "simplify", "reconverge", "predicates",
                                         "locate",   "reorder",    "allocate"};
enum { PARSE, INLINE, LOWER, SIMPLIFY, RECONVERGE, PREDICATES, LOCATE, REORDER, ALLOCATE, PASSES };

mpucc_options mpucc_options_default(void) {
  return (mpucc_options){.locate = MIR_LOCATE_PAPER};
}

// PTX to the first MIR stage. NULL when messages were given, or when a dump of PTX was all that
// was wanted (*dumped).
static mir_module *front(const char *text, size_t bytes, const char *filename,
                         const mpucc_options *o, int dump_after, diag *d, bool *dumped) {
  mir_module *m = NULL;
  ptx_module *p = ptx_parse(text, bytes, filename, d);
  if (p && dump_after == PARSE) {
    ptx_print(p, o->dump);
    *dumped = true;
  } else if (p && ptx_check_names(p, d) && ptx_inline(p, d)) {
    if (dump_after == INLINE) {
      ptx_print(p, o->dump);
      *dumped = true;
    } else {
      m = mir_lower(p, d);
    }
  }
  ptx_free(p);
  return m;
}

// Runs the passes that the module's stage still needs. False after messages; *dumped when the
// dump was printed and nothing more is to be done.
static bool back(mir_module *m, const mpucc_options *o, int dump_after, diag *d, bool *dumped) {
  for (uint32_t n = 0; n < m->kernel_count; n++)
    m->kernels[n].forms = o->forms;
  for (int pass = LOWER + (int)m->stage;; pass++) {
    if (pass == dump_after) {
      mir_print(m, o->dump);
      *dumped = true;
      return true;
    }
    switch (pass + 1) {
      case SIMPLIFY:
        mir_simplify(m);
        break;
      case RECONVERGE:
        mir_reconverge(m);
        break;
      case PREDICATES:
        for (uint32_t n = 0; n < m->kernel_count; n++)
          m->kernels[n].dies = o->dies;
        if (o->profile && !mir_profile_fits(o->profile, m, d))
          return false;
        mir_choose_dies(m, o->locate, o->profile, o->near_predicates);
        if (o->near_predicates)
          mir_near_predicates(m, o->locate, o->profile);
        else
          m->stage = MIR_MASKED;
        if (o->skew)
          mir_choose_skew(m, o->profile);
        break;
      case LOCATE:
        if (o->profile && !mir_profile_fits(o->profile, m, d))
          return false;
        mir_locate(m, o->locate, o->profile);
        break;
      case REORDER:
        if (o->reorder)
          mir_reorder(m, o->max_regs);
        else
          m->stage = MIR_REORDERED;
        break;
      case ALLOCATE:
        if (o->listing)
          mir_listing(m, o->listing);
        if (o->counts)
          mir_counts(m, o->counts);
        if (!mir_allocate(m, o->max_regs, o->reorder, d))
          return false;
        break;
      default:
        return true;
    }
    mir_verify(m);
  }
}

static void list_addresses(const mir_module *m, FILE *f) {
  affine_kernel *kernels = addresses_find(m);
  addresses_list(m, kernels, f);
  addresses_free(kernels, m->kernel_count);
}

static bool is_mir(const char *text, size_t bytes) {
  return bytes >= 4 && memcmp(text, ".mir", 4) == 0;
}

int mpucc_compile(const char *text, size_t bytes, const char *filename, const mpucc_options *o,
                  uint8_t **image, size_t *image_bytes) {
  FILE *messages = o->messages ? o->messages : stderr;
  if (o->profile && o->locate != MIR_LOCATE_COST)
    return user_error("--profile-in is for --locate=cost");
  diag *d = diag_new(filename, text, bytes);
  int dump_after = -1;
  bool dumped = false, ok = false;
  *image = NULL;
  *image_bytes = 0;
  for (int n = 0; n < PASSES; n++)
    if (o->dump_after && strcmp(o->dump_after, pass_names[n]) == 0)
      dump_after = n;
  mir_module *m = is_mir(text, bytes) ? mir_read(text, bytes, filename, d)
                                      : front(text, bytes, filename, o, dump_after, d, &dumped);
  if (m) {
    mir_verify(m);
    ok = back(m, o, dump_after, d, &dumped);
    if (ok && !dumped && o->listing)
      list_addresses(m, o->listing);
    if (ok && !dumped)
      elf_write(m, image, image_bytes);
    mir_module_free(m);
  }
  ok = ok || dumped;
  diag_print(d, messages);
  diag_free(d);
  return ok ? 0 : 1;
}

// ---- the command

static void usage(FILE *f) {
  fputs(
      "usage: mpu mpucc [options] FILE.ptx|FILE.mir -o OUT\n"
      "\n"
      "Compiles PTX (or a dump of an earlier run) to an MPU object, an ELF file. docs/ptx.md\n"
      "lists the instructions that it takes, and what to do instead of others.\n"
      "\n"
      "  -o OUT               the object; - is the standard output\n"
      "  --locate=POLICY      where instructions execute: paper (Algorithm 1, the default),\n"
      "                       cost (what crosses the TSVs least), near, far, or none (the\n"
      "                       hardware decides)\n"
      "  --dies=DIES          the machine: hybrid (the default), far-shared (shared memory on the\n"
      "                       base die), both-shared (on both; --locate=cost chooses for each\n"
      "                       kernel), or base-die (far-shared, and all lanes)\n"
      "  --forms              near instructions cost a third: the machine knows packets by heart\n"
      "  --near-predicates    comparisons of what is near stay near, as masks in registers\n"
      "  --reorder            the instructions of a block in an order in which they wait less\n"
      "  --skew               turns the rows of shared memory by as many banks as keep the lanes "
      "of\n"
      "                       most accesses apart\n"
      "  --maxregs=N          registers a thread may use on either side, 8 to 254\n"
      "  -S FILE              listing with a location on each register and instruction\n"
      "  --dump-after=PASS    write the program after PASS to OUT instead of an object, and stop:\n"
      "                       parse inline lower simplify reconverge predicates locate reorder\n"
      "                       allocate\n"
      "  -h, --help           this text\n"
      "\n"
      "Exit status: 0 success, 1 errors in the program, 2 wrong use.\n",
      f);
}

static int misuse(const char *format, const char *what) {
  fputs("mpucc: ", stderr);
  fprintf(stderr, format, what);
  fputs("; see mpu mpucc --help\n", stderr);
  return 2;
}

typedef struct command {
  const char *in, *out, *listing;
  mpucc_options o;
} command;

// The value of `--name=value`, `--name value` or `-nvalue`; NULL when argv[*n] is another option.
static const char *value_of(const char *name, int argc, char **argv, int *n) {
  size_t length = strlen(name);
  if (strncmp(argv[*n], name, length) != 0)
    return NULL;
  if (argv[*n][length] == '=' && name[1] == '-')
    return argv[*n] + length + 1;
  if (argv[*n][length] == 0)
    return *n + 1 < argc ? argv[++*n] : "";
  return NULL;
}

bool mpucc_parse_dies(const char *v, isa_dies *dies) {
  for (int n = 0; n < ISA_DIES; n++)
    if (strcmp(v, isa_dies_names[n]) == 0) {
      *dies = (isa_dies)n;
      return true;
    }
  return false;
}

static int parse_policy(const char *v, mir_policy *policy) {
  for (int p = 0; p < MIR_POLICIES; p++)
    if (strcmp(v, mir_policy_names[p]) == 0) {
      *policy = (mir_policy)p;
      return 0;
    }
  return misuse("--locate takes paper, cost, near, far or none, not '%s'", v);
}

static int parse_command(int argc, char **argv, command *c) {
  for (int n = 1; n < argc; n++) {
    const char *v;
    if ((v = value_of("-o", argc, argv, &n))) {
      c->out = v;
    } else if ((v = value_of("-S", argc, argv, &n))) {
      c->listing = v;
    } else if ((v = value_of("--locate", argc, argv, &n))) {
      if (parse_policy(v, &c->o.locate))
        return 2;
    } else if ((v = value_of("--dies", argc, argv, &n))) {
      if (!mpucc_parse_dies(v, &c->o.dies))
        return misuse("--dies takes hybrid, far-shared, both-shared or base-die, not '%s'", v);
    } else if (strcmp(argv[n], "--forms") == 0) {
      c->o.forms = true;
    } else if (strcmp(argv[n], "--near-predicates") == 0) {
      c->o.near_predicates = true;
    } else if (strcmp(argv[n], "--reorder") == 0) {
      c->o.reorder = true;
    } else if (strcmp(argv[n], "--skew") == 0) {
      c->o.skew = true;
    } else if ((v = value_of("--maxregs", argc, argv, &n))) {
      char *end;
      unsigned long regs = strtoul(v, &end, 10);
      if (*v == 0 || *end || regs < 8 || regs > 254)
        return misuse("--maxregs takes a number from 8 to 254, not '%s'", v);
      c->o.max_regs = (uint32_t)regs;
    } else if ((v = value_of("--dump-after", argc, argv, &n))) {
      c->o.dump_after = NULL;
      for (int p = 0; p < PASSES; p++)
        if (strcmp(v, pass_names[p]) == 0)
          c->o.dump_after = pass_names[p];
      if (!c->o.dump_after)
        return misuse("--dump-after: no pass is called '%s'", v);
    } else if (argv[n][0] == '-' && argv[n][1]) {
      return misuse("unknown option '%s'", argv[n]);
    } else if (c->in) {
      return misuse("one input file at a time; '%s' is a second", argv[n]);
    } else {
      c->in = argv[n];
    }
  }
  if (!c->in)
    return misuse("%s", "an input file is missing");
  if (!c->out || !*c->out)
    return misuse("%s", "-o OUT is missing");
  return 0;
}

static out_file *open_out(const char *name) {
  out_file *f = out_open(name);
  if (!f)
    fprintf(stderr, "mpucc: cannot write '%s': %s\n", name, strerror(errno));
  return f;
}

// `keep`: else the file is not wanted any more.
static int close_out(out_file *f, const char *name, bool keep) {
  if (!keep)
    out_drop(f);
  if (!keep || out_close(f))
    return 0;
  fprintf(stderr, "mpucc: cannot write '%s': %s\n", name, strerror(errno));
  return 2;
}

int mpucc_main(int argc, char **argv) {
  command c = {.o = mpucc_options_default()};
  for (int n = 1; n < argc; n++)
    if (strcmp(argv[n], "-h") == 0 || strcmp(argv[n], "--help") == 0) {
      usage(stdout);
      return 0;
    }
  if (parse_command(argc, argv, &c))
    return 2;
  size_t bytes = 0, image_bytes;
  uint8_t *image = NULL;
  char *text = file_contents(c.in, &bytes);
  if (!text) {
    fprintf(stderr, "mpucc: cannot read '%s': %s\n", c.in, strerror(errno));
    return 2;
  }
  int status = 2;
  out_file *out = NULL, *listing = NULL;
  if (c.listing && !(listing = open_out(c.listing)))
    goto done;
  if (c.o.dump_after && !(out = open_out(c.out)))
    goto done;
  c.o.listing = listing ? out_stream(listing) : NULL;
  c.o.dump = out ? out_stream(out) : NULL;
  status = mpucc_compile(text, bytes, c.in, &c.o, &image, &image_bytes);
  if (status == 0 && image) {
    if (!(out = open_out(c.out))) {
      status = 2;
      goto done;
    }
    fwrite(image, 1, image_bytes, out_stream(out));
  }
  if (out && close_out(out, c.out, status == 0))
    status = 2;
done:
  if (listing && close_out(listing, c.listing, status == 0))
    status = 2;
  free(image);
  free(text);
  return status;
}
