/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls about files do that takes time: telling it, and doing it again. */
#include "mpi/io/effects.h"

#include <stdlib.h>

#include "mpi/create/board.h"
#include "mpi/io/access.h"
#include "mpi/io/wait.h"

enum { MAX_METADATA = 1 << 20, MAX_PIECES = 1 << 27 };

static const int n_values[IO_N_EFFECTS] = {
    [IO_EFFECT_STRIPES] = 3,
    [IO_EFFECT_METADATA] = 1,
    [IO_EFFECT_BYTES] = 4,
    [IO_EFFECT_START] = 3,
};

/* --- telling --- */

void io_effects_clear(struct io_effects *effects)
{
	effects->n = 0;
	effects->bytes = SIZE_MAX;
}

void io_effects_finish(struct io_effects *effects)
{
	free(effects->items);
}

static bool reserve(struct io_effects *effects, size_t n)
{
	size_t capacity = 2 * (effects->n + n) + 64;
	int64_t *larger;

	if (effects->n + n <= effects->capacity)
		return true;
	larger = realloc(effects->items, capacity * sizeof *larger);
	if (!larger) {
		effects->is_lost = true;
		return false;
	}
	effects->items = larger;
	effects->capacity = capacity;
	return true;
}

void io_effects_add(struct mpi_rank *me, const struct mpi_file *file, enum io_effect effect,
		    const int64_t values[])
{
	struct io_effects *effects = io_rank(me)->effects;

	if (!reserve(effects, (size_t)n_values[effect] + 2))
		return;
	effects->bytes = effect == IO_EFFECT_BYTES ? effects->n : SIZE_MAX;
	effects->items[effects->n++] = effect;
	effects->items[effects->n++] = file ? file->number : 0;
	for (int i = 0; i < n_values[effect]; i++)
		effects->items[effects->n++] = values[i];
}

void io_tell_stripes(struct mpi_rank *me, const struct mpi_file *file, const char *name, int n,
		     int64_t size_B)
{
	struct io_effects *effects = io_rank(me)->effects;

	if (effects)
		io_tell(me, file, IO_EFFECT_STRIPES,
			(const int64_t[]){effects->number_of(effects->context, name), n, size_B});
}

/* Bytes at equal distances are one effect. */
void io_tell_bytes(struct mpi_rank *me, const struct mpi_file *file, int64_t offset_B,
		   int64_t length_B)
{
	struct io_effects *effects = io_rank(me)->effects;
	int64_t *last;

	if (!effects || length_B == 0)
		return;
	last = effects->bytes == SIZE_MAX ? NULL : effects->items + effects->bytes + 2;
	if (last && last[1] == length_B && last[3] == 1 && offset_B > last[0]) {
		last[2] = offset_B - last[0];
		last[3] = 2;
	} else if (last && last[1] == length_B && offset_B == last[0] + last[3] * last[2]) {
		last[3]++;
	} else {
		io_tell(me, file, IO_EFFECT_BYTES,
			(const int64_t[]){offset_B, length_B, 0, 1});
	}
}

/* --- doing it again --- */

struct player {
	struct mpi_rank *me;
	struct mpi_comm *comm;
	const char *const *texts;
	uint32_t n_texts;
	struct io_op *op;	     /* bytes of the next access; NULL: none yet */
	struct mpi_request *request; /* the one that was started */
};

static struct mpi_file *find(struct mpi_rank *me, int64_t number)
{
	struct mpi_file *file = io_rank(me)->files.first;

	while (file && file->number != number)
		file = file->link.next;
	return file;
}

static int create(struct player *p, int64_t number)
{
	struct mpi_file *file;
	int code;

	if (!p->comm || p->comm->remote || number <= 0 || find(p->me, number))
		return -1;
	code = io_file_create(p->me, p->comm, 0, &file);
	if (code == MPI_SUCCESS)
		file->number = number;
	return code;
}

static int set_stripes(struct player *p, struct mpi_file *file, const MPI_Count v[])
{
	if (!file || v[0] < 0 || v[0] >= p->n_texts || v[1] < 0 || v[1] > INT32_MAX || v[2] < 0)
		return -1;
	file->shared->stripes = net_storage_stripes(p->me->world->pd->cluster, p->texts[v[0]],
						    (int)v[1], v[2]);
	return MPI_SUCCESS;
}

