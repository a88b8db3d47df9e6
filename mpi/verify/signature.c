/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/verify/signature.h"

#include "mpi/datatype/typemap.h"

#define MODULUS ((UINT64_C(1) << 61) - 1)
#define BASE UINT64_C(0x1b873593cc9e2d51)

static uint64_t multiply(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;
	uint64_t sum = (uint64_t)(product & MODULUS) + (uint64_t)(product >> 61);

	return sum >= MODULUS ? sum - MODULUS : sum;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum = a + b;

	return sum >= MODULUS ? sum - MODULUS : sum;
}

static uint64_t power_of_base(uint64_t n)
{
	uint64_t result = 1, square = BASE % MODULUS;

	for (; n > 0; n >>= 1) {
		if (n & 1)
			result = multiply(result, square);
		square = multiply(square, square);
	}
	return result;
}

/*
 * Types that have several names are one. Those of Fortran are the types of C of their kind and size
 * where languages meet (§19.1.6), so that only C's own names tell types of one kind and size apart.
 */
static uint64_t code_of(const struct mpi_datatype *type)
{
	uintptr_t handle = (uintptr_t)type->handle;
	bool is_of_c =
	    (handle >= (uintptr_t)MPI_SHORT && handle <= (uintptr_t)MPI_UNSIGNED_LONG_LONG) ||
	    (handle >= (uintptr_t)MPI_INT8_T && handle <= (uintptr_t)MPI_UINT64_T);
	uint64_t code = (uint64_t)type->basic << 8 | (uint64_t)type->size_B;

	if (type->handle == MPI_PACKED || type->handle == MPI_BYTE || type->handle == MPI_CHAR ||
	    type->handle == MPI_SIGNED_CHAR || type->handle == MPI_UNSIGNED_CHAR ||
	    (is_of_c && type->handle != MPI_INT && type->handle != MPI_SHORT))
		code = (uint64_t)handle << 16;
	return (code * UINT64_C(0x9e3779b97f4a7c15) >> 3) % (MODULUS - 1) + 1;
}

struct mpi_signature mpi_signature_join(struct mpi_signature a, struct mpi_signature b)
{
	return (struct mpi_signature){
	    .hash = add(multiply(a.hash, power_of_base(b.n)), b.hash),
	    .n = a.n + b.n,
	    .size_B = a.size_B + b.size_B,
	    .is_packed = a.is_packed || b.is_packed,
	};
}

/* Doubles what there is of it, from the highest bit of `count` on. */
static struct mpi_signature repeat(struct mpi_signature one, MPI_Count count)
{
	struct mpi_signature result = {.n = 0};
	uint64_t power_of_one, power = 1; /* of the base, by the elements of each */

	if (count == 1 || one.n == 0 || count <= 0)
		return count == 1 ? one : result;
	power_of_one = power_of_base(one.n);
	for (int bit = 63 - __builtin_clzll((unsigned long long)count); bit >= 0; bit--) {
		result.hash = add(multiply(result.hash, power), result.hash);
		power = multiply(power, power);
		if (count >> bit & 1) {
			result.hash = add(multiply(result.hash, power_of_one), one.hash);
			power = multiply(power, power_of_one);
		}
	}
	result.n = one.n * (uint64_t)count;
	result.size_B = one.size_B * count;
	result.is_packed = one.is_packed;
	return result;
}

static struct mpi_signature of_item(const struct mpi_datatype *type)
{
	const struct mpi_typemap *map = type->map;
	struct mpi_signature result = {.n = 0};

	if (!map)
		return (struct mpi_signature){.hash = code_of(type),
					      .n = 1,
					      .size_B = type->size_B,
					      .is_packed = type->handle == MPI_PACKED};
	if (map->kind == MAP_STRIDED)
		return repeat(of_item(map->child), map->n_blocks * map->blocklength);
	if (map->kind == MAP_INDEXED) { /* one child: only how many of it matters */
		MPI_Count n = 0;

		for (MPI_Count i = 0; i < map->n_blocks; i++)
			n += mpi_map_length(map, i);
		return repeat(of_item(map->child), n);
	}
	for (MPI_Count i = 0; i < map->n_blocks; i++)
		result = mpi_signature_join(
		    result, repeat(of_item(mpi_map_child(map, i)), mpi_map_length(map, i)));
	return result;
}

struct mpi_signature mpi_signature_of(const struct mpi_datatype *type, MPI_Count count)
{
	return repeat(of_item(type), count);
}

struct mpi_signature mpi_signature_prefix(const struct mpi_datatype *type, MPI_Count count,
					  uint64_t n)
{
	struct mpi_signature item = of_item(type), result;
	const struct mpi_typemap *map = type->map;
	MPI_Count n_items = item.n > 0 ? (MPI_Count)(n / item.n) : 0;

	if (n_items > count)
		n_items = count;
	result = repeat(item, n_items);
	for (MPI_Count i = 0; map && i < map->n_blocks && result.n < n; i++) {
		const struct mpi_datatype *child = mpi_map_child(map, i);

		result = mpi_signature_join(
		    result, mpi_signature_prefix(child, mpi_map_length(map, i), n - result.n));
	}
	return result;
}
