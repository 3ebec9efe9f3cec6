// What Swift cannot import from the system's C library, and the one place where operating systems
// differ: everything above this header is the same code on Linux and macOS.
//
// Functions return 0 or a positive errno, never -1, so that callers need not touch `errno`.

#ifndef CPLATFORM_H
#define CPLATFORM_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "CPlatformOpening.h"
#include "CPlatformWatching.h"

#ifdef __linux__
#include <linux/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>
#endif

/// A time that the file system does not record.
#define CPLATFORM_TIME_UNKNOWN INT64_MIN

/// The values of one directory entry. Times are nanoseconds since 1970-01-01 UTC, sizes are bytes.
struct cplatform_status {
  int64_t size;
  int64_t allocated;
  int64_t created;
  int64_t modified;
  int64_t changed;
  int64_t accessed;
  uint64_t inode;
  uint64_t device;
  uint32_t mode;
  uint32_t uid;
  uint32_t gid;
  uint32_t links;
  /// Linux: `stx_attributes`; macOS: `st_flags`.
  uint32_t attributes;
};

/// Nanoseconds since 1970, clamped to what 64 bits hold (the years 1677 to 2262).
static inline int64_t cplatform_nanoseconds(int64_t seconds, int64_t nanoseconds) {
  int64_t result;
  if (__builtin_mul_overflow(seconds, INT64_C(1000000000), &result) ||
      __builtin_add_overflow(result, nanoseconds, &result)) {
    return seconds < 0 ? INT64_MIN + 1 : INT64_MAX;
  }
  return result;
}

/// Numbers of bytes as they are kept. A file system may say anything, such as one in a user's process.
static inline int64_t cplatform_bytes(uint64_t count, uint64_t unit) {
  uint64_t most = (uint64_t)INT64_MAX / unit;
  return (int64_t)((count < most ? count : most) * unit);
}

enum cplatform_follow { cplatform_nofollow = 0, cplatform_follow = 1 };

#ifdef __linux__

static inline int cplatform_status_at(
    int directory, const char *name, enum cplatform_follow follow, struct cplatform_status *out) {
  struct statx x;
  // 0x800 AT_NO_AUTOMOUNT, 0x4000 AT_STATX_DONT_SYNC, 0x100 AT_SYMLINK_NOFOLLOW: <fcntl.h> hides
  // the first two without _GNU_SOURCE, and the module that Swift imports was built without it.
  // An empty name means the directory itself (0x1000, AT_EMPTY_PATH).
  int flags = 0x800 | 0x4000 | (follow ? 0 : 0x100) | (name[0] == 0 ? 0x1000 : 0);
  if (syscall(SYS_statx, directory, name, flags, STATX_BASIC_STATS | STATX_BTIME, &x) != 0) {
    return errno;
  }
  out->size = cplatform_bytes(x.stx_size, 1);
  out->allocated = cplatform_bytes(x.stx_blocks, 512);
  out->created = (x.stx_mask & STATX_BTIME)
      ? cplatform_nanoseconds(x.stx_btime.tv_sec, x.stx_btime.tv_nsec)
      : CPLATFORM_TIME_UNKNOWN;
  out->modified = cplatform_nanoseconds(x.stx_mtime.tv_sec, x.stx_mtime.tv_nsec);
  out->changed = cplatform_nanoseconds(x.stx_ctime.tv_sec, x.stx_ctime.tv_nsec);
  out->accessed = cplatform_nanoseconds(x.stx_atime.tv_sec, x.stx_atime.tv_nsec);
  out->inode = x.stx_ino;
  out->device = makedev(x.stx_dev_major, x.stx_dev_minor);
  out->mode = x.stx_mode;
  out->uid = x.stx_uid;
  out->gid = x.stx_gid;
  out->links = x.stx_nlink;
  out->attributes = (uint32_t)x.stx_attributes;
  return 0;
}

#else

