/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pdexec/arch.h"
#include "pdexec/image.h"
#include "pdexec/libc-next.h"
#include "pdexec/pages.h"
#include "pdexec/process.h"

static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
enum {
	N_SIGNALS = sizeof(numbers) / sizeof(numbers[0]),
	HANDLER_STACK_B = 65536,
	NEAR_STACK_B = 65536,
	BELOW_STACK_B = 512 /* what a function uses below its stack pointer (128 B), and more */
};

struct pd_signals {
	struct sigaction before[N_SIGNALS];
	bool is_installed[N_SIGNALS];
	stack_t stack_before;
	bool has_stack;
	char *stack;
	/* the crash that is being handled, from the handler to the code it returns to */
	struct pd_rank *rank; /* NULL: none is running */
	int number;
	const char *address, *pc;
	const void *site;
	bool is_write, is_overflow;
};

/* libasan has it when the simulator is built with it: marks memory as good to use. */
__attribute__((weak)) void __asan_unpoison_memory_region(const void *memory, size_t size);

/* Programs cannot take over these while they are simulated: their handlers would act for all ranks.
 */
static bool is_own(int number)
{
	for (int i = 0; i < N_SIGNALS; i++)
		if (numbers[i] == number)
			return true;
	return number == SIGINT || number == SIGTERM;
}

void pd_signals_describe_overflow(const struct pd_rank *rank, char *text, size_t size)
{
	void *low;
	size_t stack_B;

	sim_fiber_stack(rank->task.fiber, &low, &stack_B);
	snprintf(text, size,
		 "stack overflow: its stack of %zu KiB is used up (larger: --stack-size)",
		 stack_B / 1024);
}

/* --- what happened, in words; on the rank's stack, after the handler has returned --- */

static const char *describe_fault(const struct pd_signals *crash, char *buffer, size_t size)
{
	switch (crash->number) {
	case SIGSEGV:
	case SIGBUS:
		snprintf(buffer, size, "%s at address %p (%s)",
			 crash->number == SIGSEGV ? "segmentation fault" : "bus error",
			 (const void *)crash->address,
			 crash->pc == crash->address ? "execution"
			 : crash->is_write	     ? "writing"
						     : "reading");
		return buffer;
	case SIGFPE:
		return "arithmetic fault (such as an integer division by zero)";
	case SIGILL:
		return "illegal instruction";
	case SIGABRT:
		return "the program called abort()";
	default:
		return "breakpoint trap";
	}
}

/* The buffer that a receive named cannot take the message: the receiver's fault, whoever runs. */
static void blame_receiver(struct pd_signals *crash, struct pd_rank *receiver)
{
	struct pd_world *world = receiver->world;
	char text[128];

	world->receiver = NULL;
	world->failure = (struct pd_failure){.kind = PD_FAILURE_CRASH,
					     .rank = receiver->rank,
					     .function = receiver->function,
					     .site = receiver->site,
					     .time = world->engine.now};
	snprintf(world->failure.text, sizeof world->failure.text,
		 "%s: a message has come, and the buffer that its %s names is no memory to %s",
		 describe_fault(crash, text, sizeof text),
		 crash->is_write ? "receive" : "send", crash->is_write ? "write to" : "read");
}

/* The place of the engine's loop. */
static void land_outside(void *argument)
{
	struct pd_rank *receiver = pd_current->world->receiver;

	blame_receiver(argument, receiver);
	longjmp(*receiver->world->way_out, 1);
}

