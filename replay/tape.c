/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/tape.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

enum { MAX_ENTRIES = 1 << 20 };

enum tape_kind { TAPE_COMPUTE, TAPE_CALL, TAPE_MESSAGE, TAPE_PHASE, TAPE_KERNEL };

struct tape_phase {
	const char *name;
	sim_time_ps time;
	int rank, is_begin;
};

struct tape_kernel {
	const char *name;
	size_t first_param;
	int n_params;
};

struct replay_tape_entry {
	enum tape_kind kind;
	union {
		struct sim_record_compute compute;
		struct sim_record_call call;
		struct sim_record_message message;
		struct tape_phase phase;
		struct tape_kernel kernel;
	} of;
};

static void add(struct replay_tape *tape, const struct replay_tape_entry *entry)
{
	if (tape->n == MAX_ENTRIES ||
	    !util_array_room(&tape->entries, tape->n, sizeof *tape->entries))
		tape->is_lost = true;
	else
		tape->entries[tape->n++] = *entry;
}

static void note_compute(void *context, const struct sim_record_compute *record)
{
	struct replay_tape *tape = context;
	const struct replay_tape_entry entry = {.kind = TAPE_COMPUTE, .of.compute = *record};

	add(tape, &entry);
}

static void note_call(void *context, const struct sim_record_call *record)
{
	struct replay_tape *tape = context;
	const struct replay_tape_entry entry = {.kind = TAPE_CALL, .of.call = *record};

	add(tape, &entry);
}

static void note_message(void *context, const struct sim_record_message *record)
{
	struct replay_tape *tape = context;
	const struct replay_tape_entry entry = {.kind = TAPE_MESSAGE, .of.message = *record};

	add(tape, &entry);
}

static void note_phase(void *context, int rank, const char *name, int is_begin, sim_time_ps now)
{
	struct replay_tape *tape = context;
	const struct replay_tape_entry entry = {
	    .kind = TAPE_PHASE,
	    .of.phase = {.name = name, .time = now, .rank = rank, .is_begin = is_begin}};

	add(tape, &entry);
}

/* The rest is not of what repeats: the program goes on otherwise. */

static void lose_at_rank(void *context, int rank, sim_time_ps now)
{
	struct replay_tape *tape = context;

	tape->is_lost = true;
}

static void lose_at_begin(void *context, int rank, int parent, int node, sim_time_ps now)
{
	lose_at_rank(context, rank, now);
}

void replay_tape_start(struct replay_tape *tape, struct sim_observers *observers)
{
	struct sim_observer observer = {.context = tape};
	unsigned int wanted;

	replay_tape_stop(tape);
	tape->n = tape->n_params = 0;
	tape->is_lost = false;
	tape->observers = observers;
	tape->runs = true;
	wanted = observers->wanted;
	if (wanted & SIM_OBSERVED_COMPUTE)
		observer.compute = note_compute;
	if (wanted & SIM_OBSERVED_CALL)
		observer.call = note_call;
	if (wanted & SIM_OBSERVED_MESSAGE)
		observer.message = note_message;
	if (wanted & SIM_OBSERVED_PHASE)
		observer.phase = note_phase;
	if (wanted & SIM_OBSERVED_NODE)
		observer.node_release = observer.node_acquire = lose_at_rank;
	if (wanted & SIM_OBSERVED_RANK) {
		observer.rank_end = lose_at_rank;
		observer.rank_begin = lose_at_begin;
	}
	sim_observers_add(observers, &observer);
}

void replay_tape_stop(struct replay_tape *tape)
{
	if (tape->runs)
		sim_observers_remove(tape->observers, tape);
	tape->runs = false;
}

void replay_tape_kernel(struct replay_tape *tape, const char *name, int n_params,
			const double params[])
{
	const struct replay_tape_entry entry = {
	    .kind = TAPE_KERNEL,
	    .of.kernel = {.name = name, .first_param = tape->n_params, .n_params = n_params}};
	size_t n = tape->n_params + (size_t)n_params;

	if (!tape->runs)
		return;
	if (n > tape->params_capacity) {
		double *larger = realloc(tape->params, 2 * n * sizeof *larger);

		if (!larger) {
			tape->is_lost = true;
			return;
		}
		tape->params = larger;
		tape->params_capacity = 2 * n;
	}
	for (int i = 0; i < n_params; i++)
		tape->params[tape->n_params + (size_t)i] = params[i];
	tape->n_params = n;
	add(tape, &entry);
}

/* What is charged is known; what counts is that the store counts it. */
static void charge(const struct replay_tape *tape, struct pd_store *store,
		   const struct tape_kernel *kernel)
{
	struct pd_charge ignored_charge;
	struct util_error ignored;

	pd_store_begin(store, kernel->name, kernel->n_params, tape->params + kernel->first_param,
		       &ignored_charge, &ignored);
}

