/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication over every kind of intracommunicator, of every kind of datatype, in every
 * kind of epoch. */
#include "kinds.h"

enum epoch { FENCE, GENERAL, LOCK, LOCK_ALL, N_EPOCHS };

/* One process accesses the window of the next one; a window holds an area for each of two accesses.
 */
struct ring {
	const struct one_comm *one;
	const struct kind *kind;
	unsigned char *memory;
	MPI_Win win;
	MPI_Group to, from;
	int right, left;
};

static MPI_Group one_of(MPI_Comm comm, int rank)
{
	MPI_Group all, group;

	MPI_Comm_group(comm, &all);
	MPI_Group_incl(all, 1, &rank, &group);
	MPI_Group_free(&all);
	return group;
}

static int area(const struct kind *kind)
{
	return (int)buffer_size(kind, N_ITEMS);
}

/* The displacement of the items of an area: a window counts bytes from the start of its memory. */
static MPI_Aint place(const struct kind *kind, int which)
{
	return which * area(kind) + PAD - kind->lb;
}

static void open_ring(struct ring *ring, const struct one_comm *one, const struct kind *kind)
{
	ring->one = one;
	ring->kind = kind;
	ring->memory = malloc(2 * (size_t)area(kind));
	memset(ring->memory, 0xa5, 2 * (size_t)area(kind));
	put_items(kind, ring->memory, 0, N_ITEMS, me);
	ring->right = (one->rank + 1) % one->n_others;
	ring->left = (one->rank + one->n_others - 1) % one->n_others;
	ring->to = one_of(one->comm, ring->right);
	ring->from = one_of(one->comm, ring->left);
	MPI_Win_create(ring->memory, 2 * area(kind), 1, MPI_INFO_NULL, one->comm, &ring->win);
}

static void close_ring(struct ring *ring)
{
	MPI_Win_free(&ring->win);
	MPI_Group_free(&ring->to);
	MPI_Group_free(&ring->from);
	free(ring->memory);
}

static void begin(struct ring *ring, enum epoch epoch)
{
	MPI_Barrier(ring->one->comm);
	if (epoch == FENCE)
		MPI_Win_fence(MPI_MODE_NOPRECEDE, ring->win);
	if (epoch == GENERAL) {
		MPI_Win_post(ring->from, 0, ring->win);
		MPI_Win_start(ring->to, 0, ring->win);
	}
	if (epoch == LOCK)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, ring->right, 0, ring->win);
	if (epoch == LOCK_ALL)
		MPI_Win_lock_all(0, ring->win);
}

static void end(struct ring *ring, enum epoch epoch)
{
	if (epoch == FENCE)
		MPI_Win_fence(MPI_MODE_NOSUCCEED, ring->win);
	if (epoch == GENERAL) {
		MPI_Win_complete(ring->win);
		MPI_Win_wait(ring->win);
	}
	if (epoch == LOCK)
		MPI_Win_unlock(ring->right, ring->win);
	if (epoch == LOCK_ALL)
		MPI_Win_unlock_all(ring->win);
	MPI_Barrier(ring->one->comm);
}

/* The second area as the left neighbour left it. */
static void check_second(struct ring *ring, unsigned char *want)
{
	unsigned char *got = empty_buffer(ring->kind, N_ITEMS);

	MPI_Win_lock(MPI_LOCK_SHARED, ring->one->rank, 0, ring->win);
	memcpy(got, ring->memory + area(ring->kind), (size_t)area(ring->kind));
	memset(ring->memory + area(ring->kind), 0xa5, (size_t)area(ring->kind));
	MPI_Win_unlock(ring->one->rank, ring->win);
	CHECK(same(ring->kind, got, want, N_ITEMS));
	MPI_Barrier(ring->one->comm);
}

static void put_and_get(struct ring *ring, enum epoch epoch)
{
	const struct kind *kind = ring->kind;
	int left = ring->one->others[ring->left], right = ring->one->others[ring->right];
	unsigned char *out = filled_buffer(kind, N_ITEMS, me), *in = empty_buffer(kind, N_ITEMS);

	begin(ring, epoch);
	MPI_Put(origin(kind, out), N_ITEMS, kind->type, ring->right, place(kind, 1), N_ITEMS,
		kind->type, ring->win);
	MPI_Get(origin(kind, in), N_ITEMS, kind->type, ring->right, place(kind, 0), N_ITEMS,
		kind->type, ring->win);
	end(ring, epoch);
	CHECK(same(kind, in, filled_buffer(kind, N_ITEMS, right), N_ITEMS));
	check_second(ring, filled_buffer(kind, N_ITEMS, left));
	free(out);
}

/* Replacing twice leaves what came last: accumulates of one process keep their order. */
static void replace(struct ring *ring, enum epoch epoch)
{
	const struct kind *kind = ring->kind;
	unsigned char *first = filled_buffer(kind, N_ITEMS, me + 1),
		      *last = filled_buffer(kind, N_ITEMS, me);

	for (int k = 1; k < kind->n_pieces; k++)
		if (kind->pieces[k].n_bytes !=
		    kind->pieces[0].n_bytes) { /* an accumulate wants one basic type */
			free(first);
			free(last);
			return;
		}
	begin(ring, epoch);
	MPI_Accumulate(origin(kind, first), N_ITEMS, kind->type, ring->right, place(kind, 1),
		       N_ITEMS, kind->type, MPI_REPLACE, ring->win);
	MPI_Accumulate(origin(kind, last), N_ITEMS, kind->type, ring->right, place(kind, 1),
		       N_ITEMS, kind->type, MPI_REPLACE, ring->win);
	end(ring, epoch);
	check_second(ring, filled_buffer(kind, N_ITEMS, ring->one->others[ring->left]));
	free(first);
	free(last);
}

static void with_all(void (*test)(struct ring *, enum epoch), const char *name)
{
	for (int i = 0; i < n_comms; i++)
		for (int k = 0; k < n_kinds && !comms[i].is_inter; k++) {
			struct ring ring;

			open_ring(&ring, &comms[i], &kinds[k]);
			for (enum epoch epoch = 0; epoch < N_EPOCHS; epoch++)
				test(&ring, epoch);
			close_ring(&ring);
		}
	section_end(name);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	make_kinds();
	make_comms();
	with_all(put_and_get, "put and get");
	with_all(replace, "replacing");
	free_comms();
	free_kinds();
	return check_finish();
}
