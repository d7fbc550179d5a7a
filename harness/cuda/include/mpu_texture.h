// SPDX-License-Identifier: Apache-2.0
// What kernels read of a texture or surface: the runtime writes it to device memory, and its
// address is the object. A reference (texture<>, surface<>) is a variable with one of these.
#ifndef NEARBANK_MPU_TEXTURE_H
#define NEARBANK_MPU_TEXTURE_H

enum mpu_texture_form {  // of what is bound; 0: nothing
  MPU_UNBOUND,
  MPU_LINEAR,  // memory that tex1Dfetch reads
  MPU_1D,
  MPU_2D,
  MPU_3D,
  MPU_1D_LAYERS,
  MPU_2D_LAYERS,
  MPU_CUBE,
  MPU_CUBE_LAYERS,
  MPU_SURFACE = 16  // and one of those
};
enum mpu_texel_kind { MPU_U8, MPU_U16, MPU_U32, MPU_S8, MPU_S16, MPU_S32, MPU_F16, MPU_F32 };
enum mpu_texture_mode {
  MPU_NORMALIZED = 1,  // coordinates
  MPU_FILTER = 2,      // linear
  MPU_GATHER = 4       // tex2Dgather may be used
};
// All that must be as the function in the kernel wants it. Unit: integers are read as [0, 1] or
// [-1, 1].
#define MPU_TYPE(form, kind, channels, unit) \
  ((form) | (kind) << 8 | (channels) << 16 | (unsigned int)(unit) << 24)
#define MPU_FORM_OF(type) ((type)&31)
#define MPU_KIND_OF(type) ((type) >> 8 & 15)
#define MPU_CHANNELS_OF(type) ((type) >> 16 & 15)
#define MPU_UNIT_OF(type) ((type) >> 24 & 1)
// What a kernel did wrong before it ended with a trap.
enum mpu_texture_fault {
  MPU_FAULT_NONE,
  MPU_FAULT_UNBOUND,  // nothing is bound to the reference, or the object is not one
  MPU_FAULT_FORM,     // the function is for another dimension or resource
  MPU_FAULT_TYPE,     // the type of the call is not that of the elements
  MPU_FAULT_GATHER,   // the array is not for tex2Dgather
  MPU_FAULT_OUTSIDE   // of a surface, with cudaBoundaryModeTrap
};

typedef struct mpu_descriptor {
  unsigned int type;                  // MPU_TYPE: 0 where nothing is bound
  unsigned int texel, width, modes;   // bytes of a texel; texels of a row; mpu_texture_mode
  unsigned long long base, slice;     // the first texel; bytes from a slice to the next
  unsigned int pitch, height, depth;  // bytes from a row to the next; rows; slices
  unsigned int address[3];            // cudaTextureAddressMode of each axis
  unsigned int border[4];             // bits of the colour
  unsigned int unused[2];
} mpu_descriptor;
#endif
