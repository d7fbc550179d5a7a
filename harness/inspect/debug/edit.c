// SPDX-License-Identifier: Apache-2.0
#include "edit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { ROOM = 1024, HISTORY = 200, COLUMNS = 80 };
#define CONTROL(c) ((c)&31)

struct edit {
  int in;
  FILE *out;
  edit_complete *complete;
  const char *prompt;
  char line[ROOM];
  size_t n, at;  // bytes, cursor
  bool too_long;
  char *history[HISTORY];  // the newest last
  size_t remembered, shown;
  char kept[ROOM];  // what was typed, while an older line is shown
};

edit *edit_new(int in, FILE *out, edit_complete *complete) {
  struct termios t;
  // without an echo, somebody else edits
  if (tcgetattr(in, &t) || !(t.c_lflag & ECHO))
    return NULL;
  edit *e = calloc(1, sizeof *e);
  if (e)
    e->in = in, e->out = out, e->complete = complete;
  return e;
}

void edit_free(edit *e) {
  for (size_t k = 0; e && k < e->remembered; k++)
    free(e->history[k]);
  free(e);
}

// ---- what is seen

// The part of the line around the cursor for which there is room.
static void draw(edit *e) {
  struct winsize w = {.ws_col = 0};
  ioctl(fileno(e->out), TIOCGWINSZ, &w);
  const size_t columns = w.ws_col ? w.ws_col : COLUMNS, before = strlen(e->prompt);
  const size_t room = columns > before + 8 ? columns - before - 1 : 8;
  const size_t from = e->at > room ? e->at - room : 0;
  const size_t shown = e->n - from < room ? e->n - from : room;
  fprintf(e->out, "\r%s%.*s\033[K\r\033[%zuC", e->prompt, (int)shown, e->line + from,
          before + e->at - from);
  fflush(e->out);
}

// ---- the line

static void insert(edit *e, const char *text, size_t bytes) {
  if (e->n + bytes >= sizeof e->line) {
    e->too_long = true;
    return;
  }
  memmove(e->line + e->at + bytes, e->line + e->at, e->n - e->at);
  memcpy(e->line + e->at, text, bytes);
  e->n += bytes, e->at += bytes;
}

static void cut(edit *e, size_t from, size_t to) {
  memmove(e->line + from, e->line + to, e->n - to);
  e->n -= to - from;
  e->at = from;
}

static void set(edit *e, const char *text) {
  e->n = e->at = 0;
  insert(e, text, strlen(text));
}

static void show_history(edit *e, size_t which) {
  e->line[e->n] = 0;
  if (e->shown == e->remembered)
    memcpy(e->kept, e->line, e->n + 1);
  e->shown = which;
  set(e, which == e->remembered ? e->kept : e->history[which]);
}

static void remember(edit *e) {
  if (!e->n || (e->remembered && strcmp(e->history[e->remembered - 1], e->line) == 0))
    return;
  if (e->remembered == HISTORY) {
    free(e->history[0]);
    memmove(e->history, e->history + 1, sizeof *e->history * --e->remembered);
  }
  if ((e->history[e->remembered] = strdup(e->line)))
    e->remembered++;
}

static size_t word_start(const edit *e) {
  size_t n = e->at;
  while (n && e->line[n - 1] == ' ')
    n--;
  while (n && e->line[n - 1] != ' ')
    n--;
  return n;
}

// As far as all choices agree; the choices, when that is no further.
static void complete(edit *e) {
  const char *choices[EDIT_CHOICES];
  char line[ROOM];
  memcpy(line, e->line, e->at);
  line[e->at] = 0;
  const char *word = strrchr(line, ' ') ? strrchr(line, ' ') + 1 : line;
  const size_t typed = strlen(word), n = e->complete(line, word, choices);
  if (!n)
    return;
  size_t same = strlen(choices[0]);
  for (size_t k = 1; k < n; k++)
    for (size_t c = 0; c < same; c++)
      if (choices[k][c] != choices[0][c])
        same = c;
  insert(e, choices[0] + typed, same - typed);
  if (n == 1)
    insert(e, " ", 1);
  if (n == 1 || same > typed)
    return;
  fputs("\r\n", e->out);
  for (size_t k = 0; k < n; k++)
    fprintf(e->out, "%s%s", choices[k], k + 1 < n ? "  " : "\r\n");
}

