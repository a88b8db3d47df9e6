/* SPDX-License-Identifier: BSD-3-Clause */
/* The storage that the files of MPI-IO lie on. Nodes reach for one server, or for several, together
 * or alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpisim.h>

#include "calibrate.h"
#include "storage.h"

enum {
	PIECE_B = 32768, /* in one stripe */
	UNIT_B = 65536,	 /* stripes are multiples of it */
	MOST_PIECES = STORAGE_ACCESS_B / PIECE_B / 2,
	FEWEST = 4,
	MOST_STRIPES = 128
};

static const int64_t LONGEST_STRIPE_B = 64 << 20;
static const int64_t LONGEST_CHUNK_B = 1 << 20;
/* Nodes together take longer than one alone: something that they share is busy. */
static const double SHARED = 1.02;
/* Two places are on different servers if reaching for both takes less of the time of one server. */
static const double APART = 0.985;

struct access {
	const struct storage_file *file;
	bool is_write;
	int first_node, n_nodes; /* those that take part */
	int n;			 /* accesses of each, to each of the bases */
	int64_t piece_B;
	int64_t bases[2];
	int n_bases;
	int64_t node_step_B, step_B; /* from node to node, from access to access */
	bool *has_failed;
	char *buf; /* [STORAGE_ACCESS_B] */
};

/* Starts all accesses of this node; how many, or -1. */
static int start_all(const struct access *access, int node, MPI_Request *requests)
{
	MPI_File handle = access->file->handle;
	int k = 0, code = MPI_SUCCESS;

	for (int a = 0; a < access->n; a++) {
		for (int b = 0; b < access->n_bases && code == MPI_SUCCESS; b++) {
			char *data = access->buf + (size_t)k * (size_t)access->piece_B;
			MPI_Offset place =
			    access->bases[b] + node * access->node_step_B + a * access->step_B;
			int length = (int)access->piece_B;

			code = access->is_write ? MPI_File_iwrite_at(handle, place, data, length,
								     MPI_BYTE, &requests[k])
						: MPI_File_iread_at(handle, place, data, length,
								    MPI_BYTE, &requests[k]);
			k += code == MPI_SUCCESS;
		}
	}
	return code == MPI_SUCCESS ? k : -1 - k;
}

/* 0, or -1: an access failed, or had less than all of its bytes. */
static int wait_all(const struct access *access, MPI_Request *requests, int n)
{
	int failed = n < 0;

	for (int k = 0; k < (n < 0 ? -1 - n : n); k++) {
		MPI_Status status;
		int length = 0;

		if (MPI_Wait(&requests[k], &status) != MPI_SUCCESS)
			failed = 1;
		else if (MPI_Get_count(&status, MPI_BYTE, &length) != MPI_SUCCESS ||
			 length < access->piece_B)
			failed = 1;
	}
	if (access->is_write && MPI_File_sync(access->file->handle) != MPI_SUCCESS)
		failed = 1;
	return failed ? -1 : 0;
}

/* Until the last of the nodes has all of its bytes; what is written is there by then, too. */
static double measure_access(struct cal *cal, void *context)
{
	static MPI_Request requests[2 * MOST_PIECES];
	const struct access *access = context;
	int node = cal->node[cal->rank] - access->first_node, n;
	double mine[2] = {0, 0}, all[2], begin; /* time, whether it failed */

	if (!access->is_write)
		storage_drop_cache(access->file);
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	if (cal->place[cal->rank] == 0 && node >= 0 && node < access->n_nodes) {
		/* read what another node has written */
		n = start_all(access, access->is_write ? node : (node + 1) % access->n_nodes,
			      requests);
		mine[1] = wait_all(access, requests, n) < 0;
	}
	mine[0] = MPI_Wtime() - begin;
	MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (cal->rank == 0 && all[1] > 0) {
		*access->has_failed = true;
		return NAN;
	}
	return cal->rank == 0 ? all[0] : 0;
}

/* Rank 0 opens and closes a file that is there. */
static double measure_open(struct cal *cal, void *context)
{
	const struct access *access = context;
	double begin = MPI_Wtime();
	MPI_File handle;

	if (cal->rank != 0)
		return 0;
	if (MPI_File_open(MPI_COMM_SELF, storage_path(), MPI_MODE_RDWR, MPI_INFO_NULL, &handle) !=
	    MPI_SUCCESS) {
		*access->has_failed = true;
		return NAN;
	}
	MPI_File_close(&handle);
	return MPI_Wtime() - begin;
}

