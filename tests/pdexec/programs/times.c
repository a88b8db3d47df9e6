/* SPDX-License-Identifier: BSD-3-Clause */
/* Every clock and every way to sleep; prints nanoseconds. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static long long ns(struct timespec time)
{
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return ns(time);
}

int main(void)
{
	struct timespec span = {.tv_sec = 2, .tv_nsec = 500}, bad = {.tv_nsec = 1000000000}, utc;
	struct timeval moment = {.tv_sec = 1, .tv_usec = 5};
	struct rusage usage;
	struct tms ticks;
	time_t seconds;
	int refused;

	printf("%lld %lld\n", now(CLOCK_MONOTONIC), now(CLOCK_REALTIME));
	usleep(1500);
	printf("usleep %lld\n", now(CLOCK_MONOTONIC));
	sleep(1);
	printf("sleep %lld\n", now(CLOCK_MONOTONIC_RAW));
	nanosleep(&span, NULL);
	refused = nanosleep(&bad, NULL);
	printf("nanosleep %lld %d %d\n", now(CLOCK_PROCESS_CPUTIME_ID), refused, errno == EINVAL);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
	printf("relative %lld\n", now(CLOCK_MONOTONIC));
	span.tv_sec = 6;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &span, NULL);
	printf("absolute %lld\n", now(CLOCK_MONOTONIC));
	span.tv_sec = 946684800 + 7;
	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &span, NULL);
	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &span, NULL); /* past */
	printf("absolute %lld\n", now(CLOCK_MONOTONIC));
	select(0, NULL, NULL, NULL, &moment);
	printf("select %lld\n", now(CLOCK_MONOTONIC));
	poll(NULL, 0, 3);
	gettimeofday(&moment, NULL);
	timespec_get(&utc, TIME_UTC);
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld.%06ld %lld %lld %ld %ld.%06ld %ld\n", (long)moment.tv_sec, (long)moment.tv_usec,
	       ns(utc), (long long)time(&seconds), (long)clock(), (long)usage.ru_utime.tv_sec,
	       (long)usage.ru_utime.tv_usec, (long)times(&ticks));
	return 0;
}
