// SPDX-License-Identifier: Apache-2.0
// The table of "V100 at best": its arithmetic, names and arguments that find a row, and measured
// times that take the place of rows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/base/user_error.h"
#include "harness/study/gpu/gpu.h"
#include "tb/file_fixture.h"

#define COLUMNS "program,arguments,ns,card\n"
#define FROZEN_COLUMNS "set,program,arguments,read_bytes,write_bytes,warp_instructions,ns,bound\n"
#define COUNT(a) (sizeof(a) / sizeof *(a))

static void put(const char *file, const char *text, size_t bytes) {
  FILE *f = fopen(file, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, bytes, f), bytes);
  assert_int_equal(fclose(f), 0);
}

static gpu_table *open_ok(const char *measured) {
  gpu_table *t;
  if (measured)
    put(name, measured, strlen(measured));
  assert_int_equal(gpu_open(measured ? name : NULL, &t), EXIT_OK);
  assert_non_null(t);
  return t;
}

// The status, and what it says on stderr, behind "mpu: ".
static int open_said(const char *file, char *said, size_t bytes) {
  gpu_table *t = (gpu_table *)said;  // anything but NULL
  FILE *to = tmpfile();
  const int kept = dup(STDERR_FILENO);
  assert_true(to && kept >= 0);
  dup2(fileno(to), STDERR_FILENO);
  const int status = gpu_open(file, &t);
  dup2(kept, STDERR_FILENO);
  close(kept);
  rewind(to);
  const size_t n = fread(said, 1, bytes - 1, to);
  said[n] = 0;
  fclose(to);
  assert_null(t);
  return status;
}

// ---- the frozen table

static void arithmetic(void **state) {
  (void)state;
  gpu_table *t = open_ok(NULL);
  const gpu_row *row;
  size_t n = 0, issue = 0;
  for (; (row = gpu_at(t, n)); n++) {
    gpu_bound bound;
    const double ns =
        gpu_at_best(row->read_bytes + row->write_bytes, row->warp_instructions, &bound);
    if (ns - row->ns > 0.051 || row->ns - ns > 0.051 || bound != row->bound)
      fail_msg("%s %s: %.3f ns by its counts (%s), the table has %.3f", row->program,
               row->arguments, ns, gpu_bound_names[bound], row->ns);
    assert_string_equal(row->source, GPU_AT_BEST);
    issue += bound == GPU_ISSUE;
  }
  assert_int_equal(n, 2 * 12 * 2);
  assert_in_range(issue, 1, n - 1);
  gpu_close(t);
}

// What the bounds are made of, by hand.
static void bounds(void **state) {
  (void)state;
  gpu_bound bound;
  assert_true(gpu_at_best(1600, 0, &bound) == 2 && bound == GPU_MEMORY);
  assert_true(gpu_at_best(1600, 441, &bound) == 2 && bound == GPU_MEMORY);
  assert_true(gpu_at_best(1600, 2 * 441, &bound) == 2 && bound == GPU_MEMORY);
  assert_true(gpu_at_best(1600, 3 * 441, &bound) == 3 && bound == GPU_ISSUE);
  // 3 x 64 MB and 2 x 64 MB at 0.8 TB/s
  gpu_table *t = open_ok(NULL);
  assert_true((int)gpu_find(t, "kernels/tiled/axpy", "--paper")->ns == 251658);
  assert_true((int)gpu_find(t, "kernels/plain/ttrans", "--paper")->ns == 167772);
  gpu_close(t);
}

static void all_programs(void **state) {
  (void)state;
  static const char *const names[] = {"axpy", "blur", "conv", "gemv", "hist",   "kmeans",
                                      "knn",  "maxp", "nw",   "pr",   "ttrans", "upsamp"};
  static const char *const sets[] = {"plain", "tiled"}, *const sizes[] = {"", "--paper"};
  gpu_table *t = open_ok(NULL);
  for (size_t n = 0; n < 4 * COUNT(names); n++) {
    char program[100];
    snprintf(program, sizeof program, "kernels/%s/%s", sets[n & 1], names[n / 4]);
    const gpu_row *row = gpu_find(t, program, sizes[n >> 1 & 1]);
    assert_non_null(row);
    assert_string_equal(row->program, program);
    assert_string_equal(row->arguments, sizes[n >> 1 & 1]);
  }
  gpu_close(t);
}

