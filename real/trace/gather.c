/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 takes the files of the others, one after the other, and makes one of all. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "real/trace/trace.h"
#include "util/error.h"

enum { CHUNK_B = 1 << 20, HOST_B = 64 };

struct summary { /* of one rank, sent as bytes: all ranks run on machines of one kind */
	struct mpi_trace_offset offsets[2];
	int64_t first_ns, size_B;
	char host[HOST_B], refused[256];
};

static void summarize(struct summary *out)
{
	int fd = mpi_trace.refused[0] ? -1 : open(mpi_trace.part, O_RDONLY | O_CLOEXEC);

	*out = (struct summary){.first_ns = mpi_trace.first_ns};
	memcpy(out->offsets, mpi_trace.offsets, sizeof out->offsets);
	gethostname(out->host, HOST_B - 1);
	if (fd >= 0) {
		out->size_B = lseek(fd, 0, SEEK_END);
		close(fd);
	} else {
		mpi_trace_refuse("cannot read '%.200s': %s", mpi_trace.part, strerror(errno));
	}
	memcpy(out->refused, mpi_trace.refused, sizeof out->refused);
}

static void send_part(int64_t size_B, char *chunk)
{
	int fd = open(mpi_trace.part, O_RDONLY | O_CLOEXEC);

	while (size_B > 0) {
		int n = size_B < CHUNK_B ? (int)size_B : CHUNK_B;

		if (read(fd, chunk, (size_t)n) != n)
			memset(chunk, 0, (size_t)n); /* is found to be damaged */
		PMPI_Send(chunk, n, MPI_BYTE, 0, 0, mpi_trace.comm);
		size_B -= n;
	}
	if (fd >= 0)
		close(fd);
}

static int receive_part(int rank, int64_t size_B, char *chunk, const char *path,
			struct util_error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), failed = 0;

	if (fd < 0)
		failed = util_error_errno(err, errno, "cannot write '%s'", path);
	while (size_B > 0) {
		int n = size_B < CHUNK_B ? (int)size_B : CHUNK_B;

		PMPI_Recv(chunk, n, MPI_BYTE, rank, 0, mpi_trace.comm, MPI_STATUS_IGNORE);
		if (!failed && write(fd, chunk, (size_t)n) != n)
			failed = util_error_errno(err, errno, "cannot write '%s'", path);
		size_B -= n;
	}
	if (fd >= 0)
		close(fd);
	return failed;
}

/* --- provenance --- */

static json_t *command(void)
{
	FILE *file = fopen("/proc/self/cmdline", "r");
	json_t *list = json_array();
	char *word = NULL;
	size_t capacity = 0;

	while (file && getdelim(&word, &capacity, '\0', file) > 0)
		json_array_append_new(list, json_string(word));
	free(word);
	if (file)
		fclose(file);
	return list;
}

/* Ranks of one host are on one node; nodes are counted as they appear. */
static json_t *nodes(const struct summary summaries[])
{
	json_t *list = json_array(), *numbers = json_object();

	for (int rank = 0; rank < mpi_trace.n_ranks; rank++) {
		const char *host = summaries[rank].host;

		if (!json_object_get(numbers, host))
			json_object_set_new(numbers, host,
					    json_integer((json_int_t)json_object_size(numbers)));
		json_array_append(list, json_object_get(numbers, host));
	}
	json_decref(numbers);
	return list;
}

static char *provenance(const struct summary summaries[])
{
	char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", *text;
	int length;
	json_t *root;

	PMPI_Get_library_version(library, &length);
	library[strcspn(library, "\n")] = '\0';
	root = json_pack("{s:s+, s:s, s:s, s:o, s:i, s:o, s:{s:[], s:[], s:s, s:i, s:f, s:f}}",
			 "generator", "libmpisim-trace ", MPISIM_VERSION, "library", library,
			 "clock", mpi_trace.clock == MPI_TRACE_CPU ? "cpu" : "wall", "command",
			 command(), "n_ranks", mpi_trace.n_ranks, "node_of", nodes(summaries),
			 "options", "set", "scale", "compute", "direct", "seed", 1, "vary_compute",
			 0.0, "vary_transfer", 0.0);
	text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
	json_decref(root);
	return text;
}

