// SPDX-License-Identifier: Apache-2.0
#include "retire_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "csim/isa/isa.h"
#include "csim/base/sum.h"

// The file: a head, then chunks. Numbers of fixed size have their low byte first.
//   head   magic, version (4 bytes), cores (4), sum of these (8)
//   chunk  kind (4 bytes), length n (4), sum of these 8 bytes (4), n bytes, sum of them (8)
enum { MAGIC = 16, HEAD = MAGIC + 16, FRAME = 12, SUM = 8, NUMBER = 10 };
static const char magic[MAGIC] = "nearbank-retire";

enum { KIND_KERNEL = 'K', KIND_LAUNCH = 'L', KIND_PIECE = 'P', KIND_END = 'E', KIND_LAST = 'Z' };

// First byte of an entry: the place, and
enum { ENTRY_NEAR = 64, ENTRY_MORE = 128 };
// the second byte then says what follows: another warp is in the place; it is not the instruction
// behind the last one that ended, in the order of the program; the pc is not as far from that of
// the last one as the order says; the lanes are not those of the last one
enum { MORE_WARP = 1, MORE_INDEX = 2, MORE_PC = 4, MORE_LANES = 8, MORE = 15 };
enum { ENTRY_BYTES = 2 + 7 * NUMBER };  // at most

static void put_word(uint8_t *to, uint64_t v, unsigned bytes) {
  for (unsigned n = 0; n < bytes; n++)
    to[n] = (uint8_t)(v >> 8 * n);
}

static uint64_t get_word(const uint8_t *from, unsigned bytes) {
  uint64_t v = 0;
  for (unsigned n = 0; n < bytes; n++)
    v |= (uint64_t)from[n] << 8 * n;
  return v;
}

// LEB128: groups of seven bits, the lowest first; the highest bit of a byte: more follow.
static uint8_t *put_number(uint8_t *to, uint64_t v) {
  for (; v > 127; v >>= 7)
    *to++ = (uint8_t)(v | 128);
  *to++ = (uint8_t)v;
  return to;
}

// Small distances either way: the sign is the lowest bit.
static uint32_t fold(int32_t v) {
  return (uint32_t)v << 1 ^ (uint32_t)(v >> 31);
}
static uint32_t unfold(uint32_t v) {
  return v >> 1 ^ -(v & 1);
}

static bool room_for(uint8_t **bytes, size_t *room, size_t needed) {
  if (needed <= *room)
    return true;
  const size_t more = needed < 1024 ? 2048 : 2 * needed;
  uint8_t *to = realloc(*bytes, more);
  if (!to)
    return false;
  *bytes = to, *room = more;
  return true;
}

// ---- pieces

void retire_piece_begin(retire_piece *p, uint64_t first) {
  p->used = 0, p->count = 0;
  p->first = p->last = first;
  p->failed = false;
  memset(p->places, 0, sizeof p->places);
}

void retire_piece_free(retire_piece *p) {
  free(p->bytes);
}

void retire_piece_add(retire_piece *p, const retire_entry *e) {
  assert(e->place < RETIRE_PLACES && e->end >= p->last && e->issue <= e->end);
  if (p->failed || !room_for(&p->bytes, &p->room, p->used + ENTRY_BYTES)) {
    p->failed = true;
    return;
  }
  const bool same = p->places[e->place].known && p->places[e->place].block == e->block &&
                    p->places[e->place].warp == e->warp;
  const uint32_t index = same ? p->places[e->place].index : 0;
  const uint32_t pc = (same ? p->places[e->place].pc : 0) + (e->index - index) * ISA_BYTES;
  const uint32_t lanes = same ? p->places[e->place].lanes : ~0u;
  const unsigned more = (same ? 0 : MORE_WARP) | (e->index == index ? 0 : MORE_INDEX) |
                        (e->pc == pc ? 0 : MORE_PC) | (e->lanes == lanes ? 0 : MORE_LANES);
  uint8_t *at = p->bytes + p->used;
  *at++ = (uint8_t)(e->place | (e->near ? ENTRY_NEAR : 0) | (more ? ENTRY_MORE : 0));
  if (more)
    *at++ = (uint8_t)more;
  if (more & MORE_WARP)
    at = put_number(put_number(at, e->block), e->warp);
  if (more & MORE_INDEX)
    at = put_number(at, fold((int32_t)(e->index - index)));
  if (more & MORE_PC)
    at = put_number(at, fold((int32_t)(e->pc - pc) / ISA_BYTES));
  if (more & MORE_LANES)
    at = put_number(at, e->lanes ^ lanes);
  at = put_number(put_number(at, e->end - p->last), e->end - e->issue);
  p->used = (size_t)(at - p->bytes);
  p->places[e->place].block = e->block, p->places[e->place].warp = e->warp;
  p->places[e->place].index = e->index + 1;
  p->places[e->place].pc = e->pc + ISA_BYTES, p->places[e->place].lanes = e->lanes;
  p->places[e->place].known = true;
  p->last = e->end;
  p->count++;
}

