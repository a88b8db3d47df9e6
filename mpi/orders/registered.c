/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim_state: what memory decides a rank's result, as the program says. */
#include "mpi/orders/registered.h"

#include <mpisim.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/core/entry.h"
#include "mpi/datatype/datatype.h"

static void release(struct mpi_rank *me, struct mpi_registered_item *item)
{
	free(item->name);
	free(item->kept);
	mpi_datatype_release(me, item->type);
}

static void take_out(struct mpi_rank *me, struct mpi_registered *registered, const char *name)
{
	for (int i = 0; i < registered->n; i++) {
		struct mpi_registered_item *item = &registered->items[i];

		if (strcmp(item->name, name) != 0)
			continue;
		release(me, item);
		registered->n--;
		memmove(item, item + 1, (size_t)(registered->n - i) * sizeof *item);
		return;
	}
}

void mpi_registered_add(struct mpi_rank *me, struct mpi_registered *registered, const char *name,
			const void *address, int64_t count, struct mpi_datatype *type)
{
	struct mpi_registered_item *larger;

	take_out(me, registered, name);
	if (!address || count == 0)
		return;
	larger = realloc(registered->items, (size_t)(registered->n + 1) * sizeof *larger);
	if (!larger)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for mpisim_state");
	registered->items = larger;
	larger[registered->n] = (struct mpi_registered_item){
	    .name = strdup(name), .address = address, .count = count, .type = type};
	if (!larger[registered->n].name)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for mpisim_state");
	mpi_datatype_retain(type);
	registered->n++;
}

/* Types with gaps are packed by their own rank alone, who looks at its own memory. */
void *mpi_registered_value(const struct mpi_rank *me, const struct mpi_registered_item *item,
			   size_t *size_B)
{
	void *value;

	*size_B = (size_t)(item->count * item->type->size_B);
	value = malloc(*size_B ? *size_B : 1);
	if (!value)
		return NULL;
	if (item->kept)
		memcpy(value, item->kept, *size_B);
	else if (item->type->is_contiguous)
		memcpy(value,
		       pd_rank_memory(me->pd, (const char *)item->address + item->type->true_lb_B),
		       *size_B);
	else
		mpi_datatype_pack(item->type, item->address, item->count, value);
	return value;
}

void mpi_registered_keep(struct mpi_rank *me, struct mpi_registered *registered)
{
	size_t size_B;

	for (int i = 0; i < registered->n; i++)
		if (!registered->items[i].kept)
			registered->items[i].kept =
			    mpi_registered_value(me, &registered->items[i], &size_B);
}

void mpi_registered_finish(struct mpi_registered *registered)
{
	for (int i = 0; i < registered->n; i++) {
		free(registered->items[i].name);
		free(registered->items[i].kept);
	}
	free(registered->items);
	*registered = (struct mpi_registered){.n = 0};
}

void mpisim_state_register(const char *name, const void *address, size_t count,
			   const void *datatype)
{
	struct mpi_rank *me = mpi_enter_anytime("mpisim_state", __builtin_return_address(0));
	struct mpi_datatype *type = mpi_datatype_get(me, (MPI_Datatype)(uintptr_t)datatype);

	if (!name || !name[0])
		pd_fail(me->pd, PD_FAILURE_ANNOTATION, "found no name, wanted one");
	if (!type && address && count > 0)
		pd_fail(me->pd, PD_FAILURE_ANNOTATION, "the type of \"%s\" is not a datatype",
			name);
	if (count > INT32_MAX)
		pd_fail(me->pd, PD_FAILURE_ANNOTATION, "\"%s\" has %zu items, wanted at most %d",
			name, count, INT32_MAX);
	if (me->registered && type && !type->is_contiguous)
		pd_fail(me->pd, PD_FAILURE_ANNOTATION,
			"the type of \"%s\" has gaps, wanted one without", name);
	if (me->registered)
		mpi_registered_add(me, me->registered, name, address, (int64_t)count, type);
	mpi_leave(me, MPI_SUCCESS);
}
