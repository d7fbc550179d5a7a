// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include "assign.h"

bool assign_literal(const column_sets *sets, const uint32_t *order, const assign_rule *rule,
                    uint32_t *bin) {
  bool *has = calloc((size_t)rule->bins * sets->cols, sizeof *has);  // bin by bin
  uint64_t *weight = calloc(rule->bins, sizeof *weight);
  uint32_t *held = calloc(rule->bins, sizeof *held);
  const bool room = has && weight && held;
  for (uint32_t k = 0; room && k < sets->n; k++) {
    const uint32_t s = order ? order[k] : k;
    const uint64_t n = sets->begin[s + 1] - sets->begin[s];
    uint64_t best_overlap = 0;
    double best = 0;
    bin[s] = UINT32_MAX;
    for (uint32_t b = 0; n && b < rule->bins; b++) {
      uint64_t overlap = 0;
      if (rule->places && held[b] == rule->places)
        continue;
      for (uint64_t i = sets->begin[s]; i < sets->begin[s + 1]; i++)
        overlap += has[(size_t)b * sets->cols + sets->col[i]];
      const double score = assign_score(rule, sets, s, weight[b], overlap);
      if (bin[s] == UINT32_MAX || score > best)
        bin[s] = b, best = score, best_overlap = overlap;
    }
    if (!n)
      continue;
    weight[bin[s]] += assign_adds(rule, sets, s, best_overlap);
    held[bin[s]]++;
    for (uint64_t i = sets->begin[s]; i < sets->begin[s + 1]; i++)
      has[(size_t)bin[s] * sets->cols + sets->col[i]] = true;
  }
  free(has), free(weight), free(held);
  return room;
}
