// SPDX-License-Identifier: Apache-2.0
// The file of an instruction trace: what is written is read; cut, changed and forged files.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "csim/base/sum.h"
#include "harness/inspect/retire/retire_file.h"
#include "tb/file_fixture.h"

enum {
  CORES = 5,
  LAUNCHES = 4,
  PIECES = 3,
  ENTRIES = 40,
  INSTS = 50,
  FRAME = 12,
  SUM = 8,
  HEAD = 32
};

static uint64_t state = 1;

static uint32_t random_below(uint32_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((state >> 33) % n);
}

// ---- what is written, and what is read of it

typedef struct seen {
  retire_item item;
  retire_entry e;
  retire_launch l;
} seen;
enum { MOST = LAUNCHES * (CORES * PIECES * ENTRIES + 2) + 2 };
static seen wrote[MOST], got[MOST];
static size_t n_wrote, n_got;

static retire_inst insts[2][INSTS];
static const retire_kernel kernels[2] = {{"first", insts[0], INSTS}, {"second", insts[1], 7}};

static void make_kernels(void) {
  static char texts[INSTS][20];
  static const char *const files[] = {"", "/a/b.cu", "/a/c.h", "b.cu"};
  for (unsigned n = 0; n < INSTS; n++) {
    snprintf(texts[n], sizeof texts[n], "add.u32 r%u, r1, r2", n);
    insts[0][n] = (retire_inst){texts[n], files[n % 4], n * 3, n % 4 ? 1000 * n : 0};
    insts[1][n] = (retire_inst){"exit", files[n % 3], UINT32_MAX - n, n % 3};
  }
}

// Entries as no machine has them: everything is as large and as small as it can be.
static retire_entry random_entry(const retire_piece *p, uint32_t core, const retire_launch *l) {
  static const uint32_t lanes[] = {~0u, 0, 1, 0x80000000, 0xffff};
  retire_entry e = {.core = (uint8_t)core, .near = random_below(2)};
  e.end = p->last + (random_below(4) ? random_below(3) : random_below(300));
  const uint64_t took = random_below(9) ? random_below(20) : e.end;
  e.issue = e.end - (took < e.end ? took : e.end);
  e.block = random_below(l->grid[0] * l->grid[1]);
  e.index = random_below(4) ? 5 + random_below(3) : random_below(UINT32_MAX);
  e.pc = 16 * random_below(kernels[l->kernel].count);
  e.lanes = lanes[random_below(5)];
  e.place = (uint8_t)random_below(RETIRE_PLACES);
  e.warp = (uint8_t)random_below(RETIRE_WARPS);
  return e;
}

static void note(retire_item item, const retire_entry *e, const retire_launch *l) {
  assert_true(n_wrote < MOST);
  wrote[n_wrote].item = item;
  wrote[n_wrote].l = *l;
  if (e)
    wrote[n_wrote].e = *e;
  n_wrote++;
}

// A file of `launches`; its length after each chunk, in `lengths`.
static size_t write_file(unsigned launches, uint64_t *lengths) {
  retire_writer w;
  retire_piece p = {.bytes = NULL};
  size_t n = 0;
  n_wrote = 0;
  assert_true(retire_create(&w, name, CORES));
  lengths[n++] = w.bytes;
  for (unsigned k = 0; k < launches; k++) {
    const retire_launch l = {.number = k + 1,
                             .kernel = k % 2,
                             .grid = {10, k + 1, 1},
                             .block = {1024, 1, 1},
                             .cycle = k * 100000ull};
    if (k < 2) {
      assert_true(retire_put_kernel(&w, &kernels[k]));
      lengths[n++] = w.bytes;
    }
    assert_true(retire_put_launch(&w, &l));
    lengths[n++] = w.bytes;
    note(RETIRE_LAUNCH, NULL, &l);
    for (uint32_t i = 0; i < PIECES * CORES; i++) {
      retire_piece_begin(&p, l.cycle + i / CORES * RETIRE_CYCLES);
      for (unsigned j = random_below(ENTRIES); j; j--) {
        const retire_entry e = random_entry(&p, i % CORES, &l);
        retire_piece_add(&p, &e);
        note(RETIRE_ENTRY, &e, &l);
      }
      assert_true(retire_put_piece(&w, i % CORES, &p));
      lengths[n++] = w.bytes;
    }
    assert_true(retire_put_end(&w, l.cycle + 20000, k % 2));
    lengths[n++] = w.bytes;
    note(RETIRE_LAUNCH_END, NULL, &l);
  }
  assert_true(retire_finish(&w));
  lengths[n++] = w.bytes;
  note(RETIRE_END, NULL, &(retire_launch){0});
  retire_piece_free(&p);
  retire_writer_free(&w);
  return n;
}