static int add_bytes(struct player *p, const struct mpi_file *file, const MPI_Count v[])
{
	int64_t last_B, end_B;

	if (!file || v[0] < 0 || v[1] <= 0 || v[2] < 0 || v[3] < 1 || v[3] > MAX_PIECES ||
	    __builtin_mul_overflow(v[2], v[3] - 1, &last_B) ||
	    __builtin_add_overflow(v[0], last_B, &end_B) ||
	    __builtin_add_overflow(end_B, v[1], &end_B) || file->shared->stripes.size_B <= 0)
		return -1;
	if (!p->op)
		p->op = io_op_create(p->me);
	for (int64_t i = 0; i < v[3]; i++)
		net_storage_add(&p->op->storage, file->shared->stripes, v[0] + i * v[2], v[1]);
	return MPI_SUCCESS;
}

static int start(struct player *p, struct mpi_file *file, const MPI_Count v[])
{
	if (p->request || v[1] < 0 || v[1] > MAX_METADATA || !file)
		return -1;
	p->request = io_op_start(p->me, p->op ? p->op : io_op_create(p->me), v[2] ? file : NULL,
				 v[0] != 0, (int)v[1]);
	p->op = NULL;
	return MPI_SUCCESS;
}

static int end(struct player *p, struct mpi_file *file, enum io_effect effect)
{
	struct mpi_request **request = effect == IO_EFFECT_WAIT_SPLIT && file
					   ? &file->split.request
					   : &p->request;

	if (!*request || !file || (effect == IO_EFFECT_SPLIT && file->split.request))
		return -1;
	if (effect == IO_EFFECT_SPLIT)
		file->split.request = *request;
	else
		io_op_wait(p->me, *request);
	*request = NULL;
	return MPI_SUCCESS;
}

static int destroy(struct player *p, struct mpi_file *file)
{
	if (!file || file->n_pending > 0 || file->split.request)
		return -1;
	io_file_destroy(p->me, file);
	return MPI_SUCCESS;
}

static int play_collective(struct player *p, struct mpi_file *file, enum io_effect effect)
{
	struct mpi_birth *all = NULL;
	int code, value = 0;

	if (!file)
		return -1;
	if (effect == IO_EFFECT_AGREE)
		return io_agree(p->me, file, 0);
	if (effect == IO_EFFECT_FROM_FIRST)
		return io_from_first(p->me, file, &value);
	code = io_exchange(p->me, file, 0, 0, &all);
	if (all)
		mpi_birth_leave(p->me->world, all);
	return code;
}

static int play_one(struct player *p, enum io_effect effect, int64_t number, const MPI_Count v[])
{
	struct mpi_file *file = find(p->me, number);

	switch (effect) {
	case IO_EFFECT_CREATE:
		return create(p, number);
	case IO_EFFECT_DESTROY:
		return destroy(p, file);
	case IO_EFFECT_STRIPES:
		return set_stripes(p, file, v);
	case IO_EFFECT_METADATA:
		if (v[0] < 0 || v[0] > MAX_METADATA)
			return -1;
		io_wait_metadata(p->me, (int)v[0]);
		return MPI_SUCCESS;
	case IO_EFFECT_AGREE:
	case IO_EFFECT_FROM_FIRST:
	case IO_EFFECT_EXCHANGE:
		return play_collective(p, file, effect);
	case IO_EFFECT_BYTES:
		return add_bytes(p, file, v);
	case IO_EFFECT_DROP:
		if (p->op)
			io_op_destroy(p->op);
		p->op = NULL;
		return MPI_SUCCESS;
	case IO_EFFECT_START:
		return start(p, file, v);
	case IO_EFFECT_WAIT:
	case IO_EFFECT_SPLIT:
	case IO_EFFECT_WAIT_SPLIT:
		return end(p, file, effect);
	case IO_N_EFFECTS:
		break;
	}
	return -1;
}

int io_effects_play(struct mpi_rank *me, struct mpi_comm *comm, size_t n, const MPI_Count items[],
		    uint32_t n_texts, const char *const texts[], struct mpi_request **out)
{
	struct player p = {.me = me, .comm = comm, .texts = texts, .n_texts = n_texts};
	int code = MPI_SUCCESS;
	size_t at = 0;

	while (at < n && code == MPI_SUCCESS) {
		MPI_Count effect = items[at];
		size_t values = effect >= 0 && effect < IO_N_EFFECTS ? (size_t)n_values[effect] : n;

		code = -1;
		if (values + 2 <= n - at)
			code = play_one(&p, (enum io_effect)effect, items[at + 1], items + at + 2);
		at += values + 2;
	}
	*out = p.request;
	return code;
}
