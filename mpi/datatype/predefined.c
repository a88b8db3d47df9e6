/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The predefined datatypes: constant tables, so that they cost no rank anything. Their numbers are
 * those of the ABI (mpi/abi/constants.csv).
 */
#include <stddef.h>
#include <wchar.h>

#include "mpi/datatype/typemap.h"

struct half_pair {
	uint16_t part[2];
};

struct quad_pair {
	__int128 part[2];
};

/* What a program may have in a variable of a pair type; the extent includes the padding of the C
 * struct. */
#define PAIR_STRUCT(name, value_type, index_type) \
	struct name {                             \
		value_type value;                 \
		index_type index;                 \
	}

PAIR_STRUCT(float_int, float, int);
PAIR_STRUCT(double_int, double, int);
PAIR_STRUCT(long_int, long, int);
PAIR_STRUCT(int_int, int, int);
PAIR_STRUCT(short_int, short, int);
PAIR_STRUCT(long_double_int, long double, int);
PAIR_STRUCT(real_real, float, float);
PAIR_STRUCT(double_double, double, double);

/* The map of a pair: one item of each type at the members of the struct. */
#define PAIR_MAP(struct_name, value_number, index_number)                              \
	{                                                                              \
		.kind = MAP_STRUCT, .n_blocks = 2, .blocklength = 1, .scale_B = 1,     \
		.displs = (const MPI_Count[]){0, offsetof(struct struct_name, index)}, \
		.types = (struct mpi_datatype *const[]){                               \
		    (struct mpi_datatype *)&mpi_datatypes_predefined[value_number],    \
		    (struct mpi_datatype *)&mpi_datatypes_predefined[index_number]},   \
	}

static const struct mpi_typemap pair_maps[] = {
    [0] = PAIR_MAP(float_int, 0x10, 0x09),	 /* MPI_FLOAT_INT */
    [1] = PAIR_MAP(double_int, 0x14, 0x09),	 /* MPI_DOUBLE_INT */
    [2] = PAIR_MAP(long_int, 0x0a, 0x09),	 /* MPI_LONG_INT */
    [3] = PAIR_MAP(int_int, 0x09, 0x09),	 /* MPI_2INT */
    [4] = PAIR_MAP(short_int, 0x08, 0x09),	 /* MPI_SHORT_INT */
    [5] = PAIR_MAP(long_double_int, 0x20, 0x09), /* MPI_LONG_DOUBLE_INT */
    [6] = PAIR_MAP(real_real, 0x1a, 0x1a),	 /* MPI_2REAL */
    [7] = PAIR_MAP(double_double, 0x1c, 0x1c),	 /* MPI_2DOUBLE_PRECISION */
    [8] = PAIR_MAP(int_int, 0x19, 0x19),	 /* MPI_2INTEGER */
};

/* The name is given by the macros that use this one: a second expansion would spell the constant's
 * value. */
#define COMMON(constant) \
	.handle = constant, .n_references = 1, .is_predefined = true, .is_committed = true

