/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef REPLAY_TAPE_H
#define REPLAY_TAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "pdexec/store.h"
#include "simcore/observer.h"

/*
 * What observers and the store of kernels were told during one repetition, to be told again for
 * others. While it runs the tape is one of the observers.
 */
struct replay_tape {
	struct sim_observers *observers; /* borrowed; NULL: not started yet */
	bool runs;
	struct replay_tape_entry *entries; /* [n] */
	size_t n;
	double *params; /* [n_params] of the kernels on it */
	size_t n_params, params_capacity;
	bool is_lost; /* longer than a tape may be, or no memory: useless */
};

/* Begins an empty tape of what the observers want. None of them has causes. */
void replay_tape_start(struct replay_tape *tape, struct sim_observers *observers);
/* It observes no more; what is on the tape stays. */
void replay_tape_stop(struct replay_tape *tape);
/* A kernel was charged. Does nothing when the tape does not run. */
void replay_tape_kernel(struct replay_tape *tape, const char *name, int n_params,
			const double params[]);
/* Tells all of a stopped tape again, `delay` later. */
void replay_tape_play(const struct replay_tape *tape, struct pd_store *store, sim_time_ps delay);
/* Equal for tapes that tell the same, in whatever order, as long after `begin`. */
uint64_t replay_tape_hash(const struct replay_tape *tape, sim_time_ps begin);
void replay_tape_finish(struct replay_tape *tape);

#endif
