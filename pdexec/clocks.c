/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks and sleeping of the program, in simulated time. Wall clocks start at 2000-01-01 00:00:00
 * UTC, monotonic and CPU clocks at 0: a rank's CPU clock counts its waiting too. Reading a clock or
 * sleeping ends the computation step.
 */
#include <errno.h>
#include <stdint.h>

#include "pdexec/libc-next.h"
#include "pdexec/process.h"

static const int64_t EPOCH_S = 946684800; /* 2000-01-01 since 1970-01-01 */
enum { NS_PER_S = 1000000000, PS_PER_NS = 1000 };

enum { SPINS_AT_NO_COST = 1000, SPIN_DOUBLINGS = 10 };

/* Between two readings of a clock that counts them. */
#define CLOCK_STEP_PS (SIM_PS_PER_S / 1000)

sim_time_ps pd_clock_read(struct pd_rank *rank)
{
	const struct sim_engine *engine = &rank->world->engine;
	uint32_t n_paid;

	if (rank->world->counts_clocks)
		return CLOCK_STEP_PS * ++rank->n_clock_spins;
	rank->n_clock_spins = engine->now == rank->clock_read_at ? rank->n_clock_spins + 1 : 0;
	if (rank->n_clock_spins > SPINS_AT_NO_COST) {
		n_paid = rank->n_clock_spins - SPINS_AT_NO_COST - 1;
		sim_task_sleep(&rank->task, SIM_PS_PER_S / 1000000
						<< (n_paid < SPIN_DOUBLINGS ? n_paid : SPIN_DOUBLINGS));
	}
	rank->clock_read_at = engine->now;
	return engine->now;
}

/*
 * A callback of the program that MPI calls is within a call: no computation step is open. What
 * a built-in program calls is the simulator itself: its clocks do not end steps.
 */
static sim_time_ps read_clock(struct pd_rank *rank, const void *site)
{
	sim_time_ps now;

	if ((rank->function && !rank->world->counts_clocks) || rank->world->is_builtin)
		return rank->world->engine.now;
	pd_compute_end(rank);
	sim_tell_clock(&rank->world->observers, rank->rank, site);
	now = pd_clock_read(rank);
	pd_compute_begin(rank);
	return now;
}

void pd_process_sleep(struct pd_rank *rank, const char *function, const void *site,
		      sim_time_ps duration)
{
	bool is_outside = !rank->function;

	if (is_outside) {
		pd_compute_end(rank);
		rank->function = function;
		rank->site = site;
	}
	if (is_outside)
		sim_tell_sleep(&rank->world->observers, rank->rank, site, duration);
	sim_task_sleep(&rank->task, duration);
	if (is_outside) {
		rank->function = NULL;
		pd_compute_begin(rank);
	}
}

static struct timespec to_timespec(sim_time_ps time, int64_t epoch_s)
{
	return (struct timespec){.tv_sec = epoch_s + time / SIM_PS_PER_S,
				 .tv_nsec = time % SIM_PS_PER_S / PS_PER_NS};
}

/* Negative and invalid durations are refused by the callers. */
static sim_time_ps from_timespec(const struct timespec *time)
{
	if (time->tv_sec >= SIM_TIME_MAX / SIM_PS_PER_S)
		return SIM_TIME_MAX;
	return (sim_time_ps)time->tv_sec * SIM_PS_PER_S + (sim_time_ps)time->tv_nsec * PS_PER_NS;
}

static bool is_valid(const struct timespec *time)
{
	return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < NS_PER_S;
}

static int64_t epoch_of(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI
		   ? EPOCH_S
		   : 0;
}

PD_INTERPOSE int clock_gettime(clockid_t clock, struct timespec *out)
{
	struct pd_rank *rank = pd_rank_here();

	if (!rank)
		return pd_libc_next()->clock_gettime(clock, out);
	*out = to_timespec(read_clock(rank, __builtin_return_address(0)), epoch_of(clock));
	return 0;
}

