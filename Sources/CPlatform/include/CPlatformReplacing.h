// System calls for replacing, swapping and copying files that Swift cannot import, or that differ
// between systems.
//
// Functions return 0 or a positive errno, unless they say otherwise.

#ifndef CPLATFORM_REPLACING_H
#define CPLATFORM_REPLACING_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#else
#include <sys/param.h>
#endif

/// Swaps two names in one step. EINVAL, ENOSYS or ENOTSUP where the file system cannot.
static inline int cplatform_exchange(int one, const char *first, int other, const char *second) {
#ifdef __linux__
  // 2: RENAME_EXCHANGE
  return syscall(SYS_renameat2, one, first, other, second, 2u) == 0 ? 0 : errno;
#else
  return renameatx_np(one, first, other, second, RENAME_SWAP) == 0 ? 0 : errno;
#endif
}

/// Renames in one step if the new name is free, else EEXIST. EINVAL, ENOSYS or ENOTSUP where the
/// file system cannot tell.
static inline int cplatform_rename_to_free_name(
    int from, const char *old, int to, const char *new_name) {
#ifdef __linux__
  // 1: RENAME_NOREPLACE
  return syscall(SYS_renameat2, from, old, to, new_name, 1u) == 0 ? 0 : errno;
#else
  return renameatx_np(from, old, to, new_name, RENAME_EXCL) == 0 ? 0 : errno;
#endif
}

/// Opens a file without a name in a directory, for writing: it is gone when nobody has it open, also
/// after a crash. A result below zero is a negated errno, where the file system cannot do this too, and
/// where it could never get a name.
static inline int cplatform_open_nameless(int directory, mode_t mode) {
#ifdef __linux__
  // O_TMPFILE, which <fcntl.h> hides without _GNU_SOURCE.
  int flags = 020000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC;
  int fd = openat(directory, ".", flags, mode);
  if (fd < 0) {
    return -errno;
  }
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (access(path, F_OK) != 0) {
    close(fd);
    return -ENOSYS;
  }
  return fd;
#else
  (void)directory;
  (void)mode;
  return -ENOTSUP;
#endif
}

/// Gives a file without a name its first one.
static inline int cplatform_name_nameless(int fd, int directory, const char *name) {
#ifdef __linux__
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
#else
  (void)fd;
  (void)directory;
  (void)name;
  return ENOTSUP;
#endif
}

/// Returns when the content and the values of an open file are on the disk. Where there is nothing
/// that could be flushed, as in directories of some file systems, that is at once.
static inline int cplatform_flush(int fd) {
#ifdef __linux__
  return fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
#else
  // fsync leaves the bytes in the drive's cache; some file systems know nothing better.
  return fcntl(fd, F_FULLFSYNC) == 0 || fsync(fd) == 0 ? 0 : errno;
#endif
}

/// The path by which the system knows an open file now, without a final NUL. Returns its length or a
/// negated errno.
static inline long cplatform_path_of(int fd, char *buffer, long capacity) {
#ifdef __linux__
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long n = readlink(link, buffer, (size_t)capacity);
  return n < 0 ? -errno : n == capacity ? -ENAMETOOLONG : n;
#else
  if (capacity < MAXPATHLEN) {
    return -ERANGE;
  }
  return fcntl(fd, F_GETPATH, buffer) == 0 ? (long)strlen(buffer) : -errno;
#endif
}

/// Copies up to `length` bytes between the positions of two files, without a detour through the
/// process and by sharing blocks where the file system can. Returns the count or a negated errno.
static inline long cplatform_copy_range(int from, int to, long length) {
#ifdef __linux__
  long n = syscall(SYS_copy_file_range, from, NULL, to, NULL, (size_t)length, 0u);
  return n < 0 ? -errno : n;
#else
  (void)from;
  (void)to;
  (void)length;
  return -ENOTSUP;
#endif
}

/// The extended attributes of an open file. Results below zero are negated errnos.
static inline long cplatform_open_attribute_names(int fd, char *buffer, long capacity) {
#ifdef __linux__
  long n = flistxattr(fd, buffer, (size_t)capacity);
#else
  long n = flistxattr(fd, buffer, (size_t)capacity, 0);
#endif
  return n < 0 ? -errno : n;
}

static inline int cplatform_set_open_attribute(
    int fd, const char *name, const void *value, long length) {
#ifdef __linux__
  return fsetxattr(fd, name, value, (size_t)length, 0) == 0 ? 0 : errno;
#else
  return fsetxattr(fd, name, value, (size_t)length, 0, 0) == 0 ? 0 : errno;
#endif
}

#endif