static void play_one(const struct replay_tape *tape, struct pd_store *store,
		     struct replay_tape_entry entry, sim_time_ps delay)
{
	const struct sim_observers *to = tape->observers;

	switch (entry.kind) {
	case TAPE_COMPUTE:
		entry.of.compute.begin += delay;
		entry.of.compute.end += delay;
		sim_tell_compute(to, &entry.of.compute);
		return;
	case TAPE_CALL:
		entry.of.call.begin += delay;
		entry.of.call.end += delay;
		sim_tell_call(to, &entry.of.call);
		return;
	case TAPE_MESSAGE:
		entry.of.message.sent += delay;
		entry.of.message.started += delay;
		entry.of.message.arrived += delay;
		entry.of.message.received += delay;
		sim_tell_message(to, &entry.of.message);
		return;
	case TAPE_PHASE:
		sim_tell_phase(to, entry.of.phase.rank, entry.of.phase.name,
			  entry.of.phase.is_begin, entry.of.phase.time + delay);
		return;
	case TAPE_KERNEL:
		charge(tape, store, &entry.of.kernel);
		return;
	}
}

void replay_tape_play(const struct replay_tape *tape, struct pd_store *store, sim_time_ps delay)
{
	for (size_t i = 0; i < tape->n; i++)
		play_one(tape, store, tape->entries[i], delay);
}

/* --- comparing --- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
	return hash ^ hash >> 29;
}

static uint64_t mix_double(uint64_t hash, double value)
{
	uint64_t word;

	memcpy(&word, &value, sizeof word);
	return mix(hash, word);
}

static uint64_t mix_message(uint64_t hash, const struct sim_record_message *m, sim_time_ps begin)
{
	const sim_time_ps times[] = {m->sent, m->started, m->arrived, m->received};

	hash = mix(hash, (uint64_t)m->source << 32 | (uint32_t)m->dest);
	/* collectives count their tags up */
	hash = mix(hash, m->in_collective ? UINT64_MAX : (uint64_t)m->tag);
	hash = mix(hash, (uint64_t)m->size_B);
	for (int i = 0; i < 4; i++)
		hash = mix(hash, (uint64_t)(times[i] - begin));
	return hash;
}

static uint64_t hash_entry(const struct replay_tape *tape, const struct replay_tape_entry *entry,
			   sim_time_ps begin)
{
	uint64_t hash = mix(0, (uint64_t)entry->kind + 1);

	switch (entry->kind) {
	case TAPE_COMPUTE:
		hash = mix(hash, (uint64_t)entry->of.compute.rank);
		hash = mix(hash, (uint64_t)(uintptr_t)entry->of.compute.kernel);
		hash = mix(hash, (uint64_t)(entry->of.compute.begin - begin));
		hash = mix(hash, (uint64_t)(entry->of.compute.end - begin));
		hash = mix_double(hash, entry->of.compute.useful_s);
		hash = mix_double(hash, entry->of.compute.stolen_s);
		return mix_double(hash, entry->of.compute.shared_s);
	case TAPE_CALL:
		hash = mix(hash, (uint64_t)entry->of.call.rank);
		hash = mix(hash, (uint64_t)(uintptr_t)entry->of.call.function);
		hash = mix(hash, (uint64_t)(uintptr_t)entry->of.call.site);
		hash = mix(hash, (uint64_t)(entry->of.call.begin - begin));
		hash = mix(hash, (uint64_t)(entry->of.call.end - begin));
		return mix(hash, (uint64_t)entry->of.call.waiting);
	case TAPE_MESSAGE:
		return mix_message(hash, &entry->of.message, begin);
	case TAPE_PHASE:
		hash = mix(hash, (uint64_t)(uintptr_t)entry->of.phase.name);
		hash = mix(hash, (uint64_t)entry->of.phase.rank << 1 |
				     (uint64_t)entry->of.phase.is_begin);
		return mix(hash, (uint64_t)(entry->of.phase.time - begin));
	case TAPE_KERNEL:
		hash = mix(hash, (uint64_t)(uintptr_t)entry->of.kernel.name);
		for (int i = 0; i < entry->of.kernel.n_params; i++)
			hash = mix_double(hash,
					  tape->params[entry->of.kernel.first_param + (size_t)i]);
		return hash;
	}
	return hash;
}

uint64_t replay_tape_hash(const struct replay_tape *tape, sim_time_ps begin)
{
	uint64_t sum = tape->n;

	for (size_t i = 0; i < tape->n; i++)
		sum += hash_entry(tape, &tape->entries[i], begin);
	return sum;
}

void replay_tape_finish(struct replay_tape *tape)
{
	replay_tape_stop(tape);
	free(tape->entries);
	free(tape->params);
}
