/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines to and from whoever drives the run. Nothing of stdio: some of this runs on ranks' fibers. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tools/debug/internal.h"

enum { PIECE_B = 4096 };

char *debug_read_line(struct run_debug *debug)
{
	for (;;) {
		char *newline = debug->n_in ? memchr(debug->in, '\n', debug->n_in) : NULL;
		char *larger, *line;
		ssize_t n;

		if (newline) {
			size_t length = (size_t)(newline - debug->in);

			line = strndup(debug->in, length);
			debug->n_in -= length + 1;
			memmove(debug->in, newline + 1, debug->n_in);
			return line;
		}
		larger = realloc(debug->in, debug->n_in + PIECE_B);
		if (!larger)
			return NULL;
		debug->in = larger;
		n = recv(debug->fd, debug->in + debug->n_in, PIECE_B, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return NULL;
		debug->n_in += (size_t)n;
	}
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
		ssize_t n = send(debug->fd, text + sent, length - sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		debug->is_connected = n > 0;
		sent += n > 0 ? (size_t)n : 0;
	}
}
