// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces of the runtime: docs/textures.md.
#ifndef NEARBANK_TEXTURE_H
#define NEARBANK_TEXTURE_H

#include "include/mpu_texture.h"
#include "rt.h"

// What cudaDeviceProp says, and calls check.
enum {
  TEXTURE_ALIGN = 256,       // of linear memory
  TEXTURE_PITCH_ALIGN = 32,  // of its rows
  TEXTURE_WIDTH = 131072,    // 1D and 2D
  TEXTURE_HEIGHT = 65536,
  TEXTURE_SIDE_3D = 16384,
  TEXTURE_SIDE_LAYER = 32768,  // also of a cube
  TEXTURE_LAYERS = 2048,
  TEXTURE_CUBES = 2046,      // faces of layered cubes
  TEXTURE_LINEAR = 1 << 27,  // texels
  TEXTURE_PITCH = 1 << 21    // bytes of a row in memory
};

struct cudaArray {  // rows follow each other at the pitch, slices after height rows
  rt_context *context;
  uint64_t address, slice;
  struct cudaChannelFormatDesc desc;
  struct cudaExtent extent;     // as the program said: 0 for what is not there
  size_t width, height, depth;  // texels, rows, slices: at least 1
  unsigned flags;
  uint32_t form, texel, pitch;
  struct cudaArray *next;
};

typedef struct texel_format {
  uint32_t kind, channels, bytes;  // bytes of all channels
} texel_format;

// False: textures do not have such elements.
bool texel_format_of(const struct cudaChannelFormatDesc *desc, texel_format *f);
bool texture_same_desc(const struct cudaChannelFormatDesc *a,
                       const struct cudaChannelFormatDesc *b);
bool texture_is_array(cudaArray_const_t a);       // that lives
void texture_forget_arrays(const rt_context *c);  // whose memory is gone
__attribute__((format(printf, 1, 2))) cudaError_t texture_refuse(const char *format, ...);

#endif