// ---- writing

static bool write_all(int fd, const uint8_t *from, size_t bytes) {
  while (bytes) {
    const ssize_t n = write(fd, from, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    from += n, bytes -= (size_t)n;
  }
  return true;
}

// All of it, or nothing.
static bool append(retire_writer *w, const uint8_t *from, size_t bytes) {
  if (write_all(w->fd, from, bytes)) {
    w->bytes += bytes;
    return true;
  }
  const int e = errno;
  while (ftruncate(w->fd, (off_t)w->bytes) && errno == EINTR)
    ;
  errno = e;
  return false;
}

bool retire_create(retire_writer *w, const char *name, uint32_t cores) {
  uint8_t head[HEAD];
  *w = (retire_writer){.fd = -1};
  w->fd = out_place_open(&w->place, name);
  memcpy(head, magic, MAGIC);
  put_word(head + MAGIC, RETIRE_VERSION, 4);
  put_word(head + MAGIC + 4, cores, 4);
  put_word(head + HEAD - SUM, sum_bytes(0, head, HEAD - SUM), SUM);
  return w->fd >= 0 && append(w, head, sizeof head);
}

void retire_writer_free(retire_writer *w) {
  if (w->fd >= 0)
    out_place_close(&w->place, w->fd, false);
  w->fd = -1;
  free(w->chunk);
  w->chunk = NULL;
}

static void add(retire_writer *w, const void *from, size_t bytes) {
  if (!w->chunk || !room_for(&w->chunk, &w->room, w->used + bytes)) {
    free(w->chunk);
    w->chunk = NULL;
    return;
  }
  if (bytes)
    memcpy(w->chunk + w->used, from, bytes);
  w->used += bytes;
}

static void add_number(retire_writer *w, uint64_t v) {
  uint8_t number[NUMBER];
  add(w, number, (size_t)(put_number(number, v) - number));
}

static void add_text(retire_writer *w, const char *s) {
  add(w, s, strlen(s) + 1);
}

static void begin(retire_writer *w, uint32_t kind) {
  uint8_t frame[FRAME] = {0};
  if (!w->chunk) {
    w->room = 4096;
    w->chunk = malloc(w->room);
  }
  w->used = 0;
  put_word(frame, kind, 4);
  add(w, frame, sizeof frame);
}

static bool put(retire_writer *w) {
  uint8_t sum[SUM];
  if (w->chunk) {
    put_word(w->chunk + 4, w->used - FRAME, 4);
    put_word(w->chunk + 8, sum_bytes(0, w->chunk, 8), 4);
    put_word(sum, sum_bytes(0, w->chunk + FRAME, w->used - FRAME), SUM);
    add(w, sum, sizeof sum);
  }
  if (!w->chunk) {
    errno = ENOMEM;
    return false;
  }
  return append(w, w->chunk, w->used);
}

// Of the files of a kernel: which one, from 1 on; 0: none. Lines of a file mostly follow each
// other.
static uint32_t file_of(const char **files, uint32_t *count, const char *file) {
  for (uint32_t n = *count; n; n--)
    if (strcmp(files[n - 1], file) == 0)
      return n;
  if (*file)
    files[(*count)++] = file;
  return *file ? *count : 0;
}

bool retire_put_kernel(retire_writer *w, const retire_kernel *k) {
  const char **files = calloc(k->count + 1, sizeof *files);
  uint32_t count = 0;
  if (!files)
    return false;
  for (uint32_t n = 0; n < k->count; n++)
    file_of(files, &count, k->insts[n].file);
  begin(w, KIND_KERNEL);
  add_text(w, k->name);
  add_number(w, count);
  for (uint32_t n = 0; n < count; n++)
    add_text(w, files[n]);
  add_number(w, k->count);
  for (uint32_t n = 0; n < k->count; n++) {
    add_text(w, k->insts[n].text);
    add_number(w, k->insts[n].ptx_line);
    add_number(w, file_of(files, &count, k->insts[n].file));
    add_number(w, k->insts[n].cuda_line);
  }
  free(files);
  return put(w);
}

bool retire_put_launch(retire_writer *w, const retire_launch *l) {
  begin(w, KIND_LAUNCH);
  add_number(w, l->number);
  add_number(w, l->kernel);
  for (unsigned n = 0; n < 3; n++)
    add_number(w, l->grid[n]);
  for (unsigned n = 0; n < 3; n++)
    add_number(w, l->block[n]);
  add_number(w, l->cycle);
  w->entries = 0;
  return put(w);
}

bool retire_put_piece(retire_writer *w, uint32_t core, const retire_piece *p) {
  if (p->failed) {
    errno = ENOMEM;
    return false;
  }
  if (!p->count)
    return true;
  begin(w, KIND_PIECE);
  add_number(w, core);
  add_number(w, p->first);
  add_number(w, p->count);
  add(w, p->bytes, p->used);
  w->entries += p->count;
  return put(w);
}

bool retire_put_end(retire_writer *w, uint64_t cycle, bool whole) {
  begin(w, KIND_END);
  add_number(w, cycle);
  add_number(w, whole);
  add_number(w, w->entries);
  return put(w);
}

bool retire_finish(retire_writer *w) {
  begin(w, KIND_LAST);
  if (!put(w))
    return false;
  const int fd = w->fd;
  w->fd = -1;
  return out_place_close(&w->place, fd, true);
}

// ---- reading

typedef struct kernel {
  retire_kernel k;
  uint8_t *chunk;  // that its texts are in
} kernel;

struct retire_reader {
  FILE *f;
  char *name;
  uint64_t at, length;  // of the chunk, in the file
  uint32_t cores;
  uint8_t *chunk;
  const uint8_t *next, *stop;  // in it
  size_t room;
  bool short_of;  // bytes were wanted that the chunk does not have
  kernel *kernels;
  uint32_t n_kernels;
  retire_launch launch;
  uint64_t blocks;
  bool any, open, whole;
  uint64_t end_cycle, entries;
  retire_piece piece;  // being read: `count` are left
  uint8_t core;
  char why[4200];
};

static retire_item damaged(retire_reader *r) {
  snprintf(r->why, sizeof r->why, "'%s' is damaged after byte %" PRIu64, r->name, r->at);
  return RETIRE_BAD;
}

static retire_item unreadable(retire_reader *r) {
  snprintf(r->why, sizeof r->why, "cannot read '%s': %s", r->name, strerror(errno));
  return RETIRE_BAD;
}

static uint64_t get_number(retire_reader *r) {
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (r->next == r->stop)
      break;
    const uint8_t byte = *r->next++;
    v |= (uint64_t)(byte & 127) << shift;
    if (byte < 128)
      return v;
  }
  r->short_of = true;
  return 0;
}