/* Places hold bytes before they are read. */
static void fill(struct cal *cal, struct access access, int64_t place)
{
	access.is_write = true;
	access.first_node = 0;
	access.n_nodes = access.n = access.n_bases = 1;
	access.bases[0] = place;
	access.node_step_B = access.step_B = 0;
	measure_access(cal, &access);
}

/* All nodes, or one, at two places. */
static double reach(struct cal *cal, struct access access, int n_nodes, int64_t place)
{
	access.n_nodes = n_nodes;
	access.bases[1] = place;
	return cal_repeat(cal,
			  access.file->is_wide
			      ? access.is_write ? "wide_write_places" : "wide_read_places"
			  : access.is_write ? "write_places"
					    : "read_places",
			  BETWEEN_NODES, place, n_nodes, measure_access, &access);
}

/* So many accesses that nearly all of the time is that of their bytes. */
static void choose_number(struct cal *cal, struct access *access)
{
	double before = cal_share(measure_access(cal, access)), time_s;

	for (; access->n < MOST_PIECES; before = time_s) {
		access->n *= 2;
		time_s = cal_share(measure_access(cal, access));
		if (!(time_s < 1.9 * before))
			return;
	}
}

static bool are_apart(struct cal *cal, const struct access *access, int64_t place, double same_s)
{
	fill(cal, *access, place);
	return reach(cal, *access, access->n_nodes, place) < APART * same_s;
}

/* The first place, in whole units, that is not on the server of the file's beginning; 0: there is
 * none. */
static int64_t find_stripe(struct cal *cal, const struct access *access, double same_s)
{
	int64_t low_B = 0, high_B = UNIT_B;

	while (!are_apart(cal, access, high_B, same_s)) {
		low_B = high_B;
		high_B *= 2;
		if (high_B > LONGEST_STRIPE_B)
			return 0;
	}
	while (high_B - low_B > UNIT_B) {
		int64_t middle_B = (low_B + high_B) / 2 / UNIT_B * UNIT_B;

		*(are_apart(cal, access, middle_B, same_s) ? &high_B : &low_B) = middle_B;
	}
	return high_B;
}

/* How many stripes until the first server's turn comes again. */
static int count_stripes(struct cal *cal, const struct access *access, int64_t stripe_B,
			 double same_s)
{
	int n = 1;

	while (n < MOST_STRIPES && are_apart(cal, access, n * stripe_B, same_s))
		n++;
	return n;
}

/* False: no server is busy when all nodes reach for it, and nothing tells one from another. */
static bool is_one_busy(struct cal *cal, struct access *access, double *same_s)
{
	choose_number(cal, access);
	*same_s = reach(cal, *access, access->n_nodes, 0);
	return access->n_nodes == 1 || *same_s > SHARED * reach(cal, *access, 1, 0);
}

/* What of the file is on which server, by reading, or else by writing. */
static bool find_stripes(struct cal *cal, struct storage_file *file, struct access access)
{
	double same_s;

	access.file = file;
	access.n = FEWEST;
	fill(cal, access, 0);
	if (!is_one_busy(cal, &access, &same_s)) {
		access.is_write = true;
		access.n = FEWEST;
		if (!is_one_busy(cal, &access, &same_s))
			return false;
	}
	if (!file->stripe_B)
		file->stripe_B = find_stripe(cal, &access, same_s);
	file->n_stripes = file->stripe_B ? count_stripes(cal, &access, file->stripe_B, same_s) : 1;
	return true;
}

/* Each node reaches for stripes of its own; every step-th. */
static void measure_rates(struct cal *cal, const char *name, struct access access, int step)
{
	const struct storage_file *file = access.file;
	int64_t stripe_B = file->stripe_B ? file->stripe_B : LONGEST_CHUNK_B;
	int round = file->n_stripes, n = round * ((FEWEST + round - 1) / round);

	access.n_bases = 1;
	access.bases[0] = 0;
	access.piece_B = stripe_B < LONGEST_CHUNK_B ? stripe_B : LONGEST_CHUNK_B;
	if (access.piece_B > STORAGE_ACCESS_B / (2 * n))
		access.piece_B = STORAGE_ACCESS_B / (2 * n);
	access.step_B = step * stripe_B;
	access.node_step_B = 2 * n * access.step_B;
	for (access.n = n; access.n <= 2 * n; access.n += n)
		cal_repeat(cal, name, BETWEEN_NODES, access.n * access.piece_B, access.n_nodes,
			   measure_access, &access);
}