static bool same_launch(const retire_launch *x, const retire_launch *y) {
  return x->number == y->number && x->kernel == y->kernel && x->cycle == y->cycle &&
         !memcmp(x->grid, y->grid, sizeof x->grid) && !memcmp(x->block, y->block, sizeof x->block);
}

static bool same_entry(const retire_entry *x, const retire_entry *y) {
  return x->issue == y->issue && x->end == y->end && x->block == y->block && x->index == y->index &&
         x->pc == y->pc && x->lanes == y->lanes && x->core == y->core && x->place == y->place &&
         x->warp == y->warp && x->near == y->near;
}

// What comes at the end: RETIRE_END, RETIRE_CUT, RETIRE_BAD. Texts are looked at.
static retire_item read_file(void) {
  char why[300];
  retire_item item;
  retire_reader *r = retire_open(name, why, sizeof why);
  n_got = 0;
  if (!r)
    return RETIRE_BAD;
  do {
    retire_entry e = {0};
    item = retire_next(r, &e);
    if (item >= RETIRE_END)
      break;
    const retire_kernel *k = retire_kernel_of(r);
    const retire_inst *i = &k->insts[e.pc / 16];
    assert_true(item != RETIRE_ENTRY || e.pc / 16 < k->count);
    assert_true(item != RETIRE_ENTRY || strlen(i->text) + strlen(i->file) < 1000000);
    if (n_got < MOST)
      got[n_got++] = (seen){item, e, *retire_current(r)};
  } while (true);
  if (item == RETIRE_BAD)
    assert_true(strlen(retire_message(r)) > 10);
  retire_close(r);
  return item;
}

// What was read is the beginning of what was written.
static void is_prefix(void) {
  assert_true(n_got <= n_wrote);
  for (size_t n = 0; n < n_got; n++) {
    assert_int_equal(got[n].item, wrote[n].item);
    assert_true(same_launch(&got[n].l, &wrote[n].l));
    if (got[n].item == RETIRE_ENTRY)
      assert_true(same_entry(&got[n].e, &wrote[n].e));
  }
}

static uint8_t *load(size_t *bytes) {
  FILE *f = fopen(name, "rb");
  uint8_t *all = malloc(1 << 20);
  assert_true(f && all);
  *bytes = fread(all, 1, 1 << 20, f);
  fclose(f);
  return all;
}

static void store(const uint8_t *from, size_t bytes) {
  remove(name);  // some hosts write to the disk at once what replaces a file
  FILE *f = fopen(name, "wb");
  assert_true(f && fwrite(from, 1, bytes, f) == bytes);
  fclose(f);
}

// ---- tests

static void read_back(void **unused) {
  uint64_t lengths[400];
  char why[300];
  (void)unused;
  for (unsigned n = 0; n < 50; n++) {
    write_file(n % (LAUNCHES + 1), lengths);
    assert_int_equal(read_file(), RETIRE_END);
    is_prefix();
    assert_int_equal(n_got, n_wrote - 1);
  }
  // and what is not an entry
  write_file(2, lengths);
  retire_reader *r = retire_open(name, why, sizeof why);
  retire_entry e;
  retire_item item;
  unsigned ends = 0;
  assert_non_null(r);
  assert_int_equal(retire_cores(r), CORES);
  assert_null(retire_current(r));
  while ((item = retire_next(r, &e)) != RETIRE_END) {
    const retire_kernel *k = retire_kernel_of(r), *want = &kernels[retire_current(r)->kernel];
    if (item == RETIRE_LAUNCH_END) {
      assert_int_equal(retire_whole(r), ends % 2);
      assert_int_equal(retire_end_cycle(r), retire_current(r)->cycle + 20000);
      ends++;
    }
    assert_string_equal(k->name, want->name);
    assert_int_equal(k->count, want->count);
    for (uint32_t n = 0; item == RETIRE_LAUNCH && n < k->count; n++) {
      assert_string_equal(k->insts[n].text, want->insts[n].text);
      assert_string_equal(k->insts[n].file, want->insts[n].file);
      assert_int_equal(k->insts[n].ptx_line, want->insts[n].ptx_line);
      assert_int_equal(k->insts[n].cuda_line, want->insts[n].cuda_line);
    }
  }
  assert_int_equal(ends, 2);
  retire_close(r);
}

