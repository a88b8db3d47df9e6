/* SPDX-License-Identifier: BSD-3-Clause */
/* Keyvals and attribute lists, for every kind of object that has them. */
#include "mpi/core/attribute.h"

#include <stdio.h>
#include <stdlib.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/core/objects.h"
#include "util/array.h"

/* Keyvals of the program are numbered from here: above the ABI's predefined ones, below anything
 * that looks like a pointer. */
#define FIRST_KEYVAL 0x1000

struct mpi_attribute {
	struct mpi_attribute *next; /* set earlier */
	int keyval;
	bool is_integer; /* given in Fortran: `value` is one, and C gets its address */
	void *value;
};

/* As C sees it, and as Fortran does. */
static void *pointer_to(const struct mpi_attribute *attribute)
{
	return attribute->is_integer ? (void *)&attribute->value : attribute->value;
}

static MPI_Aint integer_of(const struct mpi_attribute *attribute)
{
	return (MPI_Aint)attribute->value;
}

static bool is_sentinel(void (*function)(void), uintptr_t value)
{
	return (uintptr_t)function == value;
}

static struct mpi_keyval *find_keyval(struct mpi_rank *me, enum mpi_kind kind, int keyval)
{
	struct mpi_rank_objects *objects = me->attributes;
	int index = keyval - FIRST_KEYVAL;
	struct mpi_keyval *found;

	if (!objects || index < 0 || index >= objects->n_keyvals)
		return NULL;
	found = &objects->keyvals[index];
	return found->n_references > 0 && found->kind == kind ? found : NULL;
}

/* The same for keyvals that new attributes may have. */
static struct mpi_keyval *usable_keyval(struct mpi_rank *me, enum mpi_kind kind, int keyval)
{
	struct mpi_keyval *found = find_keyval(me, kind, keyval);

	return found && !found->is_freed ? found : NULL;
}

/* What a callback of MPI-1 wrote has the default kind: it fills the lower half of `value`. */
static void *of_default_kind(MPI_Aint value)
{
	return (void *)(MPI_Aint)(int)value;
}

static int call_fortran_copy(const struct mpi_keyval *keyval, uintptr_t old,
			     const struct mpi_attribute *from, struct mpi_attribute *copy,
			     int *flag)
{
	int number = mpisim_foreign_number((void *)old), key = from->keyval, code = MPI_SUCCESS;
	MPI_Aint state = (MPI_Aint)keyval->extra_state, in = integer_of(from), out = 0;

	((mpi_fortran_copy_fn *)keyval->copy)(&number, &key, &state, &in, &out, flag, &code);
	copy->value =
	    keyval->language == MPI_LANGUAGE_FORTRAN_1 ? of_default_kind(out) : (void *)out;
	copy->is_integer = true;
	return code;
}

/* Only `value` and `is_integer` of *copy are written. */
static int call_copy(const struct mpi_keyval *keyval, uintptr_t old,
		     const struct mpi_attribute *from, struct mpi_attribute *copy, int *flag)
{
	*flag = 0;
	*copy = (struct mpi_attribute){.value = NULL};
	if (is_sentinel(keyval->copy, 0))
		return MPI_SUCCESS;
	if (is_sentinel(keyval->copy, 1)) {
		*copy = *from;
		*flag = 1;
		return MPI_SUCCESS;
	}
	if (keyval->language != MPI_LANGUAGE_C)
		return call_fortran_copy(keyval, old, from, copy, flag);
	if (keyval->kind == KIND_COMM)
		return ((MPI_Comm_copy_attr_function *)keyval->copy)(
		    (MPI_Comm)old, from->keyval, keyval->extra_state, pointer_to(from),
		    &copy->value, flag);
	return ((MPI_Type_copy_attr_function *)keyval->copy)((MPI_Datatype)old, from->keyval,
							     keyval->extra_state, pointer_to(from),
							     &copy->value, flag);
}

static int call_fortran_delete(const struct mpi_keyval *keyval, uintptr_t handle,
			       const struct mpi_attribute *attribute)
{
	int number = mpisim_foreign_number((void *)handle), key = attribute->keyval;
	int code = MPI_SUCCESS;
	MPI_Aint state = (MPI_Aint)keyval->extra_state, value = integer_of(attribute);

	((mpi_fortran_delete_fn *)keyval->delete)(&number, &key, &value, &state, &code);
	return code;
}

