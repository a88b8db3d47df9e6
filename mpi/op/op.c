/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations: the predefined ones, and applying any of them. */
#include "mpi/op/op.h"

#include <limits.h>
#include <stdlib.h>

#include "mpi/datatype/typemap.h"
#include "mpi/op/reduce.h"

#define FIRST_NUMBER 0x20
#define N_NUMBERS 0x20

/* Bits of the element classes an operation is defined on. */
#define ON(class) (1u << (class))
#define ON_INTEGERS (ON(BASIC_INTEGER) | ON(BASIC_UNSIGNED))

struct predefined_op {
	struct mpi_op op;
	unsigned classes;
	mpi_reduce_fn reduce;	      /* NULL for MINLOC, MAXLOC, REPLACE, NO_OP */
	mpi_reduce_fn reduce_complex; /* of the parts: sums; of whole numbers: products */
};

#define PREDEFINED(constant) \
	.op = {.handle = constant, .n_references = 1, .is_predefined = true, .is_commutative = true}

/*
 * By number - 0x20. The standard's table of legal types, with Fortran integers for the logical
 * operations added, as other libraries have it. REPLACE and NO_OP are for one-sided communication
 * only.
 */
static const struct predefined_op predefined[N_NUMBERS] = {
    [0x01] = {PREDEFINED(MPI_SUM), ON_INTEGERS | ON(BASIC_FLOAT) | ON(BASIC_COMPLEX),
	      mpi_reduce_sum, mpi_reduce_sum},
    [0x02] = {PREDEFINED(MPI_MIN), ON_INTEGERS | ON(BASIC_FLOAT), mpi_reduce_min, NULL},
    [0x03] = {PREDEFINED(MPI_MAX), ON_INTEGERS | ON(BASIC_FLOAT), mpi_reduce_max, NULL},
    [0x04] = {PREDEFINED(MPI_PROD), ON_INTEGERS | ON(BASIC_FLOAT) | ON(BASIC_COMPLEX),
	      mpi_reduce_product, mpi_reduce_complex_product},
    [0x08] = {PREDEFINED(MPI_BAND), ON_INTEGERS | ON(BASIC_BYTE), mpi_reduce_bit_and, NULL},
    [0x09] = {PREDEFINED(MPI_BOR), ON_INTEGERS | ON(BASIC_BYTE), mpi_reduce_bit_or, NULL},
    [0x0a] = {PREDEFINED(MPI_BXOR), ON_INTEGERS | ON(BASIC_BYTE), mpi_reduce_bit_xor, NULL},
    [0x10] = {PREDEFINED(MPI_LAND), ON_INTEGERS | ON(BASIC_LOGICAL), mpi_reduce_logical_and, NULL},
    [0x11] = {PREDEFINED(MPI_LOR), ON_INTEGERS | ON(BASIC_LOGICAL), mpi_reduce_logical_or, NULL},
    [0x12] = {PREDEFINED(MPI_LXOR), ON_INTEGERS | ON(BASIC_LOGICAL), mpi_reduce_logical_xor, NULL},
    [0x18] = {PREDEFINED(MPI_MINLOC), ON(BASIC_PAIR), NULL, NULL},
    [0x19] = {PREDEFINED(MPI_MAXLOC), ON(BASIC_PAIR), NULL, NULL},
    [0x1c] = {PREDEFINED(MPI_REPLACE), 0, NULL, NULL},
    [0x1d] = {PREDEFINED(MPI_NO_OP), 0, NULL, NULL},
};

struct mpi_op *mpi_op_get(const struct mpi_rank *me, MPI_Op handle)
{
	uintptr_t number = (uintptr_t)handle;
	const struct predefined_op *found;

	if (number > MPI_HANDLE_PREDEFINED_MAX)
		return mpi_handle_object(me, KIND_OP, number);
	if (number < FIRST_NUMBER || number >= FIRST_NUMBER + N_NUMBERS)
		return NULL;
	found = &predefined[number - FIRST_NUMBER];
	/* constant indeed: nobody counts references to or frees a predefined operation */
	return found->op.is_predefined ? (struct mpi_op *)&found->op : NULL;
}

void mpi_op_retain(struct mpi_op *op)
{
	if (!op->is_predefined)
		op->n_references++;
}

void mpi_op_release(struct mpi_rank *me, struct mpi_op *op)
{
	if (!op || op->is_predefined || --op->n_references > 0)
		return;
	free(op);
}

static const struct predefined_op *details(const struct mpi_op *op)
{
	return &predefined[(uintptr_t)op->handle - FIRST_NUMBER];
}

bool mpi_op_accepts(const struct mpi_op *op, const struct mpi_datatype *type)
{
	if (!op->is_predefined)
		return true;
	return details(op)->classes & ON(type->basic);
}

static void call_user(const struct mpi_op *op, void *in, void *inout, int n, MPI_Datatype type)
{
	if (op->language == MPI_LANGUAGE_C)
		op->user(in, inout, &n, &type);
	else
		((mpi_fortran_user_fn *)op->user)(in, inout, &n,
						  (int[]){mpisim_foreign_number(type)});
}

static void call_user_c(const struct mpi_op *op, void *in, void *inout, MPI_Count n,
			MPI_Datatype type)
{
	if (op->language == MPI_LANGUAGE_C)
		op->user_c(in, inout, &n, &type);
	else
		((mpi_fortran_user_fn_c *)op->user_c)(in, inout, &n,
						      (int[]){mpisim_foreign_number(type)});
}

/*
 * A type that the program has freed meanwhile (its handle is gone, the operation still runs) gets a
 * handle for the time of the call.
 */
static void apply_user(struct mpi_rank *me, const struct mpi_op *op,
		       const struct mpi_datatype *type, const char *in, char *inout,
		       MPI_Count count)
{
	MPI_Datatype handle = type->handle;

	if (!handle)
		handle = (MPI_Datatype)mpi_handle_create(me, KIND_DATATYPE, (void *)type);
	if (op->user_c) {
		call_user_c(op, (void *)in, inout, count, handle);
	} else {
		while (count > 0) {
			int n = count > INT_MAX ? INT_MAX : (int)count;

			call_user(op, (void *)in, inout, n, handle);
			in += n * type->extent_B;
			inout += n * type->extent_B;
			count -= n;
		}
	}
	if (!type->handle)
		mpi_handle_destroy(me, (uintptr_t)handle);
}

void mpi_op_apply(struct mpi_rank *me, const struct mpi_op *op, const struct mpi_datatype *type,
		  const void *in, void *inout, MPI_Count count)
{
	size_t n = (size_t)count;

	if (count <= 0 || pd_memory_is_absent(in) || pd_memory_is_absent(inout))
		return;
	if (!op->is_predefined)
		apply_user(me, op, type, in, inout, count);
	else if (op->handle == MPI_MINLOC)
		mpi_reduce_minloc(type->map->types[0]->element, type->map->types[1]->element, in,
				  inout, n);
	else if (op->handle == MPI_MAXLOC)
		mpi_reduce_maxloc(type->map->types[0]->element, type->map->types[1]->element, in,
				  inout, n);
	else if (type->basic != BASIC_COMPLEX)
		details(op)->reduce(type->element, in, inout, n);
	else if (op->handle == MPI_PROD)
		details(op)->reduce_complex(type->element, in, inout, n);
	else /* a sum of complex numbers is the sum of their parts */
		details(op)->reduce_complex(type->element, in, inout, 2 * n);
}
