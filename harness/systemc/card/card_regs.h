// SPDX-License-Identifier: Apache-2.0
// The programming model of docs/card.md as C: names of card.def, and what lies in memory. For card
// and driver; needs nothing else of this tree.
#ifndef NEARBANK_CARD_REGS_H
#define NEARBANK_CARD_REGS_H

#include <stdint.h>

enum {
  CARD_PAGE = 4096,
  CARD_MAGIC_VALUE = 0x4b4e424e,
  CARD_VERSION_VALUE = 0x00010000,
  CARD_N_CONTEXTS = 16,
  CARD_N_STREAMS = 16,
  CARD_ENTRIES_LEAST = 2,
  CARD_ENTRIES_MOST_VALUE = 1024,
  CARD_REGISTERS = (1 + CARD_N_CONTEXTS) * CARD_PAGE,  // bytes of the register window
  CARD_NAME_MOST = 4096,                               // length of a name
  CARD_LAUNCH_MOST = 33792,                            // size of a launch record with parameters
};

// Offsets in a page: CARD_R_TIME, CONTEXT_R_TAIL. Context k has page 1 + k.
enum {
#define CARD_REG(page, offset, bits, name, access, reset, doc) page##_R_##name = offset,
#include "card.def"
};
// Masks of bits: CARD_CONTROL_RESET. Values: CONTEXT_STATE_ON.
enum {
#define CARD_BIT(reg, bit, name, doc) reg##_##name = 1 << bit,
#include "card.def"
};
enum {
#define CARD_VALUE(reg, number, name, doc) reg##_##name = number,
#include "card.def"
};
typedef enum card_opcode {
#define CARD_COMMAND(number, name, type, engine, doc) CARD_DO_##name = number,
#include "card.def"
} card_opcode;
// Words of a command and of its record: CARD_WRITE_TO, CARD_ALLOC_ADDRESS.
enum {
#define CARD_ARG(command, word, name, doc) CARD_##command##_##name = word,
#include "card.def"
};
enum {
#define CARD_RESULT(command, word, name, doc) CARD_##command##_GIVES_##name = word,
#include "card.def"
};
typedef enum card_status {
#define CARD_STATUS(number, name, ends, doc) CARD_##name = number,
#include "card.def"
} card_status;
enum { CARD_FIRST_FAILURE = 16 };  // statuses from here on fail the context

enum { CARD_FLAG_INTERRUPT = 1 };

typedef struct card_command {
  uint16_t opcode, flags;
  uint32_t stream;
  uint64_t tag;
  uint64_t words[6];
} card_command;

typedef struct card_record {
  uint64_t tag;
  uint32_t status, number;
  uint64_t words[2];
  uint64_t begin, end;  // ps
  uint64_t reserved[2];
} card_record;

typedef struct card_launch {  // the parameters follow
  uint32_t program, kernel;
  uint32_t grid[3], block[3];
  uint32_t shared, parameter_bytes;
} card_launch;

#ifdef __cplusplus
#define CARD_SURE static_assert
#else
#define CARD_SURE _Static_assert
#endif
CARD_SURE(sizeof(card_command) == 64 && sizeof(card_record) == 64 && sizeof(card_launch) == 40,
          "as docs/card.md says");
#undef CARD_SURE

#endif
