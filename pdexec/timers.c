/* SPDX-License-Identifier: BSD-3-Clause */
/* Timers of the host go by real time, whoever sets them: the world keeps who was the first. */
#include "pdexec/libc-next.h"
#include "pdexec/process.h"

static void note(const char *function, const void *site)
{
	struct pd_rank *rank = pd_process_here();

	if (rank && !rank->world->timer.function)
		rank->world->timer = (struct pd_timer){rank->rank, function, site};
}

PD_INTERPOSE unsigned int alarm(unsigned int seconds)
{
	if (seconds)
		note("alarm", __builtin_return_address(0));
	return pd_libc_next()->alarm(seconds);
}

PD_INTERPOSE useconds_t ualarm(useconds_t value, useconds_t interval)
{
	if (value)
		note("ualarm", __builtin_return_address(0));
	return pd_libc_next()->ualarm(value, interval);
}

PD_INTERPOSE int setitimer(__itimer_which_t which, const struct itimerval *value,
			   struct itimerval *old)
{
	if (value && (value->it_value.tv_sec || value->it_value.tv_usec))
		note("setitimer", __builtin_return_address(0));
	return pd_libc_next()->setitimer(which, value, old);
}

PD_INTERPOSE int timer_settime(timer_t timer, int flags, const struct itimerspec *value,
			       struct itimerspec *old)
{
	if (value && (value->it_value.tv_sec || value->it_value.tv_nsec))
		note("timer_settime", __builtin_return_address(0));
	return pd_libc_next()->timer_settime(timer, flags, value, old);
}