// At most `most`.
static uint32_t get_below(retire_reader *r, uint64_t most) {
  const uint64_t v = get_number(r);
  r->short_of |= v > most || v > UINT32_MAX;
  return r->short_of ? 0 : (uint32_t)v;
}

static const char *get_text(retire_reader *r) {
  const uint8_t *s = r->next, *end = memchr(s, 0, (size_t)(r->stop - s));
  r->short_of |= !end;
  r->next = end ? end + 1 : r->stop;
  return end ? (const char *)s : "";
}

// Bytes of the file; fewer than asked for: `got`. False: it cannot be read.
static bool read_some(retire_reader *r, uint8_t *to, size_t bytes, size_t *got) {
  *got = fread(to, 1, bytes, r->f);
  return *got == bytes || !ferror(r->f);
}

// The content of the next chunk. RETIRE_ENTRY: it is there.
static retire_item read_chunk(retire_reader *r, uint32_t *kind) {
  uint8_t frame[FRAME];
  size_t got;
  r->at += r->length;
  r->length = 0;
  if (!read_some(r, frame, FRAME, &got))
    return unreadable(r);
  if (got < FRAME)
    return RETIRE_CUT;
  if (get_word(frame + 8, 4) != (uint32_t)sum_bytes(0, frame, 8))
    return damaged(r);
  *kind = (uint32_t)get_word(frame, 4);
  const size_t bytes = get_word(frame + 4, 4), step = 1 << 20;
  // a piece at a time: of a file that says too much, no more than it has
  for (size_t have = 0; have < bytes + SUM; have += got) {
    const size_t left = bytes + SUM - have, n = left < step ? left : step;
    if (!room_for(&r->chunk, &r->room, have + n)) {
      errno = ENOMEM;
      return unreadable(r);
    }
    if (!read_some(r, r->chunk + have, n, &got))
      return unreadable(r);
    if (got < n)
      return RETIRE_CUT;
  }
  if (get_word(r->chunk + bytes, SUM) != sum_bytes(0, r->chunk, bytes))
    return damaged(r);
  r->next = r->chunk, r->stop = r->chunk + bytes;
  r->length = FRAME + bytes + SUM;
  r->short_of = false;
  return RETIRE_ENTRY;
}

