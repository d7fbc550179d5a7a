// SPDX-License-Identifier: Apache-2.0
#include "vfio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "mapped.h"

#define DEVICES "/sys/bus/pci/devices"
enum { VENDOR = 0x1af4, DEVICE = 0x1110 };  // ivshmem
enum { BAR_REGISTERS = VFIO_PCI_BAR0_REGION_INDEX, BAR_MEMORY = VFIO_PCI_BAR2_REGION_INDEX };
enum { DOORBELL = 12, VECTOR = 0 };  // in BAR_REGISTERS: peer << 16 | vector
enum { PATH = 512, NAME = 256 };

typedef struct opened {
  mapped m;  // first: the transport's ctx
  int container, group, device;
  uint8_t *bar;
  uint64_t bar_bytes;
} opened;

typedef struct reason {
  char *why;
  size_t bytes;
} reason;

__attribute__((format(printf, 2, 3))) static bool no(reason r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(r.why, r.bytes, format, args);
  va_end(args);
  return false;
}

// ---- the device in /sys

static uint32_t number_in(const char *device, const char *file) {
  char path[PATH], text[32] = "";
  snprintf(path, sizeof path, DEVICES "/%s/%s", device, file);
  FILE *f = fopen(path, "re");
  if (!f)
    return 0;
  const bool ok = fgets(text, sizeof text, f);
  fclose(f);
  return ok ? (uint32_t)strtoul(text, NULL, 16) : 0;
}

static bool find(char *device, reason r) {
  DIR *all = opendir(DEVICES);
  bool found = false;
  for (const struct dirent *e; all && !found && (e = readdir(all));) {
    found = number_in(e->d_name, "vendor") == VENDOR && number_in(e->d_name, "device") == DEVICE;
    if (found)
      snprintf(device, NAME, "%s", e->d_name);
  }
  if (all)
    closedir(all);
  return found || no(r, "no card: there is no PCI device %04x:%04x", VENDOR, DEVICE);
}

// The last part of the path that a link of the device leads to; false: there is no such link.
static bool link_of(const char *device, const char *link, char *to) {
  char path[PATH], target[PATH];
  snprintf(path, sizeof path, DEVICES "/%s/%s", device, link);
  const ssize_t n = readlink(path, target, sizeof target - 1);
  if (n <= 0)
    return false;
  target[n] = 0;
  const char *last = strrchr(target, '/');
  snprintf(to, NAME, "%.*s", NAME - 1, last ? last + 1 : target);
  return true;
}

static bool put(const char *path, const char *text) {
  const int f = open(path, O_WRONLY | O_CLOEXEC);
  const bool ok = f >= 0 && write(f, text, strlen(text)) == (ssize_t)strlen(text);
  if (f >= 0)
    close(f);
  return ok;
}

static bool bind_driver(const char *device, reason r) {
  char path[PATH], driver[NAME];
  const bool bound = link_of(device, "driver", driver);
  if (bound && strcmp(driver, "vfio-pci") == 0)
    return true;
  snprintf(path, sizeof path, DEVICES "/%s/driver_override", device);
  if (!put(path, "vfio-pci"))
    return no(r, "cannot write '%s': %s", path, strerror(errno));
  snprintf(path, sizeof path, DEVICES "/%s/driver/unbind", device);
  if (bound && !put(path, device))
    return no(r, "cannot write '%s': %s", path, strerror(errno));
  if (!put("/sys/bus/pci/drivers_probe", device) || !link_of(device, "driver", driver) ||
      strcmp(driver, "vfio-pci") != 0)
    return no(r, "vfio-pci does not take the device %s: is the module loaded?", device);
  return true;
}

// ---- the device as files