// A warp that goes straight on, with an access that ends later than what is behind it.
static void size_of_entries(void **unused) {
  retire_piece p = {.bytes = NULL};
  (void)unused;
  retire_piece_begin(&p, 0);
  for (uint32_t n = 0; n < 100; n++) {
    const uint32_t at = n % 4 == 1 ? n + 1 : n % 4 == 2 ? n - 1 : n;
    retire_piece_add(&p, &(retire_entry){.issue = at * 5,
                                         .end = n * 5 + 100,
                                         .index = at,
                                         .pc = at * 16,
                                         .lanes = ~0u,
                                         .place = 9});
  }
  // place, end, issue; the first entry has its warp, three of four are not the next one
  assert_int_equal(p.used, 3 * 100 + 3 + 75 * 2);
  retire_piece_free(&p);
}

static void cut_anywhere(void **unused) {
  uint64_t lengths[400];
  size_t bytes;
  (void)unused;
  const size_t n = write_file(2, lengths);
  uint8_t *all = load(&bytes);
  assert_int_equal(bytes, lengths[n - 1]);
  size_t before = 0;
  for (size_t at = 0, k = 0; at < bytes; at++) {
    store(all, at);
    assert_int_equal(read_file(), RETIRE_CUT);
    is_prefix();
    assert_true(n_got >= before);
    // something more whenever a chunk is whole, and only then
    while (lengths[k] < at)
      k++;
    if (lengths[k] != at)
      assert_int_equal(n_got, before);
    before = n_got;
  }
  assert_int_equal(before, n_wrote - 1);
  free(all);
}

static void changed_anywhere(void **unused) {
  uint64_t lengths[400];
  size_t bytes;
  (void)unused;
  write_file(1, lengths);
  uint8_t *all = load(&bytes);
  for (size_t at = 0; at < bytes; at++) {
    all[at] ^= (uint8_t)(1 << at % 8);
    store(all, bytes);
    assert_int_equal(read_file(), RETIRE_BAD);
    is_prefix();
    all[at] ^= (uint8_t)(1 << at % 8);
  }
  // a chunk is gone, or there twice
  for (size_t k = 0; lengths[k + 1] < bytes; k++) {
    uint8_t *other = malloc(2 * bytes);
    assert_non_null(other);
    if (lengths[k + 1] == lengths[k])
      continue;
    memcpy(other, all, lengths[k]);
    memcpy(other + lengths[k], all + lengths[k + 1], bytes - lengths[k + 1]);
    store(other, bytes - (lengths[k + 1] - lengths[k]));
    assert_int_equal(read_file(), RETIRE_BAD);
    memcpy(other + lengths[k + 1], all + lengths[k], bytes - lengths[k]);
    memcpy(other + lengths[k], all + lengths[k], lengths[k + 1] - lengths[k]);
    store(other, bytes + (lengths[k + 1] - lengths[k]));
    const retire_item item = read_file();
    // a kernel more is no harm
    assert_true(item == RETIRE_BAD || (item == RETIRE_END && k == 0));
    free(other);
  }
  free(all);
}

static void put_word(uint8_t *to, uint64_t v, unsigned bytes) {
  for (unsigned n = 0; n < bytes; n++)
    to[n] = (uint8_t)(v >> 8 * n);
}

