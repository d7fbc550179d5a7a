// SPDX-License-Identifier: Apache-2.0
#include "wave_event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "csim/isa/model.h"

const char wave_event_forms[] =
    "difference, cycle:N, pc:0x150, line:12, line:FILE.cu:12, bank:COMMAND[,NBU[,BANK]] (ACT, PRE, "
    "SASEL, RD, WR, REF, PREA), barrier[:BLOCK[.WARP]]";

static const char *const commands[DRAM_CMDS] = {"",   "ACT", "PRE", "SASEL",
                                                "RD", "WR",  "REF", "PREA"};

// A number up to `most`, and what is behind it.
static bool number(const char **text, int base, uint64_t most, uint64_t *to) {
  char *end;
  errno = 0;
  if (!strchr("0123456789", **text) || !**text)
    return false;
  *to = strtoull(*text, &end, base);
  *text = end;
  return !errno && *to <= most;
}

static bool parse_bank(const char *text, wave_event *e) {
  const size_t n = strcspn(text, ",");
  uint64_t value;
  for (e->cmd = 1; e->cmd < DRAM_CMDS; e->cmd++)
    if (strlen(commands[e->cmd]) == n && strncasecmp(text, commands[e->cmd], n) == 0)
      break;
  text += n;
  if (e->cmd == DRAM_CMDS)
    return false;
  if (*text == ',') {
    text++;
    if (!number(&text, 10, NEAR_NBUS - 1, &value))
      return false;
    e->nbu = (int64_t)value;
  }
  if (*text == ',') {
    text++;
    if (!number(&text, 10, DRAM_BANKS - 1, &value))
      return false;
    e->bank = (int64_t)value;
  }
  return !*text;
}

static bool parse_barrier(const char *text, wave_event *e) {
  uint64_t value;
  if (!*text)
    return true;
  text++;
  if (!number(&text, 10, UINT32_MAX, &value))
    return false;
  e->block = (int64_t)value;
  if (*text == '.') {
    text++;
    if (!number(&text, 10, 31, &value))
      return false;
    e->warp = (int64_t)value;
  }
  return !*text;
}

static bool parse_line(const char *text, wave_event *e) {
  const char *colon = strrchr(text, ':');
  uint64_t value;
  if (colon) {
    if ((size_t)(colon - text) >= sizeof e->file)
      return false;
    snprintf(e->file, sizeof e->file, "%.*s", (int)(colon - text), text);
    text = colon + 1;
  }
  if (!number(&text, 10, UINT32_MAX, &value) || *text)
    return false;
  e->line = (uint32_t)value;
  return true;
}

bool wave_event_parse(const char *text, wave_event *e) {
  uint64_t value = 0;
  *e = (wave_event){.nbu = -1, .bank = -1, .block = -1, .warp = -1};
  if (!strcmp(text, "difference"))
    return true;
  if (!strncmp(text, "cycle:", 6)) {
    e->kind = WAVE_EVENT_CYCLE, text += 6;
    return number(&text, 10, UINT64_MAX, &e->cycle) && !*text;
  }
  if (!strncmp(text, "pc:", 3)) {
    e->kind = WAVE_EVENT_PC, text += 3;
    const bool ok = number(&text, 0, UINT32_MAX, &value) && !*text;
    e->pc = (uint32_t)value;
    return ok;
  }
  if (!strncmp(text, "line:", 5)) {
    e->kind = WAVE_EVENT_LINE;
    return parse_line(text + 5, e);
  }
  if (!strncmp(text, "bank:", 5)) {
    e->kind = WAVE_EVENT_BANK;
    return parse_bank(text + 5, e);
  }
  e->kind = WAVE_EVENT_BARRIER;
  return !strncmp(text, "barrier", 7) && strchr(":", text[7]) && parse_barrier(text + 7, e);
}

// ---- does it happen?

static bool is_line(const wave_event *e, const module_kernel *k, uint32_t pc) {
  const module_line *line = module_line_at(k, pc);
  if (!line || line->cuda_line != e->line)
    return false;
  const size_t n = strlen(line->cuda_file), m = strlen(e->file);
  return !m || (n >= m && !strcmp(line->cuda_file + n - m, e->file) &&
                (n == m || line->cuda_file[n - m - 1] == '/'));
}

static bool is_issue(const wave_event *e, const core *c, const core_event *x) {
  const launch *l = core_launch(c);
  switch (e->kind) {
    case WAVE_EVENT_PC:
      return x->pc == e->pc;
    case WAVE_EVENT_LINE:
      return is_line(e, l->kernel, x->pc);
    case WAVE_EVENT_BARRIER:
      return x->pc / ISA_BYTES < l->kernel->inst_count &&
             l->code.insts[x->pc / ISA_BYTES].i.op == ISA_OP_BAR &&
             (e->block < 0 || e->block == x->block) && (e->warp < 0 || e->warp == x->warp);
    default:
      return false;
  }
}

// The NBU that gets it, -1: none.
static int find_command(const wave_event *e, const core *c) {
  for (uint32_t k = 0; k < NEAR_NBUS; k++) {
    const nbu_out *o = near_pins(core_near(c), k);
    if (o->cmd == e->cmd && (e->nbu < 0 || e->nbu == k) && (e->bank < 0 || e->bank == o->cmd_bank))
      return (int)k;
  }
  return -1;
}

int wave_event_here(const wave_event *e, const core *c, const core_event *events, uint32_t count) {
  if (e->kind == WAVE_EVENT_CYCLE)
    return core_cycle(c) >= e->cycle ? 0 : -1;
  if (e->kind == WAVE_EVENT_BANK)
    return find_command(e, c);
  for (uint32_t n = 0; n < count; n++)
    if (events[n].kind == EVENT_ISSUE && is_issue(e, c, &events[n]))
      return (int)(events[n].warp % NEAR_NBUS);
  return -1;
}