static bool open_group(opened *o, const char *device, reason r) {
  char path[PATH], group[NAME];
  struct vfio_group_status status = {.argsz = sizeof status};
  if (!link_of(device, "iommu_group", group))
    return no(r,
              "the device %s is behind no IOMMU: QEMU needs -device intel-iommu,intremap=on, and "
              "Linux intel_iommu=on",
              device);
  if ((o->container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC)) < 0)
    return no(r, "cannot open '/dev/vfio/vfio': %s", strerror(errno));
  if (ioctl(o->container, VFIO_GET_API_VERSION) != VFIO_API_VERSION ||
      ioctl(o->container, VFIO_CHECK_EXTENSION, VFIO_TYPE1v2_IOMMU) != 1)
    return no(r, "this Linux has another VFIO, or no vfio_iommu_type1");
  snprintf(path, sizeof path, "/dev/vfio/%.200s", group);
  if ((o->group = open(path, O_RDWR | O_CLOEXEC)) < 0)
    return no(r, "cannot open '%s': %s", path, strerror(errno));
  if (ioctl(o->group, VFIO_GROUP_GET_STATUS, &status) || !(status.flags & VFIO_GROUP_FLAGS_VIABLE))
    return no(r, "other devices of IOMMU group %.200s have drivers of their own", group);
  if (ioctl(o->group, VFIO_GROUP_SET_CONTAINER, &o->container) ||
      ioctl(o->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
    return no(r, "VFIO refuses the IOMMU: %s", strerror(errno));
  if ((o->device = ioctl(o->group, VFIO_GROUP_GET_DEVICE_FD, device)) < 0)
    return no(r, "VFIO refuses the device %s: %s", device, strerror(errno));
  return true;
}

static uint8_t *map_bar(const opened *o, uint32_t index, uint64_t least, uint64_t *bytes,
                        reason r) {
  struct vfio_region_info region = {.argsz = sizeof region, .index = index};
  if (ioctl(o->device, VFIO_DEVICE_GET_REGION_INFO, &region) || region.size < least ||
      !(region.flags & VFIO_REGION_INFO_FLAG_MMAP)) {
    no(r, "BAR%" PRIu32 " of the device is too small, or cannot be mapped", index);
    return NULL;
  }
  void *at =
      mmap(NULL, region.size, PROT_READ | PROT_WRITE, MAP_SHARED, o->device, (off_t)region.offset);
  if (at == MAP_FAILED) {
    no(r, "cannot map BAR%" PRIu32 ": %s", index, strerror(errno));
    return NULL;
  }
  *bytes = region.size;
  return at;
}

// Messages are writes to memory, for which the device needs to be a master.
static bool make_master(const opened *o, reason r) {
  struct vfio_region_info config = {.argsz = sizeof config, .index = VFIO_PCI_CONFIG_REGION_INDEX};
  uint16_t command;
  if (ioctl(o->device, VFIO_DEVICE_GET_REGION_INFO, &config))
    return no(r, "the device has no configuration space: %s", strerror(errno));
  const off_t at = (off_t)config.offset + PCI_COMMAND;
  if (pread(o->device, &command, sizeof command, at) != sizeof command)
    return no(r, "cannot read the configuration space: %s", strerror(errno));
  command |= PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
  return pwrite(o->device, &command, sizeof command, at) == sizeof command ||
         no(r, "cannot write the configuration space: %s", strerror(errno));
}

static bool bind_interrupt(opened *o, reason r) {
  union {
    struct vfio_irq_set set;
    uint8_t bytes[sizeof(struct vfio_irq_set) + sizeof(int)];
  } u = {.set = {.argsz = sizeof u.bytes,
                 .flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
                 .index = VFIO_PCI_MSIX_IRQ_INDEX,
                 .start = VECTOR,
                 .count = 1}};
  if ((o->m.interrupt = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
    return no(r, "no eventfd: %s", strerror(errno));
  memcpy(u.set.data, &o->m.interrupt, sizeof o->m.interrupt);
  return !ioctl(o->device, VFIO_DEVICE_SET_IRQS, &u.set) ||
         no(r, "the device has no MSI-X interrupt: %s", strerror(errno));
}

static void ring(mapped *m) {
  *m->bar = MAPPED_PEER << 16 | VECTOR;
}

static bool set_up(opened *o, reason r) {
  char device[NAME];
  if (!find(device, r) || !bind_driver(device, r) || !open_group(o, device, r) ||
      !make_master(o, r) || !bind_interrupt(o, r))
    return false;
  o->bar = map_bar(o, BAR_REGISTERS, DOORBELL + 4, &o->bar_bytes, r);
  if (!o->bar)
    return false;
  o->m.bar = (volatile uint32_t *)(void *)(o->bar + DOORBELL);
  return (o->m.memory = map_bar(o, BAR_MEMORY, MAPPED_LEAST, &o->m.bytes, r));
}

// ---- begin and end

static void drop(opened *o) {
  if (o->m.memory)
    munmap(o->m.memory, o->m.bytes);
  if (o->bar)
    munmap(o->bar, o->bar_bytes);
  const int fds[] = {o->m.interrupt, o->device, o->group, o->container};
  for (size_t k = 0; k < sizeof fds / sizeof *fds; k++)
    if (fds[k] >= 0)
      close(fds[k]);
  free(o);
}

bool vfio_transport(driver_transport *t, char *why, size_t bytes) {
  const reason r = {why, bytes};
  opened *o = calloc(1, sizeof *o);
  if (!o)
    return no(r, "the host has no memory for a driver");
  *o = (opened){.m = {.interrupt = -1, .hangup = -1, .doorbell = -1, .ring = ring},
                .container = -1,
                .group = -1,
                .device = -1};
  if (!set_up(o, r)) {
    drop(o);
    return false;
  }
  *t = mapped_transport(&o->m);
  return true;
}

void vfio_transport_close(driver_transport *t) {
  if (t->ctx)
    drop(t->ctx);
  *t = (driver_transport){0};
}

uint64_t vfio_interrupts(const driver_transport *t) {
  return ((const mapped *)t->ctx)->interrupts;
}
