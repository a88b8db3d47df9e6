/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processors as a rank sees them: those that it holds. Threads of the program are where their rank
 * is; binding them binds nothing here.
 */
#include <errno.h>
#include <sys/sysinfo.h>

#include "cluster/levels.h"
#include "pdexec/cores.h"
#include "pdexec/libc-next.h"
#include "pdexec/process.h"

static int n_loading; /* cores of the program that is being loaded; 0: none is */

int pd_cores_share(const struct pd_world *world, const int node_of[], int n_ranks)
{
	const struct cluster *cluster = world->cluster;
	int *n_on = calloc((size_t)cluster->n_nodes, sizeof *n_on), most = 1, n_cpus;

	for (int i = 0; n_on && i < n_ranks; i++)
		if (++n_on[node_of[i]] > most)
			most = n_on[node_of[i]];
	free(n_on);
	n_cpus = world->config.cpus_per_rank ? world->config.cpus_per_rank : cluster->cores / most;
	return n_cpus > 0 ? n_cpus : 1;
}

int pd_level_between(const struct pd_rank *a, const struct pd_rank *b)
{
	if (a->node != b->node)
		return NET_BETWEEN_NODES;
	return cluster_level_of(a->world->cluster, a->core, b->core);
}

/*
 * Threads of OpenMP that spin while they wait would count as computing, and OpenBLAS starts its own
 * when it is loaded, by no rank: one, unless the user wants more. Both read the environment when
 * they are loaded; the program finds it as it was.
 */
static char **environment_of_runtimes(void)
{
	static char passive[] = "OMP_WAIT_POLICY=passive", single[] = "OPENBLAS_NUM_THREADS=1";
	size_t n = 0, n_kept = 0;
	char **list;

	while (environ && environ[n])
		n++;
	list = calloc(n + 3, sizeof *list);
	for (size_t i = 0; list && i < n; i++)
		if (strncmp(environ[i], "OMP_WAIT_POLICY=", 16) != 0 &&
		    strncmp(environ[i], "GOMP_SPINCOUNT=", 15) != 0)
			list[n_kept++] = environ[i];
	if (list)
		list[n_kept++] = passive;
	if (list && !getenv("OPENBLAS_NUM_THREADS"))
		list[n_kept] = single;
	return list;
}

static void wait_passively(bool begins)
{
	static char **before, **meanwhile;

	if (begins && !meanwhile) {
		before = environ;
		meanwhile = environment_of_runtimes();
		environ = meanwhile ? meanwhile : before;
	} else if (!begins && meanwhile) {
		if (environ == meanwhile) /* else a constructor has changed it, and it stays */
			environ = before;
		free(meanwhile);
		meanwhile = NULL;
	}
}

bool pd_cores_is_loading(void)
{
	return n_loading > 0;
}

void pd_cores_of_program(int n)
{
	n_loading = n;
	wait_passively(n > 0);
}

/* The rank that runs, also for threads that it started; NULL: the simulator itself asks. */
static struct pd_rank *asking(void)
{
	return pd_current && pd_current->process ? pd_current : NULL;
}

static bool is_asked(void)
{
	return n_loading || asking();
}

static int count(void)
{
	return n_loading ? n_loading : asking()->program->n_cpus;
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
	for (int i = 0; !(process && process->affinity) && i < count(); i++)
		CPU_SET_S((size_t)((rank ? rank->core : 0) + i), size, out);
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
	if (is_asked())
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
	if (is_asked())
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
	return asking() ? asking()->core : pd_libc_next()->sched_getcpu();
}

PD_INTERPOSE int get_nprocs(void)
{
	return is_asked() ? count() : pd_libc_next()->get_nprocs();
}

PD_INTERPOSE int get_nprocs_conf(void)
{
	return is_asked() ? count() : pd_libc_next()->get_nprocs_conf();
}

PD_INTERPOSE long sysconf(int name)
{
	if ((name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) && is_asked())
		return count();
	return pd_libc_next()->sysconf(name);
}