static inline int cplatform_status_at(
    int directory, const char *name, enum cplatform_follow follow, struct cplatform_status *out) {
  struct stat s;
  int failed = name[0] == 0
      ? fstat(directory, &s)
      : fstatat(directory, name, &s, follow ? 0 : AT_SYMLINK_NOFOLLOW);
  if (failed != 0) {
    return errno;
  }
  out->size = cplatform_bytes((uint64_t)s.st_size, 1);
  out->allocated = cplatform_bytes((uint64_t)s.st_blocks, 512);
  out->created = cplatform_nanoseconds(s.st_birthtimespec.tv_sec, s.st_birthtimespec.tv_nsec);
  out->modified = cplatform_nanoseconds(s.st_mtimespec.tv_sec, s.st_mtimespec.tv_nsec);
  out->changed = cplatform_nanoseconds(s.st_ctimespec.tv_sec, s.st_ctimespec.tv_nsec);
  out->accessed = cplatform_nanoseconds(s.st_atimespec.tv_sec, s.st_atimespec.tv_nsec);
  out->inode = s.st_ino;
  out->device = (uint64_t)s.st_dev;
  out->mode = s.st_mode;
  out->uid = s.st_uid;
  out->gid = s.st_gid;
  out->links = s.st_nlink;
  out->attributes = s.st_flags;
  return 0;
}

#endif

/// What tells a directory from any other and from what it was at another time.
struct cplatform_directory_stamp {
  uint64_t inode;
  uint64_t device;
  int64_t modified;
  int64_t changed;
  /// Whether it is the root of what is mounted there, as far as the system tells.
  int is_mount_root;
};

/// Whether a file system of another machine is asked what holds now.
enum cplatform_freshness { cplatform_as_known, cplatform_as_now };

/// Reads it of the directory at a path below an open one: ENOTDIR for anything else.
static inline int cplatform_stamp_directory(
    int directory, const char *path, enum cplatform_freshness freshness,
    struct cplatform_directory_stamp *out) {
#ifdef __linux__
  struct statx x;
  // AT_NO_AUTOMOUNT, AT_SYMLINK_NOFOLLOW and AT_STATX_DONT_SYNC.
  int flags = 0x800 | 0x100 | (freshness == cplatform_as_known ? 0x4000 : 0);
  unsigned int mask = STATX_TYPE | STATX_INO | STATX_MTIME | STATX_CTIME;
  if (syscall(SYS_statx, directory, path, flags, mask, &x) != 0) {
    return errno;
  }
  if (!S_ISDIR(x.stx_mode)) return ENOTDIR;
  out->inode = x.stx_ino;
  out->device = makedev(x.stx_dev_major, x.stx_dev_minor);
  out->modified = cplatform_nanoseconds(x.stx_mtime.tv_sec, x.stx_mtime.tv_nsec);
  out->changed = cplatform_nanoseconds(x.stx_ctime.tv_sec, x.stx_ctime.tv_nsec);
  // STATX_ATTR_MOUNT_ROOT.
  out->is_mount_root = (x.stx_attributes & 0x2000) != 0;
#else
  (void)freshness;
  struct cplatform_status status;
  int code = cplatform_status_at(directory, path, cplatform_nofollow, &status);
  if (code != 0) return code;
  if (!S_ISDIR(status.mode)) return ENOTDIR;
  out->inode = status.inode;
  out->device = status.device;
  out->modified = status.modified;
  out->changed = status.changed;
  out->is_mount_root = 0;
#endif
  return 0;
}

/// Reads from the beginning of a file what is in memory. Returns the count or a negated errno: EAGAIN
/// where the disk would have to be waited for.
static inline long cplatform_read_known(int fd, void *buffer, long capacity) {
#if defined(__linux__) && defined(SYS_preadv2)
  struct { void *base; size_t length; } piece = {buffer, (size_t)capacity};
  // 8: RWF_NOWAIT. The two zeros are the position.
  long n = syscall(SYS_preadv2, fd, &piece, 1L, 0L, 0L, 8L);
  if (n >= 0 || errno != EOPNOTSUPP) {
    return n < 0 ? -errno : n;
  }
#endif
  // Some file systems cannot tell, most of which have everything in memory.
  long m = pread(fd, buffer, (size_t)capacity, 0);
  return m < 0 ? -errno : m;
}

/// Reads one directory, entry by entry. `buffer` belongs to the caller and is reused from directory
/// to directory, which is what `opendir` cannot do.
struct cplatform_listing {
#ifdef __linux__
  int fd;
  char *buffer;
  long capacity;
  long filled;
  long position;
  /// What the system said after what is in the buffer: 1 there is more, 0 nothing more, below zero a
  /// negated errno.
  long rest;
#else
  DIR *stream;
#endif
};

#ifdef __linux__

static inline int cplatform_listing_start(
    struct cplatform_listing *listing, int fd, char *buffer, long capacity) {
  listing->fd = fd;
  listing->buffer = buffer;
  listing->capacity = capacity;
  listing->filled = 0;
  listing->position = 0;
  listing->rest = 1;
  return 0;
}

