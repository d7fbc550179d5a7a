// SPDX-License-Identifier: Apache-2.0
// Programs that ask for tensor cores are told that there are none.
#error \
    "mma.h: there are no tensor cores (nvcuda::wmma): multiply with fma, or compile the program's other path"
