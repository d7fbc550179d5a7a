// SPDX-License-Identifier: Apache-2.0
// What a C++ symbol is called in its source.
#ifndef NEARBANK_PLAIN_NAME_H
#define NEARBANK_PLAIN_NAME_H

// "_Z4axpyifPKfPf" is axpy, "_ZN1a1bEv" a::b, "_ZL5table" table; other names stay. To be freed.
char *plain_name(const char *symbol);

#endif