/// Reads on, behind what the buffer has, until the room for it is less than `least`.
static inline void cplatform_listing_fill(struct cplatform_listing *listing, long least) {
  while (listing->rest == 1 && listing->capacity - listing->filled >= least) {
    long n = syscall(
        SYS_getdents64, listing->fd, listing->buffer + listing->filled,
        listing->capacity - listing->filled);
    if (n < 0 && errno == EINTR) continue;
    if (n > 0) {
      listing->filled += n;
    } else {
      listing->rest = n < 0 ? -errno : 0;
    }
  }
}

/// Looks which of some names a directory has, before the first of its entries is taken. What it has read
/// for that it has not to read again.
///
/// `names` has one behind the other, each ended by NUL, and all begin with a dot; an empty one ends them.
/// The first is the lowest bit of the result. Below zero: the directory is too large to tell.
static inline int cplatform_listing_find(struct cplatform_listing *listing, const char *names) {
  enum { record_length = 16, record_name = 19, longest_record = 2048 };
  cplatform_listing_fill(listing, longest_record);
  int found = 0;
  uint16_t size;
  for (long position = 0; position < listing->filled; position += size) {
    const char *record = listing->buffer + position;
    memcpy(&size, record + record_length, sizeof size);
    const char *s = record + record_name;
    if (s[0] != '.') continue;
    int bit = 1;
    for (const char *name = names; *name != 0; name += strlen(name) + 1, bit <<= 1) {
      if (strcmp(s, name) == 0) found |= bit;
    }
  }
  return listing->rest == 1 ? -1 : found;
}

/// 1: `name`, `length` and `type` (a DT_ constant) are set; 0: no more; below zero: a negated errno.
/// `.` and `..` are left out. The name ends with NUL and lives until the next call.
static inline int cplatform_listing_next(
    struct cplatform_listing *listing, const char **name, long *length, uint8_t *type) {
  // struct linux_dirent64: u64 inode, s64 offset, u16 record length, u8 type, the name.
  enum { record_length = 16, record_type = 18, record_name = 19 };
  for (;;) {
    if (listing->position >= listing->filled) {
      if (listing->rest != 1) {
        return (int)listing->rest;
      }
      long n = syscall(SYS_getdents64, listing->fd, listing->buffer, listing->capacity);
      if (n < 0) {
        if (errno == EINTR) {
          continue;
        }
        return -errno;
      }
      if (n == 0) {
        return 0;
      }
      listing->filled = n;
      listing->position = 0;
    }
    char *record = listing->buffer + listing->position;
    uint16_t size;
    memcpy(&size, record + record_length, sizeof size);
    listing->position += size;
    const char *s = record + record_name;
    if (s[0] == '.' && (s[1] == 0 || (s[1] == '.' && s[2] == 0))) {
      continue;
    }
    *name = s;
    *length = (long)strlen(s);
    *type = (uint8_t)record[record_type];
    return 1;
  }
}

static inline void cplatform_listing_end(struct cplatform_listing *listing) {
  listing->filled = 0;
}

#else

static inline int cplatform_listing_start(
    struct cplatform_listing *listing, int fd, char *buffer, long capacity) {
  (void)buffer;
  (void)capacity;
  // The stream owns its descriptor; the caller keeps its own for opening what is inside.
  int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (own < 0) {
    return errno;
  }
  listing->stream = fdopendir(own);
  if (listing->stream == NULL) {
    int code = errno;
    close(own);
    return code;
  }
  rewinddir(listing->stream);
  return 0;
}

/// What it has read is hidden by the library: nobody can tell.
static inline int cplatform_listing_find(struct cplatform_listing *listing, const char *names) {
  (void)listing;
  (void)names;
  return -1;
}

static inline int cplatform_listing_next(
    struct cplatform_listing *listing, const char **name, long *length, uint8_t *type) {
  for (;;) {
    errno = 0;
    struct dirent *entry = readdir(listing->stream);
    if (entry == NULL) {
      return errno == 0 ? 0 : -errno;
    }
    const char *s = entry->d_name;
    if (s[0] == '.' && (s[1] == 0 || (s[1] == '.' && s[2] == 0))) {
      continue;
    }
    *name = s;
    *length = (long)strlen(s);
    *type = entry->d_type;
    return 1;
  }
}

