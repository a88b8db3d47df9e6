/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that stands for buffers, kept for the next ones: that of the system takes its time. */
#include <stdlib.h>

#include "mpi/verify/memory.h"

enum { MIN_B = 64, HEAD_B = 64 };
#define MAX_SPARE_B ((size_t)64 << 20)

struct mpi_memory_spare { /* HEAD_B in front of the memory */
	struct mpi_memory_spare *next;
	size_t size_B;
	int class, n_users;
};

/* Sizes in steps of a quarter of a power of two. */
static int class_of(size_t size_B, size_t *rounded_B)
{
	int log2 = 63 - __builtin_clzll((unsigned long long)(size_B < MIN_B ? MIN_B : size_B));
	size_t step = (size_t)1 << (log2 - 2), n = (size_B + step - 1) / step;

	if (size_B < MIN_B)
		n = 4;
	*rounded_B = n * step;
	return n == 8 ? 4 * (log2 + 1) : 4 * log2 + (int)(n - 4);
}

static struct mpi_memory_spare *head_of(char *memory)
{
	return (struct mpi_memory_spare *)(void *)(memory - HEAD_B);
}

char *mpi_memory_take(struct mpi_memory *memory, size_t size_B)
{
	size_t rounded_B;
	int class = class_of(size_B, &rounded_B);
	struct mpi_memory_spare *spare = memory->spares[class];

	if (spare) {
		memory->spares[class] = spare->next;
		memory->spare_B -= spare->size_B;
	} else {
		spare = malloc(HEAD_B + rounded_B);
		if (!spare)
			return NULL;
		spare->size_B = rounded_B;
		spare->class = class;
	}
	spare->n_users = 1;
	return (char *)spare + HEAD_B;
}

char *mpi_memory_share(char *memory)
{
	head_of(memory)->n_users++;
	return memory;
}

bool mpi_memory_is_shared(char *memory)
{
	return head_of(memory)->n_users > 1;
}

void mpi_memory_put_back(struct mpi_memory *memory, char *back)
{
	struct mpi_memory_spare *spare;

	if (!back || --head_of(back)->n_users > 0)
		return;
	spare = head_of(back);
	if (memory->spare_B + spare->size_B > MAX_SPARE_B) {
		free(spare);
		return;
	}
	spare->next = memory->spares[spare->class];
	memory->spares[spare->class] = spare;
	memory->spare_B += spare->size_B;
}

void mpi_memory_spares_finish(struct mpi_memory *memory)
{
	for (int i = 0; i < MEMORY_N_SPARE_CLASSES; i++)
		while (memory->spares[i]) {
			struct mpi_memory_spare *next = memory->spares[i]->next;

			free(memory->spares[i]);
			memory->spares[i] = next;
		}
}
