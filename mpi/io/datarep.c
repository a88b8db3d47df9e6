/* SPDX-License-Identifier: BSD-3-Clause */
/* The data representations that there are, and conversion from and to them. */
#include "mpi/io/datarep.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/io/file.h"

static const struct io_datarep predefined[] = {
    {.name = "native", .kind = DATAREP_NATIVE},
    {.name = "internal", .kind = DATAREP_NATIVE},
    {.name = "external32", .kind = DATAREP_EXTERNAL},
};

const struct io_datarep *io_datarep_native(void)
{
	return &predefined[0];
}

const struct io_datarep *io_datarep_find(struct mpi_rank *me, const char *name)
{
	const struct io_datarep *datarep = io_rank(me)->datareps.first;

	for (size_t i = 0; i < sizeof predefined / sizeof predefined[0]; i++)
		if (strcmp(predefined[i].name, name) == 0)
			return &predefined[i];
	while (datarep && strcmp(datarep->name, name) != 0)
		datarep = datarep->link.next;
	return datarep;
}

int io_datarep_item(struct mpi_rank *me, const struct io_datarep *datarep,
		    struct mpi_datatype *type, MPI_Count *out_B)
{
	struct mpi_datatype *layout;
	int code;

	if (datarep->kind != DATAREP_USER) {
		*out_B = datarep->kind == DATAREP_NATIVE ? type->size_B : mpi_external_size(type);
		return MPI_SUCCESS;
	}
	code = io_datarep_layout(me, datarep, type, &layout);
	if (code != MPI_SUCCESS)
		return code;
	*out_B = layout->size_B;
	mpi_datatype_release(me, layout);
	return MPI_SUCCESS;
}

/* --- the program's functions --- */

static bool is_null(const struct io_converter *converter)
{
	return !converter->plain && !converter->large;
}

int io_datarep_extent(const struct io_datarep *datarep, const struct mpi_datatype *type,
		      MPI_Aint *out_B)
{
	int number = mpisim_foreign_number(type->handle), code = MPI_SUCCESS;
	MPI_Aint state = (MPI_Aint)datarep->extra_state;

	if (datarep->language == MPI_LANGUAGE_C)
		return datarep->extent(type->handle, out_B, datarep->extra_state);
	((mpi_fortran_extent_fn *)(void (*)(void))datarep->extent)(&number, out_B, &state, &code);
	return code;
}

static int call_fortran(const struct io_datarep *datarep, const struct io_converter *converter,
			void *buf, const struct mpi_datatype *type, MPI_Count n_elements,
			void *bytes)
{
	int number = mpisim_foreign_number(type->handle), n = (int)n_elements, code = MPI_SUCCESS;
	MPI_Aint state = (MPI_Aint)datarep->extra_state;
	MPI_Offset position = 0;

	if (converter->large)
		((mpi_fortran_conversion_fn_c *)(void (*)(void))converter->large)(
		    buf, &number, &n_elements, bytes, &position, &state, &code);
	else
		((mpi_fortran_conversion_fn *)(void (*)(void))converter->plain)(
		    buf, &number, &n, bytes, &position, &state, &code);
	return code;
}

/* All elements in one call: position 0. */
static int call(struct mpi_rank *me, const struct io_datarep *datarep,
		const struct io_converter *converter, void *buf, struct mpi_datatype *type,
		MPI_Count n_elements, void *bytes)
{
	int code;

	if (!converter->large && n_elements > INT_MAX)
		code = MPI_ERR_CONVERSION;
	else if (datarep->language != MPI_LANGUAGE_C)
		code = call_fortran(datarep, converter, buf, type, n_elements, bytes);
	else if (converter->large)
		code =
		    converter->large(buf, type->handle, n_elements, bytes, 0, datarep->extra_state);
	else
		code = converter->plain(buf, type->handle, (int)n_elements, bytes, 0,
					datarep->extra_state);
	return code == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_CONVERSION;
}

/* --- conversion --- */

int io_datarep_write(struct mpi_rank *me, const struct io_datarep *datarep, const void *buf,
		     MPI_Count count, struct mpi_datatype *type, char **out, int64_t *size_B)
{
	MPI_Count item_B;
	int code = io_datarep_item(me, datarep, type, &item_B);

	if (code != MPI_SUCCESS)
		return code;
	*size_B = count * item_B;
	*out = malloc(*size_B > 0 ? (size_t)*size_B : 1);
	if (!*out)
		return MPI_ERR_NO_MEM;
	if (datarep->kind == DATAREP_EXTERNAL)
		mpi_external_pack(type, buf, count, *out);
	else if (datarep->kind == DATAREP_USER && !is_null(&datarep->write))
		code = call(me, datarep, &datarep->write, (void *)buf, type,
			    count * type->n_elements, *out);
	else if (item_B == type->size_B)
		mpi_datatype_pack(type, buf, count, *out);
	else
		code = MPI_ERR_CONVERSION;
	if (code != MPI_SUCCESS)
		free(*out);
	return code;
}

/* Whole elements in the first size_B bytes of items as they lie in the file. */
static int count_elements(struct mpi_rank *me, const struct io_datarep *datarep,
			  struct mpi_datatype *type, int64_t size_B, MPI_Count *out)
{
	struct mpi_datatype *layout;
	int code = io_datarep_layout(me, datarep, type, &layout);