static inline void cplatform_listing_end(struct cplatform_listing *listing) {
  if (listing->stream != NULL) {
    closedir(listing->stream);
    listing->stream = NULL;
  }
}

#endif

/// The number of a device, as `cplatform_status` has it.
static inline uint64_t cplatform_device(uint32_t major, uint32_t minor) {
  return (uint64_t)makedev(major, minor);
}

/// What is known of a mounted file system.
struct cplatform_volume {
  /// The file system's own id: derived from its UUID where it has one, so it survives a remount.
  uint64_t identity;
  /// Linux: the magic number of `statfs(2)`; macOS: `f_type`.
  uint64_t type;
  /// macOS: the name of the type; empty on Linux, which gives none.
  char name[16];
};

static inline int cplatform_volume_of(int fd, struct cplatform_volume *out) {
  struct statfs s;
  if (fstatfs(fd, &s) != 0) {
    return errno;
  }
  memcpy(&out->identity, &s.f_fsid, sizeof out->identity);
  out->type = (uint64_t)s.f_type;
  memset(out->name, 0, sizeof out->name);
#ifndef __linux__
  strncpy(out->name, s.f_fstypename, sizeof out->name - 1);
#endif
  return 0;
}

/// The extended attributes of an entry of a directory, the entry itself and not what it links to.
/// `path` must be resolvable from the current directory. Results below zero are negated errnos.
static inline long cplatform_attribute_names(const char *path, char *buffer, long capacity) {
#ifdef __linux__
  long n = llistxattr(path, buffer, (size_t)capacity);
#else
  long n = listxattr(path, buffer, (size_t)capacity, XATTR_NOFOLLOW);
#endif
  return n < 0 ? -errno : n;
}

static inline long cplatform_attribute_value(
    const char *path, const char *name, void *buffer, long capacity) {
#ifdef __linux__
  long n = lgetxattr(path, name, buffer, (size_t)capacity);
#else
  long n = getxattr(path, name, buffer, (size_t)capacity, 0, XATTR_NOFOLLOW);
#endif
  return n < 0 ? -errno : n;
}

/// Sets an extended attribute of the entry itself, or takes it away; 0, or an errno.
static inline int cplatform_set_attribute(
    const char *path, const char *name, const void *value, long length) {
#ifdef __linux__
  return lsetxattr(path, name, value, (size_t)length, 0) == 0 ? 0 : errno;
#else
  return setxattr(path, name, value, (size_t)length, 0, XATTR_NOFOLLOW) == 0 ? 0 : errno;
#endif
}

static inline int cplatform_remove_attribute(const char *path, const char *name) {
#ifdef __linux__
  return lremovexattr(path, name) == 0 ? 0 : errno;
#else
  return removexattr(path, name, XATTR_NOFOLLOW) == 0 ? 0 : errno;
#endif
}

/// An extended attribute of an open file or directory. Results below zero are negated errnos.
static inline long cplatform_attribute_of_open(
    int descriptor, const char *name, void *buffer, long capacity) {
#ifdef __linux__
  long n = fgetxattr(descriptor, name, buffer, (size_t)capacity);
#else
  long n = fgetxattr(descriptor, name, buffer, (size_t)capacity, 0, 0);
#endif
  return n < 0 ? -errno : n;
}

/// Reads the beginning of a regular file in an open directory, and of nothing else: opening does
/// not block, and a link is not followed. A device is not even opened, which some take for an order;
/// one that has come meanwhile is not read. Results below zero are negated errnos.
static inline long cplatform_read_beginning(
    int parent, const char *name, void *buffer, long capacity) {
  struct stat status;
  if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return -errno;
  if (!S_ISREG(status.st_mode)) return -EINVAL;
  int fd;
  do {
    fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return -errno;
  long n = -EINVAL;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    n = pread(fd, buffer, (size_t)capacity, 0);
    if (n < 0) n = -errno;
  }
  close(fd);
  return n;
}

/// How many processors this process may use.
static inline int cplatform_processor_count(void) {
#ifdef __linux__
  unsigned long allowed[128];
  long size = syscall(SYS_sched_getaffinity, 0, sizeof allowed, allowed);
  int count = 0;
  for (long i = 0; i < size / (long)sizeof allowed[0]; i++) {
    count += __builtin_popcountl(allowed[i]);
  }
  if (count > 0) return count;
#endif
  return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

#include "CPlatformProcess.h"
#include "CPlatformReplacing.h"
#include "CPlatformTerminal.h"

#endif
