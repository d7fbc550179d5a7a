// SPDX-License-Identifier: Apache-2.0
#ifndef NEARBANK_PAGE_PRIV_H
#define NEARBANK_PAGE_PRIV_H

#include <stdio.h>

void page_style(FILE *f);  // rules and colours, as CSS

#endif