PD_INTERPOSE int timespec_get(struct timespec *out, int base)
{
	struct pd_rank *rank = pd_rank_here();

	if (!rank || base != TIME_UTC)
		return pd_libc_next()->timespec_get(out, base);
	*out = to_timespec(read_clock(rank, __builtin_return_address(0)), EPOCH_S);
	return base;
}

PD_INTERPOSE int gettimeofday(struct timeval *out, void *zone)
{
	struct pd_rank *rank = pd_rank_here();
	struct timespec now;

	if (!rank)
		return pd_libc_next()->gettimeofday(out, zone);
	now = to_timespec(read_clock(rank, __builtin_return_address(0)), EPOCH_S);
	*out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
	return 0;
}

PD_INTERPOSE time_t time(time_t *out)
{
	struct pd_rank *rank = pd_rank_here();
	time_t now;

	if (!rank)
		return pd_libc_next()->time(out);
	now = to_timespec(read_clock(rank, __builtin_return_address(0)), EPOCH_S).tv_sec;
	if (out)
		*out = now;
	return now;
}

PD_INTERPOSE clock_t clock(void)
{
	struct pd_rank *rank = pd_rank_here();

	return rank ? read_clock(rank, __builtin_return_address(0)) / (SIM_PS_PER_S / CLOCKS_PER_SEC) : pd_libc_next()->clock();
}

PD_INTERPOSE clock_t times(struct tms *out)
{
	struct pd_rank *rank = pd_rank_here();
	clock_t ticks;

	if (!rank)
		return pd_libc_next()->times(out);
	ticks = read_clock(rank, __builtin_return_address(0)) / (SIM_PS_PER_S / sysconf(_SC_CLK_TCK));
	if (out)
		*out = (struct tms){.tms_utime = ticks};
	return ticks;
}

PD_INTERPOSE int getrusage(__rusage_who_t who, struct rusage *out)
{
	struct pd_rank *rank = pd_rank_here();
	int rc = pd_libc_next()->getrusage(who, out);
	struct timespec now;

	if (!rank || rc)
		return rc;
	now = to_timespec(read_clock(rank, __builtin_return_address(0)), 0);
	out->ru_utime = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
	out->ru_stime = (struct timeval){0};
	return 0;
}

PD_INTERPOSE unsigned int sleep(unsigned int seconds)
{
	struct pd_rank *rank = pd_rank_here();

	if (!rank)
		return pd_libc_next()->sleep(seconds);
	pd_process_sleep(rank, "sleep", __builtin_return_address(0),
			 from_timespec(&(struct timespec){.tv_sec = seconds}));
	return 0;
}

PD_INTERPOSE int usleep(useconds_t microseconds)
{
	struct pd_rank *rank = pd_rank_here();

	if (!rank)
		return pd_libc_next()->usleep(microseconds);
	pd_process_sleep(rank, "usleep", __builtin_return_address(0),
			 (sim_time_ps)microseconds * 1000 * PS_PER_NS);
	return 0;
}

PD_INTERPOSE int nanosleep(const struct timespec *duration, struct timespec *remaining)
{
	struct pd_rank *rank = pd_rank_here();

	if (!rank)
		return pd_libc_next()->nanosleep(duration, remaining);
	if (!is_valid(duration)) {
		errno = EINVAL;
		return -1;
	}
	pd_process_sleep(rank, "nanosleep", __builtin_return_address(0), from_timespec(duration));
	return 0;
}

PD_INTERPOSE int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
				 struct timespec *remaining)
{
	struct pd_rank *rank = pd_rank_here();
	struct timespec until;
	sim_time_ps duration;

	if (!rank)
		return pd_libc_next()->clock_nanosleep(clock, flags, time, remaining);
	if (!is_valid(time))
		return EINVAL;
	duration = from_timespec(time);
	if (flags & TIMER_ABSTIME) {
		until = *time;
		until.tv_sec -= epoch_of(clock);
		duration = until.tv_sec < 0 ? 0 : from_timespec(&until);
		duration = duration > read_clock(rank, __builtin_return_address(0)) ? duration - rank->world->engine.now : 0;
	}
	pd_process_sleep(rank, "clock_nanosleep", __builtin_return_address(0), duration);
	return 0;
}
