/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions by which threads begin, end and wait for each other; what they mean:
 * pdexec/threads.h. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#include "pdexec/libc-next.h"
#include "pdexec/private.h"
#include "pdexec/process.h"
#include "pdexec/threads.h"

/* They would go on while another rank's interpreter is in place. */
static void refuse_python(const void *caller)
{
	struct pd_rank *rank = pd_rank_here();
	Dl_info info;

	if (rank && dladdr(caller, &info) && info.dli_fname && pd_private_is_python(info.dli_fname))
		pd_fail(rank, PD_FAILURE_UNSUPPORTED,
			"Python started a thread: only the first thread of a rank may run Python");
}

PD_INTERPOSE int pthread_create(pthread_t *id, const pthread_attr_t *attributes,
				void *(*function)(void *), void *argument)
{
	void *thread;
	int error;

	refuse_python(__builtin_return_address(0));
	thread = pd_threads_create(function, argument);

	if (!thread)
		return pd_libc_next()->pthread_create(id, attributes, function, argument);
	error = pd_libc_next()->pthread_create(id, attributes, pd_threads_main, thread);
	if (error)
		pd_threads_forget(thread);
	return error;
}

PD_INTERPOSE int pthread_join(pthread_t id, void **result)
{
	int error = pd_libc_next()->pthread_join(id, result);

	if (!error)
		pd_threads_join(id);
	return error;
}

/* Cores of the simulated node: a thread cannot be bound to them here. */
PD_INTERPOSE int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size,
					     const cpu_set_t *mask)
{
	return pd_current ? 0 : pd_libc_next()->pthread_attr_setaffinity_np(attributes, size, mask);
}

PD_INTERPOSE int pthread_cond_signal(pthread_cond_t *condition)
{
	pd_threads_signal(condition);
	return pd_libc_next()->pthread_cond_signal(condition);
}

PD_INTERPOSE int pthread_cond_broadcast(pthread_cond_t *condition)
{
	pd_threads_signal(condition);
	return pd_libc_next()->pthread_cond_broadcast(condition);
}

PD_INTERPOSE int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	int error;

	pd_threads_wait();
	error = pd_libc_next()->pthread_cond_wait(condition, mutex);
	pd_threads_resume(condition);
	return error;
}

PD_INTERPOSE int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
					const struct timespec *until)
{
	int error;

	pd_threads_wait();
	error = pd_libc_next()->pthread_cond_timedwait(condition, mutex, until);
	pd_threads_resume(condition);
	return error;
}

PD_INTERPOSE int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
					clockid_t clock, const struct timespec *until)
{
	int error;

	pd_threads_wait();
	error = pd_libc_next()->pthread_cond_clockwait(condition, mutex, clock, until);
	pd_threads_resume(condition);
	return error;
}

PD_INTERPOSE int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	int error;

	pd_threads_signal(barrier);
	pd_threads_wait();
	error = pd_libc_next()->pthread_barrier_wait(barrier);
	pd_threads_resume(barrier);
	return error;
}

PD_INTERPOSE int sem_post(sem_t *semaphore)
{
	pd_threads_signal(semaphore);
	return pd_libc_next()->sem_post(semaphore);
}

PD_INTERPOSE int sem_wait(sem_t *semaphore)
{
	int status;

	pd_threads_wait();
	status = pd_libc_next()->sem_wait(semaphore);
	pd_threads_resume(semaphore);
	return status;
}