static int call_delete(const struct mpi_keyval *keyval, uintptr_t handle,
		       const struct mpi_attribute *attribute)
{
	int number = attribute->keyval;
	void *value = pointer_to(attribute);

	if (is_sentinel(keyval->delete, 0))
		return MPI_SUCCESS;
	if (keyval->language != MPI_LANGUAGE_C)
		return call_fortran_delete(keyval, handle, attribute);
	if (keyval->kind == KIND_COMM)
		return ((MPI_Comm_delete_attr_function *)keyval->delete)(
		    (MPI_Comm)handle, number, value, keyval->extra_state);
	if (keyval->kind == KIND_WIN)
		return ((MPI_Win_delete_attr_function *)keyval->delete)((MPI_Win)handle, number,
									value, keyval->extra_state);
	return ((MPI_Type_delete_attr_function *)keyval->delete)((MPI_Datatype)handle, number,
								 value, keyval->extra_state);
}

static int push(struct mpi_rank *me, enum mpi_kind kind, struct mpi_attribute **list, int keyval,
		bool is_integer, void *value)
{
	struct mpi_attribute *attribute = malloc(sizeof *attribute);

	if (!attribute)
		return MPI_ERR_NO_MEM;
	*attribute = (struct mpi_attribute){
	    .next = *list, .keyval = keyval, .is_integer = is_integer, .value = value};
	*list = attribute;
	find_keyval(me, kind, keyval)->n_references++;
	return MPI_SUCCESS;
}

/* Oldest first by recursion: lists have a handful of entries. */
int mpi_attributes_copy(struct mpi_rank *me, enum mpi_kind kind, uintptr_t old,
			const struct mpi_attribute *from, struct mpi_attribute **to)
{
	struct mpi_attribute copy;
	int flag, code;

	if (!from)
		return MPI_SUCCESS;
	code = mpi_attributes_copy(me, kind, old, from->next, to);
	if (code != MPI_SUCCESS)
		return code;
	/* by value: the function may create keyvals, which moves the table */
	struct mpi_keyval keyval = *find_keyval(me, kind, from->keyval);

	code = call_copy(&keyval, old, from, &copy, &flag);
	if (code == MPI_SUCCESS && flag)
		code = push(me, kind, to, from->keyval, copy.is_integer, copy.value);
	if (code != MPI_SUCCESS) {
		mpi_attributes_discard(*to);
		*to = NULL;
	}
	return code;
}

/* Runs the delete function of *link and unlinks it. The function may call MPI, but must not touch
 * this object's attributes. */
static int delete_at(struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle,
		     struct mpi_attribute **link)
{
	struct mpi_attribute *attribute = *link;
	struct mpi_keyval keyval = *find_keyval(me, kind, attribute->keyval);
	int code = call_delete(&keyval, handle, attribute);

	if (code != MPI_SUCCESS)
		return code;
	*link = attribute->next;
	find_keyval(me, kind, attribute->keyval)->n_references--;
	free(attribute);
	return MPI_SUCCESS;
}

int mpi_attributes_delete_all(struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle,
			      struct mpi_attribute **list)
{
	int code = MPI_SUCCESS;

	while (*list && code == MPI_SUCCESS)
		code = delete_at(me, kind, handle, list);
	return code;
}

void mpi_attributes_discard(struct mpi_attribute *list)
{
	while (list) {
		struct mpi_attribute *next = list->next;

		free(list);
		list = next;
	}
}

static int free_slot(struct mpi_rank_objects *objects)
{
	for (int i = 0; i < objects->n_keyvals; i++)
		if (objects->keyvals[i].n_references == 0)
			return i;
	if (!util_array_room(&objects->keyvals, (size_t)objects->n_keyvals,
			     sizeof *objects->keyvals))
		return -1;
	return objects->n_keyvals++;
}

int mpi_keyval_create(struct mpi_rank *me, int kind, void (*copy)(void), void (*delete)(void),
		      int *keyval, void *extra_state)
{
	struct mpi_rank_objects *objects = mpi_rank_objects(me);
	int slot = objects ? free_slot(objects) : -1;

	if (slot < 0)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for a keyval");
	objects->keyvals[slot] = (struct mpi_keyval){.kind = kind,
						     .copy = copy,
						     .delete = delete,
						     .extra_state = extra_state,
						     .language = mpi_foreign_take_language(me),
						     .n_references = 1,
						     .function = me->pd->function,
						     .site = me->pd->site};
	*keyval = FIRST_KEYVAL + slot;
	return MPI_SUCCESS;
}

