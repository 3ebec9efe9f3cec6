// A terminal that is as it was, however the process ends.

#ifndef CPLATFORM_TERMINAL_H
#define CPLATFORM_TERMINAL_H

#include <spawn.h>
#include <stddef.h>

/// What has come from outside, as bits.
enum cplatform_terminal_signal {
  cplatform_terminal_end = 1,
  cplatform_terminal_interrupt = 2,
  cplatform_terminal_hangup = 4,
  cplatform_terminal_stop = 8,
  cplatform_terminal_continue = 16,
  cplatform_terminal_resize = 32,
};

/// Remembers the modes of a terminal, before anybody changes them. Returns 0 or an errno.
int cplatform_remember_terminal(int terminal);

/// From now on, a crash, and a process that ends without saying so, tells the terminal `farewell` and gives it
/// the modes that it had. Signals that ask the process to end or to stop, and those that tell of a terminal of
/// another size, are noted, and a byte is written to `bell`; a second one that asks it to end does, when
/// nobody has taken the first.
void cplatform_guard_terminal(const char *farewell, size_t length, int bell);

/// The signals that have come since the last call, as bits.
int cplatform_take_terminal_signals(void);

/// Stops the process as a terminal's key does, until somebody lets it go on.
void cplatform_stop_process(void);

/// Ends what `cplatform_guard_terminal` began: the terminal has been given back.
void cplatform_release_terminal(void);

/// Has a program that is spawned begin in a directory. Returns 0 or an errno.
int cplatform_spawn_in(posix_spawn_file_actions_t *actions, const char *directory);

/// Ends the process by a signal, as if nobody had taken it.
void cplatform_end_by_signal(int number);

#endif
