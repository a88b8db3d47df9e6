/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/store_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define ROW_SIZE_B (PD_BENCH_MAX_NAME + 6 * 32)

const char *pd_bench_name_fault(const char *name)
{
	size_t length;

	if (!name || !*name)
		return "is empty";
	length = strlen(name);
	if (length > PD_BENCH_MAX_NAME)
		return "is longer than 100 bytes";
	if (!strcmp(name, "model") || !strcmp(name, "name") || !strcmp(name, "*"))
		return "has a meaning in the store's file";
	if (name[0] == '#' || name[0] == ' ' || name[length - 1] == ' ')
		return "begins with # or a space, or ends with a space";
	for (const char *c = name; *c; c++) {
		if (*c == ',' || *c == '"' || (unsigned char)*c < ' ' || *c == 127)
			return "contains a comma, a quote or a control character";
	}
	return NULL;
}

int pd_bench_check(const char *name, int n_params, const double params[], struct util_error *err)
{
	const char *fault = pd_bench_name_fault(name);

	if (fault)
		return util_error_set(err, UTIL_EPROGRAM, "the kernel name \"%.110s\" %s",
				      name ? name : "", fault);
	if (n_params < 0 || n_params > PD_BENCH_MAX_PARAMS)
		return util_error_set(err, UTIL_EPROGRAM,
				      "kernel \"%s\" has %d parameters, wanted 0 to %d", name,
				      n_params, PD_BENCH_MAX_PARAMS);
	if (n_params > 0 && !params)
		return util_error_set(err, UTIL_EPROGRAM,
				      "kernel \"%s\" has %d parameters but no array of them", name,
				      n_params);
	for (int i = 0; i < n_params; i++) {
		if (!(params[i] - params[i] == 0))
			return util_error_set(
			    err, UTIL_EPROGRAM,
			    "parameter %d of kernel \"%s\" is %f, wanted a finite number", i + 1,
			    name, params[i]);
	}
	return 0;
}

/* The shortest of the forms that reads back to the same double. The program may have set a locale with another decimal point. */
static void number_format(char *buf, size_t size, double value)
{
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(buf, size, "%.*g", digits, value);
		if (strtod(buf, NULL) == value)
			break;
	}
	for (char *c = buf; *c; c++) {
		if (!strchr("0123456789+-einf", *c))
			*c = '.';
	}
}

/* A write may be cut short by a full disk: the rest is an error of its own, not a second row. */
static int write_whole(int fd, const char *text, size_t length, struct util_error *err)
{
	ssize_t written;

	do
		written = write(fd, text, length);
	while (written < 0 && errno == EINTR);
	if (written < 0)
		return util_error_errno(err, errno, "cannot append a measurement");
	if ((size_t)written != length)
		return util_error_set(
		    err, UTIL_ESYSTEM,
		    "cannot append a measurement: only %zd of %zu bytes were written", written,
		    length);
	return 0;
}

/* Measurements are added to nothing else. */
static int check_store(int fd, struct util_error *err)
{
	char text[4096] = "", *line = text;
	int n_commas = 0;

	if (pread(fd, text, sizeof(text) - 1, 0) < 0)
		return util_error_errno(err, errno, "cannot be read");
	while (*line == '#' && strncmp(line, PD_BENCH_COMMENT, strlen(PD_BENCH_COMMENT)) &&
	       strchr(line, '\n'))
		line = strchr(line, '\n') + 1;
	line[strcspn(line, "\n")] = '\0';
	for (const char *at = line; (at = strchr(at, ',')); at++)
		n_commas++;
	if (n_commas == PD_BENCH_MAX_PARAMS + 1 ||
	    !strncmp(line, PD_BENCH_COMMENT, strlen(PD_BENCH_COMMENT)))
		return 0;
	return util_refuse(err, "found \"%.40s\", wanted a benchmark store or a new file", line);
}

static int write_header(int fd, struct util_error *err)
{
	char text[192];
	off_t size;
	int status = 0;

	/* The lock lets one of several processes that start together write the header. */
	flock(fd, LOCK_EX);
	size = lseek(fd, 0, SEEK_END);
	if (size == 0) {
		snprintf(text, sizeof(text),
			 PD_BENCH_COMMENT "%d\n" PD_BENCH_ENDS "\n" PD_BENCH_HEADER "\n",
			 PD_BENCH_VERSION);
		status = write_whole(fd, text, strlen(text), err);
	} else if (size > 0) {
		status = check_store(fd, err);
	}
	flock(fd, LOCK_UN);
	return status;
}

int pd_bench_open(const char *path, int *out_fd, struct util_error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666), status;

	if (fd < 0)
		return util_error_errno(err, errno, "cannot open %s to append measurements", path);
	status = write_header(fd, err);
	if (status) {
		close(fd);
		return util_error_prepend(err, "%s", path);
	}
	*out_fd = fd;
	return 0;
}

int pd_bench_append(int fd, const char *name, int n_params, const double params[], double seconds,
		    struct util_error *err)
{
	char row[ROW_SIZE_B], number[32];
	size_t length = (size_t)snprintf(row, sizeof(row), "%s", name);

	for (int i = 0; i < PD_BENCH_MAX_PARAMS; i++) {
		number[0] = '\0';
		if (i < n_params)
			number_format(number, sizeof(number), params[i]);
		length += (size_t)snprintf(row + length, sizeof(row) - length, ",%s", number);
	}
	number_format(number, sizeof(number), seconds);
	length += (size_t)snprintf(row + length, sizeof(row) - length, ",%s\n", number);
	return write_whole(fd, row, length, err);
}
