// SPDX-License-Identifier: Apache-2.0
// The studies that are shipped: harness/study/studies/NAME.yaml.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "harness/cuda/driver/compile.h"
#include "study_priv.h"

enum { PATH = 4096, NAMES = 256 };

const char *study_folder(void) {
  static char folder[PATH];
  if (!*folder)
    snprintf(folder, sizeof folder, "%s/harness/study/studies", compile_root());
  return folder;
}

static int shipped(const struct dirent *e) {
  const size_t n = strlen(e->d_name);
  return n > 5 && n < 64 && strcmp(e->d_name + n - 5, ".yaml") == 0;
}

// Names, without their ending, in the order of the alphabet. -1: errno says why not.
static int names(char to[NAMES][64]) {
  struct dirent **all;
  const int n = scandir(study_folder(), &all, shipped, alphasort);
  for (int k = 0; k < n; k++) {
    if (k < NAMES)
      snprintf(to[k], 64, "%.*s", (int)strlen(all[k]->d_name) - 5, all[k]->d_name);
    free(all[k]);
  }
  if (n >= 0)
    free(all);
  return n < NAMES ? n : NAMES;
}

void study_unknown(const char *name, char *why, size_t bytes) {
  static char all[NAMES][64];
  const int n = names(all);
  int used = snprintf(why, bytes,
                      "unknown study '%.60s'; a file has a slash in its name, or ends "
                      "with .yaml; studies:",
                      name);
  for (int k = 0; k < n && used > 0 && (size_t)used < bytes; k++)
    used += snprintf(why + used, bytes - (size_t)used, "%s %s", k ? "," : "", all[k]);
}

bool study_list(void (*take)(void *ctx, const char *name, const char *title), void *ctx, char *why,
                size_t bytes) {
  static char all[NAMES][64];
  const int n = names(all);
  if (n < 0) {
    snprintf(why, bytes, "cannot read '%s': %s", study_folder(), strerror(errno));
    return false;
  }
  for (int k = 0; k < n; k++) {
    char file[PATH + 128];
    snprintf(file, sizeof file, "%.4000s/%.64s.yaml", study_folder(), all[k]);
    tree_file *f = tree_read(file, why, bytes);
    if (!f)
      return false;
    take(ctx, all[k], tree_text(tree_in(tree_top(f), "title"), all[k]));
    tree_free(f);
  }
  return true;
}