static void spellings(void **state) {
  (void)state;
  gpu_table *t = open_ok(NULL);
  const gpu_row *paper = gpu_find(t, "kernels/tiled/nw", "--paper"),
                *slice = gpu_find(t, "kernels/tiled/nw", "");
  assert_true(paper && slice && paper != slice);
  char full[4200];
  snprintf(full, sizeof full, "%s/kernels/tiled/nw", getenv("MPU_ROOT") ?: NEARBANK_ROOT);
  const char *const same[] = {"./kernels/tiled/nw",       "kernels/tiled/nw/",
                              ".//kernels/tiled/nw//",    "kernels/tiled/nw/nw.cu",
                              "./kernels/tiled/nw/nw.cu", full};
  for (size_t n = 0; n < COUNT(same); n++)
    assert_ptr_equal(gpu_find(t, same[n], "--paper"), paper);
  assert_ptr_equal(gpu_find(t, "kernels/tiled/nw", "  --paper\t"), paper);
  assert_ptr_equal(gpu_find(t, "kernels/tiled/nw", "--slice"), slice);
  assert_ptr_equal(gpu_find(t, "kernels/tiled/nw", " "), slice);
  // what is missing is in plain/
  const gpu_row *plain = gpu_find(t, "kernels/plain/nw", "--paper");
  assert_true(plain && plain != paper);
  assert_ptr_equal(gpu_find(t, "kernels/nw", "--paper"), plain);
  assert_ptr_equal(gpu_find(t, "./kernels/nw/nw.cu", "--paper"), plain);
  // others
  static const char *const not [][2] = {{"kernels/tiled/nw", "--paper --n 3"},
                                        {"kernels/tiled/nw", "--n 3"},
                                        {"kernels/plain/nw", "--slice"},
                                        {"kernels/tiled/nw/axpy.cu", ""},
                                        {"kernels/tiled/nw/nw.cub", ""},
                                        {"kernels/nx", ""},
                                        {"kernels/", ""},
                                        {"kernel/nw", ""},
                                        {"tiled/nw", ""},
                                        {"nw", ""},
                                        {"nw.cu", ""},
                                        {"", ""},
                                        {"/", ""}};
  for (size_t n = 0; n < COUNT(not ); n++)
    assert_null(gpu_find(t, not [n][0], not [n][1]));
  gpu_close(t);
}

// ---- measured times

static void measured_times(void **state) {
  (void)state;
  gpu_table *t = open_ok(NULL);
  size_t rows = 0;
  while (gpu_at(t, rows))
    rows++;
  const double blur = gpu_find(t, "kernels/tiled/blur", "--paper")->ns;
  gpu_close(t);
  t = open_ok("# of a card\n" COLUMNS
              "kernels/tiled/axpy,--paper,301234.5,Tesla V100-SXM2-32GB\r\n"
              "\n"
              "./kernels/tiled/kmeans/kmeans.cu,--slice,3e3,another\n"
              "my own.cu,\"--list 1,2  --name \"\"x\"\"\",7,\"card, a\"\n"
              "kernels/first,,9,card\n"
              "kernels/gemv,,10,card\n"
              "my own.cu,,8,card");
  assert_true(gpu_find(t, "kernels/plain/gemv", "")->ns == 10);
  assert_true(gpu_find(t, "kernels/first/first.cu", "")->ns == 9);
  const gpu_row *row = gpu_find(t, "kernels/tiled/axpy", "--paper");
  assert_true(row->ns == 301234.5 && row->bound == GPU_MEASURED);
  assert_int_equal(row->warp_instructions, 5797888);
  char source[4200];
  snprintf(source, sizeof source, "Tesla V100-SXM2-32GB (%s)", name);
  assert_string_equal(row->source, source);
  row = gpu_find(t, "kernels/tiled/kmeans", "");
  assert_true(row->ns == 3000 && row->bound == GPU_MEASURED);
  row = gpu_find(t, "my own.cu", "--list 1,2 --name \"x\"");
  assert_true(row && row->ns == 7 && row->read_bytes == 0);
  assert_memory_equal(row->source, "card, a (", 9);
  assert_true(gpu_find(t, "my own.cu", "")->ns == 8);
  // what was not measured stays
  row = gpu_find(t, "kernels/tiled/blur", "--paper");
  assert_true(row->ns == blur && row->bound == GPU_MEMORY);
  assert_string_equal(row->source, GPU_AT_BEST);
  size_t now = 0;
  while (gpu_at(t, now))
    now++;
  assert_int_equal(now, rows + 3);
  gpu_close(t);
  t = open_ok(COLUMNS);  // nothing was measured
  assert_string_equal(gpu_find(t, "kernels/tiled/axpy", "--paper")->source, GPU_AT_BEST);
  gpu_close(t);
}