static int raise_keyval(struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle, int keyval)
{
	char text[80] = "keyval is MPI_KEYVAL_INVALID";

	if (keyval != MPI_KEYVAL_INVALID)
		snprintf(text, sizeof text, "%d is no keyval for this kind of object", keyval);
	return mpi_raise_about(me, kind, handle, MPI_ERR_KEYVAL, text);
}

static int raise_predefined(struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle, int keyval,
			    const char *refusal)
{
	char text[80];

	snprintf(text, sizeof text, "keyval %d is predefined, %s", keyval, refusal);
	return mpi_raise_about(me, kind, handle, MPI_ERR_KEYVAL, text);
}

static bool is_predefined(int keyval)
{
	return keyval >= MPI_TAG_UB && keyval <= MPI_WIN_MODEL;
}

int mpi_keyval_free(struct mpi_rank *me, int kind, int *keyval)
{
	struct mpi_keyval *found;

	if (is_predefined(*keyval))
		return raise_predefined(me, kind, 0, *keyval, "it cannot be freed");
	found = find_keyval(me, kind, *keyval);
	if (!found)
		return raise_keyval(me, kind, 0, *keyval);
	if (!found->is_freed) /* attributes may still use it: then a second time does nothing */
		found->n_references--;
	found->is_freed = true;
	*keyval = MPI_KEYVAL_INVALID;
	return MPI_SUCCESS;
}

void mpi_keyval_visit(const struct mpi_rank *me, mpi_keyval_visit_fn visit, void *context)
{
	const struct mpi_rank_objects *objects = me->attributes;

	for (int i = 0; objects && i < objects->n_keyvals; i++) {
		const struct mpi_keyval *keyval = &objects->keyvals[i];

		if (keyval->n_references > 0 && !keyval->is_freed)
			visit(context, keyval->kind, keyval->function, keyval->site);
	}
}

static struct mpi_attribute **find_link(struct mpi_attribute **list, int keyval)
{
	while (*list && (*list)->keyval != keyval)
		list = &(*list)->next;
	return list;
}

int mpi_attribute_set(struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle,
		      struct mpi_attribute **list, int keyval, void *value)
{
	bool is_integer = mpi_foreign_take_language(me) != MPI_LANGUAGE_C;
	int code = MPI_SUCCESS;

	if (is_predefined(keyval))
		return raise_predefined(me, kind, handle, keyval, "its value cannot be set");
	if (!usable_keyval(me, kind, keyval))
		return raise_keyval(me, kind, handle, keyval);
	if (*find_link(list, keyval)) {
		code = delete_at(me, kind, handle, find_link(list, keyval));
		if (code != MPI_SUCCESS)
			return mpi_raise_about(
			    me, kind, handle, code,
			    "the delete function of the attribute's old value failed");
	}
	code = push(me, kind, list, keyval, is_integer, value);
	return code == MPI_SUCCESS
		   ? code
		   : mpi_raise_about(me, kind, handle, code, "out of memory for an attribute");
}

int mpi_attribute_get(struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle,
		      const struct mpi_attribute *list, int keyval, void *value, int *flag)
{
	enum mpi_language language = mpi_foreign_take_language(me);

	if (!value || !flag)
		return mpi_raise_about(me, kind, handle, MPI_ERR_ARG,
				       value ? "flag is NULL" : "attribute_val is NULL");
	if (!find_keyval(me, kind, keyval))
		return raise_keyval(me, kind, handle, keyval);
	while (list && list->keyval != keyval)
		list = list->next;
	*flag = list != NULL;
	if (list)
		*(void **)value =
		    language == MPI_LANGUAGE_C ? pointer_to(list) : (void *)integer_of(list);
	return MPI_SUCCESS;
}

int mpi_attribute_delete(struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle,
			 struct mpi_attribute **list, int keyval)
{
	struct mpi_attribute **link;
	int code;

	if (is_predefined(keyval))
		return raise_predefined(me, kind, handle, keyval, "its value cannot be deleted");
	/* a keyval that was freed serves its attributes until they are deleted */
	if (!find_keyval(me, kind, keyval))
		return raise_keyval(me, kind, handle, keyval);
	link = find_link(list, keyval);
	if (!*link)
		return MPI_SUCCESS;
	code = delete_at(me, kind, handle, link);
	return code == MPI_SUCCESS ? code
				   : mpi_raise_about(me, kind, handle, code,
						     "the delete function of the attribute failed");
}