static bool read_kernel(retire_reader *r) {
  kernel *more = realloc(r->kernels, (r->n_kernels + 1) * sizeof *more);
  if (!more)
    return false;
  r->kernels = more;
  const size_t bytes = (size_t)(r->stop - r->next);
  const char *name = get_text(r);
  const uint32_t n_files = get_below(r, bytes);
  const char **files = calloc(n_files + 1, sizeof *files);
  for (uint32_t n = 0; files && n < n_files; n++)
    files[n + 1] = get_text(r);
  const uint32_t count = get_below(r, bytes);
  retire_inst *insts = calloc(count + 1, sizeof *insts);
  for (uint32_t n = 0; files && insts && n < count && !r->short_of; n++) {
    insts[n].text = get_text(r);
    insts[n].ptx_line = get_below(r, UINT32_MAX);
    const char *file = files[get_below(r, n_files)];
    insts[n].file = file ? file : "";
    insts[n].cuda_line = get_below(r, UINT32_MAX);
  }
  const bool ok = files && insts && !r->short_of && r->next == r->stop;
  free(files);
  if (!ok) {
    free(insts);
    return false;
  }
  r->kernels[r->n_kernels++] = (kernel){{name, insts, count}, r->chunk};
  r->chunk = NULL, r->room = 0;  // the kernel's
  return true;
}

static bool read_launch(retire_reader *r) {
  retire_launch *l = &r->launch;
  if (r->open || !r->n_kernels)
    return false;
  l->number = get_below(r, UINT32_MAX);
  l->kernel = get_below(r, r->n_kernels - 1);
  r->blocks = 1;
  for (unsigned n = 0; n < 3; n++)
    r->blocks *= l->grid[n] = get_below(r, n ? 65535 : INT32_MAX);
  for (unsigned n = 0; n < 3; n++)
    l->block[n] = get_below(r, RETIRE_WARPS * ISA_LANES);
  l->cycle = get_number(r);
  r->any = r->open = true;
  r->entries = 0;
  return !r->short_of && r->next == r->stop;
}

static bool read_piece(retire_reader *r) {
  if (!r->open)
    return false;
  r->core = (uint8_t)get_below(r, r->cores ? r->cores - 1 : 0);
  retire_piece_begin(&r->piece, get_number(r));
  r->piece.count = get_below(r, UINT32_MAX);
  return !r->short_of;
}

static bool read_end(retire_reader *r) {
  if (!r->open)
    return false;
  r->end_cycle = get_number(r);
  r->whole = get_below(r, 1);
  r->open = false;
  return get_number(r) == r->entries && !r->short_of && r->next == r->stop;
}

// The next entry of the piece.
static bool read_entry(retire_reader *r, retire_entry *e) {
  if (r->next == r->stop)
    return false;
  const uint8_t head = *r->next++, place = head & (RETIRE_PLACES - 1);
  retire_piece *p = &r->piece;
  if (head & ENTRY_MORE) {
    const uint32_t more = get_below(r, MORE);
    if (more & MORE_WARP) {
      p->places[place].block = get_below(r, r->blocks ? r->blocks - 1 : 0);
      p->places[place].warp = (uint8_t)get_below(r, RETIRE_WARPS - 1);
      p->places[place].index = p->places[place].pc = 0;
      p->places[place].lanes = ~0u;
      p->places[place].known = true;
    }
    if (more & MORE_INDEX) {
      const uint32_t by = unfold(get_below(r, UINT32_MAX));
      p->places[place].index += by, p->places[place].pc += by * ISA_BYTES;
    }
    if (more & MORE_PC)
      p->places[place].pc += unfold(get_below(r, UINT32_MAX)) * ISA_BYTES;
    if (more & MORE_LANES)
      p->places[place].lanes ^= get_below(r, UINT32_MAX);
  }
  p->last += get_number(r);
  const uint64_t took = get_number(r);
  *e = (retire_entry){.issue = p->last - took,
                      .end = p->last,
                      .block = p->places[place].block,
                      .index = p->places[place].index,
                      .pc = p->places[place].pc,
                      .lanes = p->places[place].lanes,
                      .core = r->core,
                      .place = place,
                      .warp = p->places[place].warp,
                      .near = head & ENTRY_NEAR};
  p->places[place].index++, p->places[place].pc += ISA_BYTES;
  p->count--;
  r->entries++;
  return !r->short_of && p->places[place].known && took <= p->last &&
         e->pc / ISA_BYTES < retire_kernel_of(r)->count;
}