typedef struct bad {
  const char *text, *says;  // behind the name of the file
} bad;

static void check_bad(const char *file, const bad *all, size_t count) {
  for (size_t n = 0; n < count; n++) {
    char said[6000], expected[6000];
    put(file, all[n].text, strlen(all[n].text));
    const int status = open_said(file == name ? file : NULL, said, sizeof said);
    snprintf(expected, sizeof expected, "mpu: %s%s\n", file, all[n].says);
    if (status != EXIT_USAGE || strcmp(said, expected) != 0)
      fail_msg("status %d and\n%snot 2 and\n%s", status, said, expected);
  }
}

static void wrong_files(void **state) {
  (void)state;
  static const bad all[] = {
      {"", ": the line of columns is missing: program,arguments,ns,card"},
      {"# nothing\n", ": the line of columns is missing: program,arguments,ns,card"},
      {"program,ns\n",
       ":1: the columns are 'program,ns'; they have to be program,arguments,ns,card"},
      {"\n#\nkernels/tiled/nw,,3,c\n",
       ":3: the columns are 'kernels/tiled/nw,,3,c'; they have to be program,arguments,ns,card"},
      {COLUMNS "a,,3\n", ":2: 3 columns; a line has 4: program,arguments,ns,card"},
      {COLUMNS "a,,3,c\na,-x,3,c,d\n", ":3: 5 columns; a line has 4: program,arguments,ns,card"},
      {COLUMNS "a,,3,c,,,,,,,,,,,\n", ":2: 15 columns; a line has 4: program,arguments,ns,card"},
      {COLUMNS "a,\"--x,3,c\n", ":2: a quotation mark is missing"},
      {COLUMNS "a,,-3,c\n", ":2: '-3' is not a time in ns above 0"},
      {COLUMNS "a,,0,c\n", ":2: '0' is not a time in ns above 0"},
      {COLUMNS "a,,1e999,c\n", ":2: '1e999' is not a time in ns above 0"},
      {COLUMNS "a,,nan,c\n", ":2: 'nan' is not a time in ns above 0"},
      {COLUMNS "a,,0x10,c\n", ":2: '0x10' is not a time in ns above 0"},
      {COLUMNS "a,,12us,c\n", ":2: '12us' is not a time in ns above 0"},
      {COLUMNS "a,, 3,c\n", ":2: ' 3' is not a time in ns above 0"},
      {COLUMNS "a,,,c\n", ":2: '' is not a time in ns above 0"},
      {COLUMNS ",,3,c\n", ":2: the program is missing"},
      {COLUMNS "a,,3,\n", ":2: the card is missing"},
      {COLUMNS "b,,1,c\n#\nb,--x,2,c\nb,,3,c\n", ":5: 'b' with arguments '' is in line 2 already"},
      {COLUMNS "kernels/tiled/nw,--slice,1,c\n./kernels/tiled/nw/,,1,c\n",
       ":3: 'kernels/tiled/nw' with arguments '' is in line 2 already"},
      {COLUMNS "kernels/plain/nw,,1,c\nkernels/nw,,1,c\n",
       ":3: 'kernels/nw' with arguments '' is in line 2 already"},
      {COLUMNS "kernels/tiled/nw,--paper,1,c\nkernels/tiled/nw,--paper,1,d\n",
       ":3: 'kernels/tiled/nw' with arguments '--paper' is in line 2 already"},
  };
  check_bad(name, all, COUNT(all));
  char said[6000];
  put(name, COLUMNS "a,,1,c\0d\n", sizeof COLUMNS "a,,1,c\0d\n" - 1);
  assert_int_equal(open_said(name, said, sizeof said), EXIT_USAGE);
  assert_non_null(strstr(said, "not a text"));
  assert_int_equal(open_said("/nowhere/gpu.csv", said, sizeof said), EXIT_USAGE);
  assert_non_null(strstr(said, "/nowhere/gpu.csv"));
}

