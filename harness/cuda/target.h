// SPDX-License-Identifier: Apache-2.0
// Device memory, programs and launches of the runtime: on the machine in this process, called
// directly, or on a card behind its driver (settings.device). The card is on that machine, or
// elsewhere: in another process, or outside of the guest in which this one runs. Whatever changes
// the device goes through these calls; checkpoints and observers read the machine itself. Errors
// are a machine's. While a launch is running, only target_wait, target_find and target_seconds may
// be called.
#ifndef NEARBANK_TARGET_H
#define NEARBANK_TARGET_H

#include "rt.h"

bool target_is_card(void);  // on a machine of this process
// Contexts have no machine.
bool target_is_elsewhere(void);
// Makes the cards of the settings and their platform around the machines of all contexts, or
// connects to a card. Wrong settings end the program with status 2.
void target_open(void);
void target_close(void);

// ns of the platform: now, and when the latest launch of a card began.
uint64_t target_ns(void);
uint64_t target_launch_ns(const rt_context *c);

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
uint32_t target_cores(const rt_context *c);
uint64_t target_sum(rt_context *c, uint64_t address, uint64_t bytes);  // machine_sum

// Loads the object from which p->mod was made. A machine that is called directly takes p->mod over.
machine_error target_add(rt_context *c, rt_program *p, const void *image, size_t bytes);
// After a sticky error: turns a card's context off and on, and loads the programs again.
void target_reset(rt_context *c);
uint64_t target_symbol(const rt_context *c, const rt_program *p, const module_symbol *s);

// *begun: a card executes it until target_wait, which returns its error; else it is over.
machine_error target_launch(rt_context *c, const rt_running *r, bool *begun);
machine_error target_wait(rt_context *c);
// For events: simulated time of a card's platform, else the host's; and when the launch of the last
// target_wait ended.
double target_seconds(const rt_context *c);
double target_ended(const rt_context *c);

// For statistics and report: commands and bytes between program and card; of a card elsewhere the
// cycles of its launches; without a card what copies take on the link of the configuration.
void target_json(const rt_context *c, json_writer *j);
void target_report(const rt_context *c, FILE *f);

#endif
