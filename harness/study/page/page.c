// SPDX-License-Identifier: Apache-2.0
#include "page.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/out_file.h"
#include "page_priv.h"

enum { LONG = 28 };  // letters of a cell that is kept wide

struct page {
  char *title, *under;
  char *text, *list;  // of the streams
  size_t text_bytes, list_bytes;
  FILE *f, *contents;
  page_column *columns;  // of the table that is being written
  size_t n_columns, at;
  unsigned ids;
};

static void *must(void *memory) {
  if (!memory)
    abort();
  return memory;
}

// ---- the page

page *page_new(const char *title, const char *under) {
  page *p = must(calloc(1, sizeof *p));
  p->f = must(open_memstream(&p->text, &p->text_bytes));
  p->contents = must(open_memstream(&p->list, &p->list_bytes));
  size_t bytes;
  FILE *f = must(open_memstream(&p->title, &bytes));
  page_escape(f, title);
  fclose(f);
  f = must(open_memstream(&p->under, &bytes));
  page_escape(f, under ? under : "");
  fclose(f);
  return p;
}

void page_drop(page *p) {
  if (!p)
    return;
  fclose(p->f);
  fclose(p->contents);
  free(p->text);
  free(p->list);
  free(p->title);
  free(p->under);
  free(p->columns);
  free(p);
}

static void put_page(FILE *f, const page *p) {
  fprintf(f,
          "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>%s</title>\n<style>\n",
          p->title);
  page_style(f);
  fputs("</style></head>\n<body>\n", f);
  if (p->list_bytes)
    fprintf(f, "<nav aria-label=\"Contents\"><ul>\n%s</ul></nav>\n", p->list);
  fprintf(f, "<main>\n<h1>%s</h1>\n", p->title);
  if (*p->under)
    fprintf(f, "<p class=\"under\">%s</p>\n", p->under);
  fwrite(p->text, 1, p->text_bytes, f);
  fputs("</main>\n</body></html>\n", f);
}

bool page_write(page *p, const char *file) {
  const bool ok = fflush(p->f) == 0 && fflush(p->contents) == 0;
  out_file *o = ok ? out_open(file) : NULL;
  if (o)
    put_page(out_stream(o), p);
  const bool written = o && out_close(o);
  const int e = errno;
  page_drop(p);
  errno = e;
  return written;
}

FILE *page_stream(page *p) {
  return p->f;
}

unsigned page_id(page *p) {
  return ++p->ids;
}

// ---- text

static char *formatted(const char *format, va_list a) {
  char *text;
  if (vasprintf(&text, format, a) < 0)
    abort();
  return text;
}

static void put_format(page *p, const char *format, va_list a) {
  char *text = formatted(format, a);
  page_escape(p->f, text);
  free(text);
}

#define PUT(p, before, format, after) \
  do {                                \
    va_list a;                        \
    va_start(a, format);              \
    fputs(before, (p)->f);            \
    put_format(p, format, a);         \
    fputs(after, (p)->f);             \
    va_end(a);                        \
  } while (0)

void page_section(page *p, const char *id, const char *heading) {
  fprintf(p->f, "<h2 id=\"%s\">", id);
  page_escape(p->f, heading);
  fputs("</h2>\n", p->f);
  fprintf(p->contents, "<li><a href=\"#%s\">", id);
  page_escape(p->contents, heading);
  fputs("</a></li>\n", p->contents);
}

void page_heading(page *p, const char *heading) {
  fputs("<h3>", p->f);
  page_escape(p->f, heading);
  fputs("</h3>\n", p->f);
}

void page_text(page *p, const char *format, ...) {
  PUT(p, "<p>", format, "</p>\n");
}

void page_note(page *p, const char *format, ...) {
  PUT(p, "<p class=\"note\">", format, "</p>\n");
}

void page_claim(page *p, const char *format, ...) {
  PUT(p, "<p class=\"claim\">", format, "</p>\n");
}

