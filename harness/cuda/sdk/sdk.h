// SPDX-License-Identifier: Apache-2.0
// Writes a folder that looks like the vendor's toolkit (docs/sdk.md): programs that mpu's build has
// (nvcc), headers, the runtime library.
#ifndef NEARBANK_SDK_H
#define NEARBANK_SDK_H

// Into a folder that is new, empty, or was written so before. 0, or an exit status after a message.
int sdk_write(const char *folder);

#endif
