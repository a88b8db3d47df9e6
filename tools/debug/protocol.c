/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines to and from whoever drives the run. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/debug/internal.h"

enum { PIECE_B = 4096 };

/* System calls as they are: on a rank's fiber the C library's functions are those of the rank. */
static ssize_t receive(int fd, void *buffer, size_t size)
{
	ssize_t n;

	do
		n = syscall(SYS_recvfrom, fd, buffer, size, 0, NULL, NULL);
	while (n < 0 && errno == EINTR);
	return n;
}

static ssize_t transmit(int fd, const void *buffer, size_t size)
{
	ssize_t n;

	do
		n = syscall(SYS_sendto, fd, buffer, size, MSG_NOSIGNAL, NULL, 0);
	while (n < 0 && errno == EINTR);
	return n;
}

bool debug_await_line(struct run_debug *debug)
{
	while (debug->n_in == 0 || !memchr(debug->in, '\n', debug->n_in)) {
		char *larger = realloc(debug->in, debug->n_in + PIECE_B);
		ssize_t n;

		if (!larger)
			return false;
		debug->in = larger;
		n = receive(debug->fd, debug->in + debug->n_in, PIECE_B);
		if (n <= 0)
			return false;
		debug->n_in += (size_t)n;
	}
	return true;
}

char *debug_read_line(struct run_debug *debug)
{
	size_t length;
	char *line;

	if (!debug_await_line(debug))
		return NULL;
	length = (size_t)((char *)memchr(debug->in, '\n', debug->n_in) - debug->in);
	line = strndup(debug->in, length);
	debug->n_in -= length + 1;
	memmove(debug->in, debug->in + length + 1, debug->n_in);
	return line;
}

void debug_say(struct run_debug *debug, const char *format, ...)
{
	char text[PIECE_B];
	size_t length, sent = 0;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text - 1, format, arguments);
	va_end(arguments);
	length = strlen(text);
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\n')
			text[i] = ' ';
	text[length++] = '\n';
	while (debug->is_connected && sent < length) {
		ssize_t n = transmit(debug->fd, text + sent, length - sent);

		debug->is_connected = n > 0;
		sent += n > 0 ? (size_t)n : 0;
	}
}

const char *debug_wrong(struct run_debug *debug, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(debug->wrong, sizeof debug->wrong, format, arguments);
	va_end(arguments);
	return debug->wrong;
}
