/* SPDX-License-Identifier: BSD-3-Clause */
#include "simcore/observer.h"

#include <stddef.h>

static unsigned int wanted_by(const struct sim_observer *observer)
{
	return (observer->compute ? SIM_OBSERVED_COMPUTE : 0U) |
	       (observer->call ? SIM_OBSERVED_CALL : 0U) |
	       (observer->message ? SIM_OBSERVED_MESSAGE : 0U) |
	       (observer->phase ? SIM_OBSERVED_PHASE : 0U) |
	       (observer->node_release || observer->node_acquire ? SIM_OBSERVED_NODE : 0U) |
	       (observer->rank_begin || observer->rank_end ? SIM_OBSERVED_RANK : 0U) |
	       (observer->collective ? SIM_OBSERVED_COLLECTIVE : 0U);
}

/* What the list says about all of its observers. */
static void sum_up(struct sim_observers *observers)
{
	int n_detailed = 0;

	observers->wanted = 0;
	observers->tally = NULL;
	for (int i = 0; i < observers->n; i++) {
		const struct sim_observer *one = &observers->of[i];

		observers->wanted |= wanted_by(one);
		if (one->tally)
			observers->tally = one->tally;
		n_detailed += one->tally || one->call || one->message;
	}
	if (n_detailed > 1)
		observers->tally = NULL;
}

void sim_observers_add(struct sim_observers *observers, const struct sim_observer *observer)
{
	observers->of[observers->n++] = *observer;
	if (observer->causes)
		observers->causes = sim_causes_fan_add(&observers->fan, observer->causes);
	sum_up(observers);
}

void sim_observers_remove(struct sim_observers *observers, const void *context)
{
	int n = 0;

	for (int i = 0; i < observers->n; i++)
		if (observers->of[i].context != context)
			observers->of[n++] = observers->of[i];
	observers->n = n;
	sum_up(observers);
}

void sim_observers_copy(struct sim_observers *to, const struct sim_observers *from)
{
	for (int i = 0; i < from->n; i++)
		sim_observers_add(to, &from->of[i]);
}

void sim_tell_compute(const struct sim_observers *to, const struct sim_record_compute *record)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].compute)
			to->of[i].compute(to->of[i].context, record);
}

void sim_tell_offloaded(const struct sim_observers *to, const struct sim_record_offloaded *record)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].offloaded)
			to->of[i].offloaded(to->of[i].context, record);
}

void sim_tell_call(const struct sim_observers *to, const struct sim_record_call *record)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].call)
			to->of[i].call(to->of[i].context, record);
}

void sim_tell_message(const struct sim_observers *to, const struct sim_record_message *record)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].message)
			to->of[i].message(to->of[i].context, record);
}

void sim_tell_phase(const struct sim_observers *to, int rank, const char *name, int is_begin,
		    sim_time_ps now)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].phase)
			to->of[i].phase(to->of[i].context, rank, name, is_begin, now);
}

void sim_tell_node_release(const struct sim_observers *to, int rank, sim_time_ps now)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].node_release)
			to->of[i].node_release(to->of[i].context, rank, now);
}

void sim_tell_node_acquire(const struct sim_observers *to, int rank, sim_time_ps now)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].node_acquire)
			to->of[i].node_acquire(to->of[i].context, rank, now);
}

void sim_tell_rank_end(const struct sim_observers *to, int rank, sim_time_ps now)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].rank_end)
			to->of[i].rank_end(to->of[i].context, rank, now);
}

void sim_tell_rank_begin(const struct sim_observers *to, int rank, int parent, int node,
			 sim_time_ps now)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].rank_begin)
			to->of[i].rank_begin(to->of[i].context, rank, parent, node, now);
}

void sim_tell_collective(const struct sim_observers *to, const struct sim_cause_collective *entered,
			 sim_time_ps now)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].collective)
			to->of[i].collective(to->of[i].context, entered, now);
}

void sim_tell_charge(const struct sim_observers *to, const struct sim_record_charge *record)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].charge)
			to->of[i].charge(to->of[i].context, record);
}

void sim_tell_accelerator(const struct sim_observers *to, int rank)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].accelerator)
			to->of[i].accelerator(to->of[i].context, rank);
}

void sim_tell_touch(const struct sim_observers *to, const struct sim_record_touch *record)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].touch)
			to->of[i].touch(to->of[i].context, record);
}

void sim_tell_clock(const struct sim_observers *to, int rank, const void *site)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].clock)
			to->of[i].clock(to->of[i].context, rank, site);
}

void sim_tell_sleep(const struct sim_observers *to, int rank, const void *site,
		    sim_time_ps duration)
{
	for (int i = 0; i < to->n; i++)
		if (to->of[i].sleep)
			to->of[i].sleep(to->of[i].context, rank, site, duration);
}
