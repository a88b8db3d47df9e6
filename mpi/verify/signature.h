/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_SIGNATURE_H
#define MPI_VERIFY_SIGNATURE_H

#include "mpi/datatype/datatype.h"

/*
 * The signature of data: the sequence of its basic datatypes (MPI 4.1, §3.3.1 and §5.1), as a hash
 * of the flattened sequence. Of sequences s and t of m and n elements,
 *
 *     hash(s t) = hash(s) · B^n + hash(t)  mod 2^61 − 1,
 *
 * so that of a type the hash is known from those of its parts, and k items of it in O(log k).
 */
struct mpi_signature {
	uint64_t hash;
	uint64_t n; /* basic elements */
	int64_t size_B;
	bool is_packed; /* MPI_PACKED is among them: fits everything (§3.3.1) */
};

/* Of `count` items. O(blocks of the type + log count). */
struct mpi_signature mpi_signature_of(const struct mpi_datatype *type, MPI_Count count);
/* Of the first n elements of them, n at most as many as they have. */
struct mpi_signature mpi_signature_prefix(const struct mpi_datatype *type, MPI_Count count,
					  uint64_t n);
struct mpi_signature mpi_signature_join(struct mpi_signature a, struct mpi_signature b);
static inline bool mpi_signature_is_equal(struct mpi_signature a, struct mpi_signature b)
{
	return (a.n == b.n && a.hash == b.hash) ||
	       ((a.is_packed || b.is_packed) && a.size_B == b.size_B);
}

#endif