retire_item retire_next(retire_reader *r, retire_entry *e) {
  if (r->piece.count)
    return read_entry(r, e) && (r->piece.count || r->next == r->stop) ? RETIRE_ENTRY : damaged(r);
  for (;;) {
    uint32_t kind;
    const retire_item got = read_chunk(r, &kind);
    if (got != RETIRE_ENTRY)
      return got;
    const bool ok = kind == KIND_KERNEL   ? read_kernel(r)
                    : kind == KIND_LAUNCH ? read_launch(r)
                    : kind == KIND_PIECE  ? read_piece(r)
                    : kind == KIND_END    ? read_end(r)
                                          : kind == KIND_LAST && !r->open && r->next == r->stop;
    if (!ok)
      return damaged(r);
    if (kind == KIND_PIECE)
      return retire_next(r, e);
    if (kind == KIND_LAUNCH)
      return RETIRE_LAUNCH;
    if (kind == KIND_END)
      return RETIRE_LAUNCH_END;
    if (kind == KIND_LAST)
      return RETIRE_END;
  }
}

retire_reader *retire_open(const char *name, char *why, size_t why_bytes) {
  uint8_t head[HEAD] = {0};
  size_t got = 0;
  retire_reader *r = calloc(1, sizeof *r);
  FILE *f = fopen(name, "rb");
  *why = 0;
  if (!r || !f || !(r->name = strdup(name)) || !(r->f = f, read_some(r, head, HEAD, &got)))
    snprintf(why, why_bytes, "cannot read '%s': %s", name, strerror(errno));
  else if (memcmp(head, magic, got < MAGIC ? got : MAGIC) != 0)
    snprintf(why, why_bytes, "'%s' is not an instruction trace, as mpu run --retire writes them",
             name);
  else if (got == HEAD && get_word(head + HEAD - SUM, SUM) != sum_bytes(0, head, HEAD - SUM))
    snprintf(why, why_bytes, "'%s' is damaged in its first bytes", name);
  else if (got == HEAD && get_word(head + MAGIC, 4) != RETIRE_VERSION)
    snprintf(why, why_bytes,
             "'%s' is an instruction trace of version %u; this nearbank has version %d", name,
             (unsigned)get_word(head + MAGIC, 4), RETIRE_VERSION);
  if (*why) {
    if (f)
      fclose(f);
    if (r)
      free(r->name);
    free(r);
    return NULL;
  }
  r->cores = (uint32_t)get_word(head + MAGIC + 4, 4);
  r->cores = r->cores > RETIRE_CORES ? RETIRE_CORES : r->cores;
  r->at = got;
  return r;
}

void retire_close(retire_reader *r) {
  for (uint32_t n = 0; n < r->n_kernels; n++) {
    free((void *)(uintptr_t)r->kernels[n].k.insts);
    free(r->kernels[n].chunk);
  }
  free(r->kernels);
  free(r->chunk);
  free(r->name);
  fclose(r->f);
  free(r);
}

const char *retire_message(const retire_reader *r) {
  return r->why;
}
uint32_t retire_cores(const retire_reader *r) {
  return r->cores;
}
const retire_launch *retire_current(const retire_reader *r) {
  return r->any ? &r->launch : NULL;
}
const retire_kernel *retire_kernel_of(const retire_reader *r) {
  return r->any ? &r->kernels[r->launch.kernel].k : NULL;
}
bool retire_whole(const retire_reader *r) {
  return r->whole;
}
uint64_t retire_end_cycle(const retire_reader *r) {
  return r->end_cycle;
}
