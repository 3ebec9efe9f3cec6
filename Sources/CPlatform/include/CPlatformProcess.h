// What a program has from the system when it starts, and the signals that ask it to stop.

#ifndef CPLATFORM_PROCESS_H
#define CPLATFORM_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

/// The words of the command line, the name of the program first, as the system gave them to the
/// process; Swift reads them from /proc on Linux, which need not be mounted. NULL where the C library
/// does not pass them on.
char *const *cplatform_arguments(int *count);

/// Occupies the descriptors of standard input, output and error that are closed, so that no file gets
/// them: reading and writing goes on to fail there.
void cplatform_occupy_standard_descriptors(void);

/// Makes large blocks of memory go back to the system when they are freed, and threads share what is left
/// of small ones: where threads come and go, each would keep some otherwise.
void cplatform_return_memory_soon(void);

/// How many files the process may still open, counted up to `most`.
int cplatform_free_descriptors(int most);

/// What the calling thread has done with its time since it began, in nanoseconds.
struct cplatform_thread_times {
  /// On a processor.
  int64_t running;
  /// Ready, while others had all processors; -1 where the system does not tell.
  int64_t queued;
};

/// Takes a few microseconds.
struct cplatform_thread_times cplatform_thread_times(void);

/// Nanoseconds of a clock that nobody sets.
static inline int64_t cplatform_steady_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// Whether the process may get so many bytes of memory more, by the limit that it was given. From then on
/// threads share their memory where there is such a limit, which takes time, and less room.
int cplatform_has_room_for(size_t bytes);

/// Makes a pipe that other programs do not get and whose ends never block: the one to read from, then
/// the one to write to. Returns 0 or an errno.
int cplatform_make_pipe(int ends[2]);

/// Makes a connection between two processes, whose ends other programs do not get. Writing to one whose
/// other end is closed is an error and ends nobody. Returns 0 or an errno.
int cplatform_make_connection(int ends[2]);

/// Sends a byte, and an open file with it. Returns 0 or an errno.
int cplatform_send_file(int connection, uint8_t byte, int file);

/// Waits for a byte and an open file, which no other program gets. Returns 1, 0 where the other end is
/// closed, or a negated errno.
int cplatform_receive_file(int connection, uint8_t *byte, int *file);

/// Lets the process have so many bytes of memory more than it has, and write no dump of it when it
/// crashes.
void cplatform_limit_memory(size_t bytes);

/// SHA-256 by the system's library: libcrypto of OpenSSL, which is loaded when it is first asked for, or that
/// of macOS. NULL where there is none.
struct cplatform_sha256;
struct cplatform_sha256 *cplatform_sha256_begin(void);
void cplatform_sha256_update(struct cplatform_sha256 *hash, const void *bytes, size_t count);
/// Ends the calculation; `digest` is NULL if nobody wants to know.
void cplatform_sha256_end(struct cplatform_sha256 *hash, uint8_t digest[32]);

/// Notes the first of each signal that asks the process to stop, from Ctrl-C, `kill` or a terminal that
/// is closed, and writes a byte to `bell`. A second one ends the process, as without this. Signals that
/// are ignored stay ignored.
void cplatform_catch_interruptions(int bell);

/// Whether such a signal has come. Says so once.
int cplatform_take_interruption(void);

/// Lets signals end the process again.
void cplatform_release_interruptions(void);

#endif
