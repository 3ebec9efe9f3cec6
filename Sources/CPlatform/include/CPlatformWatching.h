// Being told of changes: inotify and fanotify of Linux, and waiting for them. Other systems have the
// same functions, which fail with ENOSYS: there, directories are watched by looking again.
//
// Functions return 0 or a positive errno unless they say otherwise.

#ifndef CPLATFORM_WATCHING_H
#define CPLATFORM_WATCHING_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

/// What happened, in words of our own, because inotify and fanotify number the same things
/// differently. The kernel merges events, so one may be several of these.
enum cplatform_change {
  /// An entry appeared in the directory: created, linked or moved there.
  cplatform_change_appeared = 1 << 0,
  /// An entry is gone from the directory: removed, or moved away.
  cplatform_change_vanished = 1 << 1,
  /// The content or the values of an entry, or of the directory itself, changed.
  cplatform_change_altered = 1 << 2,
  /// The entry is a directory.
  cplatform_change_of_directory = 1 << 3,
  /// The entry had another place or will have one: paths below it are others now.
  cplatform_change_moved = 1 << 7,
  /// The watched directory itself was moved or removed.
  cplatform_change_self_gone = 1 << 4,
  /// The watch is no more: the directory was removed or its file system unmounted.
  cplatform_change_unwatched = 1 << 5,
  /// The kernel has dropped events.
  cplatform_change_overflow = 1 << 6,
};

/// One event. Pointers lead into the buffer that was read and live as long as it.
struct cplatform_event {
  uint32_t changes;
  /// inotify: the number of the watch.
  int32_t watch;
  /// fanotify: the file system, and the handle of the directory, for ``cplatform_open_handle``.
  uint64_t volume;
  const char *handle;
  long handle_length;
  /// The name of the entry in the directory; empty for the directory itself.
  const char *name;
  long name_length;
};

// MARK: - Waiting

/// Names the calling thread, for people who look at the process. At most 15 bytes.
static inline void cplatform_name_thread(const char *name) {
#ifdef __linux__
  prctl(PR_SET_NAME, name);
#else
  pthread_setname_np(name);
#endif
}

/// A descriptor that becomes readable when another thread says so, and stays readable.
struct cplatform_alarm {
  int wait_fd;
  int ring_fd;
};

static inline int cplatform_alarm_open(struct cplatform_alarm *alarm) {
#ifdef __linux__
  alarm->wait_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  alarm->ring_fd = alarm->wait_fd;
  return alarm->wait_fd < 0 ? errno : 0;
#else
  int ends[2];
  if (pipe(ends) != 0) {
    return errno;
  }
  for (int i = 0; i < 2; i++) {
    fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    fcntl(ends[i], F_SETFL, O_NONBLOCK);
  }
  alarm->wait_fd = ends[0];
  alarm->ring_fd = ends[1];
  return 0;
#endif
}

static inline void cplatform_alarm_ring(const struct cplatform_alarm *alarm) {
  uint64_t one = 1;
  ssize_t written;
  do {
    written = write(alarm->ring_fd, &one, sizeof one);
  } while (written < 0 && errno == EINTR);
}

static inline void cplatform_alarm_close(struct cplatform_alarm *alarm) {
  if (alarm->ring_fd != alarm->wait_fd) {
    close(alarm->ring_fd);
  }
  close(alarm->wait_fd);
}

enum cplatform_ready {
  cplatform_ready_alarm = 1,
  cplatform_ready_events = 2,
  cplatform_ready_mounts = 4,
};

/// Waits until one of the descriptors has something, for at most so many milliseconds, or for ever if
/// negative. A descriptor below zero is left out. Returns which of them, 0 when the time is over, or
/// a negated errno.
static inline int cplatform_wait(int alarm, int events, int mounts, int milliseconds) {
  struct pollfd fds[3] = {
      {.fd = alarm, .events = POLLIN},
      {.fd = events, .events = POLLIN},
      // The kernel's table of mounts reports a change as an exceptional condition.
      {.fd = mounts, .events = POLLPRI},
  };
  if (poll(fds, 3, milliseconds) < 0) {
    return errno == EINTR ? 0 : -errno;
  }
  return (fds[0].revents ? cplatform_ready_alarm : 0) |
         (fds[1].revents ? cplatform_ready_events : 0) |
         (fds[2].revents ? cplatform_ready_mounts : 0);
}

/// Reads what is there without waiting. Returns the number of bytes, 0 for none, or a negated errno.
static inline long cplatform_read_events(int fd, char *buffer, long capacity) {
  for (;;) {
    ssize_t n = read(fd, buffer, (size_t)capacity);
    if (n >= 0) {
      return n;
    }
    if (errno == EAGAIN) {
      return 0;
    }
    if (errno != EINTR) {
      return -errno;
    }
  }
}

#ifdef __linux__

// MARK: - inotify

static inline int cplatform_inotify_open(int *out) {
  *out = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  return *out < 0 ? errno : 0;
}

enum cplatform_watch_kind {
  /// Everything that changes in a directory.
  cplatform_watch_content,
  /// Only that the directory itself is moved or removed.
  cplatform_watch_place,
};

