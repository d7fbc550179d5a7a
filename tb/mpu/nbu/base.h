// SPDX-License-Identifier: Apache-2.0
// What stands around an NBU in its tests: a base die that sends packets and checks the answers, the
// DRAM arrays behind the bank controller, and a shared memory.
//
// The base die keeps a model of registers and memories. A packet takes effect in the model when it
// is sent: the unit must do what execution one after the other does. It never waits for a packet
// before it sends the next one, whatever they share. Every answer is compared with the model, and
// so are the records: a packet begins once, then completes once, in the block that it is for.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "csim/dram/channel.h"
#include "csim/dram/dram.h"
#include "csim/mpu/nbu.h"

enum { BASE_REGS = 128, BASE_TAGS = 256 };

// What is random; each field is a weight or a chance in 256.
typedef struct base_mix {
  uint16_t exec, line, sect, global_atom, shm, rd, wr, reg;  // weights of packets
  uint8_t silence;   // chance that a cycle begins a pause in sending
  uint8_t up_stall;  // chance that the bus takes less than is offered
  uint8_t dn_stall;  // chance that a flit must wait
  uint8_t regs;      // registers in use, from 0: a power of two, at least 8
  uint8_t rows;      // rows of each bank in use
  uint8_t part;      // quarter of a shared memory that others use too, from 1; 0: all of its own
  uint8_t sync;      // chance that a packet is a SYNC
} base_mix;

typedef struct base base;

base *base_create(uint64_t seed, const base_mix *mix, uint32_t open_rows, bool closed);
// Other times than the default ones, right after base_create. False: no memory.
bool base_times(base *b, const dram_timing *timing);
// The unit has other sizes than the default ones; before its first cycle.
void base_sizes(base *b, const structure *sizes);
void base_destroy(base *b);

// Sets the inputs of the NBU for the next edge, from its outputs after the last one.
void base_drive(base *b, const nbu_out *out, nbu_in *in);

// The same in parts, for units that share a bus and a shared memory. In a cycle: the pins of the
// DRAM; how many of the flits on offer are taken; each flit as it arrives; room for more of them
// that the base die reports; up to `max` flits down, after `credit` more may come.
void base_arrays(base *b, const nbu_out *out, nbu_in *in);
uint32_t base_take(base *b, uint32_t offered);
void base_up(base *b, const uint32_t *flit);
uint32_t base_up_credit(base *b);
uint32_t base_down(base *b, uint32_t credit, uint32_t max, uint32_t *flits);

// No packets but those of base_send from now on.
void base_quiet(base *b);

// Queues a packet: head without TAG, body flits as in docs/tsv.md. False while too many wait for an
// answer, or the queue is full; try again after the next cycle.
bool base_send(base *b, uint64_t head, const uint64_t *body);

// Nothing queued, nothing unanswered. Most packets are not answered: send a SYNC to know their end.
bool base_done(const base *b);
// By the records: all packets are complete. (A unit with a part of shared memory shows none.)
bool base_complete(const base *b);

// The first thing that was wrong, or NULL.
const char *base_error(const base *b);

// The model.
uint32_t *base_reg(base *b, unsigned reg);       // 32 lanes
uint8_t *base_sector(base *b, uint32_t sector);  // 32 bytes; of the rows in use
uint64_t base_cycle(const base *b);
uint64_t base_packets(const base *b, bool up, unsigned kind);
dram *base_dram(base *b);
