#include "CPlatform.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static int argument_count;
static char **arguments;

// The C library of GNU and that of macOS call what runs before `main` with its arguments.
#if defined(__GLIBC__) || defined(__APPLE__)
__attribute__((constructor)) static void keep_arguments(int count, char **words) {
  argument_count = count;
  arguments = words;
}
#endif

char *const *cplatform_arguments(int *count) {
  *count = argument_count;
  return arguments;
}

void cplatform_occupy_standard_descriptors(void) {
  // A directory, which is everywhere, and can be neither read as a file nor written to.
  for (int fd = 0; fd <= 2; fd++) {
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/", O_RDONLY | O_DIRECTORY) != fd) {
      return;
    }
  }
}

void cplatform_return_memory_soon(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  mallopt(M_ARENA_MAX, 2);
#endif
}

int cplatform_free_descriptors(int most) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return most;
  }
  // Asked about many at a time: one by one they would be most of the system calls of a command.
  struct pollfd asked[64];
  int free = 0;
  for (rlim_t fd = 0; fd < limit.rlim_cur && free < most;) {
    nfds_t count = 0;
    for (; fd < limit.rlim_cur && count < sizeof asked / sizeof *asked; fd++) {
      asked[count++] = (struct pollfd){.fd = (int)fd};
    }
    // No more may be asked about at a time than may be open.
    if (poll(asked, count, 0) < 0) {
      return free;
    }
    for (nfds_t i = 0; i < count && free < most; i++) {
      free += (asked[i].revents & POLLNVAL) != 0;
    }
  }
  return free;
}

struct cplatform_thread_times cplatform_thread_times(void) {
  struct cplatform_thread_times times = {0, -1};
#ifdef __linux__
  // The one place where Linux says for how long a thread could have run, and nobody let it.
  int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    char text[96];
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length > 0) {
      text[length] = 0;
      char *end;
      times.running = strtoll(text, &end, 10);
      char *second = end;
      times.queued = strtoll(second, &end, 10);
      if (end != second) return times;
      times.queued = -1;
    }
  }
#endif
  struct timespec running;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &running) == 0) {
    times.running = (int64_t)running.tv_sec * 1000000000 + running.tv_nsec;
  }
  return times;
}

int cplatform_has_room_for(size_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return 1;
  }
#ifdef __GLIBC__
  // Otherwise each thread reserves up to 128 MB for itself.
  mallopt(M_ARENA_MAX, 1);
#endif
  void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) {
    return 0;
  }
  munmap(room, bytes);
  return 1;
}

void cplatform_limit_memory(size_t bytes) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
  // What the libraries take, and a sanitizer, is none of the caller's.
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char text[64] = {0};
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return;
  rlim_t taken = strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur <= taken + bytes) return;
  limit.rlim_cur = taken + bytes;
  setrlimit(RLIMIT_AS, &limit);
#endif
}

int cplatform_make_pipe(int ends[2]) {
#ifdef __linux__
  return syscall(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK) == 0 ? 0 : errno;
#else
  if (pipe(ends) != 0) {
    return errno;
  }
  for (int i = 0; i < 2; i++) {
    if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0 || fcntl(ends[i], F_SETFL, O_NONBLOCK) != 0) {
      int code = errno;
      close(ends[0]);
      close(ends[1]);
      return code;
    }
  }
  return 0;
#endif
}

static const int interruptions[] = {SIGINT, SIGTERM, SIGHUP};
enum { interruption_count = sizeof interruptions / sizeof interruptions[0] };

static volatile sig_atomic_t bell = -1;
static volatile sig_atomic_t is_interrupted;

static void note_interruption(int number) {
  (void)number;
  int kept = errno;
  is_interrupted = 1;
  ssize_t written = write(bell, "", 1);
  (void)written;
  errno = kept;
}

static void set_handler(void (*handler)(int), int flags) {
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = handler;
  action.sa_flags = flags;
  for (int i = 0; i < interruption_count; i++) {
    if (sigaction(interruptions[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
      sigaction(interruptions[i], &action, NULL);
    }
  }
}

void cplatform_catch_interruptions(int fd) {
  bell = fd;
  is_interrupted = 0;
  set_handler(note_interruption, SA_RESTART | (int)SA_RESETHAND);
}

int cplatform_take_interruption(void) {
  int was = is_interrupted;
  is_interrupted = 0;
  return was;
}

void cplatform_release_interruptions(void) { set_handler(SIG_DFL, 0); }
