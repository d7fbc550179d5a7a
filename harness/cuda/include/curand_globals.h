// SPDX-License-Identifier: Apache-2.0
// What cuRAND's two interfaces share: curand.h of the host, and curand_kernel.h of the device.
#ifndef NEARBANK_CURAND_GLOBALS_H
#define NEARBANK_CURAND_GLOBALS_H

// Of one dimension of a Sobol sequence.
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
#endif
