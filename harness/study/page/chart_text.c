// SPDX-License-Identifier: Apache-2.0
// Texts in drawings. How wide they are is estimated from a wide font: what fits here fits anywhere.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "chart_priv.h"

// Of one letter, as a part of the height. 0: a byte inside of a character.
static double letter_width(unsigned char c) {
  if (c >= 0x80)
    return c < 0xc0 ? 0 : 1;
  if (strchr("ijlI.,:;'|! ", c))
    return 0.35;
  if (strchr("mwMW@%", c))
    return 0.98;
  if (strchr("frt()[]/-\"", c))
    return 0.46;
  return c >= 'A' && c <= 'Z' ? 0.74 : 0.64;
}

double text_width(const drawing *d, const char *text) {
  double width = 0;
  for (; *text; text++)
    width += letter_width((unsigned char)*text);
  return width * d->letter;
}

// Writes what fits into `room`, and the whole text as its title when that is not all of it.
static void put_fitting(const drawing *d, double room, const char *text) {
  double width = 0;
  if (text_width(d, text) <= room) {
    page_escape(d->f, text);
    return;
  }
  char *cut = strdup(text);
  if (!cut)
    abort();
  for (char *at = cut; *at; at++) {
    width += letter_width((unsigned char)*at) * d->letter;
    if (width > room - d->letter && ((unsigned char)*at & 0xc0) != 0x80) {
      *at = 0;
      break;
    }
  }
  page_escape(d->f, cut);
  fputs("\xe2\x80\xa6<title>", d->f);
  page_escape(d->f, text);
  fputs("</title>", d->f);
  free(cut);
}

void put_text(const drawing *d, double x, double y, anchor a, const char *class, double room,
              const char *text) {
  static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  fprintf(d->f, "<text x=\"%.1f\" y=\"%.1f\"%s", x, y, anchors[a]);
  if (class)
    fprintf(d->f, " class=\"%s\"", class);
  fputc('>', d->f);
  put_fitting(d, room, text);
  fputs("</text>\n", d->f);
}

void put_turned(const drawing *d, double x, double y, anchor a, double room, const char *text) {
  fprintf(d->f, "<text transform=\"translate(%.1f %.1f) rotate(-40)\"%s>", x, y,
          a == END ? " text-anchor=\"end\"" : "");
  put_fitting(d, room, text);
  fputs("</text>\n", d->f);
}

void put_title(const drawing *d, const char *format, ...) {
  char *text;
  va_list a;
  va_start(a, format);
  if (vasprintf(&text, format, a) < 0)
    abort();
  va_end(a);
  fputs("<title>", d->f);
  page_escape(d->f, text);
  fputs("</title>", d->f);
  free(text);
}

const char *value_text(char to[PAGE_NUMBER + 8], double value, const char *suffix) {
  page_number(to, there(value) ? value : NAN);
  if (there(value) && suffix)
    strncat(to, suffix, 7);
  return to;
}
