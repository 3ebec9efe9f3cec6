#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CPlatformTerminal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

// What handlers of signals use: nothing here is changed while they may run but by atomic steps.
static int terminal_fd = -1;
static struct termios kept_modes;
static char farewell_text[256];
static size_t farewell_length;
static int bell_fd = -1;
static volatile sig_atomic_t is_guarded;
static volatile sig_atomic_t pending;

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGQUIT, SIGSYS};
static const struct {
  int number;
  enum cplatform_terminal_signal meaning;
} noted[] = {
    {SIGTERM, cplatform_terminal_end},     {SIGINT, cplatform_terminal_interrupt},
    {SIGHUP, cplatform_terminal_hangup},   {SIGTSTP, cplatform_terminal_stop},
    {SIGCONT, cplatform_terminal_continue}, {SIGWINCH, cplatform_terminal_resize},
};
enum {
  crash_count = sizeof crashes / sizeof *crashes,
  noted_count = sizeof noted / sizeof *noted,
  endings = cplatform_terminal_end | cplatform_terminal_interrupt | cplatform_terminal_hangup,
};

/// Only calls that a handler of a signal may make.
static void restore(void) {
  if (!is_guarded) return;
  is_guarded = 0;
  size_t told = 0;
  while (told < farewell_length) {
    ssize_t count = write(terminal_fd, farewell_text + told, farewell_length - told);
    if (count <= 0 && errno != EINTR) break;
    if (count > 0) told += (size_t)count;
  }
  tcsetattr(terminal_fd, TCSANOW, &kept_modes);
}

static void set(int number, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, NULL);
}

static void end_by(int number) {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  set(number, SIG_DFL, 0);
  pthread_sigmask(SIG_UNBLOCK, &only, NULL);
  raise(number);
}

static void crash(int number) {
  restore();
  end_by(number);
}

static void note(int number) {
  int kept = errno;
  for (int i = 0; i < noted_count; i++) {
    if (noted[i].number != number) continue;
    int meaning = noted[i].meaning;
    // Nobody has looked since the first: the process is stuck.
    if ((meaning & endings) && (pending & endings)) crash(number);
    pending |= meaning;
  }
  ssize_t written = write(bell_fd, "", 1);
  (void)written;
  errno = kept;
}

int cplatform_remember_terminal(int terminal) {
  if (tcgetattr(terminal, &kept_modes) != 0) return errno;
  terminal_fd = terminal;
  return 0;
}

void cplatform_guard_terminal(const char *farewell, size_t length, int bell) {
  static int is_registered;
  farewell_length = length < sizeof farewell_text ? length : sizeof farewell_text;
  memcpy(farewell_text, farewell, farewell_length);
  bell_fd = bell;
  pending = 0;
  is_guarded = 1;
  if (!is_registered) {
    is_registered = 1;
    atexit(restore);
  }
  // Of a stack that is full nothing is left for a handler.
  static char room[65536];
  stack_t other = {.ss_sp = room, .ss_size = sizeof room};
  sigaltstack(&other, NULL);
  for (int i = 0; i < crash_count; i++) set(crashes[i], crash, SA_ONSTACK | (int)SA_RESETHAND);
  for (int i = 0; i < noted_count; i++) {
    struct sigaction before;
    // What is ignored stays so, as by nohup.
    if (sigaction(noted[i].number, NULL, &before) == 0 && before.sa_handler == SIG_IGN &&
        noted[i].number != SIGWINCH)
      continue;
    set(noted[i].number, note, SA_RESTART);
  }
}

int cplatform_take_terminal_signals(void) {
  sigset_t all, kept;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &kept);
  int taken = pending;
  pending = 0;
  pthread_sigmask(SIG_SETMASK, &kept, NULL);
  return taken;
}

void cplatform_stop_process(void) {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGTSTP);
  set(SIGTSTP, SIG_DFL, 0);
  pthread_sigmask(SIG_UNBLOCK, &only, NULL);
  // To the process, whichever of its threads takes it; it goes on here when it may go on.
  kill(getpid(), SIGTSTP);
  set(SIGTSTP, note, SA_RESTART);
}

void cplatform_release_terminal(void) {
  is_guarded = 0;
  for (int i = 0; i < crash_count; i++) set(crashes[i], SIG_DFL, 0);
  for (int i = 0; i < noted_count; i++) set(noted[i].number, SIG_DFL, 0);
}

int cplatform_spawn_in(posix_spawn_file_actions_t *actions, const char *directory) {
  return posix_spawn_file_actions_addchdir_np(actions, directory);
}

void cplatform_end_by_signal(int number) { end_by(number); }
