/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of libc that keep hidden state: each rank has its own. The numbers are libc's: its
 * reentrant functions do the work.
 */
#include <errno.h>
#include <stdint.h>

#include "pdexec/image.h"
#include "pdexec/libc-next.h"
#include "pdexec/process.h"

static struct pd_process *process_here(void)
{
	struct pd_rank *rank = pd_rank_here();

	return rank ? rank->process : NULL;
}

PD_INTERPOSE char *strtok(char *text, const char *delimiters)
{
	struct pd_process *process = process_here();

	return process ? strtok_r(text, delimiters, &process->strtok_next)
		       : pd_libc_next()->strtok(text, delimiters);
}

/* --- random: seeded with 1 until told otherwise, with 128 bytes of state --- */

static struct random_data *additive(struct pd_process *process)
{
	struct pd_random *random = &process->random;

	if (!random->is_seeded) {
		random->is_seeded = true;
		initstate_r(1, random->state, sizeof(random->state), &random->additive);
	}
	return &random->additive;
}

static int32_t draw(struct pd_process *process)
{
	int32_t value = 0;

	random_r(additive(process), &value);
	return value;
}

PD_INTERPOSE int rand(void)
{
	struct pd_process *process = process_here();

	return process ? draw(process) : pd_libc_next()->rand();
}

PD_INTERPOSE void srand(unsigned int seed)
{
	struct pd_process *process = process_here();

	if (process)
		srandom_r(seed, additive(process));
	else
		pd_libc_next()->srand(seed);
}

PD_INTERPOSE long random(void)
{
	struct pd_process *process = process_here();

	return process ? draw(process) : pd_libc_next()->random();
}

PD_INTERPOSE void srandom(unsigned int seed)
{
	struct pd_process *process = process_here();

	if (process)
		srandom_r(seed, additive(process));
	else
		pd_libc_next()->srandom(seed);
}

/* The start of the state array that was in use, as libc returns it: what setstate takes. */
static char *state_in_use(struct random_data *data)
{
	return (char *)(data->state - 1);
}

PD_INTERPOSE char *initstate(unsigned int seed, char *state, size_t size)
{
	struct pd_process *process = process_here();
	char *before;

	if (!process)
		return pd_libc_next()->initstate(seed, state, size);
	before = state_in_use(additive(process));
	return initstate_r(seed, state, size, &process->random.additive) ? NULL : before;
}

PD_INTERPOSE char *setstate(char *state)
{
	struct pd_process *process = process_here();
	char *before;

	if (!process)
		return pd_libc_next()->setstate(state);
	before = state_in_use(additive(process));
	return setstate_r(state, &process->random.additive) ? NULL : before;
}

/* --- drand48 and family: all zero is libc's start --- */

PD_INTERPOSE double drand48(void)
{
	struct pd_process *process = process_here();
	double value = 0;

	if (!process)
		return pd_libc_next()->drand48();
	drand48_r(&process->random.linear, &value);
	return value;
}

PD_INTERPOSE double erand48(unsigned short x[3])
{
	struct pd_process *process = process_here();
	double value = 0;

	if (!process)
		return pd_libc_next()->erand48(x);
	erand48_r(x, &process->random.linear, &value);
	return value;
}

PD_INTERPOSE long lrand48(void)
{
	struct pd_process *process = process_here();
	long value = 0;

	if (!process)
		return pd_libc_next()->lrand48();
	lrand48_r(&process->random.linear, &value);
	return value;
}

PD_INTERPOSE long nrand48(unsigned short x[3])
{
	struct pd_process *process = process_here();
	long value = 0;

	if (!process)
		return pd_libc_next()->nrand48(x);
	nrand48_r(x, &process->random.linear, &value);
	return value;
}

PD_INTERPOSE long mrand48(void)
{
	struct pd_process *process = process_here();
	long value = 0;

	if (!process)
		return pd_libc_next()->mrand48();
	mrand48_r(&process->random.linear, &value);
	return value;
}

PD_INTERPOSE long jrand48(unsigned short x[3])
{
	struct pd_process *process = process_here();
	long value = 0;

	if (!process)
		return pd_libc_next()->jrand48(x);
	jrand48_r(x, &process->random.linear, &value);
	return value;
}

PD_INTERPOSE void srand48(long seed)
{
	struct pd_process *process = process_here();

	if (process)
		srand48_r(seed, &process->random.linear);
	else
		pd_libc_next()->srand48(seed);
}

PD_INTERPOSE unsigned short *seed48(unsigned short seed[3])
{
	struct pd_process *process = process_here();

	if (!process)
		return pd_libc_next()->seed48(seed);
	seed48_r(seed, &process->random.linear);
	return process->random.linear.__old_x; /* where libc's own keeps the old value too */
}

PD_INTERPOSE void lcong48(unsigned short parameters[7])
{
	struct pd_process *process = process_here();

	if (process)
		lcong48_r(parameters, &process->random.linear);
	else
		pd_libc_next()->lcong48(parameters);
}
