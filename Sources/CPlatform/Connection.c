#include "CPlatformProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

// How two processes of this program talk to each other: a connection that files can be sent through.

int cplatform_make_connection(int ends[2]) {
#ifdef __linux__
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
#else
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return errno;
  int wanted = 1;
  for (int i = 0; i < 2; i++) {
    fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    setsockopt(ends[i], SOL_SOCKET, SO_NOSIGPIPE, &wanted, sizeof wanted);
  }
  return 0;
#endif
}

// Room for the descriptor of one file, laid out as the system wants it.
union control {
  struct cmsghdr header;
  char room[CMSG_SPACE(sizeof(int))];
};

int cplatform_send_file(int connection, uint8_t byte, int file) {
  struct iovec content = {&byte, 1};
  union control control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {0};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control.room;
  message.msg_controllen = sizeof control.room;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &file, sizeof file);
#ifdef MSG_NOSIGNAL
  int flags = MSG_NOSIGNAL;
#else
  int flags = 0;
#endif
  ssize_t count;
  do {
    count = sendmsg(connection, &message, flags);
  } while (count < 0 && errno == EINTR);
  return count < 0 ? errno : 0;
}

int cplatform_receive_file(int connection, uint8_t *byte, int *file) {
  struct iovec content = {byte, 1};
  union control control;
  struct msghdr message = {0};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control.room;
  message.msg_controllen = sizeof control.room;
#ifdef MSG_CMSG_CLOEXEC
  int flags = MSG_CMSG_CLOEXEC;
#else
  int flags = 0;
#endif
  ssize_t count;
  do {
    count = recvmsg(connection, &message, flags);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return count < 0 ? -errno : 0;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header == NULL || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(sizeof(int))) {
    return -EPROTO;
  }
  memcpy(file, CMSG_DATA(header), sizeof *file);
#ifndef MSG_CMSG_CLOEXEC
  fcntl(*file, F_SETFD, FD_CLOEXEC);
#endif
  return 1;
}
