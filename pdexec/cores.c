/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processors as a rank sees them: one, which is its own, since what other threads compute is not
 * simulated. Threads of the program are where their rank is; binding them binds nothing here.
 */
#include <errno.h>
#include <sys/sysinfo.h>

#include "pdexec/cores.h"
#include "pdexec/libc-next.h"
#include "pdexec/process.h"

static bool is_loading;

void pd_cores_of_program(bool begins)
{
	is_loading = begins;
}

/* The rank that runs, also for threads that it started; NULL: the simulator itself asks. */
static struct pd_rank *asking(void)
{
	return pd_current && pd_current->process ? pd_current : NULL;
}

/* Ranks of a node have its cores in their order. */
static int core_of(const struct pd_rank *rank)
{
	const struct pd_world *world = rank->world;
	struct pd_process *process = rank->process;
	int n = 0;

	for (int i = 0; process->core == 0 && i < rank->rank; i++)
		n += world->ranks[i].node == rank->node;
	if (process->core == 0)
		process->core = n % world->cluster->cores + 1;
	return process->core - 1;
}

/* What sched_getaffinity gives; the kernel's return values. */
static int get(size_t size, cpu_set_t *out)
{
	const struct pd_rank *rank = asking();
	const struct pd_process *process = rank ? rank->process : NULL;

	if (!out || size < sizeof(unsigned long) || size % sizeof(unsigned long) != 0)
		return out ? EINVAL : EFAULT;
	memset(out, 0, size);
	if (process && process->affinity)
		memcpy(out, process->affinity, size < sizeof *out ? size : sizeof *out);
	else
		CPU_SET_S((size_t)(rank ? core_of(rank) : 0), size, out);
	return 0;
}

/* Remembered, so that a program reads what it wrote. */
static int set(size_t size, const cpu_set_t *mask)
{
	struct pd_process *process = pd_current->process;

	if (!mask)
		return EFAULT;
	if (CPU_COUNT_S(size, mask) == 0)
		return EINVAL;
	if (!process->affinity)
		process->affinity = malloc(sizeof *process->affinity);
	if (!process->affinity)
		return ENOMEM;
	memset(process->affinity, 0, sizeof *process->affinity);
	memcpy(process->affinity, mask, size < sizeof *mask ? size : sizeof *mask);
	return 0;
}

static int with_errno(int error)
{
	if (error)
		errno = error;
	return error ? -1 : 0;
}

PD_INTERPOSE int sched_getaffinity(pid_t process, size_t size, cpu_set_t *mask)
{
	if (asking() || is_loading)
		return with_errno(get(size, mask));
	return pd_libc_next()->sched_getaffinity(process, size, mask);
}

PD_INTERPOSE int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *mask)
{
	if (!asking())
		return pd_libc_next()->sched_setaffinity(process, size, mask);
	return with_errno(pd_process_here() ? set(size, mask) : 0);
}

PD_INTERPOSE int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *mask)
{
	if (asking() || is_loading)
		return get(size, mask);
	return pd_libc_next()->pthread_getaffinity_np(thread, size, mask);
}

PD_INTERPOSE int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *mask)
{
	if (!asking())
		return pd_libc_next()->pthread_setaffinity_np(thread, size, mask);
	return pd_process_here() && pthread_equal(thread, pthread_self()) ? set(size, mask) : 0;
}

PD_INTERPOSE int sched_getcpu(void)
{
	return asking() ? core_of(asking()) : pd_libc_next()->sched_getcpu();
}

PD_INTERPOSE int get_nprocs(void)
{
	return asking() || is_loading ? 1 : pd_libc_next()->get_nprocs();
}

PD_INTERPOSE int get_nprocs_conf(void)
{
	return asking() || is_loading ? 1 : pd_libc_next()->get_nprocs_conf();
}

PD_INTERPOSE long sysconf(int name)
{
	if ((name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) &&
	    (asking() || is_loading))
		return 1;
	return pd_libc_next()->sysconf(name);
}
