// SPDX-License-Identifier: Apache-2.0
// Where memory, programs and launches are: the machine in this process, called directly, or a card
// behind its driver (settings.device). The runtime comes to either through these calls only; errors
// are a machine's.
#ifndef NEARBANK_TARGET_H
#define NEARBANK_TARGET_H

#include "rt.h"

// The card of the settings, with its platform; the machine is c->m and c->timed, both are there
// already. What is wrong ends the program with status 2.
void target_open(rt_context *c);
void target_close(rt_context *c);

// About the last error, one paragraph.
const char *target_message(const rt_context *c);

machine_error target_malloc(rt_context *c, uint64_t bytes, uint64_t *address);
machine_error target_release(rt_context *c, uint64_t address);
machine_error target_write(rt_context *c, uint64_t to, const void *from, uint64_t bytes);
machine_error target_read(rt_context *c, void *to, uint64_t from, uint64_t bytes);
machine_error target_copy(rt_context *c, uint64_t to, uint64_t from, uint64_t bytes);
machine_error target_fill(rt_context *c, uint64_t to, uint8_t byte, uint64_t bytes);
// The allocation around an address, or the variable; false: neither.
bool target_find(const rt_context *c, uint64_t address, uint64_t *base, uint64_t *bytes);
void target_info(const rt_context *c, uint64_t *free_bytes, uint64_t *total);

// Loads the object of p->mod, of these bytes; on a machine in this process p->mod becomes its.
machine_error target_add(rt_context *c, rt_program *p, const void *image, size_t bytes);
// After an error that a context does not survive, programs are loaded again; memory is gone.
void target_reset(rt_context *c);
uint64_t target_symbol(const rt_context *c, const rt_program *p, const module_symbol *s);

machine_error target_launch(rt_context *c, rt_program *p, const module_kernel *k,
                            const launch_shape *shape, const uint8_t *params);

// What passed between program and card, for statistics and report; nothing without one.
void target_json(const rt_context *c, json_writer *j);
void target_report(const rt_context *c, FILE *f);

#endif
