// SPDX-License-Identifier: Apache-2.0
// Prints docs/configuration.md.
#include "config.h"

int main(void) {
  config_print_manual(stdout);
  return 0;
}
