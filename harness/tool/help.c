// SPDX-License-Identifier: Apache-2.0
// What the table of commands says, as text: --help, the man page, completion.
#include <stdlib.h>
#include <string.h>
#include "args.h"
#include "tool.h"

enum { WIDTH = 98, COLUMN = 25, NAME = 128 };

// ---- --help

// A text in lines of at most WIDTH, the first one from column `at` on, the others indented by
// `indent`.
static void fill(const char *text, int at, int indent, FILE *to) {
  for (char before = 0; *text;) {
    const int n = (int)strcspn(text, " \n");
    if (before == '\n' || (before == ' ' && at + 1 + n > WIDTH))
      at = fprintf(to, "\n%*s", indent, "") - 1;
    else if (before == ' ')
      at += fprintf(to, " ");
    at += fprintf(to, "%.*s", n, text);
    before = text[n];
    text += n + (before != 0);
  }
  fputc('\n', to);
}

// "--near=MODE", "-q, --quiet", "-O LEVEL" as they are written.
static void option_text(const option_info *o, char *to, size_t bytes) {
  snprintf(to, bytes, "%s%s%s", o->name, o->value && o->kind != OPTION_JOINED ? " " : "",
           o->value ? o->value : "");
}

void help_print(const command_info *c, FILE *to) {
  fprintf(to, "usage: %s\n\n", c->usage);
  fill(c->about, 0, 0, to);
  for (size_t g = 0; g < ARGS_GROUPS && c->groups[g]; g++) {
    const option_info *o = c->groups[g];
    if (o->name)
      fputc('\n', to);
    for (; o->name || o->doc; o++) {
      char text[NAME];
      if (!o->name) {
        fprintf(to, "\n%s\n", o->doc);
        continue;
      }
      option_text(o, text, sizeof text);
      const int n = fprintf(to, "  %s ", text);
      fprintf(to, "%*s", n < COLUMN ? COLUMN - n : 1, "");
      fill(o->doc, n < COLUMN ? COLUMN : n + 1, COLUMN, to);
    }
  }
  if (c->ending) {
    fputc('\n', to);
    fill(c->ending, 0, 0, to);
  }
}

// ---- the man page

// Of roff: a point or quote at the beginning of a line, backslashes and dashes.
static void roff(const char *text, FILE *to) {
  bool begins = true;
  for (; *text; text++) {
    if (begins && (*text == '.' || *text == '\''))
      fputs("\\&", to);
    if (*text == '\\')
      fputs("\\e", to);
    else if (*text == '-')
      fputs("\\-", to);
    else if (*text == '\n')
      fputs("\n.br\n", to);
    else
      fputc(*text, to);
    begins = *text == '\n';
  }
  fputc('\n', to);
}

static void man_command(const command_info *c, FILE *to) {
  fprintf(to, ".SH mpu %s\n", c->name);
  roff(c->usage, to);
  fputs(".PP\n", to);
  roff(c->about, to);
  for (size_t g = 0; g < ARGS_GROUPS && c->groups[g]; g++)
    for (const option_info *o = c->groups[g]; o->name || o->doc; o++) {
      char text[NAME];
      fputs(o->name ? ".TP\n" : ".PP\n", to);
      if (o->name) {
        option_text(o, text, sizeof text);
        fputs(".B ", to);
        roff(text, to);
      }
      roff(o->doc, to);
    }
  if (c->ending) {
    fputs(".PP\n", to);
    roff(c->ending, to);
  }
}

void man_print(FILE *to) {
  fputs(
      ".TH MPU 1 \"\" nearbank \"nearbank\"\n.SH NAME\nmpu \\- CUDA programs on the MPU, the SIMT "
      "processor next to the DRAM banks\n.SH SYNOPSIS\n.B mpu\nCOMMAND [options]\n.SH COMMANDS\n",
      to);
  for (const command_info *c = commands; c->name; c++) {
    fprintf(to, ".TP\n.B %s\n", c->name);
    roff(c->what, to);
  }
  for (const command_info *c = commands; c->name; c++)
    man_command(c, to);
  fputs(".SH SEE ALSO\nThe pages in docs/, and README.md.\n", to);
}

// ---- completion

static void spellings(const option_info *o, FILE *to) {
  for (const char *at = o->name; *(at += strspn(at, ", "));) {
    const int n = (int)strcspn(at, ",");
    fprintf(to, " %.*s", n, at);
    at += n;
  }
}

// Words that may follow an option; without any, files do.
static void values(const command_info *c, FILE *to) {
  for (size_t g = 0; g < ARGS_GROUPS && c->groups[g]; g++)
    for (const option_info *o = c->groups[g]; o->name || o->doc; o++)
      if (o->name && o->kind == OPTION_WORD) {
        const char *last = strrchr(o->name, ' ');
        fprintf(to, "    %s:%s) words='%s' ;;\n", c->name, last ? last + 1 : o->name, o->words);
      }
}

void completion_print(FILE *to) {
  fputs(
      "# bash completion of mpu; made by: mpu completion bash\n"
      "_mpu() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
      "command=${COMP_WORDS[1]}\n"
      "  local options='' words=''\n"
      "  [[ $prev != = ]] || prev=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  [[ $cur != = ]] || cur=''\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '",
      to);
  for (const command_info *c = commands; c->name; c++)
    fprintf(to, "%s ", c->name);
  fputs("help' -- \"$cur\"))\n    return\n  fi\n  case $command in\n", to);
  for (const command_info *c = commands; c->name; c++) {
    fprintf(to, "    %s) options='", c->name);
    for (size_t g = 0; g < ARGS_GROUPS && c->groups[g]; g++)
      for (const option_info *o = c->groups[g]; o->name || o->doc; o++)
        if (o->name)
          spellings(o, to);
    fputs("' ;;\n", to);
  }
  fputs("  esac\n  case $command:$prev in\n", to);
  for (const command_info *c = commands; c->name; c++)
    values(c, to);
  fputs("    config:*) words='", to);
  for (const config_preset *p = config_presets; p->name; p++)
    fprintf(to, "%s ", p->name);
  fputs("' ;;\n    *:--config) words='", to);
  for (const config_preset *p = config_presets; p->name; p++)
    fprintf(to, "%s ", p->name);
  fputs("' ;;\n    *:--set) words='", to);
  for (size_t n = 0; n < CONFIG_FIELDS; n++)
    if (!config_fields[n].fixed_by)
      fprintf(to, "%s.%s= ", config_fields[n].section, config_fields[n].key);
  fputs(
      "'; compopt -o nospace ;;\n"
      "    completion:*) words='bash' ;;\n"
      "  esac\n"
      "  if [[ $cur == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _mpu mpu ./mpu\n",
      to);
}