	if (code != MPI_SUCCESS)
		return code;
	while ((*out = mpi_datatype_elements(layout, size_B)) < 0)
		size_B--; /* it ends within an element */
	mpi_datatype_release(me, layout);
	return MPI_SUCCESS;
}

int io_datarep_in_memory(struct mpi_rank *me, const struct io_datarep *datarep,
			 struct mpi_datatype *type, int64_t size_B, int64_t *out_B)
{
	MPI_Count n_elements;
	int code;

	*out_B = size_B;
	if (datarep->kind == DATAREP_NATIVE)
		return MPI_SUCCESS;
	code = count_elements(me, datarep, type, size_B, &n_elements);
	if (code == MPI_SUCCESS)
		*out_B = mpi_datatype_bytes(type, n_elements);
	return code;
}

/* So many elements of the external representation: whole items in one go, the rest over a packed
 * copy. */
static int read_external(const struct mpi_datatype *type, char *buf, MPI_Count n_elements,
			 const char *bytes, int64_t size_B)
{
	MPI_Count n_items = n_elements / type->n_elements, rest = n_elements % type->n_elements;
	MPI_Count item_B = mpi_external_size(type);
	char *padded, *packed, *item;

	mpi_external_unpack(type, buf, n_items, bytes);
	if (rest == 0)
		return MPI_SUCCESS;
	/* One item more, of which only the first elements count: converted beside the buffer. */
	padded = calloc(1, (size_t)item_B);
	packed = malloc((size_t)type->size_B);
	item = malloc((size_t)type->true_extent_B);
	if (padded && packed && item) {
		MPI_Count rest_B = mpi_datatype_bytes(type, rest);
		char *origin = (char *)((uintptr_t)item - (uintptr_t)type->true_lb_B);

		memcpy(padded, bytes + n_items * item_B, (size_t)(size_B - n_items * item_B));
		mpi_external_unpack(type, origin, 1, padded);
		mpi_datatype_pack(type, origin, 1, packed);
		mpi_datatype_unpack(
		    type, (char *)((uintptr_t)buf + (uintptr_t)(n_items * type->extent_B)), 1,
		    packed, rest_B);
	}
	free(padded);
	free(packed);
	free(item);
	return padded && packed && item ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int io_datarep_read(struct mpi_rank *me, const struct io_datarep *datarep, void *buf,
		    MPI_Count count, struct mpi_datatype *type, const char *bytes, int64_t size_B,
		    int64_t *out_B)
{
	MPI_Count n_elements, item_B;
	int code;

	if (datarep->kind == DATAREP_NATIVE) {
		mpi_datatype_unpack(type, buf, count, bytes, size_B);
		*out_B = size_B;
		return MPI_SUCCESS;
	}
	code = count_elements(me, datarep, type, size_B, &n_elements);
	if (code != MPI_SUCCESS)
		return code;
	*out_B = mpi_datatype_bytes(type, n_elements);
	if (n_elements == 0)
		return MPI_SUCCESS;
	if (datarep->kind == DATAREP_EXTERNAL)
		return read_external(type, buf, n_elements, bytes, size_B);
	if (!is_null(&datarep->read))
		return call(me, datarep, &datarep->read, buf, type, n_elements, (void *)bytes);
	code = io_datarep_item(me, datarep, type, &item_B);
	if (code != MPI_SUCCESS || item_B != type->size_B)
		return MPI_ERR_CONVERSION;
	mpi_datatype_unpack(type, buf, count, bytes, *out_B);
	return MPI_SUCCESS;
}

/* --- registration --- */

static struct io_converter converter_of(void (*function)(void), bool is_large)
{
	return is_large
		   ? (struct io_converter){.large = (MPI_Datarep_conversion_function_c *)function}
		   : (struct io_converter){.plain = (MPI_Datarep_conversion_function *)function};
}

int mpi_register_datarep(struct mpi_rank *me, int is_large, const char *name, void (*read)(void),
			 void (*write)(void), MPI_Datarep_extent_function *extent,
			 void *extra_state)
{
	struct io_rank *io = io_rank(me);
	struct io_datarep *datarep;

	if (!extent)
		return io_raise_null(me, MPI_ERR_ARG, "dtype_file_extent_fn is NULL");
	if (strlen(name) >= MPI_MAX_DATAREP_STRING)
		return io_raise_null(me, MPI_ERR_ARG,
				     "datarep has %zu characters, wanted less than %d",
				     strlen(name), MPI_MAX_DATAREP_STRING);
	if (io_datarep_find(me, name))
		return io_raise_null(me, MPI_ERR_DUP_DATAREP, "\"%s\" is defined already", name);
	datarep = calloc(1, sizeof *datarep);
	if (!datarep)
		return io_raise_null(me, MPI_ERR_NO_MEM, "out of memory for a representation");
	*datarep = (struct io_datarep){.kind = DATAREP_USER,
				       .read = converter_of(read, is_large),
				       .write = converter_of(write, is_large),
				       .extent = extent,
				       .extra_state = extra_state,
				       .language = mpi_foreign_take_language(me)};
	strcpy(datarep->name, name);
	util_list_prepend(&io->datareps, datarep);
	return MPI_SUCCESS;
}
