// SPDX-License-Identifier: BSD-3-Clause
#include "traces/export/comms.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

static int grow_numbers(struct trace_comms *comms, uint32_t number)
{
	uint32_t n = comms->n_numbers ? comms->n_numbers : 16;
	int *grown;

	while (n <= number)
		n *= 2;
	grown = realloc(comms->index_of, n * sizeof *grown);
	if (!grown)
		return -1;
	memset(grown + comms->n_numbers, -1, (n - comms->n_numbers) * sizeof *grown);
	comms->index_of = grown;
	comms->n_numbers = n;
	return 0;
}

static int add(struct trace_comms *comms, const struct sim_cause_collective *entered)
{
	struct trace_comm *comm;

	if (!util_array_room(&comms->list, (size_t)comms->n, sizeof *comms->list))
		return -1;
	comm = &comms->list[comms->n];
	*comm = (struct trace_comm){.name = strdup(entered->comm_name ? entered->comm_name : ""),
				    .n_ranks = entered->n_ranks,
				    .ranks = malloc((size_t)entered->n_ranks * sizeof(int))};
	if (!comm->name || !comm->ranks) {
		free(comm->name);
		free(comm->ranks);
		return -1;
	}
	memset(comm->ranks, -1, (size_t)comm->n_ranks * sizeof *comm->ranks);
	comms->index_of[entered->comm] = comms->n++;
	return 0;
}

int trace_comms_enter(struct trace_comms *comms, const struct sim_cause_collective *entered)
{
	struct trace_comm *comm;

	if (entered->n_ranks == 1) /* MPI_COMM_SELF of all ranks has one number */
		return -1;
	if (entered->comm >= comms->n_numbers && grow_numbers(comms, entered->comm))
		return -2;
	if (comms->index_of[entered->comm] < 0 && add(comms, entered))
		return -2;
	comm = &comms->list[comms->index_of[entered->comm]];
	if (comm->ranks[entered->rank] < 0) {
		comm->ranks[entered->rank] = entered->place.rank;
		comm->n_known++;
	}
	return comms->index_of[entered->comm];
}

void trace_comms_finish(struct trace_comms *comms)
{
	for (int i = 0; i < comms->n; i++) {
		free(comms->list[i].name);
		free(comms->list[i].ranks);
	}
	free(comms->list);
	free(comms->index_of);
	*comms = (struct trace_comms){.list = NULL};
}
