// Opening directories and files: by a path, or from an open directory down without leaving it.
//
// Functions return a descriptor, or below zero a negated errno.

#ifndef CPLATFORM_OPENING_H
#define CPLATFORM_OPENING_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

/// Opens a directory for reading without following a symbolic link in the last component and
/// without blocking. A result below zero is a negated errno.
static inline int cplatform_open_directory(int parent, const char *name) {
  int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  int fd;
  do {
    fd = openat(parent, name, flags);
  } while (fd < 0 && errno == EINTR);
  return fd < 0 ? -errno : fd;
}

/// Opens a directory by its path, links followed, if the system has all of the path in memory. A
/// result below zero is a negated errno: EAGAIN where a disk or another machine would have to be asked,
/// ENOSYS or EINVAL where the system cannot tell.
static inline int cplatform_open_known_directory(const char *path) {
#if defined(__linux__) && defined(SYS_openat2)
  // struct open_how of <linux/openat2.h>; 0x20: RESOLVE_CACHED, since Linux 5.12.
  struct { uint64_t flags, mode, resolve; } how = {O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0x20};
  long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
  return fd < 0 ? -errno : (int)fd;
#else
  (void)path;
  return -ENOSYS;
#endif
}

#ifdef __linux__

/// A directory in which names are looked up, but which is not read: O_PATH, which <fcntl.h> hides
/// without _GNU_SOURCE.
enum { cplatform_passage = 010000000 };

/// Opens a path of several names without following a symbolic link and without leaving the directory,
/// where the system can. It says EXDEV for what leads out.
static inline int cplatform_open_steps(int directory, const char *path, int flags) {
#ifdef SYS_openat2
  // struct open_how of <linux/openat2.h>; 0x08: RESOLVE_BENEATH, 0x04: RESOLVE_NO_SYMLINKS.
  struct { uint64_t flags, mode, resolve; } how = {(uint64_t)flags, 0, 0x08 | 0x04};
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
#else
  (void)directory, (void)path, (void)flags;
  errno = ENOSYS;
  return -1;
#endif
}

/// Opens what lies at a path of names below an open directory. No symbolic link is followed, neither
/// on the way nor at the end, and the path does not lead out of the directory: what somebody puts in the
/// place of a directory meanwhile is an error, ELOOP or ENOTDIR. The path may have any length.
///
/// Systems before Linux 5.6, and programs that are kept from the call, go name by name.
static inline int cplatform_open_beneath(int directory, const char *path, int flags) {
  char step[4096];
  int at = directory;
  int goes_by_steps = 1;
  for (;;) {
    size_t length = strcspn(path, "/");
    int is_name = 1;
    while (goes_by_steps && path[length] == '/') {
      size_t longer = length + 1 + strcspn(path + length + 1, "/");
      if (longer >= sizeof step) break;
      length = longer;
      is_name = 0;
    }
    int is_last = path[length] == 0;
    int fd = -1;
    if (length >= sizeof step) {
      errno = ENAMETOOLONG;
    } else {
      memcpy(step, path, length);
      step[length] = 0;
      int how = O_NOFOLLOW | O_CLOEXEC | (is_last ? flags : cplatform_passage | O_DIRECTORY);
      if (is_name && strcmp(step, "..") == 0) {
        errno = EXDEV;
      } else {
        do {
          fd = is_name ? openat(at, step, how) : cplatform_open_steps(at, step, how);
        } while (fd < 0 && errno == EINTR);
      }
    }
    // EPERM is said for calls that are not permitted, EAGAIN where something was renamed meanwhile.
    if (fd < 0 && !is_name && (errno == ENOSYS || errno == EPERM || errno == EAGAIN)) {
      goes_by_steps = 0;
      continue;
    }
    int code = errno;
    if (at != directory) close(at);
    if (fd < 0) return -code;
    if (is_last) return fd;
    at = fd;
    path += length + 1;
  }
}

/// Whether there is something at a path of names below an open directory, by the rules of
/// `cplatform_open_beneath`, but for the last name, which may be a link. Returns 0 or a positive errno.
static inline int cplatform_find_beneath(int directory, const char *path) {
  int fd = cplatform_open_beneath(directory, path, cplatform_passage);
  if (fd < 0) return -fd;
  close(fd);
  return 0;
}

#else

static inline int cplatform_open_beneath(int directory, const char *path, int flags) {
  int fd;
  do {
    fd = openat(directory, path, flags | O_NOFOLLOW_ANY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  return fd < 0 ? -errno : fd;
}

static inline int cplatform_find_beneath(int directory, const char *path) {
  struct stat status;
  return fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW_ANY) == 0 ? 0 : errno;
}

#endif

#endif
