// SPDX-License-Identifier: Apache-2.0
// A page: one HTML file that needs nothing else (no script, font or network), light or dark as the
// reader's system is, and for paper. The file gets its name when the page is closed; until then the
// page is in memory.
//
// Texts may hold anything: they are escaped, and what is not UTF-8 becomes U+FFFD. Formats are
// those of printf; their results are escaped as a whole. Only the stream takes HTML as it is.
#ifndef NEARBANK_PAGE_H
#define NEARBANK_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct page page;

// `under` stands below the title; NULL: nothing. Aborts when memory is short.
page *page_new(const char *title, const char *under);
// Writes it ("-": to standard output) and frees it. False: errno says why, and the file is as it
// was before.
bool page_write(page *p, const char *file);
void page_drop(page *p);  // without a file; also NULL
// The part of the page that is being written: HTML goes there as it is.
FILE *page_stream(page *p);

// ---- text

// A heading that the table of contents lists; `id` is what links name: letters, digits, hyphens.
void page_section(page *p, const char *id, const char *heading);
void page_heading(page *p, const char *heading);  // below a section, not listed
__attribute__((format(printf, 2, 3))) void page_text(page *p, const char *format, ...);
__attribute__((format(printf, 2, 3))) void page_note(page *p, const char *format, ...);   // grey
__attribute__((format(printf, 2, 3))) void page_claim(page *p, const char *format, ...);  // large
// What is missing from the page, and what the reader can do about it, in a box.
__attribute__((format(printf, 2, 3))) void page_missing(page *p, const char *format, ...);

// Rows of a name and what it is: facts between begin and end.
void page_facts_begin(page *p);
__attribute__((format(printf, 3, 4))) void page_fact(page *p, const char *name, const char *format,
                                                     ...);
void page_facts_end(page *p);

// What is folded until the reader opens it; on paper only what is open shows.
__attribute__((format(printf, 2, 3))) void page_fold_begin(page *p, const char *format, ...);
void page_fold_end(page *p);

// Things side by side where there is room: figures that are `half`, short tables.
void page_pair_begin(page *p);
void page_pair_end(page *p);

// ---- tables: columns, then cells row by row; a wide one scrolls in its own box

typedef struct page_column {
  const char *name;
  bool number;        // to the right, digits below each other
  bool code;          // in letters of one width
  const char *title;  // shown when the mouse is over it; NULL: nothing
} page_column;

typedef enum page_class {
  PAGE_PLAIN,
  PAGE_GOOD,
  PAGE_BAD,
  PAGE_GONE,  // missing: grey
  PAGE_ALL    // a sum, a mean: bold
} page_class;

void page_table_begin(page *p, const char *caption, const page_column *columns, size_t n);
// Begins a row after each n cells by itself.
__attribute__((format(printf, 2, 3))) void page_cell(page *p, const char *format, ...);
// The same with a class, a title, and a link (an #id of the page, or a file beside it); NULL: none.
__attribute__((format(printf, 5, 6))) void page_cell_as(page *p, page_class class,
                                                        const char *title, const char *link,
                                                        const char *format, ...);
// A number as page_number has it; NaN: a cell that says "missing".
void page_cell_number(page *p, double value);
void page_table_end(page *p);

// ---- parts of those

void page_escape(FILE *f, const char *text);
enum { PAGE_NUMBER = 40 };
// Whole numbers with commas, others with four digits that count; NaN: "missing". Returns `to`.
const char *page_number(char to[PAGE_NUMBER], double value);
// A number that no other call for this page gives, for ids.
unsigned page_id(page *p);

#endif
