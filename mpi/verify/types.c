/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether memory has the type that a call says, as far as debug information tells. */
#include <stdlib.h>

#include "mpi/datatype/typemap.h"
#include "mpi/verify/debuginfo.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "pdexec/image.h"
#include "simcore/fiber.h"

/* Loops give other buffers to the same call again and again. */
enum { MAX_LOOKS = 256, MAX_ELEMENTS = 256, MAX_FRAMES = 8 };

struct types_of_image {
	struct types_of_image *next;
	const struct pd_image *image;
	struct mpi_debuginfo *info; /* NULL: there is none */
};

struct mpi_memory_types {
	struct types_of_image *images;
	struct util_map
	    looks; /* by call, argument and datatype: how many; by these and address: 1 */
};

static struct mpi_debuginfo *info_of(struct mpi_memory_types *types, const struct pd_image *image)
{
	struct types_of_image *one = types->images;

	while (one && one->image != image)
		one = one->next;
	if (one)
		return one->info;
	one = calloc(1, sizeof *one);
	if (!one)
		return NULL;
	*one = (struct types_of_image){types->images, image, mpi_debuginfo_open(image->elf.fd)};
	types->images = one;
	return one->info;
}

void mpi_memory_types_destroy(struct mpi_memory_types *types)
{
	while (types && types->images) {
		struct types_of_image *next = types->images->next;

		mpi_debuginfo_close(types->images->info);
		free(types->images);
		types->images = next;
	}
	if (types)
		util_map_finish(&types->looks);
	free(types);
}

/* --- one object against one datatype --- */

struct look {
	struct mpi_memory *memory;
	const struct mpi_memory_buffer *buffer;
	bool has_fit, has_misfit;
	struct mpi_debuginfo_object object; /* the first that does not fit, there: */
	struct mpi_debuginfo_leaf leaf;
	const struct mpi_datatype *element;
	uintptr_t at;
};

struct walk {
	const struct mpi_debuginfo_object *object;
	int n_left;
	struct mpi_debuginfo_leaf leaf; /* that does not fit … */
	const struct mpi_datatype *element;
	uintptr_t at;
};

static enum mpi_debuginfo_kind kind_of(const struct mpi_datatype *type)
{
	if (type->element == ELEMENT_NONE)
		return DEBUGINFO_UNKNOWN;
	return type->element >= ELEMENT_FLOAT16 ? DEBUGINFO_FLOAT : DEBUGINFO_INTEGER;
}

/* Bytes are what all memory has; arrays of them hold anything. Signs are not compared. */
static bool fits(const struct mpi_datatype *type, const struct mpi_debuginfo_leaf *leaf)
{
	uint64_t size_B = (uint64_t)type->size_B / (type->basic == BASIC_COMPLEX ? 2 : 1);
	enum mpi_debuginfo_kind kind = kind_of(type);

	if (kind == DEBUGINFO_UNKNOWN || leaf->kind == DEBUGINFO_UNKNOWN || size_B == 1 ||
	    leaf->size_B == 1)
		return true;
	if (leaf->kind == DEBUGINFO_POINTER && kind == DEBUGINFO_INTEGER)
		kind = DEBUGINFO_POINTER;
	return kind == leaf->kind && size_B == leaf->size_B && leaf->offset_B == 0;
}

/* False: an element does not fit. */
static bool walk(struct walk *w, const struct mpi_datatype *type, uintptr_t at, MPI_Count count)
{
	const struct mpi_typemap *map = type->map;

	for (MPI_Count i = 0; i < count && w->n_left > 0; i++, at += (uintptr_t)type->extent_B) {
		if (!map) {
			w->n_left--;
			mpi_debuginfo_leaf(w->object, at, &w->leaf);
			w->element = type;
			w->at = at;
			if (!fits(type, &w->leaf))
				return false;
		}
		for (MPI_Count k = 0; map && k < map->n_blocks && w->n_left > 0; k++)
			if (!walk(w, mpi_map_child(map, k),
				  at + (uintptr_t)mpi_map_displacement(map, k),
				  mpi_map_length(map, k)))
				return false;
	}
	return true;
}

/* A pointer into a block need not know what else is in it: that may be another member of a structure. */
static bool is_certain(const struct look *look, const struct mpi_debuginfo_object *object)
{
	const struct mpi_memory_block *block;

	if (!object->is_pointed_at || object->at == look->buffer->first_item)
		return true;
	block = mpi_memory_block_at(look->memory, object->at);
	return block && block->at == object->at;
}

