// SPDX-License-Identifier: Apache-2.0
// Checkpoints: what launches left behind, in a file; and from it, instead of executing them again
// (docs/checkpoint.md). A run that begins and one that goes on are the same here: the first has no
// records yet.
#include "harness/base/checkpoint/checkpoint.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "csim/isa/model.h"
#include "csim/base/sum.h"
#include "rt.h"

enum { BROKEN = 2 };  // exit status

// A record: this, name and message, the counters, runs of pages, the pages.
typedef struct record {
  uint64_t number;         // of the launch, from 1
  uint64_t params, trail;  // sums: of the parameters, of what the host did to memory before
  uint32_t grid[3], block[3], shared, error;
  launch_stats stats;  // after it
  double seconds, cpu_seconds;
  uint64_t name_bytes, message_bytes, state_bytes, runs;
  uint64_t state_words;  // counters: more than in the record before when there are more arrays
} record;

struct rt_checkpoint {
  checkpoint file;
  uint64_t *state, *next;  // of the sim: after the launch before, and after this one
  size_t words;            // room for them; those that are not counted yet are zero
  uint8_t *packed;         // room for the difference
  bool replays;            // launches so far came from the file
};
typedef struct rt_checkpoint rt_checkpoint;

__attribute__((format(printf, 2, 3), noreturn)) static void end(int status, const char *format,
                                                                ...) {
  va_list args;
  va_start(args, format);
  fflush(stdout);
  fputs("mpu: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  _exit(status);
}

// ---- counters: as differences, in groups of seven bits. Most are zero.

enum { GROUPS = 10 };

static size_t padded(size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

static size_t pack(uint8_t *to, const uint64_t *from, const uint64_t *before, size_t words) {
  uint8_t *at = to;
  for (size_t n = 0; n < words; n++) {
    uint64_t left = from[n] - before[n];
    for (; left > 127; left >>= 7)
      *at++ = (uint8_t)(left | 128);
    *at++ = (uint8_t)left;
  }
  while ((at - to) % 8)
    *at++ = 0;
  return (size_t)(at - to);
}

// Adds them to what they were. False: too few bytes.
static bool unpack(uint64_t *to, size_t words, const uint8_t *from, size_t bytes) {
  const uint8_t *const stop = from + bytes;
  if (words > bytes)
    return false;
  for (size_t n = 0; n < words; n++) {
    uint64_t more = 0;
    for (unsigned shift = 0; shift < 7 * GROUPS; shift += 7) {
      if (from == stop)
        return false;
      more |= (uint64_t)(*from & 127) << shift;
      if (*from++ < 128)
        break;
    }
    to[n] += more;
  }
  return true;
}

// ---- start and end

static bool grow(uint64_t **to, size_t words, size_t before) {
  uint64_t *more = realloc(*to, words * 8);
  if (!more)
    return false;
  memset(more + before, 0, (words - before) * 8);
  *to = more;
  return true;
}

// Room for so many counters. False: no memory.
static bool hold(rt_checkpoint *k, size_t words) {
  if (words <= k->words)
    return true;
  uint8_t *packed = realloc(k->packed, padded(words * GROUPS));
  if (packed)
    k->packed = packed;
  if (!packed || !grow(&k->state, words, k->words) || !grow(&k->next, words, k->words))
    return false;
  k->words = words;
  return true;
}

void rt_checkpoint_open(rt_context *c) {
  if (!process.settings.checkpoint)
    return;
  rt_checkpoint *k = calloc(1, sizeof *k);
  if (!k)
    end(BROKEN, "out of host memory");
  if (!checkpoint_open(&k->file, process.settings.checkpoint))
    end(BROKEN, "%s", k->file.why);
  if (!hold(k, sim_state_words(c->timed)))
    end(BROKEN, "out of host memory");
  if (k->file.torn)
    fprintf(stderr, "mpu: the last record of '%s' is incomplete and is dropped\n", k->file.name);
  c->checkpoint = k;
}

static void drop(rt_context *c) {
  rt_checkpoint *k = c->checkpoint;
  checkpoint_close(&k->file);
  free(k->state);
  free(k->next);
  free(k->packed);
  free(k);
  c->checkpoint = NULL;
}

void rt_checkpoint_close(rt_context *c) {
  if (!c->checkpoint)
    return;
  const checkpoint *f = &c->checkpoint->file;
  if (f->at < f->end && !rt_timed_interrupted())
    end(RT_OTHERWISE,
        "the program has ended after %llu launches; in the run of '%s' it had %llu at least: the "
        "program diverges from its checkpoint",
        (unsigned long long)c->launches, f->name, (unsigned long long)f->records);
  drop(c);
}

// ---- from the file

static void get(checkpoint *f, void *to, size_t bytes) {
  if (!checkpoint_read(f, to, bytes))
    end(BROKEN, "%s", f->why);
}

// To be freed; a 0 follows it.
static void *get_new(checkpoint *f, uint64_t bytes) {
  char *to = bytes <= f->left ? malloc(bytes + 1) : NULL;
  if (!to)
    end(BROKEN, "'%s': no host memory for a record", f->name);
  get(f, to, bytes);
  to[bytes] = 0;
  return to;
}

static record identity(const rt_context *c, const module_kernel *k, const launch_shape *shape,
                       const uint8_t *params) {
  record r = {.number = c->launches + 1,
              .params = sum_bytes(0, params, k->param_bytes),
              .trail = machine_trail(c->m),
              .shared = shape->dynamic_shared,
              .name_bytes = padded(strlen(k->name)),
              .state_words = sim_state_words(c->timed)};
  memcpy(r.grid, shape->grid, sizeof r.grid);
  memcpy(r.block, shape->block, sizeof r.block);
  return r;
}

static void describe(char *to, size_t bytes, const char *name, const record *r) {
  snprintf(to, bytes, "%.200s<<<(%u, %u, %u), (%u, %u, %u), %u>>>", name, r->grid[0], r->grid[1],
           r->grid[2], r->block[0], r->block[1], r->block[2], r->shared);
}

// Ends the program when launch `is` is not the recorded one.
static void compare(const checkpoint *f, bool unchecked, const record *is, const char *name,
                    const record *was, const char *name_was) {
  char now[400], then[400];
  describe(now, sizeof now, name, is);
  describe(then, sizeof then, name_was, was);
  const unsigned long long n = is->number;
  if (was->number != is->number || strcmp(name, name_was) != 0 || was->shared != is->shared ||
      memcmp(was->grid, is->grid, sizeof is->grid) != 0 ||
      memcmp(was->block, is->block, sizeof is->block) != 0)
    end(RT_OTHERWISE,
        "launch %llu is %s; in the run of '%s' launch %llu was %s: the program diverges from its "
        "checkpoint",
        n, now, f->name, (unsigned long long)was->number, then);
  if (unchecked)
    return;
  if (was->params != is->params)
    end(RT_OTHERWISE,
        "launch %llu, %s, has other parameters than in the run of '%s': the program diverges from "
        "its checkpoint (mpu resume --unchecked accepts this)",
        n, now, f->name);
  if (was->trail != is->trail || was->state_words != is->state_words)
    end(RT_OTHERWISE,
        "before launch %llu, %s, the program allocated other device memory or wrote other bytes "
        "there than in the run of '%s': the program diverges from its checkpoint (mpu resume "
        "--unchecked accepts this)",
        n, now, f->name);
}

static void get_pages(rt_context *c, checkpoint *f, uint64_t count) {
  sim_run *runs = get_new(f, count * sizeof *runs);
  const uint64_t pages = sim_pages(c->timed);
  for (uint64_t n = 0; n < count; n++) {
    if (runs[n].page > pages || runs[n].count > pages - runs[n].page)
      end(BROKEN, "'%s' belongs to another machine", f->name);
    get(f, sim_page(c->timed, runs[n].page), runs[n].count * SIM_PAGE);
  }
  free(runs);
}

// The first launch that is executed.
static void goes_on(const rt_context *c, rt_checkpoint *cp) {
  if (cp->replays && process.settings.report)
    fprintf(stderr, "mpu: launches 1 to %llu come from '%s'; execution starts with the next one\n",
            (unsigned long long)c->launches, cp->file.name);
  cp->replays = false;
}

bool rt_checkpoint_has(rt_context *c, const module_kernel *k, const launch_shape *shape,
                       const uint8_t *params, machine_error *e) {
  rt_checkpoint *cp = c->checkpoint;
  checkpoint *f = cp ? &cp->file : NULL;
  record r, is;
  if (cp && f->at == f->end)
    goes_on(c, cp);
  if (!cp || f->at == f->end)
    return false;
  cp->replays = true;
  if (!checkpoint_next(f))
    end(BROKEN, "%s", f->why);
  get(f, &r, sizeof r);
  char *name = get_new(f, r.name_bytes);
  is = identity(c, k, shape, params);
  compare(f, process.settings.unchecked, &is, k->name, &r, name);
  char *message = get_new(f, r.message_bytes);
  uint8_t *packed = get_new(f, r.state_bytes);
  const uint64_t words = r.state_words > is.state_words ? r.state_words : is.state_words;
  if (r.state_words <= r.state_bytes && !hold(cp, words))
    end(BROKEN, "'%s': no host memory for a record", f->name);
  if (!unpack(cp->state, r.state_words, packed, r.state_bytes))
    end(BROKEN, "'%s' belongs to another machine", f->name);
  get_pages(c, f, r.runs);
  if (f->left)
    end(BROKEN, "'%s' belongs to another machine", f->name);
  if (!sim_set_state(c->timed, cp->state))
    end(BROKEN, "'%s': no host memory for a record", f->name);
  c->launches = r.number;
  c->stats = r.stats;
  c->seconds = r.seconds, c->cpu_seconds = r.cpu_seconds;
  *e = (machine_error)r.error;
  if (*e)
    machine_fail(c->m, *e, "%s", message);
  free(name);
  free(message);
  free(packed);
  return true;
}

// ---- to the file

// What ends in the same way whenever it is repeated.
static bool is_certain(machine_error e) {
  return !e || e == MACHINE_BAD_LAUNCH || (e >= MACHINE_FAULT_ADDRESS && e <= MACHINE_FAULT_LIMIT);
}

static char *padded_copy(const char *s) {
  char *to = calloc(1, padded(strlen(s)) + 8);
  return to ? strcpy(to, s) : NULL;
}

static bool add(rt_context *c, record *r, const char *name, const char *message, sim_run *runs) {
  rt_checkpoint *cp = c->checkpoint;
  checkpoint_part *parts = malloc((5 + r->runs) * sizeof *parts);
  if (!parts)
    return false;
  parts[0] = (checkpoint_part){r, sizeof *r};
  parts[1] = (checkpoint_part){name, r->name_bytes};
  parts[2] = (checkpoint_part){message, r->message_bytes};
  parts[3] = (checkpoint_part){cp->packed, r->state_bytes};
  parts[4] = (checkpoint_part){runs, r->runs * sizeof *runs};
  for (uint64_t n = 0; n < r->runs; n++)
    parts[5 + n] = (checkpoint_part){sim_page(c->timed, runs[n].page), runs[n].count * SIM_PAGE};
  const bool ok = checkpoint_append(&cp->file, parts, 5 + r->runs);
  free(parts);
  return ok;
}

void rt_checkpoint_add(rt_context *c, const module_kernel *k, const launch_shape *shape,
                       const uint8_t *params, machine_error e) {
  rt_checkpoint *cp = c->checkpoint;
  if (!cp)
    return;
  const uint64_t whole = cp->file.records;
  if (!is_certain(e)) {
    if (e != MACHINE_STOPPED)
      fprintf(stderr, "mpu: '%s' ends with launch %llu: the next one cannot be recorded\n",
              cp->file.name, (unsigned long long)whole);
    drop(c);
    return;
  }
  record r = identity(c, k, shape, params);
  sim_run *runs = NULL;
  size_t count = 0;
  char *name = padded_copy(k->name), *message = padded_copy(e ? machine_message(c->m) : "");
  bool ok = name && message && hold(cp, r.state_words);
  r.number = c->launches;
  r.error = e;
  r.stats = c->stats;
  r.seconds = c->seconds, r.cpu_seconds = c->cpu_seconds;
  snprintf(cp->file.why, sizeof cp->file.why, "out of host memory");
  if (ok) {
    sim_get_state(c->timed, cp->next);
    r.state_bytes = pack(cp->packed, cp->next, cp->state, r.state_words);
    memcpy(cp->state, cp->next, r.state_words * 8);
    ok = sim_take_written(c->timed, &runs, &count);
  }
  if (ok) {
    r.message_bytes = padded(strlen(message)), r.runs = count;
    ok = add(c, &r, name, message, runs);
  }
  free(runs);
  free(name);
  free(message);
  if (!ok) {
    fprintf(stderr, "mpu: %s; the checkpoint ends with launch %llu\n", cp->file.why,
            (unsigned long long)whole);
    drop(c);
  }
}
