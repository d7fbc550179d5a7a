// SPDX-License-Identifier: Apache-2.0
// The way to a card that is a PCI device of this machine: the ivshmem device of a guest
// (docs/guest.md), through VFIO. Needs root, an IOMMU, and the module vfio-pci.
#ifndef NEARBANK_VFIO_H
#define NEARBANK_VFIO_H

#include "driver.h"

// The first such device. False: `why` is one line.
bool vfio_transport(driver_transport *t, char *why, size_t why_bytes);
void vfio_transport_close(driver_transport *t);
uint64_t vfio_interrupts(const driver_transport *t);  // that came so far

#endif