void page_missing(page *p, const char *format, ...) {
  PUT(p, "<p class=\"absent\">", format, "</p>\n");
}

void page_facts_begin(page *p) {
  fputs("<dl class=\"facts\">\n", p->f);
}

void page_fact(page *p, const char *name, const char *format, ...) {
  fputs("<div><dt>", p->f);
  page_escape(p->f, name);
  PUT(p, "</dt><dd>", format, "</dd></div>\n");
}

void page_facts_end(page *p) {
  fputs("</dl>\n", p->f);
}

void page_fold_begin(page *p, const char *format, ...) {
  PUT(p, "<details><summary>", format, "</summary>\n");
}

void page_fold_end(page *p) {
  fputs("</details>\n", p->f);
}

void page_pair_begin(page *p) {
  fputs("<div class=\"pair\">\n", p->f);
}

void page_pair_end(page *p) {
  fputs("</div>\n", p->f);
}

// ---- tables

static void put_title(page *p, const char *title) {
  if (!title)
    return;
  fputs(" title=\"", p->f);
  page_escape(p->f, title);
  fputc('"', p->f);
}

void page_table_begin(page *p, const char *caption, const page_column *columns, size_t n) {
  free(p->columns);
  p->columns = must(calloc(n ? n : 1, sizeof *columns));
  p->n_columns = n;
  p->at = 0;
  // what scrolls can be reached with the keyboard
  fputs("<div class=\"box\" tabindex=\"0\"><table>", p->f);
  if (caption) {
    fputs("<caption>", p->f);
    page_escape(p->f, caption);
    fputs("</caption>", p->f);
  }
  fputs("<thead><tr>", p->f);
  for (size_t k = 0; k < n; k++) {
    p->columns[k] = columns[k];
    fprintf(p->f, "<th scope=\"col\"%s", columns[k].number ? " class=\"n\"" : "");
    put_title(p, columns[k].title);
    fputc('>', p->f);
    page_escape(p->f, columns[k].name);
    fputs("</th>", p->f);
  }
  fputs("</tr></thead><tbody>\n", p->f);
}

static void put_cell(page *p, page_class class, const char *title, const char *link,
                     const char *format, va_list a) {
  static const char *const names[] = {"", " good", " bad", " gone", " all"};
  const page_column *c = &p->columns[p->at % p->n_columns];
  char *text = formatted(format, a);
  const char *kind = c->number ? "n" : !c->code && strlen(text) > LONG ? "t long" : "t";
  if (p->at % p->n_columns == 0)
    fputs("<tr>", p->f);
  fprintf(p->f, "<td class=\"%s%s%s\"", kind, c->code ? " code" : "", names[class]);
  put_title(p, title);
  fputc('>', p->f);
  if (link) {
    fputs("<a href=\"", p->f);
    page_escape(p->f, link);
    fputs("\">", p->f);
  }
  page_escape(p->f, text);
  free(text);
  fputs(link ? "</a></td>" : "</td>", p->f);
  if (++p->at % p->n_columns == 0)
    fputs("</tr>\n", p->f);
}

void page_cell_as(page *p, page_class class, const char *title, const char *link,
                  const char *format, ...) {
  va_list a;
  va_start(a, format);
  put_cell(p, class, title, link, format, a);
  va_end(a);
}

void page_cell(page *p, const char *format, ...) {
  va_list a;
  va_start(a, format);
  put_cell(p, PAGE_PLAIN, NULL, NULL, format, a);
  va_end(a);
}

void page_cell_number(page *p, double value) {
  char text[PAGE_NUMBER];
  page_cell_as(p, isnan(value) ? PAGE_GONE : PAGE_PLAIN, NULL, NULL, "%s",
               page_number(text, value));
}

void page_table_end(page *p) {
  while (p->at % p->n_columns)
    page_cell(p, "%s", "");
  fputs("</tbody></table></div>\n", p->f);
  free(p->columns);
  p->columns = NULL;
}