/* Nothing is returned to: this takes the place of all that was on the stack. */
__attribute__((no_sanitize("address"))) static void land(void *argument)
{
	struct pd_signals *crash = argument;
	struct pd_rank *rank = crash->rank;
	char text[256];
	void *low = NULL;
	size_t size = 0;

	if (__asan_unpoison_memory_region) { /* this frame lies where others were; the next call
						writes to it */
		__asan_unpoison_memory_region(&low, sizeof(low));
		__asan_unpoison_memory_region(&size, sizeof(size));
	}
	sim_fiber_stack(rank->task.fiber, &low, &size);
	if (__asan_unpoison_memory_region)
		__asan_unpoison_memory_region(low, size);
	if (!rank->function)
		rank->site = crash->site;
	if (rank->world->receiver)
		blame_receiver(crash, rank->world->receiver);
	if (crash->is_overflow) {
		pd_signals_describe_overflow(rank, text, sizeof(text));
		pd_fail(rank, PD_FAILURE_OVERFLOW, "%s", text);
	}
	if (pd_memory_is_device(crash->address) && !rank->world->config.no_alloc)
		pd_fail(rank, PD_FAILURE_CRASH,
			"%s memory of an accelerator that is not allocated (address %p)",
			crash->is_write ? "wrote to" : "read", (const void *)crash->address);
	if (pd_memory_is_absent(crash->address) &&
	    (crash->number == SIGSEGV || crash->number == SIGBUS))
		pd_fail(rank, PD_FAILURE_ANNOTATION,
			"%s a buffer of mpisim_alloc outside of an annotated kernel: with "
			"--no-alloc it has no memory (address %p)",
			crash->is_write ? "wrote to" : "read", (const void *)crash->address);
	pd_fail(rank, crash->number == SIGABRT ? PD_FAILURE_ABORT : PD_FAILURE_CRASH, "%s",
		describe_fault(crash, text, sizeof(text)));
}

/* --- the handler: async-signal-safe --- */

void pd_signals_frames(const struct pd_rank *rank, struct pd_frames *out)
{
	const struct pd_image *image = rank->program->image;
	void *low;

	sim_fiber_stack(rank->task.fiber, &low, &out->size_B);
	out->low = low;
	out->code = image->first;
	out->pitch_B = image->pitch_B;
	out->n = image->pitch_B ? (size_t)image->n_ranks : 1;
	out->begin = image->elf.text.begin;
	out->end = image->elf.text.end;
}

static bool is_in_text(const struct pd_frames *frames, const char *address)
{
	size_t offset = (size_t)(address - frames->code);

	if (address < frames->code || (frames->pitch_B && offset >= frames->n * frames->pitch_B))
		return false;
	if (frames->pitch_B)
		offset %= frames->pitch_B;
	return offset >= frames->begin && offset < frames->end;
}

__attribute__((no_sanitize("address"))) static const void *
find_site(const struct pd_frames *frames, const void *code, const void *stack)
{
	const char *const *word = (const char *const *)((uintptr_t)stack & ~(uintptr_t)7);

	if (is_in_text(frames, code) || (const char *)word < frames->low)
		return code;
	for (; (const char *)word < frames->low + frames->size_B; word++)
		if (is_in_text(frames, *word) && is_in_text(frames, *word - 8) &&
		    pd_arch_follows_call((const uint8_t *)*word))
			return *word;
	return code;
}

const void *pd_signals_find_site(const struct pd_rank *rank, const void *code, const void *stack)
{
	struct pd_frames frames;

	pd_signals_frames(rank, &frames);
	return find_site(&frames, code, stack);
}

/* A page whose accesses are seen. Nothing of the heap is looked at, which may lie on such pages. */
static bool is_watched(const void *address, const struct pd_fault *fault)
{
	const struct pd_frames *frames = pd_pages_frames(address);

	if (frames)
		pd_pages_note(address, fault->is_write,
			      find_site(frames, fault->pc + 1, fault->stack));
	return frames != NULL;
}

/* Faults of the simulator itself and of threads that the program started. */
static void pass_on(int number)
{
	struct sigaction action = {.sa_handler = SIG_DFL};

	pd_libc_next()->sigaction(number, &action, NULL);
	/* a fault happens again on return; a signal that was sent has to be sent again */
	if (number == SIGABRT || number == SIGTRAP)
		raise(number);
}

/* Into the guard; or with a stack pointer that had left the stack before, as recursion does where
 * there is no guard, and a frame so large that it jumps over everything. */
static bool is_overflow(const struct pd_rank *rank, const char *address, const char *stack)
{
	uintptr_t distance = (uintptr_t)address - (uintptr_t)stack;
	const struct pd_program *program = rank->program;
	const struct sim_fiber_set *set = program->fibers ? program->fibers : rank->world->fibers;
	int index = program->fibers ? rank->rank - program->first_rank : rank->rank;
	void *low;
	size_t size;

	sim_fiber_stack(rank->task.fiber, &low, &size);
	return sim_fiber_set_guard_hit(set, address) == index ||
	       sim_fiber_strayed(rank->task.fiber, stack) ||
	       ((uintptr_t)stack - (uintptr_t)low > size &&
		distance + NEAR_STACK_B < 2 * (uintptr_t)NEAR_STACK_B);
}

