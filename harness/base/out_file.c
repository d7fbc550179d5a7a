// SPDX-License-Identifier: Apache-2.0
#include "out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct out_file {
  out_place place;
  FILE *f;
  int fd;
  int error;  // of the first write that failed, 0: none did
};

// ---- places

static void forget(out_place *p) {
  free(p->name);
  free(p->aside);
  *p = (out_place){NULL, NULL};
}

// Opens a file beside `p->name`. -1: there is none; errno says why.
static int open_aside(out_place *p, bool own, const struct stat *old) {
  const int n = own ? asprintf(&p->aside, "%s.%ld.part", p->name, (long)getpid())
                    : asprintf(&p->aside, "%s.part", p->name);
  if (n < 0)
    p->aside = NULL;
  const int fd =
      n < 0 ? -1 : open(p->aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd >= 0 && old)
    (void)!fchmod(fd, old->st_mode & 07777);
  return fd;
}

// The number of "/dev/stdout" and its like, -1: it is none.
static int descriptor(const char *name) {
  char *end;
  if (strcmp(name, "/dev/stdout") == 0 || strcmp(name, "/dev/stderr") == 0)
    return name[8] == 'o' ? 1 : 2;
  if (strncmp(name, "/dev/fd/", 8) != 0)
    return -1;
  const unsigned long n = strtoul(name + 8, &end, 10);
  return name[8] >= '0' && name[8] <= '9' && !*end && n < 1 << 20 ? (int)n : -1;
}

static int place_open(out_place *p, const char *name, bool own) {
  struct stat s;
  if (descriptor(name) >= 0) {
    *p = (out_place){NULL, NULL};
    return fcntl(descriptor(name), F_DUPFD_CLOEXEC, 3);
  }
  const bool there = stat(name, &s) == 0;
  *p = (out_place){NULL, NULL};
  if (there && S_ISDIR(s.st_mode))
    errno = EISDIR;
  if (!*name)
    errno = ENOENT;
  if (!*name || (there && (S_ISDIR(s.st_mode) || access(name, W_OK))))
    return -1;
  if (there && (!S_ISREG(s.st_mode) || strncmp(name, "/proc/", 6) == 0))
    return open(name, O_WRONLY | O_TRUNC | O_CLOEXEC);
  // a link stays one
  p->name = there ? realpath(name, NULL) : strdup(name);
  int fd = p->name ? open_aside(p, own, there ? &s : NULL) : -1;
  if (fd >= 0)
    return fd;
  const int e = errno;
  forget(p);
  errno = e;
  return (there && (e == EACCES || e == EPERM)) || e == ENAMETOOLONG
             ? open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
             : -1;
}

int out_place_open(out_place *p, const char *name) {
  return place_open(p, name, false);
}

bool out_place_close(out_place *p, int fd, bool whole) {
  int e = 0;
  if (whole && p->aside && fsync(fd))
    e = errno;
  if (close(fd) && !e)
    e = errno;
  if (whole && !e && p->aside && rename(p->aside, p->name))
    e = errno;
  forget(p);
  errno = e;
  return !e;
}

// ---- files

// stdio does not keep the reason of a failure.
static ssize_t put(void *cookie, const char *from, size_t bytes) {
  out_file *o = cookie;
  size_t done = 0;
  while (done < bytes && !o->error) {
    const ssize_t n = write(o->fd, from + done, bytes - done);
    if (n > 0)
      done += (size_t)n;
    else if (n == 0 || errno != EINTR)
      o->error = n ? errno : EIO;
  }
  return done < bytes ? 0 : (ssize_t)bytes;
}

out_file *out_open(const char *name) {
  out_file *o = calloc(1, sizeof *o);
  if (!o)
    return NULL;
  if (strcmp(name, "-") == 0) {
    o->f = stdout;
    return o;
  }
  o->fd = place_open(&o->place, name, true);
  if (o->fd >= 0)
    o->f = fopencookie(o, "w", (cookie_io_functions_t){.write = put});
  if (o->f)
    return o;
  const int e = errno;
  out_drop(o);
  errno = e;
  return NULL;
}

FILE *out_stream(out_file *o) {
  return o->f;
}

bool out_close(out_file *o) {
  if (o->f == stdout) {
    free(o);
    return out_printed();
  }
  if (fclose(o->f) && !o->error)
    o->error = errno;
  o->f = NULL;
  const int before = o->error;
  char *aside = o->place.aside ? strdup(o->place.aside) : NULL;
  const bool ok = out_place_close(&o->place, o->fd, !before);
  const int e = before ? before : errno;
  if (aside && (before || !ok))
    unlink(aside);
  free(aside);
  free(o);
  errno = e;
  return ok && !before;
}

void out_drop(out_file *o) {
  if (!o)
    return;
  if (o->f && o->f != stdout) {
    o->error = o->error ? o->error : ECANCELED;  // nothing more is written
    fclose(o->f);
  }
  if (o->f != stdout && o->fd >= 0)
    close(o->fd);
  if (o->place.aside)
    unlink(o->place.aside);
  forget(&o->place);
  free(o);
}

bool out_write(const char *name, const void *from, size_t bytes) {
  out_file *o = out_open(name);
  if (!o)
    return false;
  fwrite(from, 1, bytes, o->f);
  return out_close(o);
}

bool out_publish(const char *aside, const char *name) {
  const int fd = open(aside, O_WRONLY | O_CLOEXEC);
  out_place p = {strdup(name), strdup(aside)};
  if (fd >= 0 && p.name && p.aside)
    return out_place_close(&p, fd, true);
  const int e = fd < 0 ? errno : ENOMEM;
  if (fd >= 0)
    close(fd);
  forget(&p);
  errno = e;
  return false;
}

bool out_can(const char *name) {
  struct stat s;
  out_place p;
  if (strcmp(name, "-") == 0)
    return true;
  if (stat(name, &s) == 0) {  // to open a pipe would wait for who reads it
    errno = EISDIR;
    return !S_ISDIR(s.st_mode) && access(name, W_OK) == 0;
  }
  const int fd = place_open(&p, name, true);
  if (fd < 0)
    return false;
  close(fd);
  unlink(p.aside ? p.aside : name);
  forget(&p);
  return true;
}

bool out_printed(void) {
  errno = 0;
  const bool failed = ferror(stdout);
  if (fflush(stdout) == 0 && !failed)
    return true;
  // what failed before is forgotten by now, but it fails again
  if (!errno && write(STDOUT_FILENO, "\n", 1) == 1)
    errno = EIO;
  return false;
}

void out_standard(void) {
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      // the lowest number that is free; to read from the first, or to write to the second, fails
      (void)!open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY);
}