// ---- a table that somebody has damaged

static void wrong_table(void **state) {
  (void)state;
  static const char *const folders[] = {"", "/harness", "/harness/study", "/harness/study/gpu"};
  static const bad all[] = {
      {COLUMNS,
       ":1: the columns are 'program,arguments,ns,card'; they have to be "
       "set,program,arguments,read_bytes,write_bytes,warp_instructions,ns,bound"},
      {FROZEN_COLUMNS "plain,a,,1,2,3,4.5\n",
       ":2: 7 columns; a line has 8: "
       "set,program,arguments,read_bytes,write_bytes,warp_instructions,ns,bound"},
      {FROZEN_COLUMNS "plain,a,,-1,2,3,4.5,memory\n", ":2: '-1' is not a count"},
      {FROZEN_COLUMNS "plain,a,,1,2.5,3,4.5,memory\n", ":2: '2.5' is not a count"},
      {FROZEN_COLUMNS "plain,a,,1,2,99999999999999999999,4.5,memory\n",
       ":2: '99999999999999999999' is not a count"},
      {FROZEN_COLUMNS "plain,a,,1,2,3,-4.5,memory\n", ":2: '-4.5' is not a time in ns above 0"},
      {FROZEN_COLUMNS "plain,a,,1,2,3,4.5,measured\n",
       ":2: 'measured' is not a bound: memory or issue"},
      {FROZEN_COLUMNS "plain,a,,1,2,3,4.5,memory\nplain,a,,1,2,3,4.5,issue\n",
       ":3: 'a' has two lines with these arguments"},
  };
  char root[] = "/tmp/gpu-XXXXXX", at[200], file[200];
  const char *before = getenv("MPU_ROOT");
  char *kept = before ? strdup(before) : NULL;
  assert_non_null(mkdtemp(root));
  for (size_t n = 1; n < COUNT(folders); n++) {
    snprintf(at, sizeof at, "%s%s", root, folders[n]);
    assert_int_equal(mkdir(at, 0700), 0);
  }
  snprintf(file, sizeof file, "%s/harness/study/gpu/v100.csv", root);
  setenv("MPU_ROOT", root, 1);
  check_bad(file, all, COUNT(all));
  char said[6000];
  remove(file);
  assert_int_equal(open_said(NULL, said, sizeof said), EXIT_USAGE);
  assert_non_null(strstr(said, file));
  for (size_t n = COUNT(folders); n-- > 0;) {
    snprintf(at, sizeof at, "%s%s", root, folders[n]);
    rmdir(at);
  }
  if (kept)
    setenv("MPU_ROOT", kept, 1);
  else
    unsetenv("MPU_ROOT");
  free(kept);
}

static void assumptions(void **state) {
  (void)state;
  const char *const *lines = gpu_assumptions();
  size_t n = 0;
  assert_non_null(strstr(lines[0], GPU_AT_BEST));
  for (; lines[n]; n++)
    assert_in_range(strlen(lines[n]), 1, 100);
  assert_in_range(n, 3, 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arithmetic),     cmocka_unit_test(bounds),
      cmocka_unit_test(all_programs),   cmocka_unit_test(spellings),
      cmocka_unit_test(measured_times), cmocka_unit_test(wrong_files),
      cmocka_unit_test(wrong_table),    cmocka_unit_test(assumptions),
  };
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
