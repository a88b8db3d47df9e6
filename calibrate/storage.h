/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_STORAGE_H
#define CALIBRATE_STORAGE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Files of the storage probes. Each is opened by the first rank of every node, on its own
 * (MPI_COMM_SELF), and loses its name as soon as all have it: then nothing is left of it, however
 * the program ends. While it has a name, rank 0's watcher removes it should rank 0 end.
 */
enum {
	STORAGE_ACCESS_B = 16 << 20, /* what a node writes or reads at once, at most */
	STORAGE_PLACES_B = 32 << 20  /* what all places take where stripes are looked for */
};

struct storage_file {
	MPI_File handle; /* MPI_FILE_NULL: this rank has none */
	MPI_Info info;	 /* hints it was opened with */
	bool is_wide;	 /* on as many servers as there are */
	int fd;		 /* the same file, to drop what the node keeps of it; -1: none */
	long long said_factor, said_unit_B; /* what the library says of its stripes; 0: nothing */
	int64_t stripe_B;		    /* as measured */
	int n_stripes;
};

/* Before MPI_Init, with --storage: a process that waits for the end of this one. */
void storage_start_watcher(int argc, char **argv);
/* NULL, or why the probes cannot write to the directory; known to rank 0, or all. All ranks. */
const char *storage_check(const char *directory, int rank);
/* Name of the file that is being made. Borrowed. */
const char *storage_path(void);
/* Rank 0 makes and opens it; wide: with small stripes on as many servers as there are. All ranks;
 * false: it could not. */
bool storage_create(struct storage_file *file, int rank, bool is_wide);
/* The other leaders open it, too, and its name is gone. All ranks; false: somebody could not. */
bool storage_open(struct storage_file *file, int rank, bool is_leader, bool drops_cache);
/* The node forgets what it has read and written, as far as it can. */
void storage_drop_cache(const struct storage_file *file);
void storage_close(struct storage_file *file);

#endif