/// Watches an open directory. Opened directories are named through /proc, which has no limit on the
/// length of paths and cannot hit another directory that took the name meanwhile.
/// Returns the number of the watch, the same for the same directory, or a negated errno.
static inline int cplatform_inotify_add(int fd, const char *path, enum cplatform_watch_kind kind) {
  uint32_t mask = IN_ONLYDIR | IN_MOVE_SELF | IN_DELETE_SELF;
  if (kind == cplatform_watch_content) {
    mask |= IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE |
            IN_ATTRIB | IN_EXCL_UNLINK;
  }
  int watch = inotify_add_watch(fd, path, mask);
  return watch < 0 ? -errno : watch;
}

static inline void cplatform_inotify_remove(int fd, int watch) {
  inotify_rm_watch(fd, watch);
}

/// Takes the event at `*position` out of a buffer with `filled` bytes. Returns 0 after the last.
static inline int cplatform_inotify_next(
    const char *buffer, long filled, long *position, struct cplatform_event *out) {
  struct inotify_event event;
  if (filled - *position < (long)sizeof event) {
    return 0;
  }
  const char *start = buffer + *position;
  memcpy(&event, start, sizeof event);
  if (filled - *position < (long)(sizeof event + event.len)) {
    return 0;
  }
  *position += (long)(sizeof event + event.len);
  memset(out, 0, sizeof *out);
  out->watch = event.wd;
  out->name = event.len > 0 ? start + sizeof event : "";
  out->name_length = event.len > 0 ? (long)strnlen(out->name, event.len) : 0;
  uint32_t mask = event.mask;
  out->changes =
      (mask & (IN_CREATE | IN_MOVED_TO) ? cplatform_change_appeared : 0) |
      (mask & (IN_DELETE | IN_MOVED_FROM) ? cplatform_change_vanished : 0) |
      (mask & (IN_MOVED_FROM | IN_MOVED_TO) ? cplatform_change_moved : 0) |
      (mask & (IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB) ? cplatform_change_altered : 0) |
      (mask & IN_ISDIR ? cplatform_change_of_directory : 0) |
      (mask & (IN_MOVE_SELF | IN_DELETE_SELF | IN_UNMOUNT) ? cplatform_change_self_gone : 0) |
      (mask & IN_IGNORED ? cplatform_change_unwatched : 0) |
      (mask & IN_Q_OVERFLOW ? cplatform_change_overflow : 0);
  return 1;
}

// MARK: - fanotify

/// Long enough for the handle of every file system (MAX_HANDLE_SZ) with its header.
#define CPLATFORM_HANDLE_SIZE 136

static inline int cplatform_fanotify_open(int *out) {
#ifdef FAN_REPORT_DFID_NAME
  *out = fanotify_init(
      FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_REPORT_DFID_NAME, O_RDONLY);
  return *out < 0 ? errno : 0;
#else
  *out = -1;
  return ENOSYS;
#endif
}

/// Asks for all changes in the file system that `directory` is on.
static inline int cplatform_fanotify_mark_volume(int fd, int directory) {
#ifdef FAN_REPORT_DFID_NAME
  uint64_t mask = FAN_CREATE | FAN_DELETE | FAN_MOVED_FROM | FAN_MOVED_TO | FAN_MODIFY |
                  FAN_CLOSE_WRITE | FAN_ATTRIB | FAN_ONDIR;
  return fanotify_mark(fd, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, mask, directory, NULL) == 0 ? 0
                                                                                           : errno;
#else
  (void)fd;
  (void)directory;
  return ENOSYS;
#endif
}

/// Asks to be told when a directory itself is moved or removed.
static inline int cplatform_fanotify_mark_place(int fd, const char *path) {
#ifdef FAN_REPORT_DFID_NAME
  uint64_t mask = FAN_MOVE_SELF | FAN_DELETE_SELF | FAN_ONDIR;
  return fanotify_mark(fd, FAN_MARK_ADD | FAN_MARK_ONLYDIR, mask, AT_FDCWD, path) == 0 ? 0 : errno;
#else
  (void)fd;
  (void)path;
  return ENOSYS;
#endif
}

