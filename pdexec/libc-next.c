/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/libc-next.h"

#include <stddef.h>

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
    {"_dl_find_object", offsetof(struct pd_libc, dl_find_object)},
    {"__cxa_at_quick_exit", offsetof(struct pd_libc, cxa_at_quick_exit)},
    {"__cxa_atexit", offsetof(struct pd_libc, cxa_atexit)},
    {"__cxa_finalize", offsetof(struct pd_libc, cxa_finalize)},
    {"__cxa_thread_atexit_impl", offsetof(struct pd_libc, cxa_thread_atexit_impl)},
    {"_exit", offsetof(struct pd_libc, underscore_exit)},
    {"abort", offsetof(struct pd_libc, abort)},
    {"accept", offsetof(struct pd_libc, accept)},
    {"accept4", offsetof(struct pd_libc, accept4)},
    {"alarm", offsetof(struct pd_libc, alarm)},
    {"chdir", offsetof(struct pd_libc, chdir)},
    {"clearenv", offsetof(struct pd_libc, clearenv)},
    {"clock", offsetof(struct pd_libc, clock)},
    {"clock_gettime", offsetof(struct pd_libc, clock_gettime)},
    {"clock_nanosleep", offsetof(struct pd_libc, clock_nanosleep)},
    {"close", offsetof(struct pd_libc, close)},
    {"close_range", offsetof(struct pd_libc, close_range)},
    {"closefrom", offsetof(struct pd_libc, closefrom)},
    {"dlopen", offsetof(struct pd_libc, dlopen)},
    {"drand48", offsetof(struct pd_libc, drand48)},
    {"erand48", offsetof(struct pd_libc, erand48)},
    {"execv", offsetof(struct pd_libc, execv)},
    {"execve", offsetof(struct pd_libc, execve)},
    {"execvp", offsetof(struct pd_libc, execvp)},
    {"execvpe", offsetof(struct pd_libc, execvpe)},
    {"exit", offsetof(struct pd_libc, exit)},
    {"fchdir", offsetof(struct pd_libc, fchdir)},
    {"flock", offsetof(struct pd_libc, flock)},
    {"fork", offsetof(struct pd_libc, fork)},
    {"fread", offsetof(struct pd_libc, fread)},
    {"freopen", offsetof(struct pd_libc, freopen)},
    {"fwrite", offsetof(struct pd_libc, fwrite)},
    {"get_nprocs", offsetof(struct pd_libc, get_nprocs)},
    {"get_nprocs_conf", offsetof(struct pd_libc, get_nprocs_conf)},
    {"getaddrinfo", offsetof(struct pd_libc, getaddrinfo)},
    {"getc", offsetof(struct pd_libc, getc)},
    {"getenv", offsetof(struct pd_libc, getenv)},
    {"gethostbyname", offsetof(struct pd_libc, gethostbyname)},
    {"gethostname", offsetof(struct pd_libc, gethostname)},
    {"getopt", offsetof(struct pd_libc, getopt)},
    {"getopt_long", offsetof(struct pd_libc, getopt_long)},
    {"getopt_long_only", offsetof(struct pd_libc, getopt_long_only)},
    {"getrusage", offsetof(struct pd_libc, getrusage)},
    {"gettimeofday", offsetof(struct pd_libc, gettimeofday)},
    {"initstate", offsetof(struct pd_libc, initstate)},
    {"jrand48", offsetof(struct pd_libc, jrand48)},
    {"lcong48", offsetof(struct pd_libc, lcong48)},
    {"lrand48", offsetof(struct pd_libc, lrand48)},
    {"mrand48", offsetof(struct pd_libc, mrand48)},
    {"nanosleep", offsetof(struct pd_libc, nanosleep)},
    {"nrand48", offsetof(struct pd_libc, nrand48)},
    {"on_exit", offsetof(struct pd_libc, on_exit)},
    {"poll", offsetof(struct pd_libc, poll)},
    {"popen", offsetof(struct pd_libc, popen)},
    {"posix_spawn", offsetof(struct pd_libc, posix_spawn)},
    {"posix_spawnp", offsetof(struct pd_libc, posix_spawnp)},
    {"pthread_attr_setaffinity_np", offsetof(struct pd_libc, pthread_attr_setaffinity_np)},
    {"pthread_barrier_wait", offsetof(struct pd_libc, pthread_barrier_wait)},
    {"pthread_cond_broadcast", offsetof(struct pd_libc, pthread_cond_broadcast)},
    {"pthread_cond_clockwait", offsetof(struct pd_libc, pthread_cond_clockwait)},
    {"pthread_cond_signal", offsetof(struct pd_libc, pthread_cond_signal)},
    {"pthread_cond_timedwait", offsetof(struct pd_libc, pthread_cond_timedwait)},
    {"pthread_cond_wait", offsetof(struct pd_libc, pthread_cond_wait)},
    {"pthread_create", offsetof(struct pd_libc, pthread_create)},
    {"pthread_exit", offsetof(struct pd_libc, pthread_exit)},
    {"pthread_getaffinity_np", offsetof(struct pd_libc, pthread_getaffinity_np)},
    {"pthread_join", offsetof(struct pd_libc, pthread_join)},
    {"pthread_setaffinity_np", offsetof(struct pd_libc, pthread_setaffinity_np)},
    {"pread", offsetof(struct pd_libc, pread)},
    {"putenv", offsetof(struct pd_libc, putenv)},
    {"quick_exit", offsetof(struct pd_libc, quick_exit)},
    {"rand", offsetof(struct pd_libc, rand)},
    {"random", offsetof(struct pd_libc, random)},
    {"read", offsetof(struct pd_libc, read)},
    {"recv", offsetof(struct pd_libc, recv)},
    {"recvfrom", offsetof(struct pd_libc, recvfrom)},
    {"recvmsg", offsetof(struct pd_libc, recvmsg)},
    {"sched_getaffinity", offsetof(struct pd_libc, sched_getaffinity)},
    {"sched_getcpu", offsetof(struct pd_libc, sched_getcpu)},
    {"sched_setaffinity", offsetof(struct pd_libc, sched_setaffinity)},
    {"seed48", offsetof(struct pd_libc, seed48)},
    {"select", offsetof(struct pd_libc, select)},
    {"sem_post", offsetof(struct pd_libc, sem_post)},
    {"sem_wait", offsetof(struct pd_libc, sem_wait)},
    {"setenv", offsetof(struct pd_libc, setenv)},
    {"setitimer", offsetof(struct pd_libc, setitimer)},
    {"setstate", offsetof(struct pd_libc, setstate)},
    {"sigaction", offsetof(struct pd_libc, sigaction)},
    {"signal", offsetof(struct pd_libc, signal)},
    {"sleep", offsetof(struct pd_libc, sleep)},
    {"srand", offsetof(struct pd_libc, srand)},
    {"srand48", offsetof(struct pd_libc, srand48)},
    {"srandom", offsetof(struct pd_libc, srandom)},
    {"strtok", offsetof(struct pd_libc, strtok)},
    {"sysconf", offsetof(struct pd_libc, sysconf)},
    {"system", offsetof(struct pd_libc, system)},
    {"time", offsetof(struct pd_libc, time)},
    {"timer_settime", offsetof(struct pd_libc, timer_settime)},
    {"times", offsetof(struct pd_libc, times)},
    {"ualarm", offsetof(struct pd_libc, ualarm)},
    {"uname", offsetof(struct pd_libc, uname)},
    {"unsetenv", offsetof(struct pd_libc, unsetenv)},
    {"timespec_get", offsetof(struct pd_libc, timespec_get)},
    {"usleep", offsetof(struct pd_libc, usleep)},
    {"write", offsetof(struct pd_libc, write)},
};

static struct pd_libc next;

/* The first call can come before any constructor, from the initialisation of a library that runs
 * earlier. */
__attribute__((constructor)) static void look_up(void)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *address = dlsym(RTLD_NEXT, functions[i].name);

		__builtin_memcpy((char *)&next + functions[i].offset, &address, sizeof(address));
	}
}

const struct pd_libc *pd_libc_next(void)
{
	if (!next.exit)
		look_up();
	return &next;
}
