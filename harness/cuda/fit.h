// SPDX-License-Identifier: Apache-2.0
// Device code for the machine that it is to run on: which options of the compiler fit a
// configuration, and objects that are made again when their own do not.
#ifndef NEARBANK_FIT_H
#define NEARBANK_FIT_H

#include "harness/base/config/config.h"
#include "kernels/mpucc/image.h"

// Options for a machine, of those that were asked for; `name`: of the machine, for messages. 0, or
// EXIT_USAGE after a message.
int fit_options(mpucc_options *o, const config *c, const char *name);

// The object of an image as it was made, or made again from the PTX, as also where it has none:
// with the options of `asked` (NULL: none) beside its own, for the machine `c` (NULL: any). What is
// wrong with the PTX goes to `messages`, NULL: stderr. *bytes: its size; NULL: *why says what is
// wrong, or a message was given and *why is "".
const uint8_t *fit_object(const mpucc_image *i, const char *asked, const config *c, FILE *messages,
                          size_t *bytes, const char **why);

#endif