/* All nodes write to one server, then read from it, then one node does; then one to all servers. */
static void measure_bandwidths(struct cal *cal, const struct storage_file *narrow,
			       const struct storage_file *wide, struct access access)
{
	for (access.n_nodes = cal->n_nodes; access.n_nodes > 0;
	     access.n_nodes = access.n_nodes > 1 ? 1 : 0) {
		access.file = narrow;
		access.is_write = true;
		measure_rates(cal, "write_one_server", access, narrow->n_stripes);
		access.is_write = false;
		measure_rates(cal, "read_one_server", access, narrow->n_stripes);
	}
	access.file = wide;
	access.n_nodes = 1;
	access.is_write = true;
	measure_rates(cal, "write_all_servers", access, 1);
	access.is_write = false;
	measure_rates(cal, "read_all_servers", access, 1);
}

static void note_stripes(struct cal *cal, const struct storage_file *narrow,
			 const struct storage_file *wide)
{
	if (cal->rank != 0)
		return;
	samples_fact(&cal->samples, "storage_stripe_B", "%lld", (long long)narrow->stripe_B);
	samples_fact(&cal->samples, "storage_stripe_count", "%d", narrow->n_stripes);
	samples_fact(&cal->samples, "storage_servers", "%d", wide->n_stripes);
	if (narrow->said_factor > 0)
		samples_fact(&cal->samples, "storage_said",
			     "striping_factor %lld, striping_unit %lld", narrow->said_factor,
			     narrow->said_unit_B);
}

/* A file on more servers than usual, where the library takes the hint for it. */
static bool open_wide(struct cal *cal, struct storage_file *file, const struct storage_file *narrow)
{
	bool is_leader = cal->place[cal->rank] == 0;

	if (!storage_create(file, cal->rank, true) ||
	    !storage_open(file, cal->rank, is_leader, !cal->is_simulated))
		return false;
	file->stripe_B = UNIT_B;
	return file->said_factor > narrow->n_stripes && file->said_unit_B == UNIT_B;
}

static void probe_file(struct cal *cal, struct storage_file *narrow, struct access access)
{
	struct storage_file wide = {.handle = MPI_FILE_NULL, .info = MPI_INFO_NULL, .fd = -1};
	const struct storage_file *widest = narrow;

	fill(cal, access, 0);
	access.n = access.n_bases = 1;
	access.piece_B = 1;
	access.first_node = cal->n_nodes > 1;
	access.n_nodes = 1;
	cal_repeat(cal, "storage_latency", BETWEEN_NODES, 1, 0, measure_access, &access);
	access.first_node = 0;
	access.n_nodes = cal->n_nodes;
	access.n_bases = 2;
	access.piece_B = PIECE_B;
	narrow->n_stripes = 1;
	cal->until = 0.6;
	cal_group(cal, "servers and stripes", 100);
	if (find_stripes(cal, narrow, access) && narrow->stripe_B &&
	    open_wide(cal, &wide, narrow) && find_stripes(cal, &wide, access) &&
	    wide.n_stripes > narrow->n_stripes)
		widest = &wide;
	note_stripes(cal, narrow, widest);
	cal->until = 1;
	cal_group(cal, "bandwidths of the storage", 12);
	measure_bandwidths(cal, narrow, widest, access);
	storage_close(&wide);
}

void probe_storage(struct cal *cal)
{
	bool has_failed = false, is_leader = cal->place[cal->rank] == 0;
	struct storage_file file;
	struct access access = {.file = &file, .piece_B = PIECE_B, .has_failed = &has_failed};
	int can;

	if (!cal->settings.storage)
		return;
	access.buf = mpisim_alloc(STORAGE_ACCESS_B);
	if (!access.buf)
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (!cal->is_simulated)
		memset(access.buf, 3, STORAGE_ACCESS_B);
	cal->until = 0.1;
	cal_group(cal, "storage", 2);
	can = storage_create(&file, cal->rank, false);
	if (can)
		cal_repeat(cal, "storage_metadata", BETWEEN_NODES, 0, 0, measure_open, &access);
	can = can && storage_open(&file, cal->rank, is_leader, !cal->is_simulated);
	if (can)
		probe_file(cal, &file, access);
	if (cal->rank == 0 && (!can || has_failed))
		samples_fact(&cal->samples, "warning",
			     "storage: an access to a file in '%s' failed; its values are not "
			     "what they should be",
			     cal->settings.storage);
	storage_close(&file);
	mpisim_free(access.buf);
}
