/* SPDX-License-Identifier: BSD-3-Clause */
/* The ends of a process that are ends of a rank: exit and what runs then. */
#include <stdint.h>
#include <stdio.h>

#include "pdexec/image.h"
#include "pdexec/libc-next.h"
#include "pdexec/process.h"
#include "pdexec/signals.h"

/* The thread that ranks run on cannot be told from here: nobody else could end the run. */
static void fail_thread(int code)
{
	const struct pd_world *world = pd_current ? pd_current->world : NULL;

	if (!world || world->process_id != getpid() || pd_is_own_thread(world))
		return;
	fprintf(stderr,
		"mpisim: exit(%d): called by a thread that the program started (while rank %d "
		"ran): it ends all ranks\n",
		code, pd_current->rank);
	pd_libc_next()->underscore_exit(1);
}

PD_INTERPOSE _Noreturn void exit(int code)
{
	struct pd_rank *rank = pd_process_here();

	fail_thread(code);
	if (pd_rank_before_fork())
		pd_process_exit_child(pd_rank_before_fork(), code);
	if (!rank)
		pd_libc_next()->exit(code);
	pd_rank_exit(rank, code);
}

/* Of the thread that `main` runs on: the process goes on while it has others, and ends with 0.
 * Ranks share their thread. */
PD_INTERPOSE _Noreturn void pthread_exit(void *value)
{
	struct pd_rank *rank = pd_process_here();

	if (!rank)
		pd_libc_next()->pthread_exit(value);
	pd_rank_exit(rank, 0);
}

static _Noreturn void leave_at_once(int code)
{
	struct pd_rank *rank = pd_process_here();

	if (!rank)
		pd_libc_next()->underscore_exit(code);
	pd_rank_leave(rank, code);
}

PD_INTERPOSE _Noreturn void _exit(int code)
{
	leave_at_once(code);
}

PD_INTERPOSE _Noreturn void _Exit(int code)
{
	leave_at_once(code);
}

PD_INTERPOSE _Noreturn void quick_exit(int code)
{
	struct pd_rank *rank = pd_process_here();
	struct pd_process *process;

	if (!rank)
		pd_libc_next()->quick_exit(code);
	process = rank->process;
	while (process->n_handlers > 0) {
		struct pd_exit_handler handler = process->handlers[--process->n_handlers];

		if (handler.kind == PD_EXIT_QUICK)
			((void (*)(void *))handler.function)(handler.argument);
	}
	pd_rank_leave(rank, code);
}

PD_INTERPOSE _Noreturn void abort(void)
{
	struct pd_rank *rank = pd_process_here();

	if (!rank)
		pd_libc_next()->abort();
	if (!rank->function)
		rank->site = pd_signals_find_site(rank, __builtin_return_address(0),
						  __builtin_frame_address(0));
	pd_fail(rank, PD_FAILURE_ABORT, "the program called abort()");
}

/*
 * Handlers belong to a rank when they come from the program. Those of libraries, registered on a
 * rank's first use of something, are the library's, which all ranks share.
 */
static struct pd_rank *owner_of(const void *object)
{
	struct pd_rank *rank = pd_rank_here();
	uint64_t vaddr;

	return rank && object && pd_image_locate(rank->program->image, object, &vaddr) ? rank
										       : NULL;
}

PD_INTERPOSE int __cxa_atexit(void (*function)(void *), void *argument, void *object)
{
	struct pd_rank *rank = owner_of(object);

	if (!rank)
		return pd_libc_next()->cxa_atexit(function, argument, object);
	return pd_process_at_exit(rank, PD_EXIT_PLAIN, (void (*)(void))(uintptr_t)function,
				  argument);
}

PD_INTERPOSE int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *object)
{
	struct pd_rank *rank = owner_of(object);

	if (!rank)
		return pd_libc_next()->cxa_thread_atexit_impl(function, argument, object);
	return pd_process_at_exit(rank, PD_EXIT_THREAD, (void (*)(void))(uintptr_t)function,
				  argument);
}

PD_INTERPOSE int __cxa_at_quick_exit(void (*function)(void *), void *object)
{
	struct pd_rank *rank = owner_of(object);

	if (!rank)
		return pd_libc_next()->cxa_at_quick_exit(function, object);
	return pd_process_at_exit(rank, PD_EXIT_QUICK, (void (*)(void))(uintptr_t)function, NULL);
}

/* The program's own destructors call it at the rank's end, when every handler has run already. */
PD_INTERPOSE void __cxa_finalize(void *object)
{
	if (!owner_of(object))
		pd_libc_next()->cxa_finalize(object);
}

PD_INTERPOSE int on_exit(void (*function)(int, void *), void *argument)
{
	struct pd_rank *rank = pd_rank_here();

	if (!rank)
		return pd_libc_next()->on_exit(function, argument);
	return pd_process_at_exit(rank, PD_EXIT_WITH_STATUS, (void (*)(void))(uintptr_t)function,
				  argument);
}