/* --- all ranks --- */

static int64_t zero_of(const struct summary summaries[])
{
	int64_t zero_ns = INT64_MAX;

	for (int rank = 0; rank < mpi_trace.n_ranks; rank++) {
		int64_t ns = mpi_trace_common_ns(summaries[rank].offsets, summaries[rank].first_ns);

		zero_ns = ns < zero_ns ? ns : zero_ns;
	}
	return zero_ns;
}

/* Takes every rank's part, also after a failure: the others send. */
static int merge_all(const struct summary summaries[], struct mtrace_writer *writer, char *chunk,
		     struct util_error *err)
{
	char *received = NULL;
	int failed = 0;

	if (asprintf(&received, "%s.other", mpi_trace.part) < 0)
		PMPI_Abort(MPI_COMM_WORLD, 1); /* as MPI does where memory ends */
	for (int rank = 0; rank < mpi_trace.n_ranks; rank++) {
		struct mpi_trace_source source = {rank == 0 ? mpi_trace.part : received};
		struct util_error why;
		int wrong = 0;

		memcpy(source.offsets, summaries[rank].offsets, sizeof source.offsets);
		source.zero_ns = zero_of(summaries);
		if (rank > 0)
			wrong = receive_part(rank, summaries[rank].size_B, chunk, received, &why);
		if (!wrong && !failed)
			wrong = mpi_trace_merge(&source, writer, rank, &why);
		if (wrong && !failed) {
			failed = wrong;
			*err = why;
		}
	}
	unlink(received);
	free(received);
	return failed;
}

static bool is_refused(const struct summary summaries[])
{
	for (int rank = 0; rank < mpi_trace.n_ranks; rank++) {
		if (!summaries[rank].refused[0])
			continue;
		fprintf(stderr, "mpisim-trace: no trace in '%s': rank %d %s\n", mpi_trace.path,
			rank, summaries[rank].refused);
		return true;
	}
	return false;
}

static void write_all(const struct summary summaries[], char *chunk)
{
	char *text = provenance(summaries);
	struct mtrace_writer *writer = NULL;
	struct util_error err = {0};
	int failed =
	    text ? mtrace_writer_create(mpi_trace.path, mpi_trace.n_ranks, text, &writer, &err)
		 : util_error_set(&err, UTIL_ENOMEM, "out of memory");

	PMPI_Bcast(&failed, 1, MPI_INT, 0, mpi_trace.comm);
	if (!failed)
		failed = merge_all(summaries, writer, chunk, &err);
	if (!failed)
		failed = mtrace_writer_close(writer, &err);
	mtrace_writer_destroy(writer);
	free(text);
	if (failed)
		fprintf(stderr, "mpisim-trace: no trace: %s\n", err.text);
}

void mpi_trace_gather(void)
{
	int failed = 0, n = mpi_trace.n_ranks;
	struct summary own, *all = mpi_trace.rank == 0 ? calloc((size_t)n, sizeof *all) : NULL;
	char *chunk = malloc(CHUNK_B);

	if (!chunk || (mpi_trace.rank == 0 && !all))
		PMPI_Abort(MPI_COMM_WORLD, 1); /* as MPI does where memory ends */
	summarize(&own);
	PMPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, mpi_trace.comm);
	failed = mpi_trace.rank == 0 && is_refused(all);
	PMPI_Bcast(&failed, 1, MPI_INT, 0, mpi_trace.comm);
	if (!failed && mpi_trace.rank == 0) {
		write_all(all, chunk);
	} else if (!failed) {
		PMPI_Bcast(&failed, 1, MPI_INT, 0, mpi_trace.comm);
		if (!failed)
			send_part(own.size_B, chunk);
	}
	if (mpi_trace.part)
		unlink(mpi_trace.part);
	free(chunk);
	free(all);
}