// ---- keys

static int key(const edit *e) {
  unsigned char c;
  const ssize_t n = read(e->in, &c, 1);
  return n == 1 ? c : n == 0 ? -1 : errno == EINTR ? -2 : -1;
}

// Behind an escape: what the key of a terminal is as a control character; 0: nothing here.
static int escape(const edit *e) {
  int c = key(e);
  if (c != '[' && c != 'O')
    return 0;
  c = key(e);
  if (c >= '0' && c <= '9') {
    const int number = c;
    while (c > 0 && c != '~')
      c = key(e);
    return number == '3'                    ? 256
           : number == '1' || number == '7' ? CONTROL('A')
           : number == '4' || number == '8' ? CONTROL('E')
                                            : 0;
  }
  static const char from[] = "ABCDHF", to[] = "PNFBAE";
  const char *at = c > 0 ? strchr(from, c) : NULL;
  return at && *at ? CONTROL(to[at - from]) : 0;
}

// False: the line has ended, or there is nothing more, *end.
static bool press(edit *e, int c, bool *end) {
  switch (c) {
    case '\n':
    case '\r':
      return false;
    case CONTROL('D'):
      if ((*end = !e->n))
        return false;
      // fallthrough
    case 256:
      if (e->at < e->n)
        cut(e, e->at, e->at + 1);
      break;
    case 127:
    case CONTROL('H'):
      if (e->at)
        cut(e, e->at - 1, e->at);
      break;
    case CONTROL('A'):
      e->at = 0;
      break;
    case CONTROL('E'):
      e->at = e->n;
      break;
    case CONTROL('B'):
      e->at -= e->at > 0;
      break;
    case CONTROL('F'):
      e->at += e->at < e->n;
      break;
    case CONTROL('K'):
      e->n = e->at;
      break;
    case CONTROL('U'):
      cut(e, 0, e->at);
      break;
    case CONTROL('W'):
      cut(e, word_start(e), e->at);
      break;
    case CONTROL('L'):
      fputs("\033[H\033[2J", e->out);
      break;
    case CONTROL('P'):
      if (e->shown)
        show_history(e, e->shown - 1);
      break;
    case CONTROL('N'):
      if (e->shown < e->remembered)
        show_history(e, e->shown + 1);
      break;
    case '\t':
      complete(e);
      break;
    default:
      if (c >= ' ')
        insert(e, &(char){(char)c}, 1);
  }
  return true;
}

edit_result edit_line(edit *e, const char *prompt, char *to, size_t bytes) {
  struct termios before, raw;
  if (tcgetattr(e->in, &before))
    return EDIT_END;
  raw = before;
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  raw.c_cc[VMIN] = 1, raw.c_cc[VTIME] = 0;
  tcsetattr(e->in, TCSADRAIN, &raw);
  e->prompt = prompt;
  e->n = e->at = 0;
  e->too_long = false;
  e->shown = e->remembered;
  edit_result r = EDIT_LINE;
  for (bool end = false;;) {
    draw(e);
    int c = key(e);
    if (c == 27)
      c = escape(e);
    if (c < 0) {
      r = c == -2 ? EDIT_SIGNAL : EDIT_END;
      break;
    }
    if (!press(e, c, &end)) {
      r = end ? EDIT_END : EDIT_LINE;
      break;
    }
  }
  tcsetattr(e->in, TCSADRAIN, &before);
  e->line[e->n] = 0;
  if (r == EDIT_LINE) {
    e->at = e->n;
    draw(e);
    fputc('\n', e->out);
    remember(e);
  }
  if (r == EDIT_LINE && (e->too_long || e->n >= bytes))
    return EDIT_LONG;
  snprintf(to, bytes, "%s", r == EDIT_LINE ? e->line : "");
  return r;
}