/// Takes the event at `*position` out of a buffer with `filled` bytes. Returns 0 after the last.
static inline int cplatform_fanotify_next(
    const char *buffer, long filled, long *position, struct cplatform_event *out) {
#ifdef FAN_REPORT_DFID_NAME
  struct fanotify_event_metadata event;
  if (filled - *position < (long)sizeof event) {
    return 0;
  }
  const char *start = buffer + *position;
  memcpy(&event, start, sizeof event);
  if (event.event_len < sizeof event || filled - *position < (long)event.event_len) {
    return 0;
  }
  *position += (long)event.event_len;
  memset(out, 0, sizeof *out);
  out->name = "";
  uint64_t mask = event.mask;
  out->changes =
      (mask & (FAN_CREATE | FAN_MOVED_TO) ? cplatform_change_appeared : 0) |
      (mask & (FAN_DELETE | FAN_MOVED_FROM) ? cplatform_change_vanished : 0) |
      (mask & (FAN_MOVED_FROM | FAN_MOVED_TO) ? cplatform_change_moved : 0) |
      (mask & (FAN_MODIFY | FAN_CLOSE_WRITE | FAN_ATTRIB) ? cplatform_change_altered : 0) |
      (mask & FAN_ONDIR ? cplatform_change_of_directory : 0) |
      (mask & (FAN_MOVE_SELF | FAN_DELETE_SELF) ? cplatform_change_self_gone : 0) |
      (mask & FAN_Q_OVERFLOW ? cplatform_change_overflow : 0);
  // Records follow: a header of four bytes, the id of the file system, a struct file_handle (length,
  // type, that many bytes), and for DFID_NAME the name with its NUL.
  uint32_t offset = event.metadata_len;
  while (offset + sizeof(struct fanotify_event_info_header) <= event.event_len) {
    struct fanotify_event_info_header header;
    memcpy(&header, start + offset, sizeof header);
    if (header.len < sizeof header || offset + header.len > event.event_len) {
      break;
    }
    long fixed = (long)sizeof header + 8 + 8;
    if ((header.info_type == FAN_EVENT_INFO_TYPE_DFID_NAME ||
         header.info_type == FAN_EVENT_INFO_TYPE_DFID) &&
        header.len >= fixed) {
      const char *record = start + offset;
      uint32_t bytes;
      memcpy(&out->volume, record + sizeof header, sizeof out->volume);
      memcpy(&bytes, record + sizeof header + 8, sizeof bytes);
      if (fixed + (long)bytes <= header.len) {
        out->handle = record + sizeof header + 8;
        out->handle_length = 8 + (long)bytes;
        if (header.info_type == FAN_EVENT_INFO_TYPE_DFID_NAME) {
          out->name = record + fixed + bytes;
          out->name_length = (long)strnlen(out->name, (size_t)(header.len - fixed - (long)bytes));
          if (out->name_length == 1 && out->name[0] == '.') {
            out->name_length = 0;
          }
        }
      }
    }
    offset += header.len;
  }
  return 1;
#else
  (void)buffer;
  (void)filled;
  (void)position;
  (void)out;
  return 0;
#endif
}

/// The handle of an open directory, at most ``CPLATFORM_HANDLE_SIZE`` bytes.
static inline int cplatform_handle_of(int directory, char *handle, long *length) {
  uint32_t bytes = CPLATFORM_HANDLE_SIZE - 8;
  memcpy(handle, &bytes, sizeof bytes);
  int mount;
  if (syscall(SYS_name_to_handle_at, directory, "", handle, &mount, 0x1000 /* AT_EMPTY_PATH */)) {
    return errno;
  }
  memcpy(&bytes, handle, sizeof bytes);
  *length = 8 + (long)bytes;
  return 0;
}

/// Opens a directory by its handle, only to learn where it is. `mount` is any open directory on the
/// same file system. A result below zero is a negated errno.
static inline int cplatform_open_handle(int mount, const char *handle) {
  // 010000000 O_PATH, which <fcntl.h> hides without _GNU_SOURCE.
  long fd = syscall(SYS_open_by_handle_at, mount, handle, 010000000 | O_CLOEXEC);
  return fd < 0 ? -errno : (int)fd;
}

// MARK: - Places

/// Opens the table of mounted file systems. A result below zero is a negated errno.
static inline int cplatform_open_mount_table(void) {
  int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

#else

enum cplatform_watch_kind { cplatform_watch_content, cplatform_watch_place };
#define CPLATFORM_HANDLE_SIZE 136

static inline int cplatform_inotify_open(int *out) {
  *out = -1;
  return ENOSYS;
}
static inline int cplatform_inotify_add(int fd, const char *path, enum cplatform_watch_kind kind) {
  (void)fd, (void)path, (void)kind;
  return -ENOSYS;
}
static inline void cplatform_inotify_remove(int fd, int watch) {
  (void)fd, (void)watch;
}
static inline int cplatform_inotify_next(
    const char *buffer, long filled, long *position, struct cplatform_event *out) {
  (void)buffer, (void)filled, (void)position, (void)out;
  return 0;
}
static inline int cplatform_fanotify_open(int *out) {
  *out = -1;
  return ENOSYS;
}
static inline int cplatform_fanotify_mark_volume(int fd, int directory) {
  (void)fd, (void)directory;
  return ENOSYS;
}
static inline int cplatform_fanotify_mark_place(int fd, const char *path) {
  (void)fd, (void)path;
  return ENOSYS;
}
static inline int cplatform_fanotify_next(
    const char *buffer, long filled, long *position, struct cplatform_event *out) {
  (void)buffer, (void)filled, (void)position, (void)out;
  return 0;
}
static inline int cplatform_handle_of(int directory, char *handle, long *length) {
  (void)directory, (void)handle, (void)length;
  return ENOSYS;
}
static inline int cplatform_open_handle(int mount, const char *handle) {
  (void)mount, (void)handle;
  return -ENOSYS;
}
static inline int cplatform_open_mount_table(void) {
  return -ENOSYS;
}

#endif

#endif
