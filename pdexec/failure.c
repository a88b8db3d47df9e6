/* SPDX-License-Identifier: BSD-3-Clause */
/* How runs fail, in one sentence. */
#include <stdarg.h>
#include <stdio.h>

#include "pdexec/process.h"
#include "pdexec/signals.h"

void pd_world_fail_step(struct pd_world *world, enum sim_step step)
{
	struct pd_failure *failure = &world->failure;

	*failure =
	    (struct pd_failure){.kind = PD_FAILURE_MEMORY, .rank = -1, .time = world->engine.now};
	snprintf(failure->text, sizeof(failure->text), "the simulator ran out of memory");
	if (step == SIM_STEP_OVERFLOW) {
		const struct pd_rank *rank = world->engine.resumed_last->data;

		failure->kind = PD_FAILURE_OVERFLOW;
		failure->rank = rank->rank;
		failure->function = rank->function;
		failure->site = rank->site;
		pd_signals_describe_overflow(rank, failure->text, sizeof(failure->text));
	}
}

/* The first failure counts. */
static void note(struct pd_rank *rank, enum pd_failure_kind kind, const char *format, va_list args)
{
	struct pd_failure *failure = &rank->world->failure;
	int exit_code = failure->exit_code; /* MPI_Abort sets it beforehand */

	sim_engine_stop(&rank->world->engine);
	if (failure->kind != PD_FAILURE_NONE)
		return;
	*failure = (struct pd_failure){.kind = kind,
				       .rank = rank->rank,
				       .function = rank->function,
				       .site = rank->site,
				       .time = rank->world->engine.now,
				       .exit_code = exit_code};
	vsnprintf(failure->text, sizeof(failure->text), format, args);
}

void pd_fail_aside(struct pd_rank *rank, enum pd_failure_kind kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	note(rank, kind, format, args);
	va_end(args);
}

_Noreturn void pd_fail(struct pd_rank *rank, enum pd_failure_kind kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	note(rank, kind, format, args);
	va_end(args);
	if (rank->world->unwind)
		__builtin_longjmp(rank->world->unwind, 1);
	fflush(stdout);
	/* after a crash the rank's own environment may be overwritten: it lies on the stack */
	if (!rank->world->is_builtin)
		pd_process_switch(rank->world->error, rank->process, rank->world->outside);
	for (;;)
		sim_task_block(&rank->task);
}