// Contents that no writer makes, with the right sums.
static void forged(void **unused) {
  uint64_t lengths[400];
  size_t bytes;
  unsigned ended[RETIRE_BAD + 1] = {0};
  (void)unused;
  const uint32_t chunks = (uint32_t)write_file(2, lengths) - 1;
  uint8_t *all = load(&bytes), *other = malloc(bytes);
  assert_non_null(other);
  for (unsigned round = 0; round < 20000; round++) {
    memcpy(other, all, bytes);
    const uint32_t k = random_below(chunks);
    uint8_t *chunk = other + lengths[k];
    size_t n = lengths[k + 1] - lengths[k];
    if (n <= FRAME + SUM)
      continue;
    n -= FRAME + SUM;
    if (random_below(20) == 0)
      chunk[0] = (uint8_t) "KLPEZ?"[random_below(6)];
    for (unsigned changes = 1 + random_below(3); changes; changes--)
      chunk[FRAME + random_below(random_below(3) ? 12 < n ? 12 : (uint32_t)n : (uint32_t)n)] =
          (uint8_t)(random_below(2) ? 255 : random_below(256));
    put_word(chunk + 8, sum_bytes(0, chunk, 8), 4);
    put_word(chunk + FRAME + n, sum_bytes(0, chunk + FRAME, n), SUM);
    store(other, bytes);
    ended[read_file()]++;
  }
  assert_true(ended[RETIRE_BAD] > 1000 && ended[RETIRE_END] > 100);
  assert_int_equal(ended[RETIRE_CUT], 0);
  // a length that the file does not have
  memcpy(other, all, bytes);
  put_word(other + lengths[3] + 4, UINT32_MAX, 4);
  put_word(other + lengths[3] + 8, sum_bytes(0, other + lengths[3], 8), 4);
  store(other, bytes);
  assert_int_equal(read_file(), RETIRE_CUT);
  free(all);
  free(other);
}

static void other_files(void **unused) {
  static const struct {
    const char *text, *says;
  } cases[] = {{"hello", "is not an instruction trace"},
               {"nearbank-retired and more of it, 32 bytes", "is not an instruction trace"}};
  char why[300];
  uint64_t lengths[400];
  size_t bytes;
  (void)unused;
  for (size_t n = 0; n < 2; n++) {
    store((const uint8_t *)cases[n].text, strlen(cases[n].text));
    assert_null(retire_open(name, why, sizeof why));
    assert_non_null(strstr(why, cases[n].says));
  }
  assert_null(retire_open("/tmp/none/of this", why, sizeof why));
  assert_non_null(strstr(why, "cannot read '/tmp/none/of this': No such file"));
  assert_null(retire_open("/tmp", why, sizeof why));
  assert_non_null(strstr(why, "Is a directory"));
  write_file(1, lengths);
  uint8_t *all = load(&bytes);
  all[16] = 9;
  put_word(all + HEAD - SUM, sum_bytes(0, all, HEAD - SUM), SUM);
  store(all, bytes);
  assert_null(retire_open(name, why, sizeof why));
  assert_non_null(strstr(why, "of version 9; this nearbank has version 1"));
  free(all);
}

// No room: the file is what was whole, whatever was written of the rest.
static void no_room(void **unused) {
  uint64_t lengths[400];
  const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  const retire_launch l = {.number = 1, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  (void)unused;
  signal(SIGXFSZ, SIG_IGN);
  const size_t n = write_file(1, lengths);
  for (unsigned k = 0; k < 3; k++) {
    const struct rlimit less = {(k ? lengths[k - 1] : 0) + 5, RLIM_INFINITY};
    retire_writer w;
    setrlimit(RLIMIT_FSIZE, &less);
    bool ok = retire_create(&w, name, CORES);
    assert_true(ok == (k > 0));
    ok = ok && retire_put_kernel(&w, &kernels[0]);
    assert_true(ok == (k > 1));
    ok = ok && retire_put_launch(&w, &l);
    assert_false(ok);
    assert_int_equal(errno, EFBIG);
    retire_writer_free(&w);
    setrlimit(RLIMIT_FSIZE, &all);
    // what there is has not got the name
    char part[sizeof name + 8];
    snprintf(part, sizeof part, "%s.part", name);
    size_t bytes;
    free(load(&bytes));
    assert_int_equal(bytes, lengths[n - 1]);
    assert_int_equal(rename(part, name), 0);
    free(load(&bytes));
    assert_int_equal(bytes, k ? lengths[k - 1] : 0);
    write_file(1, lengths);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(read_back),    cmocka_unit_test(size_of_entries),
      cmocka_unit_test(cut_anywhere), cmocka_unit_test(changed_anywhere),
      cmocka_unit_test(forged),       cmocka_unit_test(other_files),
      cmocka_unit_test(no_room),
  };
  make_kernels();
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