static void look_at_object(void *context, const struct mpi_debuginfo_object *object)
{
	struct look *look = context;
	struct walk w = {.object = object, .n_left = MAX_ELEMENTS};

	if (look->has_fit)
		return;
	if (walk(&w, look->buffer->type, look->buffer->first_item, look->buffer->n_items)) {
		look->has_fit = true;
	} else if (!look->has_misfit && is_certain(look, object)) {
		look->has_misfit = true;
		look->object = *object;
		look->leaf = w.leaf;
		look->element = w.element;
		look->at = w.at;
	}
}

static bool is_together(void *context, uintptr_t pointer, uintptr_t at)
{
	const struct look *look = context;
	const struct mpi_memory_block *block;

	if (pointer > at)
		return false;
	block = mpi_memory_block_at(look->memory, at);
	return block && !block->is_freed && pointer >= block->at;
}

/* --- calls --- */

/* Not again what was looked at. */
static bool is_new(struct mpi_memory_types *types, const struct mpi_memory_buffer *buffer)
{
	const uint64_t call[] = {(uintptr_t)buffer->call.site, (uint64_t)buffer->place,
				 (uintptr_t)buffer->type->handle};
	uint64_t key = util_hash(call, sizeof call, 0);
	uint64_t whole = util_hash(&buffer->first_item, sizeof buffer->first_item, key);
	struct util_map_slot *slot = util_map_find(&types->looks, key);

	if (util_map_find(&types->looks, whole) || (slot && slot->number >= MAX_LOOKS))
		return false;
	if (slot)
		slot->number++;
	else if ((slot = util_map_add(&types->looks, key)))
		slot->number = 1;
	slot = util_map_add(&types->looks, whole);
	if (slot)
		slot->number = 1;
	return true;
}

static void tell(struct mpi_rank *me, const struct look *look)
{
	const struct mpi_memory_buffer *buffer = look->buffer;
	const char *element = look->element->name;

	mpi_memory_report(
	    me, "buffer-type", "the datatype has to be that of the variables (MPI 4.1, §3.3.1)",
	    &buffer->call, 1, "%s at offset %lld of %s: %s%s is of type %s",
	    element ? element : "an element", (long long)(look->at - mpi_memory_origin(buffer)),
	    MEMORY_TEXT(buffer), look->object.is_pointed_at ? "what points to it, " : "",
	    look->object.name, look->leaf.name);
}

/* Bindings of other languages call for the program: their frames lie between. False: its own is not found. */
static bool climb(struct mpi_rank *me, struct mpi_debuginfo *info, const void *site,
		  uintptr_t called_from, struct mpi_debuginfo_place *place)
{
	uint64_t vaddr;

	for (int i = 0; i < MAX_FRAMES && called_from != (uintptr_t)site; i++) {
		if (!pd_image_locate(me->pd->program->image, (const void *)called_from, &vaddr))
			return false;
		place->pc = vaddr - 1;
		if (!mpi_debuginfo_climb(info, place, &called_from))
			return false;
	}
	return called_from == (uintptr_t)site;
}

static void search(struct mpi_rank *me, struct mpi_debuginfo *info, struct look *look,
		   uintptr_t frame, uint64_t vaddr)
{
	const uintptr_t *words =
	    (const uintptr_t *)frame; /* the caller's base pointer, its address */
	struct mpi_debuginfo_place place = {.bias = (uintptr_t)pd_rank_base(me->pd)};
	struct mpi_debuginfo_search search = {&place, look->buffer->first_item, look, is_together,
					      look_at_object};
	void *stack;
	size_t stack_B;

	sim_fiber_stack(me->pd->task.fiber, &stack, &stack_B);
	if (frame - (uintptr_t)stack >= stack_B - sizeof *words * 2)
		return;
	place.bp = words[0];
	place.sp = frame + 2 * sizeof *words;
	place.stack = (uintptr_t)stack;
	place.stack_end = (uintptr_t)stack + stack_B;
	place.pc = climb(me, info, look->buffer->call.site, words[1], &place) ? vaddr - 1 : 0;
	mpi_debuginfo_search(info, &search);
}

void mpi_memory_check_type(struct mpi_memory *memory, struct mpi_rank *me,
			   const struct mpi_memory_buffer *buffer, uintptr_t frame)
{
	struct look look = {.memory = memory, .buffer = buffer};
	struct mpi_debuginfo *info;
	uint64_t vaddr;

	if (!buffer->type || me->world->pd->is_builtin || !buffer->call.site)
		return;
	if (!memory->types)
		memory->types = calloc(1, sizeof *memory->types);
	if (!memory->types || !is_new(memory->types, buffer) ||
	    !pd_image_locate(me->pd->program->image, buffer->call.site, &vaddr))
		return;
	info = info_of(memory->types, me->pd->program->image);
	if (!info)
		return;
	search(me, info, &look, frame, vaddr);
	if (look.has_misfit && !look.has_fit)
		tell(me, &look);
}
