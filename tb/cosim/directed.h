// SPDX-License-Identifier: Apache-2.0
// The end of a file of directed cases: TESTS(T) is T(case) for each of them, each(case) runs one,
// with Verilog and with the twin.
#define TEST(name)                        \
  static void test_##name(void **state) { \
    (void)state;                          \
    each(name);                           \
  }
TESTS(TEST)
#undef TEST

int main(void) {
#define TEST(name) cmocka_unit_test(test_##name),
  const struct CMUnitTest tests[] = {TESTS(TEST)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
