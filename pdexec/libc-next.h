/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_LIBC_NEXT_H
#define PDEXEC_LIBC_NEXT_H

#include <dlfcn.h>
#include <getopt.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

int __cxa_atexit(void (*function)(void *), void *argument, void *object);
void __cxa_finalize(void *object);
int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *object);
int __cxa_at_quick_exit(void (*function)(void *), void *object);

/*
 * The functions of libc behind the names that this library takes over (dlsym RTLD_NEXT). Looked up
 * all at once, before main; constant from then on.
 */
struct pd_libc {
	__typeof__(&_dl_find_object) dl_find_object;
	__typeof__(&__cxa_at_quick_exit) cxa_at_quick_exit;
	__typeof__(&__cxa_atexit) cxa_atexit;
	__typeof__(&__cxa_finalize) cxa_finalize;
	__typeof__(&__cxa_thread_atexit_impl) cxa_thread_atexit_impl;
	__typeof__(&_exit) underscore_exit;
	__typeof__(&abort) abort;
	__typeof__(&accept) accept;
	__typeof__(&accept4) accept4;
	__typeof__(&alarm) alarm;
	__typeof__(&chdir) chdir;
	__typeof__(&clearenv) clearenv;
	__typeof__(&clock) clock;
	__typeof__(&clock_gettime) clock_gettime;
	__typeof__(&clock_nanosleep) clock_nanosleep;
	__typeof__(&close) close;
	__typeof__(&close_range) close_range;
	__typeof__(&closefrom) closefrom;
	__typeof__(&dlopen) dlopen;
	__typeof__(&drand48) drand48;
	__typeof__(&erand48) erand48;
	__typeof__(&execv) execv;
	__typeof__(&execve) execve;
	__typeof__(&execvp) execvp;
	__typeof__(&execvpe) execvpe;
	__typeof__(&exit) exit;
	__typeof__(&fchdir) fchdir;
	__typeof__(&flock) flock;
	__typeof__(&fork) fork;
	__typeof__(&fread) fread;
	__typeof__(&freopen) freopen;
	__typeof__(&fwrite) fwrite;
	__typeof__(&get_nprocs) get_nprocs;
	__typeof__(&get_nprocs_conf) get_nprocs_conf;
	__typeof__(&getaddrinfo) getaddrinfo;
	__typeof__(&getc) getc;
	__typeof__(&getenv) getenv;
	__typeof__(&gethostbyname) gethostbyname;
	__typeof__(&gethostname) gethostname;
	__typeof__(&getopt) getopt;
	__typeof__(&getopt_long) getopt_long;
	__typeof__(&getopt_long_only) getopt_long_only;
	__typeof__(&getrusage) getrusage;
	__typeof__(&gettimeofday) gettimeofday;
	__typeof__(&initstate) initstate;
	__typeof__(&jrand48) jrand48;
	__typeof__(&lcong48) lcong48;
	__typeof__(&lrand48) lrand48;
	__typeof__(&mrand48) mrand48;
	__typeof__(&nanosleep) nanosleep;
	__typeof__(&nrand48) nrand48;
	__typeof__(&on_exit) on_exit;
	__typeof__(&poll) poll;
	__typeof__(&popen) popen;
	__typeof__(&posix_spawn) posix_spawn;
	__typeof__(&posix_spawnp) posix_spawnp;
	__typeof__(&pthread_attr_setaffinity_np) pthread_attr_setaffinity_np;
	__typeof__(&pthread_barrier_wait) pthread_barrier_wait;
	__typeof__(&pthread_cond_broadcast) pthread_cond_broadcast;
	__typeof__(&pthread_cond_clockwait) pthread_cond_clockwait;
	__typeof__(&pthread_cond_signal) pthread_cond_signal;
	__typeof__(&pthread_cond_timedwait) pthread_cond_timedwait;
	__typeof__(&pthread_cond_wait) pthread_cond_wait;
	__typeof__(&pthread_create) pthread_create;
	__typeof__(&pthread_exit) pthread_exit;
	__typeof__(&pthread_getaffinity_np) pthread_getaffinity_np;
	__typeof__(&pthread_join) pthread_join;
	__typeof__(&pthread_setaffinity_np) pthread_setaffinity_np;
	__typeof__(&pread) pread;
	__typeof__(&putenv) putenv;
	__typeof__(&quick_exit) quick_exit;
	__typeof__(&rand) rand;
	__typeof__(&random) random;
	__typeof__(&read) read;
	__typeof__(&recv) recv;
	__typeof__(&recvfrom) recvfrom;
	__typeof__(&recvmsg) recvmsg;
	__typeof__(&sched_getaffinity) sched_getaffinity;
	__typeof__(&sched_getcpu) sched_getcpu;
	__typeof__(&sched_setaffinity) sched_setaffinity;
	__typeof__(&seed48) seed48;
	__typeof__(&select) select;
	__typeof__(&sem_post) sem_post;
	__typeof__(&sem_wait) sem_wait;
	__typeof__(&setenv) setenv;
	__typeof__(&setitimer) setitimer;
	__typeof__(&setstate) setstate;
	__typeof__(&sigaction) sigaction;
	__typeof__(&signal) signal;
	__typeof__(&sleep) sleep;
	__typeof__(&srand) srand;
	__typeof__(&srand48) srand48;
	__typeof__(&srandom) srandom;
	__typeof__(&strtok) strtok;
	__typeof__(&sysconf) sysconf;
	__typeof__(&system) system;
	__typeof__(&time) time;
	__typeof__(&timer_settime) timer_settime;
	__typeof__(&times) times;
	__typeof__(&ualarm) ualarm;
	__typeof__(&uname) uname;
	__typeof__(&unsetenv) unsetenv;
	__typeof__(&timespec_get) timespec_get;
	__typeof__(&usleep) usleep;
	__typeof__(&write) write;
};

const struct pd_libc *pd_libc_next(void);

#endif