/* Whether a message was being copied on the engine's own stack, and somebody can end the run. */
static bool is_receiving_outside(void)
{
	const struct pd_world *world = pd_current ? pd_current->world : NULL;

	return world && world->receiver && world->way_out && pd_is_own_thread(world) &&
	       !world->engine.running;
}

static void note(struct pd_signals *crash, int number, const siginfo_t *info,
		 const struct pd_fault *fault)
{
	crash->number = number;
	crash->address = info->si_code > 0 && number != SIGABRT ? info->si_addr : NULL;
	crash->pc = fault->pc;
	crash->is_write = fault->is_write;
}

static bool is_of_check(const struct pd_rank *rank, const void *address,
			const struct pd_fault *fault)
{
	struct pd_world *world = pd_current ? pd_current->world : NULL;

	return world && world->fault &&
	       world->fault(
		   world, address, 1,
		   rank ? pd_signals_find_site(rank, fault->pc + 1, fault->stack) : NULL);
}

static void handle(int number, siginfo_t *info, void *context)
{
	struct pd_fault fault = pd_arch_fault(context);
	struct pd_signals *crash;
	struct pd_rank *rank;
	void *low;
	size_t size;

	if (number == SIGSEGV && is_watched(info->si_addr, &fault))
		return;
	rank = pd_rank_here();
	if (number == SIGSEGV && is_of_check(rank, info->si_addr, &fault))
		return;
	if (!rank && is_receiving_outside()) {
		crash = pd_current->world->signals;
		note(crash, number, info, &fault);
		pd_arch_redirect(context, land_outside, crash,
				 (char *)(uintptr_t)fault.stack - BELOW_STACK_B);
		return;
	}
	if (!rank || rank->world->signals->rank) {
		pass_on(number);
		return;
	}
	crash = rank->world->signals;
	sim_fiber_stack(rank->task.fiber, &low, &size);
	crash->rank = rank;
	note(crash, number, info, &fault);
	crash->is_overflow = number == SIGSEGV && is_overflow(rank, crash->address, fault.stack);
	crash->site = pd_signals_find_site(rank, fault.pc + 1, fault.stack);
	pd_arch_redirect(context, land, crash, (char *)low + size);
}

static int install(struct pd_signals *signals, struct util_error *err)
{
	stack_t stack = {.ss_sp = signals->stack, .ss_size = HANDLER_STACK_B};
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	if (sigaltstack(&stack, &signals->stack_before))
		return util_error_errno(err, errno, "cannot set the stack for signals");
	signals->has_stack = true;
	sigfillset(&action.sa_mask);
	for (int i = 0; i < N_SIGNALS; i++) {
		if (pd_libc_next()->sigaction(numbers[i], &action, &signals->before[i]))
			return util_error_errno(err, errno, "cannot catch signal %d", numbers[i]);
		signals->is_installed[i] = true;
	}
	return 0;
}

int pd_signals_create(struct pd_world *world, struct pd_signals **out, struct util_error *err)
{
	struct pd_signals *signals = calloc(1, sizeof(*signals));
	int rc;

	if (signals)
		signals->stack = aligned_alloc(PD_PAGE_B, HANDLER_STACK_B); /* pages of its own */
	if (!signals || !signals->stack)
		rc = util_error_set(err, UTIL_ENOMEM, "no memory to handle signals");
	else
		rc = install(signals, err);
	if (rc) {
		pd_signals_destroy(signals);
		return rc;
	}
	*out = signals;
	return 0;
}

void pd_signals_destroy(struct pd_signals *signals)
{
	if (!signals)
		return;
	for (int i = 0; i < N_SIGNALS; i++)
		if (signals->is_installed[i])
			pd_libc_next()->sigaction(numbers[i], &signals->before[i], NULL);
	if (signals->has_stack)
		sigaltstack(&signals->stack_before, NULL);
	free(signals->stack);
	free(signals);
}

/* --- what programs call --- */

PD_INTERPOSE int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
	if (!action || !is_own(number) || !pd_rank_here())
		return pd_libc_next()->sigaction(number, action, before);
	if (before)
		*before = (struct sigaction){.sa_handler = SIG_DFL};
	return 0;
}

PD_INTERPOSE __sighandler_t signal(int number, __sighandler_t handler)
{
	if (!is_own(number) || !pd_rank_here())
		return pd_libc_next()->signal(number, handler);
	return SIG_DFL;
}
