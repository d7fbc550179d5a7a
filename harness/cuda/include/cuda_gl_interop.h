// SPDX-License-Identifier: Apache-2.0
// Programs that include this and call nothing of it build. The device shares no memory with OpenGL,
// so nothing is declared.
#ifndef NEARBANK_CUDA_GL_INTEROP_H
#define NEARBANK_CUDA_GL_INTEROP_H
#include "cuda_runtime.h"
#endif