#define BASIC(constant, c_type, class, element_name) \
	NAMED(constant, #constant, c_type, class, element_name)
/* A type that has two names in the ABI is called by the older one. */
#define NAMED(constant, its_name, c_type, class, element_name)                               \
	{                                                                                    \
		COMMON(constant), .name = its_name, .is_contiguous = true, .is_dense = true, \
				  .size_B = sizeof(c_type), .extent_B = sizeof(c_type),      \
				  .true_extent_B = sizeof(c_type), .n_elements = 1,          \
				  .alignment_B = _Alignof(c_type), .basic = BASIC_##class,   \
				  .element = ELEMENT_##element_name,                         \
	}

#define PAIR_SIZE(struct_name) \
	(sizeof(((struct struct_name *)0)->value) + sizeof(((struct struct_name *)0)->index))
#define PAIR_END(struct_name) \
	(offsetof(struct struct_name, index) + sizeof(((struct struct_name *)0)->index))

#define PAIR(constant, struct_name, map_index)                                                \
	{                                                                                     \
		COMMON(constant),                                                             \
		    .name = #constant,                                                        \
		    .is_contiguous = PAIR_SIZE(struct_name) == sizeof(struct struct_name),    \
		    .is_dense = PAIR_SIZE(struct_name) == PAIR_END(struct_name),              \
		    .size_B = PAIR_SIZE(struct_name), .extent_B = sizeof(struct struct_name), \
		    .true_extent_B = PAIR_END(struct_name), .n_elements = 2,                  \
		    .alignment_B = _Alignof(struct struct_name), .basic = BASIC_PAIR,         \
		    .map = (struct mpi_typemap *)&pair_maps[map_index],                       \
	}

/* A bound of MPI-1 as an entry of a struct: no data, and where it lies is where the type begins or
 * ends. */
#define MARKER(constant, which)                                                               \
	{                                                                                     \
		COMMON(constant), .name = #constant, .is_contiguous = true, .is_dense = true, \
				  .which = true, .alignment_B = 1                             \
	}

const struct mpi_datatype mpi_datatypes_predefined[MPI_DATATYPE_N_NUMBERS] = {
    [0x01] = BASIC(MPI_AINT, MPI_Aint, INTEGER, INT64),
    [0x02] = BASIC(MPI_COUNT, MPI_Count, INTEGER, INT64),
    [0x03] = BASIC(MPI_OFFSET, MPI_Offset, INTEGER, INT64),
    [0x04] = MARKER(MPI_LB, has_lb),
    [0x05] = MARKER(MPI_UB, has_ub),
    [0x07] = BASIC(MPI_PACKED, char, NONE, UINT8),
    [0x08] = BASIC(MPI_SHORT, short, INTEGER, INT16),
    [0x09] = BASIC(MPI_INT, int, INTEGER, INT32),
    [0x0a] = BASIC(MPI_LONG, long, INTEGER, INT64),
    [0x0b] = NAMED(MPI_LONG_LONG_INT, "MPI_LONG_LONG_INT", long long, INTEGER, INT64),
    [0x0c] = BASIC(MPI_UNSIGNED_SHORT, unsigned short, UNSIGNED, UINT16),
    [0x0d] = BASIC(MPI_UNSIGNED, unsigned, UNSIGNED, UINT32),
    [0x0e] = BASIC(MPI_UNSIGNED_LONG, unsigned long, UNSIGNED, UINT64),
    [0x0f] = BASIC(MPI_UNSIGNED_LONG_LONG, unsigned long long, UNSIGNED, UINT64),
    [0x10] = BASIC(MPI_FLOAT, float, FLOAT, FLOAT),
    [0x12] = NAMED(MPI_C_COMPLEX, "MPI_C_COMPLEX", float _Complex, COMPLEX, FLOAT),
    [0x13] = BASIC(MPI_CXX_FLOAT_COMPLEX, float _Complex, COMPLEX, FLOAT),
    [0x14] = BASIC(MPI_DOUBLE, double, FLOAT, DOUBLE),
    [0x16] = BASIC(MPI_C_DOUBLE_COMPLEX, double _Complex, COMPLEX, DOUBLE),
    [0x17] = BASIC(MPI_CXX_DOUBLE_COMPLEX, double _Complex, COMPLEX, DOUBLE),
    [0x18] = BASIC(MPI_LOGICAL, int32_t, LOGICAL, INT32),
    [0x19] = BASIC(MPI_INTEGER, int32_t, INTEGER, INT32),
    [0x1a] = BASIC(MPI_REAL, float, FLOAT, FLOAT),
    [0x1b] = BASIC(MPI_COMPLEX, float _Complex, COMPLEX, FLOAT),
    [0x1c] = BASIC(MPI_DOUBLE_PRECISION, double, FLOAT, DOUBLE),
    [0x1d] = BASIC(MPI_DOUBLE_COMPLEX, double _Complex, COMPLEX, DOUBLE),
    [0x1e] = BASIC(MPI_CHARACTER, char, CHAR, UINT8),
    [0x20] = BASIC(MPI_LONG_DOUBLE, long double, FLOAT, LONG_DOUBLE),
    [0x24] = BASIC(MPI_C_LONG_DOUBLE_COMPLEX, long double _Complex, COMPLEX, LONG_DOUBLE),
    [0x25] = BASIC(MPI_CXX_LONG_DOUBLE_COMPLEX, long double _Complex, COMPLEX, LONG_DOUBLE),
    [0x28] = PAIR(MPI_FLOAT_INT, float_int, 0),
    [0x29] = PAIR(MPI_DOUBLE_INT, double_int, 1),
    [0x2a] = PAIR(MPI_LONG_INT, long_int, 2),
    [0x2b] = PAIR(MPI_2INT, int_int, 3),
    [0x2c] = PAIR(MPI_SHORT_INT, short_int, 4),
    [0x2d] = PAIR(MPI_LONG_DOUBLE_INT, long_double_int, 5),
    [0x30] = PAIR(MPI_2REAL, real_real, 6),
    [0x31] = PAIR(MPI_2DOUBLE_PRECISION, double_double, 7),
    [0x32] = PAIR(MPI_2INTEGER, int_int, 8),
    [0x38] = BASIC(MPI_C_BOOL, _Bool, LOGICAL, INT8),
    [0x39] = BASIC(MPI_CXX_BOOL, _Bool, LOGICAL, INT8),
    [0x3c] = BASIC(MPI_WCHAR, wchar_t, CHAR, INT32),
    [0x40] = BASIC(MPI_INT8_T, int8_t, INTEGER, INT8),
    [0x41] = BASIC(MPI_UINT8_T, uint8_t, UNSIGNED, UINT8),
    /* The standard keeps MPI_CHAR out of reductions; every library reduces it as a small integer,
       and programs do. */
    [0x43] = BASIC(MPI_CHAR, char, INTEGER, INT8),
    [0x44] = BASIC(MPI_SIGNED_CHAR, signed char, INTEGER, INT8),
    [0x45] = BASIC(MPI_UNSIGNED_CHAR, unsigned char, UNSIGNED, UINT8),
    [0x47] = BASIC(MPI_BYTE, char, BYTE, UINT8),
    [0x48] = BASIC(MPI_INT16_T, int16_t, INTEGER, INT16),
    [0x49] = BASIC(MPI_UINT16_T, uint16_t, UNSIGNED, UINT16),
    [0x50] = BASIC(MPI_INT32_T, int32_t, INTEGER, INT32),
    [0x51] = BASIC(MPI_UINT32_T, uint32_t, UNSIGNED, UINT32),
    [0x58] = BASIC(MPI_INT64_T, int64_t, INTEGER, INT64),
    [0x59] = BASIC(MPI_UINT64_T, uint64_t, UNSIGNED, UINT64),
    [0xc0] = BASIC(MPI_LOGICAL1, int8_t, LOGICAL, INT8),
    [0xc1] = BASIC(MPI_INTEGER1, int8_t, INTEGER, INT8),
    [0xc8] = BASIC(MPI_LOGICAL2, int16_t, LOGICAL, INT16),
    [0xc9] = BASIC(MPI_INTEGER2, int16_t, INTEGER, INT16),
    [0xca] = BASIC(MPI_REAL2, uint16_t, FLOAT, FLOAT16),
    [0xd0] = BASIC(MPI_LOGICAL4, int32_t, LOGICAL, INT32),
    [0xd1] = BASIC(MPI_INTEGER4, int32_t, INTEGER, INT32),
    [0xd2] = BASIC(MPI_REAL4, float, FLOAT, FLOAT),
    [0xd3] = BASIC(MPI_COMPLEX4, struct half_pair, COMPLEX, FLOAT16),
    [0xd8] = BASIC(MPI_LOGICAL8, int64_t, LOGICAL, INT64),
    [0xd9] = BASIC(MPI_INTEGER8, int64_t, INTEGER, INT64),
    [0xda] = BASIC(MPI_REAL8, double, FLOAT, DOUBLE),
    [0xdb] = BASIC(MPI_COMPLEX8, float _Complex, COMPLEX, FLOAT),
    [0xe0] = BASIC(MPI_LOGICAL16, __int128, LOGICAL, INT128),
    [0xe1] = BASIC(MPI_INTEGER16, __int128, INTEGER, INT128),
    [0xe2] = BASIC(MPI_REAL16, __int128, FLOAT, FLOAT128),
    [0xe3] = BASIC(MPI_COMPLEX16, double _Complex, COMPLEX, DOUBLE),
    [0xeb] = BASIC(MPI_COMPLEX32, struct quad_pair, COMPLEX, FLOAT128),
};

struct mpi_datatype *mpi_datatype_predefined(uintptr_t number)
{
	const struct mpi_datatype *type;

	if (number < MPI_DATATYPE_FIRST_NUMBER ||
	    number >= MPI_DATATYPE_FIRST_NUMBER + MPI_DATATYPE_N_NUMBERS)
		return NULL;
	type = &mpi_datatypes_predefined[number - MPI_DATATYPE_FIRST_NUMBER];
	/* constant indeed: nobody counts references to, renames or frees a predefined type */
	return type->is_predefined ? (struct mpi_datatype *)type : NULL;
}

struct mpi_datatype *mpi_datatype_get(const struct mpi_rank *me, MPI_Datatype handle)
{
	if ((uintptr_t)handle <= MPI_HANDLE_PREDEFINED_MAX)
		return mpi_datatype_predefined((uintptr_t)handle);
	return mpi_handle_object(me, KIND_DATATYPE, (uintptr_t)handle);
}
