/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a link carries, by plain sockets and nothing of MPI:
 *
 *     probe receive                   takes one TCP connection and prints bytes per second, from
 * the first byte on but for the first tenth probe send ADDRESS SIZE_B       fills it probe echo
 * answers UDP datagrams until one is empty probe rtt ADDRESS COUNT         round trips of 64 B, 10
 * ms apart: prints the median and the 90th percentile in microseconds; ends the echo
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT 7717
#define BLOCK_B 65536

static char block[BLOCK_B];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static struct sockaddr_in at(const char *address)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)};

	a.sin_addr.s_addr = address ? inet_addr(address) : htonl(INADDR_ANY);
	return a;
}

static int listen_at(int type)
{
	struct sockaddr_in here = at(NULL);
	int s = socket(AF_INET, type, 0), yes = 1;

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (s < 0 || bind(s, (struct sockaddr *)&here, sizeof(here)))
		return -1;
	return type == SOCK_STREAM && listen(s, 1) ? -1 : s;
}

/* The first bytes come faster, from what the link saved up, and connections start slowly. */
static int take(void)
{
	int door = listen_at(SOCK_STREAM), s;
	double begin_s = 0,
	       marks[2][64]; /* when the k-th sixty-fourth of 1 s was over, and the bytes by then */
	long long total_B = 0;
	int n = 0;
	ssize_t got;

	if (door < 0 || (s = accept(door, NULL, NULL)) < 0)
		return fail("probe receive");
	while ((got = read(s, block, BLOCK_B)) > 0) {
		if (total_B == 0)
			begin_s = now();
		total_B += got;
		if (n < 64 && now() - begin_s >= n / 64.0) {
			marks[0][n] = now();
			marks[1][n++] = (double)total_B;
		}
	}
	if (n < 16)
		return fprintf(stderr, "probe receive: too few bytes to tell\n"), 1;
	printf("%.0f\n", ((double)total_B - marks[1][n / 10]) / (now() - marks[0][n / 10]));
	return 0;
}

static int fill(const char *address, long long size_B)
{
	struct sockaddr_in there = at(address);
	int s = socket(AF_INET, SOCK_STREAM, 0);

	if (s < 0 || connect(s, (struct sockaddr *)&there, sizeof(there)))
		return fail("probe send");
	for (ssize_t sent; size_B > 0; size_B -= sent)
		if ((sent = write(s, block, size_B < BLOCK_B ? (size_t)size_B : BLOCK_B)) < 0)
			return fail("probe send");
	return 0;
}

static int answer(void)
{
	struct sockaddr_in from;
	socklen_t length = sizeof(from);
	int s = listen_at(SOCK_DGRAM);
	ssize_t got;

	if (s < 0)
		return fail("probe echo");
	while ((got = recvfrom(s, block, BLOCK_B, 0, (struct sockaddr *)&from, &length)) > 0)
		sendto(s, block, (size_t)got, 0, (struct sockaddr *)&from, length);
	return 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int ask(const char *address, int count)
{
	struct sockaddr_in there = at(address);
	struct timespec pause = {0, 10000000};
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	double *times = calloc((size_t)count + 1, sizeof(*times));

	if (!times || s < 0 || connect(s, (struct sockaddr *)&there, sizeof(there)))
		return fail("probe rtt");
	for (int k = 0; k < count; k++) {
		double begin_s = now();

		if (send(s, block, 64, 0) < 0 || recv(s, block, BLOCK_B, 0) < 0)
			return fail("probe rtt");
		times[k] = (now() - begin_s) * 1e6;
		nanosleep(&pause, NULL);
	}
	send(s, block, 0, 0);
	qsort(times, (size_t)count, sizeof(*times), compare);
	printf("%.1f %.1f\n", times[count / 2], times[count * 9 / 10]);
	free(times);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "receive"))
		return take();
	if (argc == 4 && !strcmp(argv[1], "send"))
		return fill(argv[2], atoll(argv[3]));
	if (argc == 2 && !strcmp(argv[1], "echo"))
		return answer();
	if (argc == 4 && !strcmp(argv[1], "rtt"))
		return ask(argv[2], atoi(argv[3]) > 0 ? atoi(argv[3]) : 1);
	fprintf(stderr, "usage: probe receive | send ADDRESS SIZE_B | echo | rtt ADDRESS COUNT\n");
	return 2;
}
