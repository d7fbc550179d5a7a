// SPDX-License-Identifier: Apache-2.0
// What nodes counted, by what their kind declares (node.h).
#ifndef NEARBANK_COUNTERS_H
#define NEARBANK_COUNTERS_H

#include "harness/base/json.h"
#include "node.h"

// Words that a node of the kind counts in.
uint32_t counters_words(const node_kind *k);
// All of them as members of an open object; a group is an object in it, or a list of objects.
void counters_json(const node_kind *k, const uint64_t *words, json_writer *j);

// Each counter, in the order of the words of the file that counters_json makes. `path` names it
// from the node on, "nbus.banks.rd"; those of a list have the same path, and are instance 0, 1 and
// so on of it. False ends the walk.
enum { COUNTERS_PATH = 128 };
typedef bool counters_visit(void *ctx, const char *path, const node_counter *c, uint32_t instance,
                            uint32_t word);
void counters_each(const node_kind *k, counters_visit *visit, void *ctx);

// The sum of all instances of a path of so many characters. False: there is no such path.
bool counters_sum(const node_kind *k, const uint64_t *words, const char *path, size_t length,
                  uint64_t *sum);

// The word of a path, whose lists are at these elements.
typedef enum counters_place { COUNTERS_NONE, COUNTERS_BEYOND, COUNTERS_THERE } counters_place;
counters_place counters_word(const node_kind *k, const char *path, const uint32_t *at,
                             uint32_t lists, uint32_t *word);

#endif
